// bake_morphs.h: apply morph targets, for formats that cannot hold them.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_EDIT_BAKE_MORPHS_H
#define TN_SCENE_EDIT_BAKE_MORPHS_H

#include "core/memory/arena.h"

#include <tenon/scene.h>

// How many morph targets the meshes of a scene have.
uint64_t tn_count_morphs(const tenon_scene *scene);

// Whether an animation moves morph targets.
bool tn_has_moving_morphs(const tenon_scene *scene);

// Copy a scene without morph targets: its meshes are as they are at rest. Nodes that show a mesh
// with different weights get different meshes. What does not change is shared with the scene.
// False, with `err` set, if there is not enough memory.
bool tn_bake_morphs(const tenon_scene *scene, tn_arena *arena, tenon_scene *copy, tenon_error *err);

#endif  // TN_SCENE_EDIT_BAKE_MORPHS_H
