// math_mat.c: matrices of three and of four rows.
// SPDX-License-Identifier: MIT

#include "core/math/math.h"

#include <math.h>

// Volumes below this fraction of the largest possible one count as 0: rounding gives as much.
#define FLAT 1e-15

// -- Three rows

tn_mat3 tn_mat3_identity(void)
{
    return (tn_mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

tn_mat3 tn_mat3_from_quat(tn_quat q)
{
    double x = 2 * q.x, y = 2 * q.y, z = 2 * q.z;
    double xx = q.x * x, yy = q.y * y, zz = q.z * z;
    double xy = q.x * y, xz = q.x * z, yz = q.y * z;
    double wx = q.w * x, wy = q.w * y, wz = q.w * z;
    return (tn_mat3){{1 - (yy + zz), xy + wz, xz - wy,    // x
                      xy - wz, 1 - (xx + zz), yz + wx,    // y
                      xz + wy, yz - wx, 1 - (xx + yy)}};  // z
}

// -- Four rows

tn_mat4 tn_mat4_identity(void)
{
    return (tn_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

tn_mat4 tn_mat4_mul(const tn_mat4 *a, const tn_mat4 *b)
{
    tn_mat4 out;
    for (size_t c = 0; c < 4; c++) {
        const double *column = b->m + 4 * c;
        for (size_t r = 0; r < 4; r++)
            out.m[4 * c + r] = a->m[r] * column[0] + a->m[4 + r] * column[1] +
                               a->m[8 + r] * column[2] + a->m[12 + r] * column[3];
    }
    return out;
}

tn_mat4 tn_mat4_transpose(const tn_mat4 *m)
{
    tn_mat4 out;
    for (size_t i = 0; i < 16; i++) out.m[i] = m->m[i % 4 * 4 + i / 4];
    return out;
}

// -- Floats

tn_mat4 tn_mat4_from_rows(const float m[16])
{
    tn_mat4 out = tn_mat4_from_columns(m);
    return tn_mat4_transpose(&out);
}

void tn_mat4_to_columns(const tn_mat4 *m, float out[16])
{
    for (size_t i = 0; i < 16; i++) out[i] = tn_to_float(m->m[i]);
}

void tn_mat4_to_rows(const tn_mat4 *m, float out[16])
{
    tn_mat4 rows = tn_mat4_transpose(m);
    tn_mat4_to_columns(&rows, out);
}

// -- Inverses

// The determinants of two rows and two of the columns, 01 02 03 12 13 23: rows 0 and 1 in `upper`,
// rows 2 and 3 in `lower`. Every determinant and cofactor of four rows is a sum of their products.
typedef struct minors {
    double upper[6], lower[6];
} minors;

static minors math_mat_find_minors(const tn_mat4 *m)
{
    static const size_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    minors out;
    for (size_t i = 0; i < 6; i++) {
        const double *a = m->m + 4 * pairs[i][0], *b = m->m + 4 * pairs[i][1];
        out.upper[i] = a[0] * b[1] - b[0] * a[1];
        out.lower[i] = a[2] * b[3] - b[2] * a[3];
    }
    return out;
}

static double math_mat_determinant_of(const minors *n)
{
    const double *s = n->upper, *c = n->lower;
    return s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0];
}

double tn_mat4_determinant(const tn_mat4 *m)
{
    minors n = math_mat_find_minors(m);
    return math_mat_determinant_of(&n);
}

// Whether a volume is larger than what rounding makes of 0: `box` is the product of the edges.
static bool math_mat_has_volume(double volume, double box)
{
    return fabs(volume) > FLAT * box && fabs(volume) < HUGE_VAL && box < HUGE_VAL;
}

bool tn_mat4_affine_inverse(const tn_mat4 *m, tn_mat4 *out)
{
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2), t = {m->m[12], m->m[13], m->m[14]};
    double volume = tn_mat3_determinant(&upper);
    bool ok =
        math_mat_has_volume(volume, tn_vec3_length(x) * tn_vec3_length(y) * tn_vec3_length(z)) &&
        tn_vec3_length(t) < HUGE_VAL;
    *out = tn_mat4_identity();
    if (!ok) return false;
    // Each row of the inverse is at right angles to two of the columns.
    tn_vec3 yz = tn_vec3_scale(tn_vec3_cross(y, z), 1 / volume);
    tn_vec3 zx = tn_vec3_scale(tn_vec3_cross(z, x), 1 / volume);
    tn_vec3 xy = tn_vec3_scale(tn_vec3_cross(x, y), 1 / volume);
    tn_mat3 rows = tn_mat3_from_columns(yz, zx, xy), inverse = tn_mat3_transpose(&rows);
    tn_vec3 moved = {tn_vec3_dot(yz, t), tn_vec3_dot(zx, t), tn_vec3_dot(xy, t)};
    *out = tn_mat4_from_mat3(&inverse, tn_vec3_sub((tn_vec3){0, 0, 0}, moved));
    return true;
}

static double math_mat_box_of(const tn_mat4 *m)
{
    double box = 1;
    for (size_t c = 0; c < 4; c++) {
        const double *a = m->m + 4 * c;
        box *= sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    }
    return box;
}

// Column `c` of the inverse, times the determinant: signed determinants of three rows, which leave
// out row c and one column each, expanded along the other row of its half.
static void math_mat_find_cofactors(const tn_mat4 *m, const minors *n, size_t c, double out[4])
{
    const double *k = c < 2 ? n->lower : n->upper;
    size_t row = c ^ 1;
    double a = m->m[row], b = m->m[4 + row], d = m->m[8 + row], e = m->m[12 + row];
    double sign = c % 2 ? -1 : 1;
    out[0] = sign * (b * k[5] - d * k[4] + e * k[3]);
    out[1] = -sign * (a * k[5] - d * k[2] + e * k[1]);
    out[2] = sign * (a * k[4] - b * k[2] + e * k[0]);
    out[3] = -sign * (a * k[3] - b * k[1] + d * k[0]);
}

bool tn_mat4_inverse(const tn_mat4 *m, tn_mat4 *out)
{
    if (tn_mat4_is_affine(m)) return tn_mat4_affine_inverse(m, out);
    tn_mat4 source = *m;
    minors n = math_mat_find_minors(&source);
    double volume = math_mat_determinant_of(&n);
    *out = tn_mat4_identity();
    if (!math_mat_has_volume(volume, math_mat_box_of(&source))) return false;
    for (size_t c = 0; c < 4; c++) {
        math_mat_find_cofactors(&source, &n, c, out->m + 4 * c);
        for (size_t r = 0; r < 4; r++) out->m[4 * c + r] /= volume;
    }
    return true;
}

// -- Order

#define STORED_ZERO 1e-5f  // Tolerance for the zeros in the last row.

static bool math_mat_is_set(float v)
{
    return v > STORED_ZERO || v < -STORED_ZERO;
}

int tn_stored_order(const float m[16])
{
    bool right = math_mat_is_set(m[3]) || math_mat_is_set(m[7]) || math_mat_is_set(m[11]);
    bool bottom = math_mat_is_set(m[12]) || math_mat_is_set(m[13]) || math_mat_is_set(m[14]);
    return right - bottom;
}

bool tn_stored_is_symmetric(const float m[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++)
            if (m[4 * row + column] != m[4 * column + row]) return false;
    return true;
}

bool tn_stored_transpose(float m[16])
{
    bool differs = !tn_stored_is_symmetric(m);
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++) {
            float *a = &m[4 * row + column], *b = &m[4 * column + row], old = *a;
            *a = *b;
            *b = old;
        }
    return differs;
}
