// finish_meshes.c: give the streams of meshes the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_finish.h"

#include "core/cursor/wide.h"
#include "scene/model/pieces.h"
#include "scene/surface/surface.h"

#include <math.h>
#include <string.h>

typedef struct mesh_tallies {
    tn_tally not_finite, indices, normals, tangents, colors, offsets;
} mesh_tallies;

// -- Indices

static bool finish_meshes_all_below(const uint32_t *indices, uint32_t count, uint32_t limit)
{
    return count == 0 || tn_loops_here()->top((const uint8_t *)indices, count) < limit;
}

// Keep the points, lines or triangles whose vertices exist; strips, fans and loops end at the first
// vertex that does not. Returns how many were dropped.
static uint64_t finish_meshes_indices(tenon_primitive *p)
{
    if (!p->indices) {
        // Vertices after the last whole triangle are not drawn: they may stay.
        p->index_count = 0;
        return 0;
    }
    bool is_list = p->mode == TENON_POINTS || p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint32_t size = is_list ? tn_piece_size(p->mode) : 1;
    bool is_whole = p->index_count % size == 0;
    if (is_whole && finish_meshes_all_below(p->indices, p->index_count, p->vertex_count)) return 0;
    p->polygon_count = 0;
    p->polygon_sizes = NULL;
    uint32_t kept = 0, count = p->index_count / size * size;
    uint64_t dropped = !is_whole;
    for (uint32_t i = 0; i < count; i += size) {
        if (finish_meshes_all_below(p->indices + i, size, p->vertex_count)) {
            if (kept != i) memmove(p->indices + kept, p->indices + i, size * sizeof *p->indices);
            kept += size;
        } else if (is_list) {
            dropped++;
        } else {
            dropped = count - kept;
            break;
        }
    }
    p->index_count = kept;
    return dropped;
}

// -- Directions

// Scale `each` numbers, of which the first three are a direction, to length 1. Returns how many
// have no direction; these are 0.
static uint64_t finish_meshes_make_unit(float *values, uint32_t count, uint32_t each)
{
    uint64_t without = 0;
    if (each == 3 && tn_loops_here()->are_units(values, count, 3)) return 0;
    for (uint32_t i = 0; i < count; i++) {
        float *v = values + (size_t)i * each;
        double x = v[0], y = v[1], z = v[2], square = x * x + y * y + z * z;
        // Directions of length 1, as exactly as floats allow, keep their bits.
        if (square > 1 - 2e-7 && square < 1 + 2e-7) continue;
        double length = sqrt(square);
        without += !(length > 0);
        double factor = length > 0 ? 1 / length : 0;
        v[0] = (float)(x * factor), v[1] = (float)(y * factor), v[2] = (float)(z * factor);
    }
    return without;
}

