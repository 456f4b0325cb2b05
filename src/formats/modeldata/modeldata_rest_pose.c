// modeldata_rest_pose.c: moves the vertices of an animated model to its rest pose.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"
#include "formats/modeldata/modeldata_order.h"

#include "core/cursor/span.h"
#include "core/math/math.h"

#include <string.h>

// The matrices that move vertices to the rest pose.
typedef struct modeldata_rest_pose {
    const tenon_modeldata *doc;
    const tn_change *change;
    modeldata_order by_index;
    tn_mat4 *globals;   // Of each joint; at the end multiplied by its inverse bind matrix.
    uint8_t *is_known;  // Of each joint: `globals` is set, or is being computed.
    uint32_t *chain;    // Joints that wait for the matrix of their parent.
} modeldata_rest_pose;

static void *modeldata_rest_alloc(const modeldata_rest_pose *rest, uint64_t count, size_t size)
{
    tn_refusal why;
    void *memory = tn_arena_alloc(rest->change->arena, count, size, &why);
    if (!memory) (void)modeldata_no_memory(rest->change->err, why);
    return memory;
}

// -- The skeleton

static uint32_t modeldata_parent_of(const modeldata_rest_pose *rest, uint32_t joint)
{
    int32_t parent = rest->doc->joints[joint].parent_index;
    return parent == -1 ? TENON_NONE : modeldata_find_index(&rest->by_index, parent);
}

// The last row is replaced by 0 0 0 1, as in imports.
static tn_mat4 modeldata_affine(const tenon_modeldata *doc, const float stored[16])
{
    float rows[16];
    modeldata_to_rows(doc, stored, rows);
    tn_mat4 m = tn_mat4_from_rows(rows);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    return m;
}

// From the nearest ancestor whose matrix is known down to the joint. A joint that is its own
// ancestor counts as a root.
static void modeldata_compute_global(modeldata_rest_pose *rest, uint32_t joint)
{
    uint32_t depth = 0, parent = joint;
    for (; parent != TENON_NONE && !rest->is_known[parent];
         parent = modeldata_parent_of(rest, parent)) {
        rest->is_known[parent] = true;
        rest->globals[parent] = tn_mat4_identity();
        rest->chain[depth++] = parent;
    }
    tn_mat4 above = parent == TENON_NONE ? tn_mat4_identity() : rest->globals[parent];
    while (depth-- > 0) {
        tn_mat4 local =
            modeldata_affine(rest->doc, rest->doc->joints[rest->chain[depth]].bind_local_pose);
        above = rest->globals[rest->chain[depth]] = tn_mat4_mul(&above, &local);
    }
}

static bool modeldata_compute_matrices(modeldata_rest_pose *rest)
{
    uint32_t count = rest->doc->joint_count;
    uint32_t *memory = modeldata_rest_alloc(rest, count, MODELDATA_ORDER_SHARE);
    rest->globals = modeldata_rest_alloc(rest, count, sizeof *rest->globals);
    rest->is_known = modeldata_rest_alloc(rest, count, sizeof *rest->is_known);
    rest->chain = modeldata_rest_alloc(rest, count, sizeof *rest->chain);
    if (!memory || !rest->globals || !rest->is_known || !rest->chain) return false;
    rest->by_index = modeldata_joints_by_index(rest->doc, memory);
    for (uint32_t i = 0; i < count; i++) modeldata_compute_global(rest, i);
    for (uint32_t i = 0; i < count; i++) {
        tn_mat4 unbind = modeldata_affine(rest->doc, rest->doc->joints[i].inverse_bind_matrix);
        rest->globals[i] = tn_mat4_mul(&rest->globals[i], &unbind);
    }
    return true;
}

// -- Vertices

