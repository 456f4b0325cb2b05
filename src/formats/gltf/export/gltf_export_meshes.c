// gltf_export_meshes.c: meshes and their parts.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>

#define EMPTY (TENON_NONE - 1)  // The mesh has nothing to draw.

// How many of `count` vertices or indices form complete points, lines or triangles.
static uint32_t gltf_whole(tenon_mode mode, uint32_t count)
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

// -- Streams

static uint32_t gltf_add_stream(gltf_exporter *w, gltf_stream stream, const float *data,
                                uint32_t count)
{
    uint32_t width = gltf_stream_width(stream);
    uint32_t *place = data ? gltf_know(w, stream, data, NULL, count, width) : NULL;
    if (!place) return TENON_NONE;
    if (*place == TENON_NONE) *place = gltf_add_accessor(w, stream, data, count, width);
    return *place;
}

// Sets of texture coordinates are numbered without gaps: a missing set is a copy of the next one.
static void gltf_add_uvs(gltf_exporter *w, gltf_primitive *out, uint32_t count, uint32_t mesh)
{
    for (int k = 0; k < TENON_UV_SETS; k++)
        out->uvs[k] = gltf_add_stream(w, GLTF_UVS, out->source->uvs[k], count);
    for (int k = TENON_UV_SETS - 1; k > 0; k--) {
        if (out->uvs[k] == TENON_NONE || out->uvs[k - 1] != TENON_NONE) continue;
        out->uvs[k - 1] = out->uvs[k];
        gltf_report_loss(w, GLTF_LOST_UV_GAPS, 1, "meshes", mesh);
    }
}

static void gltf_add_colors(gltf_exporter *w, gltf_primitive *out, uint32_t count, uint32_t mesh)
{
    const tenon_primitive *p = out->source;
    for (int k = 0; k < TENON_COLOR_SETS; k++) {
        bool is_next = p->colors[k] && (k == 0 || p->colors[k - 1]);
        if (p->colors[k] && !is_next) gltf_report_loss(w, GLTF_LOST_COLOR_SETS, 1, "meshes", mesh);
        out->colors[k] = is_next ? gltf_colors_of(w, p->colors[k], count, mesh) : TENON_NONE;
    }
}

// 0xffff is not a valid 16-bit index: it means primitive restart.
static uint32_t gltf_add_indices(gltf_exporter *w, const tenon_primitive *p, uint32_t count)
{
    gltf_stream stream = p->vertex_count <= UINT16_MAX ? GLTF_INDICES16 : GLTF_INDICES32;
    uint32_t *place = gltf_know(w, stream, p->indices, NULL, count, 1);
    if (!place) return TENON_NONE;
    if (*place == TENON_NONE) *place = gltf_add_accessor(w, stream, p->indices, count, 1);
    return *place;
}

// -- Materials of a primitive

// The textures that the primitive has texture coordinates for. Normal textures also need normals,
// and tangents or triangles to compute them.
static uint32_t gltf_usable_slots(gltf_exporter *w, const tenon_primitive *p, uint32_t mesh)
{
    const tenon_material *m = &w->scene->materials[p->material];
    uint32_t slots = 0;
    for (uint32_t slot = 0; slot <= TENON_SLOT_EMISSIVE; slot++) {
        const tenon_texture *t = &m->textures[slot];
        bool needs_tangents = slot == TENON_SLOT_NORMAL;
        if (t->image == TENON_NONE) continue;
        if (!p->uvs[t->uv_set])
            gltf_report_loss(w, GLTF_LOST_TEXTURES, 1, "meshes", mesh);
        else if (needs_tangents && (!p->normals || (!p->tangents && p->mode < TENON_TRIANGLES)))
            gltf_report_loss(w, GLTF_LOST_NORMAL_TEXTURES, 1, "meshes", mesh);
        else
            slots |= 1u << slot;
    }
    return slots;
}

// -- Meshes

// Returns false if there is nothing to draw.
static bool gltf_plan_primitive(gltf_exporter *w, const tenon_primitive *p, uint32_t mesh,
                                bool is_skinned)
{
    uint32_t drawn = p->indices ? p->index_count : p->vertex_count;
    uint32_t whole = p->vertex_count ? gltf_whole(p->mode, drawn) : 0;
    if (!whole) return false;
    gltf_report_loss(w, GLTF_LOST_TAILS, drawn - whole, "meshes", mesh);
    uint32_t count = p->indices ? p->vertex_count : whole;
    gltf_primitive out = {.source = p, .material = TENON_NONE, .indices = TENON_NONE};
    if (p->indices) out.indices = gltf_add_indices(w, p, whole);
    out.positions = gltf_positions_of(w, p->positions, count);
    out.normals = gltf_add_stream(w, GLTF_NORMALS, p->normals, count);
    out.tangents = p->normals ? gltf_add_stream(w, GLTF_TANGENTS, p->tangents, count) : TENON_NONE;
    gltf_add_uvs(w, &out, count, mesh);
    gltf_add_colors(w, &out, count, mesh);
    if (is_skinned)
        gltf_influences_of(w, &out, count);
    else if (p->influence_count)
        gltf_report_loss(w, GLTF_LOST_WEIGHTS, 1, "meshes", mesh);
    if (p->material != TENON_NONE)
        out.material = gltf_material_for(w, p->material, gltf_usable_slots(w, p, mesh));
    uint32_t index = gltf_grow(w, (void **)(void *)&w->primitives, &w->primitive_count,
                               &w->primitive_room, sizeof *w->primitives);
    if (index != TENON_NONE) w->primitives[index] = out;
    return true;
}

