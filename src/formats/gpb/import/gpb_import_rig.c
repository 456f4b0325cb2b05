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

#include <inttypes.h>
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

static bool gpb_import_rig_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++)
        if (m[i] != (i % 5 == 0)) return false;
    return true;
}

static bool gpb_import_rig_planner_begin(gpb_rig_planner *planner)
{
    tn_scene_builder *builder = planner->importer->builder;
    uint32_t count = planner->importer->index.tree.count;
    uint32_t **arrays[] = {&planner->roots, &planner->anchors, &planner->movable_tops,
                           &planner->users, &planner->copies,  &planner->copy_anchors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = tn_scene_array(builder, count, sizeof **arrays[i]);
    bool *has_content = tn_scene_array(builder, count, sizeof *has_content);
    planner->is_placed = tn_scene_array(builder, count, sizeof *planner->is_placed);
    if (builder->failed) return false;
    for (uint32_t i = count; i-- > 0;) {  // It or a descendant has a mesh, a camera or a light.
        const tenon_gpb_node *node = planner->nodes[i].node;
        if (gpb_has_model(planner->importer->doc->base.dialect->flags, &node->model) ||
            node->camera.camera_type || node->light.light_type)
            has_content[i] = true;
        uint32_t parent = planner->nodes[i].parent;
        if (has_content[i] && parent != TENON_NONE) has_content[parent] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = planner->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        bool stays = gpb_import_rig_is_identity(planner->nodes[i].node->transform) &&
                     !planner->importer->is_animated[i];
        planner->roots[i] = is_root ? i : planner->roots[parent];
        planner->anchors[i] = !stays ? i : is_root ? TENON_NONE : planner->anchors[parent];
        planner->movable_tops[i] = has_content[i]                   ? TENON_NONE
                                   : is_root || has_content[parent] ? i
                                                                    : planner->movable_tops[parent];
        planner->users[i] = planner->copies[i] = TENON_NONE;
    }
    return true;
}

// -- Skins

// Whether a node has a mesh that its skin can move.
static bool gpb_import_rig_can_be_skinned(gpb_importer *importer, uint32_t node_index)
{
    const tenon_gpb_model *model = &importer->index.tree.nodes[node_index].node->model;
    if (!gpb_has_model(importer->doc->base.dialect->flags, model) || !model->has_skin) return false;
    const tenon_gpb_mesh *mesh = gpb_index_find_mesh(&importer->index, model->mesh);
    if (!mesh) return false;
    if (model->skin.joint_count && gpb_import_has_influences(mesh)) return true;
    gpb_import_tally_node(importer, &importer->losses.unskinned, node_index, "model.skin");
    return false;
}

static void gpb_import_list_rigs(gpb_importer *importer)
{
    uint32_t count = importer->index.tree.count;
    importer->rig_of = tn_scene_array(importer->builder, count, sizeof *importer->rig_of);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < count; i++)
        importer->rig_of[i] =
            gpb_import_rig_can_be_skinned(importer, i) ? importer->rig_count++ : TENON_NONE;
    importer->rigs = tn_scene_array(importer->builder, importer->rig_count, sizeof *importer->rigs);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        if (importer->rig_of[i] == TENON_NONE) continue;
        const tenon_gpb_skin *skin = &importer->index.tree.nodes[i].node->model.skin;
        gpb_rig *rig = &importer->rigs[importer->rig_of[i]];
        rig->node_index = i;
        rig->joints = tn_scene_array(importer->builder, skin->joint_count, sizeof *rig->joints);
        for (uint32_t k = 0; k < skin->joint_count && !importer->builder->failed; k++) {
            tenon_str id = gpb_index_xref_id(importer->doc, skin->joints[k]);
            rig->joints[k] = gpb_index_find_node(&importer->index, id);
            if (rig->joints[k] == TENON_NONE)
                gpb_import_tally_node(importer, &importer->losses.joints, i,
                                      "model.skin.joints[%" PRIu32 "]", k);
        }
    }
}

// Find out where each skin needs the trees of its joints.
static void gpb_import_rig_find_wanted_anchors(gpb_rig_planner *planner)
{
    gpb_importer *importer = planner->importer;
    bool *is_used = tn_scene_array(importer->builder, importer->index.tree.count, sizeof *is_used);
    for (uint32_t i = 0; i < importer->rig_count && !importer->builder->failed; i++) {
        gpb_rig *rig = &importer->rigs[i];
        uint32_t count = planner->nodes[rig->node_index].node->model.skin.joint_count;
        rig->anchor = planner->anchors[rig->node_index];
        for (uint32_t k = 0; k < count; k++) {
            if (rig->joints[k] == TENON_NONE) continue;
            uint32_t top = planner->roots[rig->joints[k]];
            if (is_used[top] && planner->users[top] != rig->anchor) planner->users[top] = GPB_MANY;
            if (!is_used[top]) planner->users[top] = rig->anchor;
            is_used[top] = true;
        }
    }
}

