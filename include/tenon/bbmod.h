// bbmod.h: BBMOD models, animations and material files.
// SPDX-License-Identifier: MIT
//
// Little-endian; names are those of the format's document. One struct serves all versions: fields
// that a dialect does not have are zero and not written.

#ifndef TENON_BBMOD_H
#define TENON_BBMOD_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// -- Models

// Dialect flags. Without TENON_BBMOD_LOWER and TENON_BBMOD_UPPER there is no magic: version 0.
enum {
    TENON_BBMOD_LOWER = 1 << 0,          // The magic is "bbmod", and no minor version follows.
    TENON_BBMOD_UPPER = 1 << 1,          // The magic is "BBMOD", with a minor version.
    TENON_BBMOD_NESTED = 1 << 2,         // Nodes contain meshes, and bones are a tree (v1).
    TENON_BBMOD_NO_BONE_COUNT = 1 << 3,  // Omitted by release 2.2.0 if there are no bones.
    TENON_BBMOD_MATRICES = 1 << 4,       // Transforms are matrices, not dual quaternions.
    TENON_BBMOD_NAMES = 1 << 5,          // Materials have names.
    TENON_BBMOD_BONES = 1 << 6,          // The vertex format has flags for bones,
    TENON_BBMOD_IDS = 1 << 7,            // instance ids,
    TENON_BBMOD_UV2 = 1 << 8,            // and second texture coordinates.
    TENON_BBMOD_BOUNDS = 1 << 9,         // Meshes have bounding boxes,
    TENON_BBMOD_MESH_FORMATS = 1 << 10,  // and separate vertex formats and primitive types.
    TENON_BBMOD_DOCUMENT = 1 << 11,      // Colors are ARGB, as documented.
    // The format's document is ambiguous; these flags are the ways to read it.
    TENON_BBMOD_TEXT_INDEX = 1 << 12,      // Node indices are text, not floats.
    TENON_BBMOD_BARE_OFFSETS = 1 << 13,    // Bone offsets are stored without an index.
    TENON_BBMOD_BYTE_PRIMITIVE = 1 << 14,  // Primitive types have 8 bits, not 32.
    TENON_BBMOD_NO_WEIGHTS = 1 << 15,      // Vertices have bone indices, but no weights.
};

// Which attributes each vertex has, in this order; booleans as stored.
typedef struct tenon_bbmod_vertex_format {
    uint8_t vertices, normals, texture_coords, texture_coords2, colors, tangent_w, bones, ids;
} tenon_bbmod_vertex_format;

// GameMaker's primitive types.
typedef enum tenon_bbmod_primitive {
    TENON_BBMOD_POINTS = 1,
    TENON_BBMOD_LINES = 2,
    TENON_BBMOD_LINE_STRIP = 3,
    TENON_BBMOD_TRIANGLES = 4,
    TENON_BBMOD_TRIANGLE_STRIP = 5,
    TENON_BBMOD_TRIANGLE_FAN = 6,  // Not in the format's document.
} tenon_bbmod_primitive;

typedef struct tenon_bbmod_mesh {
    uint32_t material_index;
    float bbox_min[3], bbox_max[3];           // Version 3.1 and later; all zero: unset.
    tenon_bbmod_vertex_format vertex_format;  // Before 3.2 a copy of the model's.
    uint32_t primitive_type;                  // tenon_bbmod_primitive; before 3.2 triangles.
    tenon_span vertices;                      // Laid out by the vertex format.
    uint32_t bare_vertex_count;  // Vertices without attributes: the file stores only their number,
                                 // and they are not in `vertices`.
} tenon_bbmod_mesh;

typedef struct tenon_bbmod_node {
    tenon_str name;
    float index;           // A whole number: the slot in each frame of an animation.
    tenon_str index_text;  // With TENON_BBMOD_TEXT_INDEX, instead of `index`.
    uint8_t is_bone;
    // Relative to the parent. A dual quaternion (real x, y, z, w, then dual); in version 2 a matrix
    // with four rows, for row vectors.
    float transform[16];
    tenon_span meshes;  // u32: indices into the document's meshes.
    uint32_t child_count;
    struct tenon_bbmod_node *children;
} tenon_bbmod_node;

