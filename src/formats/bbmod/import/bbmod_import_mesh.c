// bbmod_import_mesh.c: the meshes of a BBMOD model: welding vertices, streams, indices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"

#include <string.h>

#define PROBES_MOST 128  // Slots of the hash table that are tried for one vertex.

// -- Meshes to import

// The tally for a mesh that is not imported; NULL if it is.
static tn_tally *bbmod_import_mesh_reason_to_drop(bbmod_importer *importer, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = importer->view.meshes[index].mesh;
    if (importer->mesh_plans[index].use_count == 0) return &importer->tallies.unused;
    if (mesh->vertices.count == 0 && mesh->bare_vertex_count == 0) return &importer->tallies.empty;
    if (!bbmod_vertices_element(&mesh->vertices, "position"))
        return &importer->tallies.without_positions;
    if (!bbmod_vertices_primitive(mesh->primitive_type)) return &importer->tallies.unknown;
    return bbmod_vertices_piece_count(mesh) ? NULL : &importer->tallies.empty;
}

bool bbmod_import_select_meshes(bbmod_importer *importer)
{
    const bbmod_tree *nodes = &importer->view.nodes;
    uint32_t mesh_count = importer->view.mesh_count;
    bbmod_mesh_plan *mesh_plans = bbmod_import_scratch(importer, mesh_count, sizeof *mesh_plans);
    importer->mesh_plans = mesh_plans;
    if (!mesh_plans) return false;
    bool has_refs = nodes->count && nodes->items[0].node;  // Versions 2 and 3.
    tn_tally unknown = {0};
    for (uint32_t n = 0; has_refs && n < nodes->count; n++) {
        const tenon_span *refs = &nodes->items[n].node->meshes;
        for (uint64_t i = 0; i < refs->count; i++) {
            uint32_t mesh = tn_span_u32(refs, i);
            if (mesh < mesh_count)
                mesh_plans[mesh].use_count++;
            else
                bbmod_import_tally_item(&unknown, nodes, n);
        }
    }
    tn_tally_report(importer->builder, &unknown, TENON_DROPPED, "references to meshes",
                    "the meshes do not exist");
    bool some_skinned = false;
    for (uint32_t i = 0; i < mesh_count; i++) {
        const tenon_span *vertices = &importer->view.meshes[i].mesh->vertices;
        if (!has_refs) mesh_plans[i].use_count = 1;
        tn_tally *reason = bbmod_import_mesh_reason_to_drop(importer, i);
        if (reason) bbmod_import_tally_mesh(importer, reason, 1, i);
        mesh_plans[i].shared = TENON_NONE;
        mesh_plans[i].is_shown = !reason;
        mesh_plans[i].is_skinned = !reason && bbmod_vertices_element(vertices, "bone_indices");
        some_skinned = some_skinned || mesh_plans[i].is_skinned;
    }
    return some_skinned;
}

// -- Welding

// The vertex of each corner of a mesh, and the first corner of each vertex. Vertices are numbered
// in the order of these.
typedef struct bbmod_weld {
    uint32_t *numbers, *firsts;
    uint32_t vertex_count;
} bbmod_weld;

// Corners with the same bits are one vertex. The number of probes in the hash table is limited, so
// a file that provokes collisions gets some duplicate vertices, but does not take long.
static bool bbmod_import_weld_mesh(bbmod_importer *importer, const tenon_span *corners,
                                   bbmod_weld *weld)
{
    uint64_t size = 16, stride = corners->layout->stride;
    while (size < 2 * corners->count) size *= 2;
    *weld = (bbmod_weld){0};
    if (corners->count >= TENON_NONE)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                             "a mesh has too many vertices");
    weld->numbers = bbmod_import_scratch(importer, corners->count, sizeof *weld->numbers);
    weld->firsts = bbmod_import_scratch(importer, corners->count, sizeof *weld->firsts);
    uint32_t *table = bbmod_import_scratch(importer, size, sizeof *table);  // Vertex + 1; 0: empty.
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < corners->count; i++) {
        const uint8_t *record = tn_span_record(corners, i);
        // Fibonacci hashing word by word: the size of records is a multiple of 4.
        uint64_t at = stride;
        for (uint64_t k = 0; k < stride; k += 4) {
            at = (at ^ tn_load32(record + k, false)) * UINT64_C(0x9e3779b97f4a7c15);
            at ^= at >> 32;
        }
        weld->numbers[i] = TENON_NONE;
        for (int probes = 0; probes < PROBES_MOST; probes++, at++) {
            uint32_t *entry = &table[at & (size - 1)];
            if (*entry == 0) {
                *entry = weld->vertex_count + 1;
                break;
            }
            const uint8_t *other = tn_span_record(corners, weld->firsts[*entry - 1]);
            if (memcmp(other, record, (size_t)stride) == 0) {
                weld->numbers[i] = *entry - 1;
                break;
            }
        }
        if (weld->numbers[i] != TENON_NONE) continue;
        weld->firsts[weld->vertex_count] = i;
        weld->numbers[i] = weld->vertex_count++;
    }
    return true;
}

