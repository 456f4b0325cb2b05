// render_texture.c: load the textures of a scene, make smaller ones, and look up colors.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/error.h"
#include "core/text/tally.h"
#include "scene/pictures/pixels.h"
#include "scene/render/renderer.h"

#include <math.h>
#include <string.h>

#define FILE_SIZE_MAX   ((uint64_t)1 << 30)
#define DEFAULT_SIZE    2048
#define PIXELS_PER_STEP 4

typedef struct texture_loader {
    tenon_renderer *renderer;
    const tenon_renderer_opts *opts;
    tenon_error *err;
    const tenon_image *image;
    tn_texture *texture;
    bool is_done;
} texture_loader;

// -- Smaller ones

// The mean of four pixels in linear light; transparent ones have no color.
static void render_texture_mix(const tn_color_tables *tables, const uint8_t *const from[4],
                               uint8_t out[4])
{
    if (from[0][3] + from[1][3] + from[2][3] + from[3][3] == 4 * 255) {
        // The same numbers with less work.
        for (int k = 0; k < 3; k++) {
            float mean = tables->quarters[from[0][k]] + tables->quarters[from[1][k]] +
                         tables->quarters[from[2][k]] + tables->quarters[from[3][k]];
            out[k] = tables->encoded[(uint32_t)(mean * 65535.0f + 0.5f)];
        }
        out[3] = 255;
        return;
    }
    float sum[3] = {0, 0, 0};
    uint32_t alpha = 0;
    for (int i = 0; i < 4; i++) alpha += from[i][3];
    for (int i = 0; i < 4; i++) {
        float weight = alpha ? (float)from[i][3] / (float)alpha : 0.25f;
        for (int k = 0; k < 3; k++) sum[k] += tables->linear[from[i][k]] * weight;
    }
    for (int k = 0; k < 3; k++) {
        uint32_t value = (uint32_t)(sum[k] * 65535.0f + 0.5f);
        out[k] = tables->encoded[value < 65535 ? value : 65535];
    }
    out[3] = (uint8_t)((alpha + 2) / 4);
}

// Half the size, which may be written over the pixels themselves.
static void render_texture_halve(const tn_color_tables *tables, const uint8_t *from, uint32_t width,
                                 uint32_t height, uint8_t *to)
{
    uint32_t across = width > 1 ? width / 2 : 1, down = height > 1 ? height / 2 : 1;
    for (uint32_t y = 0; y < down; y++) {
        size_t above = (size_t)(2 * y) * width, below = height > 1 ? above + width : above;
        for (uint32_t x = 0; x < across; x++, to += 4) {
            uint32_t left = 2 * x, right = width > 1 ? left + 1 : left;
            const uint8_t *const four[4] = {from + 4 * (above + left), from + 4 * (above + right),
                                            from + 4 * (below + left), from + 4 * (below + right)};
            uint8_t mixed[4];
            render_texture_mix(tables, four, mixed);
            memcpy(to, mixed, 4);
        }
    }
}

// Keep a picture of four channels, made smaller than the limit, with all smaller ones. The pixels
// are used for it.
static bool render_texture_keep(texture_loader *loader, uint8_t *pixels, uint32_t width,
                                uint32_t height)
{
    tenon_renderer *renderer = loader->renderer;
    tn_texture *t = loader->texture;
    uint32_t most = loader->opts->texture_size ? loader->opts->texture_size : DEFAULT_SIZE;
    uint64_t total = 0;
    if (loader->image->flip_y)
        tn_pixels_flip(
            &(tn_pixels){.width = width, .height = height, .channels = 4, .data = pixels});
    uint64_t steps = (uint64_t)width * height / PIXELS_PER_STEP;
    if (!tn_budget_work(renderer->arena.allocator.budget, steps)) return false;
    for (; width > most || height > most;
         width = width > 1 ? width / 2 : 1, height = height > 1 ? height / 2 : 1)
        render_texture_halve(&renderer->tables, pixels, width, height, pixels);
    uint32_t level_count = 0;
    for (uint32_t w = width, h = height; level_count < TN_LEVELS_MOST;) {
        t->widths[level_count] = w;
        t->heights[level_count++] = h;
        total += (uint64_t)w * h * 4;
        if (w == 1 && h == 1) break;
        w = w > 1 ? w / 2 : 1;
        h = h > 1 ? h / 2 : 1;
    }
    uint8_t *room = tn_arena_alloc_or_fail(&renderer->arena, total, 1, "a texture", loader->err);
    if (!room) return false;
    memcpy(room, pixels, (size_t)width * height * 4);
    t->levels[0] = room;
    for (uint32_t i = 1; i < level_count; i++) {
        const uint8_t *before = t->levels[i - 1];
        t->levels[i] = t->levels[i - 1] + (size_t)t->widths[i - 1] * t->heights[i - 1] * 4;
        render_texture_halve(&renderer->tables, before, t->widths[i - 1], t->heights[i - 1],
                             t->levels[i]);
    }
    t->level_count = level_count;
    loader->is_done = true;
    return true;
}

