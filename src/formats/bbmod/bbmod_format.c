// bbmod_format.c: models and animations in the table of formats: what is in them, and recognizing
// the dialect of a file.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "formats/bbmod/bbmod_tree.h"
#include "formats/bbmod/export/bbmod_export.h"
#include "formats/bbmod/import/bbmod_import.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMATS_MOST 4  // Vertex formats of one model that are listed.
#define V1           (TENON_BBMOD_LOWER | TENON_BBMOD_NESTED | TENON_BBMOD_MATRICES | TENON_BBMOD_BONES)
#define V2_PARTS     (TENON_BBMOD_NAMES | TENON_BBMOD_BONES | TENON_BBMOD_IDS)
#define V3_1         (TENON_BBMOD_UPPER | V2_PARTS | TENON_BBMOD_BOUNDS)
#define V3_2         (V3_1 | TENON_BBMOD_MESH_FORMATS)
#define V3_3         (V3_2 | TENON_BBMOD_UV2)
#define V3_TEXT      (V3_3 | TENON_BBMOD_DOCUMENT)
#define TEXT         (V3_TEXT | TENON_BBMOD_TEXT_INDEX)
#define BARE         TENON_BBMOD_BARE_OFFSETS
#define BYTE         TENON_BBMOD_BYTE_PRIMITIVE
#define SHORT        TENON_BBMOD_NO_WEIGHTS

// -- Meshes

// Different vertex formats in the order in which they occur; only the first FORMATS_MOST.
static void bbmod_info_report_formats(tn_info_builder *builder, const bbmod_view *view)
{
    const tenon_bbmod_mesh *first[FORMATS_MOST];  // Mesh of each format.
    uint32_t uses[FORMATS_MOST], count = 0;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view->meshes[i].mesh;
        uint32_t k = 0;
        while (k < count && memcmp(&first[k]->vertex_format, &mesh->vertex_format,
                                   sizeof mesh->vertex_format) != 0)
            k++;
        if (k == FORMATS_MOST) continue;
        if (k == count) first[count] = mesh, uses[count++] = 0;
        uses[k]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const tenon_layout *layout = first[i]->vertices.layout;
        tn_text_list line = {0};
        for (uint32_t k = 0; layout && k < layout->element_count; k++)
            tn_text_list_add(&line, "%s", layout->elements[k].name);
        if (line.size == 0) tn_text_list_add(&line, "nothing");
        if (count == 1)
            tn_info_add(builder, "attributes", "%s", line.text);
        else
            tn_info_add(builder, "attributes", "%s (%u of %u meshes)", line.text, uses[i],
                        view->mesh_count);
    }
}

// Boxes that are not finite are ignored.
static void bbmod_info_widen(tenon_info *info, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(low[k]) || !isfinite(high[k])) return;
    for (int k = 0; k < 3; k++) {
        if (low[k] < info->bounds_min[k]) info->bounds_min[k] = low[k];
        if (high[k] > info->bounds_max[k]) info->bounds_max[k] = high[k];
    }
    info->has_bounds = true;
}

// -- Models

