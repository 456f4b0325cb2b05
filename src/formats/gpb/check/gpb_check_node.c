// gpb_check_node.c: checks scenes, nodes, cameras and lights.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

#define GPB_MATRIX_SLACK 1e-5f

// -- Nodes

static void gpb_check_node_matrix(const gpb_checker *checker, uint32_t node_index)
{
    const float *m = checker->index.tree.nodes[node_index].node->transform;
    tn_path_text path = gpb_check_node_path(checker, node_index, tn_path("transform"));
    if (!tn_all_finite(m, 16)) return;  // The rule for finite numbers reports this.
    tn_mat4 matrix = tn_mat4_from_columns(m);
    tn_trs trs;
    uint32_t flags = tn_mat4_decompose(&matrix, &trs);
    bool is_affine = fabsf(m[3]) <= GPB_MATRIX_SLACK && fabsf(m[7]) <= GPB_MATRIX_SLACK &&
                     fabsf(m[11]) <= GPB_MATRIX_SLACK && fabsf(m[15] - 1) <= GPB_MATRIX_SLACK;
    if (!is_affine)
        tn_found(checker->check, GPB_NODE_MATRIX, path,
                 "the last row of the matrix is not 0, 0, 0, 1");
    else if (flags & TN_TRS_DEGENERATE)
        tn_found(checker->check, GPB_NODE_MATRIX, path, "the matrix has a scale of 0");
    else if (flags & TN_TRS_SHEARED)
        tn_found(checker->check, GPB_NODE_MATRIX, path, "the matrix has shear");
    else if (flags & TN_TRS_MIRRORED)
        tn_found(checker->check, GPB_NODE_MATRIX, path, "the matrix mirrors the node");
}

static void gpb_check_node_parent(const gpb_checker *checker, uint32_t node_index)
{
    const gpb_tree_node *at = &checker->index.tree.nodes[node_index];
    tenon_str actual = {"", 0};
    if (!(checker->doc->base.dialect->flags & TENON_GPB_PARENT_ID)) return;
    if (at->parent != TENON_NONE)
        actual =
            gpb_index_id_of(checker->doc, checker->index.tree.nodes[at->parent].node->reference);
    if (tn_text_equal(actual, at->node->parent_id)) return;
    tn_found(checker->check, GPB_PARENT_ID,
             gpb_check_node_path(checker, node_index, tn_path("parent_id")),
             "the node names '%s' as its parent, but its parent is '%s'",
             gpb_check_show(at->node->parent_id).text, gpb_check_show(actual).text);
}

// -- Cameras and lights

static void gpb_check_node_camera(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_camera *camera = &checker->index.tree.nodes[node_index].node->camera;
    const float numbers[] = {camera->near_plane, camera->far_plane, camera->field_of_view,
                             camera->magnification[0], camera->magnification[1]};
    tn_path_text path = gpb_check_node_path(checker, node_index, tn_path("camera"));
    if (camera->camera_type > 2)
        tn_found(checker->check, GPB_CAMERA_TYPE,
                 gpb_check_node_path(checker, node_index, tn_path("camera.camera_type")),
                 "camera type %u does not exist", camera->camera_type);
    if (camera->reference == TENON_NONE)
        tn_found(checker->check, GPB_CAMERA_UNNAMED, path,
                 "the camera is not in the reference table");
    if (!tn_all_finite(numbers, 5)) return;  // The rule for finite numbers reports this.
    bool has_width = camera->magnification[0] > 0 && camera->magnification[1] > 0;
    if (!(camera->far_plane > camera->near_plane))
        tn_found(checker->check, GPB_CAMERA_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("camera.far_plane")),
                 "the far plane is not farther away than the near plane");
    else if (camera->camera_type == 1 && !(camera->near_plane > 0))
        tn_found(checker->check, GPB_CAMERA_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("camera.near_plane")),
                 "the near plane is not in front of the camera");
    else if (camera->camera_type == 1 &&
             !(camera->field_of_view > 0 && camera->field_of_view < 180))
        tn_found(checker->check, GPB_CAMERA_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("camera.field_of_view")),
                 "the field of view is not between 0 and 180 degrees");
    else if (camera->camera_type == 2 && !has_width)
        tn_found(checker->check, GPB_CAMERA_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("camera.magnification")),
                 "the view of the camera has a width or height of 0");
}

