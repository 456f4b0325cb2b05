// bmw_export_mesh.c: the vertices, faces and weights of BMW meshes.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <string.h>

// Writes one mesh.
typedef struct bmw_mesh_writer {
    bmw_exporter *exporter;
    const bmw_group *group;
    const tn_part *part;
    float *positions, *normals;           // Of the part, as they are stored.
    bool is_mirrored;                     // Its faces must be reversed.
    uint8_t *vertices, *faces, *weights;  // The next bytes to write.
    uint32_t vertex_id;                   // Of the next vertex.
    uint64_t weighted_count;
} bmw_mesh_writer;

// -- Positions

static tn_vec3 bmw_load_vector(const float *v)
{
    return (tn_vec3){v[0], v[1], v[2]};
}

static void bmw_store_vector(float *to, tn_vec3 v)
{
    to[0] = tn_to_float(v.x), to[1] = tn_to_float(v.y), to[2] = tn_to_float(v.z);
}

// From the scene to the model's node.
static void bmw_transform_to_model(bmw_mesh_writer *writer)
{
    const tn_mat4 *to_model = &writer->exporter->to_model;
    tn_mat4 back = tn_mat4_identity();
    (void)tn_mat4_affine_inverse(to_model, &back);
    tn_mat4 turned = tn_mat4_transpose(&back);
    for (uint32_t i = 0; i < writer->part->p->vertex_count; i++) {
        float *p = writer->positions + 3 * (size_t)i, *n = writer->normals + 3 * (size_t)i;
        bmw_store_vector(p, tn_mat4_point(to_model, bmw_load_vector(p)));
        bmw_store_vector(n, tn_vec3_normalise(tn_mat4_vector(&turned, bmw_load_vector(n))));
    }
}

// Vertices that frames or nodes of the tree move are stored unchanged. All others are stored in the
// rest pose.
static bool bmw_compute_vertices(bmw_mesh_writer *writer)
{
    const tn_part *part = writer->part;
    const tenon_primitive *p = part->p;
    const bmw_exporter *exporter = writer->exporter;
    bool is_moved = exporter->is_animated && (part->is_skinned || part->bone != TENON_NONE);
    writer->positions = p->positions;
    writer->normals = p->normals;
    writer->is_mirrored = false;
    if (is_moved || (exporter->keeps_tree && !part->is_skinned)) return true;
    writer->positions = tn_export_alloc(&exporter->export, p->vertex_count, 3 * sizeof(float));
    writer->normals = tn_export_alloc(&exporter->export, p->vertex_count, 3 * sizeof(float));
    if (!writer->positions || !writer->normals) return false;
    tenon_pose_skin(exporter->pose, part->node, part->primitive, writer->positions,
                    writer->normals);
    if (exporter->model != TENON_NONE) bmw_transform_to_model(writer);
    bmw_export_finite(writer->exporter, writer->positions, 3 * (uint64_t)p->vertex_count);
    bmw_export_finite(writer->exporter, writer->normals, 3 * (uint64_t)p->vertex_count);
    if (part->is_skinned) return true;
    tn_mat4 global;
    memcpy(global.m, tenon_pose_global(exporter->pose, part->node), sizeof global.m);
    tn_mat4 seen = tn_mat4_mul(&exporter->to_model, &global);
    writer->is_mirrored = tn_mat4_determinant(&seen) < 0;
    return true;
}

// -- Vertices

