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

// A picture that is exported.
typedef struct picture_export {
    const tn_export *export;
    uint32_t index;  // Of the image.
    const tenon_image *image;
    tn_picture_target target;
    tn_picture kind;
    const uint8_t *bytes;
    uint64_t size;
    const char *name;  // Of the new file.
    bool is_done;      // It was written, or the export has failed.
} picture_export;

static void export_pictures_report_loss(const picture_export *picture, tenon_loss_kind kind,
                                        const char *why)
{
    tenon_str path = picture->image->path;
    tn_export_report(picture->export, kind, "textures", 1, path.size ? path.data : NULL, why);
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
    uint32_t tree = BY_BYTES;
    const void *key = source->data;
    if (!key && tn_file_known(id)) {
        tree = BY_FILE;
        key = &fresh->id;
    } else if (!key) {
        char *copy = tn_export_alloc(export, size, 1);
        if (!copy) return NULL;
        tree = BY_PATH;
        key = memcpy(copy, path, (size_t)size);
    }
    fresh->named.name = (tenon_str){key, (uint32_t)size};
    return (tn_shared_picture *)tn_name_enter(&export->state->pictures[tree + source->flip_y],
                                              &fresh->named);
}

// -- Names and paths

static tenon_str export_pictures_base_name(tenon_str path)
{
    uint32_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') start--;
    return (tenon_str){path.data + start, path.size - start};
}

static tenon_str export_pictures_without_extension(tenon_str name)
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

void tn_export_report_picture_names(const tn_export *export)
{
    tn_tally names = {0};
    for (uint32_t i = 0; i < export->scene->image_count; i++) {
        tenon_str name = export->scene->images[i].name, path = export->scene->images[i].path;
        bool is_lost =
            name.size && path.size &&
            !tn_text_equal(name,
                           export_pictures_without_extension(export_pictures_base_name(path)));
        tn_tally_at(&names, is_lost, "images", i);
    }
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of pictures",
                           "only the paths of pictures are stored");
}

const char *tn_export_path(const tn_export *export, tenon_str path)
{
    bool is_relative = path.size > 0 && path.data[0] != '/';
    for (uint32_t i = 1; i < path.size && path.data[i - 1] != '/'; i++)
        if (path.data[i] == ':') is_relative = false;  // "C:", "https:"
    const char *root = export->opts->texture_root ? export->opts->texture_root : "";
    size_t root_size = is_relative ? strlen(root) : 0;
    char *text = tn_export_alloc(export, (uint64_t)root_size + path.size + 2, 1);
    if (!text) return NULL;
    memcpy(text, root, root_size);
    if (root_size && root[root_size - 1] != '/') text[root_size++] = '/';
    if (path.size) memcpy(text + root_size, path.data, path.size);
    return text;
}

// Whether a copy would be the file itself: the output is beside the model.
static bool export_pictures_is_beside_output(const tn_export *export, const tenon_image *image)
{
    bool is_same_folder = !export->opts->texture_root || !*export->opts->texture_root;
    return is_same_folder && export_pictures_base_name(image->path).size == image->path.size;
}

// -- Writing pixels

