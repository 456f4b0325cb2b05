// verify_match.c: which triangles, lines and points of two scenes are the same.
// SPDX-License-Identifier: MIT
//
// Two triangles are the same if their corners are, in the same order, within a tolerance; two lines
// in either order. They are looked up by the cell of a grid that their center is in. A tolerance
// moves a center by no more than itself, so the cells that it could have moved to are looked at as
// well: no border between cells keeps two apart.

#include "scene/compare/verify.h"

#include <string.h>

#define CANDIDATES_MOST 64  // Candidates of one cell that are looked at: keeps time linear.

// Tolerances, as shares of the model's size, the narrowest first, so that each triangle gets its
// very twin if that exists, and what remains is told from neighbours as well as can be. Cells are
// many times as wide, lest most lookups cross a border, but not so wide that they get crowded.
typedef struct match_step {
    double tolerance, cell;
} match_step;

static const match_step steps[] = {{1e-9, 16e-9}, {1e-6, 16e-6}, {1e-4, 4e-4}};
static const match_step reversed_step = {1e-4, 4e-4};
static const double polygon_tolerance = 1e-4;

typedef struct piece_matcher {
    tn_verify_context *context;
    const tn_posed_scene *a, *b;
    double tolerance, cell;
    bool is_reversed;        // Look for triangles that are inside out.
    uint32_t *heads, *next;  // Chains of those of b that have no partner, each in its order.
    uint64_t mask;
} piece_matcher;

// The best candidate so far.
typedef struct match_candidate {
    uint32_t *link;  // What points to it; NULL: there is none.
    uint32_t shift;
    uint32_t rank;  // 0: same mesh and same name of the node; 3: neither.
    double apart;
} match_candidate;

static bool goes_on(const piece_matcher *matcher)
{
    return tn_verify_expect(matcher->context, tn_goes_on(&matcher->context->pulse, 1));
}

// -- Cells

static int64_t cell_at(const piece_matcher *matcher, double place)
{
    return tn_cell_at(place, matcher->cell);
}

static uint32_t *bucket(const piece_matcher *matcher, int64_t x, int64_t y, int64_t z)
{
    return &matcher->heads[tn_cell_hash(x, y, z) & matcher->mask];
}

static void find_center(const tn_posed_scene *posed, uint32_t piece, double out[3])
{
    if (tn_corner_count(posed, piece) == 3) {
        tn_centroid(posed, piece, out);
        return;
    }
    const float *a = tn_corner(posed, piece, 0), *b = tn_corner(posed, piece, 1);
    for (uint32_t k = 0; k < 3; k++) out[k] = ((double)a[k] + (double)b[k]) / 2;
}

static bool fill(piece_matcher *matcher)
{
    tn_verify_context *context = matcher->context;
    uint64_t size = 1;
    uint32_t total = tn_total_piece_count(matcher->b);
    while (size < total) size *= 2;
    matcher->mask = size - 1;
    matcher->heads = tn_verify_alloc(context, size, sizeof *matcher->heads);
    matcher->next = tn_verify_alloc(context, total, sizeof *matcher->next);
    if (context->failed) return false;
    memset(matcher->heads, 0xff, (size_t)size * sizeof *matcher->heads);
    for (uint32_t i = total; i-- > 0;) {
        double c[3];
        if (!goes_on(matcher)) return false;
        if (matcher->b->partners[i] != TENON_NONE) continue;
        find_center(matcher->b, i, c);
        uint32_t *head =
            bucket(matcher, cell_at(matcher, c[0]), cell_at(matcher, c[1]), cell_at(matcher, c[2]));
        matcher->next[i] = *head;
        *head = i;
    }
    return true;
}

// -- Candidates

static bool are_near(const float *a, const float *b, double tolerance)
{
    return fabs(tn_coordinate_difference(a[0], b[0])) <= tolerance &&
           fabs(tn_coordinate_difference(a[1], b[1])) <= tolerance &&
           fabs(tn_coordinate_difference(a[2], b[2])) <= tolerance;
}

// The least sum of squares between the corners of two pieces, in any shift; HUGE_VAL if none is
// within the tolerance.
static double least_apart(const piece_matcher *matcher, uint32_t a, uint32_t b, bool is_reversed,
                          uint32_t *best_turn)
{
    uint32_t count = tn_corner_count(matcher->a, a);
    double least = HUGE_VAL;
    for (uint32_t shift = 0; shift < count; shift++) {
        double apart = 0;
        uint32_t k = 0;
        for (; k < count; k++) {
            uint32_t other = is_reversed ? (shift + 3 - k) % 3 : (shift + k) % count;
            const float *p = tn_corner(matcher->a, a, k), *q = tn_corner(matcher->b, b, other);
            if (!are_near(p, q, matcher->tolerance)) break;
            apart += tn_squared_distance(p, q);
        }
        if (k < count || apart >= least) continue;
        least = apart;
        *best_turn = shift;
    }
    return least;
}

