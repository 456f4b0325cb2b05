// gpb_import_rig.c: plans the nodes of the scene and where its skeletons are.
// SPDX-License-Identifier: MIT
//
// The engine transforms a skinned vertex by its joints and their ancestors, and then by the node of
// the mesh and its ancestors. A scene ignores the node of the mesh. So if that node is not always
// at the origin, the skeleton has to be below it: the joints themselves if nothing else needs them
// at their place, otherwise copies.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/math/tree_links.h"

#include <string.h>

#define GPB_MANY (TENON_NONE - 1)

// Facts about the nodes of the tree.
typedef struct gpb_rig_planner {
    gpb_importer *importer;
    const gpb_tree_node *nodes;
    uint32_t *roots;         // The root of its tree.
    uint32_t *anchors;       // The nearest, itself or above, with a transform; or TENON_NONE.
    uint32_t *movable_tops;  // The topmost of its ancestors without content; or TENON_NONE.
    uint32_t *users;         // For a root: where skins need its joints, or GPB_MANY.
    uint32_t *copies;        // Its newest copy; TENON_NONE if there is none.
    uint32_t *copy_anchors;  // The node that copy is below.
    bool *is_placed;         // It was moved to where a skin needs it.
} gpb_rig_planner;

// -- Facts about the nodes

static bool gpb_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++)
        if (m[i] != (i % 5 == 0)) return false;
    return true;
}

// -- Skins

// List the nodes with a mesh that their skin can move, and find out where each skin needs the trees
// of its joints.
static void gpb_list_rigs(gpb_rig_planner *planner)
{
    gpb_importer *importer = planner->importer;
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->index.tree.count;
    importer->rig_of = tn_scene_array(builder, count, sizeof *importer->rig_of);
    bool *is_used = tn_scene_array(builder, count, sizeof *is_used);
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        const tenon_gpb_model *model = &planner->nodes[i].node->model;
        importer->rig_of[i] = TENON_NONE;
        const tenon_gpb_mesh *mesh = gpb_find_mesh(&importer->index, model->mesh);
        if (!mesh || !model->has_skin) continue;
        if (model->skin.joint_count && gpb_has_influences(mesh))
            importer->rig_of[i] = importer->rig_count++;
        else
            gpb_tally_node(importer, &importer->lost.unskinned, i, "model.skin");
    }
    importer->rigs = tn_scene_array(builder, importer->rig_count, sizeof *importer->rigs);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        if (importer->rig_of[i] == TENON_NONE) continue;
        const tenon_gpb_skin *skin = &planner->nodes[i].node->model.skin;
        gpb_rig *rig = &importer->rigs[importer->rig_of[i]];
        rig->node_index = i;
        rig->anchor = planner->anchors[i];
        rig->joints = tn_scene_array(builder, skin->joint_count, sizeof *rig->joints);
        for (uint32_t k = 0; k < skin->joint_count && !builder->failed; k++) {
            tenon_str id = gpb_xref_id(importer->doc, skin->joints[k]);
            rig->joints[k] = gpb_find_node(&importer->index, id);
            if (rig->joints[k] == TENON_NONE) {
                gpb_tally_node(importer, &importer->lost.joints, i, "model.skin.joints[%u]", k);
                continue;
            }
            uint32_t top = planner->roots[rig->joints[k]], user = planner->users[top];
            planner->users[top] = is_used[top] && user != rig->anchor ? GPB_MANY : rig->anchor;
            is_used[top] = true;
        }
    }
}

// -- Moving and copying joints

static uint32_t gpb_plan_scene_node(gpb_importer *importer, uint32_t node_index, uint32_t parent)
{
    uint32_t index = tn_list_add(importer->builder, &importer->scene_node_list,
                                 (void **)(void *)&importer->scene_nodes,
                                 &importer->scene_node_count, sizeof *importer->scene_nodes);
    if (index != TENON_NONE)
        importer->scene_nodes[index] =
            (gpb_scene_node){.node_index = node_index, .parent = parent, .next_copy = TENON_NONE};
    return index;
}

