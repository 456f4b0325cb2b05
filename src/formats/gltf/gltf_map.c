// gltf_map.c: the map of a glTF file: every value of the JSON by its pointer; every buffer view.
// SPDX-License-Identifier: MIT
//
// The document has the JSON and the bytes as one field each. The map lists the parts of such a
// field without gaps: bytes between values are parts of kind TENON_PART_KEPT.

#include "formats/gltf/gltf_format.h"

#include "core/json/json.h"
#include "core/math/sort.h"
#include "document/document.h"
#include "formats/gltf/import/gltf_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POINTER_SIZE 152  // Less than a path may have.
#define KEY_SIZE     128

bool gltf_map_wants_detail(const tn_io *io)
{
    return io->observers && !io->observers->step && !io->skip_text;
}

// Report a part by its path in the file, not in the field that it is a part of.
static void gltf_map_report_part(tn_io *io, const tn_field *field)
{
    uint32_t depth = io->depth;
    if (field->size == 0 && field->kind != TENON_PART_INFERRED) return;
    io->depth = 0;
    tn_observe(io, field);
    io->depth = depth;
}

// -- JSON

typedef struct gltf_level {
    uint32_t size;   // Bytes of its pointer.
    uint32_t index;  // Of the next item.
    bool is_array;
} gltf_level;

typedef struct gltf_json_mapper {
    tn_io *io;
    tn_json json;
    tenon_str text;
    uint64_t offset;    // Of the text in the file.
    uint64_t reported;  // Bytes of the text.
    char pointer[POINTER_SIZE];
    uint32_t used;
    gltf_level levels[TN_JSON_MAX_DEPTH + 1];
} gltf_json_mapper;

// Set the pointer to an item of the value at that depth. A step that is too long is left out.
static void gltf_map_set_step(gltf_json_mapper *mapper, uint32_t depth, const tn_json_value *item)
{
    char step[2 * KEY_SIZE];
    uint32_t start = mapper->levels[depth].size;
    size_t size = gltf_import_pointer_step(item, step, sizeof step);
    if (size >= POINTER_SIZE - start) size = (size_t)snprintf(step, sizeof step, "/...");
    if (size >= POINTER_SIZE - start) size = 0;
    memcpy(mapper->pointer + start, step, size);
    mapper->used = start + (uint32_t)size;
    mapper->pointer[mapper->used] = '\0';
}

// Report the bytes up to `end`: a value by its pointer, or if that is NULL what is between values.
static void gltf_map_report_text(gltf_json_mapper *mapper, uint64_t end, const tenon_str *value)
{
    uint64_t size = end - mapper->reported;
    tenon_str text = {mapper->text.data + mapper->reported, (uint32_t)size};
    gltf_map_report_part(mapper->io,
                         &(tn_field){.name = value ? mapper->pointer : "",
                                     .type = TENON_TYPE_STR,
                                     .offset = mapper->offset + mapper->reported,
                                     .size = size,
                                     .count = size,
                                     .bytes = (const uint8_t *)text.data,
                                     .text = value ? *value : text,
                                     .kind = value ? TENON_PART_FIELD : TENON_PART_KEPT});
    mapper->reported = end;
}

void gltf_map_report_json(tn_io *io, tenon_str text, uint64_t offset)
{
    gltf_json_mapper mapper = {.io = io, .text = text, .offset = offset};
    const tn_json_token *token = &mapper.json.token;
    uint32_t depth = 0;  // Before the token.
    tn_json_begin(&mapper.json, text.data, text.size, 0);
    for (; tn_json_next(&mapper.json) > TN_JSON_END && !io->failed; depth = mapper.json.depth) {
        if (token->kind == TN_JSON_OBJECT_END || token->kind == TN_JSON_ARRAY_END) continue;
        if (token->kind == TN_JSON_KEY) {
            char key[KEY_SIZE];
            tn_json_value item = {.key = token->text, .key_size = (uint32_t)token->size};
            if (token->has_escapes && token->size <= sizeof key) {
                item.key_size = (uint32_t)tn_json_decode(token, key);
                item.key = key;
            }
            gltf_map_set_step(&mapper, mapper.json.depth, &item);
            continue;
        }
        // A value, or the bracket that opens an object or array.
        gltf_level *level = &mapper.levels[depth];
        tenon_str value = {token->text, (uint32_t)token->size};
        uint64_t quotes = token->kind == TN_JSON_STRING ? 2 : 0;
        if (depth && level->is_array)
            gltf_map_set_step(&mapper, depth, &(tn_json_value){.index = level->index++});
        gltf_map_report_text(&mapper, token->offset, NULL);
        gltf_map_report_text(&mapper, token->offset + token->size + quotes, &value);
        bool is_array = token->kind == TN_JSON_ARRAY_BEGIN;
        if (is_array || token->kind == TN_JSON_OBJECT_BEGIN)
            mapper.levels[depth + 1] = (gltf_level){.size = mapper.used, .is_array = is_array};
    }
    if (token->kind == TN_JSON_END && !io->failed) gltf_map_report_text(&mapper, text.size, NULL);
}

// -- Views

typedef struct gltf_view_range {
    uint64_t start, end;  // Offsets in the chunk.
    uint32_t view;
} gltf_view_range;

