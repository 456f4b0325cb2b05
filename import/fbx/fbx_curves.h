// fbx_curves.h: animation curves of FBX files, whose keys have tangents, as straight lines.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_CURVES_H
#define TENON_IMPORT_FBX_CURVES_H

#include "fbx_tree.h"

#define FBX_SECOND 46186158000.0  // Ticks.

typedef struct fbx_range {
    double start, stop;  // Ticks.
} fbx_range;

// What the numbers of a curve are.
typedef enum fbx_curve_kind {
    FBX_LENGTHS,
    FBX_ANGLE,   // Degrees around an axis, the only one that changes.
    FBX_ANGLES,  // Of several, of which Assimp would turn the shortest way.
} fbx_curve_kind;

// Sample what is not straight between the keys of an AnimationCurve and turns of many degrees. What
// goes on beyond the keys does so within `range`.
void fbx_sample_curve(const fbx_tree *tree, fbx_node *curve, fbx_curve_kind kind, fbx_range range);

#endif  // TENON_IMPORT_FBX_CURVES_H
