// bmw_export_group.c: decides which parts of a scene become which mesh of BMW.
// SPDX-License-Identifier: MIT
//
// The engine has a fault: it adds the weights of vertex i of all earlier meshes to vertex i of a
// mesh. So parts with the same texture become one mesh, and every mesh starts with padding vertices
// for all earlier ones. Small meshes come first, which needs the least padding.

#include "formats/bmw/export/bmw_export.h"

#include "core/math/sort.h"

#include <string.h>

#define PADDING_SHARE 8       // Padding may be 8 times the vertices of the model,
#define PADDING_FREE  65536u  // or this many vertices.

// -- Parts

// Leaves out parts without faces, which crash the engine.
static bool bmw_list_parts(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bool *is_shown = tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_shown);
    exporter->order =
        tn_export_alloc(&exporter->export, exporter->rig.part_count, sizeof *exporter->order);
    if (!exporter->order || !is_shown) return false;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        if (exporter->rig.parts[i].p->index_count < 3) continue;
        exporter->order[exporter->part_count++] = i;
        is_shown[exporter->rig.parts[i].node] = true;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        exporter->counts.nodes_without_faces += scene->nodes[i].mesh != TENON_NONE && !is_shown[i];
    return true;
}

// -- Bones

// The engine does not draw vertices without bones, so static parts need a bone, too.
static bool bmw_needs_static_bone(const bmw_exporter *exporter)
{
    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    for (uint32_t i = 0; i < exporter->part_count && is_for_engine; i++) {
        const tn_part *part = &exporter->rig.parts[exporter->order[i]];
        if (!part->is_skinned && part->bone == TENON_NONE) return true;
    }
    return false;
}

// Joints without weights, and nodes with channels. Their descendants are not bones: import creates
// such nodes for every bone.
static bool *bmw_find_unweighted(const bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bool *is_unweighted =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_unweighted);
    if (!is_unweighted) return NULL;
    for (uint32_t i = 0; i < scene->node_count; i++) is_unweighted[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->animation_count && exporter->is_animated; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_unweighted[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (i == exporter->model || scene->nodes[i].mesh != TENON_NONE) is_unweighted[i] = false;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        is_unweighted[exporter->rig.bones[i].node] = false;
    return is_unweighted;
}

static bool bmw_plan_bones(bmw_exporter *exporter)
{
    uint32_t node_count = exporter->export.scene->node_count;
    bool *is_unweighted = bmw_find_unweighted(exporter);
    exporter->static_bone = bmw_needs_static_bone(exporter) ? exporter->rig.bone_count : TENON_NONE;
    exporter->unweighted =
        tn_export_alloc(&exporter->export, node_count, sizeof *exporter->unweighted);
    if (!exporter->unweighted || !is_unweighted) return false;
    for (uint32_t i = 0; i < node_count; i++)
        if (is_unweighted[i]) exporter->unweighted[exporter->unweighted_count++] = i;
    exporter->bone_count = exporter->rig.bone_count + (exporter->static_bone != TENON_NONE) +
                           exporter->unweighted_count;
    // An animation without bones crashes the engine.
    exporter->is_animated = exporter->is_animated && exporter->bone_count > 0;
    return bmw_assign_bone_ids(exporter);
}

uint32_t bmw_vertex_bones(const bmw_exporter *exporter, const tn_part *part, uint32_t vertex,
                          uint32_t bones[TN_INFLUENCES], float weights[TN_INFLUENCES])
{
    uint32_t count = 0;
    bool is_rigid = !part->is_skinned;
    if (is_rigid && part->bone == TENON_NONE) {
        bones[0] = exporter->static_bone;
        weights[0] = 1;
        return exporter->static_bone != TENON_NONE;
    }
    (void)tn_part_influences(part, vertex, bones, weights);
    while (count < TN_INFLUENCES && weights[count] > 0) count++;
    return count;
}

// -- Bounds

static void bmw_grow(bmw_box *box, const float *p)
{
    for (int k = 0; k < 3; k++) {
        if (!box->is_there || p[k] < box->min[k]) box->min[k] = p[k];
        if (!box->is_there || p[k] > box->max[k]) box->max[k] = p[k];
    }
    box->is_there = true;
}

static bool bmw_measure_bones(bmw_exporter *exporter)
{
    exporter->bounds =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->bounds);
    if (!exporter->bounds) return false;
    for (uint32_t i = 0; i < exporter->part_count && exporter->is_animated; i++) {
        const tn_part *part = &exporter->rig.parts[exporter->order[i]];
        for (uint32_t v = 0; v < part->p->vertex_count; v++) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES];
            uint32_t count = bmw_vertex_bones(exporter, part, v, bones, weights);
            for (uint32_t k = 0; k < count; k++)
                bmw_grow(&exporter->bounds[bones[k]], part->p->positions + 3 * (size_t)v);
        }
    }
    return true;
}

