// mirrored.h: meshes that nodes mirror, for engines whose front faces have a fixed winding.
// SPDX-License-Identifier: MIT
//
// In a scene, a node that mirrors its mesh also reverses the winding of front faces. An engine with
// one fixed winding needs such meshes with their triangles reversed.

#ifndef TN_SCENE_SURFACE_MIRRORED_H
#define TN_SCENE_SURFACE_MIRRORED_H

#include "scene/model/scene_build.h"

typedef struct tn_mirrored_meshes {
    bool *is_mirrored;    // By mesh; NULL: none is.
    uint32_t copy_count;  // Meshes that had to be added.
} tn_mirrored_meshes;

// Find the meshes that nodes, or most joints of their skins, turn inside out in the rest pose. A
// mesh that nodes show both ways becomes two: the nodes that mirror it get "NAME_mirrored", which
// comes after all others and has the same primitives. Only the lists of nodes and meshes of `scene`
// are replaced, by copies in `arena`. False, with `err` set, if out of memory.
bool tn_find_mirrored(tenon_scene *scene, tn_arena *arena, tn_mirrored_meshes *mirrored,
                      tenon_error *err);

// Reverse the triangles of such meshes in a scene that was imported from a file of such an engine.
void tn_finish_mirrored(tn_scene_builder *builder);

#endif  // TN_SCENE_SURFACE_MIRRORED_H
