// motion_work.h: what the files of motion.h share.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_MOTION_WORK_H
#define TN_SCENE_MOTION_WORK_H

#include "motion.h"
#include "motion_curve.h"

// Half of the tolerance is kept for rounding, and for what formats do to values.
#define TN_SHARE_OF_CURVES 0.5

// Times of keys are floats, so moments this close to each other are the same: a millionth of a
// second, or what rounding makes of a late time.
double tn_moment_slack(double seconds);

// When a stepped curve is looked at for that time: a little later, so that a jump that is meant to
// be at a tick or a frame, but comes behind it by rounding, is over.
double tn_step_moment(double seconds);

// The value of a channel, as tn_motion_local() has it.
void tn_motion_value(const tenon_channel *channel, double seconds, double value[4]);

// Nodes that move nothing still count as something of this share of the diagonal: things are
// attached to them in games.
#define TN_LEAST_REACH 0.03125

// Whether frames at a rate have one at that time.
bool tn_has_frame(double seconds, double rate);

// tn_motion_rate_error(), without jumps if they are not to count.
double tn_motion_frame_error(const tn_export *e, const tn_motion *motion, double rate,
                             bool with_jumps);

// The ball around the vertices that a node moves itself, in its own space.
typedef struct tn_body {
    double center[3];
    double radius;  // Negative: there are none.
} tn_body;

// How far errors carry. To know that, every vertex has to be looked at, which most clips can do
// without: those that are linear are exact.
typedef struct tn_levers {
    bool is_known;
    double diagonal;   // Of the box of the scene at rest; of its nodes, without meshes.
    double *leverage;  // 3 for each node, by tenon_target: how far, at most, what the node moves is
                       // off, as a share of the diagonal, for each unit (of length, radian, factor)
                       // that the value is off.
    double *slack;     // For each node: the share of the diagonal that each of its curves may add.
    tn_body *bodies;   // For each node.
} tn_levers;

// Room for the levers of a motion. False, with the error set, without memory.
bool tn_levers_alloc(const tn_export *e, tn_motion *motion);

// The levers, found out at the first call. NULL, with the error set, without memory.
const tn_levers *tn_levers_find(const tn_export *e, const tn_motion *motion);

#endif  // TN_SCENE_MOTION_WORK_H
