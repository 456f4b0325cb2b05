// editor.h: the parts of the functions that edit a scene.
// SPDX-License-Identifier: MIT
//
// The editor owns the lists of the scene and of its objects, and changes them in place. It copies
// streams of numbers, which objects may share, before it changes them. Errors are sticky: after the
// first failure every call does nothing, and pointers are NULL.
//
// What the options ask for is not reported as a loss; its side effects are.

#ifndef TN_SCENE_EDIT_EDITOR_H
#define TN_SCENE_EDIT_EDITOR_H

#include "core/math/math.h"
#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"
#include "scene/model/channels.h"

#include <tenon/edit.h>

typedef struct tn_editor {
    tenon_scene *scene;
    // Of the call: one of these is not NULL.
    const tenon_edit_space_opts *space;
    const tenon_edit_keep_opts *keep;
    const tenon_edit_mesh_opts *meshes;
    const tenon_edit_clip_opts *clips;
    const tenon_scene *clips_from;
    const tenon_events *events;  // Never NULL.
    tn_arena *arena;             // The scene's.
    tn_arena scratch;            // Freed at the end of the edit.
    tenon_error *err;            // Never NULL.
    tn_pulse pulse;
    uint32_t node_room;  // Capacity of the list of nodes.
    bool failed;
} tn_editor;

// Copy a scene to `arena` with at most `most` influences for each vertex. *error becomes the
// largest distance that a vertex moves. Unchanged streams are shared with the scene. False, with
// `err` set, if there is not enough memory.
bool tn_limit_influences(const tenon_scene *scene, uint32_t most, tn_arena *arena,
                         tenon_scene *copy, double *error, tenon_error *err);

typedef void tn_edit_step(tn_editor *editor);

// Do `step_count` steps with an editor that has a scene, events and options.
bool tn_edit_scene(tn_editor *editor, tn_edit_step *const *steps, size_t step_count,
                   tenon_error *err);

// -- Memory, errors, losses

// `count` zeroed objects that belong to the scene, or that are freed at the end of the edit.
void *tn_edit_array(tn_editor *editor, uint64_t count, size_t size);
void *tn_edit_scratch(tn_editor *editor, uint64_t count, size_t size);

// A copy of `count` objects that belongs to the scene.
void *tn_edit_copy(tn_editor *editor, const void *items, uint64_t count, size_t size);

// A copy of a text, NUL-terminated, that belongs to the scene.
tenon_str tn_edit_text(tn_editor *editor, tenon_str text);

void tn_edit_fail(tn_editor *editor, tenon_code code, const char *fmt, ...) TN_PRINTF(3, 4);

// If `ok` is false, fail: cancelled if the pulse has stopped, else out of memory. Returns whether
// nothing has failed yet.
bool tn_edit_expect(tn_editor *editor, bool ok);

void tn_edit_report(const tn_editor *editor, tenon_loss_kind kind, const char *feature,
                    uint64_t count, const char *path, const char *why);

bool tn_is_called(tenon_str name, const char *text);

// -- Streams of numbers

// Changes `count` vectors of `each` numbers in place.
typedef void tn_change_stream_fn(const void *context, float *values, uint64_t count, uint32_t each);

// A changed copy of a stream; NULL on failure.
float *tn_changed_copy(tn_editor *editor, tn_change_stream_fn *fn, const void *context,
                       const float *values, uint64_t count, uint32_t each);

// Streams that were changed by one function: a stream that several objects share is copied once.
typedef struct tn_stream_changes {
    tn_editor *editor;
    tn_change_stream_fn *fn;
    const void *context;
    struct tn_changed_stream *entries;
    uint64_t count, room;
} tn_stream_changes;

// Replace *values by a changed copy; NULL stays NULL.
void tn_change_stream(tn_stream_changes *changes, float **values, uint64_t count, uint32_t each);

// -- Lists

// Remove the other objects of a list, and their extras; indices are adjusted. Channels of removed
// nodes are removed. The parent of a kept node and the joints of all skins must be kept.
void tn_keep_nodes(tn_editor *editor, const bool *keep);
void tn_keep_materials(tn_editor *editor, const bool *keep);

// Drop all meshes, skins, materials, images, cameras and lights that nothing uses.
void tn_drop_unused(tn_editor *editor);

// Replace the animations by those of `order`, which are indices of the old ones.
void tn_order_animations(tn_editor *editor, const uint32_t *order, uint32_t count);

// Replace the meshes. New mesh i comes from old mesh `origins[i]` and gets its extras.
void tn_replace_meshes(tn_editor *editor, tenon_mesh *meshes, const uint32_t *origins,
                       uint32_t count);

// Give the extras of all objects of a kind their new indices: object i moves to `places[i]`. Extras
// of removed objects (TENON_NONE) and of objects that do not exist are dropped.
void tn_move_extras(tn_editor *editor, tenon_extra_of of, const uint32_t *places, uint32_t count);

// Set the extra of that name of `count` objects to values[i]; NULL leaves it as it is.
void tn_set_extras(tn_editor *editor, tenon_extra_of of, const char *name, const char **values,
                   uint32_t count);

// A node with an identity transform that refers to nothing.
tenon_node tn_empty_node(tenon_str name, uint32_t parent);

// Append an empty node; returns its index.
uint32_t tn_append_node(tn_editor *editor, tenon_str name, uint32_t parent);

// Set the local transform of a node: translation, rotation and scale if they are exact enough, else
// the matrix.
void tn_set_node_matrix(tn_editor *editor, uint32_t node, const tn_mat4 *matrix);

// For each node: whether an animation moves it; whether it is a joint or the root of a skin;
// whether it has children.
bool *tn_animated_nodes(tn_editor *editor);
bool *tn_skeleton_nodes(tn_editor *editor);
bool *tn_parent_nodes(tn_editor *editor);

// -- Transforms

// Rotation and uniform scale, then translation.
typedef struct tn_similarity {
    tn_mat3 linear;  // Rotation and scale.
    tn_quat rotation;
    double scale;
    tn_vec3 translation;
} tn_similarity;

// Apply a transform after that of a node, in the space of its parent.
void tn_transform_node(tenon_node *n, const tn_similarity *by);

// Do the same for the channels of each node: by[node]; NULL leaves them as they are.
void tn_transform_channels(tn_editor *editor, const tn_similarity *const *by);

// -- The steps: of space, of clips, of what is kept, of meshes

tn_edit_step tn_edit_space, tn_edit_add_clips;
tn_edit_step tn_edit_keep_objects, tn_edit_drop;
tn_edit_step tn_edit_weights, tn_edit_streams, tn_edit_influences, tn_edit_bake, tn_edit_join,
    tn_edit_shapes;
tn_edit_step tn_edit_start_clips, tn_edit_markers;

void tn_edit_drop_skins(tn_editor *editor);
void tn_edit_join_meshes(tn_editor *editor);

// -- Baking

// The rest pose of a scene; free it with tenon_pose_free(). NULL on failure.
tenon_pose *tn_edit_pose(tn_editor *editor, const tenon_scene *scene);

// Whether the global matrix of a node is the identity.
bool tn_is_at_origin(const tenon_pose *pose, uint32_t node);

// Write the posed primitives of a node's mesh to `out`, which has room for all of them: in the
// space of the scene, without influences, with front faces that stay front faces. The scene of the
// pose has the same meshes as the editor's.
void tn_bake_primitives(tn_editor *editor, const tenon_pose *pose, uint32_t node,
                        tenon_primitive *out);

// Reverse the triangles of all primitives.
void tn_edit_windings(tn_editor *editor);

#endif  // TN_SCENE_EDIT_EDITOR_H
