// surface_weld.c: find equal vertices, and share them between triangles or not.
// SPDX-License-Identifier: MIT

#include "core/math/sort.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// Steps from slot to slot for each vertex, on average, after which a hash table is given up: four
// times what the worst usual meshes need.
#define STEPS_MOST 16

// -- Equal vertices

static uint32_t surface_weld_word_at(const tn_key_layout *layout, const tn_stream *stream,
                                     uint64_t index)
{
    uint32_t word;
    memcpy(&word, (const char *)stream->data + index * sizeof word, sizeof word);
    return layout->zeros_are_equal && word == 0x80000000u ? 0 : word;
}

static uint64_t surface_weld_hash_of(const tn_key_layout *layout, uint32_t vertex)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < layout->stream_count; i++) {
        const tn_stream *stream = &layout->streams[i];
        uint64_t start = (uint64_t)vertex * stream->words;
        for (uint32_t k = 0; k < stream->words; k++) {
            hash = (hash ^ surface_weld_word_at(layout, stream, start + k)) * 0xbf58476d1ce4e5b9u;
            hash ^= hash >> 29;
        }
    }
    return hash ^ hash >> 32;
}

static bool surface_weld_is_equal(const tn_key_layout *layout, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < layout->stream_count; i++) {
        const tn_stream *stream = &layout->streams[i];
        uint64_t at = (uint64_t)a * stream->words, bt = (uint64_t)b * stream->words;
        for (uint32_t k = 0; k < stream->words; k++)
            if (surface_weld_word_at(layout, stream, at + k) !=
                surface_weld_word_at(layout, stream, bt + k))
                return false;
    }
    return true;
}

static bool surface_weld_is_before(const void *context, uint32_t a, uint32_t b)
{
    const tn_key_layout *layout = context;
    for (uint32_t i = 0; i < layout->stream_count; i++) {
        const tn_stream *stream = &layout->streams[i];
        uint64_t at = (uint64_t)a * stream->words, bt = (uint64_t)b * stream->words;
        for (uint32_t k = 0; k < stream->words; k++) {
            uint32_t of_a = surface_weld_word_at(layout, stream, at + k),
                     of_b = surface_weld_word_at(layout, stream, bt + k);
            if (of_a != of_b) return of_a < of_b;
        }
    }
    return false;
}

// Takes n log n steps for any vertices.
static bool surface_weld_find_equal_by_sorting(const tn_key_layout *layout, uint32_t count,
                                               tn_arena *scratch, uint32_t *first)
{
    uint32_t *order = tn_arena_alloc(scratch, count, sizeof *order, NULL);
    uint32_t *spare = tn_arena_alloc(scratch, count, sizeof *spare, NULL);
    if (!order || !spare) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, surface_weld_is_before, layout);
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = i > 0 && surface_weld_is_equal(layout, order[i - 1], order[i]);
        first[order[i]] = is_known ? first[order[i - 1]] : order[i];
    }
    return true;
}

// Sets `*is_given_up` if this takes too many steps: a file can be made whose vertices all have the
// same hash.
static bool surface_weld_find_equal_by_hashing(const tn_key_layout *layout, uint32_t count,
                                               tn_arena *scratch, tn_pulse *pulse, uint32_t *first,
                                               bool *is_given_up)
{
    uint64_t room = 16, steps = 0, most = 64 + STEPS_MOST * (uint64_t)count;
    while (room < 2 * (uint64_t)count) room *= 2;
    uint32_t *slots =  // Indices of vertices plus one.
        tn_arena_alloc(scratch, room, sizeof *slots, NULL);
    if (!slots) return false;
    for (uint32_t i = 0; i < count && steps <= most; i++) {
        if (!tn_goes_on(pulse, 1)) return false;
        uint64_t at = surface_weld_hash_of(layout, i) & (room - 1);
        for (; slots[at] && !surface_weld_is_equal(layout, slots[at] - 1, i) && steps <= most;
             steps++)
            at = (at + 1) & (room - 1);
        if (!slots[at]) slots[at] = i + 1;
        first[i] = slots[at] - 1;
    }
    *is_given_up = steps > most;
    return true;
}

