// bbmod_info.c: information about a model.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include "core/text/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMATS_MOST 4  // Vertex formats of one model that are listed.

// -- Lists

void bbmod_info_line_add(bbmod_line *line, const char *word, size_t size)
{
    if (line->is_full) return;
    size_t left = sizeof line->text - line->size;
    if (size + sizeof ", " + sizeof ", ..." > left) {
        line->is_full = true;
        word = "...";
        size = 3;
    }
    line->size += (size_t)snprintf(line->text + line->size, left, "%s%.*s", line->size ? ", " : "",
                                   (int)size, word);
}

void bbmod_info_line_add_name(bbmod_line *line, tenon_str name)
{
    char shown[64];
    bbmod_info_line_add(line, shown, tn_text_clean(name.data, name.size, shown, sizeof shown));
}

// -- Meshes

static void bbmod_info_count_meshes(const bbmod_view *view, tenon_info *info)
{
    info->meshes = view->mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        info->vertices += view->meshes[i].mesh->vertices.count;
        info->vertices += view->meshes[i].mesh->bare_vertex_count;
        info->triangles += bbmod_vertices_triangle_count(view->meshes[i].mesh);
    }
}

// A vertex format, and how many meshes have it.
typedef struct bbmod_use {
    const tenon_bbmod_mesh *mesh;
    uint32_t count;
} bbmod_use;

// Different formats in the order in which they occur; only the first FORMATS_MOST.
static uint32_t bbmod_info_collect_formats(const bbmod_view *view, bbmod_use uses[FORMATS_MOST])
{
    uint32_t use_count = 0;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view->meshes[i].mesh;
        uint32_t k = 0;
        while (k < use_count && memcmp(&uses[k].mesh->vertex_format, &mesh->vertex_format,
                                       sizeof mesh->vertex_format) != 0)
            k++;
        if (k == FORMATS_MOST) continue;
        if (k == use_count) uses[use_count++] = (bbmod_use){mesh, 0};
        uses[k].count++;
    }
    return use_count;
}

static void bbmod_info_report_formats(tn_info_builder *builder, const bbmod_view *view)
{
    bbmod_use uses[FORMATS_MOST];
    uint32_t use_count = bbmod_info_collect_formats(view, uses);
    for (uint32_t i = 0; i < use_count; i++) {
        const tenon_layout *layout = uses[i].mesh->vertices.layout;
        bbmod_line line = {0};
        for (uint32_t k = 0; layout && k < layout->element_count; k++)
            bbmod_info_line_add(&line, layout->elements[k].name, strlen(layout->elements[k].name));
        if (line.size == 0) bbmod_info_line_add(&line, "nothing", 7);
        if (use_count == 1)
            tn_info_add(builder, "attributes", "%s", line.text);
        else
            tn_info_add(builder, "attributes", "%s (%" PRIu32 " of %" PRIu32 " meshes)", line.text,
                        uses[i].count, view->mesh_count);
    }
}

static void bbmod_info_report_primitives(tn_info_builder *builder, const bbmod_view *view)
{
    bbmod_line line = {0};
    uint32_t seen = 0;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        uint32_t type = view->meshes[i].mesh->primitive_type;
        const char *word = bbmod_vertices_primitive_word(type);
        uint32_t bit = word ? 1u << type : 1u;
        if (seen & bit) continue;
        seen |= bit;
        if (!word) word = "unknown";
        bbmod_info_line_add(&line, word, strlen(word));
    }
    if (line.size) tn_info_add(builder, "primitives", "%s", line.text);
}

// -- Bounds

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

// The stored boxes of all meshes; with `full`, boxes that are not stored are computed.
static void bbmod_info_report_bounds(tn_info_builder *builder, const bbmod_view *view)
{
    tenon_info *info = builder->info;
    bool are_stored = bbmod_tree_has(view->doc, TENON_BBMOD_BOUNDS);
    uint32_t unset = 0;
    for (int k = 0; k < 3; k++) info->bounds_min[k] = DBL_MAX, info->bounds_max[k] = -DBL_MAX;
    for (uint32_t i = 0; i < view->mesh_count; i++) {
        const tenon_bbmod_mesh *mesh = view->meshes[i].mesh;
        float low[3], high[3];
        bool is_set = are_stored && !bbmod_vertices_box_is_unset(mesh);
        unset += are_stored && !is_set;
        if (is_set)
            bbmod_info_widen(info, mesh->bbox_min, mesh->bbox_max);
        else if (builder->full && bbmod_vertices_bounds(&mesh->vertices, low, high))
            bbmod_info_widen(info, low, high);
    }
    if (unset)
        tn_info_add(builder, "boxes", "unset in %" PRIu32 " of %" PRIu32 " meshes", unset,
                    view->mesh_count);
}

// -- Nodes, bones, materials

static void bbmod_info_report_bones(tn_info_builder *builder, const bbmod_view *view)
{
    bbmod_line line = {0};
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        const tenon_bbmod_node *node = view->nodes.items[i].node;
        if (node && node->is_bone) bbmod_info_line_add_name(&line, node->name);
    }
    for (uint32_t i = 0; i < view->bones.count; i++) {
        const tenon_bbmod_v1_bone *bone = view->bones.items[i].v1_bone;
        if (bone->index >= 0) bbmod_info_line_add_name(&line, bone->name);
    }
    if (line.size) tn_info_add(builder, "bones", "%s", line.text);
}

static void bbmod_info_list_materials(tn_info_builder *builder, const tenon_bbmod *doc)
{
    tenon_info *info = builder->info;
    if (!doc->material_names) return;
    info->material_list = tn_info_alloc(builder, doc->material_count, sizeof *info->material_list);
    if (!info->material_list) return;
    info->material_count = doc->material_count;
    for (uint32_t i = 0; i < doc->material_count; i++)
        info->material_list[i] = (tenon_material_info){doc->material_names[i], {"", 0}};
}

void bbmod_info(tn_info_builder *builder, const void *any)
{
    const tenon_bbmod *doc = any;
    tenon_info *info = builder->info;
    bool has_minor = doc->version_major >= 3;
    snprintf(info->version, sizeof info->version, has_minor ? "%u.%u" : "%u",
             (unsigned)doc->version_major, (unsigned)doc->version_minor);
    bbmod_view view;
    if (!bbmod_tree_view_make(&view, doc, builder->arena, NULL)) {
        builder->failed = true;
        return;
    }
    bool is_nested = bbmod_tree_has(doc, TENON_BBMOD_NESTED);
    bbmod_info_count_meshes(&view, info);
    info->nodes = is_nested ? view.nodes.count : doc->node_count;
    info->joints = is_nested ? doc->v1_bone_count : doc->bones.count;
    info->materials = doc->material_count;
    bbmod_info_report_formats(builder, &view);
    bbmod_info_report_primitives(builder, &view);
    bbmod_info_report_bounds(builder, &view);
    bbmod_info_report_bones(builder, &view);
    if (is_nested)
        tn_info_add(builder, "matrices", "for %s vectors", doc->column_vectors ? "column" : "row");
    bbmod_info_list_materials(builder, doc);
}
