// diff_mesh.c: what differs between meshes.
// SPDX-License-Identifier: MIT
//
// Meshes that are stored in the same way are compared vertex by vertex; others, and those whose
// vertices are in another order, by their pieces. Of two explanations the better one is reported.

#include "scene/compare/diff_mesh.h"

#include <math.h>

#define JOINT_MOST       65536
#define INFLUENCES_SHOWN 8
#define VERTEX_STEPS     16  // A vertex is hashed, sorted and compared with others in its place.

// -- Streams

static const tenon_primitive *diff_mesh_primitive_of(const tn_mesh_diff *mesh_diff, int side,
                                                     tn_vertex v)
{
    return &mesh_diff->meshes[side]->primitives[v.primitive];
}

static const float *diff_mesh_stream_of(const tenon_primitive *p, int stream)
{
    if (stream == TN_STREAM_POSITIONS) return p->positions;
    if (stream == TN_STREAM_NORMALS) return p->normals;
    if (stream == TN_STREAM_TANGENTS) return p->tangents;
    if (stream < TN_STREAM_COLORS) return p->uvs[stream - TN_STREAM_UVS];
    if (stream < TN_STREAM_WEIGHTS) return p->colors[stream - TN_STREAM_COLORS];
    if (stream == TN_STREAM_WEIGHTS) return p->influence_count ? p->weights : NULL;
    // Which vertices the targets move is compared, not which streams they have.
    return p->morph_count ? p->positions : NULL;
}

bool tn_has_stream(const tenon_primitive *p, int stream)
{
    return diff_mesh_stream_of(p, stream) != NULL;
}

// Components of a vertex in a stream.
static uint32_t diff_mesh_stream_size(int stream)
{
    if (stream == TN_STREAM_TANGENTS || stream >= TN_STREAM_COLORS) return 4;
    return stream >= TN_STREAM_UVS ? 2 : 3;
}

static void diff_mesh_load_values(const float *stream, uint32_t vertex, uint32_t size,
                                  double out[4])
{
    for (uint32_t k = 0; k < size; k++) out[k] = (double)stream[(size_t)vertex * size + k];
}

// -- Vertices

// Where the weights of a joint are summed: at its node, which is the same for partners.
static uint64_t diff_mesh_weight_slot(const tn_mesh_diff *mesh_diff, int side, uint32_t joint)
{
    if (mesh_diff->skins[0] == TENON_NONE || mesh_diff->skins[1] == TENON_NONE) return joint;
    uint32_t node = mesh_diff->diff->scenes[side]->skins[mesh_diff->skins[side]].joints[joint];
    if (side == 1) return node;
    uint32_t partner = mesh_diff->diff->pairings[TN_NODES].partners[0][node];
    return partner == TENON_NONE ? (uint64_t)mesh_diff->diff->scenes[1]->node_count + node
                                 : partner;
}

// The largest difference of a joint's weight. The order of influences does not matter.
static double diff_mesh_weights_distance(const tn_mesh_diff *mesh_diff, tn_vertex a, tn_vertex b)
{
    const tn_vertex vertices[2] = {a, b};
    double *sums = mesh_diff->weight_sums, largest = 0;
    for (int side = 0; side < 2; side++) {
        const tenon_primitive *p = diff_mesh_primitive_of(mesh_diff, side, vertices[side]);
        size_t first = (size_t)vertices[side].vertex * p->influence_count;
        for (uint32_t k = 0; k < p->influence_count; k++)
            sums[diff_mesh_weight_slot(mesh_diff, side, p->joints[first + k])] +=
                (side ? -1 : 1) * (double)p->weights[first + k];
    }
    for (int side = 0; side < 2; side++) {
        const tenon_primitive *p = diff_mesh_primitive_of(mesh_diff, side, vertices[side]);
        size_t first = (size_t)vertices[side].vertex * p->influence_count;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            double *sum = &sums[diff_mesh_weight_slot(mesh_diff, side, p->joints[first + k])];
            if (fabs(*sum) > largest) largest = fabs(*sum);
            *sum = 0;
        }
    }
    return largest;
}

// The offset of a vertex by one morph target, or of its normal; 0 if there is none.
static void diff_mesh_load_offset(const tenon_primitive *p, uint32_t morph, bool of_normal,
                                  uint32_t vertex, double out[3])
{
    bool has_morph = morph < p->morph_count;
    const tenon_morph none = {NULL, NULL, NULL}, *from = has_morph ? &p->morphs[morph] : &none;
    const float *offsets = of_normal ? from->normals : from->positions;
    for (size_t k = 0; k < 3; k++) out[k] = offsets ? (double)offsets[3 * (size_t)vertex + k] : 0;
}

