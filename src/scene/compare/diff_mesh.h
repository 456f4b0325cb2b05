// diff_mesh.h: the parts of comparing two meshes.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_DIFF_MESH_H
#define TN_SCENE_COMPARE_DIFF_MESH_H

#include "scene/compare/diff.h"

// What vertices have.
enum {
    TN_STREAM_POSITIONS,
    TN_STREAM_NORMALS,
    TN_STREAM_TANGENTS,
    TN_STREAM_UVS,
    TN_STREAM_COLORS = TN_STREAM_UVS + TENON_UV_SETS,
    TN_STREAM_WEIGHTS = TN_STREAM_COLORS + TENON_COLOR_SETS,
    TN_STREAM_COUNT,
};

// A vertex of a mesh.
typedef struct tn_vertex {
    uint32_t primitive, vertex;
} tn_vertex;

// What differs in one stream: the first place, how often, and how much at most.
typedef struct tn_vertex_difference {
    tn_vertex a, b;
    uint64_t count;
    double largest;
} tn_vertex_difference;

// A point, line or triangle of a mesh.
typedef struct tn_piece {
    uint32_t primitive, index;  // In the primitive.
    uint32_t size;              // Corners.
    uint32_t corners[3];
} tn_piece;

typedef struct tn_pieces {
    tn_piece *items;
    uint32_t *partners;  // Of the other mesh, times 16, plus the turn; TENON_NONE.
    uint32_t count;
} tn_pieces;

// Two meshes that are compared.
typedef struct tn_mesh_diff {
    tn_diff *diff;
    tn_object_pair pair;
    const tenon_mesh *meshes[2];
    uint32_t skins[2];    // That move them; TENON_NONE.
    double *sums;         // For weights: all 0, for every node of both or every joint.
    double box[2][2][3];  // Of each mesh: least and most.
    double reference;     // What positions are a share of.
    tn_pieces pieces[2];
    uint32_t matched;                  // Pieces that have partners.
    bool has_stream[TN_STREAM_COUNT];  // In any primitive; found with the pieces.
    tn_vertex_difference differences[TN_STREAM_COUNT];
    tn_vertex_difference assignments;  // Pieces with another material.
} tn_mesh_diff;

// Numbers that `sums` needs room for.
uint64_t tn_weight_sum_count(const tn_diff *diff);

// -- Vertices (diff_vertex.c)

// Whether the primitive has the stream.
bool tn_has_stream(const tenon_primitive *p, int stream);

// How far apart two vertices are in a stream that both have; HUGE_VAL if only one has it.
double tn_vertex_distance(const tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b);

// Note it if they differ.
void tn_compare_vertices(tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b);

void tn_report_vertices(tn_mesh_diff *mesh_diff);

// -- Pieces (diff_piece.c)

// Find the pieces of both meshes, and which of them are in the same place.
bool tn_match_pieces(tn_mesh_diff *mesh_diff);

// Note what differs between pieces that are partners.
void tn_count_pieces(tn_mesh_diff *mesh_diff);

// Tell pieces that have no partner, or are inside out.
void tn_report_pieces(tn_mesh_diff *mesh_diff);

#endif  // TN_SCENE_COMPARE_DIFF_MESH_H
