// modeldata_export_mesh.c: exports meshes, one for each visible primitive of the scene.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/cursor/span.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <string.h>

// The part of the scene that a mesh is exported from.
typedef struct modeldata_source {
    modeldata_exporter *exporter;
    const tn_part *part;
    const modeldata_part_plan *plan;
    const modeldata_material_plan *material;  // NULL if it has no material.
    const tn_affine *palette;                 // Of its skin, if vertices are moved by their joints.
    const float *uvs;
} modeldata_source;

static void modeldata_export_mesh_narrow(const modeldata_source *source, tn_vec3 v, float *out)
{
    out[0] = tn_narrow(v.x, &source->exporter->not_finite);
    out[1] = tn_narrow(v.y, &source->exporter->not_finite);
    out[2] = tn_narrow(v.z, &source->exporter->not_finite);
}

// Where the file stores a vertex, with its normal and tangent.
static void modeldata_export_mesh_move(const modeldata_source *source, uint32_t vertex,
                                       float position[3], float normal[3], float tangent[3])
{
    const tenon_primitive *p = source->part->p;
    const float *at = p->positions + 3 * (size_t)vertex, *up = p->normals + 3 * (size_t)vertex;
    const float *along = p->tangents + 4 * (size_t)vertex;
    tn_mat4 matrix = source->plan->matrix;
    if (source->plan->placement == MODELDATA_UNMOVED) {
        memcpy(position, at, 3 * sizeof *at);
        memcpy(normal, up, 3 * sizeof *up);
        memcpy(tangent, along, 3 * sizeof *along);
        return;
    }
    if (source->plan->placement == MODELDATA_BY_POSE) {
        size_t first = (size_t)vertex * p->influence_count;
        matrix = (tn_mat4){{[15] = 1}};
        for (uint32_t i = 0; i < p->influence_count; i++) {
            double weight = (double)p->weights[first + i];
            if (weight == 0) continue;
            const tn_affine *joint = &source->palette[p->joints[first + i]];
            for (uint32_t k = 0; k < 12; k++) matrix.m[k + k / 3] += weight * joint->m[k];
        }
    }
    tn_vec3 point = {(double)at[0], (double)at[1], (double)at[2]};
    modeldata_export_mesh_narrow(source, tn_mat4_point(&matrix, point), position);

    // Multiply by the cofactor matrix, which is the transposed inverse times the determinant. If
    // the matrix is singular and gives no direction, the normal is not changed.
    tn_mat3 upper = tn_mat4_upper(&matrix);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2), n = {(double)up[0], (double)up[1], (double)up[2]};
    tn_vec3 sum = tn_vec3_scale(tn_vec3_cross(y, z), n.x);
    sum = tn_vec3_add(sum, tn_vec3_scale(tn_vec3_cross(z, x), n.y));
    sum = tn_vec3_add(sum, tn_vec3_scale(tn_vec3_cross(x, y), n.z));
    if (tn_mat3_determinant(&upper) < 0) sum = tn_vec3_scale(sum, -1);
    sum = tn_vec3_normalise(sum);
    if (tn_vec3_dot(sum, sum) > 0) n = sum;
    modeldata_export_mesh_narrow(source, n, normal);

    // The tangent is made perpendicular to the normal again.
    tn_vec3 t = {(double)along[0], (double)along[1], (double)along[2]};
    t = tn_vec3_normalise(tn_mat4_vector(&matrix, t));
    t = tn_vec3_normalise(tn_vec3_sub(t, tn_vec3_scale(n, tn_vec3_dot(n, t))));
    if (tn_vec3_dot(t, t) > 0)
        modeldata_export_mesh_narrow(source, t, tangent);
    else
        tn_any_tangent(normal, tangent);
}

