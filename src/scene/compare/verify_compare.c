// verify_compare.c: how far apart two scenes are in their current poses.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/math/sort.h"

#include <string.h>

#define POINTS_MOST          16384  // That are compared with a surface, unless all have to be.
#define SEARCH_STEPS         16     // A search takes as long as this many items of other loops.
#define PAIRS_FEW            1024   // Up to this many are always compared.
#define MOVED_SHARE          8      // If a clip moves more than 1 in 8 pairs, all are compared.
#define COINCIDENT_TOLERANCE 1e-6   // As a share of the model's size.
#define CANDIDATES_MOST      64     // Vertices that are examined in one cell.
#define HASH                 0x9e3779b97f4a7c15u

// -- Corners

// Pair vertices by the pieces that have partners. A pair that several triangles share is listed
// once, unless the other scene splits that vertex.
static bool verify_compare_pair_corners(tn_comparison *comparison,
                                        const tn_vertex_pair_list *polygons, bool by_surface)
{
    tn_match_context *context = comparison->context;
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    uint32_t first = by_surface ? a->triangle_count : 0, total = tn_total_piece_count(a);
    uint64_t most = 3 * (uint64_t)(total - first) + (by_surface ? 0 : polygons->count);
    uint32_t *last = tn_match_alloc(context, a->vertex_count, sizeof *last);
    tn_vertex_pair *items = tn_match_alloc(context, most, sizeof *items);
    if (context->failed) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->vertex_count; i++) last[i] = TENON_NONE;
    for (uint32_t i = first; i < total; i++) {
        uint32_t partner = a->partners[i], corners = tn_corner_count(a, i);
        if (partner == TENON_NONE || TN_PARTNER_SHIFT(partner) == TN_IN_POLYGON) continue;
        const uint32_t *others = b->corners + 3 * (size_t)TN_PARTNER_PIECE(partner);
        for (uint32_t k = 0, other_k = TN_PARTNER_SHIFT(partner); k < corners; k++, other_k++) {
            uint32_t vertex = a->corners[3 * (size_t)i + k];
            uint32_t other = others[other_k < corners ? other_k : other_k - corners];
            if (last[vertex] == other) continue;
            last[vertex] = other;
            items[count++] = (tn_vertex_pair){vertex, other};
        }
    }
    for (uint32_t i = 0; !by_surface && i < polygons->count; i++)
        items[count++] = polygons->items[i];
    comparison->pairs = (tn_vertex_pair_list){count, items};
    return true;
}

static double verify_compare_pair_distance(const tn_comparison *comparison, uint32_t i)
{
    tn_vertex_pair pair = comparison->pairs.items[i];
    return tn_squared_distance(comparison->a->positions + 3 * (size_t)pair.a,
                               comparison->b->positions + 3 * (size_t)pair.b);
}

// -- Pairs that a clip moves
//
// Many clips may each move little of a scene: then only the pairs that move are compared again.

struct tn_moved_pairs {
    tn_index_lists a_parts, b_parts;    // The pairs of each part.
    double *rest;                       // Squared distance of each pair in the rest pose,
    uint32_t *by_distance;              // and the pairs sorted by it, largest first.
    double rest_sum;                    // Of all pairs.
    bool is_listed, is_used;            // The list is valid; it is short enough to be used.
    uint32_t a_animation, b_animation;  // For which the list is valid.
    uint32_t count, *pairs;             // That these animations move.
    bool *is_moved;                     // Of each pair.
    double still_sum;                   // Of the pairs that are not listed.
    uint32_t still_worst;               // The one of them with the largest distance, or TENON_NONE.
};

