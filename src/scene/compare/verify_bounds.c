// verify_bounds.c: how far apart two poses can be, without computing vertices.
// SPDX-License-Identifier: MIT
//
// Vertices a and b of a pair are moved by matrices A and B. With A0 and B0, those of the rest pose,
// and D = A A0^-1, E = B B0^-1, the motions since then, and q = A0 a:
//
//     A a - B b = (D - E) q - E (B0 b - q)
//
// The first term is linear in q, so over a box it is largest at one of the corners; the second is
// small, since both scenes are the same in the rest pose. Vertices with several influences are no
// farther apart than the farthest of their influences.
//
// Positions are floats: each coordinate is off by at most 2^-24 of itself, and so are both vertices
// together by 2^-24 of the sum of their distances from the origin. The slack is twice that, of sums
// of absolute values, which no rounding of the 20 operations in double precision before comes near:
// it holds however far the model is from the origin. What A0^-1 lacks to be the inverse is measured
// and added.
//
// Morph targets move a and b before matrices do. For a target with the offsets d and e, whose
// weights have changed by s and t since the rest pose, and u = A0 d and v = B0 e, without
// translations, they add
//
//     A s d - B t e = (s - t) D u + t (D - E) u - t E (v - u)
//
// Of each target the largest lengths of u and v - u are known, and what a matrix may lengthen is
// found from the sums of the rows of its square. Sums of products of weights and offsets round in
// double precision, in as many steps as there are targets: the slack counts all weights, not only
// their changes, as lengths, and every target as a step.

#include "scene/compare/verify.h"

#include "core/math/bounds.h"
#include "core/memory/budget.h"
#include "scene/pose/pose.h"

#include <string.h>

#define INFLUENCES_MOST 16       // Of a vertex.
#define GROUPS_MOST     1024     // More would take longer than they save,
#define PAIRS_LEAST     16       // as would groups of fewer pairs.
#define SAME_WEIGHT     1e-4     // Weights this close are equal.
#define MORPHED_MOST    64       // Pairs of nodes with morph targets,
#define TARGETS_MOST    4096     // and the targets of all of them.
#define FLOAT_SLACK     0x1p-23  // Of the positions.
#define DOUBLE_SLACK    0x1p-48  // Of products of matrices.

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

// How far a morph target moves vertices.
typedef struct morph_target {
    double offset, apart;  // The largest lengths of u, and of v - u.
    double reach;          // Of d and e, added.
} morph_target;

// Two nodes that show paired vertices, of which at least one has morph targets.
typedef struct morphed_pair {
    uint32_t a, b;   // TENON_NONE: this one has none.
    uint32_t count;  // Of the targets of that which has more.
    morph_target *targets;
} morphed_pair;

// What the weights of a pair of nodes add in the current poses: the sums over all targets of
typedef struct morph_change {
    double difference;  // |s - t| |u|,
    double both;        // |t| |u|,
    double other;       // |t| |v - u|,
    double size;        // and, for the slack, of all weights times all lengths.
} morph_change;

// The vertices that are moved by the same two matrices, and by the same morph targets.
typedef struct pair_group {
    uint32_t a, b;     // Matrices of both scenes.
    uint32_t morphed;  // Pair of nodes with morph targets, or TENON_NONE.
    uint32_t next;     // The next group with the same `a`, or TENON_NONE.
    bool is_bounded;   // The matrices of the rest pose have inverses.
    tn_affine a_rest, b_rest, a_inverse, b_inverse;
    tn_bounds box;               // Of q.
    double apart;                // The largest length of B0 b - q.
    double a_reach, b_reach;     // The largest lengths of a and b.
    double a_slack, b_slack;     // For each unit of the size of A and B.
    double rest, rest_farthest;  // Bounds in the rest pose.
} pair_group;

struct tn_pose_bounds {
    const tn_posed_scene *a, *b;
    tenon_budget *budget;
    uint32_t a_palette_size, b_palette_size;
    uint32_t group_count;
    pair_group *groups;
    uint32_t morphed_count, target_count;
    morphed_pair *morphed;
    morph_target *targets;  // Of all of these.
    morph_change *changes;  // Of each of these in the current poses.
    double weights;         // The largest sum of the weights of a vertex,
    double unequal;         // and of their differences between the scenes.
    // Of the current animations.
    bool is_listed;
    uint32_t a_animation, b_animation;
    bool *a_moves, *b_moves;       // Of each matrix: whether they move it.
    bool a_is_still, b_is_still;   // They move nothing at all.
    uint32_t moved_count, *moved;  // The groups that they move.
    double still, still_farthest;  // Bounds of the others.
};

