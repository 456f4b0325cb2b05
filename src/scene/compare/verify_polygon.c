// verify_polygon.c: polygons that two scenes split into triangles differently.
// SPDX-License-Identifier: MIT
//
// A polygon of a file is its outline; the importer chooses the diagonals that split it. So it is
// the same as triangles of the other scene that fill the same outline. Each edge of the outline has
// one triangle on its inner side, whose third corner must be another corner of the outline. What
// remains is up to two smaller outlines, which are filled in the same way.

#include "scene/compare/verify.h"

#define CORNERS_MOST    64  // Of a polygon; larger ones are compared by surface.
#define CANDIDATES_MOST 64  // Triangles that are examined in one cell.

typedef struct polygon_outline {
    uint32_t count;
    uint32_t vertices[CORNERS_MOST];  // Of the scene that has the polygon, counter-clockwise,
    uint32_t others[CORNERS_MOST];    // and the same corners of the other scene.
} polygon_outline;

// The edges of the triangles of a scene that have no partner, by their midpoints. The number of an
// edge is triangle * 3 + corner at which the edge starts.
typedef struct edge_index {
    const tn_posed_scene *posed;
    tn_grid grid;
} edge_index;

static bool verify_polygon_index_edges(tn_match_context *context, double tolerance,
                                       edge_index *index)
{
    const tn_posed_scene *posed = index->posed;
    uint64_t count = 3 * (uint64_t)posed->triangle_count;
    if (!tn_grid_begin(context, &index->grid, tolerance, 4 * tolerance, count)) return false;
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        if (!tn_match_goes_on(context, 1)) return false;
        if (posed->partners[i] != TENON_NONE) continue;
        for (uint32_t k = 0; k < 3; k++) {
            const float *a = tn_corner(posed, i, k), *b = tn_corner(posed, i, (k + 1) % 3);
            double middle[3];
            for (uint32_t axis = 0; axis < 3; axis++)
                middle[axis] = ((double)a[axis] + (double)b[axis]) / 2;
            tn_grid_add(&index->grid, middle, 3 * i + k);
        }
    }
    return true;
}

static bool verify_polygon_are_near(const edge_index *index, const float *a, const float *b)
{
    return tn_squared_distance(a, b) <= index->grid.tolerance * index->grid.tolerance;
}

// The edge from a to b of a triangle that has no partner, or TENON_NONE. Edges of triangles that
// got a partner in the meantime are removed from the index.
static uint32_t verify_polygon_find_edge(edge_index *index, const float *a, const float *b)
{
    const tn_posed_scene *posed = index->posed;
    double middle[3];
    for (uint32_t k = 0; k < 3; k++) middle[k] = ((double)a[k] + (double)b[k]) / 2;
    tn_grid_chains chains = tn_grid_search(&index->grid, middle);
    for (uint32_t c = 0; c < chains.count; c++) {
        uint32_t *link = chains.heads[c];
        for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE;) {
            uint32_t edge = *link, triangle = edge / 3, k = edge % 3;
            if (posed->partners[triangle] != TENON_NONE) {
                *link = index->grid.next[edge];
                continue;
            }
            if (verify_polygon_are_near(index, tn_corner(posed, triangle, k), a) &&
                verify_polygon_are_near(index, tn_corner(posed, triangle, (k + 1) % 3), b))
                return edge;
            link = &index->grid.next[edge];
            i++;
        }
    }
    return TENON_NONE;
}

// -- Outlines

