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

// Any tangents that are perpendicular to the normals.
static void gpb_export_vertices_fill_tangents(const tenon_primitive *p, float *tangents)
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

// Compute normals and tangents, and count other elements, which get default values.
static void gpb_export_vertices_add_missing_streams(gpb_exporter *exporter, uint32_t mesh,
                                                    tenon_primitive *p)
{
    const tn_export *export = exporter->export;
    uint32_t usages = exporter->meshes[mesh].usages;
    if (usages & 1u << GPB_USE_NORMAL && !p->normals) {
        float *normals = gpb_export_alloc(exporter, p->vertex_count, 3 * sizeof *normals);
        if (!normals) return;
        bool ok = tn_smooth_normals(p, export->arena, &export->state->pulse, normals);
        exporter->failed = !tn_export_expect(export, ok);
        p->normals = normals;
        gpb_export_count_loss(exporter, GPB_LOSS_NORMALS, p->vertex_count, "meshes", mesh);
    }
    if (usages & 1u << GPB_USE_TANGENT && !p->tangents && !exporter->failed) {
        float *tangents = gpb_export_alloc(exporter, p->vertex_count, 4 * sizeof *tangents);
        if (!tangents) return;
        bool ok = true;
        if (p->uvs[0] && tn_piece_size(p->mode) == 3)
            ok = tn_make_tangents(p, export->arena, &export->state->pulse, tangents);
        else
            gpb_export_vertices_fill_tangents(p, tangents);
        exporter->failed = !tn_export_expect(export, ok);
        p->tangents = tangents;
        gpb_export_count_loss(exporter, GPB_LOSS_TANGENTS, p->vertex_count, "meshes", mesh);
    }
    uint64_t defaulted = usages & 1u << GPB_USE_COLOR && !p->colors[0];
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        defaulted += usages & 1u << (GPB_USE_TEXCOORD0 + set) && !p->uvs[set];
    gpb_export_count_loss(exporter, GPB_LOSS_ELEMENTS, defaulted, "meshes", mesh);
}

// -- One vertex

// A primitive whose vertices are being packed.
typedef struct gpb_vertex_packer {
    tenon_primitive p;
    tn_part part;      // Reduces influences to four.
    uint64_t reduced;  // Vertices that had more.
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
} gpb_vertex_packer;

static void gpb_export_vertices_pack_binormal(const tenon_primitive *p, uint32_t vertex, float *out)
{
    const float *n = p->normals + 3 * (size_t)vertex, *t = p->tangents + 4 * (size_t)vertex;
    tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
    side = tn_vec3_scale(tn_vec3_normalise(side), t[3] < 0 ? -1 : 1);
    out[0] = tn_to_float(side.x), out[1] = tn_to_float(side.y), out[2] = tn_to_float(side.z);
}

static void gpb_export_vertices_pack_element(const gpb_vertex_packer *packer, uint32_t usage,
                                             uint32_t vertex, float *out)
{
    const tenon_primitive *p = &packer->p;
    const float *uvs;
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
        gpb_export_vertices_pack_binormal(p, vertex, out);
        return;
    case GPB_USE_COLOR:
        for (int k = 0; k < 4; k++)
            out[k] = p->colors[0] ? p->colors[0][4 * (size_t)vertex + (size_t)k] : 1;
        return;
    case GPB_USE_WEIGHTS:
        memcpy(out, packer->weights, sizeof packer->weights);
        return;
    case GPB_USE_INDICES:
        for (int k = 0; k < TN_INFLUENCES; k++) out[k] = (float)packer->bones[k];
        return;
    default:  // V points down in a scene, and up in the file.
        uvs = p->uvs[usage - GPB_USE_TEXCOORD0];
        out[0] = uvs ? uvs[2 * (size_t)vertex] : 0;
        out[1] = uvs ? 1 - uvs[2 * (size_t)vertex + 1] : 0;
        return;
    }
}

// -- Vertices

