// motion_levers.c: how far errors of curves carry, and how the tolerance is shared among them.
// SPDX-License-Identifier: MIT
//
// A vertex is moved by a chain of nodes, and the errors of their curves add up. What an error at a
// node does to a vertex is bounded by how far from the node the vertex can be, whatever the pose:
// the lengths of the chain between them, each stretched by the scales above it.

#include "joint_use.h"
#include "motion_work.h"

#include <math.h>
#include <string.h>

// A box, which is empty if `min` is above `max`.
typedef struct hull {
    double min[3], max[3];
} hull;

typedef struct sharer {
    const tn_export *e;
    const tn_motion *motion;
    tn_levers *levers;
    hull *hulls;      // Of each node: around the vertices that it moves itself, in its own space.
    double *reach;    // How far from it, in its own space, is what it moves.
    double *offset;   // How far from its parent it can be.
    double *stretch;  // How much longer what it moves can become.
    uint32_t *above;  // Moving channels from the root down to it, its own included.
    uint32_t *below;  // The most of them from below it down to any leaf.
} sharer;

static double farther(double a, double b)
{
    return b > a ? b : a;
}

// -- What nodes hold themselves

static void widen(hull *h, tn_vec3 p)
{
    const double v[3] = {p.x, p.y, p.z};
    for (uint32_t k = 0; k < 3; k++) {
        if (v[k] < h->min[k]) h->min[k] = v[k];
        if (v[k] > h->max[k]) h->max[k] = v[k];
    }
}

static void widen_by_joint(void *user, uint32_t skin, uint32_t joint, const tn_box *box)
{
    sharer *s = user;
    const tenon_skin *from = &s->motion->scene->skins[skin];
    tn_mat4 bind = tn_mat4_from_columns(from->inverse_binds + 16 * (size_t)joint);
    for (uint32_t corner = 0; corner < 8; corner++) {
        tn_vec3 p = {(double)(corner & 1 ? box->max : box->min)[0],
                     (double)(corner & 2 ? box->max : box->min)[1],
                     (double)(corner & 4 ? box->max : box->min)[2]};
        widen(&s->hulls[from->joints[joint]], tn_mat4_point(&bind, p));
    }
}

static void widen_by_mesh(hull *h, const tenon_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const float *p = mesh->primitives[i].positions;
        for (uint32_t v = 0; v < mesh->primitives[i].vertex_count; v++, p += 3)
            widen(h, (tn_vec3){(double)p[0], (double)p[1], (double)p[2]});
    }
}

// Nodes that show the same mesh look at it once.
static bool find_hulls(sharer *s)
{
    static const hull empty = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    const tenon_scene *scene = s->motion->scene;
    uint32_t *shown = tn_export_alloc(s->e, scene->mesh_count, sizeof *shown);
    if (!shown) return false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) shown[i] = TENON_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t mesh = scene->nodes[i].mesh;
        s->hulls[i] = empty;
        if (mesh == TENON_NONE || scene->nodes[i].skin != TENON_NONE) continue;
        if (shown[mesh] == TENON_NONE) {
            shown[mesh] = i;
            widen_by_mesh(&s->hulls[i], &scene->meshes[mesh]);
        }
        s->hulls[i] = s->hulls[shown[mesh]];
    }
    tn_export e = *s->e;
    e.scene = scene;  // Which need not be the one that is looked at by now.
    return tn_joint_uses(&e, widen_by_joint, s);
}

static void measure_body(sharer *s, uint32_t node)
{
    const hull *h = &s->hulls[node];
    tn_body *body = &s->levers->bodies[node];
    double square = 0, farthest = 0;
    body->radius = -1;
    if (!(h->min[0] <= h->max[0])) return;
    for (uint32_t k = 0; k < 3; k++) {
        double half = (h->max[k] - h->min[k]) / 2;
        double most = farther(fabs(h->min[k]), fabs(h->max[k]));
        body->center[k] = h->min[k] + half;
        square += half * half;
        farthest += most * most;
    }
    body->radius = sqrt(square);
    s->reach[node] = sqrt(farthest);
}

// -- Chains

static void measure_node(sharer *s, uint32_t index)
{
    const tenon_node *node = &s->motion->scene->nodes[index];
    const tenon_channel **channels = s->motion->channels + 3 * (size_t)index;
    if (node->has_matrix) {
        tn_mat4 matrix;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        tn_mat3 upper = tn_mat4_upper(&matrix);
        s->stretch[index] = tn_mat3_svd(&upper).s.x;
        s->offset[index] = tn_vec3_length((tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]});
        return;
    }
    const double *t = node->translation, *f = node->scale;
    s->offset[index] = tn_vec3_length((tn_vec3){t[0], t[1], t[2]});
    s->stretch[index] = farther(fabs(f[0]), farther(fabs(f[1]), fabs(f[2])));
    if (channels[TENON_TRANSLATION])
        s->offset[index] = tn_channel_most(channels[TENON_TRANSLATION]);
    if (channels[TENON_SCALE]) s->stretch[index] = tn_channel_most(channels[TENON_SCALE]);
}

static uint32_t moving_channels(const tn_motion *motion, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t target = 0; target < 3; target++) {
        const tenon_channel *c = motion->channels[3 * (size_t)node + target];
        if (c && !tn_channel_is_still(c)) count++;
    }
    return count;
}

