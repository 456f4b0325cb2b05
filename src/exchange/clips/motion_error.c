// motion_error.c: how far off a scene is that is sampled at a fixed rate.
// SPDX-License-Identifier: MIT
//
// A clip is cut into equal parts. In each, the moment is noted at which some curve misses most by
// itself; there all nodes are placed, as they are and as frames have them, and compared.

#include "exchange/clips/motion_private.h"

#include "core/math/sort.h"

#include <math.h>
#include <string.h>

#define TIMES_MOST      512
#define NODES_MOST      (1u << 19)  // Nodes placed of a clip; large scenes are looked at less often.
#define NODES_ALL       (1u << 23)  // And of all clips.
#define KEYS_ALL        (1u << 20)  // Looked at of all clips; of more, only some of each curve.
#define TIMES_LEAST     4
#define SEGMENT_SAMPLES 4  // Parts of a cubic curve between two keys.

typedef struct sample_time {
    double seconds;
    double weight;  // What the worst curve misses, as a share of the diagonal; 0: nothing.
} sample_time;

// A node in the frame before a moment and in the one after it.
typedef struct frame_pair {
    tn_trs before, after;
} frame_pair;

typedef struct frame_error {
    const tn_motion *motion;
    const tn_levers *levers;
    double rate;
    sample_time *times;
    uint32_t time_count;
    uint32_t key_step;                      // One key of so many is looked at.
    tn_mat4 *true_globals, *frame_globals;  // Of each node from the levers' roots downwards.
    frame_pair *pairs;                      // Of each that has channels, around `paired`.
    double paired_frame;                    // A frame; NaN: none yet.
} frame_error;

// What frames have of a channel, around the last moment that was asked for.
typedef struct channel_frames {
    const tenon_channel *source;
    double leverage;
    double frame;  // The one before it; NaN: none yet.
    double before[4], after[4];
} channel_frames;

// -- Moments

static void add_sample_time(frame_error *frames, double seconds, double weight)
{
    double share = frames->motion->duration > 0 ? seconds / frames->motion->duration : 0;
    double place = floor(share * frames->time_count);
    uint32_t index =
        place < frames->time_count ? (uint32_t)(place > 0 ? place : 0) : frames->time_count - 1;
    if (weight > frames->times[index].weight) frames->times[index] = (sample_time){seconds, weight};
}

// The frame before a time that has none, and how far behind it that is.
static double frame_before(const frame_error *frames, double seconds, double *share)
{
    double frame = floor(seconds * frames->rate);
    *share = seconds * frames->rate - frame;
    return frame;
}

// Note what frames miss of a channel at a time. Keys come in order, so that many of them may be
// between the same two frames.
static void add_error(frame_error *frames, channel_frames *channel, double seconds)
{
    const tenon_channel *c = channel->source;
    double there[4], between[4], share;
    double frame = frame_before(frames, seconds, &share);
    if (frame != channel->frame) {
        tn_motion_value(c, frame / frames->rate, channel->before);
        tn_motion_value(c, (frame + 1) / frames->rate, channel->after);
        channel->frame = frame;
    }
    tn_motion_value(c, seconds, there);
    tn_value_between(c->target, channel->before, channel->after, share, between);
    add_sample_time(frames, seconds,
                    channel->leverage * tn_value_distance(c->target, there, between));
}

// Just before a jump everything is still as it was, but frames are almost behind it.
static void add_jump(frame_error *frames, channel_frames *channel, uint32_t key)
{
    const tenon_channel *c = channel->source;
    double seconds = (double)c->times[key], before = seconds - 4 * tn_time_tolerance(seconds);
    if (key == 0) return;
    if (before > (double)c->times[key - 1]) add_error(frames, channel, before);
    add_error(frames, channel, seconds);
}

static void add_key(frame_error *frames, channel_frames *channel, uint32_t key)
{
    double seconds = (double)channel->source->times[key];
    if (!tn_has_frame(seconds, frames->rate)) add_error(frames, channel, seconds);
}

