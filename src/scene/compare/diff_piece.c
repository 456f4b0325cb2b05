// diff_piece.c: which points, lines and triangles of two meshes are the same.
// SPDX-License-Identifier: MIT
//
// Vertices may be stored welded, split, in strips or in another order. Pieces are the same if their
// corners are in the same places, within the tolerance. A grid finds them by their centers.

#include "scene/compare/diff_mesh.h"
#include "scene/compare/grid.h"

#include "scene/model/pieces.h"

#define CELL_TO_TOLERANCE 4.0
#define CELL_LEAST        1e-9  // As a share of the mesh.
#define CANDIDATES_MOST   16    // That are examined in one cell: keeps time linear.
#define OTHER_MATERIAL    1e6   // Worse than any difference of vertices.

// Corner k of a piece of A is corner (k + shift) % size of its partner or, if the shift is at
// least 3, corner (shift - k) % 3: then the triangles face opposite ways.
#define PARTNER_BITS 4
#define SHIFT_MASK   7u
#define REVERSED     3
#define DIFFERS      8u  // Other streams than the positions are not equal.

typedef struct piece_search {
    double tolerance;
    bool is_reversed;  // Look for triangles that face the other way.
    tn_grid grid;      // The pieces of B that have no partner.
} piece_search;

typedef struct piece_candidate {
    uint32_t *link;  // What points to it; NULL: no candidate.
    uint32_t shift;
    double score;  // How much other streams differ.
} piece_candidate;

// -- Pieces

static const float *diff_piece_corner_of(const tn_mesh_diff *mesh_diff, int side,
                                         const tn_piece *piece, uint32_t k)
{
    return mesh_diff->meshes[side]->primitives[piece->primitive].positions +
           3 * (size_t)piece->corners[k];
}

static double diff_piece_distance(const float *a, const float *b)
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1],
           z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

static void diff_piece_find_center(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece,
                                   double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t k = 0; k < piece->size; k++)
            sum += (double)diff_piece_corner_of(mesh_diff, side, piece, k)[axis];
        out[axis] = sum / piece->size;
    }
}

// Triangles without area, which join the rows of strips, are invisible and not listed.
static bool diff_list_pieces(tn_mesh_diff *mesh_diff, int side, double tolerance)
{
    const tenon_mesh *mesh = mesh_diff->meshes[side];
    tn_diff *diff = mesh_diff->diff;
    tn_pieces *list = &mesh_diff->pieces[side];
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        total += tn_piece_count(&mesh->primitives[i]);
    if (total > TENON_NONE >> PARTNER_BITS) {
        diff->context.failed = true;
        return tn_error(diff->context.err, TENON_ERR_LIMIT, "a mesh has more than %u pieces",
                        (unsigned)(TENON_NONE >> PARTNER_BITS));
    }
    list->items = tn_match_alloc(&diff->context, total, sizeof *list->items);
    list->partners = tn_match_alloc(&diff->context, total, sizeof *list->partners);
    if (!list->items || !list->partners) return false;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const tenon_primitive *p = &mesh->primitives[i];
        uint32_t count = (uint32_t)tn_piece_count(p);
        for (uint32_t k = 0; k < count; k++) {
            tn_piece piece = {.primitive = i, .index = k, .size = tn_piece_size(p->mode)};
            tn_piece_at(p, k, piece.corners);
            if (piece.size == 3) {
                const float *a = diff_piece_corner_of(mesh_diff, side, &piece, 0);
                const float *b = diff_piece_corner_of(mesh_diff, side, &piece, 1);
                const float *c = diff_piece_corner_of(mesh_diff, side, &piece, 2);
                if (diff_piece_distance(a, b) <= tolerance ||
                    diff_piece_distance(b, c) <= tolerance ||
                    diff_piece_distance(c, a) <= tolerance)
                    continue;
            }
            list->partners[list->count] = TENON_NONE;
            list->items[list->count++] = piece;
        }
    }
    return true;
}

// -- Candidates

static uint32_t diff_piece_other_corner(uint32_t k, uint32_t shift, uint32_t size)
{
    return shift < REVERSED ? (k + shift) % size : (shift - k) % size;
}

static tn_vertex diff_piece_vertex_of(const tn_piece *piece, uint32_t k)
{
    return (tn_vertex){piece->primitive, piece->corners[k]};
}

