// gpb_export_bounds.c: bounding boxes and spheres of meshes, also of skinned ones.
// SPDX-License-Identifier: MIT
//
// The engine uses these bounds to cull meshes outside the view. A skinned vertex is always within
// the hull of its positions for each single joint. So the boxes around the vertices of each joint,
// moved by the joints in all clips, contain it. The engine transforms these bounds by the parent of
// the root joint, so they are relative to that.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/math/bounds.h"

#include <float.h>
#include <math.h>

#define GPB_SAMPLE_STEP 0.033      // Seconds, as in the encoder.
#define GPB_SAMPLES     1024.0     // At most, for each clip.
#define GPB_WORK_MOST   10000000u  // Matrices computed for all clips together, at most.

static void gpb_grow_by_box(tn_bounds *box, const tn_bounds *other, const tn_mat4 *matrix)
{
    if (tn_bounds_is_empty(other)) return;
    for (int i = 0; i < 8; i++) {
        tn_vec3 corner = {i & 1 ? other->max[0] : other->min[0],
                          i & 2 ? other->max[1] : other->min[1],
                          i & 4 ? other->max[2] : other->min[2]};
        tn_vec3 at = tn_mat4_point(matrix, corner);
        tn_bounds_add(box, (const double[3]){at.x, at.y, at.z});
    }
}

// -- Skinned meshes

// A node that has a mesh with a skin.
typedef struct gpb_skinned_node {
    const tenon_skin *skin;
    tn_bounds *boxes;   // Of the vertices of each joint, in the bind pose.
    uint32_t root;      // The root joint, a planned node.
    tn_bounds *result;  // Bounds of the mesh.
} gpb_skinned_node;

static void gpb_bound_joints(const gpb_exporter *exporter, uint32_t mesh, tn_bounds *boxes)
{
    const gpb_mesh_plan *plan = &exporter->meshes[mesh];
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const tenon_primitive *p = &exporter->scene->meshes[mesh].primitives[plan->parts[i]];
        uint32_t each = p->influence_count;
        for (uint64_t k = 0; k < (uint64_t)p->vertex_count * each; k++) {
            const float *at = p->positions + 3 * (k / each);
            if (p->weights[k] > 0) tn_bounds_add_f32(&boxes[p->joints[k]], at);
        }
    }
}

// The engine's rule: the topmost ancestor of the first joint, or itself, that is a joint of the
// skin.
static uint32_t gpb_find_root(gpb_exporter *exporter, uint32_t skin, bool *is_member)
{
    const uint32_t *joints = exporter->joints[skin];
    uint32_t count = exporter->scene->skins[skin].joint_count, root = joints[0];
    for (uint32_t i = 0; i < count; i++) is_member[joints[i]] = true;
    for (uint32_t at = root; at != TENON_NONE; at = exporter->nodes[at].parent)
        if (is_member[at]) root = at;
    for (uint32_t i = 0; i < count; i++) is_member[joints[i]] = false;
    return root;
}

// The matrix from the scene to the parent of a planned node, in a pose.
static tn_mat4 gpb_seen_from_parent(const gpb_exporter *exporter, const tenon_pose *pose,
                                    uint32_t node)
{
    const gpb_node_plan *n = &exporter->nodes[node];
    tn_mat4 global = tn_mat4_identity(), inverse;
    uint32_t parent = n->parent;
    bool is_sheared =
        parent != TENON_NONE && exporter->nodes[parent].origin == node && parent != node;
    uint32_t above = is_sheared ? exporter->nodes[parent].parent : parent;
    if (above != TENON_NONE) {
        const double *posed = tenon_pose_global(pose, exporter->nodes[above].origin);
        for (int i = 0; i < 16; i++) global.m[i] = posed[i];
    }
    if (is_sheared) global = tn_mat4_mul(&global, &exporter->nodes[parent].local);
    (void)tn_mat4_affine_inverse(&global, &inverse);
    return inverse;
}

static void gpb_grow_posed(const gpb_exporter *exporter, const tenon_pose *pose,
                           const gpb_skinned_node *skinned)
{
    tn_mat4 view = gpb_seen_from_parent(exporter, pose, skinned->root);
    for (uint32_t i = 0; i < skinned->skin->joint_count; i++) {
        tn_mat4 bind = tn_mat4_from_columns(skinned->skin->inverse_binds + 16 * (size_t)i), joint;
        const double *posed = tenon_pose_global(pose, skinned->skin->joints[i]);
        for (int k = 0; k < 16; k++) joint.m[k] = posed[k];
        joint = tn_mat4_mul(&view, &joint);
        joint = tn_mat4_mul(&joint, &bind);
        gpb_grow_by_box(skinned->result, &skinned->boxes[i], &joint);
    }
}

// -- All poses

typedef struct gpb_skinned_nodes {
    uint32_t count;
    gpb_skinned_node *all;
    uint64_t cost;  // Matrices computed for one pose.
} gpb_skinned_nodes;

