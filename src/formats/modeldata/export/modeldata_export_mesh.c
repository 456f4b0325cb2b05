// modeldata_export_mesh.c: exports meshes, one for each visible primitive of the scene.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/export/modeldata_export.h"

#include "core/cursor/span.h"
#include "scene/pose/pose.h"
#include "scene/surface/surface.h"

#include <string.h>

#define BLOCK     256  // Vertices encoded at once.
#define EACH_MOST 4    // Numbers of a vertex in one array.

// The part of the scene that a mesh is exported from.
typedef struct modeldata_source {
    modeldata_exporter *exporter;
    const tn_part *part;
    const modeldata_part_plan *plan;
    const modeldata_material_plan *material;  // NULL if it has no material.
    const tn_affine *palette;                 // Of its skin, if vertices are moved by their joints.
    const float *uvs;
} modeldata_source;

// -- Transforms

static tn_mat4 modeldata_export_mesh_matrix_of(const modeldata_source *source, uint32_t vertex)
{
    if (source->plan->placement != MODELDATA_BY_POSE) return source->plan->matrix;
    const tenon_primitive *p = source->part->p;
    size_t at = (size_t)vertex * p->influence_count;
    tn_mat4 sum = {{[15] = 1}};
    for (uint32_t i = 0; i < p->influence_count; i++) {
        double weight = (double)p->weights[at + i];
        if (weight == 0) continue;
        const tn_affine *joint = &source->palette[p->joints[at + i]];
        for (uint32_t k = 0; k < 12; k++) sum.m[k + k / 3] += weight * joint->m[k];
    }
    return sum;
}

