// bbmod_tree.h: the trees of a model as flat lists, parents first, and its rigid skeleton.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_BBMOD_TREE_H
#define TN_FORMATS_BBMOD_BBMOD_TREE_H

#include "core/math/math.h"
#include "core/memory/arena.h"
#include "document/findings.h"

#include <tenon/bbmod.h>

// One node or bone of any version.
typedef struct bbmod_tree_item {
    const tenon_bbmod_node *node;  // Versions 2 and 3, else NULL.
    const tenon_bbmod_v1_node *v1_node;
    const tenon_bbmod_v1_bone *v1_bone;
    uint32_t parent;    // In the list; TENON_NONE for the root.
    uint32_t position;  // Among the children of its parent.
} bbmod_tree_item;

typedef struct bbmod_tree {
    bbmod_tree_item *items;
    uint32_t count;
    const char *name;  // Of the root, in paths.
} bbmod_tree;

// A mesh and its position in the file.
typedef struct bbmod_view_mesh {
    const tenon_bbmod_mesh *mesh;
    uint32_t node;   // The node that holds it (v1), else TENON_NONE.
    uint32_t index;  // In the node, or in the model.
} bbmod_view_mesh;

// The nodes, bones and meshes of a model of any version. Points into the document.
typedef struct bbmod_view {
    const tenon_bbmod *doc;
    bbmod_tree nodes;
    bbmod_tree bones;  // The skeleton of version 1; empty in others.
    bbmod_view_mesh *meshes;
    uint32_t mesh_count;
} bbmod_view;

// The number of items of a tree of nodes or bones.
uint64_t bbmod_tree_count(const bbmod_tree_item *root);

// Returns false, with `err` set, if there is no memory.
bool bbmod_view_make(bbmod_view *view, const tenon_bbmod *doc, tn_arena *arena, tenon_error *err);

// -- Paths

// The path of a node, bone or mesh. If the path is too long, it is that of the deepest ancestor
// whose path fits.
typedef struct bbmod_path {
    char text[112];
    bool is_cut;
} bbmod_path;

bbmod_path bbmod_item_path(const bbmod_tree *tree, uint32_t item);
bbmod_path bbmod_mesh_path(const bbmod_view *view, uint32_t mesh);

// The path of a field, such as ".transform"; only the path of the object if that was cut.
tn_path_text bbmod_field_path(const bbmod_path *path, const char *fmt, ...) TN_PRINTF(2, 3);

// -- Questions about a model

bool bbmod_has(const tenon_bbmod *doc, uint32_t flag);

// Whether it is version 0: no magic, no nodes, no materials.
bool bbmod_is_v0_doc(const tenon_bbmod *doc);

// The whole number from 0 to `count` - 1 that a float holds; TENON_NONE if it is something else.
uint32_t bbmod_slot(float index, uint32_t count);

// The index of a node, which some dialects store as text; TENON_NONE if it is not valid.
uint32_t bbmod_node_slot(const tenon_bbmod *doc, const tenon_bbmod_node *node, uint32_t count);

// The slots of `count` offsets that have no index: those of the nodes that are bones, in ascending
// order, if there are as many; else 0 and up. NULL, with `err` set, if there is no memory.
uint32_t *bbmod_bare_slots(const bbmod_view *view, uint64_t count, tn_arena *arena,
                           tenon_error *err);

// The slot of each bone entry of the model; TENON_NONE where there is no such node.
uint32_t *bbmod_entry_slots(const bbmod_view *view, tn_arena *arena, tenon_error *err);

// Whether a faulty writer stored the inverse transform as the root's transform: they are equal and
// not the identity.
bool bbmod_root_is_inverse(const float root[16], const float inverse[16]);

// -- The skeleton
//
// Up to version 2 a vertex is multiplied by its bone's offset, the bone's transform in the model
// and the inverse transform. These are matrices and may contain a scale. Version 3 has neither the
// inverse transform nor a scale: `world` is a transform without its scale, and `stretch` is what
// the scale does to a vertex; it has to be applied to the vertices themselves.

typedef struct bbmod_joint {
    tenon_str name;
    uint32_t parent;  // In the list; TENON_NONE for the root.
    uint32_t slot;    // The index that animations and vertices use; TENON_NONE if it has none.
    bool is_bone;
    tn_mat4 local;   // Relative to the parent, as stored; of the root, not its inverse.
    tn_dquat rest;   // Relative to the parent, without scale.
    tn_dquat world;  // In the model, without scale.
} bbmod_joint;

// What skinning does to the vertices of a bone before the bone's own transform.
typedef struct bbmod_offset {
    bool is_there;
    tn_dquat rigid;   // Rotation and translation.
    tn_mat3 stretch;  // The remainder, applied first; the identity if there is none.
} bbmod_offset;

typedef struct bbmod_rig {
    bbmod_joint *joints;  // Parents first, in the order of the file.
    uint32_t joint_count;
    uint32_t bone_count;       // Entries; 0 if there is no skin.
    bbmod_offset *offsets;     // By slot, `joint_count` of them.
    uint32_t *by_slot;         // The joint of each slot, TENON_NONE if none has it.
    tn_mat4 above;             // Applied after the root: the inverse transform.
    bool is_rigid;             // The model stores dual quaternions.
    uint32_t sheared_count;    // Joints whose transform is not a scale, rotation and translation.
    uint32_t stretched_count;  // Bones whose stretch is not the identity.
} bbmod_rig;

// Returns false, with `err` set, if there is no memory.
bool bbmod_rig_make(bbmod_rig *rig, const bbmod_view *view, tn_arena *arena, tenon_error *err);

// The rotation and translation of a matrix. Sets *is_sheared, which may be NULL, if the matrix also
// contains shear or non-uniform scale.
tn_dquat bbmod_rig_without_scale(const tn_mat4 *m, bool *is_sheared);

// A dual quaternion from its eight floats, and the reverse.
static inline tn_dquat bbmod_rig_dual_load(const float v[8])
{
    return (tn_dquat){{v[0], v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}};
}

void bbmod_rig_dual_store(tn_dquat q, float v[8]);

// A dual quaternion, normalized, of a list of them in a file, and the reverse.
tn_dquat bbmod_rig_load_row(const uint8_t *rows, uint64_t row);
void bbmod_rig_store_row(uint8_t *rows, uint64_t row, tn_dquat q);

bool bbmod_rig_is_identity(const tn_mat3 *m);

// The nodes and bones of a model.
typedef struct bbanim_counts {
    uint32_t nodes, bones;
} bbanim_counts;

// What a model has more or fewer of than an animation is for; `what` is NULL if it fits.
typedef struct bbanim_misfit {
    const char *what;  // "nodes" or "bones".
    uint32_t expected, has;
} bbanim_misfit;

// Compare with the counts that an animation stores, of which some versions have only one. A rig has
// the nodes and bones that exist, which may not be the counts that the model stores: the indices of
// the model are used to look up rows of frames.
bbanim_misfit bbanim_fit_misfit(const tenon_bbanim *doc, bbanim_counts has);

// Find the channel of each joint among those with a slot below `slot_count`. Returns how many
// channels have no joint, or one that has another channel.
uint64_t bbanim_fit_channels(const tenon_bbanim *doc, const bbmod_rig *rig, uint32_t slot_count,
                             const tenon_bbanim_channel **by_joint);

#endif  // TN_FORMATS_BBMOD_BBMOD_TREE_H
