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

// A node that has a mesh with a skin.
typedef struct gpb_skinned_node {
    const tenon_skin *skin;
    tn_bounds *boxes;   // Of the vertices of each joint, in the bind pose.
    uint32_t root;      // The root joint, a planned node.
    tn_bounds *result;  // Bounds of the mesh.
} gpb_skinned_node;

// -- Skinned meshes

static tn_mat4 gpb_export_bounds_posed(const tenon_pose *pose, uint32_t node)
{
    const double *posed = tenon_pose_global(pose, node);
    tn_mat4 global;
    for (int i = 0; i < 16; i++) global.m[i] = posed[i];
    return global;
}

// Add all skinned meshes as they are in one pose to their bounds.
static void gpb_export_bounds_add_pose(const gpb_exporter *exporter, tenon_pose *pose,
                                       const gpb_skinned_node *list, uint32_t count,
                                       uint32_t animation, double seconds)
{
    const gpb_node_plan *nodes = exporter->nodes;
    tenon_pose_set(pose, animation, seconds);
    for (uint32_t n = 0; n < count; n++) {
        const gpb_skinned_node *node = &list[n];
        // The matrix from the scene to the parent of the root.
        uint32_t root = node->root, parent = nodes[root].parent;
        bool is_sheared = parent != TENON_NONE && nodes[parent].origin == root && parent != root;
        uint32_t above = is_sheared ? nodes[parent].parent : parent;
        tn_mat4 global = tn_mat4_identity(), to_parent;
        if (above != TENON_NONE) global = gpb_export_bounds_posed(pose, nodes[above].origin);
        if (is_sheared) global = tn_mat4_mul(&global, &nodes[parent].local);
        (void)tn_mat4_affine_inverse(&global, &to_parent);
        for (uint32_t i = 0; i < node->skin->joint_count; i++) {
            const tn_bounds *box = &node->boxes[i];
            if (tn_bounds_is_empty(box)) continue;
            tn_mat4 bind = tn_mat4_from_columns(node->skin->inverse_binds + 16 * (size_t)i);
            tn_mat4 joint = gpb_export_bounds_posed(pose, node->skin->joints[i]);
            joint = tn_mat4_mul(&to_parent, &joint);
            joint = tn_mat4_mul(&joint, &bind);
            for (int k = 0; k < 8; k++) {
                tn_vec3 corner = {k & 1 ? box->max[0] : box->min[0],
                                  k & 2 ? box->max[1] : box->min[1],
                                  k & 4 ? box->max[2] : box->min[2]};
                tn_vec3 at = tn_mat4_point(&joint, corner);
                tn_bounds_add(node->result, (const double[3]){at.x, at.y, at.z});
            }
        }
    }
}

