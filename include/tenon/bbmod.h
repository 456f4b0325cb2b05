// bbmod.h: the document of a BBMOD file, little-endian, in the words of its own description.
// SPDX-License-Identifier: MIT

#ifndef TENON_BBMOD_H
#define TENON_BBMOD_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which attributes each vertex has, in this order; booleans as stored.
typedef struct tenon_bbmod_vertex_format {
    uint8_t vertices, normals, texture_coords, texture_coords2, colors, tangent_w, bones, ids;
} tenon_bbmod_vertex_format;

typedef struct tenon_bbmod_mesh {
    uint32_t material_index;
    float bbox_min[3], bbox_max[3];
    tenon_bbmod_vertex_format vertex_format;
    uint32_t primitive_type;  // 1 points, 2 lines, 3 line strip, 4 triangles, 5 strip, 6 fan.
    tenon_span vertices;      // Layout as the vertex format says.
} tenon_bbmod_mesh;

typedef struct tenon_bbmod_node {
    tenon_str name;
    float index;  // Holds a whole number: the slot in every frame of an animation.
    uint8_t is_bone;
    float transform[8];  // Dual quaternion: real x, y, z, w, then dual.
    tenon_span meshes;   // u32: indices into the document's meshes.
    uint32_t child_count;
    struct tenon_bbmod_node *children;
} tenon_bbmod_node;

typedef struct tenon_bbmod {
    tenon_doc base;
    uint8_t version_major, version_minor;
    uint32_t mesh_count;
    tenon_bbmod_mesh *meshes;
    uint32_t node_count;  // Of the whole tree.
    tenon_bbmod_node root;
    tenon_span bones;  // index, offset (dual quaternion).
    uint32_t material_count;
    tenon_str *material_names;
} tenon_bbmod;

// `doc` as a BBMOD document, or NULL if it is none.
TENON_API tenon_bbmod *tenon_as_bbmod(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BBMOD_H
