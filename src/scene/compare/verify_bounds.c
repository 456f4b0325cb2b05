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

#include "scene/compare/verify_bounds.h"

#include "core/memory/budget.h"

#include <string.h>

#define MORPHED_MOST 64       // Pairs of nodes with morph targets.
#define DOUBLE_SLACK 0x1p-48  // Of products of matrices.

// -- Matrices

static uint32_t verify_bounds_palette_size(const tn_posed_scene *posed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < posed->scene->skin_count; i++)
        count += posed->scene->skins[i].joint_count;
    return count;
}

tn_affine tn_bounds_matrix(const tn_posed_scene *posed, uint32_t palette_size, uint32_t matrix)
{
    if (matrix < palette_size) return posed->pose->palette[matrix];
    const double *m = tenon_pose_global(posed->pose, matrix - palette_size);
    return (tn_affine){
        {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]}};
}

tn_vec3 tn_affine_point(const tn_affine *affine, tn_vec3 p)
{
    const double *m = affine->m;
    return (tn_vec3){m[0] * p.x + m[3] * p.y + m[6] * p.z + m[9],
                     m[1] * p.x + m[4] * p.y + m[7] * p.z + m[10],
                     m[2] * p.x + m[5] * p.y + m[8] * p.z + m[11]};
}

static tn_affine verify_bounds_product(const tn_affine *a, const tn_affine *b)
{
    tn_affine out;
    const double *m = a->m;
    for (uint32_t column = 0; column < 4; column++) {
        const double *c = b->m + 3 * (size_t)column;
        double x = c[0], y = c[1], z = c[2], *to = out.m + 3 * (size_t)column;
        for (uint32_t row = 0; row < 3; row++)
            to[row] = m[row] * x + m[3 + row] * y + m[6 + row] * z;
    }
    for (uint32_t row = 0; row < 3; row++) out.m[9 + row] += m[9 + row];
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

double tn_affine_stretch(const tn_affine *a)
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

// -- Poses

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
            double weight = tn_current_weights(scenes[side], nodes[side])[i];
            double rest = tn_rest_weights(scene, nodes[side])[i];
            changes[side] = weight - rest;
            size += fabs(weight) + fabs(rest);
        }
        change.difference += fabs(changes[0] - changes[1]) * target->offset;
        change.both += fabs(changes[1]) * target->offset;
        change.other += fabs(changes[1]) * target->apart;
        change.size +=
            size * (target->offset + target->apart + 2 * target->length + target->difference);
    }
    return change;
}

// The largest of the squared lengths of vectors that a matrix makes of the corners of a box.
static double verify_bounds_largest_corner(const tn_affine *affine, const tn_bounds *box)
{
    double x[2][3], y[2][3], z[2][3], most = 0;
    const double *m = affine->m;
    for (uint32_t row = 0; row < 3; row++) {
        x[0][row] = m[row] * box->min[0] + m[9 + row];
        x[1][row] = m[row] * box->max[0] + m[9 + row];
        y[0][row] = m[3 + row] * box->min[1];
        y[1][row] = m[3 + row] * box->max[1];
        z[0][row] = m[6 + row] * box->min[2];
        z[1][row] = m[6 + row] * box->max[2];
    }
    for (uint32_t corner = 0; corner < 8; corner++) {
        const double *p = x[corner & 1], *q = y[corner >> 1 & 1], *r = z[corner >> 2];
        double u = p[0] + q[0] + r[0], v = p[1] + q[1] + r[1], w = p[2] + q[2] + r[2];
        double length = u * u + v * v + w * w;
        if (!(length <= most)) most = length;
    }
    return most;
}

// How far from the origin a matrix moves anything in a box around it, at most.
static double verify_bounds_farthest(const tn_affine *affine, const double sides[3])
{
    const double *m = affine->m;
    double square = 0;
    for (uint32_t row = 0; row < 3; row++) {
        double sum = fabs(m[row]) * sides[0] + fabs(m[3 + row]) * sides[1] +
                     fabs(m[6 + row]) * sides[2] + fabs(m[9 + row]);
        square += sum * sum;
    }
    return sqrt(square);
}

// Find D, or E if `is_b`, of a group.
static void verify_bounds_find_motion(const pair_group *group, const tn_posed_scene *posed,
                                      uint32_t palette_size, bool is_b, group_motion *out)
{
    tn_affine matrix = tn_bounds_matrix(posed, palette_size, is_b ? group->b : group->a);
    out->motion = verify_bounds_product(&matrix, is_b ? &group->b_inverse : &group->a_inverse);
    out->farthest = verify_bounds_farthest(&out->motion, group->sides);
    out->size = verify_bounds_size(&out->motion);
    out->slack = verify_bounds_size(&matrix) * (is_b ? group->b_slack : group->a_slack);
}