// Whether the pieces are the same, and in which shift they are nearest. Triangles that are smaller
// than the tolerance fit in either direction: the nearer one counts.
static bool fits(const piece_matcher *matcher, uint32_t a, uint32_t b, match_candidate *out)
{
    uint32_t count = tn_corner_count(matcher->a, a), shift;
    if (tn_corner_count(matcher->b, b) != count || !goes_on(matcher)) return false;
    out->apart = least_apart(matcher, a, b, matcher->is_reversed, &out->shift);
    if (!(out->apart < HUGE_VAL)) return false;
    if (count < 3 || out->apart == 0) return true;
    return out->apart <= least_apart(matcher, a, b, !matcher->is_reversed, &shift);
}

static uint32_t rank_of(const piece_matcher *matcher, uint32_t a, uint32_t b)
{
    const tn_verify_part *ours = &matcher->a->parts[matcher->a->piece_parts[a]];
    const tn_verify_part *theirs = &matcher->b->parts[matcher->b->piece_parts[b]];
    return (ours->mesh != theirs->partner_mesh ? 2u : 0u) +
           (ours->node_hash != theirs->node_hash ? 1u : 0u);
}

static void look_in(const piece_matcher *matcher, uint32_t a, uint32_t *link, match_candidate *best)
{
    for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE;
         i++, link = &matcher->next[*link]) {
        match_candidate candidate = {0};
        if (!fits(matcher, a, *link, &candidate)) continue;
        candidate.link = link;
        candidate.rank = rank_of(matcher, a, *link);
        bool is_better = candidate.rank < best->rank ||
                         (candidate.rank == best->rank && candidate.apart < best->apart);
        if (!best->link || is_better) *best = candidate;
        if (best->rank == 0 && best->apart == 0) return;
    }
}

static match_candidate find(const piece_matcher *matcher, uint32_t a)
{
    double c[3];
    int64_t low[3], high[3];
    match_candidate best = {.link = NULL};
    find_center(matcher->a, a, c);
    for (uint32_t k = 0; k < 3; k++) {
        low[k] = cell_at(matcher, c[k] - matcher->tolerance);
        high[k] = cell_at(matcher, c[k] + matcher->tolerance);
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                look_in(matcher, a, bucket(matcher, x, y, z), &best);
    return best;
}

// -- All

static void pair(tn_posed_scene *a, tn_posed_scene *b, uint32_t i, uint32_t other, uint32_t shift)
{
    a->partners[i] = other << 2 | shift;
    b->partners[other] = i << 2;
}

// Most often both list their pieces in the same order: the partner is the one after the partner of
// the one before, and need not be looked for.
static uint32_t match_in_order(const piece_matcher *matcher, tn_posed_scene *a, tn_posed_scene *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0, next = 0; i < tn_total_piece_count(a) && next < tn_total_piece_count(b);
         i++) {
        match_candidate candidate = {0};
        if (!goes_on(matcher)) return count;
        if (a->partners[i] != TENON_NONE) {
            next = TN_PARTNER_PIECE(a->partners[i]) + 1;
            continue;
        }
        if (b->partners[next] != TENON_NONE || !fits(matcher, i, next, &candidate)) continue;
        if (rank_of(matcher, i, next) > 0) continue;
        pair(a, b, i, next++, candidate.shift);
        count++;
    }
    return count;
}

// Of what is inside out, only triangles are looked for.
static uint32_t match_by_place(piece_matcher *matcher, tn_posed_scene *a, tn_posed_scene *b)
{
    uint32_t count = 0, total = matcher->is_reversed ? a->triangle_count : tn_total_piece_count(a);
    tn_mark mark = tn_arena_mark(&matcher->context->arena);
    if (!fill(matcher)) return 0;
    for (uint32_t i = 0; i < total && goes_on(matcher); i++) {
        if (a->partners[i] != TENON_NONE) continue;
        match_candidate found = find(matcher, i);
        if (!found.link) continue;
        uint32_t other = *found.link;
        *found.link = matcher->next[other];
        count++;
        if (!matcher->is_reversed) pair(a, b, i, other, found.shift);
    }
    tn_arena_rewind(&matcher->context->arena, mark);
    return count;
}

bool tn_match_geometry(tn_verify_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double extent, tn_vertex_pair_list *polygons, uint32_t *reversed)
{
    uint32_t left = tn_total_piece_count(a);
    piece_matcher matcher = {.context = context, .a = a, .b = b};
    *reversed = 0;
    *polygons = (tn_vertex_pair_list){0};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        matcher.tolerance = steps[i].tolerance * extent;
        matcher.cell = steps[i].cell * extent;
        left -= match_in_order(&matcher, a, b);
        if (left > 0) left -= match_by_place(&matcher, a, b);
        if (left == 0 || context->failed) return !context->failed;
    }
    // Each triangle is in one polygon at most, which has fewer corners than three times those.
    if (a->polygon_count || b->polygon_count) {
        double tolerance = polygon_tolerance * extent;
        polygons->items =
            tn_verify_alloc(context, 3 * ((uint64_t)a->triangle_count + b->triangle_count),
                            sizeof *polygons->items);
        if (context->failed || !tn_match_polygons(context, a, b, tolerance, false, polygons) ||
            !tn_match_polygons(context, b, a, tolerance, true, polygons))
            return false;
    }
    matcher.tolerance = reversed_step.tolerance * extent;
    matcher.cell = reversed_step.cell * extent;
    matcher.is_reversed = true;
    *reversed = match_by_place(&matcher, a, b);
    return !context->failed;
}
