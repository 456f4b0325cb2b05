// verify_polygon.c: polygons that two scenes cut into triangles differently.
// SPDX-License-Identifier: MIT
//
// A polygon of a file is its outline; which diagonals cut it is the reader's choice. So it is the
// same as triangles of the other scene that fill the same outline. An edge of the outline has one
// triangle on its inner side, whose third corner must be another corner of the outline: that leaves
// up to two smaller outlines, until nothing is left.

#include "scene/compare/verify.h"

#include <string.h>

#define CORNERS_MOST    64  // Of a polygon; larger ones are compared by surface.
#define CANDIDATES_MOST 64  // Triangles of one cell that are looked at.

typedef struct outline {
    uint32_t count;
    uint32_t vertices[CORNERS_MOST];  // Of the side that has the polygon, counter-clockwise,
    uint32_t others[CORNERS_MOST];    // and the same corners of the other side.
} outline;

// The triangles of a side that have no partner, by the cells that the middles of their edges are
// in.
typedef struct edge_index {
    const tn_posed_scene *posed;
    double tolerance, cell;
    uint64_t mask;
    uint32_t *heads, *next;  // Of edges: triangle * 3 + corner at which the edge starts.
} edge_index;

static uint32_t *bucket(const edge_index *index, const int64_t at[3])
{
    return &index->heads[tn_cell_hash(at[0], at[1], at[2]) & index->mask];
}

static bool index_edges(tn_verify_context *context, edge_index *index)
{
    const tn_posed_scene *posed = index->posed;
    uint64_t size = 1;
    while (size < 3 * (uint64_t)posed->triangle_count) size *= 2;
    index->mask = size - 1;
    index->heads = tn_verify_alloc(context, size, sizeof *index->heads);
    index->next =
        tn_verify_alloc(context, 3 * (uint64_t)posed->triangle_count, sizeof *index->next);
    if (context->failed) return false;
    memset(index->heads, 0xff, (size_t)size * sizeof *index->heads);
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        if (!tn_verify_expect(context, tn_goes_on(&context->pulse, 1))) return false;
        if (posed->partners[i] != TENON_NONE) continue;
        for (uint32_t k = 0; k < 3; k++) {
            const float *a = tn_corner(posed, i, k), *b = tn_corner(posed, i, (k + 1) % 3);
            int64_t at[3];
            for (uint32_t axis = 0; axis < 3; axis++)
                at[axis] = tn_cell_at(((double)a[axis] + (double)b[axis]) / 2, index->cell);
            uint32_t *head = bucket(index, at);
            index->next[3 * i + k] = *head;
            *head = 3 * i + k;
        }
    }
    return true;
}

static bool are_near(const float *a, const float *b, double tolerance)
{
    return tn_squared_distance(a, b) <= tolerance * tolerance;
}

// The edge from a to b of a triangle that is free; TENON_NONE: there is none.
// Edges of triangles that have a partner by now leave their chains.
static uint32_t find_edge(edge_index *index, const float *a, const float *b)
{
    const tn_posed_scene *posed = index->posed;
    int64_t low[3], high[3], at[3];
    for (uint32_t k = 0; k < 3; k++) {
        double middle = ((double)a[k] + (double)b[k]) / 2;
        low[k] = tn_cell_at(middle - index->tolerance, index->cell);
        high[k] = tn_cell_at(middle + index->tolerance, index->cell);
    }
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
                uint32_t *link = bucket(index, at);
                for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE;) {
                    uint32_t edge = *link, triangle = edge / 3, k = edge % 3;
                    if (posed->partners[triangle] != TENON_NONE) {
                        *link = index->next[edge];
                        continue;
                    }
                    if (are_near(tn_corner(posed, triangle, k), a, index->tolerance) &&
                        are_near(tn_corner(posed, triangle, (k + 1) % 3), b, index->tolerance))
                        return edge;
                    link = &index->next[edge];
                    i++;
                }
            }
    return TENON_NONE;
}

// The edges of the free triangles of a polygon that no other of them has in the other direction.
// Triangles that have partners are not part of the question. Returns how many edges; 0: too many.
static uint32_t find_edges(const tn_posed_scene *posed, const tn_polygon *polygon, uint32_t *starts,
                           uint32_t *ends)
{
    uint32_t count = 0;
    if (polygon->count + 2 > CORNERS_MOST) return 0;
    for (uint32_t i = 0; i < 3 * polygon->count; i++) {
        uint32_t triangle = polygon->first + i / 3, k = i % 3, twin = 0;
        const uint32_t *corners = posed->corners + 3 * (size_t)triangle;
        uint32_t start = corners[k], end = corners[(k + 1) % 3];
        if (posed->partners[triangle] != TENON_NONE) continue;
        while (twin < count && (starts[twin] != end || ends[twin] != start)) twin++;
        if (twin == count) {
            starts[count] = start;
            ends[count++] = end;
        } else {
            count--;
            starts[twin] = starts[count];
            ends[twin] = ends[count];
        }
    }
    return count;
}

// Take one ring out of the edges. False if they are not rings.
static bool take_outline(uint32_t *starts, uint32_t *ends, uint32_t *edge_count, outline *out)
{
    out->count = 0;
    uint32_t at = starts[0];
    do {
        uint32_t k = 0;
        while (k < *edge_count && starts[k] != at) k++;
        if (k == *edge_count || out->count == CORNERS_MOST) return false;
        out->vertices[out->count++] = at;
        at = ends[k];
        --*edge_count;
        starts[k] = starts[*edge_count];
        ends[k] = ends[*edge_count];
    } while (at != out->vertices[0]);
    return out->count >= 3;
}