// The largest difference of an offset.
static double diff_mesh_morphs_distance(const tn_mesh_diff *mesh_diff, tn_vertex a, tn_vertex b)
{
    const tenon_primitive *p = diff_mesh_primitive_of(mesh_diff, 0, a);
    const tenon_primitive *q = diff_mesh_primitive_of(mesh_diff, 1, b);
    uint32_t count = p->morph_count > q->morph_count ? p->morph_count : q->morph_count;
    double largest = 0, of_a[3], of_b[3];
    for (uint32_t i = 0; i < 2 * count; i++) {
        diff_mesh_load_offset(p, i / 2, i % 2, a.vertex, of_a);
        diff_mesh_load_offset(q, i / 2, i % 2, b.vertex, of_b);
        double distance = tn_diff_distance(of_a, of_b, 3, i % 2 ? 1 : mesh_diff->reference);
        if (distance > largest) largest = distance;
    }
    return largest;
}

double tn_vertex_distance(const tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b)
{
    const float *of_a = diff_mesh_stream_of(diff_mesh_primitive_of(mesh_diff, 0, a), stream);
    const float *of_b = diff_mesh_stream_of(diff_mesh_primitive_of(mesh_diff, 1, b), stream);
    if (stream == TN_STREAM_MORPHS)
        return of_a || of_b ? diff_mesh_morphs_distance(mesh_diff, a, b) : 0;
    if (!of_a || !of_b) return of_a || of_b ? HUGE_VAL : 0;
    if (stream == TN_STREAM_WEIGHTS) return diff_mesh_weights_distance(mesh_diff, a, b);
    double a_values[4], b_values[4];
    uint32_t size = diff_mesh_stream_size(stream);
    diff_mesh_load_values(of_a, a.vertex, size, a_values);
    diff_mesh_load_values(of_b, b.vertex, size, b_values);
    return tn_diff_distance(a_values, b_values, size,
                            stream == TN_STREAM_POSITIONS ? mesh_diff->reference : 1);
}

void tn_compare_vertices(tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b)
{
    double distance = tn_vertex_distance(mesh_diff, stream, a, b);
    tn_vertex_difference *difference = &mesh_diff->differences[stream];
    if (tn_diff_is_equal(mesh_diff->diff, distance)) return;
    if (difference->count++ == 0) difference->a = a, difference->b = b;
    if (distance > difference->largest) difference->largest = distance;
}

bool tn_is_same_material(const tn_mesh_diff *mesh_diff, uint32_t a_primitive, uint32_t b_primitive)
{
    uint32_t a = mesh_diff->meshes[0]->primitives[a_primitive].material;
    uint32_t b = mesh_diff->meshes[1]->primitives[b_primitive].material;
    if (a == TENON_NONE || b == TENON_NONE) return a == b;
    return mesh_diff->diff->pairings[TN_MATERIALS].partners[0][a] == b;
}

void tn_compare_materials(tn_mesh_diff *mesh_diff, tn_vertex a, tn_vertex b)
{
    tn_vertex_difference *difference = &mesh_diff->assignments;
    if (tn_is_same_material(mesh_diff, a.primitive, b.primitive)) return;
    if (difference->count++ == 0) difference->a = a, difference->b = b;
}

// -- Reporting

static tn_diff_kind diff_mesh_stream_kind(int stream)
{
    if (stream == TN_STREAM_POSITIONS) return TN_DIFF_POSITIONS;
    if (stream == TN_STREAM_NORMALS) return TN_DIFF_NORMALS;
    if (stream == TN_STREAM_TANGENTS) return TN_DIFF_TANGENTS;
    if (stream < TN_STREAM_COLORS) return TN_DIFF_UVS;
    if (stream == TN_STREAM_MORPHS) return TN_DIFF_MORPHS;
    return stream < TN_STREAM_WEIGHTS ? TN_DIFF_COLORS : TN_DIFF_WEIGHTS;
}

static tn_diff_text diff_mesh_stream_word(int stream)
{
    static const char *const words[] = {"positions", "normals", "tangents"};
    if (stream < TN_STREAM_UVS) return tn_diff_print("%s", words[stream]);
    if (stream < TN_STREAM_COLORS) return tn_diff_print("uvs[%d]", stream - TN_STREAM_UVS);
    if (stream < TN_STREAM_WEIGHTS) return tn_diff_print("colors[%d]", stream - TN_STREAM_COLORS);
    return tn_diff_print(stream == TN_STREAM_MORPHS ? "morphs" : "weights");
}

