// bplx_format.c: BPLX in the table of formats: recognizing, summarizing,
// changing and recovering a file.
// SPDX-License-Identifier: MIT

#include "formats/bplx/bplx_format.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/view.h"

#include <stdio.h>
#include <string.h>

static const tenon_dialect bplx_dialects[] = {
    {"document", "with the materials block, as documented", TENON_BPLX_MATERIALS, false},
    {"document-short", "document, without the path of materials that are not textured",
     TENON_BPLX_MATERIALS | TENON_BPLX_SHORT, false},
    {"script", "without materials, as all published scripts write and read it", 0, false},
};

// Whether a text after its length ends within the file; moves past it.
static bool bplx_format_skip_text(const uint8_t *data, uint64_t size, uint64_t *at)
{
    if (size - *at < 4 || tn_load32(data + *at, false) > size - *at - 4) return false;
    *at += 4 + (uint64_t)tn_load32(data + *at, false);
    return true;
}

// The dialect without paths for materials that are not textured fits only if there is such a
// material and the file is large enough for its counts. Damaged files are read as one of the other
// dialects, which give better errors.
static bool bplx_format_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    enum { HEADER = 24, VALUES = 44 };
    uint64_t at = HEADER + 4;
    bool has_plain = false;
    if (!(dialect->flags & TENON_BPLX_SHORT)) return true;
    if (size < at) return false;
    for (uint32_t i = tn_load32(data + HEADER, false); i > 0; i--) {
        if (!bplx_format_skip_text(data, size, &at) || size - at < VALUES + 1) return false;
        at += VALUES + 1;
        bool is_textured = data[at - 1] != 0;
        if (is_textured && !bplx_format_skip_text(data, size, &at)) return false;
        has_plain = has_plain || !is_textured;
    }
    uint64_t vertices = tn_load32(data + 8, false), faces = tn_load32(data + 12, false);
    if (!has_plain || size - at < 32 * vertices || size - at - 32 * vertices < 12 * faces)
        return false;
    at += 32 * vertices + 12 * faces;
    return size - at >= 8 && tn_load32(data + at, false) <= (size - at - 8) / 48;
}

// -- What is in a file

static bool bplx_format_open(tn_view *view)
{
    const tenon_bplx *doc = view->doc;
    view->mesh_count = 1;
    view->node_count = doc->bone_count;
    view->clip_count = doc->clip_count;
    view->material_count = doc->material_list_count;  // The header's count may be wrong.
    return true;
}

static void bplx_format_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    tenon_bplx *doc = (tenon_bplx *)view->doc;
    (void)index;
    mesh->vertex_count = doc->vertex_count;
    mesh->array_count = 3;
    mesh->arrays[0] = (tn_array_view){&doc->positions, "positions"};
    mesh->arrays[1] = (tn_array_view){&doc->normals, "normals"};
    mesh->arrays[2] = (tn_array_view){&doc->uvs, "uvs"};
    mesh->position = &tn_layout_f32x3.elements[0];
    mesh->part.indices = &doc->faces;
    mesh->part.path = tn_path("faces");
}

static void bplx_format_view_node(const tn_view *view, uint32_t index, tenon_tree_node *node,
                                  uint32_t *parent)
{
    const tenon_bplx *doc = view->doc;
    node->name = doc->bones[index].name;
    node->kind = "bone";
    *parent = (uint32_t)doc->bones[index].parent_index;
}

static void bplx_format_view_clip(const tn_view *view, uint32_t index, tenon_clip_info *clip)
{
    const tenon_bplx *doc = view->doc;
    *clip = (tenon_clip_info){.name = doc->clips[index].name,
                              .seconds = doc->clips[index].animation_length,
                              .channels = TENON_ABSENT,
                              .frames = doc->clips[index].keyframes.count};
}

static void bplx_format_view_material(const tn_view *view, uint32_t index,
                                      tenon_material_info *material)
{
    const tenon_bplx *doc = view->doc;
    *material =
        (tenon_material_info){doc->materials[index].name, doc->materials[index].texture_path};
}

static const tn_views bplx_views = {
    .open = bplx_format_open,
    .mesh = bplx_format_view_mesh,
    .node = bplx_format_view_node,
    .clip = bplx_format_view_clip,
    .material = bplx_format_view_material,
};

static void bplx_format_info(tn_info_builder *informer, const void *any)
{
    const tenon_bplx *doc = any;
    tenon_info *info = informer->info;
    snprintf(info->version, sizeof info->version, "%u", (unsigned)doc->version);
    info->triangles = doc->face_count;  // As the header says; a damaged file may hold fewer.
    info->joints = doc->bone_count;
}

// -- Changing

static bool bplx_format_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bplx *doc = any;
    (void)arena;
    (void)err;
    doc->vertex_count = (uint32_t)doc->positions.count;
    doc->face_count = (uint32_t)doc->faces.count;
    if (doc->base.dialect->flags & TENON_BPLX_MATERIALS)
        doc->material_count = doc->material_list_count;
    return true;
}

