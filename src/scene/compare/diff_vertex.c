// diff_vertex.c: what differs between two vertices.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff_mesh.h"

#include <math.h>
#include <string.h>

#define JOINT_MOST       65536
#define INFLUENCES_SHOWN 8

static const tenon_primitive *primitive_of(const tn_mesh_diff *mesh_diff, int side, tn_vertex v)
{
    return &mesh_diff->meshes[side]->primitives[v.primitive];
}

// -- Streams

static const float *stream_of(const tenon_primitive *p, int stream)
{
    if (stream == TN_STREAM_POSITIONS) return p->positions;
    if (stream == TN_STREAM_NORMALS) return p->normals;
    if (stream == TN_STREAM_TANGENTS) return p->tangents;
    if (stream < TN_STREAM_COLORS) return p->uvs[stream - TN_STREAM_UVS];
    if (stream < TN_STREAM_WEIGHTS) return p->colors[stream - TN_STREAM_COLORS];
    return p->influence_count ? p->weights : NULL;
}

bool tn_has_stream(const tenon_primitive *p, int stream)
{
    return stream_of(p, stream) != NULL;
}

// Numbers a vertex has in a stream.
static uint32_t stream_size(int stream)
{
    if (stream == TN_STREAM_TANGENTS || stream >= TN_STREAM_COLORS) return 4;
    return stream >= TN_STREAM_UVS ? 2 : 3;
}

static tn_diff_kind stream_kind(int stream)
{
    if (stream == TN_STREAM_POSITIONS) return TN_DIFF_POSITIONS;
    if (stream == TN_STREAM_NORMALS) return TN_DIFF_NORMALS;
    if (stream == TN_STREAM_TANGENTS) return TN_DIFF_TANGENTS;
    if (stream < TN_STREAM_COLORS) return TN_DIFF_UVS;
    return stream < TN_STREAM_WEIGHTS ? TN_DIFF_COLORS : TN_DIFF_WEIGHTS;
}

static tn_diff_text stream_word(int stream)
{
    static const char *const words[] = {"positions", "normals", "tangents"};
    if (stream < TN_STREAM_UVS) return tn_diff_print("%s", words[stream]);
    if (stream < TN_STREAM_COLORS) return tn_diff_print("uvs[%d]", stream - TN_STREAM_UVS);
    if (stream < TN_STREAM_WEIGHTS) return tn_diff_print("colors[%d]", stream - TN_STREAM_COLORS);
    return tn_diff_print("weights");
}

static void load(const float *stream, uint32_t vertex, uint32_t size, double out[4])
{
    for (uint32_t k = 0; k < size; k++) out[k] = (double)stream[(size_t)vertex * size + k];
}

// -- Weights

uint64_t tn_weight_sum_count(const tn_diff *diff)
{
    uint64_t nodes = (uint64_t)diff->scenes[0]->node_count + diff->scenes[1]->node_count;
    return nodes > JOINT_MOST ? nodes : JOINT_MOST;
}

// Where the weight of a joint is summed up: at its node, which is the same for partners.
static uint64_t place_of(const tn_mesh_diff *mesh_diff, int side, uint32_t joint)
{
    if (mesh_diff->skins[0] == TENON_NONE || mesh_diff->skins[1] == TENON_NONE) return joint;
    uint32_t node = mesh_diff->diff->scenes[side]->skins[mesh_diff->skins[side]].joints[joint];
    if (side == 1) return node;
    uint32_t partner = mesh_diff->diff->pairings[TN_NODES].partners[0][node];
    return partner == TENON_NONE ? (uint64_t)mesh_diff->diff->scenes[1]->node_count + node
                                 : partner;
}

