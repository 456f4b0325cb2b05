// bbanim_format.c: BBMOD animations in the table of formats; recognizing the dialect of a file.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "formats/bbmod/check/bbmod_check.h"
#include "formats/bbmod/import/bbmod_import.h"

#include "core/cursor/span.h"

#include <math.h>
#include <string.h>

// Offsets in a header with a minor version, and its size.
enum { SPACES_AT = 9, DURATION_AT = 10, NODE_COUNT_AT = 26, BONE_COUNT_AT = 30, UPPER_HEAD = 34 };

#define V3_4 (TENON_BBANIM_MINOR | TENON_BBANIM_EVENTS)

static const tenon_dialect bbanim_dialects[] = {
    {"3.4", "BBMOD 3.12.0 and later: adds events", V3_4, false},
    {"3.3", "BBMOD 3.9.0 to 3.11.0", TENON_BBANIM_MINOR, false},
    {"3.2", "BBMOD 3.6.1 to 3.8.0", TENON_BBANIM_MINOR, false},
    {"3.1", "BBMOD 3.4.1 to 3.6.0", TENON_BBANIM_MINOR, false},
    {"3.0", "BBMOD 3.0.0 to 3.3.0: baked frames", TENON_BBANIM_LOWER, false},
    {"3.0-upper", "3.0 saved again by a later runtime", TENON_BBANIM_MINOR, false},
    {"2", "BBMOD 2.4.0 to 2.5.0: keyframes of nodes",
     TENON_BBANIM_LOWER | TENON_BBANIM_KEYFRAMES | TENON_BBANIM_NODES, false},
    {"1", "BBMOD 2.0.0 to 2.3.0: keyframes of bones", TENON_BBANIM_LOWER | TENON_BBANIM_KEYFRAMES,
     false},
    {"3.1-lower", "BBMOD 3.4.0: version 3.1 with the magic of 3.0",
     TENON_BBANIM_LOWER | TENON_BBANIM_MINOR, true},
    {"repeated", "written by the faulty save function of BBMOD 3.12.0 to 3.16.3",
     V3_4 | TENON_BBANIM_REPEATED, true},
    {"document", "exactly as documented: one frame, in parent space", V3_4 | TENON_BBANIM_DOCUMENT,
     true},
    {"document-spaces", "as documented, with one frame in every space",
     V3_4 | TENON_BBANIM_DOCUMENT | TENON_BBANIM_ALL_SPACES, true},
    {"document-frames", "as documented, with all frames in parent space",
     V3_4 | TENON_BBANIM_DOCUMENT | TENON_BBANIM_ALL_FRAMES, true},
};

static const bbmod_version bbanim_versions[] = {{3, 4}, {3, 3}, {3, 2}, {3, 1}, {3, 0},
                                                {3, 0}, {2, 0}, {1, 0}, {3, 1}, {3, 4},
                                                {3, 4}, {3, 4}, {3, 4}};

#define BBANIM_DIALECT_COUNT (sizeof bbanim_dialects / sizeof bbanim_dialects[0])
_Static_assert(sizeof bbanim_versions / sizeof bbanim_versions[0] == BBANIM_DIALECT_COUNT,
               "a version for each dialect");

bbmod_version bbanim_version_of(const tenon_dialect *dialect)
{
    return bbanim_versions[dialect - bbanim_dialects];
}

bool bbanim_has(const tenon_bbanim *doc, uint32_t flag)
{
    return (doc->base.dialect->flags & flag) != 0;
}

// -- Sizes

uint64_t bbanim_frame_size(uint8_t spaces, uint32_t node_count, uint32_t bone_count)
{
    uint64_t rows = 0;
    if (spaces & TENON_BBANIM_PARENT) rows += node_count;
    if (spaces & TENON_BBANIM_WORLD) rows += node_count;
    if (spaces & TENON_BBANIM_BONE) rows += bone_count;
    return 32 * rows;
}

