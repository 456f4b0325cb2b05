// fbx_curves.h: samples animation curves of FBX files, so that straight lines connect their keys.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_CURVES_H
#define TENON_IMPORT_FBX_CURVES_H

#include "fbx_tree.h"

#define FBX_SECOND 46186158000.0  // Ticks.

typedef struct fbx_range {
    double start, stop;  // Ticks.
} fbx_range;

// What the values of a curve are.
typedef enum fbx_curve_kind {
    FBX_LENGTHS,
    FBX_ANGLE,   // Degrees around the only axis that changes.
    FBX_ANGLES,  // Degrees around one of several axes that change: Assimp takes the shortest way.
} fbx_curve_kind;

// Sample an AnimationCurve where it bends or turns by many degrees. Its extrapolation is added as
// keys within `range`.
void fbx_sample_curve(const fbx_tree *tree, fbx_node *curve, fbx_curve_kind kind, fbx_range range);

#endif  // TENON_IMPORT_FBX_CURVES_H
