// edit.h: change a scene: its space, what is kept, its meshes and its clips.
// SPDX-License-Identifier: MIT
//
// Quick tour:
//
//     tenon_edit_keep_opts keep = {.drop = TENON_DROP_CAMERAS | TENON_DROP_LIGHTS};
//     tenon_edit_mesh_opts meshes = {.max_influences = 4, .join = TENON_JOIN_MESHES};
//     tenon_edit_space_opts space = {.turns = 1, .scale = 100};       // +Z up, centimeters.
//     bool ok = tenon_edit_keep(scene, &keep, &err) && tenon_edit_meshes(scene, &meshes, &err) &&
//               tenon_edit_space(scene, &space, &err);
//
// Each call changes a scene in place, and the rules of scene.h hold afterwards. Zeroed options
// change nothing, and so do NULL ones. On failure the scene can only be freed. What the options ask
// for is not reported as a loss; its side effects are.

#ifndef TENON_EDIT_H
#define TENON_EDIT_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// -- Space

// What happens to everything: meshes, nodes, skins, animations, cameras and lights.
typedef struct tenon_edit_space_opts {
    tenon_events events;
    double scale;          // 0: 1.
    int turns;             // Quarter turns around +X: 1 turns +Y to +Z, -1 turns +Z to +Y.
    bool mirror;           // Mirror Z, after the turn, and reverse windings.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_edit_space_opts;

TENON_API bool tenon_edit_space(tenon_scene *scene, const tenon_edit_space_opts *opts,
                                tenon_error *err);

// -- What is kept

// Parts of a scene that can be left out; bits.
enum {
    TENON_DROP_NORMALS = 1 << 0,  // And tangents, which need them.
    TENON_DROP_TANGENTS = 1 << 1,
    TENON_DROP_UVS = 1 << 2,       // All sets, and tangents.
    TENON_DROP_MORE_UVS = 1 << 3,  // All sets but the first.
    TENON_DROP_COLORS = 1 << 4,
    TENON_DROP_SKINS = 1 << 5,  // Skinned meshes stay as they are at rest; animations go, too.
    TENON_DROP_ANIMATIONS = 1 << 6,
    TENON_DROP_MATERIALS = 1 << 7,
    TENON_DROP_TEXTURES = 1 << 8,
    TENON_DROP_CAMERAS = 1 << 9,
    TENON_DROP_LIGHTS = 1 << 10,
};

typedef struct tenon_edit_keep_opts {
    tenon_events events;
    const char *const *nodes;  // Only these and what is below them, with the nodes above, and the
    uint32_t node_count;       // joints that move them, as empty ones. A name that no node has is
                               // an error.
    const char *const *clips;  // Only these clips, in this order. An unknown name is an error.
    uint32_t clip_count;
    uint32_t drop;  // TENON_DROP_… bits, after the others.
    uint32_t lod;   // Of nodes with an extra "lod", keep those with this number less 1, or with the
                    // largest number below their parent if that is less; 0: all.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_edit_keep_opts;

TENON_API bool tenon_edit_keep(tenon_scene *scene, const tenon_edit_keep_opts *opts,
                               tenon_error *err);

// -- Meshes

// What becomes of normals or tangents.
typedef enum tenon_make {
    TENON_MAKE_AS_NEEDED,  // Keep existing ones; what the format requires is computed later.
    TENON_MAKE_MISSING,    // Compute missing ones; normals are smooth.
    TENON_MAKE_SMOOTH,     // Compute all, smooth.
    TENON_MAKE_FLAT,       // Compute all, one for each face.
} tenon_make;

// What to merge; bits.
enum {
    TENON_JOIN_MATERIALS = 1 << 0,  // Materials that differ only in their names.
    TENON_JOIN_MESHES = 1 << 1,     // Primitives of one mesh, with one material and equal streams;
                                    // and meshes of nodes that do not move against each other.
    TENON_JOIN_NODES = 1 << 2,      // Nodes that are static, that nothing refers to and that have
                                    // no content, with their parents.
};

// A collision shape, such as "box/1/2/1", of the meshes of that name.
typedef struct tenon_new_shape {
    const char *mesh;  // NULL: all meshes. An unknown name is an error.
    const char *shape;
} tenon_new_shape;

// A weight at rest of the morph targets of that name, in all meshes and nodes. An unknown name is
// an error.
typedef struct tenon_new_weight {
    const char *morph;
    double weight;
} tenon_new_weight;

// The order is that of the members.
typedef struct tenon_edit_mesh_opts {
    tenon_events events;
    const tenon_new_weight *weights;
    uint32_t weight_count;
    bool flip_normals, flip_u, flip_v, reverse_winding;
    tenon_make normals;
    tenon_make tangents;      // TENON_MAKE_SMOOTH and _FLAT compute all.
    uint32_t max_influences;  // Of a vertex: the largest, normalized; 0: no limit.
    bool pre_transform;       // Apply node transforms to the vertices of the rest pose; clips,
                              // skins and empty nodes are removed.
    uint32_t join;            // TENON_JOIN_… bits.
    const tenon_new_shape *shapes;
    uint32_t shape_count;
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_edit_mesh_opts;

TENON_API bool tenon_edit_meshes(tenon_scene *scene, const tenon_edit_mesh_opts *opts,
                                 tenon_error *err);

// -- Clips

// An event to add: to the clip of that name, at that time.
typedef struct tenon_new_event {
    const char *clip;
    double seconds;
    const char *name;
} tenon_new_event;

// The order is that of the members. An unknown name is an error.
typedef struct tenon_edit_clip_opts {
    tenon_events events;
    bool start_at_first_key;  // Remove the time before the first key of clips: the first key of a
                              // channel whose values change, or of any channel if none do. Events
                              // follow.
    const tenon_new_event *new_events;
    uint32_t new_event_count;
    const char *const *loops;  // Clips that loop; "*": all.
    uint32_t loop_count;
    const char *const *holds;  // Clips that hold their last pose; "*": all.
    uint32_t hold_count;
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_edit_clip_opts;

TENON_API bool tenon_edit_clips(tenon_scene *scene, const tenon_edit_clip_opts *opts,
                                tenon_error *err);

// Add the clips of another scene, by the names of nodes. A clip of equal name is replaced, and
// reported. `events` may be NULL.
TENON_API bool tenon_edit_add_clips(tenon_scene *scene, const tenon_scene *from,
                                    const tenon_events *events, tenon_error *err);

#ifdef __cplusplus
}
#endif
#endif  // TENON_EDIT_H
