// motion_error.c: how far off a scene is that is sampled at a fixed rate.
// SPDX-License-Identifier: MIT
//
// A clip is cut into equal parts. In each, the moment is noted at which some curve misses most by
// itself; there all nodes are placed, as they are and as frames have them, and compared.

#include "exchange/clips/motion_private.h"

#include "core/math/sort.h"

#include <math.h>
#include <string.h>

#define MOMENTS_MOST  512
#define PLACES_MOST   (1u << 19)  // Nodes placed of a clip; large scenes are looked at less often.
#define PLACES_ALL    (1u << 23)  // And of all clips.
#define KEYS_ALL      (1u << 20)  // Looked at of all clips; of more, only some of each curve.
#define MOMENTS_LEAST 4
#define STRETCH_LOOKS 4  // Parts of a cubic curve between two keys.

typedef struct moment {
    double seconds;
    double weight;  // What the worst curve misses, as a share of the diagonal; 0: nothing.
} moment;

// A node in the frame before a moment and in the one after it.
typedef struct frame_pair {
    tn_trs before, after;
} frame_pair;

typedef struct gauge {
    const tn_motion *motion;
    const tn_levers *levers;
    double rate;
    moment *moments;
    uint32_t moment_count;
    uint32_t key_step;                      // One key of so many is looked at.
    tn_mat4 *true_globals, *frame_globals;  // Of each node from the levers' roots downwards.
    frame_pair *pairs;                      // Of each that has channels, around `paired`.
    double paired;                          // A frame; NaN: none yet.
} gauge;

// What frames have of a channel, around the last moment that was asked for.
typedef struct channel_frames {
    const tenon_channel *channel;
    double leverage;
    double frame;  // The one before it; NaN: none yet.
    double before[4], after[4];
} channel_frames;

// -- Moments

static void note(gauge *g, double seconds, double weight)
{
    double share = g->motion->duration > 0 ? seconds / g->motion->duration : 0;
    double place = floor(share * g->moment_count);
    uint32_t index =
        place < g->moment_count ? (uint32_t)(place > 0 ? place : 0) : g->moment_count - 1;
    if (weight > g->moments[index].weight) g->moments[index] = (moment){seconds, weight};
}

// The frame before a time that has none, and how far behind it that is.
static double frame_before(const gauge *g, double seconds, double *share)
{
    double frame = floor(seconds * g->rate);
    *share = seconds * g->rate - frame;
    return frame;
}

// Note what frames miss of a channel at a time. Keys come in order, so that many of them may be
// between the same two frames.
static void note_miss(gauge *g, channel_frames *f, double seconds)
{
    const tenon_channel *c = f->channel;
    double there[4], between[4], share;
    double frame = frame_before(g, seconds, &share);
    if (frame != f->frame) {
        tn_motion_value(c, frame / g->rate, f->before);
        tn_motion_value(c, (frame + 1) / g->rate, f->after);
        f->frame = frame;
    }
    tn_motion_value(c, seconds, there);
    tn_value_between(c->target, f->before, f->after, share, between);
    note(g, seconds, f->leverage * tn_value_distance(c->target, there, between));
}

// Just before a jump everything is still as it was, but frames are almost behind it.
static void note_jump(gauge *g, channel_frames *f, uint32_t key)
{
    const tenon_channel *c = f->channel;
    double seconds = (double)c->times[key], before = seconds - 4 * tn_moment_slack(seconds);
    if (key == 0) return;
    if (before > (double)c->times[key - 1]) note_miss(g, f, before);
    note_miss(g, f, seconds);
}

static void note_key(gauge *g, channel_frames *f, uint32_t key)
{
    double seconds = (double)f->channel->times[key];
    if (!tn_has_frame(seconds, g->rate)) note_miss(g, f, seconds);
}

// Smooth curves are missed most in the middle between frames.
static void note_stretch(gauge *g, channel_frames *f, uint32_t key)
{
    double start = (double)f->channel->times[key], end = (double)f->channel->times[key + 1];
    for (uint32_t i = 0; i <= STRETCH_LOOKS; i++) {
        double seconds = start + (end - start) * i / STRETCH_LOOKS;
        double middle = (floor(seconds * g->rate) + 0.5) / g->rate;
        if (middle < start) middle += 1 / g->rate;
        if (middle > end) middle = start + (end - start) / 2;
        note_miss(g, f, middle);
    }
}

