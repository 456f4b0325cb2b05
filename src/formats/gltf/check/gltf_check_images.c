// gltf_check_images.c: pictures: whether they exist and are complete, and their types are allowed.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/cursor/span.h"
#include "core/memory/budget.h"
#include "core/text/name_tree.h"
#include "core/text/text.h"

#include <string.h>

enum { START_SIZE = 33 };     // Bytes of a PNG up to the end of its first chunk.
enum { WINDOW_SIZE = 4096 };  // Bytes of a file that are read at once.

// Bytes of a picture that are examined in a step.
#define BYTES_OF_STEP 16

// Bytes of files that are read in all, since many images may refer to one large file.
#define READ_MOST ((uint64_t)16 << 20)

// A picture in memory, or in a file that is read piece by piece.
typedef struct gltf_picture {
    const uint8_t *data;
    uint64_t size, at;         // Bytes of `data`, and the position in them.
    const tenon_files *files;  // NULL: all bytes are in `data`.
    tenon_file file;
    bool is_unread;    // Reading failed, which is not the fault of the picture.
    uint64_t *left;    // Of READ_MOST; at 0, headers are not checked.
    uint64_t looked;   // Bytes that were examined.
    bool *is_checked;  // Whether its view or file is already checked; NULL: no other image has it.
    uint8_t *window;   // WINDOW_SIZE bytes.
} gltf_picture;

typedef struct gltf_picture_file {
    tn_named named;  // Its URI.
    bool is_checked;
} gltf_picture_file;

// What is known of the pictures so far.
typedef struct gltf_pictures {
    bool *is_checked;  // For each view.
    tn_name_tree by_uri;
    gltf_picture_file *files;  // For each image.
} gltf_pictures;

// -- Kinds

typedef struct gltf_picture_kind {
    const char *type, *mark;
    uint32_t mark_size, mark_offset;
    const char *suffix;     // Of files.
    const char *extension;  // That allows the type; NULL: it is always allowed.
} gltf_picture_kind;

enum { KIND_PNG, KIND_JPEG, KIND_DDS, KIND_WEBP, KIND_KTX2, KINDS };

static const gltf_picture_kind kinds[KINDS] = {
    [KIND_PNG] = {"image/png", "\x89PNG\r\n\x1a\n", 8, 0, ".png", NULL},
    [KIND_JPEG] = {"image/jpeg", "\xff\xd8\xff", 3, 0, ".jpg", NULL},
    [KIND_DDS] = {"image/vnd-ms.dds", "DDS ", 4, 0, ".dds", "MSFT_texture_dds"},
    [KIND_WEBP] = {"image/webp", "WEBP", 4, 8, ".webp", "EXT_texture_webp"},
    [KIND_KTX2] = {"image/ktx2", "\xabKTX 20\xbb", 8, 0, ".ktx2", "KHR_texture_basisu"},
};

static uint32_t gltf_check_images_find_type(tenon_str type)
{
    char word[32] = "";
    uint32_t i = 0;
    if (type.size < sizeof word) memcpy(word, type.data, type.size);
    while (i < KINDS && !tn_same_word(word, kinds[i].type)) i++;
    return i;
}

// -- Bytes

// Read more bytes of a file, after `kept` ones in the window. Returns how many.
static size_t gltf_check_images_read_window(gltf_picture *p, size_t kept)
{
    size_t got = 0;
    if (p->files->read(p->files->user, p->file, p->window + kept, WINDOW_SIZE - kept, &got) == 0)
        return got;
    p->is_unread = true;
    return 0;
}

// The next byte, or -1 at the end.
static int gltf_check_images_next_byte(gltf_picture *p)
{
    if (p->at == p->size && p->files && *p->left >= WINDOW_SIZE) {
        *p->left -= WINDOW_SIZE;
        p->at = 0;
        p->size = gltf_check_images_read_window(p, 0);
    }
    p->looked++;
    return p->at < p->size ? p->data[p->at++] : -1;
}

// A big-endian number of up to 4 bytes, or -1 at the end.
static int64_t gltf_check_images_next_number(gltf_picture *p, int bytes)
{
    int64_t number = 0;
    for (int byte; bytes > 0; bytes--) {
        if ((byte = gltf_check_images_next_byte(p)) < 0) return -1;
        number = number << 8 | byte;
    }
    return number;
}