static bool verify_compare_list_part_pairs(const tn_comparison *comparison,
                                           const tn_posed_scene *posed, tn_index_lists *lists)
{
    tn_match_context *context = comparison->context;
    uint32_t count = comparison->pairs.count;
    lists->starts = tn_match_alloc(context, (uint64_t)posed->part_count + 2, sizeof *lists->starts);
    lists->items = tn_match_alloc(context, count, sizeof *lists->items);
    uint32_t *parts = tn_match_alloc(context, count, sizeof *parts);
    if (context->failed) return false;
    uint32_t *next = lists->starts + 1;  // Of each part: where its next pair goes.
    for (uint32_t i = 0; i < count; i++) {
        const tn_vertex_pair *pair = &comparison->pairs.items[i];
        uint32_t vertex = posed == comparison->a ? pair->a : pair->b;
        parts[i] = (uint32_t)(tn_part_of_vertex(posed, vertex) - posed->parts);
        next[parts[i] + 1]++;
    }
    for (uint32_t i = 0; i < posed->part_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < count; i++) lists->items[next[parts[i]]++] = i;
    return true;
}

static bool verify_compare_is_farther(const void *squares, uint32_t a, uint32_t b)
{
    return ((const double *)squares)[a] > ((const double *)squares)[b];
}

// Both scenes are in the rest pose, or all pairs are always compared.
static bool verify_compare_prepare_moved(tn_comparison *comparison)
{
    tn_match_context *context = comparison->context;
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    uint32_t count = comparison->pairs.count;
    bool has_surfaces = comparison->a_points.triangle_count || comparison->b_points.triangle_count;
    bool is_at_rest = a->animation == TENON_NONE && b->animation == TENON_NONE;
    bool has_clips = a->scene->animation_count > 1;
    if (count <= PAIRS_FEW || has_surfaces || !is_at_rest || !has_clips) return true;
    struct tn_moved_pairs *moved = tn_match_alloc(context, 1, sizeof *moved);
    double *rest = tn_match_alloc(context, count, sizeof *rest);
    uint32_t *order = tn_match_alloc(context, count, sizeof *order);
    uint32_t *pairs = tn_match_alloc(context, count, sizeof *pairs);
    bool *is_moved = tn_match_alloc(context, count, sizeof *is_moved);
    if (context->failed) return false;
    *moved = (struct tn_moved_pairs){
        .rest = rest, .by_distance = order, .pairs = pairs, .is_moved = is_moved};
    if (!verify_compare_list_part_pairs(comparison, a, &moved->a_parts) ||
        !verify_compare_list_part_pairs(comparison, b, &moved->b_parts))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        rest[i] = verify_compare_pair_distance(comparison, i);
        order[i] = i;
        moved->rest_sum += rest[i];
    }
    tn_sort(order, pairs, count, verify_compare_is_farther, rest);
    if (moved->rest_sum < HUGE_VAL) comparison->moved = moved;
    return true;
}

static void verify_compare_add_moved_pairs(struct tn_moved_pairs *moved,
                                           const tn_posed_scene *posed, const tn_index_lists *lists)
{
    for (uint32_t i = 0; i < posed->moved_count; i++) {
        uint32_t part = posed->moved_parts[i];
        for (uint32_t k = lists->starts[part]; k < lists->starts[part + 1]; k++) {
            uint32_t pair = lists->items[k];
            if (moved->is_moved[pair]) continue;
            moved->is_moved[pair] = true;
            moved->pairs[moved->count++] = pair;
            moved->still_sum -= moved->rest[pair];
        }
    }
}

// List the pairs that the current animations move, unless the list is valid.
static void verify_compare_update_moved(const tn_comparison *comparison)
{
    struct tn_moved_pairs *moved = comparison->moved;
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    uint32_t total = comparison->pairs.count, first = 0;
    if (moved->is_listed && moved->a_animation == a->animation &&
        moved->b_animation == b->animation)
        return;
    for (uint32_t i = 0; i < moved->count; i++) moved->is_moved[moved->pairs[i]] = false;
    moved->count = 0;
    moved->still_sum = moved->rest_sum;
    verify_compare_add_moved_pairs(moved, a, &moved->a_parts);
    verify_compare_add_moved_pairs(moved, b, &moved->b_parts);
    if (!(moved->still_sum > 0)) moved->still_sum = 0;
    while (first < total && moved->is_moved[moved->by_distance[first]]) first++;
    moved->still_worst = first < total ? moved->by_distance[first] : TENON_NONE;
    moved->a_animation = a->animation;
    moved->b_animation = b->animation;
    moved->is_used = moved->count <= total / MOVED_SHARE;
    moved->is_listed = true;
}

