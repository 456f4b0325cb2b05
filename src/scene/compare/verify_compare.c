// verify_compare.c: how far two sides are apart as they are posed.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/math/sort.h"

#define POINTS_MOST  16384  // Of a side that are compared with a surface, unless all have to be.
#define SEARCH_STEPS 16     // A search takes as long as many items of other loops.
#define PAIRS_FEW    1024   // As many are always compared.
#define MOVED_SHARE  8      // A clip that moves more than one of so many pairs compares all.

// -- Corners

// Pair vertices by the triangles that have partners. A pair that the triangles around a vertex
// share is listed once, unless the other side splits that vertex.
static bool pair_corners(tn_verify_context *context, tn_comparison *comparison,
                         const tn_vertex_pair_list *polygons, bool by_surface)
{
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    uint32_t first = by_surface ? a->triangle_count : 0, total = tn_total_piece_count(a);
    uint32_t *last = tn_verify_alloc(context, a->vertex_count, sizeof *last);
    tn_vertex_pair *items = tn_verify_alloc(
        context, 3 * (uint64_t)(total - first) + (by_surface ? 0 : polygons->count), sizeof *items);
    if (context->failed) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->vertex_count; i++) last[i] = TENON_NONE;
    for (uint32_t i = first; i < total; i++) {
        uint32_t partner = a->partners[i], corners = tn_corner_count(a, i);
        if (partner == TENON_NONE || TN_PARTNER_SHIFT(partner) == TN_IN_POLYGON) continue;
        for (uint32_t k = 0; k < corners; k++) {
            size_t turned = (k + TN_PARTNER_SHIFT(partner)) % corners;
            uint32_t ours = a->corners[3 * (size_t)i + k];
            uint32_t theirs = b->corners[3 * (size_t)TN_PARTNER_PIECE(partner) + turned];
            if (last[ours] == theirs) continue;
            last[ours] = theirs;
            items[count++] = (tn_vertex_pair){ours, theirs};
        }
    }
    for (uint32_t i = 0; !by_surface && i < polygons->count; i++)
        items[count++] = polygons->items[i];
    comparison->pairs = (tn_vertex_pair_list){count, items};
    return true;
}

// -- What clips move

// The pairs that the clips posed now move, and what is known of all others, which are at rest.
struct tn_moved_pairs {
    tn_index_lists a, b;                // The pairs of each part.
    double *rest;                       // Of each twin: the square of its distance at rest,
    uint32_t *by_distance;              // and the pairs by that, largest first.
    double rest_sum;                    // Of all.
    bool is_listed, is_used;            // Whether the list is made, and shorter than that of all.
    uint32_t a_animation, b_animation;  // That it was made for.
    uint32_t count, *pairs;
    bool *is_moved;          // Of each twin.
    double still_sum;        // Of those that are not listed,
    uint32_t still_largest;  // of which this is the farthest apart; TENON_NONE: there are none.
};

static bool list_part_pairs(tn_verify_context *context, const tn_comparison *comparison,
                            const tn_posed_scene *posed, tn_index_lists *lists)
{
    uint32_t count = comparison->pairs.count;
    lists->starts =
        tn_verify_alloc(context, (uint64_t)posed->part_count + 2, sizeof *lists->starts);
    lists->items = tn_verify_alloc(context, count, sizeof *lists->items);
    uint32_t *parts = tn_verify_alloc(context, count, sizeof *parts);
    if (context->failed) return false;
    uint32_t *next = lists->starts + 1;  // Of each part.
    for (uint32_t i = 0; i < count; i++) {
        const tn_vertex_pair *pairs = &comparison->pairs.items[i];
        parts[i] =
            (uint32_t)(tn_part_of_vertex(posed, posed == comparison->a ? pairs->a : pairs->b) -
                       posed->parts);
        next[parts[i] + 1]++;
    }
    for (uint32_t i = 0; i < posed->part_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++) lists->items[next[parts[i]]++] = i;
    return true;
}

static double pair_distance(const tn_comparison *comparison, uint32_t i)
{
    tn_vertex_pair pairs = comparison->pairs.items[i];
    return tn_squared_distance(comparison->a->positions + 3 * (size_t)pairs.a,
                               comparison->b->positions + 3 * (size_t)pairs.b);
}

static bool is_farther(const void *squares, uint32_t a, uint32_t b)
{
    return ((const double *)squares)[a] > ((const double *)squares)[b];
}

