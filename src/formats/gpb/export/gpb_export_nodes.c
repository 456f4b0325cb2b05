// gpb_export_nodes.c: plans the nodes of a bundle and their parents.
// SPDX-License-Identifier: MIT
//
// The engine stores scale, rotation and translation: a sheared transform needs two nodes. It
// transforms skinned vertices by their joints and then by the node of the mesh, and it removes the
// whole tree that contains the joints from the scene. So the node of a skinned mesh must be at the
// origin, in a tree without joints.
//
// The engine stores the inverse bind matrix in the joint. If skins have different matrices for a
// node, or one skin contains a node twice, an additional joint below the node gets the other
// matrix.

#include "formats/gpb/export/gpb_export.h"

#include "core/math/sort.h"
#include "exchange/bind_matrices.h"

#include <string.h>

// -- Nodes

bool gpb_export_is_skinned(const gpb_exporter *exporter, uint32_t node)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    return n->skin != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
}

// Plan the nodes of the scene. The last row of a matrix is ignored by the engine and in poses.
static void gpb_export_nodes_plan_scene(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->nodes = gpb_export_alloc(exporter, scene->node_count, sizeof *exporter->nodes);
    if (exporter->failed) return;
    exporter->node_count = exporter->node_room = scene->node_count;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        bool is_drawn = n->mesh != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
        tn_trs trs = {{n->translation[0], n->translation[1], n->translation[2]},
                      {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                      {n->scale[0], n->scale[1], n->scale[2]}};
        trs.rotation = tn_quat_normalise(trs.rotation);
        tn_mat4 local = tn_mat4_from_trs(&trs);
        if (n->has_matrix) memcpy(local.m, n->matrix, sizeof local.m);
        tn_tally_at(&exporter->losses[GPB_LOSS_PROJECTION], !tn_mat4_is_affine(&local), "nodes", i);
        for (int k = 0; k < 4; k++) local.m[4 * k + 3] = k == 3;
        exporter->nodes[i] = (gpb_node_plan){.origin = i,
                                             .name = n->name,
                                             .parent = n->parent,
                                             .local = local,
                                             .is_joint = n->is_joint,
                                             .source = i,
                                             .mesh_node = is_drawn ? i : TENON_NONE};
    }
}

// Add a root node without a transform for a node of the scene. NULL if the exporter has failed.
static gpb_node_plan *gpb_export_nodes_add(gpb_exporter *exporter, uint32_t origin,
                                           const char *suffix)
{
    tenon_str name = gpb_export_text(exporter, exporter->nodes[origin].name, suffix);
    if (exporter->node_count == exporter->node_room) {
        uint64_t room = 2 * (uint64_t)exporter->node_room + 16;
        gpb_node_plan *larger = gpb_export_alloc(exporter, room, sizeof *larger);
        if (larger && room >= TENON_NONE)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many nodes");
        if (exporter->failed) return NULL;
        memcpy(larger, exporter->nodes, exporter->node_count * sizeof *larger);
        exporter->nodes = larger;
        exporter->node_room = (uint32_t)room;
    }
    gpb_node_plan *node = &exporter->nodes[exporter->node_count++];
    *node = (gpb_node_plan){.origin = origin,
                            .name = name,
                            .parent = TENON_NONE,
                            .local = tn_mat4_identity(),
                            .source = TENON_NONE,
                            .mesh_node = TENON_NONE};
    return exporter->failed ? NULL : node;
}