// Smooth curves are missed most in the middle between frames.
static void add_segment(frame_error *frames, channel_frames *channel, uint32_t key)
{
    double start = (double)channel->source->times[key],
           end = (double)channel->source->times[key + 1];
    for (uint32_t i = 0; i <= SEGMENT_SAMPLES; i++) {
        double seconds = start + (end - start) * i / SEGMENT_SAMPLES;
        double middle = (floor(seconds * frames->rate) + 0.5) / frames->rate;
        if (middle < start) middle += 1 / frames->rate;
        if (middle > end) middle = start + (end - start) / 2;
        add_error(frames, channel, middle);
    }
}

static void add_channel(frame_error *frames, const tenon_channel *c, double leverage,
                        bool with_jumps)
{
    channel_frames channel = {.source = c, .leverage = leverage, .frame = NAN};
    for (uint64_t i = 0; i < c->key_count; i += frames->key_step) {
        uint32_t key = (uint32_t)i;
        if (c->curve != TENON_STEP)
            add_key(frames, &channel, key);
        else if (with_jumps)
            add_jump(frames, &channel, key);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count) add_segment(frames, &channel, key);
    }
}

// -- Places

static tn_trs trs_between(const tn_trs *a, const tn_trs *b, double share)
{
    return (tn_trs){
        .translation = tn_vec3_lerp(a->translation, b->translation, share),
        .rotation = tn_quat_slerp(a->rotation, b->rotation, share),
        .scale = tn_vec3_lerp(a->scale, b->scale, share),
    };
}

static tn_mat4 true_local(const frame_error *frames, uint32_t node, double seconds)
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

// Find all nodes that move in the frames around a moment, which comes after those before it: what
// was after them may be before it.
static void pair_frames(frame_error *frames, double frame)
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

// How far apart two matrices put what a node holds itself: the center of it, and the rest around.
static double distance(const frame_error *frames, uint32_t node, const double *a, const double *b)
{
    static const double origin[3];
    const tn_bounding_sphere *sphere = &frames->levers->spheres[node];
    bool has_spheres = frames->levers->has_spheres;
    const double *center = has_spheres ? sphere->center : origin;
    double radius = has_spheres ? sphere->radius : TN_MIN_REACH * frames->levers->diagonal;
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

// What the clip does not move is where it is. What is below a node follows it, so that the parent
// of a node is as far before it in the lists as in the order of the nodes.
static double measure_at(frame_error *frames, double seconds)
{
    const tn_levers *levers = frames->levers;
    const tn_subtrees *trees = &levers->pose->trees;
    double most = 0, share;
    pair_frames(frames, frame_before(frames, seconds, &share));
    tn_mat4 *here = frames->true_globals, *framed = frames->frame_globals;
    const frame_pair *pair = frames->pairs;
    for (uint32_t r = 0; r < levers->roots.count; r++) {
        uint32_t root = levers->roots.nodes[r];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        for (uint32_t i = 0; i < trees->sizes[root]; i++, here++, framed++, pair++) {
            uint32_t parent = levers->scene->nodes[nodes[i]].parent;
            *framed = *here = true_local(frames, nodes[i], seconds);
            if (tn_motion_moves(frames->motion, nodes[i])) {
                tn_trs between = trs_between(&pair->before, &pair->after, share);
                *framed = tn_mat4_from_trs(&between);
            }
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
            double away = distance(frames, nodes[i], here->m, framed->m);
            if (!(away <= most)) most = away;
        }
    }
    return most / levers->diagonal;
}

// -- All of it

// How closely a clip is looked at: all of them together cost no more than is worth it.
static void limit_effort(frame_error *frames)
{
    const tenon_scene *scene = frames->motion->scene;
    uint64_t clips = scene->animation_count ? scene->animation_count : 1, keys = 0;
    uint64_t nodes = scene->node_count ? scene->node_count : 1;
    uint64_t times = NODES_MOST / nodes, share = NODES_ALL / nodes / clips;
    if (times > share) times = share;
    if (times > TIMES_MOST) times = TIMES_MOST;
    if (times < TIMES_LEAST) times = TIMES_LEAST;
    frames->time_count = (uint32_t)times;
    const tenon_animation *a = &scene->animations[frames->motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++) keys += a->channels[i].key_count;
    uint64_t step = keys / (KEYS_ALL / clips + 1) + 1;
    frames->key_step = step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

static bool allocate(const tn_export *export, frame_error *frames)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < frames->levers->roots.count; i++)
        count += frames->levers->pose->trees.sizes[frames->levers->roots.nodes[i]];
    limit_effort(frames);
    frames->times = tn_export_alloc(export, frames->time_count, sizeof *frames->times);
    frames->true_globals = tn_export_alloc(export, count, sizeof *frames->true_globals);
    frames->frame_globals = tn_export_alloc(export, count, sizeof *frames->frame_globals);
    frames->pairs = tn_export_alloc(export, count, sizeof *frames->pairs);
    return frames->times && frames->true_globals && frames->frame_globals && frames->pairs;
}