// The copy of a node, with its ancestors, below the node `anchor`.
static uint32_t gpb_copy_node(gpb_rig_planner *planner, uint32_t node_index, uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t child = TENON_NONE;  // The next node is the parent of this one.
    uint32_t result = TENON_NONE;
    for (uint32_t at = node_index; !importer->builder->failed; at = planner->nodes[at].parent) {
        bool is_there = at != TENON_NONE && planner->copies[at] != TENON_NONE &&
                        planner->copy_anchors[at] == anchor;
        uint32_t copy = at == TENON_NONE ? anchor
                        : is_there       ? planner->copies[at]
                                         : gpb_plan_scene_node(importer, at, TENON_NONE);
        if (importer->builder->failed) break;
        if (child != TENON_NONE) importer->scene_nodes[child].parent = copy;
        if (result == TENON_NONE) result = copy;
        if (at == TENON_NONE || is_there) break;
        importer->scene_nodes[copy].next_copy = importer->scene_nodes[at].next_copy;
        importer->scene_nodes[at].next_copy = copy;
        planner->copies[at] = copy;
        planner->copy_anchors[at] = anchor;
        child = copy;
        gpb_tally_node(importer, &importer->lost.copied, at, "%s", "");
    }
    return result;
}

// Move or copy a joint to where its skin needs it. Returns its planned node.
static uint32_t gpb_place_joint(gpb_rig_planner *planner, uint32_t joint, uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t top = planner->movable_tops[joint];
    if (anchor == TENON_NONE) return joint;
    if (planner->users[planner->roots[joint]] != anchor || top == TENON_NONE)
        return gpb_copy_node(planner, joint, anchor);
    if (planner->is_placed[top]) return joint;
    uint32_t parent = planner->nodes[top].parent;
    uint32_t place = parent == TENON_NONE ? anchor : gpb_copy_node(planner, parent, anchor);
    planner->is_placed[top] = true;
    if (importer->builder->failed) return joint;
    importer->scene_nodes[top].parent = place;
    gpb_tally_node(importer, &importer->lost.moved, top, "%s", "");
    return joint;
}

static bool gpb_anchor_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_rig *rigs = context;
    return rigs[a].anchor < rigs[b].anchor;
}

void gpb_plan_scene_nodes(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    gpb_rig_planner planner = {.importer = importer, .nodes = importer->index.tree.nodes};
    uint32_t count = importer->index.tree.count;
    uint32_t **arrays[] = {&planner.roots, &planner.anchors, &planner.movable_tops,
                           &planner.users, &planner.copies,  &planner.copy_anchors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = tn_scene_array(builder, count, sizeof **arrays[i]);
    bool *has_content = tn_scene_array(builder, count, sizeof *has_content);
    planner.is_placed = tn_scene_array(builder, count, sizeof *planner.is_placed);
    if (builder->failed) return;
    for (uint32_t i = count; i-- > 0;) {  // It or a descendant has a mesh, a camera or a light.
        const tenon_gpb_node *node = planner.nodes[i].node;
        if (gpb_has_model(importer->doc->base.dialect->flags, &node->model) ||
            node->camera.camera_type || node->light.light_type)
            has_content[i] = true;
        uint32_t parent = planner.nodes[i].parent;
        if (has_content[i] && parent != TENON_NONE) has_content[parent] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = planner.nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        bool stays = gpb_is_identity(planner.nodes[i].node->transform) && !importer->is_animated[i];
        planner.roots[i] = is_root ? i : planner.roots[parent];
        planner.anchors[i] = !stays ? i : is_root ? TENON_NONE : planner.anchors[parent];
        planner.movable_tops[i] = has_content[i]                   ? TENON_NONE
                                  : is_root || has_content[parent] ? i
                                                                   : planner.movable_tops[parent];
        planner.users[i] = planner.copies[i] = TENON_NONE;
    }
    for (uint32_t i = 0; i < count && !builder->failed; i++)
        gpb_plan_scene_node(importer, i, planner.nodes[i].parent);
    gpb_list_rigs(&planner);
    // Skins that need joints at the same place are handled in sequence, so that they use the same
    // copies.
    uint32_t *sorted = tn_scene_array(builder, importer->rig_count, 2 * sizeof *sorted);
    if (builder->failed) return;
    tn_sort_all(sorted, importer->rig_count, gpb_anchor_before, importer->rigs);
    for (uint32_t i = 0; i < importer->rig_count && !builder->failed; i++) {
        gpb_rig *rig = &importer->rigs[sorted[i]];
        uint32_t joints = planner.nodes[rig->node_index].node->model.skin.joint_count;
        uint32_t tree = TENON_NONE, at = TENON_NONE;
        bool has_root = true;  // All joints exist and are in one tree.
        for (uint32_t k = 0; k < joints && !builder->failed; k++) {
            uint32_t joint = rig->joints[k];
            has_root = has_root && joint != TENON_NONE && (k == 0 || planner.roots[joint] == tree);
            if (joint == TENON_NONE) continue;
            tree = planner.roots[joint];
            at = rig->joints[k] = gpb_place_joint(&planner, joint, rig->anchor);
        }
        rig->root = TENON_NONE;
        if (builder->failed || !has_root) continue;
        const gpb_scene_node *scene_nodes = importer->scene_nodes;
        while (scene_nodes[at].parent != TENON_NONE && scene_nodes[at].parent != rig->anchor)
            at = scene_nodes[at].parent;
        rig->root = at;
    }
}

// -- Nodes

void gpb_import_scene_nodes(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->scene_node_count;
    tn_tree_link *links = tn_scene_array(builder, count, sizeof *links);
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) links[i].parent = importer->scene_nodes[i].parent;
    for (uint32_t at = tn_tree_link_all(links, count); at != TN_NO_NODE;
         at = tn_tree_next(links, count, at, TN_NO_NODE, NULL)) {
        gpb_scene_node *scene_node = &importer->scene_nodes[at];
        uint32_t parent = scene_node->parent, node_index = scene_node->node_index;
        if (parent != TENON_NONE) parent = importer->scene_nodes[parent].node;
        const tenon_gpb_node *from = importer->index.tree.nodes[node_index].node;
        tn_mat4 matrix = tn_mat4_from_columns(from->transform);
        scene_node->node = tn_add_node(builder, gpb_id_of(importer->doc, from->reference), parent);
        if (builder->failed) return;
        tn_set_matrix(builder, scene_node->node, matrix.m);
        tenon_node *node = &builder->scene->nodes[scene_node->node];
        node->is_joint = from->node_type == 2;
        if (!importer->is_animated[node_index]) continue;
        // Animated nodes have translation, rotation and scale, as in the engine.
        tn_trs trs;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        (void)tn_mat4_decompose(&matrix, &trs);
        // The engine mirrors along Z. This matters only if a channel moves one component.
        if (trs.scale.x < 0) {
            trs.rotation = tn_quat_mul(trs.rotation, (tn_quat){0, 1, 0, 0});
            trs.scale.x = -trs.scale.x;
            trs.scale.z = -trs.scale.z;
        }
        if (node->has_matrix)
            gpb_tally_node(importer, &importer->lost.sheared, node_index, "transform");
        tn_set_trs(node, &trs);
    }
}

