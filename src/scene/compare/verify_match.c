// verify_match.c: which triangles, lines and points of two scenes are the same.
// SPDX-License-Identifier: MIT
//
// Two triangles are the same if their corners are, in the same order, within a tolerance; two lines
// in either order. A grid finds them by their centers.

#include "scene/compare/verify.h"

#define CANDIDATES_MOST   64  // That are examined in one cell.
#define POLYGON_TOLERANCE 1e-4
#define ORDER_STEPS       2  // Steps that are tried in order before the first search.
#define RANKS             3  // Of pieces that have a name in common; see verify_match_rank().

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
    uint32_t *ranked;  // Of each part of A, then of B, RANKS numbers of `left`: of the pieces that
                       // have the same mesh and node name, the same mesh, or the same node name.
    uint32_t *left;    // How many of these pieces of B have no partner yet.
} piece_matcher;

// -- Candidates

static inline bool verify_match_is_near(float a, float b, double tolerance)
{
    double difference = fabs((double)a - (double)b);
    return difference <= tolerance ||
           (!(difference < HUGE_VAL) && fabs(tn_coordinate_difference(a, b)) <= tolerance);
}

// Whether the corners of a triangle are so far apart that only one order of others can fit them.
static bool verify_match_is_spread(const float *const corners[3], double tolerance)
{
    for (uint32_t i = 0; i < 3; i++) {
        const float *p = corners[i], *q = corners[(i + 1) % 3];
        bool is_apart = false;
        for (uint32_t k = 0; k < 3; k++)
            is_apart |= fabs((double)p[k] - (double)q[k]) > 4 * tolerance;
        if (!is_apart) return false;
    }
    return true;
}

