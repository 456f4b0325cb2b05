// bmw_format.c: BMW in the table of formats.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"
#include "formats/bmw/export/bmw_export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    OLDEST = 0,
    FACED = TENON_BMW_FACES,
    ANIMATED = FACED | TENON_BMW_NODE_IDS | TENON_BMW_WEIGHTS | TENON_BMW_ANIMATIONS,
    REORDERED = ANIMATED | TENON_BMW_ANIMATIONS_FIRST,
    NAMED = REORDERED | TENON_BMW_NAMES,
    LITERAL = ANIMATED | TENON_BMW_FRAMES_LITERAL,
    ROWS = TENON_BMW_ROW_MAJOR,
    FORCED = TENON_BMW_ORDER_FORCED,
    BARE = TENON_BMW_HEADER_BARE,
    NEWLINE = TENON_BMW_HEADER_NEWLINE,
    NUL_NEWLINE = NEWLINE | TENON_BMW_HEADER_NUL_FIRST,
    RETURN = NEWLINE | TENON_BMW_HEADER_RETURN,
};

// In the order of trials, newest first. The format's own text does not say what ends the header, so
// other endings are tried if no layout with a NUL fits. The dialects at the end are never tried,
// only requested: they set the matrix order instead of detecting it.
static const tenon_dialect bmw_dialects[] = {
    {"R4", "textures, animations, meshes, nodes, names", NAMED, false},
    {"R3", "R4 without names", REORDERED, false},
    {"R2", "R3 with the animations last", ANIMATED | ROWS, false},
    {"document", "R2 with the number of matrices per bone that the document gives", LITERAL, false},
    {"R1", "R2 without animations, weights and node ids", FACED | ROWS, false},
    {"R0", "R1 without faces", OLDEST | ROWS, false},
    {"R2a", "R2 with its durations lost", ANIMATED | ROWS | TENON_BMW_FRAMES_INFERRED, true},
    {"R2-bare", "R2, header without the NUL", ANIMATED | ROWS | BARE, true},
    {"R2-newline", "R2, a newline instead of the NUL", ANIMATED | ROWS | BARE | NEWLINE, true},
    {"R2-newline-nul", "R2, a newline before the NUL", ANIMATED | ROWS | NEWLINE, true},
    {"R2-nul-newline", "R2, a newline after the NUL", ANIMATED | ROWS | NUL_NEWLINE, true},
    {"R2-crlf", "R2, CR and LF instead of the NUL", ANIMATED | ROWS | BARE | RETURN, true},
    {"R2-crlf-nul", "R2, CR and LF before the NUL", ANIMATED | ROWS | RETURN, true},
    {"document-bare", "document, header without the NUL", LITERAL | BARE, true},
    {"document-newline", "document, a newline instead of the NUL", LITERAL | BARE | NEWLINE, true},
    {"document-newline-nul", "document, a newline before the NUL", LITERAL | NEWLINE, true},
    {"document-nul-newline", "document, a newline after the NUL", LITERAL | NUL_NEWLINE, true},
    {"document-crlf", "document, CR and LF instead of the NUL", LITERAL | BARE | RETURN, true},
    {"document-crlf-nul", "document, CR and LF before the NUL", LITERAL | RETURN, true},
    {"R4-column", "R4, always read as column-major", NAMED | FORCED, false},
    {"R4-row", "R4, always read as row-major", NAMED | ROWS | FORCED, false},
    {"R3-column", "R3, always read as column-major", REORDERED | FORCED, false},
    {"R3-row", "R3, always read as row-major", REORDERED | ROWS | FORCED, false},
    {"R2-column", "R2, always read as column-major", ANIMATED | FORCED, false},
    {"R2-row", "R2, always read as row-major", ANIMATED | ROWS | FORCED, false},
    {"document-column", "document, always read as column-major", LITERAL | FORCED, false},
    {"document-row", "document, always read as row-major", LITERAL | ROWS | FORCED, false},
    {"R1-column", "R1, always read as column-major", FACED | FORCED, false},
    {"R1-row", "R1, always read as row-major", FACED | ROWS | FORCED, false},
    {"R0-column", "R0, always read as column-major", OLDEST | FORCED, false},
    {"R0-row", "R0, always read as row-major", OLDEST | ROWS | FORCED, false},
};

