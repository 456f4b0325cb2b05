// diff_vertex.c: what differs between two vertices.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff_mesh.h"

#include <math.h>
#include <string.h>

#define JOINT_MOST      65536
#define INFLUENCES_TOLD 8

static const tenon_primitive *primitive_of(const tn_mesh_diff *m, int side, tn_vertex v)
{
    return &m->meshes[side]->primitives[v.primitive];
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

uint64_t tn_weight_sum_count(const tn_diff *d)
{
    uint64_t nodes = (uint64_t)d->scenes[0]->node_count + d->scenes[1]->node_count;
    return nodes > JOINT_MOST ? nodes : JOINT_MOST;
}

// Where the weight of a joint is summed up: at its node, which is the same for partners.
static uint64_t place_of(const tn_mesh_diff *m, int side, uint32_t joint)
{
    if (m->skins[0] == TENON_NONE || m->skins[1] == TENON_NONE) return joint;
    uint32_t node = m->d->scenes[side]->skins[m->skins[side]].joints[joint];
    if (side == 1) return node;
    uint32_t partner = m->d->pairs[TN_NODES].partners[0][node];
    return partner == TENON_NONE ? (uint64_t)m->d->scenes[1]->node_count + node : partner;
}

static void add_weights(const tn_mesh_diff *m, int side, tn_vertex v, double sign)
{
    const tenon_primitive *p = primitive_of(m, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    for (uint32_t k = 0; k < p->influence_count; k++)
        m->sums[place_of(m, side, p->joints[first + k])] += sign * (double)p->weights[first + k];
}

// The largest sum of those that the vertex has touched, which become 0.
static double take_weights(const tn_mesh_diff *m, int side, tn_vertex v)
{
    double most = 0;
    const tenon_primitive *p = primitive_of(m, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    for (uint32_t k = 0; k < p->influence_count; k++) {
        double *sum = &m->sums[place_of(m, side, p->joints[first + k])];
        if (fabs(*sum) > most) most = fabs(*sum);
        *sum = 0;
    }
    return most;
}

// The order of influences does not matter.
static double weights_apart(const tn_mesh_diff *m, tn_vertex a, tn_vertex b)
{
    add_weights(m, 0, a, 1);
    add_weights(m, 1, b, -1);
    double of_a = take_weights(m, 0, a), of_b = take_weights(m, 1, b);
    return of_a > of_b ? of_a : of_b;
}

// "boom 0.75, jib 0.25"
static tn_diff_text weights_text(const tn_mesh_diff *m, int side, tn_vertex v)
{
    tn_diff_text out = {""}, number, ignored;
    const tenon_primitive *p = primitive_of(m, side, v);
    size_t first = (size_t)v.vertex * p->influence_count;
    uint32_t told = 0;
    for (uint32_t k = 0; k < p->influence_count && told < INFLUENCES_TOLD; k++) {
        double weight = (double)p->weights[first + k];
        uint32_t joint = p->joints[first + k];
        if (weight == 0) continue;
        tn_diff_text label = tn_diff_print("%u", (unsigned)joint);
        if (m->skins[side] != TENON_NONE)
            label = tn_diff_label(m->d, side, TN_NODES,
                                  m->d->scenes[side]->skins[m->skins[side]].joints[joint]);
        tn_diff_numbers_text(&weight, &(double){-1}, 1, &number, &ignored);
        tn_diff_text before = out;
        out = tn_diff_print("%.400s%s%.63s %s", before.text, told++ ? ", " : "", label.text,
                            number.text);
    }
    return out;
}

// -- Comparing

double tn_vertex_apart(const tn_mesh_diff *m, int stream, tn_vertex a, tn_vertex b)
{
    const float *of_a = stream_of(primitive_of(m, 0, a), stream);
    const float *of_b = stream_of(primitive_of(m, 1, b), stream);
    if (!of_a || !of_b) return of_a || of_b ? HUGE_VAL : 0;
    if (stream == TN_STREAM_WEIGHTS) return weights_apart(m, a, b);
    double a_values[4], b_values[4];
    uint32_t size = stream_size(stream);
    load(of_a, a.vertex, size, a_values);
    load(of_b, b.vertex, size, b_values);
    return tn_diff_apart(a_values, b_values, size,
                         stream == TN_STREAM_POSITIONS ? m->reference : 1);
}

void tn_note_vertex(tn_mesh_diff *m, int stream, tn_vertex a, tn_vertex b)
{
    double apart = tn_vertex_apart(m, stream, a, b);
    tn_note *note = &m->notes[stream];
    if (tn_diff_is_equal(m->d, apart)) return;
    if (note->count++ == 0) note->a = a, note->b = b;
    if (apart > note->largest) note->largest = apart;
}

// -- Telling

// The values of both vertices. What a vertex does not have is "".
static void note_texts(const tn_mesh_diff *m, int stream, tn_diff_text *a, tn_diff_text *b)
{
    const tn_note *note = &m->notes[stream];
    const float *of_a = stream_of(primitive_of(m, 0, note->a), stream);
    const float *of_b = stream_of(primitive_of(m, 1, note->b), stream);
    double a_values[4] = {0}, b_values[4] = {0};
    uint32_t size = stream_size(stream);
    *a = *b = (tn_diff_text){""};
    if (stream == TN_STREAM_WEIGHTS) {
        if (of_a) *a = weights_text(m, 0, note->a);
        if (of_b) *b = weights_text(m, 1, note->b);
        return;
    }
    if (of_a) load(of_a, note->a.vertex, size, a_values);
    if (of_b) load(of_b, note->b.vertex, size, b_values);
    tn_diff_numbers_text(a_values, b_values, size, a, b);
    if (!of_a) a->text[0] = '\0';
    if (!of_b) b->text[0] = '\0';
}

static void tell_note(tn_mesh_diff *m, int stream)
{
    const tn_note *note = &m->notes[stream];
    tn_diff_text a, b, word = stream_word(stream);
    note_texts(m, stream, &a, &b);
    tn_diff_text facet = tn_diff_print("primitives[%u].%s[%u]", (unsigned)note->a.primitive,
                                       word.text, (unsigned)note->a.vertex);
    tn_differ(m->d, stream_kind(stream), tn_diff_path(m->d, &m->at, facet.text).text,
              (tenon_str){a.text, (uint32_t)strlen(a.text)},
              (tenon_str){b.text, (uint32_t)strlen(b.text)}, note->largest, note->count);
}

static void tell_assignments(tn_mesh_diff *m)
{
    const tn_note *note = &m->assignments;
    tn_diff_text labels[2] = {{""}, {""}};
    const tn_vertex places[2] = {note->a, note->b};
    for (int side = 0; side < 2; side++) {
        uint32_t material = primitive_of(m, side, places[side])->material;
        if (material != TENON_NONE)
            labels[side] = tn_diff_label(m->d, side, TN_MATERIALS, material);
    }
    tn_diff_text facet = tn_diff_print("primitives[%u].material", (unsigned)note->a.primitive);
    tn_differ(m->d, TN_DIFF_ASSIGNMENTS, tn_diff_path(m->d, &m->at, facet.text).text,
              (tenon_str){labels[0].text, (uint32_t)strlen(labels[0].text)},
              (tenon_str){labels[1].text, (uint32_t)strlen(labels[1].text)}, -1, note->count);
}

void tn_report_notes(tn_mesh_diff *m)
{
    if (m->assignments.count) tell_assignments(m);
    for (int stream = 0; stream < TN_STREAM_COUNT; stream++)
        if (m->notes[stream].count) tell_note(m, stream);
}
