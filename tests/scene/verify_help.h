// verify_help.h: nets of triangles, at rest and moving, to compare with each other.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_VERIFY_HELP_H
#define TENON_TESTS_VERIFY_HELP_H

#include "hand_scene.h"

#define SIDE  40  // Cells of a net along x and y.
#define CELLS (SIDE * SIDE)

// -- Nets
// A net of unit cells in the plane z = 0, two triangles each, with separate corners.

typedef struct net {
    hand h;
    uint32_t node;
    uint32_t triangle_count;
    float *positions;  // 9 for each triangle.
} net;

static inline void put_triangle(float *out, double x, double y, bool is_upper)
{
    const double lower[9] = {0, 0, 0, 1, 0, 0, 1, 1, 0}, upper[9] = {0, 0, 0, 1, 1, 0, 0, 1, 0};
    for (int k = 0; k < 9; k++)
        out[k] = (float)((is_upper ? upper : lower)[k] + (k % 3 == 0 ? x : k % 3 == 1 ? y : 0));
}

static inline void begin_net(net *n)
{
    hand_begin(&n->h);
    n->node = hand_node(&n->h, "net", TENON_NONE);
    n->triangle_count = 2 * CELLS;
    n->positions = malloc(9 * sizeof(float) * n->triangle_count);
    if (!n->positions) abort();
    for (uint32_t i = 0; i < n->triangle_count; i++)
        put_triangle(n->positions + 9 * (size_t)i, i / 2 % SIDE, i / 2 / SIDE, i % 2 == 1);
    hand_mesh(&n->h, "net", n->node, n->positions, 3 * n->triangle_count);
}

static inline void end_net(net *n)
{
    free(n->positions);
}

static inline double net_diagonal(void)
{
    return sqrt(2.0 * SIDE * SIDE);
}

// Without the mean, fewer poses are compared, and nothing else differs. Of surfaces, another one of
// the farthest places may be named.
static inline void check_largest_only(const hand *a, const hand *b, const tenon_verify_opts *opts,
                                      const tenon_verify_result *whole)
{
    tenon_verify_opts faster = opts ? *opts : (tenon_verify_opts){0};
    tenon_verify_result r;
    faster.largest_only = true;
    CHECK(tenon_verify(&a->scene, &b->scene, &faster, &r, NULL));
    CHECK(r.rms == 0);
    CHECK(r.verdict == whole->verdict && r.diagonal == whole->diagonal);
    CHECK(r.largest == whole->largest && r.matched == whole->matched);
    CHECK(r.reversed == whole->reversed && r.surface == whole->surface);
    CHECK(r.by_surface == whole->by_surface && r.clip_count == whole->clip_count);
    CHECK(r.missing_clips == whole->missing_clips && r.extra_clips == whole->extra_clips);
    CHECK(r.missing_meshes == whole->missing_meshes);
    CHECK(r.missing_lines == whole->missing_lines && r.extra_lines == whole->extra_lines);
    CHECK(r.missing_points == whole->missing_points && r.extra_points == whole->extra_points);
    CHECK(r.at_frames == whole->at_frames && r.between_frames == whole->between_frames);
    if (r.by_surface) return;
    CHECK(r.seconds == whole->seconds);
    CHECK_STR(r.clip, whole->clip);
    CHECK_STR(r.bone, whole->bone);
    CHECK_STR(r.mesh, whole->mesh);
    for (int k = 0; k < 3; k++) CHECK(r.where[k] == whole->where[k]);
}

static inline tenon_verify_result compared(const hand *a, const hand *b,
                                           const tenon_verify_opts *opts)
{
    tenon_verify_result result;
    tenon_error err;
    if (!tenon_verify(&a->scene, &b->scene, opts, &result, &err)) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        test_failures++;
        return result;
    }
    check_largest_only(a, b, opts, &result);
    return result;
}

static inline bool is_same(const tenon_verify_result *r)
{
    return r->largest == 0 && r->rms == 0 && r->matched == 1 && r->reversed == 0 &&
           !r->by_surface && r->missing_clips == 0 && r->missing_meshes == 0 && !r->bone[0];
}

// Cells cut along the other diagonal: other triangles, the same surface.
static inline void cut_otherwise(net *n)
{
    static const float lower[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                       upper[9] = {1, 0, 0, 1, 1, 0, 0, 1, 0};
    for (uint32_t i = 0; i < n->triangle_count; i++)
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t at = k % 3 == 0 ? i / 2 % SIDE : k % 3 == 1 ? i / 2 / SIDE : 0;
            n->positions[9 * (size_t)i + k] = (i % 2 ? upper : lower)[k] + (float)at;
        }
}

// -- Nets that move

typedef struct mover {
    net n;
    float times[4], values[12];
} mover;

// The net goes along x at 1 a second for 3 seconds.
static inline void begin_mover(mover *m, const char *clip)
{
    begin_net(&m->n);
    hand_clip(&m->n.h, clip, 3);
    for (int i = 0; i < 4; i++) {
        m->times[i] = (float)i;
        for (int k = 0; k < 3; k++) m->values[3 * i + k] = k == 0 ? (float)i : 0;
    }
    hand_channel(&m->n.h, m->n.node, TENON_TRANSLATION, 4, m->times, m->values);
}

#endif  // TENON_TESTS_VERIFY_HELP_H