// -- Loading

// Called by the decoder of the caller, whose pixels must not change.
static bool render_texture_take(void *user, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    texture_loader *loader = user;
    const tenon_allocator *allocator = &loader->renderer->arena.allocator;
    if (loader->is_done || width == 0 || height == 0 || width > TN_PIXELS_MOST / height)
        return false;
    size_t size = (size_t)width * height * 4;
    uint8_t *copy = tn_block_alloc(allocator, size);
    if (!copy) return tn_error(loader->err, TENON_ERR_MEMORY, "out of memory for a texture");
    memcpy(copy, pixels, size);
    bool ok = render_texture_keep(loader, copy, width, height);
    tn_block_free(allocator, copy, size);
    return ok;
}

// From the bytes of a picture's file. Why it cannot be drawn, or NULL.
static const char *render_texture_decode(texture_loader *loader, const uint8_t *bytes,
                                         uint64_t size)
{
    const tenon_pictures *pictures = &loader->opts->pictures;
    const tenon_allocator *allocator = &loader->renderer->arena.allocator;
    tn_picture kind = tn_picture_kind(bytes, size);
    tenon_error err = {0};
    if (kind == TN_PICTURE_UNKNOWN || kind == TN_PICTURE_JPEG || kind == TN_PICTURE_WEBP) {
        if (pictures->decode)
            (void)pictures->decode(pictures->user, bytes, size, render_texture_take, loader);
        return loader->is_done ? NULL : "the picture cannot be decoded";
    }
    tn_pixels pixels;
    if (!tn_pixels_decode_whole(bytes, size, allocator, &pixels, &err)) {
        if (tn_is_outage(&err)) *loader->err = err;
        return "the picture is damaged or too large";
    }
    (void)render_texture_keep(loader, pixels.data, pixels.width, pixels.height);
    tn_pixels_free(&pixels);
    return NULL;
}

