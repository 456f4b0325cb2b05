// gltf_export_help.h: what tests of the glTF writer share: a sink in memory, a reader, a PNG
// encoder.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GLTF_EXPORT_HELP_H
#define TENON_TESTS_GLTF_EXPORT_HELP_H

#include "../test.h"
#include "core/json/json_tree.h"
#include "scene/model/scene_build.h"

#include <stdlib.h>

#define FILES_MOST  16
#define LOSSES_MOST 64

// -- A sink that keeps the files, and a list of losses

typedef struct kept_file {
    char name[256];
    uint8_t *bytes;
    size_t size, room;
    bool is_complete;
} kept_file;

typedef struct kept {
    kept_file files[FILES_MOST];
    int file_count;
    long calls_left;  // Before the sink refuses; negative: never.
    tenon_loss losses[LOSSES_MOST];
    char paths[LOSSES_MOST][64], whys[LOSSES_MOST][160];
    int loss_count;
    tenon_error err;
} kept;

static inline bool kept_refuses(kept *k)
{
    if (k->calls_left > 0) k->calls_left--;
    return k->calls_left == 0;
}

static inline bool kept_begin(void *user, const char *name)
{
    kept *k = user;
    if (kept_refuses(k) || k->file_count == FILES_MOST) return false;
    snprintf(k->files[k->file_count++].name, sizeof k->files[0].name, "%s", name);
    return true;
}

static inline bool kept_write(void *user, const void *bytes, size_t size)
{
    kept *k = user;
    kept_file *f = &k->files[k->file_count - 1];
    if (kept_refuses(k)) return false;
    if (size > f->room - f->size) {
        f->room = 2 * (f->size + size);
        f->bytes = realloc(f->bytes, f->room);
    }
    if (size) memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
    return true;
}

static inline bool kept_end(void *user)
{
    kept *k = user;
    k->files[k->file_count - 1].is_complete = true;
    return !kept_refuses(k);
}

static inline void kept_lose(void *user, const tenon_loss *loss)
{
    kept *k = user;
    if (k->loss_count == LOSSES_MOST) return;
    k->losses[k->loss_count] = *loss;
    snprintf(k->whys[k->loss_count], sizeof k->whys[0], "%s", loss->why);
    snprintf(k->paths[k->loss_count++], sizeof k->paths[0], "%s", loss->path ? loss->path : "");
}

static inline void kept_free(kept *k)
{
    for (int i = 0; i < FILES_MOST; i++) free(k->files[i].bytes);
    *k = (kept){.calls_left = -1};
}

static inline const kept_file *kept_named(const kept *k, const char *name)
{
    for (int i = 0; i < k->file_count; i++)
        if (strcmp(k->files[i].name, name) == 0 && k->files[i].is_complete) return &k->files[i];
    return NULL;
}

static inline uint64_t lost_count(const kept *k, const char *feature)
{
    for (int i = 0; i < k->loss_count; i++)
        if (strcmp(k->losses[i].feature, feature) == 0) return k->losses[i].count;
    return 0;
}

// Why it was lost; "" if it was not.
static inline const char *lost_why(const kept *k, const char *feature)
{
    for (int i = 0; i < k->loss_count; i++)
        if (strcmp(k->losses[i].feature, feature) == 0) return k->whys[i];
    return "";
}

// -- PNG, without compression

static inline void png_put(uint8_t *out, size_t *at, const void *bytes, size_t size)
{
    memcpy(out + *at, bytes, size);
    *at += size;
}

