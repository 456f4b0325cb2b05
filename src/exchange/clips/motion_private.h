// motion_private.h: what the files of motion.h share.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H
#define TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H

#include "exchange/clips/motion.h"
#include "exchange/clips/motion_curve.h"
#include "scene/pose/pose.h"

// Half of the tolerance is kept for rounding, and for what formats do to values.
#define TN_SHARE_OF_CURVES 0.5

// Times of keys are floats, so moments this close to each other are the same: a millionth of a
// second, or what rounding makes of a late time.
double tn_time_tolerance(double seconds);

// When a stepped curve is looked at for that time: a little later, so that a jump that is meant to
// be at a tick or a frame, but comes behind it by rounding, is over.
double tn_step_sample_time(double seconds);

// The value of a channel, as tn_motion_local() has it.
void tn_motion_value(const tenon_channel *channel, double seconds, double value[4]);

// Nodes that move nothing still count as something of this share of the diagonal: things are
// attached to them in games.
#define TN_MIN_REACH 0.03125

// Whether frames at a rate have one at that time.
bool tn_has_frame(double seconds, double rate);

// tn_motion_rate_error(), without jumps if they are not to count.
double tn_motion_frame_error(const tn_export *export, const tn_motion *motion, double rate,
                             bool with_jumps);

// The ball around the vertices that a node moves itself, in its own space.
typedef struct tn_bounding_sphere {
    double center[3];
    double radius;  // Negative: there are none.
} tn_bounding_sphere;

// What a node is without any clip.
typedef struct tn_rest_node {
    double reach;        // How far from it, in its own space, is what it moves itself.
    double offset;       // How far from its parent it is.
    double scale_bound;  // How much longer it makes what it moves,
    double scale_above;  // and everything above it does.
} tn_rest_node;

// How far errors carry. To know that, every vertex has to be looked at, which most clips can do
// without: those that are linear are exact. What no clip changes is found out once for a scene.
typedef struct tn_levers {
    tn_arena arena;  // Of all of it.
    const tenon_scene *scene;
    tenon_pose *pose;             // At rest.
    double diagonal;              // Of the box of the scene at rest; of its nodes, without meshes.
    tn_bounding_sphere *spheres;  // Of each node.
    bool has_spheres;             // Any of them.
    tn_rest_node *rest;
    uint32_t animation;    // That the rest of this is about,
    bool is_known;         // if it is.
    tn_moved_roots roots;  // Nothing is known of nodes that are not below these.
    double *leverage;      // 3 for each node, by tenon_target: how far, at most, what the node
                           // moves is off, as a share of the diagonal, for each unit (of length,
                           // radian, factor) that the value is off.
    double *slack;  // Of each node: the share of the diagonal that each of its curves may add.
    double *reach, *offset, *scale_bound;  // As tn_rest_node, at most.
    uint32_t *above;  // Moving channels from the root down to it, its own included.
    uint32_t *below;  // The most of them from below it down to any leaf.
} tn_levers;

// The levers of a motion, valid until those of another one are asked for. NULL, with the error set,
// without memory.
const tn_levers *tn_levers_find(const tn_export *export, const tn_motion *motion);

// Free the levers of an export, if it has any.
void tn_levers_free(const tn_export *export);

#endif  // TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H
