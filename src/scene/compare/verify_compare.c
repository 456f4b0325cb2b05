// verify_compare.c: how far two sides are apart as they are posed.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/math/sort.h"

#define POINTS_MOST  16384  // Of a side that are compared with a surface, unless all have to be.
#define SEARCH_STEPS 16     // A search takes as long as many items of other loops.
#define TWINS_FEW    1024   // As many are always compared.
#define MOVED_SHARE  8      // A clip that moves more than one of so many twins compares all.

// -- Corners

// Pair vertices by the triangles that have partners. A pair that the triangles around a vertex
// share is listed once, unless the other side splits that vertex.
static bool pair_corners(tn_verify_room *room, tn_comparison *c, const tn_twin_list *polygons,
                         bool by_surface)
{
    const tn_verify_side *a = c->a, *b = c->b;
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

// -- What clips move

// The twins that the clips posed now move, and what is known of all others, which are at rest.
struct tn_moved_twins {
    tn_lists a, b;                      // The twins of each part.
    double *rest;                       // Of each twin: the square of its distance at rest,
    uint32_t *by_distance;              // and the twins by that, largest first.
    double rest_sum;                    // Of all.
    bool is_listed, is_used;            // Whether the list is made, and shorter than that of all.
    uint32_t a_animation, b_animation;  // That it was made for.
    uint32_t count, *twins;
    bool *is_moved;          // Of each twin.
    double still_sum;        // Of those that are not listed,
    uint32_t still_largest;  // of which this is the farthest apart; TENON_NONE: there are none.
};

static bool list_part_twins(tn_verify_room *room, const tn_comparison *c,
                            const tn_verify_side *side, tn_lists *lists)
{
    uint32_t count = c->twins.count;
    lists->starts = tn_verify_alloc(room, (uint64_t)side->part_count + 2, sizeof *lists->starts);
    lists->items = tn_verify_alloc(room, count, sizeof *lists->items);
    uint32_t *parts = tn_verify_alloc(room, count, sizeof *parts);
    if (room->failed) return false;
    uint32_t *next = lists->starts + 1;  // Of each part.
    for (uint32_t i = 0; i < count; i++) {
        const tn_twins *twins = &c->twins.items[i];
        parts[i] =
            (uint32_t)(tn_verify_side_part(side, side == c->a ? twins->a : twins->b) - side->parts);
        next[parts[i] + 1]++;
    }
    for (uint32_t i = 0; i < side->part_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++) lists->items[next[parts[i]]++] = i;
    return true;
}

static double twins_apart(const tn_comparison *c, uint32_t i)
{
    tn_twins twins = c->twins.items[i];
    return tn_apart(c->a->positions + 3 * (size_t)twins.a, c->b->positions + 3 * (size_t)twins.b);
}

static bool is_farther(const void *squares, uint32_t a, uint32_t b)
{
    return ((const double *)squares)[a] > ((const double *)squares)[b];
}

// Many clips may each move little of a scene: then only what moves is compared again. Both sides
// are at rest.
static bool prepare_moved(tn_verify_room *room, tn_comparison *c)
{
    uint32_t count = c->twins.count;
    bool has_surfaces = c->a_points.triangle_count || c->b_points.triangle_count;
    bool is_at_rest = c->a->animation == TENON_NONE && c->b->animation == TENON_NONE;
    bool has_clips = c->a->scene->animation_count > 1;
    if (count <= TWINS_FEW || has_surfaces || !is_at_rest || !has_clips) return true;
    struct tn_moved_twins *moved = tn_verify_alloc(room, 1, sizeof *moved);
    double *rest = tn_verify_alloc(room, count, sizeof *rest);
    uint32_t *order = tn_verify_alloc(room, count, sizeof *order);
    uint32_t *twins = tn_verify_alloc(room, count, sizeof *twins);
    bool *is_moved = tn_verify_alloc(room, count, sizeof *is_moved);
    if (room->failed) return false;
    *moved = (struct tn_moved_twins){
        .rest = rest, .by_distance = order, .twins = twins, .is_moved = is_moved};
    if (!list_part_twins(room, c, c->a, &moved->a) || !list_part_twins(room, c, c->b, &moved->b))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        rest[i] = twins_apart(c, i);
        order[i] = i;
        moved->rest_sum += rest[i];
    }
    tn_sort(order, twins, count, is_farther, rest);
    if (moved->rest_sum < HUGE_VAL) c->moved = moved;
    return true;
}

