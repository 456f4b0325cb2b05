// verify_match.c: which triangles, lines and points of two scenes are the same.
// SPDX-License-Identifier: MIT
//
// Two triangles are the same if their corners are, in the same order, within a tolerance; two lines
// in either order. A grid finds them by their centers.

#include "scene/compare/grid.h"
#include "scene/compare/verify.h"

#define CANDIDATES_MOST   64  // That are examined in one cell: keeps time linear.
#define POLYGON_TOLERANCE 1e-4

// Tolerances, as shares of the model's size. The smallest comes first, so that each triangle gets
// its exact partner if there is one, and the others are not mistaken for their neighbors. A cell is
// several times as wide, so that few searches cross a border, but not so wide that it is crowded.
typedef struct match_step {
    double tolerance, cell;
} match_step;

static const match_step steps[] = {{1e-9, 16e-9}, {1e-6, 16e-6}, {1e-4, 4e-4}};
static const match_step reversed_step = {1e-4, 4e-4};

typedef struct piece_matcher {
    tn_match_context *context;
    tn_posed_scene *a, *b;
    double tolerance, cell;
    bool is_reversed;  // Look for triangles that face the other way.
    tn_grid grid;      // The pieces of b that have no partner.
} piece_matcher;

typedef struct match_candidate {
    uint32_t *link;   // What points to it; NULL: no candidate.
    uint32_t shift;   // See TN_PARTNER_SHIFT().
    uint32_t rank;    // 0: same mesh and same node name; 3: neither.
    double distance;  // Sum of the squared distances of the corners.
} match_candidate;

// -- Candidates

// The smallest sum of squared distances between the corners of two pieces, whichever corner is the
// first; HUGE_VAL if a corner is always beyond the tolerance.
static double verify_match_least_distance(const piece_matcher *matcher, uint32_t a, uint32_t b,
                                          bool is_reversed, uint32_t *best_shift)
{
    uint32_t count = tn_corner_count(matcher->a, a);
    double least = HUGE_VAL;
    for (uint32_t shift = 0; shift < count; shift++) {
        double distance = 0;
        uint32_t k = 0;
        for (; k < count; k++) {
            uint32_t other = is_reversed ? (shift + 3 - k) % 3 : (shift + k) % count;
            const float *p = tn_corner(matcher->a, a, k), *q = tn_corner(matcher->b, b, other);
            if (!(fabs(tn_coordinate_difference(p[0], q[0])) <= matcher->tolerance &&
                  fabs(tn_coordinate_difference(p[1], q[1])) <= matcher->tolerance &&
                  fabs(tn_coordinate_difference(p[2], q[2])) <= matcher->tolerance))
                break;
            distance += tn_squared_distance(p, q);
        }
        if (k < count || distance >= least) continue;
        least = distance;
        *best_shift = shift;
    }
    return least;
}

// Whether two pieces are the same; fills in the candidate, except for the link.
static bool verify_is_match(const piece_matcher *matcher, uint32_t a, uint32_t b,
                            match_candidate *out)
{
    uint32_t count = tn_corner_count(matcher->a, a), shift;
    if (tn_corner_count(matcher->b, b) != count || !tn_match_goes_on(matcher->context, 1))
        return false;
    out->distance = verify_match_least_distance(matcher, a, b, matcher->is_reversed, &out->shift);
    if (!(out->distance < HUGE_VAL)) return false;
    const tn_verify_part *a_part = &matcher->a->parts[matcher->a->piece_parts[a]];
    const tn_verify_part *b_part = &matcher->b->parts[matcher->b->piece_parts[b]];
    out->rank = (a_part->mesh != b_part->partner_mesh ? 2u : 0u) +
                (a_part->node_hash != b_part->node_hash ? 1u : 0u);
    if (count < 3 || out->distance == 0) return true;
    // Triangles that are smaller than the tolerance match in either direction: the closer one
    // counts.
    return out->distance <=
           verify_match_least_distance(matcher, a, b, !matcher->is_reversed, &shift);
}

static void verify_match_find_center(const tn_posed_scene *posed, uint32_t piece, double out[3])
{
    if (tn_corner_count(posed, piece) == 3) {
        tn_centroid(posed, piece, out);
        return;
    }
    const float *a = tn_corner(posed, piece, 0), *b = tn_corner(posed, piece, 1);
    for (uint32_t k = 0; k < 3; k++) out[k] = ((double)a[k] + (double)b[k]) / 2;
}

static void verify_match_search_chain(const piece_matcher *matcher, uint32_t a, uint32_t *link,
                                      match_candidate *best)
{
    uint32_t *next = matcher->grid.next;
    for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE; i++) {
        match_candidate found = {.link = link};
        if (verify_is_match(matcher, a, *link, &found)) {
            bool is_better = found.rank < best->rank ||
                             (found.rank == best->rank && found.distance < best->distance);
            if (!best->link || is_better) *best = found;
            if (best->rank == 0 && best->distance == 0) return;
        }
        link = &next[*link];
    }
}

