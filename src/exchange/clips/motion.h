// motion.h: sample animations as formats need them: at ticks or frames, within a tolerance.
// SPDX-License-Identifier: MIT
//
// Scenes have curves that are linear, stepped or cubic, with keys at any time. Formats have lists
// of linear keys, at times that may be whole ticks, or frames at a fixed rate. The tolerance is a
// length, as a share of the diagonal of the scene's box in the rest pose: the largest distance of a
// vertex from its position in the scene. It is divided among the nodes of each moving chain, so
// that the sum of their errors stays within it.

#ifndef TN_EXCHANGE_CLIPS_MOTION_H
#define TN_EXCHANGE_CLIPS_MOTION_H

#include "core/math/math.h"
#include "exchange/export.h"
#include "scene/pose/pose.h"

// The curves of one animation, by node.
typedef struct tn_motion {
    const tenon_scene *scene;
    uint32_t animation;              // TENON_NONE: the rest pose.
    double duration;                 // Seconds.
    const tenon_channel **channels;  // 3 for each node, by tenon_target; NULL: not moved.
    const tenon_channel *first;      // Of the animation.
    tn_cursor *cursors;              // Of each channel of the animation.
    tenon_budget *budget;            // Where samples are counted; may be NULL.
} tn_motion;

enum {
    TN_MOVES_TRANSLATION = 1 << TENON_TRANSLATION,
    TN_MOVES_ROTATION = 1 << TENON_ROTATION,
    TN_MOVES_SCALE = 1 << TENON_SCALE,
    TN_MOVES_ALL = 7,
};

// Find the channels of an animation. False, with the error set, if out of memory or cancelled.
bool tn_motion_make(const tn_export *export, uint32_t animation, tn_motion *motion);

// Which properties of a node it moves: bits of the enum above.
uint32_t tn_motion_moves(const tn_motion *motion, uint32_t node);

// The local transform of a node. A matrix, which only nodes without channels have, is split as well
// as possible.
tn_trs tn_motion_local(const tn_motion *motion, uint32_t node, double seconds);

// Times in strictly rising order, none below 0.
typedef struct tn_times {
    uint32_t count;
    double *at;  // Seconds; whole ticks, where ticks were asked for.
} tn_times;

// The times at which `targets` (bits) of a node have to be sampled so that straight lines (and
// turns at constant speed) between the samples are the curves, within the tolerance: all keys of
// linear curves; as many as needed of cubic ones; of stepped ones each key and a time just before
// it. With `ticks` a second above 0 every time is a whole number of them; a key between two ticks
// becomes both, or the nearer one where that is close enough. At least one time; the first is the
// first key's, the last the last key's, or the ticks around them. Of scenes with so many cubic
// curves that they would need more than a million times, those closer than 1/240 s are left out,
// whatever the tolerance. False, with the error set, if out of memory or if a curve needs more than
// 16 million.
bool tn_motion_times(const tn_export *export, const tn_motion *motion, uint32_t node,
                     uint32_t targets, double ticks, tn_times *times);

// The rate, in frames per second, at which a clip is sampled: opts->rate if it is set.
//
// Else the lowest rate that keeps the tolerance among the key rate of the source, its multiples,
// and 60; if none does, the most exact of them. None is above 120, except for the key rate itself.
// Keys that were rounded to milliseconds, or to floats, still have a rate. Keys that are irregular,
// or fewer than 15 per second, have no key rate: then it is 60, or the lowest whole rate up to 120
// with a frame at nearly every key, or 120. Jumps do not count, since no rate helps there. 0, with
// the error set, if out of memory or if the export is cancelled.
double tn_motion_rate(const tn_export *export, const tn_motion *motion);

// The same for all clips of the scene together: a whole rate.
double tn_common_rate(const tn_export *export);

// "START 24 frames per second", or "START 24 to 75 frames per second", for reports. NULL, with the
// error set, if out of memory.
const char *tn_rate_text(const tn_export *export, const char *start, double lowest, double highest);

// The number of frames of a clip, including the one at its end: at least 1.
uint32_t tn_frame_count(double duration, double rate);

// The largest error, as a share of the diagonal, if a clip is sampled at that rate: measured at up
// to 512 times where it is probably largest. Jumps count, since frames spread them over time.
// HUGE_VAL, with the error set, if out of memory.
double tn_motion_rate_error(const tn_export *export, const tn_motion *motion, double rate);

// opts->tolerance, or the default.
double tn_motion_tolerance(const tn_export *export);

#endif  // TN_EXCHANGE_CLIPS_MOTION_H
