// bmw_scene_weights.c: the weights of BMW, any number for a vertex, as influences of a scene.
// SPDX-License-Identifier: MIT

#include "bmw_scene.h"

#include "../../core/span.h"

#define INFLUENCES_MOST 64u  // Of a vertex; the most that was seen is 11.

// One weight of a vertex.
typedef struct bmw_influence {
    uint32_t entry;  // Of the list of weighted vertices.
    uint32_t vertex, node_id;
    float weight;
} bmw_influence;

typedef void bmw_influence_fn(void *user, const bmw_influence *influence);

static void bmw_each_influence(const tenon_bmw_mesh *mesh, bmw_influence_fn *fn, void *user)
{
    const uint8_t *p = mesh->weighted_vertices.data;
    for (uint64_t i = 0; i < mesh->weighted_vertices.count; i++) {
        uint32_t vertex = tn_load32(p, false), count = tn_load32(p + 4, false);
        p += 8;
        for (uint32_t k = 0; k < count; k++, p += 8)
            fn(user, &(bmw_influence){(uint32_t)i, vertex, tn_load32(p, false),
                                      tn_load_f32(p + 4, false)});
    }
}

// A mesh being looked at.
typedef struct bmw_weigher {
    bmw_scene *s;
    uint32_t mesh;
    uint64_t vertex_count;
    uint32_t *counts;    // Of each vertex: influences, with those that are repeated.
    tenon_primitive *p;  // What is filled.
} bmw_weigher;

// -- Looking

static void bmw_weight_flaw(const bmw_weigher *w, tn_flaw *flaw, const bmw_influence *influence)
{
    tn_flaw_add(flaw, 1, "meshes", w->mesh, "weighted_vertices", influence->entry);
}

static void bmw_mark_influence(void *user, const bmw_influence *influence)
{
    bmw_weigher *w = user;
    bmw_flaws *flaws = &w->s->flaws;
    float weight = influence->weight;
    bool is_good = weight > 0 && weight - weight == 0;
    bmw_branch *branch = bmw_branch_of(w->s, influence->node_id);
    if (influence->vertex >= w->vertex_count)
        bmw_weight_flaw(w, &flaws->absent_vertices, influence);
    else if (!is_good && weight != 0)
        bmw_weight_flaw(w, &flaws->odd_weights, influence);
    else if (is_good && !branch)
        bmw_weight_flaw(w, &flaws->absent_nodes, influence);
    else if (is_good)
        branch->is_weighted = w->s->shown[w->mesh].is_skinned = true;
}

void bmw_mark_weights(bmw_scene *s)
{
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->doc->mesh_count; i++) {
        const tenon_bmw_mesh *mesh = &s->doc->meshes[i];
        bmw_weigher w = {.s = s, .mesh = i, .vertex_count = mesh->vertices.count};
        if (s->shown[i].branch != TENON_NONE) bmw_each_influence(mesh, bmw_mark_influence, &w);
    }
}

// -- Taking

// The node of an influence that counts; NULL if it does not.
static const bmw_branch *bmw_mover_of(const bmw_weigher *w, const bmw_influence *influence)
{
    float weight = influence->weight;
    if (!(weight > 0) || weight - weight != 0 || influence->vertex >= w->vertex_count) return NULL;
    return bmw_branch_of(w->s, influence->node_id);
}

static void bmw_count_influence(void *user, const bmw_influence *influence)
{
    bmw_weigher *w = user;
    if (bmw_mover_of(w, influence)) w->counts[influence->vertex]++;
}

// The most influences that a vertex has, in fours.
static uint32_t bmw_most_influences(bmw_weigher *w, const tenon_bmw_mesh *mesh)
{
    tn_builder *b = w->s->b;
    uint32_t most = 4;
    tn_mark mark = tn_arena_mark(b->arena);
    w->counts = tn_scene_array(b, w->vertex_count, sizeof *w->counts);
    if (b->failed) return 0;
    bmw_each_influence(mesh, bmw_count_influence, w);
    for (uint64_t i = 0; i < w->vertex_count; i++)
        if (w->counts[i] > most) most = w->counts[i];
    tn_arena_rewind(b->arena, mark);
    return most < INFLUENCES_MOST ? (most + 3) / 4 * 4 : INFLUENCES_MOST;
}

// Where an influence goes: to the same joint, if the vertex has it already, else to a free place,
// else to that of the smallest.
static uint32_t bmw_place_for(const bmw_weigher *w, const uint16_t *joints, const float *weights,
                              uint32_t joint)
{
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < w->p->influence_count; i++) {
        if (weights[i] == 0 || joints[i] == joint) return i;
        if (weights[i] < weights[smallest]) smallest = i;
    }
    return smallest;
}

static void bmw_take_influence(void *user, const bmw_influence *influence)
{
    bmw_weigher *w = user;
    const bmw_branch *mover = bmw_mover_of(w, influence);
    if (!mover) return;
    uint32_t joint = mover->skin_joint;
    size_t first = (size_t)influence->vertex * w->p->influence_count;
    uint16_t *joints = w->p->joints + first;
    float *weights = w->p->weights + first;
    uint32_t at = bmw_place_for(w, joints, weights, joint);
    if (joint != TENON_NONE && (weights[at] == 0 || joints[at] == joint)) {
        joints[at] = (uint16_t)joint;
        weights[at] += influence->weight;
        return;
    }
    bmw_weight_flaw(w, &w->s->flaws.crowded, influence);
    if (joint == TENON_NONE || influence->weight <= weights[at]) return;
    joints[at] = (uint16_t)joint;
    weights[at] = influence->weight;
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
    bmw_each_influence(from, bmw_take_influence, &w);
    bmw_hold_vertices(&w);
}