// "boom 0.75, jib 0.25"
static tn_diff_text diff_mesh_weights_text(const tn_mesh_diff *mesh_diff, int side, tn_vertex v)
{
    tn_diff_text out = {""}, number, ignored;
    const tenon_primitive *p = diff_mesh_primitive_of(mesh_diff, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    uint32_t shown = 0;
    for (uint32_t k = 0; k < p->influence_count && shown < INFLUENCES_SHOWN; k++) {
        double weight = (double)p->weights[first + k];
        uint32_t joint = p->joints[first + k];
        if (weight == 0) continue;
        tn_diff_text label = tn_diff_print("%u", (unsigned)joint);
        if (mesh_diff->skins[side] != TENON_NONE)
            label = tn_diff_label(
                mesh_diff->diff, side, TN_NODES,
                mesh_diff->diff->scenes[side]->skins[mesh_diff->skins[side]].joints[joint]);
        tn_diff_numbers_text(&weight, &(double){-1}, 1, &number, &ignored);
        tn_diff_text before = out;
        out = tn_diff_print("%.400s%s%.63s %s", before.text, shown++ ? ", " : "", label.text,
                            number.text);
    }
    return out;
}

// A stream that a vertex does not have is shown as "".
static void diff_mesh_report_stream(tn_mesh_diff *mesh_diff, int stream)
{
    const tn_vertex_difference *difference = &mesh_diff->differences[stream];
    const float *of_a =
        diff_mesh_stream_of(diff_mesh_primitive_of(mesh_diff, 0, difference->a), stream);
    const float *of_b =
        diff_mesh_stream_of(diff_mesh_primitive_of(mesh_diff, 1, difference->b), stream);
    tn_diff_text a = {""}, b = {""};
    if (stream == TN_STREAM_WEIGHTS) {
        if (of_a) a = diff_mesh_weights_text(mesh_diff, 0, difference->a);
        if (of_b) b = diff_mesh_weights_text(mesh_diff, 1, difference->b);
    } else if (stream != TN_STREAM_MORPHS) {
        double a_values[4] = {0}, b_values[4] = {0};
        uint32_t size = diff_mesh_stream_size(stream);
        if (of_a) diff_mesh_load_values(of_a, difference->a.vertex, size, a_values);
        if (of_b) diff_mesh_load_values(of_b, difference->b.vertex, size, b_values);
        tn_diff_numbers_text(a_values, b_values, size, &a, &b);
        if (!of_a) a.text[0] = '\0';
        if (!of_b) b.text[0] = '\0';
    }
    tn_diff_text property =
        tn_diff_print("primitives[%u].%s[%u]", (unsigned)difference->a.primitive,
                      diff_mesh_stream_word(stream).text, (unsigned)difference->a.vertex);
    tn_diff_report_words(mesh_diff->diff, diff_mesh_stream_kind(stream),
                         tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text).text,
                         a.text, b.text, difference->largest, difference->count);
}

static void diff_mesh_report_assignments(tn_mesh_diff *mesh_diff)
{
    const tn_vertex_difference *difference = &mesh_diff->assignments;
    tn_diff_text labels[2] = {{""}, {""}};
    const tn_vertex vertices[2] = {difference->a, difference->b};
    for (int side = 0; side < 2; side++) {
        uint32_t material = diff_mesh_primitive_of(mesh_diff, side, vertices[side])->material;
        if (material != TENON_NONE)
            labels[side] = tn_diff_label(mesh_diff->diff, side, TN_MATERIALS, material);
    }
    tn_diff_text property =
        tn_diff_print("primitives[%u].material", (unsigned)difference->a.primitive);
    tn_diff_report_words(mesh_diff->diff, TN_DIFF_ASSIGNMENTS,
                         tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text).text,
                         labels[0].text, labels[1].text, -1, difference->count);
}

// -- Bounds and counts