// -- Sample points

static uint32_t verify_compare_count_triangles(const tn_posed_scene *posed, bool with_partners)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < posed->triangle_count; i++)
        count += with_partners || posed->partners[i] == TENON_NONE;
    return count;
}

static uint32_t verify_compare_partner(const tn_posed_scene *posed, uint32_t triangle)
{
    uint32_t partner = posed->partners[triangle];
    return partner == TENON_NONE ? TENON_NONE : TN_PARTNER_PIECE(partner);
}

// Vertices that faces with other normals or colors have in the same place most often move alike.
static bool verify_compare_find_twins(tn_match_context *context, const tn_posed_scene *posed,
                                      tn_sample_points *points)
{
    uint32_t count = points->vertex_count;
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *items = tn_match_alloc(context, count, sizeof *items);
    tn_radix_item *spare = tn_match_alloc(context, count, sizeof *spare);
    if (context->failed) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words[3];
        memcpy(words, posed->positions + 3 * (size_t)points->vertices[i], sizeof words);
        uint64_t hash = (words[0] * HASH + words[1]) * HASH + words[2];
        items[i] = (tn_radix_item){.key = hash ^ hash >> 32, .value = i};
    }
    items = tn_radix_sort(items, spare, count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_twin = i > 0 && items[i].key == items[i - 1].key;
        points->twins[items[i].value] =
            is_twin ? points->twins[items[i - 1].value] : items[i].value;
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}

// Neighbors follow each other, so that the nearest triangle of one point is a good guess for the
// next.
static bool verify_compare_collect_points(tn_match_context *context, const tn_posed_scene *posed,
                                          const tn_surface *surface, bool with_partners,
                                          tn_sample_points *points)
{
    uint64_t count = verify_compare_count_triangles(posed, with_partners);
    if (count == 0) return true;
    points->triangles = tn_match_alloc(context, count, sizeof *points->triangles);
    points->vertices = tn_match_alloc(context, 3 * count, sizeof *points->vertices);
    points->nearest = tn_match_alloc(context, 4 * count, sizeof *points->nearest);
    points->twins = tn_match_alloc(context, 3 * count, sizeof *points->twins);
    points->squares = tn_match_alloc(context, 3 * count, sizeof *points->squares);
    bool *is_listed = tn_match_alloc(context, posed->vertex_count, sizeof *is_listed);
    if (context->failed) return false;
    for (uint32_t i = 0; i < posed->triangle_count; i++) {
        uint32_t triangle = surface ? tn_surface_order(surface)[i] : i;
        if (!with_partners && posed->partners[triangle] != TENON_NONE) continue;
        points->triangles[points->triangle_count++] = triangle;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = posed->corners[3 * (size_t)triangle + k];
            if (is_listed[vertex]) continue;
            points->nearest[points->vertex_count] = verify_compare_partner(posed, triangle);
            points->vertices[points->vertex_count++] = vertex;
            is_listed[vertex] = true;
        }
    }
    for (uint32_t i = 0; i < points->triangle_count; i++)
        points->nearest[points->vertex_count + i] =
            verify_compare_partner(posed, points->triangles[i]);
    return verify_compare_find_twins(context, posed, points);
}

bool tn_compare_begin(tn_match_context *context, tn_comparison *comparison, const tn_posed_scene *a,
                      const tn_posed_scene *b, const tn_vertex_pair_list *polygons, bool by_surface,
                      bool needs_sum)
{
    *comparison = (tn_comparison){
        .context = context, .a = a, .b = b, .needs_sum = needs_sum, .worst_vertex = TENON_NONE};
    if (verify_compare_count_triangles(a, by_surface) > 0)
        comparison->b_surface = tn_surface_new(context, b);
    if (verify_compare_count_triangles(b, by_surface) > 0)
        comparison->a_surface = tn_surface_new(context, a);
    if (context->failed) return false;
    return verify_compare_collect_points(context, a, comparison->a_surface, by_surface,
                                         &comparison->a_points) &&
           verify_compare_collect_points(context, b, comparison->b_surface, by_surface,
                                         &comparison->b_points) &&
           verify_compare_pair_corners(comparison, polygons, by_surface) &&
           verify_compare_prepare_moved(comparison);
}