// Whether frames have all there is of a curve: nothing between keys, and a frame at each.
static bool is_exact(const tenon_channel *c, double rate, bool with_jumps)
{
    if (tn_channel_is_constant(c)) return true;
    if (c->curve == TENON_STEP) return !with_jumps;
    for (uint32_t i = 0; i < c->key_count; i++)
        if (!tn_has_frame((double)c->times[i], rate)) return false;
    return c->curve == TENON_LINEAR;
}

// Of channels that move the same, the last one counts.
static bool is_used(const tn_motion *motion, const tenon_channel *c)
{
    return motion->channels[3 * (size_t)c->node + (size_t)c->target] == c;
}

static bool are_exact(const tn_motion *motion, double rate, bool with_jumps)
{
    if (motion->animation == TENON_NONE) return true;
    const tenon_animation *a = &motion->scene->animations[motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++)
        if (is_used(motion, &a->channels[i]) && !is_exact(&a->channels[i], rate, with_jumps))
            return false;
    return true;
}

static bool is_channel_before(const void *channels, uint32_t a, uint32_t b)
{
    const tenon_channel *first = (const tenon_channel *)channels + a;
    const tenon_channel *second = (const tenon_channel *)channels + b;
    return first->node != second->node ? first->node < second->node
                                       : first->target < second->target;
}

// In the order of the nodes: of moments that are equally bad, the first one counts.
static bool find_sample_times(const tn_export *export, frame_error *frames, bool with_jumps)
{
    const tenon_animation *a = &frames->motion->scene->animations[frames->motion->animation];
    uint32_t count = a->channel_count;
    uint32_t *order = tn_export_alloc(export, 2 * (uint64_t)count, sizeof *order);
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, order + count, count, is_channel_before, a->channels);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_channel *c = &a->channels[order[i]];
        if (!is_used(frames->motion, c)) continue;
        add_channel(frames, c, frames->levers->leverage[3 * (size_t)c->node + (size_t)c->target],
                    with_jumps);
    }
    return true;
}

double tn_motion_frame_error(const tn_export *export, const tn_motion *motion, double rate,
                             bool with_jumps)
{
    frame_error frames = {.motion = motion, .rate = rate, .paired_frame = NAN};
    double most = 0;
    if (are_exact(motion, rate, with_jumps)) return 0;
    frames.levers = tn_levers_find(export, motion);
    tn_mark mark = tn_arena_mark(export->arena);
    if (!frames.levers || !allocate(export, &frames) ||
        !find_sample_times(export, &frames, with_jumps))
        return HUGE_VAL;
    for (uint32_t i = 0; i < frames.time_count; i++) {
        double error =
            frames.times[i].weight > 0 ? measure_at(&frames, frames.times[i].seconds) : 0;
        if (!(error <= most)) most = error;
    }
    tn_arena_rewind(export->arena, mark);
    return most;
}

double tn_motion_rate_error(const tn_export *export, const tn_motion *motion, double rate)
{
    return tn_motion_frame_error(export, motion, rate, true);
}