// The edges of a polygon's unpaired triangles that no other of them has in the opposite direction.
// Returns their number; 0 if there are too many.
static uint32_t verify_polygon_find_edges(const tn_posed_scene *posed, const tn_polygon *polygon,
                                          uint32_t *starts, uint32_t *ends)
{
    uint32_t count = 0;
    if (polygon->triangle_count + 2 > CORNERS_MOST) return 0;
    for (uint32_t i = 0; i < 3 * polygon->triangle_count; i++) {
        uint32_t triangle = polygon->first_triangle + i / 3, k = i % 3, opposite = 0;
        const uint32_t *corners = posed->corners + 3 * (size_t)triangle;
        uint32_t start = corners[k], end = corners[(k + 1) % 3];
        if (posed->partners[triangle] != TENON_NONE) continue;
        while (opposite < count && (starts[opposite] != end || ends[opposite] != start)) opposite++;
        if (opposite == count) {
            starts[count] = start;
            ends[count++] = end;
        } else {
            count--;
            starts[opposite] = starts[count];
            ends[opposite] = ends[count];
        }
    }
    return count;
}

// Remove one closed outline from the edges. False if they do not form closed outlines.
static bool verify_polygon_take_outline(uint32_t *starts, uint32_t *ends, uint32_t *edge_count,
                                        polygon_outline *outline)
{
    outline->count = 0;
    uint32_t at = starts[0];
    do {
        uint32_t k = 0;
        while (k < *edge_count && starts[k] != at) k++;
        if (k == *edge_count || outline->count == CORNERS_MOST) return false;
        outline->vertices[outline->count++] = at;
        at = ends[k];
        --*edge_count;
        starts[k] = starts[*edge_count];
        ends[k] = ends[*edge_count];
    } while (at != outline->vertices[0]);
    return outline->count >= 3;
}

// The normal of an outline by Newell's method, twice as long as the outline's area.
static void verify_polygon_outline_normal(const tn_posed_scene *posed,
                                          const polygon_outline *outline, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    const float *origin = posed->positions + 3 * (size_t)outline->vertices[0];
    for (uint32_t i = 1; i + 1 < outline->count; i++) {
        const float *p = posed->positions + 3 * (size_t)outline->vertices[i];
        const float *q = posed->positions + 3 * (size_t)outline->vertices[i + 1];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t x = (k + 1) % 3, y = (k + 2) % 3;
            normal[k] += ((double)p[x] - (double)origin[x]) * ((double)q[y] - (double)origin[y]) -
                         ((double)p[y] - (double)origin[y]) * ((double)q[x] - (double)origin[x]);
        }
    }
}

// Whether a triangle faces the same way as its polygon. One that does not is outside the polygon,
// as in a fan of a concave polygon.
static bool verify_polygon_faces_along(const tn_posed_scene *posed, uint32_t triangle,
                                       const double normal[3])
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

// Whether the triangles are all of one polygon of their scene.
static bool verify_polygon_is_whole(const tn_posed_scene *posed, const uint32_t *triangles,
                                    uint32_t count)
{
    uint32_t low = 0, high = posed->polygon_count, least = TENON_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (triangles[i] < least) least = triangles[i];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (posed->polygons[middle].first_triangle < least)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == posed->polygon_count || posed->polygons[low].triangle_count != count) return false;
    if (posed->polygons[low].first_triangle != least) return false;
    for (uint32_t i = 0; i < count; i++)
        if (triangles[i] - least >= count) return false;
    return true;
}

