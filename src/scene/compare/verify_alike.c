// verify_alike.c: bounds of two scenes that move alike and differ in morph targets only.
// SPDX-License-Identifier: MIT
//
// Both have the same nodes, skins and channels, except for weights: what a scene and the same with
// its morph targets applied have. Then one matrix M moves both vertices of a pair, with the offsets
// d and e of a target and changes s and t of its weights:
//
//     M (a + s d) - M (b + t e) = M (a - b + (s - t) d + t (d - e))
//
// How much M can lengthen, and how far from the origin it can move the origin, is bounded for all
// times of a clip by the scales and lengths of the nodes above, so that no node has to be posed.
// The slack is 2^-23 of the largest distance from the origin that these bounds allow: positions are
// floats, and M is the same in both scenes.

#include "scene/compare/verify_bounds.h"

#include "core/memory/budget.h"

#include <string.h>

struct tn_alike {
    bool is_known, holds;  // Whether the clips move both scenes alike.
    uint32_t a_clip, b_clip;
    double stretch, away;           // The largest of all matrices that move pairs.
    double reach;                   // The largest length of a and b.
    double *stretches, *aways;      // Of each node.
    const tenon_channel **weights;  // Of the two nodes of each pair with morph targets; NULL: none.
    double *values[2];              // Of the weights of a pair of nodes.
};

static bool verify_alike_has_same_nodes(const tenon_scene *a, const tenon_scene *b)
{
    if (a->node_count != b->node_count || a->skin_count != b->skin_count || a->skins != b->skins)
        return false;
    for (uint32_t i = 0; i < a->node_count; i++) {
        const tenon_node *m = &a->nodes[i], *n = &b->nodes[i];
        if (m->parent != n->parent || m->skin != n->skin || m->has_matrix != n->has_matrix ||
            memcmp(m->matrix, n->matrix, sizeof m->matrix) != 0 ||
            memcmp(m->translation, n->translation, sizeof m->translation) != 0 ||
            memcmp(m->rotation, n->rotation, sizeof m->rotation) != 0 ||
            memcmp(m->scale, n->scale, sizeof m->scale) != 0)
            return false;
    }
    return true;
}

bool tn_alike_begin(tn_match_context *context, tn_pose_bounds *bounds)
{
    const tenon_scene *a = bounds->a->scene, *b = bounds->b->scene;
    bool is_alike =
        bounds->morphed_count > 0 && bounds->unequal == 0 && verify_alike_has_same_nodes(a, b);
    for (uint32_t i = 0; i < bounds->group_count && is_alike; i++)
        is_alike = bounds->groups[i].a == bounds->groups[i].b;
    bounds->alike = NULL;
    if (!is_alike) return true;
    tn_alike *alike = tn_match_alloc(context, 1, sizeof *alike);
    double *nodes = tn_match_alloc(context, a->node_count, 2 * sizeof *nodes);
    double *values = tn_match_alloc(context, TN_TARGETS_MOST, 2 * sizeof *values);
    const tenon_channel **weights =
        tn_match_alloc(context, bounds->morphed_count, 2 * sizeof *weights);
    if (context->failed) return false;
    *alike = (tn_alike){.stretches = nodes,
                        .aways = nodes + a->node_count,
                        .weights = weights,
                        .values = {values, values + TN_TARGETS_MOST}};
    for (uint32_t i = 0; i < bounds->group_count; i++) {
        const pair_group *group = &bounds->groups[i];
        if (!(group->a_reach <= alike->reach)) alike->reach = group->a_reach;
        if (!(group->b_reach <= alike->reach)) alike->reach = group->b_reach;
    }
    bounds->alike = alike;
    return true;
}

void tn_alike_forget(tn_pose_bounds *bounds)
{
    if (bounds->alike) bounds->alike->is_known = false;
}

// -- Clips

static const tenon_channel *verify_alike_next_motion(const tenon_animation *clip, uint32_t *index)
{
    while (*index < clip->channel_count && clip->channels[*index].target == TENON_WEIGHTS) ++*index;
    return *index < clip->channel_count ? &clip->channels[(*index)++] : NULL;
}

