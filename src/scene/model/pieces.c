// pieces.c: the points, lines and triangles of a primitive, whatever its mode.
// SPDX-License-Identifier: MIT

#include "scene/model/pieces.h"

#include <string.h>

static uint64_t pieces_corner_count(const tenon_primitive *p)
{
    return p->indices ? p->index_count : p->vertex_count;
}

uint32_t tn_piece_size(tenon_mode mode)
{
    if (mode == TENON_POINTS) return 1;
    return mode < TENON_TRIANGLES ? 2 : 3;
}

uint64_t tn_piece_count(const tenon_primitive *p)
{
    uint64_t corners = pieces_corner_count(p), size = tn_piece_size(p->mode);
    switch (p->mode) {
    case TENON_LINE_LOOP:
        return corners < size ? 0 : corners;
    case TENON_LINE_STRIP:
    case TENON_TRIANGLE_STRIP:
    case TENON_TRIANGLE_FAN:
        return corners < size ? 0 : corners - (size - 1);
    default:
        return corners / size;
    }
}

void tn_piece_at(const tenon_primitive *p, uint64_t index, uint32_t vertices[3])
{
    if (p->mode == TENON_TRIANGLES && p->indices) {
        memcpy(vertices, p->indices + 3 * index, 3 * sizeof *vertices);
        return;
    }
    uint32_t size = tn_piece_size(p->mode);
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint64_t first = is_list ? index * size : index;
    uint64_t corners[3] = {first, first + 1, first + 2};
    if (p->mode == TENON_LINE_LOOP && first + 1 == pieces_corner_count(p)) corners[1] = 0;
    if (p->mode == TENON_TRIANGLE_FAN) corners[0] = 0;
    if (p->mode == TENON_TRIANGLE_STRIP && index % 2)
        corners[1] = first + 2, corners[2] = first + 1;
    for (uint32_t i = 0; i < size; i++)
        vertices[i] = p->indices ? p->indices[corners[i]] : (uint32_t)corners[i];
}
