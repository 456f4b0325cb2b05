// motion_help.h: an export of a scene that the test makes, and scenes in which nodes move.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_MOTION_HELP_H
#define TENON_TESTS_MOTION_HELP_H

#include "core/math/math.h"
#include "exchange/clips/motion_private.h"
#include "exchange/export.h"
#include "hand_scene.h"

// -- Exports

typedef struct writing {
    tenon_export_opts opts;
    tn_arena arena;
    tenon_error err;
    tn_export_state state;
    tn_export e;
} writing;

static inline void writing_begin(writing *w, const tenon_scene *scene,
                                 const tenon_allocator *allocator)
{
    static const tenon_allocator usual;
    *w = (writing){.arena = tn_arena_make(allocator ? allocator : &usual, UINT64_MAX)};
    w->state.pulse.events = &w->opts.events;
    w->e = (tn_export){
        .scene = scene, .opts = &w->opts, .arena = &w->arena, .err = &w->err, .state = &w->state};
}

static inline void writing_end(writing *w)
{
    tn_levers_free(&w->e);
    tn_arena_free(&w->arena);
}

// -- Chains

#define CHAIN_MOST 64  // Nodes.
#define CHAIN_KEYS 8   // Of a channel, at most.

// A chain of nodes, each with a triangle around it and all three channels.
typedef struct chain {
    tenon_scene scene;
    tenon_node nodes[CHAIN_MOST];
    tenon_mesh meshes[CHAIN_MOST];
    tenon_primitive primitives[CHAIN_MOST];
    float positions[CHAIN_MOST][9];
    tenon_animation animation;
    tenon_channel channels[3 * CHAIN_MOST];
    float times[3 * CHAIN_MOST][CHAIN_KEYS];
    float values[3 * CHAIN_MOST][CHAIN_KEYS * 12];
} chain;

static inline double chain_number(uint64_t *state, double most)
{
    return (2 * hand_random(state) - 1) * most;
}

static inline void chain_node(chain *c, uint32_t i, uint64_t *state)
{
    c->nodes[i] = (tenon_node){
        .name = hand_text("link"),
        .parent = i ? i - 1 : TENON_NONE,
        .rotation = {0, 0, 0, 1},
        .scale = {1, 1, 1},
        .mesh = i,
        .skin = TENON_NONE,
        .camera = TENON_NONE,
        .light = TENON_NONE,
    };
    c->nodes[i].translation[1] = 0.5;
    for (int k = 0; k < 9; k++) c->positions[i][k] = (float)chain_number(state, 0.5);
    c->primitives[i] = (tenon_primitive){.mode = TENON_TRIANGLES,
                                         .material = TENON_NONE,
                                         .vertex_count = 3,
                                         .positions = c->positions[i]};
    c->meshes[i] = (tenon_mesh){
        .name = hand_text("leaf"), .primitive_count = 1, .primitives = &c->primitives[i]};
}

// Values that suit the target, near the usual ones; tangents of any direction.
static inline void chain_value(tenon_target target, bool is_tangent, float *v, uint64_t *state)
{
    double square = 0;
    if (is_tangent) {
        for (int k = 0; k < 4; k++) v[k] = (float)chain_number(state, 2);
    } else if (target == TENON_TRANSLATION) {
        for (int k = 0; k < 3; k++) v[k] = (float)((k == 1 ? 0.5 : 0) + chain_number(state, 0.2));
    } else if (target == TENON_SCALE) {
        for (int k = 0; k < 3; k++) v[k] = (float)(1 + chain_number(state, 0.1));
    } else {
        for (int k = 0; k < 4; k++) {
            v[k] = (float)((k == 3) + chain_number(state, 0.5));
            square += (double)v[k] * (double)v[k];
        }
        for (int k = 0; k < 4; k++) v[k] = (float)((double)v[k] / sqrt(square));
    }
}