static void bbmod_info(tn_info_builder *builder, const void *any)
{
    const tenon_bbmod *doc = any;
    tenon_info *info = builder->info;
    bool has_minor = doc->version_major >= 3, is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    snprintf(info->version, sizeof info->version, has_minor ? "%u.%u" : "%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    bbmod_view view;
    if (!bbmod_view_make(&view, doc, builder->arena, NULL)) {
        builder->failed = true;
        return;
    }
    tn_text_list primitives = {0}, bones = {0};
    uint32_t seen = 0;
    info->meshes = view.mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view.meshes[i].mesh;
        const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
        const char *word = primitive ? primitive->word : "unknown";
        uint32_t bit = primitive ? 1u << mesh->primitive_type : 1u;
        info->vertices += mesh->vertices.count + mesh->bare_vertex_count;
        info->triangles += bbmod_triangle_count(mesh);
        if (!(seen & bit)) tn_text_list_add(&primitives, "%s", word);
        seen |= bit;
    }
    info->nodes = is_nested ? view.nodes.count : doc->node_count;
    info->joints = is_nested ? doc->v1_bone_count : doc->bones.count;
    info->materials = doc->material_count;
    bbmod_info_report_formats(builder, &view);
    if (primitives.size) tn_info_add(builder, "primitives", "%s", primitives.text);
    // The stored boxes of all meshes; with `full`, boxes that are not stored are computed.
    bool are_stored = bbmod_has(view.doc, TENON_BBMOD_BOUNDS);
    uint32_t unset = 0;
    for (int k = 0; k < 3; k++) info->bounds_min[k] = DBL_MAX, info->bounds_max[k] = -DBL_MAX;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view.meshes[i].mesh;
        float low[3], high[3];
        bool is_set = are_stored && !bbmod_box_is_unset(mesh);
        unset += are_stored && !is_set;
        if (is_set)
            bbmod_info_widen(info, mesh->bbox_min, mesh->bbox_max);
        else if (builder->full && bbmod_bounds(&mesh->vertices, low, high))
            bbmod_info_widen(info, low, high);
    }
    if (unset) tn_info_add(builder, "boxes", "unset in %u of %u meshes", unset, view.mesh_count);
    for (uint32_t i = 0; i < view.nodes.count; i++) {
        const tenon_bbmod_node *node = view.nodes.items[i].node;
        if (node && node->is_bone) tn_text_list_add(&bones, "%s", tn_show(node->name, 64).text);
    }
    for (uint32_t i = 0; i < view.bones.count; i++) {
        const tenon_bbmod_v1_bone *bone = view.bones.items[i].v1_bone;
        if (bone->index >= 0) tn_text_list_add(&bones, "%s", tn_show(bone->name, 64).text);
    }
    if (bones.size) tn_info_add(builder, "bones", "%s", bones.text);
    if (is_nested)
        tn_info_add(builder, "matrices", "for %s vectors", doc->column_vectors ? "column" : "row");
    if (doc->material_names)
        info->material_list =
            tn_info_alloc(builder, doc->material_count, sizeof *info->material_list);
    if (!info->material_list) return;
    info->material_count = doc->material_count;
    for (uint32_t i = 0; i < doc->material_count; i++)
        info->material_list[i] = (tenon_material_info){doc->material_names[i], {"", 0}};
}

// -- Animations

