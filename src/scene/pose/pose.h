// pose.h: what a pose is made of.
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

// Where the palettes have a joint.
typedef struct tn_joint_place {
    uint32_t skin, joint;
} tn_joint_place;

// Setting a pose changes only what the clip moves, and puts back what the clip before has moved.
struct tenon_pose {
    tn_arena arena;  // Of all of it.
    const tenon_scene *scene;
    tn_trs *locals;         // Of each node; not used where the node has a matrix.
    tn_mat4 *globals;       // Of each node.
    tn_affine *palette;     // Of all skins, one behind the other: global(joint) * inverse bind.
    bool *mirrors;          // Of each skin: most of its matrices turn things inside out.
    uint64_t *skin_starts;  // Where the joints of each skin start in `palette`.
    bool *is_negative;      // Of each matrix of `palette`: it turns things inside out.
    uint32_t *negatives;    // Of each skin: how many of its matrices do.
    tn_subtrees trees;
    uint32_t animation;            // TENON_NONE: it is at rest.
    tn_moved_roots roots;          // Of what is moved now.
    tn_joint_place *joint_places;  // By node.
    uint64_t *joint_starts;        // Where those of each node start; one more, where all end.
};

// The value of a channel: 3 numbers, or 4, of length 1, for rotations. NaN is taken for a time
// before the first key.
void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4]);

// Whether the pose turns what a node shows inside out: its matrix does, or most joints of its skin.
bool tn_pose_mirrors(const tenon_pose *pose, uint32_t node);

#endif  // TN_SCENE_POSE_POSE_H