static bool diff_piece_is_same_place(const tn_mesh_diff *mesh_diff, const tn_piece *a,
                                     const tn_piece *b, uint32_t shift, double tolerance)
{
    for (uint32_t k = 0; k < a->size; k++) {
        const float *p = diff_piece_corner_of(mesh_diff, 0, a, k);
        const float *q =
            diff_piece_corner_of(mesh_diff, 1, b, diff_piece_other_corner(k, shift, a->size));
        if (!(diff_piece_distance(p, q) <= tolerance)) return false;
    }
    return true;
}

static double diff_piece_score_of(const tn_mesh_diff *mesh_diff, const tn_piece *a,
                                  const tn_piece *b, uint32_t shift)
{
    bool is_same = tn_is_same_material(mesh_diff, a->primitive, b->primitive);
    double score = is_same ? 0 : OTHER_MATERIAL;
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        for (uint32_t k = 0; k < a->size && mesh_diff->has_stream[stream]; k++) {
            tn_vertex other = diff_piece_vertex_of(b, diff_piece_other_corner(k, shift, a->size));
            double apart = tn_vertex_distance(mesh_diff, stream, diff_piece_vertex_of(a, k), other);
            score += apart < OTHER_MATERIAL ? apart : OTHER_MATERIAL;
        }
    return score;
}

static void diff_piece_search_chain(const tn_mesh_diff *mesh_diff, const piece_search *search,
                                    const tn_piece *a, uint32_t *link, piece_candidate *best)
{
    uint32_t *next = search->grid.next;
    for (uint32_t i = 0; i < CANDIDATES_MOST && *link != TENON_NONE; i++, link = &next[*link]) {
        const tn_piece *b = &mesh_diff->pieces[1].items[*link];
        uint32_t shift = search->is_reversed ? REVERSED : 0, end = shift + a->size;
        if (a->size != b->size) continue;
        while (shift < end && !diff_piece_is_same_place(mesh_diff, a, b, shift, search->tolerance))
            shift++;
        if (shift == end) continue;
        double score = diff_piece_score_of(mesh_diff, a, b, shift);
        if (!best->link || score < best->score) *best = (piece_candidate){link, shift, score};
        if (best->score == 0) return;
    }
}

static piece_candidate diff_piece_find_partner(const tn_mesh_diff *mesh_diff,
                                               const piece_search *search, const tn_piece *a)
{
    double center[3];
    piece_candidate best = {.link = NULL};
    diff_piece_find_center(mesh_diff, 0, a, center);
    tn_cell_range cells = tn_grid_range(&search->grid, center, search->tolerance);
    for (int64_t x = cells.low[0]; x <= cells.high[0]; x++)
        for (int64_t y = cells.low[1]; y <= cells.high[1]; y++)
            for (int64_t z = cells.low[2]; z <= cells.high[2]; z++)
                diff_piece_search_chain(mesh_diff, search, a, tn_grid_chain(&search->grid, x, y, z),
                                        &best);
    return best;
}

// -- Matching

static void diff_pair_pieces(tn_mesh_diff *mesh_diff, const piece_search *search)
{
    tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    for (uint32_t i = 0; i < a->count; i++) {
        if (!tn_match_goes_on(&mesh_diff->diff->context, 1)) return;
        if (a->partners[i] != TENON_NONE || (search->is_reversed && a->items[i].size < 3)) continue;
        piece_candidate found = diff_piece_find_partner(mesh_diff, search, &a->items[i]);
        if (!found.link) continue;
        uint32_t partner = *found.link;
        *found.link = search->grid.next[partner];
        a->partners[i] = partner << PARTNER_BITS | found.shift | (found.score > 0 ? DIFFERS : 0);
        b->partners[partner] = i << PARTNER_BITS;
        mesh_diff->matched++;
    }
}

