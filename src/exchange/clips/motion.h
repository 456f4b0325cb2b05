// motion.h: animations as formats need them: sampled, on a grid of ticks, within a tolerance.
// SPDX-License-Identifier: MIT
//
// Scenes have curves that are linear, stepped or cubic, with keys at any time. Formats have lists
// of linear keys, at times that may be whole ticks, or one frame after the other. A tolerance is a
// length, as a share of the diagonal of the scene's box at rest: no vertex shall be further from
// where the scene has it. It is shared out along each chain of moving nodes, so that the sum stays
// within it.

#ifndef TN_EXCHANGE_CLIPS_MOTION_H
#define TN_EXCHANGE_CLIPS_MOTION_H

#include "core/math/math.h"
#include "exchange/export.h"

// The curves of one animation, by node.
typedef struct tn_motion {
    const tenon_scene *scene;
    uint32_t animation;              // TENON_NONE: at rest.
    double duration;                 // Seconds.
    const tenon_channel **channels;  // 3 for each node, by tenon_target; NULL: not moved.
    tenon_budget *budget;            // Where samples are counted; may be NULL.
} tn_motion;

enum {
    TN_MOVES_TRANSLATION = 1 << TENON_TRANSLATION,
    TN_MOVES_ROTATION = 1 << TENON_ROTATION,
    TN_MOVES_SCALE = 1 << TENON_SCALE,
    TN_MOVES_ALL = 7,
};

// Look at an animation of the export's scene. False, with the error set, without memory.
bool tn_motion_make(const tn_export *export, uint32_t animation, tn_motion *motion);

// Which properties of a node it moves: bits of the enum above.
uint32_t tn_motion_moves(const tn_motion *motion, uint32_t node);

// Where a node is, relative to its parent; the node has no matrix, or is not moved (then its matrix
// is split as well as that can be).
tn_trs tn_motion_local(const tn_motion *motion, uint32_t node, double seconds);

// Moments, growing strictly, from 0 on.
typedef struct tn_times {
    uint32_t count;
    double *at;  // Seconds; whole ticks, where ticks were asked for.
} tn_times;

// The times at which `targets` (bits) of a node have to be sampled so that straight lines (and
// turns at constant speed) between the samples are the curves, within the tolerance: all keys of
// linear curves; as many as needed of cubic ones; of stepped ones each key and the moment before
// it. With `ticks` a second above 0 every time is a whole number of them; a key between two ticks
// becomes both, or the nearer one where that is close enough. At least one time; the first is the
// first key's, the last the last key's, or the ticks around them. Of scenes with so many cubic
// curves that they would need more than a million times, those closer than 1/240 s are left out,
// whatever the tolerance. False, with the error set, without memory or if a curve needs more than
// 16 million.
bool tn_motion_times(const tn_export *export, const tn_motion *motion, uint32_t node,
                     uint32_t targets, double ticks, tn_times *times);

// Frames a second at which all moving nodes of a clip can be sampled, relative to their parents; or
// opts->rate if that is given.
//
// The lowest that keeps the tolerance among the source's own key rate, its multiples, and 60; if
// none does, the most exact of them. None is above 120, but for the source's own. Keys that were
// rounded to milliseconds, or to floats, still have a rate. Keys that are irregular, or fewer than
// 15 a second, have none of their own: then it is 60, or the lowest whole rate up to 120 with a
// frame at nearly every key, or 120. Jumps are left out of account, since no rate helps there. 0,
// with the error set, without memory or if the export is cancelled.
double tn_motion_rate(const tn_export *export, const tn_motion *motion);

// A whole rate of that kind, for all clips of the scene together.
double tn_common_rate(const tn_export *export);

// "START 24 frames a second", or "START 24 to 75 frames a second", for reports. NULL, with the
// error set, without memory.
const char *tn_rate_text(const tn_export *export, const char *start, double lowest, double highest);

// How many frames that are, the one at the end included: at least 1.
uint32_t tn_frame_count(double duration, double rate);

// The largest error, as a share of the diagonal, if nodes are sampled at that rate: measured at the
// times where it should be worst, at up to 512 of them. Jumps count, which are spread over a frame.
// HUGE_VAL, with the error set, without memory.
double tn_motion_rate_error(const tn_export *export, const tn_motion *motion, double rate);

// opts->tolerance, or the default.
double tn_motion_tolerance(const tn_export *export);

#endif  // TN_EXCHANGE_CLIPS_MOTION_H