// -- Streams

// In version 0 and in the format's document, blue is first.
static void bbmod_import_mesh_gather_colors(bbmod_importer *importer, const tenon_span *corners,
                                            const bbmod_weld *weld, float *color)
{
    const tenon_element *element = bbmod_vertices_element(corners, "color");
    bool is_swapped =
        bbmod_tree_is_v0_doc(importer->doc) || bbmod_tree_has(importer->doc, TENON_BBMOD_DOCUMENT);
    for (uint32_t i = 0; i < weld->vertex_count; i++, color += 4) {
        const uint8_t *bytes = tn_span_record(corners, weld->firsts[i]) + element->offset;
        color[0] = importer->linear_levels[bytes[is_swapped ? 2 : 0]];
        color[1] = importer->linear_levels[bytes[1]];
        color[2] = importer->linear_levels[bytes[is_swapped ? 0 : 2]];
        color[3] = (float)(bytes[3] / 255.0);
    }
}

// Dialects without weights: the first bone has the weight 1.
static void bbmod_import_mesh_set_joints(bbmod_importer *importer, const tn_vertices *from,
                                         tenon_primitive *p, uint32_t mesh)
{
    bool has_weights = from->streams[TN_WEIGHTS].count > 0;
    uint64_t unknown = 0;  // Influences of bones that do not exist.
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        float slots[4], *weights = p->weights + 4 * (size_t)i;
        uint16_t *joints = p->joints + 4 * (size_t)i;
        if (!has_weights) weights[0] = 1;
        tn_read_stream(from, TN_JOINTS, i, 1, slots);
        for (int k = 0; k < 4; k++) {
            uint32_t slot = bbmod_tree_slot(slots[k], importer->rig.joint_count);
            uint32_t joint = slot == TENON_NONE ? TENON_NONE : importer->joint_of_slot[slot];
            bool is_used = weights[k] > 0;
            unknown += is_used && joint == TENON_NONE;
            if (!is_used || joint == TENON_NONE) weights[k] = 0;
            joints[k] = weights[k] > 0 ? (uint16_t)joint : 0;
        }
    }
    bbmod_import_tally_mesh(importer, &importer->tallies.influences, unknown, mesh);
    if (!has_weights)
        bbmod_import_tally_mesh(importer, &importer->tallies.without_weights, p->vertex_count,
                                mesh);
    if (importer->rig.is_rigid)
        bbmod_import_tally_mesh(importer, &importer->tallies.blended, 1, mesh);
}

// -- Primitives