// Why it cannot be drawn, or NULL.
static const char *render_texture_load(texture_loader *loader)
{
    const tenon_image *image = loader->image;
    const tenon_renderer_opts *opts = loader->opts;
    char path[TN_PATH_SIZE] = "";
    tenon_file_info info = {0};
    tenon_bytes bytes;
    tenon_error err = {0};
    if (image->data) return render_texture_decode(loader, image->data, image->size);
    const tn_search search = {opts->files, opts->model_path, path, TN_PATH_SIZE, &err, &info};
    if (!opts->model_path || !image->path.size) return "the picture file is not known";
    tn_place place = tn_find_sidecar(&search, image->path);
    const tenon_read_opts read = {
        .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
    bool is_found = place == TN_PLACE_FOUND && info.kind == TENON_FILE_REGULAR &&
                    info.size <= FILE_SIZE_MAX && tenon_load(path, &read, &bytes, &err);
    if (tn_is_outage(&err)) *loader->err = err;
    if (!is_found) return "the picture file does not exist";
    const char *fault = render_texture_decode(loader, bytes.data, bytes.size);
    tenon_unload(&bytes);
    return fault;
}

bool tn_textures_load(tenon_renderer *renderer, const tenon_renderer_opts *opts, tenon_error *err)
{
    const tenon_scene *scene = renderer->scene;
    for (uint32_t i = 0; i <= scene->material_count && err->code == TENON_OK; i++) {
        const tn_paint *paint = &renderer->paints[i];
        const tn_texture *used[2] = {paint->color.texture, paint->glow.texture};
        for (int k = 0; k < 2 && err->code == TENON_OK; k++) {
            if (!used[k]) continue;
            uint32_t index = (uint32_t)(used[k] - renderer->textures);
            tn_texture *texture = &renderer->textures[index];
            if (texture->level_count || texture->widths[0]) continue;
            texture->widths[0] = 1;  // It was tried.
            texture_loader loader = {renderer, opts, err, &scene->images[index], texture, false};
            const char *fault = render_texture_load(&loader);
            if (!fault || err->code != TENON_OK || !opts->events.on_loss) continue;
            const tenon_image *image = loader.image;
            opts->events.on_loss(
                opts->events.user,
                &(tenon_loss){.kind = TENON_DROPPED,
                              .feature = "textures",
                              .why = fault,
                              .count = 1,
                              .path = image->path.size ? image->path.data : image->name.data});
        }
    }
    return err->code == TENON_OK;
}

// -- Looking up colors

// A pixel within a row or column of `size`.
static uint32_t render_texture_wrap(int32_t at, uint32_t size, tenon_wrap wrap)
{
    int32_t count = (int32_t)size;
    if (at >= 0 && at < count) return (uint32_t)at;
    if (wrap == TENON_CLAMP) return at < 0 ? 0 : at >= count ? size - 1 : (uint32_t)at;
    int32_t period = wrap == TENON_MIRROR ? 2 * count : count, in = at % period;
    if (in < 0) in += period;
    return (uint32_t)(in < count ? in : period - 1 - in);
}

// To where whole numbers cannot overflow: repeated textures are the same there.
static float render_texture_reduce(float uv, tenon_wrap wrap)
{
    if (wrap == TENON_CLAMP) return uv > -1 ? uv < 2 ? uv : 2 : -1;
    if (uv >= 0 && uv < 2) return uv;
    if (!(fabs((double)uv) < 1e6)) return 0;
    return (float)((double)uv - 2 * floor((double)uv / 2));
}

static void render_texture_look_up(const tn_texture *t, const tn_color_tables *tables,
                                   const tenon_wrap wrap[2], const float uv[2], uint32_t level,
                                   float out[4])
{
    uint32_t width = t->widths[level], height = t->heights[level];
    float x = uv[0] * (float)width - 0.5f, y = uv[1] * (float)height - 0.5f;
    // Both are in range, so that this is floor().
    int32_t left = (int32_t)x, top = (int32_t)y;
    left -= (float)left > x;
    top -= (float)top > y;
    float right_share = x - (float)left, low_share = y - (float)top;
    uint32_t xs[2], ys[2];
    for (int32_t i = 0; i < 2; i++) {
        xs[i] = render_texture_wrap(left + i, width, wrap[0]);
        ys[i] = render_texture_wrap(top + i, height, wrap[1]);
    }
    for (int k = 0; k < 4; k++) out[k] = 0;
    for (uint32_t i = 0; i < 4; i++) {
        float share = (i & 1 ? right_share : 1 - right_share) * (i & 2 ? low_share : 1 - low_share);
        const uint8_t *p = t->levels[level] + 4 * ((size_t)ys[i >> 1] * width + xs[i & 1]);
        for (int k = 0; k < 3; k++) out[k] += tables->linear[p[k]] * share;
        out[3] += (float)p[3] * share;
    }
    out[3] /= 255;
}

void tn_texture_sample(const tn_texture *t, const tn_color_tables *tables, const tenon_wrap wrap[2],
                       const float uv[2], float level, float out[4])
{
    float last = (float)(t->level_count - 1), fine[4], reduced[2];
    for (int k = 0; k < 2; k++) reduced[k] = render_texture_reduce(uv[k], wrap[k]);
    if (!(level > 0)) level = 0;
    if (level > last) level = last;
    uint32_t whole = (uint32_t)level;
    float share = level - (float)whole;
    render_texture_look_up(t, tables, wrap, reduced, whole, fine);
    for (int k = 0; k < 4; k++) out[k] = fine[k];
    if (share < 0.01f || whole + 1 >= t->level_count) return;
    render_texture_look_up(t, tables, wrap, reduced, whole + 1, out);
    for (int k = 0; k < 4; k++) out[k] = fine[k] + (out[k] - fine[k]) * share;
}