// Split a sheared transform, m = u s v^T: the upper node rotates by u and scales by s. The lower
// node, which represents the node of the scene, rotates by v^T.
static void gpb_export_nodes_split_sheared(gpb_exporter *exporter, uint32_t node)
{
    tn_mat4 matrix = exporter->nodes[node].local;
    tn_trs trs;
    if (!exporter->scene->nodes[node].has_matrix || exporter->has_channel[node]) return;
    if (!(tn_mat4_decompose(&matrix, &trs) & TN_TRS_SHEARED)) return;
    tn_mat3 linear = tn_mat4_upper(&matrix);
    tn_svd svd = tn_mat3_svd(&linear);
    tn_mat3 scale = {{svd.s.x, 0, 0, 0, svd.s.y, 0, 0, 0, svd.s.z}};
    tn_mat3 outer = tn_mat3_mul(&svd.u, &scale), inner = tn_mat3_transpose(&svd.v);
    gpb_node_plan *upper = gpb_export_nodes_add(exporter, node, "_shear");
    if (!upper) return;
    upper->parent = exporter->nodes[node].parent;
    upper->local = tn_mat4_from_mat3(&outer, (tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]});
    exporter->nodes[node].parent = (uint32_t)(upper - exporter->nodes);
    exporter->nodes[node].local = tn_mat4_from_mat3(&inner, (tn_vec3){0, 0, 0});
    tn_tally_at(&exporter->losses[GPB_LOSS_SHEAR], 1, "nodes", node);
}

void gpb_export_plan_nodes(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint32_t count = scene->node_count;
    bool *has_channel = gpb_export_alloc(exporter, count, sizeof *has_channel);
    bool *has_children = gpb_export_alloc(exporter, count, sizeof *has_children);
    bool *stays = gpb_export_alloc(exporter, count, sizeof *stays);  // At the origin, for ever.
    uint32_t *roots = gpb_export_alloc(exporter, count, sizeof *roots);
    bool *has_joints = gpb_export_alloc(exporter, count, sizeof *has_joints);  // Trees, by root.
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            has_channel[scene->animations[i].channels[k].node] = true;
    exporter->has_channel = has_channel;
    gpb_export_nodes_plan_scene(exporter);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        roots[i] = is_root ? i : roots[parent];
        // As floats, as in the file.
        stays[i] = (is_root || stays[parent]) && !exporter->moves[i] && !has_channel[i];
        for (int k = 0; k < 16; k++)
            if (tn_to_float(exporter->nodes[i].local.m[k]) != (float)(k % 5 == 0)) stays[i] = false;
        if (!is_root) has_children[parent] = true;
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        if (!gpb_export_is_skinned(exporter, i)) continue;
        const tenon_skin *skin = &scene->skins[scene->nodes[i].skin];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            exporter->nodes[skin->joints[k]].is_joint = true;
            has_joints[roots[skin->joints[k]]] = true;
        }
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const tenon_node *n = &scene->nodes[i];
        gpb_node_plan *plan = &exporter->nodes[i];
        bool is_skinned = plan->mesh_node != TENON_NONE && n->skin != TENON_NONE;
        bool is_apart = !has_joints[roots[i]];
        bool is_bare = !has_children[i] && n->camera == TENON_NONE && n->light == TENON_NONE &&
                       !plan->is_joint && !has_channel[i];
        if (plan->mesh_node != TENON_NONE && !is_skinned) exporter->meshes[n->mesh].is_rigid = true;
        if (is_skinned) exporter->meshes[n->mesh].is_skinned = true;
        // Move a node with a skinned mesh to the origin, outside of trees with joints. If it has
        // more than the mesh, a new node gets the mesh instead.
        if (is_skinned && !(is_apart && stays[i]) && is_bare) {
            bool keeps_parent = is_apart && n->parent != TENON_NONE && stays[n->parent];
            if (!keeps_parent) plan->parent = TENON_NONE;
            plan->local = tn_mat4_identity();
            tn_tally_at(&exporter->losses[GPB_LOSS_PLACES], 1, "nodes", i);
        } else if (is_skinned && !(is_apart && stays[i])) {
            plan->mesh_node = TENON_NONE;
            gpb_node_plan *model_node = gpb_export_nodes_add(exporter, i, "_model");
            if (model_node) model_node->mesh_node = i;
            tn_tally_at(&exporter->losses[GPB_LOSS_MODEL_NODES], 1, "nodes", i);
        }
        // A bare node that was moved to the origin is no longer sheared.
        if (!exporter->failed) gpb_export_nodes_split_sheared(exporter, i);
    }
}

