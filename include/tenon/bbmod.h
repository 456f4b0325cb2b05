// bbmod.h: the documents of BBMOD models and animations, and the materials beside them.
// SPDX-License-Identifier: MIT
//
// Little-endian, in the words of the format's own description. One struct serves all generations;
// what a dialect does not have is left zero, and not written.

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
    TENON_BBMOD_NESTED = 1 << 2,         // Nodes hold their meshes, and bones are a tree (v1).
    TENON_BBMOD_NO_BONE_COUNT = 1 << 3,  // Left out by release 2.2.0 where there are no bones.
    TENON_BBMOD_MATRICES = 1 << 4,       // Transforms are matrices, not dual quaternions.
    TENON_BBMOD_NAMES = 1 << 5,          // Materials have names.
    TENON_BBMOD_BONES = 1 << 6,          // The vertex format knows bones,
    TENON_BBMOD_IDS = 1 << 7,            // instance ids,
    TENON_BBMOD_UV2 = 1 << 8,            // and second texture coordinates.
    TENON_BBMOD_BOUNDS = 1 << 9,         // Meshes have bounding boxes,
    TENON_BBMOD_MESH_FORMATS = 1 << 10,  // and vertex formats and primitive types of their own.
    TENON_BBMOD_DOCUMENT = 1 << 11,      // Colors are argb, as the format's text says.
    // The text says some things twice or not at all; its dialects are the ways to read it.
    TENON_BBMOD_TEXT_INDEX = 1 << 12,      // Indices of nodes are text, not floats.
    TENON_BBMOD_BARE_OFFSETS = 1 << 13,    // Offsets of bones have no index in front.
    TENON_BBMOD_BYTE_PRIMITIVE = 1 << 14,  // Primitive types are a byte, not 32 bits.
    TENON_BBMOD_NO_WEIGHTS = 1 << 15,      // Bones take 16 bytes of a vertex: indices alone.
};

// Which attributes each vertex has, in this order; booleans as stored.
typedef struct tenon_bbmod_vertex_format {
    uint8_t vertices, normals, texture_coords, texture_coords2, colors, tangent_w, bones, ids;
} tenon_bbmod_vertex_format;

// What a mesh is made of.
typedef enum tenon_bbmod_primitive {
    TENON_BBMOD_POINTS = 1,
    TENON_BBMOD_LINES = 2,
    TENON_BBMOD_LINE_STRIP = 3,
    TENON_BBMOD_TRIANGLES = 4,
    TENON_BBMOD_TRIANGLE_STRIP = 5,
    TENON_BBMOD_TRIANGLE_FAN = 6,  // GameMaker has it, the format's text does not.
} tenon_bbmod_primitive;

typedef struct tenon_bbmod_mesh {
    uint32_t material_index;
    float bbox_min[3], bbox_max[3];           // From 3.1 on; all zero there means unset.
    tenon_bbmod_vertex_format vertex_format;  // Below 3.2 a copy of the model's.
    uint32_t primitive_type;                  // tenon_bbmod_primitive; below 3.2 always triangles.
    tenon_span vertices;                      // Layout as the vertex format says.
    uint32_t bare_vertex_count;  // Vertices of a format without any attribute: they are counted in
                                 // the file, but have no bytes, and are not in `vertices`.
} tenon_bbmod_mesh;

typedef struct tenon_bbmod_node {
    tenon_str name;
    float index;           // Holds a whole number: the slot in every frame of an animation.
    tenon_str index_text;  // With TENON_BBMOD_TEXT_INDEX, instead of `index`.
    uint8_t is_bone;
    // Relative to the parent. A dual quaternion, real x, y, z, w, then dual; in version 2 a matrix
    // of four rows, for row vectors.
    float transform[16];
    tenon_span meshes;  // u32: indices into the document's meshes.
    uint32_t child_count;
    struct tenon_bbmod_node *children;
} tenon_bbmod_node;

