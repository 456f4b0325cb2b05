// pose_skin.c: where the vertices of a posed scene are.
// SPDX-License-Identifier: MIT

#include "scene/pose/pose.h"

#include "core/memory/budget.h"

#include <math.h>

#define BLOCK 256  // Vertices at a time that need a place on the stack.

// The vertices of one primitive, and what moves them.
typedef struct skinner {
    const tenon_primitive *primitive;
    const tn_affine *palette;  // NULL: `place` moves all.
    tn_affine place;
} skinner;

static skinner make_skinner(const tenon_pose *pose, uint32_t node, uint32_t primitive)
{
    const tenon_node *n = &pose->scene->nodes[node];
    skinner s = {.primitive = &pose->scene->meshes[n->mesh].primitives[primitive]};
    if (n->skin != TENON_NONE && s.primitive->influence_count > 0)
        s.palette = pose->palette + pose->skin_starts[n->skin];
    const double *m = pose->globals[node].m;
    for (uint32_t column = 0; column < 4; column++)
        for (uint32_t row = 0; row < 3; row++) s.place.m[3 * column + row] = m[4 * column + row];
    return s;
}

// How much work the vertices are.
static uint64_t count_steps(const skinner *s)
{
    uint64_t each = s->palette ? s->primitive->influence_count : 1;
    return each * s->primitive->vertex_count;
}

// -- One vertex

// The matrix that moves a vertex: the node's, or a mixture of those of joints, made in `room`.
static const tn_affine *matrix_of(const skinner *s, uint32_t vertex, tn_affine *room)
{
    if (!s->palette) return &s->place;
    uint32_t count = s->primitive->influence_count;
    const uint16_t *joints = s->primitive->joints + (size_t)vertex * count;
    const float *weights = s->primitive->weights + (size_t)vertex * count;
    *room = (tn_affine){{0}};
    for (uint32_t i = 0; i < count; i++) {
        if (weights[i] == 0.0f) continue;
        const double *m = s->palette[joints[i]].m, weight = (double)weights[i];
        for (uint32_t k = 0; k < 12; k++) room->m[k] += weight * m[k];
    }
    return room;
}

static void move_point(const double *m, const float *p, float *out)
{
    double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    for (uint32_t k = 0; k < 3; k++)
        out[k] = (float)(m[k] * x + m[3 + k] * y + m[6 + k] * z + m[9 + k]);
}

// Row k of the cofactors of the upper three columns, times a vector.
static double cofactor(const double *m, uint32_t k, const double n[3])
{
    uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
    return (m[3 + i] * m[6 + j] - m[3 + j] * m[6 + i]) * n[0] +
           (m[6 + i] * m[j] - m[6 + j] * m[i]) * n[1] + (m[i] * m[3 + j] - m[j] * m[3 + i]) * n[2];
}

// The matrix of normals is the transposed inverse: the cofactors over the determinant, of which
// only the sign counts. What is squeezed to a line or a point has no normal: 0.
static void move_normal(const double *m, const float *from, float *out)
{
    const double n[3] = {(double)from[0], (double)from[1], (double)from[2]}, x[3] = {1, 0, 0};
    double moved[3], square = 0, volume = 0;
    for (uint32_t k = 0; k < 3; k++) {
        moved[k] = cofactor(m, k, n);
        square += moved[k] * moved[k];
        volume += cofactor(m, k, x) * m[k];
    }
    double length = sqrt(square), factor = length > 0 && length < HUGE_VAL ? 1 / length : 0;
    if (volume < 0) factor = -factor;
    for (uint32_t k = 0; k < 3; k++) out[k] = (float)(factor * moved[k]);
}

// -- Many

static void skin_positions(const skinner *s, uint32_t first, uint32_t count, float *out)
{
    tn_affine room;
    const float *positions = s->primitive->positions;
    for (uint32_t i = 0; i < count; i++)
        move_point(matrix_of(s, first + i, &room)->m, positions + 3 * ((size_t)first + i),
                   out + 3 * (size_t)i);
}

static void skin_normals(const skinner *s, float *out)
{
    tn_affine room;
    const float *normals = s->primitive->normals;
    for (uint32_t i = 0; i < s->primitive->vertex_count; i++, out += 3) {
        if (normals)
            move_normal(matrix_of(s, i, &room)->m, normals + 3 * (size_t)i, out);
        else
            out[0] = out[1] = out[2] = 0;
    }
}

void tenon_pose_skin(const tenon_pose *pose, uint32_t node, uint32_t primitive, float *positions,
                     float *normals)
{
    skinner s = make_skinner(pose, node, primitive);
    if (!tn_budget_work(pose->arena.allocator.budget, count_steps(&s))) return;
    if (positions) skin_positions(&s, 0, s.primitive->vertex_count, positions);
    if (normals) skin_normals(&s, normals);
}

// -- Bounds

static void widen(const float *points, uint32_t count, double min[3], double max[3])
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        double v = (double)points[i];
        if (v < min[i % 3]) min[i % 3] = v;
        if (v > max[i % 3]) max[i % 3] = v;
    }
}

static void widen_by_primitive(const skinner *s, double min[3], double max[3])
{
    float points[3 * BLOCK];
    uint32_t total = s->primitive->vertex_count;
    for (uint32_t first = 0, count; first < total; first += count) {
        count = total - first < BLOCK ? total - first : BLOCK;
        skin_positions(s, first, count, points);
        widen(points, count, min, max);
    }
}

bool tenon_pose_bounds(const tenon_pose *pose, double min[3], double max[3])
{
    const tenon_scene *scene = pose->scene;
    for (uint32_t k = 0; k < 3; k++) min[k] = HUGE_VAL, max[k] = -HUGE_VAL;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        for (uint32_t p = 0; p < scene->meshes[mesh].primitive_count; p++) {
            skinner s = make_skinner(pose, i, p);
            if (!tn_budget_work(pose->arena.allocator.budget, count_steps(&s))) return false;
            widen_by_primitive(&s, min, max);
        }
    }
    if (min[0] <= max[0] && min[1] <= max[1] && min[2] <= max[2]) return true;
    for (uint32_t k = 0; k < 3; k++) min[k] = max[k] = 0;
    return false;
}