// Many clips may each move little of a scene: then only what moves is compared again. Both sides
// are at rest.
static bool prepare_moved(tn_verify_context *context, tn_comparison *comparison)
{
    uint32_t count = comparison->pairs.count;
    bool has_surfaces = comparison->a_points.triangle_count || comparison->b_points.triangle_count;
    bool is_at_rest =
        comparison->a->animation == TENON_NONE && comparison->b->animation == TENON_NONE;
    bool has_clips = comparison->a->scene->animation_count > 1;
    if (count <= PAIRS_FEW || has_surfaces || !is_at_rest || !has_clips) return true;
    struct tn_moved_pairs *moved = tn_verify_alloc(context, 1, sizeof *moved);
    double *rest = tn_verify_alloc(context, count, sizeof *rest);
    uint32_t *order = tn_verify_alloc(context, count, sizeof *order);
    uint32_t *pairs = tn_verify_alloc(context, count, sizeof *pairs);
    bool *is_moved = tn_verify_alloc(context, count, sizeof *is_moved);
    if (context->failed) return false;
    *moved = (struct tn_moved_pairs){
        .rest = rest, .by_distance = order, .pairs = pairs, .is_moved = is_moved};
    if (!list_part_pairs(context, comparison, comparison->a, &moved->a) ||
        !list_part_pairs(context, comparison, comparison->b, &moved->b))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        rest[i] = pair_distance(comparison, i);
        order[i] = i;
        moved->rest_sum += rest[i];
    }
    tn_sort(order, pairs, count, is_farther, rest);
    if (moved->rest_sum < HUGE_VAL) comparison->moved = moved;
    return true;
}

static void list_moved(struct tn_moved_pairs *moved, const tn_posed_scene *posed,
                       const tn_index_lists *lists)
{
    for (uint32_t i = 0; i < posed->moved_count; i++) {
        uint32_t part = posed->moved_parts[i];
        for (uint32_t k = lists->starts[part]; k < lists->starts[part + 1]; k++) {
            uint32_t twin = lists->items[k];
            if (moved->is_moved[twin]) continue;
            moved->is_moved[twin] = true;
            moved->pairs[moved->count++] = twin;
            moved->still_sum -= moved->rest[twin];
        }
    }
}

// Find out what the clips move that the sides are posed at, unless that is known.
static void find_moved(tn_comparison *comparison)
{
    struct tn_moved_pairs *moved = comparison->moved;
    if (moved->is_listed && moved->a_animation == comparison->a->animation &&
        moved->b_animation == comparison->b->animation)
        return;
    for (uint32_t i = 0; i < moved->count; i++) moved->is_moved[moved->pairs[i]] = false;
    moved->count = 0;
    moved->still_sum = moved->rest_sum;
    list_moved(moved, comparison->a, &moved->a);
    list_moved(moved, comparison->b, &moved->b);
    if (!(moved->still_sum > 0)) moved->still_sum = 0;
    uint32_t first = 0;
    while (first < comparison->pairs.count && moved->is_moved[moved->by_distance[first]]) first++;
    moved->still_largest = first < comparison->pairs.count ? moved->by_distance[first] : TENON_NONE;
    moved->a_animation = comparison->a->animation;
    moved->b_animation = comparison->b->animation;
    moved->is_used = moved->count <= comparison->pairs.count / MOVED_SHARE;
    moved->is_listed = true;
}

// -- Points

static bool is_for_surface(const tn_posed_scene *posed, uint32_t triangle, bool all)
{
    return all || posed->partners[triangle] == TENON_NONE;
}

static uint32_t count_for_surface(const tn_posed_scene *posed, bool all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < posed->triangle_count; i++) count += is_for_surface(posed, i, all);
    return count;
}

// Neighbours one after the other, so that the nearest triangle of one is a good guess for the next.
static bool gather_points(tn_verify_context *context, const tn_posed_scene *posed,
                          const tn_surface *own, bool all, tn_sample_points *points)
{
    uint64_t count = count_for_surface(posed, all);
    if (count == 0) return true;
    points->triangles = tn_verify_alloc(context, count, sizeof *points->triangles);
    points->vertices = tn_verify_alloc(context, 3 * count, sizeof *points->vertices);
    bool *is_listed = tn_verify_alloc(context, posed->vertex_count, sizeof *is_listed);
    if (context->failed) return false;
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        uint32_t t = own ? tn_surface_order(own)[i] : i;
        if (!is_for_surface(posed, t, all)) continue;
        points->triangles[points->triangle_count++] = t;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = posed->corners[3 * (size_t)t + k];
            if (!is_listed[vertex]) points->vertices[points->vertex_count++] = vertex;
            is_listed[vertex] = true;
        }
    }
    return true;
}

// Where point `i` is; returns a vertex there, or near.
static uint32_t point_at(const tn_posed_scene *posed, const tn_sample_points *points, uint32_t i,
                         double out[3])
{
    if (i < points->vertex_count) {
        const float *p = posed->positions + 3 * (size_t)points->vertices[i];
        for (uint32_t k = 0; k < 3; k++) out[k] = (double)p[k];
        return points->vertices[i];
    }
    uint32_t t = points->triangles[i - points->vertex_count];
    tn_centroid(posed, t, out);
    return posed->corners[3 * (size_t)t];
}

