// bmw_export_group.c: decides which parts of a scene become which mesh of BMW.
// SPDX-License-Identifier: MIT
//
// The engine has a fault: it adds the weights of vertex i of all earlier meshes to vertex i of a
// mesh. So parts with the same texture become one mesh, and every mesh starts with padding vertices
// for all earlier ones. Small meshes come first, which needs the least padding.

#include "formats/bmw/export/bmw_export.h"

#include "core/math/sort.h"

#define PADDING_SHARE 8       // Padding may be 8 times the vertices of the model,
#define PADDING_FREE  65536u  // or this many vertices.

// -- Bones

// Bones are those of the rig, then the static bone, then nodes that become bones without weights:
// joints and nodes with channels. Descendants of the latter are not bones: import creates such
// nodes for every bone.
static bool bmw_export_group_plan_bones(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    bool *is_unweighted =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *is_unweighted);
    exporter->unweighted =
        tn_export_alloc(&exporter->export, scene->node_count, sizeof *exporter->unweighted);
    if (!exporter->unweighted || !is_unweighted) return false;

    // The engine does not draw vertices without bones, so static parts need a bone, too.
    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    exporter->static_bone = TENON_NONE;
    for (uint32_t i = 0; i < exporter->part_count && is_for_engine; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        if (!part->is_skinned && part->bone == TENON_NONE)
            exporter->static_bone = exporter->rig.bone_count;
    }

    for (uint32_t i = 0; i < scene->node_count; i++) is_unweighted[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->animation_count && exporter->is_animated; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_unweighted[scene->animations[i].channels[k].node] = true;
    for (uint32_t i = 0; i < exporter->rig.bone_count; i++)
        is_unweighted[exporter->rig.bones[i].node] = false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (is_unweighted[i] && i != exporter->model && scene->nodes[i].mesh == TENON_NONE)
            exporter->unweighted[exporter->unweighted_count++] = i;

    exporter->bone_count = exporter->rig.bone_count + (exporter->static_bone != TENON_NONE) +
                           exporter->unweighted_count;
    // An animation without bones crashes the engine.
    exporter->is_animated = exporter->is_animated && exporter->bone_count > 0;
    return bmw_export_assign_bone_ids(exporter);
}

uint32_t bmw_export_vertex_bones(const bmw_exporter *exporter, const tn_part *part, uint32_t vertex,
                                 uint32_t bones[TN_INFLUENCES], float weights[TN_INFLUENCES])
{
    uint32_t count = 0;
    if (!part->is_skinned && part->bone == TENON_NONE) {
        bones[0] = exporter->static_bone;
        weights[0] = 1;
        return exporter->static_bone != TENON_NONE;
    }
    (void)tn_part_influences(part, vertex, bones, weights);
    while (count < TN_INFLUENCES && weights[count] > 0) count++;
    return count;
}

// -- Groups

static uint32_t bmw_export_group_part_texture(const bmw_exporter *exporter, uint32_t part)
{
    return bmw_export_material_plan_of(exporter, exporter->rig.parts[part].p)->texture_id;
}

static bool bmw_export_group_is_texture_before(const void *context, uint32_t a, uint32_t b)
{
    return bmw_export_group_part_texture(context, a) < bmw_export_group_part_texture(context, b);
}

static bool bmw_export_group_is_smaller(const void *context, uint32_t a, uint32_t b)
{
    const bmw_group *groups = context;
    return groups[a].vertex_count < groups[b].vertex_count;
}

// Sort the groups by size, and add padding, unless it would be too much.
static bool bmw_export_group_add_padding(bmw_exporter *exporter)
{
    uint32_t count = exporter->group_count;
    uint32_t *order = tn_export_alloc(&exporter->export, count, sizeof *order);
    uint32_t *spare = tn_export_alloc(&exporter->export, count, sizeof *spare);
    bmw_group *sorted = tn_export_alloc(&exporter->export, count, sizeof *sorted);
    if (!order || !spare || !sorted) return false;
    uint64_t total = 0, padding = 0, before = 0;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, bmw_export_group_is_smaller, exporter->groups);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = exporter->groups[order[i]];
        padding += total;
        total += sorted[i].vertex_count;
    }
    exporter->groups = sorted;
    if (padding > PADDING_SHARE * total && padding > PADDING_FREE) {
        exporter->counts.mixed_meshes = count - 1;
        return true;
    }
    exporter->counts.padding = padding;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i].padding = before;
        before += sorted[i].vertex_count;
        sorted[i].vertex_count = before;
    }
    return true;
}