// -- Groups

static uint32_t bmw_part_texture(const bmw_exporter *exporter, uint32_t part)
{
    return bmw_material_plan_of(exporter, exporter->rig.parts[part].p)->texture_id;
}

static bool bmw_is_texture_before(const void *context, uint32_t a, uint32_t b)
{
    return bmw_part_texture(context, a) < bmw_part_texture(context, b);
}

static void bmw_begin_group(bmw_exporter *exporter, uint32_t at)
{
    const tn_part *part = &exporter->rig.parts[exporter->order[at]];
    exporter->groups[exporter->group_count++] =
        (bmw_group){.first = at, .material = bmw_material_plan_of(exporter, part->p)};
}

static void bmw_add_to_group(bmw_exporter *exporter, uint32_t at)
{
    const tn_part *part = &exporter->rig.parts[exporter->order[at]];
    bmw_group *group = &exporter->groups[exporter->group_count - 1];
    group->count++;
    group->vertex_count += part->p->vertex_count;
    group->index_count += part->p->index_count;
    bool is_moved = exporter->keeps_tree ? part->bone != TENON_NONE : exporter->is_animated;
    group->is_weighted = group->is_weighted || is_moved || part->is_skinned;
    exporter->counts.merged_parts += group->count == 2 ? 2 : group->count > 2;
}

static bool bmw_is_smaller(const void *context, uint32_t a, uint32_t b)
{
    const bmw_group *groups = context;
    return groups[a].vertex_count < groups[b].vertex_count;
}

static bool bmw_sort_groups(bmw_exporter *exporter)
{
    uint32_t *order = tn_export_alloc(&exporter->export, exporter->group_count, sizeof *order);
    uint32_t *spare = tn_export_alloc(&exporter->export, exporter->group_count, sizeof *spare);
    bmw_group *sorted = tn_export_alloc(&exporter->export, exporter->group_count, sizeof *sorted);
    if (!order || !spare || !sorted) return false;
    for (uint32_t i = 0; i < exporter->group_count; i++) order[i] = i;
    tn_sort(order, spare, exporter->group_count, bmw_is_smaller, exporter->groups);
    for (uint32_t i = 0; i < exporter->group_count; i++) sorted[i] = exporter->groups[order[i]];
    exporter->groups = sorted;
    return true;
}

// Add padding, unless it would be too much.
static void bmw_add_padding(bmw_exporter *exporter)
{
    uint64_t total = 0, padding = 0, before = 0;
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        padding += total;
        total += exporter->groups[i].vertex_count;
    }
    if (padding > PADDING_SHARE * total && padding > PADDING_FREE) {
        exporter->counts.mixed_meshes = exporter->group_count - 1;
        return;
    }
    exporter->counts.padding = padding;
    for (uint32_t i = 0; i < exporter->group_count; i++) {
        exporter->groups[i].padding = before;
        before += exporter->groups[i].vertex_count;
        exporter->groups[i].vertex_count = before;
    }
}

bool bmw_plan_groups(bmw_exporter *exporter)
{
    if (!bmw_list_parts(exporter) || !bmw_plan_bones(exporter)) return false;
    exporter->groups =
        tn_export_alloc(&exporter->export, exporter->part_count, sizeof *exporter->groups);
    uint32_t *spare = tn_export_alloc(&exporter->export, exporter->part_count, sizeof *spare);
    if (!exporter->groups || !spare) return false;
    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    if (is_for_engine)
        tn_sort(exporter->order, spare, exporter->part_count, bmw_is_texture_before, exporter);
    for (uint32_t i = 0; i < exporter->part_count; i++) {
        bool joins = i > 0 && is_for_engine &&
                     bmw_part_texture(exporter, exporter->order[i]) ==
                         bmw_part_texture(exporter, exporter->order[i - 1]);
        if (!joins) bmw_begin_group(exporter, i);
        bmw_add_to_group(exporter, i);
    }
    if (is_for_engine) {
        if (!bmw_sort_groups(exporter)) return false;
        bmw_add_padding(exporter);
    }
    for (uint32_t i = 0; i < exporter->group_count; i++)
        if (exporter->groups[i].vertex_count > UINT32_MAX ||
            exporter->groups[i].index_count > UINT32_MAX)
            return tn_error(exporter->export.err, TENON_ERR_LIMIT, "a mesh has too many vertices");
    return bmw_measure_bones(exporter);
}