// Lines have no direction; triangles have no first corner, but a front.
bool tn_match_pieces(tn_mesh_diff *mesh_diff)
{
    tn_diff *diff = mesh_diff->diff;
    const tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    double tolerance = diff->tolerance * mesh_diff->reference;
    double least = CELL_LEAST * mesh_diff->reference;
    double cell = CELL_TO_TOLERANCE * tolerance > least ? CELL_TO_TOLERANCE * tolerance : least;
    if (!(cell > 0)) cell = 1;
    if (!diff_list_pieces(mesh_diff, 0, tolerance) || !diff_list_pieces(mesh_diff, 1, tolerance))
        return false;
    uint64_t size = tn_grid_size(b->count);
    uint32_t *heads = tn_match_alloc(&diff->context, size, sizeof *heads);
    uint32_t *next = tn_match_alloc(&diff->context, b->count, sizeof *next);
    if (!heads || !next) return false;
    piece_search search = {.tolerance = tolerance, .grid = tn_grid_make(cell, size, heads, next)};
    for (uint32_t i = b->count; i-- > 0;) {
        double center[3];
        diff_piece_find_center(mesh_diff, 1, &b->items[i], center);
        tn_grid_add(&search.grid, center, i);
    }
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < mesh_diff->meshes[side]->primitive_count; i++)
            for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
                if (tn_has_stream(&mesh_diff->meshes[side]->primitives[i], stream))
                    mesh_diff->has_stream[stream] = true;
    diff_pair_pieces(mesh_diff, &search);
    search.is_reversed = true;
    if (mesh_diff->matched < a->count) diff_pair_pieces(mesh_diff, &search);
    return !diff->context.failed;
}

// -- Differences

void tn_compare_pieces(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *list = &mesh_diff->pieces[0];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->partners[i] == TENON_NONE || !(list->partners[i] & DIFFERS)) continue;
        uint32_t shift = list->partners[i] & SHIFT_MASK;
        const tn_piece *a = &list->items[i];
        const tn_piece *b = &mesh_diff->pieces[1].items[list->partners[i] >> PARTNER_BITS];
        tn_compare_materials(mesh_diff, diff_piece_vertex_of(a, 0), diff_piece_vertex_of(b, 0));
        for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
            for (uint32_t k = 0; k < a->size; k++)
                tn_compare_vertices(
                    mesh_diff, stream, diff_piece_vertex_of(a, k),
                    diff_piece_vertex_of(b, diff_piece_other_corner(k, shift, a->size)));
    }
}

// "0 0 0, 1 0 0, 0 1 0"
static tn_diff_text diff_piece_text(const tn_mesh_diff *mesh_diff, int side, const tn_piece *piece)
{
    tn_diff_text out = {""}, place, ignored;
    for (uint32_t k = 0; k < piece->size; k++) {
        double corner[3], other[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        for (int axis = 0; axis < 3; axis++)
            corner[axis] = (double)diff_piece_corner_of(mesh_diff, side, piece, k)[axis];
        tn_diff_numbers_text(corner, other, 3, &place, &ignored);
        tn_diff_text before = out;
        out = tn_diff_print("%.300s%s%.120s", before.text, k ? ", " : "", place.text);
    }
    return out;
}

static tn_diff_text diff_piece_path(const tn_mesh_diff *mesh_diff, const tn_piece *piece)
{
    static const char *const words[] = {"points", "lines", "triangles"};
    tn_diff_text property = tn_diff_print("primitives[%u].%s[%u]", (unsigned)piece->primitive,
                                          words[piece->size - 1], (unsigned)piece->index);
    return tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text);
}

void tn_report_pieces(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *a = &mesh_diff->pieces[0];
    const tn_piece *first_reversed = NULL;
    uint64_t reversed_count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->partners[i] == TENON_NONE || (a->partners[i] & SHIFT_MASK) < REVERSED) continue;
        if (reversed_count++ == 0) first_reversed = &a->items[i];
    }
    if (first_reversed) {
        const tenon_str one = {"facing one way", 14}, other = {"facing the other way", 20};
        tn_diff_report(mesh_diff->diff, TN_DIFF_WINDINGS,
                       diff_piece_path(mesh_diff, first_reversed).text, one, other, -1,
                       reversed_count);
    }
    for (int side = 0; side < 2; side++) {
        const tn_pieces *list = &mesh_diff->pieces[side];
        const tn_piece *first = NULL;
        for (uint32_t i = 0; i < list->count && !first; i++)
            if (list->partners[i] == TENON_NONE) first = &list->items[i];
        if (!first) continue;
        tn_diff_text text = diff_piece_text(mesh_diff, side, first);
        tenon_str corners = {text.text, (uint32_t)strlen(text.text)}, none = {"", 0};
        tn_diff_report(mesh_diff->diff, TN_DIFF_TRIANGLES, diff_piece_path(mesh_diff, first).text,
                       side ? none : corners, side ? corners : none, -1,
                       list->count - mesh_diff->matched);
    }
}
