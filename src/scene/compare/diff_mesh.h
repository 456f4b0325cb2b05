// diff_mesh.h: what diff_mesh.c and diff_piece.c share to compare two meshes.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_DIFF_MESH_H
#define TN_SCENE_COMPARE_DIFF_MESH_H

#include "core/math/bounds.h"
#include "scene/compare/diff.h"

// The streams of a vertex.
enum {
    TN_STREAM_POSITIONS,
    TN_STREAM_NORMALS,
    TN_STREAM_TANGENTS,
    TN_STREAM_UVS,
    TN_STREAM_COLORS = TN_STREAM_UVS + TENON_UV_SETS,
    TN_STREAM_WEIGHTS = TN_STREAM_COLORS + TENON_COLOR_SETS,
    TN_STREAM_MORPHS,  // The offsets of all morph targets.
    TN_STREAM_COUNT,
};

// A vertex of a mesh.
typedef struct tn_vertex {
    uint32_t primitive, vertex;
} tn_vertex;

// The vertices that differ in one stream.
typedef struct tn_vertex_difference {
    tn_vertex a, b;  // The first ones.
    uint64_t count;
    double largest;
} tn_vertex_difference;

// A point, line or triangle of a mesh.
typedef struct tn_piece {
    uint32_t primitive, index;  // Index in the primitive.
    uint32_t size;              // Number of corners.
    uint32_t corners[3];
} tn_piece;

typedef struct tn_pieces {
    tn_piece *items;
    uint32_t
        *partners;  // Of the other mesh, times 16, plus flags (diff_piece.c); TENON_NONE: none.
    uint32_t count;
} tn_pieces;

// Two meshes that are compared.
typedef struct tn_mesh_diff {
    tn_diff *diff;
    tn_object_pair pair;
    const tenon_mesh *meshes[2];
    uint32_t skins[2];    // That move the meshes, or TENON_NONE.
    double *weight_sums;  // Of each joint or node; 0 between comparisons.
    tn_bounds bounds[2];  // Of each mesh.
    double reference;     // Distances of positions are shares of this.
    tn_pieces pieces[2];
    uint32_t matched;                  // Pieces that have partners.
    bool has_stream[TN_STREAM_COUNT];  // In any primitive; set by tn_match_pieces().
    tn_vertex_difference differences[TN_STREAM_COUNT];
    tn_vertex_difference assignments;  // Pieces or primitives with another material.
} tn_mesh_diff;

// -- Vertices (diff_mesh.c)

bool tn_has_stream(const tenon_primitive *p, int stream);

// The distance between two vertices in a stream; HUGE_VAL if only one has the stream.
double tn_vertex_distance(const tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b);

// Compare two vertices in a stream and record a difference.
void tn_compare_vertices(tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b);

// Compare the materials of two primitives; if they differ, record the vertices.
void tn_compare_materials(tn_mesh_diff *mesh_diff, tn_vertex a, tn_vertex b);

bool tn_is_same_material(const tn_mesh_diff *mesh_diff, uint32_t a_primitive, uint32_t b_primitive);

// -- Pieces (diff_piece.c)

// List the pieces of both meshes, and pair those that are in the same place.
bool tn_match_pieces(tn_mesh_diff *mesh_diff);

// Record what differs between pieces that are partners.
void tn_compare_pieces(tn_mesh_diff *mesh_diff);

// Report pieces that have no partner or face the other way.
void tn_report_pieces(tn_mesh_diff *mesh_diff);

#endif  // TN_SCENE_COMPARE_DIFF_MESH_H
