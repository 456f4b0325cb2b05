// gpb_export_bounds.c: bounding boxes and spheres of meshes, also of skinned ones.
// SPDX-License-Identifier: MIT
//
// The engine uses these bounds to cull meshes outside the view. A skinned vertex is always within
// the hull of its positions for each single joint. So the boxes around the vertices of each joint,
// moved by the joints in all clips, contain it. The engine transforms these bounds by the parent of
// the root joint, so they are relative to that.

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"

#include <float.h>
#include <math.h>

#define GPB_SAMPLE_STEP 0.033      // Seconds, as in the encoder.
#define GPB_SAMPLES     1024.0     // At most, for each clip.
#define GPB_WORK_MOST   10000000u  // Matrices computed for all clips together, at most.

typedef struct gpb_box {
    double min[3], max[3];
} gpb_box;

static const gpb_box gpb_no_box = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

static void gpb_grow(gpb_box *box, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        if (at[k] < box->min[k]) box->min[k] = at[k];
        if (at[k] > box->max[k]) box->max[k] = at[k];
    }
}

static void gpb_grow_by_box(gpb_box *box, const gpb_box *other, const tn_mat4 *matrix)
{
    if (!(other->min[0] <= other->max[0])) return;
    for (int i = 0; i < 8; i++) {
        tn_vec3 corner = {i & 1 ? other->max[0] : other->min[0],
                          i & 2 ? other->max[1] : other->min[1],
                          i & 4 ? other->max[2] : other->min[2]};
        tn_vec3 at = tn_mat4_point(matrix, corner);
        gpb_grow(box, at.x, at.y, at.z);
    }
}

// -- Skinned meshes

// A node that has a mesh with a skin.
typedef struct gpb_skinned_node {
    const tenon_skin *skin;
    gpb_box *boxes;   // Of the vertices of each joint, in the bind pose.
    uint32_t root;    // The root joint, a planned node.
    gpb_box *result;  // Bounds of the mesh.
} gpb_skinned_node;

static void gpb_box_joints(const gpb_exporter *m, uint32_t mesh, gpb_box *boxes)
{
    const gpb_made_mesh *made = &m->meshes[mesh];
    for (uint32_t i = 0; i < made->part_count; i++) {
        const tenon_primitive *p = &m->scene->meshes[mesh].primitives[made->parts[i]];
        uint32_t each = p->influence_count;
        for (uint64_t k = 0; k < (uint64_t)p->vertex_count * each; k++) {
            const float *at = p->positions + 3 * (k / each);
            if (p->weights[k] > 0) gpb_grow(&boxes[p->joints[k]], at[0], at[1], at[2]);
        }
    }
}

// The engine's rule: the topmost ancestor of the first joint, or itself, that is a joint of the
// skin.
static uint32_t gpb_find_root(gpb_exporter *m, uint32_t skin, bool *is_member)
{
    const uint32_t *joints = m->joints[skin];
    uint32_t count = m->scene->skins[skin].joint_count, root = joints[0];
    for (uint32_t i = 0; i < count; i++) is_member[joints[i]] = true;
    for (uint32_t at = root; at != TENON_NONE; at = m->nodes[at].parent)
        if (is_member[at]) root = at;
    for (uint32_t i = 0; i < count; i++) is_member[joints[i]] = false;
    return root;
}

// The matrix from the scene to the parent of a planned node, in a pose.
static tn_mat4 gpb_seen_from_parent(const gpb_exporter *m, const tenon_pose *pose, uint32_t node)
{
    const gpb_made_node *n = &m->nodes[node];
    tn_mat4 global = tn_mat4_identity(), inverse;
    uint32_t parent = n->parent;
    bool is_sheared = parent != TENON_NONE && m->nodes[parent].origin == node && parent != node;
    uint32_t above = is_sheared ? m->nodes[parent].parent : parent;
    if (above != TENON_NONE) {
        const double *posed = tenon_pose_global(pose, m->nodes[above].origin);
        for (int i = 0; i < 16; i++) global.m[i] = posed[i];
    }
    if (is_sheared) global = tn_mat4_mul(&global, &m->nodes[parent].local);
    (void)tn_mat4_affine_inverse(&global, &inverse);
    return inverse;
}

static void gpb_grow_posed(const gpb_exporter *m, const tenon_pose *pose,
                           const gpb_skinned_node *crowd)
{
    tn_mat4 view = gpb_seen_from_parent(m, pose, crowd->root);
    for (uint32_t i = 0; i < crowd->skin->joint_count; i++) {
        tn_mat4 bind = tn_mat4_from_columns(crowd->skin->inverse_binds + 16 * (size_t)i), joint;
        const double *posed = tenon_pose_global(pose, crowd->skin->joints[i]);
        for (int k = 0; k < 16; k++) joint.m[k] = posed[k];
        joint = tn_mat4_mul(&view, &joint);
        joint = tn_mat4_mul(&joint, &bind);
        gpb_grow_by_box(crowd->result, &crowd->boxes[i], &joint);
    }
}

