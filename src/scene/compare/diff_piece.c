// diff_piece.c: which points, lines and triangles of two meshes are the same.
// SPDX-License-Identifier: MIT
//
// However vertices are stored, welded, split, in strips or in another order, the pieces that they
// make are the same if their corners are in the same places, within the tolerance. They are looked
// up by the cell of a grid that their middle is in. The tolerance moves a middle by no more than
// itself, so that the cells to which it could have moved are looked at as well.

#include "scene/compare/diff_mesh.h"

#include "scene/model/pieces.h"

#include <math.h>
#include <string.h>

#define CELLS_TO_SLACK 4.0
#define CELL_LEAST     1e-9  // As a share of the mesh.
#define CELL_MOST      1e15  // Cells far out are one, lest numbers overflow.
#define LOOKS_MOST     16    // Pieces of one cell that are looked at: keeps time linear.
#define OTHER_MATERIAL 1e6   // Worse than anything that vertices can differ by.

// Corner k of a piece of A is corner (k + turn) % size of its partner or, if the turn is at
// least 3, corner (turn - k) % 3: then one of the two triangles is inside out.
#define TURN_BITS 4
#define TURN_MASK 7u
#define REVERSED  3
#define DIFFERS   8u  // Something else than the place is not quite the same.

typedef struct grid {
    double slack, cell;
    bool is_reversed;        // Look for triangles that are inside out.
    uint32_t *heads, *next;  // Chains of pieces of B without a partner, each in its order.
    uint64_t mask;
} grid;

typedef struct candidate {
    uint32_t *link;  // What points to it; NULL: there is none.
    uint32_t turn;
    double score;  // How much else differs.
} candidate;

// -- Pieces

static const float *corner_of(const tn_mesh_diff *m, int side, const tn_piece *e, uint32_t k)
{
    return m->meshes[side]->primitives[e->primitive].positions + 3 * (size_t)e->corners[k];
}

static double distance(const float *a, const float *b)
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1],
           z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

// Strips hold triangles without area, which only lead to the next row. Nobody sees them.
static bool is_flat(const tn_mesh_diff *m, int side, const tn_piece *e, double slack)
{
    if (e->size < 3) return false;
    const float *a = corner_of(m, side, e, 0), *b = corner_of(m, side, e, 1),
                *c = corner_of(m, side, e, 2);
    return distance(a, b) <= slack || distance(b, c) <= slack || distance(c, a) <= slack;
}

static uint64_t piece_total(const tenon_mesh *mesh)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        total += tn_piece_count(&mesh->primitives[i]);
    return total;
}

static bool list_pieces(tn_mesh_diff *m, int side, double slack)
{
    const tenon_mesh *mesh = m->meshes[side];
    tn_pieces *list = &m->pieces[side];
    uint64_t total = piece_total(mesh);
    if (total > TENON_NONE >> TURN_BITS) {
        m->d->failed = true;
        return tn_error(m->d->err, TENON_ERR_LIMIT, "a mesh has more than %u pieces",
                        (unsigned)(TENON_NONE >> TURN_BITS));
    }
    list->items = tn_diff_alloc(m->d, total, sizeof *list->items);
    list->partners = tn_diff_alloc(m->d, total, sizeof *list->partners);
    if (!list->items || !list->partners) return false;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        uint32_t count = (uint32_t)tn_piece_count(p);
        for (uint32_t k = 0; k < count; k++) {
            tn_piece e = {.primitive = i, .index = k, .size = tn_piece_size(p->mode)};
            tn_piece_at(p, k, e.corners);
            if (is_flat(m, side, &e, slack)) continue;
            list->partners[list->count] = TENON_NONE;
            list->items[list->count++] = e;
        }
    }
    return true;
}

// -- Cells

static void middle_of(const tn_mesh_diff *m, int side, const tn_piece *e, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t k = 0; k < e->size; k++) sum += (double)corner_of(m, side, e, k)[axis];
        out[axis] = sum / e->size;
    }
}

static int64_t cell_at(const grid *g, double place)
{
    double cell = floor(place / g->cell);
    if (!(cell > -CELL_MOST)) return -(int64_t)CELL_MOST;
    return cell < CELL_MOST ? (int64_t)cell : (int64_t)CELL_MOST;
}

static uint32_t *chain_of(const grid *g, int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)z) * 0x94d049bb133111ebu;
    return &g->heads[(hash ^ hash >> 31) & g->mask];
}