// Whether two clips have the same channels, except for weights. Cubic ones do not count, because
// they go farther than their keys.
static bool verify_alike_has_same_channels(const tenon_animation *a, const tenon_animation *b)
{
    uint32_t a_next = 0, b_next = 0;
    const tenon_channel *c, *d;
    do {
        c = verify_alike_next_motion(a, &a_next);
        d = verify_alike_next_motion(b, &b_next);
        if (!c || !d) return c == d;
    } while (c->node == d->node && c->target == d->target && c->curve == d->curve &&
             c->curve != TENON_CUBIC && c->key_count == d->key_count && c->times == d->times &&
             c->values == d->values);
    return false;
}

static double verify_alike_largest(double x, double y, double z)
{
    return fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

// How much a node alone can lengthen, and the length of its translation, at all times of a clip.
static void verify_alike_measure_channel(tn_alike *alike, const tenon_channel *c)
{
    double most = 0;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const float *v = c->values + 3 * (size_t)i;
        tn_vec3 value = {(double)v[0], (double)v[1], (double)v[2]};
        double size = c->target == TENON_SCALE ? verify_alike_largest(value.x, value.y, value.z)
                                               : tn_vec3_length(value);
        if (!(size <= most)) most = size;
    }
    (c->target == TENON_SCALE ? alike->stretches : alike->aways)[c->node] = most;
}

static void verify_alike_measure_nodes(tn_alike *alike, const tenon_scene *scene,
                                       const tenon_animation *clip)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        const double *t = n->has_matrix ? n->matrix + 12 : n->translation, *m = n->matrix;
        const tn_affine matrix = {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}};
        alike->stretches[i] = n->has_matrix
                                  ? tn_affine_stretch(&matrix)
                                  : verify_alike_largest(n->scale[0], n->scale[1], n->scale[2]);
        alike->aways[i] = tn_vec3_length((tn_vec3){t[0], t[1], t[2]});
    }
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const tenon_channel *c = &clip->channels[i];
        bool is_used = c->target == TENON_SCALE || c->target == TENON_TRANSLATION;
        if (is_used && !scene->nodes[c->node].has_matrix) verify_alike_measure_channel(alike, c);
    }
    // Parents come before their children.
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent == TENON_NONE) continue;
        alike->aways[i] = alike->aways[parent] + alike->stretches[parent] * alike->aways[i];
        alike->stretches[i] *= alike->stretches[parent];
    }
}

// Widen the bounds of all matrices by one of them.
static void verify_alike_add_matrix(tn_alike *alike, const tn_posed_scene *posed,
                                    uint32_t palette_size, uint32_t matrix)
{
    const tenon_scene *scene = posed->scene;
    const uint64_t *starts = posed->pose->skin_starts;
    uint32_t node = matrix - palette_size, skin = 0;
    double stretch = 1, away = 0;
    if (matrix < palette_size) {
        while (skin + 1 < scene->skin_count && starts[skin + 1] <= matrix) skin++;
        size_t joint = (size_t)(matrix - starts[skin]);
        tn_mat4 bind = tn_mat4_from_columns(scene->skins[skin].inverse_binds + 16 * joint);
        const double *m = bind.m;
        const tn_affine affine = {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}};
        node = scene->skins[skin].joints[joint];
        stretch = tn_affine_stretch(&affine);
        away = tn_vec3_length((tn_vec3){m[12], m[13], m[14]});
    }
    away = alike->aways[node] + alike->stretches[node] * away;
    stretch *= alike->stretches[node];
    if (!(stretch <= alike->stretch)) alike->stretch = stretch;
    if (!(away <= alike->away)) alike->away = away;
}

static const tenon_channel *verify_alike_find_weights(const tenon_animation *clip, uint32_t node)
{
    const tenon_channel *found = NULL;
    for (uint32_t i = 0; i < clip->channel_count; i++)
        if (clip->channels[i].node == node && clip->channels[i].target == TENON_WEIGHTS)
            found = &clip->channels[i];
    return found;
}