// From the roots down: how much everything above stretches, kept in `leverage` for now, and how
// many channels are above.
static void walk_down(sharer *s)
{
    const tn_motion *motion = s->motion;
    double *leverage = s->levers->leverage;
    for (uint32_t i = 0; i < motion->scene->node_count; i++) {
        uint32_t parent = motion->scene->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        measure_body(s, i);
        measure_node(s, i);
        s->above[i] = moving_channels(motion, i) + (is_root ? 0 : s->above[parent]);
        double *stretched = &leverage[3 * (size_t)i];
        *stretched = is_root ? 1 : leverage[3 * (size_t)parent] * s->stretch[parent];
        double world = *stretched * s->stretch[i];
        if (world > 0)
            s->reach[i] = farther(s->reach[i], TN_LEAST_REACH * s->levers->diagonal / world);
    }
}

// From the leaves up: how far what is moved can be, and how many channels are below.
static void walk_up(sharer *s)
{
    const tenon_scene *scene = s->motion->scene;
    for (uint32_t i = scene->node_count; i-- > 0;) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent == TENON_NONE) continue;
        uint32_t own = s->above[i] - s->above[parent];
        if (s->below[i] + own > s->below[parent]) s->below[parent] = s->below[i] + own;
        s->reach[parent] = farther(s->reach[parent], s->offset[i] + s->stretch[i] * s->reach[i]);
    }
}

static void share_out(sharer *s)
{
    tn_levers *levers = s->levers;
    double total = TN_SHARE_OF_CURVES * tn_motion_tolerance(s->e);
    for (uint32_t i = 0; i < s->motion->scene->node_count; i++) {
        double *leverage = levers->leverage + 3 * (size_t)i, unit = leverage[0] / levers->diagonal;
        uint32_t channels = s->above[i] + s->below[i];
        levers->slack[i] = channels ? total / channels : total;
        leverage[TENON_TRANSLATION] = unit;
        leverage[TENON_ROTATION] = unit * s->stretch[i] * s->reach[i];
        leverage[TENON_SCALE] = unit * s->reach[i];
    }
}

// -- Size

static double span_of(const double min[3], const double max[3])
{
    return tn_vec3_length((tn_vec3){max[0] - min[0], max[1] - min[1], max[2] - min[2]});
}

// The box around the nodes, for scenes that are only a skeleton.
static double span_of_nodes(const tenon_pose *pose, uint32_t node_count)
{
    double min[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, max[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < node_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double v = tenon_pose_global(pose, i)[12 + k];
            if (v < min[k]) min[k] = v;
            if (v > max[k]) max[k] = v;
        }
    return node_count ? span_of(min, max) : 0;
}

static bool find_diagonal(sharer *s)
{
    double min[3], max[3], diagonal = 0;
    const tenon_scene *scene = s->motion->scene;
    tenon_pose *pose = tenon_pose_new(scene, &s->e->arena->allocator, NULL);
    if (!pose) return tn_error(s->e->err, TENON_ERR_MEMORY, "out of memory while writing");
    if (tenon_pose_bounds(pose, min, max)) diagonal = span_of(min, max);
    if (!(diagonal > 0)) diagonal = span_of_nodes(pose, scene->node_count);
    s->levers->diagonal = diagonal > 0 && diagonal < HUGE_VAL ? diagonal : 1;
    tenon_pose_free(pose);
    return true;
}

static bool allocate(sharer *s)
{
    uint64_t count = s->motion->scene->node_count;
    s->hulls = tn_export_alloc(s->e, count, sizeof *s->hulls);
    s->reach = tn_export_alloc(s->e, count, sizeof *s->reach);
    s->offset = tn_export_alloc(s->e, count, sizeof *s->offset);
    s->stretch = tn_export_alloc(s->e, count, sizeof *s->stretch);
    s->above = tn_export_alloc(s->e, count, sizeof *s->above);
    s->below = tn_export_alloc(s->e, count, sizeof *s->below);
    return s->hulls && s->reach && s->offset && s->stretch && s->above && s->below;
}

bool tn_levers_alloc(const tn_export *e, tn_motion *motion)
{
    uint64_t count = motion->scene->node_count;
    tn_levers *levers = tn_export_alloc(e, 1, sizeof *levers);
    motion->levers = levers;
    if (!levers) return false;
    levers->leverage = tn_export_alloc(e, 3 * count, sizeof *levers->leverage);
    levers->slack = tn_export_alloc(e, count, sizeof *levers->slack);
    levers->bodies = tn_export_alloc(e, count, sizeof *levers->bodies);
    return levers->leverage && levers->slack && levers->bodies;
}

const tn_levers *tn_levers_find(const tn_export *e, const tn_motion *motion)
{
    sharer s = {.e = e, .motion = motion, .levers = motion->levers};
    if (s.levers->is_known) return s.levers;
    tn_mark mark = tn_arena_mark(e->arena);
    s.levers->is_known = allocate(&s) && find_diagonal(&s) && find_hulls(&s);
    if (s.levers->is_known) {
        walk_down(&s);
        walk_up(&s);
        share_out(&s);
    }
    tn_arena_rewind(e->arena, mark);
    return s.levers->is_known ? s.levers : NULL;
}
