// gpb_export_mesh.c: plans and exports meshes, their parts and their vertices.
// SPDX-License-Identifier: MIT
//
// A mesh has one list of vertices, all with the same elements, and a part for each primitive.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "exchange/rig.h"
#include "exchange/vertex_codec.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#include <inttypes.h>

#define GPB_SHORT_MOST    0xffffu  // The largest index of 16 bits.
#define GPB_ELEMENTS_MOST 15

_Static_assert(GPB_USE_TEXCOORD0 == TN_UV0 + 1, "usages are meanings, from 1 on");

// In the encoder's order.
static const tenon_gpb_element gpb_order[GPB_ELEMENTS_MOST] = {
    {GPB_USE_POSITION, 3},      {GPB_USE_NORMAL, 3},        {GPB_USE_TANGENT, 3},
    {GPB_USE_BINORMAL, 3},      {GPB_USE_TEXCOORD0, 2},     {GPB_USE_TEXCOORD0 + 1, 2},
    {GPB_USE_TEXCOORD0 + 2, 2}, {GPB_USE_TEXCOORD0 + 3, 2}, {GPB_USE_TEXCOORD0 + 4, 2},
    {GPB_USE_TEXCOORD0 + 5, 2}, {GPB_USE_TEXCOORD0 + 6, 2}, {GPB_USE_TEXCOORD0 + 7, 2},
    {GPB_USE_COLOR, 4},         {GPB_USE_WEIGHTS, 4},       {GPB_USE_INDICES, 4},
};

// -- Planning

// Indices at the end of a list that are too few for another line or triangle.
static uint32_t gpb_export_mesh_tail_of(const tenon_primitive *p)
{
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    return is_list ? p->index_count % tn_piece_size(p->mode) : 0;
}

void gpb_export_plan_meshes(gpb_exporter *exporter, const tn_mirrored_meshes *mirrored)
{
    const tenon_scene *scene = exporter->scene;
    exporter->meshes = gpb_export_alloc(exporter, scene->mesh_count, sizeof *exporter->meshes);
    for (uint32_t i = 0; i < scene->mesh_count && !exporter->failed; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        mesh->block = TENON_NONE;
        mesh->parts =
            gpb_export_alloc(exporter, scene->meshes[i].primitive_count, sizeof *mesh->parts);
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !exporter->failed; k++)
            if (tn_piece_count(&scene->meshes[i].primitives[k]))
                mesh->parts[mesh->part_count++] = k;
        mesh->is_drawn = mesh->part_count > 0;
        mesh->is_mirrored = mirrored->is_mirrored && mirrored->is_mirrored[i];
        bool is_copy = i >= scene->mesh_count - mirrored->copy_count;
        tn_tally_at(&exporter->losses[GPB_LOSS_MIRRORED], is_copy, "meshes", i);
    }
}

void gpb_export_plan_elements(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        for (uint32_t k = 0; k < mesh->part_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[mesh->parts[k]];
            const tenon_material *material =
                p->material == TENON_NONE ? NULL : &scene->materials[p->material];
            bool is_lit = tn_piece_size(p->mode) == 3 && (!material || !material->is_unlit);
            bool has_normal_map = is_lit && material && p->uvs[0] &&
                                  material->textures[TENON_SLOT_NORMAL].image != TENON_NONE &&
                                  material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
            bool loses_weights = p->influence_count && mesh->is_rigid && !mesh->is_skinned;
            mesh->usages |= 1u << GPB_USE_POSITION;
            if (p->normals || is_lit) mesh->usages |= 1u << GPB_USE_NORMAL;
            if (p->tangents || has_normal_map)
                mesh->usages |= 1u << GPB_USE_TANGENT | 1u << GPB_USE_BINORMAL;
            if (p->colors[0]) mesh->usages |= 1u << GPB_USE_COLOR;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++)
                if (p->uvs[set]) mesh->usages |= 1u << (GPB_USE_TEXCOORD0 + set);
            tn_tally_at(&exporter->losses[GPB_LOSS_WEIGHTS], loses_weights, "meshes", i);
            tn_tally_at(&exporter->losses[GPB_LOSS_COLORS], p->colors[1] != NULL, "meshes", i);
            tn_tally_at(&exporter->losses[GPB_LOSS_TAILS], gpb_export_mesh_tail_of(p), "meshes", i);
        }
        tn_tally_at(&exporter->losses[GPB_LOSS_PARTS],
                    scene->meshes[i].primitive_count - mesh->part_count, "meshes", i);
        if (mesh->is_skinned) mesh->usages |= 1u << GPB_USE_WEIGHTS | 1u << GPB_USE_INDICES;
    }
}