static int bmw_format_probe(const uint8_t *data, uint64_t size)
{
    const uint64_t least = sizeof BMW_HEADER - 1;  // Trials find its line end and NUL.
    return size >= least && memcmp(data, BMW_HEADER, least) == 0 ? 100 : 0;
}

static bool bmw_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    char header[BMW_HEADER_MOST];
    uint32_t header_size = bmw_describe_header(dialect->flags, header);
    bool starts = size >= header_size && memcmp(data, header, header_size) == 0;
    return starts && !(dialect->flags & TENON_BMW_ORDER_FORCED);
}

static bool bmw_format_sidecars(const void *doc, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    char name[BMW_NAME_SIZE];
    (void)doc;
    if (bmw_sidecar_name(stem, name, sizeof name)) fn(user, name);
    return true;
}

static tn_siblings bmw_format_report_node(tn_walk *walk, const void *context, const void *opaque,
                                          uint32_t depth)
{
    const bmw_sorted *names = context;
    const tenon_bmw_node *node = opaque;
    char what[32] = "";
    uint32_t at = bmw_names_find(names, (tenon_bmw_name){.node_id = node->node_id});
    tenon_str name = at == TENON_NONE ? (tenon_str){"", 0} : names->names[at].name;
    if (node->meshes.count)
        (void)snprintf(what, sizeof what, "%" PRIu64 " mesh%s", node->meshes.count,
                       node->meshes.count == 1 ? "" : "es");
    tn_walk_report(walk, name, depth, "node", what);
    return (tn_siblings){node->children, node->child_count};
}

static void bmw_format_tree(tn_walk *walk, const void *opaque)
{
    const tenon_bmw *doc = opaque;
    uint32_t *room = tn_arena_alloc(walk->arena, doc->name_count, 2 * sizeof *room, NULL);
    bmw_sorted names = bmw_names_sort(doc->names, doc->name_count, false, room);
    walk->failed = !room;
    if (room)
        tn_walk_nested(walk, &names, (tn_siblings){&doc->root, 1}, sizeof doc->root,
                       bmw_format_report_node);
}

static const char *bmw_format_why_static(const tenon_dialect *dialect)
{
    return dialect->flags & TENON_BMW_ANIMATIONS ? NULL : "which layouts before R2 cannot hold";
}

const tn_format tn_bmw_format = {
    .face = {.name = "bmw",
             .title = "Beo-Model-Wolf model",
             .engine = "Beowolf",
             .extensions = {"bmw"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_HAS_MAGIC | TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE |
                     TENON_SHOWS_FRAMES,
             .dialects = bmw_dialects,
             .dialect_count = sizeof bmw_dialects / sizeof bmw_dialects[0],
             .rules = bmw_rules,
             .rule_count = BMW_RULE_COUNT},
    .doc_size = sizeof(tenon_bmw),
    .probe = bmw_format_probe,
    .fits = bmw_format_fits,
    .describe = bmw_describe,
    .check = bmw_check,
    .views = &bmw_views,
    .info = bmw_info,
    .finalize = bmw_dialects_finalize,
    .recover = bmw_recover,
    .change = bmw_change,
    .relate = bmw_names_relate,
    .info_sidecars = bmw_info_sidecars,
    .tree = bmw_format_tree,
    .import = bmw_import,
    .still = bmw_format_why_static,
    .export = bmw_export,
    .sides = bmw_format_sidecars,
};

tenon_bmw *tenon_as_bmw(tenon_doc *doc)
{
    return doc && doc->format == &tn_bmw_format.face ? (tenon_bmw *)doc : NULL;
}
