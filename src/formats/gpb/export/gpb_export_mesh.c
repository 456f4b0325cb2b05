// gpb_export_mesh.c: plans and exports meshes and their parts.
// SPDX-License-Identifier: MIT
//
// A mesh has one list of vertices, all with the same elements, and a part for each primitive.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "scene/model/pieces.h"

#include <inttypes.h>

#define GPB_SHORT_MOST 0xffffu  // The largest index of 16 bits.

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
        gpb_export_count_loss(exporter, GPB_LOSS_MIRRORED, is_copy, "meshes", i);
    }
}

static uint32_t gpb_export_mesh_usages_of(const gpb_exporter *exporter, const tenon_primitive *p)
{
    const tenon_material *material =
        p->material == TENON_NONE ? NULL : &exporter->scene->materials[p->material];
    bool is_lit = tn_piece_size(p->mode) == 3 && (!material || !material->is_unlit);
    bool has_normal_map = is_lit && material && p->uvs[0] &&
                          material->textures[TENON_SLOT_NORMAL].image != TENON_NONE &&
                          material->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    uint32_t usages = 1u << GPB_USE_POSITION;
    if (p->normals || is_lit) usages |= 1u << GPB_USE_NORMAL;
    if (p->tangents || has_normal_map) usages |= 1u << GPB_USE_TANGENT | 1u << GPB_USE_BINORMAL;
    if (p->colors[0]) usages |= 1u << GPB_USE_COLOR;
    for (uint32_t set = 0; set < TENON_UV_SETS; set++)
        if (p->uvs[set]) usages |= 1u << (GPB_USE_TEXCOORD0 + set);
    return usages;
}

void gpb_export_plan_elements(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        gpb_mesh_plan *mesh = &exporter->meshes[i];
        for (uint32_t k = 0; k < mesh->part_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[mesh->parts[k]];
            bool loses_weights = p->influence_count && mesh->is_rigid && !mesh->is_skinned;
            mesh->usages |= gpb_export_mesh_usages_of(exporter, p);
            gpb_export_count_loss(exporter, GPB_LOSS_WEIGHTS, loses_weights, "meshes", i);
            gpb_export_count_loss(exporter, GPB_LOSS_COLORS, p->colors[1] != NULL, "meshes", i);
            gpb_export_count_loss(exporter, GPB_LOSS_TAILS, gpb_export_mesh_tail_of(p), "meshes",
                                  i);
        }
        gpb_export_count_loss(exporter, GPB_LOSS_PARTS,
                              scene->meshes[i].primitive_count - mesh->part_count, "meshes", i);
        if (mesh->is_skinned) mesh->usages |= 1u << GPB_USE_WEIGHTS | 1u << GPB_USE_INDICES;
    }
}

// -- Parts

// Line loops and triangle fans, which a bundle does not support, and mirrored triangles as lists.
static uint32_t *gpb_export_mesh_list_pieces(gpb_exporter *exporter, const tenon_primitive *p,
                                             bool is_mirrored, uint64_t *count)
{
    uint32_t each = tn_piece_size(p->mode), v[3] = {0};
    uint64_t pieces = tn_piece_count(p);
    uint32_t *indices = gpb_export_alloc(exporter, pieces, each * sizeof *indices);
    for (uint64_t i = 0; indices && i < pieces; i++) {
        tn_piece_at(p, i, v);
        for (uint32_t k = 0; k < each; k++)
            indices[each * i + k] = v[is_mirrored && k ? each - k : k];
    }
    *count = pieces * each;
    return indices;
}

// Primitive types are the numbers of OpenGL, in files and in scenes. Indices have 16 bits if that
// is enough.
static void gpb_export_mesh_part(gpb_exporter *exporter, const tenon_primitive *p, bool is_mirrored,
                                 uint64_t base, tenon_gpb_part *part)
{
    is_mirrored = is_mirrored && tn_piece_size(p->mode) == 3;
    bool is_listed = is_mirrored || p->mode == TENON_LINE_LOOP || p->mode == TENON_TRIANGLE_FAN;
    uint64_t count = p->index_count - gpb_export_mesh_tail_of(p), top = 0;
    const uint32_t *indices =
        is_listed ? gpb_export_mesh_list_pieces(exporter, p, is_mirrored, &count) : p->indices;
    if (exporter->failed) return;
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
    part->primitive_type = !is_listed                   ? (uint32_t)p->mode
                           : p->mode == TENON_LINE_LOOP ? (uint32_t)TENON_LINES
                                                        : (uint32_t)TENON_TRIANGLES;
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
    if (!exporter->failed) gpb_export_vertices(exporter, mesh, out);
}
