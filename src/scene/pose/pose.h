// pose.h: the contents of a pose, and values of channels.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_POSE_POSE_H
#define TN_SCENE_POSE_POSE_H

#include "core/math/math.h"
#include "core/memory/arena.h"
#include "scene/model/subtrees.h"

#include <tenon/scene.h>

// The upper three rows of a matrix, column by column.
typedef struct tn_affine {
    double m[12];
} tn_affine;

// A joint of a skin.
typedef struct tn_skin_joint {
    uint32_t skin, joint;
} tn_skin_joint;

// Setting a pose computes only what the clip moves and what the previous clip moved.
struct tenon_pose {
    tn_arena arena;  // Owns the pose, too.
    const tenon_scene *scene;
    tn_trs *locals;         // Of each node; unused if the node has a matrix.
    tn_mat4 *globals;       // Of each node.
    tn_affine *palette;     // Of all skins, one after the other: global(joint) * inverse bind.
    bool *mirrors;          // Of each skin: most of its matrices turn triangles inside out.
    uint64_t *skin_starts;  // Where the joints of each skin start in `palette`.
    bool *is_negative;      // Of each matrix of `palette`: it turns triangles inside out.
    uint32_t *negatives;    // Of each skin: the number of such matrices.
    tn_subtrees trees;
    uint32_t animation;          // TENON_NONE: rest pose.
    tn_moved_roots roots;        // Of the nodes that the animation moves.
    tn_skin_joint *skin_joints;  // Sorted by node: the joints that the node is.
    uint64_t *joint_starts;      // Where those of each node start; one more for the end.
};

// The value of a channel: 3 numbers, or 4 of length 1 for rotations. NaN counts as a time before
// the first key.
void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4]);

// Whether the pose turns a node's mesh inside out: its matrix does, or most joints of its skin.
bool tn_pose_mirrors(const tenon_pose *pose, uint32_t node);

#endif  // TN_SCENE_POSE_POSE_H
