// verify_coincident.c: vertices of two scenes that are in the same place at rest.
// SPDX-License-Identifier: MIT
//
// Where two scenes cut a surface into different triangles, distances to the surface do not show
// that it moves along itself, as a wheel that turns the other way. Its vertices do.

#include "scene/compare/verify.h"

#include <string.h>

#define TOLERANCE_SHARE 1e-6  // Of the model's size.
#define CANDIDATES_MOST 64    // Vertices of one cell that are looked at.

typedef struct vertex_index {
    const tn_posed_scene *posed;
    double cell;
    uint64_t mask;
    uint32_t *heads, *next;
} vertex_index;

static uint32_t *bucket(const vertex_index *index, const int64_t at[3])
{
    return &index->heads[tn_cell_hash(at[0], at[1], at[2]) & index->mask];
}

// The vertices that triangles of a side have.
static bool *mark_used(tn_verify_context *context, const tn_posed_scene *posed)
{
    bool *is_used = tn_verify_alloc(context, posed->vertex_count, sizeof *is_used);
    for (uint64_t i = 0; is_used && i < 3 * (uint64_t)posed->triangle_count; i++)
        is_used[posed->corners[i]] = true;
    return is_used;
}

static bool index_vertices(tn_verify_context *context, vertex_index *index)
{
    const tn_posed_scene *posed = index->posed;
    const bool *is_used = mark_used(context, posed);
    uint64_t size = 1;
    while (size < posed->vertex_count) size *= 2;
    index->mask = size - 1;
    index->heads = tn_verify_alloc(context, size, sizeof *index->heads);
    index->next = tn_verify_alloc(context, posed->vertex_count, sizeof *index->next);
    if (context->failed) return false;
    memset(index->heads, 0xff, (size_t)size * sizeof *index->heads);
    for (uint32_t i = 0; i < posed->vertex_count; i++) {
        int64_t at[3];
        if (!is_used[i]) continue;
        for (uint32_t k = 0; k < 3; k++)
            at[k] = tn_cell_at((double)posed->positions[3 * (size_t)i + k], index->cell);
        uint32_t *head = bucket(index, at);
        index->next[i] = *head;
        *head = i;
    }
    return true;
}

// The vertices at a place. Returns how many, TN_COINCIDENT_MOST + 1 if there are more.
static uint32_t find_others(const vertex_index *index, const float *p, double tolerance,
                            uint32_t others[TN_COINCIDENT_MOST])
{
    int64_t low[3], high[3], at[3];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; k++) {
        low[k] = tn_cell_at((double)p[k] - tolerance, index->cell);
        high[k] = tn_cell_at((double)p[k] + tolerance, index->cell);
    }
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
                uint32_t vertex = *bucket(index, at);
                for (uint32_t i = 0; vertex != TENON_NONE; i++, vertex = index->next[vertex]) {
                    const float *q = index->posed->positions + 3 * (size_t)vertex;
                    if (i == CANDIDATES_MOST) return TN_COINCIDENT_MOST + 1;
                    if (!(tn_squared_distance(p, q) <= tolerance * tolerance)) continue;
                    if (count == TN_COINCIDENT_MOST) return TN_COINCIDENT_MOST + 1;
                    bool is_known = false;  // Two cells may share a chain.
                    for (uint32_t k = 0; k < count; k++) is_known |= others[k] == vertex;
                    if (!is_known) others[count++] = vertex;
                }
            }
    return count;
}

bool tn_find_coincident_vertices(tn_verify_context *context, tn_comparison *comparison,
                                 double extent)
{
    vertex_index index = {.posed = comparison->b, .cell = 16 * TOLERANCE_SHARE * extent};
    const bool *is_used = mark_used(context, comparison->a);
    comparison->coincident =
        tn_verify_alloc(context, comparison->a->vertex_count, sizeof *comparison->coincident);
    if (context->failed || !index_vertices(context, &index)) return false;
    for (uint32_t i = 0; i < comparison->a->vertex_count; i++) {
        tn_coincident_vertices place = {i, {TENON_NONE, TENON_NONE, TENON_NONE, TENON_NONE}};
        if (!tn_verify_expect(context, tn_goes_on(&context->pulse, 1))) return false;
        if (!is_used[i]) continue;
        uint32_t count = find_others(&index, comparison->a->positions + 3 * (size_t)i,
                                     TOLERANCE_SHARE * extent, place.others);
        if (count > 0 && count <= TN_COINCIDENT_MOST)
            comparison->coincident[comparison->coincident_count++] = place;
    }
    return true;
}
