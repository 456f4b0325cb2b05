// motion.c: the curves of an animation, by node.
// SPDX-License-Identifier: MIT

#include "exchange/clips/motion.h"

#include "exchange/clips/motion_private.h"
#include "scene/pose/pose.h"

#include <string.h>

bool tn_motion_make(const tn_export *export, uint32_t animation, tn_motion *motion)
{
    const tenon_scene *scene = export->scene;
    *motion = (tn_motion){
        .scene = scene, .animation = animation, .budget = export->opts->allocator.budget};
    motion->channels =
        tn_export_alloc(export, 3 * (uint64_t)scene->node_count, sizeof *motion->channels);
    if (!motion->channels) return false;
    if (animation < scene->animation_count) {
        if (!tn_export_step(export, scene->mesh_count, animation)) return false;
        const tenon_animation *a = &scene->animations[animation];
        motion->duration = a->duration;
        motion->first = a->channels;
        motion->cursors = tn_export_alloc(export, a->channel_count, sizeof *motion->cursors);
        if (!motion->cursors) return false;
        for (uint32_t i = 0; i < a->channel_count; i++) {
            const tenon_channel *c = &a->channels[i];
            motion->channels[3 * (size_t)c->node + (size_t)c->target] = c;
        }
    }
    return true;
}

uint32_t tn_motion_moves(const tn_motion *motion, uint32_t node)
{
    uint32_t moves = 0;
    for (uint32_t target = 0; target < 3; target++)
        if (motion->channels[3 * (size_t)node + target]) moves |= 1u << target;
    return moves;
}

// -- Sampling

double tn_time_tolerance(double seconds)
{
    double rounding = seconds * 0x1p-23;
    return rounding > 1e-6 ? rounding : 1e-6;
}

double tn_step_sample_time(double seconds)
{
    return seconds + tn_time_tolerance(seconds);
}

// The time of the key that is the float nearest to `seconds`; without such a key `seconds`.
static double motion_snap_to_key(const tenon_channel *c, tn_cursor *cursor, double seconds)
{
    double nearest = (double)(float)seconds;
    if (nearest == seconds) return seconds;
    uint32_t key = tn_channel_find_key(c, cursor, nearest);
    return (double)c->times[key] == nearest ? nearest : seconds;
}

void tn_motion_value(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                     double value[4])
{
    bool is_step = channel->curve == TENON_STEP;
    double at =
        is_step ? tn_step_sample_time(seconds) : motion_snap_to_key(channel, cursor, seconds);
    tn_channel_sample_near(channel, cursor, at, value);
}

static tn_trs motion_rest_transform(const tenon_node *node)
{
    tn_trs trs;
    if (node->has_matrix) {
        tn_mat4 matrix;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        (void)tn_mat4_decompose(&matrix, &trs);
        return trs;
    }
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    return (tn_trs){
        .translation = {t[0], t[1], t[2]},
        .rotation = tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
        .scale = {s[0], s[1], s[2]},
    };
}

static void motion_sample(const tn_motion *motion, const tenon_channel *channel, double seconds,
                          double value[4])
{
    tn_motion_value(channel, &motion->cursors[channel - motion->first], seconds, value);
}

tn_trs tn_motion_local(const tn_motion *motion, uint32_t node, double seconds)
{
    tn_trs local = motion_rest_transform(&motion->scene->nodes[node]);
    const tenon_channel **channels = motion->channels + 3 * (size_t)node;
    double v[4];
    (void)tn_budget_work(motion->budget, 1);  // The caller checks the budget.
    if (channels[TENON_TRANSLATION]) {
        motion_sample(motion, channels[TENON_TRANSLATION], seconds, v);
        local.translation = (tn_vec3){v[0], v[1], v[2]};
    }
    if (channels[TENON_ROTATION]) {
        motion_sample(motion, channels[TENON_ROTATION], seconds, v);
        local.rotation = (tn_quat){v[0], v[1], v[2], v[3]};
    }
    if (channels[TENON_SCALE]) {
        motion_sample(motion, channels[TENON_SCALE], seconds, v);
        local.scale = (tn_vec3){v[0], v[1], v[2]};
    }
    return local;
}
