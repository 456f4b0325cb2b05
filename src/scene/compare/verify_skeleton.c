// verify_skeleton.c: points at the nodes of scenes that show nothing, such as animations without
// their model, so that their poses can be compared.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/math/bounds.h"
#include "scene/model/pieces.h"

#include <string.h>

#define REACH 0.1  // As a fraction of the diagonal.

bool tn_shows_pieces(const tenon_scene *scene)
{
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        if (mesh->morph_count) return true;
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            if (tn_piece_count(&mesh->primitives[p])) return true;
    }
    return false;
}

bool tn_measure_skeleton(tn_match_context *context, const tenon_scene *scene, double *reach)
{
    tenon_pose *pose = tenon_pose_new(scene, &context->arena.allocator, context->err);
    tn_bounds bounds = tn_bounds_empty();
    context->failed = !pose;
    for (uint32_t i = 0; pose && i < scene->node_count; i++)
        tn_bounds_add(&bounds, tenon_pose_global(pose, i) + 12);
    double diagonal = tn_bounds_is_empty(&bounds) ? 0 : tn_bounds_diagonal(&bounds);
    *reach = REACH * (diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1);
    tenon_pose_free(pose);
    return pose;
}

bool tn_make_skeleton(tn_match_context *context, const tenon_scene *from, tenon_scene *made)
{
    uint32_t count = from->node_count;
    tenon_node *nodes = tn_match_alloc(context, count, sizeof *nodes);
    tenon_mesh *meshes = tn_match_alloc(context, count, sizeof *meshes);
    tenon_primitive *primitive = tn_match_alloc(context, 1, sizeof *primitive);
    float *positions = tn_match_alloc(context, TN_SKELETON_POINTS, 3 * sizeof *positions);
    if (context->failed) return false;
    *primitive = (tenon_primitive){.mode = TENON_POINTS,
                                   .material = TENON_NONE,
                                   .vertex_count = TN_SKELETON_POINTS,
                                   .positions = positions};
    if (count) memcpy(nodes, from->nodes, count * sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i].mesh = i;
        nodes[i].skin = TENON_NONE;
        nodes[i].morph_weights = NULL;
        meshes[i] =
            (tenon_mesh){.name = nodes[i].name, .primitive_count = 1, .primitives = primitive};
    }
    *made = *from;
    made->nodes = nodes;
    made->meshes = meshes;
    made->mesh_count = count;
    return true;
}

void tn_place_skeleton_points(const double matrix[16], double reach, float *positions)
{
    for (uint32_t k = 0; k < 3; k++) positions[k] = (float)matrix[12 + k];
    for (uint32_t axis = 0; axis < 3; axis++) {
        const double *v = matrix + 4 * (size_t)axis;
        double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double factor = length > 0 && length < HUGE_VAL ? reach / length : 0;
        for (uint32_t k = 0; k < 3; k++)
            positions[3 * (axis + 1) + k] = (float)(matrix[12 + k] + factor * v[k]);
    }
}

bool tn_pair_skeletons(tn_match_context *context, const tn_posed_scene *a, const tn_posed_scene *b,
                       const uint32_t *partners, tn_vertex_pair_list *pairs, uint32_t *missing)
{
    const tenon_scene *scene = a->scene;
    uint32_t count = scene->node_count, joint_count = 0;
    bool *is_joint = tn_match_alloc(context, count, sizeof *is_joint);
    pairs->items = tn_match_alloc(context, count, TN_SKELETON_POINTS * sizeof *pairs->items);
    if (context->failed) return false;
    for (uint32_t i = 0; i < count; i++) is_joint[i] = scene->nodes[i].is_joint;
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            is_joint[scene->skins[i].joints[k]] = true;
    for (uint32_t i = 0; i < count; i++) joint_count += is_joint[i];
    *missing = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (joint_count && !is_joint[i]) continue;
        *missing += partners[i] == TENON_NONE;
        for (uint32_t k = 0; partners[i] != TENON_NONE && k < TN_SKELETON_POINTS; k++)
            pairs->items[pairs->count++] = (tn_vertex_pair){
                a->parts[a->node_parts[i]].first_vertex + k,
                b->parts[b->node_parts[partners[i]]].first_vertex + k,
            };
    }
    return true;
}