// -- Matrices

static uint32_t verify_bounds_palette_size(const tn_posed_scene *posed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < posed->scene->skin_count; i++)
        count += posed->scene->skins[i].joint_count;
    return count;
}

static tn_affine verify_bounds_matrix(const tn_posed_scene *posed, uint32_t palette_size,
                                      uint32_t matrix)
{
    if (matrix < palette_size) return posed->pose->palette[matrix];
    const double *m = tenon_pose_global(posed->pose, matrix - palette_size);
    return (tn_affine){
        {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]}};
}

static tn_vec3 verify_bounds_move(const tn_affine *affine, tn_vec3 p)
{
    const double *m = affine->m;
    return (tn_vec3){m[0] * p.x + m[3] * p.y + m[6] * p.z + m[9],
                     m[1] * p.x + m[4] * p.y + m[7] * p.z + m[10],
                     m[2] * p.x + m[5] * p.y + m[8] * p.z + m[11]};
}

static tn_affine verify_bounds_product(const tn_affine *a, const tn_affine *b)
{
    tn_affine out;
    for (uint32_t column = 0; column < 4; column++)
        for (uint32_t row = 0; row < 3; row++) {
            const double *c = b->m + 3 * column;
            double sum = a->m[row] * c[0] + a->m[3 + row] * c[1] + a->m[6 + row] * c[2];
            out.m[3 * column + row] = column == 3 ? sum + a->m[9 + row] : sum;
        }
    return out;
}

static double verify_bounds_size(const tn_affine *a)
{
    double square = 0;
    for (uint32_t i = 0; i < 12; i++) square += a->m[i] * a->m[i];
    return sqrt(square);
}

// The inverse of `m`, and how much an error of 1 in what it is applied to may change the result.
static bool verify_bounds_invert(const tn_affine *m, double reach, double away, tn_affine *inverse,
                                 double *slack)
{
    static const tn_affine identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
    tn_mat4 matrix = tn_mat4_identity(), out;
    for (uint32_t column = 0; column < 4; column++)
        memcpy(matrix.m + 4 * column, m->m + 3 * column, 3 * sizeof *m->m);
    if (!tn_mat4_affine_inverse(&matrix, &out)) return false;
    for (uint32_t column = 0; column < 4; column++)
        memcpy(inverse->m + 3 * column, out.m + 4 * column, 3 * sizeof *m->m);
    tn_affine rest = verify_bounds_product(inverse, m);
    for (uint32_t i = 0; i < 12; i++) rest.m[i] -= identity.m[i];
    *slack = verify_bounds_size(&rest) * (reach + 1) +
             DOUBLE_SLACK * verify_bounds_size(inverse) *
                 ((verify_bounds_size(m) + 1) * (reach + 1) + away + 1);
    return *slack < HUGE_VAL;
}

// -- Groups

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

static const double *verify_bounds_weights(const tn_posed_scene *posed, uint32_t node)
{
    return posed->pose->weights + posed->pose->weight_starts[node];
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
        tn_morph_position(v->primitive, verify_bounds_weights(posed, part->node), v->index, p);
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
    if (i == MORPHED_MOST || count > TARGETS_MOST - bounds->target_count) return false;
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
    if (bounds->group_count == GROUPS_MOST) return NULL;
    pair_group *group = &bounds->groups[bounds->group_count];
    *group = (pair_group){.a = a,
                          .b = b,
                          .morphed = morphed,
                          .next = heads[a],
                          .a_rest = verify_bounds_matrix(bounds->a, bounds->a_palette_size, a),
                          .b_rest = verify_bounds_matrix(bounds->b, bounds->b_palette_size, b),
                          .box = tn_bounds_empty()};
    heads[a] = bounds->group_count++;
    return group;
}

