// gltf_import_nodes.c: nodes, skins, cameras and lights; extras.
// SPDX-License-Identifier: MIT
//
// Only one scene of the file is read: 'scene', or the first; without scenes, all nodes are read.
// Joints of its meshes are part of it even if the file does not list them there.

#include "formats/gltf/import/gltf_import.h"

#include "core/math/math.h"
#include "scene/pose/pose.h"

#include <inttypes.h>
#include <string.h>

// -- The tree

uint32_t *gltf_import_order_nodes(gltf_importer *importer)
{
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    uint32_t *order = gltf_import_scratch(importer, count, sizeof *order);
    uint32_t *cut = gltf_import_scratch(importer, count, sizeof *cut);
    importer->parents = gltf_import_scratch_indices(importer, LIST_NODES);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
        const tn_json_value *children = gltf_import_array(importer, node, "children");
        for (uint32_t k = 0; k < tn_json_tree_count(children) && !importer->builder->failed; k++) {
            const tn_json_value *value = tn_json_tree_at(children, k);
            uint32_t child = gltf_import_index_at(importer, value, LIST_NODES);
            if (importer->builder->failed) break;
            if (importer->parents[child] != TENON_NONE)
                gltf_import_fail(importer, TENON_ERR_VALUE, value,
                                 "node %" PRIu32 " is already a child of node %" PRIu32, child,
                                 importer->parents[child]);
            else
                importer->parents[child] = i;
        }
        (void)gltf_recover_skip_damaged(importer, "children of nodes", node);
    }
    if (importer->builder->failed) return NULL;
    memcpy(cut, importer->parents, count * sizeof *cut);
    if (tn_order_parents(importer->builder, cut, count, order) == 0) return order;
    uint32_t first = 0;
    while (first < count && cut[first] == importer->parents[first]) first++;
    const tn_json_value *at_fault = gltf_import_item(importer, LIST_NODES, first);
    if (first < count)
        gltf_import_fail(importer, TENON_ERR_VALUE, at_fault,
                         "node %" PRIu32 " is its own ancestor", first);
    if (!gltf_recover_skip_damaged(importer, "places of nodes", at_fault)) return NULL;
    memcpy(importer->parents, cut, count * sizeof *cut);
    return order;
}

// -- The scene

// Mark the nodes of the scene.
static void gltf_import_nodes_mark_shown(gltf_importer *importer, const uint32_t *order)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    bool *is_shown = gltf_import_scratch(importer, count, sizeof *is_shown);
    importer->is_shown = is_shown;
    if (builder->failed) return;
    const tn_json_value *wanted = tn_json_tree_get(importer->tree.root, "scene");
    uint32_t index = gltf_import_index_at(importer, wanted, LIST_SCENES);
    (void)gltf_recover_skip_damaged(importer, "scenes", wanted);
    const tn_json_value *scene =
        gltf_import_item(importer, LIST_SCENES, index == TENON_NONE ? 0 : index);
    const tn_json_value *roots = gltf_import_array(importer, scene, "nodes");
    for (uint32_t i = 0; i < tn_json_tree_count(roots) && !builder->failed; i++) {
        const tn_json_value *root = tn_json_tree_at(roots, i);
        uint32_t node = gltf_import_index_at(importer, root, LIST_NODES);
        if (!builder->failed) is_shown[node] = true;
        (void)gltf_recover_skip_damaged(importer, "nodes", root);
    }
    if (builder->failed) return;
    if (scene) {
        builder->scene->name = tn_scene_text(builder, gltf_import_text(importer, scene, "name"));
        gltf_import_extras(importer, scene, TENON_EXTRA_OF_SCENE, 0, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = order[i], parent = importer->parents[node];
        if (!scene || (parent != TENON_NONE && is_shown[parent])) is_shown[node] = true;
    }
}

