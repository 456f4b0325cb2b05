// render_lines.c: lines, points and bones, as triangles of constant width on the screen.
// SPDX-License-Identifier: MIT

#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define BIAS        1e-3   // Of the distance, by which lines on surfaces are nearer.
#define IN_FRONT    1e30f  // The depth of what is in front of everything.
#define BONE_WIDTH  2.5f
#define JOINT_WIDTH 6.0f

// Cut a line where a number that is linear along it becomes negative. False if nothing is left.
static bool lines_cut(tn_eye_vertex *a, tn_eye_vertex *b, double of_a, double of_b)
{
    if (of_a >= 0 && of_b >= 0) return true;
    if (!(of_a >= 0 || of_b >= 0)) return false;
    const tn_eye_vertex *in = of_a >= 0 ? a : b;
    tn_eye_vertex *out = of_a >= 0 ? b : a;
    double inside = of_a >= 0 ? of_a : of_b, outside = of_a >= 0 ? of_b : of_a;
    double t = inside / (inside - outside);
    *out = (tn_eye_vertex){in->x + t * (out->x - in->x), in->y + t * (out->y - in->y),
                           in->w + t * (out->w - in->w), in->depth + t * (out->depth - in->depth)};
    return true;
}

static bool lines_clip(const tn_camera *camera, tn_eye_vertex *a, tn_eye_vertex *b)
{
    static const double sides[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double sum = 0 * a->x + 0 * a->y + 0 * a->depth + 0 * b->x + 0 * b->y + 0 * b->depth;
    if (!(sum >= 0)) return false;  // Not finite.
    if (!camera->is_parallel && !lines_cut(a, b, a->depth - camera->near, b->depth - camera->near))
        return false;
    for (int i = 0; i < 4; i++) {
        double of_a = TN_FARTHEST * a->w + sides[i][0] * a->x + sides[i][1] * a->y;
        double of_b = TN_FARTHEST * b->w + sides[i][0] * b->x + sides[i][1] * b->y;
        if (!lines_cut(a, b, of_a, of_b)) return false;
    }
    return true;
}

// A vertex as it is drawn: nearer, or in front of everything.
static tn_screen_vertex lines_place(const tn_camera *camera, tn_eye_vertex *v, const tn_thin *thin)
{
    if (thin->bias && camera->is_parallel) v->depth -= BIAS * camera->middle[1] / camera->scale;
    tn_screen_vertex out = tn_to_screen(camera, v);
    if (thin->bias && !camera->is_parallel) out.depth *= (float)(1 + BIAS);
    if (thin->is_in_front) out.depth = IN_FRONT;
    out.w = 1;
    return out;
}

// A quadrilateral whose corners are clockwise on the screen, of one color.
static void lines_fill(const tn_drawing *drawing, const tn_screen_vertex corners[4],
                       const tn_thin *thin)
{
    tn_shade shade = {.paint = drawing->renderer->paints,
                      .is_plain = true,
                      .writes_depth = true,
                      .writes_color = true,
                      .plain = {thin->color[0], thin->color[1], thin->color[2], 1}};
    for (int i = 0; i < 2; i++) {
        const tn_screen_vertex three[3] = {corners[0], corners[i + 1], corners[i + 2]};
        drawing->canvas.raster(&drawing->canvas, three, &shade);
    }
}

static tn_screen_vertex lines_moved(tn_screen_vertex v, double dx, double dy)
{
    v.x += (int32_t)floor(dx + 0.5);
    v.y += (int32_t)floor(dy + 0.5);
    return v;
}

void tn_draw_line(const tn_drawing *drawing, const float from[3], const float to[3],
                  const tn_thin *thin)
{
    tn_eye_vertex a = tn_to_eye(drawing->camera, from), b = tn_to_eye(drawing->camera, to);
    if (!lines_clip(drawing->camera, &a, &b)) return;
    tn_screen_vertex v = lines_place(drawing->camera, &a, thin);
    tn_screen_vertex u = lines_place(drawing->camera, &b, thin);
    double dx = (double)u.x - v.x, dy = (double)u.y - v.y, length = sqrt(dx * dx + dy * dy);
    double half = (double)thin->width * TN_SUBPIXELS / 2;
    if (length < 1) dx = 1, dy = 0, length = 1;
    dx *= half / length;
    dy *= half / length;
    const tn_screen_vertex corners[4] = {lines_moved(v, dy, -dx), lines_moved(u, dy, -dx),
                                         lines_moved(u, -dy, dx), lines_moved(v, -dy, dx)};
    lines_fill(drawing, corners, thin);
}

void tn_draw_point(const tn_drawing *drawing, const float at[3], const tn_thin *thin)
{
    tn_eye_vertex a = tn_to_eye(drawing->camera, at), b = a;
    if (!lines_clip(drawing->camera, &a, &b)) return;
    tn_screen_vertex v = lines_place(drawing->camera, &a, thin);
    double half = (double)thin->width * TN_SUBPIXELS / 2;
    // On its corner, as joints are usually shown, if it is in front.
    double flat = thin->is_in_front ? 0 : half;
    const tn_screen_vertex corners[4] = {lines_moved(v, -half, -flat), lines_moved(v, flat, -half),
                                         lines_moved(v, half, flat), lines_moved(v, -flat, half)};
    lines_fill(drawing, corners, thin);
}

// -- Bones

static void lines_joint_place(const tn_drawing *drawing, uint32_t node, float out[3])
{
    const double *m = tenon_pose_global(drawing->pose, node);
    for (int k = 0; k < 3; k++) out[k] = (float)m[12 + k];
}

void tn_draw_bones(const tn_drawing *drawing)
{
    static const tn_thin bone = {
        .color = {0.95f, 0.33f, 0.04f}, .width = BONE_WIDTH, .is_in_front = true};
    static const tn_thin rim = {
        .color = {0.02f, 0.02f, 0.03f}, .width = JOINT_WIDTH + 3, .is_in_front = true};
    static const tn_thin joint = {
        .color = {1.0f, 0.78f, 0.22f}, .width = JOINT_WIDTH, .is_in_front = true};
    const tenon_scene *scene = drawing->renderer->scene;
    float a[3], b[3];
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < scene->node_count; i++) {
            uint32_t parent = scene->nodes[i].parent;
            if (!drawing->is_bone[i]) continue;
            if (!tn_goes_on(drawing->canvas.pulse, 8)) return;
            lines_joint_place(drawing, i, a);
            if (pass == 0 && parent != TENON_NONE && drawing->is_bone[parent]) {
                lines_joint_place(drawing, parent, b);
                tn_draw_line(drawing, b, a, &bone);
            } else if (pass > 0) {
                tn_draw_point(drawing, a, pass == 1 ? &rim : &joint);
            }
        }
}