// -- All poses

typedef struct gpb_skinned_nodes {
    uint32_t count;
    gpb_skinned_node *all;
    uint64_t cost;  // Matrices computed for one pose.
} gpb_skinned_nodes;

static void gpb_list_crowds(gpb_exporter *m, gpb_box *results, gpb_skinned_nodes *crowds)
{
    const tenon_scene *s = m->scene;
    bool *is_member = gpb_export_alloc(m, m->node_count, sizeof *is_member);
    crowds->all = gpb_export_alloc(m, s->node_count, sizeof *crowds->all);
    crowds->cost = (uint64_t)s->node_count + 1;
    for (uint32_t i = 0; i < s->node_count && !m->failed; i++) {
        uint32_t skin = s->nodes[i].skin;
        if (!gpb_is_skinned(m, i) || s->skins[skin].joint_count == 0) continue;
        gpb_skinned_node *crowd = &crowds->all[crowds->count++];
        uint32_t joints = s->skins[skin].joint_count;
        *crowd = (gpb_skinned_node){.skin = &s->skins[skin], .result = &results[s->nodes[i].mesh]};
        crowd->boxes = gpb_export_alloc(m, joints, sizeof *crowd->boxes);
        for (uint32_t k = 0; k < joints && !m->failed; k++) crowd->boxes[k] = gpb_no_box;
        if (m->failed) return;
        gpb_box_joints(m, s->nodes[i].mesh, crowd->boxes);
        crowd->root = gpb_find_root(m, skin, is_member);
        crowds->cost += joints;
    }
}

static void gpb_grow_all(const gpb_exporter *m, tenon_pose *pose, const gpb_skinned_nodes *crowds,
                         uint32_t animation, double seconds)
{
    tenon_pose_set(pose, animation, seconds);
    for (uint32_t i = 0; i < crowds->count; i++) gpb_grow_posed(m, pose, &crowds->all[i]);
}

// The rest pose, and as many poses of each clip as the encoder uses, within a limit.
static void gpb_sample_poses(gpb_exporter *m, const gpb_skinned_nodes *crowds)
{
    tenon_pose *pose = tenon_pose_new(m->scene, &m->e->opts->allocator, m->e->err);
    uint64_t left = GPB_WORK_MOST / crowds->cost + 1;
    if (!pose) m->failed = true;
    if (m->failed) return;
    gpb_grow_all(m, pose, crowds, TENON_NONE, 0);
    for (uint32_t i = 0; i < m->scene->animation_count && left; i++) {
        double duration = m->scene->animations[i].duration;
        double samples = ceil(duration / GPB_SAMPLE_STEP);
        uint32_t count = (uint32_t)(samples < GPB_SAMPLES ? samples : GPB_SAMPLES);
        for (uint32_t k = 0; k <= count && left; k++, left--)
            gpb_grow_all(m, pose, crowds, i, count ? duration * k / count : 0);
    }
    tenon_pose_free(pose);
}

// -- Bounds

// The largest distance of a vertex from the center.
static double gpb_reach(const tenon_gpb_mesh *mesh, const float center[3])
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

static void gpb_set_bounds(const gpb_box *box, bool is_skinned, tenon_gpb_mesh *mesh)
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
    b->radius = tn_narrow(is_skinned ? sqrt(square) : gpb_reach(mesh, b->center), NULL);
}

static void gpb_box_vertices(const tenon_gpb_mesh *mesh, gpb_box *box)
{
    const uint8_t *p = mesh->vertices.data;
    for (uint64_t v = 0; v < mesh->vertices.count; v++, p += mesh->vertices.layout->stride)
        gpb_grow(box, tn_load_f32(p, false), tn_load_f32(p + 4, false), tn_load_f32(p + 8, false));
}

void gpb_export_bounds(gpb_exporter *m)
{
    uint32_t count = m->scene->mesh_count;
    gpb_box *boxes = gpb_export_alloc(m, count, sizeof *boxes);
    gpb_skinned_nodes crowds = {0};
    for (uint32_t i = 0; i < count && !m->failed; i++) boxes[i] = gpb_no_box;
    gpb_list_crowds(m, boxes, &crowds);
    if (crowds.count && !m->failed) gpb_sample_poses(m, &crowds);
    for (uint32_t i = 0; i < count && !m->failed; i++) {
        const gpb_made_mesh *made = &m->meshes[i];
        if (made->block == TENON_NONE) continue;
        tenon_gpb_mesh *mesh = &m->doc->blocks[made->block].body.mesh;
        bool is_empty = !(boxes[i].min[0] <= boxes[i].max[0]);
        if (made->is_rigid || is_empty) gpb_box_vertices(mesh, &boxes[i]);
        gpb_set_bounds(&boxes[i], made->is_skinned, mesh);
    }
}