tn_comparison *tn_comparison_copy(tn_match_context *context, const tn_comparison *from,
                                  const tn_posed_scene *a, const tn_posed_scene *b)
{
    uint32_t count = from->pairs.count;
    tn_comparison *comparison = tn_match_alloc(context, 1, sizeof *comparison);
    if (!comparison) return NULL;
    *comparison = *from;
    comparison->a = a;
    comparison->b = b;
    if (!from->moved) return comparison;
    struct tn_moved_pairs *moved = tn_match_alloc(context, 1, sizeof *moved);
    uint32_t *pairs = tn_match_alloc(context, count, sizeof *pairs);
    bool *is_moved = tn_match_alloc(context, count, sizeof *is_moved);
    if (context->failed) return NULL;
    *moved = *from->moved;
    moved->is_listed = false;
    moved->count = 0;
    moved->pairs = pairs;
    moved->is_moved = is_moved;
    comparison->moved = moved;
    return comparison;
}

// -- Coincident vertices

// The vertices that triangles use.
static bool *verify_compare_mark_used(tn_match_context *context, const tn_posed_scene *posed)
{
    bool *is_used = tn_match_alloc(context, posed->vertex_count, sizeof *is_used);
    for (uint64_t i = 0; is_used && i < 3 * (uint64_t)posed->triangle_count; i++)
        is_used[posed->corners[i]] = true;
    return is_used;
}

// The vertices of the grid at a point. Returns their number, or TN_COINCIDENT_MOST + 1 if there are
// too many.
static uint32_t verify_compare_find_vertices(const tn_grid *grid, const tn_posed_scene *posed,
                                             const float *p, uint32_t found[TN_COINCIDENT_MOST])
{
    const double point[3] = {(double)p[0], (double)p[1], (double)p[2]};
    tn_grid_chains chains = tn_grid_search(grid, point);
    uint32_t count = 0;
    for (uint32_t c = 0; c < chains.count; c++) {
        uint32_t vertex = *chains.heads[c];
        for (uint32_t i = 0; vertex != TENON_NONE; i++, vertex = grid->next[vertex]) {
            const float *q = posed->positions + 3 * (size_t)vertex;
            if (i == CANDIDATES_MOST) return TN_COINCIDENT_MOST + 1;
            if (!(tn_squared_distance(p, q) <= grid->tolerance * grid->tolerance)) continue;
            if (count == TN_COINCIDENT_MOST) return TN_COINCIDENT_MOST + 1;
            bool is_known = false;  // Two cells may share a chain.
            for (uint32_t k = 0; k < count; k++) is_known |= found[k] == vertex;
            if (!is_known) found[count++] = vertex;
        }
    }
    return count;
}

bool tn_find_coincident_vertices(tn_comparison *comparison, double extent)
{
    tn_match_context *context = comparison->context;
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    const double tolerance = COINCIDENT_TOLERANCE * extent;
    const bool *is_used_in_a = verify_compare_mark_used(context, a);
    comparison->coincident =
        tn_match_alloc(context, a->vertex_count, sizeof *comparison->coincident);
    const bool *is_used_in_b = verify_compare_mark_used(context, b);
    tn_grid grid;
    if (!tn_grid_begin(context, &grid, tolerance, 16 * COINCIDENT_TOLERANCE * extent,
                       b->vertex_count))
        return false;
    for (uint32_t i = 0; i < b->vertex_count; i++) {
        const float *p = b->positions + 3 * (size_t)i;
        if (is_used_in_b[i])
            tn_grid_add(&grid, (double[3]){(double)p[0], (double)p[1], (double)p[2]}, i);
    }
    for (uint32_t i = 0; i < a->vertex_count; i++) {
        tn_coincident_vertices found = {i, {TENON_NONE, TENON_NONE, TENON_NONE, TENON_NONE}};
        if (!tn_match_goes_on(context, 1)) return false;
        if (!is_used_in_a[i]) continue;
        const float *p = a->positions + 3 * (size_t)i;
        uint32_t count = verify_compare_find_vertices(&grid, b, p, found.others);
        if (count > 0 && count <= TN_COINCIDENT_MOST)
            comparison->coincident[comparison->coincident_count++] = found;
    }
    return true;
}

