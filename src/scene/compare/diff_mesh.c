// diff_mesh.c: what differs between meshes.
// SPDX-License-Identifier: MIT
//
// Meshes that are stored in the same way are compared vertex by vertex; others, and those whose
// vertices are in another order, by the pieces that they make. What explains more is told.

#include "scene/compare/diff_mesh.h"

#include "scene/model/pieces.h"

#include <math.h>
#include <string.h>

// -- Sizes

static void widen(const tenon_primitive *p, double box[2][3])
{
    uint64_t count = p->indices ? p->index_count : p->vertex_count;
    for (uint64_t i = 0; i < count; i++) {
        const float *v = p->positions + 3 * (size_t)(p->indices ? p->indices[i] : i);
        for (int axis = 0; axis < 3; axis++) {
            if ((double)v[axis] < box[0][axis]) box[0][axis] = (double)v[axis];
            if ((double)v[axis] > box[1][axis]) box[1][axis] = (double)v[axis];
        }
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// The box around what is seen of a mesh; 0 if that is nothing.
static void measure(tn_mesh_diff *mesh_diff, int side)
{
    double(*box)[3] = mesh_diff->box[side], square = 0, most = 0;
    for (int axis = 0; axis < 3; axis++) box[0][axis] = HUGE_VAL, box[1][axis] = -HUGE_VAL;
    for (uint32_t i = 0; i < mesh_diff->meshes[side]->primitive_count; i++)
        widen(&mesh_diff->meshes[side]->primitives[i], box);
    if (box[0][0] > box[1][0]) memset(box, 0, sizeof mesh_diff->box[side]);
    for (int axis = 0; axis < 3; axis++) {
        double size = box[1][axis] - box[0][axis];
        square += size * size;
        most = larger(most, larger(fabs(box[0][axis]), fabs(box[1][axis])));
    }
    mesh_diff->reference = larger(mesh_diff->reference, larger(sqrt(square), most));
}

static void diff_bounds(tn_mesh_diff *mesh_diff)
{
    double a[6], b[6];
    memcpy(a, mesh_diff->box[0], sizeof a);
    memcpy(b, mesh_diff->box[1], sizeof b);
    tn_diff_numbers(mesh_diff->diff, TN_DIFF_BOUNDS, &mesh_diff->pair, "bounds", a, b, 6,
                    mesh_diff->reference);
}

// -- Vertex by vertex

static bool is_stored_alike(const tenon_primitive *a, const tenon_primitive *b)
{
    if (a->mode != b->mode || a->vertex_count != b->vertex_count || !a->indices != !b->indices)
        return false;
    if (!a->indices) return true;
    return a->index_count == b->index_count &&
           memcmp(a->indices, b->indices, a->index_count * sizeof *a->indices) == 0;
}

static bool are_stored_alike(const tenon_mesh *a, const tenon_mesh *b)
{
    if (a->primitive_count != b->primitive_count) return false;
    for (uint32_t i = 0; i < a->primitive_count; i++)
        if (!is_stored_alike(&a->primitives[i], &b->primitives[i])) return false;
    return true;
}

// What one of them lacks altogether is one difference for the primitive.
static void note_stream(tn_mesh_diff *mesh_diff, int stream)
{
    for (uint32_t i = 0; i < mesh_diff->meshes[0]->primitive_count; i++) {
        const tenon_primitive *a = &mesh_diff->meshes[0]->primitives[i],
                              *b = &mesh_diff->meshes[1]->primitives[i];
        bool both = tn_has_stream(a, stream) && tn_has_stream(b, stream);
        uint32_t count = both || a->vertex_count == 0 ? a->vertex_count : 1;
        for (uint32_t v = 0; v < count && tn_diff_goes_on(mesh_diff->diff); v++)
            tn_compare_vertices(mesh_diff, stream, (tn_vertex){i, v}, (tn_vertex){i, v});
    }
}

static void note_assignments(tn_mesh_diff *mesh_diff)
{
    const tn_pairing *materials = &mesh_diff->diff->pairings[TN_MATERIALS];
    for (uint32_t i = 0; i < mesh_diff->meshes[0]->primitive_count; i++) {
        uint32_t a = mesh_diff->meshes[0]->primitives[i].material,
                 b = mesh_diff->meshes[1]->primitives[i].material;
        bool is_same = a == TENON_NONE || b == TENON_NONE ? a == b : materials->partners[0][a] == b;
        if (!is_same && mesh_diff->assignments.count++ == 0)
            mesh_diff->assignments.a = mesh_diff->assignments.b = (tn_vertex){i, 0};
    }
}

static void note_in_order(tn_mesh_diff *mesh_diff)
{
    note_assignments(mesh_diff);
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        note_stream(mesh_diff, stream);
}

// -- The better explanation

static uint64_t vertex_total(const tenon_mesh *mesh)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) total += mesh->primitives[i].vertex_count;
    return total;
}