static void bbanim_info(tn_info_builder *builder, const void *any)
{
    static const char *const spaces[] = {"parent", "world", "bone"};
    const tenon_bbanim *doc = any;
    tenon_info *info = builder->info;
    bool has_keys = bbanim_has(doc, TENON_BBANIM_KEYFRAMES);
    bool has_nodes = !has_keys || bbanim_has(doc, TENON_BBANIM_NODES);
    bool has_bones = !has_keys || !has_nodes;
    snprintf(info->version, sizeof info->version, has_keys ? "%u" : "%u.%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    if (has_nodes) info->nodes = doc->model_node_count;
    if (has_bones) info->joints = doc->model_bone_count;
    info->animations = 1;
    if (has_keys) info->channels = doc->channel_count;
    if (!has_keys) info->frames = doc->frames.count;
    tn_info_add(builder, "rate", "%s %s per second", tn_show_f64(doc->tics_per_second).text,
                has_keys ? "tics" : "frames");
    if (has_nodes && has_bones)
        tn_info_add(builder, "model", "%u nodes, %u bones", doc->model_node_count,
                    doc->model_bone_count);
    else
        tn_info_add(builder, "model", "%u %s",
                    has_nodes ? doc->model_node_count : doc->model_bone_count,
                    has_nodes ? "nodes" : "bones");
    tn_text_list stored = {0}, events = {0};
    for (uint32_t i = 0; i < 3; i++)
        if (doc->spaces & 1u << i) tn_text_list_add(&stored, "%s", spaces[i]);
    if (!has_keys) tn_info_add(builder, "spaces", "%s", stored.size ? stored.text : "none");
    for (uint32_t i = 0; i < doc->event_count && !events.is_full; i++)
        tn_text_list_add(&events, "'%s' at %s", tn_show(doc->events[i].name, 64).text,
                         tn_show_f64(doc->events[i].frame).text);
    if (doc->event_count)
        tn_info_add(builder, "events", "%u: %s", doc->event_count, events.text);
    else if (bbanim_has(doc, TENON_BBANIM_EVENTS))
        tn_info_add(builder, "events", "0");
    info->clips = tn_info_alloc(builder, 1, sizeof *info->clips);
    if (!info->clips) return;
    double seconds = doc->duration / doc->tics_per_second;
    bool is_valid = doc->tics_per_second > 0 && seconds >= 0 && seconds < HUGE_VAL;
    info->clip_count = 1;
    info->clips[0] = (tenon_clip_info){.name = {"", 0},
                                       .seconds = is_valid ? seconds : -1,
                                       .channels = info->channels,
                                       .frames = info->frames};
}

static const tenon_dialect bbmod_dialects[] = {
    {"3.4", "BBMOD 3.12.0 and later", V3_3, false},
    {"3.3", "BBMOD 3.9.0 to 3.11.0: the same layout as 3.4", V3_3, false},
    {"3.2", "BBMOD 3.6.1 to 3.8.0: one set of texture coordinates", V3_2, false},
    {"3.1", "BBMOD 3.4.0 to 3.6.0: one vertex format, triangles only", V3_1, false},
    {"3.0", "BBMOD 3.0.0 to 3.3.0: without bounding boxes", TENON_BBMOD_LOWER | V2_PARTS, false},
    {"3.0-upper", "3.0 saved again by a later runtime", TENON_BBMOD_UPPER | V2_PARTS, false},
    {"2", "BBMOD 2.4.0 to 2.5.0: matrices", TENON_BBMOD_LOWER | V2_PARTS | TENON_BBMOD_MATRICES,
     false},
    {"1b", "BBMOD 2.3.0: meshes inside nodes, a tree of bones", V1 | TENON_BBMOD_NAMES, false},
    {"1a", "BBMOD 2.0.0 to 2.2.1: materials without names", V1, false},
    {"1a-boneless", "BBMOD 2.2.0: without bones and without a bone count",
     V1 | TENON_BBMOD_NO_BONE_COUNT, false},
    {"0", "BBMOD 1.0.0 to 1.1.0: one mesh, without magic bytes", 0, false},
    // Readings of the format's document, which is ambiguous and incomplete. Where it contradicts
    // itself, the list of fields comes first; where it says nothing, the engine decides.
    {"document", "exactly as documented; no engine version reads it", TEXT | BARE, true},
    {"document-16", "document, but bones take 16 bytes: without weights", TEXT | BARE | SHORT,
     true},
    {"document-byte", "document, but primitive types are one byte", TEXT | BARE | BYTE, true},
    {"document-byte-16", "document, but primitive types are one byte and bones take 16 bytes",
     TEXT | BARE | BYTE | SHORT, true},
    {"document-indexed", "document, but bone offsets have an index, as in the engine", TEXT, true},
    {"document-indexed-16", "document, but bone offsets have an index and bones take 16 bytes",
     TEXT | SHORT, true},
    {"document-indexed-byte",
     "document, but bone offsets have an index and primitive types are one byte", TEXT | BYTE,
     true},
    {"document-indexed-byte-16", "as document-indexed-byte, but bones take 16 bytes",
     TEXT | BYTE | SHORT, true},
    {"document-f32", "document, but node indices are floats, as in the engine", V3_TEXT | BARE,
     true},
    {"document-f32-16", "document, but node indices are floats and bones take 16 bytes",
     V3_TEXT | BARE | SHORT, true},
    {"document-f32-byte", "document, but node indices are floats and primitive types are one byte",
     V3_TEXT | BARE | BYTE, true},
    {"document-f32-byte-16", "as document-f32-byte, but bones take 16 bytes",
     V3_TEXT | BARE | BYTE | SHORT, true},
    {"document-f32-indexed-16", "3.4, but bones take 16 bytes", V3_TEXT | SHORT, true},
    {"document-f32-indexed-byte", "3.4, but primitive types are one byte", V3_TEXT | BYTE, true},
    {"document-f32-indexed-byte-16",
     "3.4, but primitive types are one byte and bones take 16 bytes", V3_TEXT | BYTE | SHORT, true},
};

// Of all dialects except the readings of the format's document, which are 3.4.
static const bbmod_version bbmod_versions[] = {{3, 4}, {3, 3}, {3, 2}, {3, 1}, {3, 0}, {3, 0},
                                               {2, 0}, {1, 0}, {1, 0}, {1, 0}, {0, 0}};

#define BBMOD_DIALECT_COUNT (sizeof bbmod_dialects / sizeof bbmod_dialects[0])

bbmod_version bbmod_version_of(const tenon_dialect *dialect)
{
    if (dialect->flags & TENON_BBMOD_DOCUMENT) return (bbmod_version){3, 4};
    return bbmod_versions[dialect - bbmod_dialects];
}

const tenon_dialect *bbmod_newest_dialect(void)
{
    return &bbmod_dialects[0];
}

// -- Recognizing the dialect

// Version 0 has no magic: a zero, five flags, a count, and vertices up to the end of the file.
// Returns the size of a vertex; 0 if the file does not start like that.
static uint64_t bbmod_format_v0_stride(const uint8_t *data, uint64_t size)
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

// The end of `count` items of `item_size` bytes at `pos`; 0 if the file is too short, or `pos` is
// 0.
static uint64_t bbmod_format_skip(uint64_t size, uint64_t pos, uint64_t count, uint64_t item_size)
{
    if (pos == 0 || count > (size - pos) / item_size) return 0;
    return pos + count * item_size;
}

// The end of the text at `pos`; 0 if it is not terminated, or `pos` is 0.
static uint64_t bbmod_format_skip_text(const uint8_t *data, uint64_t size, uint64_t pos)
{
    const uint8_t *end = pos ? memchr(data + pos, 0, (size_t)(size - pos)) : NULL;
    return end ? (uint64_t)(end - data) + 1 : 0;
}

// Read the number at *pos and advance *pos, which becomes 0 if the file is too short.
static uint32_t bbmod_format_take_count(const uint8_t *data, uint64_t size, uint64_t *pos)
{
    uint64_t end = bbmod_format_skip(size, *pos, 1, 4);
    *pos = end;
    return end ? tn_load32(data + end - 4, false) : 0;
}

// The end of the meshes at `pos`. *is_odd says whether one has an unknown primitive type.
static uint64_t bbmod_format_skip_meshes(const uint8_t *data, uint64_t size, uint64_t pos,
                                         uint32_t flags, bool *is_odd)
{
    const uint8_t bone_size = flags & TENON_BBMOD_NO_WEIGHTS ? 16 : 32;
    const uint8_t attribute_sizes[] = {12, 12, 8, 8, 4, 16, bone_size, 4};
    uint64_t primitive_size = flags & TENON_BBMOD_BYTE_PRIMITIVE ? 1 : 4;
    uint32_t mesh_count = bbmod_format_take_count(data, size, &pos);
    *is_odd = false;
    for (uint32_t m = 0; pos && m < mesh_count; m++) {
        uint64_t stride = 0;
        pos = bbmod_format_skip(size, pos, 1, 28 + 8 + primitive_size);
        if (!pos) return 0;
        const uint8_t *type = data + pos - primitive_size, *format = type - 8;
        for (uint64_t i = 0; i < 8; i++) stride += format[i] ? attribute_sizes[i] : 0u;
        if (!bbmod_vertices_primitive(primitive_size == 1 ? *type : tn_load32(type, false)))
            *is_odd = true;
        uint32_t vertex_count = bbmod_format_take_count(data, size, &pos);
        if (stride) pos = bbmod_format_skip(size, pos, vertex_count, stride);
    }
    return pos;
}

// The end of everything that follows the meshes. Every step needs bytes, so a damaged count stops
// early.
static uint64_t bbmod_format_skip_nodes(const uint8_t *data, uint64_t size, uint64_t pos,
                                        uint32_t flags)
{
    bool has_text = (flags & TENON_BBMOD_TEXT_INDEX) != 0;
    pos = bbmod_format_skip(size, pos, 1, 4);
    for (uint64_t nodes = 1; pos && nodes; nodes--) {
        pos = bbmod_format_skip_text(data, size, pos);
        pos =
            has_text ? bbmod_format_skip_text(data, size, pos) : bbmod_format_skip(size, pos, 1, 4);
        pos = bbmod_format_skip(size, pos, 1, 1 + 32);
        uint32_t mesh_count = bbmod_format_take_count(data, size, &pos);
        pos = bbmod_format_skip(size, pos, mesh_count, 4);
        nodes += bbmod_format_take_count(data, size, &pos);
    }
    uint32_t bone_count = bbmod_format_take_count(data, size, &pos);
    pos = bbmod_format_skip(size, pos, bone_count, flags & TENON_BBMOD_BARE_OFFSETS ? 32 : 36);
    uint32_t name_count = bbmod_format_take_count(data, size, &pos);
    for (uint32_t i = 0; pos && i < name_count; i++) pos = bbmod_format_skip_text(data, size, pos);
    return pos;
}

// Whether the content ends exactly at the end of the file, and all primitive types are known.
static bool bbmod_format_fits_plainly(const uint8_t *data, uint64_t size, uint32_t flags)
{
    bool is_odd;
    uint64_t nodes = bbmod_format_skip_meshes(data, size, 8, flags, &is_odd);
    return nodes && !is_odd && bbmod_format_skip_nodes(data, size, nodes, flags) == size;
}

// Whether the file is 3.4 and not one whose primitive types are bytes. Such a file can also be read
// as 3.4 if vertices have no attributes: then any count fits, and the root's name takes the bytes
// that are missing.
static bool bbmod_format_fits_newest(const uint8_t *data, uint64_t size)
{
    bool is_odd;
    if (!bbmod_format_skip_meshes(data, size, 8, 0, &is_odd) || !is_odd) return true;
    return !bbmod_format_fits_plainly(data, size, BYTE) &&
           !bbmod_format_fits_plainly(data, size, BYTE | BARE) &&
           !bbmod_format_fits_plainly(data, size, BYTE | SHORT) &&
           !bbmod_format_fits_plainly(data, size, BYTE | SHORT | BARE);
}

// Files that follow the format's document have the header of 3.4, so the content decides: it has to
// end at the end of the file in this dialect, but not as 3.4. In damaged files only the root is
// checked.
static bool bbmod_format_fits_text(const uint8_t *data, uint64_t size, uint32_t flags)
{
    bool has_text = (flags & TENON_BBMOD_TEXT_INDEX) != 0, is_odd;
    uint64_t nodes = bbmod_format_skip_meshes(data, size, 8, flags, &is_odd);
    if (!nodes) return false;
    // The index of the root has to be text and not empty. In 3.4 it is a float, and its first byte
    // is zero.
    uint64_t index = bbmod_format_skip_text(data, size, bbmod_format_skip(size, nodes, 1, 4));
    uint64_t end = bbmod_format_skip_text(data, size, index);
    if (has_text && end <= index + 1) return false;
    for (uint64_t i = index; has_text && i < end - 1; i++)
        if (data[i] < ' ' || data[i] == 0x7f) return false;
    if (bbmod_format_skip_nodes(data, size, nodes, flags) == size)
        return !bbmod_format_fits_plainly(data, size, 0) || !bbmod_format_fits_newest(data, size);
    // A bone flag and a rotation have to follow, as far as the file goes.
    if (!has_text || end == size || data[end] > 1) return false;
    double square = 0;
    for (uint64_t i = 0; size - end >= 1 + 16 && i < 4; i++) {
        double number = tn_load_f32(data + end + 1 + 4 * i, false);
        square += number * number;
    }
    return size - end < 1 + 16 || (square > 0.5 && square < 2);
}

static bool bbmod_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    bbmod_version version = bbmod_version_of(dialect);
    bool is_upper = (dialect->flags & TENON_BBMOD_UPPER) != 0;
    if (!is_upper && !(dialect->flags & TENON_BBMOD_LOWER))
        return bbmod_format_v0_stride(data, size) != 0;
    if (size < 6 || memcmp(data, is_upper ? "BBMOD" : "bbmod", 6) != 0) return false;
    if (size > 6 && data[6] != version.major) return false;
    if (is_upper && size > 7 && data[7] != version.minor) return false;
    if (dialect->flags & TENON_BBMOD_DOCUMENT)
        return size > 8 && bbmod_format_fits_text(data, size, dialect->flags);
    return dialect != &bbmod_dialects[0] || size <= 8 || bbmod_format_fits_newest(data, size);
}

