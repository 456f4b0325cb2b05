// math_help.h: random numbers and comparisons for the tests of vectors, matrices and angles.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_MATH_HELP_H
#define TENON_TESTS_MATH_HELP_H

#include "../test.h"
#include "core/math/math.h"

#include <float.h>
#include <math.h>

// -- Random numbers

// Each test has the same numbers, whichever run before it.
#define RUN_SEEDED(name) (seed = 88172645463325252, RUN(name))

static uint64_t seed;

// 0 to 1, the same sequence for each test.
static inline double random_unit(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

static inline double random_in(double low, double high)
{
    return low + (high - low) * random_unit();
}

static inline tn_vec3 random_vec3(double most)
{
    double x = random_in(-most, most), y = random_in(-most, most);
    return (tn_vec3){x, y, random_in(-most, most)};
}

static inline tn_quat random_quat(void)
{
    tn_vec3 v = random_vec3(1);
    return tn_quat_normalise((tn_quat){v.x, v.y, v.z, random_in(-1, 1)});
}

static inline tn_mat3 random_mat3(double most)
{
    tn_mat3 m;
    for (int i = 0; i < 9; i++) m.m[i] = random_in(-most, most);
    return m;
}

static inline tn_mat4 random_mat4(void)
{
    tn_mat4 m;
    for (int i = 0; i < 16; i++) m.m[i] = random_in(-2, 2);
    return m;
}

static inline tn_mat4 random_affine(void)
{
    tn_mat3 upper = random_mat3(2);
    return tn_mat4_from_mat3(&upper, random_vec3(10));
}

// -- Comparisons

static inline double largest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double difference = fabs(a[i] - b[i]);
        if (!(difference <= most)) most = difference;
    }
    return most;
}

static inline bool near_vec3(tn_vec3 a, tn_vec3 b, double tolerance)
{
    return tn_vec3_length(tn_vec3_sub(a, b)) <= tolerance;
}

static inline bool near_quat(tn_quat a, tn_quat b, double tolerance)
{
    return fabs(a.x - b.x) <= tolerance && fabs(a.y - b.y) <= tolerance &&
           fabs(a.z - b.z) <= tolerance && fabs(a.w - b.w) <= tolerance;
}

static inline bool same_turn(tn_quat a, tn_quat b, double tolerance)
{
    return near_quat(a, b, tolerance) || near_quat(a, (tn_quat){-b.x, -b.y, -b.z, -b.w}, tolerance);
}

static inline bool near_mat3(const tn_mat3 *a, const tn_mat3 *b, double tolerance)
{
    return largest(a->m, b->m, 9) <= tolerance;
}

static inline bool near_mat4(const tn_mat4 *a, const tn_mat4 *b, double tolerance)
{
    return largest(a->m, b->m, 16) <= tolerance;
}

static inline bool is_rotation(const tn_mat3 *m)
{
    tn_mat3 back = tn_mat3_transpose(m), product = tn_mat3_mul(m, &back);
    tn_mat3 identity = tn_mat3_identity();
    return near_mat3(&product, &identity, 4e-15) && fabs(tn_mat3_determinant(m) - 1) < 4e-15;
}

// How far `got` is from `want`, in units of its last place.
static inline double ulps(double got, double want)
{
    if (got == want) return 0;
    return fabs(got - want) / (nextafter(fabs(want), HUGE_VAL) - fabs(want));
}

#endif  // TENON_TESTS_MATH_HELP_H