// A bound on the distance of a group, and in *most on how far from the origin its vertices are.
// `change` is that of its morph targets, or NULL.
static double verify_bounds_group(const pair_group *group, const group_motion *a,
                                  const group_motion *b, const morph_change *change, double *most)
{
    tn_affine difference;
    for (uint32_t i = 0; i < 12; i++) difference.m[i] = a->motion.m[i] - b->motion.m[i];
    *most = b->farthest + b->size * group->apart;
    double slack = a->slack + b->slack;
    double bound = sqrt(verify_bounds_largest_corner(&difference, &group->box)) +
                   b->size * group->apart + TN_FLOAT_SLACK * (a->farthest + *most);
    if (!change) return bound + slack;
    double of_d = tn_affine_stretch(&a->motion), of_e = tn_affine_stretch(&b->motion);
    *most += of_e * (change->both + change->other);
    return bound + slack * (1 + change->size) + of_d * change->difference +
           tn_affine_stretch(&difference) * change->both + of_e * change->other +
           TN_FLOAT_SLACK * (of_d + of_e) * change->size;
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
    group_motion a, b;
    bool a_moves = bounds->is_listed && bounds->a_moves[group->a];
    bool b_moves = bounds->is_listed && bounds->b_moves[group->b];
    if (a_moves) verify_bounds_find_motion(group, bounds->a, bounds->a_palette_size, false, &a);
    if (b_moves) verify_bounds_find_motion(group, bounds->b, bounds->b_palette_size, true, &b);
    return verify_bounds_group(group, a_moves ? &a : &group->a_at_rest,
                               b_moves ? &b : &group->b_at_rest, change, most);
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
    pair_group *groups = tn_match_alloc(context, TN_GROUPS_MOST, sizeof *groups);
    uint32_t *moved = tn_match_alloc(context, TN_GROUPS_MOST, sizeof *moved);
    bool *a_moves = tn_match_alloc(context, matrices, sizeof *a_moves);
    bool *b_moves = tn_match_alloc(context, b_matrices, sizeof *b_moves);
    bool has_morphs = verify_bounds_has_morphs(a) || verify_bounds_has_morphs(b);
    uint32_t morphed_most = has_morphs ? MORPHED_MOST : 0;
    morphed_pair *morphed = tn_match_alloc(context, morphed_most, sizeof *morphed);
    morph_change *changes = tn_match_alloc(context, morphed_most, sizeof *changes);
    morph_target *targets =
        tn_match_alloc(context, has_morphs ? TN_TARGETS_MOST : 0, sizeof *targets);
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
                               .morphed_most = morphed_most,
                               .morphed = morphed,
                               .targets = targets,
                               .changes = changes,
                               .a_moves = a_moves,
                               .b_moves = b_moves,
                               .moved = moved};
    for (uint64_t i = 0; i < matrices; i++) heads[i] = partners[i] = TENON_NONE;
    if (!tn_bounds_add_pairs(bounds, &comparison->pairs, heads, partners)) return NULL;
    tn_arena_rewind(&context->arena, mark);
    for (uint32_t i = 0; i < bounds->group_count; i++) {
        pair_group *group = &groups[i];
        double away = tn_bounds_farthest(&group->box) + group->apart;
        for (uint32_t k = 0; k < 3; k++)
            group->sides[k] = fmax(fabs(group->box.min[k]), fabs(group->box.max[k]));
        // Steps in which positions are rounded.
        double sums = group->morphed == TENON_NONE ? 1 : 1.0 + morphed[group->morphed].count;
        group->is_bounded = verify_bounds_invert(&group->a_rest, sums * group->a_reach, sums * away,
                                                 &group->a_inverse, &group->a_slack) &&
                            verify_bounds_invert(&group->b_rest, sums * group->b_reach, sums * away,
                                                 &group->b_inverse, &group->b_slack);
        verify_bounds_find_motion(group, a, a_size, false, &group->a_at_rest);
        verify_bounds_find_motion(group, b, b_size, true, &group->b_at_rest);
        group->rest = verify_bounds_current(bounds, group, &group->rest_farthest);
    }
    return tn_alike_begin(context, bounds) ? bounds : NULL;
}

tn_pose_bounds *tn_pose_bounds_copy(tn_match_context *context, const tn_pose_bounds *from,
                                    const tn_posed_scene *a, const tn_posed_scene *b)
{
    uint64_t a_count = verify_bounds_matrix_count(a, from->a_palette_size);
    uint64_t b_count = verify_bounds_matrix_count(b, from->b_palette_size);
    tn_pose_bounds *bounds = tn_match_alloc(context, 1, sizeof *bounds);
    uint32_t *moved = tn_match_alloc(context, TN_GROUPS_MOST, sizeof *moved);
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
    return tn_alike_begin(context, bounds) ? bounds : NULL;
}

void tn_pose_bounds_forget(tn_pose_bounds *bounds)
{
    bounds->is_listed = false;
    tn_alike_forget(bounds);
}

void tn_pose_bounds_count_work(tn_pose_bounds *bounds, tenon_budget *budget)
{
    bounds->budget = budget;
}
