// math_inline.h: the short functions of math.h, which says what they do and includes this.
// SPDX-License-Identifier: MIT
//
// A call for each would cost more than what it computes.

#ifndef TN_CORE_MATH_MATH_INLINE_H
#define TN_CORE_MATH_MATH_INLINE_H

#include "core/math/math.h"

#include <math.h>

// -- Vectors

// Whether it is safe to divide by it: not 0, infinity or NaN.
static inline bool tn_is_length(double v)
{
    return v > 0 && v < HUGE_VAL;
}

static inline tn_vec3 tn_vec3_from_floats(const float v[3])
{
    return (tn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static inline tn_vec3 tn_vec3_add(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tn_vec3 tn_vec3_sub(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tn_vec3 tn_vec3_scale(tn_vec3 a, double factor)
{
    return (tn_vec3){a.x * factor, a.y * factor, a.z * factor};
}

static inline tn_vec3 tn_vec3_lerp(tn_vec3 a, tn_vec3 b, double t)
{
    return tn_vec3_add(tn_vec3_scale(a, 1 - t), tn_vec3_scale(b, t));
}

static inline double tn_vec3_dot(tn_vec3 a, tn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tn_vec3 tn_vec3_cross(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double tn_vec3_length(tn_vec3 a)
{
    return sqrt(tn_vec3_dot(a, a));
}

static inline tn_vec3 tn_vec3_normalise(tn_vec3 a)
{
    double length = tn_vec3_length(a);
    if (!tn_is_length(length)) return (tn_vec3){0, 0, 0};
    return (tn_vec3){a.x / length, a.y / length, a.z / length};
}

// -- Quaternions

static inline tn_quat tn_quat_add(tn_quat a, tn_quat b)
{
    return (tn_quat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static inline tn_quat tn_quat_scale(tn_quat q, double factor)
{
    return (tn_quat){q.x * factor, q.y * factor, q.z * factor, q.w * factor};
}

static inline tn_vec3 tn_quat_vector(tn_quat q)
{
    return (tn_vec3){q.x, q.y, q.z};
}

static inline tn_quat tn_quat_identity(void)
{
    return (tn_quat){0, 0, 0, 1};
}

// With vectors, not component by component: where signs alternate from one sum to the next, GCC 12
// fuses products and sums (vfmsubadd), even with -ffp-contract=off.
static inline tn_quat tn_quat_mul(tn_quat a, tn_quat b)
{
    tn_vec3 u = tn_quat_vector(a), v = tn_quat_vector(b);
    tn_vec3 parallel = tn_vec3_add(tn_vec3_scale(v, a.w), tn_vec3_scale(u, b.w));
    tn_vec3 sum = tn_vec3_add(parallel, tn_vec3_cross(u, v));
    return (tn_quat){sum.x, sum.y, sum.z, a.w * b.w - tn_vec3_dot(u, v)};
}

static inline tn_quat tn_quat_conjugate(tn_quat q)
{
    return (tn_quat){-q.x, -q.y, -q.z, q.w};
}

static inline double tn_quat_dot(tn_quat a, tn_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline double tn_quat_length(tn_quat q)
{
    return sqrt(tn_quat_dot(q, q));
}

static inline tn_quat tn_quat_normalise(tn_quat q)
{
    double length = tn_quat_length(q);
    if (!tn_is_length(length)) return tn_quat_identity();
    return (tn_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

// q v q*, multiplied out for a unit q.
static inline tn_vec3 tn_quat_rotate(tn_quat q, tn_vec3 v)
{
    tn_vec3 axis = tn_quat_vector(q);
    tn_vec3 side = tn_vec3_scale(tn_vec3_cross(axis, v), 2);
    tn_vec3 moved = tn_vec3_add(tn_vec3_scale(side, q.w), tn_vec3_cross(axis, side));
    return tn_vec3_add(v, moved);
}

// -- Dual quaternions

static inline tn_dquat tn_dquat_identity(void)
{
    return (tn_dquat){{0, 0, 0, 1}, {0, 0, 0, 0}};
}

static inline tn_dquat tn_dquat_make(tn_quat rotation, tn_vec3 translation)
{
    tn_quat half = {translation.x / 2, translation.y / 2, translation.z / 2, 0};
    return (tn_dquat){rotation, tn_quat_mul(half, rotation)};
}

static inline tn_vec3 tn_dquat_translation(tn_dquat q)
{
    tn_quat half = tn_quat_mul(q.dual, tn_quat_conjugate(q.real));
    return tn_vec3_scale(tn_quat_vector(half), 2);
}

static inline tn_dquat tn_dquat_mul(tn_dquat a, tn_dquat b)
{
    tn_quat dual = tn_quat_add(tn_quat_mul(a.real, b.dual), tn_quat_mul(a.dual, b.real));
    return (tn_dquat){tn_quat_mul(a.real, b.real), dual};
}

static inline tn_dquat tn_dquat_inverse(tn_dquat q)
{
    return (tn_dquat){tn_quat_conjugate(q.real), tn_quat_conjugate(q.dual)};
}

// To unit length; `length` is that of the real part.
static inline tn_dquat tn_dquat_by_length(tn_dquat q, double length)
{
    tn_quat real = tn_quat_scale(q.real, 1 / length), dual = tn_quat_scale(q.dual, 1 / length);
    double along = tn_quat_dot(real, dual);
    return (tn_dquat){real, tn_quat_add(dual, tn_quat_scale(real, -along))};
}

static inline tn_dquat tn_dquat_normalise(tn_dquat q)
{
    double length = tn_quat_length(q.real);
    return tn_is_length(length) ? tn_dquat_by_length(q, length) : tn_dquat_identity();
}

static inline tn_vec3 tn_dquat_point(tn_dquat q, tn_vec3 p)
{
    return tn_vec3_add(tn_quat_rotate(q.real, p), tn_dquat_translation(q));
}

// -- Matrices of three rows

static inline tn_mat3 tn_mat3_from_columns(tn_vec3 x, tn_vec3 y, tn_vec3 z)
{
    return (tn_mat3){{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}};
}

static inline tn_vec3 tn_mat3_column(const tn_mat3 *m, size_t column)
{
    const double *c = m->m + 3 * column;
    return (tn_vec3){c[0], c[1], c[2]};
}

static inline tn_mat3 tn_mat3_mul(const tn_mat3 *a, const tn_mat3 *b)
{
    tn_mat3 out;
    for (size_t c = 0; c < 3; c++)
        for (size_t r = 0; r < 3; r++)
            out.m[3 * c + r] = a->m[r] * b->m[3 * c] + a->m[3 + r] * b->m[3 * c + 1] +
                               a->m[6 + r] * b->m[3 * c + 2];
    return out;
}

static inline tn_mat3 tn_mat3_transpose(const tn_mat3 *m)
{
    const double *a = m->m;
    return (tn_mat3){{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
}

static inline double tn_mat3_determinant(const tn_mat3 *m)
{
    tn_vec3 x = tn_mat3_column(m, 0), y = tn_mat3_column(m, 1), z = tn_mat3_column(m, 2);
    return tn_vec3_dot(x, tn_vec3_cross(y, z));
}

static inline tn_mat3 tn_mat3_cofactors(const tn_mat3 *m)
{
    tn_vec3 x = tn_mat3_column(m, 0), y = tn_mat3_column(m, 1), z = tn_mat3_column(m, 2);
    return tn_mat3_from_columns(tn_vec3_cross(y, z), tn_vec3_cross(z, x), tn_vec3_cross(x, y));
}

// -- Matrices of four rows

static inline tn_mat4 tn_mat4_from_mat3(const tn_mat3 *m, tn_vec3 t)
{
    const double *a = m->m;
    return (tn_mat4){{a[0], a[1], a[2], 0, a[3], a[4], a[5], 0,  //
                      a[6], a[7], a[8], 0, t.x, t.y, t.z, 1}};
}

static inline tn_mat3 tn_mat4_upper(const tn_mat4 *m)
{
    const double *a = m->m;
    return (tn_mat3){{a[0], a[1], a[2], a[4], a[5], a[6], a[8], a[9], a[10]}};
}

static inline bool tn_mat4_is_affine(const tn_mat4 *m)
{
    return m->m[3] == 0 && m->m[7] == 0 && m->m[11] == 0 && m->m[15] == 1;
}

static inline tn_vec3 tn_mat4_point(const tn_mat4 *m, tn_vec3 p)
{
    const double *a = m->m;
    return (tn_vec3){a[0] * p.x + a[4] * p.y + a[8] * p.z + a[12],
                     a[1] * p.x + a[5] * p.y + a[9] * p.z + a[13],
                     a[2] * p.x + a[6] * p.y + a[10] * p.z + a[14]};
}

static inline tn_vec3 tn_mat4_vector(const tn_mat4 *m, tn_vec3 v)
{
    const double *a = m->m;
    return (tn_vec3){a[0] * v.x + a[4] * v.y + a[8] * v.z, a[1] * v.x + a[5] * v.y + a[9] * v.z,
                     a[2] * v.x + a[6] * v.y + a[10] * v.z};
}

static inline tn_mat4 tn_mat4_from_columns(const float m[16])
{
    tn_mat4 out;
    for (size_t i = 0; i < 16; i++) out.m[i] = (double)m[i];
    return out;
}

#endif  // TN_CORE_MATH_MATH_INLINE_H
