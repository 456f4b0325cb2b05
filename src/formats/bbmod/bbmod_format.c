// bbmod_format.c: BBMOD models in the table of formats; which generation a file is of.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"

#include "bbmod_check.h"
#include "bbmod_make.h"
#include "bbmod_scene.h"

#include "../../core/span.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define V1       (TENON_BBMOD_LOWER | TENON_BBMOD_NESTED | TENON_BBMOD_MATRICES | TENON_BBMOD_BONES)
#define V2_PARTS (TENON_BBMOD_NAMES | TENON_BBMOD_BONES | TENON_BBMOD_IDS)
#define V3_1     (TENON_BBMOD_UPPER | V2_PARTS | TENON_BBMOD_BOUNDS)
#define V3_2     (V3_1 | TENON_BBMOD_MESH_FORMATS)
#define V3_3     (V3_2 | TENON_BBMOD_UV2)

static const tenon_dialect bbmod_dialects[] = {
    {"3.4", "of BBMOD 3.12.0 and later", V3_3, false},
    {"3.3", "of BBMOD 3.9.0 to 3.11.0: the same, but for the version", V3_3, false},
    {"3.2", "of BBMOD 3.6.1 to 3.8.0: no second texture coordinates", V3_2, false},
    {"3.1", "of BBMOD 3.4.0 to 3.6.0: one vertex format, triangles only", V3_1, false},
    {"3.0", "of BBMOD 3.0.0 to 3.3.0: no bounding boxes", TENON_BBMOD_LOWER | V2_PARTS, false},
    {"3.0-upper", "3.0 saved again by a later runtime", TENON_BBMOD_UPPER | V2_PARTS, false},
    {"2", "of BBMOD 2.4.0 to 2.5.0: matrices", TENON_BBMOD_LOWER | V2_PARTS | TENON_BBMOD_MATRICES,
     false},
    {"1b", "of BBMOD 2.3.0: meshes inside nodes, a tree of bones", V1 | TENON_BBMOD_NAMES, false},
    {"1a", "of BBMOD 2.0.0 to 2.2.1: materials without names", V1, false},
    {"1a-boneless", "of BBMOD 2.2.0 without bones, nor their number",
     V1 | TENON_BBMOD_NO_BONE_COUNT, false},
    {"0", "of BBMOD 1.0.0 to 1.1.0: one mesh, no magic", 0, false},
    {"document", "the format's text taken literally, which no engine reads",
     V3_3 | TENON_BBMOD_DOCUMENT, true},
};

static const bbmod_version bbmod_versions[] = {{3, 4}, {3, 3}, {3, 2}, {3, 1}, {3, 0}, {3, 0},
                                               {2, 0}, {1, 0}, {1, 0}, {1, 0}, {0, 0}, {3, 4}};

#define BBMOD_DIALECT_COUNT (sizeof bbmod_dialects / sizeof bbmod_dialects[0])
_Static_assert(sizeof bbmod_versions / sizeof bbmod_versions[0] == BBMOD_DIALECT_COUNT,
               "a version for each dialect");

bbmod_version bbmod_version_of(const tenon_dialect *dialect)
{
    return bbmod_versions[dialect - bbmod_dialects];
}

const tenon_dialect *bbmod_newest_dialect(void)
{
    return &bbmod_dialects[0];
}

// -- Which generation a file is of

// Version 0 has no magic: a zero, five flags, a count, and as many vertices as fill the file.
// Returns the size of a vertex; 0 if the file does not begin like that.
static uint64_t bbmod_v0_stride(const uint8_t *data, uint64_t size)
{
    static const uint8_t attribute_sizes[] = {12, 12, 8, 4, 16};
    uint64_t stride = 0;
    if (size < 10 || data[0] != 0 || data[1] != 1) return 0;
    for (int i = 0; i < 5; i++) {
        if (data[1 + i] > 1) return 0;
        stride += data[1 + i] ? attribute_sizes[i] : 0u;
    }
    return stride;
}

// Of a file that is not said to be BBMOD, the size has to fit as well.
static bool bbmod_is_v0(const uint8_t *data, uint64_t size)
{
    uint64_t stride = bbmod_v0_stride(data, size);
    return stride && tn_load32(data + 6, false) == (size - 10) / stride &&
           (size - 10) % stride == 0;
}

// Past the vertices of the meshes at `pos`, counted as the text counts them; 0 if they do not fit.
static uint64_t bbmod_skip_literal_meshes(const uint8_t *data, uint64_t size, uint64_t pos)
{
    static const uint8_t attribute_sizes[] = {12, 12, 8, 8, 4, 16, 16, 4};
    if (size - pos < 4) return 0;
    uint32_t mesh_count = tn_load32(data + pos, false);
    pos += 4;
    for (uint32_t m = 0; m < mesh_count; m++) {
        uint64_t stride = 0;
        if (size - pos < 44) return 0;
        for (uint32_t i = 0; i < 8; i++) stride += data[pos + 28 + i] ? attribute_sizes[i] : 0u;
        uint64_t vertices = tn_load32(data + pos + 40, false);
        pos += 44;
        if (stride && vertices > (size - pos) / stride) return 0;
        pos += stride * vertices;
    }
    return pos;
}

