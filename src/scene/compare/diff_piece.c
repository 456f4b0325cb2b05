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
#define CANDIDATES_MOST   16    // That are examined in one cell.
#define OTHER_MATERIAL    1e6   // Worse than any difference of vertices.

// A partner is stored with the shift of its corners, see tn_partner_corner().
#define PARTNER_BITS 4
#define SHIFT_MASK   7u
#define DIFFERS      8u  // Other streams than the positions are not equal.

typedef struct piece_search {
    tn_mesh_diff *mesh_diff;
    bool is_reversed;  // Look for triangles that face the other way.
    tn_grid grid;      // The pieces of B that have no partner.
} piece_search;

// -- Pieces

static const float *diff_piece_corner_of(const tn_mesh_diff *mesh_diff, int side,
                                         const tn_piece *piece, uint32_t k)
{
    return mesh_diff->meshes[side]->primitives[piece->primitive].positions +
           3 * (size_t)piece->corners[k];
}

// The first condition saves time: most points are far apart on every axis.
static bool diff_piece_are_near(const float *a, const float *b, double tolerance)
{
    return fabs((double)a[0] - (double)b[0]) <= tolerance &&
           sqrt(tn_squared_distance(a, b)) <= tolerance;
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
                if (diff_piece_are_near(a, b, tolerance) || diff_piece_are_near(b, c, tolerance) ||
                    diff_piece_are_near(c, a, tolerance))
                    continue;
            }
            list->partners[list->count] = TENON_NONE;
            list->items[list->count++] = piece;
        }
    }
    return true;
}

// -- Candidates

static tn_vertex diff_piece_vertex_of(const tn_piece *piece, uint32_t k)
{
    return (tn_vertex){piece->primitive, piece->corners[k]};
}

static double diff_piece_score_of(const tn_mesh_diff *mesh_diff, const tn_piece *a,
                                  const tn_piece *b, uint32_t shift)
{
    bool is_same = tn_is_same_material(mesh_diff, a->primitive, b->primitive);
    double score = is_same ? 0 : OTHER_MATERIAL;
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        for (uint32_t k = 0; k < a->size && mesh_diff->has_stream[stream]; k++) {
            tn_vertex other = diff_piece_vertex_of(b, tn_partner_corner(k, shift, a->size));
            double apart = tn_vertex_distance(mesh_diff, stream, diff_piece_vertex_of(a, k), other);
            score += apart < OTHER_MATERIAL ? apart : OTHER_MATERIAL;
        }
    return score;
}

// The score is how much other streams than the positions differ.
static bool diff_piece_fits(const void *user, uint32_t a_index, uint32_t b_index, tn_piece_fit *fit)
{
    const piece_search *search = user;
    const tn_mesh_diff *mesh_diff = search->mesh_diff;
    const tn_piece *a = &mesh_diff->pieces[0].items[a_index];
    const tn_piece *b = &mesh_diff->pieces[1].items[b_index];
    uint32_t shift = search->is_reversed ? TN_REVERSED : 0, end = shift + a->size;
    if (a->size != b->size) return false;
    for (; shift < end; shift++) {
        uint32_t k = 0;
        while (k < a->size &&
               diff_piece_are_near(
                   diff_piece_corner_of(mesh_diff, 0, a, k),
                   diff_piece_corner_of(mesh_diff, 1, b, tn_partner_corner(k, shift, a->size)),
                   search->grid.tolerance))
            k++;
        if (k < a->size) continue;
        *fit = (tn_piece_fit){.shift = shift, .score = diff_piece_score_of(mesh_diff, a, b, shift)};
        return true;
    }
    return false;
}

// -- Matching

static void diff_piece_pair(piece_search *search)
{
    tn_mesh_diff *mesh_diff = search->mesh_diff;
    tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    for (uint32_t i = 0; i < a->count; i++) {
        double center[3];
        tn_piece_fit fit;
        if (!tn_match_goes_on(&mesh_diff->diff->context, 1)) return;
        if (a->partners[i] != TENON_NONE || (search->is_reversed && a->items[i].size < 3)) continue;
        diff_piece_find_center(mesh_diff, 0, &a->items[i], center);
        uint32_t partner =
            tn_grid_take(&search->grid, center, CANDIDATES_MOST, diff_piece_fits, search, i, &fit);
        if (partner == TENON_NONE) continue;
        a->partners[i] = partner << PARTNER_BITS | fit.shift | (fit.score > 0 ? DIFFERS : 0);
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
    piece_search search = {.mesh_diff = mesh_diff};
    if (!tn_grid_begin(&diff->context, &search.grid, tolerance, cell, b->count)) return false;
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
    diff_piece_pair(&search);
    search.is_reversed = true;
    if (mesh_diff->matched < a->count) diff_piece_pair(&search);
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
            for (uint32_t k = 0; k < a->size && mesh_diff->has_stream[stream]; k++)
                tn_compare_vertices(mesh_diff, stream, diff_piece_vertex_of(a, k),
                                    diff_piece_vertex_of(b, tn_partner_corner(k, shift, a->size)));
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
        if (a->partners[i] == TENON_NONE || (a->partners[i] & SHIFT_MASK) < TN_REVERSED) continue;
        if (reversed_count++ == 0) first_reversed = &a->items[i];
    }
    if (first_reversed)
        tn_diff_report_words(mesh_diff->diff, TN_DIFF_WINDINGS,
                             diff_piece_path(mesh_diff, first_reversed).text, "facing one way",
                             "facing the other way", -1, reversed_count);
    for (int side = 0; side < 2; side++) {
        const tn_pieces *list = &mesh_diff->pieces[side];
        const tn_piece *first = NULL;
        for (uint32_t i = 0; i < list->count && !first; i++)
            if (list->partners[i] == TENON_NONE) first = &list->items[i];
        if (!first) continue;
        tn_diff_text text = diff_piece_text(mesh_diff, side, first);
        tn_diff_report_words(mesh_diff->diff, TN_DIFF_TRIANGLES,
                             diff_piece_path(mesh_diff, first).text, side ? "" : text.text,
                             side ? text.text : "", -1, list->count - mesh_diff->matched);
    }
}
