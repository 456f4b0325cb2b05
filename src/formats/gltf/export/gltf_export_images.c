// gltf_export_images.c: pictures: referenced, copied into the buffer, or converted to PNG.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/text.h"
#include "exchange/export_document.h"
#include "formats/formats.h"
#include "scene/pictures/pixels.h"

#include <stdio.h>
#include <string.h>

#define FILE_MOST  ((uint64_t)1 << 30)  // Bytes of a picture file.
#define BLOCK_SIZE ((size_t)1 << 16)
#define PATH_MOST  4096

// -- URIs

static bool gltf_export_images_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The last part of a path.
static tenon_str gltf_export_images_base_name(tenon_str path)
{
    uint32_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') start--;
    return (tenon_str){path.data + start, path.size - start};
}

static char *gltf_export_images_encode(char *out, const char *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (gltf_export_images_is_letter(c) || (c >= '0' && c <= '9') ||
            (c && strchr("-._~/", c))) {
            *out++ = c;
            continue;
        }
        *out++ = '%';
        *out++ = digits[(uint8_t)c >> 4];
        *out++ = digits[c & 15];
    }
    return out;
}

const char *gltf_export_uri_of(gltf_exporter *exporter, tenon_str path, bool is_beside_output)
{
    const char *root = is_beside_output ? NULL : exporter->export->opts->texture_root;
    size_t root_size = root ? strlen(root) : 0;
    bool has_drive =
        path.size > 1 && gltf_export_images_is_letter(path.data[0]) && path.data[1] == ':';
    if (has_drive || (path.size > 0 && path.data[0] == '/'))
        path = gltf_export_images_base_name(path);
    char *uri = gltf_export_alloc(exporter, 3 * ((uint64_t)root_size + path.size) + 2, 1);
    if (!uri) return NULL;
    char *at = gltf_export_images_encode(uri, root, root_size);
    if (root_size && root[root_size - 1] != '/') *at++ = '/';
    gltf_export_images_encode(at, path.data, path.size);
    return uri;
}

static bool gltf_export_images_ends_with(tenon_str path, const char *suffix)
{
    char end[8] = {0};
    size_t size = strlen(suffix);
    if (path.size < size) return false;
    memcpy(end, path.data + path.size - size, size);
    return tn_same_word(end, suffix);
}

// The extension that textures need for a file of that name; NULL: none.
static const char *gltf_export_images_extension(tenon_str path)
{
    for (size_t i = 0; i < GLTF_PICTURE_EXTENSIONS; i++)
        if (gltf_export_images_ends_with(path, gltf_picture_extensions[i].suffix))
            return gltf_picture_extensions[i].name;
    return NULL;
}

