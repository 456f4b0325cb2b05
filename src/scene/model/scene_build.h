// scene_build.h: how formats build a scene.
// SPDX-License-Identifier: MIT
//
// A format adds what its document says, converted to the conventions of scene.h but otherwise as it
// is: texts as bytes, weights and quaternions of any length, NaNs. Then tn_scene_finish() gives the
// scene the properties that scene.h promises, and reports what it had to change. Only references
// between objects have to be valid from the start.
//
// Errors are sticky: after the first failure every call does nothing, indices are TENON_NONE and
// pointers NULL; check `failed` before following a pointer.

#ifndef TN_SCENE_MODEL_SCENE_BUILD_H
#define TN_SCENE_MODEL_SCENE_BUILD_H

#include "core/math/math.h"
#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"

#include <tenon/scene.h>

// A list that grows, and for how many objects there is room.
typedef struct tn_scene_list {
    const void *items;  // If the list of the scene is another one, it has no room.
    uint32_t room;
} tn_scene_list;

// What a scene owns.
struct tenon_scene_owner {
    tn_arena arena;
    tn_scene_list lists[9];  // Those of the scene, in their order,
    tn_scene_list inner;     // and of an object, the one that was added to last.
    tenon_error refusal;     // Of the first object that could not be added; code TENON_OK: none.
};

typedef struct tn_scene_builder {
    tenon_scene *scene;
    const tenon_scene_opts *opts;  // Never NULL.
    tn_arena *arena;               // The scene's.
    tenon_error *err;              // Never NULL.
    tn_pulse pulse;
    bool failed;
    bool front_is_fixed;     // Set by formats in which mirroring keeps the winding of front faces.
    uint64_t input_size;     // Of all files that the scene is made from.
    uint64_t unclean_count;  // Texts that were not UTF-8.
    struct tn_origins *origins;  // Where primitives come from (origin.h); NULL: not collected.
    struct tn_kept *kept;        // NULL: nothing is kept for exports to the same format.
    tn_name_tree image_paths;    // Private.
} tn_scene_builder;

// -- Objects

// Add an object with defaults (identity transforms, white materials, no textures); returns its
// index. Pointers to earlier objects of the same list are invalid afterwards: keep indices.
uint32_t tn_add_node(tn_scene_builder *builder, tenon_str name, uint32_t parent);
uint32_t tn_add_mesh(tn_scene_builder *builder, tenon_str name, uint32_t primitive_count);
uint32_t tn_add_skin(tn_scene_builder *builder, tenon_str name, uint32_t joint_count);
uint32_t tn_add_material(tn_scene_builder *builder, tenon_str name);
uint32_t tn_add_animation(tn_scene_builder *builder, tenon_str name, uint32_t channel_count);
uint32_t tn_add_camera(tn_scene_builder *builder, tenon_str name);
uint32_t tn_add_light(tn_scene_builder *builder, tenon_str name);
void tn_add_extra(tn_scene_builder *builder, tenon_extra_of of, uint32_t index, const char *name,
                  tenon_str value);

// Make room for one more object of `size` bytes at the end of a list in memory of the scene.
// Returns its index, or TENON_NONE on failure. `list` says for how many there is room.
uint32_t tn_list_add(tn_scene_builder *builder, tn_scene_list *list, void **items, uint32_t *count,
                     size_t size);

// The image of that path, which is added if it is new. Backslashes become slashes.
uint32_t tn_add_image(tn_scene_builder *builder, tenon_str path);

// Give a material a texture.
void tn_set_texture(tn_scene_builder *builder, uint32_t material, tenon_slot slot, tenon_str path);

// -- Memory

// A copy of a text, without what is not UTF-8 and without NULs.
tenon_str tn_scene_text(tn_scene_builder *builder, tenon_str text);

// `count` zeroed objects that belong to the scene.
void *tn_scene_array(tn_scene_builder *builder, uint64_t count, size_t size);

// The same from another arena, for what is needed only while building.
void *tn_scene_alloc(tn_scene_builder *builder, tn_arena *arena, uint64_t count, size_t size);

// `count` times `each` numbers.
float *tn_scene_floats(tn_scene_builder *builder, uint64_t count, uint32_t each);

