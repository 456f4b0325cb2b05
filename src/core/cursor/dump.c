// dump.c: a document as JSON, by an observer of its description.
// SPDX-License-Identifier: MIT

#include "core/cursor/dump.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <string.h>

#define VALUES_DEPTH 32  // Of JSON that is shown as its values.
#define ROW_NUMBERS  16  // Numbers on each line of a long plain array.

// -- Values

// Most JSON readers turn -0 into the integer 0, unless it has a decimal point.
static bool dump_is_minus_zero(tenon_type type, const uint8_t *p, bool big)
{
    if (type == TENON_TYPE_F32) return tn_load32(p, big) == UINT32_C(1) << 31;
    return type == TENON_TYPE_F64 && tn_load64(p, big) == UINT64_C(1) << 63;
}

static void dump_put_number(tn_json_writer *json, tenon_type type, const uint8_t *p, bool big)
{
    if (dump_is_minus_zero(type, p, big)) {
        tn_json_put_raw(json, "-0.0", 4);
        return;
    }
    switch (type) {
    case TENON_TYPE_I16:
        tn_json_put_i64(json, (int16_t)tn_load16(p, big));
        break;
    case TENON_TYPE_U16:
        tn_json_put_u64(json, tn_load16(p, big));
        break;
    case TENON_TYPE_I32:
        tn_json_put_i64(json, (int32_t)tn_load32(p, big));
        break;
    case TENON_TYPE_U32:
        tn_json_put_u64(json, tn_load32(p, big));
        break;
    case TENON_TYPE_I64:
        tn_json_put_i64(json, (int64_t)tn_load64(p, big));
        break;
    case TENON_TYPE_U64:
        tn_json_put_u64(json, tn_load64(p, big));
        break;
    case TENON_TYPE_F32:
        tn_json_put_f32(json, tn_load_f32(p, big));
        break;
    case TENON_TYPE_F64:
        tn_json_put_f64(json, tn_load_f64(p, big));
        break;
    default:
        tn_json_put_u64(json, *p);
        break;
    }
}

// A number, or several as a list on one line.
static void dump_put_numbers(tn_json_writer *json, tenon_type type, uint64_t count,
                             const uint8_t *p, bool big)
{
    uint32_t width = tenon_type_size(type);
    if (count == 1) {
        dump_put_number(json, type, p, big);
        return;
    }
    tn_json_put_array_begin(json, TN_JSON_INLINE);
    for (uint64_t i = 0; i < count; i++) dump_put_number(json, type, p + i * width, big);
    tn_json_put_array_end(json);
}

// Bytes that are not text: {"hex": "…"}.
static void dump_put_hex(tn_json_writer *json, const uint8_t *bytes, uint64_t size)
{
    tn_json_put_object_begin(json, TN_JSON_INLINE);
    tn_json_put_key(json, "hex");
    tn_json_put_hex(json, bytes, (size_t)size);
    tn_json_put_object_end(json);
}

static bool dump_is_text(tenon_str text)
{
    return tn_utf8_valid(text.data, text.size) && !memchr(text.data, 0, text.size);
}

static void dump_put_text(tn_json_writer *json, tenon_str text)
{
    if (dump_is_text(text))
        tn_json_put_string_bytes(json, text.data, text.size);
    else
        dump_put_hex(json, (const uint8_t *)text.data, text.size);
}

// -- JSON

typedef struct json_comparison {
    const char *rest;  // Of the text that is expected.
    uint64_t left;
} json_comparison;

static bool dump_compare_json(void *user, const void *bytes, size_t size)
{
    json_comparison *c = user;
    if (size > c->left || memcmp(c->rest, bytes, size) != 0) return false;
    c->rest += size;
    c->left -= size;
    return true;
}

// Whether tn_json_put_value() and some spaces give the text again. Not if the value could be
// mistaken for pieces or for {"hex": "…"}, or would be mostly indentation.
static bool dump_is_shown_by_values(tenon_str text)
{
    tn_json_writer compact;
    tn_json json;
    json_comparison c = {text.data, text.size};
    tn_json_begin(&json, text.data, text.size, VALUES_DEPTH);
    if (tn_json_next(&json) != TN_JSON_OBJECT_BEGIN) return false;
    if (tn_json_next(&json) == TN_JSON_KEY && tn_json_is(&json.token, "hex")) return false;
    tn_json_begin(&json, text.data, text.size, VALUES_DEPTH);
    tn_json_next(&json);
    tn_json_writer_begin_compact(&compact, dump_compare_json, &c);
    if (!tn_json_put_value(&compact, &json) || !tn_json_writer_end(&compact)) return false;
    for (uint64_t i = 0; i < c.left; i++)
        if (c.rest[i] != ' ') return false;
    return c.left < TN_JSON_PADDING;
}

// Text as a list of strings, each up to a comma.
static void dump_put_pieces(tn_json_writer *json, tenon_str text)
{
    const char *rest = text.data, *end = rest + text.size;
    tn_json_put_array_begin(json, TN_JSON_BLOCK);
    while (rest < end && !json->failed) {
        const char *comma = memchr(rest, ',', (size_t)(end - rest));
        size_t size = (size_t)((comma ? comma + 1 : end) - rest);
        tn_json_put_string_bytes(json, rest, size);
        rest += size;
    }
    tn_json_put_array_end(json);
}

static void dump_put_json(tn_json_writer *json, tenon_str text)
{
    if (dump_is_shown_by_values(text)) {
        tn_json values;
        tn_json_begin(&values, text.data, text.size, 0);
        tn_json_next(&values);
        tn_json_put_value(json, &values);
    } else if (dump_is_text(text)) {
        dump_put_pieces(json, text);
    } else {
        dump_put_hex(json, (const uint8_t *)text.data, text.size);
    }
}

