// pose.c: a scene at one time: local transforms, global matrices, palettes of skins.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

#include "core/memory/budget.h"
#include "core/text/error.h"
#include "scene/model/space.h"

#include <string.h>

// -- Setting

static tn_trs pose_rest_transform(const tenon_node *node)
{
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    return (tn_trs){
        .translation = {t[0], t[1], t[2]},
        .rotation = tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
        .scale = {s[0], s[1], s[2]},
    };
}

uint32_t tn_morph_count(const tenon_scene *scene, uint32_t node)
{
    uint32_t mesh = scene->nodes[node].mesh;
    return mesh == TENON_NONE ? 0 : scene->meshes[mesh].morph_count;
}

const double *tn_rest_weights(const tenon_scene *scene, uint32_t node)
{
    if (!tn_morph_count(scene, node)) return NULL;
    const double *weights = scene->nodes[node].morph_weights;
    return weights ? weights : scene->meshes[scene->nodes[node].mesh].morph_weights;
}

static void pose_set_rest_weights(tenon_pose *pose, uint32_t node)
{
    const double *weights = tn_rest_weights(pose->scene, node);
    if (!weights) return;
    memcpy(pose->weights + pose->weight_starts[node], weights,
           tn_morph_count(pose->scene, node) * sizeof *weights);
}

// Compute the matrices of a range of `trees.nodes`, and of the joints that these nodes are. Parents
// come before their children.
static void pose_compute_matrices(tenon_pose *pose, uint32_t first, uint32_t count)
{
    const uint32_t *nodes = pose->trees.nodes + first;
    uint64_t work = count;
    for (uint32_t i = 0; i < count; i++)
        work += pose->joint_starts[nodes[i] + 1] - pose->joint_starts[nodes[i]];
    if (!tn_budget_work(pose->arena.allocator.budget, work)) return;
    for (uint32_t i = 0; i < count; i++) {
        const tenon_node *node = &pose->scene->nodes[nodes[i]];
        tn_mat4 local;
        if (node->has_matrix)
            memcpy(local.m, node->matrix, sizeof local.m);
        else
            local = tn_mat4_from_trs(&pose->locals[nodes[i]]);
        pose->globals[nodes[i]] =
            node->parent == TENON_NONE ? local : tn_mat4_mul(&pose->globals[node->parent], &local);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t k = pose->joint_starts[nodes[i]]; k < pose->joint_starts[nodes[i] + 1]; k++) {
            tn_skin_joint at = pose->skin_joints[k];
            const tenon_skin *skin = &pose->scene->skins[at.skin];
            uint64_t index = pose->skin_starts[at.skin] + at.joint;
            tn_mat4 bind = tn_mat4_from_columns(skin->inverse_binds + 16 * (size_t)at.joint);
            tn_mat4 moved = tn_mat4_mul(&pose->globals[nodes[i]], &bind);
            pose->negatives[at.skin] -= pose->is_negative[index];
            pose->is_negative[index] = tn_mat4_mirrors(&moved);
            pose->negatives[at.skin] += pose->is_negative[index];
            pose->mirrors[at.skin] = pose->negatives[at.skin] > skin->joint_count / 2;
            const double *m = moved.m;
            pose->palette[index] = (tn_affine){
                {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]}};
        }
}

static void pose_compute_moved(tenon_pose *pose)
{
    for (uint32_t i = 0; i < pose->roots.count; i++) {
        uint32_t root = pose->roots.nodes[i];
        pose_compute_matrices(pose, pose->trees.places[root], pose->trees.sizes[root]);
    }
}

void tenon_pose_set(tenon_pose *pose, uint32_t animation, double seconds)
{
    const tenon_scene *scene = pose->scene;
    tenon_budget *budget = pose->arena.allocator.budget;
    if (animation >= scene->animation_count) animation = TENON_NONE;
    if (animation != pose->animation) {
        const tenon_animation *last =
            pose->animation == TENON_NONE ? NULL : &scene->animations[pose->animation];
        if (last && !tn_budget_work(budget, last->channel_count)) return;
        for (uint32_t i = 0; last && i < last->channel_count; i++) {
            uint32_t node = last->channels[i].node;
            pose->locals[node] = pose_rest_transform(&scene->nodes[node]);
            if (last->channels[i].target == TENON_WEIGHTS) pose_set_rest_weights(pose, node);
        }
        pose_compute_moved(pose);
        tn_find_moved_roots(&pose->trees, scene, animation, &pose->roots);
        pose->animation = animation;
        uint32_t count = animation == TENON_NONE ? 0 : scene->animations[animation].channel_count;
        for (uint32_t i = 0; i < count; i++) pose->cursors[i] = (tn_cursor){0};
    }
    if (animation == TENON_NONE) return;
    const tenon_animation *a = &scene->animations[animation];
    if (!tn_budget_work(budget, a->channel_count)) return;
    for (uint32_t i = 0; i < a->channel_count; i++) {
        double v[4];
        tn_trs *local = &pose->locals[a->channels[i].node];
        if (a->channels[i].target == TENON_WEIGHTS) {
            double *weights = pose->weights + pose->weight_starts[a->channels[i].node];
            if (!tn_budget_work(budget, a->channels[i].weight_count)) return;
            tn_channel_sample_weights(&a->channels[i], seconds, weights);
            continue;
        }
        tn_channel_sample_near(&a->channels[i], &pose->cursors[i], seconds, v);
        if (a->channels[i].target == TENON_TRANSLATION)
            local->translation = (tn_vec3){v[0], v[1], v[2]};
        else if (a->channels[i].target == TENON_ROTATION)
            local->rotation = (tn_quat){v[0], v[1], v[2], v[3]};
        else
            local->scale = (tn_vec3){v[0], v[1], v[2]};
    }
    pose_compute_moved(pose);
}