// The smallest sum of squared distances between the corners of two pieces, whichever corner is the
// first; HUGE_VAL if a corner is always beyond the tolerance. `is_only` is set if no other order of
// the corners fits, not even in the other direction.
static double verify_match_least_distance(const piece_matcher *matcher, uint32_t a, uint32_t b,
                                          bool is_reversed, uint32_t *best_shift, bool *is_only)
{
    // tn_partner_corner() of triangles, without its division.
    static const uint8_t partners[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                          {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    uint32_t count = tn_corner_count(matcher->a, a), first = is_reversed ? TN_REVERSED : 0;
    double least = HUGE_VAL, tolerance = matcher->tolerance;
    const float *a_corners[3] = {0}, *b_corners[3] = {0};
    for (uint32_t k = 0; k < count; k++) {
        a_corners[k] = tn_corner(matcher->a, a, k);
        b_corners[k] = tn_corner(matcher->b, b, k);
    }
    for (uint32_t shift = first; shift < first + count; shift++) {
        double distance = 0;
        uint32_t k = 0;
        for (; k < count; k++) {
            uint32_t partner = count == 3 ? partners[shift][k] : tn_partner_corner(k, shift, count);
            const float *p = a_corners[k], *q = b_corners[partner];
            if (!verify_match_is_near(p[0], q[0], tolerance) ||
                !verify_match_is_near(p[1], q[1], tolerance) ||
                !verify_match_is_near(p[2], q[2], tolerance))
                break;
            distance += tn_squared_distance(p, q);
        }
        if (k < count || distance >= least) continue;
        least = distance;
        *best_shift = shift;
        *is_only = count == 3 && verify_match_is_spread(a_corners, tolerance);
        if (*is_only) break;
    }
    return least;
}

// 0 for the same mesh and the same node name, 3 for neither.
static uint32_t verify_match_rank(const tn_verify_part *a, const tn_verify_part *b)
{
    return (a->mesh != b->partner_mesh ? 2u : 0u) + (a->node_hash != b->node_hash ? 1u : 0u);
}

// Whether two triangles have the same corners in the same order. NaNs are not the same.
static inline bool verify_match_are_equal(const piece_matcher *matcher, uint32_t a, uint32_t b)
{
    if (a >= matcher->a->triangle_count || b >= matcher->b->triangle_count) return false;
    for (uint32_t i = 0; i < 3; i++) {
        const float *p = tn_corner(matcher->a, a, i), *q = tn_corner(matcher->b, b, i);
        if (!(p[0] == q[0] && p[1] == q[1] && p[2] == q[2])) return false;
    }
    return true;
}

// The score is the sum of the squared distances of the corners.
static bool verify_match_fits(const void *user, uint32_t a, uint32_t b, tn_piece_fit *fit)
{
    const piece_matcher *matcher = user;
    if (!matcher->is_reversed && verify_match_are_equal(matcher, a, b)) {
        const tn_verify_part *part = &matcher->a->parts[matcher->a->piece_parts[a]];
        const tn_verify_part *other = &matcher->b->parts[matcher->b->piece_parts[b]];
        *fit = (tn_piece_fit){.rank = verify_match_rank(part, other)};
        return tn_match_goes_on(matcher->context, 1);
    }
    uint32_t count = tn_corner_count(matcher->a, a), shift;
    bool is_only = false;
    if (tn_corner_count(matcher->b, b) != count || !tn_match_goes_on(matcher->context, 1))
        return false;
    fit->score =
        verify_match_least_distance(matcher, a, b, matcher->is_reversed, &fit->shift, &is_only);
    if (!(fit->score < HUGE_VAL)) return false;
    const tn_verify_part *a_part = &matcher->a->parts[matcher->a->piece_parts[a]];
    const tn_verify_part *b_part = &matcher->b->parts[matcher->b->piece_parts[b]];
    fit->rank = verify_match_rank(a_part, b_part);
    if (count < 3 || is_only || fit->score == 0) return true;
    // Triangles that are smaller than the tolerance match in either direction: the closer one
    // counts.
    return fit->score <=
           verify_match_least_distance(matcher, a, b, !matcher->is_reversed, &shift, &is_only);
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

// -- Matching

// Of the pieces of B that have the names of a part, as numbers of `left`.
static uint32_t *verify_match_ranked(const piece_matcher *matcher, bool is_b, uint32_t part)
{
    return matcher->ranked + RANKS * ((is_b ? (size_t)matcher->a->part_count : 0) + part);
}

// The best rank that a piece of B without a partner can have for a part of A.
static uint32_t verify_match_least_rank(const piece_matcher *matcher, uint32_t part)
{
    const uint32_t *ranked = verify_match_ranked(matcher, false, part);
    uint32_t rank = 0;
    while (rank < RANKS && matcher->left[ranked[rank]] == 0) rank++;
    return rank;
}

static void verify_match_pair_pieces(piece_matcher *matcher, uint32_t a, uint32_t b, uint32_t shift)
{
    const uint32_t *ranked = verify_match_ranked(matcher, true, matcher->b->piece_parts[b]);
    for (uint32_t i = 0; i < RANKS; i++) matcher->left[ranked[i]]--;
    matcher->a->partners[a] = b << 2 | shift;
    matcher->b->partners[b] = a << 2;
}

// Most often both scenes list their pieces in the same order: then the partner is the piece after
// the partner of the previous one, and no search is needed. Of other names, it has to be right
// after the partner of the piece right before, and to have the best rank that is left: a search
// could find a better one. Returns the number of new pairs.
static uint32_t verify_match_in_order(piece_matcher *matcher)
{
    const tn_posed_scene *a = matcher->a, *b = matcher->b;
    uint32_t count = 0, a_total = tn_total_piece_count(a), b_total = tn_total_piece_count(b);
    for (uint32_t i = 0, next = 0; i < a_total && next < b_total; i++) {
        tn_piece_fit fit;
        if (!tn_match_goes_on(matcher->context, 1)) return count;
        if (a->partners[i] != TENON_NONE) {
            next = TN_PARTNER_PIECE(a->partners[i]) + 1;
            continue;
        }
        if (b->partners[next] != TENON_NONE || !verify_match_fits(matcher, i, next, &fit)) continue;
        bool follows = i == 0 ? next == 0
                              : a->partners[i - 1] != TENON_NONE &&
                                    TN_PARTNER_PIECE(a->partners[i - 1]) + 1 == next;
        if (fit.rank > 0 &&
            (!follows || fit.rank > verify_match_least_rank(matcher, a->piece_parts[i])))
            continue;
        verify_match_pair_pieces(matcher, i, next++, fit.shift);
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
    tn_grid grid;
    if (!tn_grid_begin(context, &grid, matcher->tolerance, matcher->cell, b_total)) return 0;
    double center[3];
    for (uint32_t i = b_total; i-- > 0;) {
        if (!tn_match_goes_on(context, 1)) return 0;
        if (b->partners[i] != TENON_NONE) continue;
        verify_match_find_center(b, i, center);
        tn_grid_add(&grid, center, i);
    }
    for (uint32_t i = 0; i < total && tn_match_goes_on(context, 1); i++) {
        if (a->partners[i] != TENON_NONE) continue;
        tn_piece_fit fit;
        verify_match_find_center(a, i, center);
        uint32_t partner =
            tn_grid_take(&grid, center, CANDIDATES_MOST, verify_match_fits, matcher, i, &fit);
        if (partner == TENON_NONE) continue;
        count++;
        if (!matcher->is_reversed) verify_match_pair_pieces(matcher, i, partner, fit.shift);
    }
    tn_arena_rewind(&context->arena, mark);
    return count;
}

static uint64_t verify_match_key(uint32_t mesh, uint64_t node_hash)
{
    return (node_hash ^ mesh) * 0x9e3779b97f4a7c15u;
}

// Number the names that parts share, and count the pieces of B that have them.
static bool verify_match_count_ranks(piece_matcher *matcher)
{
    const tn_posed_scene *const scenes[2] = {matcher->a, matcher->b};
    tn_match_context *context = matcher->context;
    uint64_t count = 0, most = RANKS * ((uint64_t)scenes[0]->part_count + scenes[1]->part_count);
    matcher->ranked = tn_match_alloc(context, most, sizeof *matcher->ranked);
    matcher->left = tn_match_alloc(context, most, sizeof *matcher->left);
    tn_mark mark = tn_arena_mark(&context->arena);
    tn_radix_item *keys = tn_match_alloc(context, most, sizeof *keys);
    tn_radix_item *spare = tn_match_alloc(context, most, sizeof *spare);
    if (context->failed) return false;
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < scenes[side]->part_count; i++) {
            const tn_verify_part *part = &scenes[side]->parts[i];
            uint32_t mesh = side == 0 ? part->mesh : part->partner_mesh;
            keys[count].key = verify_match_key(mesh, part->node_hash);
            keys[count + 1].key = verify_match_key(mesh, 0);
            keys[count + 2].key = verify_match_key(TENON_NONE, part->node_hash);
            for (uint32_t k = 0; k < RANKS; k++, count++) keys[count].value = (uint32_t)count;
        }
    keys = tn_radix_sort(keys, spare, count);
    for (uint64_t i = 0, number = 0; i < count; i++) {
        number += i > 0 && keys[i].key != keys[i - 1].key;
        matcher->ranked[keys[i].value] = (uint32_t)number;
    }
    const uint32_t *parts = matcher->b->piece_parts;
    uint32_t total = tn_total_piece_count(matcher->b);
    for (uint32_t i = 0, end; i < total; i = end) {
        const uint32_t *ranked = verify_match_ranked(matcher, true, parts[i]);
        for (end = i + 1; end < total && parts[end] == parts[i];) end++;
        for (uint32_t k = 0; k < RANKS; k++) matcher->left[ranked[k]] += end - i;
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}

bool tn_match_geometry(tn_match_context *context, tn_posed_scene *a, tn_posed_scene *b,
                       double extent, tn_vertex_pair_list *polygons, uint32_t *reversed)
{
    uint32_t left = tn_total_piece_count(a);
    piece_matcher matcher = {.context = context, .a = a, .b = b};
    *reversed = 0;
    *polygons = (tn_vertex_pair_list){0};
    if (!verify_match_count_ranks(&matcher)) return false;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        // Neighbors in order that are hardly apart need no search for exact ones.
        size_t most = i == 0 ? ORDER_STEPS : i + 1;
        for (size_t k = i; k < most && left > 0; k++) {
            matcher.tolerance = steps[k].tolerance * extent;
            left -= verify_match_in_order(&matcher);
        }
        matcher.tolerance = steps[i].tolerance * extent;
        matcher.cell = steps[i].cell * extent;
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
