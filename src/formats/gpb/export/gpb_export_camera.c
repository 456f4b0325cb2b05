// gpb_export_camera.c: exports cameras, lights, and the extras of a scene.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

#define GPB_ASPECT_RATIO (4.0 / 3)
#define GPB_NEAR_PLANE   0.01
#define GPB_FAR_PLANE    1000.0  // Relative to the near plane.
#define GPB_FADED        100.0   // A light ends where it has faded to 1/100.

// -- Cameras and lights

// In a scene, aspect ratio and planes are optional.
void gpb_export_camera(gpb_exporter *exporter, uint32_t node, tenon_gpb_camera *camera)
{
    uint32_t index = exporter->scene->nodes[node].camera;
    if (index == TENON_NONE) return;
    const tenon_camera *from = &exporter->scene->cameras[index];
    bool is_flat = from->is_orthographic;
    bool has_aspect = from->aspect_ratio > 0, has_near = from->near_plane > 0 || is_flat;
    double near_plane = has_near ? from->near_plane : GPB_NEAR_PLANE;
    bool has_far = from->far_plane > near_plane;
    double far_plane = GPB_FAR_PLANE * (near_plane > 0 ? near_plane : 1);
    double aspect = has_aspect ? from->aspect_ratio : GPB_ASPECT_RATIO;
    if (!has_aspect && is_flat && from->half_height > 0 && from->half_width > 0)
        aspect = from->half_width / from->half_height;
    camera->camera_type = is_flat ? 2 : 1;
    camera->aspect_ratio = gpb_export_float(exporter, aspect);
    camera->near_plane = gpb_export_float(exporter, near_plane);
    camera->far_plane = gpb_export_float(exporter, has_far ? from->far_plane : far_plane);
    if (is_flat) {
        camera->magnification[0] = gpb_export_float(exporter, 2 * from->half_width);
        camera->magnification[1] = gpb_export_float(exporter, 2 * from->half_height);
    } else {
        camera->field_of_view = gpb_export_float(exporter, tn_degrees(from->field_of_view));
    }
    gpb_export_count_loss(exporter, GPB_LOSS_CAMERA_NUMBERS, !has_aspect || !has_near || !has_far,
                          "cameras", index);
    camera->reference =
        gpb_export_reference(exporter, &(gpb_id_request){TENON_GPB_CAMERA, from->name, "camera",
                                                         "_Camera", "cameras", index});
}

// In the engine, the intensity is part of the color. The importer finds the same intensity if it is
// above 1 and the color has a component of 1.
void gpb_export_light(gpb_exporter *exporter, uint32_t node, tenon_gpb_light *light)
{
    uint32_t index = exporter->scene->nodes[node].light;
    if (index == TENON_NONE) return;
    const tenon_light *from = &exporter->scene->lights[index];
    bool has_range = from->range > 0 || from->kind == TENON_DIRECTIONAL_LIGHT;
    double faded = sqrt(GPB_FADED * (from->intensity > 0 ? from->intensity : 1));
    double most = 0, brightest = from->color[0];
    for (int k = 0; k < 3; k++) {
        light->color[k] = gpb_export_float(exporter, from->color[k] * from->intensity);
        if (light->color[k] > most) most = light->color[k];
        if (from->color[k] > brightest) brightest = from->color[k];
    }
    bool is_kept = from->intensity == 1 ? brightest <= 1 : most > 1 && brightest == 1;
    gpb_export_count_loss(exporter, GPB_LOSS_INTENSITIES, !is_kept, "lights", index);
    light->light_type = (uint8_t)(from->kind + 1);
    if (from->kind != TENON_DIRECTIONAL_LIGHT)
        light->range = gpb_export_float(exporter, has_range ? from->range : faded);
    if (from->kind == TENON_SPOT_LIGHT) {
        light->inner_angle = gpb_export_float(exporter, from->inner_angle);
        light->outer_angle = gpb_export_float(exporter, from->outer_angle);
    }
    gpb_export_count_loss(exporter, GPB_LOSS_RANGES, !has_range, "lights", index);
    light->reference =
        gpb_export_reference(exporter, &(gpb_id_request){TENON_GPB_LIGHT, from->name, "light",
                                                         "_Light", "lights", index});
}

// -- Extras of the scene

// "0.1/0.2/0.3"
static bool gpb_export_camera_parse_color(tenon_str text, float color[3])
{
    const char *at = text.data, *end = at + text.size;
    for (int k = 0; k < 3; k++) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        if (!slash == (k < 2)) return false;
        if (!tn_f32_parse(at, (size_t)((slash ? slash : end) - at), &color[k])) return false;
        at = slash ? slash + 1 : end;
    }
    return true;
}

// The first node with a camera that has this name; any name if `name` is NULL.
static uint32_t gpb_export_find_camera(const gpb_exporter *exporter, const tenon_str *name)
{
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *n = &exporter->scene->nodes[i];
        if (n->camera != TENON_NONE && (!name || tn_text_equal(n->name, *name))) return i;
    }
    return TENON_NONE;
}

// Count what is used by several nodes or by none.
static void gpb_export_camera_count_uses(gpb_exporter *exporter, bool of_cameras)
{
    const tenon_scene *scene = exporter->scene;
    uint32_t count = of_cameras ? scene->camera_count : scene->light_count;
    const char *list = of_cameras ? "cameras" : "lights";
    uint32_t *uses = gpb_export_alloc(exporter, count, sizeof *uses);
    if (!uses) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t used = of_cameras ? scene->nodes[i].camera : scene->nodes[i].light;
        if (used != TENON_NONE) uses[used]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        gpb_export_count_loss(exporter, of_cameras ? GPB_LOSS_CAMERAS : GPB_LOSS_LIGHTS,
                              uses[i] == 0, list, i);
        gpb_export_count_loss(exporter,
                              of_cameras ? GPB_LOSS_SHARED_CAMERAS : GPB_LOSS_SHARED_LIGHTS,
                              uses[i] > 1, list, i);
    }
}

void gpb_export_scene_extras(gpb_exporter *exporter, tenon_gpb_scene *scene)
{
    static const tenon_str ambient = {"ambient_color", 13}, active = {"active_camera", 13};
    const tenon_str *camera = NULL;
    for (uint32_t i = 0; i < exporter->scene->extra_count; i++) {
        const tenon_extra *extra = &exporter->scene->extras[i];
        bool is_own = extra->of == TENON_EXTRA_OF_SCENE;
        bool is_camera = is_own && tn_text_equal(extra->name, active);
        bool is_color = is_own && tn_text_equal(extra->name, ambient) &&
                        gpb_export_camera_parse_color(extra->value, scene->ambient_color);
        bool is_parameter = exporter->effects && gpb_export_is_parameter(extra);
        if (is_camera) camera = &extra->value;
        gpb_export_count_loss(exporter, GPB_LOSS_EXTRAS, !is_camera && !is_color && !is_parameter,
                              "extras", i);
    }
    // Without a name, the first camera is the active one, as in the encoder.
    uint32_t node = gpb_export_find_camera(exporter, camera);
    if (node == TENON_NONE && camera) node = gpb_export_find_camera(exporter, NULL);
    if (node != TENON_NONE) {
        scene->active_camera = exporter->nodes[node].xref;
        gpb_export_count_loss(exporter, GPB_LOSS_ACTIVE_CAMERA, !camera, "nodes", node);
    }
    gpb_export_camera_count_uses(exporter, true);
    gpb_export_camera_count_uses(exporter, false);
}