// -- Comparing

static void verify_compare_update_largest(tn_comparison *comparison, double square, uint32_t vertex)
{
    if (!(square > comparison->largest)) return;
    comparison->largest = square;
    comparison->worst_vertex = vertex;
}

static void verify_compare_add_distance(tn_comparison *comparison, double square, uint32_t vertex)
{
    comparison->sum += square;
    comparison->count++;
    verify_compare_update_largest(comparison, square, vertex);
}

// Add squares to four sums in turn, so that additions do not wait for each other. Returns the
// largest. The squares are followed by zeros up to a multiple of four.
static double verify_compare_add_up(const double *squares, uint32_t count, double sums[4])
{
    double a = sums[0], b = sums[1], c = sums[2], d = sums[3], most[4] = {0};
    for (uint32_t i = 0; i < count; i += 4) {
        const double *s = squares + i;
        a += s[0];
        b += s[1];
        c += s[2];
        d += s[3];
        for (uint32_t k = 0; k < 4; k++) most[k] = s[k] > most[k] ? s[k] : most[k];
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

// In blocks. Returns false if runs, which may be NULL, have distances that are not finite: they
// need positions.
static bool verify_compare_all_pairs(tn_comparison *comparison, const tn_pair_runs *runs)
{
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    const tn_vertex_pair *pairs = comparison->pairs.items;
    double sums[4] = {0}, squares[TN_PAIR_BLOCK + TN_LANES];
    uint32_t total = comparison->pairs.count;
    for (uint32_t first = 0, count; first < total; first += count) {
        double next[4];
        memcpy(next, sums, sizeof next);
        count = total - first < TN_PAIR_BLOCK ? total - first : TN_PAIR_BLOCK;
        if (runs)
            tn_pair_runs_squares(runs, a, b, first / TN_PAIR_BLOCK, squares);
        else
            tn_loops_here()->squares(a->positions, b->positions, &pairs[first].a, count, squares);
        for (uint32_t i = count; i % 4; i++) squares[i] = 0;
        double largest = verify_compare_add_up(squares, count, next);
        if (!(next[0] + next[1] + next[2] + next[3] < HUGE_VAL)) {
            if (runs) return false;
            for (uint32_t i = 0; i < count; i++)
                squares[i] = verify_compare_pair_distance(comparison, first + i);
            largest = verify_compare_add_up(squares, count, sums);
        } else {
            memcpy(sums, next, sizeof sums);
        }
        for (uint32_t i = 0; largest > comparison->largest && i < count; i++)
            verify_compare_update_largest(comparison, squares[i], pairs[first + i].a);
    }
    comparison->sum += sums[0] + sums[1] + sums[2] + sums[3];
    comparison->count += total;
    return true;
}

static void verify_compare_pairs(tn_comparison *comparison)
{
    const struct tn_moved_pairs *moved = comparison->moved;
    const tn_vertex_pair *pairs = comparison->pairs.items;
    uint32_t total = comparison->pairs.count;
    if (moved) verify_compare_update_moved(comparison);
    if (!moved || !moved->is_used) {
        (void)verify_compare_all_pairs(comparison, NULL);
        return;
    }
    uint32_t still = moved->still_worst;
    if (still != TENON_NONE)
        verify_compare_update_largest(comparison, moved->rest[still], pairs[still].a);
    comparison->sum += moved->still_sum;
    comparison->count += total - moved->count;
    for (uint32_t i = 0; i < moved->count; i++) {
        uint32_t pair = moved->pairs[i];
        verify_compare_add_distance(comparison, verify_compare_pair_distance(comparison, pair),
                                    pairs[pair].a);
    }
}

bool tn_compare_runs(tn_comparison *comparison)
{
    const struct tn_moved_pairs *moved = comparison->moved;
    if (moved) verify_compare_update_moved(comparison);
    return (!moved || !moved->is_used) && verify_compare_all_pairs(comparison, comparison->runs);
}

// Of several vertices in one place, the one that moves alike counts: there are several at seams and
// where parts touch. The vertices are among the sample points already, which the mean includes.
static void verify_compare_coincident(tn_comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->coincident_count; i++) {
        const tn_coincident_vertices *at = &comparison->coincident[i];
        const float *p = comparison->a->positions + 3 * (size_t)at->vertex;
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < TN_COINCIDENT_MOST && at->others[k] != TENON_NONE; k++) {
            const float *q = comparison->b->positions + 3 * (size_t)at->others[k];
            double square = tn_squared_distance(p, q);
            if (square < least) least = square;
        }
        verify_compare_update_largest(comparison, least, at->vertex);
    }
}

