// verify_match.c: which triangles, lines and points of two scenes are the same.
// SPDX-License-Identifier: MIT
//
// Two triangles are the same if their corners are, in the same order, within a slack; two lines in
// either order. They are looked up by the cell of a grid that their center is in. A slack moves a
// center by no more than itself, so the cells that it could have moved to are looked at as well: no
// border between cells keeps two apart.

#include "scene/compare/verify.h"

#include <string.h>

#define LOOKS_MOST 64  // Candidates of one cell that are looked at: keeps time linear.

// Slacks, as shares of the model's size, the narrowest first, so that each triangle gets its very
// twin if that exists, and what remains is told from neighbours as well as can be. Cells are many
// times as wide, lest most lookups cross a border, but not so wide that they get crowded.
typedef struct step {
    double slack, cell;
} step;

static const step steps[] = {{1e-9, 16e-9}, {1e-6, 16e-6}, {1e-4, 4e-4}};
static const step reversed_step = {1e-4, 4e-4};
static const double polygon_slack = 1e-4;

typedef struct matcher {
    tn_verify_room *room;
    const tn_verify_side *a, *b;
    double slack, cell;
    bool is_reversed;        // Look for triangles that are inside out.
    uint32_t *heads, *next;  // Chains of those of b that have no partner, each in its order.
    uint64_t mask;
} matcher;

// The best candidate so far.
typedef struct candidate {
    uint32_t *link;  // What points to it; NULL: there is none.
    uint32_t turn;
    uint32_t rank;  // 0: same mesh and same name of the node; 3: neither.
    double apart;
} candidate;

static bool goes_on(const matcher *m)
{
    return tn_verify_expect(m->room, tn_goes_on(&m->room->pulse, 1));
}

// -- Cells

static int64_t cell_at(const matcher *m, double place)
{
    return tn_cell_at(place, m->cell);
}

static uint32_t *bucket(const matcher *m, int64_t x, int64_t y, int64_t z)
{
    return &m->heads[tn_cell_hash(x, y, z) & m->mask];
}

static void find_center(const tn_verify_side *side, uint32_t piece, double out[3])
{
    if (tn_corner_count(side, piece) == 3) {
        tn_centroid(side, piece, out);
        return;
    }
    const float *a = tn_corner(side, piece, 0), *b = tn_corner(side, piece, 1);
    for (uint32_t k = 0; k < 3; k++) out[k] = ((double)a[k] + (double)b[k]) / 2;
}

static bool fill(matcher *m)
{
    tn_verify_room *room = m->room;
    uint64_t size = 1;
    uint32_t total = tn_piece_total(m->b);
    while (size < total) size *= 2;
    m->mask = size - 1;
    m->heads = tn_verify_alloc(room, size, sizeof *m->heads);
    m->next = tn_verify_alloc(room, total, sizeof *m->next);
    if (room->failed) return false;
    memset(m->heads, 0xff, (size_t)size * sizeof *m->heads);
    for (uint32_t i = total; i-- > 0;) {
        double c[3];
        if (!goes_on(m)) return false;
        if (m->b->partners[i] != TENON_NONE) continue;
        find_center(m->b, i, c);
        uint32_t *head = bucket(m, cell_at(m, c[0]), cell_at(m, c[1]), cell_at(m, c[2]));
        m->next[i] = *head;
        *head = i;
    }
    return true;
}

// -- Candidates

static bool are_near(const float *a, const float *b, double slack)
{
    return fabs(tn_gap(a[0], b[0])) <= slack && fabs(tn_gap(a[1], b[1])) <= slack &&
           fabs(tn_gap(a[2], b[2])) <= slack;
}

// The least sum of squares between the corners of two pieces, in any turn; HUGE_VAL if none is
// within the slack.
static double least_apart(const matcher *m, uint32_t a, uint32_t b, bool is_reversed,
                          uint32_t *best_turn)
{
    uint32_t count = tn_corner_count(m->a, a);
    double least = HUGE_VAL;
    for (uint32_t turn = 0; turn < count; turn++) {
        double apart = 0;
        uint32_t k = 0;
        for (; k < count; k++) {
            uint32_t other = is_reversed ? (turn + 3 - k) % 3 : (turn + k) % count;
            const float *p = tn_corner(m->a, a, k), *q = tn_corner(m->b, b, other);
            if (!are_near(p, q, m->slack)) break;
            apart += tn_apart(p, q);
        }
        if (k < count || apart >= least) continue;
        least = apart;
        *best_turn = turn;
    }
    return least;
}

