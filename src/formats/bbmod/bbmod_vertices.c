// bbmod_vertices.c: primitive types, triangles and bounds of a mesh; vertices in another format,
// transformed or skinned.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include <float.h>
#include <string.h>

const tenon_element *bbmod_element(const tenon_span *vertices, const char *name)
{
    return vertices->layout ? tn_layout_find(vertices->layout, name) : NULL;
}

tn_vertices bbmod_streams(const tenon_span *vertices)
{
    return (tn_vertices){.is_left_handed = true,
                         .streams = {[TN_POSITION] = tn_find_stream(vertices, "position"),
                                     [TN_NORMAL] = tn_find_stream(vertices, "normal"),
                                     [TN_TANGENT] = tn_find_stream(vertices, "tangent_w"),
                                     [TN_WEIGHTS] = tn_find_stream(vertices, "bone_weights"),
                                     [TN_JOINTS] = tn_find_stream(vertices, "bone_indices"),
                                     [TN_UV0] = tn_find_stream(vertices, "uv1"),
                                     [TN_UV0 + 1] = tn_find_stream(vertices, "uv2")}};
}

const bbmod_primitive *bbmod_vertices_primitive(uint32_t type)
{
    static const bbmod_primitive primitives[] = {
        [TENON_BBMOD_POINTS] = {"points", TENON_POINTS, 1, 1},
        [TENON_BBMOD_LINES] = {"lines", TENON_LINES, 2, 2},
        [TENON_BBMOD_LINE_STRIP] = {"line strip", TENON_LINE_STRIP, 2, 1},
        [TENON_BBMOD_TRIANGLES] = {"triangles", TENON_TRIANGLES, 3, 3},
        [TENON_BBMOD_TRIANGLE_STRIP] = {"triangle strip", TENON_TRIANGLES, 3, 1},
        [TENON_BBMOD_TRIANGLE_FAN] = {"triangle fan", TENON_TRIANGLES, 3, 1},
    };
    bool is_known = type < sizeof primitives / sizeof primitives[0] && primitives[type].word;
    return is_known ? &primitives[type] : NULL;
}

uint64_t bbmod_piece_count(const tenon_bbmod_mesh *mesh)
{
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    uint64_t count = mesh->vertices.count;
    if (!primitive || count < primitive->size) return 0;
    return (count - primitive->size) / primitive->step + 1;
}

uint64_t bbmod_triangle_count(const tenon_bbmod_mesh *mesh)
{
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    return primitive && primitive->size == 3 ? bbmod_piece_count(mesh) : 0;
}

// Every second triangle of a strip has the opposite winding.
void bbmod_triangle_corners(const tenon_bbmod_mesh *mesh, uint64_t triangle, uint64_t corners[3])
{
    uint32_t type = mesh->primitive_type;
    bool is_odd = type == TENON_BBMOD_TRIANGLE_STRIP && triangle % 2 == 1;
    uint64_t first = type == TENON_BBMOD_TRIANGLES ? 3 * triangle : triangle;
    corners[0] = type == TENON_BBMOD_TRIANGLE_FAN ? 0 : first;
    corners[1] = first + (is_odd ? 2 : 1);
    corners[2] = first + (is_odd ? 1 : 2);
}

bool bbmod_box_is_unset(const tenon_bbmod_mesh *mesh)
{
    for (int k = 0; k < 3; k++)
        if (mesh->bbox_min[k] != 0 || mesh->bbox_max[k] != 0) return false;
    return true;
}

bool bbmod_bounds(const tenon_span *vertices, float low[3], float high[3])
{
    const tenon_element *position = bbmod_element(vertices, "position");
    float block[3 * BBMOD_BLOCK];
    for (int k = 0; k < 3; k++) low[k] = FLT_MAX, high[k] = -FLT_MAX;
    for (uint64_t at = 0; position && at < vertices->count; at += BBMOD_BLOCK) {
        uint64_t left = vertices->count - at, count = left < BBMOD_BLOCK ? left : BBMOD_BLOCK;
        tn_span_f32(vertices, position, at, count, block);
        for (uint64_t i = 0; i < count; i++) {
            for (uint64_t k = 0; k < 3; k++) {
                float v = block[3 * i + k];
                low[k] = v < low[k] ? v : low[k];
                high[k] = v > high[k] ? v : high[k];
            }
        }
    }
    return low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2];
}