// A node of version 1. It has no transform; its meshes are in the model's space.
typedef struct tenon_bbmod_v1_node {
    tenon_str name;
    uint32_t mesh_count;
    tenon_bbmod_mesh *meshes;
    uint32_t child_count;
    struct tenon_bbmod_v1_node *children;
} tenon_bbmod_v1_node;

// A bone of version 1. The skeleton contains all nodes, also those that are not bones.
typedef struct tenon_bbmod_v1_bone {
    tenon_str name;
    float index;          // -1 if it is not a bone.
    float transform[16];  // Relative to the parent; see `column_vectors`.
    float offset[16];     // From the mesh to the bone.
    uint32_t child_count;
    struct tenon_bbmod_v1_bone *children;
} tenon_bbmod_v1_bone;

typedef struct tenon_bbmod {
    tenon_doc base;
    uint8_t version_major, version_minor;     // The minor version is 0 if not stored.
    tenon_bbmod_vertex_format vertex_format;  // Of all meshes, before 3.2.
    float inverse_transform[16];              // Versions 1 and 2: inverse of the root's transform.
    uint32_t mesh_count;                      // 0 in version 1, where nodes contain the meshes.
    tenon_bbmod_mesh *meshes;
    uint32_t node_count;  // Of the whole tree.
    tenon_bbmod_node root;
    tenon_span bones;  // index, offset (a dual quaternion; in version 2 a matrix).
    tenon_bbmod_v1_node v1_root;
    uint32_t v1_bone_count;  // As stored; if it is 0, there is no skeleton.
    tenon_bbmod_v1_bone v1_skeleton;
    uint32_t column_vectors;  // Version 1: 1 if translations of matrices are at 3, 7 and 11, not 12
                              // to 14.
    uint32_t material_count;
    tenon_str *material_names;  // NULL in dialect "1a", which stores only their number.
    bool is_cut;                // Reading stopped early: the remaining fields are zero.
} tenon_bbmod;

// `doc` as a BBMOD model, or NULL if it is not one.
TENON_API tenon_bbmod *tenon_as_bbmod(tenon_doc *doc);

// -- Animations

// Dialect flags. Without TENON_BBANIM_LOWER the magic is "BBANIM".
enum {
    TENON_BBANIM_LOWER = 1 << 0,       // The magic is "bbanim".
    TENON_BBANIM_MINOR = 1 << 1,       // A minor version is stored.
    TENON_BBANIM_KEYFRAMES = 1 << 2,   // Channels with keys instead of baked frames (v1, v2).
    TENON_BBANIM_NODES = 1 << 3,       // Channels are for nodes (v2), not bones (v1).
    TENON_BBANIM_EVENTS = 1 << 4,      // Events follow the frames.
    TENON_BBANIM_DOCUMENT = 1 << 5,    // As documented: one frame, in parent space.
    TENON_BBANIM_ALL_SPACES = 1 << 6,  // As documented, but with all spaces.
    TENON_BBANIM_REPEATED = 1 << 7,    // Each frame is the list of all frames (a bug).
    TENON_BBANIM_ALL_FRAMES = 1 << 8,  // As documented, but with all frames.
};

// What transforms in frames are relative to; bits of `spaces`.
enum {
    TENON_BBANIM_PARENT = 1 << 0,
    TENON_BBANIM_WORLD = 1 << 1,  // The model's space.
    TENON_BBANIM_BONE = 1 << 2,   // World space after the bone's offset: what skinning needs.
};

typedef struct tenon_bbanim_channel {
    float index;           // Of the node, or of the bone in version 1.
    tenon_span positions;  // time (f64, in tics), position
    tenon_span rotations;  // time, rotation (quaternion x, y, z, w)
} tenon_bbanim_channel;

typedef struct tenon_bbanim_event {
    double frame;
    tenon_str name;
} tenon_bbanim_event;

typedef struct tenon_bbanim {
    tenon_doc base;
    uint8_t version_major, version_minor;
    uint8_t spaces;   // TENON_BBANIM_PARENT and so on.
    double duration;  // In tics; with baked frames, their number.
    double tics_per_second;
    uint32_t model_node_count;  // Not in version 1.
    uint32_t model_bone_count;  // Not in version 2.
    uint32_t channel_count;     // Versions 1 and 2.
    tenon_bbanim_channel *channels;
    uint32_t frame_count;  // Stored frames; computed from the duration.
    tenon_span frames;     // parent, world, bone, depending on `spaces`: a dual quaternion for each
                           // node or bone.
    uint32_t has_events;   // Before 3.4: events were appended although the version has none.
    uint32_t event_count;
    tenon_bbanim_event *events;
    bool is_cut;  // Reading stopped early: the remaining fields are zero.
} tenon_bbanim;

