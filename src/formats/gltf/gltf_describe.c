// gltf_describe.c: the layout of a glTF file: the chunks of GLB, or JSON alone.
// SPDX-License-Identifier: MIT
//
// Invalid JSON is refused here, so that every document can be parsed. Everything else about the
// JSON is checked when it is used.

#include "formats/gltf/gltf_format.h"

#include "core/cursor/span.h"
#include "core/json/json.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };

// -- Text

// The JSON is one field of the document, but maps list its values.
static void gltf_describe_json(tn_io *io, tenon_str *text, uint64_t size, bool is_text_file)
{
    uint64_t offset = io->pos;
    tn_observer *observers = io->observers;
    bool has_detail = gltf_map_wants_detail(io);
    if (has_detail) io->observers = NULL;
    tn_json_str(io, "json", text, size);
    io->observers = observers;
    if (has_detail && !io->failed) gltf_map_report_json(io, *text, offset);
    // Damaged JSON is recovered when it is imported.
    uint32_t outer = tn_recoverable(io);
    if (io->mode == TN_READ && !io->failed && !io->skip_text) {
        tn_json json;
        tn_json_begin(&json, text->data, text->size, 0);
        while (tn_json_next(&json) > TN_JSON_END) continue;
        if (json.token.kind != TN_JSON_END) {
            bool is_deep = json.error.code == TN_JSON_ERR_DEPTH;
            tn_fail(io, is_deep ? TENON_ERR_LIMIT : TENON_ERR_VALUE, offset + json.error.offset,
                    "json", is_deep ? "%s" : "invalid JSON: %s", json.error.message);
            if (is_text_file)
                tn_json_place(text->data, text->size, json.error.offset, &io->err->line,
                              &io->err->column);
        }
    }
    (void)tn_recover(io, outer);
    tn_hold(io);
}

static uint64_t gltf_describe_infer_size(tn_io *io, const void *subject)
{
    (void)subject;
    uint64_t size = io->end - io->pos;
    if (size >= UINT32_MAX)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, "json",
                "the JSON text has %" PRIu64 " bytes, which is too large", size);
    return size;
}

// -- Chunks

// How many whole chunk headers follow; the last chunk may be cut.
static uint64_t gltf_describe_infer_chunks(tn_io *io, const void *subject)
{
    (void)subject;
    uint64_t count = 0, at = io->pos;
    const uint8_t *header;
    while (io->end - at >= CHUNK_HEADER_SIZE && (header = tn_peek(io, at, CHUNK_HEADER_SIZE))) {
        uint64_t length = tn_load32(header, false);
        count++;
        at += CHUNK_HEADER_SIZE;
        if (length > io->end - at) break;
        at += length;
    }
    return count;
}

static void gltf_describe_chunk(tn_io *io, tenon_gltf *doc, uint32_t index)
{
    tenon_gltf_chunk *chunk = &doc->chunks[index];
    tn_u32(io, "length", &chunk->length);
    tn_u32(io, "type", &chunk->type);
    uint64_t left = io->end - io->pos;
    bool is_cut = io->keeps_parts && !io->failed && chunk->length > left;
    if (index == 0 && chunk->type == TENON_GLTF_CHUNK_JSON) {
        gltf_describe_json(io, &chunk->json, is_cut ? left : chunk->length, false);
        return;
    }
    // The bytes are one field of the document, but maps list the buffer views in them.
    bool has_views = index == 1 && chunk->type == TENON_GLTF_CHUNK_BIN && gltf_map_wants_detail(io);
    gltf_chunk_place place = {.path = "chunks[1].data", .offset = io->pos, .size = chunk->length};
    tn_observer *observers = io->observers;
    if (has_views) io->observers = NULL;
    tn_bytes(io, "data", &chunk->data, chunk->length);
    io->observers = observers;
    place.data = chunk->data.data;
    if (has_views && !io->failed) gltf_map_report_views(io, doc, &place);
}

