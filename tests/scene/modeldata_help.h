// modeldata_help.h: ModelData documents to be changed in memory and imported.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_MODELDATA_HELP_H
#define TENON_TESTS_MODELDATA_HELP_H

#include "loss_help.h"

#include <tenon/modeldata.h>

#define FOLDER "tests/fixtures/modeldata/"
#define RATE   24.0

// The document of a file; it owns its memory.
static inline tenon_modeldata *open_model(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return tenon_as_modeldata(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

// -- Changing documents

static uint8_t room[1 << 16];
static size_t room_used;

static inline uint8_t *put_u32(uint32_t value)
{
    uint8_t *p = room + room_used;
    room_used += 4;
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> (24 - 8 * i));
    return p;
}

// A span of floats, big-endian, that is valid until the test ends.
static inline tenon_span floats(const tenon_layout *layout, const float *values, uint64_t count)
{
    uint8_t *start = room + room_used;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        put_u32(bits);
    }
    return (tenon_span){start, 4 * count, 4 * count / layout->stride, layout, true};
}

static inline tenon_span integers(const tenon_layout *layout, const int32_t *values, uint64_t count)
{
    uint8_t *start = room + room_used;
    for (uint64_t i = 0; i < count; i++) put_u32((uint32_t)values[i]);
    return (tenon_span){start, 4 * count, 4 * count / layout->stride, layout, true};
}

#define FLOATS(span, ...)                                           \
    (*(span) = floats((span)->layout, (const float[]){__VA_ARGS__}, \
                      sizeof((const float[]){__VA_ARGS__}) / 4))
#define INTEGERS(span, ...)                                             \
    (*(span) = integers((span)->layout, (const int32_t[]){__VA_ARGS__}, \
                        sizeof((const int32_t[]){__VA_ARGS__}) / 4))

// current_full.cea: mast 0 with jib 1, which is 2 above it; a triangle; "slew" moves the mast
// and rotates the jib.
static inline tenon_modeldata *open_full(void)
{
    room_used = 0;
    return open_model(FOLDER "current_full.cea");
}

static inline const tenon_primitive *part_of(const made *m, uint32_t mesh)
{
    return &m->scene->meshes[mesh].primitives[0];
}

// Where the vertices of the only mesh are, `ticks` into the first animation, or at rest.
static inline void pose_mesh(const made *m, double ticks, float *positions)
{
    tenon_pose_set(m->pose, ticks < 0 ? TENON_NONE : 0, ticks / RATE);
    tenon_pose_skin(m->pose, node_called(m->scene, "mesh_0"), 0, positions, NULL);
}

static inline const tenon_channel *channel_of(const made *m, const char *node, tenon_target target)
{
    const tenon_animation *a = &m->scene->animations[0];
    for (uint32_t i = 0; i < a->channel_count; i++)
        if (a->channels[i].node == node_called(m->scene, node) && a->channels[i].target == target)
            return &a->channels[i];
    static float nothing[4];
    static const tenon_channel none = {.times = nothing, .values = nothing};
    return &none;
}

#endif  // TENON_TESTS_MODELDATA_HELP_H
