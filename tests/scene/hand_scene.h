// hand_scene.h: small scenes made by hand, for tests.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_HAND_SCENE_H
#define TENON_TESTS_HAND_SCENE_H

#include "../test.h"

#include <tenon/scene.h>

#include <math.h>
#include <stdlib.h>

#define HAND_MOST 16  // Of everything.

// A scene with room for a few things. Streams belong to the test.
typedef struct hand {
    tenon_scene scene;
    tenon_node nodes[HAND_MOST];
    tenon_mesh meshes[HAND_MOST];
    tenon_primitive primitives[HAND_MOST];
    tenon_skin skins[HAND_MOST];
    tenon_animation animations[HAND_MOST];
    tenon_channel channels[HAND_MOST];
    uint32_t primitive_count, channel_count;
} hand;

static inline tenon_str hand_text(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

static inline void hand_begin(hand *h)
{
    *h = (hand){.scene = {.name = {"", 0}}};
    h->scene.nodes = h->nodes;
    h->scene.meshes = h->meshes;
    h->scene.skins = h->skins;
    h->scene.animations = h->animations;
}

static inline uint32_t hand_node(hand *h, const char *name, uint32_t parent)
{
    h->nodes[h->scene.node_count] = (tenon_node){
        .name = hand_text(name),
        .parent = parent,
        .rotation = {0, 0, 0, 1},
        .scale = {1, 1, 1},
        .mesh = TENON_NONE,
        .skin = TENON_NONE,
        .camera = TENON_NONE,
        .light = TENON_NONE,
    };
    return h->scene.node_count++;
}

// A mesh of one primitive, a list of triangles without indices, which the test may change.
static inline tenon_primitive *hand_mesh(hand *h, const char *name, uint32_t node, float *positions,
                                         uint32_t vertex_count)
{
    tenon_primitive *p = &h->primitives[h->primitive_count++];
    *p = (tenon_primitive){.mode = TENON_TRIANGLES,
                           .material = TENON_NONE,
                           .vertex_count = vertex_count,
                           .positions = positions};
    h->meshes[h->scene.mesh_count] =
        (tenon_mesh){.name = hand_text(name), .primitive_count = 1, .primitives = p};
    h->nodes[node].mesh = h->scene.mesh_count++;
    return p;
}

static inline tenon_animation *hand_clip(hand *h, const char *name, double duration)
{
    tenon_animation *a = &h->animations[h->scene.animation_count++];
    *a = (tenon_animation){
        .name = hand_text(name), .duration = duration, .channels = &h->channels[h->channel_count]};
    return a;
}

// A channel of the last clip.
static inline tenon_channel *hand_channel(hand *h, uint32_t node, tenon_target target,
                                          uint32_t key_count, float *times, float *values)
{
    tenon_channel *c = &h->channels[h->channel_count++];
    *c = (tenon_channel){
        .node = node, .target = target, .key_count = key_count, .times = times, .values = values};
    h->animations[h->scene.animation_count - 1].channel_count++;
    return c;
}

// -- Allocators

// Counts allocations, and refuses one request.
typedef struct hand_memory {
    uint64_t calls;
    uint64_t refused;  // Number of the call, from 1; 0: none.
    int64_t live;
} hand_memory;

static inline void *hand_alloc(void *user, size_t size)
{
    hand_memory *memory = user;
    if (++memory->calls == memory->refused) return NULL;
    memory->live++;
    return malloc(size);
}

static inline void hand_free(void *user, void *block, size_t size)
{
    (void)size;
    ((hand_memory *)user)->live--;
    free(block);
}

static inline tenon_allocator hand_allocator(hand_memory *memory)
{
    return (tenon_allocator){.alloc = hand_alloc, .free = hand_free, .user = memory};
}

// -- Numbers

static inline bool hand_near(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

static inline bool hand_at(const float *p, double x, double y, double z)
{
    bool is_there =
        hand_near(p[0], x, 1e-6) && hand_near(p[1], y, 1e-6) && hand_near(p[2], z, 1e-6);
    if (!is_there) fprintf(stderr, "got %g %g %g, want %g %g %g\n", p[0], p[1], p[2], x, y, z);
    return is_there;
}

// The same numbers on every machine, from 0 to less than 1.
static inline double hand_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (double)(1 << 24);
}

#endif  // TENON_TESTS_HAND_SCENE_H