// Whether more vertices are where they were tha pieces have partners.
static bool is_order_better(const tn_mesh_diff *mesh_diff)
{
    double vertices = (double)vertex_total(mesh_diff->meshes[0]);
    double pieces = (double)(mesh_diff->pieces[0].count > mesh_diff->pieces[1].count
                                 ? mesh_diff->pieces[0].count
                                 : mesh_diff->pieces[1].count);
    double in_order = 1 - (double)mesh_diff->differences[TN_STREAM_POSITIONS].count / vertices;
    return pieces == 0 || in_order >= (double)mesh_diff->matched / pieces;
}

static double triangle_total(const tn_pieces *list)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < list->count; i++) total += list->items[i].size == 3;
    return total;
}

// How many vertices make the same triangles does not matter.
static void diff_counts(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    if (mesh_diff->matched == a->count && mesh_diff->matched == b->count) return;
    tn_diff_number(mesh_diff->diff, TN_DIFF_COUNTS, &mesh_diff->pair, "vertex_count",
                   (double)vertex_total(mesh_diff->meshes[0]),
                   (double)vertex_total(mesh_diff->meshes[1]), 0);
    tn_diff_number(mesh_diff->diff, TN_DIFF_COUNTS, &mesh_diff->pair, "triangle_count",
                   triangle_total(a), triangle_total(b), 0);
}

static void compare(tn_mesh_diff *mesh_diff)
{
    bool is_alike = are_stored_alike(mesh_diff->meshes[0], mesh_diff->meshes[1]);
    if (is_alike) note_stream(mesh_diff, TN_STREAM_POSITIONS);
    if (is_alike && mesh_diff->differences[TN_STREAM_POSITIONS].count == 0) {
        note_in_order(mesh_diff);
        return;
    }
    if (!tn_match_pieces(mesh_diff)) return;
    if (is_alike && is_order_better(mesh_diff)) {
        note_in_order(mesh_diff);
        return;
    }
    mesh_diff->differences[TN_STREAM_POSITIONS] = (tn_vertex_difference){.count = 0};
    tn_count_pieces(mesh_diff);
    diff_counts(mesh_diff);
    tn_report_pieces(mesh_diff);
}

// -- All

// The skin of each mesh: that of the first node that shows it with one.
static uint32_t *find_skins(tn_diff *diff, const tenon_scene *s)
{
    uint32_t *skins = tn_diff_alloc(diff, s->mesh_count, sizeof *skins);
    if (!skins) return NULL;
    for (uint32_t i = 0; i < s->mesh_count; i++) skins[i] = TENON_NONE;
    for (uint32_t i = s->node_count; i-- > 0;)
        if (s->nodes[i].skin != TENON_NONE) skins[s->nodes[i].mesh] = s->nodes[i].skin;
    return skins;
}

void tn_diff_meshes(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    const uint32_t *a_skins = find_skins(diff, a), *b_skins = find_skins(diff, b);
    double *sums = tn_diff_alloc(diff, tn_weight_sum_count(diff), sizeof *sums);
    tn_diff_unpaired(diff, TN_DIFF_MESHES, TN_MESHES);
    for (uint32_t i = 0; i < a->mesh_count && !diff->failed; i++) {
        tn_object_pair pair = {TN_MESHES, i, diff->pairings[TN_MESHES].partners[0][i]};
        if (pair.b == TENON_NONE) continue;
        tn_mark mark = tn_arena_mark(diff->arena);
        tn_mesh_diff mesh_diff = {.diff = diff,
                                  .pair = pair,
                                  .meshes = {&a->meshes[pair.a], &b->meshes[pair.b]},
                                  .skins = {a_skins[pair.a], b_skins[pair.b]},
                                  .sums = sums};
        measure(&mesh_diff, 0);
        measure(&mesh_diff, 1);
        diff_bounds(&mesh_diff);
        compare(&mesh_diff);
        tn_report_vertices(&mesh_diff);
        tn_arena_rewind(diff->arena, mark);
        (void)tn_diff_step(diff, vertex_total(mesh_diff.meshes[0]));
    }
}