// -- Both

bool tn_compare_begin(tn_verify_context *context, tn_comparison *comparison,
                      const tn_posed_scene *a, const tn_posed_scene *b,
                      const tn_vertex_pair_list *polygons, bool by_surface)
{
    *comparison = (tn_comparison){.context = context, .a = a, .b = b, .worst_vertex = TENON_NONE};
    if (count_for_surface(a, by_surface) > 0) comparison->b_surface = tn_surface_new(context, b);
    if (count_for_surface(b, by_surface) > 0) comparison->a_surface = tn_surface_new(context, a);
    if (context->failed) return false;
    if (!gather_points(context, a, comparison->a_surface, by_surface, &comparison->a_points))
        return false;
    if (!gather_points(context, b, comparison->b_surface, by_surface, &comparison->b_points))
        return false;
    return pair_corners(context, comparison, polygons, by_surface) &&
           prepare_moved(context, comparison);
}

static void add(tn_comparison *comparison, double square, uint32_t vertex)
{
    comparison->squares += square;
    comparison->count++;
    if (!(square > comparison->largest)) return;
    comparison->largest = square;
    comparison->worst_vertex = vertex;
}

static void compare_corners(tn_comparison *comparison)
{
    const struct tn_moved_pairs *moved = comparison->moved;
    if (moved) find_moved(comparison);
    if (!moved || !moved->is_used) {
        for (uint32_t i = 0; i < comparison->pairs.count; i++)
            add(comparison, pair_distance(comparison, i), comparison->pairs.items[i].a);
        return;
    }
    uint32_t still = moved->still_largest;
    if (still != TENON_NONE && moved->rest[still] > comparison->largest) {
        comparison->largest = moved->rest[still];
        comparison->worst_vertex = comparison->pairs.items[still].a;
    }
    comparison->squares += moved->still_sum;
    comparison->count += comparison->pairs.count - moved->count;
    for (uint32_t i = 0; i < moved->count; i++)
        add(comparison, pair_distance(comparison, moved->pairs[i]),
            comparison->pairs.items[moved->pairs[i]].a);
}

static uint32_t nearest_corner(const tn_posed_scene *posed, uint32_t triangle, const double p[3])
{
    const uint32_t *corners = posed->corners + 3 * (size_t)triangle;
    const float at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    uint32_t best = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (tn_squared_distance(tn_corner(posed, triangle, k), at) <
            tn_squared_distance(tn_corner(posed, triangle, best), at))
            best = k;
    return corners[best];
}

// Where it is worst is told as a vertex of A: for a point of B, one of the triangle nearest to it.
static void compare_points(tn_comparison *comparison, const tn_posed_scene *posed,
                           tn_sample_points *points, tn_surface *surface, bool thorough)
{
    uint32_t count = points->vertex_count + points->triangle_count, nearest = TENON_NONE;
    if (count == 0) return;
    uint32_t step = thorough ? 1 : (count - 1) / POINTS_MOST + 1;
    tn_surface_refit(surface);
    for (uint32_t i = points->offset++ % step; i < count; i += step) {
        double p[3];
        if (!tn_verify_expect(comparison->context,
                              tn_goes_on(&comparison->context->pulse, SEARCH_STEPS)))
            return;
        uint32_t vertex = point_at(posed, points, i, p);
        double square = tn_surface_distance(surface, p, &nearest);
        if (posed == comparison->b && square > comparison->largest)
            vertex = nearest == TENON_NONE ? TENON_NONE : nearest_corner(comparison->a, nearest, p);
        add(comparison, square, vertex);
    }
}

// Of several vertices in one place the one that moves alike counts: seams have more than one, and
// so have parts that touch.
static void compare_places(tn_comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->coincident_count; i++) {
        const tn_coincident_vertices *place = &comparison->coincident[i];
        const float *p = comparison->a->positions + 3 * (size_t)place->vertex;
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < TN_COINCIDENT_MOST && place->others[k] != TENON_NONE; k++) {
            double apart =
                tn_squared_distance(p, comparison->b->positions + 3 * (size_t)place->others[k]);
            if (apart < least) least = apart;
        }
        // They are among the points already, which the mean counts.
        if (!(least > comparison->largest)) continue;
        comparison->largest = least;
        comparison->worst_vertex = place->vertex;
    }
}

void tn_compare(tn_comparison *comparison, bool thorough)
{
    compare_corners(comparison);
    compare_places(comparison);
    compare_points(comparison, comparison->a, &comparison->a_points, comparison->b_surface,
                   thorough);
    compare_points(comparison, comparison->b, &comparison->b_points, comparison->a_surface,
                   thorough);
}
