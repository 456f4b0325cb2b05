// fbx_import_attributes.c: cameras and lights.
// SPDX-License-Identifier: MIT
//
// Cameras look along +X of their models, lights along -Y; in scenes both look along -Z.

#include "formats/fbx/import/fbx_import.h"

#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define INCH 25.4  // Millimeters.

// The node for a camera or light: that of the model, which turns, unless others depend on it.
static uint32_t fbx_import_attributes_node(fbx_importer *importer, uint32_t index, tn_quat aim)
{
    tn_scene_builder *builder = importer->builder;
    fbx_model *model = &importer->models[index];
    if (importer->is_mirrored) aim = (tn_quat){-aim.x, -aim.y, aim.z, aim.w};
    uint32_t node = model->scaled;
    bool is_free = !model->has_children && model->scaled == model->node &&
                   builder->scene->nodes[node].mesh == TENON_NONE;
    if (!is_free) node = tn_add_node(builder, builder->scene->nodes[node].name, node);
    if (builder->failed) return TENON_NONE;
    if (is_free) model->aim = aim;
    tenon_node *n = &builder->scene->nodes[node];
    tn_quat turn = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    turn = tn_quat_mul(turn, aim);
    memcpy(n->rotation, &turn, sizeof n->rotation);
    return node;
}

// A property or, before version 6, a field.
static double fbx_import_attributes_number(const fbx_object *object, const char *property,
                                           const char *field, double fallback)
{
    double number = fbx_number(fbx_child(object->node, field), 0, fallback);
    return fbx_import_property_number(object, property, number - number == 0 ? number : fallback);
}

static double fbx_import_attributes_tangent(double degrees)
{
    double half = tn_radians(degrees) / 2;
    return tn_sin(half) / tn_cos(half);
}

// The full angle whose half has that tangent.
static double fbx_import_attributes_angle(double tangent)
{
    return 2 * tn_atan2(tangent, 1);
}

static bool fbx_import_attributes_is_angle(double degrees)
{
    return degrees > 0.01 && degrees < 179;
}

static void fbx_import_attributes_camera(fbx_importer *importer, uint32_t model, uint32_t object)
{
    tn_scene_builder *builder = importer->builder;
    const fbx_object *from = &importer->objects[object];
    const double half = 0x1.6a09e667f3bcdp-1;
    uint32_t node = fbx_import_attributes_node(importer, model, (tn_quat){0, -half, 0, half});
    tenon_str name = from->name;
    if (!name.size) name = importer->objects[importer->models[model].object].name;
    uint32_t index = tn_add_camera(builder, name);
    if (builder->failed) return;
    builder->scene->nodes[node].camera = index;
    tenon_camera *to = &builder->scene->cameras[index];
    double width = fbx_import_attributes_number(from, "AspectWidth", "AspectW", 0);
    double height = fbx_import_attributes_number(from, "AspectHeight", "AspectH", 0);
    const tenon_fbx_node *film = fbx_child(from->node, "CameraAperture");
    double film_width = fbx_import_property_number(from, "FilmWidth", fbx_number(film, 0, 0));
    double film_height = fbx_import_property_number(from, "FilmHeight", fbx_number(film, 1, 0));
    double aspect = film_width > 0 && film_height > 0 ? film_width / film_height : 0;
    if (width > 0 && height > 0) aspect = width / height;
    double mode = fbx_import_attributes_number(from, "ApertureMode", "ApertureMode", 2);
    double angle =
        fbx_import_attributes_number(from, "FieldOfView", "Aperture", 25.114999771118164);
    double angle_y = fbx_import_property_number(from, "FieldOfViewY", angle);
    double focal = fbx_import_attributes_number(from, "FocalLength", "FocalLength", 0);
    double ratio = aspect > 0 ? aspect : 1;
    double tangent = fbx_import_attributes_tangent(40);
    if (mode == 3 && focal > 0 && film_height > 0)
        tangent = film_height * INCH / (2 * focal);
    else if (mode == 1 && fbx_import_attributes_is_angle(angle))
        tangent = fbx_import_attributes_tangent(angle) / ratio;
    else if (mode == 0 && fbx_import_attributes_is_angle(angle_y))
        tangent = fbx_import_attributes_tangent(angle_y);
    else if (fbx_import_attributes_is_angle(angle))
        tangent = fbx_import_attributes_tangent(angle);
    to->field_of_view = fbx_import_attributes_angle(tangent);
    to->aspect_ratio = aspect > 1e-3 && aspect < 1e3 ? aspect : 0;
    to->is_orthographic = fbx_import_property_number(from, "CameraProjectionType", 0) == 1;
    // Programs disagree about the unit of the zoom.
    double zoom = fbx_import_property_number(from, "OrthoZoom", 1);
    double width_seen = importer->is_blender ? zoom : 30 * zoom * importer->unit;
    if (!(width_seen > 0 && width_seen < 1e12)) width_seen = 1;
    to->half_width = width_seen / 2;
    to->half_height = width_seen / 2 / ratio;
    double near_plane =
        fbx_import_attributes_number(from, "NearPlane", "NearPlane", 10) * importer->unit;
    double far_plane =
        fbx_import_attributes_number(from, "FarPlane", "FarPlane", 4000) * importer->unit;
    to->near_plane = near_plane > 0 ? near_plane : 0.01;
    to->far_plane = far_plane > to->near_plane ? far_plane : 0;
}

