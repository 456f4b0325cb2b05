// verify_bounds_pairs.c: groups of pairs of vertices that the same matrices and morph targets move.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify_bounds.h"

#include "core/memory/budget.h"

#include <string.h>

#define INFLUENCES_MOST 16    // Of a vertex.
#define PAIRS_LEAST     16    // In groups of fewer pairs, bounds would take longer than they save.
#define SAME_WEIGHT     1e-4  // Weights this close are equal.

// A matrix that moves vertices: of a palette, or after these, of a node. In columns, as tn_affine.
typedef struct weighted_matrix {
    uint32_t matrix;
    double weight;
} weighted_matrix;

// Vertices of a pair.
typedef struct paired_vertex {
    const tn_verify_part *part;
    const tenon_primitive *primitive;
    uint32_t index;    // In the primitive.
    tn_vec3 position;  // With the weights of morph targets at rest.
    uint32_t count;    // Of the matrices that move it, the heaviest first;
    weighted_matrix influences[INFLUENCES_MOST];  // 0: there are too many.
} paired_vertex;

// Find the matrices that move a vertex.
static void verify_bounds_find_influences(const tn_posed_scene *posed, uint32_t palette_size,
                                          paired_vertex *v)
{
    const tenon_node *node = &posed->scene->nodes[v->part->node];
    const tenon_primitive *p = v->primitive;
    if (node->skin == TENON_NONE || p->influence_count == 0) {
        v->influences[0] = (weighted_matrix){palette_size + v->part->node, 1};
        v->count = 1;
        return;
    }
    uint64_t start = posed->pose->skin_starts[node->skin];
    size_t at = (size_t)v->index * p->influence_count;
    v->count = 0;
    for (uint32_t i = 0; i < p->influence_count; i++) {
        double weight = (double)p->weights[at + i];
        if (weight == 0) continue;
        if (v->count == INFLUENCES_MOST) {
            v->count = 0;
            return;
        }
        uint32_t k = v->count++;
        for (; k > 0 && v->influences[k - 1].weight < weight; k--)
            v->influences[k] = v->influences[k - 1];
        v->influences[k] = (weighted_matrix){(uint32_t)start + p->joints[at + i], weight};
    }
}

// Whether the same matrices move a vertex as the one before it.
static bool verify_bounds_moves_alike(const paired_vertex *v, uint32_t before)
{
    const tenon_primitive *p = v->primitive;
    size_t each = p->influence_count, at = v->index * each, other = before * each;
    bool differ = false;
    for (size_t i = 0; i < each && !differ; i++)
        differ = p->joints[at + i] != p->joints[other + i] ||
                 p->weights[at + i] != p->weights[other + i];
    return !differ;
}

// Find a vertex in the rest pose. It is most often in the part of the one before, which `v` has.
// Returns whether the same matrices move it.
static bool verify_bounds_find_vertex(const tn_posed_scene *posed, uint32_t palette_size,
                                      uint32_t vertex, paired_vertex *v)
{
    const tn_verify_part *part = v->part, *end = posed->parts + posed->part_count;
    uint32_t before = v->index;
    // The next part starts where this one ends.
    bool is_same =
        part && vertex >= part->first_vertex && (part + 1 == end || vertex < part[1].first_vertex);
    if (!is_same) v->part = part = tn_part_of_vertex(posed, vertex);
    v->primitive = &posed->scene->meshes[part->mesh].primitives[part->primitive];
    v->index = vertex - part->first_vertex;
    const float *x = v->primitive->positions + 3 * (size_t)v->index;
    double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    if (v->primitive->morph_count)
        tn_morph_position(v->primitive, tn_current_weights(posed, part->node), v->index, p);
    v->position = (tn_vec3){p[0], p[1], p[2]};
    if (is_same && (v->primitive->influence_count == 0 || verify_bounds_moves_alike(v, before)))
        return true;
    verify_bounds_find_influences(posed, palette_size, v);
    return false;
}

