// bmw.h: the document of a BMW file, which is little-endian, and its JSON sidecar. Names are those
// of the format's own text.
// SPDX-License-Identifier: MIT

#ifndef TENON_BMW_H
#define TENON_BMW_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags. The header says "Version 1" in all of them.
enum {
    TENON_BMW_NAMES = 1 << 0,              // A block of node names at the end.
    TENON_BMW_ANIMATIONS = 1 << 1,         // A block of animations, after the nodes.
    TENON_BMW_ANIMATIONS_FIRST = 1 << 2,   // That block is before the meshes instead.
    TENON_BMW_NODE_IDS = 1 << 3,           // Nodes have ids.
    TENON_BMW_WEIGHTS = 1 << 4,            // Meshes have weights.
    TENON_BMW_FACES = 1 << 5,              // Meshes have faces.
    TENON_BMW_FRAMES_INFERRED = 1 << 6,    // No durations; frames are found by their last row.
    TENON_BMW_FRAMES_LITERAL = 1 << 7,     // A bone has `duration` frames, not one more.
    TENON_BMW_ROW_MAJOR = 1 << 8,          // Matrices are row-major if nothing shows their order.
    TENON_BMW_ORDER_FORCED = 1 << 9,       // That order is used even if something shows another.
    TENON_BMW_HEADER_BARE = 1 << 10,       // No NUL ends the header.
    TENON_BMW_HEADER_NEWLINE = 1 << 11,    // A newline follows the header, before its NUL.
    TENON_BMW_HEADER_NUL_FIRST = 1 << 12,  // That newline is after the NUL instead.
    TENON_BMW_HEADER_RETURN = 1 << 13,     // A carriage return precedes that newline.
};

typedef struct tenon_bmw_material {
    uint32_t texture_count;
    tenon_str *textures;  // Relative to the folder of all models.
} tenon_bmw_material;

typedef struct tenon_bmw_bone {
    uint32_t node_id;
    uint32_t frame_count;  // Equal to frames.count if the dialect has no durations; else 0.
    tenon_span frames;     // f32[16]: a skinning matrix for each tick.
} tenon_bmw_bone;

typedef struct tenon_bmw_animation {
    uint32_t duration;  // Ticks, one less than frames; unused if the dialect has no durations.
    uint32_t rate;      // Ticks per second; unused if the dialect has no durations.
    uint32_t bone_count;
    tenon_bmw_bone *bones;
} tenon_bmw_animation;

typedef struct tenon_bmw_mesh {
    tenon_span weighted_vertices;  // vertex_id, influence_count; tail: node_id, weight.
    tenon_span vertices;           // position, color, uv, normal.
    tenon_span faces;              // u32[3]
} tenon_bmw_mesh;

typedef struct tenon_bmw_node {
    uint32_t node_id;     // 0 if the dialect has no ids.
    float transform[16];  // Local to the parent, in the order of the file.
    tenon_span meshes;    // u32: indices into the document's meshes.
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
    bool is_row_major;      // All matrices in the file are row-major, not column-major.
    bool is_order_assumed;  // No translation shows the order, so it is the dialect's usual one.
} tenon_bmw;

// `doc` as a BMW document, or NULL if it has another format.
TENON_API tenon_bmw *tenon_as_bmw(tenon_doc *doc);

// Find which nodes of `model` the bones of an animation of `other` move. Nodes are matched by name,
// as in the engine; a bone without a match keeps its id.
//
// `node_ids` (may be NULL) gets `animation->bone_count` ids, *unmatched (may be NULL) the number of
// bones without a match. Returns false if out of memory.
TENON_API bool tenon_bmw_match(const tenon_bmw *model, const tenon_bmw *other,
                               const tenon_bmw_animation *animation, uint32_t *node_ids,
                               uint32_t *unmatched, tenon_error *err);

// -- The sidecar