static int bbmod_format_probe(const uint8_t *data, uint64_t size)
{
    if (size >= 6 && (memcmp(data, "BBMOD", 6) == 0 || memcmp(data, "bbmod", 6) == 0)) return 100;
    // Version 0 has no magic bytes, so the size of the file must match its vertex count. A header
    // without vertices is not enough. Files with colors score higher, because the writers always
    // stored colors.
    uint64_t stride = bbmod_format_v0_stride(data, size);
    bool is_v0 = stride && size > 10 && (size - 10) % stride == 0 &&
                 tn_load32(data + 6, false) == (size - 10) / stride;
    return is_v0 ? 50 + 30 * data[4] : 0;
}

// -- The tree

static tn_siblings bbmod_format_report_node(tn_walk *walk, const void *doc, const void *opaque,
                                            uint32_t depth)
{
    bool is_v1 = bbmod_has(doc, TENON_BBMOD_NESTED);
    const tenon_bbmod_node *node = is_v1 ? NULL : opaque;
    const tenon_bbmod_v1_node *v1 = is_v1 ? opaque : NULL;
    uint64_t count = is_v1 ? v1->mesh_count : node->meshes.count;
    char what[32] = "";
    if (count)
        (void)snprintf(what, sizeof what, "%" PRIu64 " mesh%s", count, count == 1 ? "" : "es");
    tn_walk_report(walk, is_v1 ? v1->name : node->name, depth,
                   node && node->is_bone ? "bone" : "node", what);
    return is_v1 ? (tn_siblings){v1->children, v1->child_count}
                 : (tn_siblings){node->children, node->child_count};
}

