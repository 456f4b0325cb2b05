// bbmod_bake.c: vertices in another format, transformed or skinned.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <string.h>

// -- Attributes of a vertex

// The attributes of the first vertex; NULL if there is no such attribute.
typedef struct bbmod_vertex_pointers {
    uint8_t *position, *normal, *tangent, *color, *indices, *weights;
    uint64_t stride;
} bbmod_vertex_pointers;

static uint8_t *bbmod_bake_attribute(const tenon_bbmod_mesh *mesh, const char *name)
{
    const tenon_element *element = bbmod_vertices_element(&mesh->vertices, name);
    // Only bytes that bbmod_bake_reformat() allocated are changed.
    return element ? (uint8_t *)mesh->vertices.data + element->offset : NULL;
}

static bbmod_vertex_pointers bbmod_bake_attributes(const tenon_bbmod_mesh *mesh)
{
    return (bbmod_vertex_pointers){.position = bbmod_bake_attribute(mesh, "position"),
                                   .normal = bbmod_bake_attribute(mesh, "normal"),
                                   .tangent = bbmod_bake_attribute(mesh, "tangent_w"),
                                   .color = bbmod_bake_attribute(mesh, "color"),
                                   .indices = bbmod_bake_attribute(mesh, "bone_indices"),
                                   .weights = bbmod_bake_attribute(mesh, "bone_weights"),
                                   .stride = mesh->vertices.layout->stride};
}

static tn_vec3 bbmod_bake_load3(const uint8_t *p)
{
    return (tn_vec3){tn_load_f32(p, false), tn_load_f32(p + 4, false), tn_load_f32(p + 8, false)};
}

static void bbmod_bake_store3(uint8_t *p, tn_vec3 v)
{
    const float numbers[3] = {tn_to_float(v.x), tn_to_float(v.y), tn_to_float(v.z)};
    tn_copy_numbers(p, numbers, 3, 4, false);
}

// -- Vertex formats

void bbmod_bake_reformat(bbmod_converter *converter, tenon_bbmod_mesh *mesh,
                         tenon_bbmod_vertex_format format, uint32_t flags)
{
    const tn_change *change = converter->change;
    tn_refusal why;
    const tenon_layout *layout = bbmod_vertex_layout(&format, flags, change->arena, &why);
    if (!layout) {
        converter->failed = !tn_arena_fail(change->arena, why, "the changed vertices", change->err);
        return;
    }
    const tenon_span from = mesh->vertices;
    uint64_t stride = layout->stride;
    uint8_t *bytes =
        bbmod_dialects_converter_alloc(converter, from.count, (size_t)stride, "vertices");
    if (!bytes) return;
    for (uint32_t e = 0; e < layout->element_count; e++) {
        const tenon_element *target = &layout->elements[e];
        const tenon_element *source = tn_layout_find(from.layout, target->name);
        size_t size = (size_t)tn_element_size(target);
        for (uint64_t i = 0; i < from.count; i++) {
            uint8_t *to = bytes + i * stride + target->offset;
            if (source)
                memcpy(to, tn_span_record(&from, i) + source->offset, size);
            else if (target->type == TENON_TYPE_U8)
                memset(to, 255, size);
        }
    }
    mesh->vertex_format = format;
    mesh->vertices = (tenon_span){.data = bytes,
                                  .size = from.count * stride,
                                  .count = stride ? from.count : 0,
                                  .layout = layout};
}

// -- Lists of triangles

