// modeldata.h: the document of a ModelData (.cem) or AnimatedModelData (.cea) file, big-endian, in
// the words of its own description.
// SPDX-License-Identifier: MIT

#ifndef TENON_MODELDATA_H
#define TENON_MODELDATA_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_MODELDATA_ANIMATED = 1 << 0,  // Skeleton and animations follow the model.
};

// The texture maps of a material, in file order.
enum {
    TENON_MODELDATA_DIFFUSE,
    TENON_MODELDATA_NORMAL,
    TENON_MODELDATA_SPECULAR,
    TENON_MODELDATA_DISPLACEMENT,
    TENON_MODELDATA_AMBIENT_OCCLUSION,
    TENON_MODELDATA_ALPHA,
    TENON_MODELDATA_REFLECTION,
    TENON_MODELDATA_GLOW,
    TENON_MODELDATA_MAPS,
};

typedef struct tenon_modeldata_material {
    uint8_t default_diffuse_color, default_glow_color;  // 1: ignore the stored value.
    int16_t map_sizes[TENON_MODELDATA_MAPS];            // Bytes of each name.
    uint8_t default_displacement_factor, default_tiling, default_shininess, default_shine_damping;
    float diffuse_color[3], glow_color[3];
    tenon_str maps[TENON_MODELDATA_MAPS];
    float displacement_factor, tiling, shininess, shine_damping;
    tenon_span leftover;
} tenon_modeldata_material;

typedef struct tenon_modeldata_mesh {
    uint32_t vertices_size, texture_coordinates_size, normals_size, tangents_size, joint_ids_size,
        weights_size, indices_size;                // Bytes.
    uint32_t material_size, collision_shape_size;  // Bytes, times size_factor.
    uint32_t size_factor;  // Inferred: 4 in files of the first releases, else 1.
    tenon_span vertices, texture_coordinates, normals, tangents, joint_ids, weights, indices;
    tenon_modeldata_material material;
    tenon_str collision_shape;
    tenon_span leftover;
} tenon_modeldata_mesh;

typedef struct tenon_modeldata_joint {
    int32_t index;
    int32_t parent_index;  // -1 for the root.
    tenon_str name;
    float inverse_bind_matrix[16];  // Row-major.
    float bind_local_pose[16];
} tenon_modeldata_joint;

typedef struct tenon_modeldata_keys {
    tenon_span keys;  // time, value.
} tenon_modeldata_keys;

typedef struct tenon_modeldata_animation {
    uint32_t name_size;
    uint32_t position_list_count, rotation_list_count, scale_list_count;
    uint32_t *position_key_counts, *rotation_key_counts, *scale_key_counts;
    tenon_str name;
    tenon_modeldata_keys *positions, *rotations, *scales;  // One list for each joint index.
    tenon_span leftover;
} tenon_modeldata_animation;

typedef struct tenon_modeldata {
    tenon_doc base;
    uint32_t model_size, skeleton_size;  // Bytes; animated only.
    uint32_t animation_count;
    uint32_t *animation_sizes;
    uint32_t mesh_count;
    uint32_t *mesh_sizes;
    tenon_modeldata_mesh *meshes;
    tenon_span model_leftover;
    uint32_t joint_count;
    uint32_t *joint_name_sizes;
    tenon_modeldata_joint *joints;
    tenon_span skeleton_leftover;
    tenon_modeldata_animation *animations;
} tenon_modeldata;

// `doc` as ModelData, or NULL if it is none.
TENON_API tenon_modeldata *tenon_as_modeldata(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_MODELDATA_H