static void verify_bounds_add_positions(pair_group *group, tn_vec3 a, tn_vec3 b)
{
    tn_vec3 q = verify_bounds_move(&group->a_rest, a), r = verify_bounds_move(&group->b_rest, b);
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
        tn_vec3 moved = verify_bounds_move(&a, d);
        tn_vec3 difference = tn_vec3_sub(verify_bounds_move(&b, e), moved);
        double offset = tn_vec3_length(moved), apart = tn_vec3_length(difference);
        double reach = tn_vec3_length(d) + tn_vec3_length(e);
        if (!(offset <= target->offset)) target->offset = offset;
        if (!(apart <= target->apart)) target->apart = apart;
        if (!(reach <= target->reach)) target->reach = reach;
    }
    return tn_budget_work(bounds->budget, morphed->count);
}

// Find the groups of a pair of vertices. False if it cannot be bounded.
static bool verify_bounds_find_groups(tn_pose_bounds *bounds, paired_vertex v[2], uint32_t *heads,
                                      uint32_t *partners, pair_group *groups[INFLUENCES_MOST])
{
    double sum = 0, unequal = 0;
    uint32_t morphed;
    if (v[0].count == 0 || v[0].count != v[1].count) return false;
    if (!verify_bounds_find_morphed(bounds, v, &morphed)) return false;
    const weighted_matrix *a = v[0].influences, *b = v[1].influences;
    verify_bounds_align(a, v[1].influences, v[0].count, partners);
    for (uint32_t k = 0; k < v[0].count; k++) {
        groups[k] = verify_bounds_find_group(bounds, heads, a[k].matrix, b[k].matrix, morphed);
        if (!groups[k]) return false;
        sum += a[k].weight;
        unequal += fabs(a[k].weight - b[k].weight);
    }
    if (sum > bounds->weights) bounds->weights = sum;
    if (unequal > bounds->unequal) bounds->unequal = unequal;
    return true;
}

// False if a pair cannot be bounded.
static bool verify_bounds_add_pairs(tn_pose_bounds *bounds, const tn_vertex_pair_list *pairs,
                                    uint32_t *heads, uint32_t *partners)
{
    paired_vertex v[2] = {{.part = NULL}, {.part = NULL}};
    pair_group *groups[INFLUENCES_MOST];
    for (uint32_t i = 0; i < pairs->count; i++) {
        const tn_vertex_pair *pair = &pairs->items[i];
        bool a_is_alike =
            verify_bounds_find_vertex(bounds->a, bounds->a_palette_size, pair->a, &v[0]);
        bool b_is_alike =
            verify_bounds_find_vertex(bounds->b, bounds->b_palette_size, pair->b, &v[1]);
        if (!(a_is_alike && b_is_alike) &&
            !verify_bounds_find_groups(bounds, v, heads, partners, groups))
            return false;
        for (uint32_t k = 0; k < v[0].count; k++) {
            verify_bounds_add_positions(groups[k], v[0].position, v[1].position);
            if (groups[k]->morphed != TENON_NONE &&
                !verify_bounds_add_offsets(bounds, groups[k], v))
                return false;
        }
    }
    return (uint64_t)PAIRS_LEAST * bounds->group_count <= pairs->count;
}

// -- Poses

// A bound on the factor by which a matrix, without its translation, makes vectors longer. It is
// exact for rotations and equal scales.
static double verify_bounds_stretch(const tn_affine *a)
{
    double most = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const double *c = a->m + 3 * i, *d = a->m + 3 * k;
            sum += fabs(c[0] * d[0] + c[1] * d[1] + c[2] * d[2]);
        }
        if (!(sum <= most)) most = sum;
    }
    return sqrt(most);
}

// What the weights of morph targets have changed since the rest pose.
static morph_change verify_bounds_find_change(const tn_pose_bounds *bounds,
                                              const morphed_pair *morphed)
{
    const tn_posed_scene *const scenes[2] = {bounds->a, bounds->b};
    const uint32_t nodes[2] = {morphed->a, morphed->b};
    morph_change change = {0};
    for (uint32_t i = 0; i < morphed->count; i++) {
        const morph_target *target = &morphed->targets[i];
        double changes[2] = {0}, size = 0;
        for (uint32_t side = 0; side < 2; side++) {
            const tenon_scene *scene = scenes[side]->scene;
            if (nodes[side] == TENON_NONE || i >= tn_morph_count(scene, nodes[side])) continue;
            double weight = verify_bounds_weights(scenes[side], nodes[side])[i];
            double rest = tn_rest_weights(scene, nodes[side])[i];
            changes[side] = weight - rest;
            size += fabs(weight) + fabs(rest);
        }
        change.difference += fabs(changes[0] - changes[1]) * target->offset;
        change.both += fabs(changes[1]) * target->offset;
        change.other += fabs(changes[1]) * target->apart;
        change.size += size * (target->offset + target->apart + target->reach);
    }
    return change;
}