// `doc` as a BBMOD animation, or NULL if it is not one.
TENON_API tenon_bbanim *tenon_as_bbanim(tenon_doc *doc);

// -- Materials

// A texture of a material and its slot, for example "BaseOpacity" or "NormalRoughness".
typedef struct tenon_bbmat_texture {
    tenon_str slot;
    tenon_str path;  // Relative to the material file; with / or \.
} tenon_bbmat_texture;

// A material file: one JSON object. The members are what most tools need; tenon_bbmat_get() gives
// all other values. Do not change members, use the tenon_bbmat_set functions, which update them.
typedef struct tenon_bbmat {
    tenon_str material_name;            // "__MaterialName": the base material; "" if unknown.
    double base_opacity_multiplier[4];  // Red, green, blue 0 to 255 (255), alpha 0 to 1 (1).
    double texture_offset[2], texture_scale[2];  // (0, 0 and 1, 1.)
    uint32_t texture_count;
    const tenon_bbmat_texture *textures;  // In the order of the file.
    struct tenon_bbmat_owner *owner;      // Private.
} tenon_bbmat;

// Read a material from memory, which is copied. Only the options `allocator` and `max_memory` (4
// MiB
// + 64 times the input) are used; `opts` and `err` may be NULL. Returns NULL on failure; free the
// result with tenon_bbmat_free().
TENON_API tenon_bbmat *tenon_bbmat_read(const void *data, size_t size, const tenon_read_opts *opts,
                                        tenon_error *err);

// Free a material and all it owns. NULL is fine.
TENON_API void tenon_bbmat_free(tenon_bbmat *material);

// The value at `path`, keys separated by dots ("__Textures.BaseOpacity"): the content of a string,
// or the JSON text of a number, boolean or null. The data is NULL if there is no such value, and
// valid until the material is freed.
TENON_API tenon_str tenon_bbmat_get(const tenon_bbmat *material, const char *path);

// Change the value at `path`, or add it after the others; the objects that contain it must exist.
// Returns false, with the material unchanged, on failure.
TENON_API bool tenon_bbmat_set_text(tenon_bbmat *material, const char *path, const char *text,
                                    tenon_error *err);
TENON_API bool tenon_bbmat_set_number(tenon_bbmat *material, const char *path, double number,
                                      tenon_error *err);

// Pass the text of the material to `write`. Unchanged parts, including unknown keys, are written
// with the bytes that were read.
TENON_API bool tenon_bbmat_write(const tenon_bbmat *material, tenon_write_fn *write, void *user,
                                 tenon_error *err);

// Find the file of a material: "MODEL_MATERIAL.bbmat" next to the model, else "MATERIAL.bbmat".
// Returns false if neither exists, or the name leads out of the folder. `files` may be NULL.
TENON_API bool tenon_bbmat_find(const struct tenon_files *files, const char *model_path,
                                tenon_str material, char *out, size_t out_size);

// The clip name of an animation file: "walk" for "hero_walk.bbanim" if the model is "hero.bbmod",
// else the file name without its extension.
TENON_API tenon_str tenon_bbanim_clip(const char *model_path, const char *animation_path);

// Pass the names of the files next to a model that are named like its animations,
// "MODEL_CLIP.bbanim", to `fn`: without a folder, sorted by bytes. The files are not read. `files`
// and `allocator` may be NULL. Returns false if the folder cannot be listed or memory ran out. If
// `files` has no list function, there are no animations.
TENON_API bool tenon_bbanim_find(const struct tenon_files *files, const char *model_path,
                                 const tenon_allocator *allocator, tenon_sidecar_fn *fn, void *user,
                                 tenon_error *err);

// Whether the node and bone counts of an animation match the model.
TENON_API bool tenon_bbanim_fits(const tenon_bbanim *animation, const tenon_bbmod *model);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BBMOD_H
