// gpb_export_vertices.c: interleave the vertices of a mesh from the streams of its parts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "exchange/rig.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#include <string.h>

#define GPB_ELEMENTS_MOST 15
#define GPB_FLOATS_MOST   48  // In a vertex.

// In the encoder's order.
static const tenon_gpb_element gpb_order[GPB_ELEMENTS_MOST] = {
    {GPB_USE_POSITION, 3},      {GPB_USE_NORMAL, 3},        {GPB_USE_TANGENT, 3},
    {GPB_USE_BINORMAL, 3},      {GPB_USE_TEXCOORD0, 2},     {GPB_USE_TEXCOORD0 + 1, 2},
    {GPB_USE_TEXCOORD0 + 2, 2}, {GPB_USE_TEXCOORD0 + 3, 2}, {GPB_USE_TEXCOORD0 + 4, 2},
    {GPB_USE_TEXCOORD0 + 5, 2}, {GPB_USE_TEXCOORD0 + 6, 2}, {GPB_USE_TEXCOORD0 + 7, 2},
    {GPB_USE_COLOR, 4},         {GPB_USE_WEIGHTS, 4},       {GPB_USE_INDICES, 4},
};

// -- Missing streams

static void gpb_expect(gpb_exporter *m, bool ok)
{
    m->failed = m->failed || !tn_export_expect(m->e, ok);
}

static bool gpb_lacks(const gpb_made_mesh *mesh, uint32_t usage, const void *stream)
{
    return (mesh->usages & 1u << usage) && !stream;
}

// Any tangents that are perpendicular to the normals.
static void gpb_any_tangents(const tenon_primitive *p, float *tangents)
{
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const float *n = p->normals + 3 * (size_t)i;
        bool is_along_x = n[0] > 0.9f || n[0] < -0.9f;
        tn_vec3 axis = is_along_x ? (tn_vec3){0, 1, 0} : (tn_vec3){1, 0, 0};
        tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, axis);
        side = tn_vec3_normalise(side);
        float *t = tangents + 4 * (size_t)i;
        t[0] = tn_to_float(side.x), t[1] = tn_to_float(side.y), t[2] = tn_to_float(side.z),
        t[3] = 1;
    }
}

static void gpb_add_normals(gpb_exporter *m, uint32_t mesh, tenon_primitive *p)
{
    if (!gpb_lacks(&m->meshes[mesh], GPB_USE_NORMAL, p->normals)) return;
    float *normals = gpb_export_alloc(m, p->vertex_count, 3 * sizeof *normals);
    if (!normals) return;
    gpb_expect(m, tn_smooth_normals(p, m->e->arena, &m->e->state->pulse, normals));
    p->normals = normals;
    gpb_export_lose(m, GPB_LOST_NORMALS, p->vertex_count, "meshes", mesh);
}

static void gpb_add_tangents(gpb_exporter *m, uint32_t mesh, tenon_primitive *p)
{
    if (m->failed || !gpb_lacks(&m->meshes[mesh], GPB_USE_TANGENT, p->tangents)) return;
    float *tangents = gpb_export_alloc(m, p->vertex_count, 4 * sizeof *tangents);
    if (!tangents) return;
    if (p->uvs[0] && tn_piece_size(p->mode) == 3)
        gpb_expect(m, tn_make_tangents(p, m->e->arena, &m->e->state->pulse, tangents));
    else
        gpb_any_tangents(p, tangents);
    p->tangents = tangents;
    gpb_export_lose(m, GPB_LOST_TANGENTS, p->vertex_count, "meshes", mesh);
}

// Count elements that get default values.
static void gpb_count_defaults(gpb_exporter *m, uint32_t mesh, const tenon_primitive *p)
{
    const gpb_made_mesh *made = &m->meshes[mesh];
    uint64_t count = gpb_lacks(made, GPB_USE_COLOR, p->colors[0]);
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        count += gpb_lacks(made, GPB_USE_TEXCOORD0 + set, p->uvs[set]);
    gpb_export_lose(m, GPB_LOST_ELEMENTS, count, "meshes", mesh);
}

// -- One vertex

// A primitive whose vertices are being packed.
typedef struct gpb_vertex_packer {
    tenon_primitive p;
    tn_part part;      // Reduces influences to four.
    uint64_t crowded;  // Vertices that had more.
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
} gpb_vertex_packer;

static void gpb_find_influences(gpb_vertex_packer *flow, uint32_t vertex)
{
    const tenon_primitive *p = &flow->p;
    if (p->influence_count > TN_INFLUENCES) {
        flow->crowded += tn_part_influences(&flow->part, vertex, flow->bones, flow->weights) > 0;
        return;
    }
    for (uint32_t k = 0; k < p->influence_count; k++) {
        flow->bones[k] = p->joints[TN_INFLUENCES * (size_t)vertex + k];
        flow->weights[k] = p->weights[TN_INFLUENCES * (size_t)vertex + k];
    }
}

static void gpb_put_binormal(const tenon_primitive *p, uint32_t vertex, float *out)
{
    const float *n = p->normals + 3 * (size_t)vertex, *t = p->tangents + 4 * (size_t)vertex;
    tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
    side = tn_vec3_scale(tn_vec3_normalise(side), t[3] < 0 ? -1 : 1);
    out[0] = tn_to_float(side.x), out[1] = tn_to_float(side.y), out[2] = tn_to_float(side.z);
}

// V points down in a scene, and up in the file.
static void gpb_put_uv(const float *uvs, uint32_t vertex, float *out)
{
    out[0] = uvs ? uvs[2 * (size_t)vertex] : 0;
    out[1] = uvs ? 1 - uvs[2 * (size_t)vertex + 1] : 0;
}

