// bmw_import_decompose.c: frames of BMW, decomposed into keys.
// SPDX-License-Identifier: MIT
//
// A matrix without shear is the translation, rotation and scale of one node. One with shear is
// u s v^T, by its singular values: an outer node with rotation u and scale s, and an inner node
// with rotation v^T.

#include "formats/bmw/import/bmw_import_decompose.h"

#include <math.h>
#include <string.h>

#define SHEAR  4e-6  // Cosine between columns. Rounding gives up to 1e-6 in known files.
#define AFFINE 1e-5  // Tolerance for the last row, 0 0 0 1.

// -- Shear

bool bmw_is_sheared(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2);
    double x_length = tn_vec3_length(x), y_length = tn_vec3_length(y);
    double z_length = tn_vec3_length(z);
    return fabs(tn_vec3_dot(x, y)) > SHEAR * x_length * y_length ||
           fabs(tn_vec3_dot(y, z)) > SHEAR * y_length * z_length ||
           fabs(tn_vec3_dot(z, x)) > SHEAR * z_length * x_length;
}

bool bmw_is_affine(const tn_mat4 *m)
{
    return fabs(m->m[3]) <= AFFINE && fabs(m->m[7]) <= AFFINE && fabs(m->m[11]) <= AFFINE &&
           fabs(m->m[15] - 1) <= AFFINE;
}

// Compares squares, which round differently, so it uses smaller limits.
bool bmw_are_simple(const float *matrices)
{
    const double nearly = 0.9;
    return tn_loops_here()->are_affine(matrices, nearly * SHEAR * SHEAR, nearly * AFFINE * AFFINE);
}

// -- Keys

static void bmw_store_vector(float *to, tn_vec3 v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

// q and -q are the same rotation: choose the one nearer to the previous key.
static inline void bmw_choose_sign(float *keys, uint64_t at)
{
    float *q = keys + 4 * at, *last = q - 4;
    if (at == 0 || !(q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3] < 0)) return;
    for (int i = 0; i < 4; i++) q[i] = -q[i];
}

static void bmw_store_rotation(float *keys, uint64_t at, tn_quat q)
{
    float *to = keys + 4 * at;
    to[0] = (float)q.x, to[1] = (float)q.y, to[2] = (float)q.z, to[3] = (float)q.w;
    bmw_choose_sign(keys, at);
}

static void bmw_store_trs(const tn_trs *trs, const bmw_key_values *values, uint64_t at)
{
    bmw_store_vector(values->translations + 3 * at, trs->translation);
    bmw_store_rotation(values->rotations, at, trs->rotation);
    bmw_store_vector(values->scales + 3 * at, trs->scale);
}

// Whether the vector code could decompose a matrix. It cannot if the matrix is sheared, mirrored or
// flat.
static inline bool bmw_is_split(const tn_affine_parts *all, int lane)
{
    return all->shear[lane] <= TN_HARDLY_SHEARED && all->volume[lane] > 0.5;
}

static inline void bmw_store_lane(const tn_affine_parts *all, int lane, const float *m,
                                  const bmw_key_values *values, uint64_t at)
{
    memcpy(values->translations + 3 * at, m + 12, 3 * sizeof *m);
    memcpy(values->rotations + 4 * at, all->rotations + 4 * lane, 4 * sizeof *m);
    memcpy(values->scales + 3 * at, all->scales + 3 * lane, 3 * sizeof *m);
    bmw_choose_sign(values->rotations, at);
}

static void bmw_decompose_alone(const float *matrix, const bmw_key_values *values, uint64_t at)
{
    tn_mat4 m = tn_mat4_from_columns(matrix);
    tn_trs trs;
    (void)tn_mat4_decompose(&m, &trs);
    bmw_store_trs(&trs, values, at);
}

void bmw_decompose_frames(const float *matrices, const bmw_key_values *values, uint64_t at)
{
    const bmw_key_values to = *values;
    tn_affine_parts all;
    tn_loops_here()->split_affine(matrices, &all);
    for (int i = 0; i < TN_LANES; i++, matrices += 16, at++)
        if (bmw_is_split(&all, i))
            bmw_store_lane(&all, i, matrices, &to, at);
        else
            bmw_decompose_alone(matrices, &to, at);
}

// Gives the same result as the vector code, so that a constant scale has the same bits in all keys.
static void bmw_decompose_one(const tn_mat4 *m, const bmw_key_values *values, uint64_t at)
{
    float matrices[16 * TN_LANES];
    tn_affine_parts all;
    tn_mat4_to_columns(m, matrices);
    for (int i = 1; i < TN_LANES; i++) memcpy(matrices + 16 * i, matrices, 16 * sizeof *matrices);
    tn_mat4 as_floats = tn_mat4_from_columns(matrices);
    bool is_from_file = memcmp(&as_floats, m, sizeof *m) == 0;
    if (is_from_file) tn_loops_here()->split_affine(matrices, &all);
    if (is_from_file && bmw_is_split(&all, 0)) {
        bmw_store_lane(&all, 0, matrices, values, at);
        return;
    }
    tn_trs trs;
    (void)tn_mat4_decompose(m, &trs);
    bmw_store_trs(&trs, values, at);
}

void bmw_decompose_frame(const tn_mat4 *m, bool is_sheared, const bmw_key_values *values,
                         uint64_t at)
{
    if (!is_sheared) {
        bmw_decompose_one(m, values, at);
        return;
    }
    tn_mat3 upper = tn_mat4_upper(m);
    tn_svd svd = tn_mat3_svd(&upper);
    tn_mat3 back = tn_mat3_transpose(&svd.v);
    bmw_store_vector(values->translations + 3 * at, (tn_vec3){m->m[12], m->m[13], m->m[14]});
    bmw_store_rotation(values->rotations, at, tn_quat_from_mat3(&svd.u));
    bmw_store_vector(values->scales + 3 * at, svd.s);
    bmw_store_rotation(values->inner, at, tn_quat_from_mat3(&back));
}
