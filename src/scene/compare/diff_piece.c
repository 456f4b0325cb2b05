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

#define CELL_TO_TOLERANCE 4.0
#define CELL_LEAST        1e-9  // As a share of the mesh.
#define CELL_MOST         1e15  // Cells far out are one, lest numbers overflow.
#define CANDIDATES_MOST   16    // Pieces of one cell that are looked at: keeps time linear.
#define OTHER_MATERIAL    1e6   // Worse than anything that vertices can differ by.

// Corner k of a piece of A is corner (k + turn) % size of its partner or, if the turn is at
// least 3, corner (turn - k) % 3: then one of the two triangles is inside out.
#define TURN_BITS 4
#define TURN_MASK 7u
#define REVERSED  3
#define DIFFERS   8u  // Something else than the place is not quite the same.

typedef struct piece_grid {
    double tolerance, cell;
    bool is_reversed;        // Look for triangles that are inside out.
    uint32_t *heads, *next;  // Chains of pieces of B without a partner, each in its order.
    uint64_t mask;
} piece_grid;

typedef struct piece_candidate {
    uint32_t *link;  // What points to it; NULL: there is none.
    uint32_t turn;
    double score;  // How much else differs.
} piece_candidate;

// -- Pieces

static const float *corner_of(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece,
                              uint32_t k)
{
    return mesh_diff->meshes[side]->primitives[piece->primitive].positions +
           3 * (size_t)piece->corners[k];
}

static double distance(const float *a, const float *b)
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1],
           z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

// Strips hold triangles without area, which only lead to the next row. Nobody sees them.
static bool is_flat(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece,
                    double tolerance)
{
    if (piece->size < 3) return false;
    const float *a = corner_of(mesh_diff, side, piece, 0),
                *b = corner_of(mesh_diff, side, piece, 1),
                *c = corner_of(mesh_diff, side, piece, 2);
    return distance(a, b) <= tolerance || distance(b, c) <= tolerance ||
           distance(c, a) <= tolerance;
}

static uint64_t piece_total(const tenon_mesh *mesh)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        total += tn_piece_count(&mesh->primitives[i]);
    return total;
}

static bool list_pieces(tn_mesh_diff *mesh_diff, int side, double tolerance)
{
    const tenon_mesh *mesh = mesh_diff->meshes[side];
    tn_pieces *list = &mesh_diff->pieces[side];
    uint64_t total = piece_total(mesh);
    if (total > TENON_NONE >> TURN_BITS) {
        mesh_diff->diff->failed = true;
        return tn_error(mesh_diff->diff->err, TENON_ERR_LIMIT, "a mesh has more than %u pieces",
                        (unsigned)(TENON_NONE >> TURN_BITS));
    }
    list->items = tn_diff_alloc(mesh_diff->diff, total, sizeof *list->items);
    list->partners = tn_diff_alloc(mesh_diff->diff, total, sizeof *list->partners);
    if (!list->items || !list->partners) return false;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        uint32_t count = (uint32_t)tn_piece_count(p);
        for (uint32_t k = 0; k < count; k++) {
            tn_piece piece = {.primitive = i, .index = k, .size = tn_piece_size(p->mode)};
            tn_piece_at(p, k, piece.corners);
            if (is_flat(mesh_diff, side, &piece, tolerance)) continue;
            list->partners[list->count] = TENON_NONE;
            list->items[list->count++] = piece;
        }
    }
    return true;
}

// -- Cells

static void middle_of(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t k = 0; k < piece->size; k++)
            sum += (double)corner_of(mesh_diff, side, piece, k)[axis];
        out[axis] = sum / piece->size;
    }
}

static int64_t cell_at(const piece_grid *grid, double place)
{
    double cell = floor(place / grid->cell);
    if (!(cell > -CELL_MOST)) return -(int64_t)CELL_MOST;
    return cell < CELL_MOST ? (int64_t)cell : (int64_t)CELL_MOST;
}

static uint32_t *chain_of(const piece_grid *grid, int64_t x, int64_t y, int64_t z)
{
    uint64_t hash = (uint64_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)z) * 0x94d049bb133111ebu;
    return &grid->heads[(hash ^ hash >> 31) & grid->mask];
}