bool bbmod_bake_to_triangles(bbmod_converter *converter, tenon_bbmod_mesh *mesh)
{
    const tenon_span *from = &mesh->vertices;
    if (mesh->primitive_type == TENON_BBMOD_TRIANGLES) return true;
    if (mesh->primitive_type != TENON_BBMOD_TRIANGLE_STRIP &&
        mesh->primitive_type != TENON_BBMOD_TRIANGLE_FAN)
        return false;
    uint64_t count = bbmod_vertices_triangle_count(mesh), stride = from->layout->stride;
    uint8_t *bytes =
        bbmod_dialects_converter_alloc(converter, 3 * count, (size_t)stride, "vertices");
    if (!bytes) return false;
    for (uint64_t t = 0; t < count; t++) {
        uint64_t corners[3];
        bbmod_vertices_triangle_corners(mesh, t, corners);
        for (uint64_t k = 0; k < 3; k++)
            memcpy(bytes + (3 * t + k) * stride, tn_span_record(from, corners[k]), (size_t)stride);
    }
    mesh->primitive_type = TENON_BBMOD_TRIANGLES;
    mesh->vertices = (tenon_span){
        .data = bytes, .size = 3 * count * stride, .count = 3 * count, .layout = from->layout};
    return true;
}

// -- Transforms

static void bbmod_bake_turn_direction(const tn_mat3 *m, uint8_t *p)
{
    tn_mat4 rotation = tn_mat4_from_mat3(m, (tn_vec3){0, 0, 0});
    tn_vec3 v = bbmod_bake_load3(p);
    double length = tn_vec3_length(v);
    bbmod_bake_store3(p, tn_vec3_scale(tn_vec3_normalise(tn_mat4_vector(&rotation, v)), length));
}

// A matrix and what follows from it for normals and tangents.
typedef struct bbmod_vertex_transform {
    tn_mat4 matrix;
    tn_mat3 upper, for_normals;
} bbmod_vertex_transform;

// The matrix for normals is that of the cofactors, with the sign that keeps them pointing outwards.
static bbmod_vertex_transform bbmod_bake_transform_make(const tn_mat4 *m)
{
    bbmod_vertex_transform transform = {.matrix = *m, .upper = tn_mat4_upper(m)};
    tn_vec3 x = tn_mat3_column(&transform.upper, 0), y = tn_mat3_column(&transform.upper, 1),
            z = tn_mat3_column(&transform.upper, 2);
    double sign = tn_mat3_determinant(&transform.upper) < 0 ? -1 : 1;
    transform.for_normals = tn_mat3_from_columns(tn_vec3_scale(tn_vec3_cross(y, z), sign),
                                                 tn_vec3_scale(tn_vec3_cross(z, x), sign),
                                                 tn_vec3_scale(tn_vec3_cross(x, y), sign));
    return transform;
}

static void bbmod_bake_move_vertex(const bbmod_vertex_transform *transform,
                                   const bbmod_vertex_pointers *p, uint64_t vertex)
{
    uint64_t at = vertex * p->stride;
    if (p->position)
        bbmod_bake_store3(p->position + at,
                          tn_mat4_point(&transform->matrix, bbmod_bake_load3(p->position + at)));
    if (p->normal) bbmod_bake_turn_direction(&transform->for_normals, p->normal + at);
    if (p->tangent) bbmod_bake_turn_direction(&transform->upper, p->tangent + at);
}

void bbmod_bake_move_vertices(tenon_bbmod_mesh *mesh, const tn_mat4 *m)
{
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    bbmod_vertex_transform transform = bbmod_bake_transform_make(m);
    for (uint64_t i = 0; i < mesh->vertices.count; i++) bbmod_bake_move_vertex(&transform, &p, i);
}

// -- Skins

typedef struct bbmod_influence {
    uint32_t slots[4];
    double weights[4];  // Normalized to sum to 1.
    uint32_t count;
} bbmod_influence;

// The influences of a vertex with a weight and an existing bone, with normalized weights.
static bbmod_influence bbmod_bake_influences(const bbmod_vertex_pointers *p, const bbmod_rig *rig,
                                             uint64_t vertex)
{
    bbmod_influence in = {.count = 0};
    uint64_t at = vertex * p->stride;
    double sum = 0;
    for (uint64_t k = 0; p->indices && p->weights && k < 4; k++) {
        float weight = tn_load_f32(p->weights + at + 4 * k, false);
        uint32_t slot =
            bbmod_tree_slot(tn_load_f32(p->indices + at + 4 * k, false), rig->joint_count);
        if (!(weight > 0) || slot == TENON_NONE || !rig->offsets[slot].is_there) continue;
        in.slots[in.count] = slot;
        in.weights[in.count++] = weight;
        sum += weight;
    }
    for (uint32_t k = 0; k < in.count; k++) in.weights[k] /= sum;
    return in;
}

