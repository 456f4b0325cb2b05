// export_pictures.c: pictures that go with a model: named, copied, or converted.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/text.h"
#include "exchange/export_document.h"
#include "scene/pictures/pixels.h"

#include <string.h>

#define FILE_SIZE_MAX ((uint64_t)1 << 30)  // Bytes of a picture's file.
#define DDS_HEADER    128
#define PIXEL_BYTES   4

// A picture on its way.
typedef struct picture_export {
    const tn_export *export;
    uint32_t index;  // Of the image.
    const tenon_image *image;
    tn_picture_wish wish;
    tn_picture kind;
    const uint8_t *bytes;
    uint64_t size;
    const char *name;  // Of the new file.
    bool is_written;   // It was written, or writing it failed for good.
} picture_export;

static void report_loss(const picture_export *picture, tenon_loss_kind kind, const char *why)
{
    tn_export_report(picture->export, kind, "textures", 1,
                     picture->image->path.size ? picture->image->path.data : NULL, why);
}

// -- Images of one picture

tn_shared_picture *tn_export_share_picture(const tn_export *export, uint32_t image,
                                           const char *path, tenon_file_id id)
{
    enum { BY_BYTES, BY_FILE = 2, BY_PATH = 4 };
    const tenon_image *source = &export->scene->images[image];
    uint64_t size = source->data ? source->size : tn_file_known(id) ? sizeof id : strlen(path);
    tenon_budget *budget = export->opts->allocator.budget;
    bool is_allowed = tn_budget_work(budget, size / TN_STEP_BYTES);
    tn_shared_picture *fresh = is_allowed ? tn_export_alloc(export, 1, sizeof *fresh) : NULL;
    if (!tn_budget_settle(budget, fresh != NULL, export->err)) return NULL;
    fresh->id = id;
    fresh->first = image;
    if (size == 0 || size > UINT32_MAX) return fresh;
    uint32_t way = BY_BYTES;
    const void *key = source->data;
    if (!key && tn_file_known(id)) {
        way = BY_FILE;
        key = &fresh->id;
    } else if (!key) {
        char *copy = tn_export_alloc(export, size, 1);
        if (!copy) return NULL;
        way = BY_PATH;
        key = memcpy(copy, path, (size_t)size);
    }
    fresh->named.name = (tenon_str){key, (uint32_t)size};
    return (tn_shared_picture *)tn_name_enter(&export->state->pictures[way + source->flip_y],
                                              &fresh->named);
}

// -- Paths

static tenon_str base_name(tenon_str path)
{
    uint32_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') start--;
    return (tenon_str){path.data + start, path.size - start};
}

static tenon_str without_extension(tenon_str name)
{
    for (uint32_t i = name.size; i > 1; i--)
        if (name.data[i - 1] == '.') return (tenon_str){name.data, i - 1};
    return name;
}

bool tn_is_jpeg_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (tn_same_word(dot, ".jpg") || tn_same_word(dot, ".jpeg"));
}

static bool is_absolute(tenon_str path)
{
    if (path.size > 0 && path.data[0] == '/') return true;
    for (uint32_t i = 1; i < path.size && path.data[i - 1] != '/'; i++)
        if (path.data[i] == ':') return true;  // "C:", "https:"
    return false;
}

// The path of a file that stays where it is.
static const char *path_from_output(const tn_export *export, tenon_str path)
{
    const char *root = export->opts->texture_root ? export->opts->texture_root : "";
    size_t root_size = is_absolute(path) || path.size == 0 ? 0 : strlen(root);
    bool needs_slash = root_size && root[root_size - 1] != '/';
    char *text = tn_export_alloc(export, (uint64_t)root_size + path.size + 2, 1);
    if (!text) return NULL;
    memcpy(text, root, root_size);
    if (needs_slash) text[root_size++] = '/';
    if (path.size) memcpy(text + root_size, path.data, path.size);
    return text;
}

// -- Writing pixels

static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

