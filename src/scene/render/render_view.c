// render_view.c: where a scene is seen from.
// SPDX-License-Identifier: MIT

#include "core/text/error.h"
#include "scene/pose/pose.h"
#include "scene/render/renderer.h"

#include <math.h>

#define FIELD_OF_VIEW 0.5   // Radians: little distortion.
#define MARGIN        1.06  // The box is this part of the picture smaller.
#define NEAR_SHARE    1e-3  // Of the distance to the target.
#define NODE_TIMES    32    // Of a clip, at which nodes are looked at.

static tn_vec3 render_view_vector(const double v[3])
{
    return (tn_vec3){v[0], v[1], v[2]};
}

tenon_view tenon_view_box(const double min[3], const double max[3], double azimuth,
                          double elevation, double aspect)
{
    static const double origin[3];
    tenon_view view = {.field_of_view = FIELD_OF_VIEW};
    bool has_box = min && max && min[0] <= max[0] && min[1] <= max[1] && min[2] <= max[2];
    if (!has_box) min = max = origin;
    double flat = tn_cos(elevation), distance = 0, half[3];
    double to_eye[3] = {tn_sin(azimuth) * flat, tn_sin(elevation), tn_cos(azimuth) * flat};
    tn_vec3 back = render_view_vector(to_eye);
    tn_vec3 right = {tn_cos(azimuth), 0, -tn_sin(azimuth)}, up = tn_vec3_cross(back, right);
    double slope = tn_sin(FIELD_OF_VIEW / 2) / tn_cos(FIELD_OF_VIEW / 2) / MARGIN;
    double across = slope * (aspect > 0 ? aspect : 1);
    for (int k = 0; k < 3; k++) {
        view.target[k] = min[k] / 2 + max[k] / 2;
        half[k] = max[k] / 2 - min[k] / 2;
    }
    for (int corner = 0; corner < 8; corner++) {
        tn_vec3 p = {corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1],
                     corner & 4 ? half[2] : -half[2]};
        double near = tn_vec3_dot(p, back);
        double by_width = near + fabs(tn_vec3_dot(p, right)) / across;
        double by_height = near + fabs(tn_vec3_dot(p, up)) / slope;
        if (by_width > distance) distance = by_width;
        if (by_height > distance) distance = by_height;
    }
    if (!(distance > 0)) distance = 1;
    for (int k = 0; k < 3; k++) view.eye[k] = view.target[k] + distance * to_eye[k];
    // From straight above, the front is at the bottom.
    view.up[0] = up.x, view.up[1] = up.y, view.up[2] = up.z;
    return view;
}

void tn_bounds_add_nodes(tn_bounds *bounds, const tenon_pose *pose)
{
    for (uint32_t i = 0; i < pose->scene->node_count; i++)
        tn_bounds_add(bounds, tenon_pose_global(pose, i) + 12);
}

tenon_view tenon_view_clip(tenon_pose *pose, uint32_t animation, double azimuth, double elevation,
                           double aspect)
{
    tn_bounds bounds = tn_bounds_empty();
    bool has_vertices = false;
    if (!pose) return tenon_view_box(NULL, NULL, azimuth, elevation, aspect);
    if (animation == TENON_NONE) {
        tenon_pose_set(pose, TENON_NONE, 0);
        has_vertices = tenon_pose_bounds(pose, bounds.min, bounds.max);
    } else {
        has_vertices = tenon_pose_clip_bounds(pose, animation, bounds.min, bounds.max);
    }
    if (!has_vertices) {
        bounds = tn_bounds_empty();
        double end = animation == TENON_NONE ? 0 : pose->scene->animations[animation].duration;
        for (int i = 0; i <= NODE_TIMES; i++) {
            tenon_pose_set(pose, animation, end * i / NODE_TIMES);
            tn_bounds_add_nodes(&bounds, pose);
            if (animation == TENON_NONE) break;
        }
    }
    return tenon_view_box(bounds.min, bounds.max, azimuth, elevation, aspect);
}