static uint32_t gltf_plan_mesh(gltf_exporter *w, uint32_t source, bool is_skinned)
{
    const tenon_mesh *mesh = &w->scene->meshes[source];
    uint32_t first = w->primitive_count;
    for (uint32_t i = 0; i < mesh->primitive_count && !w->failed; i++)
        if (!gltf_plan_primitive(w, &mesh->primitives[i], source, is_skinned))
            gltf_report_loss(w, GLTF_LOST_PARTS, 1, "meshes", source);
    if (w->primitive_count == first || w->failed) return EMPTY;
    uint32_t index =
        gltf_grow(w, (void **)(void *)&w->meshes, &w->mesh_count, &w->mesh_room, sizeof *w->meshes);
    if (index != TENON_NONE)
        w->meshes[index] = (gltf_mesh){source, first, w->primitive_count - first};
    return index;
}

uint32_t gltf_mesh_for(gltf_exporter *w, uint32_t source, bool is_skinned)
{
    uint32_t *place = is_skinned ? &w->skinned[source] : &w->plain[source];
    if (w->failed) return TENON_NONE;
    if (*place == TENON_NONE) *place = gltf_plan_mesh(w, source, is_skinned);
    return *place == EMPTY ? TENON_NONE : *place;
}

static bool is_made(uint32_t index)
{
    return index != TENON_NONE && index != EMPTY;
}

void gltf_end_meshes(gltf_exporter *w)
{
    for (uint32_t i = 0; i < w->scene->mesh_count && !w->failed; i++)
        if (!is_made(w->plain[i]) && !is_made(w->skinned[i]))
            gltf_report_loss(w, GLTF_LOST_MESHES, 1, "meshes", i);
}

// -- Text

static void gltf_put_set(gltf_exporter *w, const char *name, uint32_t set, uint32_t accessor)
{
    char key[24];
    (void)snprintf(key, sizeof key, "%s_%u", name, (unsigned)set);
    gltf_put_index(w, key, accessor);
}

static void gltf_put_attributes(gltf_exporter *w, const gltf_primitive *p)
{
    gltf_open_object(w, "attributes");
    gltf_put_index(w, "POSITION", p->positions);
    gltf_put_index(w, "NORMAL", p->normals);
    gltf_put_index(w, "TANGENT", p->tangents);
    for (uint32_t k = 0; k < TENON_UV_SETS; k++) gltf_put_set(w, "TEXCOORD", k, p->uvs[k]);
    for (uint32_t k = 0; k < TENON_COLOR_SETS; k++) gltf_put_set(w, "COLOR", k, p->colors[k]);
    for (uint32_t k = 0; k < p->set_count; k++) gltf_put_set(w, "JOINTS", k, p->joints + k);
    for (uint32_t k = 0; k < p->set_count; k++) gltf_put_set(w, "WEIGHTS", k, p->weights + k);
    gltf_close_object(w);
}

static void gltf_put_primitive(gltf_exporter *w, const gltf_primitive *p)
{
    gltf_open_object(w, NULL);
    gltf_put_attributes(w, p);
    gltf_put_index(w, "indices", p->indices);
    gltf_put_index(w, "material", p->material);
    if (p->source->mode != TENON_TRIANGLES) gltf_put_index(w, "mode", (uint32_t)p->source->mode);
    gltf_close_object(w);
}

void gltf_put_meshes(gltf_exporter *w)
{
    if (!w->mesh_count) return;
    gltf_open_array(w, "meshes");
    for (uint32_t i = 0; i < w->mesh_count; i++) {
        const gltf_mesh *mesh = &w->meshes[i];
        gltf_open_object(w, NULL);
        gltf_put_name(w, w->scene->meshes[mesh->source].name);
        gltf_open_array(w, "primitives");
        for (uint32_t k = 0; k < mesh->count; k++)
            gltf_put_primitive(w, &w->primitives[mesh->first + k]);
        gltf_close_array(w);
        gltf_put_extras(w, TENON_EXTRA_OF_MESH, mesh->source);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}
