// gpb_check_node.c: checks nodes, cameras, lights, models and skins.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

#define GPB_MATRIX_SLACK    1e-5f
#define GPB_INFLUENCES_MOST 4  // Used by the engine's shaders.
#define GPB_WEIGHT_SLACK    0.01
#define GPB_BLOCK           128  // Vertices checked at once.
// Every device has 128 uniform vectors for vertices. A joint needs three, and the engine's shaders
// need some for matrices, lights and textures.
#define GPB_UNIFORMS       128
#define GPB_OTHER_UNIFORMS 16

// -- Cameras and lights

static void gpb_check_node_camera(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_camera *camera = &checker->index.tree.nodes[node_index].node->camera;
    if (camera->camera_type > 2)
        gpb_check_found(checker, node_index, "camera-type", "camera.camera_type",
                        "camera type %u does not exist", camera->camera_type);
    if (camera->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "camera-unnamed", "camera",
                        "the camera is not in the reference table");
    float near = camera->near_plane, far = camera->far_plane, view = camera->field_of_view;
    const float *size = camera->magnification;
    // The rule for finite numbers reports others.
    if (!tn_all_finite((const float[]){near, far, view, size[0], size[1]}, 5)) return;
    if (far <= near)
        gpb_check_found(checker, node_index, "camera-values", "camera.far_plane",
                        "the far plane is not farther away than the near plane");
    else if (camera->camera_type == 1 && near <= 0)
        gpb_check_found(checker, node_index, "camera-values", "camera.near_plane",
                        "the near plane is not in front of the camera");
    else if (camera->camera_type == 1 && (view <= 0 || view >= 180))
        gpb_check_found(checker, node_index, "camera-values", "camera.field_of_view",
                        "the field of view is not between 0 and 180 degrees");
    else if (camera->camera_type == 2 && (size[0] <= 0 || size[1] <= 0))
        gpb_check_found(checker, node_index, "camera-values", "camera.magnification",
                        "the view of the camera has a width or height of 0");
}

static void gpb_check_node_light(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_light *light = &checker->index.tree.nodes[node_index].node->light;
    bool has_attenuation = (checker->doc->base.dialect->flags & TENON_GPB_LIGHT_ATTENUATION) != 0;
    bool is_spot = light->light_type == 3;
    if (light->light_type > 3)
        gpb_check_found(checker, node_index, "light-type", "light.light_type",
                        "light type %u does not exist", light->light_type);
    if (light->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "camera-unnamed", "light",
                        "the light is not in the reference table");
    float range = light->range, inner = light->inner_angle, outer = light->outer_angle;
    // The rule for finite numbers reports others.
    if (has_attenuation || !tn_all_finite((const float[]){range, inner, outer}, 3)) return;
    if ((light->light_type == 2 || is_spot) && range <= 0)
        gpb_check_found(checker, node_index, "light-values", "light.range",
                        "the range is not greater than 0");
    if (is_spot && (inner < 0 || outer > (float)(TN_PI / 2)))
        gpb_check_found(checker, node_index, "light-values", "light.inner_angle",
                        "the cone angles are not between 0 and 90 degrees");
    else if (is_spot && inner > outer)
        gpb_check_found(checker, node_index, "light-values", "light.inner_angle",
                        "the inner angle is larger than the outer angle");
}

// -- Influences

