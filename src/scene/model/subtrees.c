// subtrees.c: the nodes of a scene in an order in which each is followed by all nodes below it.
// SPDX-License-Identifier: MIT

#include "scene/model/subtrees.h"

#include "core/math/sort.h"

uint32_t tn_channels_most(const tenon_scene *scene)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        if (scene->animations[i].channel_count > most) most = scene->animations[i].channel_count;
    return most;
}

// Parents come before their children: sizes are known from the last node to the first, and places
// from the first to the last.
bool tn_subtrees_make(tn_arena *arena, const tenon_scene *scene, tn_subtrees *trees)
{
    uint32_t count = scene->node_count, next_root = 0;
    trees->nodes = tn_arena_alloc(arena, count, sizeof *trees->nodes, NULL);
    trees->places = tn_arena_alloc(arena, count, sizeof *trees->places, NULL);
    trees->sizes = tn_arena_alloc(arena, count, sizeof *trees->sizes, NULL);
    trees->spare = tn_arena_alloc(arena, tn_channels_most(scene), sizeof *trees->spare, NULL);
    if (!trees->nodes || !trees->places || !trees->sizes || !trees->spare) return false;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = scene->nodes[i].parent;
        trees->sizes[i]++;
        if (parent != TENON_NONE) trees->sizes[parent] += trees->sizes[i];
    }
    uint32_t *next_child = trees->nodes;  // Of each node, until all have their places.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        uint32_t *next = parent == TENON_NONE ? &next_root : &next_child[parent];
        trees->places[i] = *next;
        next_child[i] = *next + 1;
        *next += trees->sizes[i];
    }
    for (uint32_t i = 0; i < count; i++) trees->nodes[trees->places[i]] = i;
    return true;
}

static bool subtrees_is_placed_before(const void *places, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)places)[a] < ((const uint32_t *)places)[b];
}

void tn_find_moved_roots(const tn_subtrees *trees, const tenon_scene *scene, uint32_t animation,
                         tn_moved_roots *roots)
{
    roots->count = 0;
    if (animation >= scene->animation_count) return;
    const tenon_animation *a = &scene->animations[animation];
    for (uint32_t i = 0; i < a->channel_count; i++) roots->nodes[i] = a->channels[i].node;
    tn_sort(roots->nodes, trees->spare, a->channel_count, subtrees_is_placed_before, trees->places);
    uint32_t end = 0;  // Of what is below the last root.
    for (uint32_t i = 0; i < a->channel_count; i++) {
        uint32_t node = roots->nodes[i], place = trees->places[node];
        if (roots->count > 0 && place < end) continue;
        roots->nodes[roots->count++] = node;
        end = place + trees->sizes[node];
    }
}
