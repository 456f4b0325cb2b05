// gpb_outliers.c: removes values that are not plausible from the meshes of a damaged bundle.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include "core/cursor/span.h"
#include "document/outliers.h"

#include <inttypes.h>

#define GPB_TRIANGLES 4

// -- Meshes

static const tenon_element *gpb_outliers_position_of(const tenon_gpb_mesh *mesh)
{
    const tenon_layout *layout = mesh->vertices.count ? mesh->vertices.layout : NULL;
    const tenon_element *position = layout ? tn_layout_find(layout, "position") : NULL;
    return position && position->count == 3 ? position : NULL;
}

static double gpb_outliers_limit_of_positions(const tenon_gpb *doc)
{
    tn_magnitudes sizes = {0};
    for (uint32_t i = 0; i < doc->block_count; i++) {
        const tenon_gpb_mesh *mesh = &doc->blocks[i].body.mesh;
        if (doc->blocks[i].kind != TENON_GPB_MESH || !gpb_outliers_position_of(mesh)) continue;
        tn_add_positions(&sizes, &mesh->vertices, gpb_outliers_position_of(mesh));
    }
    return tn_usual_limit(&sizes);
}

static bool gpb_outliers_filter_mesh(tenon_gpb_mesh *mesh, uint32_t block, double limit,
                                     const tn_change *change, tn_mesh_outliers *removed)
{
    const tenon_element *position = gpb_outliers_position_of(mesh);
    tn_path_text path = tn_path("blocks[%" PRIu32 "].mesh", block);
    tn_outliers outliers;
    if (!position) return true;
    bool ok = tn_find_outliers(change, &mesh->vertices, position, limit, &outliers);
    for (uint32_t i = 0; ok && i < mesh->part_count; i++) {
        tenon_gpb_part *part = &mesh->parts[i];
        tn_path_text indices = tn_path("%s.parts[%" PRIu32 "].indices", path.text, i);
        if (part->primitive_type == GPB_TRIANGLES)
            ok = tn_drop_triangles(change, &part->indices, &outliers, indices.text,
                                   &removed->triangles);
    }
    return ok && tn_hide_outliers(change, &mesh->vertices, position, &outliers) &&
           tn_clear_numbers(change, &mesh->vertices, tn_path("%s.vertices", path.text).text,
                            &removed->numbers);
}

// -- Influences

// For each block: the smallest joint count of the skins that use its mesh; 0 if none does.
static bool gpb_outliers_count_joints(const tenon_gpb *doc, const tn_change *change,
                                      uint32_t **counts)
{
    gpb_index index;
    *counts = tn_arena_alloc_or_fail(change->arena, doc->block_count, sizeof **counts,
                                     "joint counts", change->err);
    if (!*counts || !gpb_index_make(&index, doc, change->arena, change->err)) return false;
    for (uint32_t i = 0; i < index.tree.count; i++) {
        const tenon_gpb_model *model = &index.tree.nodes[i].node->model;
        uint32_t block = gpb_index_find_mesh_block(&index, model->mesh);
        if (block == TENON_NONE || !model->has_skin || !model->skin.joint_count) continue;
        uint32_t *count = &(*counts)[block];
        if (!*count || model->skin.joint_count < *count) *count = model->skin.joint_count;
    }
    return true;
}

static bool gpb_outliers_filter_skin(tenon_gpb_mesh *mesh, uint32_t joint_count, const char *path,
                                     const tn_change *change, tn_filtered *removed)
{
    const tenon_layout *layout = mesh->vertices.layout;
    if (!mesh->vertices.count) return true;
    return tn_filter_influences(change, &mesh->vertices, tn_layout_find(layout, "indices"),
                                tn_layout_find(layout, "weights"), joint_count, path, removed);
}

// -- All meshes

static bool gpb_outliers_filter_skins(tenon_gpb *doc, const tn_change *change, tn_filtered *removed)
{
    uint32_t *joints;
    if (!gpb_outliers_count_joints(doc, change, &joints)) return false;
    for (uint32_t i = 0; i < doc->block_count; i++) {
        tn_path_text path = tn_path("blocks[%" PRIu32 "].mesh.vertices", i);
        if (joints[i] && !gpb_outliers_filter_skin(&doc->blocks[i].body.mesh, joints[i], path.text,
                                                   change, removed))
            return false;
    }
    return true;
}

// If a bundle is cut, joints may be missing, so weights for joints that do not exist are plausible.
bool gpb_remove_outliers(tenon_gpb *doc, const tn_change *change)
{
    tn_mesh_outliers removed = {0};
    double limit = gpb_outliers_limit_of_positions(doc);
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->block_count; i++)
        if (doc->blocks[i].kind == TENON_GPB_MESH)
            ok = gpb_outliers_filter_mesh(&doc->blocks[i].body.mesh, i, limit, change, &removed);
    ok = ok && (change->is_cut || gpb_outliers_filter_skins(doc, change, &removed.weights));
    tn_report_mesh_outliers(change, &removed);
    return ok;
}
