// rig.h: all meshes of a scene with one list of bones.
// SPDX-License-Identifier: MIT
//
// Scenes have several skins, and meshes without a skin below moving nodes. Most formats have one
// skeleton. A rig converts between them: every primitive that is drawn is a part, and parts are
// moved by bones. A bone is a node with an inverse bind matrix; it moves a point by
// global(node) * inverse_bind.

#ifndef TN_EXCHANGE_RIG_H
#define TN_EXCHANGE_RIG_H

#include "core/math/math.h"
#include "exchange/export.h"

#define TN_INFLUENCES 4

typedef struct tn_bone {
    uint32_t node;
    tn_mat4 inverse_bind;  // The identity for bones of rigid parts.
} tn_bone;

// A primitive of the mesh of a node. A mesh that two nodes show has two sets of parts.
typedef struct tn_part {
    uint32_t node, mesh, primitive;  // Which one it is.
    const tenon_primitive *p;
    bool is_skinned;        // Has weights. If not, it is moved by its node, or by one bone:
    uint32_t bone;          // TENON_NONE: the rig was not asked for a bone of this rigid part.
    const uint32_t *bones;  // Of a skinned part: the bone of each joint of the skin; TENON_NONE for
                            // joints that move nothing. One list for all parts with that skin.
    struct tn_influence_buffer *buffer;  // Private: for vertices with many influences.
} tn_part;

typedef struct tn_rig {
    uint32_t bone_count;
    tn_bone *bones;  // By node, ascending; of one node, in the order of the skins.
    uint32_t part_count;
    tn_part *parts;  // By node, then by primitive. Those without vertices are left out.
} tn_rig;

// Which rigid parts get a bone.
typedef enum tn_rigid {
    TN_RIGID_WITHOUT_BONES,  // None: the format moves meshes with their nodes.
    TN_RIGID_MOVING,         // Those that some animation moves, by itself or by a node above it.
    TN_RIGID_ALL,            // All.
} tn_rigid;

// Make the rig of the scene of an export. Joints that have weight in some vertex become bones, with
// `keep_joints` all joints of all skins; those of one node whose inverse binds are equal, or almost
// (bind_matrices.h), are one bone. False, with the error set, if out of memory.
bool tn_rig_make(const tn_export *export, tn_rigid rigid, bool keep_joints, tn_rig *rig);

// What moves a vertex of a part: at most four bones, the heaviest ones, with weights that add up to
// 1, heaviest first (equal ones: lower bone first); unused ones have bone 0 and weight 0. Returns
// the weight that was left out: 0 unless there were more than four; if it is 0, the weights have
// the same bits as in the scene. A rigid part has its one bone, with weight 1, or none.
double tn_part_influences(const tn_part *part, uint32_t vertex, uint32_t bones[TN_INFLUENCES],
                          float weights[TN_INFLUENCES]);

// Make one primitive of all parts with triangles, whose streams (positions, normals, texture
// coordinates) and indices are put one after the other; `with_skin` also of bones, as joints, and
// four weights. They need all these streams. `title` is the format's. False, with the error set, if
// they do not fit or if out of memory.
bool tn_rig_merge(const tn_export *export, const tn_rig *rig, bool with_skin, const char *title,
                  tenon_primitive *merged);

// Make a part that was not made by a rig ready for tn_part_influences(). False, with the error set,
// if out of memory.
bool tn_part_prepare(const tn_export *export, tn_part *part);

// How many vertices of all parts are moved by more than four bones; *path gets the first such
// primitive ("meshes[2].primitives[0]") if there is one. For reporting the loss.
uint64_t tn_rig_crowded(const tn_export *export, const tn_rig *rig, char *path, size_t path_size);

// Whether every key of a channel, and so all between them, is `value`, but for the last bits of a
// float. Of a rotation, -q is as good as q.
bool tn_channel_holds(const tenon_channel *channel, const double *value);

// The rest value of what a channel moves: its translation, rotation or scale.
const double *tn_channel_rest(const tenon_scene *scene, const tenon_channel *channel);

// Whether some animation moves a node, by itself or by a node above it: `moves[node]`, of as many
// as the scene has nodes. Channels that only hold the rest pose move nothing. NULL, with the error
// set, if out of memory.
bool *tn_moving_nodes(const tn_export *export);

#endif  // TN_EXCHANGE_RIG_H
