// compare_picture.c: two models side by side, and how far they are apart.
// SPDX-License-Identifier: MIT

#include "pictures/compare_picture.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

#define GAP         8
#define LARGE_PANEL 400   // From that width on, texts are twice as large.
#define LEAST_SHARE 1e-4  // Of the diagonal: what is nearer than that has the first colors.

static const uint8_t ink[4] = {40, 44, 52, 255}, paper[4] = {226, 229, 233, 255};

// The view that shows both, with all of their clips.
static void compare_find_view(drawing *a, drawing *b, const drawing_opts *opts, double *diagonal)
{
    drawing *both[2] = {a, b};
    double min[3] = {0}, max[3] = {0};
    bool has_any = false;
    for (int i = 0; i < 2; i++) {
        drawing *d = both[i];
        double low[3], high[3];
        bool has_vertices = d->clip == TENON_NONE
                                ? tenon_pose_bounds(d->pose, low, high)
                                : tenon_pose_clip_bounds(d->pose, d->clip, low, high);
        tenon_pose_set(d->pose, d->clip, d->seconds);
        for (int k = 0; k < 3 && has_vertices; k++) {
            if (!has_any || low[k] < min[k]) min[k] = low[k];
            if (!has_any || high[k] > max[k]) max[k] = high[k];
        }
        has_any |= has_vertices;
    }
    *diagonal = 0;
    for (int k = 0; k < 3; k++) *diagonal += (max[k] - min[k]) * (max[k] - min[k]);
    *diagonal = sqrt(*diagonal);
    if (has_any)
        a->view = tenon_view_box(min, max, opts->azimuth, opts->elevation,
                                 (double)opts->width / opts->height);
    b->view = a->view;
}

// The colors of the scale, with its ends.
static void compare_put_scale(const canvas *to, int64_t x, int64_t y, uint32_t width,
                              uint32_t scale, double most, double diagonal)
{
    char text[64];
    uint32_t height = 8 * scale, room = 24 * scale, bar = width / 3;
    label_draw(to, x, y, room, "0", scale, ink);
    x += label_width("0", scale) + 4 * (int64_t)scale;
    for (uint32_t i = 0; i < bar; i++) {
        uint8_t color[4] = {0, 0, 0, 255};
        tenon_distance_color(bar > 1 ? i / (bar - 1.0) : 0, color);
        canvas_fill(to, x + i, y + 2 * (int64_t)scale, 1, height, color);
    }
    x += bar + 4 * (int64_t)scale;
    (void)snprintf(text, sizeof text, "%.2g m, %.2g %%", most,
                   diagonal > 0 ? 100 * most / diagonal : 0);
    label_draw(to, x, y, width - bar - room, text, scale, ink);
}

// The third panel. The cell gets the pixels.
static bool compare_draw_distances(const drawing *a, const drawing *b, const drawing_opts *opts,
                                   compare_result *result, double *most, uint8_t *cell,
                                   tenon_error *err)
{
    const drawing *both[2] = {a, b};
    const char *clips[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        if (both[i]->clip != TENON_NONE)
            clips[i] = both[i]->scene->animations[both[i]->clip].name.data;
    tenon_distance_opts distances = {.allocator = job_allocator(),
                                     .a_clip = clips[0],
                                     .b_clip = clips[1],
                                     .seconds = a->seconds};
    const tenon_scene *scene_a = a->scene, *scene_b = b->scene;
    tenon_scene *scene = tenon_distance_scene(scene_a, scene_b, &distances, &result->largest, err);
    *most = LEAST_SHARE * result->diagonal;
    if (scene && result->largest < *most) {
        // What rounding makes is not worth a color.
        tenon_scene_free(scene);
        distances.most = *most;
        scene = tenon_distance_scene(scene_a, scene_b, &distances, NULL, err);
    } else {
        *most = result->largest;
    }
    drawing_opts plain = *opts;
    plain.clip = plain.at = NULL;
    plain.style = TENON_STYLE_SHADED;
    plain.flags &= TENON_RENDER_EDGES;
    drawing d = {0};
    bool ok = scene && drawing_begin_scene(&d, a->common, a->file, scene, &plain, err);
    d.view = a->view;
    ok = ok && drawing_draw(&d, &plain, cell, err);
    drawing_end(&d);
    tenon_scene_free(scene);
    return ok;
}

bool compare_draw(drawing *a, drawing *b, const drawing_opts *opts, canvas *picture,
                  compare_result *result, tenon_error *err)
{
    *picture = (canvas){0};
    *result = (compare_result){0};
    if (a->font || b->font) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "fonts cannot be compared");
        return false;
    }
    uint32_t scale = opts->width >= LARGE_PANEL ? 2 : 1, text = LABEL_ROWS * scale + GAP;
    picture->width = 3 * opts->width + 4 * GAP;
    picture->height = opts->height + 2 * GAP + text;
    picture->pixels = pixels_alloc(picture->width, picture->height, err);
    uint8_t *cell = picture->pixels ? pixels_alloc(opts->width, opts->height, err) : NULL;
    const canvas panel = {cell, opts->width, opts->height};
    drawing *both[2] = {a, b};
    double most = 0;
    bool ok = cell != NULL;
    int64_t x = GAP, below = GAP + opts->height + GAP / 2;
    if (ok) {
        canvas_fill(picture, 0, 0, picture->width, picture->height, paper);
        compare_find_view(a, b, opts, &result->diagonal);
    }
    for (int i = 0; i < 2 && ok; i++, x += opts->width + GAP) {
        ok = drawing_draw(both[i], opts, cell, err);
        if (ok) canvas_copy(picture, x, GAP, &panel);
        label_draw(picture, x, below, opts->width, path_base_name(report_name(both[i]->file)),
                   scale, ink);
    }
    ok = ok && compare_draw_distances(a, b, opts, result, &most, cell, err);
    if (ok) {
        canvas_copy(picture, x, GAP, &panel);
        compare_put_scale(picture, x, below, opts->width, scale, most, result->diagonal);
    }
    pixels_free(cell, opts->width, opts->height);
    if (ok) return true;
    pixels_free(picture->pixels, picture->width, picture->height);
    *picture = (canvas){0};
    return false;
}
