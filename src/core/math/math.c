// math.c: quaternions and dual quaternions, as far as they are not in math_inline.h.
// SPDX-License-Identifier: MIT

#include "core/math/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

float tn_narrow(double value, uint64_t *clamped)
{
    if (value >= -(double)FLT_MAX && value <= (double)FLT_MAX) return (float)value;
    if (clamped) ++*clamped;
    return value > 0 ? FLT_MAX : value < 0 ? -FLT_MAX : 0;
}

void tn_vec3_to_floats(tn_vec3 v, float out[3], uint64_t *clamped)
{
    out[0] = tn_narrow(v.x, clamped);
    out[1] = tn_narrow(v.y, clamped);
    out[2] = tn_narrow(v.z, clamped);
}

float tn_to_float(double value)
{
    static const uint32_t nan_bits = 0x7fc00000;
    float result = (float)value;
    if (value != value) memcpy(&result, &nan_bits, sizeof result);
    return result;
}

float tn_float_after(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits++;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

// -- Quaternions

tn_quat tn_quat_nearer(tn_quat q, tn_quat to)
{
    return tn_quat_dot(q, to) < 0 ? tn_quat_scale(q, -1) : q;
}

// The sum of both, each with its weight, of length 1.
static tn_quat math_mix(tn_quat a, double a_weight, tn_quat b, double b_weight)
{
    return tn_quat_normalise(tn_quat_add(tn_quat_scale(a, a_weight), tn_quat_scale(b, b_weight)));
}

tn_quat tn_quat_nlerp(tn_quat a, tn_quat b, double t)
{
    b = tn_quat_nearer(b, a);
    if (t <= 0) return a;
    return t >= 1 ? b : math_mix(a, 1 - t, b, t);
}

tn_slerp tn_slerp_make(tn_quat a, tn_quat b)
{
    b = tn_quat_nearer(b, a);
    // Half the angle between two vectors of length 1; unlike the arc cosine of their product, this
    // is exact for small angles, too.
    double apart = tn_quat_length(tn_quat_add(a, tn_quat_scale(b, -1)));
    return (tn_slerp){a, b, 2 * tn_atan2(apart, tn_quat_length(tn_quat_add(a, b)))};
}

tn_quat tn_slerp_at(const tn_slerp *slerp, double t)
{
    tn_quat a = slerp->from, b = slerp->to;
    if (t <= 0) return a;
    if (t >= 1) return b;
    if (slerp->angle < 1e-12) return math_mix(a, 1 - t, b, t);
    return math_mix(a, tn_sin((1 - t) * slerp->angle), b, tn_sin(t * slerp->angle));
}

tn_quat tn_quat_slerp(tn_quat a, tn_quat b, double t)
{
    if (t <= 0) return a;
    if (t >= 1) return tn_quat_nearer(b, a);
    tn_slerp slerp = tn_slerp_make(a, b);
    return tn_slerp_at(&slerp, t);
}

tn_quat tn_quat_from_axis_angle(tn_vec3 axis, double angle)
{
    double length = tn_vec3_length(axis);
    if (!tn_is_length(length)) return tn_quat_identity();
    tn_vec3 v = tn_vec3_scale(axis, tn_sin(angle / 2) / length);
    return (tn_quat){v.x, v.y, v.z, tn_cos(angle / 2)};
}

// Four times the square of a component can be read off the diagonal; the others follow from the
// largest one, which is large enough to divide by.
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
        sum.real = tn_quat_add(sum.real, tn_quat_scale(q[i].real, weight));
        sum.dual = tn_quat_add(sum.dual, tn_quat_scale(q[i].dual, weight));
    }
    return tn_dquat_normalise(sum);
}