static void gpb_put_element(const gpb_vertex_packer *flow, uint32_t usage, uint32_t vertex,
                            float *out)
{
    const tenon_primitive *p = &flow->p;
    switch (usage) {
    case GPB_USE_POSITION:
        memcpy(out, p->positions + 3 * (size_t)vertex, 3 * sizeof *out);
        return;
    case GPB_USE_NORMAL:
        memcpy(out, p->normals + 3 * (size_t)vertex, 3 * sizeof *out);
        return;
    case GPB_USE_TANGENT:
        memcpy(out, p->tangents + 4 * (size_t)vertex, 3 * sizeof *out);
        return;
    case GPB_USE_BINORMAL:
        gpb_put_binormal(p, vertex, out);
        return;
    case GPB_USE_COLOR:
        for (int k = 0; k < 4; k++)
            out[k] = p->colors[0] ? p->colors[0][4 * (size_t)vertex + (size_t)k] : 1;
        return;
    case GPB_USE_WEIGHTS:
        memcpy(out, flow->weights, sizeof flow->weights);
        return;
    case GPB_USE_INDICES:
        for (int k = 0; k < TN_INFLUENCES; k++) out[k] = (float)flow->bones[k];
        return;
    default:
        gpb_put_uv(p->uvs[usage - GPB_USE_TEXCOORD0], vertex, out);
        return;
    }
}

// -- Vertices

static void gpb_put_vertices(gpb_vertex_packer *flow, const tenon_gpb_mesh *mesh, uint8_t *bytes)
{
    float row[GPB_FLOATS_MOST];
    uint32_t stride = (uint32_t)mesh->vertices.layout->stride;
    for (uint32_t v = 0; v < flow->p.vertex_count; v++, bytes += stride) {
        float *out = row;
        gpb_find_influences(flow, v);
        for (uint32_t i = 0; i < mesh->element_count; i++) {
            gpb_put_element(flow, mesh->elements[i].usage, v, out);
            out += mesh->elements[i].size;
        }
        tn_copy_numbers(bytes, row, stride / 4, 4, false);
    }
}

static const tenon_layout *gpb_list_elements(gpb_exporter *m, uint32_t usages, tenon_gpb_mesh *out)
{
    tenon_layout *layout = gpb_export_alloc(m, 1, sizeof *layout);
    tenon_element *elements = gpb_export_alloc(m, GPB_ELEMENTS_MOST, sizeof *elements);
    out->elements = gpb_export_alloc(m, GPB_ELEMENTS_MOST, sizeof *out->elements);
    if (m->failed) return NULL;
    for (uint32_t i = 0; i < GPB_ELEMENTS_MOST; i++) {
        tenon_gpb_element e = gpb_order[i];
        if (!(usages & 1u << e.usage)) continue;
        elements[out->element_count] =
            (tenon_element){gpb_usage_name(e.usage), TENON_TYPE_F32, e.size, 0, layout->stride};
        out->elements[out->element_count++] = e;
        layout->stride += 4 * (uint64_t)e.size;
    }
    layout->elements = elements;
    layout->element_count = out->element_count;
    return layout;
}

// The joints of a skin keep their numbers.
static const uint32_t *gpb_same_numbers(gpb_exporter *m)
{
    uint32_t *numbers = gpb_export_alloc(m, UINT16_MAX + 1, sizeof *numbers);
    for (uint32_t i = 0; numbers && i <= UINT16_MAX; i++) numbers[i] = i;
    return numbers;
}

static uint64_t gpb_fill_parts(gpb_exporter *m, uint32_t mesh, tenon_gpb_mesh *out, uint8_t *bytes)
{
    const gpb_made_mesh *made = &m->meshes[mesh];
    const uint32_t *numbers = NULL;
    uint64_t crowded = 0;
    for (uint32_t i = 0; i < made->part_count && !m->failed; i++) {
        gpb_vertex_packer flow = {.p = m->scene->meshes[mesh].primitives[made->parts[i]]};
        if (!made->is_skinned) flow.p.influence_count = 0;
        if (flow.p.influence_count > TN_INFLUENCES && !numbers) numbers = gpb_same_numbers(m);
        gpb_add_normals(m, mesh, &flow.p);
        gpb_add_tangents(m, mesh, &flow.p);
        gpb_count_defaults(m, mesh, &flow.p);
        flow.part = (tn_part){.p = &flow.p, .is_skinned = true, .bones = numbers};
        if (!tn_part_prepare(m->e, &flow.part)) m->failed = true;
        if (m->failed) return 0;
        gpb_put_vertices(&flow, out, bytes);
        bytes += flow.p.vertex_count * out->vertices.layout->stride;
        crowded += flow.crowded;
    }
    return crowded;
}

void gpb_export_vertices(gpb_exporter *m, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_made_mesh *made = &m->meshes[mesh];
    const tenon_layout *layout = gpb_list_elements(m, made->usages, out);
    uint64_t count = 0;
    for (uint32_t i = 0; i < made->part_count; i++)
        count += m->scene->meshes[mesh].primitives[made->parts[i]].vertex_count;
    uint8_t *bytes = m->failed ? NULL : gpb_export_alloc(m, count, (size_t)layout->stride);
    if (m->failed) return;
    out->vertices = (tenon_span){
        .data = bytes, .size = count * layout->stride, .count = count, .layout = layout};
    uint64_t crowded = gpb_fill_parts(m, mesh, out, bytes);
    gpb_export_lose(m, GPB_LOST_INFLUENCES, crowded, "meshes", mesh);
}
