// gltf_check_weights.c: the joints and weights of vertices.
// SPDX-License-Identifier: MIT

#include "gltf_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define WEIGHT_SLACK 2e-7  // For each weight that counts.

enum { SETS_MOST = 16, SET_SIZE = 4 };

// All influences of all vertices, one vertex behind the other.
typedef struct gltf_influences {
    uint64_t vertices;
    uint32_t each;  // Of a vertex.
    float *weights;
    uint32_t *joints;
} gltf_influences;

// -- Taking them

// The accessor of a set, if it is one that can be looked at.
static bool gltf_open_set(gltf_checker *c, const tn_node *attributes, const char *word,
                          uint32_t set, gltf_elements *e)
{
    char key[24];
    (void)snprintf(key, sizeof key, "%s_%" PRIu32, word, set);
    const tn_node *value = tn_tree_get(attributes, key);
    return gltf_is_good(c, value) &&
           gltf_open_accessor(&c->r, tn_tree_u32(value, 0), GLTF_ANY_SHAPE, e) &&
           e->width == SET_SIZE;
}

static uint32_t gltf_count_sets(gltf_checker *c, const tn_node *attributes, uint64_t vertices)
{
    uint32_t sets = 0;
    gltf_elements joints, weights;
    while (sets < SETS_MOST && gltf_open_set(c, attributes, "WEIGHTS", sets, &weights) &&
           gltf_open_set(c, attributes, "JOINTS", sets, &joints) && weights.count == vertices &&
           joints.count == vertices)
        sets++;
    return sets;
}

static bool gltf_take_all(gltf_checker *c, const tn_node *attributes, gltf_influences *all)
{
    uint64_t count = all->vertices * all->each;
    gltf_elements e;
    all->weights = gltf_work(&c->r, count, sizeof *all->weights);
    all->joints = gltf_work(&c->r, count, sizeof *all->joints);
    for (uint32_t i = 0; i < all->each / SET_SIZE && !c->builder.failed; i++) {
        if (gltf_open_set(c, attributes, "WEIGHTS", i, &e))
            gltf_take_floats(&c->r, &e, all->weights + SET_SIZE * i, all->each);
        if (!c->builder.failed && gltf_open_set(c, attributes, "JOINTS", i, &e))
            gltf_take_whole(&c->r, &e, all->joints + SET_SIZE * i, all->each);
    }
    return !c->builder.failed;
}

// -- Judging them

static inline bool has_twice(const uint32_t *joints, const float *weights, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && weights[i] != 0; k++)
            if (weights[k] != 0 && joints[k] == joints[i]) return true;
    return false;
}

static inline bool is_sum_right(const float *weights, uint32_t count)
{
    double sum = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        used += weights[i] != 0;
    }
    return fabs(sum - 1) <= WEIGHT_SLACK * (used ? used : 1);
}

// How many vertices have what faults.
typedef struct gltf_faults {
    uint64_t bad, negative, twice;
} gltf_faults;

// Inline, so that where `each` is known there are no loops over it.
static inline gltf_faults gltf_count_faults(const gltf_influences *all, uint32_t each)
{
    gltf_faults faults = {0, 0, 0};
    for (uint64_t i = 0; i < all->vertices; i++) {
        const float *weights = all->weights + i * each;
        for (uint32_t k = 0; k < each; k++) faults.negative += !(weights[k] >= 0);
        faults.bad += !is_sum_right(weights, each);
        faults.twice += has_twice(all->joints + i * each, weights, each);
    }
    return faults;
}

static void gltf_judge(gltf_checker *c, const tn_node *attributes, const gltf_influences *all)
{
    gltf_faults faults = all->each == SET_SIZE ? gltf_count_faults(all, SET_SIZE)
                                               : gltf_count_faults(all, all->each);
    if (faults.bad || faults.negative)
        gltf_found(c, GLTF_RULE_WEIGHTS, attributes,
                   "the weights of %" PRIu64 " of %" PRIu64 " vertices do not add up to 1, %" PRIu64
                   " are negative",
                   faults.bad, all->vertices, faults.negative);
    if (faults.twice)
        gltf_found(c, GLTF_RULE_JOINT_TWICE, attributes,
                   "%" PRIu64 " of %" PRIu64 " vertices have weights for one joint twice",
                   faults.twice, all->vertices);
}

void gltf_check_weights(gltf_checker *c, const tn_node *attributes, uint64_t vertices)
{
    gltf_influences all = {.vertices = vertices,
                           .each = SET_SIZE * gltf_count_sets(c, attributes, vertices)};
    const tn_node *first = tn_tree_get(attributes, "WEIGHTS_0");
    if (all.each == 0 || c->builder.failed) return;
    if (!gltf_is_first_look(c, first, GLTF_LOOK_WEIGHTS)) return;
    tn_mark mark = tn_arena_mark(&c->r.work);
    if (gltf_take_all(c, attributes, &all)) gltf_judge(c, attributes, &all);
    tn_arena_rewind(&c->r.work, mark);
}