// Each mesh is examined once, even if several skins use it.
static const gpb_influences *gpb_check_node_examine(const gpb_checker *checker, uint32_t block)
{
    gpb_influences *known = &checker->influences[block];
    const tenon_span *vertices = &checker->doc->blocks[block].body.mesh.vertices;
    const tenon_element *found;
    tenon_element weights = {0}, joints = {0};
    if (known->is_known) return known;
    if (vertices->layout && (found = tn_layout_find(vertices->layout, "weights"))) weights = *found;
    if (vertices->layout && (found = tn_layout_find(vertices->layout, "indices"))) joints = *found;
    *known = (gpb_influences){.is_known = true,
                              .has_both = weights.count && joints.count,
                              .top_index = -1,
                              .invalid_vertex = TENON_ABSENT};
    if (!known->has_both) return known;
    if (weights.count > GPB_INFLUENCES_MOST) weights.count = GPB_INFLUENCES_MOST;
    if (joints.count > GPB_INFLUENCES_MOST) joints.count = GPB_INFLUENCES_MOST;
    for (uint64_t at = 0; at < vertices->count; at += GPB_BLOCK) {
        uint64_t left = vertices->count - at, count = left < GPB_BLOCK ? left : GPB_BLOCK;
        float numbers[4 * GPB_BLOCK];
        // Most blocks have no problem and no larger joint index.
        bool is_plain = weights.count == 4 && joints.count == 4;
        if (is_plain) {
            tn_span_f32(vertices, &joints, at, count, numbers);
            is_plain = tn_joints_are_plain(numbers, 4 * count, (float)known->top_index);
        }
        if (is_plain) {
            tn_span_f32(vertices, &weights, at, count, numbers);
            is_plain = tn_weights_are_plain(numbers, count);
        }
        for (uint64_t v = at; v < at + count && !is_plain; v++) {
            const uint8_t *p = tn_span_record(vertices, v);
            double sum = 0;
            for (uint32_t i = 0; i < weights.count; i++) {
                float weight = tn_load_f32(p + weights.offset + 4 * i, false);
                sum += weight;
                if (i >= joints.count || !(weight != 0)) continue;
                float index = tn_load_f32(p + joints.offset + 4 * i, false);
                if (!(index >= 0) || index != floor(index)) {
                    if (known->invalid_vertex == TENON_ABSENT) known->invalid_vertex = v;
                } else if (index > known->top_index) {
                    known->top_index = index;
                    known->top_vertex = v;
                }
            }
            // The rule for finite numbers reports sums that are not finite.
            if (!isfinite(sum) || fabs(sum - 1) <= GPB_WEIGHT_SLACK) continue;
            if (known->wrong_sum_count++ > 0) continue;
            known->wrong_sum_vertex = v;
            known->wrong_sum = sum;
        }
    }
    return known;
}

static void gpb_check_node_influences(const gpb_checker *checker, uint32_t node_index,
                                      uint32_t block)
{
    tn_check *check = checker->check;
    const tenon_gpb_skin *skin = &checker->index.tree.nodes[node_index].node->model.skin;
    const gpb_influences *known = gpb_check_node_examine(checker, block);
    tn_path_text vertices = tn_path("blocks[%" PRIu32 "].mesh.vertices", block);
    if (!known->has_both) {
        gpb_check_found(checker, node_index, "skin-attributes", "model.skin",
                        "the vertices of the mesh have no weights or no joint indices");
        return;
    }
    if (known->invalid_vertex != TENON_ABSENT)
        tn_found(check, "bone-index",
                 tn_path("%s[%" PRIu64 "]", vertices.text, known->invalid_vertex),
                 "a joint index is negative or not a whole number");
    if (skin->joint_count && known->top_index >= skin->joint_count)
        tn_found(check, "bone-index", tn_path("%s[%" PRIu64 "]", vertices.text, known->top_vertex),
                 "a joint index is %s, but the skin has %" PRIu32 " joints",
                 gpb_check_number(known->top_index).text, skin->joint_count);
    if (known->wrong_sum_count)
        tn_found(check, "weight-sum",
                 tn_path("%s[%" PRIu64 "]", vertices.text, known->wrong_sum_vertex),
                 "the weights of %" PRIu64 " vertices do not sum to 1; the sum of the first is %s",
                 known->wrong_sum_count, gpb_check_number(known->wrong_sum).text);
}

// -- Models

static void gpb_check_node_skin(const gpb_checker *checker, uint32_t node_index)
{
    tn_check *check = checker->check;
    const tenon_gpb_skin *skin = &checker->index.tree.nodes[node_index].node->model.skin;
    uint64_t needed = 16 * (uint64_t)skin->joint_count;
    uint64_t vectors = 3 * (uint64_t)skin->joint_count;
    if (skin->joint_count == 0)
        gpb_check_found(checker, node_index, "skin-empty", "model.skin.joints",
                        "the skin has no joints");
    if (skin->bind_pose_count != needed)
        gpb_check_found(checker, node_index, "bind-pose-count", "model.skin.bind_pose_count",
                        "%" PRIu32 " joints need %" PRIu64 " numbers, but there are %" PRIu32,
                        skin->joint_count, needed, skin->bind_pose_count);
    if (vectors > GPB_UNIFORMS - GPB_OTHER_UNIFORMS)
        gpb_check_found(checker, node_index, "engine-palette", "model.skin.joints",
                        "%" PRIu32 " joints need %" PRIu64
                        " uniform vectors, but some devices have only %d",
                        skin->joint_count, vectors, GPB_UNIFORMS);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        uint32_t joint =
            gpb_index_find_node(&checker->index, gpb_index_xref_id(checker->doc, skin->joints[i]));
        if (joint != TENON_NONE && checker->index.tree.nodes[joint].node->node_type != 1) continue;
        tn_path_text path =
            gpb_check_node_path(checker, node_index, tn_path("model.skin.joints[%" PRIu32 "]", i));
        if (joint == TENON_NONE)
            gpb_check_missing(checker, path, skin->joints[i], TENON_GPB_NODE);
        else
            tn_found(check, "joint-type", path, "'%s' is a node, not a joint",
                     gpb_check_show(skin->joints[i]).text);
    }
}