static void gpb_check_node_cone(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_light *light = &checker->index.tree.nodes[node_index].node->light;
    bool has_attenuation = (checker->doc->base.dialect->flags & TENON_GPB_LIGHT_ATTENUATION) != 0;
    if (has_attenuation || (light->light_type != 2 && light->light_type != 3)) return;
    if (!(light->range > 0))
        tn_found(checker->check, GPB_LIGHT_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("light.range")),
                 "the range is not greater than 0");
    if (light->light_type != 3) return;
    if (light->inner_angle < 0 || light->outer_angle > (float)(TN_PI / 2))
        tn_found(checker->check, GPB_LIGHT_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("light.inner_angle")),
                 "the cone angles are not between 0 and 90 degrees");
    else if (light->inner_angle > light->outer_angle)
        tn_found(checker->check, GPB_LIGHT_VALUES,
                 gpb_check_node_path(checker, node_index, tn_path("light.inner_angle")),
                 "the inner angle is larger than the outer angle");
}

static void gpb_check_node_light(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_light *light = &checker->index.tree.nodes[node_index].node->light;
    tn_path_text path = gpb_check_node_path(checker, node_index, tn_path("light"));
    if (light->light_type > 3)
        tn_found(checker->check, GPB_LIGHT_TYPE,
                 gpb_check_node_path(checker, node_index, tn_path("light.light_type")),
                 "light type %u does not exist", light->light_type);
    if (light->reference == TENON_NONE)
        tn_found(checker->check, GPB_CAMERA_UNNAMED, path,
                 "the light is not in the reference table");
    if (tn_all_finite((const float[]){light->range, light->inner_angle, light->outer_angle}, 3))
        gpb_check_node_cone(checker, node_index);
}

void gpb_check_node(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_node *node = checker->index.tree.nodes[node_index].node;
    if (node->reference == TENON_NONE)
        tn_found(checker->check, GPB_NODE_UNNAMED,
                 gpb_check_node_path(checker, node_index, tn_path("%s", "")),
                 "the node is not in the reference table");
    if (node->node_type != 1 && node->node_type != 2)
        tn_found(checker->check, GPB_NODE_TYPE,
                 gpb_check_node_path(checker, node_index, tn_path("node_type")),
                 "node type %" PRIu32 " does not exist", node->node_type);
    gpb_check_node_matrix(checker, node_index);
    gpb_check_node_parent(checker, node_index);
    if (node->camera.camera_type) gpb_check_node_camera(checker, node_index);
    if (node->light.light_type) gpb_check_node_light(checker, node_index);
    const tenon_gpb_model *model = &node->model;
    bool is_plain = model->mesh.size == 0 || (model->mesh.size == 1 && model->mesh.data[0] == '#');
    if (!is_plain && !gpb_has_model(checker->doc->base.dialect->flags, model))
        tn_found(checker->check, GPB_MODEL_NAME,
                 gpb_check_node_path(checker, node_index, tn_path("model.mesh")),
                 "'%s' does not start with '#'", gpb_check_show(model->mesh).text);
}

// -- Scenes

void gpb_check_scene(const gpb_checker *checker, uint32_t block)
{
    const tenon_gpb_scene *scene = &checker->doc->blocks[block].body.scene;
    tn_path_text path = tn_path("blocks[%" PRIu32 "].scene.active_camera", block);
    if (scene->active_camera.size == 0) return;
    uint32_t node_index =
        gpb_index_find_node(&checker->index, gpb_index_xref_id(checker->doc, scene->active_camera));
    if (node_index == TENON_NONE &&
        gpb_check_link(checker, path, scene->active_camera, TENON_GPB_NODE))
        return;
    if (node_index == TENON_NONE)
        tn_found(checker->check, GPB_UNRESOLVED_XREF, path, "the node '%s' does not exist",
                 gpb_check_show(scene->active_camera).text);
    else if (checker->index.tree.nodes[node_index].node->camera.camera_type == 0)
        tn_found(checker->check, GPB_ACTIVE_CAMERA, path, "the node '%s' has no camera",
                 gpb_check_show(scene->active_camera).text);
}