// The sum of the normals of all triangles that an outline can be cut into, twice as long as its
// area.
static void find_newell(const tn_posed_scene *posed, const outline *o, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    const float *origin = posed->positions + 3 * (size_t)o->vertices[0];
    for (uint32_t i = 1; i + 1 < o->count; i++) {
        const float *p = posed->positions + 3 * (size_t)o->vertices[i];
        const float *q = posed->positions + 3 * (size_t)o->vertices[i + 1];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
            normal[k] += ((double)p[x] - (double)origin[x]) * ((double)q[y] - (double)origin[y]) -
                         ((double)p[y] - (double)origin[y]) * ((double)q[x] - (double)origin[x]);
        }
    }
}

// Whether a triangle faces as its polygon does. One that does not is outside of it, as those of a
// fan are where a polygon is concave.
static bool faces(const tn_posed_scene *posed, uint32_t triangle, const double normal[3])
{
    const float *p = tn_corner(posed, triangle, 0), *q = tn_corner(posed, triangle, 1),
                *r = tn_corner(posed, triangle, 2);
    double dot = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
        dot += normal[k] * (((double)q[x] - (double)p[x]) * ((double)r[y] - (double)p[y]) -
                            ((double)q[y] - (double)p[y]) * ((double)r[x] - (double)p[x]));
    }
    return dot >= 0;
}

// Fill the outline with free triangles of the other side, which are added to `triangles`. False if
// they do not fill it.
static bool fill_outline(edge_index *index, const tn_posed_scene *posed, outline *o,
                         uint32_t *triangles, uint32_t *triangle_count)
{
    double normal[3];
    find_newell(posed, o, normal);
    struct {
        uint32_t first, last;
    } waiting[CORNERS_MOST] = {{0, o->count - 1}};
    uint32_t waiting_count = 1;
    while (waiting_count > 0) {
        uint32_t first = waiting[--waiting_count].first, last = waiting[waiting_count].last;
        uint32_t edge = find_edge(index, posed->positions + 3 * (size_t)o->vertices[last],
                                  posed->positions + 3 * (size_t)o->vertices[first]);
        if (edge == TENON_NONE || *triangle_count == CORNERS_MOST) return false;
        uint32_t triangle = edge / 3, start = edge % 3, k = first + 1;
        for (uint32_t i = 0; i < *triangle_count; i++)
            if (triangles[i] == triangle) return false;
        const uint32_t *corners = index->posed->corners + 3 * (size_t)triangle;
        const float *third = tn_corner(index->posed, triangle, (start + 2) % 3);
        while (k < last &&
               !are_near(posed->positions + 3 * (size_t)o->vertices[k], third, index->tolerance))
            k++;
        if (k >= last || !faces(index->posed, triangle, normal)) return false;
        o->others[last] = corners[start];
        o->others[first] = corners[(start + 1) % 3];
        o->others[k] = corners[(start + 2) % 3];
        triangles[(*triangle_count)++] = triangle;
        if (k > first + 1) waiting[waiting_count].first = first, waiting[waiting_count++].last = k;
        if (k + 1 < last) waiting[waiting_count].first = k, waiting[waiting_count++].last = last;
    }
    return true;
}

// Whether free triangles of the other side fill what is free of a polygon. The corners are added to
// `pairs`, which the caller takes back if not.
static bool match_polygon(edge_index *index, const tn_posed_scene *posed, const tn_polygon *polygon,
                          bool is_swapped, uint32_t *triangles, tn_vertex_pair_list *pairs)
{
    uint32_t starts[3 * CORNERS_MOST], ends[3 * CORNERS_MOST], found = 0;
    uint32_t edge_count = find_edges(posed, polygon, starts, ends);
    if (edge_count == 0) return false;
    while (edge_count > 0) {
        outline o;
        if (!take_outline(starts, ends, &edge_count, &o) ||
            !fill_outline(index, posed, &o, triangles, &found))
            return false;
        for (uint32_t k = 0; k < o.count; k++)
            pairs->items[pairs->count++] = is_swapped
                                               ? (tn_vertex_pair){o.others[k], o.vertices[k]}
                                               : (tn_vertex_pair){o.vertices[k], o.others[k]};
    }
    uint32_t free_count = 0;
    for (uint32_t k = 0; k < polygon->count; k++)
        free_count += posed->partners[polygon->first + k] == TENON_NONE;
    return found == free_count;
}

bool tn_match_polygons(tn_verify_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double tolerance, bool is_swapped, tn_vertex_pair_list *pairs)
{
    edge_index index = {.posed = b, .tolerance = tolerance, .cell = 4 * tolerance};
    tn_mark mark = tn_arena_mark(&context->arena);
    if (a->polygon_count == 0) return true;
    if (!index_edges(context, &index)) return false;
    for (uint32_t i = 0; i < a->polygon_count; i++) {
        const tn_polygon *polygon = &a->polygons[i];
        uint32_t triangles[CORNERS_MOST], pair_count = pairs->count;
        if (!tn_verify_expect(context, tn_goes_on(&context->pulse, 1))) return false;
        if (!match_polygon(&index, a, polygon, is_swapped, triangles, pairs)) {
            pairs->count = pair_count;
            continue;
        }
        for (uint32_t k = 0, next = 0; k < polygon->count; k++) {
            uint32_t own = polygon->first + k;
            if (a->partners[own] != TENON_NONE) continue;
            a->partners[own] = triangles[next] << 2 | TN_IN_POLYGON;
            b->partners[triangles[next++]] = own << 2 | TN_IN_POLYGON;
        }
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}
