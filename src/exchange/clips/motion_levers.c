// motion_levers.c: how far errors of curves move vertices, and how the tolerance is divided.
// SPDX-License-Identifier: MIT
//
// A vertex is moved by a chain of nodes, and the errors of their curves add up. What an error at a
// node does to a vertex is bounded by how far from the node the vertex can be, in any pose: the
// lengths of the chain between them, each multiplied by the scales above it.

#include "exchange/clips/motion_private.h"
#include "exchange/joint_use.h"

#include <math.h>
#include <string.h>

static double motion_levers_larger(double a, double b)
{
    return b > a ? b : a;
}

// -- Bounds of nodes

typedef struct bounds_finder {
    const tenon_scene *scene;
    tn_bounds *bounds;  // Of each node: around the vertices that it moves itself, in its space.
} bounds_finder;

static void motion_levers_extend_by_joint(void *user, uint32_t skin, uint32_t joint,
                                          const tn_bounds *bounds)
{
    bounds_finder *finder = user;
    const tenon_skin *from = &finder->scene->skins[skin];
    tn_mat4 bind = tn_mat4_from_columns(from->inverse_binds + 16 * (size_t)joint);
    for (uint32_t corner = 0; corner < 8; corner++) {
        tn_vec3 p = {(corner & 1 ? bounds->max : bounds->min)[0],
                     (corner & 2 ? bounds->max : bounds->min)[1],
                     (corner & 4 ? bounds->max : bounds->min)[2]};
        p = tn_mat4_point(&bind, p);
        tn_bounds_add(&finder->bounds[from->joints[joint]], (const double[3]){p.x, p.y, p.z});
    }
}

static bool motion_levers_find_bounds(const tn_export *export, bounds_finder *finder)
{
    const tenon_scene *scene = finder->scene;
    uint32_t *first = tn_export_alloc(export, scene->mesh_count, sizeof *first);
    finder->bounds = tn_export_alloc(export, scene->node_count, sizeof *finder->bounds);
    if (!first || !finder->bounds) return false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t index = scene->nodes[i].mesh;
        finder->bounds[i] = tn_bounds_empty();
        if (index == TENON_NONE || scene->nodes[i].skin != TENON_NONE) continue;
        if (first[index] == TENON_NONE) {
            const tenon_mesh *mesh = &scene->meshes[index];
            first[index] = i;
            for (uint32_t k = 0; k < mesh->primitive_count; k++) {
                const float *p = mesh->primitives[k].positions;
                for (uint32_t v = 0; v < mesh->primitives[k].vertex_count; v++, p += 3)
                    tn_bounds_add_f32(&finder->bounds[i], p);
            }
        }
        finder->bounds[i] = finder->bounds[first[index]];
    }
    tn_export of_scene = *export;
    of_scene.scene = scene;  // The export may be at another one.
    return tn_joint_uses(&of_scene, motion_levers_extend_by_joint, finder);
}

// -- Rest pose

// Find the bounding sphere of a node, and how far from the node its vertices are.
static void motion_levers_measure_bounds(const tn_bounds *bounds, tn_bounding_sphere *sphere,
                                         double *reach)
{
    double square = 0, farthest = 0;
    sphere->radius = -1;
    if (!(bounds->min[0] <= bounds->max[0])) return;
    for (uint32_t k = 0; k < 3; k++) {
        double half = (bounds->max[k] - bounds->min[k]) / 2;
        double most = motion_levers_larger(fabs(bounds->min[k]), fabs(bounds->max[k]));
        sphere->center[k] = bounds->min[k] + half;
        square += half * half;
        farthest += most * most;
    }
    sphere->radius = sqrt(square);
    *reach = sqrt(farthest);
}