static void gpb_list_skinned_nodes(gpb_exporter *exporter, tn_bounds *results,
                                   gpb_skinned_nodes *all)
{
    const tenon_scene *scene = exporter->scene;
    bool *is_member = gpb_export_alloc(exporter, exporter->node_count, sizeof *is_member);
    all->all = gpb_export_alloc(exporter, scene->node_count, sizeof *all->all);
    all->cost = (uint64_t)scene->node_count + 1;
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (!gpb_is_skinned(exporter, i) || scene->skins[skin].joint_count == 0) continue;
        gpb_skinned_node *skinned = &all->all[all->count++];
        uint32_t joints = scene->skins[skin].joint_count;
        *skinned = (gpb_skinned_node){.skin = &scene->skins[skin],
                                      .result = &results[scene->nodes[i].mesh]};
        skinned->boxes = gpb_export_alloc(exporter, joints, sizeof *skinned->boxes);
        for (uint32_t k = 0; k < joints && !exporter->failed; k++)
            skinned->boxes[k] = tn_bounds_empty();
        if (exporter->failed) return;
        gpb_bound_joints(exporter, scene->nodes[i].mesh, skinned->boxes);
        skinned->root = gpb_find_root(exporter, skin, is_member);
        all->cost += joints;
    }
}

static void gpb_grow_all(const gpb_exporter *exporter, tenon_pose *pose,
                         const gpb_skinned_nodes *all, uint32_t animation, double seconds)
{
    tenon_pose_set(pose, animation, seconds);
    for (uint32_t i = 0; i < all->count; i++) gpb_grow_posed(exporter, pose, &all->all[i]);
}

// The rest pose, and as many poses of each clip as the encoder uses, within a limit.
static void gpb_sample_poses(gpb_exporter *exporter, const gpb_skinned_nodes *all)
{
    tenon_pose *pose =
        tenon_pose_new(exporter->scene, &exporter->export->opts->allocator, exporter->export->err);
    uint64_t left = GPB_WORK_MOST / all->cost + 1;
    if (!pose) exporter->failed = true;
    if (exporter->failed) return;
    gpb_grow_all(exporter, pose, all, TENON_NONE, 0);
    for (uint32_t i = 0; i < exporter->scene->animation_count && left; i++) {
        double duration = exporter->scene->animations[i].duration;
        double samples = ceil(duration / GPB_SAMPLE_STEP);
        uint32_t count = (uint32_t)(samples < GPB_SAMPLES ? samples : GPB_SAMPLES);
        for (uint32_t k = 0; k <= count && left; k++, left--)
            gpb_grow_all(exporter, pose, all, i, count ? duration * k / count : 0);
    }
    tenon_pose_free(pose);
}

// -- Bounds

// The largest distance of a vertex from the center.
static double gpb_farthest_vertex(const tenon_gpb_mesh *mesh, const float center[3])
{
    double most = 0;
    const uint8_t *p = mesh->vertices.data;
    for (uint64_t v = 0; v < mesh->vertices.count; v++, p += mesh->vertices.layout->stride) {
        double square = 0;
        for (uint32_t k = 0; k < 3; k++) {
            double d = (double)tn_load_f32(p + 4 * k, false) - center[k];
            square += d * d;
        }
        if (square > most) most = square;
    }
    return sqrt(most);
}

static void gpb_set_bounds(const tn_bounds *box, bool is_skinned, tenon_gpb_mesh *mesh)
{
    tenon_gpb_bounds *b = &mesh->bounds;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        b->min[k] = tn_narrow(box->min[k], NULL);
        b->max[k] = tn_narrow(box->max[k], NULL);
        double half = ((double)b->max[k] - b->min[k]) / 2;
        b->center[k] = tn_narrow(b->min[k] + half, NULL);
        square += half * half;
    }
    b->radius = tn_narrow(is_skinned ? sqrt(square) : gpb_farthest_vertex(mesh, b->center), NULL);
}

static void gpb_bound_vertices(const tenon_gpb_mesh *mesh, tn_bounds *box)
{
    const uint8_t *p = mesh->vertices.data;
    for (uint64_t v = 0; v < mesh->vertices.count; v++, p += mesh->vertices.layout->stride)
        tn_bounds_add_f32(box, (const float[3]){tn_load_f32(p, false), tn_load_f32(p + 4, false),
                                                tn_load_f32(p + 8, false)});
}

void gpb_export_bounds(gpb_exporter *exporter)
{
    uint32_t count = exporter->scene->mesh_count;
    tn_bounds *boxes = gpb_export_alloc(exporter, count, sizeof *boxes);
    gpb_skinned_nodes all = {0};
    for (uint32_t i = 0; i < count && !exporter->failed; i++) boxes[i] = tn_bounds_empty();
    gpb_list_skinned_nodes(exporter, boxes, &all);
    if (all.count && !exporter->failed) gpb_sample_poses(exporter, &all);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const gpb_mesh_plan *plan = &exporter->meshes[i];
        if (plan->block == TENON_NONE) continue;
        tenon_gpb_mesh *mesh = &exporter->doc->blocks[plan->block].body.mesh;
        bool is_empty = tn_bounds_is_empty(&boxes[i]);
        if (plan->is_rigid || is_empty) gpb_bound_vertices(mesh, &boxes[i]);
        gpb_set_bounds(&boxes[i], plan->is_skinned, mesh);
    }
}
