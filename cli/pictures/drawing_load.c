// drawing_load.c: what is drawn of a file: its scene, an animation with its model, or a font.
// SPDX-License-Identifier: MIT

#include "pictures/drawing_load.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>
#include <tenon/edit.h>

#define MARGIN_PARTS 24  // One of these parts of a side is left free beside a sheet of glyphs.

// -- Animations

// "hero_arm.bbmod" or "hero.bbmod" beside "hero_arm_wave.bbanim".
static bool drawing_load_find_model(const char *file, char path[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    const char *name = path_base_name(file);
    for (size_t size = path_stem_size(name); size > 0; size--) {
        tenon_file_info info;
        if (name[size] != '_') continue;
        int used =
            snprintf(path, PATH_SIZE, "%.*s.bbmod", (int)(name - file + (ptrdiff_t)size), file);
        if (used > 0 && used < PATH_SIZE && files->look(files->user, path, &info) == 0) return true;
    }
    return false;
}

// A BBMOD animation, which is in `d->loaded.model`, with its model.
static bool drawing_load_bbanim(drawing *d, const drawing_opts *opts, tenon_error *err)
{
    char beside[PATH_SIZE];
    const char *path = opts->model;
    if (!path && drawing_load_find_model(d->file, beside)) path = beside;
    if (!path) {
        *err = report_make(TENON_ERR_UNSUPPORTED,
                           "an animation has no skeleton: name its model with '--model'");
        return false;
    }
    model with;
    cli_common reading = *d->common;
    reading.from = (cli_format){0};
    if (!model_read(&with, &reading, path, err)) return false;
    const tenon_bbmod *of = tenon_as_bbmod(with.doc);
    const tenon_doc *animation = d->loaded.model.doc;
    bool fits = of && tenon_bbanim_fits(tenon_as_bbanim(d->loaded.model.doc), of);
    const tenon_companion companion = {animation, "clip"};
    const tenon_scene_opts scene_opts = {.allocator = job_allocator(),
                                         .model_path = path,
                                         .files = guard_files(),
                                         .companions = &companion,
                                         .companion_count = 1};
    if (!fits)
        *err = report_make(TENON_ERR_VALUE, "it is not an animation of '%s'", path);
    else
        d->loaded.scene = tenon_to_scene(with.doc, &scene_opts, err);
    model_free(&with);
    if (!d->loaded.scene) return false;
    d->is_left_handed = true;
    d->model_path = text_copy(path, strlen(path));
    if (!d->model_path) return job_out_of_memory(err);
    if (d->loaded.scene->animation_count == 1) d->clip = 0;
    return true;
}

// Give the clips of the scene to that of the model.
static bool drawing_load_model(drawing *d, const drawing_opts *opts, tenon_error *err)
{
    loaded_scene with;
    cli_common reading = *d->common;
    reading.from = (cli_format){0};
    if (!scene_load(&with, &reading, opts->model, err)) return false;
    bool ok = tenon_edit_add_clips(with.scene, d->loaded.scene, NULL, err);
    if (ok && d->loaded.scene->animation_count > 0)
        d->clip = tenon_find_animation(with.scene, d->loaded.scene->animations[0].name.data);
    d->is_left_handed = (with.model.doc->format->caps & TENON_LEFT_HANDED) != 0;
    tenon_scene *scene = with.scene;
    with.scene = NULL;
    scene_unload(&with);
    tenon_scene_free(d->loaded.scene);
    d->loaded.scene = scene;
    d->model_path = text_copy(opts->model, strlen(opts->model));
    return ok && (d->model_path || job_out_of_memory(err));
}

// -- Fonts

// The largest size of the first font, if the bundle has nothing else.
static const tenon_gpb_font_size *drawing_load_find_font(tenon_doc *doc)
{
    const tenon_gpb *gpb = tenon_as_gpb(doc);
    const tenon_gpb_font_size *found = NULL;
    for (uint32_t i = 0; gpb && i < gpb->block_count; i++) {
        if (gpb->blocks[i].kind != TENON_GPB_FONT) return NULL;
        const tenon_gpb_font *font = &gpb->blocks[i].body.font;
        for (uint32_t k = 0; k < font->size_count; k++) {
            const tenon_gpb_font_size *size = &font->sizes[k];
            uint64_t texels = (uint64_t)size->width * size->height;
            bool has_texels = texels > 0 && texels <= size->texels.size;
            if (has_texels && (!found || size->size > found->size)) found = size;
        }
    }
    return found;
}

// The mean of a rectangle of texels, 0 to 255.
static uint32_t drawing_font_mean(const tenon_gpb_font_size *font, const uint32_t from[2],
                                  const uint32_t end[2])
{
    const uint8_t *texels = font->texels.data;
    uint64_t sum = 0, count = 0;
    for (uint32_t y = from[1]; y < end[1]; y++)
        for (uint32_t x = from[0]; x < end[0]; x++, count++)
            sum += texels[(size_t)y * font->width + x];
    uint32_t mean = count ? (uint32_t)(sum / count) : 0;
    if (font->format == 0) return mean;
    // Distances from the outline, which is at 128.
    return mean < 112 ? 0 : mean > 144 ? 255 : (mean - 112) * 255 / 32;
}

void drawing_put_font(const tenon_gpb_font_size *font, const drawing_opts *opts, uint8_t *pixels)
{
    // Rows at the end are often empty. Glyphs begin at the edge of the sheet, so that it gets a
    // margin.
    uint32_t rows = font->height, room[2] = {opts->width, opts->height};
    for (int k = 0; k < 2; k++) room[k] -= 2 * (room[k] / MARGIN_PARTS);
    uint32_t largest = room[0];
    const uint8_t *texels = font->texels.data;
    for (bool is_empty = true; rows > 1 && is_empty;) {
        for (uint32_t x = 0; x < font->width && is_empty; x++)
            is_empty = texels[(size_t)(rows - 1) * font->width + x] == 0;
        if (is_empty) rows--;
    }
    uint64_t by_height = (uint64_t)room[1] * font->width / rows;
    if (by_height < largest) largest = by_height ? (uint32_t)by_height : 1;
    uint32_t width = largest, height = (uint32_t)((uint64_t)largest * rows / font->width);
    if (height == 0) height = 1;
    uint32_t left = (opts->width - width) / 2, top = (opts->height - height) / 2;
    uint8_t back[4], ink[3] = {24, 27, 32};
    for (int k = 0; k < 4; k++) back[k] = (uint8_t)(opts->background[k] * 255 + 0.5);
    if (back[3] > 127 && back[0] + back[1] + back[2] < 300) memset(ink, 235, sizeof ink);
    for (uint32_t y = 0; y < opts->height; y++)
        for (uint32_t x = 0; x < opts->width; x++) {
            uint8_t *to = pixels + 4 * ((size_t)y * opts->width + x);
            uint32_t cover = 0;
            if (x >= left && x - left < width && y >= top && y - top < height) {
                uint32_t at[2] = {x - left, y - top}, from[2], end[2];
                const uint32_t size[2] = {font->width, rows}, wanted[2] = {width, height};
                for (int k = 0; k < 2; k++) {
                    from[k] = (uint32_t)((uint64_t)at[k] * size[k] / wanted[k]);
                    end[k] = (uint32_t)(((uint64_t)at[k] + 1) * size[k] / wanted[k]);
                    if (end[k] <= from[k]) end[k] = from[k] + 1;
                }
                cover = drawing_font_mean(font, from, end);
            }
            // Over the background, whose colors are not multiplied by its alpha.
            uint32_t below = back[3] * (255 - cover) / 255, alpha = cover + below;
            for (int k = 0; k < 3; k++)
                to[k] = (uint8_t)(alpha ? (ink[k] * cover + back[k] * below) / alpha : 0);
            to[3] = (uint8_t)alpha;
        }
}

// -- Files

bool drawing_load(drawing *d, const drawing_opts *opts, tenon_error *err)
{
    model source;
    d->clip = TENON_NONE;
    if (!model_read(&source, d->common, d->file, err)) return false;
    d->loaded.model = source;
    d->font = drawing_load_find_font(source.doc);
    if (d->font) return true;
    if (tenon_as_bbanim(source.doc)) return drawing_load_bbanim(d, opts, err);
    const scene_load_opts load = {.without_animations = !opts->clip && !opts->at && !opts->model};
    bool ok = scene_from_model(&d->loaded, d->common, &source, &load, err);
    d->loaded.model = source;
    d->is_left_handed = (source.doc->format->caps & TENON_LEFT_HANDED) != 0;
    return ok && (!opts->model || drawing_load_model(d, opts, err));
}