static bool gltf_check_images_skip_bytes(gltf_picture *p, int64_t count)
{
    while (count > 0) {
        uint64_t step = p->size - p->at;
        if (step > (uint64_t)count) step = (uint64_t)count;
        p->at += step;
        count -= (int64_t)step;
        if (count-- > 0 && gltf_check_images_next_byte(p) < 0) return false;
    }
    return true;
}

// -- Headers

// Check a PNG. Its first chunk has width, height, bit depth, color type, and three numbers of which
// the first two must be 0. Others follow, up to the pixels. Returns what is wrong, or NULL.
static const char *gltf_check_images_png(gltf_picture *p)
{
    static const uint8_t bits_of_kind[] = {31, 0, 24, 15, 24, 0, 24};  // Sums of 1, 2, 4, 8, 16.
    const int64_t pixels = 0x49444154;                                 // "IDAT"
    const uint8_t *h = p->data + 16;
    if (p->size < START_SIZE || memcmp(p->data + 8, "\0\0\0\x0dIHDR", 8) != 0)
        return "the header of its PNG is broken";
    bool has_size = tn_load32(h, true) != 0 && tn_load32(h + 4, true) != 0;
    bool is_power = h[8] && !(h[8] & (h[8] - 1)) && h[8] <= 16;
    if (!has_size || !is_power || h[9] > 6 || !(bits_of_kind[h[9]] & h[8]) || h[10] || h[11] ||
        h[12] > 1)
        return "the header of its PNG is broken";
    p->at = START_SIZE;
    for (;;) {
        int64_t length = gltf_check_images_next_number(p, 4),
                kind = gltf_check_images_next_number(p, 4);
        if (length >= 0 && kind == pixels) return NULL;
        if (length < 0 || kind < 0 || !gltf_check_images_skip_bytes(p, length + 4))
            return "its PNG is cut off";
    }
}

// Check the segments of a JPEG up to the one that describes the picture. Returns what is wrong, or
// NULL.
static const char *gltf_check_images_jpeg(gltf_picture *p)
{
    const char *const end = "its JPEG is cut off";
    for (;;) {
        int64_t marker = gltf_check_images_next_number(p, 1);
        if (marker < 0) return end;
        bool is_alone = marker == 0xff || marker == 0xd8 || marker == 0xd9 || marker == 1 ||
                        (marker & 0xf8) == 0xd0;
        if (is_alone) continue;
        bool is_frame =
            (marker & 0xf0) == 0xc0 && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        int64_t length = gltf_check_images_next_number(p, 2);
        if (length < 0) return end;
        if (length < (is_frame ? 8 : 2)) return "a segment of its JPEG is too short";
        if (!is_frame && gltf_check_images_skip_bytes(p, length - 2)) continue;
        if (!is_frame || !gltf_check_images_skip_bytes(p, 5)) return end;
        int64_t colors = gltf_check_images_next_number(p, 1);
        if (colors < 0) return end;
        return colors == 1 || colors == 3 ? NULL : "its JPEG does not have 1 or 3 color components";
    }
}

// -- Pictures

