// scene_recover.h: leave out of a scene what a damaged file cannot have meant.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_EDIT_SCENE_RECOVER_H
#define TN_SCENE_EDIT_SCENE_RECOVER_H

#include "scene/model/scene_build.h"

// Leave out, and tell, triangles and keys that cannot be meant. Before tn_scene_finish() makes
// numbers good that are not.
void tn_scene_recover(tn_scene_builder *builder);

#endif  // TN_SCENE_EDIT_SCENE_RECOVER_H
