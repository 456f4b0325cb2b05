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

#define FILE_MOST ((uint64_t)1 << 30)  // Bytes of a picture's file.
#define PIECE     ((size_t)1 << 16)
#define PATH_MOST 4096

// -- Which ones are needed

static void gltf_mark_images(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->material_count; i++) {
        const tenon_material *source = &exporter->scene->materials[exporter->materials[i].source];
        for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++)
            if (exporter->materials[i].slots & 1u << slot)
                exporter->images[source->textures[slot].image].kind = GLTF_IMAGE_WANTED;
    }
}

static bool has_extension(tenon_str path, const char *extension)
{
    char end[8] = {0};
    size_t size = strlen(extension);
    if (path.size < size || size >= sizeof end) return false;
    memcpy(end, path.data + path.size - size, size);
    return tn_same_word(end, extension);
}

// Whether glTF may refer to a file of that name.
static bool is_nameable(tenon_str path)
{
    return has_extension(path, ".png") || has_extension(path, ".jpg") ||
           has_extension(path, ".jpeg");
}

// -- Files

// Failures of the system end the export. After others only the picture is lost.
static void gltf_fail_on_outage(gltf_exporter *exporter, const tenon_error *err)
{
    if (!tn_is_outage(err)) return;
    *exporter->export->err = *err;
    exporter->failed = true;
}

// Find a file. Returns false, and why, if it is missing or not allowed.
static bool gltf_find_file(gltf_exporter *exporter, tenon_str name, char path[PATH_MOST],
                           tenon_file_info *info, gltf_loss *why)
{
    const tenon_export_opts *opts = exporter->export->opts;
    tenon_error err = {0};
    const tn_search search = {opts->files, opts->model_path, path, PATH_MOST, &err, info};
    tn_place place = tn_find_sidecar(&search, name);
    *why = place == TN_PLACE_OUTSIDE ? GLTF_LOST_PICTURES_OUTSIDE : GLTF_LOST_PICTURES_MISSING;
    gltf_fail_on_outage(exporter, &err);
    return place == TN_PLACE_FOUND && info->kind == TENON_FILE_REGULAR && info->size <= FILE_MOST;
}