// -- Getting

const double *tenon_pose_global(const tenon_pose *pose, uint32_t node)
{
    return pose->globals[node].m;
}

void tenon_pose_palette(const tenon_pose *pose, uint32_t skin, float *matrices)
{
    const tn_affine *from = pose->palette + pose->skin_starts[skin];
    for (uint32_t i = 0; i < pose->scene->skins[skin].joint_count; i++, matrices += 16)
        for (uint32_t column = 0; column < 4; column++) {
            for (uint32_t row = 0; row < 3; row++)
                matrices[4 * column + row] = (float)from[i].m[3 * column + row];
            matrices[4 * column + 3] = column == 3;
        }
}

bool tn_pose_mirrors(const tenon_pose *pose, uint32_t node)
{
    uint32_t skin = pose->scene->nodes[node].skin;
    return skin == TENON_NONE ? tn_mat4_mirrors(&pose->globals[node]) : pose->mirrors[skin];
}

// -- Beginning and end

static bool pose_allocate_arrays(tenon_pose *pose)
{
    const tenon_scene *scene = pose->scene;
    uint64_t nodes = scene->node_count, joints = 0, weights = 0;
    tn_arena *arena = &pose->arena;
    for (uint32_t i = 0; i < scene->skin_count; i++) joints += scene->skins[i].joint_count;
    for (uint32_t i = 0; i < scene->node_count; i++) weights += tn_morph_count(scene, i);
    pose->weights = tn_arena_alloc(arena, weights, sizeof *pose->weights, NULL);
    pose->weight_starts = tn_arena_alloc(arena, nodes, sizeof *pose->weight_starts, NULL);
    pose->locals = tn_arena_alloc(arena, nodes, sizeof *pose->locals, NULL);
    pose->globals = tn_arena_alloc(arena, nodes, sizeof *pose->globals, NULL);
    pose->skin_starts = tn_arena_alloc(arena, scene->skin_count, sizeof *pose->skin_starts, NULL);
    pose->mirrors = tn_arena_alloc(arena, scene->skin_count, sizeof *pose->mirrors, NULL);
    pose->negatives = tn_arena_alloc(arena, scene->skin_count, sizeof *pose->negatives, NULL);
    pose->palette = tn_arena_alloc(arena, joints + 1, sizeof *pose->palette, NULL);
    pose->is_negative = tn_arena_alloc(arena, joints, sizeof *pose->is_negative, NULL);
    pose->skin_joints = tn_arena_alloc(arena, joints, sizeof *pose->skin_joints, NULL);
    pose->joint_starts = tn_arena_alloc(arena, nodes + 2, sizeof *pose->joint_starts, NULL);
    pose->roots.nodes =
        tn_arena_alloc(arena, tn_channels_most(scene), sizeof *pose->roots.nodes, NULL);
    pose->cursors = tn_arena_alloc(arena, tn_channels_most(scene), sizeof *pose->cursors, NULL);
    return pose->weights && pose->weight_starts && pose->locals && pose->globals &&
           pose->skin_starts && pose->mirrors && pose->negatives && pose->palette &&
           pose->is_negative && pose->skin_joints && pose->joint_starts && pose->roots.nodes &&
           pose->cursors && tn_subtrees_make(arena, scene, &pose->trees);
}

// Find the joints that each node is, and compute all matrices.
static void compute_rest_pose(tenon_pose *pose)
{
    const tenon_scene *scene = pose->scene;
    uint64_t *next = pose->joint_starts + 1;  // Of each node: the index of its next joint.
    uint64_t joint_count = 0;
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        pose->skin_starts[i] = joint_count;
        joint_count += scene->skins[i].joint_count;
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            next[scene->skins[i].joints[k] + 1]++;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; k < scene->skins[i].joint_count; k++)
            pose->skin_joints[next[scene->skins[i].joints[k]]++] = (tn_skin_joint){i, k};
    uint64_t weight_count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        pose->locals[i] = pose_rest_transform(&scene->nodes[i]);
        pose->weight_starts[i] = weight_count;
        weight_count += tn_morph_count(scene, i);
        pose_set_rest_weights(pose, i);
    }
    pose_compute_matrices(pose, 0, scene->node_count);
}

tenon_pose *tenon_pose_new(const tenon_scene *scene, const tenon_allocator *allocator,
                           tenon_error *err)
{
    static const tenon_allocator defaults;
    tn_arena arena = tn_arena_make(allocator ? allocator : &defaults, UINT64_MAX);
    tenon_pose *pose = tn_arena_alloc(&arena, 1, sizeof *pose, NULL);
    tn_error_clear(err);
    bool ok = pose != NULL;
    if (pose) {
        *pose = (tenon_pose){.arena = arena, .scene = scene, .animation = TENON_NONE};
        ok = pose_allocate_arrays(pose);
        if (ok) compute_rest_pose(pose);
    }
    if (!ok) tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (tn_budget_settle(arena.allocator.budget, ok, err)) return pose;
    tenon_pose_free(pose);
    return NULL;
}

void tenon_pose_free(tenon_pose *pose)
{
    if (!pose) return;
    tn_arena arena = pose->arena;  // It owns the pose.
    tn_arena_free(&arena);
}
