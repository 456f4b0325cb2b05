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
static void measure(tn_mesh_diff *m, int side)
{
    double(*box)[3] = m->box[side], square = 0, most = 0;
    for (int axis = 0; axis < 3; axis++) box[0][axis] = HUGE_VAL, box[1][axis] = -HUGE_VAL;
    for (uint32_t i = 0; i < m->meshes[side]->primitive_count; i++)
        widen(&m->meshes[side]->primitives[i], box);
    if (box[0][0] > box[1][0]) memset(box, 0, sizeof m->box[side]);
    for (int axis = 0; axis < 3; axis++) {
        double size = box[1][axis] - box[0][axis];
        square += size * size;
        most = larger(most, larger(fabs(box[0][axis]), fabs(box[1][axis])));
    }
    m->reference = larger(m->reference, larger(sqrt(square), most));
}

static void diff_bounds(tn_mesh_diff *m)
{
    double a[6], b[6];
    memcpy(a, m->box[0], sizeof a);
    memcpy(b, m->box[1], sizeof b);
    tn_diff_numbers(m->d, TN_DIFF_BOUNDS, &m->at, "bounds", a, b, 6, m->reference);
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
static void note_stream(tn_mesh_diff *m, int stream)
{
    for (uint32_t i = 0; i < m->meshes[0]->primitive_count; i++) {
        const tenon_primitive *a = &m->meshes[0]->primitives[i], *b = &m->meshes[1]->primitives[i];
        bool both = tn_has_stream(a, stream) && tn_has_stream(b, stream);
        uint32_t count = both || a->vertex_count == 0 ? a->vertex_count : 1;
        for (uint32_t v = 0; v < count && tn_diff_goes_on(m->d); v++)
            tn_note_vertex(m, stream, (tn_vertex){i, v}, (tn_vertex){i, v});
    }
}

static void note_assignments(tn_mesh_diff *m)
{
    const tn_pairs *materials = &m->d->pairs[TN_MATERIALS];
    for (uint32_t i = 0; i < m->meshes[0]->primitive_count; i++) {
        uint32_t a = m->meshes[0]->primitives[i].material, b = m->meshes[1]->primitives[i].material;
        bool is_same = a == TENON_NONE || b == TENON_NONE ? a == b : materials->partners[0][a] == b;
        if (!is_same && m->assignments.count++ == 0)
            m->assignments.a = m->assignments.b = (tn_vertex){i, 0};
    }
}

static void note_in_order(tn_mesh_diff *m)
{
    note_assignments(m);
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++) note_stream(m, stream);
}

// -- The better explanation

static uint64_t vertex_total(const tenon_mesh *mesh)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) total += mesh->primitives[i].vertex_count;
    return total;
}

// Whether more vertices are where they were tha pieces have partners.
static bool is_order_better(const tn_mesh_diff *m)
{
    double vertices = (double)vertex_total(m->meshes[0]);
    double pieces =
        (double)(m->pieces[0].count > m->pieces[1].count ? m->pieces[0].count : m->pieces[1].count);
    double in_order = 1 - (double)m->notes[TN_STREAM_POSITIONS].count / vertices;
    return pieces == 0 || in_order >= (double)m->matched / pieces;
}

static double triangle_total(const tn_pieces *list)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < list->count; i++) total += list->items[i].size == 3;
    return total;
}

// How many vertices make the same triangles does not matter.
static void diff_counts(tn_mesh_diff *m)
{
    const tn_pieces *a = &m->pieces[0], *b = &m->pieces[1];
    if (m->matched == a->count && m->matched == b->count) return;
    tn_diff_number(m->d, TN_DIFF_COUNTS, &m->at, "vertex_count", (double)vertex_total(m->meshes[0]),
                   (double)vertex_total(m->meshes[1]), 0);
    tn_diff_number(m->d, TN_DIFF_COUNTS, &m->at, "triangle_count", triangle_total(a),
                   triangle_total(b), 0);
}

static void compare(tn_mesh_diff *m)
{
    bool is_alike = are_stored_alike(m->meshes[0], m->meshes[1]);
    if (is_alike) note_stream(m, TN_STREAM_POSITIONS);
    if (is_alike && m->notes[TN_STREAM_POSITIONS].count == 0) {
        note_in_order(m);
        return;
    }
    if (!tn_match_pieces(m)) return;
    if (is_alike && is_order_better(m)) {
        note_in_order(m);
        return;
    }
    m->notes[TN_STREAM_POSITIONS] = (tn_note){.count = 0};
    tn_count_pieces(m);
    diff_counts(m);
    tn_report_pieces(m);
}

// -- All

// The skin of each mesh: that of the first node that shows it with one.
static uint32_t *find_skins(tn_diff *d, const tenon_scene *s)
{
    uint32_t *skins = tn_diff_alloc(d, s->mesh_count, sizeof *skins);
    if (!skins) return NULL;
    for (uint32_t i = 0; i < s->mesh_count; i++) skins[i] = TENON_NONE;
    for (uint32_t i = s->node_count; i-- > 0;)
        if (s->nodes[i].skin != TENON_NONE) skins[s->nodes[i].mesh] = s->nodes[i].skin;
    return skins;
}

void tn_diff_meshes(tn_diff *d)
{
    const tenon_scene *a = d->scenes[0], *b = d->scenes[1];
    const uint32_t *a_skins = find_skins(d, a), *b_skins = find_skins(d, b);
    double *sums = tn_diff_alloc(d, tn_weight_sum_count(d), sizeof *sums);
    tn_diff_lonely(d, TN_DIFF_MESHES, TN_MESHES);
    for (uint32_t i = 0; i < a->mesh_count && !d->failed; i++) {
        tn_where at = {TN_MESHES, i, d->pairs[TN_MESHES].partners[0][i]};
        if (at.b == TENON_NONE) continue;
        tn_mark mark = tn_arena_mark(d->arena);
        tn_mesh_diff m = {.d = d,
                          .at = at,
                          .meshes = {&a->meshes[at.a], &b->meshes[at.b]},
                          .skins = {a_skins[at.a], b_skins[at.b]},
                          .sums = sums};
        measure(&m, 0);
        measure(&m, 1);
        diff_bounds(&m);
        compare(&m);
        tn_report_notes(&m);
        tn_arena_rewind(d->arena, mark);
        (void)tn_diff_step(d, vertex_total(m.meshes[0]));
    }
}