static inline void chain_channel(chain *c, uint32_t index, tenon_curve curve, uint64_t *state)
{
    tenon_channel *channel = &c->channels[index];
    *channel = (tenon_channel){.node = index / 3,
                               .target = (tenon_target)(index % 3),
                               .curve = curve,
                               .key_count = 2 + (uint32_t)(hand_random(state) * (CHAIN_KEYS - 2)),
                               .times = c->times[index],
                               .values = c->values[index]};
    uint32_t size = channel->target == TENON_ROTATION ? 4 : 3, each = curve == TENON_CUBIC ? 3 : 1;
    double time = hand_random(state) < 0.5 ? 0 : hand_random(state);
    for (uint32_t i = 0; i < channel->key_count; i++) {
        channel->times[i] = (float)time;
        time += 0.05 + hand_random(state);
        for (uint32_t part = 0; part < each; part++) {
            float v[4];
            chain_value(channel->target, each == 3 && part != 1, v, state);
            memcpy(channel->values + (size_t)(i * each + part) * size, v, size * sizeof *v);
        }
    }
    double last = (double)channel->times[channel->key_count - 1];
    if (last > c->animation.duration) c->animation.duration = last;
}

static inline void chain_make(chain *c, uint32_t count, tenon_curve curve, uint64_t seed)
{
    uint64_t state = seed;
    *c = (chain){.scene = {.name = {"", 0}}};
    for (uint32_t i = 0; i < count; i++) chain_node(c, i, &state);
    c->animation = (tenon_animation){
        .name = hand_text("swing"), .channel_count = 3 * count, .channels = c->channels};
    for (uint32_t i = 0; i < 3 * count; i++) chain_channel(c, i, curve, &state);
    c->scene.node_count = c->scene.mesh_count = count;
    c->scene.nodes = c->nodes;
    c->scene.meshes = c->meshes;
    c->scene.animation_count = 1;
    c->scene.animations = &c->animation;
}

// -- Distances

// How far apart vertices of two scenes with the same meshes are at most, at one time of their first
// clips.
static inline double pose_distance(tenon_pose *a, tenon_pose *b, const tenon_scene *scene,
                                   double seconds)
{
    double most = 0;
    tenon_pose_set(a, 0, seconds);
    tenon_pose_set(b, 0, seconds);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        float p[9], q[9];
        tenon_pose_skin(a, i, 0, p, NULL);
        tenon_pose_skin(b, i, 0, q, NULL);
        for (uint32_t k = 0; k < 9; k += 3) {
            tn_vec3 apart = {(double)p[k] - (double)q[k], (double)p[k + 1] - (double)q[k + 1],
                             (double)p[k + 2] - (double)q[k + 2]};
            double distance = tn_vec3_length(apart);
            if (!(distance <= most)) most = distance;
        }
    }
    return most;
}

static inline double rest_diagonal(const tenon_scene *scene)
{
    double min[3], max[3];
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    bool any = tenon_pose_bounds(pose, min, max);
    tenon_pose_free(pose);
    return any ? tn_vec3_length((tn_vec3){max[0] - min[0], max[1] - min[1], max[2] - min[2]}) : 0;
}

// -- One node that moves

typedef struct mover {
    hand h;
    writing w;
    tn_motion motion;
    tn_times times;
} mover;

static float mover_triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

// A node with a triangle, and a clip; channels are added by the test.
static inline void mover_begin(mover *m, double duration)
{
    hand_begin(&m->h);
    uint32_t node = hand_node(&m->h, "node", TENON_NONE);
    hand_mesh(&m->h, "mesh", node, mover_triangle, 3);
    hand_clip(&m->h, "clip", duration);
}

static inline void mover_look(mover *m)
{
    tenon_error err;
    bool holds = tenon_scene_check(&m->h.scene, &err);
    if (!holds) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(holds);
    writing_begin(&m->w, &m->h.scene, NULL);
    CHECK(tn_motion_make(&m->w.e, 0, &m->motion));
}