static bool gltf_load(gltf_exporter *exporter, const char *path, tenon_bytes *bytes)
{
    const tenon_export_opts *opts = exporter->export->opts;
    tenon_error err = {0};
    tenon_read_opts read = {
        .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
    if (tenon_load(path, &read, bytes, &err)) return true;
    gltf_fail_on_outage(exporter, &err);
    *bytes = (tenon_bytes){0};
    return false;
}

// -- How they are written

// Write only the URI of a picture that could not be loaded, or drop it if glTF does not allow that.
static void gltf_write_uri_only(gltf_exporter *exporter, uint32_t i, gltf_loss why)
{
    tenon_str path = exporter->scene->images[i].path;
    gltf_image *image = &exporter->images[i];
    // Viewers and validators fail on references to missing files, so extras store the path.
    bool is_named = is_nameable(path) && why == GLTF_LOST_PICTURES_UNAVAILABLE;
    image->kind = is_named ? GLTF_IMAGE_NAMED : GLTF_IMAGE_LOST;
    image->why = why;
    if (is_named) image->uri = gltf_uri_of(exporter, path, false);
    if (is_named) why = GLTF_LOST_PICTURES_UNLOADED;
    // If the source is glTF and has only the path in extras, nothing is lost.
    bool is_kept =
        exporter->scene->images[i].is_only_named && exporter->scene->source == &tn_gltf_format.face;
    if (!is_kept || why == GLTF_LOST_PICTURES_BROKEN)
        gltf_report_loss(exporter, why, 1, "images", i);
}

static void gltf_name_image(gltf_exporter *exporter, uint32_t i)
{
    tenon_str path = exporter->scene->images[i].path;
    gltf_image *image = &exporter->images[i];
    char found[PATH_MOST];
    tenon_file_info info;
    gltf_loss why;
    image->is_flipped = exporter->scene->images[i].flip_y;
    gltf_reserve_name(exporter, path);
    if (exporter->export->opts->model_path && !gltf_find_file(exporter, path, found, &info, &why)) {
        gltf_write_uri_only(exporter, i, why);
        return;
    }
    image->kind = GLTF_IMAGE_NAMED;
    image->uri = gltf_uri_of(exporter, path, false);
}

// -- Bytes

typedef struct gltf_png_receiver {
    gltf_exporter *exporter;
    gltf_image *image;
} gltf_png_receiver;

static gltf_picture_block *gltf_add_piece(gltf_exporter *exporter, gltf_image *image, size_t room)
{
    gltf_picture_block *piece =
        tn_block_alloc(&exporter->export->opts->allocator, sizeof *piece + room);
    if (!piece) {
        exporter->failed =
            !tn_error(exporter->export->err, TENON_ERR_MEMORY, "out of memory for a picture");
        return NULL;
    }
    *piece = (gltf_picture_block){.room = room};
    *(image->last ? &image->last->next : &image->first) = piece;
    return image->last = piece;
}

// Receives the bytes of a PNG from the encoder.
static bool gltf_receive_png(void *user, const void *bytes, size_t size)
{
    gltf_png_receiver *receiver = user;
    gltf_picture_block *piece = receiver->image->last;
    if (!piece || size > piece->room - piece->size)
        piece = gltf_add_piece(receiver->exporter, receiver->image, size > PIECE ? size : PIECE);
    if (!piece) return false;
    memcpy(piece->bytes + piece->size, bytes, size);
    piece->size += size;
    receiver->image->size += size;
    return true;
}

bool gltf_has_view(const gltf_image *image)
{
    return image->kind == GLTF_IMAGE_STORED && image->shared == TENON_NONE;
}

bool gltf_write_image_bytes(const gltf_exporter *exporter, const gltf_image *image)
{
    if (image->bytes) return tn_export_write(exporter->export, image->bytes, (size_t)image->size);
    bool is_written = true;
    for (const gltf_picture_block *p = image->first; p && is_written; p = p->next)
        is_written = tn_export_write(exporter->export, p->bytes, p->size);
    return is_written;
}

static void gltf_unload(gltf_image *image)
{
    tenon_unload(&image->loaded);
    image->loaded = (tenon_bytes){0};
}

static void gltf_free_image(gltf_exporter *exporter, gltf_image *image)
{
    for (gltf_picture_block *p = image->first, *next; p; p = next) {
        next = p->next;
        tn_block_free(&exporter->export->opts->allocator, p, sizeof *p + p->room);
    }
    image->first = image->last = NULL;
    image->bytes = NULL;
    gltf_unload(image);
}

void gltf_free_images(gltf_exporter *exporter)
{
    for (uint32_t i = 0; exporter->images && i < exporter->scene->image_count; i++)
        gltf_free_image(exporter, &exporter->images[i]);
}

// -- Pictures whose bytes are loaded

// Report a picture that cannot be written. The export fails if a limit was reached. Returns false.
static bool gltf_report_lost_image(gltf_exporter *exporter, uint32_t i, gltf_loss why)
{
    exporter->images[i].why = why;
    if (tn_budget_settle(exporter->export->opts->allocator.budget, true, exporter->export->err))
        gltf_report_loss(exporter, why, 1, "images", i);
    else
        exporter->failed = true;
    return false;
}

// Convert a picture to PNG. Returns false if the picture is lost.
static bool gltf_convert(gltf_exporter *exporter, uint32_t i, const void *bytes, uint64_t size)
{
    const tenon_export_opts *opts = exporter->export->opts;
    gltf_png_receiver receiver = {exporter, &exporter->images[i]};
    tn_pixels pixels;
    tenon_error err = {0};
    if (!opts->png) return gltf_report_lost_image(exporter, i, GLTF_LOST_PICTURES_UNCONVERTED);
    if (!tn_pixels_decode(bytes, size, &opts->allocator, &pixels, &err)) {
        gltf_fail_on_outage(exporter, &err);
        return gltf_report_lost_image(exporter, i, GLTF_LOST_PICTURES_BROKEN);
    }
    if (exporter->scene->images[i].flip_y) tn_pixels_flip(&pixels);
    bool is_done = opts->png(opts->user, pixels.data, pixels.width, pixels.height, pixels.channels,
                             gltf_receive_png, &receiver);
    tn_pixels_free(&pixels);
    if (!is_done) return gltf_report_lost_image(exporter, i, GLTF_LOST_PICTURES_UNCONVERTED);
    return !exporter->failed;
}

// Set the bytes to write: those of the picture, or of a PNG.
static bool gltf_set_bytes(gltf_exporter *exporter, uint32_t i, tn_picture kind,
                           const uint8_t *bytes, uint64_t size)
{
    gltf_image *image = &exporter->images[i];
    image->mime = kind == TN_PICTURE_JPEG ? "image/jpeg" : "image/png";
    if (kind != TN_PICTURE_JPEG && kind != TN_PICTURE_PNG)
        return gltf_convert(exporter, i, bytes, size);
    image->is_flipped = exporter->scene->images[i].flip_y;
    image->bytes = bytes;
    image->size = size;
    return true;
}

// A new file beside the output.
static void gltf_write_sidecar(gltf_exporter *exporter, uint32_t i, tn_picture kind)
{
    gltf_image *image = &exporter->images[i];
    const char *extension = kind == TN_PICTURE_JPEG ? ".jpg" : ".png";
    const char *name = gltf_sidecar_name(exporter, &exporter->scene->images[i], extension);
    if (!name) return;
    image->uri = gltf_uri_of(exporter, (tenon_str){name, (uint32_t)strlen(name)}, true);
    image->kind = GLTF_IMAGE_NAMED;
    if (!image->uri || !tn_export_begin(exporter->export, name) ||
        !gltf_write_image_bytes(exporter, image) || !tn_export_end(exporter->export))
        exporter->failed = true;
}

static void gltf_plan_picture(gltf_exporter *exporter, uint32_t i, const uint8_t *bytes,
                              uint64_t size)
{
    tn_picture kind = tn_picture_kind(bytes, size);
    if (kind == TN_PICTURE_UNKNOWN)
        gltf_write_uri_only(exporter, i, GLTF_LOST_PICTURES_BROKEN);
    else if (!gltf_set_bytes(exporter, i, kind, bytes, size))
        return;
    else if (exporter->export->opts->embed)
        exporter->images[i].kind = GLTF_IMAGE_STORED;
    else
        gltf_write_sidecar(exporter, i, kind);
}

// An image with the same picture as an earlier image.
static void gltf_share_picture(gltf_exporter *exporter, uint32_t i, uint32_t first)
{
    const gltf_image *from = &exporter->images[first];
    gltf_image *image = &exporter->images[i];
    if (from->kind == GLTF_IMAGE_LOST) {
        gltf_write_uri_only(exporter, i, from->why);
        return;
    }
    image->kind = from->kind;
    image->uri = from->uri;
    image->mime = from->mime;
    image->is_flipped = from->is_flipped;
    image->shared = first;
}

static void gltf_plan_image(gltf_exporter *exporter, uint32_t i)
{
    const tenon_image *source = &exporter->scene->images[i];
    gltf_image *image = &exporter->images[i];
    char path[PATH_MOST] = "";
    tenon_file_info info = {0};
    gltf_loss why = GLTF_LOST_PICTURES_UNAVAILABLE;
    image->kind = GLTF_IMAGE_LOST;
    bool can_look = exporter->export->opts->model_path && source->path.size;
    if (!source->data &&
        (!can_look || !gltf_find_file(exporter, source->path, path, &info, &why))) {
        gltf_write_uri_only(exporter, i, why);
        return;
    }
    const tn_shared_picture *picture = tn_export_share_picture(exporter->export, i, path, info.id);
    if (!picture)
        exporter->failed = true;
    else if (picture->first != i)
        gltf_share_picture(exporter, i, picture->first);
    else if (source->data)
        gltf_plan_picture(exporter, i, source->data, source->size);
    else if (gltf_load(exporter, path, &image->loaded))
        gltf_plan_picture(exporter, i, image->loaded.data, image->loaded.size);
    else
        gltf_write_uri_only(exporter, i, why);
    if (image->kind != GLTF_IMAGE_STORED) gltf_free_image(exporter, image);
    if (!image->bytes) gltf_unload(image);  // The source of the conversion.
}

// Names of the files that the export itself writes.
static void gltf_reserve_own_names(gltf_exporter *exporter)
{
    static const char *const extensions[] = {"bin", "glb", "gltf"};
    const char *stem = exporter->export->opts->name ? exporter->export->opts->name : "model";
    size_t room = strlen(stem) + 8;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0] && !exporter->failed; i++) {
        char *name = gltf_alloc(exporter, room, 1);
        if (!name) return;
        (void)snprintf(name, room, "%s.%s", stem, extensions[i]);
        gltf_reserve_name(exporter, (tenon_str){name, (uint32_t)strlen(name)});
    }
}