// A bound on the distance of a group, and in *most on how far from the origin its vertices are.
// `change` is that of its morph targets, or NULL.
static double verify_bounds_group(const pair_group *group, const tn_affine *a, const tn_affine *b,
                                  const morph_change *change, double *most)
{
    const tn_bounds *box = &group->box;
    tn_affine d = verify_bounds_product(a, &group->a_inverse),
              e = verify_bounds_product(b, &group->b_inverse), difference;
    double far_a = 0, far_b = 0, square = 0, stretch = verify_bounds_size(&e);
    for (uint32_t i = 0; i < 12; i++) difference.m[i] = d.m[i] - e.m[i];
    for (uint32_t row = 0; row < 3; row++) {
        double sum_a = fabs(d.m[9 + row]), sum_b = fabs(e.m[9 + row]);
        for (uint32_t k = 0; k < 3; k++) {
            double side = fmax(fabs(box->min[k]), fabs(box->max[k]));
            sum_a += fabs(d.m[3 * k + row]) * side;
            sum_b += fabs(e.m[3 * k + row]) * side;
        }
        far_a += sum_a * sum_a;
        far_b += sum_b * sum_b;
    }
    for (uint32_t corner = 0; corner < 8; corner++) {
        tn_vec3 at = {corner & 1 ? box->max[0] : box->min[0],
                      corner & 2 ? box->max[1] : box->min[1],
                      corner & 4 ? box->max[2] : box->min[2]};
        tn_vec3 apart = verify_bounds_move(&difference, at);
        double length = tn_vec3_dot(apart, apart);
        if (!(length <= square)) square = length;
    }
    *most = sqrt(far_b) + stretch * group->apart;
    double slack = verify_bounds_size(a) * group->a_slack + verify_bounds_size(b) * group->b_slack;
    double bound = sqrt(square) + stretch * group->apart + FLOAT_SLACK * (sqrt(far_a) + *most);
    if (!change) return bound + slack;
    double of_d = verify_bounds_stretch(&d), of_e = verify_bounds_stretch(&e);
    *most += of_e * (change->both + change->other);
    return bound + slack * (1 + change->size) + of_d * change->difference +
           verify_bounds_stretch(&difference) * change->both + of_e * change->other +
           FLOAT_SLACK * (of_d + of_e) * change->size;
}

static uint32_t verify_bounds_matrix_count(const tn_posed_scene *posed, uint32_t palette_size)
{
    return palette_size + posed->scene->node_count;
}

// Mark the matrices that the current animation of a scene moves.
static void verify_bounds_mark_moved(const tn_posed_scene *posed, uint32_t palette_size,
                                     bool *is_moved)
{
    const tenon_pose *pose = posed->pose;
    memset(is_moved, 0, verify_bounds_matrix_count(posed, palette_size) * sizeof *is_moved);
    for (uint32_t i = 0; i < pose->roots.count; i++) {
        uint32_t root = pose->roots.nodes[i];
        const uint32_t *nodes = pose->trees.nodes + pose->trees.places[root];
        for (uint32_t k = 0; k < pose->trees.sizes[root]; k++) {
            is_moved[palette_size + nodes[k]] = true;
            for (uint64_t j = pose->joint_starts[nodes[k]]; j < pose->joint_starts[nodes[k] + 1];
                 j++)
                is_moved[pose->skin_starts[pose->skin_joints[j].skin] +
                         pose->skin_joints[j].joint] = true;
        }
    }
}

static double verify_bounds_current(const tn_pose_bounds *bounds, const pair_group *group,
                                    double *most)
{
    const morph_change *change =
        group->morphed == TENON_NONE ? NULL : &bounds->changes[group->morphed];
    *most = 0;
    if (!group->is_bounded) return HUGE_VAL;
    tn_affine a = verify_bounds_matrix(bounds->a, bounds->a_palette_size, group->a),
              b = verify_bounds_matrix(bounds->b, bounds->b_palette_size, group->b);
    return verify_bounds_group(group, &a, &b, change, most);
}