// Whether the pieces are the same, and in which turn they are nearest. Triangles that are smaller
// than the slack fit in either direction: the nearer one counts.
static bool fits(const matcher *m, uint32_t a, uint32_t b, candidate *out)
{
    uint32_t count = tn_corner_count(m->a, a), turn;
    if (tn_corner_count(m->b, b) != count || !goes_on(m)) return false;
    out->apart = least_apart(m, a, b, m->is_reversed, &out->turn);
    if (!(out->apart < HUGE_VAL)) return false;
    if (count < 3 || out->apart == 0) return true;
    return out->apart <= least_apart(m, a, b, !m->is_reversed, &turn);
}

static uint32_t rank_of(const matcher *m, uint32_t a, uint32_t b)
{
    const tn_drawn *ours = &m->a->parts[m->a->piece_parts[a]];
    const tn_drawn *theirs = &m->b->parts[m->b->piece_parts[b]];
    return (ours->mesh != theirs->partner_mesh ? 2u : 0u) +
           (ours->node_hash != theirs->node_hash ? 1u : 0u);
}

static void look_in(const matcher *m, uint32_t a, uint32_t *link, candidate *best)
{
    for (uint32_t i = 0; i < LOOKS_MOST && *link != TENON_NONE; i++, link = &m->next[*link]) {
        candidate c = {0};
        if (!fits(m, a, *link, &c)) continue;
        c.link = link;
        c.rank = rank_of(m, a, *link);
        bool is_better = c.rank < best->rank || (c.rank == best->rank && c.apart < best->apart);
        if (!best->link || is_better) *best = c;
        if (best->rank == 0 && best->apart == 0) return;
    }
}

static candidate find(const matcher *m, uint32_t a)
{
    double c[3];
    int64_t low[3], high[3];
    candidate best = {.link = NULL};
    find_center(m->a, a, c);
    for (uint32_t k = 0; k < 3; k++) {
        low[k] = cell_at(m, c[k] - m->slack);
        high[k] = cell_at(m, c[k] + m->slack);
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++) look_in(m, a, bucket(m, x, y, z), &best);
    return best;
}

// -- All

static void pair(tn_verify_side *a, tn_verify_side *b, uint32_t i, uint32_t other, uint32_t turn)
{
    a->partners[i] = other << 2 | turn;
    b->partners[other] = i << 2;
}

// Most often both list their pieces in the same order: the partner is the one after the partner of
// the one before, and need not be looked for.
static uint32_t match_in_order(const matcher *m, tn_verify_side *a, tn_verify_side *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0, next = 0; i < tn_piece_total(a) && next < tn_piece_total(b); i++) {
        candidate c = {0};
        if (!goes_on(m)) return count;
        if (a->partners[i] != TENON_NONE) {
            next = TN_OTHER(a->partners[i]) + 1;
            continue;
        }
        if (b->partners[next] != TENON_NONE || !fits(m, i, next, &c)) continue;
        if (rank_of(m, i, next) > 0) continue;
        pair(a, b, i, next++, c.turn);
        count++;
    }
    return count;
}

// Of what is inside out, only triangles are looked for.
static uint32_t match_by_place(matcher *m, tn_verify_side *a, tn_verify_side *b)
{
    uint32_t count = 0, total = m->is_reversed ? a->triangle_count : tn_piece_total(a);
    tn_mark mark = tn_arena_mark(&m->room->arena);
    if (!fill(m)) return 0;
    for (uint32_t i = 0; i < total && goes_on(m); i++) {
        if (a->partners[i] != TENON_NONE) continue;
        candidate found = find(m, i);
        if (!found.link) continue;
        uint32_t other = *found.link;
        *found.link = m->next[other];
        count++;
        if (!m->is_reversed) pair(a, b, i, other, found.turn);
    }
    tn_arena_rewind(&m->room->arena, mark);
    return count;
}

bool tn_match_geometry(tn_verify_room *room, tn_verify_side *a, tn_verify_side *b, double reach,
                       tn_twin_list *polygons, uint32_t *reversed)
{
    uint32_t left = tn_piece_total(a);
    matcher m = {.room = room, .a = a, .b = b};
    *reversed = 0;
    *polygons = (tn_twin_list){0};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        m.slack = steps[i].slack * reach;
        m.cell = steps[i].cell * reach;
        left -= match_in_order(&m, a, b);
        if (left > 0) left -= match_by_place(&m, a, b);
        if (left == 0 || room->failed) return !room->failed;
    }
    // Each triangle is in one polygon at most, which has fewer corners than three times those.
    if (a->polygon_count || b->polygon_count) {
        double slack = polygon_slack * reach;
        polygons->items = tn_verify_alloc(
            room, 3 * ((uint64_t)a->triangle_count + b->triangle_count), sizeof *polygons->items);
        if (room->failed || !tn_match_polygons(room, a, b, slack, false, polygons) ||
            !tn_match_polygons(room, b, a, slack, true, polygons))
            return false;
    }
    m.slack = reversed_step.slack * reach;
    m.cell = reversed_step.cell * reach;
    m.is_reversed = true;
    *reversed = match_by_place(&m, a, b);
    return !room->failed;
}
