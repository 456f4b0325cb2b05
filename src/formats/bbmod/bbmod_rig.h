// bbmod_rig.h: the skeleton of a model of any version, as rigid transforms.
// SPDX-License-Identifier: MIT
//
// Up to version 2 a vertex is multiplied by its bone's offset, the bone's transform in the model
// and the inverse transform. These are matrices and may contain a scale. Version 3 has neither the
// inverse transform nor a scale: `world` is a transform without its scale, and `stretch` is what
// the scale does to a vertex; it has to be applied to the vertices themselves.

#ifndef TN_FORMATS_BBMOD_BBMOD_RIG_H
#define TN_FORMATS_BBMOD_BBMOD_RIG_H

#include "formats/bbmod/bbmod_tree.h"

#include "core/math/math.h"

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

// Returns false if there is no memory, with the reason in *why, which may be NULL.
bool bbmod_rig_make(bbmod_rig *rig, const bbmod_view *view, tn_arena *arena, tn_refusal *why);

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

// What a rig has more or fewer of than an animation is for; `what` is NULL if it fits.
typedef struct bbanim_misfit {
    const char *what;  // "nodes" or "bones".
    uint32_t expected, has;
} bbanim_misfit;

// Compare with the nodes and bones that exist, not with the counts that the model stores: the
// indices of the model are used to look up rows of frames. In bbanim_fit.c.
bbanim_misfit bbanim_fit_rig(const tenon_bbanim *doc, const bbmod_rig *rig);

// Find the channel of each joint among those with a slot below `slot_count`. Returns how many
// channels have no joint, or one that has another channel.
uint64_t bbanim_fit_channels(const tenon_bbanim *doc, const bbmod_rig *rig, uint32_t slot_count,
                             const tenon_bbanim_channel **by_joint);

#endif  // TN_FORMATS_BBMOD_BBMOD_RIG_H