static uint32_t verify_compare_nearest_corner(const tn_posed_scene *posed, uint32_t triangle,
                                              const double p[3])
{
    const float at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    uint32_t best = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (tn_squared_distance(tn_corner(posed, triangle, k), at) <
            tn_squared_distance(tn_corner(posed, triangle, best), at))
            best = k;
    return posed->corners[3 * (size_t)triangle + best];
}

// Whether the twin of a vertex is in the same place in this pose, too.
static bool verify_compare_is_twin_here(const tn_posed_scene *posed, const tn_sample_points *points,
                                        uint32_t i)
{
    const float *p = posed->positions + 3 * (size_t)points->vertices[i];
    const float *q = posed->positions + 3 * (size_t)points->vertices[points->twins[i]];
    return points->twins[i] != i && memcmp(p, q, 3 * sizeof *p) == 0;
}

// The worst place is reported as a vertex of A: for a point of B, as a corner of the triangle that
// is nearest to it.
static void verify_compare_points(tn_comparison *comparison, const tn_posed_scene *posed,
                                  tn_sample_points *points, tn_surface *surface, bool thorough)
{
    uint32_t count = points->vertex_count + points->triangle_count, nearest = TENON_NONE;
    if (count == 0) return;
    uint32_t step = thorough ? 1 : (count - 1) / POINTS_MOST + 1;
    tn_surface_moved(surface);
    for (uint32_t i = points->offset++ % step; i < count; i += step) {
        double p[3], square;
        uint32_t vertex;
        bool is_vertex = i < points->vertex_count;
        if (!tn_match_goes_on(comparison->context, SEARCH_STEPS)) return;
        if (is_vertex) {
            vertex = points->vertices[i];
            for (uint32_t k = 0; k < 3; k++)
                p[k] = (double)posed->positions[3 * (size_t)vertex + k];
        } else {
            uint32_t triangle = points->triangles[i - points->vertex_count];
            vertex = posed->corners[3 * (size_t)triangle];
            tn_centroid(posed, triangle, p);
        }
        if (is_vertex && step == 1 && verify_compare_is_twin_here(posed, points, i)) {
            square = points->squares[points->twins[i]];
            nearest = points->nearest[points->twins[i]];
        } else {
            double enough = comparison->needs_sum ? -1 : comparison->largest;
            if (!comparison->needs_sum) nearest = points->nearest[i];
            square = tn_surface_distance(surface, p, points->nearest[i], enough, &nearest);
        }
        if (is_vertex) points->squares[i] = square;
        points->nearest[i] = nearest;
        if (posed == comparison->b && square > comparison->largest)
            vertex = nearest == TENON_NONE
                         ? TENON_NONE
                         : verify_compare_nearest_corner(comparison->a, nearest, p);
        verify_compare_add_distance(comparison, square, vertex);
    }
}

void tn_compare(tn_comparison *comparison, bool thorough)
{
    verify_compare_pairs(comparison);
    verify_compare_coincident(comparison);
    verify_compare_points(comparison, comparison->a, &comparison->a_points, comparison->b_surface,
                          thorough);
    verify_compare_points(comparison, comparison->b, &comparison->b_points, comparison->a_surface,
                          thorough);
}
