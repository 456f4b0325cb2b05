// mirrored.h: for engines whose front face does not follow the matrices: meshes that nodes mirror.
// SPDX-License-Identifier: MIT
//
// In a scene, a node that mirrors its mesh turns the winding of front faces as well. An engine with
// one fixed winding needs such meshes with their triangles reversed, and shows files that way.

#ifndef TN_SCENE_SURFACE_MIRRORED_H
#define TN_SCENE_SURFACE_MIRRORED_H

#include "scene/model/scene_build.h"

// What the rest pose mirrors.
typedef struct tn_mirrored_meshes {
    bool *is_mirrored;    // By mesh; NULL: none is.
    uint32_t copy_count;  // Meshes that had to be added.
} tn_mirrored_meshes;

// Find the meshes that nodes, or most joints of their skins, turn inside out at rest. A mesh that
// is shown both ways becomes two: the nodes that mirror it get "NAME_mirrored", which comes after
// all others and has the same primitives. Only the lists of nodes and meshes of `scene` are
// replaced, by copies in `arena`. False, with `err` set, without memory.
bool tn_find_mirrored(tenon_scene *scene, tn_arena *arena, tn_mirrored_meshes *mirrored,
                      tenon_error *err);

// Reverse the triangles of all such meshes of a scene that was made from a file of such an engine.
void tn_finish_mirrored(tn_scene_builder *builder);

#endif  // TN_SCENE_SURFACE_MIRRORED_H
