// pose.c: a scene at one moment: local transforms, global matrices, palettes of skins.
// SPDX-License-Identifier: MIT

#include "pose.h"

#include "../core/budget.h"
#include "../core/error.h"

#include <string.h>

// -- Setting

static tn_trs rest_of(const tenon_node *node)
{
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    return (tn_trs){
        .translation = {t[0], t[1], t[2]},
        .rotation = tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
        .scale = {s[0], s[1], s[2]},
    };
}

static void apply_channel(tenon_pose *pose, const tenon_channel *channel, double seconds)
{
    double v[4];
    tn_trs *local = &pose->locals[channel->node];
    tn_channel_sample(channel, seconds, v);
    switch (channel->target) {
    case TENON_TRANSLATION:
        local->translation = (tn_vec3){v[0], v[1], v[2]};
        break;
    case TENON_ROTATION:
        local->rotation = (tn_quat){v[0], v[1], v[2], v[3]};
        break;
    case TENON_SCALE:
        local->scale = (tn_vec3){v[0], v[1], v[2]};
        break;
    }
}

// Parents come before their children, so each finds its parent done.
static void compute_globals(tenon_pose *pose)
{
    for (uint32_t i = 0; i < pose->scene->node_count; i++) {
        const tenon_node *node = &pose->scene->nodes[i];
        tn_mat4 local;
        if (node->has_matrix)
            memcpy(local.m, node->matrix, sizeof local.m);
        else
            local = tn_mat4_from_trs(&pose->locals[i]);
        pose->globals[i] =
            node->parent == TENON_NONE ? local : tn_mat4_mul(&pose->globals[node->parent], &local);
    }
}

static tn_affine to_affine(const tn_mat4 *matrix)
{
    const double *m = matrix->m;
    return (tn_affine){
        {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]}};
}

static bool turns_inside_out(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    return tn_mat3_determinant(&upper) < 0;
}

static void compute_palettes(tenon_pose *pose)
{
    tn_affine *out = pose->palette;
    for (uint32_t s = 0; s < pose->scene->skin_count; s++) {
        const tenon_skin *skin = &pose->scene->skins[s];
        uint32_t negative = 0;
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            tn_mat4 bind = tn_mat4_from_columns(skin->inverse_binds + 16 * (size_t)i);
            tn_mat4 moved = tn_mat4_mul(&pose->globals[skin->joints[i]], &bind);
            negative += turns_inside_out(&moved);
            *out++ = to_affine(&moved);
        }
        pose->mirrors[s] = negative > skin->joint_count / 2;
    }
}

void tenon_pose_set(tenon_pose *pose, uint32_t animation, double seconds)
{
    const tenon_scene *scene = pose->scene;
    tenon_budget *budget = pose->arena.allocator.budget;
    if (!tn_budget_work(budget, scene->node_count + pose->joint_count)) return;
    for (uint32_t i = 0; i < scene->node_count; i++) pose->locals[i] = rest_of(&scene->nodes[i]);
    if (animation < scene->animation_count) {
        const tenon_animation *a = &scene->animations[animation];
        if (!tn_budget_work(budget, a->channel_count)) return;
        for (uint32_t i = 0; i < a->channel_count; i++)
            apply_channel(pose, &a->channels[i], seconds);
    }
    compute_globals(pose);
    compute_palettes(pose);
}

// -- Looking

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
    return skin == TENON_NONE ? turns_inside_out(&pose->globals[node]) : pose->mirrors[skin];
}

// -- Beginning and end

static bool allocate(tenon_pose *pose)
{
    const tenon_scene *scene = pose->scene;
    pose->locals = tn_arena_alloc(&pose->arena, scene->node_count, sizeof *pose->locals, NULL);
    pose->globals = tn_arena_alloc(&pose->arena, scene->node_count, sizeof *pose->globals, NULL);
    pose->skin_starts =
        tn_arena_alloc(&pose->arena, scene->skin_count, sizeof *pose->skin_starts, NULL);
    pose->mirrors = tn_arena_alloc(&pose->arena, scene->skin_count, sizeof *pose->mirrors, NULL);
    if (!pose->locals || !pose->globals || !pose->skin_starts || !pose->mirrors) return false;
    for (uint32_t s = 0; s < scene->skin_count; s++) {
        pose->skin_starts[s] = pose->joint_count;
        pose->joint_count += scene->skins[s].joint_count;
    }
    pose->palette = tn_arena_alloc(&pose->arena, pose->joint_count, sizeof *pose->palette, NULL);
    return pose->palette != NULL;
}

tenon_pose *tenon_pose_new(const tenon_scene *scene, const tenon_allocator *allocator,
                           tenon_error *err)
{
    static const tenon_allocator usual;
    tn_arena arena = tn_arena_make(allocator ? allocator : &usual, UINT64_MAX);
    tenon_pose *pose = tn_arena_alloc(&arena, 1, sizeof *pose, NULL);
    tn_error_clear(err);
    bool ok = pose != NULL;
    if (pose) {
        *pose = (tenon_pose){.arena = arena, .scene = scene};
        ok = allocate(pose);
        if (ok) tenon_pose_set(pose, TENON_NONE, 0);
    }
    if (!ok) tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (tn_budget_settle(arena.allocator.budget, ok, err)) return pose;
    tenon_pose_free(pose);
    return NULL;
}

void tenon_pose_free(tenon_pose *pose)
{
    if (!pose) return;
    tn_arena arena = pose->arena;  // The pose itself lies in it.
    tn_arena_free(&arena);
}
