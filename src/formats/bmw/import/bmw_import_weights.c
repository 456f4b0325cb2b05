// bmw_import_weights.c: the weights of BMW, any number per vertex, as influences of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"

#include <string.h>

#define INFLUENCES_MOST 64u  // Per vertex; known files have up to 11.

// All weights of a vertex.
typedef struct bmw_entry {
    uint32_t index;  // In the list of weighted vertices.
    uint32_t vertex, count;
    const uint8_t *weights;  // `count` ids of nodes, each with a weight.
} bmw_entry;

typedef struct bmw_weight_importer {
    bmw_importer *s;
    uint32_t mesh;
    uint64_t vertex_count;
    uint32_t *counts;    // Influences of each vertex, repeated ones included.
    tenon_primitive *p;  // The mesh in the scene.
} bmw_weight_importer;

static inline bmw_entry bmw_entry_at(const uint8_t *p, uint64_t index)
{
    return (bmw_entry){(uint32_t)index, tn_load32(p, false), tn_load32(p + 4, false), p + 8};
}

static inline const uint8_t *bmw_behind(const bmw_entry *entry)
{
    return entry->weights + 8 * (size_t)entry->count;
}

typedef void bmw_entry_fn(const bmw_weight_importer *w, const bmw_entry *entry);

static void bmw_each_entry(const tenon_bmw_mesh *mesh, bmw_entry_fn *fn,
                           const bmw_weight_importer *w)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_entry entry = bmw_entry_at(p, i);
        fn(w, &entry);
        p = bmw_behind(&entry);
    }
}

static inline uint32_t bmw_entry_node(const bmw_entry *entry, uint32_t k)
{
    return tn_load32(entry->weights + 8 * (size_t)k, false);
}

static inline float bmw_entry_weight(const bmw_entry *entry, uint32_t k)
{
    return tn_load_f32(entry->weights + 8 * (size_t)k + 4, false);
}

static inline bool bmw_is_weight(float weight)
{
    return weight > 0 && weight - weight == 0;
}

// Fast path for nearly all vertices: four valid weights, for nodes whose ids are their indices, and
// often the same nodes as those of the vertex before.
typedef struct bmw_plain {
    bmw_branch *branches;
    uint32_t branch_count;  // 0 if ids are not indices.
    uint64_t vertex_count;
    uint32_t last[4];    // Nodes of the last vertex that took the fast path.
    uint16_t joints[4];  // Their joints.
} bmw_plain;

static bmw_plain bmw_plain_of(const bmw_weight_importer *w)
{
    return (bmw_plain){.branches = w->s->branches,
                       .branch_count = w->s->by_id.is_plain ? w->s->branch_count : 0,
                       .vertex_count = w->vertex_count,
                       .last = {TENON_NONE, TENON_NONE, TENON_NONE, TENON_NONE}};
}

static inline bool bmw_has_four_weights(const bmw_plain *plain, const bmw_entry *entry)
{
    if (entry->count != 4 || entry->vertex >= plain->vertex_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits = tn_load32(entry->weights + 8 * (size_t)k + 4, false);
        if (bits - 1 >= 0x7f7fffffu) return false;  // Not positive or not finite.
    }
    return true;
}

static inline bool bmw_has_last_nodes(const bmw_plain *plain, const bmw_entry *entry)
{
    if (plain->last[0] == TENON_NONE) return false;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_entry_node(entry, k) != plain->last[k]) return false;
    return true;
}

// -- Which nodes and meshes have weights

static void bmw_weight_flaw(const bmw_weight_importer *w, tn_tally *flaw, const bmw_entry *entry,
                            uint32_t count)
{
    tn_tally_in(flaw, count, "meshes", w->mesh, "weighted_vertices", entry->index);
}