static void gpb_export_pack_vertices(gpb_vertex_packer *packer, const tenon_gpb_mesh *mesh,
                                     uint8_t *bytes)
{
    const tenon_primitive *p = &packer->p;
    float row[GPB_FLOATS_MOST];
    uint32_t stride = (uint32_t)mesh->vertices.layout->stride, *bones = packer->bones;
    for (uint32_t v = 0; v < p->vertex_count; v++, bytes += stride) {
        float *out = row;
        bool has_more = p->influence_count > TN_INFLUENCES;
        if (has_more)
            packer->reduced += tn_part_influences(&packer->part, v, bones, packer->weights) > 0;
        for (uint32_t k = 0; !has_more && k < p->influence_count; k++) {
            bones[k] = p->joints[TN_INFLUENCES * (size_t)v + k];
            packer->weights[k] = p->weights[TN_INFLUENCES * (size_t)v + k];
        }
        for (uint32_t i = 0; i < mesh->element_count; i++) {
            gpb_export_vertices_pack_element(packer, mesh->elements[i].usage, v, out);
            out += mesh->elements[i].size;
        }
        tn_copy_numbers(bytes, row, stride / 4, 4, false);
    }
}

static const tenon_layout *gpb_export_vertices_list_elements(gpb_exporter *exporter,
                                                             uint32_t usages, tenon_gpb_mesh *out)
{
    tenon_layout *layout = gpb_export_alloc(exporter, 1, sizeof *layout);
    tenon_element *elements = gpb_export_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *elements);
    out->elements = gpb_export_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *out->elements);
    if (exporter->failed) return NULL;
    for (uint32_t i = 0; i < GPB_ELEMENTS_MOST; i++) {
        tenon_gpb_element element = gpb_order[i];
        if (!(usages & 1u << element.usage)) continue;
        elements[out->element_count] =
            (tenon_element){gpb_describe_usage_name(element.usage), TENON_TYPE_F32, element.size, 0,
                            layout->stride};
        out->elements[out->element_count++] = element;
        layout->stride += 4 * (uint64_t)element.size;
    }
    layout->elements = elements;
    layout->element_count = out->element_count;
    return layout;
}

void gpb_export_vertices(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[mesh].primitives;
    const tenon_layout *layout = gpb_export_vertices_list_elements(exporter, plan->usages, out);
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan->part_count; i++)
        count += primitives[plan->parts[i]].vertex_count;
    uint8_t *bytes =
        exporter->failed ? NULL : gpb_export_alloc(exporter, count, (size_t)layout->stride);
    if (exporter->failed) return;
    out->vertices = (tenon_span){
        .data = bytes, .size = count * layout->stride, .count = count, .layout = layout};
    uint32_t *numbers = NULL;  // The joints of a skin keep their numbers.
    uint64_t reduced = 0;
    for (uint32_t i = 0; i < plan->part_count && !exporter->failed; i++) {
        gpb_vertex_packer packer = {.p = primitives[plan->parts[i]]};
        if (!plan->is_skinned) packer.p.influence_count = 0;
        if (packer.p.influence_count > TN_INFLUENCES && !numbers) {
            numbers = gpb_export_alloc(exporter, UINT16_MAX + 1, sizeof *numbers);
            for (uint32_t k = 0; numbers && k <= UINT16_MAX; k++) numbers[k] = k;
        }
        if (!exporter->failed) gpb_export_vertices_add_missing_streams(exporter, mesh, &packer.p);
        packer.part = (tn_part){.p = &packer.p, .is_skinned = true, .bones = numbers};
        if (!tn_part_prepare(exporter->export, &packer.part)) exporter->failed = true;
        if (exporter->failed) return;
        gpb_export_pack_vertices(&packer, out, bytes);
        bytes += packer.p.vertex_count * layout->stride;
        reduced += packer.reduced;
    }
    gpb_export_count_loss(exporter, GPB_LOSS_INFLUENCES, reduced, "meshes", mesh);
}