// Only in the dialect of the text can the index of the root be a word: elsewhere it is a float,
// which begins with a zero byte.
static bool bbmod_is_literal(const uint8_t *data, uint64_t size)
{
    uint64_t pos = bbmod_skip_literal_meshes(data, size, 8);
    if (pos == 0 || size - pos < 4) return false;
    const uint8_t *name = data + pos + 4;
    const uint8_t *name_end = memchr(name, 0, (size_t)(size - pos - 4));
    if (!name_end) return false;
    uint64_t index = (uint64_t)(name_end - data) + 1, end = index;
    while (end < size && data[end] > ' ' && data[end] < 0x7f) end++;
    return end > index && size - end >= 2 && data[end] == 0 && data[end + 1] <= 1;
}

static bool bbmod_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    size_t index = (size_t)(dialect - bbmod_dialects);
    bool is_upper = (dialect->flags & TENON_BBMOD_UPPER) != 0;
    if (!is_upper && !(dialect->flags & TENON_BBMOD_LOWER)) return bbmod_v0_stride(data, size) != 0;
    if (size < 6 || memcmp(data, is_upper ? "BBMOD" : "bbmod", 6) != 0) return false;
    if (size > 6 && data[6] != bbmod_versions[index].major) return false;
    if (is_upper && size > 7 && data[7] != bbmod_versions[index].minor) return false;
    return !(dialect->flags & TENON_BBMOD_DOCUMENT) || (size > 8 && bbmod_is_literal(data, size));
}

static int bbmod_probe(const uint8_t *data, uint64_t size)
{
    if (size >= 6 && (memcmp(data, "BBMOD", 6) == 0 || memcmp(data, "bbmod", 6) == 0)) return 100;
    // Its writers always stored colours; ten bytes without a vertex could be anything.
    return bbmod_is_v0(data, size) && size > 10 ? 50 + 30 * data[4] : 0;
}

// -- The tree

static tn_siblings bbmod_tell_node(tn_walk *walk, const void *doc, const void *opaque,
                                   uint32_t depth)
{
    const tenon_bbmod_node *node = opaque;
    char what[32] = "";
    (void)doc;
    if (node->meshes.count)
        (void)snprintf(what, sizeof what, "%" PRIu64 " mesh%s", node->meshes.count,
                       node->meshes.count == 1 ? "" : "es");
    tn_walk_tell(walk, node->name, depth, node->is_bone ? "bone" : "node", what);
    return (tn_siblings){node->children, node->child_count};
}

static tn_siblings bbmod_tell_v1_node(tn_walk *walk, const void *doc, const void *opaque,
                                      uint32_t depth)
{
    const tenon_bbmod_v1_node *node = opaque;
    char what[32] = "";
    (void)doc;
    if (node->mesh_count)
        (void)snprintf(what, sizeof what, "%" PRIu32 " mesh%s", node->mesh_count,
                       node->mesh_count == 1 ? "" : "es");
    tn_walk_tell(walk, node->name, depth, "node", what);
    return (tn_siblings){node->children, node->child_count};
}

static void bbmod_tell_tree(tn_walk *walk, const void *opaque)
{
    const tenon_bbmod *doc = opaque;
    if (doc->base.dialect->flags & TENON_BBMOD_NESTED)
        tn_walk_nested(walk, doc, (tn_siblings){&doc->v1_root, 1}, sizeof doc->v1_root,
                       bbmod_tell_v1_node);
    else if (doc->node_count)
        tn_walk_nested(walk, doc, (tn_siblings){&doc->root, 1}, sizeof doc->root, bbmod_tell_node);
}

const tn_format tn_bbmod_format = {
    .face = {.name = "bbmod",
             .title = "BBMOD model",
             .engine = "BBMOD for GameMaker",
             .extensions = {"bbmod"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_LEFT_HANDED | TENON_HAS_MAGIC | TENON_CAN_CHECK | TENON_TO_SCENE |
                     TENON_FROM_SCENE,
             .dialects = bbmod_dialects,
             .dialect_count = BBMOD_DIALECT_COUNT,
             .rules = bbmod_rules,
             .rule_count = BBMOD_RULE_COUNT},
    .doc_size = sizeof(tenon_bbmod),
    .probe = bbmod_probe,
    .fits = bbmod_fits,
    .describe = bbmod_describe,
    .check = bbmod_check,
    .info = bbmod_info,
    .finalize = bbmod_finalize,
    .mend = bbmod_mend,
    .change = bbmod_change,
    .inform_beside = bbmod_inform_beside,
    .tree = bbmod_tell_tree,
    .to_scene = bbmod_to_scene,
    .export = bbmod_export,
    .sides = bbmod_sides,
};

tenon_bbmod *tenon_as_bbmod(tenon_doc *doc)
{
    return doc && doc->format == &tn_bbmod_format.face ? (tenon_bbmod *)doc : NULL;
}