// The rest pose, and as many poses of each clip as the encoder uses, within a limit.
static void gpb_export_bounds_add_poses(gpb_exporter *exporter, tn_bounds *results)
{
    const tenon_scene *scene = exporter->scene;
    gpb_skinned_node *list = gpb_export_alloc(exporter, scene->node_count, sizeof *list);
    bool *is_member = gpb_export_alloc(exporter, exporter->node_count, sizeof *is_member);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin, mesh = scene->nodes[i].mesh;
        if (!gpb_export_is_skinned(exporter, i) || scene->skins[skin].joint_count == 0) continue;
        const uint32_t *joints = exporter->joints[skin];
        uint32_t joint_count = scene->skins[skin].joint_count;
        gpb_skinned_node *node = &list[listed++];
        *node = (gpb_skinned_node){&scene->skins[skin], NULL, joints[0], &results[mesh]};
        node->boxes = gpb_export_alloc(exporter, joint_count, sizeof *node->boxes);
        if (exporter->failed) break;
        for (uint32_t k = 0; k < joint_count; k++) node->boxes[k] = tn_bounds_empty();
        const gpb_mesh_plan *plan = &exporter->meshes[mesh];
        for (uint32_t part = 0; part < plan->part_count; part++) {
            const tenon_primitive *p = &scene->meshes[mesh].primitives[plan->parts[part]];
            uint32_t each = p->influence_count;
            for (uint64_t k = 0; k < (uint64_t)p->vertex_count * each; k++)
                if (p->weights[k] > 0)
                    tn_bounds_add_f32(&node->boxes[p->joints[k]], p->positions + 3 * (k / each));
        }
        // The engine's rule: the topmost ancestor of the first joint, or itself, that is a joint of
        // the skin.
        for (uint32_t k = 0; k < joint_count; k++) is_member[joints[k]] = true;
        for (uint32_t at = joints[0]; at != TENON_NONE; at = exporter->nodes[at].parent)
            if (is_member[at]) node->root = at;
        for (uint32_t k = 0; k < joint_count; k++) is_member[joints[k]] = false;
    }
    if (exporter->failed || !listed) return;
    tenon_pose *pose =
        tenon_pose_new(scene, &exporter->export->opts->allocator, exporter->export->err);
    if (!pose) {
        exporter->failed = true;
        return;
    }
    uint64_t cost = (uint64_t)scene->node_count + 1;  // Matrices computed for one pose.
    for (uint32_t i = 0; i < listed; i++) cost += list[i].skin->joint_count;
    uint64_t left = GPB_WORK_MOST / cost + 1;
    gpb_export_bounds_add_pose(exporter, pose, list, listed, TENON_NONE, 0);
    for (uint32_t i = 0; i < scene->animation_count && left; i++) {
        double duration = scene->animations[i].duration;
        double samples = ceil(duration / GPB_SAMPLE_STEP);
        uint32_t count = (uint32_t)(samples < GPB_SAMPLES ? samples : GPB_SAMPLES);
        for (uint32_t k = 0; k <= count && left; k++, left--)
            gpb_export_bounds_add_pose(exporter, pose, list, listed, i,
                                       count ? duration * k / count : 0);
    }
    tenon_pose_free(pose);
}

// -- All meshes

void gpb_export_bounds(gpb_exporter *exporter)
{
    uint32_t count = exporter->scene->mesh_count;
    tn_bounds *boxes = gpb_export_alloc(exporter, count, sizeof *boxes);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) boxes[i] = tn_bounds_empty();
    gpb_export_bounds_add_poses(exporter, boxes);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const gpb_mesh_plan *plan = &exporter->meshes[i];
        if (plan->block == TENON_NONE) continue;
        tenon_gpb_mesh *mesh = &exporter->doc->blocks[plan->block].body.mesh;
        const uint8_t *p = mesh->vertices.data;
        uint64_t added = plan->is_rigid || tn_bounds_is_empty(&boxes[i]) ? mesh->vertices.count : 0;
        for (uint64_t v = 0; v < added; v++, p += mesh->vertices.layout->stride)
            tn_bounds_add_f32(&boxes[i],
                              (const float[3]){tn_load_f32(p, false), tn_load_f32(p + 4, false),
                                               tn_load_f32(p + 8, false)});
        // The sphere of a mesh without a skin ends at the vertex that is farthest from its center.
        tenon_gpb_bounds *bounds = &mesh->bounds;
        double corner = 0, farthest = 0;
        for (int k = 0; k < 3; k++) {
            bounds->min[k] = tn_narrow(boxes[i].min[k], NULL);
            bounds->max[k] = tn_narrow(boxes[i].max[k], NULL);
            double half = ((double)bounds->max[k] - bounds->min[k]) / 2;
            bounds->center[k] = tn_narrow(bounds->min[k] + half, NULL);
            corner += half * half;
        }
        p = mesh->vertices.data;
        uint64_t used = plan->is_skinned ? 0 : mesh->vertices.count;
        for (uint64_t v = 0; v < used; v++, p += mesh->vertices.layout->stride) {
            double square = 0;
            for (uint32_t k = 0; k < 3; k++) {
                double d = (double)tn_load_f32(p + 4 * k, false) - bounds->center[k];
                square += d * d;
            }
            if (square > farthest) farthest = square;
        }
        bounds->radius = tn_narrow(sqrt(plan->is_skinned ? corner : farthest), NULL);
    }
}
