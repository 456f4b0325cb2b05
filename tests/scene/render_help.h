// render_help.h: small scenes made by hand, and their pictures.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_RENDER_HELP_H
#define TENON_TESTS_RENDER_HELP_H

#include <tenon/render.h>

#include "../test.h"
#include "core/compress/crc32.h"

#include <stdlib.h>

// One node with one mesh and one material, seen from +Z: a length of 1 is a pixel of a picture of
// `SIDE` pixels, and (0, 0) is its lower left corner.
enum { SIDE = 64 };

static tenon_error render_err;

static inline tenon_scene *begin_scene(const double base[4], tenon_alpha alpha)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t mesh = tenon_scene_add_mesh(scene, "m");
    uint32_t node = tenon_scene_add_node(scene, "n", TENON_NONE);
    uint32_t material = tenon_scene_add_material(scene, "paint");
    if (mesh == TENON_NONE || node == TENON_NONE || material == TENON_NONE) abort();
    scene->nodes[node].mesh = mesh;
    tenon_material *m = &scene->materials[material];
    memcpy(m->base_color, base, sizeof m->base_color);
    m->alpha = alpha;
    m->is_unlit = true;
    m->double_sided = true;
    return scene;
}

static inline tenon_primitive *add_primitive(tenon_scene *scene, tenon_mode mode,
                                             const float *positions, uint32_t count,
                                             uint32_t streams)
{
    tenon_primitive *p = tenon_scene_add_primitive(scene, 0, count, 0, streams);
    if (!p) abort();
    p->mode = mode;
    p->material = 0;
    memcpy(p->positions, positions, 3 * sizeof(float) * count);
    return p;
}

static inline tenon_render_opts flat_opts(void)
{
    tenon_render_opts opts = {.width = SIDE, .height = SIDE, .samples = 1};
    opts.view.eye[0] = opts.view.target[0] = SIDE / 2.0;
    opts.view.eye[1] = opts.view.target[1] = SIDE / 2.0;
    opts.view.eye[2] = 100;
    opts.view.height = SIDE;
    opts.background[3] = 1;
    return opts;
}

// Draw the rest pose; the pixels are freed by the caller. NULL, with `render_err` set, on failure.
static inline uint8_t *draw_with(const tenon_scene *scene, const tenon_renderer_opts *renderer_opts,
                                 const tenon_render_opts *opts)
{
    size_t size = (size_t)(opts->width ? opts->width : 512) * (opts->height ? opts->height : 512);
    tenon_renderer *renderer = tenon_renderer_new(scene, renderer_opts, &render_err);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    uint8_t *pixels = calloc(size, 4);
    if (!pose || !pixels) abort();
    bool ok = renderer && tenon_render(renderer, pose, opts, pixels, &render_err);
    tenon_renderer_free(renderer);
    tenon_pose_free(pose);
    if (!ok) free(pixels);
    return ok ? pixels : NULL;
}

static inline uint8_t *draw(const tenon_scene *scene, const tenon_render_opts *opts)
{
    uint8_t *pixels = draw_with(scene, NULL, opts);
    if (!pixels) {
        fprintf(stderr, "%s\n", render_err.message);
        abort();
    }
    return pixels;
}

// How many pixels have this red.
static inline uint32_t count_red(const uint8_t *pixels, uint32_t count, uint8_t red)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) found += pixels[4 * (size_t)i] == red;
    return found;
}

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

#endif  // TENON_TESTS_RENDER_HELP_H
