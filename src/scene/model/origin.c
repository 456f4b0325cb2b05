// origin.c: collects the origins of primitives, and finds their triangles.
// SPDX-License-Identifier: MIT

#include "scene/model/origin.h"

#include <string.h>

static const uint32_t *origin_copy(tn_scene_builder *builder, const uint32_t *from, uint64_t count)
{
    uint32_t *copy = from ? tn_scene_array(builder, count, sizeof *copy) : NULL;
    if (copy && count) memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

void tn_add_origin(tn_scene_builder *builder, const tenon_primitive *p, const tn_origin *origin)
{
    tn_origins *origins = builder->origins;
    if (!origins || builder->failed) return;
    uint32_t index = tn_list_add(builder, &origins->list, (void **)&origins->entries,
                                 &origins->count, sizeof *origins->entries);
    if (index == TENON_NONE) return;
    tn_origin_entry entry = {p, *origin};
    uint64_t triangles = p->index_count / 3;
    entry.origin.triangle_firsts = origin_copy(builder, origin->triangle_firsts, triangles);
    entry.origin.triangle_sizes = origin_copy(builder, origin->triangle_sizes, triangles);
    entry.origin.vertex_items = origin_copy(builder, origin->vertex_items, p->vertex_count);
    entry.origin.influence_items =
        origin_copy(builder, origin->influence_items, origin->influence_count);
    origins->entries[index] = entry;
}

// The number of triangles, with those that are not drawn.
static uint64_t origin_count(const tenon_primitive *p)
{
    uint64_t corners = p->indices ? p->index_count : p->vertex_count;
    if (corners < 3 || p->mode < TENON_TRIANGLES) return 0;
    return p->mode == TENON_TRIANGLES ? corners / 3 : corners - 2;
}

// The vertices of triangle `number` of them; false if it is not drawn.
static bool origin_vertices(const tenon_primitive *p, uint64_t number, uint32_t vertices[3])
{
    uint64_t first = p->mode == TENON_TRIANGLES ? 3 * number : number;
    bool exists = true;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t corner = p->mode == TENON_TRIANGLE_FAN && k == 0 ? 0 : first + k;
        vertices[k] = p->indices ? p->indices[corner] : (uint32_t)corner;
        exists = exists && vertices[k] < p->vertex_count;
    }
    return exists;
}

bool tn_find_triangle(const tenon_primitive *p, uint64_t triangle, uint64_t *number,
                      uint32_t vertices[3])
{
    uint64_t all = origin_count(p);
    for (uint64_t i = 0; i < all; i++) {
        if (!origin_vertices(p, i, vertices) || triangle-- > 0) continue;
        *number = i;
        return true;
    }
    return false;
}

bool tn_find_vertex(const tn_origin_entry *entry, uint64_t item, uint64_t *triangle,
                    uint32_t *corner)
{
    const tenon_primitive *p = entry->primitive;
    const uint32_t *items = entry->origin.vertex_items;
    uint64_t all = origin_count(p);
    uint32_t vertices[3];
    *triangle = 0;
    for (uint64_t i = 0; i < all && item != TENON_ABSENT; i++) {
        if (!origin_vertices(p, i, vertices)) continue;
        for (uint32_t k = 0; k < 3; k++) {
            *corner = k;
            if ((items ? items[vertices[k]] : vertices[k]) == item) return true;
        }
        (*triangle)++;
    }
    return false;
}

bool tn_find_item(const tn_origin_entry *entry, uint64_t item, uint64_t *triangle)
{
    const tn_origin *origin = &entry->origin;
    uint64_t all = origin_count(entry->primitive);
    uint32_t vertices[3];
    *triangle = 0;
    for (uint64_t i = 0; i < all && item != TENON_ABSENT; i++) {
        uint64_t first = origin->triangle_firsts ? origin->triangle_firsts[i] : 3 * i;
        uint64_t size = origin->triangle_sizes ? origin->triangle_sizes[i] : 3;
        if (!origin_vertices(entry->primitive, i, vertices)) continue;
        if (item >= first && item - first < size) return true;
        (*triangle)++;
    }
    return false;
}