// Whether glTF may refer to the file of an image. DDS files are converted, unless they are from
// glTF.
static bool gltf_export_images_is_nameable(const tenon_image *image)
{
    static const char *const suffixes[] = {".png", ".jpg", ".jpeg", ".webp", ".ktx2"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (gltf_export_images_ends_with(image->path, suffixes[i])) return true;
    return image->origin && gltf_export_images_ends_with(image->path, ".dds");
}

// -- Names of new files

static void gltf_export_images_reserve_name(gltf_exporter *exporter, tenon_str name)
{
    tn_name_set *taken = &exporter->export->state->taken;
    if (!tn_names_reserve(taken, name))
        exporter->failed = !tn_names_fail(taken, exporter->export->err);
}

// A unique name for a new file beside the output. `extension` has a dot. NULL: the export failed.
static const char *gltf_export_images_sidecar_name(gltf_exporter *exporter,
                                                   const tenon_image *image, const char *extension)
{
    tenon_str base = gltf_export_images_base_name(image->path.size ? image->path : image->name),
              prefix = {"", 0};
    for (uint32_t i = 1, size = base.size; i < size; i++)
        if (base.data[i] == '.') base.size = i;
    if (base.size == 0) base = (tenon_str){"picture", 7};
    // The output's name as a prefix avoids overwriting pictures of other models.
    if (exporter->export->opts->name) prefix = tn_export_prefix(exporter->export);
    const char *name =
        prefix.data ? tn_export_name(exporter->export, prefix, base, extension) : NULL;
    if (!name) exporter->failed = true;
    return name;
}

// -- Files

// Failures of the system end the export. After others only the picture is lost.
static void gltf_export_images_fail_on_outage(gltf_exporter *exporter, const tenon_error *err)
{
    if (!tn_is_outage(err)) return;
    *exporter->export->err = *err;
    exporter->failed = true;
}

// Find a file. Returns false, and why, if it is missing or not allowed.
static bool gltf_export_images_find_file(gltf_exporter *exporter, tenon_str name,
                                         char path[PATH_MOST], tenon_file_info *info,
                                         gltf_loss *why)
{
    const tenon_export_opts *opts = exporter->export->opts;
    tenon_error err = {0};
    const tn_search search = {opts->files, opts->model_path, path, PATH_MOST, &err, info};
    tn_place place = tn_find_sidecar(&search, name);
    *why = place == TN_PLACE_OUTSIDE ? LOST_PICTURES_OUTSIDE : LOST_PICTURES_MISSING;
    gltf_export_images_fail_on_outage(exporter, &err);
    return place == TN_PLACE_FOUND && info->kind == TENON_FILE_REGULAR && info->size <= FILE_MOST;
}

// Write only the URI of a picture that could not be loaded, or drop it if glTF does not allow that.
static void gltf_export_images_uri_only(gltf_exporter *exporter, uint32_t i, gltf_loss why)
{
    const tenon_image *source = &exporter->scene->images[i];
    gltf_image *image = &exporter->images[i];
    // Viewers and validators fail on references to missing files, so extras store the path.
    bool is_named = gltf_export_images_is_nameable(source) && why == LOST_PICTURES_UNAVAILABLE;
    image->kind = is_named ? GLTF_IMAGE_NAMED : GLTF_IMAGE_LOST;
    image->why = why;
    if (is_named) {
        image->uri = gltf_export_uri_of(exporter, source->path, false);
        why = LOST_PICTURES_UNLOADED;
    }
    // If the source is glTF and has only the path in extras, nothing is lost.
    bool is_kept = source->is_only_named && exporter->scene->source == &tn_gltf_format.face;
    if (!is_kept || why == LOST_PICTURES_BROKEN)
        tn_tally_at(&exporter->losses[why], 1, "images", i);
}

// -- Bytes

bool gltf_export_has_view(const gltf_image *image)
{
    return image->kind == GLTF_IMAGE_STORED && image->shared == TENON_NONE;
}

bool gltf_export_image_bytes(const gltf_exporter *exporter, const gltf_image *image)
{
    if (image->bytes) return tn_export_write(exporter->export, image->bytes, (size_t)image->size);
    bool is_written = true;
    for (const gltf_picture_block *block = image->first; block && is_written; block = block->next)
        is_written = tn_export_write(exporter->export, block->bytes, block->size);
    return is_written;
}

static void gltf_export_free_image(gltf_exporter *exporter, gltf_image *image)
{
    for (gltf_picture_block *block = image->first, *next; block; block = next) {
        next = block->next;
        tn_block_free(&exporter->export->opts->allocator, block, sizeof *block + block->room);
    }
    image->first = image->last = NULL;
    image->bytes = NULL;
    tenon_unload(&image->loaded);
}

void gltf_export_free_images(gltf_exporter *exporter)
{
    for (uint32_t i = 0; exporter->images && i < exporter->scene->image_count; i++)
        gltf_export_free_image(exporter, &exporter->images[i]);
}

// -- Conversion to PNG

typedef struct gltf_png_receiver {
    gltf_exporter *exporter;
    gltf_image *image;
} gltf_png_receiver;

// Receives bytes of a PNG from the encoder.
static bool gltf_export_images_receive_png(void *user, const void *bytes, size_t size)
{
    gltf_png_receiver *receiver = user;
    gltf_exporter *exporter = receiver->exporter;
    gltf_image *image = receiver->image;
    if (!image->last || size > image->last->room - image->last->size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        gltf_picture_block *block =
            tn_block_alloc(&exporter->export->opts->allocator, sizeof *block + room);
        if (!block) {
            exporter->failed =
                !tn_error(exporter->export->err, TENON_ERR_MEMORY, "out of memory for a picture");
            return false;
        }
        *block = (gltf_picture_block){.room = room};
        *(image->last ? &image->last->next : &image->first) = block;
        image->last = block;
    }
    memcpy(image->last->bytes + image->last->size, bytes, size);
    image->last->size += size;
    image->size += size;
    return true;
}

// Report a picture that cannot be written. The export fails if a limit was reached. Returns false.
static bool gltf_export_report_lost_image(gltf_exporter *exporter, uint32_t i, gltf_loss why)
{
    exporter->images[i].why = why;
    if (tn_budget_settle(exporter->export->opts->allocator.budget, true, exporter->export->err))
        tn_tally_at(&exporter->losses[why], 1, "images", i);
    else
        exporter->failed = true;
    return false;
}

// Returns false if the picture is lost.
static bool gltf_export_images_convert_to_png(gltf_exporter *exporter, uint32_t i,
                                              const void *bytes, uint64_t size)
{
    const tenon_export_opts *opts = exporter->export->opts;
    gltf_png_receiver receiver = {exporter, &exporter->images[i]};
    tn_pixels pixels;
    tenon_error err = {0};
    if (!tn_pixels_decode(bytes, size, &opts->allocator, &pixels, &err)) {
        gltf_export_images_fail_on_outage(exporter, &err);
        return gltf_export_report_lost_image(exporter, i, LOST_PICTURES_BROKEN);
    }
    if (exporter->scene->images[i].flip_y) tn_pixels_flip(&pixels);
    bool is_done =
        tn_export_encode_png(exporter->export, &pixels, gltf_export_images_receive_png, &receiver);
    tn_pixels_free(&pixels);
    if (!is_done) return gltf_export_report_lost_image(exporter, i, LOST_PICTURES_UNCONVERTED);
    return !exporter->failed;
}

// -- Planning

// Store a picture in the buffer, or write it to a new file beside the output.
static void gltf_export_images_plan_picture(gltf_exporter *exporter, uint32_t i,
                                            const uint8_t *bytes, uint64_t size)
{
    const tn_export *export = exporter->export;
    gltf_image *image = &exporter->images[i];
    tn_picture kind = tn_picture_kind(bytes, size);
    bool is_jpeg = kind == TN_PICTURE_JPEG;
    const tenon_image *source = &exporter->scene->images[i];
    const gltf_picture_extension *other = kind == TN_PICTURE_WEBP   ? &gltf_picture_extensions[0]
                                          : kind == TN_PICTURE_KTX2 ? &gltf_picture_extensions[1]
                                          : kind == TN_PICTURE_DDS && source->origin
                                              ? &gltf_picture_extensions[2]
                                              : NULL;
    if (kind == TN_PICTURE_UNKNOWN) {
        gltf_export_images_uri_only(exporter, i, LOST_PICTURES_BROKEN);
        return;
    }
    image->mime = other ? other->mime : is_jpeg ? "image/jpeg" : "image/png";
    image->extension = other ? other->name : NULL;
    if (other || is_jpeg || kind == TN_PICTURE_PNG) {
        image->is_flipped = source->flip_y;
        image->bytes = bytes;
        image->size = size;
    } else if (!gltf_export_images_convert_to_png(exporter, i, bytes, size)) {
        return;
    }
    if (export->opts->embed) {
        image->kind = GLTF_IMAGE_STORED;
        return;
    }
    const char *name = gltf_export_images_sidecar_name(exporter, source,
                                                       other     ? other->suffix
                                                       : is_jpeg ? ".jpg"
                                                                 : ".png");
    if (!name) return;
    image->uri = gltf_export_uri_of(exporter, (tenon_str){name, (uint32_t)strlen(name)}, true);
    image->kind = GLTF_IMAGE_NAMED;
    if (!image->uri || !tn_export_begin_picture(export, name) ||
        !gltf_export_image_bytes(exporter, image) || !tn_export_end(export))
        exporter->failed = true;
}

static void gltf_export_plan_image(gltf_exporter *exporter, uint32_t i)
{
    const tenon_export_opts *opts = exporter->export->opts;
    const tenon_image *source = &exporter->scene->images[i];
    gltf_image *image = &exporter->images[i];
    char path[PATH_MOST] = "";
    tenon_file_info info = {0};
    gltf_loss why = LOST_PICTURES_UNAVAILABLE;
    image->kind = GLTF_IMAGE_LOST;
    if (!source->data &&
        (!opts->model_path || !source->path.size ||
         !gltf_export_images_find_file(exporter, source->path, path, &info, &why))) {
        gltf_export_images_uri_only(exporter, i, why);
        return;
    }
    const tn_shared_picture *picture = tn_export_share_picture(exporter->export, i, path, info.id);
    if (!picture) {
        exporter->failed = true;
    } else if (picture->first != i) {
        const gltf_image *first = &exporter->images[picture->first];
        if (first->kind == GLTF_IMAGE_LOST) {
            gltf_export_images_uri_only(exporter, i, first->why);
        } else {
            image->kind = first->kind;
            image->uri = first->uri;
            image->mime = first->mime;
            image->extension = first->extension;
            image->is_flipped = first->is_flipped;
            image->shared = picture->first;
        }
    } else if (source->data) {
        gltf_export_images_plan_picture(exporter, i, source->data, source->size);
    } else {
        tenon_read_opts read = {
            .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
        tenon_error err = {0};
        if (tenon_load(path, &read, &image->loaded, &err)) {
            gltf_export_images_plan_picture(exporter, i, image->loaded.data, image->loaded.size);
        } else {
            gltf_export_images_fail_on_outage(exporter, &err);
            image->loaded = (tenon_bytes){0};
            gltf_export_images_uri_only(exporter, i, why);
        }
    }
    if (image->kind != GLTF_IMAGE_STORED) gltf_export_free_image(exporter, image);
    if (!image->bytes) tenon_unload(&image->loaded);  // The source of the conversion.
}

void gltf_export_plan_images(gltf_exporter *exporter)
{
    static const char *const extensions[] = {"bin", "glb", "gltf"};
    const tenon_export_opts *opts = exporter->export->opts;
    const tenon_scene *scene = exporter->scene;
    uint32_t count = scene->image_count;
    gltf_image *images = gltf_export_alloc(exporter, count, sizeof *images);
    exporter->images = images;
    exporter->image_sources = gltf_export_alloc_indices(exporter, count);
    if (exporter->failed) return;
    for (uint32_t i = 0; i < count; i++) images[i].shared = TENON_NONE;
    for (uint32_t i = 0; i < exporter->material_count; i++) {
        const gltf_material *material = &exporter->materials[i];
        for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++)
            if (material->slots & 1u << slot)
                images[scene->materials[material->source].textures[slot].image].kind =
                    GLTF_IMAGE_WANTED;
    }
    for (uint32_t i = 0; i < count; i++)
        if (gltf_export_is_kept_image(exporter, i)) images[i].kind = GLTF_IMAGE_WANTED;
    // Names of the files that the export itself writes.
    const char *stem = opts->name ? opts->name : "model";
    size_t room = strlen(stem) + 8;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0] && !exporter->failed; i++) {
        char *name = gltf_export_alloc(exporter, room, 1);
        if (!name) return;
        (void)snprintf(name, room, "%s.%s", stem, extensions[i]);
        gltf_export_images_reserve_name(exporter, (tenon_str){name, (uint32_t)strlen(name)});
    }
    // If the output is in the model's folder, pictures are there already.
    bool is_elsewhere = opts->texture_root && *opts->texture_root;
    bool is_copied = opts->embed || (opts->copy_textures && is_elsewhere);
    for (uint32_t i = 0; i < count && !exporter->failed; i++)
        if (images[i].kind == GLTF_IMAGE_WANTED && !is_copied && !scene->images[i].data &&
            gltf_export_images_is_nameable(&scene->images[i])) {
            // Refer to the file, which is not copied.
            tenon_str path = scene->images[i].path;
            char found[PATH_MOST];
            tenon_file_info info;
            gltf_loss why;
            images[i].is_flipped = scene->images[i].flip_y;
            gltf_export_images_reserve_name(exporter, path);
            if (opts->model_path &&
                !gltf_export_images_find_file(exporter, path, found, &info, &why)) {
                gltf_export_images_uri_only(exporter, i, why);
                continue;
            }
            images[i].kind = GLTF_IMAGE_NAMED;
            images[i].extension = gltf_export_images_extension(path);
            images[i].uri = gltf_export_uri_of(exporter, path, false);
        }
    for (uint32_t i = 0; i < count && !exporter->failed; i++)
        if (images[i].kind == GLTF_IMAGE_WANTED) gltf_export_plan_image(exporter, i);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        if (images[i].kind < GLTF_IMAGE_NAMED) continue;
        images[i].index = exporter->image_count;
        exporter->image_sources[exporter->image_count++] = i;
    }
}

// -- Text

void gltf_export_write_image(gltf_exporter *exporter, uint32_t index)
{
    uint32_t i = exporter->image_sources[index];
    const tenon_image *source = &exporter->scene->images[i];
    const gltf_image *image = &exporter->images[i];
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_IMAGES, source->origin);
    gltf_export_name(exporter, source->name.size || image->uri || from
                                   ? source->name
                                   : gltf_export_images_base_name(source->path));
    if (image->kind == GLTF_IMAGE_NAMED) {
        gltf_export_string(exporter, "uri", image->uri);
    } else {
        uint32_t holder = image->shared == TENON_NONE ? i : image->shared;
        gltf_export_index(exporter, "bufferView", exporter->images[holder].view);
        gltf_export_string(exporter, "mimeType", image->mime);
    }
    gltf_export_kept_members(exporter, from);
}
