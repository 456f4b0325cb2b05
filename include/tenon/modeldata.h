// modeldata.h: the document of a ModelData (.cem) or AnimatedModelData (.cea) file, which is
// big-endian, with the names of the format's document; collision shapes.
// SPDX-License-Identifier: MIT

#ifndef TENON_MODELDATA_H
#define TENON_MODELDATA_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags. Whether a file is a ModelData or an AnimatedModelData is detected from its
// structure, unless one of the first two flags is set.
enum {
    TENON_MODELDATA_STATIC = 1 << 0,      // A ModelData: meshes only.
    TENON_MODELDATA_ANIMATED = 1 << 1,    // An AnimatedModelData.
    TENON_MODELDATA_LEGACY = 1 << 2,      // Sizes of materials and shapes are four times too large.
    TENON_MODELDATA_CHARACTERS = 1 << 3,  // Sizes of names count characters (UTF-16), not bytes.
    TENON_MODELDATA_JOINT_SIZES = 1 << 4,  // Sizes of joints are stored instead of sizes of names.
    // Follow the format's document where the engine differs from it or it leaves a choice: flags
    // above 127 are true, scale keys have an effect, and fields marked "inferred in `document`" are
    // used.
    TENON_MODELDATA_DOCUMENT = 1 << 5,
    TENON_MODELDATA_COLUMN_MAJOR = 1 << 6,  // The order of matrices if it cannot be detected.
    TENON_MODELDATA_ORDER_FORCED = 1 << 7,  // Use this order without detecting it.
};

// What the sizes of a mesh's arrays count.
enum {
    TENON_MODELDATA_BYTES,
    TENON_MODELDATA_NUMBERS,         // Floats and integers.
    TENON_MODELDATA_ELEMENTS,        // Vertices, or indices.
    TENON_MODELDATA_ELEMENTS_FLAT,   // Vertices, indices, or single joint ids and weights.
    TENON_MODELDATA_TRIANGLES,       // Vertices, or triangles.
    TENON_MODELDATA_TRIANGLES_FLAT,  // Vertices, triangles, or single joint ids and weights.
    TENON_MODELDATA_SIZE_UNIT_COUNT,
};

// The arrays of a mesh, in file order.
enum {
    TENON_MODELDATA_VERTICES,
    TENON_MODELDATA_TEXTURE_COORDINATES,
    TENON_MODELDATA_NORMALS,
    TENON_MODELDATA_TANGENTS,
    TENON_MODELDATA_JOINT_IDS,
    TENON_MODELDATA_WEIGHTS,
    TENON_MODELDATA_INDICES,
    TENON_MODELDATA_ARRAY_COUNT,
};

// The texture maps of a material, in file order.
enum {
    TENON_MODELDATA_DIFFUSE_MAP,
    TENON_MODELDATA_NORMAL_MAP,
    TENON_MODELDATA_SPECULAR_MAP,
    TENON_MODELDATA_DISPLACEMENT_MAP,
    TENON_MODELDATA_AMBIENT_OCCLUSION_MAP,
    TENON_MODELDATA_ALPHA_MAP,
    TENON_MODELDATA_REFLECTION_MAP,
    TENON_MODELDATA_GLOW_MAP,
    TENON_MODELDATA_MAP_COUNT,
};

// If a default_ flag is set, the engine ignores the value and uses its default: diffuse 1 1 1, glow
// 0 0 0, displacement 0.001, tiling 1, shininess 0.2, shine damping 10.
typedef struct tenon_modeldata_material {
    uint8_t default_diffuse_color, default_glow_color;
    int16_t map_sizes[TENON_MODELDATA_MAP_COUNT];  // Bytes of each name, or characters.
    uint8_t default_displacement_factor, default_tiling, default_shininess, default_shine_damping;
    float diffuse_color[3], glow_color[3];
    tenon_str maps[TENON_MODELDATA_MAP_COUNT];  // Names of files; size 0 if there is none.
    float displacement_factor, tiling, shininess, shine_damping;
    uint32_t omits_defaults;  // Inferred in `document`: 1 if values whose flag is set are absent.
    tenon_span leftover;
} tenon_modeldata_material;