bool tn_find_equal(const tn_key_layout *layout, uint32_t count, tn_arena *scratch, tn_pulse *pulse,
                   uint32_t *first)
{
    tn_mark mark = tn_arena_mark(scratch);
    bool is_given_up = false;
    bool ok =
        surface_weld_find_equal_by_hashing(layout, count, scratch, pulse, first, &is_given_up);
    tn_arena_rewind(scratch, mark);
    if (is_given_up) ok = surface_weld_find_equal_by_sorting(layout, count, scratch, first);
    tn_arena_rewind(scratch, mark);
    return ok;
}

// Add a stream, of which there may be none, to `count` others.
static void surface_weld_add_stream(tn_stream *streams, uint32_t *count, const void *data,
                                    uint32_t words)
{
    if (data && words) streams[(*count)++] = (tn_stream){data, words};
}

bool tn_find_equal_vertices(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                            uint32_t *first)
{
    enum { STREAMS_MOST = 5 + TENON_UV_SETS + TENON_COLOR_SETS, EACH = 3 };
    uint64_t most = STREAMS_MOST + EACH * (uint64_t)p->morph_count;
    tn_mark mark = tn_arena_mark(scratch);
    tn_stream *streams = tn_arena_alloc(scratch, most, sizeof *streams, NULL);
    uint32_t count = 0;
    if (!streams) return false;
    surface_weld_add_stream(streams, &count, p->positions, 3);
    surface_weld_add_stream(streams, &count, p->normals, 3);
    surface_weld_add_stream(streams, &count, p->tangents, 4);
    for (int k = 0; k < TENON_UV_SETS; k++) surface_weld_add_stream(streams, &count, p->uvs[k], 2);
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        surface_weld_add_stream(streams, &count, p->colors[k], 4);
    // Joints come in fours, of 16 bits.
    surface_weld_add_stream(streams, &count, p->joints, p->influence_count / 2);
    surface_weld_add_stream(streams, &count, p->weights, p->influence_count);
    for (uint32_t k = 0; k < p->morph_count; k++) {
        surface_weld_add_stream(streams, &count, p->morphs[k].positions, 3);
        surface_weld_add_stream(streams, &count, p->morphs[k].normals, 3);
        surface_weld_add_stream(streams, &count, p->morphs[k].tangents, 3);
    }
    const tn_key_layout layout = {count, streams, false};
    bool ok = tn_find_equal(&layout, p->vertex_count, scratch, pulse, first);
    tn_arena_rewind(scratch, mark);
    return ok;
}

// -- Picking

typedef struct vertex_picker {
    tn_arena *arena;
    const uint32_t *from;
    uint32_t count;
    bool failed;  // Out of memory.
} vertex_picker;

static void *surface_weld_copy_stream(vertex_picker *picker, const void *stream, size_t size)
{
    if (!stream || picker->failed) return NULL;
    char *out = tn_arena_alloc(picker->arena, picker->count, size, NULL);
    picker->failed = !out;
    for (uint32_t i = 0; out && i < picker->count; i++)
        memcpy(out + i * size, (const char *)stream + picker->from[i] * size, size);
    return out;
}

bool tn_pick_vertices(const tenon_primitive *p, const uint32_t *from, uint32_t count,
                      tn_arena *arena, tenon_primitive *out)
{
    vertex_picker picker = {arena, from, count, false};
    *out = *p;
    out->vertex_count = count;
    out->positions = surface_weld_copy_stream(&picker, p->positions, 3 * sizeof *p->positions);
    out->normals = surface_weld_copy_stream(&picker, p->normals, 3 * sizeof *p->normals);
    out->tangents = surface_weld_copy_stream(&picker, p->tangents, 4 * sizeof *p->tangents);
    for (int i = 0; i < TENON_UV_SETS; i++)
        out->uvs[i] = surface_weld_copy_stream(&picker, p->uvs[i], 2 * sizeof(float));
    for (int i = 0; i < TENON_COLOR_SETS; i++)
        out->colors[i] = surface_weld_copy_stream(&picker, p->colors[i], 4 * sizeof(float));
    out->joints =
        surface_weld_copy_stream(&picker, p->joints, p->influence_count * sizeof *p->joints);
    out->weights =
        surface_weld_copy_stream(&picker, p->weights, p->influence_count * sizeof *p->weights);
    if (p->morph_count)
        out->morphs = tn_arena_alloc(arena, p->morph_count, sizeof *out->morphs, NULL);
    if (!out->morphs) picker.failed = picker.failed || p->morph_count;
    for (uint32_t k = 0; k < p->morph_count && !picker.failed; k++) {
        const tenon_morph *morph = &p->morphs[k];
        const size_t size = 3 * sizeof(float);
        out->morphs[k] =
            (tenon_morph){.positions = surface_weld_copy_stream(&picker, morph->positions, size),
                          .normals = surface_weld_copy_stream(&picker, morph->normals, size),
                          .tangents = surface_weld_copy_stream(&picker, morph->tangents, size)};
    }
    out->index_count = 0;
    out->indices = NULL;
    return !picker.failed;
}

