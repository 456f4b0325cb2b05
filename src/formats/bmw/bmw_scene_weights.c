// bmw_scene_weights.c: the weights of BMW, any number for a vertex, as influences of a scene.
// SPDX-License-Identifier: MIT

#include "bmw_scene.h"

#include "../../core/span.h"

#define INFLUENCES_MOST 64u  // Of a vertex; the most that was seen is 11.

// All weights of a vertex.
typedef struct bmw_entry {
    uint32_t index;  // In the list of weighted vertices.
    uint32_t vertex, count;
    const uint8_t *weights;  // `count` ids of nodes, each with a weight.
} bmw_entry;

// A mesh being looked at.
typedef struct bmw_weigher {
    bmw_scene *s;
    uint32_t mesh;
    uint64_t vertex_count;
    uint32_t *counts;    // Of each vertex: influences, with those that are repeated.
    tenon_primitive *p;  // What is filled.
} bmw_weigher;

typedef void bmw_entry_fn(const bmw_weigher *w, const bmw_entry *entry);

// Inline, so that the function is known where it is called.
static inline void bmw_each_entry(const tenon_bmw_mesh *mesh, bmw_entry_fn *fn,
                                  const bmw_weigher *w)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        bmw_entry entry = {(uint32_t)i, tn_load32(p, false), tn_load32(p + 4, false), p + 8};
        fn(w, &entry);
        p = entry.weights + 8 * (size_t)entry.count;
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

// -- Looking

static void bmw_weight_flaw(const bmw_weigher *w, tn_flaw *flaw, const bmw_entry *entry,
                            uint32_t count)
{
    tn_flaw_add(flaw, count, "meshes", w->mesh, "weighted_vertices", entry->index);
}

static inline void bmw_mark_entry(const bmw_weigher *w, const bmw_entry *entry)
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

void bmw_mark_weights(bmw_scene *s)
{
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->doc->mesh_count; i++) {
        const tenon_bmw_mesh *mesh = &s->doc->meshes[i];
        bmw_weigher w = {.s = s, .mesh = i, .vertex_count = mesh->vertices.count};
        if (s->shown[i].branch != TENON_NONE) bmw_each_entry(mesh, bmw_mark_entry, &w);
    }
}

// -- Taking

// The node of a weight that counts; NULL if it does not.
static inline const bmw_branch *bmw_mover_of(const bmw_weigher *w, const bmw_entry *entry,
                                             uint32_t k)
{
    if (!bmw_is_weight(bmw_entry_weight(entry, k))) return NULL;
    return bmw_branch_of(w->s, bmw_entry_node(entry, k));
}

static inline void bmw_count_entry(const bmw_weigher *w, const bmw_entry *entry)
{
    if (entry->vertex >= w->vertex_count) return;
    for (uint32_t k = 0; k < entry->count; k++)
        if (bmw_mover_of(w, entry, k)) w->counts[entry->vertex]++;
}

// Whether vertices are told in order, each once, and none with more than four influences.
static bool bmw_is_plainly_four(const tenon_bmw_mesh *mesh)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    uint64_t next = 0;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        if (vertex < next || count > 4) return false;
        next = (uint64_t)vertex + 1;
        p += 8 + 8 * (size_t)count;
    }
    return true;
}

// The most influences that a vertex has, in fours.
static uint32_t bmw_most_influences(bmw_weigher *w, const tenon_bmw_mesh *mesh)
{
    tn_builder *b = w->s->b;
    uint32_t most = 4;
    if (bmw_is_plainly_four(mesh)) return most;
    tn_mark mark = tn_arena_mark(b->arena);
    w->counts = tn_scene_array(b, w->vertex_count, sizeof *w->counts);
    if (b->failed) return 0;
    bmw_each_entry(mesh, bmw_count_entry, w);
    for (uint64_t i = 0; i < w->vertex_count; i++)
        if (w->counts[i] > most) most = w->counts[i];
    tn_arena_rewind(b->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

// Where an influence goes: to the same joint, if the vertex has it already, else to a free place,
// else to that of the smallest.
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

static inline void bmw_take_entry(const bmw_weigher *w, const bmw_entry *entry)
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

// What no joint moves stays: the engine would not show it at all.
static void bmw_hold_vertices(bmw_weigher *w)
{
    tenon_primitive *p = w->p;
    for (uint32_t i = 0; i < p->vertex_count && !w->s->b->failed; i++) {
        size_t first = (size_t)i * p->influence_count;
        if (p->weights[first] > 0) continue;
        tn_flaw_add(&w->s->flaws.still, 1, "meshes", w->mesh, "vertices", i);
        p->joints[first] = (uint16_t)bmw_still_joint(w->s);
        p->weights[first] = 1;
    }
}

void bmw_take_weights(bmw_scene *s, uint32_t mesh, tenon_primitive *p)
{
    const tenon_bmw_mesh *from = &s->doc->meshes[mesh];
    bmw_weigher w = {.s = s, .mesh = mesh, .vertex_count = p->vertex_count, .p = p};
    uint32_t each = bmw_most_influences(&w, from);
    if (s->b->failed) return;
    p->joints = tn_scene_array(s->b, p->vertex_count, each * sizeof *p->joints);
    p->weights = tn_scene_floats(s->b, p->vertex_count, each);
    if (s->b->failed) return;
    p->influence_count = each;
    bmw_each_entry(from, bmw_take_entry, &w);
    bmw_hold_vertices(&w);
}
