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

typedef struct bmw_weight_importer {
    bmw_importer *importer;
    uint32_t mesh;
    uint64_t vertex_count;
    uint32_t *counts;    // Influences of each vertex, repeated ones included.
    tenon_primitive *p;  // The mesh in the scene.
} bmw_weight_importer;

static inline bmw_weighted_vertex bmw_weighted_at(const uint8_t *p, uint64_t index)
{
    return (bmw_weighted_vertex){(uint32_t)index, tn_load32(p, false), tn_load32(p + 4, false),
                                 p + 8};
}

static inline const uint8_t *bmw_next_weighted(const bmw_weighted_vertex *weighted)
{
    return weighted->weights + 8 * (size_t)weighted->count;
}

typedef void bmw_weighted_fn(const bmw_weight_importer *w, const bmw_weighted_vertex *weighted);

static void bmw_each_weighted(const tenon_bmw_mesh *mesh, bmw_weighted_fn *fn,
                              const bmw_weight_importer *w)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_weighted_vertex weighted = bmw_weighted_at(p, i);
        fn(w, &weighted);
        p = bmw_next_weighted(&weighted);
    }
}

static inline uint32_t bmw_weighted_node(const bmw_weighted_vertex *weighted, uint32_t k)
{
    return tn_load32(weighted->weights + 8 * (size_t)k, false);
}

static inline float bmw_weight_of(const bmw_weighted_vertex *weighted, uint32_t k)
{
    return tn_load_f32(weighted->weights + 8 * (size_t)k + 4, false);
}

static inline bool bmw_is_weight(float weight)
{
    return weight > 0 && weight - weight == 0;
}

// Fast path for nearly all vertices: four valid weights, for nodes whose ids are their indices, and
// often the same nodes as those of the vertex before.
typedef struct bmw_fast_path {
    bmw_file_node *file_nodes;
    uint32_t file_node_count;  // 0 if ids are not indices.
    uint64_t vertex_count;
    uint32_t last[4];    // Nodes of the last vertex that took the fast path.
    uint16_t joints[4];  // Their joints.
} bmw_fast_path;

static bmw_fast_path bmw_fast_path_of(const bmw_weight_importer *w)
{
    return (bmw_fast_path){.file_nodes = w->importer->file_nodes,
                           .file_node_count =
                               w->importer->by_id.is_plain ? w->importer->file_node_count : 0,
                           .vertex_count = w->vertex_count,
                           .last = {TENON_NONE, TENON_NONE, TENON_NONE, TENON_NONE}};
}

static inline bool bmw_has_four_weights(const bmw_fast_path *plain,
                                        const bmw_weighted_vertex *weighted)
{
    if (weighted->count != 4 || weighted->vertex >= plain->vertex_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits = tn_load32(weighted->weights + 8 * (size_t)k + 4, false);
        if (bits - 1 >= 0x7f7fffffu) return false;  // Not positive or not finite.
    }
    return true;
}

static inline bool bmw_has_last_nodes(const bmw_fast_path *plain,
                                      const bmw_weighted_vertex *weighted)
{
    if (plain->last[0] == TENON_NONE) return false;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_weighted_node(weighted, k) != plain->last[k]) return false;
    return true;
}

// -- Which nodes and meshes have weights

static void bmw_tally_weight(const bmw_weight_importer *w, tn_tally *tally,
                             const bmw_weighted_vertex *weighted, uint32_t count)
{
    tn_tally_in(tally, count, "meshes", w->mesh, "weighted_vertices", weighted->index);
}