// Allocate the streams of a primitive that has `vertex_count` vertices and `index_count`
// indices (0: none): positions, and those in `streams`, bits of the enum below.
enum {
    TN_WITH_NORMALS = TENON_WITH_NORMALS,
    TN_WITH_TANGENTS = TENON_WITH_TANGENTS,
    TN_WITH_UV0 = TENON_WITH_UV0,
    TN_WITH_UV1 = TENON_WITH_UV1,
    TN_WITH_COLOR = TENON_WITH_COLOR,
    TN_WITH_SKIN = TENON_WITH_SKIN,  // For more influences, allocate joints and weights yourself.
};
void tn_primitive_alloc(tn_scene_builder *builder, tenon_primitive *p, uint64_t vertex_count,
                        uint64_t index_count, uint32_t streams);

// Allocate the keys of a channel. That of weights needs `weight_count`.
void tn_channel_alloc(tn_scene_builder *builder, tenon_channel *channel, uint64_t key_count);

// Make three channels, of translation, rotation and scale of a node, with `key_count` keys each,
// and set one of these keys: 10 numbers in that order.
void tn_channels_alloc(tn_scene_builder *builder, tenon_channel channels[3], uint32_t node,
                       uint64_t key_count);
void tn_channels_set(const tenon_channel channels[3], size_t key, float time, const float trs[10]);

// Sort the keys of a channel by time, those of equal times in their order. Returns whether they
// were not sorted before.
bool tn_channel_sort(tn_scene_builder *builder, tenon_channel *channel);

// Give a mesh `count` morph targets without names, whose weights at rest are 0. A mesh that has
// some already gets `count` instead.
void tn_mesh_alloc_morphs(tn_scene_builder *builder, uint32_t mesh, uint32_t count);

// The morph targets of a primitive of such a mesh, zeroed if it has had none. NULL on failure.
tenon_morph *tn_primitive_morphs(tn_scene_builder *builder, uint32_t mesh, uint32_t primitive);

// -- Transforms

// Split a matrix into translation, rotation and scale. Returns how far these are from the matrix,
// as a share of the largest number of its axes.
double tn_split_matrix(const double matrix[16], tn_trs *trs);

// The translation, rotation and scale of a node, with a rotation of length 1, and its local matrix.
// The former say nothing if the node has a matrix.
tn_trs tn_node_trs(const tenon_node *node);
tn_mat4 tn_node_local(const tenon_node *node);

// Give a node a translation, rotation and scale instead of a matrix.
void tn_set_trs(tenon_node *node, const tn_trs *trs);
void tn_set_trs_floats(tn_scene_builder *builder, uint32_t node, const float translation[3],
                       const float rotation[4], const float scale[3]);

// Give a node a local matrix, as translation, rotation and scale where that is exact to 1e-6 of
// the matrix, else as it is.
void tn_set_matrix(tn_scene_builder *builder, uint32_t node, const double matrix[16]);

// An order of `count` objects in which parents come before their children: `parents[i]` is the
// parent of number i, or anything beyond the list. Of each cycle, one object becomes a root, with
// the parent TENON_NONE. Returns how many cycles there were.
uint32_t tn_order_parents(tn_scene_builder *builder, uint32_t *parents, uint32_t count,
                          uint32_t *order);

// -- Errors and losses

// Fail; returns false, for `return tn_scene_fail(…)`.
bool tn_scene_fail(tn_scene_builder *builder, tenon_code code, const char *path, const char *fmt,
                   ...) TN_PRINTF(4, 5);

// Report what the scene does not have of the document; nothing if `count` is 0. `path` is that of
// the first such thing, in the words of the document; NULL: it has none.
void tn_scene_report(const tn_scene_builder *builder, tenon_loss_kind kind, const char *feature,
                     uint64_t count, const char *path, const char *why);

// Report that the file says something about shapes or motion that the scene cannot represent, and
// note it in the scene, which is then never verified; nothing if `count` is 0.
void tn_scene_omit(tn_scene_builder *builder, const char *feature, uint64_t count, const char *path,
                   const char *why);

// -- Ends

// Start an empty scene. False, with `err` set, if out of memory.
bool tn_scene_begin(tn_scene_builder *builder, const tenon_scene_opts *opts, uint64_t input_size,
                    tenon_error *err);

// Give the scene the properties that scene.h promises. Reported as losses: texts that were not
// UTF-8, numbers that were not finite, indices out of range, weights that did not sum to 1,
// vertices that no joint moves, normals that had to be rebuilt, keys out of order, materials and
// images that nothing uses.
bool tn_scene_finish(tn_scene_builder *builder);

void tn_scene_free(tenon_scene *scene);  // May be NULL.

#endif  // TN_SCENE_MODEL_SCENE_BUILD_H
