// math.c: vectors, quaternions and dual quaternions.
// SPDX-License-Identifier: MIT

#include "../core/math.h"

#include <math.h>
#include <string.h>

// Whether something can be divided by it: 0, infinity and NaN are no lengths.
static bool is_length(double v)
{
    return v > 0 && v < HUGE_VAL;
}

float tn_to_float(double value)
{
    static const uint32_t nan_bits = 0x7fc00000;
    float result = (float)value;
    if (value != value) memcpy(&result, &nan_bits, sizeof result);
    return result;
}

// -- Vectors

tn_vec3 tn_vec3_add(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

tn_vec3 tn_vec3_sub(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

tn_vec3 tn_vec3_scale(tn_vec3 a, double factor)
{
    return (tn_vec3){a.x * factor, a.y * factor, a.z * factor};
}

tn_vec3 tn_vec3_lerp(tn_vec3 a, tn_vec3 b, double t)
{
    return tn_vec3_add(tn_vec3_scale(a, 1 - t), tn_vec3_scale(b, t));
}

double tn_vec3_dot(tn_vec3 a, tn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

tn_vec3 tn_vec3_cross(tn_vec3 a, tn_vec3 b)
{
    return (tn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double tn_vec3_length(tn_vec3 a)
{
    return sqrt(tn_vec3_dot(a, a));
}

tn_vec3 tn_vec3_normalise(tn_vec3 a)
{
    double length = tn_vec3_length(a);
    if (!is_length(length)) return (tn_vec3){0, 0, 0};
    return (tn_vec3){a.x / length, a.y / length, a.z / length};
}

// -- Quaternions

static tn_quat quat_add(tn_quat a, tn_quat b)
{
    return (tn_quat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static tn_quat quat_scale(tn_quat q, double factor)
{
    return (tn_quat){q.x * factor, q.y * factor, q.z * factor, q.w * factor};
}

static double quat_length(tn_quat q)
{
    return sqrt(tn_quat_dot(q, q));
}

// Of q and -q, the one nearer to `to`.
static tn_quat nearer(tn_quat q, tn_quat to)
{
    return tn_quat_dot(q, to) < 0 ? quat_scale(q, -1) : q;
}

static tn_vec3 vector_part(tn_quat q)
{
    return (tn_vec3){q.x, q.y, q.z};
}

tn_quat tn_quat_identity(void)
{
    return (tn_quat){0, 0, 0, 1};
}

// With vectors, not component by component: where signs alternate from one sum to the next, GCC 12
// fuses products and sums (vfmsubadd), even when told not to.
tn_quat tn_quat_mul(tn_quat a, tn_quat b)
{
    tn_vec3 u = vector_part(a), v = vector_part(b);
    tn_vec3 parallel = tn_vec3_add(tn_vec3_scale(v, a.w), tn_vec3_scale(u, b.w));
    tn_vec3 sum = tn_vec3_add(parallel, tn_vec3_cross(u, v));
    return (tn_quat){sum.x, sum.y, sum.z, a.w * b.w - tn_vec3_dot(u, v)};
}

tn_quat tn_quat_conjugate(tn_quat q)
{
    return (tn_quat){-q.x, -q.y, -q.z, q.w};
}

double tn_quat_dot(tn_quat a, tn_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

tn_quat tn_quat_normalise(tn_quat q)
{
    double length = quat_length(q);
    if (!is_length(length)) return tn_quat_identity();
    return (tn_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

// q v q*, multiplied out for a unit q.
tn_vec3 tn_quat_rotate(tn_quat q, tn_vec3 v)
{
    tn_vec3 axis = vector_part(q);
    tn_vec3 side = tn_vec3_scale(tn_vec3_cross(axis, v), 2);
    tn_vec3 moved = tn_vec3_add(tn_vec3_scale(side, q.w), tn_vec3_cross(axis, side));
    return tn_vec3_add(v, moved);
}

// The sum of both, each with its weight, of length 1.
static tn_quat mix(tn_quat a, double a_weight, tn_quat b, double b_weight)
{
    return tn_quat_normalise(quat_add(quat_scale(a, a_weight), quat_scale(b, b_weight)));
}

tn_quat tn_quat_nlerp(tn_quat a, tn_quat b, double t)
{
    b = nearer(b, a);
    if (t <= 0) return a;
    return t >= 1 ? b : mix(a, 1 - t, b, t);
}

tn_quat tn_quat_slerp(tn_quat a, tn_quat b, double t)
{
    b = nearer(b, a);
    if (t <= 0) return a;
    if (t >= 1) return b;
    // Half the angle between two vectors of length 1; unlike the arc cosine of their product, this
    // is exact for small angles, too.
    double apart = quat_length(quat_add(a, quat_scale(b, -1)));
    double angle = 2 * tn_atan2(apart, quat_length(quat_add(a, b)));
    if (angle < 1e-12) return mix(a, 1 - t, b, t);
    return mix(a, tn_sin((1 - t) * angle), b, tn_sin(t * angle));
}

tn_quat tn_quat_from_axis_angle(tn_vec3 axis, double angle)
{
    double length = tn_vec3_length(axis);
    if (!is_length(length)) return tn_quat_identity();
    tn_vec3 v = tn_vec3_scale(axis, tn_sin(angle / 2) / length);
    return (tn_quat){v.x, v.y, v.z, tn_cos(angle / 2)};
}

// Four times the square of a component can be read off the diagonal; the others follow from the
// largest one, which is no small number to divide by.
tn_quat tn_quat_from_mat3(const tn_mat3 *matrix)
{
    const double *m = matrix->m;
    double trace = m[0] + m[4] + m[8];
    tn_quat q;
    if (trace >= m[0] && trace >= m[4] && trace >= m[8])
        q = (tn_quat){m[5] - m[7], m[6] - m[2], m[1] - m[3], 1 + trace};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (tn_quat){1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6], m[5] - m[7]};
    else if (m[4] >= m[8])
        q = (tn_quat){m[1] + m[3], 1 + m[4] - m[0] - m[8], m[5] + m[7], m[6] - m[2]};
    else
        q = (tn_quat){m[2] + m[6], m[5] + m[7], 1 + m[8] - m[0] - m[4], m[1] - m[3]};
    return tn_quat_normalise(q);
}

// -- Dual quaternions

tn_dquat tn_dquat_identity(void)
{
    return (tn_dquat){{0, 0, 0, 1}, {0, 0, 0, 0}};
}

tn_dquat tn_dquat_make(tn_quat rotation, tn_vec3 translation)
{
    tn_quat half = {translation.x / 2, translation.y / 2, translation.z / 2, 0};
    return (tn_dquat){rotation, tn_quat_mul(half, rotation)};
}

tn_vec3 tn_dquat_translation(tn_dquat q)
{
    tn_quat half = tn_quat_mul(q.dual, tn_quat_conjugate(q.real));
    return tn_vec3_scale(vector_part(half), 2);
}

tn_dquat tn_dquat_mul(tn_dquat a, tn_dquat b)
{
    tn_quat dual = quat_add(tn_quat_mul(a.real, b.dual), tn_quat_mul(a.dual, b.real));
    return (tn_dquat){tn_quat_mul(a.real, b.real), dual};
}

tn_dquat tn_dquat_inverse(tn_dquat q)
{
    return (tn_dquat){tn_quat_conjugate(q.real), tn_quat_conjugate(q.dual)};
}

tn_dquat tn_dquat_normalise(tn_dquat q)
{
    double length = quat_length(q.real);
    if (!is_length(length)) return tn_dquat_identity();
    tn_quat real = quat_scale(q.real, 1 / length), dual = quat_scale(q.dual, 1 / length);
    double along = tn_quat_dot(real, dual);
    return (tn_dquat){real, quat_add(dual, quat_scale(real, -along))};
}

tn_vec3 tn_dquat_point(tn_dquat q, tn_vec3 p)
{
    return tn_vec3_add(tn_quat_rotate(q.real, p), tn_dquat_translation(q));
}

tn_dquat tn_dquat_from_mat4(const tn_mat4 *m)
{
    tn_mat3 rotation = tn_mat4_upper(m);
    tn_vec3 translation = {m->m[12], m->m[13], m->m[14]};
    return tn_dquat_make(tn_quat_from_mat3(&rotation), translation);
}

tn_mat4 tn_dquat_to_mat4(tn_dquat q)
{
    tn_mat3 rotation = tn_mat3_from_quat(q.real);
    return tn_mat4_from_mat3(&rotation, tn_dquat_translation(q));
}

tn_dquat tn_dquat_blend(const tn_dquat *q, const double *weights, uint32_t count)
{
    tn_dquat sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (uint32_t i = 0; i < count; i++) {
        double weight = tn_quat_dot(q[i].real, q[0].real) < 0 ? -weights[i] : weights[i];
        sum.real = quat_add(sum.real, quat_scale(q[i].real, weight));
        sum.dual = quat_add(sum.dual, quat_scale(q[i].dual, weight));
    }
    return tn_dquat_normalise(sum);
}
