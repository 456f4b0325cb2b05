// fbx_import_joined.c: one picture of two: metalness and roughness, or color and opacity.
// SPDX-License-Identifier: MIT
//
// Scenes have roughness in green and metalness in blue, and opacity in the alpha of the color.
// Programs have a gray picture for each, of which red is taken; for opacity alpha, if it has that.
// What is missing is white, so that the number of the material counts.

#include "formats/fbx/import/fbx_import_materials.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "scene/pictures/pixels.h"

#include <stdio.h>
#include <string.h>

#define FILE_MOST ((uint64_t)1 << 30)

// -- Reading

static bool fbx_import_joined_decode(fbx_importer *importer, const void *bytes, uint64_t size,
                                     tn_pixels *out)
{
    tn_scene_builder *builder = importer->builder;
    tenon_error err = {0};
    if (tn_pixels_decode(bytes, size, &builder->opts->allocator, out, &err)) {
        uint64_t count = (uint64_t)out->width * out->height;
        bool is_small = count <= importer->pixels_left;
        importer->pixels_left -= is_small ? count : 0;
        if (is_small && tn_goes_on(&builder->pulse, (uint32_t)(count / 16))) return true;
        tn_pixels_free(out);
    } else if (tn_is_outage(&err)) {
        *builder->err = err;
        builder->failed = true;
    }
    return false;
}

// The pixels of an image of the scene. False if it is not there, cannot be decoded, or the import
// failed.
static bool fbx_import_joined_read(fbx_importer *importer, uint32_t index, tn_pixels *out)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_scene_opts *opts = builder->opts;
    const tenon_image *image = &builder->scene->images[index];
    if (image->data) return fbx_import_joined_decode(importer, image->data, image->size, out);
    char path[4096];
    tenon_error err = {0};
    tenon_file_info info = {0};
    const tn_search search = {opts->files ? opts->files : tenon_system_files(),
                              opts->model_path,
                              path,
                              sizeof path,
                              &err,
                              &info};
    bool is_there = opts->model_path && image->path.size &&
                    tn_find_sidecar(&search, image->path) == TN_PLACE_FOUND &&
                    info.kind == TENON_FILE_REGULAR && info.size <= FILE_MOST;
    const tenon_read_opts read = {
        .allocator = opts->allocator, .files = search.files, .beside = opts->model_path};
    tenon_bytes bytes = {0};
    bool is_loaded = is_there && tenon_load(path, &read, &bytes, &err);
    if (tn_is_outage(&err)) {
        *builder->err = err;
        builder->failed = true;
    }
    bool is_read = is_loaded && fbx_import_joined_decode(importer, bytes.data, bytes.size, out);
    if (is_loaded) tenon_unload(&bytes);
    return is_read;
}

// -- Writing

typedef struct png_bytes {
    tn_scene_builder *builder;
    tn_arena *arena;
    uint8_t *data;
    uint64_t size, room;
} png_bytes;

static bool fbx_import_joined_put(void *user, const void *bytes, size_t size)
{
    png_bytes *png = user;
    if (size > png->room - png->size) {
        uint64_t room = 2 * png->room + size + 4096;
        uint8_t *longer = tn_scene_alloc(png->builder, png->arena, room, 1);
        if (!longer) return false;
        if (png->size) memcpy(longer, png->data, (size_t)png->size);
        png->data = longer;
        png->room = room;
    }
    memcpy(png->data + png->size, bytes, size);
    png->size += size;
    return true;
}

// -- Both together

// The pixel of a picture at a place of a larger one.
static const uint8_t *fbx_import_joined_pixel(const tn_pixels *from, const tn_pixels *to,
                                              uint32_t x, uint32_t y)
{
    static const uint8_t white[4] = {255, 255, 255, 255};
    if (!from->data) return white;
    uint64_t column = (uint64_t)x * from->width / to->width;
    uint64_t row = (uint64_t)y * from->height / to->height;
    return from->data + (row * from->width + column) * from->channels;
}

