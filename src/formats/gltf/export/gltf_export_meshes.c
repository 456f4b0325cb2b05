// gltf_export_meshes.c: meshes and their parts.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>

#define EMPTY (TENON_NONE - 1)  // The mesh has nothing to draw.

// How many of `count` vertices or indices form complete points, lines or triangles.
static uint32_t gltf_export_meshes_whole(tenon_mode mode, uint32_t count)
{
    switch (mode) {
    case TENON_POINTS:
        return count;
    case TENON_LINES:
        return count - count % 2;
    case TENON_TRIANGLES:
        return count - count % 3;
    case TENON_LINE_LOOP:
    case TENON_LINE_STRIP:
        return count < 2 ? 0 : count;
    default:
        return count < 3 ? 0 : count;
    }
}

// -- Primitives

static uint32_t gltf_export_meshes_add_stream(gltf_exporter *exporter, gltf_stream stream,
                                              const void *data, uint32_t count)
{
    uint32_t width = gltf_export_stream_width(stream);
    uint32_t *place =
        data ? gltf_export_find_planned(exporter, stream, data, NULL, count, width) : NULL;
    if (!place) return TENON_NONE;
    if (*place == TENON_NONE)
        *place = gltf_export_add_accessor(exporter, stream, data, count, width);
    return *place;
}

// The textures that the primitive has texture coordinates for. Normal textures also need normals,
// and tangents or triangles to compute them.
static uint32_t gltf_export_meshes_usable_slots(gltf_exporter *exporter, const tenon_primitive *p,
                                                uint32_t mesh)
{
    const tenon_material *material = &exporter->scene->materials[p->material];
    bool can_have_tangents = p->normals && (p->tangents || p->mode >= TENON_TRIANGLES);
    uint32_t slots = 0;
    for (uint32_t slot = 0; slot <= TENON_SLOT_EMISSIVE; slot++) {
        const tenon_texture *texture = &material->textures[slot];
        if (texture->image == TENON_NONE) continue;
        if (!p->uvs[texture->uv_set])
            tn_tally_at(&exporter->losses[GLTF_LOST_TEXTURES], 1, "meshes", mesh);
        else if (slot == TENON_SLOT_NORMAL && !can_have_tangents)
            tn_tally_at(&exporter->losses[GLTF_LOST_NORMAL_TEXTURES], 1, "meshes", mesh);
        else
            slots |= 1u << slot;
    }
    return slots;
}

// Returns false if there is nothing to draw.
static bool gltf_export_meshes_plan_primitive(gltf_exporter *exporter, const tenon_primitive *p,
                                              uint32_t mesh, bool is_skinned)
{
    uint32_t drawn = p->indices ? p->index_count : p->vertex_count;
    uint32_t whole = p->vertex_count ? gltf_export_meshes_whole(p->mode, drawn) : 0;
    if (!whole) return false;
    tn_tally_at(&exporter->losses[GLTF_LOST_VERTICES], drawn - whole, "meshes", mesh);
    uint32_t count = p->indices ? p->vertex_count : whole;
    gltf_primitive out = {.source = p, .material = TENON_NONE};
    // 0xffff is not a valid 16-bit index: it means primitive restart.
    gltf_stream indices = p->vertex_count <= UINT16_MAX ? GLTF_INDICES16 : GLTF_INDICES32;
    out.indices = gltf_export_meshes_add_stream(exporter, indices, p->indices, whole);
    out.positions = gltf_export_add_positions(exporter, p->positions, count);
    out.normals = gltf_export_meshes_add_stream(exporter, GLTF_NORMALS, p->normals, count);
    out.tangents = gltf_export_meshes_add_stream(exporter, GLTF_TANGENTS,
                                                 p->normals ? p->tangents : NULL, count);
    for (int k = 0; k < TENON_UV_SETS; k++)
        out.uvs[k] = gltf_export_meshes_add_stream(exporter, GLTF_UVS, p->uvs[k], count);
    // Sets are numbered without gaps: a missing set of texture coordinates is a copy of the next.
    for (int k = TENON_UV_SETS - 1; k > 0; k--) {
        if (out.uvs[k] == TENON_NONE || out.uvs[k - 1] != TENON_NONE) continue;
        out.uvs[k - 1] = out.uvs[k];
        tn_tally_at(&exporter->losses[GLTF_LOST_UV_GAPS], 1, "meshes", mesh);
    }
    for (int k = 0; k < TENON_COLOR_SETS; k++) {
        out.colors[k] = TENON_NONE;
        if (!p->colors[k]) continue;
        if (k == 0 || p->colors[k - 1])
            out.colors[k] = gltf_export_add_colors(exporter, p->colors[k], count, mesh);
        else
            tn_tally_at(&exporter->losses[GLTF_LOST_COLOR_SETS], 1, "meshes", mesh);
    }
    if (is_skinned)
        gltf_export_add_influences(exporter, &out, count);
    else if (p->influence_count)
        tn_tally_at(&exporter->losses[GLTF_LOST_WEIGHTS], 1, "meshes", mesh);
    if (p->material != TENON_NONE)
        out.material = gltf_export_material_for(exporter, p->material,
                                                gltf_export_meshes_usable_slots(exporter, p, mesh));
    uint32_t index = gltf_export_grow(exporter, (void **)(void *)&exporter->primitives,
                                      &exporter->primitive_count, &exporter->primitive_room,
                                      sizeof *exporter->primitives);
    if (index != TENON_NONE) exporter->primitives[index] = out;
    return true;
}

