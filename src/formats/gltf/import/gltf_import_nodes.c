// gltf_import_nodes.c: nodes and skins.
// SPDX-License-Identifier: MIT
//
// Only one scene of the file is read: 'scene', or the first; without scenes, all nodes are read.
// Joints of its meshes are part of it even if the file does not list them there.

#include "formats/gltf/import/gltf_import.h"

#include "core/math/math.h"

#include <inttypes.h>
#include <string.h>

// -- The tree

static bool gltf_take_children(gltf_importer *r, uint32_t parent)
{
    const tn_json_value *children =
        gltf_array(r, gltf_item(r, GLTF_LIST_NODES, parent), "children");
    for (uint32_t i = 0; i < tn_json_tree_count(children); i++) {
        const tn_json_value *value = tn_json_tree_at(children, i);
        uint32_t child = gltf_index_at(r, value, GLTF_LIST_NODES);
        if (r->b->failed) return false;
        if (r->parents[child] != TENON_NONE)
            return gltf_fail(r, TENON_ERR_VALUE, value,
                             "node %" PRIu32 " is already a child of node %" PRIu32, child,
                             r->parents[child]);
        r->parents[child] = parent;
    }
    return !r->b->failed;
}

uint32_t *gltf_order_nodes(gltf_importer *r)
{
    uint32_t count = gltf_count(r, GLTF_LIST_NODES);
    uint32_t *order = gltf_work(r, count, sizeof *order);
    uint32_t *cut = gltf_work(r, count, sizeof *cut);
    r->parents = gltf_work_indices(r, count);
    for (uint32_t i = 0; i < count && !r->b->failed; i++) {
        (void)gltf_take_children(r, i);
        (void)gltf_give_up(r, "children of nodes", gltf_item(r, GLTF_LIST_NODES, i));
    }
    if (r->b->failed) return NULL;
    memcpy(cut, r->parents, count * sizeof *cut);
    if (tn_order_parents(r->b, cut, count, order) == 0) return order;
    uint32_t first = 0;
    while (first < count && cut[first] == r->parents[first]) first++;
    const tn_json_value *at_fault = gltf_item(r, GLTF_LIST_NODES, first);
    if (first < count)
        gltf_fail(r, TENON_ERR_VALUE, at_fault, "node %" PRIu32 " is its own ancestor", first);
    if (!gltf_give_up(r, "places of nodes", at_fault)) return NULL;
    memcpy(r->parents, cut, count * sizeof *cut);
    return order;
}

// -- The scene

// Mark the root nodes of the scene. Returns whether there is a scene.
static bool gltf_mark_roots(gltf_importer *r)
{
    const tn_json_value *wanted = tn_json_tree_get(r->tree.root, "scene");
    uint32_t index = gltf_index_at(r, wanted, GLTF_LIST_SCENES);
    (void)gltf_give_up(r, "scenes", wanted);
    if (index == TENON_NONE) index = 0;
    const tn_json_value *scene = gltf_item(r, GLTF_LIST_SCENES, index);
    const tn_json_value *roots = gltf_array(r, scene, "nodes");
    for (uint32_t i = 0; i < tn_json_tree_count(roots) && !r->b->failed; i++) {
        uint32_t node = gltf_index_at(r, tn_json_tree_at(roots, i), GLTF_LIST_NODES);
        if (!r->b->failed) r->is_shown[node] = true;
        (void)gltf_give_up(r, "nodes", tn_json_tree_at(roots, i));
    }
    if (r->b->failed || !scene) return false;
    r->b->scene->name = tn_scene_text(r->b, gltf_text(r, scene, "name"));
    gltf_import_extras(r, scene, TENON_EXTRA_OF_SCENE, 0, NULL);
    return true;
}

static void gltf_mark_shown(gltf_importer *r, const uint32_t *order)
{
    uint32_t count = gltf_count(r, GLTF_LIST_NODES);
    r->is_shown = gltf_work(r, count, sizeof *r->is_shown);
    if (r->b->failed) return;
    bool has_scene = gltf_mark_roots(r);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = order[i], parent = r->parents[node];
        if (!has_scene || (parent != TENON_NONE && r->is_shown[parent])) r->is_shown[node] = true;
    }
}