static void note_channel(gauge *g, const tenon_channel *c, double leverage, bool with_jumps)
{
    channel_frames f = {.channel = c, .leverage = leverage, .frame = NAN};
    for (uint64_t i = 0; i < c->key_count; i += g->key_step) {
        uint32_t key = (uint32_t)i;
        if (c->curve != TENON_STEP)
            note_key(g, &f, key);
        else if (with_jumps)
            note_jump(g, &f, key);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count) note_stretch(g, &f, key);
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

static tn_mat4 true_local(const gauge *g, uint32_t node, double seconds)
{
    const tenon_node *n = &g->motion->scene->nodes[node];
    if (n->has_matrix) {
        tn_mat4 matrix;
        memcpy(matrix.m, n->matrix, sizeof matrix.m);
        return matrix;
    }
    tn_trs trs = tn_motion_local(g->motion, node, seconds);
    return tn_mat4_from_trs(&trs);
}

// Find all nodes that move in the frames around a moment, which comes after those before it: what
// was after them may be before it.
static void pair_frames(gauge *g, double frame)
{
    const tn_subtrees *trees = &g->levers->pose->trees;
    frame_pair *pair = g->pairs;
    if (frame == g->paired) return;
    for (uint32_t r = 0; r < g->levers->roots.count; r++) {
        uint32_t root = g->levers->roots.nodes[r];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        for (uint32_t i = 0; i < trees->sizes[root]; i++, pair++) {
            if (!tn_motion_moves(g->motion, nodes[i])) continue;
            pair->before = frame == g->paired + 1
                               ? pair->after
                               : tn_motion_local(g->motion, nodes[i], frame / g->rate);
            pair->after = tn_motion_local(g->motion, nodes[i], (frame + 1) / g->rate);
        }
    }
    g->paired = frame;
}

// How far apart two matrices put what a node holds itself: the center of it, and the rest around.
static double distance(const gauge *g, uint32_t node, const double *a, const double *b)
{
    static const double origin[3];
    const tn_body *body = &g->levers->bodies[node];
    bool has_bodies = g->levers->has_bodies;
    const double *center = has_bodies ? body->center : origin;
    double radius = has_bodies ? body->radius : TN_LEAST_REACH * g->levers->diagonal;
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
static double measure(gauge *g, double seconds)
{
    const tn_levers *levers = g->levers;
    const tn_subtrees *trees = &levers->pose->trees;
    double most = 0, share;
    pair_frames(g, frame_before(g, seconds, &share));
    tn_mat4 *here = g->true_globals, *framed = g->frame_globals;
    const frame_pair *pair = g->pairs;
    for (uint32_t r = 0; r < levers->roots.count; r++) {
        uint32_t root = levers->roots.nodes[r];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        for (uint32_t i = 0; i < trees->sizes[root]; i++, here++, framed++, pair++) {
            uint32_t parent = levers->scene->nodes[nodes[i]].parent;
            *framed = *here = true_local(g, nodes[i], seconds);
            if (tn_motion_moves(g->motion, nodes[i])) {
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
            double away = distance(g, nodes[i], here->m, framed->m);
            if (!(away <= most)) most = away;
        }
    }
    return most / levers->diagonal;
}

// -- All of it

// How closely a clip is looked at: all of them together cost no more than is worth it.
static void find_effort(gauge *g)
{
    const tenon_scene *scene = g->motion->scene;
    uint64_t clips = scene->animation_count ? scene->animation_count : 1, keys = 0;
    uint64_t nodes = scene->node_count ? scene->node_count : 1;
    uint64_t moments = PLACES_MOST / nodes, share = PLACES_ALL / nodes / clips;
    if (moments > share) moments = share;
    if (moments > MOMENTS_MOST) moments = MOMENTS_MOST;
    if (moments < MOMENTS_LEAST) moments = MOMENTS_LEAST;
    g->moment_count = (uint32_t)moments;
    const tenon_animation *a = &scene->animations[g->motion->animation];
    for (uint32_t i = 0; i < a->channel_count; i++) keys += a->channels[i].key_count;
    uint64_t step = keys / (KEYS_ALL / clips + 1) + 1;
    g->key_step = step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
}

static bool allocate(const tn_export *e, gauge *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->levers->roots.count; i++)
        count += g->levers->pose->trees.sizes[g->levers->roots.nodes[i]];
    find_effort(g);
    g->moments = tn_export_alloc(e, g->moment_count, sizeof *g->moments);
    g->true_globals = tn_export_alloc(e, count, sizeof *g->true_globals);
    g->frame_globals = tn_export_alloc(e, count, sizeof *g->frame_globals);
    g->pairs = tn_export_alloc(e, count, sizeof *g->pairs);
    return g->moments && g->true_globals && g->frame_globals && g->pairs;
}

// Whether frames have all there is of a curve: nothing between keys, and a frame at each.
static bool is_exact(const tenon_channel *c, double rate, bool with_jumps)
{
    if (tn_channel_is_still(c)) return true;
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
static bool note_all(const tn_export *e, gauge *g, bool with_jumps)
{
    const tenon_animation *a = &g->motion->scene->animations[g->motion->animation];
    uint32_t count = a->channel_count;
    uint32_t *order = tn_export_alloc(e, 2 * (uint64_t)count, sizeof *order);
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, order + count, count, is_channel_before, a->channels);
    for (uint32_t i = 0; i < count; i++) {
        const tenon_channel *c = &a->channels[order[i]];
        if (!is_used(g->motion, c)) continue;
        note_channel(g, c, g->levers->leverage[3 * (size_t)c->node + (size_t)c->target],
                     with_jumps);
    }
    return true;
}

double tn_motion_frame_error(const tn_export *e, const tn_motion *motion, double rate,
                             bool with_jumps)
{
    gauge g = {.motion = motion, .rate = rate, .paired = NAN};
    double most = 0;
    if (are_exact(motion, rate, with_jumps)) return 0;
    g.levers = tn_levers_find(e, motion);
    tn_mark mark = tn_arena_mark(e->arena);
    if (!g.levers || !allocate(e, &g) || !note_all(e, &g, with_jumps)) return HUGE_VAL;
    for (uint32_t i = 0; i < g.moment_count; i++) {
        double error = g.moments[i].weight > 0 ? measure(&g, g.moments[i].seconds) : 0;
        if (!(error <= most)) most = error;
    }
    tn_arena_rewind(e->arena, mark);
    return most;
}

double tn_motion_rate_error(const tn_export *e, const tn_motion *motion, double rate)
{
    return tn_motion_frame_error(e, motion, rate, true);
}
