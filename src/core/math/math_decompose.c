// math_decompose.c: decompose a matrix: singular values, rotation and stretch, TRS.
// SPDX-License-Identifier: MIT

#include "core/math/math.h"

#include <math.h>

// -- Singular values
//
// One-sided Jacobi: pairs of columns are rotated until all are at right angles. The columns then
// are u diag(s), and all rotations together are v. Small columns come out as exact as large ones,
// and three columns are done after four or five rounds.

#define ROUNDS      30     // Far more than are ever needed, so that NaNs end.
#define RIGHT_ANGLE 1e-15  // The cosine that counts as 0.

// Rotate two columns within their plane.
static void math_decompose_turn_pair(tn_vec3 *p, tn_vec3 *q, double cosine, double sine)
{
    tn_vec3 old = *p;
    *p = tn_vec3_sub(tn_vec3_scale(old, cosine), tn_vec3_scale(*q, sine));
    *q = tn_vec3_add(tn_vec3_scale(old, sine), tn_vec3_scale(*q, cosine));
}

// Rotate two columns of `a` to a right angle, and those of `v` by the same angle. Returns false if
// they are at one already.
static bool math_decompose_turn_apart(tn_vec3 *a, tn_vec3 *v, int p, int q)
{
    double across = tn_vec3_dot(a[p], a[q]);
    double pp = tn_vec3_dot(a[p], a[p]), qq = tn_vec3_dot(a[q], a[q]);
    if (!(fabs(across) > RIGHT_ANGLE * (sqrt(pp) * sqrt(qq)))) return false;
    // The tangent of the angle: the smaller one of the two solutions.
    double ratio = (qq - pp) / (2 * across);
    double tangent = 1 / (fabs(ratio) + sqrt(1 + ratio * ratio));
    if (ratio < 0) tangent = -tangent;
    double cosine = 1 / sqrt(1 + tangent * tangent);
    math_decompose_turn_pair(&a[p], &a[q], cosine, cosine * tangent);
    math_decompose_turn_pair(&v[p], &v[q], cosine, cosine * tangent);
    return true;
}

static void math_decompose_swap(tn_vec3 *a, tn_vec3 *b)
{
    tn_vec3 old = *a;
    *a = *b;
    *b = old;
}

// Swap the columns if `q` is the longer one.
static void math_decompose_sort_pair(tn_vec3 *a, tn_vec3 *v, int p, int q)
{
    if (!(tn_vec3_dot(a[p], a[p]) < tn_vec3_dot(a[q], a[q]))) return;
    math_decompose_swap(&a[p], &a[q]);
    math_decompose_swap(&v[p], &v[q]);
}

// A direction at a right angle to the unit `a`, as near as possible to the axis in which `a` is
// smallest.
static tn_vec3 math_decompose_any_across(tn_vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    tn_vec3 axis = {0, 0, 1};
    if (x <= y && x <= z)
        axis = (tn_vec3){1, 0, 0};
    else if (y <= z)
        axis = (tn_vec3){0, 1, 0};
    return tn_vec3_normalise(tn_vec3_sub(axis, tn_vec3_scale(a, tn_vec3_dot(a, axis))));
}

// The direction of `a` at a right angle to the unit `first`; some other one if there is none.
static tn_vec3 math_decompose_direction_across(tn_vec3 a, tn_vec3 first)
{
    tn_vec3 across = tn_vec3_sub(a, tn_vec3_scale(first, tn_vec3_dot(a, first)));
    double length = tn_vec3_length(across);
    if (!(length > 0 && length >= tn_vec3_length(a) / 2)) return math_decompose_any_across(first);
    return tn_vec3_normalise(across);
}