// The header of an uncompressed picture without further levels: 32 bits, blue first.
static void fill_dds_header(uint8_t header[DDS_HEADER], uint32_t width, uint32_t height)
{
    memset(header, 0, DDS_HEADER);
    memcpy(header, "DDS ", 4);
    store_u32(header + 4, 124);     // Size of what follows.
    store_u32(header + 8, 0x100F);  // It has: caps, height, width, pitch, format.
    store_u32(header + 12, height);
    store_u32(header + 16, width);
    store_u32(header + 20, width * PIXEL_BYTES);  // Bytes of a row.
    store_u32(header + 76, 32);                   // Size of the format.
    store_u32(header + 80, 0x41);                 // RGB, with alpha.
    store_u32(header + 88, 32);                   // Bits of a pixel.
    store_u32(header + 92, 0x00FF0000);
    store_u32(header + 96, 0x0000FF00);
    store_u32(header + 100, 0x000000FF);
    store_u32(header + 104, 0xFF000000);
    store_u32(header + 108, 0x1000);  // A texture.
}

static void write_dds(const picture_export *picture, const tn_pixels *pixels)
{
    const tn_export *export = picture->export;
    uint8_t header[DDS_HEADER];
    uint64_t row_size = (uint64_t)pixels->width * PIXEL_BYTES;
    uint8_t *row = tn_export_alloc(export, row_size, 1);
    fill_dds_header(header, pixels->width, pixels->height);
    if (!row || !tn_export_begin(export, picture->name) ||
        !tn_export_write(export, header, sizeof header))
        return;
    for (uint32_t i = 0; i < pixels->height; i++) {
        uint64_t y = picture->image->flip_y ? i : pixels->height - 1 - i;
        const uint8_t *from = pixels->data + y * pixels->width * pixels->channels;
        for (uint32_t x = 0; x < pixels->width; x++, from += pixels->channels) {
            uint8_t *to = row + (size_t)x * PIXEL_BYTES;
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
            to[3] = pixels->channels == 4 ? from[3] : 255;
        }
        if (!tn_export_write(export, row, (size_t)row_size)) return;
    }
    (void)tn_export_end(export);
}

static void write_png(const picture_export *picture, tn_pixels *pixels)
{
    const tn_export *export = picture->export;
    const tenon_export_opts *opts = export->opts;
    if (picture->image->flip_y) tn_pixels_flip(pixels);
    if (!tn_export_begin(export, picture->name)) return;
    bool ok = opts->png(opts->user, pixels->data, pixels->width, pixels->height, pixels->channels,
                        export->sink->write, export->sink->user);
    if (!ok && export->err->code == TENON_OK)
        (void)tn_error(export->err, TENON_ERR_IO, "a picture cannot be written as PNG");
    if (ok) (void)tn_export_end(export);
}

static void write_pixels(picture_export *picture, tn_pixels *pixels)
{
    picture->is_written = true;  // If that fails, the export has its error.
    if (picture->wish == TN_PICTURE_AS_DDS)
        write_dds(picture, pixels);
    else
        write_png(picture, pixels);
}

// -- Converting

// The caller's pixels stay as they are: if they have to be turned, a copy is.
static bool take_pixels(void *user, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    picture_export *picture = user;
    const tenon_allocator *allocator = &picture->export->opts->allocator;
    bool has_limit = allocator->budget && allocator->budget->memory.limit;
    uint64_t most = has_limit ? SIZE_MAX / PIXEL_BYTES : TN_PIXELS_MOST;
    if (width == 0 || height == 0 || width > most / height) return false;
    size_t size = (size_t)width * height * PIXEL_BYTES;
    tn_pixels mine = {.width = width, .height = height, .channels = 4, .data = (uint8_t *)pixels};
    uint8_t *copy = NULL;
    if (picture->image->flip_y && picture->wish != TN_PICTURE_AS_DDS) {
        copy = tn_block_alloc(allocator, size);
        if (!copy)
            return tn_error(picture->export->err, TENON_ERR_MEMORY, "out of memory for a picture");
        mine.data = memcpy(copy, pixels, size);
    }
    write_pixels(picture, &mine);
    if (copy) tn_block_free(allocator, copy, size);
    return true;
}