// Find the nodes that are needed, and mark the meshes and skins that they use.
static bool *gltf_import_nodes_find_needed(gltf_importer *importer)
{
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    bool *is_needed = gltf_import_scratch(importer, count, sizeof *is_needed);
    if (!is_needed) return NULL;
    memcpy(is_needed, importer->is_shown, count * sizeof *is_needed);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
        uint32_t mesh = gltf_import_index(importer, node, "mesh", LIST_MESHES);
        uint32_t skin = gltf_import_index(importer, node, "skin", LIST_SKINS);
        if (gltf_recover_skip_damaged(importer, "meshes of nodes", node)) continue;
        if (importer->builder->failed || !importer->is_shown[i] || importer->is_hidden[i] ||
            mesh == TENON_NONE)
            continue;
        importer->mesh_of[mesh] = 0;
        if (skin == TENON_NONE || importer->skin_of[skin] == 0) continue;
        importer->skin_of[skin] = 0;
        // Joints and their ancestors.
        const tn_json_value *joints =
            gltf_import_array(importer, gltf_import_item(importer, LIST_SKINS, skin), "joints");
        for (uint32_t k = 0; k < tn_json_tree_count(joints); k++) {
            uint32_t joint = gltf_import_index_at(importer, tn_json_tree_at(joints, k), LIST_NODES);
            if (importer->builder->failed) break;
            for (; joint != TENON_NONE && !is_needed[joint]; joint = importer->parents[joint])
                is_needed[joint] = true;
        }
        (void)gltf_recover_skip_damaged(importer, "joints", node);
    }
    return is_needed;
}

// -- Instances

// Replace the mesh of a node by children that have it, one for each instance. They follow all nodes
// of the file, and have the origin of their parent: see gltf_export_restore_instances().
static void gltf_import_nodes_instances(gltf_importer *importer, const tn_json_value *instances,
                                        uint32_t node)
{
    static const struct {
        const char *key;
        uint32_t width;
    } kinds[] = {{"TRANSLATION", 3}, {"ROTATION", 4}, {"SCALE", 3}};
    tn_scene_builder *builder = importer->builder;
    const tn_json_value *attributes = gltf_import_object(importer, instances, "attributes");
    float *values[3] = {NULL, NULL, NULL};
    uint64_t count = 0;
    for (uint32_t i = 0; i < tn_json_tree_count(attributes) && !builder->failed; i++) {
        const tn_json_value *member = tn_json_tree_at(attributes, i);
        uint32_t accessor = gltf_import_index_at(importer, member, LIST_ACCESSORS), k = 0;
        gltf_elements e;
        while (k < 3 && !gltf_import_has_key(member, kinds[k].key)) k++;
        if (builder->failed ||
            !gltf_import_open_accessor(importer, accessor,
                                       k < 3 ? (gltf_shape)kinds[k].width : GLTF_ANY_SHAPE, &e))
            continue;
        if (count && e.count != count)
            gltf_import_fail(importer, TENON_ERR_VALUE, attributes,
                             "the attributes of instances have different counts");
        count = e.count;
        if (k == 3 || builder->failed) continue;
        values[k] = gltf_import_scratch(importer, count, kinds[k].width * sizeof(float));
        if (values[k]) gltf_import_decode_floats(importer, &e, values[k], kinds[k].width);
    }
    if (builder->failed || !count) return;
    const tenon_node parent = builder->scene->nodes[node];
    builder->scene->nodes[node].mesh = builder->scene->nodes[node].skin = TENON_NONE;
    for (uint64_t i = 0; i < count && !builder->failed; i++) {
        uint32_t index = tn_add_node(builder, parent.name, node);
        if (builder->failed) return;
        tenon_node *to = &builder->scene->nodes[index];
        double *const out[3] = {to->translation, to->rotation, to->scale};
        to->mesh = parent.mesh;
        to->origin = parent.origin;
        for (int k = 0; k < 3; k++)
            for (uint32_t c = 0; values[k] && c < kinds[k].width; c++)
                out[k][c] = (double)values[k][i * kinds[k].width + c];
    }
    gltf_import_count_loss(importer, GLTF_MADE_INSTANCES, count, instances);
}

// -- Nodes