static match_candidate verify_match_find_candidate(const piece_matcher *matcher, uint32_t a)
{
    double center[3];
    match_candidate best = {.link = NULL};
    verify_match_find_center(matcher->a, a, center);
    tn_cell_range cells = tn_grid_range(&matcher->grid, center, matcher->tolerance);
    for (int64_t x = cells.low[0]; x <= cells.high[0]; x++)
        for (int64_t y = cells.low[1]; y <= cells.high[1]; y++)
            for (int64_t z = cells.low[2]; z <= cells.high[2]; z++)
                verify_match_search_chain(matcher, a, tn_grid_chain(&matcher->grid, x, y, z),
                                          &best);
    return best;
}

// -- Matching

static void verify_match_pair_pieces(piece_matcher *matcher, uint32_t a, uint32_t b, uint32_t shift)
{
    matcher->a->partners[a] = b << 2 | shift;
    matcher->b->partners[b] = a << 2;
}

// Most often both scenes list their pieces in the same order: then the partner is the piece after
// the partner of the previous one, and no search is needed. Returns the number of new pairs.
static uint32_t verify_match_in_order(piece_matcher *matcher)
{
    const tn_posed_scene *a = matcher->a, *b = matcher->b;
    uint32_t count = 0, a_total = tn_total_piece_count(a), b_total = tn_total_piece_count(b);
    for (uint32_t i = 0, next = 0; i < a_total && next < b_total; i++) {
        match_candidate found = {0};
        if (!tn_match_goes_on(matcher->context, 1)) return count;
        if (a->partners[i] != TENON_NONE) {
            next = TN_PARTNER_PIECE(a->partners[i]) + 1;
            continue;
        }
        if (b->partners[next] != TENON_NONE || !verify_is_match(matcher, i, next, &found)) continue;
        if (found.rank > 0) continue;
        verify_match_pair_pieces(matcher, i, next++, found.shift);
        count++;
    }
    return count;
}

// Returns the number of new pairs, or of reversed triangles, which are only counted.
static uint32_t verify_match_by_place(piece_matcher *matcher)
{
    tn_posed_scene *a = matcher->a, *b = matcher->b;
    tn_match_context *context = matcher->context;
    uint32_t count = 0, b_total = tn_total_piece_count(b);
    uint32_t total = matcher->is_reversed ? a->triangle_count : tn_total_piece_count(a);
    tn_mark mark = tn_arena_mark(&context->arena);
    uint64_t size = tn_grid_size(b_total);
    uint32_t *heads = tn_match_alloc(context, size, sizeof *heads);
    uint32_t *next = tn_match_alloc(context, b_total, sizeof *next);
    if (context->failed) return 0;
    matcher->grid = tn_grid_make(matcher->cell, size, heads, next);
    for (uint32_t i = b_total; i-- > 0;) {
        double center[3];
        if (!tn_match_goes_on(context, 1)) return 0;
        if (b->partners[i] != TENON_NONE) continue;
        verify_match_find_center(b, i, center);
        tn_grid_add(&matcher->grid, center, i);
    }
    for (uint32_t i = 0; i < total && tn_match_goes_on(context, 1); i++) {
        if (a->partners[i] != TENON_NONE) continue;
        match_candidate found = verify_match_find_candidate(matcher, i);
        if (!found.link) continue;
        uint32_t partner = *found.link;
        *found.link = next[partner];
        count++;
        if (!matcher->is_reversed) verify_match_pair_pieces(matcher, i, partner, found.shift);
    }
    tn_arena_rewind(&context->arena, mark);
    return count;
}

bool tn_match_geometry(tn_match_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double extent, tn_vertex_pair_list *polygons, uint32_t *reversed)
{
    uint32_t left = tn_total_piece_count(a);
    piece_matcher matcher = {.context = context, .a = a, .b = b};
    *reversed = 0;
    *polygons = (tn_vertex_pair_list){0};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        matcher.tolerance = steps[i].tolerance * extent;
        matcher.cell = steps[i].cell * extent;
        left -= verify_match_in_order(&matcher);
        if (left > 0) left -= verify_match_by_place(&matcher);
        if (left == 0 || context->failed) return !context->failed;
    }
    // A triangle is in one polygon at most, and a polygon has fewer corners than its triangles
    // have.
    if (a->polygon_count || b->polygon_count) {
        double tolerance = POLYGON_TOLERANCE * extent;
        uint64_t most = 3 * ((uint64_t)a->triangle_count + b->triangle_count);
        polygons->items = tn_match_alloc(context, most, sizeof *polygons->items);
        if (context->failed || !tn_match_polygons(context, a, b, tolerance, false, polygons) ||
            !tn_match_polygons(context, b, a, tolerance, true, polygons))
            return false;
    }
    matcher.tolerance = reversed_step.tolerance * extent;
    matcher.cell = reversed_step.cell * extent;
    matcher.is_reversed = true;
    *reversed = verify_match_by_place(&matcher);
    return !context->failed;
}