// -- Joints

// Joint number `index` of a skin.
typedef struct gpb_bind {
    uint32_t skin, index, node;
    const float *matrix;
} gpb_bind;

static int gpb_export_nodes_compare_matrices(const float *a, const float *b)
{
    for (int i = 0; i < 16; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool gpb_export_nodes_bind_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_bind *x = &((const gpb_bind *)context)[a], *y = &((const gpb_bind *)context)[b];
    if (x->node != y->node) return x->node < y->node;
    return gpb_export_nodes_compare_matrices(x->matrix, y->matrix) < 0;
}

// Binds sorted[first] to sorted[end - 1] are of one node. The node itself gets the matrix of the
// first skin, and each other matrix gets an additional joint.
static void gpb_export_nodes_plan_binds(gpb_exporter *exporter, const gpb_bind *binds,
                                        const uint32_t *sorted, uint32_t first, uint32_t end)
{
    uint32_t earliest = sorted[first], joint = TENON_NONE;
    for (uint32_t i = first; i < end; i++)
        if (sorted[i] < earliest) earliest = sorted[i];
    for (uint32_t i = first; i < end && !exporter->failed; i++) {
        const gpb_bind *bind = &binds[sorted[i]];
        bool is_same = i > first && !gpb_export_nodes_bind_before(binds, sorted[i - 1], sorted[i]);
        bool is_main = gpb_export_nodes_compare_matrices(bind->matrix, binds[earliest].matrix) == 0;
        if (!is_same && is_main) joint = bind->node;
        if (!is_same && !is_main) {
            gpb_node_plan *copy = gpb_export_nodes_add(exporter, bind->node, "_bind");
            if (!copy) return;
            copy->parent = bind->node;
            copy->is_joint = true;
            joint = (uint32_t)(copy - exporter->nodes);
            tn_tally_at(&exporter->losses[GPB_LOSS_BIND_JOINTS], 1, "nodes", bind->node);
        }
        exporter->joints[bind->skin][bind->index] = joint;
    }
}

void gpb_export_plan_joints(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint64_t room = 0;
    exporter->joints = gpb_export_alloc(exporter, scene->skin_count, sizeof *exporter->joints);
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (!gpb_export_is_skinned(exporter, i) || exporter->joints[skin]) continue;
        exporter->joints[skin] = gpb_export_alloc(exporter, scene->skins[skin].joint_count,
                                                  sizeof *exporter->joints[skin]);
        room += scene->skins[skin].joint_count;
    }
    if (room >= TENON_NONE)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many joints");
    // All joints of all skins in use, in the order of the skins.
    gpb_bind *binds = gpb_export_alloc(exporter, room, sizeof *binds);
    uint32_t *sorted = gpb_export_alloc(exporter, room, sizeof *sorted);
    uint32_t *spare = gpb_export_alloc(exporter, room, sizeof *spare);
    const float **shared = exporter->failed ? NULL : tn_shared_bind_matrices(exporter->export);
    exporter->failed = exporter->failed || !shared;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->skin_count && !exporter->failed; i++) {
        const tenon_skin *skin = &scene->skins[i];
        for (uint32_t k = 0; exporter->joints[i] && k < skin->joint_count; k++) {
            sorted[count] = count;
            binds[count++] = (gpb_bind){i, k, skin->joints[k], shared[k]};
        }
        shared += skin->joint_count;
    }
    if (exporter->failed) return;
    tn_sort(sorted, spare, count, gpb_export_nodes_bind_before, binds);
    for (uint32_t first = 0, end; first < count && !exporter->failed; first = end) {
        for (end = first + 1; end < count && binds[sorted[end]].node == binds[sorted[first]].node;)
            end++;
        gpb_export_nodes_plan_binds(exporter, binds, sorted, first, end);
    }
}