// A named part of an animation: ticks `start` to `end`, or the animation of another file. A clip
// with neither plays nothing; the text is faulty.
typedef struct tenon_bmw_clip {
    tenon_str name;           // Size 0: the text has no usable name.
    bool has_range;           // `start` and `end` are set.
    double start, end;        // Ticks.
    tenon_str file;           // Another model, of which animation 0 is played; size 0: none.
    bool loop, hold;          // Both false: the default clip follows.
    bool has_loop, has_hold;  // In the text; written even if it is the default, false.
    void *origin;  // Private; NULL in a new clip. Copies of a clip keep it, and its unknown keys.
} tenon_bmw_clip;

// A value of a sidecar that cannot be used. It is ignored.
typedef struct tenon_bmw_sidecar_fault {
    tenon_str path;         // "clips[2].start"
    uint64_t line, column;  // From 1.
    tenon_str message;      // "'start' must be a number, not a string"
} tenon_bmw_sidecar_fault;

// The values in `name.json`, the sidecar of the model `name.bmw`. The engine's defaults, which are
// given in parentheses, replace what the text does not contain.
typedef struct tenon_bmw_sidecar {
    tenon_str default_anim;    // ("idle")
    double rotation;           // Degrees (0)
    double rotation_angle[3];  // about this axis, which need not be of length 1 ("0 1 0").
    double translation[3];     // ("0 0 0")
    double scale[3];           // Applied first, then the rotation, then the translation ("1 1 1").
    uint32_t clip_count;
    tenon_bmw_clip *clips;
    uint32_t texture_override_count;
    tenon_str *texture_overrides;  // Item i replaces texture i, counted over all materials.
                                   // `data` NULL: it does not, because the text is faulty.
    uint32_t ignored_count;
    tenon_str *ignored;           // Paths of keys that the engine ignores ("clips[2].mode").
    uint64_t fault_count;         // Values that cannot be used.
    uint32_t listed_fault_count;  // The first of them, at most 100, are listed.
    tenon_bmw_sidecar_fault *faults;
    struct tenon_bmw_sidecar_owner *owner;  // Private.
} tenon_bmw_sidecar;

// Read a sidecar from memory; the text is copied. The options `allocator` and `max_memory` (4 MiB +
// 64 times the text) are used, the others are not. For a new sidecar, read the text "{}".
//
// Text that is not a JSON object is an error with its line and column. A value of the wrong type is
// ignored and listed in `faults`. Returns NULL on failure; free the result with
// tenon_bmw_sidecar_free().
TENON_API tenon_bmw_sidecar *tenon_bmw_sidecar_read(const char *text, size_t size,
                                                    const tenon_read_opts *opts, tenon_error *err);

// Read the sidecar of the model at `model_path`. Returns NULL, without an error (TENON_OK), if
// there is none.
TENON_API tenon_bmw_sidecar *tenon_bmw_sidecar_beside(const char *model_path,
                                                      const tenon_read_opts *opts,
                                                      tenon_error *err);

// Free a sidecar and all it owns. NULL is fine.
TENON_API void tenon_bmw_sidecar_free(tenon_bmw_sidecar *sidecar);

// Zeroed memory that lives as long as the sidecar; NULL if out of memory.
TENON_API void *tenon_bmw_sidecar_alloc(tenon_bmw_sidecar *sidecar, size_t size);

// Write the text of the sidecar with `write`. It is the text that was read, byte for byte, except
// for what was changed. Unknown keys are kept.
TENON_API bool tenon_bmw_sidecar_write(tenon_bmw_sidecar *sidecar, tenon_write_fn *write,
                                       void *user, tenon_error *err);

// The animation that clip `index`, which has a range, plays: an index into a list of all clips with
// files, followed by the model's own animations. As in the engine, it is the number of clips with
// files before this clip.
TENON_API uint32_t tenon_bmw_clip_animation(const tenon_bmw_sidecar *sidecar, uint32_t index);

// The file that the engine opens for a texture: .png or .jpg is replaced by .dds. Returns the size
// of its name, 0 if `out` is too small; `out` is terminated.
TENON_API size_t tenon_bmw_texture_name(tenon_str texture, char *out, size_t out_size);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BMW_H