static void gltf_import_node(gltf_importer *importer, uint32_t i)
{
    static const char *const known[] = {"joint", NULL};
    const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
    uint32_t parent = importer->parents[i];
    uint32_t index = tn_add_node(importer->builder, gltf_import_text(importer, node, "name"),
                                 parent == TENON_NONE ? TENON_NONE : importer->node_of[parent]);
    if (importer->builder->failed) return;
    importer->node_of[i] = index;
    importer->builder->scene->nodes[index].origin = i + 1;
    tenon_node *out = &importer->builder->scene->nodes[index];
    double matrix[16];
    if (gltf_import_numbers(importer, node, "matrix", matrix, 16)) {
        tn_set_matrix(importer->builder, index, matrix);
    } else {
        gltf_import_numbers(importer, node, "translation", out->translation, 3);
        gltf_import_numbers(importer, node, "rotation", out->rotation, 4);
        gltf_import_numbers(importer, node, "scale", out->scale, 3);
    }
    const tn_json_value *extras = tn_json_tree_get(node, "extras");
    out->is_joint = tn_json_tree_bool(tn_json_tree_get(extras, "joint"), false);
    gltf_import_extras(importer, node, TENON_EXTRA_OF_NODE, index, known);
    const tn_json_value *light = gltf_import_extension(importer, node, "KHR_lights_punctual");
    uint32_t camera = gltf_import_index(importer, node, "camera", LIST_CAMERAS);
    uint32_t lamp = gltf_import_index(importer, light, "light", LIST_LIGHTS);
    const tn_json_value *visibility = gltf_import_extension(importer, node, "KHR_node_visibility");
    if (!importer->is_shown[i]) return;
    if (importer->is_blinking[i] &&
        !tn_json_tree_bool(tn_json_tree_get(visibility, "visible"), true))
        memset(out->scale, 0, sizeof out->scale);
    out->camera = camera;
    if (importer->is_hidden[i]) return;
    out->light = lamp;
    // Indices into the file, until meshes and skins are imported.
    out->mesh = gltf_import_index(importer, node, "mesh", LIST_MESHES);
    out->skin = gltf_import_index(importer, node, "skin", LIST_SKINS);
}

void gltf_import_nodes(gltf_importer *importer)
{
    uint32_t count = gltf_import_count(importer, LIST_NODES);
    importer->node_of = gltf_import_scratch_indices(importer, LIST_NODES);
    importer->mesh_of = gltf_import_scratch_indices(importer, LIST_MESHES);
    importer->skin_of = gltf_import_scratch_indices(importer, LIST_SKINS);
    uint32_t *order = gltf_import_order_nodes(importer);
    if (!order) return;
    gltf_import_nodes_mark_shown(importer, order);
    if (!importer->builder->failed) gltf_import_visibility(importer, order);
    bool *is_needed = importer->builder->failed ? NULL : gltf_import_nodes_find_needed(importer);
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, order[i]);
        if (!is_needed[order[i]]) {
            gltf_import_count_loss(importer, GLTF_UNREAD_NODES, 1, node);
            continue;
        }
        gltf_import_node(importer, order[i]);
        // A lost node is replaced by an empty one, which may have children.
        if (gltf_recover_skip_damaged(importer, "nodes", node) &&
            importer->node_of[order[i]] == TENON_NONE)
            importer->node_of[order[i]] =
                tn_add_node(importer->builder, (tenon_str){"", 0}, TENON_NONE);
    }
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        const tn_json_value *node = gltf_import_item(importer, LIST_NODES, i);
        uint32_t index = importer->node_of[i];
        const tn_json_value *instances =
            gltf_import_extension(importer, node, "EXT_mesh_gpu_instancing");
        if (instances && index != TENON_NONE && !importer->builder->failed &&
            importer->builder->scene->nodes[index].mesh != TENON_NONE)
            gltf_import_nodes_instances(importer, instances, index);
        (void)gltf_recover_skip_damaged(importer, "instances", node);
    }
}

// -- Skins