static void verify_alike_measure_clips(tn_pose_bounds *bounds, uint32_t a_clip, uint32_t b_clip)
{
    tn_alike *alike = bounds->alike;
    const tenon_scene *a = bounds->a->scene, *b = bounds->b->scene;
    const tenon_animation *clips[2] = {&a->animations[a_clip], &b->animations[b_clip]};
    alike->is_known = true;
    alike->a_clip = a_clip;
    alike->b_clip = b_clip;
    alike->stretch = alike->away = 0;
    alike->holds = verify_alike_has_same_channels(clips[0], clips[1]);
    uint64_t work = a->node_count + (uint64_t)bounds->group_count;
    for (uint32_t i = 0; i < clips[0]->channel_count; i++) work += clips[0]->channels[i].key_count;
    if (!alike->holds || !tn_budget_work(bounds->budget, work)) return;
    verify_alike_measure_nodes(alike, a, clips[0]);
    for (uint32_t i = 0; i < bounds->group_count; i++)
        verify_alike_add_matrix(alike, bounds->a, bounds->a_palette_size, bounds->groups[i].a);
    for (uint32_t i = 0; i < bounds->morphed_count; i++)
        for (uint32_t side = 0; side < 2; side++) {
            const morphed_pair *morphed = &bounds->morphed[i];
            const tenon_channel *c =
                verify_alike_find_weights(clips[side], side ? morphed->b : morphed->a);
            alike->weights[2 * i + side] = c;
            if (c && c->weight_count > TN_TARGETS_MOST) alike->holds = false;
        }
}

// -- Poses

// The sum of (s - t) d + t (d - e), at most. *size is that of all weights times all lengths.
static double verify_alike_find_change(const tn_pose_bounds *bounds, uint32_t index, double seconds,
                                       double *size)
{
    const tn_alike *alike = bounds->alike;
    const morphed_pair *morphed = &bounds->morphed[index];
    const uint32_t nodes[2] = {morphed->a, morphed->b};
    const double *rests[2] = {NULL, NULL}, *weights[2] = {NULL, NULL};
    uint32_t counts[2] = {0, 0};
    double sum = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const tenon_scene *scene = (side ? bounds->b : bounds->a)->scene;
        const tenon_channel *c = alike->weights[2 * index + side];
        if (nodes[side] == TENON_NONE) continue;
        counts[side] = tn_morph_count(scene, nodes[side]);
        weights[side] = rests[side] = tn_rest_weights(scene, nodes[side]);
        if (!c) continue;
        tn_channel_sample_weights(c, seconds, alike->values[side]);
        weights[side] = alike->values[side];
    }
    for (uint32_t i = 0; i < morphed->count; i++) {
        const morph_target *target = &morphed->targets[i];
        double changes[2] = {0, 0}, all = 0;
        for (uint32_t side = 0; side < 2; side++) {
            if (i >= counts[side]) continue;
            changes[side] = weights[side][i] - rests[side][i];
            all += fabs(weights[side][i]) + fabs(rests[side][i]);
        }
        sum +=
            fabs(changes[0] - changes[1]) * target->length + fabs(changes[1]) * target->difference;
        *size += all * (target->length + target->difference);
    }
    return sum;
}

bool tn_pose_bound_alike(tn_pose_bounds *bounds, const tn_pose_pair *pair, double *bound)
{
    tn_alike *alike = bounds->alike;
    double change = 0, size = 0;
    if (!alike || pair->a_seconds != pair->b_seconds) return false;
    if (!alike->is_known || alike->a_clip != pair->a_clip || alike->b_clip != pair->b_clip)
        verify_alike_measure_clips(bounds, pair->a_clip, pair->b_clip);
    if (!alike->holds) return false;
    (void)tn_budget_work(bounds->budget, 1 + (uint64_t)bounds->target_count);
    for (uint32_t i = 0; i < bounds->morphed_count; i++) {
        double sum = verify_alike_find_change(bounds, i, pair->a_seconds, &size);
        if (!(sum <= change)) change = sum;
    }
    double away = alike->away + alike->stretch * (alike->reach + size);
    double length =
        bounds->weights * (alike->stretch * (bounds->gap + change) + 2 * TN_FLOAT_SLACK * away);
    *bound = length < HUGE_VAL ? length : HUGE_VAL;
    return true;
}