// -- Vertices

// Compute normals and tangents, and count other elements, which get default values.
static void gpb_export_mesh_add_missing_streams(gpb_exporter *exporter, uint32_t mesh,
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
        tn_tally_at(&exporter->losses[GPB_LOSS_NORMALS], p->vertex_count, "meshes", mesh);
    }
    if (usages & 1u << GPB_USE_TANGENT && !p->tangents && !exporter->failed) {
        float *tangents = gpb_export_alloc(exporter, p->vertex_count, 4 * sizeof *tangents);
        if (!tangents) return;
        bool has_faces = p->uvs[0] && tn_piece_size(p->mode) == 3;
        bool ok = !has_faces || tn_make_tangents(p, export->arena, &export->state->pulse, tangents);
        // Without faces, any tangents that are perpendicular to the normals.
        for (uint32_t i = 0; !has_faces && i < p->vertex_count; i++) {
            const float *n = p->normals + 3 * (size_t)i;
            bool is_along_x = n[0] > 0.9f || n[0] < -0.9f;
            tn_vec3 axis = is_along_x ? (tn_vec3){0, 1, 0} : (tn_vec3){1, 0, 0};
            tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, axis);
            side = tn_vec3_normalise(side);
            float *t = tangents + 4 * (size_t)i;
            t[0] = tn_to_float(side.x), t[1] = tn_to_float(side.y), t[2] = tn_to_float(side.z),
            t[3] = 1;
        }
        exporter->failed = !tn_export_expect(export, ok);
        p->tangents = tangents;
        tn_tally_at(&exporter->losses[GPB_LOSS_TANGENTS], p->vertex_count, "meshes", mesh);
    }
    uint64_t defaulted = usages & 1u << GPB_USE_COLOR && !p->colors[0];
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        defaulted += usages & 1u << (GPB_USE_TEXCOORD0 + set) && !p->uvs[set];
    tn_tally_at(&exporter->losses[GPB_LOSS_ELEMENTS], defaulted, "meshes", mesh);
}

static void gpb_export_mesh_vertices(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[mesh].primitives;
    tn_vertices to = {.is_v_up = true};
    tenon_layout *layout = gpb_export_alloc(exporter, 1, sizeof *layout);
    tenon_element *elements = gpb_export_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *elements);
    out->elements = gpb_export_alloc(exporter, GPB_ELEMENTS_MOST, sizeof *out->elements);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < GPB_ELEMENTS_MOST; i++) {
        tenon_gpb_element element = gpb_order[i];
        if (!(plan->usages & 1u << element.usage)) continue;
        elements[out->element_count] =
            (tenon_element){gpb_describe_usage_name(element.usage), TENON_TYPE_F32, element.size, 0,
                            layout->stride};
        out->elements[out->element_count++] = element;
        to.streams[element.usage - 1] =
            (tn_vertex_stream){&out->vertices, layout->stride, element.size};
        layout->stride += 4 * (uint64_t)element.size;
    }
    layout->elements = elements;
    layout->element_count = out->element_count;
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan->part_count; i++)
        count += primitives[plan->parts[i]].vertex_count;
    uint8_t *bytes = gpb_export_alloc(exporter, count, (size_t)layout->stride);
    if (exporter->failed) return;
    out->vertices = (tenon_span){
        .data = bytes, .size = count * layout->stride, .count = count, .layout = layout};
    uint32_t *numbers = NULL;  // The joints of a skin keep their numbers.
    uint64_t reduced = 0;
    for (uint32_t i = 0; i < plan->part_count && !exporter->failed; i++) {
        tenon_primitive p = primitives[plan->parts[i]];
        if (!plan->is_skinned) p.influence_count = 0;
        if (p.influence_count > TN_INFLUENCES && !numbers) {
            numbers = gpb_export_alloc(exporter, UINT16_MAX + 1, sizeof *numbers);
            for (uint32_t k = 0; numbers && k <= UINT16_MAX; k++) numbers[k] = k;
        }
        if (!exporter->failed) gpb_export_mesh_add_missing_streams(exporter, mesh, &p);
        tn_part part = {.p = &p, .is_skinned = true, .bones = numbers};
        if (!tn_part_prepare(exporter->export, &part)) exporter->failed = true;
        if (exporter->failed) return;
        tn_pack_vertices(&to, &p, bytes);
        uint8_t *binormal = bytes + to.streams[TN_BINORMAL].offset;
        const float *n = p.normals, *t = p.tangents;
        uint32_t sided = to.streams[TN_BINORMAL].count ? p.vertex_count : 0;
        for (uint32_t k = 0; k < sided; k++, n += 3, t += 4, binormal += layout->stride) {
            tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
            side = tn_vec3_scale(tn_vec3_normalise(side), t[3] < 0 ? -1 : 1);
            float v[3] = {tn_to_float(side.x), tn_to_float(side.y), tn_to_float(side.z)};
            tn_copy_numbers(binormal, v, 3, 4, false);
        }
        uint8_t *record = bytes;
        for (uint32_t v = 0; p.influence_count && v < p.vertex_count;
             v++, record += layout->stride) {
            uint32_t bones[TN_INFLUENCES];
            float weights[TN_INFLUENCES], joints[TN_INFLUENCES];
            size_t first = TN_INFLUENCES * (size_t)v;
            bool has_more = p.influence_count > TN_INFLUENCES;
            if (has_more) reduced += tn_part_influences(&part, v, bones, weights) > 0;
            for (uint32_t k = 0; k < TN_INFLUENCES; k++)
                joints[k] = has_more ? (float)bones[k] : (float)p.joints[first + k];
            tn_copy_numbers(record + to.streams[TN_WEIGHTS].offset,
                            has_more ? weights : p.weights + first, TN_INFLUENCES, 4, false);
            tn_copy_numbers(record + to.streams[TN_JOINTS].offset, joints, TN_INFLUENCES, 4, false);
        }
        bytes += p.vertex_count * layout->stride;
    }
    tn_tally_at(&exporter->losses[GPB_LOSS_INFLUENCES], reduced, "meshes", mesh);
}

