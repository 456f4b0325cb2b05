// drawing.c: pictures of models: load one, draw it, write the pixels as a PNG file.
// SPDX-License-Identifier: MIT

#include "pictures/drawing.h"

#include "input/job.h"
#include "input/paths.h"
#include "pictures/drawing_load.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/edit.h>

// -- Loading

static bool drawing_decode_picture(void *user, const uint8_t *bytes, uint64_t size,
                                   tenon_pixels_fn *take, void *take_user)
{
    picture image;
    tenon_error why;
    (void)user;
    if (!picture_decode(bytes, (size_t)size, job_budget(), &image, &why)) return false;
    bool ok = take(take_user, image.pixels, image.width, image.height);
    picture_free(&image, job_budget());
    return ok;
}

static void drawing_report_loss(void *user, const tenon_loss *loss)
{
    drawing *d = user;
    d->losses++;
    if (!d->common->quiet && !d->common->json) report_loss(d->file, loss);
}

// The clip and the time that the options name.
static bool drawing_find_pose(drawing *d, const tenon_scene *scene, const drawing_opts *opts,
                              tenon_error *err)
{
    if (opts->at && !cli_read_decimal(opts->at, strlen(opts->at), &d->seconds)) {
        *err = report_make(TENON_ERR_VALUE, "'%s' is not a time in seconds", opts->at);
        return false;
    }
    if (opts->clip) {
        d->clip = scene_find_clip(scene, opts->clip);
        if (d->clip != TENON_NONE) return true;
        *err = report_make(TENON_ERR_VALUE, "there is no clip '%s'; `tenon info` lists them",
                           opts->clip);
        return false;
    }
    if (!opts->at || d->clip != TENON_NONE) return true;
    if (scene->animation_count == 1) d->clip = 0;
    if (d->clip == 0) return true;
    *err = report_make(TENON_ERR_VALUE,
                       scene->animation_count ? "there are %u clips: select one with '--clip NAME'"
                                              : "there are %u clips, but '--at' needs one",
                       (unsigned)scene->animation_count);
    return false;
}

static bool drawing_prepare(drawing *d, const tenon_scene *scene, const drawing_opts *opts,
                            tenon_error *err)
{
    const tenon_allocator allocator = job_allocator();
    const tenon_renderer_opts loading = {
        .allocator = allocator,
        .events = {.user = d, .on_loss = drawing_report_loss},
        .model_path = d->model_path             ? d->model_path
                      : path_is_stream(d->file) ? NULL
                                                : d->file,
        .files = guard_files(),
        .pictures.decode = drawing_decode_picture,
        .without_textures = opts->without_textures,
    };
    d->scene = scene;
    if (!drawing_find_pose(d, scene, opts, err)) return false;
    d->renderer = tenon_renderer_new(scene, &loading, err);
    d->pose = d->renderer ? tenon_pose_new(scene, &allocator, err) : NULL;
    if (!d->pose) return false;
    d->view = tenon_view_clip(d->pose, d->clip, opts->azimuth, opts->elevation,
                              (double)opts->width / opts->height);
    tenon_pose_set(d->pose, d->clip, d->seconds);
    return true;
}

bool drawing_begin(drawing *d, const cli_common *common, const char *file, const drawing_opts *opts,
                   tenon_error *err)
{
    *d = (drawing){.file = file, .common = common};
    if (!drawing_load(d, opts, err)) return false;
    if (d->font) return true;
    // Z of left-handed files is mirrored on import.
    const tenon_edit_space_opts space = {.turns = d->is_left_handed ? 1 : -1};
    bool ok = !opts->is_z_up || tenon_edit_space(d->loaded.scene, &space, err);
    return ok && drawing_prepare(d, d->loaded.scene, opts, err);
}

bool drawing_begin_scene(drawing *d, const cli_common *common, const char *file,
                         const tenon_scene *scene, const drawing_opts *opts, tenon_error *err)
{
    *d = (drawing){.file = file, .common = common, .clip = TENON_NONE};
    return drawing_prepare(d, scene, opts, err);
}

void drawing_end(drawing *d)
{
    tenon_renderer_free(d->renderer);
    tenon_pose_free(d->pose);
    scene_unload(&d->loaded);
    free(d->model_path);
    *d = (drawing){0};
}