tn_svd tn_mat3_svd(const tn_mat3 *m)
{
    tn_vec3 a[3] = {tn_mat3_column(m, 0), tn_mat3_column(m, 1), tn_mat3_column(m, 2)};
    tn_vec3 v[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool turned = true;
    for (int i = 0; i < ROUNDS && turned; i++) {
        turned = math_decompose_turn_apart(a, v, 0, 1);
        turned |= math_decompose_turn_apart(a, v, 0, 2);
        turned |= math_decompose_turn_apart(a, v, 1, 2);
    }
    math_decompose_sort_pair(a, v, 0, 1);
    math_decompose_sort_pair(a, v, 1, 2);
    math_decompose_sort_pair(a, v, 0, 1);
    if (tn_vec3_dot(v[0], tn_vec3_cross(v[1], v[2])) < 0) {
        v[2] = tn_vec3_scale(v[2], -1);
        a[2] = tn_vec3_scale(a[2], -1);
    }
    // The third direction follows from two, so that u is a rotation; the third value has the sign.
    tn_vec3 x = tn_vec3_normalise(a[0]);
    if (tn_vec3_dot(x, x) == 0) x = (tn_vec3){1, 0, 0};
    tn_vec3 y = math_decompose_direction_across(a[1], x), z = tn_vec3_cross(x, y);
    tn_vec3 s = {tn_vec3_length(a[0]), tn_vec3_length(a[1]), tn_vec3_length(a[2])};
    if (tn_vec3_dot(z, a[2]) < 0) s.z = -s.z;
    return (tn_svd){tn_mat3_from_columns(x, y, z), s, tn_mat3_from_columns(v[0], v[1], v[2])};
}

void tn_mat3_polar(const tn_mat3 *m, tn_mat3 *rotation, tn_mat3 *stretch)
{
    tn_svd svd = tn_mat3_svd(m);
    tn_mat3 back = tn_mat3_transpose(&svd.v);
    if (stretch) {
        tn_mat3 scaled = tn_mat3_from_columns(tn_vec3_scale(tn_mat3_column(&svd.v, 0), svd.s.x),
                                              tn_vec3_scale(tn_mat3_column(&svd.v, 1), svd.s.y),
                                              tn_vec3_scale(tn_mat3_column(&svd.v, 2), svd.s.z));
        *stretch = tn_mat3_mul(&scaled, &back);
    }
    *rotation = tn_mat3_mul(&svd.u, &back);
}

// -- Translation, rotation, scale

void tn_trs_to_floats(const tn_trs *trs, float translation[3], float rotation[4], float scale[3],
                      uint64_t *clamped)
{
    const double t[] = {trs->translation.x, trs->translation.y, trs->translation.z};
    const double r[] = {trs->rotation.x, trs->rotation.y, trs->rotation.z, trs->rotation.w};
    const double s[] = {trs->scale.x, trs->scale.y, trs->scale.z};
    for (int k = 0; k < 3; k++) translation[k] = tn_narrow(t[k], clamped);
    for (int k = 0; k < 4; k++) rotation[k] = tn_narrow(r[k], clamped);
    for (int k = 0; k < 3; k++) scale[k] = tn_narrow(s[k], clamped);
}

tn_trs tn_trs_identity(void)
{
    return (tn_trs){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
}

tn_mat4 tn_mat4_from_trs(const tn_trs *trs)
{
    tn_mat3 r = tn_mat3_from_quat(trs->rotation);
    tn_mat3 scaled = tn_mat3_from_columns(tn_vec3_scale(tn_mat3_column(&r, 0), trs->scale.x),
                                          tn_vec3_scale(tn_mat3_column(&r, 1), trs->scale.y),
                                          tn_vec3_scale(tn_mat3_column(&r, 2), trs->scale.z));
    return tn_mat4_from_mat3(&scaled, trs->translation);
}

static bool math_decompose_is_finite(const tn_mat4 *m)
{
    double sum = 0;
    for (int i = 0; i < 16; i++) sum += m->m[i] - m->m[i];  // 0, or NaN.
    return sum == 0;
}

// The flags for the directions of the columns.
static uint32_t math_decompose_judge(const tn_mat3 *d)
{
    tn_vec3 x = tn_mat3_column(d, 0), y = tn_mat3_column(d, 1), z = tn_mat3_column(d, 2);
    double volume = tn_mat3_determinant(d);
    uint32_t flags = 0;
    if (fabs(tn_vec3_dot(x, y)) > 1e-5 || fabs(tn_vec3_dot(x, z)) > 1e-5 ||
        fabs(tn_vec3_dot(y, z)) > 1e-5)
        flags |= TN_TRS_SHEARED;
    if (fabs(volume) <= 1e-6)
        flags |= TN_TRS_DEGENERATE;
    else if (volume < 0)
        flags |= TN_TRS_MIRRORED;
    return flags;
}

uint32_t tn_mat4_decompose(const tn_mat4 *m, tn_trs *out)
{
    *out = tn_trs_identity();
    if (!math_decompose_is_finite(m)) return TN_TRS_DEGENERATE;
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2);
    tn_mat3 directions =
        tn_mat3_from_columns(tn_vec3_normalise(x), tn_vec3_normalise(y), tn_vec3_normalise(z));
    uint32_t flags = math_decompose_judge(&directions);
    if (flags & TN_TRS_MIRRORED)
        for (int i = 0; i < 3; i++) directions.m[i] = -directions.m[i];
    tn_mat3 r;
    tn_mat3_polar(&directions, &r, NULL);
    out->translation = (tn_vec3){m->m[12], m->m[13], m->m[14]};
    out->rotation = tn_quat_from_mat3(&r);
    out->scale =
        (tn_vec3){tn_vec3_dot(tn_mat3_column(&r, 0), x), tn_vec3_dot(tn_mat3_column(&r, 1), y),
                  tn_vec3_dot(tn_mat3_column(&r, 2), z)};
    return flags;
}

bool tn_mat4_is_trs(const tn_mat4 *m, const tn_trs *trs, double slack)
{
    tn_mat4 again = tn_mat4_from_trs(trs);
    double error = 0, largest = 0;
    for (int k = 0; k < 16; k++) {
        double difference = fabs(m->m[k] - again.m[k]);
        if (fabs(m->m[k]) > largest) largest = fabs(m->m[k]);
        if (difference > error) error = difference;
    }
    return error <= slack * largest;
}
