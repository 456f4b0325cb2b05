// edit.h: the parts of tenon_reshape().
// SPDX-License-Identifier: MIT
//
// Lists of the scene and of its objects are the reshaper's own, and changed in place; streams of
// numbers, which objects may share, are copied before they are changed. Errors are sticky: after
// the first failure every call does nothing, and pointers are NULL.
//
// What was asked for is no loss. What goes or comes with it, unasked, is told.

#ifndef TN_SCENE_EDIT_EDIT_H
#define TN_SCENE_EDIT_EDIT_H

#include "core/math/math.h"
#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"

#include <tenon/scene.h>

typedef struct tn_editor {
    tenon_scene *scene;
    const tenon_reshape_opts *opts;
    tn_arena *arena;   // The scene's.
    tn_arena scratch;  // For what is needed on the way.
    tenon_error *err;  // Never NULL.
    tn_pulse pulse;
    uint32_t node_room;  // How many nodes fit where they are.
    bool failed;
} tn_editor;

// A copy of a scene in `arena` with at most `most` influences for each vertex, and how far that is
// from it. The streams that do not change are the scene's. False, with `err` set, without memory.
bool tn_limit_influences(const tenon_scene *scene, uint32_t most, tn_arena *arena,
                         tenon_scene *copy, double *error, tenon_error *err);

// Change a scene, as tenon_reshape() says.
bool tn_edit_scene(tenon_scene *scene, const tenon_reshape_opts *opts, tenon_error *err);

// -- Memory, failing, losing

// `count` zeroed objects of the scene's, or such that live until the end of the change.
void *tn_edit_array(tn_editor *editor, uint64_t count, size_t size);
void *tn_edit_scratch(tn_editor *editor, uint64_t count, size_t size);

// A copy of a text, terminated, that is the scene's.
tenon_str tn_edit_text(tn_editor *editor, tenon_str text);

void tn_edit_fail(tn_editor *editor, tenon_code code, const char *fmt, ...) TN_PRINTF(3, 4);

// Fail for want of memory, or since the pulse has stopped, if `ok` is false. Returns whether
// nothing has failed.
bool tn_edit_expect(tn_editor *editor, bool ok);

void tn_edit_report(const tn_editor *editor, tenon_loss_kind kind, const char *feature,
                    uint64_t count, const char *path, const char *why);

bool tn_is_called(tenon_str name, const char *text);

// -- Streams of numbers

// Changes `count` vectors of `each` numbers.
typedef void tn_change_stream_fn(const void *context, float *values, uint64_t count, uint32_t each);

// How many numbers a key of a channel has.
uint32_t tn_key_size(const tenon_channel *c);

// A changed copy of a stream; NULL without memory.
float *tn_changed_copy(tn_editor *editor, tn_change_stream_fn *fn, const void *context,
                       const float *values, uint64_t count, uint32_t each);

// What has been changed in one way: a stream that several objects have is copied once.
typedef struct tn_stream_changes {
    tn_editor *editor;
    tn_change_stream_fn *fn;
    const void *context;
    struct tn_changed_stream *entries;
    uint64_t count, room;
} tn_stream_changes;

// Make *values a changed copy; nothing if it is NULL.
void tn_change_stream(tn_stream_changes *changes, float **values, uint64_t count, uint32_t each);

// -- Lists

// Which objects of the scene stay. What is behind them moves up; indices and extras follow.
// Channels of nodes that go, go; a kept node has a kept parent, a kept skin kept joints.
void tn_keep_nodes(tn_editor *editor, const bool *keep);
void tn_keep_materials(tn_editor *editor, const bool *keep);

// Drop all meshes, skins, materials, images, cameras and lights that nothing shows.
void tn_drop_unused(tn_editor *editor);

// The animations become those of `order`, indices of what there is.
void tn_order_animations(tn_editor *editor, const uint32_t *order, uint32_t count);

// The meshes become these; number i is made of what was number `origins[i]`, whose extras it gets.
void tn_replace_meshes(tn_editor *editor, tenon_mesh *meshes, const uint32_t *origins,
                       uint32_t count);

// Drop the extras of all objects of a kind whose place in `places` is TENON_NONE; give the others
// the indices written there. Those of objects that do not exist go.
void tn_move_extras(tn_editor *editor, tenon_extra_of of, const uint32_t *places, uint32_t count);

// Set the extra of that name of `count` objects: values[i] of number i; NULL: it stays as it is.
void tn_set_extras(tn_editor *editor, tenon_extra_of of, const char *name, const char **values,
                   uint32_t count);

// A node with an identity transform that refers to nothing.
tenon_node tn_empty_node(tenon_str name, uint32_t parent);

// Append an empty node; returns its index.
uint32_t tn_append_node(tn_editor *editor, tenon_str name, uint32_t parent);

// Give a node a local matrix, as translation, rotation and scale where that is exact enough.
void tn_set_node_matrix(tn_editor *editor, uint32_t node, const tn_mat4 *matrix);

// For each node, whether some animation moves it; whether it is a joint or the root of a skin;
// whether it has children.
bool *tn_animated_nodes(tn_editor *editor);
bool *tn_skeleton_nodes(tn_editor *editor);
bool *tn_parent_nodes(tn_editor *editor);

// -- Places

// A transform without a shear: turned and scaled, then moved.
typedef struct tn_similarity {
    tn_mat3 linear;  // Rotation and scale.
    tn_quat rotation;
    double scale;
    tn_vec3 translation;
} tn_similarity;

// Put a transform before that of a node.
void tn_transform_node(tenon_node *n, const tn_similarity *by);

// Put transforms before those of the channels of nodes: by[node]; NULL: they stay.
void tn_transform_channels(tn_editor *editor, const tn_similarity *const *by);

// -- The steps, in their order

void tn_edit_start_clips(tn_editor *editor);
void tn_edit_add_clips(tn_editor *editor);
void tn_edit_space(tn_editor *editor, double scale, int quarter_turns, bool is_mirrored);
void tn_edit_keep(tn_editor *editor);
void tn_edit_drop(tn_editor *editor);
void tn_edit_drop_skins(tn_editor *editor);
void tn_edit_meshes(tn_editor *editor);
void tn_edit_influences(tn_editor *editor);
void tn_edit_bake(tn_editor *editor);
void tn_edit_join(tn_editor *editor);
void tn_edit_join_meshes(tn_editor *editor);
void tn_edit_markers(tn_editor *editor);

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

#endif  // TN_SCENE_EDIT_EDIT_H