static void bmw_mark_entry(const bmw_weight_importer *w, const bmw_entry *entry)
{
    bmw_flaws *flaws = &w->s->flaws;
    if (entry->vertex >= w->vertex_count) {
        bmw_weight_flaw(w, &flaws->absent_vertices, entry, entry->count);
        return;
    }
    for (uint32_t k = 0; k < entry->count; k++) {
        float weight = bmw_entry_weight(entry, k);
        if (!bmw_is_weight(weight)) {
            if (weight != 0) bmw_weight_flaw(w, &flaws->odd_weights, entry, 1);
            continue;
        }
        bmw_branch *branch = bmw_branch_of(w->s, bmw_entry_node(entry, k));
        if (branch)
            branch->is_weighted = w->s->shown[w->mesh].is_skinned = true;
        else
            bmw_weight_flaw(w, &flaws->absent_nodes, entry, 1);
    }
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_mark_four(bmw_plain *plain, const bmw_entry *entry)
{
    if (!bmw_has_four_weights(plain, entry)) return false;
    if (bmw_has_last_nodes(plain, entry)) return true;
    for (uint32_t k = 0; k < 4; k++)
        if (bmw_entry_node(entry, k) >= plain->branch_count) return false;
    for (uint32_t k = 0; k < 4; k++) {
        plain->last[k] = bmw_entry_node(entry, k);
        plain->branches[plain->last[k]].is_weighted = true;
    }
    return true;
}

static void bmw_mark_mesh(const bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    bmw_plain plain = bmw_plain_of(w);
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t next = 0;
    bool has_fours = true;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_entry entry = bmw_entry_at(p, i);
        if (!bmw_mark_four(&plain, &entry)) bmw_mark_entry(w, &entry);
        has_fours &= entry.vertex >= next && entry.count <= 4;
        next = (uint64_t)entry.vertex + 1;
        p = bmw_behind(&entry);
    }
    w->s->shown[w->mesh].has_fours = has_fours;
    if (plain.last[0] != TENON_NONE) w->s->shown[w->mesh].is_skinned = true;
}

void bmw_mark_weights(bmw_importer *s)
{
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->doc->mesh_count; i++) {
        const tenon_bmw_mesh *mesh = &s->doc->meshes[i];
        bmw_weight_importer w = {.s = s, .mesh = i, .vertex_count = mesh->vertices.count};
        if (s->shown[i].branch != TENON_NONE) bmw_mark_mesh(&w, mesh);
    }
}

// -- Influences

// The node of a valid weight; NULL if the weight is not valid.
static inline const bmw_branch *bmw_mover_of(const bmw_weight_importer *w, const bmw_entry *entry,
                                             uint32_t k)
{
    if (!bmw_is_weight(bmw_entry_weight(entry, k))) return NULL;
    return bmw_branch_of(w->s, bmw_entry_node(entry, k));
}

static void bmw_count_entry(const bmw_weight_importer *w, const bmw_entry *entry)
{
    if (entry->vertex >= w->vertex_count) return;
    for (uint32_t k = 0; k < entry->count; k++)
        if (bmw_mover_of(w, entry, k)) w->counts[entry->vertex]++;
}