// Fill `to`, which has the size of the larger picture. A picture without data is white.
static bool fbx_import_joined_fill(fbx_importer *importer, tn_arena *arena,
                                   const tn_pixels pictures[2], fbx_join join, tn_pixels *to)
{
    for (int i = 0; i < 2; i++) {
        if (pictures[i].width > to->width) to->width = pictures[i].width;
        if (pictures[i].height > to->height) to->height = pictures[i].height;
    }
    uint64_t count = (uint64_t)to->width * to->height;
    if (count > importer->pixels_left) return false;
    importer->pixels_left -= count;
    to->channels = join == FBX_JOIN_OPACITY ? 4 : 3;
    to->data = tn_scene_alloc(importer->builder, arena, count, to->channels);
    if (!to->data) return false;
    uint8_t *out = to->data;
    for (uint32_t y = 0; y < to->height; y++) {
        if (!tn_goes_on(&importer->builder->pulse, to->width / 4)) return false;
        for (uint32_t x = 0; x < to->width; x++, out += to->channels) {
            const uint8_t *first = fbx_import_joined_pixel(&pictures[0], to, x, y);
            const uint8_t *second = fbx_import_joined_pixel(&pictures[1], to, x, y);
            bool is_gloss = join == FBX_JOIN_GLOSS && pictures[1].data;
            if (join == FBX_JOIN_OPACITY) {
                memcpy(out, first, 3);
                out[3] = second[pictures[1].channels == 4 ? 3 : 0];
                continue;
            }
            out[0] = 255;
            out[1] = is_gloss ? (uint8_t)(255 - second[0]) : second[0];
            out[2] = first[0];
        }
    }
    return true;
}

// Add the picture to the scene; `key` identifies what it was made of. A picture that would take
// most of the memory that the scene may have is not added.
static uint32_t fbx_import_joined_add(fbx_importer *importer, tn_arena *arena,
                                      const tn_pixels *pixels, tenon_str key, uint32_t named_like)
{
    tn_scene_builder *builder = importer->builder;
    png_bytes png = {.builder = builder, .arena = arena};
    if (!tn_pixels_write_png(pixels, &builder->opts->allocator, fbx_import_joined_put, &png,
                             builder->err))
        builder->failed = true;
    bool is_too_large = png.size > (builder->arena->limit - builder->arena->used) / 2;
    if (builder->failed || is_too_large) return TENON_NONE;
    uint32_t image = tn_add_image(builder, key);
    uint8_t *copy = tn_scene_array(builder, png.size, 1);
    if (builder->failed || image == TENON_NONE) return TENON_NONE;
    const tenon_image *like = &builder->scene->images[named_like];
    tenon_str stem = fbx_import_textures_base(like->data ? like->name : like->path);
    uint32_t dot = stem.size;
    while (dot > 0 && stem.data[dot - 1] != '.') dot--;
    if (dot > 1) stem.size = dot - 1;
    char name[256];
    int size = snprintf(name, sizeof name, "%.*s_%s.png", (int)(stem.size < 200 ? stem.size : 200),
                        stem.data, pixels->channels == 4 ? "alpha" : "metallicRoughness");
    memcpy(copy, png.data, (size_t)png.size);
    tenon_str text = tn_scene_text(builder, (tenon_str){name, (uint32_t)size});
    if (builder->failed) return TENON_NONE;
    tenon_image *to = &builder->scene->images[image];
    to->name = text;
    to->data = copy;
    to->size = png.size;
    return image;
}

uint32_t fbx_import_joined(fbx_importer *importer, uint32_t first, uint32_t second, fbx_join join)
{
    const uint32_t images[2] = {first, second};
    tn_scene_builder *builder = importer->builder;
    tn_pixels pictures[2] = {{0}, {0}}, joined = {0};
    char key[64];
    int size =
        snprintf(key, sizeof key, "*%u+%u+%u", (unsigned)first, (unsigned)second, (unsigned)join);
    const tenon_str path = {key, (uint32_t)size};
    const tn_named *known = tn_name_find(&importer->joined, path);
    if (known) return ((const fbx_joined *)known)->image;
    bool is_read = true;
    for (int i = 0; i < 2; i++)
        if (images[i] != TENON_NONE)
            is_read = is_read && fbx_import_joined_read(importer, images[i], &pictures[i]);
    // After the picture of the color or, if there is one, of roughness.
    uint32_t named_like = join == FBX_JOIN_OPACITY ? first : second;
    if (named_like == TENON_NONE) named_like = join == FBX_JOIN_OPACITY ? second : first;
    // Apart from other memory, of which a small file may have less than its pictures need.
    tn_arena arena = tn_arena_make(&builder->opts->allocator, UINT64_MAX);
    uint32_t image = TENON_NONE;
    if (is_read && fbx_import_joined_fill(importer, &arena, pictures, join, &joined))
        image = fbx_import_joined_add(importer, &arena, &joined, path, named_like);
    tn_arena_free(&arena);
    for (int i = 0; i < 2; i++)
        if (pictures[i].data) tn_pixels_free(&pictures[i]);
    fbx_joined *made = fbx_import_alloc(importer, 1, sizeof *made);
    if (builder->failed) return TENON_NONE;
    *made = (fbx_joined){.named.name = tn_scene_text(builder, path), .image = image};
    (void)tn_name_enter(&importer->joined, &made->named);
    return image;
}