// -- Attributes of a vertex

// That attribute of the first vertex; NULL if there is none.
static uint8_t *bbmod_attribute(const tenon_bbmod_mesh *mesh, const char *name)
{
    const tenon_element *element = bbmod_element(&mesh->vertices, name);
    // Only bytes that bbmod_reformat() allocated are changed.
    return element ? (uint8_t *)mesh->vertices.data + element->offset : NULL;
}

static tn_vec3 bbmod_load3(const uint8_t *p)
{
    return (tn_vec3){tn_load_f32(p, false), tn_load_f32(p + 4, false), tn_load_f32(p + 8, false)};
}

static void bbmod_store3(uint8_t *p, tn_vec3 v)
{
    const float numbers[3] = {tn_to_float(v.x), tn_to_float(v.y), tn_to_float(v.z)};
    tn_copy_numbers(p, numbers, 3, 4, false);
}

// -- Vertex formats

const tenon_layout *bbmod_bake_layout(bbmod_converter *converter,
                                      const tenon_bbmod_vertex_format *format, uint32_t flags)
{
    const tn_change *change = converter->change;
    const tenon_layout *layout = bbmod_vertex_layout(format, flags, change->arena, change->err);
    return bbmod_expect(converter, layout != NULL) ? layout : NULL;
}

void bbmod_reformat(bbmod_converter *converter, tenon_bbmod_mesh *mesh,
                    tenon_bbmod_vertex_format format, uint32_t flags)
{
    const tenon_span from = mesh->vertices;
    const tenon_layout *layout = bbmod_bake_layout(converter, &format, flags);
    uint64_t stride = layout ? layout->stride : 0;
    uint8_t *bytes = bbmod_alloc(converter, from.count, (size_t)stride, "vertices");
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
    mesh->vertices = bbmod_span(bytes, from.count, layout);
}

// -- Transforms

static void bbmod_turn_direction(const tn_mat3 *m, uint8_t *p)
{
    tn_mat4 rotation = tn_mat4_from_mat3(m, (tn_vec3){0, 0, 0});
    tn_vec3 v = bbmod_load3(p);
    double length = tn_vec3_length(v);
    bbmod_store3(p, tn_vec3_scale(tn_vec3_normalise(tn_mat4_vector(&rotation, v)), length));
}

void bbmod_move_vertices(tenon_bbmod_mesh *mesh, uint64_t first, uint64_t count, const tn_mat4 *m)
{
    uint8_t *position = bbmod_attribute(mesh, "position");
    uint8_t *normal = bbmod_attribute(mesh, "normal");
    uint8_t *tangent = bbmod_attribute(mesh, "tangent_w");
    uint64_t stride = mesh->vertices.layout->stride;
    // The matrix for normals is that of the cofactors, with the sign that keeps them pointing
    // outwards.
    tn_mat3 upper = tn_mat4_upper(m), for_normals = tn_mat3_cofactors(&upper);
    bool is_mirrored = tn_mat3_determinant(&upper) < 0;
    for (int i = 0; i < 9 && is_mirrored; i++) for_normals.m[i] = -for_normals.m[i];
    for (uint64_t i = first; i < first + count; i++) {
        if (position) {
            tn_vec3 point = bbmod_load3(position + i * stride);
            bbmod_store3(position + i * stride, tn_mat4_point(m, point));
        }
        if (normal) bbmod_turn_direction(&for_normals, normal + i * stride);
        if (tangent) bbmod_turn_direction(&upper, tangent + i * stride);
    }
}

// -- Skins