void gltf_describe(tn_io *io, void *any)
{
    tenon_gltf *doc = any;
    if (tn_has(io, TENON_GLTF_TEXT)) {
        tn_inferred_u32(io, "size", &doc->text_size, gltf_describe_infer_size, NULL);
        gltf_describe_json(io, &doc->json, doc->text_size, true);
        return;
    }
    tn_magic(io, "magic", "glTF", 4);
    tn_u32(io, "version", &doc->version);
    if (!io->failed && doc->version != 2)
        tn_fail(io, TENON_ERR_VERSION, 4, "version", "unknown GLB version %" PRIu32 ", expected 2",
                doc->version);
    tn_u32(io, "length", &doc->length);
    if (!io->failed && doc->length < HEADER_SIZE)
        tn_fail(io, TENON_ERR_VALUE, 8, "length",
                "'length' is %" PRIu32 ", but the header alone takes %d bytes", doc->length,
                HEADER_SIZE);
    tn_window file = tn_window_begin(io, "chunks", (uint64_t)doc->length - HEADER_SIZE);
    tn_inferred_u32(io, "chunk_count", &doc->chunk_count, gltf_describe_infer_chunks, NULL);
    tn_items(io, "chunks", &doc->chunks, &doc->chunk_count, sizeof *doc->chunks, CHUNK_HEADER_SIZE);
    for (uint32_t i = 0; tn_next(io, i, doc->chunk_count); i++) gltf_describe_chunk(io, doc, i);
    tn_window_end(io, &file, &doc->leftover);
}

tenon_str tenon_gltf_json(const tenon_gltf *doc, uint64_t *offset)
{
    bool is_text = doc->base.dialect->flags & TENON_GLTF_TEXT;
    const tenon_gltf_chunk *first = doc->chunk_count ? doc->chunks : NULL;
    tenon_str json = is_text ? doc->json : first ? first->json : (tenon_str){"", 0};
    uint64_t start = is_text ? 0 : HEADER_SIZE + CHUNK_HEADER_SIZE;
    // Without JSON, the place where it is missing, but not after the end of the file.
    if (!json.size && start > doc->base.source_size) start = doc->base.source_size;
    if (offset) *offset = start;
    return json.data ? json : (tenon_str){"", 0};
}

// -- Probing

static bool gltf_describe_is_binary(const uint8_t *data, uint64_t size)
{
    return size >= 4 && memcmp(data, "glTF", 4) == 0;
}

int gltf_describe_probe(const uint8_t *data, uint64_t size)
{
    // How strongly a key of the root suggests glTF. Keys that other formats may use need several.
    static const struct {
        const char *name;
        int weight;
    } keys[] = {
        {"asset", 3},      {"bufferViews", 3}, {"accessors", 3}, {"extensionsUsed", 3},
        {"extensions", 1}, {"scenes", 2},      {"scene", 1},     {"extensionsRequired", 3},
        {"buffers", 2},    {"nodes", 1},       {"meshes", 1},    {"skins", 1},
        {"materials", 1},  {"textures", 1},    {"images", 1},    {"samplers", 1},
        {"animations", 1}, {"cameras", 1},
    };
    const uint64_t most = (uint64_t)16 << 20;
    tn_json json;
    int weight = 0;
    bool is_object = false;
    if (gltf_describe_is_binary(data, size)) return 100;
    // Files that are damaged later on are still glTF, and are reported as such.
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) data += 3, size -= 3;
    tn_json_begin(&json, data, (size_t)size, 0);
    while (weight < 3 && json.pos < most && tn_json_next(&json) > TN_JSON_END) {
        is_object = is_object || json.token.kind == TN_JSON_OBJECT_BEGIN;
        if (!is_object) return 0;
        if (json.depth != 1 || json.token.kind != TN_JSON_KEY) continue;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (tn_json_is(&json.token, keys[i].name)) weight += keys[i].weight;
    }
    return weight >= 3 ? 90 : 0;
}

bool gltf_describe_fits(const uint8_t *data, uint64_t size, const tenon_dialect *dialect)
{
    return gltf_describe_is_binary(data, size) == !(dialect->flags & TENON_GLTF_TEXT);
}
