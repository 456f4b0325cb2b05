// motion_private.h: what the files of motion.h share.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H
#define TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H

#include "exchange/clips/motion.h"
#include "exchange/clips/motion_curve.h"
#include "scene/pose/pose.h"

// The other half of the tolerance is for rounding and for the precision of formats.
#define TN_SHARE_OF_CURVES 0.5

// Times of keys are floats, so times this close to each other are equal: a millionth of a second,
// or the rounding error of a late time.
double tn_time_tolerance(double seconds);

// When a stepped curve is sampled for that time: a little later, so that it includes a jump that
// should be at a tick or a frame, but is after it because of rounding.
double tn_step_sample_time(double seconds);

// The value of a channel, as tn_motion_local() has it.
void tn_motion_value(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                     double value[4]);

// Nodes that move no vertices count as if they moved something of this size, as a share of the
// diagonal: games attach things to them.
#define TN_MIN_REACH 0.03125

// Whether there is a frame at that time.
bool tn_has_frame(double seconds, double rate);

#define TN_SAMPLE_TIMES_MOST 512

typedef struct tn_sample_time {
    double seconds;
    double weight;  // Error of the worst curve, as a share of the diagonal; 0: none, or measured.
} tn_sample_time;

// The times at which the frames of a clip are measured, and what was found so far. It starts as
// zeros.
typedef struct tn_frame_times {
    double rate;       // 0: nothing is known.
    double most;       // The largest error so far.
    bool is_complete;  // All times are known.
    bool is_rough;     // Measure the worst times only: the largest error is at least that.
    uint32_t count;
    tn_sample_time times[TN_SAMPLE_TIMES_MOST];
} tn_frame_times;

// tn_motion_rate_error(), with or without the errors at jumps. Errors above `enough` are not exact.
// `times` are used again if they are known for this rate; they belong to one motion.
double tn_motion_frame_error(const tn_export *export, const tn_motion *motion, double rate,
                             bool with_jumps, double enough, tn_frame_times *times);

// The sphere around the vertices that a node moves itself, in the space of the node.
typedef struct tn_bounding_sphere {
    double center[3];
    double radius;  // Negative: no vertices.
} tn_bounding_sphere;

// A node in the rest pose.
typedef struct tn_rest_node {
    double reach;        // Largest distance of the vertices that it moves itself, in its space.
    double offset;       // Distance from its parent.
    double scale_bound;  // Largest factor by which it scales.
    double scale_above;  // Largest factor by which all nodes above it scale together.
} tn_rest_node;

// How far the errors of curves move vertices. To find that, every vertex has to be looked at, which
// linear clips, being exact, do not need. What is the same for all clips is computed once per
// scene.
typedef struct tn_levers {
    tn_arena arena;  // For everything here.
    const tenon_scene *scene;
    tenon_pose *pose;  // The rest pose.
    double diagonal;   // Of the scene's box in the rest pose; of its nodes, without meshes.
    tn_bounding_sphere *spheres;  // Of each node.
    bool has_spheres;             // At least one node has vertices.
    tn_rest_node *rest;           // Of each node.
    uint32_t animation;           // The clip that all below is about,
    bool is_known;                // if there is one.
    tn_moved_roots roots;         // Only their subtrees have values below.
    double *leverage;  // 3 for each node, by tenon_target: the largest error of what the node
                       // moves, as a share of the diagonal, for each unit (length, radian, factor)
                       // that the value is off.
    double *slack;     // Of each node: the share of the diagonal that each of its curves may add.
    double *reach, *offset, *scale_bound;  // As in tn_rest_node, over the whole clip.
    uint32_t *above;                       // Moving channels from the root to it, with its own.
    uint32_t *below;                       // Most moving channels from below it to any leaf.
} tn_levers;

// The levers of a motion, valid until the next call for another motion. NULL, with the error set,
// if out of memory.
const tn_levers *tn_levers_find(const tn_export *export, const tn_motion *motion);

// Free the levers of an export, if it has any.
void tn_levers_free(const tn_export *export);

#endif  // TN_EXCHANGE_CLIPS_MOTION_PRIVATE_H
