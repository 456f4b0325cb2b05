// motion_error.c: how far off a scene is that is sampled at a fixed rate.
// SPDX-License-Identifier: MIT
//
// A clip is cut into equal parts. In each, the moment is noted at which some curve misses most by
// itself; there all nodes are placed, as they are and as frames have them, and compared.

#include "motion_work.h"

#include <math.h>
#include <string.h>

#define MOMENTS_MOST  512
#define PLACES_MOST   (1u << 19)  // Nodes placed in all; large scenes are looked at less often.
#define MOMENTS_LEAST 4
#define STRETCH_LOOKS 4  // Parts of a cubic curve between two keys.

typedef struct moment {
    double seconds;
    double weight;  // What the worst curve misses, as a share of the diagonal; 0: nothing.
} moment;

typedef struct gauge {
    const tn_motion *motion;
    const tn_levers *levers;
    double rate;
    bool has_bodies;
    moment *moments;
    uint32_t moment_count;
    tn_mat4 *true_globals, *frame_globals;  // Of each node.
} gauge;

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

// What frames miss of a channel at a time.
static double miss_at(const gauge *g, const tenon_channel *c, double seconds)
{
    double before[4], after[4], there[4], between[4], share;
    double frame = frame_before(g, seconds, &share);
    tn_motion_value(c, frame / g->rate, before);
    tn_motion_value(c, (frame + 1) / g->rate, after);
    tn_motion_value(c, seconds, there);
    tn_value_between(c->target, before, after, share, between);
    return tn_value_distance(c->target, there, between);
}

// Just before a jump everything is still as it was, but frames are almost behind it.
static void note_jump(gauge *g, const tenon_channel *c, uint32_t key, double leverage)
{
    double seconds = (double)c->times[key], before = seconds - 4 * tn_moment_slack(seconds);
    if (key == 0) return;
    if (before > (double)c->times[key - 1]) note(g, before, leverage * miss_at(g, c, before));
    note(g, seconds, leverage * miss_at(g, c, seconds));
}

static void note_key(gauge *g, const tenon_channel *c, uint32_t key, double leverage)
{
    double seconds = (double)c->times[key];
    if (!tn_has_frame(seconds, g->rate)) note(g, seconds, leverage * miss_at(g, c, seconds));
}

// Smooth curves are missed most in the middle between frames.
static void note_stretch(gauge *g, const tenon_channel *c, uint32_t key, double leverage)
{
    double start = (double)c->times[key], end = (double)c->times[key + 1];
    for (uint32_t i = 0; i <= STRETCH_LOOKS; i++) {
        double seconds = start + (end - start) * i / STRETCH_LOOKS;
        double middle = (floor(seconds * g->rate) + 0.5) / g->rate;
        if (middle < start) middle += 1 / g->rate;
        if (middle > end) middle = start + (end - start) / 2;
        note(g, middle, leverage * miss_at(g, c, middle));
    }
}

static void note_channel(gauge *g, const tenon_channel *c, double leverage, bool with_jumps)
{
    for (uint32_t key = 0; key < c->key_count; key++) {
        if (c->curve != TENON_STEP)
            note_key(g, c, key, leverage);
        else if (with_jumps)
            note_jump(g, c, key, leverage);
        if (c->curve == TENON_CUBIC && key + 1 < c->key_count) note_stretch(g, c, key, leverage);
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

static tn_mat4 frame_local(const gauge *g, uint32_t node, double seconds)
{
    double share, frame = frame_before(g, seconds, &share);
    tn_trs before = tn_motion_local(g->motion, node, frame / g->rate);
    tn_trs after = tn_motion_local(g->motion, node, (frame + 1) / g->rate);
    tn_trs between = trs_between(&before, &after, share);
    return tn_mat4_from_trs(&between);
}

// How far apart two matrices put what a node holds itself: the center of it, and the rest around.
static double distance(const gauge *g, uint32_t node)
{
    static const double origin[3];
    const tn_body *body = &g->levers->bodies[node];
    const double *a = g->true_globals[node].m, *b = g->frame_globals[node].m;
    const double *center = g->has_bodies ? body->center : origin;
    double radius = g->has_bodies ? body->radius : TN_LEAST_REACH * g->levers->diagonal;
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

static double measure(gauge *g, double seconds)
{
    double most = 0;
    for (uint32_t i = 0; i < g->motion->scene->node_count; i++) {
        uint32_t parent = g->motion->scene->nodes[i].parent;
        tn_mat4 *here = &g->true_globals[i], *framed = &g->frame_globals[i];
        *here = true_local(g, i, seconds);
        *framed = tn_motion_moves(g->motion, i) ? frame_local(g, i, seconds) : *here;
        if (parent != TENON_NONE) {
            *here = tn_mat4_mul(&g->true_globals[parent], here);
            *framed = tn_mat4_mul(&g->frame_globals[parent], framed);
        }
        double away = distance(g, i);
        if (!(away <= most)) most = away;
    }
    return most / g->levers->diagonal;
}

// -- All of it

static bool allocate(const tn_export *e, gauge *g)
{
    uint32_t count = g->motion->scene->node_count;
    g->moment_count = count ? PLACES_MOST / count : MOMENTS_MOST;
    if (g->moment_count > MOMENTS_MOST) g->moment_count = MOMENTS_MOST;
    if (g->moment_count < MOMENTS_LEAST) g->moment_count = MOMENTS_LEAST;
    g->moments = tn_export_alloc(e, g->moment_count, sizeof *g->moments);
    g->true_globals = tn_export_alloc(e, count, sizeof *g->true_globals);
    g->frame_globals = tn_export_alloc(e, count, sizeof *g->frame_globals);
    return g->moments && g->true_globals && g->frame_globals;
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

static bool are_exact(const tn_motion *motion, double rate, bool with_jumps)
{
    uint64_t count = 3 * (uint64_t)motion->scene->node_count;
    for (uint64_t i = 0; i < count; i++)
        if (motion->channels[i] && !is_exact(motion->channels[i], rate, with_jumps)) return false;
    return true;
}

static void note_all(gauge *g, bool with_jumps)
{
    for (uint32_t i = 0; i < g->motion->scene->node_count; i++) {
        g->has_bodies = g->has_bodies || g->levers->bodies[i].radius >= 0;
        for (uint32_t target = 0; target < 3; target++) {
            size_t at = 3 * (size_t)i + target;
            const tenon_channel *c = g->motion->channels[at];
            if (c) note_channel(g, c, g->levers->leverage[at], with_jumps);
        }
    }
}

double tn_motion_frame_error(const tn_export *e, const tn_motion *motion, double rate,
                             bool with_jumps)
{
    gauge g = {.motion = motion, .rate = rate};
    double most = 0;
    if (are_exact(motion, rate, with_jumps)) return 0;
    g.levers = tn_levers_find(e, motion);
    tn_mark mark = tn_arena_mark(e->arena);
    if (!g.levers || !allocate(e, &g)) return HUGE_VAL;
    note_all(&g, with_jumps);
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