// Bring the influences of B into the order of those of A, where weights are too close to decide it.
// `partners` has for each matrix of A that of B where weights did.
static void verify_bounds_align(const weighted_matrix *a, weighted_matrix *b, uint32_t count,
                                uint32_t *partners)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_first = i == 0 || a[i - 1].weight - a[i].weight > SAME_WEIGHT;
        bool is_last = i + 1 == count || a[i].weight - a[i + 1].weight > SAME_WEIGHT;
        if (is_first && is_last && partners[a[i].matrix] == TENON_NONE)
            partners[a[i].matrix] = b[i].matrix;
        for (uint32_t k = i + 1; k < count && b[i].weight - b[k].weight <= SAME_WEIGHT; k++) {
            if (b[k].matrix != partners[a[i].matrix]) continue;
            weighted_matrix swap = b[i];
            b[i] = b[k];
            b[k] = swap;
        }
    }
}

// Divide the only influence of a vertex, so that each of the other one has a partner.
static void verify_bounds_divide(weighted_matrix *one, const weighted_matrix *others,
                                 uint32_t count)
{
    weighted_matrix left = *one;
    for (uint32_t i = 0; i < count; i++) {
        one[i] = (weighted_matrix){left.matrix, others[i].weight};
        left.weight -= others[i].weight;
    }
    one->weight += left.weight;
}

// Find the pair of the nodes that show two vertices, or make it. False if there are too many.
static bool verify_bounds_find_morphed(tn_pose_bounds *bounds, const paired_vertex v[2],
                                       uint32_t *morphed)
{
    uint32_t a = v[0].primitive->morph_count ? v[0].part->node : TENON_NONE;
    uint32_t b = v[1].primitive->morph_count ? v[1].part->node : TENON_NONE, i = 0;
    *morphed = TENON_NONE;
    if (a == TENON_NONE && b == TENON_NONE) return true;
    while (i < bounds->morphed_count && (bounds->morphed[i].a != a || bounds->morphed[i].b != b))
        i++;
    *morphed = i;
    if (i < bounds->morphed_count) return true;
    uint32_t count = v[0].primitive->morph_count, b_count = v[1].primitive->morph_count;
    if (count < b_count) count = b_count;
    if (i == bounds->morphed_most || count > TN_TARGETS_MOST - bounds->target_count) return false;
    bounds->morphed[bounds->morphed_count++] =
        (morphed_pair){a, b, count, bounds->targets + bounds->target_count};
    bounds->target_count += count;
    return true;
}

static pair_group *verify_bounds_find_group(tn_pose_bounds *bounds, uint32_t *heads, uint32_t a,
                                            uint32_t b, uint32_t morphed)
{
    uint32_t i = heads[a];
    while (i != TENON_NONE && (bounds->groups[i].b != b || bounds->groups[i].morphed != morphed))
        i = bounds->groups[i].next;
    if (i != TENON_NONE) return &bounds->groups[i];
    if (bounds->group_count == TN_GROUPS_MOST) return NULL;
    pair_group *group = &bounds->groups[bounds->group_count];
    *group = (pair_group){.a = a,
                          .b = b,
                          .morphed = morphed,
                          .next = heads[a],
                          .a_rest = tn_bounds_matrix(bounds->a, bounds->a_palette_size, a),
                          .b_rest = tn_bounds_matrix(bounds->b, bounds->b_palette_size, b),
                          .box = tn_bounds_empty()};
    heads[a] = bounds->group_count++;
    return group;
}

static void verify_bounds_add_positions(pair_group *group, tn_vec3 a, tn_vec3 b)
{
    tn_vec3 q = tn_affine_point(&group->a_rest, a), r = tn_affine_point(&group->b_rest, b);
    double apart = tn_vec3_length(tn_vec3_sub(r, q));
    double a_reach = tn_vec3_length(a), b_reach = tn_vec3_length(b);
    const double point[3] = {q.x, q.y, q.z};
    tn_bounds_add(&group->box, point);
    if (!(apart <= group->apart)) group->apart = apart;
    if (!(a_reach <= group->a_reach)) group->a_reach = a_reach;
    if (!(b_reach <= group->b_reach)) group->b_reach = b_reach;
}

static tn_vec3 verify_bounds_offset(const paired_vertex *v, uint32_t target)
{
    const tenon_primitive *p = v->primitive;
    if (target >= p->morph_count || !p->morphs[target].positions) return (tn_vec3){0, 0, 0};
    const float *offset = p->morphs[target].positions + 3 * (size_t)v->index;
    return (tn_vec3){(double)offset[0], (double)offset[1], (double)offset[2]};
}

