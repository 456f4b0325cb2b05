// gltf_export_cameras.c: cameras and lights.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#define LEAST 1e-6
#define MOST  1e30
#define DEEP  1e6  // Far plane of orthographic cameras that have none.

// -- Planning

// Clamp a value. Returns whether it changed; NaN does.
static bool hold(double *value, double low, double high)
{
    if (*value >= low && *value <= high) return false;
    *value = *value > high ? high : low;
    return true;
}

static tenon_camera gltf_clean_camera(gltf_exporter *w, uint32_t index)
{
    tenon_camera c = w->scene->cameras[index];
    bool is_wrong = hold(&c.field_of_view, LEAST, TN_PI - LEAST);
    is_wrong |= hold(&c.aspect_ratio, 0, MOST);
    is_wrong |= hold(&c.half_width, LEAST, MOST);
    is_wrong |= hold(&c.half_height, LEAST, MOST);
    is_wrong |= hold(&c.near_plane, c.is_orthographic ? 0 : LEAST, MOST);
    // Compared as floats, since they are written as floats.
    bool is_behind = (float)c.far_plane > (float)c.near_plane && c.far_plane <= MOST;
    if (!is_behind) {
        is_wrong |= c.far_plane != 0 || c.is_orthographic;
        c.far_plane = c.is_orthographic ? 2 * c.near_plane + DEEP : 0;
    }
    gltf_report_loss(w, GLTF_LOST_CAMERA_NUMBERS, is_wrong, "cameras", index);
    return c;
}

// Colors above 1 become a higher intensity.
static tenon_light gltf_clean_light(gltf_exporter *w, uint32_t index)
{
    tenon_light l = w->scene->lights[index];
    bool is_wrong = false;
    double most = 1;
    for (int k = 0; k < 3; k++) {
        is_wrong |= hold(&l.color[k], 0, MOST);
        if (l.color[k] > most) most = l.color[k];
    }
    for (int k = 0; k < 3; k++) l.color[k] /= most;
    l.intensity *= most;
    is_wrong |= hold(&l.intensity, 0, MOST);
    is_wrong |= hold(&l.range, 0, MOST);
    is_wrong |= hold(&l.outer_angle, LEAST, TN_PI / 2);
    if (!(l.inner_angle >= 0 && l.inner_angle < l.outer_angle)) {
        is_wrong |= l.kind == TENON_SPOT_LIGHT;
        l.inner_angle = l.inner_angle > 0 ? l.outer_angle * (1 - LEAST) : 0;
    }
    gltf_report_loss(w, GLTF_LOST_LIGHT_NUMBERS, is_wrong, "lights", index);
    return l;
}

void gltf_plan_cameras(gltf_exporter *w)
{
    const tenon_scene *s = w->scene;
    w->camera_of = gltf_alloc_indices(w, s->camera_count);
    w->light_of = gltf_alloc_indices(w, s->light_count);
    w->cameras = gltf_alloc(w, s->camera_count, sizeof *w->cameras);
    w->lights = gltf_alloc(w, s->light_count, sizeof *w->lights);
    for (uint32_t i = 0; i < s->node_count && !w->failed; i++) {
        uint32_t camera = s->nodes[i].camera, light = s->nodes[i].light;
        if (camera != TENON_NONE && w->camera_of[camera] == TENON_NONE) {
            w->camera_of[camera] = w->camera_count;
            w->cameras[w->camera_count++] = gltf_clean_camera(w, camera);
        }
        if (light != TENON_NONE && w->light_of[light] == TENON_NONE) {
            w->light_of[light] = w->light_count;
            w->lights[w->light_count++] = gltf_clean_light(w, light);
        }
    }
    for (uint32_t i = 0; i < s->camera_count && !w->failed; i++)
        gltf_report_loss(w, GLTF_LOST_CAMERAS, w->camera_of[i] == TENON_NONE, "cameras", i);
    for (uint32_t i = 0; i < s->light_count && !w->failed; i++)
        gltf_report_loss(w, GLTF_LOST_LIGHTS, w->light_of[i] == TENON_NONE, "lights", i);
}

// -- Text

// Written as double: as float, an angle could be rounded beyond its limit.
static void gltf_put_angle(gltf_exporter *w, const char *key, double angle)
{
    tn_json_put_key(&w->json, key);
    tn_json_put_f64(&w->json, angle);
}

static void gltf_put_camera(gltf_exporter *w, const tenon_camera *c)
{
    const char *kind = c->is_orthographic ? "orthographic" : "perspective";
    gltf_open_object(w, NULL);
    gltf_put_name(w, c->name);
    tn_json_put_key(&w->json, "type");
    tn_json_put_string(&w->json, kind);
    gltf_open_object(w, kind);
    if (c->is_orthographic) {
        gltf_put_number(w, "xmag", c->half_width);
        gltf_put_number(w, "ymag", c->half_height);
    } else {
        gltf_put_angle(w, "yfov", c->field_of_view);
        if ((float)c->aspect_ratio > 0) gltf_put_number(w, "aspectRatio", c->aspect_ratio);
    }
    gltf_put_number(w, "znear", c->near_plane);
    if (c->far_plane > 0) gltf_put_number(w, "zfar", c->far_plane);
    gltf_close_object(w);
    gltf_close_object(w);
}

void gltf_put_cameras(gltf_exporter *w)
{
    if (!w->camera_count) return;
    gltf_open_array(w, "cameras");
    for (uint32_t i = 0; i < w->camera_count; i++) gltf_put_camera(w, &w->cameras[i]);
    gltf_close_array(w);
}

static void gltf_put_light(gltf_exporter *w, const tenon_light *l)
{
    static const char *const kinds[] = {"directional", "point", "spot"};
    gltf_open_object(w, NULL);
    gltf_put_name(w, l->name);
    tn_json_put_key(&w->json, "type");
    tn_json_put_string(&w->json, kinds[l->kind]);
    if (!gltf_all_equal(l->color, 3, 1)) gltf_put_numbers(w, "color", l->color, 3);
    if (!gltf_all_equal(&l->intensity, 1, 1)) gltf_put_number(w, "intensity", l->intensity);
    bool has_range = l->kind != TENON_DIRECTIONAL_LIGHT && (float)l->range > 0;
    if (has_range) gltf_put_number(w, "range", l->range);
    if (l->kind == TENON_SPOT_LIGHT) {
        gltf_open_object(w, "spot");
        if (l->inner_angle > 0) gltf_put_angle(w, "innerConeAngle", l->inner_angle);
        gltf_put_angle(w, "outerConeAngle", l->outer_angle);
        gltf_close_object(w);
    }
    gltf_close_object(w);
}

void gltf_put_lights(gltf_exporter *w)
{
    if (!w->light_count) return;
    gltf_open_object(w, "extensions");
    gltf_open_object(w, "KHR_lights_punctual");
    gltf_open_array(w, "lights");
    for (uint32_t i = 0; i < w->light_count; i++) gltf_put_light(w, &w->lights[i]);
    gltf_close_array(w);
    gltf_close_object(w);
    gltf_close_object(w);
}
