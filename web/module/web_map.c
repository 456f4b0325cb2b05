// web_map.c: the parts of a file, or of a range of its bytes.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE  384
#define INLINE_MAX 16  // Values and bytes that a part shows; cells show all.

// -- Parts as JSON

static bool web_map_is_text(tenon_type type)
{
    return type == TENON_TYPE_STR || type == TENON_TYPE_STR32 || type == TENON_TYPE_STRZ;
}

static bool web_map_is_number(tenon_type type)
{
    return !web_map_is_text(type) && type != TENON_TYPE_BYTES && type != TENON_TYPE_RECORDS;
}

static void web_map_put_elements(const tenon_layout *layout)
{
    web_json *json = &web.json;
    web_json_uint(json, "stride", layout->stride);
    web_json_begin(json, "elements", '[');
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        web_json_begin(json, NULL, '{');
        web_json_text(json, "name", e->name);
        web_json_text(json, "type", tenon_type_word(e->type));
        web_json_uint(json, "count", e->count);
        if (e->rows) web_json_uint(json, "rows", e->rows);
        web_json_uint(json, "offset", e->offset);
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
}

static void web_map_put_value(const tenon_part *part)
{
    web_json *json = &web.json;
    bool shows_all = web.options.cells;
    if (part->layout) {
        web_map_put_elements(part->layout);
        if (!part->layout->tail) return;
        web_json_begin(json, "tail", '{');
        web_json_text(json, "name", part->layout->tail_name);
        web_json_text(json, "count", part->layout->elements[part->layout->tail_count].name);
        web_map_put_elements(part->layout->tail);
        web_json_end(json, '}');
    } else if (web_map_is_text(part->type)) {
        web_json_str(json, "value", part->text);
    } else if (part->type == TENON_TYPE_BYTES) {
        if (shows_all || part->size <= INLINE_MAX)
            web_json_hex(json, "value", part->bytes, part->size);
    } else if (part->count == 1) {
        web_json_typed(json, "value", part->type, part->bytes, part->big_endian, 0);
    } else if (part->count <= INLINE_MAX) {
        web_json_begin(json, "value", '[');
        for (uint64_t i = 0; i < part->count; i++)
            web_json_typed(json, NULL, part->type, part->bytes, part->big_endian, i);
        web_json_end(json, ']');
    }
}

// False after the end of the range.
static bool web_map_put_part(const tenon_part *part)
{
    static const char *const kinds[] = {[TENON_PART_INFERRED] = "inferred",
                                        [TENON_PART_KEPT] = "kept",
                                        [TENON_PART_REMAINDER] = "rest"};
    web_json *json = &web.json;
    double first = web.options.first, end = web.options.end, offset = (double)part->offset;
    if (end > 0 && offset >= end) return false;
    if (offset + (double)part->size <= first && !(part->size == 0 && offset >= first)) return true;
    web_json_begin(json, NULL, '{');
    web_json_uint(json, "offset", part->offset);
    web_json_uint(json, "size", part->size);
    web_json_text(json, "type", tenon_type_word(part->type));
    web_json_text(json, "path", part->path);
    if (!web_map_is_text(part->type)) web_json_uint(json, "count", part->count);
    if (part->kind != TENON_PART_FIELD) web_json_text(json, "kind", kinds[part->kind]);
    web_map_put_value(part);
    web_json_end(json, '}');
    return !json->failed;
}

// -- Inside of parts