static bool verify_bounds_add_offsets(const tn_pose_bounds *bounds, const pair_group *group,
                                      const paired_vertex v[2])
{
    const morphed_pair *morphed = &bounds->morphed[group->morphed];
    tn_affine a = group->a_rest, b = group->b_rest;
    for (uint32_t k = 9; k < 12; k++) a.m[k] = b.m[k] = 0;
    for (uint32_t i = 0; i < morphed->count; i++) {
        morph_target *target = &morphed->targets[i];
        tn_vec3 d = verify_bounds_offset(&v[0], i), e = verify_bounds_offset(&v[1], i);
        tn_vec3 moved = tn_affine_point(&a, d);
        tn_vec3 difference = tn_vec3_sub(tn_affine_point(&b, e), moved);
        double offset = tn_vec3_length(moved), apart = tn_vec3_length(difference);
        double d_length = tn_vec3_length(d), d_apart = tn_vec3_length(tn_vec3_sub(e, d));
        if (!(offset <= target->offset)) target->offset = offset;
        if (!(apart <= target->apart)) target->apart = apart;
        if (!(d_length <= target->length)) target->length = d_length;
        if (!(d_apart <= target->difference)) target->difference = d_apart;
    }
    return tn_budget_work(bounds->budget, morphed->count);
}

// Find the groups of a pair of vertices, and their number. Returns 0 if it cannot be bounded.
static uint32_t verify_bounds_find_groups(tn_pose_bounds *bounds, const paired_vertex v[2],
                                          uint32_t *heads, uint32_t *partners,
                                          pair_group *groups[INFLUENCES_MOST])
{
    double sum = 0, unequal = 0;
    uint32_t morphed, count = v[0].count > v[1].count ? v[0].count : v[1].count;
    weighted_matrix a[INFLUENCES_MOST], b[INFLUENCES_MOST];
    if (v[0].count == 0 || v[1].count == 0) return 0;
    if (!verify_bounds_find_morphed(bounds, v, &morphed)) return 0;
    memcpy(a, v[0].influences, v[0].count * sizeof *a);
    memcpy(b, v[1].influences, v[1].count * sizeof *b);
    if (v[0].count == v[1].count)
        verify_bounds_align(a, b, count, partners);
    else if (v[0].count == 1)
        verify_bounds_divide(a, b, count);
    else if (v[1].count == 1)
        verify_bounds_divide(b, a, count);
    else
        return 0;
    for (uint32_t k = 0; k < count; k++) {
        groups[k] = verify_bounds_find_group(bounds, heads, a[k].matrix, b[k].matrix, morphed);
        if (!groups[k]) return 0;
        sum += a[k].weight;
        unequal += fabs(a[k].weight - b[k].weight);
    }
    if (sum > bounds->weights) bounds->weights = sum;
    if (unequal > bounds->unequal) bounds->unequal = unequal;
    return count;
}

bool tn_bounds_add_pairs(tn_pose_bounds *bounds, const tn_vertex_pair_list *pairs, uint32_t *heads,
                         uint32_t *partners)
{
    paired_vertex v[2] = {{.part = NULL}, {.part = NULL}};
    pair_group *groups[INFLUENCES_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const tn_vertex_pair *pair = &pairs->items[i];
        bool a_is_alike =
            verify_bounds_find_vertex(bounds->a, bounds->a_palette_size, pair->a, &v[0]);
        bool b_is_alike =
            verify_bounds_find_vertex(bounds->b, bounds->b_palette_size, pair->b, &v[1]);
        if (!(a_is_alike && b_is_alike))
            count = verify_bounds_find_groups(bounds, v, heads, partners, groups);
        if (count == 0) return false;
        double gap =
            bounds->morphed_most ? tn_vec3_length(tn_vec3_sub(v[0].position, v[1].position)) : 0;
        if (!(gap <= bounds->gap)) bounds->gap = gap;
        for (uint32_t k = 0; k < count; k++) {
            verify_bounds_add_positions(groups[k], v[0].position, v[1].position);
            if (groups[k]->morphed != TENON_NONE &&
                !verify_bounds_add_offsets(bounds, groups[k], v))
                return false;
        }
    }
    return (uint64_t)PAIRS_LEAST * bounds->group_count <= pairs->count;
}