// Mark the joints of a skin and their ancestors.
static void gltf_mark_joints(gltf_importer *r, uint32_t skin, bool *is_needed)
{
    const tn_json_value *joints = gltf_array(r, gltf_item(r, GLTF_LIST_SKINS, skin), "joints");
    for (uint32_t i = 0; i < tn_json_tree_count(joints); i++) {
        uint32_t node = gltf_index_at(r, tn_json_tree_at(joints, i), GLTF_LIST_NODES);
        if (r->b->failed) return;
        while (node != TENON_NONE && !is_needed[node]) {
            is_needed[node] = true;
            node = r->parents[node];
        }
    }
}

// Find the nodes that are needed, and mark the meshes and skins that they use.
static bool *gltf_find_needed(gltf_importer *r)
{
    uint32_t count = gltf_count(r, GLTF_LIST_NODES);
    bool *is_needed = gltf_work(r, count, sizeof *is_needed);
    if (!is_needed) return NULL;
    memcpy(is_needed, r->is_shown, count * sizeof *is_needed);
    for (uint32_t i = 0; i < count && !r->b->failed; i++) {
        const tn_json_value *node = gltf_item(r, GLTF_LIST_NODES, i);
        uint32_t mesh = gltf_index(r, node, "mesh", GLTF_LIST_MESHES);
        uint32_t skin = gltf_index(r, node, "skin", GLTF_LIST_SKINS);
        if (gltf_give_up(r, "meshes of nodes", node)) continue;
        if (r->b->failed || !r->is_shown[i] || mesh == TENON_NONE) continue;
        r->mesh_of[mesh] = 0;
        if (skin == TENON_NONE || r->skin_of[skin] == 0) continue;
        r->skin_of[skin] = 0;
        gltf_mark_joints(r, skin, is_needed);
        (void)gltf_give_up(r, "joints", node);
    }
    return is_needed;
}

// -- Nodes

static void gltf_set_transform(gltf_importer *r, const tn_json_value *node, uint32_t index)
{
    double matrix[16];
    tenon_node *out = &r->b->scene->nodes[index];
    if (gltf_numbers(r, node, "matrix", matrix, 16)) {
        tn_set_matrix(r->b, index, matrix);
        return;
    }
    gltf_numbers(r, node, "translation", out->translation, 3);
    gltf_numbers(r, node, "rotation", out->rotation, 4);
    gltf_numbers(r, node, "scale", out->scale, 3);
}

static void gltf_add_node(gltf_importer *r, uint32_t i)
{
    static const char *const known[] = {"joint", NULL};
    const tn_json_value *node = gltf_item(r, GLTF_LIST_NODES, i);
    uint32_t parent = r->parents[i];
    uint32_t index = tn_add_node(r->b, gltf_text(r, node, "name"),
                                 parent == TENON_NONE ? TENON_NONE : r->node_of[parent]);
    if (r->b->failed) return;
    r->node_of[i] = index;
    gltf_set_transform(r, node, index);
    const tn_json_value *extras = tn_json_tree_get(node, "extras");
    tenon_node *out = &r->b->scene->nodes[index];
    out->is_joint = tn_json_tree_bool(tn_json_tree_get(extras, "joint"), false);
    gltf_import_extras(r, node, TENON_EXTRA_OF_NODE, index, known);
    const tn_json_value *light = gltf_extension(r, node, "KHR_lights_punctual");
    uint32_t camera = gltf_index(r, node, "camera", GLTF_LIST_CAMERAS);
    uint32_t lamp = gltf_index(r, light, "light", GLTF_LIST_LIGHTS);
    const tn_json_value *instances = gltf_extension(r, node, "EXT_mesh_gpu_instancing");
    const tn_json_value *visibility = gltf_extension(r, node, "KHR_node_visibility");
    if (!r->is_shown[i]) return;
    gltf_miss(r, GLTF_UNREAD_INSTANCES, instances != NULL, node);
    gltf_miss(r, GLTF_UNREAD_VISIBILITY,
              visibility && !tn_json_tree_bool(tn_json_tree_get(visibility, "visible"), true),
              node);
    out->camera = camera;
    out->light = lamp;
    // Indices into the file, until meshes and skins are imported.
    out->mesh = gltf_index(r, node, "mesh", GLTF_LIST_MESHES);
    out->skin = gltf_index(r, node, "skin", GLTF_LIST_SKINS);
}

// A lost node is replaced by an empty one, which may have children.
static void gltf_try_node(gltf_importer *r, uint32_t i)
{
    gltf_add_node(r, i);
    if (gltf_give_up(r, "nodes", gltf_item(r, GLTF_LIST_NODES, i)) && r->node_of[i] == TENON_NONE)
        r->node_of[i] = tn_add_node(r->b, (tenon_str){"", 0}, TENON_NONE);
}