// The weighted mean of the matrices of a vertex's joints. Returns false if no weight is above 0.
static bool modeldata_mean_matrix(const modeldata_rest_pose *rest, const tenon_modeldata_mesh *m,
                                  uint64_t vertex, tn_mat4 *out)
{
    uint32_t ids[MODELDATA_INFLUENCES_MOST];
    float weights[MODELDATA_INFLUENCES_MOST];
    uint32_t count = modeldata_influences(m, vertex, ids, weights);
    double sum = 0;
    *out = (tn_mat4){{0}};
    for (uint32_t i = 0; i < count; i++) {
        double weight = (double)weights[i];
        int32_t id = (int32_t)ids[i];
        uint32_t joint = weight > 0 ? modeldata_find_index(&rest->by_index, id) : TENON_NONE;
        if (joint == TENON_NONE) continue;
        for (int k = 0; k < 16; k++) out->m[k] += weight * rest->globals[joint].m[k];
        sum += weight;
    }
    for (int k = 0; k < 16 && sum > 0; k++) out->m[k] /= sum;
    return sum > 0;
}

// The cofactor matrix keeps normals perpendicular to their faces.
static tn_vec3 modeldata_move_normal(const tn_mat4 *m, tn_vec3 n)
{
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2);
    tn_mat3 cofactors =
        tn_mat3_from_columns(tn_vec3_cross(y, z), tn_vec3_cross(z, x), tn_vec3_cross(x, y));
    tn_mat4 turn = tn_mat4_from_mat3(&cofactors, (tn_vec3){0, 0, 0});
    return tn_vec3_normalise(tn_mat4_vector(&turn, n));
}

static tn_vec3 modeldata_move_vector(const tn_mat4 *m, int array, tn_vec3 v)
{
    if (array == TENON_MODELDATA_VERTICES) return tn_mat4_point(m, v);
    if (array == TENON_MODELDATA_NORMALS) return modeldata_move_normal(m, v);
    return tn_vec3_normalise(tn_mat4_vector(m, v));
}

// Move one array with three numbers for each vertex. Works on a copy: the span points into the
// input.
static bool modeldata_move_array(const modeldata_rest_pose *rest, tenon_modeldata_mesh *m,
                                 int array)
{
    tenon_span *span = &m->arrays[array];
    uint64_t count = m->arrays[TENON_MODELDATA_WEIGHTS].count;
    uint64_t stride = span->count ? span->layout->stride : 12;
    if (span->count < count) count = span->count;
    uint8_t *bytes = modeldata_rest_alloc(rest, span->size, 1);
    if (!bytes) return false;
    if (span->size) memcpy(bytes, span->data, (size_t)span->size);
    for (uint64_t i = 0; i < count; i++) {
        float numbers[3];
        tn_mat4 mixed;
        if (!modeldata_mean_matrix(rest, m, i, &mixed)) continue;
        tn_copy_numbers(numbers, bytes + stride * i, 3, 4, true);
        tn_vec3 v = {(double)numbers[0], (double)numbers[1], (double)numbers[2]};
        v = modeldata_move_vector(&mixed, array, v);
        numbers[0] = tn_to_float(v.x), numbers[1] = tn_to_float(v.y), numbers[2] = tn_to_float(v.z);
        tn_copy_numbers(bytes + stride * i, numbers, 3, 4, true);
    }
    span->data = bytes;
    return true;
}

bool modeldata_bake_rest_pose(tenon_modeldata *doc, const tn_change *change)
{
    static const int arrays[] = {TENON_MODELDATA_VERTICES, TENON_MODELDATA_NORMALS,
                                 TENON_MODELDATA_TANGENTS};
    modeldata_rest_pose rest = {.doc = doc, .change = change};
    if (doc->joint_count == 0) return true;
    if (!modeldata_compute_matrices(&rest)) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh *m = &doc->meshes[i];
        uint64_t ids = m->arrays[TENON_MODELDATA_JOINT_IDS].count;
        if (ids != m->arrays[TENON_MODELDATA_WEIGHTS].count) continue;
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
            if (!modeldata_move_array(&rest, m, arrays[k])) return false;
    }
    return true;
}