// Find the bytes of a picture, or open its file. Returns false, with a finding if the image is
// wrong, if that fails.
static bool gltf_check_images_find_picture(gltf_checker *checker, const tn_json_value *image,
                                           gltf_pictures *known, gltf_picture *p)
{
    const tn_json_value *uri = tn_json_tree_get(image, "uri");
    uint32_t view = gltf_index_of(image, "bufferView");
    if (view < gltf_import_count(&checker->importer, LIST_BUFFER_VIEWS)) {
        gltf_range range;
        if (checker->is_bad_view[view] || !gltf_import_view_bytes(&checker->importer, view, &range))
            return false;
        p->data = range.data;
        p->size = range.size;
        p->is_checked = &known->is_checked[view];
        return range.data;
    }
    if (tn_json_tree_kind_of(uri) != TN_TREE_STRING || gltf_check_uri(checker, uri)) return false;
    tenon_str text = gltf_import_text_of(uri);
    if (gltf_import_is_data_uri(text)) {
        p->data = gltf_import_decode_data_uri(&checker->importer, uri, &checker->importer.scratch,
                                              &p->size);
        return p->data;
    }
    const tenon_check_opts *opts = checker->check->opts;
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    char path[TN_PATH_SIZE], shown[96];
    tenon_error outage = {0};
    tenon_str name = gltf_import_path_of_uri(&checker->importer, text);
    if (!name.data || !opts->model_path) return false;
    if (!name.size) {
        gltf_check_found(checker, "picture-missing", uri, "it does not name a file");
        return false;
    }
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    const tn_search search = {files, opts->model_path, path, sizeof path, &outage, NULL};
    tn_place place = tn_find_sidecar(&search, name);
    if (outage.code != TENON_OK) tn_check_fail(checker->check, &outage);
    if (place == TN_PLACE_OUTSIDE)
        gltf_check_found(checker, "uri", uri, "'%s' is outside the model's folder", shown);
    if (place == TN_PLACE_MISSING && !checker->check->failed) {
        // Pictures of an optional extension may be missing.
        const char *extension = NULL;
        for (uint32_t i = 0; i < KINDS && !extension; i++) {
            size_t size = strlen(kinds[i].suffix);
            char end[8] = "";
            if (name.size > size) memcpy(end, name.data + name.size - size, size);
            if (tn_same_word(end, kinds[i].suffix)) extension = kinds[i].extension;
        }
        tenon_str needed = {extension, extension ? (uint32_t)strlen(extension) : 0};
        bool is_needed =
            !extension || tn_text_is(needed, "MSFT_texture_dds") ||
            gltf_import_lists_extension(&checker->importer, "extensionsRequired", needed);
        gltf_check_found(checker, is_needed ? "picture-missing" : "picture-unknown", uri,
                         "'%s' does not exist", shown);
    }
    if (place != TN_PLACE_FOUND || checker->check->failed) return false;
    if (files->open(files->user, path, &p->file) != 0) return false;
    gltf_picture_file *entry = &known->files[image->index];
    entry->named.name = text;
    entry = (gltf_picture_file *)tn_name_enter(&known->by_uri, &entry->named);
    p->is_checked = &entry->is_checked;
    p->files = files;
    p->data = p->window;
    for (size_t got = 1; p->size < START_SIZE && got > 0; p->size += got)
        got = gltf_check_images_read_window(p, (size_t)p->size);
    return !p->is_unread;
}

// Returns the type of the picture.
static uint32_t gltf_check_images_picture(gltf_checker *checker, const tn_json_value *image,
                                          gltf_picture *p)
{
    uint32_t kind = 0;
    while (kind < KINDS && (p->size < kinds[kind].mark_offset + kinds[kind].mark_size ||
                            memcmp(p->data + kinds[kind].mark_offset, kinds[kind].mark,
                                   kinds[kind].mark_size) != 0))
        kind++;
    tenon_str uri = gltf_import_text_of(tn_json_tree_get(image, "uri"));
    tenon_str types[2] = {gltf_import_text_of(tn_json_tree_get(image, "mimeType"))};
    bool is_data = gltf_import_is_data_uri(uri);
    if (is_data) {
        uint32_t start = 5, end = start;
        while (end < uri.size && uri.data[end] != ';' && uri.data[end] != ',') end++;
        types[1] = end > start ? (tenon_str){uri.data + start, end - start}
                               : (tenon_str){"text/plain", 10};
    }
    if (kind == KINDS && is_data)
        gltf_check_found(checker, "picture", image, "its data is neither PNG nor JPEG");
    else if (kind == KINDS)
        gltf_check_found(checker, "picture-unknown", image, "its data is neither PNG nor JPEG");
    for (int i = 0; i < 2 && kind < KINDS; i++) {
        char shown[48];
        if (!types[i].size || gltf_check_images_find_type(types[i]) == kind) continue;
        tn_text_clean(types[i].data, types[i].size, shown, sizeof shown);
        gltf_check_found(checker, "picture", image, "'mimeType' is '%s', but the data is %s", shown,
                         kinds[kind].type);
    }
    const char *extension = kind < KINDS ? kinds[kind].extension : NULL;
    if (extension &&
        !gltf_import_lists_extension(&checker->importer, "extensionsUsed",
                                     (tenon_str){extension, (uint32_t)strlen(extension)}))
        gltf_check_found(checker, kind == KIND_WEBP ? "picture" : "picture-unknown", image,
                         "it is %s, which needs %s", kinds[kind].type, extension);
    if (p->is_checked && *p->is_checked) return kind;
    if (p->is_checked) *p->is_checked = true;
    const char *fault = kind == KIND_PNG    ? gltf_check_images_png(p)
                        : kind == KIND_JPEG ? gltf_check_images_jpeg(p)
                                            : NULL;
    if (fault && !p->is_unread && *p->left >= WINDOW_SIZE)
        gltf_check_found(checker, "picture", image, "%s", fault);
    return kind;
}

