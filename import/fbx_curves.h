// fbx_curves.h: animation curves of FBX files, whose keys have tangents, as straight lines.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_CURVES_H
#define TENON_IMPORT_FBX_CURVES_H

#include "fbx_tree.h"

#define FBX_SECOND 46186158000.0  // Ticks.

// Sample what is not straight between the keys of an AnimationCurve and, if it is one of several
// angles, turns of many degrees, where Assimp would take the shortest way.
void fbx_straighten(const fbx_tree *tree, fbx_node *curve, bool turns);

#endif  // TENON_IMPORT_FBX_CURVES_H