static void bbmod_format_report_tree(tn_walk *walk, const void *opaque)
{
    const tenon_bbmod *doc = opaque;
    bool is_v1 = bbmod_has(doc, TENON_BBMOD_NESTED);
    const void *root = is_v1 ? (const void *)&doc->v1_root : &doc->root;
    if (is_v1 || doc->node_count)
        tn_walk_nested(walk, doc, (tn_siblings){root, 1},
                       is_v1 ? sizeof doc->v1_root : sizeof doc->root, bbmod_format_report_node);
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
    .probe = bbmod_format_probe,
    .fits = bbmod_format_fits,
    .describe = bbmod_describe,
    .check = bbmod_check,
    .info = bbmod_info,
    .finalize = bbmod_finalize,
    .recover = bbmod_recover,
    .change = bbmod_change,
    .info_sidecars = bbmod_info_sidecars,
    .tree = bbmod_format_report_tree,
    .import = bbmod_import,
    .export = bbmod_export,
    .clip_format = &tn_bbanim_format,
    .clip_name = tenon_bbanim_clip,
    .sides = bbmod_sidecars,
};

tenon_bbmod *tenon_as_bbmod(tenon_doc *doc)
{
    return doc && doc->format == &tn_bbmod_format.face ? (tenon_bbmod *)doc : NULL;
}

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
    .finalize = bbanim_finalize,
    .recover = bbanim_recover,
    .change = bbanim_change,
    .import = bbanim_import,
    .relate = bbanim_fit_relate,
};

tenon_bbanim *tenon_as_bbanim(tenon_doc *doc)
{
    return doc && doc->format == &tn_bbanim_format.face ? (tenon_bbanim *)doc : NULL;
}
