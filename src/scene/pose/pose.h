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

// The keys around the time at which a channel was sampled last, so that times near it need no
// search. It starts as zeros and belongs to one channel.
typedef struct tn_cursor {
    uint32_t key;      // The last key at or before the time, or the first.
    bool has_turn;     // Of rotations: `turn` is that
    uint32_t turning;  // from this key to the next one.
    tn_slerp turn;
} tn_cursor;

// Setting a pose computes only what the clip moves and what the previous clip moved.
struct tenon_pose {
    tn_arena arena;  // Owns the pose, too.
    const tenon_scene *scene;
    tn_trs *locals;           // Of each node; unused if the node has a matrix.
    tn_mat4 *globals;         // Of each node.
    double *weights;          // Of the morph targets of all nodes, one after the other.
    uint64_t *weight_starts;  // Where those of each node start in `weights`.
    tn_affine *palette;       // Of all skins, one after the other: global(joint) * inverse bind;
                              // and one more, unused.
    bool *mirrors;            // Of each skin: most of its matrices turn triangles inside out.
    uint64_t *skin_starts;    // Where the joints of each skin start in `palette`.
    bool *is_negative;        // Of each matrix of `palette`: it turns triangles inside out.
    uint32_t *negatives;      // Of each skin: the number of such matrices.
    tn_subtrees trees;
    uint32_t animation;          // TENON_NONE: rest pose.
    tn_cursor *cursors;          // Of each channel of the animation.
    tn_moved_roots roots;        // Of the nodes that the animation moves.
    tn_skin_joint *skin_joints;  // Sorted by node: the joints that the node is.
    uint64_t *joint_starts;      // Where those of each node start; one more for the end.
};

// The value of a channel: 3 numbers, or 4 of length 1 for rotations. NaN counts as a time before
// the first key.
void tn_channel_sample(const tenon_channel *channel, double seconds, double value[4]);

// The same value, with a cursor.
void tn_channel_sample_near(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                            double value[4]);

// The value of a key.
void tn_channel_key_value(const tenon_channel *channel, uint32_t key, double value[4]);

// The last key at or before a time; the first if all are later.
uint32_t tn_channel_find_key(const tenon_channel *channel, tn_cursor *cursor, double seconds);

// How many morph targets the mesh of a node has, and their weights at rest; NULL if there are none.
uint32_t tn_morph_count(const tenon_scene *scene, uint32_t node);
const double *tn_rest_weights(const tenon_scene *scene, uint32_t node);

// The position or normal of a vertex: the stream plus the offsets of morph targets, which have
// `weights`. These are NULL, or those of all morph targets of the primitive.
void tn_morph_position(const tenon_primitive *p, const double *weights, uint32_t vertex,
                       double out[3]);
void tn_morph_normal(const tenon_primitive *p, const double *weights, uint32_t vertex,
                     double out[3]);

// The matrix that moves a vertex after morph targets did.
void tn_pose_vertex_matrix(const tenon_pose *pose, uint32_t node, uint32_t primitive,
                           uint32_t vertex, tn_affine *matrix);

// The values of a channel of weights: `weight_count` of them.
void tn_channel_sample_weights(const tenon_channel *channel, double seconds, double *weights);

// Whether the pose turns a node's mesh inside out: its matrix does, or most joints of its skin.
bool tn_pose_mirrors(const tenon_pose *pose, uint32_t node);

#endif  // TN_SCENE_POSE_POSE_H
