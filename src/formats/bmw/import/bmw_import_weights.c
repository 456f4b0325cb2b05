// bmw_import_weights.c: the weights of BMW, any number per vertex, as influences of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"

#include <string.h>

#define INFLUENCES_MOST 64u  // Per vertex; known files have up to 11.

// All weights of a vertex.
typedef struct bmw_weighted_vertex {
    uint32_t index;  // In the list of weighted vertices.
    uint32_t vertex, count;
    const uint8_t *weights;  // `count` ids of nodes, each with a weight.
} bmw_weighted_vertex;

static inline bmw_weighted_vertex bmw_import_weights_weighted_at(const uint8_t *p, uint64_t index)
{
    return (bmw_weighted_vertex){(uint32_t)index, tn_load32(p, false), tn_load32(p + 4, false),
                                 p + 8};
}

static inline const uint8_t *bmw_import_weights_next_weighted(const bmw_weighted_vertex *weighted)
{
    return weighted->weights + 8 * (size_t)weighted->count;
}

static inline uint32_t bmw_import_weights_weighted_node(const bmw_weighted_vertex *weighted,
                                                        uint32_t k)
{
    return tn_load32(weighted->weights + 8 * (size_t)k, false);
}

static inline float bmw_import_weight_of(const bmw_weighted_vertex *weighted, uint32_t k)
{
    return tn_load_f32(weighted->weights + 8 * (size_t)k + 4, false);
}

static inline bool bmw_import_is_weight(float weight)
{
    return weight > 0 && weight - weight == 0;
}

// -- Fast path

// For nearly all vertices: four valid weights, for nodes whose ids are their indices, and often the
// same nodes as those of the vertex before.
typedef struct bmw_fast_path {
    bmw_file_node *file_nodes;
    uint32_t file_node_count;  // 0 if ids are not indices.
    uint64_t vertex_count;
    uint32_t last[4];    // Nodes of the last vertex that took the fast path.
    uint16_t joints[4];  // Their joints.
} bmw_fast_path;

static bmw_fast_path bmw_import_weights_fast_path_of(const bmw_importer *importer, uint32_t mesh)
{
    bool are_indices = importer->by_id.is_identity;
    return (bmw_fast_path){.file_nodes = importer->file_nodes,
                           .file_node_count = are_indices ? importer->file_node_count : 0,
                           .vertex_count = importer->doc->meshes[mesh].vertices.count,
                           .last = {TENON_NONE, TENON_NONE, TENON_NONE, TENON_NONE}};
}

static inline bool bmw_import_has_four_weights(const bmw_fast_path *fast,
                                               const bmw_weighted_vertex *weighted)
{
    if (weighted->count != 4 || weighted->vertex >= fast->vertex_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits = tn_load32(weighted->weights + 8 * (size_t)k + 4, false);
        if (bits - 1 >= 0x7f7fffffu) return false;  // Not positive or not finite.
    }
    return true;
}

static inline bool bmw_import_weights_has_last_nodes(const bmw_fast_path *fast,
                                                     const bmw_weighted_vertex *weighted)
{
    if (fast->last[0] == TENON_NONE) return false;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_import_weights_weighted_node(weighted, k) != fast->last[k]) return false;
    return true;
}

// -- Which nodes and meshes have weights

static void bmw_import_weights_mark_weighted(bmw_importer *importer, uint32_t mesh,
                                             const bmw_weighted_vertex *weighted)
{
    bmw_tallies *tallies = &importer->tallies;
    if (weighted->vertex >= importer->doc->meshes[mesh].vertices.count) {
        tn_tally_in(&tallies->weights_without_vertex, weighted->count, "meshes", mesh,
                    "weighted_vertices", weighted->index);
        return;
    }
    for (uint32_t k = 0; k < weighted->count; k++) {
        float weight = bmw_import_weight_of(weighted, k);
        if (!bmw_import_is_weight(weight)) {
            tn_tally_in(&tallies->invalid_weights, weight != 0, "meshes", mesh, "weighted_vertices",
                        weighted->index);
            continue;
        }
        bmw_file_node *file_node =
            bmw_import_file_node_of(importer, bmw_import_weights_weighted_node(weighted, k));
        if (file_node)
            file_node->is_weighted = importer->meshes[mesh].is_skinned = true;
        else
            tn_tally_in(&tallies->weights_without_node, 1, "meshes", mesh, "weighted_vertices",
                        weighted->index);
    }
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_import_weights_mark_four(bmw_fast_path *fast,
                                                const bmw_weighted_vertex *weighted)
{
    if (!bmw_import_has_four_weights(fast, weighted)) return false;
    if (bmw_import_weights_has_last_nodes(fast, weighted)) return true;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_import_weights_weighted_node(weighted, k) >= fast->file_node_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        fast->last[k] = bmw_import_weights_weighted_node(weighted, k);
        fast->file_nodes[fast->last[k]].is_weighted = true;
    }
    return true;
}

void bmw_import_mark_weights(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) {
        if (importer->meshes[i].file_node == TENON_NONE) continue;
        const tenon_span *span = &importer->doc->meshes[i].weighted_vertices;
        bmw_fast_path fast = bmw_import_weights_fast_path_of(importer, i);
        const uint8_t *p = span->data;
        uint64_t next = 0;
        bool has_four_at_most = true;
        for (uint64_t k = 0; k < span->count; k++) {
            bmw_weighted_vertex weighted = bmw_import_weights_weighted_at(p, k);
            if (!bmw_import_weights_mark_four(&fast, &weighted))
                bmw_import_weights_mark_weighted(importer, i, &weighted);
            has_four_at_most &= weighted.vertex >= next && weighted.count <= 4;
            next = (uint64_t)weighted.vertex + 1;
            p = bmw_import_weights_next_weighted(&weighted);
        }
        importer->meshes[i].has_four_at_most = has_four_at_most;
        if (fast.last[0] != TENON_NONE) importer->meshes[i].is_skinned = true;
    }
}