// -- Drawing

// Whether all pixels are the same.
static bool drawing_is_blank(const drawing_opts *opts, const uint8_t *pixels)
{
    size_t size = 4 * (size_t)opts->width * opts->height;
    return memcmp(pixels, pixels + 4, size - 4) == 0;
}

bool drawing_draw(drawing *d, const drawing_opts *opts, uint8_t *pixels, tenon_error *err)
{
    progress line;
    if (d->font) {
        drawing_put_font(d->font, opts, pixels);
        return true;
    }
    tenon_render_opts render = {
        .width = opts->width,
        .height = opts->height,
        .view = d->view,
        .style = opts->style,
        .flags = opts->flags,
        .allocator = job_allocator(),
        .events = progress_begin(&line, d->common, "drawing", d->file),
    };
    memcpy(render.background, opts->background, sizeof render.background);
    bool ok = tenon_render(d->renderer, d->pose, &render, pixels, err);
    // A sheet of triangles that is seen from behind is better than nothing.
    if (ok && !(render.flags & TENON_RENDER_BOTH_SIDES) && drawing_is_blank(opts, pixels)) {
        render.flags |= TENON_RENDER_BOTH_SIDES;
        ok = tenon_render(d->renderer, d->pose, &render, pixels, err);
    }
    progress_end(&line);
    return ok;
}

// -- Pixels and files

uint8_t *pixels_alloc(uint32_t width, uint32_t height, tenon_error *err)
{
    uint64_t size = 4 * (uint64_t)width * height;
    uint8_t *pixels = NULL;
    bool is_allowed = size <= SIZE_MAX && tenon_budget_take(job_budget(), size);
    if (is_allowed) pixels = malloc((size_t)size);
    if (pixels) return pixels;
    if (is_allowed) {
        tenon_budget_give_back(job_budget(), size);
        (void)job_out_of_memory(err);
    } else {
        const tenon_budget *budget = job_budget();
        *err = report_make(TENON_ERR_LIMIT,
                           "a picture of %u x %u pixels needs %" PRIu64
                           " bytes of memory, but the limit is %" PRIu64,
                           (unsigned)width, (unsigned)height, size, budget->memory.limit);
    }
    return NULL;
}

void pixels_free(uint8_t *pixels, uint32_t width, uint32_t height)
{
    if (!pixels) return;
    tenon_budget_give_back(job_budget(), 4 * (uint64_t)width * height);
    free(pixels);
}

typedef struct drawing_file {
    FILE *to;
    uint64_t size;
} drawing_file;

static bool drawing_put(void *user, const void *bytes, size_t size)
{
    drawing_file *file = user;
    file->size += size;
    return out_to_stream(file->to, bytes, size);
}

bool drawing_write(const tenon_png *png, const char *path, bool force, tenon_batch *batch,
                   uint64_t *size, tenon_error *err)
{
    char *bytes = NULL;
    size_t byte_count = 0;
    tenon_png with_budget = *png;
    with_budget.allocator = job_allocator();
    drawing_file file = {.to = out_to_memory(&bytes, &byte_count)};
    if (!file.to) return job_out_of_memory(err);
    bool ok = tenon_write_png(&with_budget, drawing_put, &file, err);
    if (!out_memory_end(file.to, &bytes, &byte_count) && ok) ok = job_out_of_memory(err);
    tenon_write_opts write = {.force = force, .files = guard_output_files(), .batch = batch};
    write.input_count = job_inputs(&write.inputs);
    if (ok && path_is_stream(path))
        (void)out_to_stream(stdout, bytes, byte_count);
    else
        ok = ok && tenon_save(path, bytes, byte_count, &write, err);
    free(bytes);
    *size += file.size;
    return ok;
}

bool drawing_write_canvas(const canvas *drawn, const char *path, bool force, uint64_t *size,
                          tenon_error *err)
{
    const tenon_png png = {
        .width = drawn->width,
        .height = drawn->height,
        .channels = tenon_drop_alpha(drawn->pixels, (uint64_t)drawn->width * drawn->height),
        .pixels = drawn->pixels};
    return drawing_write(&png, path, force, NULL, size, err);
}
