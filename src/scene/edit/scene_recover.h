// scene_recover.h: leave out of a scene what is implausible, after its file was damaged.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_EDIT_SCENE_RECOVER_H
#define TN_SCENE_EDIT_SCENE_RECOVER_H

#include "scene/model/scene_build.h"

// Drop implausible triangles and keys, and report them. Called before tn_scene_finish() replaces
// numbers that are not finite.
void tn_scene_recover(tn_scene_builder *builder);

#endif  // TN_SCENE_EDIT_SCENE_RECOVER_H