// The bounds of what is visible of a mesh; 0 if nothing is.
static void diff_measure_mesh(tn_mesh_diff *mesh_diff, int side)
{
    const tenon_mesh *mesh = mesh_diff->meshes[side];
    tn_bounds bounds = tn_bounds_empty();
    for (uint32_t k = 0; k < mesh->primitive_count; k++) {
        const tenon_primitive *p = &mesh->primitives[k];
        uint64_t count = p->indices ? p->index_count : p->vertex_count;
        for (uint64_t i = 0; i < count && tn_match_goes_on(&mesh_diff->diff->context, 1); i++)
            tn_bounds_add_f32(&bounds, p->positions + 3 * (size_t)(p->indices ? p->indices[i] : i));
    }
    if (tn_bounds_is_empty(&bounds)) bounds = (tn_bounds){{0}, {0}};
    mesh_diff->bounds[side] = bounds;
    double sizes[] = {tn_bounds_diagonal(&bounds), tn_bounds_farthest(&bounds)};
    for (int i = 0; i < 2; i++)
        if (sizes[i] > mesh_diff->reference) mesh_diff->reference = sizes[i];
}

static uint64_t diff_mesh_vertex_total(const tenon_mesh *mesh)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) total += mesh->primitives[i].vertex_count;
    return total;
}

static double diff_mesh_triangle_total(const tn_pieces *list)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < list->count; i++) total += list->items[i].size == 3;
    return total;
}

// -- Meshes

static bool diff_mesh_are_stored_alike(const tenon_mesh *a, const tenon_mesh *b)
{
    if (a->primitive_count != b->primitive_count) return false;
    for (uint32_t i = 0; i < a->primitive_count; i++) {
        const tenon_primitive *p = &a->primitives[i], *q = &b->primitives[i];
        if (p->mode != q->mode || p->vertex_count != q->vertex_count || !p->indices != !q->indices)
            return false;
        if (!p->indices) continue;
        if (p->index_count != q->index_count ||
            memcmp(p->indices, q->indices, p->index_count * sizeof *p->indices) != 0)
            return false;
    }
    return true;
}

// A stream that only one primitive has is one difference.
static void diff_mesh_compare_stream_in_order(tn_mesh_diff *mesh_diff, int stream)
{
    for (uint32_t i = 0; i < mesh_diff->meshes[0]->primitive_count; i++) {
        const tenon_primitive *a = &mesh_diff->meshes[0]->primitives[i];
        const tenon_primitive *b = &mesh_diff->meshes[1]->primitives[i];
        bool both = tn_has_stream(a, stream) && tn_has_stream(b, stream);
        uint32_t count = both || a->vertex_count == 0 ? a->vertex_count : 1;
        for (uint32_t v = 0; v < count && tn_match_goes_on(&mesh_diff->diff->context, 1); v++)
            tn_compare_vertices(mesh_diff, stream, (tn_vertex){i, v}, (tn_vertex){i, v});
    }
}

static void diff_mesh_compare_in_order(tn_mesh_diff *mesh_diff)
{
    for (uint32_t i = 0; i < mesh_diff->meshes[0]->primitive_count; i++)
        tn_compare_materials(mesh_diff, (tn_vertex){i, 0}, (tn_vertex){i, 0});
    for (int stream = TN_STREAM_NORMALS; stream < TN_STREAM_COUNT; stream++)
        diff_mesh_compare_stream_in_order(mesh_diff, stream);
}

static void diff_mesh_compare_meshes(tn_mesh_diff *mesh_diff)
{
    const tn_pieces *a = &mesh_diff->pieces[0], *b = &mesh_diff->pieces[1];
    tn_vertex_difference *positions = &mesh_diff->differences[TN_STREAM_POSITIONS];
    double a_vertices = (double)diff_mesh_vertex_total(mesh_diff->meshes[0]);
    double b_vertices = (double)diff_mesh_vertex_total(mesh_diff->meshes[1]);
    bool is_alike = diff_mesh_are_stored_alike(mesh_diff->meshes[0], mesh_diff->meshes[1]);
    if (is_alike) diff_mesh_compare_stream_in_order(mesh_diff, TN_STREAM_POSITIONS);
    if (is_alike && positions->count == 0) {
        diff_mesh_compare_in_order(mesh_diff);
        return;
    }
    if (!tn_match_pieces(mesh_diff)) return;
    if (is_alike) {
        // Which share is larger: of vertices that are in the same place, or of pieces with
        // partners?
        double pieces = (double)(a->count > b->count ? a->count : b->count);
        double in_order = 1 - (double)positions->count / a_vertices;
        if (pieces == 0 || in_order >= (double)mesh_diff->matched / pieces) {
            diff_mesh_compare_in_order(mesh_diff);
            return;
        }
    }
    *positions = (tn_vertex_difference){.count = 0};
    tn_compare_pieces(mesh_diff);
    // How many vertices the same triangles have does not matter.
    if (mesh_diff->matched != a->count || mesh_diff->matched != b->count) {
        tn_diff_number(mesh_diff->diff, TN_DIFF_COUNTS, &mesh_diff->pair, "vertex_count",
                       a_vertices, b_vertices, 0);
        tn_diff_number(mesh_diff->diff, TN_DIFF_COUNTS, &mesh_diff->pair, "triangle_count",
                       diff_mesh_triangle_total(a), diff_mesh_triangle_total(b), 0);
    }
    tn_report_pieces(mesh_diff);
}

