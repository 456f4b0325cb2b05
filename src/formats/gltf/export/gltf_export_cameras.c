// gltf_export_cameras.c: cameras and lights.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#define LEAST 1e-6
#define MOST  1e30
#define DEEP  1e6  // Far plane of orthographic cameras that have none.

// -- Planning

// Clamp a value. Returns whether it changed; NaN does.
static bool clamp(double *value, double low, double high)
{
    if (*value >= low && *value <= high) return false;
    *value = *value > high ? high : low;
    return true;
}

static tenon_camera gltf_clean_camera(gltf_exporter *exporter, uint32_t index)
{
    tenon_camera c = exporter->scene->cameras[index];
    bool is_wrong = clamp(&c.field_of_view, LEAST, TN_PI - LEAST);
    is_wrong |= clamp(&c.aspect_ratio, 0, MOST);
    is_wrong |= clamp(&c.half_width, LEAST, MOST);
    is_wrong |= clamp(&c.half_height, LEAST, MOST);
    is_wrong |= clamp(&c.near_plane, c.is_orthographic ? 0 : LEAST, MOST);
    // Compared as floats, since they are written as floats.
    bool is_behind = (float)c.far_plane > (float)c.near_plane && c.far_plane <= MOST;
    if (!is_behind) {
        is_wrong |= c.far_plane != 0 || c.is_orthographic;
        c.far_plane = c.is_orthographic ? 2 * c.near_plane + DEEP : 0;
    }
    gltf_report_loss(exporter, GLTF_LOST_CAMERA_NUMBERS, is_wrong, "cameras", index);
    return c;
}

// Colors above 1 become a higher intensity.
static tenon_light gltf_clean_light(gltf_exporter *exporter, uint32_t index)
{
    tenon_light l = exporter->scene->lights[index];
    bool is_wrong = false;
    double most = 1;
    for (int k = 0; k < 3; k++) {
        is_wrong |= clamp(&l.color[k], 0, MOST);
        if (l.color[k] > most) most = l.color[k];
    }
    for (int k = 0; k < 3; k++) l.color[k] /= most;
    l.intensity *= most;
    is_wrong |= clamp(&l.intensity, 0, MOST);
    is_wrong |= clamp(&l.range, 0, MOST);
    is_wrong |= clamp(&l.outer_angle, LEAST, TN_PI / 2);
    if (!(l.inner_angle >= 0 && l.inner_angle < l.outer_angle)) {
        is_wrong |= l.kind == TENON_SPOT_LIGHT;
        l.inner_angle = l.inner_angle > 0 ? l.outer_angle * (1 - LEAST) : 0;
    }
    gltf_report_loss(exporter, GLTF_LOST_LIGHT_NUMBERS, is_wrong, "lights", index);
    return l;
}

void gltf_plan_cameras(gltf_exporter *exporter)
{
    const tenon_scene *s = exporter->scene;
    exporter->camera_of = gltf_alloc_indices(exporter, s->camera_count);
    exporter->light_of = gltf_alloc_indices(exporter, s->light_count);
    exporter->cameras = gltf_alloc(exporter, s->camera_count, sizeof *exporter->cameras);
    exporter->lights = gltf_alloc(exporter, s->light_count, sizeof *exporter->lights);
    for (uint32_t i = 0; i < s->node_count && !exporter->failed; i++) {
        uint32_t camera = s->nodes[i].camera, light = s->nodes[i].light;
        if (camera != TENON_NONE && exporter->camera_of[camera] == TENON_NONE) {
            exporter->camera_of[camera] = exporter->camera_count;
            exporter->cameras[exporter->camera_count++] = gltf_clean_camera(exporter, camera);
        }
        if (light != TENON_NONE && exporter->light_of[light] == TENON_NONE) {
            exporter->light_of[light] = exporter->light_count;
            exporter->lights[exporter->light_count++] = gltf_clean_light(exporter, light);
        }
    }
    for (uint32_t i = 0; i < s->camera_count && !exporter->failed; i++)
        gltf_report_loss(exporter, GLTF_LOST_CAMERAS, exporter->camera_of[i] == TENON_NONE,
                         "cameras", i);
    for (uint32_t i = 0; i < s->light_count && !exporter->failed; i++)
        gltf_report_loss(exporter, GLTF_LOST_LIGHTS, exporter->light_of[i] == TENON_NONE, "lights",
                         i);
}

// -- Text

// Written as double: as float, an angle could be rounded beyond its limit.
static void gltf_write_angle(gltf_exporter *exporter, const char *key, double angle)
{
    tn_json_put_key(&exporter->json, key);
    tn_json_put_f64(&exporter->json, angle);
}

static void gltf_write_camera(gltf_exporter *exporter, const tenon_camera *c)
{
    const char *kind = c->is_orthographic ? "orthographic" : "perspective";
    gltf_begin_object(exporter, NULL);
    gltf_write_name(exporter, c->name);
    tn_json_put_key(&exporter->json, "type");
    tn_json_put_string(&exporter->json, kind);
    gltf_begin_object(exporter, kind);
    if (c->is_orthographic) {
        gltf_write_number(exporter, "xmag", c->half_width);
        gltf_write_number(exporter, "ymag", c->half_height);
    } else {
        gltf_write_angle(exporter, "yfov", c->field_of_view);
        if ((float)c->aspect_ratio > 0) gltf_write_number(exporter, "aspectRatio", c->aspect_ratio);
    }
    gltf_write_number(exporter, "znear", c->near_plane);
    if (c->far_plane > 0) gltf_write_number(exporter, "zfar", c->far_plane);
    gltf_end_object(exporter);
    gltf_end_object(exporter);
}

void gltf_write_cameras(gltf_exporter *exporter)
{
    if (!exporter->camera_count) return;
    gltf_begin_array(exporter, "cameras");
    for (uint32_t i = 0; i < exporter->camera_count; i++)
        gltf_write_camera(exporter, &exporter->cameras[i]);
    gltf_end_array(exporter);
}

static void gltf_write_light(gltf_exporter *exporter, const tenon_light *l)
{
    static const char *const kinds[] = {"directional", "point", "spot"};
    gltf_begin_object(exporter, NULL);
    gltf_write_name(exporter, l->name);
    tn_json_put_key(&exporter->json, "type");
    tn_json_put_string(&exporter->json, kinds[l->kind]);
    if (!gltf_all_equal(l->color, 3, 1)) gltf_write_numbers(exporter, "color", l->color, 3);
    if (!gltf_all_equal(&l->intensity, 1, 1))
        gltf_write_number(exporter, "intensity", l->intensity);
    bool has_range = l->kind != TENON_DIRECTIONAL_LIGHT && (float)l->range > 0;
    if (has_range) gltf_write_number(exporter, "range", l->range);
    if (l->kind == TENON_SPOT_LIGHT) {
        gltf_begin_object(exporter, "spot");
        if (l->inner_angle > 0) gltf_write_angle(exporter, "innerConeAngle", l->inner_angle);
        gltf_write_angle(exporter, "outerConeAngle", l->outer_angle);
        gltf_end_object(exporter);
    }
    gltf_end_object(exporter);
}

void gltf_write_lights(gltf_exporter *exporter)
{
    if (!exporter->light_count) return;
    gltf_begin_object(exporter, "extensions");
    gltf_begin_object(exporter, "KHR_lights_punctual");
    gltf_begin_array(exporter, "lights");
    for (uint32_t i = 0; i < exporter->light_count; i++)
        gltf_write_light(exporter, &exporter->lights[i]);
    gltf_end_array(exporter);
    gltf_end_object(exporter);
    gltf_end_object(exporter);
}
