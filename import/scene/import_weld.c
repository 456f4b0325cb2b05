// import_weld.c: vertices that are equal in every byte become one.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_MOST (3 + TENON_UV_SETS + TENON_COLOR_SETS + 2)

// One list of values of a primitive's vertices.
typedef struct vertex_stream {
    unsigned char *data;
    size_t size;  // Bytes of one vertex.
} vertex_stream;

typedef struct mesh_welder {
    vertex_stream streams[STREAM_MOST];
    uint32_t stream_count;
    uint32_t *slots;  // Hash table of vertices, plus 1; 0 is free.
    uint32_t mask;
} mesh_welder;

static void add_stream(mesh_welder *welder, void *data, size_t size)
{
    if (data) welder->streams[welder->stream_count++] = (vertex_stream){data, size};
}

static void find_streams(mesh_welder *welder, const tenon_primitive *primitive)
{
    add_stream(welder, primitive->positions, 3 * sizeof(float));
    add_stream(welder, primitive->normals, 3 * sizeof(float));
    add_stream(welder, primitive->tangents, 4 * sizeof(float));
    for (int i = 0; i < TENON_UV_SETS; i++)
        add_stream(welder, primitive->uvs[i], 2 * sizeof(float));
    for (int i = 0; i < TENON_COLOR_SETS; i++)
        add_stream(welder, primitive->colors[i], 4 * sizeof(float));
    add_stream(welder, primitive->joints, primitive->influence_count * sizeof *primitive->joints);
    add_stream(welder, primitive->weights, primitive->influence_count * sizeof *primitive->weights);
}

static uint32_t hash(const mesh_welder *welder, uint32_t vertex)
{
    uint32_t sum = 2166136261u;
    for (uint32_t s = 0; s < welder->stream_count; s++) {
        const vertex_stream *stream = &welder->streams[s];
        for (size_t i = 0; i < stream->size; i++)
            sum = (sum ^ stream->data[vertex * stream->size + i]) * 16777619u;
    }
    return sum;
}

static bool is_equal(const mesh_welder *welder, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < welder->stream_count; s++) {
        const vertex_stream *stream = &welder->streams[s];
        if (memcmp(stream->data + a * stream->size, stream->data + b * stream->size,
                   stream->size) != 0)
            return false;
    }
    return true;
}

static void move(const mesh_welder *welder, uint32_t from, uint32_t to)
{
    for (uint32_t s = 0; s < welder->stream_count && from != to; s++) {
        const vertex_stream *stream = &welder->streams[s];
        memcpy(stream->data + to * stream->size, stream->data + from * stream->size, stream->size);
    }
}

// The vertex that takes the place of `vertex`: an equal one before it, or the next free place.
static uint32_t place(const mesh_welder *welder, uint32_t vertex, uint32_t *used)
{
    uint32_t slot = hash(welder, vertex) & welder->mask;
    for (; welder->slots[slot]; slot = (slot + 1) & welder->mask)
        if (is_equal(welder, vertex, welder->slots[slot] - 1)) return welder->slots[slot] - 1;
    move(welder, vertex, *used);
    welder->slots[slot] = *used + 1;
    return (*used)++;
}

void import_weld(tenon_primitive *primitive)
{
    mesh_welder welder = {.mask = 15};
    if (!primitive->indices || primitive->vertex_count > UINT32_MAX / 4) return;
    find_streams(&welder, primitive);
    while (welder.mask < 2 * primitive->vertex_count) welder.mask = 2 * welder.mask + 1;
    welder.slots = import_alloc((uint64_t)welder.mask + 1, sizeof *welder.slots);
    uint32_t *places = import_alloc(primitive->vertex_count, sizeof *places);
    uint32_t used = 0;
    for (uint32_t i = 0; i < primitive->vertex_count; i++) places[i] = place(&welder, i, &used);
    for (uint32_t i = 0; i < primitive->index_count; i++)
        primitive->indices[i] = places[primitive->indices[i]];
    primitive->vertex_count = used;
    free(places);
    free(welder.slots);
}