void gltf_import_nodes(gltf_importer *r)
{
    uint32_t count = gltf_count(r, GLTF_LIST_NODES);
    r->node_of = gltf_work_indices(r, count);
    r->mesh_of = gltf_work_indices(r, gltf_count(r, GLTF_LIST_MESHES));
    r->skin_of = gltf_work_indices(r, gltf_count(r, GLTF_LIST_SKINS));
    uint32_t *order = gltf_order_nodes(r);
    if (!order) return;
    gltf_mark_shown(r, order);
    bool *is_needed = r->b->failed ? NULL : gltf_find_needed(r);
    for (uint32_t i = 0; i < count && !r->b->failed; i++) {
        if (is_needed[order[i]])
            gltf_try_node(r, order[i]);
        else
            gltf_miss(r, GLTF_UNREAD_NODES, 1, gltf_item(r, GLTF_LIST_NODES, order[i]));
    }
}

// -- Skins

static void gltf_take_binds(gltf_importer *r, const tn_json_value *skin, uint32_t index)
{
    tenon_skin *out = &r->b->scene->skins[index];
    gltf_elements e;
    uint32_t accessor = gltf_index(r, skin, "inverseBindMatrices", GLTF_LIST_ACCESSORS);
    if (accessor == TENON_NONE || !gltf_open_accessor(r, accessor, GLTF_MAT4, &e)) return;
    if (e.count < out->joint_count) {
        gltf_fail(r, TENON_ERR_VALUE, tn_json_tree_get(skin, "inverseBindMatrices"),
                  "%" PRIu64 " matrices, but there are %" PRIu32 " joints", e.count,
                  out->joint_count);
        return;
    }
    if (e.sparse_count == 0) e.count = out->joint_count;
    float *binds = tn_scene_floats(r->b, e.count, 16);
    if (!binds) return;
    gltf_take_floats(r, &e, binds, 16);
    out->inverse_binds = binds;
}

static void gltf_add_skin(gltf_importer *r, uint32_t i)
{
    const tn_json_value *skin = gltf_item(r, GLTF_LIST_SKINS, i);
    const tn_json_value *joints = gltf_array(r, skin, "joints");
    uint32_t count = tn_json_tree_count(joints);
    if (!r->b->failed && count == 0) gltf_fail(r, TENON_ERR_VALUE, skin, "a skin needs 'joints'");
    uint32_t index = tn_add_skin(r->b, gltf_text(r, skin, "name"), count);
    uint32_t root = gltf_index(r, skin, "skeleton", GLTF_LIST_NODES);
    if (r->b->failed) return;
    r->skin_of[i] = index;
    tenon_skin *out = &r->b->scene->skins[index];
    if (root != TENON_NONE) out->root = r->node_of[root];
    for (uint32_t k = 0; k < count; k++) {
        const tn_json_value *joint = tn_json_tree_at(joints, k);
        uint32_t node = gltf_index_at(r, joint, GLTF_LIST_NODES);
        if (!r->b->failed && r->node_of[node] == TENON_NONE)
            gltf_fail(r, TENON_ERR_VALUE, joint, "the node of a joint is lost");
        if (r->b->failed) return;
        out->joints[k] = r->node_of[node];
        r->b->scene->nodes[r->node_of[node]].is_joint = true;
    }
    gltf_take_binds(r, skin, index);
}

void gltf_import_skins(gltf_importer *r)
{
    for (uint32_t i = 0; i < gltf_count(r, GLTF_LIST_SKINS) && !r->b->failed; i++) {
        const tn_json_value *skin = gltf_item(r, GLTF_LIST_SKINS, i);
        if (r->skin_of[i] == TENON_NONE)
            gltf_miss(r, GLTF_UNREAD_SKINS, 1, skin);
        else
            gltf_add_skin(r, i);
        if (gltf_give_up(r, "skins", skin)) r->skin_of[i] = TENON_NONE;
    }
    tenon_scene *s = r->b->scene;
    for (uint32_t i = 0; i < s->node_count && !r->b->failed; i++) {
        tenon_node *node = &s->nodes[i];
        if (node->mesh != TENON_NONE) node->mesh = r->mesh_of[node->mesh];
        // TENON_NONE if the skin is not used by a mesh.
        if (node->skin != TENON_NONE) node->skin = r->skin_of[node->skin];
    }
}