// -- Meshes

uint32_t gltf_export_mesh_for(gltf_exporter *exporter, uint32_t source, bool is_skinned)
{
    if (exporter->failed) return TENON_NONE;
    uint32_t *place =
        is_skinned ? &exporter->skinned_mesh_of[source] : &exporter->plain_mesh_of[source];
    if (*place != TENON_NONE) return *place == EMPTY ? TENON_NONE : *place;
    const tenon_mesh *mesh = &exporter->scene->meshes[source];
    uint32_t first = exporter->primitive_count;
    for (uint32_t i = 0; i < mesh->primitive_count && !exporter->failed; i++)
        if (!gltf_export_meshes_plan_primitive(exporter, &mesh->primitives[i], source, is_skinned))
            tn_tally_at(&exporter->losses[GLTF_LOST_PARTS], 1, "meshes", source);
    uint32_t count = exporter->primitive_count - first;
    *place = EMPTY;
    if (count == 0 || exporter->failed) return TENON_NONE;
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->meshes, &exporter->mesh_count,
                         &exporter->mesh_room, sizeof *exporter->meshes);
    if (index != TENON_NONE) exporter->meshes[index] = (gltf_mesh){source, first, count};
    return *place = index;
}

void gltf_export_report_unused_meshes(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->scene->mesh_count && !exporter->failed; i++) {
        bool has_plain = exporter->plain_mesh_of[i] < EMPTY;
        bool has_skinned = exporter->skinned_mesh_of[i] < EMPTY;
        tn_tally_at(&exporter->losses[GLTF_LOST_MESHES], !has_plain && !has_skinned, "meshes", i);
    }
}

// -- Text

static void gltf_export_meshes_set(gltf_exporter *exporter, const char *name, uint32_t set,
                                   uint32_t accessor)
{
    char key[24];
    (void)snprintf(key, sizeof key, "%s_%u", name, (unsigned)set);
    gltf_export_index(exporter, key, accessor);
}

void gltf_export_write_mesh(gltf_exporter *exporter, uint32_t index)
{
    const gltf_mesh *mesh = &exporter->meshes[index];
    gltf_export_name(exporter, exporter->scene->meshes[mesh->source].name);
    gltf_export_begin_array(exporter, "primitives");
    for (uint32_t k = 0; k < mesh->count; k++) {
        const gltf_primitive *p = &exporter->primitives[mesh->first + k];
        gltf_export_begin_object(exporter, NULL);
        gltf_export_begin_object(exporter, "attributes");
        gltf_export_index(exporter, "POSITION", p->positions);
        gltf_export_index(exporter, "NORMAL", p->normals);
        gltf_export_index(exporter, "TANGENT", p->tangents);
        for (uint32_t n = 0; n < TENON_UV_SETS; n++)
            gltf_export_meshes_set(exporter, "TEXCOORD", n, p->uvs[n]);
        for (uint32_t n = 0; n < TENON_COLOR_SETS; n++)
            gltf_export_meshes_set(exporter, "COLOR", n, p->colors[n]);
        for (uint32_t n = 0; n < p->set_count; n++)
            gltf_export_meshes_set(exporter, "JOINTS", n, p->joints + n);
        for (uint32_t n = 0; n < p->set_count; n++)
            gltf_export_meshes_set(exporter, "WEIGHTS", n, p->weights + n);
        gltf_export_end_object(exporter);
        gltf_export_index(exporter, "indices", p->indices);
        gltf_export_index(exporter, "material", p->material);
        if (p->source->mode != TENON_TRIANGLES)
            gltf_export_index(exporter, "mode", (uint32_t)p->source->mode);
        gltf_export_end_object(exporter);
    }
    gltf_export_end_array(exporter);
    gltf_export_extras(exporter, TENON_EXTRA_OF_MESH, mesh->source);
}