bool bbanim_is_event_block(const uint8_t *bytes, uint64_t size)
{
    if (size < 4) return false;
    uint32_t count = tn_load32(bytes, false);
    uint64_t pos = 4;
    for (uint32_t i = 0; i < count; i++) {
        if (size - pos < 9) return false;
        const uint8_t *name = bytes + pos + 8;
        const uint8_t *end = memchr(name, 0, (size_t)(size - pos - 8));
        if (!end) return false;
        pos = (uint64_t)(end - bytes) + 1;
    }
    return pos == size;
}

// -- Recognizing the dialect

// All dialects of last resort can be recognized by the size of the file.
static bool bbanim_format_size_fits(const uint8_t *data, uint64_t size, uint32_t flags)
{
    if (size < UPPER_HEAD) return false;
    uint8_t spaces = bbanim_describe_stored_spaces(flags, data[SPACES_AT]);
    double duration = tn_load_f64(data + DURATION_AT, false);
    // Without bytes in a frame nothing is stored, whatever the duration.
    uint64_t frame_size = bbanim_frame_size(spaces, tn_load32(data + NODE_COUNT_AT, false),
                                            tn_load32(data + BONE_COUNT_AT, false));
    uint64_t most = frame_size ? (size - UPPER_HEAD) / frame_size : 0;
    bool has_one = (flags & TENON_BBANIM_DOCUMENT) && !(flags & TENON_BBANIM_ALL_FRAMES);
    // A fraction of a frame counts as a frame if the file is long enough.
    for (int k = 0; k < 2; k++) {
        double count = k ? floor(duration) : ceil(duration);
        if (flags & TENON_BBANIM_REPEATED) count *= count;
        if (has_one) count = 1;
        if (!frame_size) count = 0;
        if (!(count >= 0 && count <= (double)most)) continue;
        uint64_t end = UPPER_HEAD + frame_size * (uint64_t)count;
        if (end == size && !(flags & TENON_BBANIM_EVENTS)) return true;
        if (bbanim_is_event_block(data + end, size - end)) return true;
    }
    return false;
}

static bool bbanim_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    size_t index = (size_t)(dialect - bbanim_dialects);
    const char *magic = dialect->flags & TENON_BBANIM_LOWER ? "bbanim" : "BBANIM";
    if (size < 7 || memcmp(data, magic, 7) != 0) return false;
    if (size > 7 && data[7] != bbanim_versions[index].major) return false;
    bool has_minor = (dialect->flags & TENON_BBANIM_MINOR) != 0;
    // The faulty save function kept the minor version of the file that was loaded.
    bool any_minor = (dialect->flags & TENON_BBANIM_REPEATED) != 0;
    if (has_minor && size > 8 && data[8] != bbanim_versions[index].minor && !any_minor)
        return false;
    return !dialect->last_resort || bbanim_format_size_fits(data, size, dialect->flags);
}

static int bbanim_format_probe(const uint8_t *data, uint64_t size)
{
    return size >= 7 && (memcmp(data, "BBANIM", 7) == 0 || memcmp(data, "bbanim", 7) == 0) ? 100
                                                                                           : 0;
}

const tn_format tn_bbanim_format = {
    .face = {.name = "bbanim",
             .title = "BBMOD animation",
             .engine = "BBMOD for GameMaker",
             .extensions = {"bbanim"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_HAS_MAGIC | TENON_CAN_CHECK,
             .dialects = bbanim_dialects,
             .dialect_count = BBANIM_DIALECT_COUNT,
             .rules = bbanim_rules,
             .rule_count = BBANIM_RULE_COUNT},
    .doc_size = sizeof(tenon_bbanim),
    .probe = bbanim_format_probe,
    .fits = bbanim_format_fits,
    .describe = bbanim_describe,
    .check = bbanim_check,
    .info = bbanim_info,
    .finalize = bbanim_dialects_finalize,
    .recover = bbanim_recover,
    .change = bbanim_change,
    .import = bbanim_import,
    .relate = bbanim_fit_relate,
};

tenon_bbanim *tenon_as_bbanim(tenon_doc *doc)
{
    return doc && doc->format == &tn_bbanim_format.face ? (tenon_bbanim *)doc : NULL;
}
