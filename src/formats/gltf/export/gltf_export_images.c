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

static void gltf_mark_images(gltf_exporter *w)
{
    for (uint32_t i = 0; i < w->material_count; i++) {
        const tenon_material *source = &w->scene->materials[w->materials[i].source];
        for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++)
            if (w->materials[i].slots & 1u << slot)
                w->images[source->textures[slot].image].kind = GLTF_IMAGE_WANTED;
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
static void gltf_fail_at_outage(gltf_exporter *w, const tenon_error *err)
{
    if (!tn_is_outage(err)) return;
    *w->e->err = *err;
    w->failed = true;
}

// Find a file. Returns false, and why, if it is missing or not allowed.
static bool gltf_find_file(gltf_exporter *w, tenon_str name, char path[PATH_MOST],
                           tenon_file_info *info, gltf_lost *why)
{
    const tenon_export_opts *opts = w->e->opts;
    tenon_error err = {0};
    const tn_search search = {opts->files, opts->model_path, path, PATH_MOST, &err, info};
    tn_place place = tn_find_sidecar(&search, name);
    *why = place == TN_PLACE_OUTSIDE ? GLTF_LOST_PICTURES_OUTSIDE : GLTF_LOST_PICTURES_MISSING;
    gltf_fail_at_outage(w, &err);
    return place == TN_PLACE_FOUND && info->kind == TENON_FILE_REGULAR && info->size <= FILE_MOST;
}

static bool gltf_load(gltf_exporter *w, const char *path, tenon_bytes *bytes)
{
    const tenon_export_opts *opts = w->e->opts;
    tenon_error err = {0};
    tenon_read_opts read = {
        .allocator = opts->allocator, .files = opts->files, .beside = opts->model_path};
    if (tenon_load(path, &read, bytes, &err)) return true;
    gltf_fail_at_outage(w, &err);
    *bytes = (tenon_bytes){0};
    return false;
}

// -- How they are written

// Write only the URI of a picture that could not be loaded, or drop it if glTF does not allow that.
static void gltf_leave_outside(gltf_exporter *w, uint32_t i, gltf_lost why)
{
    tenon_str path = w->scene->images[i].path;
    gltf_image *image = &w->images[i];
    // Viewers and validators fail on references to missing files, so extras store the path.
    bool is_named = is_nameable(path) && why == GLTF_LOST_PICTURES_UNSEEN;
    image->kind = is_named ? GLTF_IMAGE_NAMED : GLTF_IMAGE_LOST;
    image->why = why;
    if (is_named) image->uri = gltf_uri_of(w, path, false);
    if (is_named) why = GLTF_LOST_PICTURES_UNLOADED;
    // If the source is glTF and has only the path in extras, nothing is lost.
    bool is_kept = w->scene->images[i].is_only_named && w->scene->source == &tn_gltf_format.face;
    if (!is_kept || why == GLTF_LOST_PICTURES_BROKEN) gltf_report_loss(w, why, 1, "images", i);
}

static void gltf_name_image(gltf_exporter *w, uint32_t i)
{
    tenon_str path = w->scene->images[i].path;
    gltf_image *image = &w->images[i];
    char found[PATH_MOST];
    tenon_file_info info;
    gltf_lost why;
    image->is_flipped = w->scene->images[i].flip_y;
    gltf_reserve_name(w, path);
    if (w->e->opts->model_path && !gltf_find_file(w, path, found, &info, &why)) {
        gltf_leave_outside(w, i, why);
        return;
    }
    image->kind = GLTF_IMAGE_NAMED;
    image->uri = gltf_uri_of(w, path, false);
}

// -- Bytes

typedef struct gltf_keeper {
    gltf_exporter *w;
    gltf_image *image;
} gltf_keeper;

static gltf_picture_block *gltf_add_piece(gltf_exporter *w, gltf_image *image, size_t room)
{
    gltf_picture_block *piece = tn_block_alloc(&w->e->opts->allocator, sizeof *piece + room);
    if (!piece) {
        w->failed = !tn_error(w->e->err, TENON_ERR_MEMORY, "out of memory for a picture");
        return NULL;
    }
    *piece = (gltf_picture_block){.room = room};
    *(image->last ? &image->last->next : &image->first) = piece;
    return image->last = piece;
}

// Receives the bytes of a PNG from the encoder.
static bool gltf_keep_bytes(void *user, const void *bytes, size_t size)
{
    gltf_keeper *keeper = user;
    gltf_picture_block *piece = keeper->image->last;
    if (!piece || size > piece->room - piece->size)
        piece = gltf_add_piece(keeper->w, keeper->image, size > PIECE ? size : PIECE);
    if (!piece) return false;
    memcpy(piece->bytes + piece->size, bytes, size);
    piece->size += size;
    keeper->image->size += size;
    return true;
}

bool gltf_has_view(const gltf_image *image)
{
    return image->kind == GLTF_IMAGE_STORED && image->shared == TENON_NONE;
}

bool gltf_export_image(const gltf_exporter *w, const gltf_image *image)
{
    if (image->bytes) return tn_export_write(w->e, image->bytes, (size_t)image->size);
    bool is_written = true;
    for (const gltf_picture_block *p = image->first; p && is_written; p = p->next)
        is_written = tn_export_write(w->e, p->bytes, p->size);
    return is_written;
}

static void gltf_unload(gltf_image *image)
{
    tenon_unload(&image->loaded);
    image->loaded = (tenon_bytes){0};
}

static void gltf_free_image(gltf_exporter *w, gltf_image *image)
{
    for (gltf_picture_block *p = image->first, *next; p; p = next) {
        next = p->next;
        tn_block_free(&w->e->opts->allocator, p, sizeof *p + p->room);
    }
    image->first = image->last = NULL;
    image->bytes = NULL;
    gltf_unload(image);
}

void gltf_free_images(gltf_exporter *w)
{
    for (uint32_t i = 0; w->images && i < w->scene->image_count; i++)
        gltf_free_image(w, &w->images[i]);
}

// -- Pictures whose bytes are loaded

// Report a picture that cannot be written. The export fails if a limit was reached. Returns false.
static bool gltf_report_image(gltf_exporter *w, uint32_t i, gltf_lost why)
{
    w->images[i].why = why;
    if (tn_budget_settle(w->e->opts->allocator.budget, true, w->e->err))
        gltf_report_loss(w, why, 1, "images", i);
    else
        w->failed = true;
    return false;
}

// Convert a picture to PNG. Returns false if the picture is lost.
static bool gltf_convert(gltf_exporter *w, uint32_t i, const void *bytes, uint64_t size)
{
    const tenon_export_opts *opts = w->e->opts;
    gltf_keeper keeper = {w, &w->images[i]};
    tn_pixels pixels;
    tenon_error err = {0};
    if (!opts->png) return gltf_report_image(w, i, GLTF_LOST_PICTURES_UNCODED);
    if (!tn_pixels_decode(bytes, size, &opts->allocator, &pixels, &err)) {
        gltf_fail_at_outage(w, &err);
        return gltf_report_image(w, i, GLTF_LOST_PICTURES_BROKEN);
    }
    if (w->scene->images[i].flip_y) tn_pixels_flip(&pixels);
    bool is_done = opts->png(opts->user, pixels.data, pixels.width, pixels.height, pixels.channels,
                             gltf_keep_bytes, &keeper);
    tn_pixels_free(&pixels);
    if (!is_done) return gltf_report_image(w, i, GLTF_LOST_PICTURES_UNCODED);
    return !w->failed;
}

// Set the bytes to write: those of the picture, or of a PNG.
static bool gltf_export_bytes(gltf_exporter *w, uint32_t i, tn_picture kind, const uint8_t *bytes,
                              uint64_t size)
{
    gltf_image *image = &w->images[i];
    image->mime = kind == TN_PICTURE_JPEG ? "image/jpeg" : "image/png";
    if (kind != TN_PICTURE_JPEG && kind != TN_PICTURE_PNG) return gltf_convert(w, i, bytes, size);
    image->is_flipped = w->scene->images[i].flip_y;
    image->bytes = bytes;
    image->size = size;
    return true;
}

// A new file beside the output.
static void gltf_export_side(gltf_exporter *w, uint32_t i, tn_picture kind)
{
    gltf_image *image = &w->images[i];
    const char *extension = kind == TN_PICTURE_JPEG ? ".jpg" : ".png";
    const char *name = gltf_sidecar_name(w, &w->scene->images[i], extension);
    if (!name) return;
    image->uri = gltf_uri_of(w, (tenon_str){name, (uint32_t)strlen(name)}, true);
    image->kind = GLTF_IMAGE_NAMED;
    if (!image->uri || !tn_export_begin(w->e, name) || !gltf_export_image(w, image) ||
        !tn_export_end(w->e))
        w->failed = true;
}

static void gltf_take_image(gltf_exporter *w, uint32_t i, const uint8_t *bytes, uint64_t size)
{
    tn_picture kind = tn_picture_kind(bytes, size);
    if (kind == TN_PICTURE_UNKNOWN)
        gltf_leave_outside(w, i, GLTF_LOST_PICTURES_BROKEN);
    else if (!gltf_export_bytes(w, i, kind, bytes, size))
        return;
    else if (w->e->opts->embed)
        w->images[i].kind = GLTF_IMAGE_STORED;
    else
        gltf_export_side(w, i, kind);
}

// An image with the same picture as an earlier image.
static void gltf_share_image(gltf_exporter *w, uint32_t i, uint32_t first)
{
    const gltf_image *from = &w->images[first];
    gltf_image *image = &w->images[i];
    if (from->kind == GLTF_IMAGE_LOST) {
        gltf_leave_outside(w, i, from->why);
        return;
    }
    image->kind = from->kind;
    image->uri = from->uri;
    image->mime = from->mime;
    image->is_flipped = from->is_flipped;
    image->shared = first;
}

static void gltf_plan_image(gltf_exporter *w, uint32_t i)
{
    const tenon_image *source = &w->scene->images[i];
    gltf_image *image = &w->images[i];
    char path[PATH_MOST] = "";
    tenon_file_info info = {0};
    gltf_lost why = GLTF_LOST_PICTURES_UNSEEN;
    image->kind = GLTF_IMAGE_LOST;
    bool can_look = w->e->opts->model_path && source->path.size;
    if (!source->data && (!can_look || !gltf_find_file(w, source->path, path, &info, &why))) {
        gltf_leave_outside(w, i, why);
        return;
    }
    const tn_shared_picture *picture = tn_export_share_picture(w->e, i, path, info.id);
    if (!picture)
        w->failed = true;
    else if (picture->first != i)
        gltf_share_image(w, i, picture->first);
    else if (source->data)
        gltf_take_image(w, i, source->data, source->size);
    else if (gltf_load(w, path, &image->loaded))
        gltf_take_image(w, i, image->loaded.data, image->loaded.size);
    else
        gltf_leave_outside(w, i, why);
    if (image->kind != GLTF_IMAGE_STORED) gltf_free_image(w, image);
    if (!image->bytes) gltf_unload(image);  // The source of the conversion.
}

// Names of the files that the export itself writes.
static void gltf_reserve_own_names(gltf_exporter *w)
{
    static const char *const extensions[] = {"bin", "glb", "gltf"};
    const char *stem = w->e->opts->name ? w->e->opts->name : "model";
    size_t room = strlen(stem) + 8;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0] && !w->failed; i++) {
        char *name = gltf_alloc(w, room, 1);
        if (!name) return;
        (void)snprintf(name, room, "%s.%s", stem, extensions[i]);
        gltf_reserve_name(w, (tenon_str){name, (uint32_t)strlen(name)});
    }
}