// Fill the outline with unpaired triangles of the other scene, which are added to `triangles`.
// False if they do not fill it. Triangles may face the other way only if they are a polygon of
// their scene: one that is not flat is split differently in each pose.
static bool verify_polygon_fill_outline(edge_index *index, const tn_posed_scene *posed,
                                        polygon_outline *outline, uint32_t *triangles,
                                        uint32_t *triangle_count)
{
    double normal[3];
    bool face_along = true;
    uint32_t first_triangle = *triangle_count;
    verify_polygon_outline_normal(posed, outline, normal);
    struct {
        uint32_t first, last;
    } stack[CORNERS_MOST] = {{0, outline->count - 1}};
    uint32_t stack_count = 1;
    while (stack_count > 0) {
        uint32_t first = stack[--stack_count].first, last = stack[stack_count].last;
        uint32_t edge =
            verify_polygon_find_edge(index, posed->positions + 3 * (size_t)outline->vertices[last],
                                     posed->positions + 3 * (size_t)outline->vertices[first]);
        if (edge == TENON_NONE || *triangle_count == CORNERS_MOST) return false;
        uint32_t triangle = edge / 3, start = edge % 3, k = first + 1;
        for (uint32_t i = 0; i < *triangle_count; i++)
            if (triangles[i] == triangle) return false;
        const uint32_t *corners = index->posed->corners + 3 * (size_t)triangle;
        const float *third = tn_corner(index->posed, triangle, (start + 2) % 3);
        while (k < last && !verify_polygon_are_near(
                               index, posed->positions + 3 * (size_t)outline->vertices[k], third))
            k++;
        if (k >= last) return false;
        face_along = face_along && verify_polygon_faces_along(index->posed, triangle, normal);
        outline->others[last] = corners[start];
        outline->others[first] = corners[(start + 1) % 3];
        outline->others[k] = corners[(start + 2) % 3];
        triangles[(*triangle_count)++] = triangle;
        if (k > first + 1) stack[stack_count].first = first, stack[stack_count++].last = k;
        if (k + 1 < last) stack[stack_count].first = k, stack[stack_count++].last = last;
    }
    return face_along || verify_polygon_is_whole(index->posed, triangles + first_triangle,
                                                 *triangle_count - first_triangle);
}

// Whether unpaired triangles of the other scene fill the unpaired part of a polygon. Adds the
// corners to `pairs`; if it returns false, the caller removes them.
static bool verify_match_polygon(edge_index *index, const tn_posed_scene *posed,
                                 const tn_polygon *polygon, bool is_swapped, uint32_t *triangles,
                                 tn_vertex_pair_list *pairs)
{
    uint32_t starts[3 * CORNERS_MOST], ends[3 * CORNERS_MOST], found = 0;
    uint32_t edge_count = verify_polygon_find_edges(posed, polygon, starts, ends);
    if (edge_count == 0) return false;
    while (edge_count > 0) {
        polygon_outline outline;
        if (!verify_polygon_take_outline(starts, ends, &edge_count, &outline) ||
            !verify_polygon_fill_outline(index, posed, &outline, triangles, &found))
            return false;
        for (uint32_t k = 0; k < outline.count; k++)
            pairs->items[pairs->count++] =
                is_swapped ? (tn_vertex_pair){outline.others[k], outline.vertices[k]}
                           : (tn_vertex_pair){outline.vertices[k], outline.others[k]};
    }
    uint32_t unpaired_count = 0;
    for (uint32_t k = 0; k < polygon->triangle_count; k++)
        unpaired_count += posed->partners[polygon->first_triangle + k] == TENON_NONE;
    return found == unpaired_count;
}

bool tn_match_polygons(tn_match_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double tolerance, bool is_swapped, tn_vertex_pair_list *pairs)
{
    edge_index index = {.posed = b};
    tn_mark mark = tn_arena_mark(&context->arena);
    if (a->polygon_count == 0) return true;
    if (!verify_polygon_index_edges(context, tolerance, &index)) return false;
    for (uint32_t i = 0; i < a->polygon_count; i++) {
        const tn_polygon *polygon = &a->polygons[i];
        uint32_t triangles[CORNERS_MOST], pair_count = pairs->count;
        if (!tn_match_goes_on(context, 1)) return false;
        if (!verify_match_polygon(&index, a, polygon, is_swapped, triangles, pairs)) {
            pairs->count = pair_count;
            continue;
        }
        for (uint32_t k = 0, next = 0; k < polygon->triangle_count; k++) {
            uint32_t triangle = polygon->first_triangle + k;
            if (a->partners[triangle] != TENON_NONE) continue;
            a->partners[triangle] = triangles[next] << 2 | TN_IN_POLYGON;
            b->partners[triangles[next++]] = triangle << 2 | TN_IN_POLYGON;
        }
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}