static tn_vec3 modeldata_export_mesh_vector(const float *v)
{
    return (tn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static void modeldata_export_mesh_narrow_vector(const modeldata_source *source, tn_vec3 v,
                                                float *out)
{
    out[0] = tn_narrow(v.x, &source->exporter->not_finite);
    out[1] = tn_narrow(v.y, &source->exporter->not_finite);
    out[2] = tn_narrow(v.z, &source->exporter->not_finite);
}

// Multiply by the cofactor matrix, which is the transposed inverse times the determinant. If the
// matrix is singular and gives no direction, the normal is not changed.
static tn_vec3 modeldata_export_mesh_normal_of(const modeldata_source *source, uint32_t vertex)
{
    tn_vec3 normal = modeldata_export_mesh_vector(source->part->p->normals + 3 * (size_t)vertex);
    tn_mat4 matrix = modeldata_export_mesh_matrix_of(source, vertex);
    tn_mat3 upper = tn_mat4_upper(&matrix);
    tn_vec3 x = tn_mat3_column(&upper, 0), y = tn_mat3_column(&upper, 1);
    tn_vec3 z = tn_mat3_column(&upper, 2), sum = tn_vec3_scale(tn_vec3_cross(y, z), normal.x);
    sum = tn_vec3_add(sum, tn_vec3_scale(tn_vec3_cross(z, x), normal.y));
    sum = tn_vec3_add(sum, tn_vec3_scale(tn_vec3_cross(x, y), normal.z));
    if (tn_mat3_determinant(&upper) < 0) sum = tn_vec3_scale(sum, -1);
    sum = tn_vec3_normalise(sum);
    return tn_vec3_dot(sum, sum) > 0 ? sum : normal;
}

// -- Arrays

typedef void modeldata_encode_fn(const modeldata_source *source, uint32_t vertex, float *out);

static void modeldata_export_mesh_encode_position(const modeldata_source *source, uint32_t vertex,
                                                  float *out)
{
    const float *p = source->part->p->positions + 3 * (size_t)vertex;
    if (source->plan->placement == MODELDATA_UNMOVED) {
        memcpy(out, p, 3 * sizeof *out);
        return;
    }
    tn_mat4 matrix = modeldata_export_mesh_matrix_of(source, vertex);
    modeldata_export_mesh_narrow_vector(
        source, tn_mat4_point(&matrix, modeldata_export_mesh_vector(p)), out);
}

static void modeldata_export_mesh_encode_normal(const modeldata_source *source, uint32_t vertex,
                                                float *out)
{
    if (source->plan->placement == MODELDATA_UNMOVED)
        memcpy(out, source->part->p->normals + 3 * (size_t)vertex, 3 * sizeof *out);
    else
        modeldata_export_mesh_narrow_vector(source, modeldata_export_mesh_normal_of(source, vertex),
                                            out);
}

// The tangent is made perpendicular to the normal again.
static void modeldata_export_mesh_encode_tangent(const modeldata_source *source, uint32_t vertex,
                                                 float *out)
{
    const float *t = source->part->p->tangents + 4 * (size_t)vertex;
    if (source->plan->placement == MODELDATA_UNMOVED) {
        memcpy(out, t, 3 * sizeof *out);
        return;
    }
    tn_mat4 matrix = modeldata_export_mesh_matrix_of(source, vertex);
    tn_vec3 normal = modeldata_export_mesh_normal_of(source, vertex);
    tn_vec3 tangent = tn_vec3_normalise(tn_mat4_vector(&matrix, modeldata_export_mesh_vector(t)));
    double along = tn_vec3_dot(normal, tangent);
    tangent = tn_vec3_normalise(tn_vec3_sub(tangent, tn_vec3_scale(normal, along)));
    if (tn_vec3_dot(tangent, tangent) > 0) {
        modeldata_export_mesh_narrow_vector(source, tangent, out);
        return;
    }
    float unit[3];
    modeldata_export_mesh_narrow_vector(source, normal, unit);
    tn_any_tangent(unit, out);
}

// V starts at the bottom in ModelData.
static void modeldata_export_mesh_encode_uv(const modeldata_source *source, uint32_t vertex,
                                            float *out)
{
    const float *uv = source->uvs + 2 * (size_t)vertex;
    const modeldata_material_plan *material = source->material;
    double u = (double)uv[0], v = (double)uv[1];
    if (material && material->has_transform) {
        const double *row = material->u_row;
        u = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
        row = material->v_row;
        v = row[0] * (double)uv[0] + row[1] * (double)uv[1] + row[2];
    }
    out[0] = tn_narrow(u, &source->exporter->not_finite);
    out[1] = tn_narrow(1 - v, &source->exporter->not_finite);
}

static void modeldata_export_mesh_encode_weights(const modeldata_source *source, uint32_t vertex,
                                                 float *out)
{
    uint32_t bones[TN_INFLUENCES];
    (void)tn_part_influences(source->part, vertex, bones, out);
    if (!source->part->is_skinned) out[0] = 1;
}

// Writes the bits of integers to `out`.
static void modeldata_export_mesh_encode_joints(const modeldata_source *source, uint32_t vertex,
                                                float *out)
{
    const modeldata_exporter *exporter = source->exporter;
    uint32_t bones[TN_INFLUENCES] = {0}, ids[TN_INFLUENCES] = {0};
    float weights[TN_INFLUENCES];
    const uint32_t *joints = exporter->bone_joints[source->plan->bone_set];
    (void)tn_part_influences(source->part, vertex, bones, weights);
    if (!source->part->is_skinned) ids[0] = source->plan->joint - exporter->first_joint;
    for (uint32_t i = 0; i < TN_INFLUENCES && source->part->is_skinned; i++)
        if (weights[i] > 0) ids[i] = joints[bones[i]] - exporter->first_joint;
    memcpy(out, ids, sizeof ids);
}

static bool modeldata_export_mesh_fill_arrays(const modeldata_source *source,
                                              tenon_modeldata_mesh *mesh)
{
    static modeldata_encode_fn *const encoders[] = {
        [TENON_MODELDATA_VERTICES] = modeldata_export_mesh_encode_position,
        [TENON_MODELDATA_TEXTURE_COORDINATES] = modeldata_export_mesh_encode_uv,
        [TENON_MODELDATA_NORMALS] = modeldata_export_mesh_encode_normal,
        [TENON_MODELDATA_TANGENTS] = modeldata_export_mesh_encode_tangent,
        [TENON_MODELDATA_JOINT_IDS] = modeldata_export_mesh_encode_joints,
        [TENON_MODELDATA_WEIGHTS] = modeldata_export_mesh_encode_weights,
    };
    const tn_export *export = &source->exporter->export;
    const tenon_primitive *p = source->part->p;
    bool is_animated = source->exporter->doc->is_animated;
    for (uint32_t i = 0; i < TENON_MODELDATA_INDICES; i++) {
        bool is_skin = i == TENON_MODELDATA_JOINT_IDS || i == TENON_MODELDATA_WEIGHTS;
        if (is_skin && !is_animated) continue;
        const tenon_layout *layout = modeldata_array_layouts[i];
        uint32_t count = p->vertex_count, each = (uint32_t)layout->stride / 4;
        uint8_t *bytes = tn_export_alloc(export, count, (size_t)layout->stride);
        if (!bytes) return false;
        float block[BLOCK * EACH_MOST];
        for (uint32_t first = 0, n; first < count; first += n) {
            n = count - first < BLOCK ? count - first : BLOCK;
            if (!tn_export_goes_on(export, n)) return false;
            for (uint32_t k = 0; k < n; k++)
                encoders[i](source, first + k, block + (size_t)k * each);
            tn_copy_numbers(bytes + layout->stride * first, block, (uint64_t)n * each, 4, true);
        }
        mesh->arrays[i] = (tenon_span){bytes, layout->stride * count, count, layout, true};
    }
    uint8_t *bytes = tn_export_alloc(export, p->index_count, sizeof *p->indices);
    if (!bytes) return false;
    bool is_reversed = source->plan->is_mirrored;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        if (!tn_export_goes_on(export, 1)) return false;
        uint32_t corners[3] = {p->indices[i], p->indices[i + 1 + is_reversed],
                               p->indices[i + 2 - is_reversed]};
        tn_copy_numbers(bytes + 4 * (size_t)i, corners, 3, 4, true);
    }
    mesh->arrays[TENON_MODELDATA_INDICES] =
        (tenon_span){bytes, 4 * (uint64_t)p->index_count, p->index_count, &tn_layout_u32, true};
    return true;
}

// -- Meshes

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
