// verify_bounds.h: what the files of bounds share; verify_bounds.c explains it.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_VERIFY_BOUNDS_H
#define TN_SCENE_COMPARE_VERIFY_BOUNDS_H

#include "core/math/bounds.h"
#include "scene/compare/verify.h"
#include "scene/pose/pose.h"

#define TN_GROUPS_MOST  1024     // More would take longer than they save.
#define TN_TARGETS_MOST 4096     // Morph targets of all pairs of nodes.
#define TN_FLOAT_SLACK  0x1p-23  // Of positions.

// How far a morph target moves vertices.
typedef struct morph_target {
    double offset, apart;       // The largest lengths of u, and of v - u,
    double length, difference;  // of d, and of e - d.
} morph_target;

// Two nodes that show paired vertices, of which at least one has morph targets.
typedef struct morphed_pair {
    uint32_t a, b;   // TENON_NONE: this one has none.
    uint32_t count;  // Of the targets of that which has more.
    morph_target *targets;
} morphed_pair;

// What the weights of a pair of nodes add in the current poses: the sums over all targets of
typedef struct morph_change {
    double difference;  // |s - t| |u|,
    double both;        // |t| |u|,
    double other;       // |t| |v - u|,
    double size;        // and, for the slack, of all weights times all lengths.
} morph_change;

// How a matrix has moved a group since the rest pose.
typedef struct group_motion {
    tn_affine motion;  // D or E,
    double size;       // the root of the sum of its squares,
    double farthest;   // and how far from the origin it moves the group at most.
    double slack;      // What A0^-1 or B0^-1 lacks.
} group_motion;

// The vertices that are moved by the same two matrices, and by the same morph targets.
typedef struct pair_group {
    uint32_t a, b;     // Matrices of both scenes.
    uint32_t morphed;  // Pair of nodes with morph targets, or TENON_NONE.
    uint32_t next;     // The next group with the same `a`, or TENON_NONE.
    bool is_bounded;   // The matrices of the rest pose have inverses.
    tn_affine a_rest, b_rest, a_inverse, b_inverse;
    tn_bounds box;            // Of q.
    double sides[3];          // Of a box around the origin that has that in it.
    double apart;             // The largest length of B0 b - q.
    double a_reach, b_reach;  // The largest lengths of a and b.
    double a_slack, b_slack;  // For each unit of the size of A and B.
    group_motion a_at_rest, b_at_rest;
    double rest, rest_farthest;  // Bounds in the rest pose.
} pair_group;

// What is known of scenes that move alike (verify_alike.c).
typedef struct tn_alike tn_alike;

struct tn_pose_bounds {
    const tn_posed_scene *a, *b;
    tenon_budget *budget;
    uint32_t a_palette_size, b_palette_size;
    uint32_t group_count;
    pair_group *groups;
    uint32_t morphed_most;  // 0: neither scene has morph targets.
    uint32_t morphed_count, target_count;
    morphed_pair *morphed;
    morph_target *targets;  // Of all of these.
    morph_change *changes;  // Of each of these in the current poses.
    double gap;             // The largest length of a - b, if there are morph targets.
    tn_alike *alike;        // NULL: the scenes do not move alike.
    double weights;         // The largest sum of the weights of a vertex,
    double unequal;         // and of their differences between the scenes.
    // Of the current animations.
    bool is_listed;
    uint32_t a_animation, b_animation;
    bool *a_moves, *b_moves;       // Of each matrix: whether they move it.
    bool a_is_still, b_is_still;   // They move nothing at all.
    uint32_t moved_count, *moved;  // The groups that they move.
    double still, still_farthest;  // Bounds of the others.
};

// The weights of morph targets in the current pose.
static inline const double *tn_current_weights(const tn_posed_scene *posed, uint32_t node)
{
    return posed->pose->weights + posed->pose->weight_starts[node];
}

// A matrix of a palette, or, from `palette_size` on, that of a node.
tn_affine tn_bounds_matrix(const tn_posed_scene *posed, uint32_t palette_size, uint32_t matrix);

tn_vec3 tn_affine_point(const tn_affine *affine, tn_vec3 p);

// A bound on the factor by which a matrix, without its translation, makes vectors longer. It is
// exact for rotations and equal scales.
double tn_affine_stretch(const tn_affine *a);

// Find the groups of all pairs (verify_bounds_pairs.c). `heads` and `partners` have TENON_NONE for
// each matrix of A. False if a pair cannot be bounded.
bool tn_bounds_add_pairs(tn_pose_bounds *bounds, const tn_vertex_pair_list *pairs, uint32_t *heads,
                         uint32_t *partners);

// Find out whether both scenes have the same nodes and differ in morph targets only, and allocate
// what is needed then. False if out of memory.
bool tn_alike_begin(tn_match_context *context, tn_pose_bounds *bounds);

// Forget what depends on the last clip.
void tn_alike_forget(tn_pose_bounds *bounds);

#endif  // TN_SCENE_COMPARE_VERIFY_BOUNDS_H