static void list_moved(struct tn_moved_twins *moved, const tn_verify_side *side,
                       const tn_lists *lists)
{
    for (uint32_t i = 0; i < side->moved_count; i++) {
        uint32_t part = side->moved_parts[i];
        for (uint32_t k = lists->starts[part]; k < lists->starts[part + 1]; k++) {
            uint32_t twin = lists->items[k];
            if (moved->is_moved[twin]) continue;
            moved->is_moved[twin] = true;
            moved->twins[moved->count++] = twin;
            moved->still_sum -= moved->rest[twin];
        }
    }
}

// Find out what the clips move that the sides are posed at, unless that is known.
static void find_moved(tn_comparison *c)
{
    struct tn_moved_twins *moved = c->moved;
    if (moved->is_listed && moved->a_animation == c->a->animation &&
        moved->b_animation == c->b->animation)
        return;
    for (uint32_t i = 0; i < moved->count; i++) moved->is_moved[moved->twins[i]] = false;
    moved->count = 0;
    moved->still_sum = moved->rest_sum;
    list_moved(moved, c->a, &moved->a);
    list_moved(moved, c->b, &moved->b);
    if (!(moved->still_sum > 0)) moved->still_sum = 0;
    uint32_t first = 0;
    while (first < c->twins.count && moved->is_moved[moved->by_distance[first]]) first++;
    moved->still_largest = first < c->twins.count ? moved->by_distance[first] : TENON_NONE;
    moved->a_animation = c->a->animation;
    moved->b_animation = c->b->animation;
    moved->is_used = moved->count <= c->twins.count / MOVED_SHARE;
    moved->is_listed = true;
}

// -- Points

static bool is_for_surface(const tn_verify_side *side, uint32_t triangle, bool all)
{
    return all || side->partners[triangle] == TENON_NONE;
}

static uint32_t count_for_surface(const tn_verify_side *side, bool all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->triangle_count; i++) count += is_for_surface(side, i, all);
    return count;
}

// Neighbours one after the other, so that the nearest triangle of one is a good guess for the next.
static bool gather_points(tn_verify_room *room, const tn_verify_side *side, const tn_surface *own,
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
static uint32_t point_at(const tn_verify_side *side, const tn_points *points, uint32_t i,
                         double out[3])
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

bool tn_compare_begin(tn_verify_room *room, tn_comparison *comparison, const tn_verify_side *a,
                      const tn_verify_side *b, const tn_twin_list *polygons, bool by_surface)
{
    tn_comparison *c = comparison;
    *c = (tn_comparison){.room = room, .a = a, .b = b, .worst_vertex = TENON_NONE};
    if (count_for_surface(a, by_surface) > 0) c->b_surface = tn_surface_new(room, b);
    if (count_for_surface(b, by_surface) > 0) c->a_surface = tn_surface_new(room, a);
    if (room->failed) return false;
    if (!gather_points(room, a, c->a_surface, by_surface, &c->a_points)) return false;
    if (!gather_points(room, b, c->b_surface, by_surface, &c->b_points)) return false;
    return pair_corners(room, c, polygons, by_surface) && prepare_moved(room, c);
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
    const struct tn_moved_twins *moved = c->moved;
    if (moved) find_moved(c);
    if (!moved || !moved->is_used) {
        for (uint32_t i = 0; i < c->twins.count; i++)
            add(c, twins_apart(c, i), c->twins.items[i].a);
        return;
    }
    uint32_t still = moved->still_largest;
    if (still != TENON_NONE && moved->rest[still] > c->largest) {
        c->largest = moved->rest[still];
        c->worst_vertex = c->twins.items[still].a;
    }
    c->squares += moved->still_sum;
    c->count += c->twins.count - moved->count;
    for (uint32_t i = 0; i < moved->count; i++)
        add(c, twins_apart(c, moved->twins[i]), c->twins.items[moved->twins[i]].a);
}

static uint32_t nearest_corner(const tn_verify_side *side, uint32_t triangle, const double p[3])
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
static void compare_points(tn_comparison *c, const tn_verify_side *side, tn_points *points,
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