static void gpb_check_node_model(const gpb_checker *checker, uint32_t node_index)
{
    const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
    uint32_t block = gpb_index_find_mesh_block(&checker->index, model->mesh);
    if (block == TENON_NONE)
        gpb_check_missing(checker, gpb_check_node_path(checker, node_index, tn_path("model.mesh")),
                          model->mesh, TENON_GPB_MESH);
    if (model->has_skin) gpb_check_node_skin(checker, node_index);
    if (model->has_skin && block != TENON_NONE)
        gpb_check_node_influences(checker, node_index, block);
    for (uint32_t i = 0; i < model->material_count; i++)
        if (model->materials[i].effect.size)
            gpb_check_effect(checker,
                             gpb_check_node_path(checker, node_index,
                                                 tn_path("model.materials[%" PRIu32 "].effect", i)),
                             model->materials[i].effect);
    if (block == TENON_NONE || model->material_count == 0) return;  // Old encoders wrote none.
    uint32_t parts = checker->doc->blocks[block].body.mesh.part_count;
    if (model->material_count != parts)
        gpb_check_found(checker, node_index, "material-count", "model.materials",
                        "the model has %" PRIu32 " materials, but its mesh has %" PRIu32 " parts",
                        model->material_count, parts);
}

// -- Nodes

// What is wrong with the matrix of a node; NULL if nothing is.
static const char *gpb_check_node_matrix_fault(const float *m)
{
    if (!tn_all_finite(m, 16)) return NULL;  // The rule for finite numbers reports this.
    tn_mat4 matrix = tn_mat4_from_columns(m);
    tn_trs trs;
    uint32_t flags = tn_mat4_decompose(&matrix, &trs);
    bool is_affine = fabsf(m[3]) <= GPB_MATRIX_SLACK && fabsf(m[7]) <= GPB_MATRIX_SLACK &&
                     fabsf(m[11]) <= GPB_MATRIX_SLACK && fabsf(m[15] - 1) <= GPB_MATRIX_SLACK;
    if (!is_affine) return "the last row of the matrix is not 0, 0, 0, 1";
    if (flags & TN_TRS_DEGENERATE) return "the matrix has a scale of 0";
    if (flags & TN_TRS_SHEARED) return "the matrix has shear";
    return flags & TN_TRS_MIRRORED ? "the matrix mirrors the node" : NULL;
}

void gpb_check_node(const gpb_checker *checker, uint32_t node_index)
{
    uint32_t flags = checker->doc->base.dialect->flags;
    const gpb_tree_node *at = &checker->index.tree.nodes[node_index];
    const tenon_gpb_node *node = at->node;
    if (node->reference == TENON_NONE)
        gpb_check_found(checker, node_index, "node-unnamed", "",
                        "the node is not in the reference table");
    if (node->node_type != 1 && node->node_type != 2)
        gpb_check_found(checker, node_index, "node-type", "node_type",
                        "node type %" PRIu32 " does not exist", node->node_type);
    const char *fault = gpb_check_node_matrix_fault(node->transform);
    if (fault) gpb_check_found(checker, node_index, "node-matrix", "transform", "%s", fault);
    tenon_str parent = {"", 0};
    if (at->parent != TENON_NONE)
        parent =
            gpb_index_id_of(checker->doc, checker->index.tree.nodes[at->parent].node->reference);
    if (flags & TENON_GPB_PARENT_ID && !tn_text_equal(parent, node->parent_id))
        gpb_check_found(checker, node_index, "parent-id", "parent_id",
                        "the node names '%s' as its parent, but its parent is '%s'",
                        gpb_check_show(node->parent_id).text, gpb_check_show(parent).text);
    if (node->camera.camera_type) gpb_check_node_camera(checker, node_index);
    if (node->light.light_type) gpb_check_node_light(checker, node_index);
    const tenon_str *mesh = &node->model.mesh;
    if (gpb_has_model(flags, &node->model))
        gpb_check_node_model(checker, node_index);
    else if (mesh->size > 1 || (mesh->size == 1 && mesh->data[0] != '#'))
        gpb_check_found(checker, node_index, "model-name", "model.mesh",
                        "'%s' does not start with '#'", gpb_check_show(*mesh).text);
}