// List the groups that the current animations move.
static void verify_bounds_list_moved(tn_pose_bounds *bounds)
{
    const tn_posed_scene *a = bounds->a, *b = bounds->b;
    verify_bounds_mark_moved(a, bounds->a_palette_size, bounds->a_moves);
    verify_bounds_mark_moved(b, bounds->b_palette_size, bounds->b_moves);
    bounds->moved_count = 0;
    bounds->still = bounds->still_farthest = 0;
    bounds->a_is_still = bounds->b_is_still = true;
    for (uint32_t i = 0; i < bounds->group_count; i++) {
        const pair_group *group = &bounds->groups[i];
        bool has_morphs = group->morphed != TENON_NONE;
        bool a_moves = bounds->a_moves[group->a] || has_morphs;
        bool b_moves = bounds->b_moves[group->b] || has_morphs;
        bounds->a_is_still &= !a_moves;
        bounds->b_is_still &= !b_moves;
        if (a_moves || b_moves) {
            bounds->moved[bounds->moved_count++] = i;
            continue;
        }
        if (!(group->rest <= bounds->still)) bounds->still = group->rest;
        if (!(group->rest_farthest <= bounds->still_farthest))
            bounds->still_farthest = group->rest_farthest;
    }
    bounds->a_animation = a->pose->animation;
    bounds->b_animation = b->pose->animation;
    bounds->is_listed = true;
    (void)tn_budget_work(bounds->budget, bounds->group_count);
}

static bool verify_bounds_is_listed(const tn_pose_bounds *bounds, uint32_t a_animation,
                                    uint32_t b_animation)
{
    return bounds->is_listed && bounds->a_animation == a_animation &&
           bounds->b_animation == b_animation;
}

void tn_pose_bounds_set(tn_pose_bounds *bounds, const tn_pose_pair *pair)
{
    bool is_listed = verify_bounds_is_listed(bounds, pair->a_clip, pair->b_clip);
    if (!is_listed || !bounds->a_is_still)
        tenon_pose_set(bounds->a->pose, pair->a_clip, pair->a_seconds);
    if (!is_listed || !bounds->b_is_still)
        tenon_pose_set(bounds->b->pose, pair->b_clip, pair->b_seconds);
}

double tn_pose_bound(tn_pose_bounds *bounds)
{
    if (!verify_bounds_is_listed(bounds, bounds->a->pose->animation, bounds->b->pose->animation))
        verify_bounds_list_moved(bounds);
    double bound = bounds->still, farthest = bounds->still_farthest;
    (void)tn_budget_work(bounds->budget, bounds->moved_count + (uint64_t)bounds->target_count);
    for (uint32_t i = 0; i < bounds->morphed_count; i++)
        bounds->changes[i] = verify_bounds_find_change(bounds, &bounds->morphed[i]);
    for (uint32_t i = 0; i < bounds->moved_count; i++) {
        double most,
            length = verify_bounds_current(bounds, &bounds->groups[bounds->moved[i]], &most);
        if (!(length <= bound)) bound = length;
        if (!(most <= farthest)) farthest = most;
    }
    bound = bounds->weights * bound + bounds->unequal * farthest;
    return bound < HUGE_VAL ? bound : HUGE_VAL;
}

// -- Making

static bool verify_bounds_has_morphs(const tn_posed_scene *posed)
{
    for (uint32_t i = 0; i < posed->scene->mesh_count; i++)
        if (posed->scene->meshes[i].morph_count) return true;
    return false;
}

