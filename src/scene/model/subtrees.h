// subtrees.h: the nodes of a scene in an order in which each is followed by all nodes below it.
// SPDX-License-Identifier: MIT
//
// What a clip moves is then a few ranges of that order, so that the work for a clip depends on what
// it moves, not on how many nodes the scene has.

#ifndef TN_SCENE_MODEL_SUBTREES_H
#define TN_SCENE_MODEL_SUBTREES_H

#include "core/memory/arena.h"

#include <tenon/scene.h>

typedef struct tn_subtrees {
    uint32_t *nodes;   // In that order.
    uint32_t *places;  // Of each node: where it is in `nodes`.
    uint32_t *sizes;   // Of each node: how many nodes there are from it downwards, itself included.
    uint32_t *spare;   // As many as a clip of the scene has channels, for sorting.
} tn_subtrees;

// The topmost nodes that a clip moves. Everything else that it moves is below them.
typedef struct tn_moved_roots {
    uint32_t count;
    uint32_t *nodes;  // In the order of their places. Room for as many as a clip has channels.
} tn_moved_roots;

// The most channels that a clip of the scene has.
uint32_t tn_channels_most(const tenon_scene *scene);

// False if out of memory.
bool tn_subtrees_make(tn_arena *arena, const tenon_scene *scene, tn_subtrees *trees);

// Find the roots of what an animation moves. TENON_NONE moves nothing.
void tn_find_moved_roots(const tn_subtrees *trees, const tenon_scene *scene, uint32_t animation,
                         tn_moved_roots *roots);

#endif  // TN_SCENE_MODEL_SUBTREES_H