bool tn_unshare(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out)
{
    uint64_t count = tn_has_faces(p) ? tn_piece_count(p) : 0;
    if (count > UINT32_MAX / 3) return false;
    uint32_t *from = tn_arena_alloc(arena, count, 3 * sizeof *from, NULL);
    if (!from) return false;
    for (uint64_t i = 0; i < count; i++) tn_piece_at(p, i, from + 3 * i);
    if (!tn_pick_vertices(p, from, (uint32_t)(3 * count), arena, out)) return false;
    out->mode = TENON_TRIANGLES;
    return true;
}

// -- Triangles

bool tn_list_triangles(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out)
{
    uint64_t count = tn_has_faces(p) ? tn_piece_count(p) : 0;
    uint32_t used = 0;
    if (count > UINT32_MAX / 3) return false;
    uint32_t *indices = tn_arena_alloc(arena, count, 3 * sizeof *indices, NULL);
    if (!indices) return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *v = indices + used;
        tn_piece_at(p, i, v);
        bool is_degenerate = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
        used += p->mode != TENON_TRIANGLES && is_degenerate ? 0 : 3;
    }
    *out = *p;
    out->mode = TENON_TRIANGLES;
    out->indices = indices;
    out->index_count = used;
    return true;
}

static void surface_weld_swap(uint32_t *a, uint32_t *b)
{
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

bool tn_reverse_winding(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out)
{
    *out = *p;
    if (!tn_has_faces(p)) return true;
    if (p->indices || p->mode != TENON_TRIANGLES) {
        if (!tn_list_triangles(p, arena, out)) return false;
        for (uint32_t i = 0; i < out->index_count; i += 3)
            surface_weld_swap(&out->indices[i + 1], &out->indices[i + 2]);
        return true;
    }
    uint32_t *from = tn_arena_alloc(arena, p->vertex_count, sizeof *from, NULL);
    if (!from) return false;
    for (uint32_t i = 0; i < p->vertex_count; i++) from[i] = i;
    for (uint32_t i = 0; i < p->vertex_count / 3; i++)
        surface_weld_swap(&from[3 * i + 1], &from[3 * i + 2]);
    return tn_pick_vertices(p, from, p->vertex_count, arena, out);
}

// -- Welding

bool tn_weld(const tenon_primitive *p, tn_arena *arena, tn_pulse *pulse, tenon_primitive *out)
{
    uint32_t count = p->vertex_count, kept = 0;
    uint32_t corners = p->indices ? p->index_count : count;
    uint32_t *first = tn_arena_alloc(arena, count, sizeof *first, NULL);
    uint32_t *from = tn_arena_alloc(arena, count, sizeof *from, NULL);
    uint32_t *indices = tn_arena_alloc(arena, corners, sizeof *indices, NULL);
    if (!first || !from || !indices) return false;
    if (!tn_find_equal_vertices(p, arena, pulse, first)) return false;
    // From here on, first[i] is the new index of vertex i; those before it have theirs already.
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = first[i] == i;
        if (is_new) from[kept] = i;
        first[i] = is_new ? kept++ : first[first[i]];
    }
    for (uint32_t i = 0; i < corners; i++) indices[i] = first[p->indices ? p->indices[i] : i];
    if (!tn_pick_vertices(p, from, kept, arena, out)) return false;
    out->indices = indices;
    out->index_count = corners;
    return true;
}