typedef struct gltf_sorted_views {
    gltf_view_range *items;
    uint32_t *order, *spare, count;
    bool is_out;  // Of memory.
} gltf_sorted_views;

static bool gltf_map_is_before(const void *context, uint32_t a, uint32_t b)
{
    const gltf_view_range *views = context;
    return views[a].start < views[b].start;
}

// The views of the chunk, sorted by start; none if the JSON is invalid or too large.
static gltf_sorted_views gltf_map_find_views(tenon_str json, uint64_t size, tn_arena *arena)
{
    gltf_sorted_views sorted = {0};
    tn_json_tree tree;
    tenon_error err;
    if (!tn_json_tree_parse(&tree, json.data, json.size, arena, &err)) {
        sorted.is_out = err.code == TENON_ERR_MEMORY;
        return sorted;
    }
    const tn_json_value *views = tn_json_tree_get(tree.root, "bufferViews");
    const tn_json_value *buffer = tn_json_tree_at(tn_json_tree_get(tree.root, "buffers"), 0);
    if (tn_json_tree_get(buffer, "uri")) return sorted;
    uint32_t count = tn_json_tree_count(views);
    tn_refusal why[3];
    sorted.items = tn_arena_alloc(arena, count, sizeof *sorted.items, &why[0]);
    sorted.order = tn_arena_alloc(arena, count, sizeof *sorted.order, &why[1]);
    sorted.spare = tn_arena_alloc(arena, count, sizeof *sorted.spare, &why[2]);
    for (int i = 0; i < 3; i++) sorted.is_out = sorted.is_out || why[i] == TN_OUT_OF_MEMORY;
    if (!sorted.items || !sorted.order || !sorted.spare) return sorted;
    for (uint32_t i = 0; i < count; i++) {
        const tn_json_value *view = tn_json_tree_at(views, i);
        uint64_t start = tn_json_tree_u64(tn_json_tree_get(view, "byteOffset"), 0);
        uint64_t length = tn_json_tree_u64(tn_json_tree_get(view, "byteLength"), 0);
        bool is_here = gltf_index_of(view, "buffer") == 0;
        if (!is_here || length == 0 || start > size || length > size - start) continue;
        sorted.order[sorted.count] = sorted.count;
        sorted.items[sorted.count++] = (gltf_view_range){start, start + length, i};
    }
    tn_sort(sorted.order, sorted.spare, sorted.count, gltf_map_is_before, sorted.items);
    return sorted;
}

// Report bytes of the chunk.
static void gltf_map_report_bytes(tn_io *io, const gltf_chunk_place *chunk, uint64_t start,
                                  uint64_t end, const char *name, tenon_part_kind kind)
{
    gltf_map_report_part(io, &(tn_field){.name = name,
                                         .type = TENON_TYPE_BYTES,
                                         .offset = chunk->offset + start,
                                         .size = end - start,
                                         .count = end - start,
                                         .bytes = chunk->data + start,
                                         .kind = kind});
}

void gltf_map_report_views(tn_io *io, const tenon_gltf *doc, const gltf_chunk_place *chunk)
{
    // Reading uses the allocator of the document; other passes do not change the document.
    const tn_arena *owner = &doc->base.owner->arena;
    tn_arena work = tn_arena_make(&(tenon_allocator){0}, owner->limit);
    if (io->mode == TN_READ) work.allocator = owner->allocator;
    gltf_sorted_views views = gltf_map_find_views(doc->chunks[0].json, chunk->size, &work);
    uint64_t at = 0;
    if (views.is_out)
        tn_fail(io, TENON_ERR_MEMORY, chunk->offset, "data", "out of memory for 'bufferViews'");
    for (uint32_t i = 0; i < views.count && !io->failed; i++) {
        const gltf_view_range *piece = &views.items[views.order[i]];
        char name[48];
        if (piece->start > at)
            gltf_map_report_bytes(io, chunk, at, piece->start, "gap", TENON_PART_KEPT);
        uint64_t start = piece->start > at ? piece->start : at;
        uint64_t covered = piece->end < start ? piece->end : start;
        if (covered > piece->start) {
            // How many bytes belong to views before it: a number without bytes.
            uint64_t shared = covered - piece->start;
            uint32_t value = shared < UINT32_MAX ? (uint32_t)shared : UINT32_MAX;
            uint8_t wire[8];
            (void)snprintf(name, sizeof name, "bufferViews[%" PRIu32 "].shared", piece->view);
            for (int k = 0; k < 4; k++) wire[k] = (uint8_t)(value >> 8 * k);
            gltf_map_report_part(io, &(tn_field){.name = name,
                                                 .type = TENON_TYPE_U32,
                                                 .offset = chunk->offset + at,
                                                 .count = 1,
                                                 .bytes = wire,
                                                 .kind = TENON_PART_INFERRED});
        }
        (void)snprintf(name, sizeof name, "bufferViews[%" PRIu32 "]", piece->view);
        if (piece->end > start)
            gltf_map_report_bytes(io, chunk, start, piece->end, name, TENON_PART_FIELD);
        if (piece->end > at) at = piece->end;
    }
    bool has_views = views.count > 0;
    tn_arena_free(&work);
    if (!io->failed && at < chunk->size)
        gltf_map_report_bytes(io, chunk, at, chunk->size, has_views ? "gap" : chunk->path,
                              has_views ? TENON_PART_KEPT : TENON_PART_FIELD);
}