typedef struct bbmod_influence {
    uint32_t slots[4];
    double weights[4];  // Normalized to sum to 1.
    uint32_t count;
} bbmod_influence;

// The influences of a vertex with a weight and an existing bone, with normalized weights.
static bbmod_influence bbmod_influences(const tenon_bbmod_mesh *mesh, const bbmod_rig *rig,
                                        uint64_t vertex)
{
    bbmod_influence in = {.count = 0};
    const uint8_t *indices = bbmod_attribute(mesh, "bone_indices");
    const uint8_t *weights = bbmod_attribute(mesh, "bone_weights");
    uint64_t at = vertex * mesh->vertices.layout->stride;
    double sum = 0;
    for (uint64_t k = 0; indices && weights && k < 4; k++, at += 4) {
        float weight = tn_load_f32(weights + at, false);
        uint32_t slot = bbmod_slot(tn_load_f32(indices + at, false), rig->joint_count);
        if (!(weight > 0) || slot == TENON_NONE || !rig->offsets[slot].is_there) continue;
        in.slots[in.count] = slot;
        in.weights[in.count++] = weight;
        sum += weight;
    }
    for (uint32_t k = 0; k < in.count; k++) in.weights[k] /= sum;
    return in;
}

uint64_t bbmod_stretch_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig)
{
    uint64_t differing = 0;
    for (uint64_t i = 0; i < mesh->vertices.count; i++) {
        bbmod_influence in = bbmod_influences(mesh, rig, i);
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
        bbmod_move_vertices(mesh, i, 1, &m);
    }
    return differing;
}

void bbmod_pose_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig)
{
    for (uint64_t i = 0; i < mesh->vertices.count; i++) {
        bbmod_influence in = bbmod_influences(mesh, rig, i);
        if (in.count == 0) continue;
        tn_mat4 sum = {{0}};
        for (uint32_t k = 0; k < in.count; k++) {
            uint32_t joint = rig->by_slot[in.slots[k]];
            tn_dquat world = joint == TENON_NONE ? tn_dquat_identity() : rig->joints[joint].world;
            tn_mat4 own = tn_dquat_to_mat4(tn_dquat_mul(world, rig->offsets[in.slots[k]].rigid));
            for (int n = 0; n < 16; n++) sum.m[n] += in.weights[k] * own.m[n];
        }
        bbmod_move_vertices(mesh, i, 1, &sum);
    }
}

void bbmod_set_first_weights(tenon_bbmod_mesh *mesh)
{
    uint8_t *weights = bbmod_attribute(mesh, "bone_weights");
    const float first[4] = {1, 0, 0, 0};
    for (uint64_t i = 0; weights && i < mesh->vertices.count; i++)
        tn_copy_numbers(weights + i * mesh->vertices.layout->stride, first, 4, 4, false);
}

void bbmod_bind_vertices(tenon_bbmod_mesh *mesh, uint32_t slot)
{
    uint8_t *indices = bbmod_attribute(mesh, "bone_indices");
    const float first[4] = {(float)slot, 0, 0, 0};
    for (uint64_t i = 0; indices && i < mesh->vertices.count; i++)
        tn_copy_numbers(indices + i * mesh->vertices.layout->stride, first, 4, 4, false);
    bbmod_set_first_weights(mesh);
}

// -- Colors and bounds

void bbmod_swap_colors(tenon_bbmod_mesh *mesh)
{
    uint8_t *colors = bbmod_attribute(mesh, "color");
    for (uint64_t i = 0; colors && i < mesh->vertices.count; i++) {
        uint8_t *color = colors + i * mesh->vertices.layout->stride, first = color[0];
        color[0] = color[2];
        color[2] = first;
    }
}

void bbmod_set_bounds(tenon_bbmod_mesh *mesh)
{
    if (bbmod_bounds(&mesh->vertices, mesh->bbox_min, mesh->bbox_max)) return;
    memset(mesh->bbox_min, 0, sizeof mesh->bbox_min);
    memset(mesh->bbox_max, 0, sizeof mesh->bbox_max);
}
