// finish_animations.c: give animations the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include "core/cursor/wide.h"
#include "core/math/math.h"
#include "scene/model/channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct animation_tallies {
    tn_tally keys, numbers, channels, matrices, events;
    double shear;         // The largest, of `matrices`.
    const float *rising;  // The last times that were found to increase: channels often share them.
    uint32_t rising_count;
} animation_tallies;

// -- Keys

// Keep the keys whose times increase from 0 on. Returns how many were dropped.
static uint64_t finish_animations_keep_rising(tenon_channel *c, animation_tallies *tallies)
{
    uint32_t kept = 0, each = tn_key_size(c);
    if (c->times == tallies->rising && c->key_count <= tallies->rising_count) return 0;
    tallies->rising = NULL;
    // Without branches, since nearly all times increase.
    float last = c->times[c->key_count - 1];
    uint32_t wrong = c->times[0] >= 0 && last - last == 0 ? 0 : 1;
    for (uint32_t i = 1; i < c->key_count; i++) wrong |= c->times[i] > c->times[i - 1] ? 0 : 1;
    if (!wrong) {
        tallies->rising = c->times;
        tallies->rising_count = c->key_count;
        return 0;
    }
    for (uint32_t i = 0; i < c->key_count; i++) {
        float time = c->times[i];
        bool is_good = time >= 0 && time - time == 0 && (kept == 0 || time > c->times[kept - 1]);
        if (!is_good) continue;
        c->times[kept] = time;
        if (kept != i)
            memmove(c->values + (size_t)kept * each, c->values + (size_t)i * each,
                    each * sizeof *c->values);
        kept++;
    }
    uint64_t dropped = c->key_count - kept;
    c->key_count = kept;
    return dropped;
}

// Of cubic keys only the middle value: tangents are not rotations.
static void finish_animations_normalize_rotations(tenon_channel *c)
{
    uint32_t each = tn_key_size(c);
    if (each == 4 && tn_loops_here()->are_units(c->values, c->key_count, 4)) return;
    for (uint32_t i = 0; i < c->key_count; i++) {
        float *v = c->values + (size_t)i * each + (c->curve == TENON_CUBIC ? 4 : 0);
        double square =
            (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2] + (double)v[3] * v[3];
        // Values of length 1, as exactly as floats allow, keep their bits.
        if (square > 1 - 2e-7 && square < 1 + 2e-7) continue;
        tn_quat q = tn_quat_normalise((tn_quat){v[0], v[1], v[2], v[3]});
        v[0] = (float)q.x, v[1] = (float)q.y, v[2] = (float)q.z, v[3] = (float)q.w;
    }
}

// -- Channels

// Whether the channel is kept. `last_animation` has a number for each target of each node: one more
// than the index of the last animation that moves it.
static bool finish_animations_channel(tn_scene_builder *builder, tenon_channel *c,
                                      uint32_t animation, uint32_t *last_animation,
                                      animation_tallies *tallies)
{
    tenon_scene *scene = builder->scene;
    if (c->node >= scene->node_count || c->key_count == 0) return false;
    if ((uint32_t)c->target > TENON_WEIGHTS || (uint32_t)c->curve > TENON_CUBIC) return false;
    tenon_node *node = &scene->nodes[c->node];
    bool is_of_weights = c->target == TENON_WEIGHTS;
    uint32_t morph_count = node->mesh == TENON_NONE ? 0 : scene->meshes[node->mesh].morph_count;
    if (c->weight_count != (is_of_weights ? morph_count : 0)) return false;
    if (is_of_weights && !morph_count) return false;
    uint32_t *last = &last_animation[4 * (size_t)c->node + (size_t)c->target];
    if (*last == animation + 1) return false;
    tn_tally_at(&tallies->keys, finish_animations_keep_rising(c, tallies), "animations", animation);
    if (c->key_count == 0) return false;
    uint64_t wrong = tn_make_finite(c->values, (uint64_t)c->key_count * tn_key_size(c));
    tn_tally_at(&tallies->numbers, wrong, "animations", animation);
    if (c->target == TENON_ROTATION) finish_animations_normalize_rotations(c);
    if (node->has_matrix &&
        !is_of_weights) {  // Animated nodes need translation, rotation and scale.
        tn_tally_at(&tallies->matrices, 1, "nodes", c->node);
        tn_trs trs;
        tallies->shear = fmax(tallies->shear, tn_split_matrix(node->matrix, &trs));
        tn_set_trs(node, &trs);
    }
    *last = animation + 1;
    return true;
}

void tn_finish_animations(tn_scene_builder *builder)
{
    animation_tallies tallies = {0};
    uint32_t *last_animation =
        tn_scene_array(builder, builder->scene->node_count, 4 * sizeof *last_animation);
    for (uint32_t i = 0; !builder->failed && i < builder->scene->animation_count; i++) {
        tenon_animation *a = &builder->scene->animations[i];
        uint32_t channel_count = 0, event_count = 0;
        if (!(a->duration >= 0 && a->duration <= 1e30)) a->duration = 0;
        for (uint32_t k = 0; k < a->channel_count; k++) {
            tenon_channel *c = &a->channels[k];
            if (!finish_animations_channel(builder, c, i, last_animation, &tallies)) {
                tn_tally_at(&tallies.channels, 1, "animations", i);
                continue;
            }
            if (c->times[c->key_count - 1] > a->duration) a->duration = c->times[c->key_count - 1];
            a->channels[channel_count++] = *c;
        }
        a->channel_count = channel_count;
        for (uint32_t k = 0; k < a->event_count; k++) {
            bool is_good = a->events[k].time >= 0 && a->events[k].time - a->events[k].time == 0;
            if (is_good) a->events[event_count++] = a->events[k];
            tn_tally_at(&tallies.events, !is_good, "animations", i);
        }
        a->event_count = event_count;
    }
    tn_tally_report(builder, &tallies.keys, TENON_DROPPED, "keys",
                    "their times do not increase, or are negative");
    tn_tally_report(builder, &tallies.numbers, TENON_APPROXIMATED, "keys",
                    "numbers that were not finite became 0");
    tn_tally_report(builder, &tallies.channels, TENON_DROPPED, "channels",
                    "they have no keys, no node, or another channel moves the same");
    char why[96];
    // An integer, since the decimal point depends on the locale.
    unsigned percent = (unsigned)fmin(ceil(100 * tallies.shear), 1000);
    (void)snprintf(why, sizeof why, "animated nodes cannot be sheared: off by up to %u %%",
                   percent);
    tn_scene_omit(builder, "shear", tallies.matrices.count, tallies.matrices.path, why);
    tn_tally_report(builder, &tallies.events, TENON_DROPPED, "events", "they have no time");
}
