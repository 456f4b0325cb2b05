// gltf_export_cameras.c: cameras and lights.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#define LEAST 1e-6
#define MOST  1e30
#define DEEP  1e6  // Far plane of orthographic cameras that have none.

// -- Planning

static tenon_camera gltf_export_clean_camera(gltf_exporter *exporter, uint32_t index)
{
    tenon_camera camera = exporter->scene->cameras[index];
    bool is_orthographic = camera.is_orthographic;
    uint64_t wrong = gltf_export_clamp(&camera.field_of_view, 1, LEAST, TN_PI - LEAST);
    wrong += gltf_export_clamp(&camera.aspect_ratio, 1, 0, MOST);
    wrong += gltf_export_clamp(&camera.half_width, 1, LEAST, MOST);
    wrong += gltf_export_clamp(&camera.half_height, 1, LEAST, MOST);
    wrong += gltf_export_clamp(&camera.near_plane, 1, is_orthographic ? 0 : LEAST, MOST);
    // Compared as floats, since they are written as floats.
    if (!((float)camera.far_plane > (float)camera.near_plane && camera.far_plane <= MOST)) {
        wrong += camera.far_plane != 0 || is_orthographic;
        camera.far_plane = is_orthographic ? 2 * camera.near_plane + DEEP : 0;
    }
    tn_tally_at(&exporter->losses[LOST_CAMERA_NUMBERS], wrong > 0, "cameras", index);
    return camera;
}

// Colors above 1 become a higher intensity.
static tenon_light gltf_export_cameras_clean_light(gltf_exporter *exporter, uint32_t index)
{
    tenon_light light = exporter->scene->lights[index];
    uint64_t wrong = gltf_export_clamp(light.color, 3, 0, MOST);
    double most = 1;
    for (int k = 0; k < 3; k++) most = light.color[k] > most ? light.color[k] : most;
    for (int k = 0; k < 3; k++) light.color[k] /= most;
    light.intensity *= most;
    wrong += gltf_export_clamp(&light.intensity, 1, 0, MOST);
    wrong += gltf_export_clamp(&light.range, 1, 0, MOST);
    wrong += gltf_export_clamp(&light.outer_angle, 1, LEAST, TN_PI / 2);
    if (!(light.inner_angle >= 0 && light.inner_angle < light.outer_angle)) {
        wrong += light.kind == TENON_SPOT_LIGHT;
        light.inner_angle = light.inner_angle > 0 ? light.outer_angle * (1 - LEAST) : 0;
    }
    tn_tally_at(&exporter->losses[LOST_LIGHT_NUMBERS], wrong > 0, "lights", index);
    return light;
}

void gltf_export_plan_cameras(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint32_t *camera_of = gltf_export_alloc_indices(exporter, scene->camera_count);
    uint32_t *light_of = gltf_export_alloc_indices(exporter, scene->light_count);
    exporter->camera_of = camera_of;
    exporter->light_of = light_of;
    exporter->cameras = gltf_export_alloc(exporter, scene->camera_count, sizeof *exporter->cameras);
    exporter->lights = gltf_export_alloc(exporter, scene->light_count, sizeof *exporter->lights);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t camera = scene->nodes[i].camera, light = scene->nodes[i].light;
        if (camera != TENON_NONE && camera_of[camera] == TENON_NONE) {
            camera_of[camera] = exporter->camera_count;
            exporter->cameras[exporter->camera_count++] =
                gltf_export_clean_camera(exporter, camera);
        }
        if (light != TENON_NONE && light_of[light] == TENON_NONE) {
            light_of[light] = exporter->light_count;
            exporter->lights[exporter->light_count++] =
                gltf_export_cameras_clean_light(exporter, light);
        }
    }
    for (uint32_t i = 0; i < scene->camera_count; i++) {
        // What only another scene of the file uses is copied with it.
        bool is_kept = camera_of[i] == TENON_NONE &&
                       gltf_export_kept_object(exporter, LIST_CAMERAS, scene->cameras[i].origin);
        if (is_kept) {
            camera_of[i] = exporter->camera_count;
            exporter->cameras[exporter->camera_count++] = gltf_export_clean_camera(exporter, i);
        }
        tn_tally_at(&exporter->losses[LOST_CAMERAS], camera_of[i] == TENON_NONE, "cameras", i);
    }
    for (uint32_t i = 0; i < scene->light_count; i++) {
        bool is_kept = light_of[i] == TENON_NONE &&
                       gltf_export_kept_object(exporter, LIST_LIGHTS, scene->lights[i].origin);
        if (is_kept) {
            light_of[i] = exporter->light_count;
            exporter->lights[exporter->light_count++] =
                gltf_export_cameras_clean_light(exporter, i);
        }
        tn_tally_at(&exporter->losses[LOST_LIGHTS], light_of[i] == TENON_NONE, "lights", i);
    }
}

// -- Text

// Written as double: as float, an angle could be rounded beyond its limit.
static void gltf_export_cameras_angle(gltf_exporter *exporter, const char *key, double angle)
{
    tn_json_put_key(&exporter->json, key);
    tn_json_put_f64(&exporter->json, angle);
}

void gltf_export_write_camera(gltf_exporter *exporter, uint32_t index)
{
    const tenon_camera *camera = &exporter->cameras[index];
    const char *kind = camera->is_orthographic ? "orthographic" : "perspective";
    gltf_export_name(exporter, camera->name);
    gltf_export_string(exporter, "type", kind);
    gltf_export_begin_object(exporter, kind);
    if (camera->is_orthographic) {
        gltf_export_number(exporter, "xmag", camera->half_width);
        gltf_export_number(exporter, "ymag", camera->half_height);
    } else {
        gltf_export_cameras_angle(exporter, "yfov", camera->field_of_view);
        if ((float)camera->aspect_ratio > 0)
            gltf_export_number(exporter, "aspectRatio", camera->aspect_ratio);
    }
    gltf_export_number(exporter, "znear", camera->near_plane);
    if (camera->far_plane > 0) gltf_export_number(exporter, "zfar", camera->far_plane);
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_CAMERAS, camera->origin);
    gltf_export_kept_members(exporter, tn_json_tree_get(from, kind));
    gltf_export_end_object(exporter);
    gltf_export_kept_members(exporter, from);
}

void gltf_export_write_light(gltf_exporter *exporter, uint32_t index)
{
    static const char *const kinds[] = {"directional", "point", "spot"};
    const tenon_light *light = &exporter->lights[index];
    gltf_export_name(exporter, light->name);
    gltf_export_string(exporter, "type", kinds[light->kind]);
    gltf_export_numbers_unless(exporter, 1, "color", light->color, 3);
    gltf_export_numbers_unless(exporter, 1, "intensity", &light->intensity, 1);
    if (light->kind != TENON_DIRECTIONAL_LIGHT && (float)light->range > 0)
        gltf_export_number(exporter, "range", light->range);
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_LIGHTS, light->origin);
    if (light->kind != TENON_SPOT_LIGHT) {
        gltf_export_kept_members(exporter, from);
        return;
    }
    gltf_export_begin_object(exporter, "spot");
    if (light->inner_angle > 0)
        gltf_export_cameras_angle(exporter, "innerConeAngle", light->inner_angle);
    gltf_export_cameras_angle(exporter, "outerConeAngle", light->outer_angle);
    gltf_export_kept_members(exporter, tn_json_tree_get(from, "spot"));
    gltf_export_end_object(exporter);
    gltf_export_kept_members(exporter, from);
}