// Whether pictures are copied. If the output is in the model's folder, they are there already.
static bool gltf_copies_pictures(const gltf_exporter *exporter)
{
    const tenon_export_opts *opts = exporter->export->opts;
    bool is_elsewhere = opts->texture_root && *opts->texture_root;
    return opts->embed || (opts->copy_textures && is_elsewhere);
}

void gltf_plan_images(gltf_exporter *exporter)
{
    uint32_t count = exporter->scene->image_count;
    exporter->images = gltf_alloc(exporter, count, sizeof *exporter->images);
    for (uint32_t i = 0; i < count && !exporter->failed; i++)
        exporter->images[i].shared = TENON_NONE;
    if (!exporter->failed) gltf_mark_images(exporter);
    if (!exporter->failed) gltf_reserve_own_names(exporter);
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const tenon_image *source = &exporter->scene->images[i];
        bool is_named =
            !gltf_copies_pictures(exporter) && !source->data && is_nameable(source->path);
        if (exporter->images[i].kind == GLTF_IMAGE_WANTED && is_named) gltf_name_image(exporter, i);
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++)
        if (exporter->images[i].kind == GLTF_IMAGE_WANTED) gltf_plan_image(exporter, i);
    for (uint32_t i = 0; i < count && !exporter->failed; i++)
        if (exporter->images[i].kind >= GLTF_IMAGE_NAMED)
            exporter->images[i].index = exporter->image_count++;
}

// -- Text

void gltf_write_images(gltf_exporter *exporter)
{
    if (!exporter->image_count) return;
    gltf_begin_array(exporter, "images");
    for (uint32_t i = 0; i < exporter->scene->image_count; i++) {
        const tenon_image *source = &exporter->scene->images[i];
        const gltf_image *image = &exporter->images[i];
        if (image->kind < GLTF_IMAGE_NAMED) continue;
        gltf_begin_object(exporter, NULL);
        gltf_write_name(exporter, source->name.size || image->uri ? source->name
                                                                  : gltf_base_name(source->path));
        if (image->kind == GLTF_IMAGE_NAMED) {
            tn_json_put_key(&exporter->json, "uri");
            tn_json_put_string(&exporter->json, image->uri);
        } else {
            uint32_t holder = image->shared == TENON_NONE ? i : image->shared;
            gltf_write_index(exporter, "bufferView", exporter->images[holder].view);
            tn_json_put_key(&exporter->json, "mimeType");
            tn_json_put_string(&exporter->json, image->mime);
        }
        gltf_end_object(exporter);
    }
    gltf_end_array(exporter);
}
