// bbmod_vertices.c: primitive types, triangles and bounds of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <float.h>

const tenon_element *bbmod_vertices_element(const tenon_span *vertices, const char *name)
{
    return vertices->layout ? tn_layout_find(vertices->layout, name) : NULL;
}

tn_vertices bbmod_vertices_streams(const tenon_span *vertices)
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

uint64_t bbmod_vertices_piece_count(const tenon_bbmod_mesh *mesh)
{
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    uint64_t count = mesh->vertices.count;
    if (!primitive || count < primitive->size) return 0;
    return (count - primitive->size) / primitive->step + 1;
}

uint64_t bbmod_vertices_triangle_count(const tenon_bbmod_mesh *mesh)
{
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    return primitive && primitive->size == 3 ? bbmod_vertices_piece_count(mesh) : 0;
}

// Every second triangle of a strip has the opposite winding.
void bbmod_vertices_triangle_corners(const tenon_bbmod_mesh *mesh, uint64_t triangle,
                                     uint64_t corners[3])
{
    uint32_t type = mesh->primitive_type;
    bool is_odd = type == TENON_BBMOD_TRIANGLE_STRIP && triangle % 2 == 1;
    uint64_t first = type == TENON_BBMOD_TRIANGLES ? 3 * triangle : triangle;
    corners[0] = type == TENON_BBMOD_TRIANGLE_FAN ? 0 : first;
    corners[1] = first + (is_odd ? 2 : 1);
    corners[2] = first + (is_odd ? 1 : 2);
}

bool bbmod_vertices_box_is_unset(const tenon_bbmod_mesh *mesh)
{
    for (int k = 0; k < 3; k++)
        if (mesh->bbox_min[k] != 0 || mesh->bbox_max[k] != 0) return false;
    return true;
}

bool bbmod_vertices_bounds(const tenon_span *vertices, float low[3], float high[3])
{
    const tenon_element *position = bbmod_vertices_element(vertices, "position");
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