static bool render_view_is_finite(const tenon_view *view)
{
    double sum = view->field_of_view * 0 + view->height * 0;
    for (int k = 0; k < 3; k++) sum += view->eye[k] * 0 + view->target[k] * 0 + view->up[k] * 0;
    return sum == 0;
}

bool tn_camera_make(tn_camera *camera, const tenon_view *view, uint32_t width, uint32_t height,
                    tenon_error *err)
{
    if (!render_view_is_finite(view))
        return tn_error(err, TENON_ERR_VALUE, "the view is not finite");
    tn_vec3 eye = render_view_vector(view->eye), up = render_view_vector(view->up);
    tn_vec3 to_target = tn_vec3_sub(render_view_vector(view->target), eye);
    if (up.x == 0 && up.y == 0 && up.z == 0) up.y = 1;
    *camera = (tn_camera){.eye = eye, .forward = tn_vec3_normalise(to_target)};
    camera->right = tn_vec3_normalise(tn_vec3_cross(camera->forward, up));
    camera->up = tn_vec3_cross(camera->right, camera->forward);
    if (tn_vec3_length(camera->up) < 0.5)
        return tn_error(err, TENON_ERR_VALUE, "the view has no direction");
    camera->is_parallel = view->field_of_view == 0;
    bool is_wide = !(view->field_of_view > 0 && view->field_of_view < TN_PI);
    if (camera->is_parallel ? !(view->height > 0) : is_wide)
        return tn_error(err, TENON_ERR_VALUE, "the view has no size");
    double half = view->field_of_view / 2;
    camera->scale =
        camera->is_parallel ? height / view->height : height / 2.0 * tn_cos(half) / tn_sin(half);
    camera->near = NEAR_SHARE * tn_vec3_length(to_target);
    camera->middle[0] = width / 2.0;
    camera->middle[1] = height / 2.0;
    return true;
}

tn_eye_vertex tn_to_eye(const tn_camera *camera, const float position[3])
{
    tn_vec3 p = {(double)position[0], (double)position[1], (double)position[2]};
    tn_vec3 v = tn_vec3_sub(p, camera->eye);
    double distance = tn_vec3_dot(v, camera->forward);
    return (tn_eye_vertex){tn_vec3_dot(v, camera->right) * camera->scale,
                           -tn_vec3_dot(v, camera->up) * camera->scale,
                           camera->is_parallel ? 1 : distance, distance};
}

// Rounded to a step. Clipping keeps numbers in range but for rounding, which matters where w is
// tiny.
static int32_t render_view_step(double x, double middle)
{
    double step = floor((x + middle) * TN_SUBPIXELS + 0.5);
    double most = (TN_FARTHEST + middle) * TN_SUBPIXELS;
    if (!(step > -most)) return (int32_t)-most;
    return (int32_t)(step < most ? step : most);
}

tn_screen_vertex tn_to_screen(const tn_camera *camera, const tn_eye_vertex *v)
{
    double w = 1 / v->w;
    return (tn_screen_vertex){render_view_step(v->x * w, camera->middle[0]),
                              render_view_step(v->y * w, camera->middle[1]),
                              (float)(camera->is_parallel ? -v->depth : w), (float)w, 0};
}

bool tenon_view_project(const tenon_view *view, uint32_t width, uint32_t height,
                        const float point[3], double at[2])
{
    tn_camera camera;
    tenon_error ignored;
    if (!view || !point || !at || !tn_camera_make(&camera, view, width, height, &ignored))
        return false;
    tn_eye_vertex v = tn_to_eye(&camera, point);
    if (!camera.is_parallel && !(v.depth >= camera.near)) return false;
    at[0] = camera.middle[0] + v.x / v.w;
    at[1] = camera.middle[1] + v.y / v.w;
    return fabs(at[0]) <= TN_FARTHEST && fabs(at[1]) <= TN_FARTHEST;
}
