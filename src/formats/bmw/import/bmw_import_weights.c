// bmw_import_weights.c: the weights of BMW, any number per vertex, as influences of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"

#include <string.h>

#define INFLUENCES_MOST 64u  // Per vertex; known files have up to 11.

// Whether the weight of an influence, which is a node id and a weight, is positive and finite.
static inline bool bmw_import_weights_is_valid(const uint8_t *influence)
{
    return tn_load32(influence + 4, false) - 1 < 0x7f7fffffu;
}

// The node of an influence; NULL if it does not exist or the weight is not valid.
static inline bmw_file_node *bmw_import_weights_node(const bmw_importer *importer,
                                                     const uint8_t *influence)
{
    if (!bmw_import_weights_is_valid(influence)) return NULL;
    return bmw_import_file_node_of(importer, tn_load32(influence, false));
}

// Whether four influences are valid and for the nodes of `last`, four other ones; NULL: there are
// none. This is a fast path for nearly all vertices.
static inline bool bmw_import_weights_repeat(const uint8_t *influences, const uint8_t *last)
{
    if (!last) return false;
    for (size_t i = 0; i < 32; i += 8)
        if (!bmw_import_weights_is_valid(influences + i) ||
            tn_load32(influences + i, false) != tn_load32(last + i, false))
            return false;
    return true;
}

void bmw_import_mark_weights(bmw_importer *importer)
{
    bmw_tallies *tallies = &importer->tallies;
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) {
        bmw_imported_mesh *mesh = &importer->meshes[i];
        if (mesh->file_node == TENON_NONE) continue;
        const tenon_span *span = &importer->doc->meshes[i].weighted_vertices;
        uint64_t vertex_count = importer->doc->meshes[i].vertices.count, least = 0;
        const uint8_t *next = span->data, *last = NULL;
        bool has_four_at_most = true;
        for (uint32_t v = 0; v < span->count; v++) {
            const uint8_t *influence = next + 8;
            uint32_t vertex = tn_load32(next, false), count = tn_load32(next + 4, false), valid = 0;
            next = influence + 8 * (size_t)count;
            has_four_at_most &= vertex >= least && count <= 4;
            least = (uint64_t)vertex + 1;
            if (vertex >= vertex_count) {
                tn_tally_in(&tallies->weights_without_vertex, count, "meshes", i,
                            "weighted_vertices", v);
                continue;
            }
            if (count == 4 && bmw_import_weights_repeat(influence, last)) continue;
            for (; influence < next; influence += 8) {
                bmw_file_node *file_node = bmw_import_weights_node(importer, influence);
                if (file_node) {
                    file_node->is_weighted = mesh->is_skinned = true;
                    valid++;
                    continue;
                }
                bool is_valid = bmw_import_weights_is_valid(influence);
                tn_tally_in(is_valid ? &tallies->weights_without_node : &tallies->invalid_weights,
                            tn_load_f32(influence + 4, false) != 0, "meshes", i,
                            "weighted_vertices", v);
            }
            if (count == 4 && valid == 4) last = next - 32;
        }
        mesh->has_four_at_most = has_four_at_most;
    }
}

// The largest number of influences of a vertex, repeated ones included, rounded up to a multiple
// of 4.
static uint32_t bmw_import_weights_most_influences(bmw_importer *importer, uint32_t mesh)
{
    const tenon_bmw_mesh *from = &importer->doc->meshes[mesh];
    tn_scene_builder *builder = importer->builder;
    tn_mark mark = tn_arena_mark(builder->arena);
    uint32_t *counts = tn_scene_array(builder, from->vertices.count, sizeof *counts), most = 4;
    if (builder->failed) return 0;
    const uint8_t *p = from->weighted_vertices.data;
    for (uint64_t i = 0; i < from->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        const uint8_t *end = p + 8 + 8 * (size_t)count;
        for (p += 8; p < end && vertex < from->vertices.count; p += 8)
            counts[vertex] += bmw_import_weights_node(importer, p) != NULL;
        if (vertex < from->vertices.count && counts[vertex] > most) most = counts[vertex];
        p = end;
    }
    tn_arena_rewind(builder->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

void bmw_import_weights(bmw_importer *importer, uint32_t mesh, tenon_primitive *p)
{
    const tenon_span *span = &importer->doc->meshes[mesh].weighted_vertices;
    tn_scene_builder *builder = importer->builder;
    bool has_four_at_most = importer->meshes[mesh].has_four_at_most;
    uint32_t each = has_four_at_most ? 4 : bmw_import_weights_most_influences(importer, mesh);
    if (builder->failed) return;
    p->joints = tn_scene_array(builder, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(builder, p->vertex_count, each);
    if (builder->failed) return;
    p->influence_count = each;

    const uint8_t *next = span->data, *last = NULL;
    uint16_t last_joints[4] = {0};
    uint64_t complete = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        const uint8_t *influence = next + 8;
        uint32_t vertex = tn_load32(next, false), count = tn_load32(next + 4, false), used = 0;
        next = influence + 8 * (size_t)count;
        if (vertex >= p->vertex_count) continue;
        uint16_t *joints = p->joints + (size_t)vertex * each;
        float *weights = p->weights + (size_t)vertex * each;
        if (count == 4 && bmw_import_weights_repeat(influence, last)) {
            memcpy(joints, last_joints, sizeof last_joints);
            for (size_t k = 0; k < 4; k++) weights[k] = tn_load_f32(influence + 8 * k + 4, false);
            complete++;
            continue;
        }
        while (used < each && weights[used] != 0) used++;
        for (; influence < next; influence += 8) {
            const bmw_file_node *file_node = bmw_import_weights_node(importer, influence);
            if (!file_node) continue;
            // The slot of the same joint, else a free one, else that of the smallest weight.
            float weight = tn_load_f32(influence + 4, false);
            uint32_t joint = file_node->skin_joint, at = 0;
            while (at < used && joints[at] != joint) at++;
            if (at < each && joint != TENON_NONE) {
                used += at == used;
                joints[at] = (uint16_t)joint;
                weights[at] += weight;
                continue;
            }
            tn_tally_in(&importer->tallies.excess_weights, 1, "meshes", mesh, "weighted_vertices",
                        i);
            at = 0;
            for (uint32_t k = 1; k < each; k++)
                if (weights[k] < weights[at]) at = k;
            if (joint == TENON_NONE || weight <= weights[at]) continue;
            joints[at] = (uint16_t)joint;
            weights[at] = weight;
        }
        complete += has_four_at_most && used > 0;  // So no vertex is listed twice.
        if (has_four_at_most && used == 4) {
            last = next - 32;
            memcpy(last_joints, joints, sizeof last_joints);
        }
    }

    if (complete == p->vertex_count) return;

    // Attach vertices without weights to the static joint. The engine would not draw them.
    for (uint32_t i = 0; i < p->vertex_count && !builder->failed; i++) {
        size_t first = (size_t)i * each;
        if (p->weights[first] > 0) continue;
        tn_tally_in(&importer->tallies.unweighted, 1, "meshes", mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_import_static_joint(importer);
        p->weights[first] = 1;
    }
}