static bool bplx_format_change(void *any, const tn_change *change)
{
    tenon_bplx *doc = any;
    uint32_t count = doc->material_count;
    if (change->to == doc->base.dialect) return true;
    if (change->to->flags & TENON_BPLX_SHORT) {
        uint64_t paths = 0;
        for (uint32_t i = 0; i < doc->material_list_count; i++) {
            tenon_bplx_material *m = &doc->materials[i];
            if (m->is_textured || !m->texture_path.size) continue;
            m->texture_path = (tenon_str){"", 0};
            paths++;
        }
        tn_change_report(change, TENON_DROPPED, "texture paths", paths,
                         "this dialect stores no paths for materials that are not textured");
    }
    if (!(change->to->flags & TENON_BPLX_MATERIALS)) {
        tn_change_report(change, TENON_DROPPED, "materials", doc->material_list_count,
                         "not supported by the dialect 'script'");
        doc->material_list_count = 0;
        return true;
    }
    if (doc->base.dialect->flags & TENON_BPLX_MATERIALS) return true;
    doc->materials = tn_change_alloc(change, count, sizeof *doc->materials, "the materials");
    if (!doc->materials) return false;
    for (uint32_t i = 0; i < count; i++)
        doc->materials[i] = (tenon_bplx_material){.name = {"material", 8},
                                                  .diffuse_color = {1, 1, 1},
                                                  .shininess = 1,
                                                  .transparency = 1,
                                                  .texture_path = {"", 0}};
    doc->material_list_count = count;
    tn_change_report(change, TENON_SYNTHESIZED, "materials", count,
                     "the dialect 'script' stores the number of materials, but not the materials");
    return true;
}

// -- Recovering

// Whether the bone of a key exists and its transform is plausible.
static bool bplx_format_key_is_plausible(const void *context, const uint8_t *key)
{
    const tenon_bplx *doc = context;
    float v[10];
    tn_copy_numbers(v, key + 8, 10, 4, false);
    return tn_load32(key + 4, false) < doc->bone_count && tn_all_finite(v, 10) &&
           tn_is_plausible_rotation(v + 3);
}

static bool bplx_format_recover(void *any, const tn_change *change)
{
    tenon_bplx *doc = any;
    // A vertex is complete if all three arrays have it.
    tenon_span *arrays[] = {&doc->positions, &doc->normals, &doc->uvs};
    uint64_t count = doc->positions.count;
    for (int k = 1; k < 3; k++)
        if (arrays[k]->count < count) count = arrays[k]->count;
    tn_change_report(change, TENON_DROPPED, "positions", doc->positions.count - count,
                     "the file ends before their normals or texture coordinates");
    for (int k = 0; k < 3; k++) {
        if (arrays[k]->count <= count) continue;
        arrays[k]->count = count;
        arrays[k]->size = count * arrays[k]->layout->stride;
    }
    for (uint32_t i = 0; i < doc->bone_count; i++) {
        int64_t parent = doc->bones[i].parent_index;
        if (parent >= (int64_t)doc->bone_count) doc->bones[i].parent_index = -1;
    }
    tn_filtered keys = {0};
    bool ok = tn_view_remove_outliers(change, &bplx_views, doc);
    for (uint32_t i = 0; ok && i < doc->clip_count; i++)
        ok = tn_keep_plausible(change, &doc->clips[i].keyframes, bplx_format_key_is_plausible, doc,
                               tn_path("clips[%u].keyframes", i).text, &keys);
    tn_report_filtered(change, &keys, TENON_DROPPED, "keys of animations",
                       "the bone does not exist, or the position or rotation is not plausible");
    return ok;
}

const tn_format tn_bplx_format = {
    .face = {.name = "bplx",
             .title = "BPLX model",
             .engine = "BPLX",
             .extensions = {"bplx", "bplx_bin"},
             .caps = TENON_CAN_READ | TENON_CAN_WRITE | TENON_IS_EXACT | TENON_CAN_CHANGE |
                     TENON_HAS_MAGIC | TENON_CAN_CHECK | TENON_TO_SCENE | TENON_FROM_SCENE,
             .dialects = bplx_dialects,
             .dialect_count = sizeof bplx_dialects / sizeof bplx_dialects[0],
             .rules = bplx_rules,
             .rule_count = BPLX_RULE_COUNT},
    .doc_size = sizeof(tenon_bplx),
    .magic = "BPLX",
    .fits = bplx_format_fits,
    .describe = bplx_describe,
    .check = bplx_check,
    .views = &bplx_views,
    .info = bplx_format_info,
    .finalize = bplx_format_finalize,
    .recover = bplx_format_recover,
    .change = bplx_format_change,
    .import = bplx_import,
    .still = "which do not move meshes in BPLX: skins are not supported",
    .export = bplx_export,
};

tenon_bplx *tenon_as_bplx(tenon_doc *doc)
{
    return doc && doc->format == &tn_bplx_format.face ? (tenon_bplx *)doc : NULL;
}