// -- Moving and copying joints

static uint32_t gpb_import_rig_plan_scene_node(gpb_importer *importer, uint32_t node_index,
                                               uint32_t parent)
{
    if (importer->scene_node_count == importer->scene_node_room) {
        uint64_t room = 2 * (uint64_t)importer->scene_node_room + 16;
        gpb_scene_node *larger = tn_scene_array(importer->builder, room, sizeof *larger);
        if (!larger) return TENON_NONE;
        if (importer->scene_node_count)
            memcpy(larger, importer->scene_nodes, importer->scene_node_count * sizeof *larger);
        importer->scene_nodes = larger;
        importer->scene_node_room = room < GPB_MANY ? (uint32_t)room : GPB_MANY;
    }
    uint32_t index = importer->scene_node_count++;
    importer->scene_nodes[index] =
        (gpb_scene_node){.node_index = node_index, .parent = parent, .next_copy = TENON_NONE};
    return index;
}

// The copy of a node, with its ancestors, below the node `anchor`.
static uint32_t gpb_import_rig_copy_node(gpb_rig_planner *planner, uint32_t node_index,
                                         uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t child = TENON_NONE;  // The next node is the parent of this one.
    uint32_t result = TENON_NONE;
    for (uint32_t at = node_index; !importer->builder->failed; at = planner->nodes[at].parent) {
        bool is_there = at != TENON_NONE && planner->copies[at] != TENON_NONE &&
                        planner->copy_anchors[at] == anchor;
        uint32_t copy = at == TENON_NONE ? anchor
                        : is_there       ? planner->copies[at]
                                         : gpb_import_rig_plan_scene_node(importer, at, TENON_NONE);
        if (importer->builder->failed) break;
        if (child != TENON_NONE) importer->scene_nodes[child].parent = copy;
        if (result == TENON_NONE) result = copy;
        if (at == TENON_NONE || is_there) break;
        importer->scene_nodes[copy].next_copy = importer->scene_nodes[at].next_copy;
        importer->scene_nodes[at].next_copy = copy;
        planner->copies[at] = copy;
        planner->copy_anchors[at] = anchor;
        child = copy;
        gpb_import_tally_node(importer, &importer->losses.copied, at, "%s", "");
    }
    return result;
}

// Move or copy a joint to where its skin needs it. Returns its planned node.
static uint32_t gpb_import_rig_place_joint(gpb_rig_planner *planner, uint32_t joint,
                                           uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t top = planner->movable_tops[joint];
    if (anchor == TENON_NONE) return joint;
    if (planner->users[planner->roots[joint]] != anchor || top == TENON_NONE)
        return gpb_import_rig_copy_node(planner, joint, anchor);
    if (planner->is_placed[top]) return joint;
    uint32_t parent = planner->nodes[top].parent;
    uint32_t place =
        parent == TENON_NONE ? anchor : gpb_import_rig_copy_node(planner, parent, anchor);
    planner->is_placed[top] = true;
    if (importer->builder->failed) return joint;
    importer->scene_nodes[top].parent = place;
    gpb_import_tally_node(importer, &importer->losses.moved, top, "%s", "");
    return joint;
}

static bool gpb_import_rig_anchor_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_rig *rigs = context;
    return rigs[a].anchor < rigs[b].anchor;
}

// The planned node above all joints of a skin; TENON_NONE if there is none.
static uint32_t gpb_import_rig_find_root(const gpb_rig_planner *planner, const gpb_rig *rig,
                                         uint32_t count)
{
    const gpb_scene_node *scene_nodes = planner->importer->scene_nodes;
    uint32_t top = TENON_NONE, at = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (rig->joints[i] == TENON_NONE) return TENON_NONE;
        at = rig->joints[i];
        uint32_t other = planner->roots[scene_nodes[at].node_index];
        if (i && other != top) return TENON_NONE;
        top = other;
    }
    while (scene_nodes[at].parent != TENON_NONE && scene_nodes[at].parent != rig->anchor)
        at = scene_nodes[at].parent;
    return at;
}

// Skins that need joints at the same place are handled in sequence, so that they use the same
// copies.
static void gpb_import_rig_place_joints(gpb_rig_planner *planner)
{
    gpb_importer *importer = planner->importer;
    uint32_t *sorted = tn_scene_array(importer->builder, importer->rig_count, sizeof *sorted);
    uint32_t *spare = tn_scene_array(importer->builder, importer->rig_count, sizeof *spare);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->rig_count; i++) sorted[i] = i;
    tn_sort(sorted, spare, importer->rig_count, gpb_import_rig_anchor_before, importer->rigs);
    for (uint32_t i = 0; i < importer->rig_count && !importer->builder->failed; i++) {
        gpb_rig *rig = &importer->rigs[sorted[i]];
        uint32_t count = planner->nodes[rig->node_index].node->model.skin.joint_count;
        for (uint32_t k = 0; k < count && !importer->builder->failed; k++)
            if (rig->joints[k] != TENON_NONE)
                rig->joints[k] = gpb_import_rig_place_joint(planner, rig->joints[k], rig->anchor);
        if (!importer->builder->failed) rig->root = gpb_import_rig_find_root(planner, rig, count);
    }
}