void gltf_check_images(gltf_checker *checker)
{
    uint32_t count = gltf_import_count(&checker->importer, LIST_IMAGES);
    uint64_t left = READ_MOST;
    uint8_t window[WINDOW_SIZE];
    // For each image, the type of its data, or else its 'mimeType'.
    uint8_t *kind_of = gltf_import_scratch(&checker->importer, count, sizeof *kind_of);
    gltf_pictures known = {
        .is_checked = gltf_import_scratch_for(&checker->importer, LIST_BUFFER_VIEWS, sizeof(bool)),
        .files = gltf_import_scratch(&checker->importer, count, sizeof *known.files)};
    for (uint32_t i = 0; i < count && !checker->builder.failed && !checker->check->failed; i++) {
        const tn_json_value *image = gltf_import_item(&checker->importer, LIST_IMAGES, i);
        const tn_json_value *view = tn_json_tree_get(image, "bufferView");
        tn_mark mark = tn_arena_mark(&checker->importer.scratch);
        gltf_picture picture = {.left = &left, .window = window};
        if (!view == !tn_json_tree_get(image, "uri"))
            gltf_check_found(checker, "missing", image,
                             "exactly one of 'uri' and 'bufferView' is required");
        else if (view && !tn_json_tree_get(image, "mimeType"))
            gltf_check_found(checker, "missing", image, "'bufferView' requires 'mimeType'");
        kind_of[i] = (uint8_t)gltf_check_images_find_type(
            gltf_import_text_of(tn_json_tree_get(image, "mimeType")));
        if (gltf_check_images_find_picture(checker, image, &known, &picture))
            kind_of[i] = (uint8_t)gltf_check_images_picture(checker, image, &picture);
        if (picture.files) (void)picture.files->close(picture.files->user, picture.file);
        gltf_check_report_failure(checker, "picture");
        tn_arena_rewind(&checker->importer.scratch, mark);
        if (!tn_budget_work(checker->importer.scratch.allocator.budget,
                            picture.looked / BYTES_OF_STEP))
            return;
    }
    if (checker->builder.failed) return;
    for (uint32_t i = 0; i < gltf_import_count(&checker->importer, LIST_TEXTURES); i++) {
        const tn_json_value *texture = gltf_import_item(&checker->importer, LIST_TEXTURES, i);
        const tn_json_value *extensions = tn_json_tree_get(texture, "extensions");
        const tn_json_value *webp = tn_json_tree_get(extensions, "EXT_texture_webp");
        const tn_json_value *sources[] = {tn_json_tree_get(texture, "source"),
                                          tn_json_tree_get(webp, "source")};
        for (int k = 0; k < 2; k++) {
            uint32_t image = tn_json_tree_u32(sources[k], TENON_NONE);
            if (image >= gltf_import_count(&checker->importer, LIST_IMAGES) ||
                kind_of[image] == KINDS)
                continue;
            bool is_plain = !kinds[kind_of[image]].extension;
            if (k == 0 ? !is_plain : kind_of[image] != KIND_WEBP)
                gltf_check_found(checker, "picture", sources[k],
                                 "a picture of type %s is not allowed here",
                                 kinds[kind_of[image]].type);
        }
    }
}