// -- Skins of the scene

// Joints that do not exist in the bundle are added.
void gpb_import_skins(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    for (uint32_t r = 0; r < importer->rig_count && !builder->failed; r++) {
        const gpb_rig *rig = &importer->rigs[r];
        const gpb_scene_node *scene_nodes = importer->scene_nodes;
        const tenon_gpb_node *node = importer->index.tree.nodes[rig->node_index].node;
        const tenon_gpb_skin *from = &node->model.skin;
        uint32_t parent = rig->anchor == TENON_NONE ? TENON_NONE : scene_nodes[rig->anchor].node;
        uint32_t index =
            tn_add_skin(builder, gpb_id_of(importer->doc, node->reference), from->joint_count);
        if (builder->failed) return;
        tenon_skin *skin = &builder->scene->skins[index];
        tn_mat4 shape = tn_mat4_from_columns(from->bind_shape);
        bool has_shape = !gpb_is_identity(from->bind_shape);
        for (uint32_t i = 0; i < from->joint_count; i++) {
            tenon_str id = gpb_xref_id(importer->doc, from->joints[i]);
            skin->joints[i] = rig->joints[i] == TENON_NONE ? tn_add_node(builder, id, parent)
                                                           : scene_nodes[rig->joints[i]].node;
            if (builder->failed) return;
            builder->scene->nodes[skin->joints[i]].is_joint = true;
            float *bind = skin->inverse_binds + 16 * (size_t)i;
            if (i < from->bind_poses.count)
                tn_copy_numbers(bind, tn_span_record(&from->bind_poses, i), 16, 4, false);
            else
                gpb_tally_node(importer, &importer->lost.binds, rig->node_index,
                               "model.skin.bind_poses");
            if (!has_shape) continue;
            // Inverse bind matrices include the bind shape.
            tn_mat4 pose = tn_mat4_from_columns(bind), whole = tn_mat4_mul(&pose, &shape);
            tn_mat4_to_columns(&whole, bind);
        }
        skin->root = rig->root == TENON_NONE ? TENON_NONE : scene_nodes[rig->root].node;
        builder->scene->nodes[scene_nodes[rig->node_index].node].skin = index;
    }
}