// The skin of each mesh: that of the first node that shows the mesh with a skin.
static uint32_t *diff_mesh_find_skins(tn_diff *diff, const tenon_scene *scene)
{
    uint32_t *skins = tn_match_alloc(&diff->context, scene->mesh_count, sizeof *skins);
    if (!skins) return NULL;
    for (uint32_t i = 0; i < scene->mesh_count; i++) skins[i] = TENON_NONE;
    for (uint32_t i = scene->node_count; i-- > 0;)
        if (scene->nodes[i].skin != TENON_NONE) skins[scene->nodes[i].mesh] = scene->nodes[i].skin;
    return skins;
}

// Names and weights of morph targets, which are paired by their numbers.
static void diff_mesh_morphs(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_mesh *a = &diff->scenes[0]->meshes[pair->a];
    const tenon_mesh *b = &diff->scenes[1]->meshes[pair->b];
    if (a->morph_count != b->morph_count) {
        tn_diff_number(diff, TN_DIFF_MORPHS, pair, "morph_count", a->morph_count, b->morph_count,
                       0);
        return;
    }
    for (uint32_t i = 0; i < a->morph_count && tn_match_goes_on(&diff->context, 1); i++) {
        tn_diff_text name = tn_diff_print("morph_names[%u]", (unsigned)i);
        tn_diff_text weight = tn_diff_print("morph_weights[%u]", (unsigned)i);
        tn_diff_texts(diff, TN_DIFF_MORPHS, pair, name.text, a->morph_names[i], b->morph_names[i]);
        tn_diff_number(diff, TN_DIFF_MORPHS, pair, weight.text, a->morph_weights[i],
                       b->morph_weights[i], 1);
    }
}

void tn_diff_meshes(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    const uint32_t *a_skins = diff_mesh_find_skins(diff, a),
                   *b_skins = diff_mesh_find_skins(diff, b);
    uint64_t nodes = (uint64_t)a->node_count + b->node_count;
    double *sums =
        tn_match_alloc(&diff->context, nodes > JOINT_MOST ? nodes : JOINT_MOST, sizeof *sums);
    tn_diff_unpaired(diff, TN_DIFF_MESHES, TN_MESHES);
    for (uint32_t i = 0; i < a->mesh_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_MESHES, i, diff->pairings[TN_MESHES].partners[0][i]};
        if (pair.b == TENON_NONE) continue;
        tn_mark mark = tn_arena_mark(&diff->context.arena);
        tn_mesh_diff mesh_diff = {.diff = diff,
                                  .pair = pair,
                                  .meshes = {&a->meshes[pair.a], &b->meshes[pair.b]},
                                  .skins = {a_skins[pair.a], b_skins[pair.b]},
                                  .weight_sums = sums};
        diff_measure_mesh(&mesh_diff, 0);
        diff_measure_mesh(&mesh_diff, 1);
        double a_bounds[6], b_bounds[6];  // Minimum, then maximum.
        memcpy(a_bounds, &mesh_diff.bounds[0], sizeof a_bounds);
        memcpy(b_bounds, &mesh_diff.bounds[1], sizeof b_bounds);
        tn_diff_numbers(diff, TN_DIFF_BOUNDS, &pair, "bounds", a_bounds, b_bounds, 6,
                        mesh_diff.reference);
        diff_mesh_morphs(diff, &pair);
        diff_mesh_compare_meshes(&mesh_diff);
        if (mesh_diff.assignments.count) diff_mesh_report_assignments(&mesh_diff);
        for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
            if (mesh_diff.differences[stream].count) diff_mesh_report_stream(&mesh_diff, stream);
        tn_arena_rewind(&diff->context.arena, mark);
        if (diff->context.failed) return;
        uint64_t vertices = diff_mesh_vertex_total(mesh_diff.meshes[0]);
        tn_pulse *pulse = &diff->context.pulse;
        (void)tn_budget_work(pulse->budget, VERTEX_STEPS * vertices);
        if (!tn_pulse_report(pulse, pulse->done + vertices, pulse->total))
            tn_match_cancel(&diff->context);
    }
}