tn_pose_bounds *tn_pose_bounds_new(tn_match_context *context, const tn_comparison *comparison)
{
    const tn_posed_scene *a = comparison->a, *b = comparison->b;
    bool has_surfaces = comparison->a_points.triangle_count || comparison->b_points.triangle_count;
    bool is_at_rest = a->animation == TENON_NONE && b->animation == TENON_NONE;
    if (has_surfaces || !is_at_rest || comparison->coincident_count) return NULL;
    uint32_t a_size = verify_bounds_palette_size(a), b_size = verify_bounds_palette_size(b);
    uint64_t matrices = verify_bounds_matrix_count(a, a_size);
    uint64_t b_matrices = verify_bounds_matrix_count(b, b_size);
    tn_pose_bounds *bounds = tn_match_alloc(context, 1, sizeof *bounds);
    pair_group *groups = tn_match_alloc(context, GROUPS_MOST, sizeof *groups);
    uint32_t *moved = tn_match_alloc(context, GROUPS_MOST, sizeof *moved);
    bool *a_moves = tn_match_alloc(context, matrices, sizeof *a_moves);
    bool *b_moves = tn_match_alloc(context, b_matrices, sizeof *b_moves);
    bool has_morphs = verify_bounds_has_morphs(a) || verify_bounds_has_morphs(b);
    uint32_t morphed_most = has_morphs ? MORPHED_MOST : 0;
    morphed_pair *morphed = tn_match_alloc(context, morphed_most, sizeof *morphed);
    morph_change *changes = tn_match_alloc(context, morphed_most, sizeof *changes);
    morph_target *targets = tn_match_alloc(context, has_morphs ? TARGETS_MOST : 0, sizeof *targets);
    tn_mark mark = tn_arena_mark(&context->arena);
    uint32_t *heads = tn_match_alloc(context, matrices, sizeof *heads);
    uint32_t *partners = tn_match_alloc(context, matrices, sizeof *partners);
    if (context->failed) return NULL;
    *bounds = (tn_pose_bounds){.a = a,
                               .b = b,
                               .budget = context->arena.allocator.budget,
                               .a_palette_size = a_size,
                               .b_palette_size = b_size,
                               .groups = groups,
                               .morphed = morphed,
                               .targets = targets,
                               .changes = changes,
                               .a_moves = a_moves,
                               .b_moves = b_moves,
                               .moved = moved};
    for (uint64_t i = 0; i < matrices; i++) heads[i] = partners[i] = TENON_NONE;
    if (!verify_bounds_add_pairs(bounds, &comparison->pairs, heads, partners)) return NULL;
    tn_arena_rewind(&context->arena, mark);
    for (uint32_t i = 0; i < bounds->group_count; i++) {
        pair_group *group = &groups[i];
        double away = tn_bounds_farthest(&group->box) + group->apart;
        // Steps in which positions are rounded.
        double sums = group->morphed == TENON_NONE ? 1 : 1.0 + morphed[group->morphed].count;
        group->is_bounded = verify_bounds_invert(&group->a_rest, sums * group->a_reach, sums * away,
                                                 &group->a_inverse, &group->a_slack) &&
                            verify_bounds_invert(&group->b_rest, sums * group->b_reach, sums * away,
                                                 &group->b_inverse, &group->b_slack);
        group->rest = verify_bounds_current(bounds, group, &group->rest_farthest);
    }
    return bounds;
}

tn_pose_bounds *tn_pose_bounds_copy(tn_match_context *context, const tn_pose_bounds *from,
                                    const tn_posed_scene *a, const tn_posed_scene *b)
{
    uint64_t a_count = verify_bounds_matrix_count(a, from->a_palette_size);
    uint64_t b_count = verify_bounds_matrix_count(b, from->b_palette_size);
    tn_pose_bounds *bounds = tn_match_alloc(context, 1, sizeof *bounds);
    uint32_t *moved = tn_match_alloc(context, GROUPS_MOST, sizeof *moved);
    bool *a_moves = tn_match_alloc(context, a_count, sizeof *a_moves);
    bool *b_moves = tn_match_alloc(context, b_count, sizeof *b_moves);
    morph_change *changes = tn_match_alloc(context, from->morphed_count, sizeof *changes);
    if (context->failed) return NULL;
    *bounds = *from;
    bounds->a = a;
    bounds->b = b;
    bounds->moved = moved;
    bounds->a_moves = a_moves;
    bounds->b_moves = b_moves;
    bounds->changes = changes;
    bounds->is_listed = false;
    return bounds;
}

void tn_pose_bounds_forget(tn_pose_bounds *bounds)
{
    bounds->is_listed = false;
}

void tn_pose_bounds_count_work(tn_pose_bounds *bounds, tenon_budget *budget)
{
    bounds->budget = budget;
}