// A node of version 1, which has no place of its own: its meshes are in the model's space.
typedef struct tenon_bbmod_v1_node {
    tenon_str name;
    uint32_t mesh_count;
    tenon_bbmod_mesh *meshes;
    uint32_t child_count;
    struct tenon_bbmod_v1_node *children;
} tenon_bbmod_v1_node;

// A node of version 1 once more, as a part of the skeleton.
typedef struct tenon_bbmod_v1_bone {
    tenon_str name;
    float index;          // -1 if it is no bone.
    float transform[16];  // Relative to the parent; see `column_vectors`.
    float offset[16];     // From the mesh to the bone.
    uint32_t child_count;
    struct tenon_bbmod_v1_bone *children;
} tenon_bbmod_v1_bone;

typedef struct tenon_bbmod {
    tenon_doc base;
    uint8_t version_major, version_minor;     // 0 for the minor one where it is not stored.
    tenon_bbmod_vertex_format vertex_format;  // Of all meshes; below 3.2.
    float inverse_transform[16];              // Versions 1 and 2: inverse of the root's transform.
    uint32_t mesh_count;                      // 0 in version 1, where nodes hold the meshes.
    tenon_bbmod_mesh *meshes;
    uint32_t node_count;  // Of the whole tree.
    tenon_bbmod_node root;
    tenon_span bones;  // index, offset: a dual quaternion, or a matrix in version 2.
    tenon_bbmod_v1_node v1_root;
    uint32_t v1_bone_count;  // As stored; the skeleton is there unless it is 0.
    tenon_bbmod_v1_bone v1_skeleton;
    uint32_t
        column_vectors;  // Version 1: 1 if matrices have translations at 3, 7, 11, not 12 to 14.
    uint32_t material_count;
    tenon_str *material_names;  // NULL in dialect "1a", which only counts materials.
    bool is_cut;                // Reading ended early: what was not reached is zero.
} tenon_bbmod;

// `doc` as a BBMOD model, or NULL if it is none.
TENON_API tenon_bbmod *tenon_as_bbmod(tenon_doc *doc);

// -- Animations

// Dialect flags. Without TENON_BBANIM_LOWER the magic is "BBANIM".
enum {
    TENON_BBANIM_LOWER = 1 << 0,       // The magic is "bbanim".
    TENON_BBANIM_MINOR = 1 << 1,       // A minor version is stored.
    TENON_BBANIM_KEYFRAMES = 1 << 2,   // Channels with keys instead of baked frames (v1, v2).
    TENON_BBANIM_NODES = 1 << 3,       // Of those: channels are for nodes (v2), not bones (v1).
    TENON_BBANIM_EVENTS = 1 << 4,      // Events follow the frames.
    TENON_BBANIM_DOCUMENT = 1 << 5,    // The format's text: one frame, in parent space.
    TENON_BBANIM_ALL_SPACES = 1 << 6,  // Of the text, but with all spaces that are named.
    TENON_BBANIM_REPEATED = 1 << 7,    // Each frame is the list of all frames: a saver's mistake.
    TENON_BBANIM_ALL_FRAMES = 1 << 8,  // Of the text, but as many frames as the duration says.
};

// What frames are relative to; bits of `spaces`.
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
    double duration;  // In tics; with baked frames, how many there are.
    double tics_per_second;
    uint32_t model_node_count;  // Not in version 1.
    uint32_t model_bone_count;  // Not in version 2.
    uint32_t channel_count;     // Versions 1 and 2, as are channels.
    tenon_bbanim_channel *channels;
    uint32_t frame_count;  // That are stored; found from the duration.
    tenon_span frames;     // parent, world, bone, as far as `spaces` says: a dual quaternion for
                           // each node, or bone.
    uint32_t has_events;   // Below 3.4: the runtime's saver has appended events nevertheless.
    uint32_t event_count;
    tenon_bbanim_event *events;
    bool is_cut;  // Reading ended early: what was not reached is zero.
} tenon_bbanim;