uint64_t bbmod_bake_stretch_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig)
{
    uint64_t differing = 0;
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    for (uint64_t i = 0; i < mesh->vertices.count; i++) {
        bbmod_influence in = bbmod_bake_influences(&p, rig, i);
        if (in.count == 0) continue;
        tn_mat3 mean = {{0}};
        const tn_mat3 *first = &rig->offsets[in.slots[0]].stretch;
        bool differs = false;
        for (uint32_t k = 0; k < in.count; k++) {
            const tn_mat3 *own = &rig->offsets[in.slots[k]].stretch;
            for (int n = 0; n < 9; n++) {
                double difference = own->m[n] - first->m[n];
                mean.m[n] += in.weights[k] * own->m[n];
                if (difference * difference > 1e-10 * first->m[0] * first->m[0]) differs = true;
            }
        }
        differing += differs;
        if (bbmod_rig_is_identity(&mean)) continue;
        tn_mat4 m = tn_mat4_from_mat3(&mean, (tn_vec3){0, 0, 0});
        bbmod_vertex_transform transform = bbmod_bake_transform_make(&m);
        bbmod_bake_move_vertex(&transform, &p, i);
    }
    return differing;
}

void bbmod_bake_pose_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig)
{
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    for (uint64_t i = 0; i < mesh->vertices.count; i++) {
        bbmod_influence in = bbmod_bake_influences(&p, rig, i);
        if (in.count == 0) continue;
        tn_mat4 sum = {{0}};
        for (uint32_t k = 0; k < in.count; k++) {
            uint32_t joint = rig->by_slot[in.slots[k]];
            tn_dquat world = joint == TENON_NONE ? tn_dquat_identity() : rig->joints[joint].world;
            tn_mat4 own = tn_dquat_to_mat4(tn_dquat_mul(world, rig->offsets[in.slots[k]].rigid));
            for (int n = 0; n < 16; n++) sum.m[n] += in.weights[k] * own.m[n];
        }
        bbmod_vertex_transform transform = bbmod_bake_transform_make(&sum);
        bbmod_bake_move_vertex(&transform, &p, i);
    }
}

void bbmod_bake_set_first_weights(tenon_bbmod_mesh *mesh)
{
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    const float weights[4] = {1, 0, 0, 0};
    for (uint64_t i = 0; p.weights && i < mesh->vertices.count; i++)
        tn_copy_numbers(p.weights + i * p.stride, weights, 4, 4, false);
}

void bbmod_bake_bind_vertices(tenon_bbmod_mesh *mesh, uint32_t slot)
{
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    const float indices[4] = {(float)slot, 0, 0, 0};
    for (uint64_t i = 0; p.indices && i < mesh->vertices.count; i++)
        tn_copy_numbers(p.indices + i * p.stride, indices, 4, 4, false);
    bbmod_bake_set_first_weights(mesh);
}

// -- Colors and bounds

void bbmod_bake_swap_colors(tenon_bbmod_mesh *mesh)
{
    bbmod_vertex_pointers p = bbmod_bake_attributes(mesh);
    for (uint64_t i = 0; p.color && i < mesh->vertices.count; i++) {
        uint8_t *color = p.color + i * p.stride, first = color[0];
        color[0] = color[2];
        color[2] = first;
    }
}

void bbmod_bake_set_bounds(tenon_bbmod_mesh *mesh)
{
    if (bbmod_vertices_bounds(&mesh->vertices, mesh->bbox_min, mesh->bbox_max)) return;
    memset(mesh->bbox_min, 0, sizeof mesh->bbox_min);
    memset(mesh->bbox_max, 0, sizeof mesh->bbox_max);
}