bool bmw_export_plan_groups(bmw_exporter *exporter)
{
    const tenon_scene *scene = exporter->export.scene;
    uint32_t most = exporter->rig.part_count;
    bool *has_faces = tn_export_alloc(&exporter->export, scene->node_count, sizeof *has_faces);
    exporter->order = tn_export_alloc(&exporter->export, most, sizeof *exporter->order);
    exporter->groups = tn_export_alloc(&exporter->export, most, sizeof *exporter->groups);
    uint32_t *spare = tn_export_alloc(&exporter->export, most, sizeof *spare);
    if (!has_faces || !exporter->order || !exporter->groups || !spare) return false;

    // Parts without faces are left out: they crash the engine.
    for (uint32_t i = 0; i < most; i++) {
        if (exporter->rig.parts[i].p->index_count < 3) continue;
        exporter->order[exporter->part_count++] = i;
        has_faces[exporter->rig.parts[i].node] = true;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        exporter->counts.nodes_without_faces += scene->nodes[i].mesh != TENON_NONE && !has_faces[i];
    if (!bmw_export_group_plan_bones(exporter)) return false;

    bool is_for_engine = exporter->is_animated && !exporter->keeps_tree;
    if (is_for_engine)
        tn_sort(exporter->order, spare, exporter->part_count, bmw_export_group_is_texture_before,
                exporter);
    for (uint32_t i = 0; i < exporter->part_count; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        bool joins = i > 0 && is_for_engine &&
                     bmw_export_group_part_texture(exporter, exporter->order[i]) ==
                         bmw_export_group_part_texture(exporter, exporter->order[i - 1]);
        if (!joins)
            exporter->groups[exporter->group_count++] =
                (bmw_group){.first = i, .material = bmw_export_material_plan_of(exporter, part->p)};
        bmw_group *group = &exporter->groups[exporter->group_count - 1];
        group->count++;
        group->vertex_count += part->p->vertex_count;
        group->index_count += part->p->index_count;
        bool is_moved = exporter->keeps_tree ? part->bone != TENON_NONE : exporter->is_animated;
        group->is_weighted = group->is_weighted || is_moved || part->is_skinned;
        exporter->counts.merged_parts += group->count == 2 ? 2 : group->count > 2;
    }
    if (is_for_engine && !bmw_export_group_add_padding(exporter)) return false;
    for (uint32_t i = 0; i < exporter->group_count; i++)
        if (exporter->groups[i].vertex_count > UINT32_MAX ||
            exporter->groups[i].index_count > UINT32_MAX)
            return tn_error(exporter->export.err, TENON_ERR_LIMIT, "a mesh has too many vertices");
    exporter->bounds =
        tn_export_alloc(&exporter->export, exporter->bone_count, sizeof *exporter->bounds);
    if (!exporter->bounds) return false;
    for (uint32_t i = 0; i < exporter->bone_count; i++) exporter->bounds[i] = tn_bounds_empty();
    for (uint32_t i = 0; i < exporter->part_count && exporter->is_animated; i++) {
        const tn_part *part = bmw_export_part_at(exporter, i);
        for (uint32_t v = 0; v < part->p->vertex_count; v++) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES];
            uint32_t count = bmw_export_vertex_bones(exporter, part, v, bones, weights);
            for (uint32_t k = 0; k < count; k++)
                tn_bounds_add_f32(&exporter->bounds[bones[k]], part->p->positions + 3 * (size_t)v);
        }
    }
    return true;
}