static bool modeldata_export_mesh_fill_arrays(const modeldata_source *source,
                                              tenon_modeldata_mesh *mesh)
{
    modeldata_exporter *exporter = source->exporter;
    const tn_part *part = source->part;
    const tenon_primitive *p = part->p;
    const modeldata_material_plan *material = source->material;
    const uint32_t *joints = exporter->bone_joints[source->plan->bone_set];
    uint32_t array_count =
        exporter->doc->is_animated ? TENON_MODELDATA_INDICES : TENON_MODELDATA_JOINT_IDS;
    uint8_t *bytes[TENON_MODELDATA_ARRAY_COUNT] = {NULL};
    for (uint32_t i = 0; i < TENON_MODELDATA_ARRAY_COUNT; i++) {
        const tenon_layout *layout = modeldata_arrays[i].layout;
        bool is_indices = i == TENON_MODELDATA_INDICES;
        uint32_t count = is_indices ? p->index_count : p->vertex_count;
        if (i >= array_count && !is_indices) continue;
        bytes[i] = tn_export_alloc(&exporter->export, count, (size_t)layout->stride);
        if (!bytes[i]) return false;
        mesh->arrays[i] = (tenon_span){bytes[i], layout->stride * count, count, layout, true};
    }
    for (uint32_t vertex = 0; vertex < p->vertex_count; vertex++) {
        float out[TENON_MODELDATA_INDICES][TN_INFLUENCES];
        if (!tn_export_goes_on(&exporter->export, array_count)) return false;
        modeldata_export_mesh_move(source, vertex, out[TENON_MODELDATA_VERTICES],
                                   out[TENON_MODELDATA_NORMALS], out[TENON_MODELDATA_TANGENTS]);
        const float *uv = source->uvs + 2 * (size_t)vertex;
        double u = (double)uv[0], v = (double)uv[1];
        if (material && material->has_transform) {
            const double *row = material->u_row;
            u = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
            row = material->v_row;
            v = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
        }
        // V starts at the bottom in ModelData.
        out[TENON_MODELDATA_TEXTURE_COORDINATES][0] = tn_narrow(u, &exporter->not_finite);
        out[TENON_MODELDATA_TEXTURE_COORDINATES][1] = tn_narrow(1 - v, &exporter->not_finite);
        if (exporter->doc->is_animated) {
            uint32_t bones[TN_INFLUENCES], ids[TN_INFLUENCES] = {0};
            float *weights = out[TENON_MODELDATA_WEIGHTS];
            (void)tn_part_influences(part, vertex, bones, weights);
            for (uint32_t i = 0; i < TN_INFLUENCES && part->is_skinned; i++)
                if (weights[i] > 0) ids[i] = joints[bones[i]] - exporter->first_joint;
            if (!part->is_skinned) {
                weights[0] = 1;
                ids[0] = source->plan->joint - exporter->first_joint;
            }
            memcpy(out[TENON_MODELDATA_JOINT_IDS], ids, sizeof ids);
        }
        for (uint32_t i = 0; i < array_count; i++) {
            uint64_t stride = modeldata_arrays[i].layout->stride;
            tn_copy_numbers(bytes[i] + stride * vertex, out[i], stride / 4, 4, true);
        }
    }
    bool is_reversed = source->plan->is_mirrored;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        if (!tn_export_goes_on(&exporter->export, 1)) return false;
        uint32_t corners[3] = {p->indices[i], p->indices[i + 1 + is_reversed],
                               p->indices[i + 2 - is_reversed]};
        tn_copy_numbers(bytes[TENON_MODELDATA_INDICES] + 4 * (size_t)i, corners, 3, 4, true);
    }
    return true;
}

static bool modeldata_export_mesh(modeldata_exporter *exporter, uint32_t index,
                                  tenon_modeldata_mesh *mesh)
{
    const tn_part *part = &exporter->rig.parts[index];
    const tenon_primitive *p = part->p;
    modeldata_source source = {
        .exporter = exporter, .part = part, .plan = &exporter->part_plans[index]};
    if (p->material != TENON_NONE) source.material = &exporter->material_plans[p->material];
    uint32_t set = source.material ? source.material->uv_set : 0;
    source.uvs = p->uvs[set] ? p->uvs[set] : p->uvs[0];
    if (source.plan->placement == MODELDATA_BY_POSE)
        source.palette = exporter->pose->palette +
                         exporter->pose->skin_starts[exporter->scene->nodes[part->node].skin];
    mesh->size_factor = exporter->doc->base.dialect->flags & TENON_MODELDATA_LEGACY ? 4 : 1;
    mesh->material_size = source.material != NULL;  // Not 0; tn_doc_finalize() sets the real size.
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++) mesh->material.maps[i] = (tenon_str){"", 0};
    if (source.material) mesh->material = source.material->material;
    mesh->collision_shape = (tenon_str){"", 0};
    if (exporter->shapes[part->mesh]) {
        // The engine throws if it cannot parse a shape. The format's document allows any text.
        tenon_str text = exporter->shapes[part->mesh]->value;
        modeldata_shape shape = modeldata_parse_shape(text);
        bool is_bad = shape.fault && !exporter->is_document;
        tn_mat4 identity = tn_mat4_identity();
        bool is_moved = source.plan->placement == MODELDATA_BY_MATRIX &&
                        memcmp(&source.plan->matrix, &identity, sizeof identity) != 0;
        bool has_sizes = shape.kind != MODELDATA_SHAPE_CONVEX &&
                         shape.kind != MODELDATA_SHAPE_TRIANGLES &&
                         shape.kind != MODELDATA_SHAPE_UNKNOWN;
        tn_tally_at(&exporter->bad_shapes, is_bad, "meshes", part->mesh);
        tn_tally_at(&exporter->moved_shapes, !is_bad && is_moved && has_sizes, "meshes",
                    part->mesh);
        if (!is_bad) mesh->collision_shape = text;
    }
    // ModelData does not store the sign of the bitangent: it is always normal x tangent. Mirroring
    // reverses it.
    uint64_t other_signs = 0;
    float usual_sign = source.plan->is_mirrored ? -1 : 1;
    for (size_t i = 0; i < p->vertex_count; i++)
        other_signs += p->tangents[4 * i + 3] != usual_sign;
    tn_tally_at(&exporter->tangent_signs, other_signs, "meshes", part->mesh);
    return modeldata_export_mesh_fill_arrays(&source, mesh);
}

bool modeldata_export_meshes(modeldata_exporter *exporter)
{
    tenon_modeldata *doc = exporter->doc;
    doc->meshes = tn_export_alloc(&exporter->export, exporter->rig.part_count, sizeof *doc->meshes);
    if (!doc->meshes) return false;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        bool is_empty = part->p->index_count == 0;
        tn_tally_at(&exporter->empty_parts, is_empty, "meshes", part->mesh);
        if (is_empty) continue;
        if (!modeldata_export_mesh(exporter, i, &doc->meshes[doc->mesh_count])) return false;
        doc->mesh_count++;
    }
    return true;
}