void gpb_import_plan_scene_nodes(gpb_importer *importer)
{
    gpb_rig_planner planner = {.importer = importer, .nodes = importer->index.tree.nodes};
    if (importer->builder->failed || !gpb_import_rig_planner_begin(&planner)) return;
    for (uint32_t i = 0; i < importer->index.tree.count && !importer->builder->failed; i++)
        gpb_import_rig_plan_scene_node(importer, i, planner.nodes[i].parent);
    gpb_import_list_rigs(importer);
    if (!importer->builder->failed) gpb_import_rig_find_wanted_anchors(&planner);
    if (!importer->builder->failed) gpb_import_rig_place_joints(&planner);
}

// -- Nodes

static void gpb_import_rig_node(gpb_importer *importer, gpb_scene_node *scene_node)
{
    const tenon_gpb_node *from = importer->index.tree.nodes[scene_node->node_index].node;
    uint32_t parent = scene_node->parent == TENON_NONE
                          ? TENON_NONE
                          : importer->scene_nodes[scene_node->parent].node;
    tn_mat4 matrix = tn_mat4_from_columns(from->transform);
    scene_node->node =
        tn_add_node(importer->builder, gpb_index_id_of(importer->doc, from->reference), parent);
    if (importer->builder->failed) return;
    tn_set_matrix(importer->builder, scene_node->node, matrix.m);
    tenon_node *node = &importer->builder->scene->nodes[scene_node->node];
    node->is_joint = from->node_type == 2;
    if (!importer->is_animated[scene_node->node_index]) return;
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
    memcpy(node->translation, &trs.translation, sizeof node->translation);
    memcpy(node->rotation, &trs.rotation, sizeof node->rotation);
    memcpy(node->scale, &trs.scale, sizeof node->scale);
    if (node->has_matrix)
        gpb_import_tally_node(importer, &importer->losses.sheared, scene_node->node_index,
                              "transform");
    node->has_matrix = false;
}

void gpb_import_scene_nodes(gpb_importer *importer)
{
    uint32_t count = importer->scene_node_count;
    tn_tree_link *links = tn_scene_array(importer->builder, count, sizeof *links);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < count; i++) links[i].parent = importer->scene_nodes[i].parent;
    uint32_t at = tn_tree_link_all(links, count);
    for (; at != TN_NO_NODE && !importer->builder->failed;
         at = tn_tree_next(links, count, at, TN_NO_NODE, NULL))
        gpb_import_rig_node(importer, &importer->scene_nodes[at]);
}

// -- Skins of the scene

// Inverse bind matrices include the bind shape.
static void gpb_import_rig_set_binds(gpb_importer *importer, const gpb_rig *rig, tenon_skin *out)
{
    const tenon_gpb_skin *skin = &importer->index.tree.nodes[rig->node_index].node->model.skin;
    tn_mat4 shape = tn_mat4_from_columns(skin->bind_shape);
    bool is_plain = gpb_import_rig_is_identity(skin->bind_shape);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        float *bind = out->inverse_binds + 16 * (size_t)i;
        if (i < skin->bind_poses.count)
            tn_copy_numbers(bind, tn_span_record(&skin->bind_poses, i), 16, 4, false);
        else
            gpb_import_tally_node(importer, &importer->losses.binds, rig->node_index,
                                  "model.skin.bind_poses");
        if (is_plain) continue;
        tn_mat4 pose = tn_mat4_from_columns(bind);
        tn_mat4 whole = tn_mat4_mul(&pose, &shape);
        tn_mat4_to_columns(&whole, bind);
    }
}

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
        uint32_t index = tn_add_skin(builder, gpb_index_id_of(importer->doc, node->reference),
                                     from->joint_count);
        if (builder->failed) return;
        tenon_skin *skin = &builder->scene->skins[index];
        for (uint32_t i = 0; i < from->joint_count && !builder->failed; i++) {
            tenon_str id = gpb_index_xref_id(importer->doc, from->joints[i]);
            skin->joints[i] = rig->joints[i] == TENON_NONE ? tn_add_node(builder, id, parent)
                                                           : scene_nodes[rig->joints[i]].node;
            if (!builder->failed) builder->scene->nodes[skin->joints[i]].is_joint = true;
        }
        if (builder->failed) return;
        gpb_import_rig_set_binds(importer, rig, skin);
        skin->root = rig->root == TENON_NONE ? TENON_NONE : scene_nodes[rig->root].node;
        builder->scene->nodes[scene_nodes[rig->node_index].node].skin = index;
    }
}
