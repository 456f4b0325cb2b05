// motion_error.c: the error of a clip that is sampled at a fixed rate.
// SPDX-License-Identifier: MIT
//
// The clip is divided into equal parts. In each part, the time at which the error of a single curve
// is largest is noted; at that time all nodes are posed, exactly and as frames have them, and
// compared. The clip is examined in stretches, one after the other, because the error in the first
// of them is often so large that the others need not be known.

#include "exchange/clips/motion_private.h"

#include "core/math/sort.h"

#include <math.h>
#include <string.h>

#define NODES_MOST      (1u << 19)  // Posed for one clip; large scenes get fewer sample times.
#define NODES_ALL       (1u << 23)  // Posed for all clips.
#define KEYS_ALL        (1u << 20)  // Looked at in all clips; if there are more, only some are.
#define TIMES_LEAST     4
#define SEGMENT_SAMPLES 4  // Parts of a cubic curve between two keys.
#define WORST_FIRST     8  // Times that are measured before the others.
#define STRETCHES       8  // Of a clip.

// The local transforms of a node in the frames before and after a time.
typedef struct frame_pair {
    tn_trs before, after;
} frame_pair;

typedef struct frame_error {
    const tn_motion *motion;
    const tn_levers *levers;
    double rate;
    tn_frame_times *times;
    uint32_t key_step;                      // Every how many keys one is looked at.
    tn_mat4 *true_globals, *frame_globals;  // Of each node from the levers' roots downwards.
    frame_pair *pairs;                      // Of each of these that has channels.
    double paired_frame;                    // The first frame of `pairs`; NaN: none yet.
} frame_error;

// The values of a channel in the two frames around the last time that was sampled.
typedef struct channel_frames {
    const tenon_channel *source;
    double leverage;
    double frame;  // The first of the two frames; NaN: nothing was sampled yet.
    double before[4], after[4];
    tn_cursor at_keys, at_frames;
    uint64_t next_key;
} channel_frames;

// -- Sample times

// The frame before a time, and how much later the time is, in frames.
static double motion_error_frame_before(const frame_error *frames, double seconds, double *share)
{
    double frame = floor(seconds * frames->rate);
    *share = seconds * frames->rate - frame;
    return frame;
}

// The part of the clip that a time is in.
static uint32_t motion_error_part_of(const frame_error *frames, double seconds)
{
    uint32_t count = frames->times->count;
    double done = frames->motion->duration > 0 ? seconds / frames->motion->duration : 0;
    double part = floor(done * count);
    return part < count ? (uint32_t)(part > 0 ? part : 0) : count - 1;
}

// Whether the value at the time of a key is that of the key.
static bool motion_error_is_value_of_key(const tenon_channel *c, uint32_t key)
{
    return c->curve != TENON_STEP && (key + 1 == c->key_count || c->times[key + 1] > c->times[key]);
}

// Keep a time if the error of the channel is larger than all others in its part of the clip. Times
// come in order, so that many of them may be between the same two frames. `key` is the key that the
// time is that of, or TENON_NONE.
static void motion_error_add_time(frame_error *frames, channel_frames *channel, double seconds,
                                  uint32_t key)
{
    const tenon_channel *c = channel->source;
    double value[4], between[4], share;
    double frame = motion_error_frame_before(frames, seconds, &share);
    if (frame != channel->frame) {
        tn_cursor *cursor = &channel->at_frames;
        if (frame == channel->frame + 1)
            memcpy(channel->before, channel->after, sizeof channel->before);
        else
            tn_motion_value(c, cursor, frame / frames->rate, channel->before);
        tn_motion_value(c, cursor, (frame + 1) / frames->rate, channel->after);
        channel->frame = frame;
    }
    if (key != TENON_NONE && motion_error_is_value_of_key(c, key))
        tn_channel_key_value(c, key, value);
    else
        tn_motion_value(c, &channel->at_keys, seconds, value);
    tn_value_between(c->target, channel->before, channel->after, share, between);
    double weight = channel->leverage * tn_value_distance(c->target, value, between);
    tn_sample_time *worst = &frames->times->times[motion_error_part_of(frames, seconds)];
    if (weight > worst->weight) *worst = (tn_sample_time){seconds, weight};
}