static void gltf_import_nodes_skin(gltf_importer *importer, uint32_t i)
{
    const tn_json_value *skin = gltf_import_item(importer, LIST_SKINS, i);
    const tn_json_value *joints = gltf_import_array(importer, skin, "joints");
    uint32_t count = tn_json_tree_count(joints);
    if (!importer->builder->failed && count == 0)
        gltf_import_fail(importer, TENON_ERR_VALUE, skin, "a skin needs 'joints'");
    uint32_t index =
        tn_add_skin(importer->builder, gltf_import_text(importer, skin, "name"), count);
    uint32_t root = gltf_import_index(importer, skin, "skeleton", LIST_NODES);
    if (importer->builder->failed) return;
    importer->skin_of[i] = index;
    tenon_skin *out = &importer->builder->scene->skins[index];
    out->origin = i + 1;
    if (root != TENON_NONE) out->root = importer->node_of[root];
    for (uint32_t k = 0; k < count; k++) {
        const tn_json_value *joint = tn_json_tree_at(joints, k);
        uint32_t node = gltf_import_index_at(importer, joint, LIST_NODES);
        if (!importer->builder->failed && importer->node_of[node] == TENON_NONE)
            gltf_import_fail(importer, TENON_ERR_VALUE, joint, "the node of a joint is lost");
        if (importer->builder->failed) return;
        out->joints[k] = importer->node_of[node];
        importer->builder->scene->nodes[importer->node_of[node]].is_joint = true;
    }
    gltf_elements e;
    uint32_t accessor = gltf_import_index(importer, skin, "inverseBindMatrices", LIST_ACCESSORS);
    if (accessor == TENON_NONE || !gltf_import_open_accessor(importer, accessor, GLTF_MAT4, &e))
        return;
    if (e.count < count) {
        gltf_import_fail(importer, TENON_ERR_VALUE, tn_json_tree_get(skin, "inverseBindMatrices"),
                         "%" PRIu64 " matrices, but there are %" PRIu32 " joints", e.count, count);
        return;
    }
    if (e.sparse_count == 0) e.count = count;
    float *binds = tn_scene_floats(importer->builder, e.count, 16);
    if (!binds) return;
    gltf_import_decode_floats(importer, &e, binds, 16);
    out->inverse_binds = binds;
}

// The weights that a node of the scene gives to the morph targets of its mesh.
static void gltf_import_nodes_weights(gltf_importer *importer, uint32_t node)
{
    tenon_node *to = &importer->builder->scene->nodes[node];
    const tn_json_value *weights = gltf_import_array(
        importer, gltf_import_item(importer, LIST_NODES, to->origin - 1), "weights");
    uint32_t count = tn_morph_count(importer->builder->scene, node);
    if (importer->builder->failed || !weights || !count) return;
    double *out = tn_scene_array(importer->builder, count, sizeof *out);
    if (!out) return;
    for (uint32_t k = 0; k < count && k < tn_json_tree_count(weights); k++)
        out[k] = tn_json_tree_f64(tn_json_tree_at(weights, k), 0);
    to->morph_weights = out;
}

void gltf_import_skins(gltf_importer *importer)
{
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_SKINS) && !importer->builder->failed;
         i++) {
        const tn_json_value *skin = gltf_import_item(importer, LIST_SKINS, i);
        if (importer->skin_of[i] == TENON_NONE)
            gltf_import_count_loss(importer, GLTF_UNREAD_SKINS, 1, skin);
        else
            gltf_import_nodes_skin(importer, i);
        if (gltf_recover_skip_damaged(importer, "skins", skin)) importer->skin_of[i] = TENON_NONE;
    }
    tenon_scene *scene = importer->builder->scene;
    for (uint32_t i = 0; i < scene->node_count && !importer->builder->failed; i++) {
        tenon_node *node = &scene->nodes[i];
        if (node->mesh != TENON_NONE) node->mesh = importer->mesh_of[node->mesh];
        // TENON_NONE if the skin is not used by a mesh.
        if (node->skin != TENON_NONE) node->skin = importer->skin_of[node->skin];
        if (node->origin) gltf_import_nodes_weights(importer, i);
    }
}

// -- Cameras

static void gltf_import_camera(gltf_importer *importer, const tn_json_value *camera)
{
    const tn_json_value *type = tn_json_tree_get(camera, "type");
    bool is_orthographic = tn_json_tree_is(type, "orthographic");
    if (!is_orthographic && !tn_json_tree_is(type, "perspective")) {
        gltf_import_fail(importer, TENON_ERR_VALUE, type ? type : camera,
                         "'type' of a camera must be 'perspective' or 'orthographic'");
        return;
    }
    const tn_json_value *from =
        gltf_import_object(importer, camera, is_orthographic ? "orthographic" : "perspective");
    uint32_t index = tn_add_camera(importer->builder, gltf_import_text(importer, camera, "name"));
    if (importer->builder->failed) return;
    tenon_camera *to = &importer->builder->scene->cameras[index];
    to->origin = camera->index + 1;
    to->is_orthographic = is_orthographic;
    if (is_orthographic) {
        to->half_width = gltf_import_number(importer, from, "xmag", to->half_width);
        to->half_height = gltf_import_number(importer, from, "ymag", to->half_height);
        // A negative size mirrors the picture.
        if (to->half_width < 0) to->half_width = -to->half_width;
        if (to->half_height < 0) to->half_height = -to->half_height;
    } else {
        to->field_of_view = gltf_import_number(importer, from, "yfov", to->field_of_view);
        to->aspect_ratio = gltf_import_number(importer, from, "aspectRatio", 0);
    }
    to->near_plane = gltf_import_number(importer, from, "znear", to->near_plane);
    to->far_plane = gltf_import_number(importer, from, "zfar", 0);
}