// The largest number of influences of a vertex, rounded up to a multiple of 4.
static uint32_t bmw_most_influences(bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    tn_scene_builder *b = w->s->b;
    uint32_t most = 4;
    tn_mark mark = tn_arena_mark(b->arena);
    w->counts = tn_scene_array(b, w->vertex_count, sizeof *w->counts);
    if (b->failed) return 0;
    bmw_each_entry(mesh, bmw_count_entry, w);
    for (uint64_t i = 0; i < w->vertex_count; i++)
        if (w->counts[i] > most) most = w->counts[i];
    tn_arena_rewind(b->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

// The slot for an influence: that of the same joint, else a free one, else that of the smallest
// weight.
static inline uint32_t bmw_place_for(const uint16_t *joints, const float *weights, uint32_t count,
                                     uint32_t joint)
{
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (weights[i] == 0 || joints[i] == joint) return i;
    for (uint32_t i = 1; i < count; i++)
        if (weights[i] < weights[smallest]) smallest = i;
    return smallest;
}

static void bmw_take_entry(const bmw_weight_importer *w, const bmw_entry *entry)
{
    if (entry->vertex >= w->vertex_count) return;
    uint32_t each = w->p->influence_count;
    size_t first = (size_t)entry->vertex * each;
    uint16_t *joints = w->p->joints + first;
    float *weights = w->p->weights + first;
    for (uint32_t k = 0; k < entry->count; k++) {
        const bmw_branch *mover = bmw_mover_of(w, entry, k);
        if (!mover) continue;
        float weight = bmw_entry_weight(entry, k);
        uint32_t joint = mover->skin_joint, at = bmw_place_for(joints, weights, each, joint);
        if (joint != TENON_NONE && (weights[at] == 0 || joints[at] == joint)) {
            joints[at] = (uint16_t)joint;
            weights[at] += weight;
            continue;
        }
        bmw_weight_flaw(w, &w->s->flaws.crowded, entry, 1);
        if (joint == TENON_NONE || weight <= weights[at]) continue;
        joints[at] = (uint16_t)joint;
        weights[at] = weight;
    }
}

// The joints of four nodes. False if they are not four different ones.
static bool bmw_find_joints(bmw_plain *plain, const bmw_entry *entry)
{
    uint32_t j[4];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t node = bmw_entry_node(entry, k);
        if (node >= plain->branch_count) return false;
        j[k] = plain->branches[node].skin_joint;
        if (j[k] == TENON_NONE) return false;
        for (uint32_t i = 0; i < k; i++)
            if (j[i] == j[k]) return false;
    }
    for (uint32_t k = 0; k < 4; k++) {
        plain->last[k] = bmw_entry_node(entry, k);
        plain->joints[k] = (uint16_t)j[k];
    }
    return true;
}

// Returns false, and changes nothing, if the vertex needs the slow path.
static inline bool bmw_take_four(bmw_plain *plain, const bmw_entry *entry, uint16_t *joints,
                                 float *weights)
{
    if (!bmw_has_four_weights(plain, entry)) return false;
    if (!bmw_has_last_nodes(plain, entry) && !bmw_find_joints(plain, entry)) return false;
    memcpy(joints + 4 * (size_t)entry->vertex, plain->joints, sizeof plain->joints);
    for (uint32_t k = 0; k < 4; k++)
        weights[4 * (size_t)entry->vertex + k] = bmw_entry_weight(entry, k);
    return true;
}

// For a mesh that has_fours: no vertex is listed twice. Returns whether all vertices have weights.
static bool bmw_take_fours(const bmw_weight_importer *w, const tenon_bmw_mesh *mesh)
{
    bmw_plain plain = bmw_plain_of(w);
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t taken = 0;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_entry entry = bmw_entry_at(p, i);
        if (bmw_take_four(&plain, &entry, w->p->joints, w->p->weights))
            taken++;
        else
            bmw_take_entry(w, &entry);
        p = bmw_behind(&entry);
    }
    return taken == w->vertex_count;
}

// Attach vertices without weights to the static joint. The engine would not draw them.
static void bmw_hold_vertices(bmw_weight_importer *w)
{
    tenon_primitive *p = w->p;
    for (uint32_t i = 0; i < p->vertex_count && !w->s->b->failed; i++) {
        size_t first = (size_t)i * p->influence_count;
        if (p->weights[first] > 0) continue;
        tn_tally_in(&w->s->flaws.still, 1, "meshes", w->mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_still_joint(w->s);
        p->weights[first] = 1;
    }
}

void bmw_take_weights(bmw_importer *s, uint32_t mesh, tenon_primitive *p)
{
    const tenon_bmw_mesh *from = &s->doc->meshes[mesh];
    bmw_weight_importer w = {.s = s, .mesh = mesh, .vertex_count = p->vertex_count, .p = p};
    bool has_fours = s->shown[mesh].has_fours;
    uint32_t each = has_fours ? 4 : bmw_most_influences(&w, from);
    if (s->b->failed) return;
    p->joints = tn_scene_array(s->b, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(s->b, p->vertex_count, each);
    if (s->b->failed) return;
    p->influence_count = each;
    if (has_fours && bmw_take_fours(&w, from)) return;
    if (!has_fours) bmw_each_entry(from, bmw_take_entry, &w);
    bmw_hold_vertices(&w);
}