static inline void mover_times(mover *m, uint32_t targets, double ticks)
{
    CHECK(tn_motion_times(&m->w.e, &m->motion, 0, targets, ticks, &m->times));
    CHECK(m->times.count >= 1 && m->times.at[0] >= 0);
    for (uint32_t i = 1; i < m->times.count; i++) CHECK(m->times.at[i] > m->times.at[i - 1]);
    for (uint32_t i = 0; i < m->times.count && ticks > 0; i++)
        CHECK(m->times.at[i] == floor(m->times.at[i] * ticks + 0.5) / ticks);
}

static inline const tn_levers *levers_of(mover *m)
{
    return tn_levers_find(&m->w.e, &m->motion);
}

static inline void mover_end(mover *m)
{
    writing_end(&m->w);
}

static inline double place_at(const mover *m, double seconds)
{
    return tn_motion_local(&m->motion, 0, seconds).translation.x;
}

// Whether the times are these, in seconds; or, with ticks, these ticks.
static inline bool has_times(const mover *m, uint32_t count, const double *wanted, double ticks)
{
    bool same = m->times.count == count;
    for (uint32_t i = 0; same && i < count; i++)
        same = m->times.at[i] == (ticks > 0 ? wanted[i] / ticks : wanted[i]);
    for (uint32_t i = 0; !same && i < m->times.count; i++)
        fprintf(stderr, "got %.9g\n", m->times.at[i] * (ticks > 0 ? ticks : 1));
    return same;
}

#define TIMES(...)                                               \
    sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]) \
    {                                                            \
        __VA_ARGS__                                              \
    }

// -- Samples

static inline void put_value(const tn_trs *local, tenon_target target, float *out)
{
    const tn_vec3 *v = target == TENON_SCALE ? &local->scale : &local->translation;
    const tn_quat *q = &local->rotation;
    if (target == TENON_ROTATION)
        out[0] = (float)q->x, out[1] = (float)q->y, out[2] = (float)q->z, out[3] = (float)q->w;
    else
        out[0] = (float)v->x, out[1] = (float)v->y, out[2] = (float)v->z;
}

// `to` becomes a linear curve through samples of `from`.
static inline void sample_channel(const tn_motion *motion, const tenon_channel *from,
                                  const tn_times *times, tenon_channel *to)
{
    uint32_t size = from->target == TENON_ROTATION ? 4 : 3;
    *to = *from;
    to->curve = TENON_LINEAR;
    to->key_count = times->count;
    to->times = malloc(times->count * sizeof *to->times);
    to->values = malloc(times->count * size * sizeof *to->values);
    for (uint32_t i = 0; i < times->count; i++) {
        tn_trs local = tn_motion_local(motion, from->node, times->at[i]);
        to->times[i] = (float)times->at[i];
        put_value(&local, from->target, to->values + (size_t)i * size);
    }
}

static inline void free_channels(tenon_animation *clip)
{
    for (uint32_t i = 0; i < clip->channel_count; i++)
        free(clip->channels[i].times), free(clip->channels[i].values);
    free(clip->channels);
}

// How far the posed vertices of a scene and of a sampled copy are apart, as a share of the
// diagonal, at many times.
static inline double distance_of(const tenon_scene *scene, const tenon_animation *sampled,
                                 uint32_t looks)
{
    double most = 0, end = scene->animations[0].duration;
    tenon_animation clip = *sampled;
    tenon_scene copy = *scene;
    copy.animations = &clip;
    tenon_pose *a = tenon_pose_new(scene, NULL, NULL), *b = tenon_pose_new(&copy, NULL, NULL);
    for (uint32_t i = 0; i <= looks; i++) {
        double distance = pose_distance(a, b, scene, end * i / looks);
        if (!(distance <= most)) most = distance;
    }
    tenon_pose_free(a), tenon_pose_free(b);
    return most / rest_diagonal(scene);
}

#endif  // TENON_TESTS_MOTION_HELP_H