// Add the times of a channel's next keys, up to a part of the clip.
static void motion_error_add_channel(frame_error *frames, channel_frames *channel,
                                     uint32_t end_part, bool with_jumps)
{
    const tenon_channel *c = channel->source;
    for (; channel->next_key < c->key_count; channel->next_key += frames->key_step) {
        uint64_t i = channel->next_key;
        double seconds = (double)c->times[i];
        if (motion_error_part_of(frames, seconds) >= end_part) return;
        if (c->curve == TENON_STEP && with_jumps && i > 0) {
            // Just before a jump the curve has the old value, but frames almost the new one.
            double before = seconds - 4 * tn_time_tolerance(seconds);
            if (before > (double)c->times[i - 1])
                motion_error_add_time(frames, channel, before, TENON_NONE);
            motion_error_add_time(frames, channel, seconds, (uint32_t)i);
        }
        if (c->curve != TENON_STEP && !tn_has_frame(seconds, frames->rate))
            motion_error_add_time(frames, channel, seconds, (uint32_t)i);
        if (c->curve != TENON_CUBIC || i + 1 >= c->key_count) continue;
        // The error of a smooth curve is largest in the middle between frames.
        double end = (double)c->times[i + 1];
        for (uint32_t k = 0; k <= SEGMENT_SAMPLES; k++) {
            double sample = seconds + (end - seconds) * k / SEGMENT_SAMPLES;
            double middle = (floor(sample * frames->rate) + 0.5) / frames->rate;
            if (middle < seconds) middle += 1 / frames->rate;
            if (middle > end) middle = seconds + (end - seconds) / 2;
            motion_error_add_time(frames, channel, middle, TENON_NONE);
        }
    }
}

// Whether a motion uses a channel: of several for the same target, it uses the last.
static bool motion_error_is_used(const tn_motion *motion, const tenon_channel *c)
{
    return motion->channels[3 * (size_t)c->node + (size_t)c->target] == c;
}

static bool motion_error_is_channel_before(const void *channels, uint32_t a, uint32_t b)
{
    const tenon_channel *first = (const tenon_channel *)channels + a;
    const tenon_channel *second = (const tenon_channel *)channels + b;
    return first->node != second->node ? first->node < second->node
                                       : first->target < second->target;
}

// -- Poses

// Compute the local transforms of all animated nodes in two frames. Times come in order: often the
// first frame is the second one of the time before.
static void motion_error_pair_frames(frame_error *frames, double frame)
{
    const tn_subtrees *trees = &frames->levers->pose->trees;
    frame_pair *pair = frames->pairs;
    if (frame == frames->paired_frame) return;
    for (uint32_t r = 0; r < frames->levers->roots.count; r++) {
        uint32_t root = frames->levers->roots.nodes[r];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        for (uint32_t i = 0; i < trees->sizes[root]; i++, pair++) {
            if (!tn_motion_moves(frames->motion, nodes[i])) continue;
            pair->before = frame == frames->paired_frame + 1
                               ? pair->after
                               : tn_motion_local(frames->motion, nodes[i], frame / frames->rate);
            pair->after = tn_motion_local(frames->motion, nodes[i], (frame + 1) / frames->rate);
        }
    }
    frames->paired_frame = frame;
}

static tn_mat4 motion_error_true_local(const frame_error *frames, uint32_t node, double seconds)
{
    const tenon_node *n = &frames->motion->scene->nodes[node];
    if (n->has_matrix) {
        tn_mat4 matrix;
        memcpy(matrix.m, n->matrix, sizeof matrix.m);
        return matrix;
    }
    tn_trs trs = tn_motion_local(frames->motion, node, seconds);
    return tn_mat4_from_trs(&trs);
}

static tn_mat4 motion_error_frame_local(const frame_pair *pair, double share)
{
    const tn_trs *a = &pair->before, *b = &pair->after;
    tn_trs between = {
        .translation = tn_vec3_lerp(a->translation, b->translation, share),
        .rotation = tn_quat_slerp(a->rotation, b->rotation, share),
        .scale = tn_vec3_lerp(a->scale, b->scale, share),
    };
    return tn_mat4_from_trs(&between);
}

// A bound on the distance between the vertices of a node under two matrices: that of the
// center of their sphere, and what is added at its surface.
static double motion_error_distance(const tn_levers *levers, uint32_t node, const double *a,
                                    const double *b)
{
    static const double origin[3];
    const tn_bounding_sphere *sphere = &levers->spheres[node];
    const double *center = levers->has_spheres ? sphere->center : origin;
    double radius = levers->has_spheres ? sphere->radius : TN_MIN_REACH * levers->diagonal;
    double apart = 0, spread = 0;
    if (radius < 0) return 0;
    for (uint32_t row = 0; row < 3; row++) {
        double moved = b[12 + row] - a[12 + row];
        for (uint32_t column = 0; column < 3; column++) {
            double difference = b[4 * column + row] - a[4 * column + row];
            moved += difference * center[column];
            spread += difference * difference;
        }
        apart += moved * moved;
    }
    return sqrt(apart) + sqrt(spread) * radius;
}