static void motion_levers_measure_rest(tn_levers *levers, uint32_t index)
{
    const tenon_node *node = &levers->scene->nodes[index];
    const tn_rest_node *parent = node->parent == TENON_NONE ? NULL : &levers->rest[node->parent];
    tn_rest_node *rest = &levers->rest[index];
    rest->scale_above = parent ? parent->scale_above * parent->scale_bound : 1;
    if (node->has_matrix) {
        tn_mat4 matrix;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        tn_mat3 upper = tn_mat4_upper(&matrix);
        rest->scale_bound = tn_mat3_svd(&upper).s.x;
        rest->offset = tn_vec3_length((tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]});
        return;
    }
    const double *t = node->translation, *f = node->scale;
    rest->offset = tn_vec3_length((tn_vec3){t[0], t[1], t[2]});
    rest->scale_bound =
        motion_levers_larger(fabs(f[0]), motion_levers_larger(fabs(f[1]), fabs(f[2])));
}

// The diagonal of the box around the scene; if it has no vertices, around its nodes.
static double motion_levers_find_diagonal(const tenon_pose *pose)
{
    double diagonal = 0;
    tn_bounds bounds;
    if (tenon_pose_bounds(pose, bounds.min, bounds.max)) diagonal = tn_bounds_diagonal(&bounds);
    if (!(diagonal > 0) && pose->scene->node_count) {
        bounds = tn_bounds_empty();
        for (uint32_t i = 0; i < pose->scene->node_count; i++)
            tn_bounds_add(&bounds, tenon_pose_global(pose, i) + 12);
        diagonal = tn_bounds_diagonal(&bounds);
    }
    return diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1;
}

// -- Chains

// From the root of a subtree down: the scales of all nodes above, for now in `leverage`, and the
// number of moving channels above.
static void motion_levers_accumulate_from_root(tn_levers *levers, const tn_motion *motion,
                                               const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes[i], parent = levers->scene->nodes[node].parent;
        const tenon_channel **channels = motion->channels + 3 * (size_t)node;
        const tn_rest_node *rest = &levers->rest[node];
        bool is_top = i == 0;  // Nothing above it moves.
        levers->offset[node] = rest->offset;
        levers->scale_bound[node] = rest->scale_bound;
        levers->reach[node] = rest->reach;
        levers->below[node] = 0;
        if (channels[TENON_TRANSLATION])
            levers->offset[node] = tn_channel_max(channels[TENON_TRANSLATION]);
        if (channels[TENON_SCALE])
            levers->scale_bound[node] = tn_channel_max(channels[TENON_SCALE]);
        levers->above[node] = is_top ? 0 : levers->above[parent];
        for (uint32_t target = 0; target < 3; target++)
            if (channels[target] && !tn_channel_is_constant(channels[target]))
                levers->above[node]++;
        double *scale_above = &levers->leverage[3 * (size_t)node];
        *scale_above = is_top ? rest->scale_above
                              : levers->leverage[3 * (size_t)parent] * levers->scale_bound[parent];
        double world = *scale_above * levers->scale_bound[node];
        if (world > 0)
            levers->reach[node] =
                motion_levers_larger(levers->reach[node], TN_MIN_REACH * levers->diagonal / world);
    }
}

// From the leaves up: the distance to everything that is moved, and the number of moving channels
// below.
static void motion_levers_accumulate_from_leaves(tn_levers *levers, const uint32_t *nodes,
                                                 uint32_t count)
{
    for (uint32_t i = count; i-- > 1;) {
        uint32_t node = nodes[i], parent = levers->scene->nodes[node].parent;
        uint32_t below = levers->below[node] + levers->above[node] - levers->above[parent];
        if (below > levers->below[parent]) levers->below[parent] = below;
        levers->reach[parent] = motion_levers_larger(
            levers->reach[parent],
            levers->offset[node] + levers->scale_bound[node] * levers->reach[node]);
    }
}

// Divide the tolerance among the channels of each chain.
static void motion_levers_divide_tolerance(tn_levers *levers, double total, const uint32_t *nodes,
                                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes[i], channels = levers->above[node] + levers->below[node];
        double *leverage = levers->leverage + 3 * (size_t)node;
        double unit = leverage[0] / levers->diagonal;
        levers->slack[node] = channels ? total / channels : total;
        leverage[TENON_TRANSLATION] = unit;
        leverage[TENON_ROTATION] = unit * levers->scale_bound[node] * levers->reach[node];
        leverage[TENON_SCALE] = unit * levers->reach[node];
    }
}

// -- Levers