// The color byte that is nearest to a linear value.
static uint32_t bmw_color_byte(const bmw_exporter *exporter, double value)
{
    uint32_t low = 0, high = 255;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (exporter->levels[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return value - exporter->levels[low] <= exporter->levels[high] - value ? low : high;
}

static bool bmw_is_near(double a, double b)
{
    return a - b < 1e-6 && b - a < 1e-6;
}

// The color of the material is multiplied into that of the vertex.
static void bmw_write_color(bmw_mesh_writer *writer, uint32_t vertex, uint8_t *to)
{
    const float *from = writer->part->p->colors[0];
    const bmw_material_plan *plan = bmw_material_plan_of(writer->exporter, writer->part->p);
    uint32_t color[4] = {255, 255, 255, 255};
    bool is_exact = true;
    for (uint32_t k = 0; k < 4; k++) {
        double value = from ? from[4 * (size_t)vertex + k] : 1;
        if (k < 3) value *= plan->color[k];
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        color[k] = k < 3 ? bmw_color_byte(writer->exporter, value) : (uint32_t)(255 * value + 0.5);
        double stored = k < 3 ? writer->exporter->levels[color[k]] : color[k] / 255.0;
        is_exact = is_exact && bmw_is_near(stored, value);
    }
    if (writer->vertex_id >= writer->group->padding) writer->exporter->counts.colors += !is_exact;
    tn_copy_numbers(to, color, 4, 4, false);
}

static void bmw_write_uv(const bmw_mesh_writer *writer, uint32_t vertex, uint8_t *to)
{
    const bmw_material_plan *plan = bmw_material_plan_of(writer->exporter, writer->part->p);
    const float *from = writer->part->p->uvs[plan->uv_set];
    float uv[2] = {0, 0};
    if (from) {
        double u = from[2 * (size_t)vertex], v = from[2 * (size_t)vertex + 1];
        uv[0] = tn_to_float(u);
        uv[1] = tn_to_float(1 - v);
        if (plan->has_transform) {
            uv[0] = tn_to_float(plan->u_transform[0] * u + plan->u_transform[1] * v +
                                plan->u_transform[2]);
            uv[1] = tn_to_float(
                1 - (plan->v_transform[0] * u + plan->v_transform[1] * v + plan->v_transform[2]));
        }
    }
    bmw_export_finite(writer->exporter, uv, 2);
    tn_copy_numbers(to, uv, 2, 4, false);
}

static void bmw_write_vertex(bmw_mesh_writer *writer, uint32_t vertex)
{
    uint8_t *to = writer->vertices;
    tn_copy_numbers(to, writer->positions + 3 * (size_t)vertex, 3, 4, false);
    bmw_write_color(writer, vertex, to + 12);
    bmw_write_uv(writer, vertex, to + 28);
    tn_copy_numbers(to + 36, writer->normals + 3 * (size_t)vertex, 3, 4, false);
    writer->vertices += BMW_VERTEX_SIZE;
}

static void bmw_write_u32(uint8_t **to, uint32_t value)
{
    tn_copy_numbers(*to, &value, 1, 4, false);
    *to += 4;
}

// All weights of a vertex, which the format's own text allows, but the engine does not.
static void bmw_write_all_weights(bmw_mesh_writer *writer, uint32_t vertex)
{
    const tn_part *part = writer->part;
    size_t all = part->p->influence_count, at = all * vertex;
    uint32_t count = 0;
    for (size_t i = 0; i < all; i++) count += part->p->weights[at + i] > 0;
    if (count == 0) return;
    writer->weighted_count++;
    bmw_write_u32(&writer->weights, writer->vertex_id);
    bmw_write_u32(&writer->weights, count);
    for (size_t i = 0; i < all; i++) {
        if (!(part->p->weights[at + i] > 0)) continue;
        bmw_write_u32(&writer->weights,
                      writer->exporter->bone_ids[part->bones[part->p->joints[at + i]]]);
        tn_copy_numbers(writer->weights, &part->p->weights[at + i], 1, 4, false);
        writer->weights += 4;
    }
}

static void bmw_write_weights(bmw_mesh_writer *writer, uint32_t vertex)
{
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    uint32_t count = bmw_vertex_bones(writer->exporter, writer->part, vertex, bones, weights);
    if (count == 0) return;
    writer->weighted_count++;
    bmw_write_u32(&writer->weights, writer->vertex_id);
    bmw_write_u32(&writer->weights, count);
    for (uint32_t i = 0; i < count; i++) {
        bmw_write_u32(&writer->weights, writer->exporter->bone_ids[bones[i]]);
        tn_copy_numbers(writer->weights, &weights[i], 1, 4, false);
        writer->weights += 4;
    }
}

static void bmw_write_weighted_vertex(bmw_mesh_writer *writer, uint32_t vertex)
{
    bmw_write_vertex(writer, vertex);
    if (writer->exporter->keeps_tree && writer->part->is_skinned)
        bmw_write_all_weights(writer, vertex);
    else if (writer->group->is_weighted)
        bmw_write_weights(writer, vertex);
    writer->vertex_id++;
}

// -- Meshes

static void bmw_write_faces(bmw_mesh_writer *writer, uint32_t base)
{
    const tenon_primitive *p = writer->part->p;
    for (uint32_t i = 0; i + 3 <= p->index_count; i += 3) {
        bmw_write_u32(&writer->faces, base + p->indices[i]);
        bmw_write_u32(&writer->faces, base + p->indices[i + (writer->is_mirrored ? 2 : 1)]);
        bmw_write_u32(&writer->faces, base + p->indices[i + (writer->is_mirrored ? 1 : 2)]);
    }
}

// The padding is copies of the first vertex, which change neither bounds nor bones.
static bool bmw_write_part(bmw_mesh_writer *writer)
{
    tn_mark mark = tn_arena_mark(writer->exporter->export.arena);
    if (!bmw_compute_vertices(writer)) return false;
    while (writer->vertex_id < writer->group->padding) bmw_write_weighted_vertex(writer, 0);
    uint32_t base = writer->vertex_id;
    for (uint32_t i = 0; i < writer->part->p->vertex_count; i++) {
        if (!tn_export_goes_on(&writer->exporter->export, 1)) return false;
        bmw_write_weighted_vertex(writer, i);
    }
    bmw_write_faces(writer, base);
    tn_arena_rewind(writer->exporter->export.arena, mark);
    return true;
}

static bool bmw_export_mesh(bmw_exporter *exporter, const bmw_group *group, tenon_bmw_mesh *mesh)
{
    uint64_t vertices = group->vertex_count, influences = TN_INFLUENCES;
    for (uint32_t i = 0; i < group->count && exporter->keeps_tree; i++) {
        uint64_t own = exporter->rig.parts[exporter->order[group->first + i]].p->influence_count;
        if (own > influences) influences = own;
    }
    uint64_t most = 8 + 8 * influences;
    uint64_t weighted = group->is_weighted ? vertices : 0, faces = group->index_count / 3;
    uint8_t *vertex_bytes = tn_export_alloc(&exporter->export, vertices, BMW_VERTEX_SIZE);
    uint8_t *face_bytes = tn_export_alloc(&exporter->export, faces, 12);
    uint8_t *weight_bytes = tn_export_alloc(&exporter->export, weighted, (size_t)most);
    if (!vertex_bytes || !face_bytes || !weight_bytes) return false;
    bmw_mesh_writer writer = {.exporter = exporter,
                              .group = group,
                              .vertices = vertex_bytes,
                              .faces = face_bytes,
                              .weights = weight_bytes};
    for (uint32_t i = 0; i < group->count; i++) {
        writer.part = &exporter->rig.parts[exporter->order[group->first + i]];
        if (!bmw_write_part(&writer)) return false;
    }
    mesh->vertices =
        (tenon_span){vertex_bytes, vertices * BMW_VERTEX_SIZE, vertices, &bmw_vertex_layout, false};
    uint64_t face_size = (uint64_t)(writer.faces - face_bytes);
    mesh->faces = (tenon_span){face_bytes, face_size, face_size / 12, &tn_layout_u32x3, false};
    mesh->weighted_vertices = (tenon_span){weight_bytes, (uint64_t)(writer.weights - weight_bytes),
                                           writer.weighted_count, &bmw_weighted_layout, false};
    return true;
}

bool bmw_export_meshes(bmw_exporter *exporter)
{
    // The engine does not convert colors, so they are sRGB.
    for (int i = 0; i < 256; i++) exporter->levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    exporter->doc->meshes =
        tn_export_alloc(&exporter->export, exporter->group_count, sizeof *exporter->doc->meshes);
    if (!exporter->doc->meshes) return false;
    exporter->doc->mesh_count = exporter->group_count;
    tenon_pose_set(exporter->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < exporter->group_count; i++)
        if (!bmw_export_mesh(exporter, &exporter->groups[i], &exporter->doc->meshes[i]))
            return false;
    return true;
}
