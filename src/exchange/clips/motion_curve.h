// motion_curve.h: animation curves, and the error of straight lines between samples of them.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_CLIPS_MOTION_CURVE_H
#define TN_EXCHANGE_CLIPS_MOTION_CURVE_H

#include "core/math/math.h"

#include <tenon/scene.h>

// Number of floats of a value: 4 for rotations, else 3.
uint32_t tn_channel_size(const tenon_channel *channel);

// The value of a key, without its tangents.
const float *tn_channel_key(const tenon_channel *channel, uint32_t key);

// The distance between two values: a length, or for rotations an angle in radians.
double tn_value_distance(tenon_target target, const double a[4], const double b[4]);

// The value at `share` (0 to 1) between two, on a straight line, or turning at constant speed.
void tn_value_between(tenon_target target, const double a[4], const double b[4], double share,
                      double value[4]);

// A bound on the length of the value of a translation or, as the largest of three factors, of a
// scale over the whole curve.
double tn_channel_max(const tenon_channel *channel);

// Whether the value never changes.
bool tn_channel_is_constant(const tenon_channel *channel);

// The velocity at which a linear curve leaves a key.
typedef struct tn_velocity {
    bool is_known;
    uint32_t key;
    tn_vec3 value;
} tn_velocity;

// How much the velocity changes at a key, in units (or radians) per second. `last` starts as zeros
// and belongs to one channel: neighboring keys share a velocity.
double tn_channel_corner(const tenon_channel *channel, uint32_t key, tn_velocity *last);

// -- Cubic curves

// A cubic curve between two keys: c[0] + c[1] u + c[2] u^2 + c[3] u^3, for u from 0 to 1.
typedef struct tn_cubic_segment {
    tenon_target target;
    double start, length;  // Seconds.
    double c[4][4];
} tn_cubic_segment;

// From a key of a cubic curve to the next one.
tn_cubic_segment tn_segment_make(const tenon_channel *channel, uint32_t key);

// A bound on the error of a straight line (or a turn at constant speed) from u = `from` to `to`, in
// units or radians; HUGE_VAL if there is no bound.
double tn_segment_error(const tn_cubic_segment *segment, double from, double to);

// How far from `from` a straight line can go with an error of at most `tolerance`: at most `guess`,
// at least `least`, and not beyond 1.
double tn_segment_step(const tn_cubic_segment *segment, double from, double guess, double tolerance,
                       double least);

#endif  // TN_EXCHANGE_CLIPS_MOTION_CURVE_H