typedef struct tenon_modeldata_mesh {
    uint32_t array_sizes[TENON_MODELDATA_ARRAY_COUNT];  // Bytes, or what size_unit says.
    uint32_t material_size;         // Bytes, times size_factor. 0 if there is no material.
    uint32_t collision_shape_size;  // Bytes, times size_factor.
    uint32_t size_factor;           // Inferred: 4 in files of the first releases, else 1.
    uint32_t size_unit;             // Inferred in `document`: TENON_MODELDATA_BYTES or another.
    // Floats: 3 for a vertex, a normal and a tangent, 2 for texture coordinates, 4 for weights.
    // Integers: 4 for joint ids, 3 for each triangle. In `document` a tangent may have 4 numbers,
    // and a vertex 1 to 8 joint ids and weights; see the layout of the span.
    tenon_span arrays[TENON_MODELDATA_ARRAY_COUNT];
    tenon_span array_leftovers[TENON_MODELDATA_ARRAY_COUNT];  // Bytes of an incomplete element.
    tenon_modeldata_material material;
    tenon_str collision_shape;  // For example "box/1/2/1"; see tenon_modeldata_set_shape().
    tenon_span leftover;
} tenon_modeldata_mesh;

typedef struct tenon_modeldata_joint {
    int32_t index;         // Vertices, children and animations refer to this number.
    int32_t parent_index;  // -1 for the root.
    tenon_str name;
    float inverse_bind_matrix[16];  // Row-major (the translation is 3, 7, 11), or column-major.
    float bind_local_pose[16];
} tenon_modeldata_joint;

typedef struct tenon_modeldata_keys {
    tenon_span keys;  // time in ticks, vec: x y z of a position or scale, x y z w of a rotation,
                      // or three angles.
} tenon_modeldata_keys;

// List number i of positions, rotations and scales belongs to the joint of index i.
typedef struct tenon_modeldata_animation {
    uint32_t name_size;  // Bytes, or characters.
    uint32_t position_list_count, rotation_list_count, scale_list_count;
    uint32_t *position_key_counts, *rotation_key_counts, *scale_key_counts;
    uint32_t rotation_size;  // Inferred in `document`: 3 if rotations are angles, else 4.
    tenon_str name;
    tenon_modeldata_keys *positions, *rotations, *scales;
    tenon_span leftover;
} tenon_modeldata_animation;

// tenon_finalize() recomputes every size, and the counts of keys.
typedef struct tenon_modeldata {
    tenon_doc base;
    uint32_t is_animated;  // Inferred: 1 for an AnimatedModelData (.cea), 0 for a ModelData (.cem).
    // Animated only:
    uint32_t model_size;     // Bytes. 0 if there is no model, not even a count of meshes.
    uint32_t skeleton_size;  // Bytes. 0 if there is no skeleton.
    uint32_t animation_count;
    uint32_t *animation_sizes;  // Bytes.
    // The model, of both kinds:
    uint32_t mesh_count;
    uint32_t *mesh_sizes;  // Bytes.
    tenon_modeldata_mesh *meshes;
    tenon_span model_leftover;
    // Skeleton and animations, animated only:
    uint32_t joint_count;
    uint32_t *joint_sizes;  // Bytes of each name; in some dialects characters, or bytes of joints.
    tenon_modeldata_joint *joints;
    tenon_span skeleton_leftover;
    tenon_modeldata_animation *animations;
    bool is_column_major;   // All matrices are stored column by column, not row by row.
    bool is_order_assumed;  // The order is that of the dialect, because it cannot be detected.
} tenon_modeldata;

// `doc` as ModelData, or NULL if it has another format.
TENON_API tenon_modeldata *tenon_as_modeldata(tenon_doc *doc);

// -- Editing

// Set the collision shape of mesh number `mesh`, or of every mesh if that is TENON_NONE. NULL or ""
// removes it; the engine then uses the convex hull. All sizes are recomputed.
//
// Shapes: convex, triangleMesh, sphere/R, box/X/Y/Z, capsule/R/H, cylinder/X/Y/Z, cone/R/H; for the
// last three, x or z can follow the name; and "compound SHAPE MATRIX ..." with 16 numbers joined by
// '-'. Returns false, with `err` set, for text that the engine cannot parse.
TENON_API bool tenon_modeldata_set_shape(tenon_modeldata *doc, uint32_t mesh, const char *text,
                                         tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_MODELDATA_H