// -- Influences

// The node of a valid weight; NULL if the weight is not valid.
static inline const bmw_file_node *bmw_import_weights_weighted_file_node(
    const bmw_importer *importer, const bmw_weighted_vertex *weighted, uint32_t k)
{
    if (!bmw_import_is_weight(bmw_import_weight_of(weighted, k))) return NULL;
    return bmw_import_file_node_of(importer, bmw_import_weights_weighted_node(weighted, k));
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
        bmw_weighted_vertex weighted = bmw_import_weights_weighted_at(p, i);
        p = bmw_import_weights_next_weighted(&weighted);
        if (weighted.vertex >= from->vertices.count) continue;
        uint32_t *count = &counts[weighted.vertex];
        for (uint32_t k = 0; k < weighted.count; k++)
            *count += bmw_import_weights_weighted_file_node(importer, &weighted, k) != NULL;
        if (*count > most) most = *count;
    }
    tn_arena_rewind(builder->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

// The slot for an influence: that of the same joint, else a free one, else that of the smallest
// weight.
static inline uint32_t bmw_import_weights_slot_for(const uint16_t *joints, const float *weights,
                                                   uint32_t count, uint32_t joint)
{
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (weights[i] == 0 || joints[i] == joint) return i;
    for (uint32_t i = 1; i < count; i++)
        if (weights[i] < weights[smallest]) smallest = i;
    return smallest;
}

static void bmw_import_weights_weighted(bmw_importer *importer, uint32_t mesh,
                                        const bmw_weighted_vertex *weighted, tenon_primitive *p)
{
    if (weighted->vertex >= p->vertex_count) return;
    uint32_t each = p->influence_count;
    size_t first = (size_t)weighted->vertex * each;
    uint16_t *joints = p->joints + first;
    float *weights = p->weights + first;
    for (uint32_t k = 0; k < weighted->count; k++) {
        const bmw_file_node *file_node =
            bmw_import_weights_weighted_file_node(importer, weighted, k);
        if (!file_node) continue;
        float weight = bmw_import_weight_of(weighted, k);
        uint32_t joint = file_node->skin_joint,
                 at = bmw_import_weights_slot_for(joints, weights, each, joint);
        if (joint != TENON_NONE && (weights[at] == 0 || joints[at] == joint)) {
            joints[at] = (uint16_t)joint;
            weights[at] += weight;
            continue;
        }
        tn_tally_in(&importer->tallies.excess_weights, 1, "meshes", mesh, "weighted_vertices",
                    weighted->index);
        if (joint == TENON_NONE || weight <= weights[at]) continue;
        joints[at] = (uint16_t)joint;
        weights[at] = weight;
    }
}

// The joints of four nodes. False if they are not four different ones.
static bool bmw_import_weights_find_joints(bmw_fast_path *fast, const bmw_weighted_vertex *weighted)
{
    uint32_t j[4];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t node = bmw_import_weights_weighted_node(weighted, k);
        if (node >= fast->file_node_count) return false;
        j[k] = fast->file_nodes[node].skin_joint;
        if (j[k] == TENON_NONE) return false;
        for (uint32_t i = 0; i < k; i++)
            if (j[i] == j[k]) return false;
    }
    for (uint32_t k = 0; k < 4; k++) {
        fast->last[k] = bmw_import_weights_weighted_node(weighted, k);
        fast->joints[k] = (uint16_t)j[k];
    }
    return true;
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_import_weights_four(bmw_fast_path *fast, const bmw_weighted_vertex *weighted,
                                           uint16_t *joints, float *weights)
{
    if (!bmw_import_has_four_weights(fast, weighted)) return false;
    if (!bmw_import_weights_has_last_nodes(fast, weighted) &&
        !bmw_import_weights_find_joints(fast, weighted))
        return false;
    memcpy(joints + 4 * (size_t)weighted->vertex, fast->joints, sizeof fast->joints);
    for (uint32_t k = 0; k < 4; k++)
        weights[4 * (size_t)weighted->vertex + k] = bmw_import_weight_of(weighted, k);
    return true;
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

    // With has_four_at_most, no vertex is listed twice.
    bmw_fast_path fast = bmw_import_weights_fast_path_of(importer, mesh);
    const uint8_t *bytes = span->data;
    uint64_t complete = 0;
    for (uint64_t i = 0; i < span->count; i++) {
        bmw_weighted_vertex weighted = bmw_import_weights_weighted_at(bytes, i);
        if (has_four_at_most && bmw_import_weights_four(&fast, &weighted, p->joints, p->weights))
            complete++;
        else
            bmw_import_weights_weighted(importer, mesh, &weighted, p);
        bytes = bmw_import_weights_next_weighted(&weighted);
    }
    if (complete == p->vertex_count) return;

    // Attach vertices without weights to the static joint. The engine would not draw them.
    for (uint32_t i = 0; i < p->vertex_count && !builder->failed; i++) {
        size_t first = (size_t)i * p->influence_count;
        if (p->weights[first] > 0) continue;
        tn_tally_in(&importer->tallies.unweighted, 1, "meshes", mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_import_static_joint(importer);
        p->weights[first] = 1;
    }
}