static void bmw_mark_weighted(const bmw_weight_importer *w, const bmw_weighted_vertex *weighted)
{
    bmw_tallies *tallies = &w->importer->tallies;
    if (weighted->vertex >= w->vertex_count) {
        bmw_tally_weight(w, &tallies->weights_without_vertex, weighted, weighted->count);
        return;
    }
    for (uint32_t k = 0; k < weighted->count; k++) {
        float weight = bmw_weight_of(weighted, k);
        if (!bmw_is_weight(weight)) {
            if (weight != 0) bmw_tally_weight(w, &tallies->invalid_weights, weighted, 1);
            continue;
        }
        bmw_file_node *file_node = bmw_file_node_of(w->importer, bmw_weighted_node(weighted, k));
        if (file_node)
            file_node->is_weighted = w->importer->meshes[w->mesh].is_skinned = true;
        else
            bmw_tally_weight(w, &tallies->weights_without_node, weighted, 1);
    }
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_mark_four(bmw_fast_path *plain, const bmw_weighted_vertex *weighted)
{
    if (!bmw_has_four_weights(plain, weighted)) return false;
    if (bmw_has_last_nodes(plain, weighted)) return true;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_weighted_node(weighted, k) >= plain->file_node_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        plain->last[k] = bmw_weighted_node(weighted, k);
        plain->file_nodes[plain->last[k]].is_weighted = true;
    }
    return true;
}

static void bmw_mark_mesh(const bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    bmw_fast_path plain = bmw_fast_path_of(w);
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t next = 0;
    bool has_four_at_most = true;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_weighted_vertex weighted = bmw_weighted_at(p, i);
        if (!bmw_mark_four(&plain, &weighted)) bmw_mark_weighted(w, &weighted);
        has_four_at_most &= weighted.vertex >= next && weighted.count <= 4;
        next = (uint64_t)weighted.vertex + 1;
        p = bmw_next_weighted(&weighted);
    }
    w->importer->meshes[w->mesh].has_four_at_most = has_four_at_most;
    if (plain.last[0] != TENON_NONE) w->importer->meshes[w->mesh].is_skinned = true;
}

void bmw_mark_weights(bmw_importer *importer)
{
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) {
        const tenon_bmw_mesh *mesh = &importer->doc->meshes[i];
        bmw_weight_importer w = {
            .importer = importer, .mesh = i, .vertex_count = mesh->vertices.count};
        if (importer->meshes[i].file_node != TENON_NONE) bmw_mark_mesh(&w, mesh);
    }
}

// -- Influences

// The node of a valid weight; NULL if the weight is not valid.
static inline const bmw_file_node *bmw_weighted_file_node(const bmw_weight_importer *w,
                                                          const bmw_weighted_vertex *weighted,
                                                          uint32_t k)
{
    if (!bmw_is_weight(bmw_weight_of(weighted, k))) return NULL;
    return bmw_file_node_of(w->importer, bmw_weighted_node(weighted, k));
}

static void bmw_count_influences(const bmw_weight_importer *w, const bmw_weighted_vertex *weighted)
{
    if (weighted->vertex >= w->vertex_count) return;
    for (uint32_t k = 0; k < weighted->count; k++)
        if (bmw_weighted_file_node(w, weighted, k)) w->counts[weighted->vertex]++;
}

