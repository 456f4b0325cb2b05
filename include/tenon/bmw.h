// bmw.h: the document of a BMW file, little-endian, in the words of its own description.
// SPDX-License-Identifier: MIT

#ifndef TENON_BMW_H
#define TENON_BMW_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_BMW_NAMES = 1 << 0,             // A block of node names at the end.
    TENON_BMW_ANIMATIONS_FIRST = 1 << 1,  // Animations stand before the meshes, not at the end.
    TENON_BMW_FRAMES_INFERRED = 1 << 2,  // The duration is lost; frames are counted by their looks.
};

typedef struct tenon_bmw_material {
    uint32_t texture_count;
    tenon_str *textures;
} tenon_bmw_material;

typedef struct tenon_bmw_bone {
    uint32_t node_id;
    uint32_t frame_count;  // Not stored: duration + 1, or inferred.
    tenon_span frames;     // f32[16] each: a matrix that is ready for skinning.
} tenon_bmw_bone;

typedef struct tenon_bmw_animation {
    uint32_t duration;  // Ticks.
    uint32_t rate;      // Ticks per second.
    uint32_t bone_count;
    tenon_bmw_bone *bones;
} tenon_bmw_animation;

typedef struct tenon_bmw_mesh {
    tenon_span weighted_vertices;  // vertex_id, influence_count; tail: node_id, weight.
    tenon_span vertices;           // position, color, uv, normal.
    tenon_span faces;              // u32[3]
} tenon_bmw_mesh;

typedef struct tenon_bmw_node {
    uint32_t node_id;
    float transform[16];
    tenon_span meshes;  // u32: indices into the document's meshes.
    uint32_t child_count;
    struct tenon_bmw_node *children;
} tenon_bmw_node;

typedef struct tenon_bmw_name {
    uint32_t node_id;
    tenon_str name;
} tenon_bmw_name;

typedef struct tenon_bmw {
    tenon_doc base;
    uint32_t material_count;
    tenon_bmw_material *materials;
    uint32_t animation_count;
    tenon_bmw_animation *animations;
    uint32_t mesh_count;
    tenon_bmw_mesh *meshes;
    tenon_bmw_node root;
    uint32_t name_count;
    tenon_bmw_name *names;
} tenon_bmw;

// `doc` as a BMW document, or NULL if it is none.
TENON_API tenon_bmw *tenon_as_bmw(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BMW_H
