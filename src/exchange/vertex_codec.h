// vertex_codec.h: vertices of files as streams of a primitive, and back.
// SPDX-License-Identifier: MIT
//
// A format says where its records have positions, normals and so on; the loops over the vertices
// are here. What no two formats store in the same way (colors as bytes, joints, counted weights),
// the format does itself.

#ifndef TN_EXCHANGE_VERTEX_CODEC_H
#define TN_EXCHANGE_VERTEX_CODEC_H

#include "scene/model/scene_build.h"

// What the numbers of a stream are.
typedef enum tn_meaning {
    TN_POSITION,
    TN_NORMAL,
    TN_COLOR,
    TN_TANGENT,
    TN_BINORMAL,
    TN_WEIGHTS,
    TN_JOINTS,
    TN_UV0,
    TN_MEANING_COUNT = TN_UV0 + TENON_UV_SETS,
} tn_meaning;

// Where a file stores a stream: f32s in the records of a span.
typedef struct tn_vertex_stream {
    const tenon_span *span;
    uint64_t offset;  // Of the first number, in bytes from the start of a record.
    uint32_t count;   // Numbers; 0: the file does not have this stream.
} tn_vertex_stream;

typedef struct tn_vertices {
    uint64_t count;
    const uint32_t *records;  // The record of each vertex; NULL: all records, in their order.
    bool is_v_up;             // V starts at the bottom of the texture.
    bool is_left_handed;      // As space.h says.
    bool has_skin_joints;     // Joints are those of the skin: four f32s, as are the weights.
    tn_vertex_stream streams[TN_MEANING_COUNT];
} tn_vertices;

// The stream that the element `name` of a span is; "" for a plain array. Its count is 0 if there is
// no such element or no record.
tn_vertex_stream tn_find_stream(const tenon_span *span, const char *name);

// Decode a stream of the `count` vertices from `first` on, in the conventions of scenes: 3 numbers
// of positions, normals and binormals, 2 of texture coordinates, else 4. Numbers that the file does
// not have are 0, the fourth of a color or a tangent is 1. Vertices after the last record are left
// as they are.
void tn_read_stream(const tn_vertices *from, tn_meaning meaning, uint64_t first, uint64_t count,
                    float *out);

// Allocate a primitive with all streams of the file, with those in `with`, as for
// tn_primitive_alloc(), and with `index_count` indices. Without positions it has no vertices.
// Decode all streams but binormals and joints; weights, if `with` has the skin, and joints then too
// if `from` has those of the skin. Joints that are no indices become 0.
void tn_import_vertices(tn_scene_builder *builder, const tn_vertices *from, uint64_t index_count,
                        uint32_t with, tenon_primitive *p);

// Write a primitive to the records at `out`, one for each vertex: all streams of `to` but
// binormals, and weights and joints only if `to` has joints of the skin, and the primitive four for
// each vertex. Missing colors are white. The records are left as they are where the primitive has
// nothing else to write.
void tn_pack_vertices(const tn_vertices *to, const tenon_primitive *p, uint8_t *out);

#endif  // TN_EXCHANGE_VERTEX_CODEC_H