// -- Records

static void dump_put_element(tn_json_writer *json, const tenon_element *e, const uint8_t *record,
                             bool big)
{
    const uint8_t *p = record + e->offset;
    if (!e->rows) {
        dump_put_numbers(json, e->type, e->count, p, big);
        return;
    }
    uint64_t row_size = (uint64_t)e->count * tenon_type_size(e->type);
    tn_json_put_array_begin(json, TN_JSON_BLOCK);
    for (uint32_t r = 0; r < e->rows; r++)
        dump_put_numbers(json, e->type, e->count, p + r * row_size, big);
    tn_json_put_array_end(json);
}

static bool dump_is_plain(const tenon_layout *layout)
{
    return layout->element_count == 1 && !layout->elements[0].name[0] && !layout->tail;
}

// One record at `p`; returns where the next one starts.
static const uint8_t *dump_put_record(tn_json_writer *json, const tenon_layout *layout,
                                      const uint8_t *p, bool big)
{
    const uint8_t *next = p + layout->stride;
    if (dump_is_plain(layout)) {
        dump_put_element(json, &layout->elements[0], p, big);
        return next;
    }
    bool has_rows = false;
    for (uint32_t i = 0; i < layout->element_count; i++)
        has_rows = has_rows || layout->elements[i].rows;
    tn_json_put_object_begin(json, has_rows ? TN_JSON_BLOCK : TN_JSON_INLINE);
    for (uint32_t i = 0; i < layout->element_count; i++) {
        if (layout->tail && i == layout->tail_count) continue;  // It follows from the list.
        tn_json_put_key(json, layout->elements[i].name);
        dump_put_element(json, &layout->elements[i], p, big);
    }
    if (layout->tail) {
        uint32_t count = tn_load32(p + layout->elements[layout->tail_count].offset, big);
        tn_json_put_key(json, layout->tail_name);
        tn_json_put_array_begin(json, TN_JSON_INLINE);
        for (uint32_t i = 0; i < count; i++) next = dump_put_record(json, layout->tail, next, big);
        tn_json_put_array_end(json);
    }
    tn_json_put_object_end(json);
    return next;
}

static void dump_put_records(tn_json_writer *json, const tn_field *field)
{
    const tenon_layout *layout = field->layout;
    bool numbers = dump_is_plain(layout) && layout->elements[0].count == 1;
    if (numbers)
        tn_json_put_rows_begin(json, ROW_NUMBERS);
    else
        tn_json_put_array_begin(json, TN_JSON_BLOCK);
    const uint8_t *p = field->bytes;
    for (uint64_t i = 0; i < field->count && !json->failed; i++)
        p = dump_put_record(json, layout, p, field->big_endian);
    tn_json_put_array_end(json);
}

// -- Observing

// An item whose first part has a name is an object; one with a single nameless field is a value.
static void dump_settle_item(tn_dumper *dumper, uint32_t depth, bool is_object)
{
    if (!dumper->is_item_open) return;
    dumper->is_item_open = false;
    dumper->is_object[depth] = is_object;
    if (is_object) tn_json_put_object_begin(dumper->json, TN_JSON_BLOCK);
}

static void dump_put_field(tn_observer *self, tn_io *io, const tn_field *field)
{
    tn_dumper *dumper = (tn_dumper *)self;
    tn_json_writer *json = dumper->json;
    if (field->role == TN_ROLE_CONSTANT || field->role == TN_ROLE_COUNT) return;
    dump_settle_item(dumper, io->depth, field->name[0] != '\0');
    if (field->name[0]) tn_json_put_key(json, field->name);
    switch (field->type) {
    case TENON_TYPE_STR:
    case TENON_TYPE_STR32:
    case TENON_TYPE_STRZ:
        if (field->is_json)
            dump_put_json(json, field->text);
        else
            dump_put_text(json, field->text);
        break;
    case TENON_TYPE_RECORDS:
        dump_put_records(json, field);
        break;
    case TENON_TYPE_BYTES:
        dump_put_hex(json, field->bytes, field->size);
        break;
    default:
        dump_put_numbers(json, field->type, field->count, field->bytes, field->big_endian);
    }
    if (json->failed) tn_fail(io, TENON_ERR_IO, io->pos, "", "the output could not be written");
}

// A structure or a list, whose frame is on top of the path.
static void dump_open_part(tn_dumper *dumper, const tn_io *io, bool is_list)
{
    dump_settle_item(dumper, io->depth - 1, true);
    tn_json_put_key(dumper->json, io->frames[io->depth - 1].name);
    if (is_list)
        tn_json_put_array_begin(dumper->json, TN_JSON_BLOCK);
    else
        tn_json_put_object_begin(dumper->json, TN_JSON_BLOCK);
}

static void dump_put_step(tn_observer *self, tn_io *io, tn_step step)
{
    tn_dumper *dumper = (tn_dumper *)self;
    switch (step) {
    case TN_STRUCT_BEGIN:
        dump_open_part(dumper, io, false);
        break;
    case TN_LIST_BEGIN:
        dump_open_part(dumper, io, true);
        break;
    case TN_ITEM_BEGIN:
        dumper->is_item_open = true;
        break;
    case TN_ITEM_END:
        dump_settle_item(dumper, io->depth, true);
        if (dumper->is_object[io->depth]) tn_json_put_object_end(dumper->json);
        break;
    case TN_STRUCT_END:
        tn_json_put_object_end(dumper->json);
        break;
    case TN_LIST_END:
        tn_json_put_array_end(dumper->json);
        break;
    }
}

void tn_dumper_init(tn_dumper *dumper, tn_json_writer *json)
{
    *dumper =
        (tn_dumper){.observer = {.field = dump_put_field, .step = dump_put_step}, .json = json};
}