// By the caller's decoder, or by our own.
static void convert(picture_export *picture)
{
    const tenon_export_opts *opts = picture->export->opts;
    bool is_common = picture->kind == TN_PICTURE_PNG || picture->kind == TN_PICTURE_JPEG;
    if (picture->wish != TN_PICTURE_AS_DDS && !opts->png) return;
    if (is_common) {
        if (opts->decode)
            (void)opts->decode(opts->user, picture->bytes, picture->size, take_pixels, picture);
    } else {
        tn_pixels pixels;
        tenon_error err;
        if (tn_pixels_decode(picture->bytes, picture->size, &opts->allocator, &pixels, &err)) {
            write_pixels(picture, &pixels);
            tn_pixels_free(&pixels);
        } else if (tn_is_outage(&err)) {
            *picture->export->err = err;
        }
    }
    // A decoder that has reached a limit is not a picture that cannot be converted.
    (void)tn_budget_settle(opts->allocator.budget, true, picture->export->err);
}

// Whether the bytes are what is wished for, as they are.
static bool can_be_copied(const picture_export *picture)
{
    if (picture->wish == TN_PICTURE_AS_DDS)
        return picture->kind == TN_PICTURE_DDS && picture->image->flip_y;
    if (picture->kind == TN_PICTURE_JPEG) return picture->wish == TN_PICTURE_AS_COMMON;
    return picture->kind == TN_PICTURE_PNG;
}

static const char *extension_of(const picture_export *picture)
{
    if (picture->wish == TN_PICTURE_AS_DDS) return ".dds";
    return picture->kind == TN_PICTURE_JPEG && picture->wish == TN_PICTURE_AS_COMMON ? ".jpg"
                                                                                     : ".png";
}

static bool is_prefixed(const tn_export *export, tenon_str name)
{
    tenon_str stem = tn_export_stem(export);
    bool starts_so = name.size >= stem.size && memcmp(name.data, stem.data, stem.size) == 0;
    return export->opts->without_prefix || starts_so;
}

// Write the picture as a new file. False if it cannot be had in the form that is wished for.
static bool write_picture(picture_export *picture)
{
    tenon_str base =
        base_name(picture->image->path.size ? picture->image->path : picture->image->name);
    tenon_str prefix = {"", 0}, stem = without_extension(base);
    if (stem.size == 0) stem = (tenon_str){"picture", 7};
    // What comes out of a file has no name that others would know it by.
    if (picture->image->data && !is_prefixed(picture->export, stem))
        prefix = tn_export_prefix(picture->export);
    if (!prefix.data) return false;
    picture->kind = tn_picture_kind(picture->bytes, picture->size);
    if (picture->kind == TN_PICTURE_UNKNOWN) return false;
    picture->name = tn_export_name(picture->export, prefix, stem, extension_of(picture));
    if (!picture->name) return false;
    if (!can_be_copied(picture)) {
        convert(picture);
        bool stays_jpeg = picture->wish == TN_PICTURE_AS_PNG && picture->kind == TN_PICTURE_JPEG;
        if (picture->is_written || !stays_jpeg || picture->export->err->code != TENON_OK)
            return picture->is_written;
        // Better the wrong kind of file than none.
        picture->name = tn_export_name(picture->export, prefix, stem, ".jpg");
        if (!picture->name) return false;
    }
    (void)tn_export_put_bytes(picture->export, picture->name, picture->bytes,
                              (size_t)picture->size);
    return true;
}

// -- Getting the bytes

// Where the file is. False if it is outside of the model's folder, missing, or too large.
static bool find_file(const picture_export *picture, char path[TN_PATH_SIZE], tenon_file_info *info)
{
    const tenon_export_opts *opts = picture->export->opts;
    tenon_error err = {0};
    const tn_search search = {opts->files, opts->model_path, path, TN_PATH_SIZE, &err, info};
    if (!opts->model_path || !picture->image->path.size) return false;
    tn_place place = tn_find_sidecar(&search, picture->image->path);
    if (tn_is_outage(&err)) *picture->export->err = err;
    return place == TN_PLACE_FOUND && info->kind == TENON_FILE_REGULAR &&
           info->size <= FILE_SIZE_MAX;
}