// The largest error at a time. The clip moves only nodes of the subtrees of `roots`. A subtree is
// contiguous, so the parent of a node has the same distance from it in the lists as in the
// order.
static double motion_error_measure_at(frame_error *frames, double seconds)
{
    const tn_levers *levers = frames->levers;
    const tn_subtrees *trees = &levers->pose->trees;
    double most = 0, share;
    motion_error_pair_frames(frames, motion_error_frame_before(frames, seconds, &share));
    tn_mat4 *here = frames->true_globals, *framed = frames->frame_globals;
    const frame_pair *pair = frames->pairs;
    for (uint32_t r = 0; r < levers->roots.count; r++) {
        uint32_t root = levers->roots.nodes[r];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        for (uint32_t i = 0; i < trees->sizes[root]; i++, here++, framed++, pair++) {
            uint32_t parent = levers->scene->nodes[nodes[i]].parent;
            *framed = *here = motion_error_true_local(frames, nodes[i], seconds);
            if (tn_motion_moves(frames->motion, nodes[i]))
                *framed = motion_error_frame_local(pair, share);
            if (i > 0) {
                uint32_t back = trees->places[nodes[i]] - trees->places[parent];
                *here = tn_mat4_mul(here - back, here);
                *framed = tn_mat4_mul(framed - back, framed);
            } else if (parent != TENON_NONE) {
                tn_mat4 above;
                memcpy(above.m, tenon_pose_global(levers->pose, parent), sizeof above.m);
                *here = tn_mat4_mul(&above, here);
                *framed = tn_mat4_mul(&above, framed);
            }
            double away = motion_error_distance(levers, nodes[i], here->m, framed->m);
            if (!(away <= most)) most = away;
        }
    }
    return most / levers->diagonal;
}

// -- Clips

// Whether frames have all of a clip: nothing between keys, and a frame at each key.
static bool motion_error_is_exact(const tn_motion *motion, double rate, bool with_jumps)
{
    if (motion->animation == TENON_NONE) return true;
    const tenon_animation *a = &motion->scene->animations[motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const tenon_channel *c = &a->channels[i];
        if (!motion_error_is_used(motion, c) || tn_channel_is_constant(c)) continue;
        if (c->curve == TENON_STEP && !with_jumps) continue;
        if (c->curve != TENON_LINEAR) return false;
        for (uint32_t k = 0; k < c->key_count; k++)
            if (!tn_has_frame((double)c->times[k], rate)) return false;
    }
    return true;
}

// Limit what all clips of the scene cost together.
static void motion_error_limit_effort(frame_error *frames)
{
    const tenon_scene *scene = frames->motion->scene;
    uint64_t clips = scene->animation_count ? scene->animation_count : 1, keys = 0;
    uint64_t nodes = scene->node_count ? scene->node_count : 1;
    uint64_t times = NODES_MOST / nodes, share = NODES_ALL / nodes / clips;
    if (times > share) times = share;
    if (times > TN_SAMPLE_TIMES_MOST) times = TN_SAMPLE_TIMES_MOST;
    if (times < TIMES_LEAST) times = TIMES_LEAST;
    frames->times->count = (uint32_t)times;
    const tenon_animation *a = &scene->animations[frames->motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++) keys += a->channels[i].key_count;
    uint64_t step = keys / (KEYS_ALL / clips + 1) + 1;
    frames->key_step = step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

// Measure the worst of some times that were not measured yet.
static void motion_error_measure_worst(frame_error *frames, uint32_t first, uint32_t end)
{
    tn_sample_time *times = frames->times->times, *worst = times + first;
    for (uint32_t i = first; i < end; i++)
        if (times[i].weight > worst->weight) worst = &times[i];
    if (!(worst->weight > 0)) return;
    double error = motion_error_measure_at(frames, worst->seconds);
    if (!(error <= frames->times->most)) frames->times->most = error;
    worst->weight = 0;
}

// Find the time at which a single curve is most wrong in each part. Of equal errors, the first one
// in the order of the nodes counts. The times are not complete if an error is above `enough`.
static bool motion_error_find_sample_times(const tn_export *export, frame_error *frames,
                                           bool with_jumps, double enough)
{
    const tenon_animation *a = &frames->motion->scene->animations[frames->motion->animation];
    tn_frame_times *times = frames->times;
    uint32_t count = a->channel_count, used = 0, first = 0;
    uint32_t *order = tn_export_alloc(export, 2 * (uint64_t)count, sizeof *order);
    channel_frames *channels = tn_export_alloc(export, count, sizeof *channels);
    if (!order || !channels) return false;
    // Times before jumps, or between the keys of smooth curves, may be in another stretch.
    uint32_t stretches = with_jumps ? 1 : STRETCHES;
    tn_sort_all(order, count, motion_error_is_channel_before, a->channels);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_channel *c = &a->channels[order[i]];
        if (!motion_error_is_used(frames->motion, c) || tn_channel_is_constant(c)) continue;
        if (c->curve == TENON_CUBIC) stretches = 1;
        channels[used++] = (channel_frames){
            .source = c,
            .leverage = frames->levers->leverage[3 * (size_t)c->node + (size_t)c->target],
            .frame = NAN};
    }
    for (uint32_t i = 1; i <= stretches && !(times->most > enough); i++) {
        uint32_t end = (uint32_t)((uint64_t)times->count * i / stretches);
        for (uint32_t k = 0; k < used; k++)
            motion_error_add_channel(frames, &channels[k], i == stretches ? TENON_NONE : end,
                                     with_jumps);
        if (stretches > 1) motion_error_measure_worst(frames, first, end);
        times->is_complete = i == stretches;
        first = end;
    }
    return true;
}