// -- Parts

// Line loops and triangle fans, which a bundle does not support, and mirrored triangles are
// exported as lists. Primitive types are the numbers of OpenGL, in files and in scenes. Indices
// have 16 bits if that is enough.
static void gpb_export_mesh_part(gpb_exporter *exporter, const tenon_primitive *p, bool is_mirrored,
                                 uint64_t base, tenon_gpb_part *part)
{
    uint32_t each = tn_piece_size(p->mode), mode = p->mode;
    is_mirrored = is_mirrored && each == 3;
    uint64_t count = p->index_count - gpb_export_mesh_tail_of(p), top = 0;
    const uint32_t *indices = p->indices;
    if (is_mirrored || p->mode == TENON_LINE_LOOP || p->mode == TENON_TRIANGLE_FAN) {
        uint64_t pieces = tn_piece_count(p);
        uint32_t *list = gpb_export_alloc(exporter, pieces, each * sizeof *list), v[3] = {0};
        if (!list) return;
        for (uint64_t i = 0; i < pieces; i++) {
            tn_piece_at(p, i, v);
            for (uint32_t k = 0; k < each; k++)
                list[each * i + k] = v[is_mirrored && k ? each - k : k];
        }
        mode = p->mode == TENON_LINE_LOOP ? TENON_LINES : TENON_TRIANGLES;
        count = pieces * each;
        indices = list;
    }
    for (uint64_t i = 0; i < count; i++)
        if (indices[i] > top) top = indices[i];
    bool is_short = base + top <= GPB_SHORT_MOST;
    uint32_t width = is_short ? 2 : 4;
    uint8_t *bytes = gpb_export_alloc(exporter, count, width);
    for (uint64_t i = 0; bytes && i < count; i++) {
        uint32_t whole = (uint32_t)(base + indices[i]);
        uint16_t half = (uint16_t)whole;
        tn_copy_numbers(bytes + width * i, is_short ? (void *)&half : (void *)&whole, 1, width,
                        false);
    }
    part->primitive_type = mode;
    part->index_format = is_short ? 0x1403 : 0x1405;
    part->indices = (tenon_span){.data = bytes,
                                 .size = width * count,
                                 .count = count,
                                 .layout = is_short ? &tn_layout_u16 : &tn_layout_u32};
}

void gpb_export_mesh(gpb_exporter *exporter, uint32_t mesh, tenon_gpb_mesh *out)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[mesh].primitives;
    uint64_t base = 0;
    out->parts = gpb_export_alloc(exporter, plan->part_count, sizeof *out->parts);
    for (uint32_t i = 0; i < plan->part_count && !exporter->failed; i++) {
        const tenon_primitive *p = &primitives[plan->parts[i]];
        gpb_export_mesh_part(exporter, p, plan->is_mirrored, base, &out->parts[i]);
        base += p->vertex_count;
        if (base > UINT32_MAX)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                                         "meshes[%" PRIu32 "] has too many vertices", mesh);
    }
    out->part_count = plan->part_count;
    if (!exporter->failed) gpb_export_mesh_vertices(exporter, mesh, out);
}