// Write an uncompressed picture of one level: 32 bits, blue first, rows from the bottom up.
static void export_pictures_write_dds(const picture_export *picture, const tn_pixels *pixels)
{
    const tn_export *export = picture->export;
    const uint32_t fields[][2] = {
        {4, 124},     // Size of what follows.
        {8, 0x100F},  // It has: caps, height, width, pitch, format.
        {12, pixels->height},
        {16, pixels->width},
        {20, pixels->width * PIXEL_BYTES},  // Bytes of a row.
        {76, 32},                           // Size of the format.
        {80, 0x41},                         // RGB, with alpha.
        {88, 32},                           // Bits of a pixel.
        {92, 0x00FF0000},
        {96, 0x0000FF00},
        {100, 0x000000FF},
        {104, 0xFF000000},
        {108, 0x1000},  // A texture.
    };
    uint8_t header[DDS_HEADER] = {'D', 'D', 'S', ' '};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (uint32_t k = 0; k < 4; k++)
            header[fields[i][0] + k] = (uint8_t)(fields[i][1] >> (8 * k));
    uint64_t row_size = (uint64_t)pixels->width * PIXEL_BYTES;
    uint8_t *row = tn_export_alloc(export, row_size, 1);
    if (!row || !tn_export_begin_picture(export, picture->name) ||
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

bool tn_export_encode_png(const tn_export *export, const tn_pixels *pixels, tenon_write_fn *write,
                          void *user)
{
    const tenon_pictures *pictures = &export->opts->pictures;
    if (pictures->encode_png)
        return pictures->encode_png(pictures->user, pixels->data, pixels->width, pixels->height,
                                    pixels->channels, write, user);
    tenon_error err;
    if (tn_pixels_write_png(pixels, &export->opts->allocator, write, user, &err)) return true;
    if (tn_is_outage(&err) && export->err->code == TENON_OK) *export->err = err;
    return false;
}

// Write a picture as DDS or PNG. If that fails, the export has its error.
static void export_pictures_write_pixels(picture_export *picture, tn_pixels *pixels)
{
    const tn_export *export = picture->export;
    picture->is_done = true;
    if (picture->target == TN_PICTURE_AS_DDS) {
        export_pictures_write_dds(picture, pixels);
        return;
    }
    if (picture->image->flip_y) tn_pixels_flip(pixels);
    if (!tn_export_begin_picture(export, picture->name)) return;
    bool ok = tn_export_encode_png(export, pixels, export->sink->write, export->sink->user);
    if (!ok && export->err->code == TENON_OK)
        (void)tn_error(export->err, TENON_ERR_IO, "a picture cannot be written as PNG");
    if (ok) (void)tn_export_end(export);
}

// -- Converting

// Called by the decoder. Its pixels must not change: if they have to be flipped, a copy is.
static bool export_pictures_take_pixels(void *user, const uint8_t *pixels, uint32_t width,
                                        uint32_t height)
{
    picture_export *picture = user;
    const tenon_allocator *allocator = &picture->export->opts->allocator;
    bool has_limit = allocator->budget && allocator->budget->memory.limit;
    uint64_t most = has_limit ? SIZE_MAX / PIXEL_BYTES : TN_PIXELS_MOST;
    if (width == 0 || height == 0 || width > most / height) return false;
    size_t size = (size_t)width * height * PIXEL_BYTES;
    tn_pixels taken = {.width = width, .height = height, .channels = 4, .data = (uint8_t *)pixels};
    uint8_t *copy = NULL;
    if (picture->image->flip_y && picture->target != TN_PICTURE_AS_DDS) {
        copy = tn_block_alloc(allocator, size);
        if (!copy)
            return tn_error(picture->export->err, TENON_ERR_MEMORY, "out of memory for a picture");
        taken.data = memcpy(copy, pixels, size);
    }
    export_pictures_write_pixels(picture, &taken);
    if (copy) tn_block_free(allocator, copy, size);
    return true;
}

// Decode a picture and write it: PNG, JPEG and WebP with the decoder of the caller, if that can.
static void export_pictures_convert(picture_export *picture)
{
    const tenon_export_opts *opts = picture->export->opts;
    bool is_only_theirs = picture->kind == TN_PICTURE_JPEG || picture->kind == TN_PICTURE_WEBP;
    if ((is_only_theirs || picture->kind == TN_PICTURE_PNG) && opts->pictures.decode)
        (void)opts->pictures.decode(opts->pictures.user, picture->bytes, picture->size,
                                    export_pictures_take_pixels, picture);
    bool is_open = !picture->is_done && !tn_budget_is_exceeded(opts->allocator.budget) &&
                   picture->export->err->code == TENON_OK;
    if (is_open && !is_only_theirs) {
        tn_pixels pixels;
        tenon_error err;
        if (tn_pixels_decode(picture->bytes, picture->size, &opts->allocator, &pixels, &err)) {
            export_pictures_write_pixels(picture, &pixels);
            tn_pixels_free(&pixels);
        } else if (tn_is_outage(&err)) {
            *picture->export->err = err;
        }
    }
    // If the decoder reached a limit, the export fails: the picture itself could be converted.
    (void)tn_budget_settle(opts->allocator.budget, true, picture->export->err);
}

// Write the picture as a new file, converted if it has to be. False if it cannot be converted.
static bool export_write_picture(picture_export *picture)
{
    const tn_export *export = picture->export;
    const tenon_image *image = picture->image;
    tenon_str stem = export_pictures_without_extension(
        export_pictures_base_name(image->path.size ? image->path : image->name));
    tenon_str prefix = {"", 0}, output = tn_export_stem(export);
    if (stem.size == 0) stem = (tenon_str){"picture", 7};
    // Pictures that were inside a file get the name of the output as a prefix.
    bool has_prefix = stem.size >= output.size && memcmp(stem.data, output.data, output.size) == 0;
    if (image->data && !has_prefix && !export->opts->without_prefix)
        prefix = tn_export_prefix(export);
    if (!prefix.data) return false;
    tn_picture kind = picture->kind = tn_picture_kind(picture->bytes, picture->size);
    if (kind == TN_PICTURE_UNKNOWN || kind == TN_PICTURE_KTX2) return false;
    bool is_wanted = kind == TN_PICTURE_PNG;  // As it is.
    const char *extension = ".png";
    if (picture->target == TN_PICTURE_AS_DDS) {
        is_wanted = kind == TN_PICTURE_DDS && image->flip_y;
        extension = ".dds";
    } else if (picture->target == TN_PICTURE_AS_COMMON && kind == TN_PICTURE_JPEG) {
        is_wanted = true;
        extension = ".jpg";
    }
    picture->name = tn_export_name(export, prefix, stem, extension);
    if (!picture->name) return false;
    if (!is_wanted) {
        export_pictures_convert(picture);
        bool can_stay = picture->target == TN_PICTURE_AS_PNG && kind == TN_PICTURE_JPEG;
        if (picture->is_done || !can_stay || export->err->code != TENON_OK) return picture->is_done;
        picture->name = tn_export_name(export, prefix, stem, ".jpg");
        if (!picture->name) return false;
    }
    (void)tn_export_put_picture(export, picture->name, picture->bytes, (size_t)picture->size);
    return true;
}

// -- Exporting

// The path of a picture's file. False if it is outside of the model's folder, missing, or too
// large.
static bool export_pictures_find_file(const picture_export *picture, char path[TN_PATH_SIZE],
                                      tenon_file_info *info)
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

// Write the file of a picture, unless an earlier image has the same picture. Returns its path.
static const char *export_pictures_file(picture_export *picture)
{
    static const char missing[] = "the picture file does not exist";
    static const char supercompressed[] =
        "a KTX2 picture: convert it to PNG first, for example with 'ktx extract'";
    const tn_export *export = picture->export;
    const tenon_export_opts *opts = export->opts;
    const tenon_image *image = picture->image;
    const char *fault = missing;
    char path[TN_PATH_SIZE] = "";
    tenon_file_info info = {0};
    if (image->data || export_pictures_find_file(picture, path, &info)) {
        tn_shared_picture *shared = tn_export_share_picture(export, picture->index, path, info.id);
        if (!shared) return NULL;
        if (shared->first == picture->index) {
            const tenon_read_opts read = {
                .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
            tenon_bytes bytes = {0};
            tenon_error err = {0};
            bool is_loaded = !image->data && tenon_load(path, &read, &bytes, &err);
            if (tn_is_outage(&err)) *export->err = err;
            if (!image->data)
                (void)tn_budget_settle(opts->allocator.budget, is_loaded, export->err);
            picture->bytes = is_loaded ? bytes.data : image->data;
            picture->size = is_loaded ? bytes.size : image->size;
            if (picture->bytes && export_write_picture(picture)) shared->name = picture->name;
            shared->fault = !picture->bytes                    ? missing
                            : picture->kind == TN_PICTURE_KTX2 ? supercompressed
                                                               : "the picture cannot be converted";
            if (is_loaded) tenon_unload(&bytes);
        }
        if (shared->name && export->err->code == TENON_OK) return shared->name;
        fault = shared->fault;
    }
    if (export->err->code != TENON_OK) return NULL;
    export_pictures_report_loss(picture, TENON_DROPPED, fault);
    return tn_export_path(export, image->path);
}

static const char *export_pictures_find_path(const tn_export *export, uint32_t index,
                                             tn_picture_target target)
{
    const tenon_image *image = &export->scene->images[index];
    picture_export picture = {.export = export, .index = index, .image = image, .target = target};
    // Files that the engine does not open are converted even if they are in the right place.
    bool is_wrong =
        target == TN_PICTURE_AS_DDS ||
        (target == TN_PICTURE_AS_PNG && image->path.size && tn_is_jpeg_name(image->path.data));
    bool stays = export_pictures_is_beside_output(export, image) && !is_wrong && !image->flip_y;
    if (image->data || (export->opts->copy_textures && !stays))
        return export_pictures_file(&picture);
    if (image->flip_y && target != TN_PICTURE_AS_DDS)
        export_pictures_report_loss(
            &picture, TENON_APPROXIMATED,
            "its rows are stored from bottom to top: copied textures are flipped");
    return tn_export_path(export, image->path);
}

const char *tn_export_picture(const tn_export *export, uint32_t image, tn_picture_target target)
{
    tn_export_state *state = export->state;
    const tenon_scene *scene = export->scene;
    if (!state->picture_paths) {
        state->picture_paths =
            tn_export_alloc(export, scene->image_count, sizeof *state->picture_paths);
        // Copies must not replace files that images of the scene name.
        for (uint32_t i = 0; i < scene->image_count; i++) {
            const tenon_image *other = &scene->images[i];
            if (other->data || !export_pictures_is_beside_output(export, other)) continue;
            if (!tn_names_reserve(&state->taken, other->path))
                (void)tn_names_fail(&state->taken, export->err);
        }
    }
    if (!state->picture_paths || export->err->code != TENON_OK) return NULL;
    const char **path = &state->picture_paths[image];
    if (!*path) *path = export_pictures_find_path(export, image, target);
    return *path;
}