static bool fill_grid(tn_mesh_diff *m, grid *g)
{
    const tn_pieces *list = &m->pieces[1];
    uint64_t size = 1;
    while (size < list->count) size *= 2;
    g->mask = size - 1;
    g->heads = tn_diff_alloc(m->d, size, sizeof *g->heads);
    g->next = tn_diff_alloc(m->d, list->count, sizeof *g->next);
    if (!g->heads || !g->next) return false;
    for (uint64_t i = 0; i < size; i++) g->heads[i] = TENON_NONE;
    for (uint32_t i = list->count; i-- > 0;) {
        double middle[3];
        middle_of(m, 1, &list->items[i], middle);
        uint32_t *chain =
            chain_of(g, cell_at(g, middle[0]), cell_at(g, middle[1]), cell_at(g, middle[2]));
        g->next[i] = *chain;
        *chain = i;
    }
    return true;
}

// -- Candidates

static uint32_t other_corner(uint32_t k, uint32_t turn, uint32_t size)
{
    return turn < REVERSED ? (k + turn) % size : (turn - k) % size;
}

static bool fits(const tn_mesh_diff *m, const tn_piece *a, const tn_piece *b, uint32_t turn,
                 double slack)
{
    for (uint32_t k = 0; k < a->size; k++)
        if (!(distance(corner_of(m, 0, a, k), corner_of(m, 1, b, other_corner(k, turn, a->size))) <=
              slack))
            return false;
    return true;
}

static tn_vertex vertex_of(const tn_piece *e, uint32_t k)
{
    return (tn_vertex){e->primitive, e->corners[k]};
}

static bool has_same_material(const tn_mesh_diff *m, const tn_piece *a, const tn_piece *b)
{
    uint32_t of_a = m->meshes[0]->primitives[a->primitive].material;
    uint32_t of_b = m->meshes[1]->primitives[b->primitive].material;
    if (of_a == TENON_NONE || of_b == TENON_NONE) return of_a == of_b;
    return m->d->pairs[TN_MATERIALS].partners[0][of_a] == of_b;
}

static double score_of(const tn_mesh_diff *m, const tn_piece *a, const tn_piece *b, uint32_t turn)
{
    double score = has_same_material(m, a, b) ? 0 : OTHER_MATERIAL;
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        for (uint32_t k = 0; k < a->size && m->has_stream[stream]; k++) {
            double apart = tn_vertex_apart(m, stream, vertex_of(a, k),
                                           vertex_of(b, other_corner(k, turn, a->size)));
            score += apart < OTHER_MATERIAL ? apart : OTHER_MATERIAL;
        }
    return score;
}

static void look_in(const tn_mesh_diff *m, const grid *g, const tn_piece *a, uint32_t *link,
                    candidate *best)
{
    for (uint32_t i = 0; i < LOOKS_MOST && *link != TENON_NONE; i++, link = &g->next[*link]) {
        const tn_piece *b = &m->pieces[1].items[*link];
        uint32_t turn = g->is_reversed ? REVERSED : 0, end = turn + a->size;
        if (a->size != b->size) continue;
        while (turn < end && !fits(m, a, b, turn, g->slack)) turn++;
        if (turn == end) continue;
        double score = score_of(m, a, b, turn);
        if (!best->link || score < best->score) *best = (candidate){link, turn, score};
        if (best->score == 0) return;
    }
}

static candidate find_partner(const tn_mesh_diff *m, const grid *g, const tn_piece *a)
{
    double middle[3];
    int64_t low[3], high[3];
    candidate best = {.link = NULL};
    middle_of(m, 0, a, middle);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cell_at(g, middle[axis] - g->slack);
        high[axis] = cell_at(g, middle[axis] + g->slack);
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                look_in(m, g, a, chain_of(g, x, y, z), &best);
    return best;
}

static void pair_pieces(tn_mesh_diff *m, const grid *g)
{
    tn_pieces *a = &m->pieces[0], *b = &m->pieces[1];
    for (uint32_t i = 0; i < a->count; i++) {
        if (!tn_diff_goes_on(m->d)) return;
        if (a->partners[i] != TENON_NONE || (g->is_reversed && a->items[i].size < 3)) continue;
        candidate found = find_partner(m, g, &a->items[i]);
        if (!found.link) continue;
        uint32_t partner = *found.link;
        *found.link = g->next[partner];
        a->partners[i] = partner << TURN_BITS | found.turn | (found.score > 0 ? DIFFERS : 0);
        b->partners[partner] = i << TURN_BITS;
        m->matched++;
    }
}