// The times at which single curves are most wrong come first, because the error is often beyond
// `enough` there.
static double motion_error_measure(frame_error *frames, double enough)
{
    uint32_t count = frames->times->count;
    for (uint32_t i = 0; i < WORST_FIRST + count && !(frames->times->most > enough); i++) {
        bool is_first = i < WORST_FIRST;
        motion_error_measure_worst(frames, is_first ? 0 : i - WORST_FIRST,
                                   is_first ? count : i - WORST_FIRST + 1);
    }
    return frames->times->most;
}

double tn_motion_frame_error(const tn_export *export, const tn_motion *motion, double rate,
                             bool with_jumps, double enough, tn_frame_times *times)
{
    bool is_known = times->rate == rate;
    if (is_known && times->most > enough) return times->most;
    if (motion_error_is_exact(motion, rate, with_jumps)) return 0;
    frame_error frames = {.motion = motion, .rate = rate, .times = times, .paired_frame = NAN};
    frames.levers = tn_levers_find(export, motion);
    if (!frames.levers) return HUGE_VAL;
    tn_mark mark = tn_arena_mark(export->arena);
    const tn_moved_roots *roots = &frames.levers->roots;
    uint32_t count = 0;
    for (uint32_t i = 0; i < roots->count; i++)
        count += frames.levers->pose->trees.sizes[roots->nodes[i]];
    if (!is_known || !times->is_complete)
        *times = (tn_frame_times){.rate = rate, .is_rough = times->is_rough};
    motion_error_limit_effort(&frames);
    frames.true_globals = tn_export_alloc(export, count, sizeof *frames.true_globals);
    frames.frame_globals = tn_export_alloc(export, count, sizeof *frames.frame_globals);
    frames.pairs = tn_export_alloc(export, count, sizeof *frames.pairs);
    if (!frames.true_globals || !frames.frame_globals || !frames.pairs ||
        (!times->is_complete &&
         !motion_error_find_sample_times(export, &frames, with_jumps, enough)))
        return HUGE_VAL;
    double most = times->is_rough ? times->most : motion_error_measure(&frames, enough);
    tn_arena_rewind(export->arena, mark);
    return most;
}

static bool motion_error_has_jumps(const tn_motion *motion)
{
    const tenon_animation *a = &motion->scene->animations[motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++)
        if (a->channels[i].curve == TENON_STEP) return true;
    return false;
}

double tn_motion_rate_error(const tn_export *export, const tn_motion *motion, double rate)
{
    const tn_measured_rate *measured = &export->state->measured_rate;
    bool is_measured = measured->scene == motion->scene && measured->rate == rate &&
                       measured->animation == motion->animation;
    if (is_measured && !motion_error_has_jumps(motion)) return measured->error;
    tn_frame_times times = {0};
    return tn_motion_frame_error(export, motion, rate, true, HUGE_VAL, &times);
}
