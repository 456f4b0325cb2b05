// gpb_export_nodes.c: plans the nodes of a bundle and their parents.
// SPDX-License-Identifier: MIT
//
// The engine stores scale, rotation and translation: a sheared transform needs two nodes. It
// transforms skinned vertices by their joints and then by the node of the mesh, and it removes the
// whole tree that contains the joints from the scene. So the node of a skinned mesh must be at the
// origin, in a tree without joints.

#include "formats/gpb/export/gpb_export.h"

#include <string.h>

// Facts about the nodes of the scene.
typedef struct gpb_node_facts {
    gpb_exporter *exporter;
    uint32_t *roots;   // The root of its tree.
    bool *stays;       // It and its ancestors are at the origin and not animated.
    bool *has_joints;  // For a root: its tree contains joints.
    bool *has_children;
} gpb_node_facts;

// -- Nodes

// As floats, as in the file.
static bool gpb_is_identity(const tn_mat4 *matrix)
{
    for (int i = 0; i < 16; i++)
        if (tn_to_float(matrix->m[i]) != (float)(i % 5 == 0)) return false;
    return true;
}

static tn_mat4 gpb_local_of(const tenon_node *n)
{
    tn_trs trs = {{n->translation[0], n->translation[1], n->translation[2]},
                  {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                  {n->scale[0], n->scale[1], n->scale[2]}};
    trs.rotation = tn_quat_normalise(trs.rotation);
    tn_mat4 matrix;
    if (!n->has_matrix) return tn_mat4_from_trs(&trs);
    memcpy(matrix.m, n->matrix, sizeof matrix.m);
    return matrix;
}

uint32_t gpb_plan_node(gpb_exporter *exporter, const gpb_node_plan *node)
{
    if (exporter->node_count == exporter->node_room) {
        uint64_t room = 2 * (uint64_t)exporter->node_room + 16;
        gpb_node_plan *larger = gpb_export_alloc(exporter, room, sizeof *larger);
        if (larger && room >= TENON_NONE)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many nodes");
        if (exporter->failed) return TENON_NONE;
        if (exporter->node_count)
            memcpy(larger, exporter->nodes, exporter->node_count * sizeof *larger);
        exporter->nodes = larger;
        exporter->node_room = (uint32_t)room;
    }
    exporter->nodes[exporter->node_count] = *node;
    return exporter->node_count++;
}

// The last row of a matrix is ignored by the engine and in poses.
static void gpb_add_nodes(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        const tenon_node *n = &scene->nodes[i];
        gpb_node_plan made = {.origin = i,
                              .name = n->name,
                              .parent = n->parent,
                              .local = gpb_local_of(n),
                              .is_joint = n->is_joint,
                              .source = i,
                              .mesh_node = TENON_NONE};
        bool is_shown = n->mesh != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
        if (is_shown) made.mesh_node = i;
        gpb_count_loss(exporter, GPB_LOSS_PROJECTION, !tn_mat4_is_affine(&made.local), "nodes", i);
        for (int k = 0; k < 4; k++) made.local.m[4 * k + 3] = k == 3;
        (void)gpb_plan_node(exporter, &made);
    }
}

// -- Shear

// m = u s v^T: the upper node rotates by u and scales by s. The lower node, which represents the
// node of the scene, rotates by v^T.
static void gpb_split_sheared(gpb_exporter *exporter, uint32_t node)
{
    tn_mat4 matrix = exporter->nodes[node].local;
    tn_trs trs;
    if (!exporter->scene->nodes[node].has_matrix || exporter->has_channel[node]) return;
    if (!(tn_mat4_decompose(&matrix, &trs) & TN_TRS_SHEARED)) return;
    tn_mat3 linear = tn_mat4_upper(&matrix);
    tn_svd svd = tn_mat3_svd(&linear);
    tn_mat3 scale = {{svd.s.x, 0, 0, 0, svd.s.y, 0, 0, 0, svd.s.z}};
    tn_mat3 outer = tn_mat3_mul(&svd.u, &scale), inner = tn_mat3_transpose(&svd.v);
    gpb_node_plan upper = {
        .origin = node,
        .name = gpb_export_text(exporter, exporter->nodes[node].name, "_shear"),
        .parent = exporter->nodes[node].parent,
        .local = tn_mat4_from_mat3(&outer, (tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]}),
        .source = TENON_NONE,
        .mesh_node = TENON_NONE};
    uint32_t made = gpb_plan_node(exporter, &upper);
    if (exporter->failed) return;
    exporter->nodes[node].parent = made;
    exporter->nodes[node].local = tn_mat4_from_mat3(&inner, (tn_vec3){0, 0, 0});
    gpb_count_loss(exporter, GPB_LOSS_SHEAR, 1, "nodes", node);
}