// The largest number of influences of a vertex, rounded up to a multiple of 4.
static uint32_t bmw_most_influences(bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    tn_scene_builder *builder = w->importer->builder;
    uint32_t most = 4;
    tn_mark mark = tn_arena_mark(builder->arena);
    w->counts = tn_scene_array(builder, w->vertex_count, sizeof *w->counts);
    if (builder->failed) return 0;
    bmw_each_weighted(mesh, bmw_count_influences, w);
    for (uint64_t i = 0; i < w->vertex_count; i++)
        if (w->counts[i] > most) most = w->counts[i];
    tn_arena_rewind(builder->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

// The slot for an influence: that of the same joint, else a free one, else that of the smallest
// weight.
static inline uint32_t bmw_slot_for(const uint16_t *joints, const float *weights, uint32_t count,
                                    uint32_t joint)
{
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (weights[i] == 0 || joints[i] == joint) return i;
    for (uint32_t i = 1; i < count; i++)
        if (weights[i] < weights[smallest]) smallest = i;
    return smallest;
}

static void bmw_import_weighted(const bmw_weight_importer *w, const bmw_weighted_vertex *weighted)
{
    if (weighted->vertex >= w->vertex_count) return;
    uint32_t each = w->p->influence_count;
    size_t first = (size_t)weighted->vertex * each;
    uint16_t *joints = w->p->joints + first;
    float *weights = w->p->weights + first;
    for (uint32_t k = 0; k < weighted->count; k++) {
        const bmw_file_node *file_node = bmw_weighted_file_node(w, weighted, k);
        if (!file_node) continue;
        float weight = bmw_weight_of(weighted, k);
        uint32_t joint = file_node->skin_joint, at = bmw_slot_for(joints, weights, each, joint);
        if (joint != TENON_NONE && (weights[at] == 0 || joints[at] == joint)) {
            joints[at] = (uint16_t)joint;
            weights[at] += weight;
            continue;
        }
        bmw_tally_weight(w, &w->importer->tallies.excess_weights, weighted, 1);
        if (joint == TENON_NONE || weight <= weights[at]) continue;
        joints[at] = (uint16_t)joint;
        weights[at] = weight;
    }
}

// The joints of four nodes. False if they are not four different ones.
static bool bmw_find_joints(bmw_fast_path *plain, const bmw_weighted_vertex *weighted)
{
    uint32_t j[4];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t node = bmw_weighted_node(weighted, k);
        if (node >= plain->file_node_count) return false;
        j[k] = plain->file_nodes[node].skin_joint;
        if (j[k] == TENON_NONE) return false;
        for (uint32_t i = 0; i < k; i++)
            if (j[i] == j[k]) return false;
    }
    for (uint32_t k = 0; k < 4; k++) {
        plain->last[k] = bmw_weighted_node(weighted, k);
        plain->joints[k] = (uint16_t)j[k];
    }
    return true;
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_import_four(bmw_fast_path *plain, const bmw_weighted_vertex *weighted,
                                   uint16_t *joints, float *weights)
{
    if (!bmw_has_four_weights(plain, weighted)) return false;
    if (!bmw_has_last_nodes(plain, weighted) && !bmw_find_joints(plain, weighted)) return false;
    memcpy(joints + 4 * (size_t)weighted->vertex, plain->joints, sizeof plain->joints);
    for (uint32_t k = 0; k < 4; k++)
        weights[4 * (size_t)weighted->vertex + k] = bmw_weight_of(weighted, k);
    return true;
}

// For a mesh that has_four_at_most: no vertex is listed twice. Returns whether all vertices have
// weights.
static bool bmw_import_fours(const bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    bmw_fast_path plain = bmw_fast_path_of(w);
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t taken = 0;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_weighted_vertex weighted = bmw_weighted_at(p, i);
        if (bmw_import_four(&plain, &weighted, w->p->joints, w->p->weights))
            taken++;
        else
            bmw_import_weighted(w, &weighted);
        p = bmw_next_weighted(&weighted);
    }
    return taken == w->vertex_count;
}

// Attach vertices without weights to the static joint. The engine would not draw them.
static void bmw_import_unweighted(bmw_weight_importer *w)
{
    tenon_primitive *p = w->p;
    for (uint32_t i = 0; i < p->vertex_count && !w->importer->builder->failed; i++) {
        size_t first = (size_t)i * p->influence_count;
        if (p->weights[first] > 0) continue;
        tn_tally_in(&w->importer->tallies.unweighted, 1, "meshes", w->mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_static_joint(w->importer);
        p->weights[first] = 1;
    }
}

void bmw_import_weights(bmw_importer *importer, uint32_t mesh, tenon_primitive *p)
{
    const tenon_bmw_mesh *from = &importer->doc->meshes[mesh];
    bmw_weight_importer w = {
        .importer = importer, .mesh = mesh, .vertex_count = p->vertex_count, .p = p};
    bool has_four_at_most = importer->meshes[mesh].has_four_at_most;
    uint32_t each = has_four_at_most ? 4 : bmw_most_influences(&w, from);
    if (importer->builder->failed) return;
    p->joints = tn_scene_array(importer->builder, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(importer->builder, p->vertex_count, each);
    if (importer->builder->failed) return;
    p->influence_count = each;
    if (has_four_at_most && bmw_import_fours(&w, from)) return;
    if (!has_four_at_most) bmw_each_weighted(from, bmw_import_weighted, &w);
    bmw_import_unweighted(&w);
}