// Whether pictures are copied. If the output is in the model's folder, they are there already.
static bool gltf_takes_along(const gltf_exporter *w)
{
    const tenon_export_opts *opts = w->e->opts;
    bool is_elsewhere = opts->texture_root && *opts->texture_root;
    return opts->embed || (opts->copy_textures && is_elsewhere);
}

void gltf_plan_images(gltf_exporter *w)
{
    uint32_t count = w->scene->image_count;
    w->images = gltf_alloc(w, count, sizeof *w->images);
    for (uint32_t i = 0; i < count && !w->failed; i++) w->images[i].shared = TENON_NONE;
    if (!w->failed) gltf_mark_images(w);
    if (!w->failed) gltf_reserve_own_names(w);
    for (uint32_t i = 0; i < count && !w->failed; i++) {
        const tenon_image *source = &w->scene->images[i];
        bool is_named = !gltf_takes_along(w) && !source->data && is_nameable(source->path);
        if (w->images[i].kind == GLTF_IMAGE_WANTED && is_named) gltf_name_image(w, i);
    }
    for (uint32_t i = 0; i < count && !w->failed; i++)
        if (w->images[i].kind == GLTF_IMAGE_WANTED) gltf_plan_image(w, i);
    for (uint32_t i = 0; i < count && !w->failed; i++)
        if (w->images[i].kind >= GLTF_IMAGE_NAMED) w->images[i].index = w->image_count++;
}

// -- Text

void gltf_put_images(gltf_exporter *w)
{
    if (!w->image_count) return;
    gltf_open_array(w, "images");
    for (uint32_t i = 0; i < w->scene->image_count; i++) {
        const tenon_image *source = &w->scene->images[i];
        const gltf_image *image = &w->images[i];
        if (image->kind < GLTF_IMAGE_NAMED) continue;
        gltf_open_object(w, NULL);
        gltf_put_name(w, source->name.size || image->uri ? source->name
                                                         : gltf_base_name(source->path));
        if (image->kind == GLTF_IMAGE_NAMED) {
            tn_json_put_key(&w->json, "uri");
            tn_json_put_string(&w->json, image->uri);
        } else {
            uint32_t holder = image->shared == TENON_NONE ? i : image->shared;
            gltf_put_index(w, "bufferView", w->images[holder].view);
            tn_json_put_key(&w->json, "mimeType");
            tn_json_put_string(&w->json, image->mime);
        }
        gltf_close_object(w);
    }
    gltf_close_array(w);
}