// -- Lights

static void gltf_import_nodes_light(gltf_importer *importer, const tn_json_value *light)
{
    static const char *const kinds[] = {"directional", "point", "spot"};
    const tn_json_value *type = tn_json_tree_get(light, "type");
    uint32_t kind = 0;
    while (kind < 3 && !tn_json_tree_is(type, kinds[kind])) kind++;
    if (kind == 3) {
        gltf_import_fail(importer, TENON_ERR_VALUE, type ? type : light,
                         "'type' of a light must be 'directional', 'point' or 'spot'");
        return;
    }
    uint32_t index = tn_add_light(importer->builder, gltf_import_text(importer, light, "name"));
    if (importer->builder->failed) return;
    tenon_light *to = &importer->builder->scene->lights[index];
    to->origin = light->index + 1;
    const tn_json_value *spot = gltf_import_object(importer, light, "spot");
    to->kind = (tenon_light_kind)kind;
    gltf_import_numbers(importer, light, "color", to->color, 3);
    to->intensity = gltf_import_number(importer, light, "intensity", 1);
    to->range = gltf_import_number(importer, light, "range", 0);
    to->inner_angle = gltf_import_number(importer, spot, "innerConeAngle", 0);
    to->outer_angle = gltf_import_number(importer, spot, "outerConeAngle", TN_PI / 4);
}

void gltf_import_cameras(gltf_importer *importer)
{
    // Nodes refer to cameras by index, so a lost one is replaced by a default.
    for (uint32_t i = 0;
         i < gltf_import_count(importer, LIST_CAMERAS) && !importer->builder->failed; i++) {
        const tn_json_value *camera = gltf_import_item(importer, LIST_CAMERAS, i);
        gltf_import_camera(importer, camera);
        if (gltf_recover_skip_damaged(importer, "cameras", camera) &&
            importer->builder->scene->camera_count == i)
            (void)tn_add_camera(importer->builder, (tenon_str){"", 0});
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_LIGHTS) && !importer->builder->failed;
         i++) {
        const tn_json_value *light = gltf_import_item(importer, LIST_LIGHTS, i);
        gltf_import_nodes_light(importer, light);
        if (gltf_recover_skip_damaged(importer, "lights", light) &&
            importer->builder->scene->light_count == i)
            (void)tn_add_light(importer->builder, (tenon_str){"", 0});
    }
}

// -- Extras

void gltf_import_extras(gltf_importer *importer, const tn_json_value *object, tenon_extra_of of,
                        uint32_t index, const char *const *known)
{
    const tn_json_value *extras = tn_json_tree_get(object, "extras");
    bool is_object = tn_json_tree_kind_of(extras) == TN_TREE_OBJECT;
    if (extras && !is_object) gltf_import_count_loss(importer, GLTF_UNREAD_EXTRAS, 1, extras);
    for (uint32_t i = 0; is_object && i < extras->size && !importer->builder->failed; i++) {
        const tn_json_value *member = tn_json_tree_at(extras, i);
        tn_json_tree_kind kind = tn_json_tree_kind_of(member);
        uint32_t k = 0;
        while (known && known[k] && !gltf_import_has_key(member, known[k])) k++;
        if (known && known[k]) continue;
        if (kind != TN_TREE_STRING && kind != TN_TREE_NUMBER && kind != TN_TREE_BOOL) {
            gltf_import_count_loss(importer, GLTF_UNREAD_EXTRAS, 1, member);
            continue;
        }
        gltf_import_count_loss(importer, GLTF_UNREAD_EXTRA_KINDS, kind != TN_TREE_STRING, member);
        char *name = gltf_import_scratch(importer, (uint64_t)member->key_size + 1, 1);
        if (!name) return;
        memcpy(name, member->key, member->key_size);
        tn_add_extra(importer->builder, of, index, name, (tenon_str){member->text, member->size});
    }
}