static bool fill_grid(tn_mesh_diff *mesh_diff, piece_grid *grid)
{
    const tn_pieces *list = &mesh_diff->pieces[1];
    uint64_t size = 1;
    while (size < list->count) size *= 2;
    grid->mask = size - 1;
    grid->heads = tn_diff_alloc(mesh_diff->diff, size, sizeof *grid->heads);
    grid->next = tn_diff_alloc(mesh_diff->diff, list->count, sizeof *grid->next);
    if (!grid->heads || !grid->next) return false;
    for (uint64_t i = 0; i < size; i++) grid->heads[i] = TENON_NONE;
    for (uint32_t i = list->count; i-- > 0;) {
        double middle[3];
        middle_of(mesh_diff, 1, &list->items[i], middle);
        uint32_t *chain = chain_of(grid, cell_at(grid, middle[0]), cell_at(grid, middle[1]),
                                   cell_at(grid, middle[2]));
        grid->next[i] = *chain;
        *chain = i;
    }
    return true;
}

// -- Candidates

static uint32_t other_corner(uint32_t k, uint32_t turn, uint32_t size)
{
    return turn < REVERSED ? (k + turn) % size : (turn - k) % size;
}

static bool fits(const tn_mesh_diff *mesh_diff, const tn_piece *a, const tn_piece *b, uint32_t turn,
                 double tolerance)
{
    for (uint32_t k = 0; k < a->size; k++)
        if (!(distance(corner_of(mesh_diff, 0, a, k),
                       corner_of(mesh_diff, 1, b, other_corner(k, turn, a->size))) <= tolerance))
            return false;
    return true;
}

static tn_vertex vertex_of(const tn_piece *piece, uint32_t k)
{
    return (tn_vertex){piece->primitive, piece->corners[k]};
}

static bool has_same_material(const tn_mesh_diff *mesh_diff, const tn_piece *a, const tn_piece *b)
{
    uint32_t of_a = mesh_diff->meshes[0]->primitives[a->primitive].material;
    uint32_t of_b = mesh_diff->meshes[1]->primitives[b->primitive].material;
    if (of_a == TENON_NONE || of_b == TENON_NONE) return of_a == of_b;
    return mesh_diff->diff->pairings[TN_MATERIALS].partners[0][of_a] == of_b;
}

static double score_of(const tn_mesh_diff *mesh_diff, const tn_piece *a, const tn_piece *b,
                       uint32_t turn)
{
    double score = has_same_material(mesh_diff, a, b) ? 0 : OTHER_MATERIAL;
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        for (uint32_t k = 0; k < a->size && mesh_diff->has_stream[stream]; k++) {
            double apart = tn_vertex_distance(mesh_diff, stream, vertex_of(a, k),
                                              vertex_of(b, other_corner(k, turn, a->size)));
            score += apart < OTHER_MATERIAL ? apart : OTHER_MATERIAL;
        }
    return score;
}

static void look_in(const tn_mesh_diff *mesh_diff, const piece_grid *grid, const tn_piece *a,
                    uint32_t *link, piece_candidate *best)
{
    for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE;
         i++, link = &grid->next[*link]) {
        const tn_piece *b = &mesh_diff->pieces[1].items[*link];
        uint32_t turn = grid->is_reversed ? REVERSED : 0, end = turn + a->size;
        if (a->size != b->size) continue;
        while (turn < end && !fits(mesh_diff, a, b, turn, grid->tolerance)) turn++;
        if (turn == end) continue;
        double score = score_of(mesh_diff, a, b, turn);
        if (!best->link || score < best->score) *best = (piece_candidate){link, turn, score};
        if (best->score == 0) return;
    }
}

static piece_candidate find_partner(const tn_mesh_diff *mesh_diff, const piece_grid *grid,
                                    const tn_piece *a)
{
    double middle[3];
    int64_t low[3], high[3];
    piece_candidate best = {.link = NULL};
    middle_of(mesh_diff, 0, a, middle);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cell_at(grid, middle[axis] - grid->tolerance);
        high[axis] = cell_at(grid, middle[axis] + grid->tolerance);
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                look_in(mesh_diff, grid, a, chain_of(grid, x, y, z), &best);
    return best;
}

static void pair_pieces(tn_mesh_diff *mesh_diff, const piece_grid *grid)
{
    tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    for (uint32_t i = 0; i < a->count; i++) {
        if (!tn_diff_goes_on(mesh_diff->diff)) return;
        if (a->partners[i] != TENON_NONE || (grid->is_reversed && a->items[i].size < 3)) continue;
        piece_candidate found = find_partner(mesh_diff, grid, &a->items[i]);
        if (!found.link) continue;
        uint32_t partner = *found.link;
        *found.link = grid->next[partner];
        a->partners[i] = partner << TURN_BITS | found.turn | (found.score > 0 ? DIFFERS : 0);
        b->partners[partner] = i << TURN_BITS;
        mesh_diff->matched++;
    }
}

