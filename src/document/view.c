// view.c: what all formats do with the meshes, nodes, clips and materials of their documents.
// SPDX-License-Identifier: MIT

#include "document/view.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"
#include "document/document.h"
#include "document/field_rules.h"
#include "document/outliers.h"

#include <string.h>

#define BLOCK 256  // Vertices decoded at once.

static tn_mesh_view view_mesh(const tn_views *views, const tn_view *view, uint32_t index)
{
    tn_mesh_view mesh = {.part = {.mode = TENON_TRIANGLES}, .part_count = 1};
    views->mesh(view, index, &mesh);
    return mesh;
}

static tn_part_view view_part(const tn_views *views, const tn_view *view, const tn_mesh_view *mesh,
                              uint32_t mesh_index, uint32_t index)
{
    tn_part_view part = mesh->part;
    if (views->part) views->part(view, mesh_index, index, &part);
    return part;
}

// -- Info

static uint64_t view_triangle_count(const tn_part_view *part, uint64_t vertex_count)
{
    uint64_t corners = vertex_count;
    if (part->indices)
        corners = part->indices->layout
                      ? part->indices->count * part->indices->layout->elements[0].count
                      : 0;
    if (part->mode == TENON_TRIANGLES) return corners / 3;
    return part->mode > TENON_TRIANGLES && corners > 2 ? corners - 2 : 0;
}

static void view_add_bounds(const tn_mesh_view *mesh, tn_bounds *bounds)
{
    float block[3 * BLOCK];
    const tenon_span *span = mesh->arrays[0].span;
    for (uint64_t at = 0; mesh->position && at < span->count; at += BLOCK) {
        uint64_t n = span->count - at < BLOCK ? span->count - at : BLOCK;
        tn_span_f32(span, mesh->position, at, n, block);
        for (uint64_t i = 0; i < n; i++) tn_bounds_add_f32(bounds, block + 3 * i);
    }
}

void tn_view_info(tn_info_builder *informer, const tn_views *views, const void *doc)
{
    tenon_info *info = informer->info;
    tn_view view = {.doc = doc, .arena = informer->arena};
    tn_bounds bounds = tn_bounds_empty();
    if (!views->open(&view)) informer->failed = true;
    if (informer->failed) return;
    info->meshes = view.mesh_count;
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        tn_mesh_view mesh = view_mesh(views, &view, i);
        info->vertices += mesh.vertex_count;
        for (uint32_t k = 0; k < mesh.part_count; k++) {
            tn_part_view part = view_part(views, &view, &mesh, i, k);
            info->triangles += view_triangle_count(&part, mesh.vertex_count);
        }
        if (informer->full) view_add_bounds(&mesh, &bounds);
    }
    info->has_bounds = !tn_bounds_is_empty(&bounds);
    memcpy(info->bounds_min, bounds.min, sizeof bounds.min);
    memcpy(info->bounds_max, bounds.max, sizeof bounds.max);
    if (views->clip) info->animations = view.clip_count;
    if (views->material) info->materials = view.material_count;
    info->clips = tn_info_alloc(informer, view.clip_count, sizeof *info->clips);
    info->material_list = tn_info_alloc(informer, view.material_count, sizeof *info->material_list);
    if (informer->failed) return;
    for (; info->clip_count < view.clip_count; info->clip_count++)
        views->clip(&view, info->clip_count, &info->clips[info->clip_count]);
    for (; info->material_count < view.material_count; info->material_count++)
        views->material(&view, info->material_count, &info->material_list[info->material_count]);
}

// -- Tree

typedef struct view_tree {
    const tn_views *views;
    tn_view view;
} view_tree;

static void view_report_node(tn_walk *walk, const void *context, uint32_t index, uint32_t depth)
{
    const view_tree *tree = context;
    uint32_t parent;
    tenon_tree_node node = {.what = ""};
    tree->views->node(&tree->view, index, &node, &parent);
    tn_walk_report(walk, node.name, depth, node.kind, node.what);
}

