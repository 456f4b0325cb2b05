// gltf_check_images.c: pictures: whether their bytes are there, are pictures, and of the kind that
// is said.
// SPDX-License-Identifier: MIT

#include "gltf_check.h"

#include "../../core/span.h"
#include "../../core/text.h"

#include <string.h>

enum {
    START_SIZE = 33
};  // Bytes that are looked at: the header of PNG and the one of its first
    // chunk, with its check sum.

typedef struct gltf_picture {
    uint8_t start[START_SIZE];
    uint64_t size;       // Bytes in `start`.
    tenon_str types[2];  // What the image and its URI say that it is; empty: nothing.
} gltf_picture;

// -- Bytes

static void take_start(gltf_picture *p, const uint8_t *data, uint64_t size)
{
    p->size = size < START_SIZE ? size : START_SIZE;
    memcpy(p->start, data, (size_t)p->size);
}

// False: there is no such file, or it cannot be looked at.
static bool read_start(gltf_picture *p, const tenon_files *files, const char *path)
{
    tenon_file file;
    size_t got = 0;
    if (files->open(files->user, path, &file) != 0) return false;
    while (p->size < START_SIZE &&
           files->read(files->user, file, p->start + p->size, (size_t)(START_SIZE - p->size),
                       &got) == 0 &&
           got > 0)
        p->size += got;
    return files->close(files->user, file) == 0 && p->size > 0;
}

static bool gltf_find_beside(gltf_checker *c, const tn_node *uri, gltf_picture *p)
{
    const tenon_check_opts *opts = c->check->opts;
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    char path[4096];
    tenon_str name = gltf_path_of_uri(&c->r, (tenon_str){uri->text, uri->size});
    return name.data && opts->model_path &&
           tenon_file_beside(files, opts->model_path, name, path, sizeof path) &&
           read_start(p, files, path);
}

// The type in front of the bytes of a data URI.
static tenon_str type_of_uri(tenon_str uri)
{
    uint32_t size = 0;
    const char *text = uri.data + 5;
    while (5 + size < uri.size && text[size] != ';' && text[size] != ',') size++;
    return (tenon_str){text, size};
}

static bool gltf_find_picture(gltf_checker *c, const tn_node *image, gltf_picture *p)
{
    const tn_node *uri = tn_tree_get(image, "uri"), *type = tn_tree_get(image, "mimeType");
    uint32_t view = tn_tree_u32(tn_tree_get(image, "bufferView"), TENON_NONE);
    bool is_text = tn_tree_kind_of(uri) == TN_TREE_STRING;
    if (tn_tree_kind_of(type) == TN_TREE_STRING) p->types[0] = (tenon_str){type->text, type->size};
    if (view < gltf_count(&c->r, GLTF_LIST_BUFFER_VIEWS) && !c->is_bad_view[view]) {
        gltf_range range;
        if (!gltf_view_bytes(&c->r, view, &range)) return false;
        take_start(p, range.data, range.size);
        return true;
    }
    if (!is_text) return false;
    tenon_str text = {uri->text, uri->size};
    if (!gltf_is_data_uri(text)) return gltf_find_beside(c, uri, p);
    uint64_t size = 0;
    const uint8_t *data = gltf_decode_data_uri(&c->r, uri, &c->r.work, &size);
    if (!data) return false;
    p->types[1] = type_of_uri(text);
    take_start(p, data, size);
    return true;
}

// -- Kinds

typedef struct gltf_picture_kind {
    const char *type, *mark;
    uint32_t mark_size, mark_offset;
} gltf_picture_kind;

static const gltf_picture_kind kinds[] = {
    {"image/png", "\x89PNG\r\n\x1a\n", 8, 0}, {"image/jpeg", "\xff\xd8\xff", 3, 0},
    {"image/vnd-ms.dds", "DDS ", 4, 0},       {"image/webp", "WEBP", 4, 8},
    {"image/ktx2", "\xabKTX 20\xbb", 8, 0},
};

static const gltf_picture_kind *find_kind(const gltf_picture *p)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (p->size >= kinds[i].mark_offset + kinds[i].mark_size &&
            memcmp(p->start + kinds[i].mark_offset, kinds[i].mark, kinds[i].mark_size) == 0)
            return &kinds[i];
    return NULL;
}

// PNG starts with a chunk of 13 bytes: width, height, bits, kind of colors, three numbers of which
// only the last has a choice.
static bool is_png_whole(const gltf_picture *p)
{
    static const uint8_t bits_of_kind[] = {31, 0, 24, 15, 24, 0, 24};  // Sums of 1, 2, 4, 8, 16.
    const uint8_t *h = p->start + 16;
    if (p->size < START_SIZE || memcmp(p->start + 8, "\0\0\0\x0dIHDR", 8) != 0) return false;
    bool has_size = tn_load32(h, true) != 0 && tn_load32(h + 4, true) != 0;
    bool is_power = h[8] && !(h[8] & (h[8] - 1)) && h[8] <= 16;
    return has_size && is_power && h[9] <= 6 && (bits_of_kind[h[9]] & h[8]) && h[10] == 0 &&
           h[11] == 0 && h[12] <= 1;
}

static void gltf_judge_picture(gltf_checker *c, const tn_node *image, const gltf_picture *p)
{
    const gltf_picture_kind *kind = find_kind(p);
    char shown[48];
    if (!kind) {
        gltf_found(c, GLTF_RULE_PICTURE, image, "its bytes are neither PNG nor JPEG");
        return;
    }
    for (int i = 0; i < 2; i++) {
        tn_text_clean(p->types[i].data, p->types[i].size, shown, sizeof shown);
        if (p->types[i].size && strcmp(shown, kind->type) != 0)
            gltf_found(c, GLTF_RULE_PICTURE, image, "it says '%s', but its bytes are %s", shown,
                       kind->type);
    }
    if (kind == kinds && !is_png_whole(p))
        gltf_found(c, GLTF_RULE_PICTURE, image, "the header of its PNG is broken");
}

void gltf_check_images(gltf_checker *c)
{
    for (uint32_t i = 0; i < gltf_count(&c->r, GLTF_LIST_IMAGES) && !c->builder.failed; i++) {
        const tn_node *image = gltf_item(&c->r, GLTF_LIST_IMAGES, i);
        const tn_node *view = tn_tree_get(image, "bufferView");
        tn_mark mark = tn_arena_mark(&c->r.work);
        gltf_picture picture = {.types = {{"", 0}, {"", 0}}};
        if (!view == !tn_tree_get(image, "uri"))
            gltf_found(c, GLTF_RULE_MISSING, image, "one of 'uri' and 'bufferView' is needed");
        else if (view && !tn_tree_get(image, "mimeType"))
            gltf_found(c, GLTF_RULE_MISSING, image, "with 'bufferView', 'mimeType' is needed");
        if (gltf_find_picture(c, image, &picture)) gltf_judge_picture(c, image, &picture);
        gltf_found_failure(c, GLTF_RULE_PICTURE);
        tn_arena_rewind(&c->r.work, mark);
    }
}