static bool motion_levers_allocate(tn_levers *levers)
{
    tn_arena *arena = &levers->arena;
    uint64_t count = levers->scene->node_count, channels = tn_channels_most(levers->scene);
    levers->spheres = tn_arena_alloc(arena, count, sizeof *levers->spheres, NULL);
    levers->rest = tn_arena_alloc(arena, count, sizeof *levers->rest, NULL);
    levers->leverage = tn_arena_alloc(arena, 3 * count, sizeof *levers->leverage, NULL);
    levers->slack = tn_arena_alloc(arena, count, sizeof *levers->slack, NULL);
    levers->reach = tn_arena_alloc(arena, count, sizeof *levers->reach, NULL);
    levers->offset = tn_arena_alloc(arena, count, sizeof *levers->offset, NULL);
    levers->scale_bound = tn_arena_alloc(arena, count, sizeof *levers->scale_bound, NULL);
    levers->above = tn_arena_alloc(arena, count, sizeof *levers->above, NULL);
    levers->below = tn_arena_alloc(arena, count, sizeof *levers->below, NULL);
    levers->roots.nodes = tn_arena_alloc(arena, channels, sizeof *levers->roots.nodes, NULL);
    levers->pose = tenon_pose_new(levers->scene, &arena->allocator, NULL);
    return levers->spheres && levers->rest && levers->leverage && levers->slack && levers->reach &&
           levers->offset && levers->scale_bound && levers->above && levers->below &&
           levers->roots.nodes && levers->pose;
}

void tn_levers_free(const tn_export *export)
{
    tn_levers *levers = export->state->levers;
    if (!levers) return;
    tn_arena arena = levers->arena;  // It also has the levers themselves.
    tenon_pose_free(levers->pose);
    tn_arena_free(&arena);
    export->state->levers = NULL;
}

// Compute what is the same for all clips. False, with the error set, if out of memory.
static bool motion_make_levers(const tn_export *export, const tenon_scene *scene)
{
    tn_arena arena = tn_arena_make(&export->arena->allocator, UINT64_MAX);
    tn_levers *levers = tn_arena_alloc(&arena, 1, sizeof *levers, NULL);
    if (!levers) return tn_export_expect(export, false);
    *levers = (tn_levers){.arena = arena, .scene = scene};
    export->state->levers = levers;
    if (!motion_levers_allocate(levers)) return tn_export_expect(export, false);
    bounds_finder finder = {.scene = scene};
    tn_mark mark = tn_arena_mark(export->arena);
    if (!motion_levers_find_bounds(export, &finder)) return false;
    levers->diagonal = motion_levers_find_diagonal(levers->pose);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        motion_levers_measure_bounds(&finder.bounds[i], &levers->spheres[i],
                                     &levers->rest[i].reach);
        motion_levers_measure_rest(levers, i);
        levers->has_spheres = levers->has_spheres || levers->spheres[i].radius >= 0;
    }
    tn_arena_rewind(export->arena, mark);
    return true;
}

const tn_levers *tn_levers_find(const tn_export *export, const tn_motion *motion)
{
    if (export->state->levers && export->state->levers->scene != motion->scene)
        tn_levers_free(export);
    if (!export->state->levers && !motion_make_levers(export, motion->scene)) {
        tn_levers_free(export);
        return NULL;
    }
    tn_levers *levers = export->state->levers;
    if (levers->is_known && levers->animation == motion->animation) return levers;
    const tn_subtrees *trees = &levers->pose->trees;
    tn_find_moved_roots(trees, levers->scene, motion->animation, &levers->roots);
    double total = TN_SHARE_OF_CURVES * tn_motion_tolerance(export);
    for (uint32_t i = 0; i < levers->roots.count; i++) {
        uint32_t root = levers->roots.nodes[i], count = trees->sizes[root];
        const uint32_t *nodes = trees->nodes + trees->places[root];
        motion_levers_accumulate_from_root(levers, motion, nodes, count);
        motion_levers_accumulate_from_leaves(levers, nodes, count);
        motion_levers_divide_tolerance(levers, total, nodes, count);
    }
    levers->animation = motion->animation;
    levers->is_known = true;
    return levers;
}