static bool web_map_put_elements_of(const tenon_part *part, const tenon_layout *layout, uint64_t at,
                                    const char *record_path)
{
    char path[PATH_SIZE];
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        uint64_t size = (uint64_t)e->count * tenon_type_size(e->type);
        for (uint32_t row = 0; row < (e->rows ? e->rows : 1); row++) {
            char row_text[16] = "";
            uint64_t offset = at + e->offset + row * size;
            if (e->rows) (void)snprintf(row_text, sizeof row_text, "[%" PRIu32 "]", row);
            (void)snprintf(path, sizeof path, "%s%s%s%s", record_path, e->name[0] ? "." : "",
                           e->name, row_text);
            const tenon_part cell = {.kind = part->kind,
                                     .offset = part->offset + offset,
                                     .size = size,
                                     .path = path,
                                     .type = e->type,
                                     .count = e->count,
                                     .bytes = part->bytes + offset,
                                     .big_endian = part->big_endian};
            if (!web_map_put_part(&cell)) return false;
        }
    }
    return true;
}

static uint32_t web_map_load_u32(const uint8_t *p, bool big_endian)
{
    return big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                      : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

// Every number of every record. Records without tails start where the range does.
static bool web_map_put_records(const tenon_part *part)
{
    char path[PATH_SIZE], tail_path[PATH_SIZE];
    const tenon_layout *layout = part->layout;
    uint64_t index = 0, at = 0, before = (uint64_t)web.options.first;
    if (!layout->tail && layout->stride && before > part->offset) {
        index = (before - part->offset) / layout->stride;
        at = index * layout->stride;
    }
    for (; index < part->count; index++) {
        if (layout->stride == 0 || at > part->size || layout->stride > part->size - at) break;
        (void)snprintf(path, sizeof path, "%s[%" PRIu64 "]", part->path, index);
        if (!web_map_put_elements_of(part, layout, at, path)) return false;
        uint32_t tails = 0;
        if (layout->tail) {
            const uint8_t *count = part->bytes + at + layout->elements[layout->tail_count].offset;
            tails = web_map_load_u32(count, part->big_endian);
        }
        at += layout->stride;
        for (uint32_t k = 0; k < tails; k++, at += layout->tail->stride) {
            if (layout->tail->stride > part->size - at) return true;
            (void)snprintf(tail_path, sizeof tail_path, "%.300s.%.40s[%" PRIu32 "]", path,
                           layout->tail_name, k);
            if (!web_map_put_elements_of(part, layout->tail, at, tail_path)) return false;
        }
    }
    return true;
}

static bool web_map_take(void *user, const tenon_part *part)
{
    bool *is_stopped = user;
    bool goes_on = true;
    double start = (double)part->offset;
    bool is_before = start + (double)part->size <= web.options.first;
    if (!web.options.cells || is_before) {
        goes_on = web_map_put_part(part);
    } else if (part->layout) {
        goes_on = web_map_put_records(part);
    } else if (web_map_is_number(part->type) && part->count > INLINE_MAX) {
        const tenon_element element = {.name = "", .type = part->type, .count = 1};
        const tenon_layout layout = {
            .elements = &element, .element_count = 1, .stride = tenon_type_size(part->type)};
        tenon_part records = *part;
        records.layout = &layout;
        goes_on = web_map_put_records(&records);
    } else {
        goes_on = web_map_put_part(part);
    }
    *is_stopped = !goes_on;
    return goes_on;
}

// A damaged file has a member "fault", which is no error of the call.
bool web_map(void)
{
    tenon_bytes bytes;
    bool is_stopped = false;
    tenon_read_opts read = web_read_opts();
    if (!tenon_load(web.options.model, &read, &bytes, &web.err)) return false;
    web_json_begin(&web.json, "parts", '[');
    bool is_whole =
        tenon_map(bytes.data, bytes.size, &read, web_map_take, &is_stopped, &web.err) || is_stopped;
    web_json_end(&web.json, ']');
    tenon_unload(&bytes);
    tenon_code code = is_whole ? TENON_OK : web.err.code;
    if (code == TENON_ERR_MEMORY || code == TENON_ERR_LIMIT || code == TENON_ERR_CANCELLED)
        return false;
    if (is_whole) return true;
    web_json_begin(&web.json, "fault", '{');
    web_json_error(&web.json, &web.err);
    web_json_end(&web.json, '}');
    return true;
}