// Vertices without a normal get that of the faces around them; those without a face get +Y.
static void finish_meshes_rebuild_normals(tn_scene_builder *builder, tenon_primitive *p)
{
    tn_mark mark = tn_arena_mark(builder->arena);
    float *smooth = tn_scene_array(builder, p->vertex_count, 3 * sizeof *smooth);
    if (builder->failed) return;
    if (!tn_smooth_normals(p, builder->arena, &builder->pulse, smooth)) {
        if (builder->pulse.stopped)
            (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
        (void)tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        float *n = p->normals + 3 * (size_t)i;
        bool is_missing = n[0] == 0 && n[1] == 0 && n[2] == 0;
        if (is_missing) memcpy(n, smooth + 3 * (size_t)i, 3 * sizeof *n);
    }
    tn_arena_rewind(builder->arena, mark);
}

// -- Primitives

// Morph targets keep offsets of streams that the primitive has. Returns how many numbers were not
// finite.
static uint64_t finish_meshes_morphs(tenon_primitive *p, tn_tally *dropped, uint32_t mesh)
{
    uint64_t wrong = 0, n = 3 * (uint64_t)p->vertex_count;
    for (uint32_t i = 0; i < p->morph_count; i++) {
        tenon_morph *morph = &p->morphs[i];
        bool is_extra = (morph->normals && !p->normals) || (morph->tangents && !p->tangents);
        tn_tally_at(dropped, is_extra, "meshes", mesh);
        if (!p->normals) morph->normals = NULL;
        if (!p->tangents) morph->tangents = NULL;
        if (morph->positions) wrong += tn_make_finite(morph->positions, n);
        if (morph->normals) wrong += tn_make_finite(morph->normals, n);
        if (morph->tangents) wrong += tn_make_finite(morph->tangents, n);
    }
    return wrong;
}

static void finish_meshes_primitive(tn_scene_builder *builder, uint32_t mesh, uint32_t index,
                                    mesh_tallies *tallies)
{
    tenon_primitive *p = &builder->scene->meshes[mesh].primitives[index];
    uint64_t n = p->vertex_count, wrong = tn_make_finite(p->positions, 3 * n);
    if (p->material >= builder->scene->material_count) p->material = TENON_NONE;
    tn_tally_in(&tallies->indices, finish_meshes_indices(p), "meshes", mesh, "primitives", index);
    if (p->normals) wrong += tn_make_finite(p->normals, 3 * n);
    if (p->tangents) wrong += tn_make_finite(p->tangents, 4 * n);
    for (int k = 0; k < TENON_UV_SETS; k++)
        if (p->uvs[k]) wrong += tn_make_finite(p->uvs[k], 2 * n);
    for (int k = 0; k < TENON_COLOR_SETS; k++) {
        if (!p->colors[k]) continue;
        wrong += tn_make_finite(p->colors[k], 4 * n);
        uint64_t clamped = 0;
        for (uint64_t i = 0; i < 4 * n; i++) {
            float before = p->colors[k][i], after = before < 0 ? 0 : before > 1 ? 1 : before;
            clamped += after != before;
            p->colors[k][i] = after;
        }
        tn_tally_in(&tallies->colors, clamped, "meshes", mesh, "primitives", index);
    }
    tn_tally_in(&tallies->not_finite, wrong, "meshes", mesh, "primitives", index);
    if (p->normals) {
        uint64_t without = finish_meshes_make_unit(p->normals, p->vertex_count, 3);
        tn_tally_in(&tallies->normals, without, "meshes", mesh, "primitives", index);
        if (without) finish_meshes_rebuild_normals(builder, p);
    }
    uint64_t without = !p->tangents ? 0
                       : p->normals ? finish_meshes_make_unit(p->tangents, p->vertex_count, 4)
                                    : p->vertex_count;
    tn_tally_in(&tallies->tangents, without, "meshes", mesh, "primitives", index);
    if (!p->normals) p->tangents = NULL;
    for (uint32_t i = 0; p->tangents && i < p->vertex_count; i++) {
        float *t = p->tangents + 4 * (size_t)i;
        t[3] = t[3] < 0 ? -1 : 1;
        if (t[0] == 0 && t[1] == 0 && t[2] == 0) tn_any_tangent(p->normals + 3 * (size_t)i, t);
    }
    if (!p->morphs || p->morph_count != builder->scene->meshes[mesh].morph_count) {
        p->morphs = NULL;
        p->morph_count = 0;
    }
    wrong = finish_meshes_morphs(p, &tallies->offsets, mesh);
    tn_tally_in(&tallies->not_finite, wrong, "meshes", mesh, "primitives", index);
}

void tn_finish_meshes(tn_scene_builder *builder)
{
    mesh_tallies tallies = {0};
    for (uint32_t i = 0; i < builder->scene->mesh_count; i++) {
        const tenon_mesh *mesh = &builder->scene->meshes[i];
        for (uint32_t k = 0; k < mesh->primitive_count && !builder->failed; k++)
            finish_meshes_primitive(builder, i, k, &tallies);
        tn_tally_at(&tallies.not_finite, tn_make_all_finite(mesh->morph_weights, mesh->morph_count),
                    "meshes", i);
    }
    tn_tally_report(builder, &tallies.not_finite, TENON_APPROXIMATED, "numbers of vertices",
                    "numbers that were not finite became 0");
    tn_tally_report(builder, &tallies.indices, TENON_DROPPED, "triangles",
                    "they name vertices that do not exist, or are incomplete");
    tn_tally_report(builder, &tallies.normals, TENON_SYNTHESIZED, "normals",
                    "they had no direction: computed from the faces");
    tn_tally_report(builder, &tallies.tangents, TENON_SYNTHESIZED, "tangents",
                    "they had no direction, or no normal");
    tn_tally_report(builder, &tallies.offsets, TENON_DROPPED, "offsets of morph targets",
                    "they move normals or tangents that the mesh does not have");
    tn_tally_report(builder, &tallies.colors, TENON_APPROXIMATED, "vertex colors",
                    "clamped to 0 to 1");
}
