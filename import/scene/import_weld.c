// import_weld.c: vertices that are equal in every byte become one.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_MOST (3 + TENON_UV_SETS + TENON_COLOR_SETS + 2)

// One list of values of a primitive's vertices.
typedef struct stream {
    unsigned char *data;
    size_t size;  // Bytes of one vertex.
} stream;

typedef struct welder {
    stream streams[STREAM_MOST];
    uint32_t stream_count;
    uint32_t *slots;  // Hash table of vertices, plus 1; 0 is free.
    uint32_t mask;
} welder;

static void add_stream(welder *w, void *data, size_t size)
{
    if (data) w->streams[w->stream_count++] = (stream){data, size};
}

static void find_streams(welder *w, const tenon_primitive *p)
{
    add_stream(w, p->positions, 3 * sizeof(float));
    add_stream(w, p->normals, 3 * sizeof(float));
    add_stream(w, p->tangents, 4 * sizeof(float));
    for (int i = 0; i < TENON_UV_SETS; i++) add_stream(w, p->uvs[i], 2 * sizeof(float));
    for (int i = 0; i < TENON_COLOR_SETS; i++) add_stream(w, p->colors[i], 4 * sizeof(float));
    add_stream(w, p->joints, p->influence_count * sizeof *p->joints);
    add_stream(w, p->weights, p->influence_count * sizeof *p->weights);
}

static uint32_t hash(const welder *w, uint32_t vertex)
{
    uint32_t sum = 2166136261u;
    for (uint32_t s = 0; s < w->stream_count; s++) {
        const stream *st = &w->streams[s];
        for (size_t i = 0; i < st->size; i++)
            sum = (sum ^ st->data[vertex * st->size + i]) * 16777619u;
    }
    return sum;
}

static bool is_equal(const welder *w, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < w->stream_count; s++) {
        const stream *st = &w->streams[s];
        if (memcmp(st->data + a * st->size, st->data + b * st->size, st->size) != 0) return false;
    }
    return true;
}

static void move(const welder *w, uint32_t from, uint32_t to)
{
    for (uint32_t s = 0; s < w->stream_count && from != to; s++) {
        const stream *st = &w->streams[s];
        memcpy(st->data + to * st->size, st->data + from * st->size, st->size);
    }
}

// The vertex that takes the place of `vertex`: an equal one before it, or the next free place.
static uint32_t place(const welder *w, uint32_t vertex, uint32_t *used)
{
    uint32_t slot = hash(w, vertex) & w->mask;
    for (; w->slots[slot]; slot = (slot + 1) & w->mask)
        if (is_equal(w, vertex, w->slots[slot] - 1)) return w->slots[slot] - 1;
    move(w, vertex, *used);
    w->slots[slot] = *used + 1;
    return (*used)++;
}

void import_weld(tenon_primitive *p)
{
    welder w = {.mask = 15};
    if (!p->indices || p->vertex_count > UINT32_MAX / 4) return;
    find_streams(&w, p);
    while (w.mask < 2 * p->vertex_count) w.mask = 2 * w.mask + 1;
    w.slots = import_alloc((uint64_t)w.mask + 1, sizeof *w.slots);
    uint32_t *places = import_alloc(p->vertex_count, sizeof *places);
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->vertex_count; i++) places[i] = place(&w, i, &used);
    for (uint32_t i = 0; i < p->index_count; i++) p->indices[i] = places[p->indices[i]];
    p->vertex_count = used;
    free(places);
    free(w.slots);
}