static inline void png_put_u32(uint8_t *out, size_t *at, uint32_t v)
{
    const uint8_t bytes[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
    png_put(out, at, bytes, 4);
}

static inline void png_put_chunk(uint8_t *out, size_t *at, const char *type, const uint8_t *data,
                                 uint32_t size)
{
    png_put_u32(out, at, size);
    size_t start = *at;
    png_put(out, at, type, 4);
    if (size) png_put(out, at, data, size);
    uint32_t crc = UINT32_MAX;
    for (size_t i = start; i < *at; i++) {
        crc ^= out[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    png_put_u32(out, at, ~crc);
}

// A tenon_png_fn. Rows must have less than 64 KiB; each is a separate block.
static inline bool encode_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                              uint32_t channels, tenon_write_fn *write, void *write_user)
{
    (void)user;
    size_t row = (size_t)width * channels, at = 0, used = 2;
    uint8_t *data = malloc(2 + height * (row + 6) + 4), *out = malloc(height * (row + 6) + 128);
    uint32_t a = 1, b = 0;
    data[0] = 0x78, data[1] = 1;
    for (uint32_t y = 0; y < height; y++) {
        uint32_t size = (uint32_t)row + 1;
        const uint8_t head[] = {y + 1 == height, (uint8_t)size,         (uint8_t)(size >> 8),
                                (uint8_t)~size,  (uint8_t)(~size >> 8), 0};
        png_put(data, &used, head, 6);
        png_put(data, &used, pixels + y * row, row);
        for (size_t i = used - size; i < used; i++) a = (a + data[i]) % 65521, b = (b + a) % 65521;
    }
    png_put_u32(data, &used, b << 16 | a);
    uint8_t header[13] = {[8] = 8, [9] = channels == 4 ? 6 : 2};
    size_t header_size = 0;
    png_put_u32(header, &header_size, width);
    png_put_u32(header, &header_size, height);
    png_put(out, &at, "\x89PNG\r\n\x1a\n", 8);
    png_put_chunk(out, &at, "IHDR", header, 13);
    png_put_chunk(out, &at, "IDAT", data, (uint32_t)used);
    png_put_chunk(out, &at, "IEND", NULL, 0);
    bool ok = write(write_user, out, at);
    free(data);
    free(out);
    return ok;
}

// -- A reader

typedef struct gltf_file {
    tn_arena arena;
    tn_json_tree tree;
    char text[16384];  // Terminated; longer texts are cut.
    const uint8_t *buffer;
    size_t buffer_size;
} gltf_file;

static inline uint32_t le32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline bool gltf_parse(gltf_file *g, const uint8_t *text, size_t size)
{
    snprintf(g->text, sizeof g->text, "%.*s", (int)size, (const char *)text);
    g->arena = tn_arena_make(&(tenon_allocator){0}, UINT64_MAX);
    return tn_json_tree_parse(&g->tree, (const char *)text, size, &g->arena, NULL);
}

// Split the main file: a GLB, whose sizes must all be right.
static inline bool gltf_open_glb(gltf_file *g, const kept *k)
{
    const kept_file *f = kept_named(k, "");
    *g = (gltf_file){0};
    if (!f || f->size < 20 || f->size % 4 || le32(f->bytes) != 0x46546c67u) return false;
    if (le32(f->bytes + 4) != 2 || le32(f->bytes + 8) != f->size) return false;
    uint32_t text_size = le32(f->bytes + 12);
    if (text_size % 4 || text_size > f->size - 20 || le32(f->bytes + 16) != 0x4e4f534au)
        return false;
    size_t rest = f->size - 20 - text_size;
    if (rest) {
        const uint8_t *chunk = f->bytes + 20 + text_size;
        if (rest < 12 || le32(chunk) != rest - 8 || le32(chunk + 4) != 0x004e4942u) return false;
        g->buffer = chunk + 8;
        g->buffer_size = rest - 8;
    }
    return gltf_parse(g, f->bytes + 20, text_size);
}

static inline void gltf_close(gltf_file *g)
{
    tn_arena_free(&g->arena);
}

// The node at a path such as "meshes.0.primitives.1".
static inline const tn_json_value *look(const gltf_file *g, const char *path)
{
    const tn_json_value *node = g->tree.root;
    while (*path && node) {
        char word[64];
        size_t size = strcspn(path, ".");
        snprintf(word, sizeof word, "%.*s", (int)size, path);
        node = *word >= '0' && *word <= '9' ? tn_json_tree_at(node, (uint32_t)atoi(word))
                                            : tn_json_tree_get(node, word);
        path += size + (path[size] == '.');
    }
    return node;
}

static inline uint32_t number_at(const gltf_file *g, const char *path)
{
    return tn_json_tree_u32(look(g, path), TENON_NONE);
}

// The JSON text at the path; "" if there is none. Valid for the next three calls.
static inline const char *text_at(const gltf_file *g, const char *path)
{
    static char texts[4][4096];
    static unsigned next;
    char *text = texts[next++ % 4];
    const tn_json_value *node = look(g, path);
    snprintf(text, sizeof texts[0], "%.*s", node ? (int)(node->end - node->offset) : 0,
             node ? g->tree.text + node->offset : "");
    return text;
}

// Component `k` of element `i` of an accessor.
static inline double value_of(const gltf_file *g, uint32_t accessor, uint32_t i, uint32_t k)
{
    const tn_json_value *a = tn_json_tree_at(look(g, "accessors"), accessor);
    const tn_json_value *v = tn_json_tree_at(
        look(g, "bufferViews"), tn_json_tree_u32(tn_json_tree_get(a, "bufferView"), TENON_NONE));
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    uint32_t component = tn_json_tree_u32(tn_json_tree_get(a, "componentType"), 0), width = 0;
    for (int t = 0; t < 5; t++)
        if (tn_json_tree_is(tn_json_tree_get(a, "type"), types[t].name)) width = types[t].width;
    uint32_t size = component == 5121 ? 1 : component == 5123 ? 2 : 4;
    uint32_t stride = tn_json_tree_u32(tn_json_tree_get(v, "byteStride"), size * width);
    uint64_t at = tn_json_tree_u64(tn_json_tree_get(a, "byteOffset"), 0);
    uint64_t view_size = tn_json_tree_u64(tn_json_tree_get(v, "byteLength"), 0);
    CHECK(i < tn_json_tree_u32(tn_json_tree_get(a, "count"), 0) && k < width);
    CHECK(at % 4 == 0 && at + (uint64_t)stride * i + size * width <= view_size);
    at += tn_json_tree_u64(tn_json_tree_get(v, "byteOffset"), 0) + (uint64_t)stride * i +
          (uint64_t)size * k;
    CHECK(at + size <= g->buffer_size);
    if (at + size > g->buffer_size) return 0;
    const uint8_t *p = g->buffer + at;
    if (size == 1)
        return p[0] / (tn_json_tree_bool(tn_json_tree_get(a, "normalized"), false) ? 255.0 : 1.0);
    if (size == 2) return p[0] | p[1] << 8;
    uint32_t bits = le32(p);
    float value;
    memcpy(&value, &bits, 4);
    return component == 5126 ? (double)value : bits;
}

// -- Scenes

static inline tenon_str str(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

// Start a scene; ended by scene_end().
static inline void scene_begin(tn_scene_builder *b)
{
    static const tenon_scene_opts opts;
    static tenon_error err;
    CHECK(tn_scene_begin(b, &opts, 0, &err));
}

static inline void scene_end(tn_scene_builder *b)
{
    tenon_scene_free(b->scene);
}

// Write a scene to memory. Only what differs from the default needs to be in `opts`.
static inline bool write_scene(const tenon_scene *scene, const char *format, tenon_export_opts opts,
                               kept *k)
{
    tenon_sink sink = {kept_begin, kept_write, kept_end, k};
    opts.format = format;
    opts.events.on_loss = kept_lose;
    opts.events.user = k;
    return tenon_export(scene, &opts, &sink, &k->err);
}

// Write it as GLB and open that.
static inline bool make_glb(const tenon_scene *scene, kept *k, gltf_file *g)
{
    kept_free(k);
    bool ok = write_scene(scene, "glb", (tenon_export_opts){.pictures.encode_png = encode_png}, k);
    if (!ok) fprintf(stderr, "%s: %s\n", k->err.path, k->err.message);
    ok = ok && gltf_open_glb(g, k);
    CHECK(ok);
    return ok;
}

#endif  // TENON_TESTS_GLTF_EXPORT_HELP_H
