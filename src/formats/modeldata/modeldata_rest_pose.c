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
    tn_mat4 *matrices;  // Of each joint: global, at the end multiplied by its inverse bind matrix.
} modeldata_rest_pose;

static void *modeldata_rest_pose_alloc(const modeldata_rest_pose *rest, uint64_t count, size_t size)
{
    return tn_arena_alloc_or_fail(rest->change->arena, count, size, "the rest pose",
                                  rest->change->err);
}

// The last row is replaced by 0 0 0 1, as in imports.
static tn_mat4 modeldata_rest_pose_affine(const tenon_modeldata *doc, const float stored[16])
{
    float rows[16];
    modeldata_conventions_to_rows(doc, stored, rows);
    tn_mat4 m = tn_mat4_from_rows(rows);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    return m;
}

static bool modeldata_rest_pose_compute_matrices(modeldata_rest_pose *rest)
{
    const tenon_modeldata *doc = rest->doc;
    uint32_t count = doc->joint_count;
    uint32_t *memory = modeldata_rest_pose_alloc(rest, count, MODELDATA_ORDER_SHARE);
    bool *is_known = modeldata_rest_pose_alloc(rest, count, sizeof *is_known);
    uint32_t *chain = modeldata_rest_pose_alloc(rest, count, sizeof *chain);
    rest->matrices = modeldata_rest_pose_alloc(rest, count, sizeof *rest->matrices);
    if (!memory || !rest->matrices || !is_known || !chain) return false;
    rest->by_index = modeldata_order_joints_by_index(doc, memory);
    for (uint32_t i = 0; i < count; i++) {
        // Go up to the nearest ancestor whose matrix is known, then down again. A joint that is its
        // own ancestor counts as a root.
        uint32_t depth = 0, joint = i;
        while (joint != TENON_NONE && !is_known[joint]) {
            int32_t parent = doc->joints[joint].parent_index;
            is_known[joint] = true;
            rest->matrices[joint] = tn_mat4_identity();
            chain[depth++] = joint;
            joint = parent == -1 ? TENON_NONE : modeldata_order_find_index(&rest->by_index, parent);
        }
        tn_mat4 above = joint == TENON_NONE ? tn_mat4_identity() : rest->matrices[joint];
        while (depth-- > 0) {
            tn_mat4 local =
                modeldata_rest_pose_affine(doc, doc->joints[chain[depth]].bind_local_pose);
            above = rest->matrices[chain[depth]] = tn_mat4_mul(&above, &local);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        tn_mat4 unbind = modeldata_rest_pose_affine(doc, doc->joints[i].inverse_bind_matrix);
        rest->matrices[i] = tn_mat4_mul(&rest->matrices[i], &unbind);
    }
    return true;
}

// The weighted mean of the matrices of a vertex's joints. Returns false if no weight is above 0.
static bool modeldata_rest_pose_mean_matrix(const modeldata_rest_pose *rest,
                                            const tenon_modeldata_mesh *mesh, uint64_t vertex,
                                            tn_mat4 *out)
{
    uint32_t ids[MODELDATA_INFLUENCES_MOST];
    float weights[MODELDATA_INFLUENCES_MOST];
    uint32_t count = modeldata_conventions_influences(mesh, vertex, ids, weights);
    double sum = 0;
    *out = (tn_mat4){{0}};
    for (uint32_t i = 0; i < count; i++) {
        double weight = (double)weights[i];
        int32_t id = (int32_t)ids[i];
        uint32_t joint = weight > 0 ? modeldata_order_find_index(&rest->by_index, id) : TENON_NONE;
        if (joint == TENON_NONE) continue;
        for (int k = 0; k < 16; k++) out->m[k] += weight * rest->matrices[joint].m[k];
        sum += weight;
    }
    for (int k = 0; k < 16 && sum > 0; k++) out->m[k] /= sum;
    return sum > 0;
}

// The cofactor matrix keeps normals perpendicular to their faces.
static tn_vec3 modeldata_rest_pose_move_normal(const tn_mat4 *m, tn_vec3 n)
{
    tn_mat3 upper = tn_mat4_upper(m);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2);
    tn_mat3 cofactors =
        tn_mat3_from_columns(tn_vec3_cross(y, z), tn_vec3_cross(z, x), tn_vec3_cross(x, y));
    tn_mat4 turn = tn_mat4_from_mat3(&cofactors, (tn_vec3){0, 0, 0});
    return tn_vec3_normalise(tn_mat4_vector(&turn, n));
}

// Move one array with three numbers for each vertex. Works on a copy: the span points into the
// input.
static bool modeldata_rest_pose_move_array(const modeldata_rest_pose *rest,
                                           tenon_modeldata_mesh *mesh, int array)
{
    tenon_span *span = &mesh->arrays[array];
    uint64_t count = mesh->arrays[TENON_MODELDATA_WEIGHTS].count;
    uint64_t stride = span->count ? span->layout->stride : 12;
    if (span->count < count) count = span->count;
    uint8_t *bytes = modeldata_rest_pose_alloc(rest, span->size, 1);
    if (!bytes) return false;
    if (span->size) memcpy(bytes, span->data, (size_t)span->size);
    for (uint64_t i = 0; i < count; i++) {
        float numbers[3];
        tn_mat4 matrix;
        if (!modeldata_rest_pose_mean_matrix(rest, mesh, i, &matrix)) continue;
        tn_copy_numbers(numbers, bytes + stride * i, 3, 4, true);
        tn_vec3 v = {(double)numbers[0], (double)numbers[1], (double)numbers[2]};
        if (array == TENON_MODELDATA_VERTICES)
            v = tn_mat4_point(&matrix, v);
        else if (array == TENON_MODELDATA_NORMALS)
            v = modeldata_rest_pose_move_normal(&matrix, v);
        else
            v = tn_vec3_normalise(tn_mat4_vector(&matrix, v));
        numbers[0] = tn_to_float(v.x), numbers[1] = tn_to_float(v.y), numbers[2] = tn_to_float(v.z);
        tn_copy_numbers(bytes + stride * i, numbers, 3, 4, true);
    }
    span->data = bytes;
    return true;
}

bool modeldata_bake_rest_pose(tenon_modeldata *doc, const tn_change *change)
{
    modeldata_rest_pose rest = {.doc = doc, .change = change};
    if (doc->joint_count == 0) return true;
    if (!modeldata_rest_pose_compute_matrices(&rest)) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        tenon_modeldata_mesh *mesh = &doc->meshes[i];
        uint64_t ids = mesh->arrays[TENON_MODELDATA_JOINT_IDS].count;
        if (ids != mesh->arrays[TENON_MODELDATA_WEIGHTS].count) continue;
        if (!modeldata_rest_pose_move_array(&rest, mesh, TENON_MODELDATA_VERTICES) ||
            !modeldata_rest_pose_move_array(&rest, mesh, TENON_MODELDATA_NORMALS) ||
            !modeldata_rest_pose_move_array(&rest, mesh, TENON_MODELDATA_TANGENTS))
            return false;
    }
    return true;
}
