// verify_compare.c: how far two sides are apart as they are posed.
// SPDX-License-Identifier: MIT

#include "verify.h"

#define POINTS_MOST  16384  // Of a side that are compared with a surface, unless all have to be.
#define SEARCH_STEPS 16     // A search takes as long as many items of other loops.

// -- Corners

// Pair vertices by the triangles that have partners. A pair that the triangles around a vertex
// share is listed once, unless the other side splits that vertex.
static bool pair_corners(tn_verify_room *room, tn_comparison *c, const tn_twin_list *polygons,
                         bool by_surface)
{
    const tn_side *a = c->a, *b = c->b;
    uint32_t first = by_surface ? a->triangle_count : 0, total = tn_piece_total(a);
    uint32_t *last = tn_verify_alloc(room, a->vertex_count, sizeof *last);
    tn_twins *items = tn_verify_alloc(
        room, 3 * (uint64_t)(total - first) + (by_surface ? 0 : polygons->count), sizeof *items);
    if (room->failed) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->vertex_count; i++) last[i] = TENON_NONE;
    for (uint32_t i = first; i < total; i++) {
        uint32_t partner = a->partners[i], corners = tn_corner_count(a, i);
        if (partner == TENON_NONE || TN_TURN(partner) == TN_IN_POLYGON) continue;
        for (uint32_t k = 0; k < corners; k++) {
            size_t turned = (k + TN_TURN(partner)) % corners;
            uint32_t ours = a->corners[3 * (size_t)i + k];
            uint32_t theirs = b->corners[3 * (size_t)TN_OTHER(partner) + turned];
            if (last[ours] == theirs) continue;
            last[ours] = theirs;
            items[count++] = (tn_twins){ours, theirs};
        }
    }
    for (uint32_t i = 0; !by_surface && i < polygons->count; i++)
        items[count++] = polygons->items[i];
    c->twins = (tn_twin_list){count, items};
    return true;
}

// -- Points

static bool is_for_surface(const tn_side *side, uint32_t triangle, bool all)
{
    return all || side->partners[triangle] == TENON_NONE;
}

static uint32_t count_for_surface(const tn_side *side, bool all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->triangle_count; i++) count += is_for_surface(side, i, all);
    return count;
}

// Neighbours one after the other, so that the nearest triangle of one is a good guess for the next.
static bool gather_points(tn_verify_room *room, const tn_side *side, const tn_surface *own,
                          bool all, tn_points *points)
{
    uint64_t count = count_for_surface(side, all);
    if (count == 0) return true;
    points->triangles = tn_verify_alloc(room, count, sizeof *points->triangles);
    points->vertices = tn_verify_alloc(room, 3 * count, sizeof *points->vertices);
    bool *is_listed = tn_verify_alloc(room, side->vertex_count, sizeof *is_listed);
    if (room->failed) return false;
    for (uint32_t i = 0; i < side->triangle_count; i++) {
        uint32_t t = own ? tn_surface_order(own)[i] : i;
        if (!is_for_surface(side, t, all)) continue;
        points->triangles[points->triangle_count++] = t;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = side->corners[3 * (size_t)t + k];
            if (!is_listed[vertex]) points->vertices[points->vertex_count++] = vertex;
            is_listed[vertex] = true;
        }
    }
    return true;
}

// Where point `i` is; returns a vertex there, or near.
static uint32_t point_at(const tn_side *side, const tn_points *points, uint32_t i, double out[3])
{
    if (i < points->vertex_count) {
        const float *p = side->positions + 3 * (size_t)points->vertices[i];
        for (uint32_t k = 0; k < 3; k++) out[k] = (double)p[k];
        return points->vertices[i];
    }
    uint32_t t = points->triangles[i - points->vertex_count];
    tn_centroid(side, t, out);
    return side->corners[3 * (size_t)t];
}

// -- Both

bool tn_compare_begin(tn_verify_room *room, tn_comparison *comparison, const tn_side *a,
                      const tn_side *b, const tn_twin_list *polygons, bool by_surface)
{
    tn_comparison *c = comparison;
    *c = (tn_comparison){.room = room, .a = a, .b = b, .worst_vertex = TENON_NONE};
    if (count_for_surface(a, by_surface) > 0) c->b_surface = tn_surface_new(room, b);
    if (count_for_surface(b, by_surface) > 0) c->a_surface = tn_surface_new(room, a);
    if (room->failed) return false;
    if (!gather_points(room, a, c->a_surface, by_surface, &c->a_points)) return false;
    if (!gather_points(room, b, c->b_surface, by_surface, &c->b_points)) return false;
    return pair_corners(room, c, polygons, by_surface);
}

static void add(tn_comparison *c, double square, uint32_t vertex)
{
    c->squares += square;
    c->count++;
    if (!(square > c->largest)) return;
    c->largest = square;
    c->worst_vertex = vertex;
}

static void compare_corners(tn_comparison *c)
{
    for (uint32_t i = 0; i < c->twins.count; i++) {
        tn_twins twins = c->twins.items[i];
        add(c,
            tn_apart(c->a->positions + 3 * (size_t)twins.a, c->b->positions + 3 * (size_t)twins.b),
            twins.a);
    }
}

static uint32_t nearest_corner(const tn_side *side, uint32_t triangle, const double p[3])
{
    const uint32_t *corners = side->corners + 3 * (size_t)triangle;
    const float at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    uint32_t best = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (tn_apart(tn_corner(side, triangle, k), at) <
            tn_apart(tn_corner(side, triangle, best), at))
            best = k;
    return corners[best];
}

// Where it is worst is told as a vertex of A: for a point of B, one of the triangle nearest to it.
static void compare_points(tn_comparison *c, const tn_side *side, tn_points *points,
                           tn_surface *surface, bool thorough)
{
    uint32_t count = points->vertex_count + points->triangle_count, nearest = TENON_NONE;
    if (count == 0) return;
    uint32_t step = thorough ? 1 : (count - 1) / POINTS_MOST + 1;
    tn_surface_refit(surface);
    for (uint32_t i = points->offset++ % step; i < count; i += step) {
        double p[3];
        if (!tn_verify_expect(c->room, tn_goes_on(&c->room->pulse, SEARCH_STEPS))) return;
        uint32_t vertex = point_at(side, points, i, p);
        double square = tn_surface_distance(surface, p, &nearest);
        if (side == c->b && square > c->largest)
            vertex = nearest == TENON_NONE ? TENON_NONE : nearest_corner(c->a, nearest, p);
        add(c, square, vertex);
    }
}

// Of several vertices in one place the one that moves alike counts: seams have more than one, and
// so have parts that touch.
static void compare_places(tn_comparison *c)
{
    for (uint32_t i = 0; i < c->place_count; i++) {
        const tn_place *place = &c->places[i];
        const float *p = c->a->positions + 3 * (size_t)place->vertex;
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < TN_NEIGHBORS && place->others[k] != TENON_NONE; k++) {
            double apart = tn_apart(p, c->b->positions + 3 * (size_t)place->others[k]);
            if (apart < least) least = apart;
        }
        // They are among the points already, which the mean counts.
        if (!(least > c->largest)) continue;
        c->largest = least;
        c->worst_vertex = place->vertex;
    }
}

void tn_compare(tn_comparison *comparison, bool thorough)
{
    tn_comparison *c = comparison;
    compare_corners(c);
    compare_places(c);
    compare_points(c, c->a, &c->a_points, c->b_surface, thorough);
    compare_points(c, c->b, &c->b_points, c->a_surface, thorough);
}