static void fbx_import_attributes_light(fbx_importer *importer, uint32_t model, uint32_t object)
{
    tn_scene_builder *builder = importer->builder;
    const fbx_object *from = &importer->objects[object];
    double type = fbx_import_attributes_number(from, "LightType", "LightType", 0);
    fbx_import_count(importer, FBX_UNREAD_LIGHTS, type > 2, importer->models[model].object);
    if (type > 2) return;
    const double half = 0x1.6a09e667f3bcdp-1;
    uint32_t node = fbx_import_attributes_node(importer, model, (tn_quat){-half, 0, 0, half});
    tenon_str name = from->name;
    if (!name.size) name = importer->objects[importer->models[model].object].name;
    uint32_t index = tn_add_light(builder, name);
    if (builder->failed) return;
    builder->scene->nodes[node].light = index;
    tenon_light *to = &builder->scene->lights[index];
    double color[3];
    for (uint32_t k = 0; k < 3; k++)
        color[k] = fbx_import_finite(fbx_number(fbx_child(from->node, "Color"), k, 1));
    (void)fbx_import_property_vec3(from, "Color", color);
    for (int k = 0; k < 3; k++) to->color[k] = fmin(1, fmax(0, color[k]));
    to->kind = type == 1   ? TENON_DIRECTIONAL_LIGHT
               : type == 2 ? TENON_SPOT_LIGHT
                           : TENON_POINT_LIGHT;
    double intensity = fbx_import_attributes_number(from, "Intensity", "Intensity", 100) / 100;
    to->intensity = intensity > 0 ? intensity : 0;
    double outer = fbx_import_property_number(
        from, "OuterAngle", fbx_import_attributes_number(from, "Cone angle", "ConeAngle", 45));
    double inner = fbx_import_property_number(
        from, "InnerAngle", fbx_import_attributes_number(from, "HotSpot", "HotSpot", 0));
    outer = fmin(179, fmax(0.1, outer));
    to->outer_angle = tn_radians(outer) / 2;
    to->inner_angle = tn_radians(fmin(fmax(0, inner), outer * 0.999)) / 2;
}

void fbx_import_attributes(fbx_importer *importer)
{
    for (uint32_t i = 0; i < importer->model_count && !importer->builder->failed; i++) {
        uint32_t object = fbx_import_child_of(importer, importer->models[i].object, FBX_ATTRIBUTE);
        if (object == TENON_NONE) continue;
        tenon_str type = importer->objects[object].type;
        if (tn_text_is(type, "Camera")) fbx_import_attributes_camera(importer, i, object);
        if (tn_text_is(type, "Light")) fbx_import_attributes_light(importer, i, object);
    }
}