static bool load(const picture_export *picture, const char *path, tenon_bytes *bytes)
{
    const tenon_export_opts *opts = picture->export->opts;
    tenon_error err = {0};
    tenon_read_opts read = {
        .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
    if (tenon_load(path, &read, bytes, &err)) return true;
    if (tn_is_outage(&err)) *picture->export->err = err;
    return tn_budget_settle(opts->allocator.budget, false, picture->export->err);
}

// Whether a copy would be the file itself: the output is beside the model.
static bool is_beside_output(const tn_export *export, const tenon_image *image)
{
    bool is_same_folder = !export->opts->texture_root || !*export->opts->texture_root;
    return is_same_folder && base_name(image->path).size == image->path.size;
}

static const char *export_picture_file(picture_export *picture)
{
    static const char missing[] = "the picture file does not exist";
    const tn_export *export = picture->export;
    char path[TN_PATH_SIZE] = "";
    tenon_file_info info = {0};
    const char *fault = missing;
    if (picture->image->data || find_file(picture, path, &info)) {
        tn_shared_picture *shared = tn_export_share_picture(export, picture->index, path, info.id);
        if (!shared) return NULL;
        if (shared->first == picture->index) {
            tenon_bytes bytes = {0};
            bool is_loaded = !picture->image->data && load(picture, path, &bytes);
            picture->bytes = is_loaded ? bytes.data : picture->image->data;
            picture->size = is_loaded ? bytes.size : picture->image->size;
            if (picture->bytes && write_picture(picture)) shared->name = picture->name;
            shared->fault = picture->bytes ? "the picture cannot be converted" : missing;
            if (is_loaded) tenon_unload(&bytes);
        }
        if (shared->name && export->err->code == TENON_OK) return shared->name;
        fault = shared->fault;
    }
    if (export->err->code != TENON_OK) return NULL;
    report_loss(picture, TENON_DROPPED, fault);
    return path_from_output(export, picture->image->path);
}

static const char *find_picture(const tn_export *export, uint32_t index, tn_picture_wish wish)
{
    const tenon_image *image = &export->scene->images[index];
    picture_export picture = {.export = export, .index = index, .image = image, .wish = wish};
    // What the engine does not open has to be converted even if it is there.
    bool is_wrong = wish == TN_PICTURE_AS_DDS || (wish == TN_PICTURE_AS_PNG && image->path.size &&
                                                  tn_is_jpeg_name(image->path.data));
    bool stays = is_beside_output(export, image) && !is_wrong && !image->flip_y;
    if (image->data || (export->opts->copy_textures && !stays))
        return export_picture_file(&picture);
    if (image->flip_y && wish != TN_PICTURE_AS_DDS)
        report_loss(&picture, TENON_APPROXIMATED,
                    "its rows are stored from bottom to top: copied textures are flipped");
    return path_from_output(export, image->path);
}

// Copies must not replace pictures that the model itself names.
static void reserve_sibling_paths(const tn_export *export)
{
    for (uint32_t i = 0; i < export->scene->image_count; i++) {
        const tenon_image *image = &export->scene->images[i];
        if (image->data || !is_beside_output(export, image)) continue;
        if (!tn_names_reserve(&export->state->taken, image->path))
            (void)tn_names_fail(&export->state->taken, export->err);
    }
}

const char *tn_export_picture(const tn_export *export, uint32_t image, tn_picture_wish wish)
{
    tn_export_state *state = export->state;
    if (!state->picture_paths) {
        uint32_t count = export->scene->image_count;
        state->picture_paths = tn_export_alloc(export, count, sizeof *state->picture_paths);
        reserve_sibling_paths(export);
    }
    if (!state->picture_paths || export->err->code != TENON_OK) return NULL;
    const char **path = &state->picture_paths[image];
    if (!*path) *path = find_picture(export, image, wish);
    return *path;
}
