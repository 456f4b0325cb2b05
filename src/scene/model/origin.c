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
    origins->entries[index] = entry;
}

bool tn_find_triangle(const tenon_primitive *p, uint64_t triangle, uint64_t *number,
                      uint32_t vertices[3])
{
    uint64_t corners = p->indices ? p->index_count : p->vertex_count;
    bool is_list = p->mode == TENON_TRIANGLES, is_fan = p->mode == TENON_TRIANGLE_FAN;
    if (corners < 3 || p->mode < TENON_TRIANGLES) return false;
    uint64_t all = is_list ? corners / 3 : corners - 2;
    for (uint64_t i = 0; i < all; i++) {
        uint64_t first = is_list ? 3 * i : i;
        bool exists = true;
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t corner = is_fan && k == 0 ? 0 : first + k;
            vertices[k] = p->indices ? p->indices[corner] : (uint32_t)corner;
            exists = exists && vertices[k] < p->vertex_count;
        }
        if (!exists || triangle-- > 0) continue;
        *number = i;
        return true;
    }
    return false;
}
