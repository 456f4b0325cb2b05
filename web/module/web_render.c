// web_render.c: a picture of a model.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/render.h>

#define DEGREE    (3.14159265358979323846 / 180)
#define SIDE_MOST 16384

// -- Options

typedef struct web_style {
    const char *name;
    tenon_style style;
} web_style;

static bool web_find_style(tenon_style *style)
{
    static const web_style styles[] = {
        {"shaded", TENON_STYLE_SHADED},
        {"normals", TENON_STYLE_NORMALS},
        {"uv", TENON_STYLE_UV},
        {"colors", TENON_STYLE_COLORS},
        {"wireframe", TENON_STYLE_WIREFRAME},
    };
    const char *wanted = web.options.style;
    *style = TENON_STYLE_SHADED;
    for (size_t i = 0; wanted && i < sizeof styles / sizeof styles[0]; i++) {
        if (strcmp(styles[i].name, wanted) != 0) continue;
        *style = styles[i].style;
        return true;
    }
    return !wanted || web_fail(TENON_ERR_UNSUPPORTED, "there is no such style");
}

static bool web_find_size(const char *message, double given, uint32_t *pixels)
{
    if (!(given >= 0 && given <= SIDE_MOST)) return web_fail(TENON_ERR_VALUE, message);
    *pixels = given >= 1 ? (uint32_t)given : 512;
    return true;
}

static bool web_find_clip(const tenon_scene *scene, uint32_t *clip)
{
    const char *wanted = web.options.clip;
    *clip = TENON_NONE;
    if (!wanted) return true;
    *clip = tenon_find_animation(scene, wanted);
    return *clip != TENON_NONE || web_fail(TENON_ERR_VALUE, "there is no such clip");
}

// -- Drawing

typedef struct web_picture {
    tenon_renderer *renderer;
    tenon_pose *pose;
    uint8_t *pixels;
    web_bytes file;
} web_picture;

// If only backs of triangles are seen, which some materials hide, those are drawn.
static bool web_draw(web_picture *picture, tenon_render_opts *opts)
{
    size_t size = 4 * (size_t)opts->width * opts->height;
    if (!tenon_render(picture->renderer, picture->pose, opts, picture->pixels, &web.err))
        return false;
    bool is_blank = memcmp(picture->pixels, picture->pixels + 4, size - 4) == 0;
    if (!is_blank) return true;
    opts->flags |= TENON_RENDER_BOTH_SIDES;
    return tenon_render(picture->renderer, picture->pose, opts, picture->pixels, &web.err);
}

static bool web_render_scene(const tenon_scene *scene, web_picture *picture)
{
    const web_options *given = &web.options;
    const tenon_allocator allocator = web_allocator();
    const tenon_renderer_opts loading = {.allocator = allocator,
                                         .events = web_events(),
                                         .model_path = given->model,
                                         .without_textures = given->without_textures};
    tenon_render_opts opts = {.allocator = allocator, .events = web_events()};
    uint32_t clip;
    if (!web_find_size("the width is from 1 to 16384 pixels", given->width, &opts.width) ||
        !web_find_size("the height is from 1 to 16384 pixels", given->height, &opts.height) ||
        !web_find_style(&opts.style) || !web_find_clip(scene, &clip))
        return false;
    opts.flags = given->bones ? TENON_RENDER_BONES : 0;
    for (int i = 0; i < 4; i++) opts.background[i] = given->background[i];
    uint64_t size = 4 * (uint64_t)opts.width * opts.height;
    picture->renderer = tenon_renderer_new(scene, &loading, &web.err);
    picture->pose = picture->renderer ? tenon_pose_new(scene, &allocator, &web.err) : NULL;
    if (!picture->pose) return false;
    opts.view = tenon_view_clip(picture->pose, clip, given->azimuth * DEGREE,
                                given->elevation * DEGREE, (double)opts.width / opts.height);
    tenon_pose_set(picture->pose, clip, given->seconds);
    if (!tenon_budget_take(&web.budget, size))
        return web_fail(TENON_ERR_LIMIT, "the picture takes too much memory");
    picture->pixels = malloc((size_t)size);
    if (!picture->pixels) return web_fail(TENON_ERR_MEMORY, "out of memory for a picture");
    if (!web_draw(picture, &opts)) return false;
    const tenon_png png = {.allocator = allocator,
                           .width = opts.width,
                           .height = opts.height,
                           .channels = tenon_drop_alpha(picture->pixels, size / 4),
                           .pixels = picture->pixels};
    return tenon_write_png(&png, web_bytes_add, &picture->file, &web.err);
}

bool web_render(void)
{
    const char *output = web.options.output;
    const tenon_write_opts write = {.force = true};
    web_picture picture = {0};
    tenon_scene *scene = web_load_scene(web.options.model);
    bool ok = scene && web_render_scene(scene, &picture) &&
              tenon_save(output, picture.file.data, picture.file.size, &write, &web.err) &&
              web_add_file(NULL, &(tenon_written_file){.path = output});
    free(picture.file.data);
    free(picture.pixels);
    tenon_renderer_free(picture.renderer);
    tenon_pose_free(picture.pose);
    tenon_scene_free(scene);
    web_json_list(&web.json, "losses", &web.losses);
    web_json_list(&web.json, "files", &web.files);
    return ok;
}