static void add_weights(const tn_mesh_diff *mesh_diff, int side, tn_vertex v, double sign)
{
    const tenon_primitive *p = primitive_of(mesh_diff, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    for (uint32_t k = 0; k < p->influence_count; k++)
        mesh_diff->sums[place_of(mesh_diff, side, p->joints[first + k])] +=
            sign * (double)p->weights[first + k];
}

// The largest sum of those that the vertex has touched, which become 0.
static double take_weights(const tn_mesh_diff *mesh_diff, int side, tn_vertex v)
{
    double most = 0;
    const tenon_primitive *p = primitive_of(mesh_diff, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    for (uint32_t k = 0; k < p->influence_count; k++) {
        double *sum = &mesh_diff->sums[place_of(mesh_diff, side, p->joints[first + k])];
        if (fabs(*sum) > most) most = fabs(*sum);
        *sum = 0;
    }
    return most;
}

// The order of influences does not matter.
static double weights_apart(const tn_mesh_diff *mesh_diff, tn_vertex a, tn_vertex b)
{
    add_weights(mesh_diff, 0, a, 1);
    add_weights(mesh_diff, 1, b, -1);
    double of_a = take_weights(mesh_diff, 0, a), of_b = take_weights(mesh_diff, 1, b);
    return of_a > of_b ? of_a : of_b;
}

// "boom 0.75, jib 0.25"
static tn_diff_text weights_text(const tn_mesh_diff *mesh_diff, int side, tn_vertex v)
{
    tn_diff_text out = {""}, number, ignored;
    const tenon_primitive *p = primitive_of(mesh_diff, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    uint32_t told = 0;
    for (uint32_t k = 0; k < p->influence_count && told < INFLUENCES_SHOWN; k++) {
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
        out = tn_diff_print("%.400s%s%.63s %s", before.text, told++ ? ", " : "", label.text,
                            number.text);
    }
    return out;
}

// -- Comparing

double tn_vertex_distance(const tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b)
{
    const float *of_a = stream_of(primitive_of(mesh_diff, 0, a), stream);
    const float *of_b = stream_of(primitive_of(mesh_diff, 1, b), stream);
    if (!of_a || !of_b) return of_a || of_b ? HUGE_VAL : 0;
    if (stream == TN_STREAM_WEIGHTS) return weights_apart(mesh_diff, a, b);
    double a_values[4], b_values[4];
    uint32_t size = stream_size(stream);
    load(of_a, a.vertex, size, a_values);
    load(of_b, b.vertex, size, b_values);
    return tn_diff_distance(a_values, b_values, size,
                            stream == TN_STREAM_POSITIONS ? mesh_diff->reference : 1);
}

void tn_compare_vertices(tn_mesh_diff *mesh_diff, int stream, tn_vertex a, tn_vertex b)
{
    double apart = tn_vertex_distance(mesh_diff, stream, a, b);
    tn_vertex_difference *difference = &mesh_diff->differences[stream];
    if (tn_diff_is_equal(mesh_diff->diff, apart)) return;
    if (difference->count++ == 0) difference->a = a, difference->b = b;
    if (apart > difference->largest) difference->largest = apart;
}

// -- Telling

// The values of both vertices. What a vertex does not have is "".
static void note_texts(const tn_mesh_diff *mesh_diff, int stream, tn_diff_text *a, tn_diff_text *b)
{
    const tn_vertex_difference *difference = &mesh_diff->differences[stream];
    const float *of_a = stream_of(primitive_of(mesh_diff, 0, difference->a), stream);
    const float *of_b = stream_of(primitive_of(mesh_diff, 1, difference->b), stream);
    double a_values[4] = {0}, b_values[4] = {0};
    uint32_t size = stream_size(stream);
    *a = *b = (tn_diff_text){""};
    if (stream == TN_STREAM_WEIGHTS) {
        if (of_a) *a = weights_text(mesh_diff, 0, difference->a);
        if (of_b) *b = weights_text(mesh_diff, 1, difference->b);
        return;
    }
    if (of_a) load(of_a, difference->a.vertex, size, a_values);
    if (of_b) load(of_b, difference->b.vertex, size, b_values);
    tn_diff_numbers_text(a_values, b_values, size, a, b);
    if (!of_a) a->text[0] = '\0';
    if (!of_b) b->text[0] = '\0';
}

static void report_note(tn_mesh_diff *mesh_diff, int stream)
{
    const tn_vertex_difference *difference = &mesh_diff->differences[stream];
    tn_diff_text a, b, word = stream_word(stream);
    note_texts(mesh_diff, stream, &a, &b);
    tn_diff_text property =
        tn_diff_print("primitives[%u].%s[%u]", (unsigned)difference->a.primitive, word.text,
                      (unsigned)difference->a.vertex);
    tn_diff_report(mesh_diff->diff, stream_kind(stream),
                   tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text).text,
                   (tenon_str){a.text, (uint32_t)strlen(a.text)},
                   (tenon_str){b.text, (uint32_t)strlen(b.text)}, difference->largest,
                   difference->count);
}

static void report_assignments(tn_mesh_diff *mesh_diff)
{
    const tn_vertex_difference *difference = &mesh_diff->assignments;
    tn_diff_text labels[2] = {{""}, {""}};
    const tn_vertex places[2] = {difference->a, difference->b};
    for (int side = 0; side < 2; side++) {
        uint32_t material = primitive_of(mesh_diff, side, places[side])->material;
        if (material != TENON_NONE)
            labels[side] = tn_diff_label(mesh_diff->diff, side, TN_MATERIALS, material);
    }
    tn_diff_text property =
        tn_diff_print("primitives[%u].material", (unsigned)difference->a.primitive);
    tn_diff_report(mesh_diff->diff, TN_DIFF_ASSIGNMENTS,
                   tn_diff_path(mesh_diff->diff, &mesh_diff->pair, property.text).text,
                   (tenon_str){labels[0].text, (uint32_t)strlen(labels[0].text)},
                   (tenon_str){labels[1].text, (uint32_t)strlen(labels[1].text)}, -1,
                   difference->count);
}

void tn_report_vertices(tn_mesh_diff *mesh_diff)
{
    if (mesh_diff->assignments.count) report_assignments(mesh_diff);
    for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
        if (mesh_diff->differences[stream].count) report_note(mesh_diff, stream);
}