static void find_streams(tn_mesh_diff *m)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < m->meshes[side]->primitive_count; i++)
            for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
                if (tn_has_stream(&m->meshes[side]->primitives[i], stream))
                    m->has_stream[stream] = true;
}

// Lines have no direction; triangles have no first corner, but a front.
bool tn_match_pieces(tn_mesh_diff *m)
{
    grid g = {.slack = m->d->tolerance * m->reference};
    double least = CELL_LEAST * m->reference;
    g.cell = CELLS_TO_SLACK * g.slack > least ? CELLS_TO_SLACK * g.slack : least;
    if (!(g.cell > 0)) g.cell = 1;
    if (!list_pieces(m, 0, g.slack) || !list_pieces(m, 1, g.slack) || !fill_grid(m, &g))
        return false;
    find_streams(m);
    pair_pieces(m, &g);
    g.is_reversed = true;
    if (m->matched < m->pieces[0].count) pair_pieces(m, &g);
    return !m->d->failed;
}

// -- What differs

void tn_count_pieces(tn_mesh_diff *m)
{
    const tn_pieces *list = &m->pieces[0];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->partners[i] == TENON_NONE || !(list->partners[i] & DIFFERS)) continue;
        uint32_t turn = list->partners[i] & TURN_MASK;
        const tn_piece *a = &list->items[i];
        const tn_piece *b = &m->pieces[1].items[list->partners[i] >> TURN_BITS];
        if (!has_same_material(m, a, b) && m->assignments.count++ == 0)
            m->assignments.a = vertex_of(a, 0), m->assignments.b = vertex_of(b, 0);
        for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
            for (uint32_t k = 0; k < a->size; k++)
                tn_note_vertex(m, stream, vertex_of(a, k),
                               vertex_of(b, other_corner(k, turn, a->size)));
    }
}

// "0 0 0, 1 0 0, 0 1 0"
static tn_diff_text piece_text(const tn_mesh_diff *m, int side, const tn_piece *e)
{
    tn_diff_text out = {""}, place, ignored;
    for (uint32_t k = 0; k < e->size; k++) {
        double corner[3], other[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        for (int axis = 0; axis < 3; axis++) corner[axis] = (double)corner_of(m, side, e, k)[axis];
        tn_diff_numbers_text(corner, other, 3, &place, &ignored);
        tn_diff_text before = out;
        out = tn_diff_print("%.300s%s%.120s", before.text, k ? ", " : "", place.text);
    }
    return out;
}

static tn_diff_text piece_path(const tn_mesh_diff *m, const tn_piece *e)
{
    static const char *const words[] = {"points", "lines", "triangles"};
    tn_diff_text facet = tn_diff_print("primitives[%u].%s[%u]", (unsigned)e->primitive,
                                       words[e->size - 1], (unsigned)e->index);
    return tn_diff_path(m->d, &m->at, facet.text);
}

static void tell_reversed(tn_mesh_diff *m)
{
    const tn_pieces *list = &m->pieces[0];
    const tn_piece *first = NULL;
    const tenon_str a = {"facing one way", 14}, b = {"facing the other way", 20};
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->partners[i] == TENON_NONE || (list->partners[i] & TURN_MASK) < REVERSED) continue;
        if (count++ == 0) first = &list->items[i];
    }
    if (first) tn_differ(m->d, TN_DIFF_WINDINGS, piece_path(m, first).text, a, b, -1, count);
}

void tn_report_pieces(tn_mesh_diff *m)
{
    tell_reversed(m);
    for (int side = 0; side < 2; side++) {
        const tn_pieces *list = &m->pieces[side];
        const tn_piece *first = NULL;
        for (uint32_t i = 0; i < list->count && !first; i++)
            if (list->partners[i] == TENON_NONE) first = &list->items[i];
        if (!first) continue;
        tn_diff_text text = piece_text(m, side, first);
        tenon_str corners = {text.text, (uint32_t)strlen(text.text)}, none = {"", 0};
        tn_differ(m->d, TN_DIFF_TRIANGLES, piece_path(m, first).text, side ? none : corners,
                  side ? corners : none, -1, list->count - m->matched);
    }
}