// -- Nodes of skinned meshes

bool gpb_is_skinned(const gpb_exporter *exporter, uint32_t node)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    return n->skin != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
}

static bool gpb_find_node_facts(gpb_node_facts *facts)
{
    gpb_exporter *exporter = facts->exporter;
    const tenon_scene *scene = exporter->scene;
    facts->roots = gpb_export_alloc(exporter, scene->node_count, sizeof *facts->roots);
    facts->stays = gpb_export_alloc(exporter, scene->node_count, sizeof *facts->stays);
    facts->has_joints = gpb_export_alloc(exporter, scene->node_count, sizeof *facts->has_joints);
    facts->has_children =
        gpb_export_alloc(exporter, scene->node_count, sizeof *facts->has_children);
    if (exporter->failed) return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        facts->roots[i] = is_root ? i : facts->roots[parent];
        facts->stays[i] = (is_root || facts->stays[parent]) && !exporter->moves[i] &&
                          !exporter->has_channel[i] && gpb_is_identity(&exporter->nodes[i].local);
        if (!is_root) facts->has_children[parent] = true;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (!gpb_is_skinned(exporter, i)) continue;
        const tenon_skin *skin = &scene->skins[scene->nodes[i].skin];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            exporter->nodes[skin->joints[k]].is_joint = true;
            facts->has_joints[facts->roots[skin->joints[k]]] = true;
        }
    }
    return true;
}

// Whether a node has only a mesh, so that it can be moved.
static bool gpb_is_bare(const gpb_node_facts *facts, uint32_t node)
{
    const tenon_node *n = &facts->exporter->scene->nodes[node];
    return !facts->has_children[node] && n->camera == TENON_NONE && n->light == TENON_NONE &&
           !facts->exporter->nodes[node].is_joint && !facts->exporter->has_channel[node];
}

static void gpb_place_skinned(const gpb_node_facts *facts, uint32_t node)
{
    gpb_exporter *exporter = facts->exporter;
    bool is_apart = !facts->has_joints[facts->roots[node]];
    uint32_t parent = exporter->scene->nodes[node].parent;
    if (is_apart && facts->stays[node]) return;
    if (gpb_is_bare(facts, node)) {
        bool keeps_parent = is_apart && parent != TENON_NONE && facts->stays[parent];
        if (!keeps_parent) exporter->nodes[node].parent = TENON_NONE;
        exporter->nodes[node].local = tn_mat4_identity();
        gpb_count_loss(exporter, GPB_LOSS_PLACES, 1, "nodes", node);
        return;
    }
    gpb_node_plan model_node = {.origin = node,
                                .name =
                                    gpb_export_text(exporter, exporter->nodes[node].name, "_model"),
                                .parent = TENON_NONE,
                                .local = tn_mat4_identity(),
                                .source = TENON_NONE,
                                .mesh_node = node};
    exporter->nodes[node].mesh_node = TENON_NONE;
    (void)gpb_plan_node(exporter, &model_node);
    gpb_count_loss(exporter, GPB_LOSS_MODEL_NODES, 1, "nodes", node);
}

// -- All nodes

static void gpb_find_channels(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->has_channel =
        gpb_export_alloc(exporter, scene->node_count, sizeof *exporter->has_channel);
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            exporter->has_channel[scene->animations[i].channels[k].node] = true;
}

void gpb_plan_nodes(gpb_exporter *exporter)
{
    gpb_node_facts facts = {.exporter = exporter};
    gpb_find_channels(exporter);
    gpb_add_nodes(exporter);
    if (exporter->failed || !gpb_find_node_facts(&facts)) return;
    for (uint32_t i = 0; i < exporter->scene->node_count && !exporter->failed; i++) {
        const tenon_node *n = &exporter->scene->nodes[i];
        bool is_shown = exporter->nodes[i].mesh_node != TENON_NONE;
        if (is_shown && n->skin == TENON_NONE) exporter->meshes[n->mesh].is_rigid = true;
        if (is_shown && n->skin != TENON_NONE) exporter->meshes[n->mesh].is_skinned = true;
        if (is_shown && n->skin != TENON_NONE) gpb_place_skinned(&facts, i);
        // A bare node that was moved to the origin is no longer sheared.
        if (!exporter->failed) gpb_split_sheared(exporter, i);
    }
}