static void find_streams(tn_mesh_diff *mesh_diff)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < mesh_diff->meshes[side]->primitive_count; i++)
            for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
                if (tn_has_stream(&mesh_diff->meshes[side]->primitives[i], stream))
                    mesh_diff->has_stream[stream] = true;
}

// Lines have no direction; triangles have no first corner, but a front.
bool tn_match_pieces(tn_mesh_diff *mesh_diff)
{
    piece_grid grid = {.tolerance = mesh_diff->diff->tolerance * mesh_diff->reference};
    double least = CELL_LEAST * mesh_diff->reference;
    grid.cell =
        CELL_TO_TOLERANCE * grid.tolerance > least ? CELL_TO_TOLERANCE * grid.tolerance : least;
    if (!(grid.cell > 0)) grid.cell = 1;
    if (!list_pieces(mesh_diff, 0, grid.tolerance) || !list_pieces(mesh_diff, 1, grid.tolerance) ||
        !fill_grid(mesh_diff, &grid))
        return false;
    find_streams(mesh_diff);
    pair_pieces(mesh_diff, &grid);
    grid.is_reversed = true;
    if (mesh_diff->matched < mesh_diff->pieces[0].count) pair_pieces(mesh_diff, &grid);
    return !mesh_diff->diff->failed;
}

// -- What differs

void tn_count_pieces(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *list = &mesh_diff->pieces[0];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->partners[i] == TENON_NONE || !(list->partners[i] & DIFFERS)) continue;
        uint32_t turn = list->partners[i] & TURN_MASK;
        const tn_piece *a = &list->items[i];
        const tn_piece *b = &mesh_diff->pieces[1].items[list->partners[i] >> TURN_BITS];
        if (!has_same_material(mesh_diff, a, b) && mesh_diff->assignments.count++ == 0)
            mesh_diff->assignments.a = vertex_of(a, 0), mesh_diff->assignments.b = vertex_of(b, 0);
        for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
            for (uint32_t k = 0; k < a->size; k++)
                tn_compare_vertices(mesh_diff, stream, vertex_of(a, k),
                                    vertex_of(b, other_corner(k, turn, a->size)));
    }
}

// "0 0 0, 1 0 0, 0 1 0"
static tn_diff_text piece_text(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece)
{
    tn_diff_text out = {""}, place, ignored;
    for (uint32_t k = 0; k < piece->size; k++) {
        double corner[3], other[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        for (int axis = 0; axis < 3; axis++)
            corner[axis] = (double)corner_of(mesh_diff, side, piece, k)[axis];
        tn_diff_numbers_text(corner, other, 3, &place, &ignored);
        tn_diff_text before = out;
        out = tn_diff_print("%.300s%s%.120s", before.text, k ? ", " : "", place.text);
    }
    return out;
}

static tn_diff_text piece_path(const tn_mesh_diff *mesh_diff, const tn_piece *piece)
{
    static const char *const words[] = {"points", "lines", "triangles"};
    tn_diff_text property = tn_diff_print("primitives[%u].%s[%u]", (unsigned)piece->primitive,
                                          words[piece->size - 1], (unsigned)piece->index);
    return tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text);
}

static void report_reversed(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *list = &mesh_diff->pieces[0];
    const tn_piece *first = NULL;
    const tenon_str a = {"facing one way", 14}, b = {"facing the other way", 20};
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->partners[i] == TENON_NONE || (list->partners[i] & TURN_MASK) < REVERSED) continue;
        if (count++ == 0) first = &list->items[i];
    }
    if (first)
        tn_diff_report(mesh_diff->diff, TN_DIFF_WINDINGS, piece_path(mesh_diff, first).text, a, b,
                       -1, count);
}

void tn_report_pieces(tn_mesh_diff *mesh_diff)
{
    report_reversed(mesh_diff);
    for (int side = 0; side < 2; side++) {
        const tn_pieces *list = &mesh_diff->pieces[side];
        const tn_piece *first = NULL;
        for (uint32_t i = 0; i < list->count && !first; i++)
            if (list->partners[i] == TENON_NONE) first = &list->items[i];
        if (!first) continue;
        tn_diff_text text = piece_text(mesh_diff, side, first);
        tenon_str corners = {text.text, (uint32_t)strlen(text.text)}, none = {"", 0};
        tn_diff_report(mesh_diff->diff, TN_DIFF_TRIANGLES, piece_path(mesh_diff, first).text,
                       side ? none : corners, side ? corners : none, -1,
                       list->count - mesh_diff->matched);
    }
}