void bbmod_import_fill_primitive(bbmod_importer *importer, uint32_t index, tenon_primitive *p)
{
    const tenon_bbmod *doc = importer->doc;
    const tenon_bbmod_mesh *mesh = importer->view.meshes[index].mesh;
    const tenon_span *vertices = &mesh->vertices;
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    uint64_t count = bbmod_vertices_piece_count(mesh);
    bbmod_mesh_tallies *tallies = &importer->tallies;
    tn_mark mark = tn_arena_mark(importer->scratch);
    bbmod_weld weld;
    if (!bbmod_import_weld_mesh(importer, vertices, &weld)) return;
    p->mode = primitive->mode;
    p->material = importer->mesh_plans[index].material;
    tn_vertices from = bbmod_vertices_streams(vertices);
    from.count = weld.vertex_count;
    from.records = weld.firsts;
    bool has_colors = bbmod_vertices_element(vertices, "color") != NULL;
    tn_import_vertices(importer->builder, &from,
                       p->mode == TENON_LINE_STRIP ? count + 1 : count * primitive->size,
                       (importer->mesh_plans[index].is_skinned ? TN_WITH_SKIN : 0u) |
                           (has_colors ? TN_WITH_COLOR : 0u),
                       p);
    if (importer->builder->failed) return;
    if (has_colors) bbmod_import_mesh_gather_colors(importer, vertices, &weld, p->colors[0]);
    if (p->influence_count) bbmod_import_mesh_set_joints(importer, &from, p, index);
    // Strips and fans become lists, so that the winding can be reversed.
    for (uint64_t t = 0; p->mode == TENON_TRIANGLES && t < count; t++) {
        uint64_t corners[3];
        bbmod_vertices_triangle_corners(mesh, t, corners);
        p->indices[3 * t] = weld.numbers[corners[0]];
        p->indices[3 * t + 1] = weld.numbers[corners[2]];
        p->indices[3 * t + 2] = weld.numbers[corners[1]];
    }
    if (p->mode != TENON_TRIANGLES)
        memcpy(p->indices, weld.numbers, p->index_count * sizeof *p->indices);
    tn_arena_rewind(importer->scratch, mark);
    bbmod_import_tally_mesh(importer, &tallies->partial, vertices->count % primitive->step, index);
    if (bbmod_vertices_element(vertices, "instance_id"))
        bbmod_import_tally_mesh(importer, &tallies->ids, vertices->count, index);
    if (bbmod_tree_has(doc, TENON_BBMOD_NESTED | TENON_BBMOD_DOCUMENT) && has_colors)
        bbmod_import_tally_mesh(importer, &tallies->colors, vertices->count, index);
    // Version 0 has no materials.
    if (!bbmod_tree_is_v0_doc(doc) && mesh->material_index >= doc->material_count)
        bbmod_import_tally_mesh(importer, &tallies->materials, 1, index);
}

void bbmod_import_report_meshes(const bbmod_importer *importer)
{
    const bbmod_mesh_tallies *tallies = &importer->tallies;
    tn_scene_builder *builder = importer->builder;
    tn_tally_report(builder, &tallies->unused, TENON_DROPPED, "meshes", "not used by any node");
    tn_tally_report(builder, &tallies->empty, TENON_DROPPED, "meshes", "empty");
    tn_tally_report(builder, &tallies->without_positions, TENON_DROPPED, "meshes",
                    "their vertices have no positions");
    tn_tally_report(builder, &tallies->unknown, TENON_DROPPED, "meshes", "unknown primitive type");
    tn_tally_report(builder, &tallies->partial, TENON_DROPPED, "vertices",
                    "left over after the last complete triangle or line");
    tn_tally_report(builder, &tallies->ids, TENON_DROPPED, "instance ids",
                    "not supported by scenes");
    tn_tally_report(builder, &tallies->materials, TENON_DROPPED, "references to materials",
                    "the materials do not exist");
    tn_tally_report(builder, &tallies->influences, TENON_DROPPED, "influences",
                    "the bones do not exist");
    tn_tally_report(builder, &tallies->without_bones, TENON_DROPPED, "bone weights",
                    "the model has no bones");
    tn_tally_report(builder, &tallies->without_weights, TENON_SYNTHESIZED, "bone weights",
                    "this dialect does not store weights; the first bone has weight 1");
    bool is_text = bbmod_tree_has(importer->doc, TENON_BBMOD_DOCUMENT);
    tn_tally_report(builder, &tallies->colors, TENON_DEFAULTED, "vertex colors",
                    is_text ? "read as documented: a 32-bit ARGB number whose lowest byte is blue"
                            : "assumed red first (releases before 2.0.6 stored blue first, but the "
                              "file does not say which)");
    tn_tally_report(builder, &tallies->blended, TENON_APPROXIMATED, "dual-quaternion skinning",
                    "the engine blends dual quaternions, other formats blend matrices");
}
