// math3.c: vectors, quaternions and matrices for the importer.
// SPDX-License-Identifier: MIT

#include "math3.h"

#include <math.h>

const quat quat_identity = {0, 0, 0, 1};
const mat4 mat4_identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

// -- From Assimp's types

double finite_or(double value, double fallback)
{
    return isfinite(value) ? value : fallback;
}

vec3 vec3_of(struct aiVector3D v)
{
    return (vec3){finite_or((double)v.x, 0), finite_or((double)v.y, 0), finite_or((double)v.z, 0)};
}

quat quat_of(struct aiQuaternion q)
{
    return quat_normal((quat){finite_or((double)q.x, 0), finite_or((double)q.y, 0),
                              finite_or((double)q.z, 0), finite_or((double)q.w, 1)});
}

mat4 mat4_of(const struct aiMatrix4x4 *matrix)
{
    const struct aiMatrix4x4 *s = matrix;
    mat4 m = {{(double)s->a1, (double)s->b1, (double)s->c1, 0,  //
               (double)s->a2, (double)s->b2, (double)s->c2, 0,  //
               (double)s->a3, (double)s->b3, (double)s->c3, 0,  //
               (double)s->a4, (double)s->b4, (double)s->c4, 1}};
    for (int i = 0; i < 16; i++) m.m[i] = finite_or(m.m[i], mat4_identity.m[i]);
    return m;
}

// -- Vectors

vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

vec3 vec3_scale(vec3 v, double by)
{
    return (vec3){v.x * by, v.y * by, v.z * by};
}

vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

vec3 vec3_lerp(vec3 a, vec3 b, double at)
{
    return vec3_add(vec3_scale(a, 1 - at), vec3_scale(b, at));
}

double vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double vec3_length(vec3 v)
{
    return sqrt(vec3_dot(v, v));
}

vec3 vec3_normal(vec3 v)
{
    double length = vec3_length(v);
    return length > 0 && isfinite(length) ? vec3_scale(v, 1 / length) : (vec3){0, 0, 0};
}

// -- Quaternions

double quat_dot(quat a, quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

quat quat_normal(quat q)
{
    double length = sqrt(quat_dot(q, q));
    if (!(length > 1e-12) || !isfinite(length)) return quat_identity;
    return (quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

quat quat_mul(quat a, quat b)
{
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                  a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

quat quat_slerp(quat a, quat b, double at)
{
    double cosine = quat_dot(a, b), sign = cosine < 0 ? -1 : 1;
    double wa = 1 - at, wb = at;
    cosine *= sign;
    if (cosine < 1 - 1e-9) {
        double angle = acos(cosine), sine = sin(angle);
        wa = sin(angle * (1 - at)) / sine;
        wb = sin(angle * at) / sine;
    }
    wb *= sign;
    return quat_normal(
        (quat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}

vec3 quat_turn(quat q, vec3 v)
{
    vec3 axis = {q.x, q.y, q.z};
    vec3 twice = vec3_scale(vec3_cross(axis, v), 2);
    return vec3_add(vec3_add(v, vec3_scale(twice, q.w)), vec3_cross(axis, twice));
}

// -- Matrices

mat4 mat4_mul(const mat4 *a, const mat4 *b)
{
    mat4 out;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += a->m[4 * k + row] * b->m[4 * column + k];
            out.m[4 * column + row] = sum;
        }
    return out;
}

mat4 mat4_of_trs(const trs *t)
{
    const vec3 axes[3] = {{t->scale.x, 0, 0}, {0, t->scale.y, 0}, {0, 0, t->scale.z}};
    mat4 out = mat4_identity;
    for (int i = 0; i < 3; i++) {
        vec3 column = quat_turn(t->rotation, axes[i]);
        out.m[4 * i] = column.x, out.m[4 * i + 1] = column.y, out.m[4 * i + 2] = column.z;
    }
    out.m[12] = t->translation.x, out.m[13] = t->translation.y, out.m[14] = t->translation.z;
    return out;
}

static vec3 math3_column(const mat4 *m, int index)
{
    return (vec3){m->m[4 * index], m->m[4 * index + 1], m->m[4 * index + 2]};
}

vec3 mat4_point(const mat4 *m, vec3 p)
{
    vec3 turned =
        vec3_add(vec3_add(vec3_scale(math3_column(m, 0), p.x), vec3_scale(math3_column(m, 1), p.y)),
                 vec3_scale(math3_column(m, 2), p.z));
    return vec3_add(turned, math3_column(m, 3));
}

double mat4_determinant(const mat4 *m)
{
    return vec3_dot(math3_column(m, 0), vec3_cross(math3_column(m, 1), math3_column(m, 2)));
}

bool mat4_is_identity(const mat4 *m, double tolerance)
{
    for (int i = 0; i < 16; i++)
        if (!(fabs(m->m[i] - mat4_identity.m[i]) <= tolerance)) return false;
    return true;
}

// The rotation with these axes, which are normalized, orthogonal and right-handed.
static quat math3_quat_of_axes(vec3 x, vec3 y, vec3 z)
{
    double trace = x.x + y.y + z.z;
    quat q;
    if (trace > 0)
        q = (quat){y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace};
    else if (x.x >= y.y && x.x >= z.z)
        q = (quat){1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y};
    else if (y.y >= z.z)
        q = (quat){x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y, z.x - x.z};
    else
        q = (quat){z.x + x.z, y.z + z.y, 1 - x.x - y.y + z.z, x.y - y.x};
    return quat_normal(q);
}

bool mat4_decompose(const mat4 *m, trs *parts)
{
    vec3 x = math3_column(m, 0), y = math3_column(m, 1), z = math3_column(m, 2);
    vec3 size = {vec3_length(x), vec3_length(y), vec3_length(z)};
    if (mat4_determinant(m) < 0) size.x = -size.x;
    *parts = (trs){math3_column(m, 3), quat_identity, size};
    // A scale of 0 hides the rotation.
    if (size.x == 0 || size.y == 0 || size.z == 0) return false;
    x = vec3_scale(x, 1 / size.x), y = vec3_scale(y, 1 / size.y), z = vec3_scale(z, 1 / size.z);
    double skew = fmax(fabs(vec3_dot(x, y)), fmax(fabs(vec3_dot(y, z)), fabs(vec3_dot(z, x))));
    // The axes of a rotation that was stored in 32 bits are not exactly orthogonal.
    vec3 front = vec3_normal(vec3_cross(x, y));
    vec3 up = vec3_cross(front, x);
    parts->rotation = math3_quat_of_axes(x, up, front);
    return skew < 1e-4;
}