void tn_view_tree(tn_walk *walk, const tn_views *views, const void *doc)
{
    view_tree tree = {views, {.doc = doc, .arena = walk->arena}};
    uint32_t *parents = NULL;
    if (views->open(&tree.view))
        parents = tn_arena_alloc(walk->arena, tree.view.node_count, sizeof *parents, NULL);
    walk->failed = !parents;
    if (!parents) return;
    for (uint32_t i = 0; i < tree.view.node_count; i++) {
        tenon_tree_node node = {.what = ""};
        views->node(&tree.view, i, &node, &parents[i]);
    }
    tn_walk_flat(walk, &tree, parents, tree.view.node_count, view_report_node);
}

// -- Rules

void tn_view_check(tn_check *check, const void *doc)
{
    const tn_views *views = ((const tenon_doc *)doc)->owner->format->views;
    tn_view view = {.doc = doc, .arena = check->arena};
    tn_check_fields(check, doc);
    if (!views->open(&view)) check->failed = true;
    for (uint32_t i = 0; i < view.mesh_count && !check->failed; i++) {
        tn_mesh_view mesh = view_mesh(views, &view, i);
        for (uint32_t k = 0; k < mesh.part_count; k++) {
            tn_part_view part = view_part(views, &view, &mesh, i, k);
            if (part.indices)
                tn_check_indices(check, part.path.text, part.indices, mesh.vertex_count);
        }
    }
}

// -- Outliers

static bool view_filter_mesh(const tn_change *change, const tn_views *views, const tn_view *view,
                             uint32_t index, double limit, tn_mesh_outliers *removed)
{
    tn_mesh_view mesh = view_mesh(views, view, index);
    tenon_span *vertices = mesh.arrays[0].span;
    const char *dot = mesh.path.text[0] ? "." : "";
    tn_path_text paths[TN_VIEW_ARRAYS];
    tn_outliers outliers = {0};
    for (uint32_t i = 0; i < mesh.array_count; i++)
        paths[i] = tn_path("%s%s%s", mesh.path.text, dot, mesh.arrays[i].name);
    bool ok = !mesh.position || tn_find_outliers(change, vertices, mesh.position, limit, &outliers);
    for (uint32_t i = 0; ok && i < mesh.part_count; i++) {
        tn_part_view part = view_part(views, view, &mesh, index, i);
        if (part.mode != TENON_TRIANGLES) continue;
        ok = part.indices
                 ? tn_drop_triangles(change, part.indices, &outliers, part.path.text,
                                     &removed->triangles)
                 : tn_drop_corners(change, vertices, &outliers, paths[0].text, &removed->triangles);
    }
    ok = ok && tn_hide_outliers(change, vertices, mesh.position, &outliers);
    for (uint32_t i = 0; ok && i < mesh.array_count; i++)
        ok = tn_clear_numbers(change, mesh.arrays[i].span, paths[i].text, &removed->numbers);
    if (!mesh.joint_count) return ok;
    return ok && tn_filter_influences(change, vertices, mesh.joints, mesh.weights, mesh.joint_count,
                                      paths[0].text, &removed->weights);
}

bool tn_view_remove_outliers(const tn_change *change, const tn_views *views, const void *doc)
{
    tn_view view = {.doc = doc, .arena = change->arena};
    tn_magnitudes sizes = {0};
    tn_mesh_outliers removed = {0};
    if (!views->open(&view)) return tn_error(change->err, TENON_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        tn_mesh_view mesh = view_mesh(views, &view, i);
        if (mesh.position) tn_add_positions(&sizes, mesh.arrays[0].span, mesh.position);
    }
    double limit = tn_usual_limit(&sizes);
    bool ok = true;
    for (uint32_t i = 0; ok && i < view.mesh_count; i++)
        ok = view_filter_mesh(change, views, &view, i, limit, &removed);
    tn_report_mesh_outliers(change, &removed);
    return ok;
}

bool tn_view_recover(void *doc, const tn_change *change)
{
    const tenon_doc *base = doc;
    return tn_view_remove_outliers(change, base->owner->format->views, doc);
}