// `doc` as a BBMOD animation, or NULL if it is none.
TENON_API tenon_bbanim *tenon_as_bbanim(tenon_doc *doc);

// -- Materials

// A texture of a material, and what it is for: "BaseOpacity", "NormalRoughness" and so on.
typedef struct tenon_bbmat_texture {
    tenon_str slot;
    tenon_str path;  // Relative to the material file; slashes of either kind.
} tenon_bbmat_texture;

// A material file: one JSON object. These are the values that most tools need; all others can be
// had with tenon_bbmat_get(). To change something, use the functions: the members follow.
typedef struct tenon_bbmat {
    tenon_str material_name;            // "__MaterialName": what it is based on; "" if unknown.
    double base_opacity_multiplier[4];  // Red, green, blue 0 to 255, alpha 0 to 1 (all the most).
    double texture_offset[2], texture_scale[2];  // (0, 0 and 1, 1.)
    uint32_t texture_count;
    const tenon_bbmat_texture *textures;  // In the order of the file.
    struct tenon_bbmat_owner *owner;      // Private.
} tenon_bbmat;

// Read a material from memory, which is copied. Of the options, `allocator` and `max_memory` (4 MiB
// + 64 times the input) count. Returns NULL on failure; free the result with tenon_bbmat_free().
TENON_API tenon_bbmat *tenon_bbmat_read(const void *data, size_t size, const tenon_read_opts *opts,
                                        tenon_error *err);

// Free a material and all it owns. NULL is fine.
TENON_API void tenon_bbmat_free(tenon_bbmat *material);

// The value at `path`, keys with dots between ("__Textures.BaseOpacity"): the content of a string,
// or the text of anything else but objects and lists. Its data is NULL if there is no such value,
// and valid until the material is freed.
TENON_API tenon_str tenon_bbmat_get(const tenon_bbmat *material, const char *path);

// Give the key at `path` another value, or add it behind the others; the objects on the way must
// exist. Returns false, with the material as it was, if that is not possible.
TENON_API bool tenon_bbmat_set_text(tenon_bbmat *material, const char *path, const char *text,
                                    tenon_error *err);
TENON_API bool tenon_bbmat_set_number(tenon_bbmat *material, const char *path, double number,
                                      tenon_error *err);

// Hand the text of the material to `write`: byte for byte what was read where nothing was changed,
// unknown keys included.
TENON_API bool tenon_bbmat_write(const tenon_bbmat *material, tenon_write_fn *write, void *user,
                                 tenon_error *err);

// Where the file of a material is: "MODEL_MATERIAL.bbmat" beside the model, else "MATERIAL.bbmat".
// Returns false if there is neither, or the name leads out of the folder. `files` may be NULL.
TENON_API bool tenon_bbmat_find(const struct tenon_files *files, const char *model_path,
                                tenon_str material, char *out, size_t out_size);

// The clip that a file of an animation holds, by its name: "walk" of "hero_walk.bbanim" if the
// model is "hero.bbmod", else the name without its extension.
TENON_API tenon_str tenon_bbanim_clip(const char *model_path, const char *animation_path);

// Report the files beside a model that are named as its animations, "MODEL_CLIP.bbanim", to `fn`:
// names without a folder, in their order as bytes. None of them is read. `files` and `allocator`
// may be NULL. Returns false if the folder cannot be listed or memory ran out; where `files` cannot
// list folders there are no animations.
TENON_API bool tenon_bbanim_find(const struct tenon_files *files, const char *model_path,
                                 const tenon_allocator *allocator, tenon_side_fn *fn, void *user,
                                 tenon_error *err);

// Whether an animation is for as many nodes and bones as the model has.
TENON_API bool tenon_bbanim_fits(const tenon_bbanim *animation, const tenon_bbmod *model);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BBMOD_H
