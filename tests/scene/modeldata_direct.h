// modeldata_direct.h: a ModelData posed directly from its document, as the engine does it, to
// compare scenes with. It shares no code with the library.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_MODELDATA_DIRECT_H
#define TENON_TESTS_MODELDATA_DIRECT_H

#include <tenon/modeldata.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Row by row, for columns: m[3], m[7] and m[11] are the translation.
typedef struct rows {
    double m[16];
} rows;

// -- Numbers, big-endian

static inline uint32_t direct_u32(const tenon_span *span, uint64_t index)
{
    const uint8_t *p = span->data + 4 * index;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline double direct_f32(const tenon_span *span, uint64_t index)
{
    uint32_t bits = direct_u32(span, index);
    float value;
    memcpy(&value, &bits, 4);
    return (double)value;
}

// -- Matrices

static inline rows direct_product(const rows *a, const rows *b)
{
    rows out = {{0}};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 4; k++) out.m[4 * r + c] += a->m[4 * r + k] * b->m[4 * k + c];
    return out;
}

static inline rows direct_matrix(const float m[16])
{
    rows out;
    for (int i = 0; i < 16; i++) out.m[i] = (double)m[i];
    return out;
}

static inline void direct_turn(rows *out, const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double n = 2 / (x * x + y * y + z * z + w * w);
    const double turn[9] = {
        1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
        n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
        n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y)};
    for (int i = 0; i < 9; i++) out->m[4 * (i / 3) + i % 3] = turn[i];
}

// The rotation of a pose, without its scale.
static inline void direct_unscale(rows *pose)
{
    for (int c = 0; c < 3; c++) {
        double *m = pose->m, length = sqrt(m[c] * m[c] + m[4 + c] * m[4 + c] + m[8 + c] * m[8 + c]);
        for (int r = 0; r < 3; r++) m[4 * r + c] /= length;
    }
}

// -- Keys

static inline void direct_mix(const double *a, const double *b, double share, int size, double *out)
{
    double from = 1 - share, to = share;
    if (size == 4) {
        double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        double side = dot < 0 ? -1 : 1, angle = acos(fmin(1, side * dot));
        if (angle > 1e-6) from = sin((1 - share) * angle) / sin(angle);
        if (angle > 1e-6) to = sin(share * angle) / sin(angle);
        to *= side;
    }
    for (int k = 0; k < size; k++) out[k] = from * a[k] + to * b[k];
}

// The value of a list at a time in ticks; false if the list has none for it.
static inline bool direct_sample(const tenon_modeldata_keys *lists, uint32_t list_count,
                                 uint32_t list, int size, double ticks, double *out)
{
    const tenon_span *keys = list < list_count ? &lists[list].keys : NULL;
    uint64_t stride = (uint64_t)size + 1, next = 0;
    if (!keys || keys->count == 0) return false;
    while (next < keys->count && direct_f32(keys, stride * next) <= ticks) next++;
    if (next == 0) return false;
    double a[4], b[4], share = 0;
    for (int k = 0; k < size; k++)
        a[k] = b[k] = direct_f32(keys, stride * (next - 1) + 1 + (uint64_t)k);
    if (next < keys->count) {
        double start = direct_f32(keys, stride * (next - 1)), end = direct_f32(keys, stride * next);
        for (int k = 0; k < size; k++) b[k] = direct_f32(keys, stride * next + 1 + (uint64_t)k);
        share = (ticks - start) / (end - start);
    }
    direct_mix(a, b, share, size, out);
    return true;
}

// -- Poses

// The pose of a joint relative to its parent. A joint with keys has only a position and a rotation;
// the one without keys is that of the bind pose.
static inline rows direct_local(const tenon_modeldata_joint *joint,
                                const tenon_modeldata_animation *a, double ticks)
{
    rows pose = direct_matrix(joint->bind_local_pose);
    if (!a) return pose;
    double position[3], rotation[4];
    uint32_t list = (uint32_t)joint->index;
    bool is_placed = direct_sample(a->positions, a->position_list_count, list, 3, ticks, position);
    bool is_turned = direct_sample(a->rotations, a->rotation_list_count, list, 4, ticks, rotation);
    if (is_placed || is_turned) direct_unscale(&pose);
    if (is_turned) direct_turn(&pose, rotation);
    for (int k = 0; k < 3 && is_placed; k++) pose.m[4 * k + 3] = position[k];
    return pose;
}

static inline const tenon_modeldata_joint *direct_joint(const tenon_modeldata *doc, int32_t index)
{
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (doc->joints[i].index == index) return &doc->joints[i];
    return NULL;
}

// The matrix of a joint for its vertices.
static inline rows direct_skin(const tenon_modeldata *doc, const tenon_modeldata_joint *joint,
                               const tenon_modeldata_animation *a, double ticks)
{
    rows out = direct_matrix(joint->inverse_bind_matrix);
    for (; joint; joint = direct_joint(doc, joint->parent_index)) {
        rows local = direct_local(joint, a, ticks);
        out = direct_product(&local, &out);
    }
    return out;
}

// Where a vertex of a mesh is; `palette` has the matrix of every joint, by its index.
static inline void direct_vertex(const tenon_modeldata_mesh *mesh, uint64_t vertex,
                                 const rows *palette, double out[3])
{
    const tenon_span *arrays = mesh->arrays;
    double p[4] = {0, 0, 0, 1}, sum[4] = {0, 0, 0, 0};
    for (uint64_t k = 0; k < 3; k++)
        out[k] = p[k] = direct_f32(&arrays[TENON_MODELDATA_VERTICES], 3 * vertex + k);
    if (!palette) return;
    for (uint64_t i = 0; i < 4; i++) {
        double weight = direct_f32(&arrays[TENON_MODELDATA_WEIGHTS], 4 * vertex + i);
        const rows *m = palette + direct_u32(&arrays[TENON_MODELDATA_JOINT_IDS], 4 * vertex + i);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4 && weight != 0; c++) sum[r] += weight * m->m[4 * r + c] * p[c];
    }
    for (int k = 0; k < 3; k++) out[k] = sum[k] / sum[3];
}

// The matrix of every joint for its vertices, by index; free() it. NULL if there are no joints.
static inline rows *direct_palette(const tenon_modeldata *doc, const tenon_modeldata_animation *a,
                                   double ticks)
{
    int32_t most = -1;
    for (uint32_t i = 0; i < doc->joint_count; i++)
        if (doc->joints[i].index > most) most = doc->joints[i].index;
    if (most < 0) return NULL;
    rows *palette = calloc((size_t)most + 1, sizeof *palette);
    if (!palette) abort();
    for (uint32_t i = 0; i < doc->joint_count; i++)
        palette[doc->joints[i].index] = direct_skin(doc, &doc->joints[i], a, ticks);
    return palette;
}

#endif  // TENON_TESTS_MODELDATA_DIRECT_H
