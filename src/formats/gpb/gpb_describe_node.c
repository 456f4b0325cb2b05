// gpb_describe_node.c: the bytes of scenes, nodes, and what hangs on nodes.
// SPDX-License-Identifier: MIT

#include "gpb_format.h"

#include "../../core/span.h"

static const tenon_element gpb_matrix_element = {"", TENON_TYPE_F32, 16, 0, 0};
const tenon_layout gpb_matrix_layout = {&gpb_matrix_element, 1, 64, NULL, 0, NULL};

static void gpb_doubt_unless(tn_io *io, bool likely)
{
    if (!likely) tn_doubt(io);
}

static void gpb_describe_camera(tn_io *io, gpb_plan *plan, tenon_gpb_camera *camera)
{
    tn_enter(io, "camera");
    gpb_describe_place(io, plan, TENON_GPB_CAMERA, &camera->reference);
    tn_u8(io, "camera_type", &camera->camera_type);
    gpb_doubt_unless(io, camera->camera_type <= 2);
    if (camera->camera_type != 0) {
        tn_f32(io, "aspect_ratio", &camera->aspect_ratio);
        tn_f32(io, "near_plane", &camera->near_plane);
        tn_f32(io, "far_plane", &camera->far_plane);
    }
    if (camera->camera_type == 1) tn_f32(io, "field_of_view", &camera->field_of_view);
    if (camera->camera_type == 2) tn_f32s(io, "magnification", camera->magnification, 2);
    tn_leave(io);
}

// How far a light that stands somewhere reaches: said in two ways while the version was 1.0.
static void gpb_describe_reach(tn_io *io, tenon_gpb_light *light)
{
    bool is_spot = light->light_type == 3;
    if (light->light_type != 2 && !is_spot) return;
    if (tn_has(io, TENON_GPB_LIGHT_ATTENUATION)) {
        tn_f32s(io, "attenuation", light->attenuation, 3);
        if (is_spot) tn_f32(io, "falloff_angle", &light->falloff_angle);
        if (is_spot) tn_f32(io, "falloff_exponent", &light->falloff_exponent);
        return;
    }
    tn_f32(io, "range", &light->range);
    if (is_spot) tn_f32(io, "inner_angle", &light->inner_angle);
    if (is_spot) tn_f32(io, "outer_angle", &light->outer_angle);
}

static void gpb_describe_light(tn_io *io, gpb_plan *plan, tenon_gpb_light *light)
{
    tn_enter(io, "light");
    gpb_describe_place(io, plan, TENON_GPB_LIGHT, &light->reference);
    tn_u8(io, "light_type", &light->light_type);
    gpb_doubt_unless(io, light->light_type <= 3);
    if (light->light_type != 0) tn_f32s(io, "color", light->color, 3);
    gpb_describe_reach(io, light);
    tn_leave(io);
}

// -- Models

static void gpb_describe_parameter(tn_io *io, tenon_gpb_parameter *p)
{
    tn_str32(io, "name", &p->name);
    tn_counted(io, "value", &p->value, &tn_layout_f32);
    tn_u32(io, "type", &p->type);
}

void gpb_describe_material(tn_io *io, tenon_gpb_material *material)
{
    tn_list(io, "parameters", &material->parameters, &material->parameter_count,
            sizeof *material->parameters, 12);
    for (uint32_t i = 0; tn_next(io, i, material->parameter_count); i++)
        gpb_describe_parameter(io, &material->parameters[i]);
    tn_str32(io, "effect", &material->effect);
}

void gpb_describe_effect(tn_io *io, tenon_gpb_effect *effect)
{
    tn_str32(io, "vertex_shader", &effect->vertex_shader);
    tn_str32(io, "fragment_shader", &effect->fragment_shader);
}

static void gpb_describe_skin(tn_io *io, tenon_gpb_skin *skin)
{
    tn_enter(io, "skin");
    tn_f32s(io, "bind_shape", skin->bind_shape, 16);
    if (tn_has(io, TENON_GPB_SKIN_ROOT)) tn_str32(io, "root_joint", &skin->root_joint);
    tn_list(io, "joints", &skin->joints, &skin->joint_count, sizeof *skin->joints, 4);
    for (uint32_t i = 0; tn_next(io, i, skin->joint_count); i++) tn_str32(io, "", &skin->joints[i]);
    tn_u32(io, "bind_pose_count", &skin->bind_pose_count);
    gpb_doubt_unless(io, skin->bind_pose_count == 16 * (uint64_t)skin->joint_count);
    tn_sized_records(io, "bind_poses", &skin->bind_poses, 4 * (uint64_t)skin->bind_pose_count,
                     &gpb_matrix_layout, &skin->leftover);
    if (tn_has(io, TENON_GPB_DOCUMENT)) gpb_describe_bounds(io, &skin->bounds);
    tn_leave(io);
}

static void gpb_describe_materials(tn_io *io, tenon_gpb_model *model)
{
    tn_list(io, "materials", &model->materials, &model->material_count, sizeof *model->materials,
            4);
    for (uint32_t i = 0; tn_next(io, i, model->material_count); i++) {
        if (tn_has(io, TENON_GPB_DOCUMENT))
            gpb_describe_material(io, &model->materials[i]);
        else
            tn_str32(io, "", &model->materials[i].name);
    }
}

static void gpb_describe_model(tn_io *io, tenon_gpb_model *model)
{
    tn_enter(io, "model");
    tn_str32(io, "mesh", &model->mesh);
    if (gpb_has_model(model)) {
        tn_u8(io, "has_skin", &model->has_skin);
        gpb_doubt_unless(io, model->has_skin <= 1);
        if (model->has_skin) gpb_describe_skin(io, &model->skin);
        gpb_describe_materials(io, model);
    }
    tn_leave(io);
}

// -- Nodes

void gpb_describe_node(tn_io *io, gpb_plan *plan, tenon_gpb_node *node)
{
    gpb_describe_place(io, plan, TENON_GPB_NODE, &node->reference);
    tn_u32(io, "node_type", &node->node_type);
    gpb_doubt_unless(io, node->node_type == 1 || node->node_type == 2);
    gpb_doubt_unless(io, node->reference != TENON_NONE);
    tn_f32s(io, "transform", node->transform, 16);
    if (tn_has(io, TENON_GPB_PARENT_ID)) tn_str32(io, "parent_id", &node->parent_id);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, 78);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        gpb_describe_node(io, plan, &node->children[i]);
    gpb_describe_camera(io, plan, &node->camera);
    gpb_describe_light(io, plan, &node->light);
    gpb_describe_model(io, &node->model);
}

void gpb_describe_scene(tn_io *io, gpb_plan *plan, tenon_gpb_scene *scene)
{
    tn_list(io, "nodes", &scene->nodes, &scene->node_count, sizeof *scene->nodes, 78);
    for (uint32_t i = 0; tn_next(io, i, scene->node_count); i++)
        gpb_describe_node(io, plan, &scene->nodes[i]);
    tn_str32(io, "active_camera", &scene->active_camera);
    tn_f32s(io, "ambient_color", scene->ambient_color, 3);
}
