// build.c: JSON as the source of READ, so that a description makes a file of its dump.
// SPDX-License-Identifier: MIT

#include "core/cursor/build.h"

#include "core/cursor/dump.h"
#include "core/cursor/span.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 4096  // Bytes encoded before they are handed on.

static tn_text_builder *build_context(tn_io *io)
{
    return io->source_state;
}

// -- Tokens

static const tn_json_token *build_peek(tn_text_builder *b)
{
    if (!b->is_peeked) tn_json_next(&b->json);
    b->is_peeked = true;
    return &b->json.token;
}

static const tn_json_token *build_take_token(tn_text_builder *b)
{
    const tn_json_token *token = build_peek(b);
    b->is_peeked = false;
    return token;
}

// What a token is called in a message.
static void build_name_token(const tn_json_token *token, char *out, size_t out_size)
{
    static const char *const names[] = {
        [TN_JSON_END] = "the end",     [TN_JSON_OBJECT_BEGIN] = "'{'", [TN_JSON_OBJECT_END] = "'}'",
        [TN_JSON_ARRAY_BEGIN] = "'['", [TN_JSON_ARRAY_END] = "']'",    [TN_JSON_TRUE] = "true",
        [TN_JSON_FALSE] = "false",     [TN_JSON_NULL] = "null",
    };
    char shown[40];
    tn_text_clean(token->text, token->size, shown, sizeof shown);
    if (token->kind == TN_JSON_KEY)
        snprintf(out, out_size, "the key '%s'", shown);
    else if (token->kind == TN_JSON_STRING)
        snprintf(out, out_size, "the string \"%s\"", shown);
    else if (token->kind == TN_JSON_NUMBER)
        snprintf(out, out_size, "the number %s", shown);
    else
        snprintf(out, out_size, "%s", names[token->kind]);
}

// The path of `name` below the structure on top of the path: "vertices[7].position".
static void build_name_inside(const tn_text_builder *b, const char *name, char *out,
                              size_t out_size)
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i <= b->inside_depth && n < out_size; i++) {
        bool is_last = i == b->inside_depth;
        const char *step = is_last ? name : b->inside[i].name;
        int w = snprintf(out + n, out_size - n, "%s%s", n && step[0] ? "." : "", step);
        n += w > 0 ? (size_t)w : 0;
        if (is_last || n >= out_size) break;
        w = snprintf(out + n, out_size - n, "[%" PRIu64 "]", b->inside[i].index);
        n += w > 0 ? (size_t)w : 0;
    }
}

// Fail because the text does not hold what the description expects.
static bool build_expected(tn_io *io, const char *name, const char *what)
{
    tn_text_builder *b = build_context(io);
    const tn_json_token *token = &b->json.token;
    char place[sizeof io->err->path], found[80];
    build_name_inside(b, name, place, sizeof place);
    if (token->kind == TN_JSON_ERROR) {
        tn_fail(io, TENON_ERR_VALUE, 0, place, "invalid JSON: %s", b->json.error.message);
        return false;
    }
    build_name_token(token, found, sizeof found);
    tn_fail(io, TENON_ERR_VALUE, 0, place, "expected %s, found %s", what, found);
    return false;
}

static bool build_expect(tn_io *io, const char *name, tn_json_kind kind, const char *what)
{
    return build_take_token(build_context(io))->kind == kind || build_expected(io, name, what);
}

// The key of the next member must be `name`; "" as `field` if the path ends with it already.
static bool build_expect_key_of(tn_io *io, const char *field, const char *name)
{
    const tn_json_token *token = build_take_token(build_context(io));
    if (token->kind == TN_JSON_KEY && tn_json_is(token, name)) return true;
    char what[64];
    snprintf(what, sizeof what, "the key '%s'", name);
    return build_expected(io, field, what);
}

static bool build_expect_key(tn_io *io, const char *name)
{
    return build_expect_key_of(io, name, name);
}

// -- Items and members

// An item whose first part has a name must be an object. `depth` is that of the item's path.
static bool build_settle_item(tn_io *io, uint32_t depth, bool is_object)
{
    tn_text_builder *b = build_context(io);
    uint32_t part_depth = io->depth;
    if (!b->is_item_open) return true;
    b->is_item_open = false;
    b->is_object[depth] = is_object;
    io->depth = depth;
    bool ok = !is_object || build_expect(io, "", TN_JSON_OBJECT_BEGIN, "'{'");
    io->depth = part_depth;
    return ok;
}

// Up to the value of the field.
static bool build_open_field(tn_io *io, const char *name)
{
    if (!build_settle_item(io, io->depth, name[0] != '\0')) return false;
    return !name[0] || build_expect_key(io, name);
}

// -- Bytes of the file

static bool build_emit(tn_io *io, const void *bytes, uint64_t size)
{
    tn_text_builder *b = build_context(io);
    if (size && b->write && !b->write(b->write_user, bytes, (size_t)size)) {
        tn_fail(io, TENON_ERR_IO, io->pos, "", "the output could not be written");
        return false;
    }
    io->pos += size;
    return true;
}

// -- Numbers

static void build_store(uint8_t *out, uint64_t bits, uint32_t width, bool big)
{
    for (uint32_t i = 0; i < width; i++) out[big ? width - 1 - i : i] = (uint8_t)(bits >> (8 * i));
}

static bool build_parse_float(const tn_json_token *t, tenon_type type, uint64_t *bits)
{
    bool is_text = t->kind == TN_JSON_STRING;
    if (!is_text && t->kind != TN_JSON_NUMBER) return false;
    if (type == TENON_TYPE_F32) {
        float v;
        bool ok =
            is_text ? tn_f32_bits_parse(t->text, t->size, &v) : tn_f32_parse(t->text, t->size, &v);
        uint32_t word;
        memcpy(&word, &v, sizeof word);
        *bits = word;
        return ok;
    }
    double v;
    bool ok =
        is_text ? tn_f64_bits_parse(t->text, t->size, &v) : tn_f64_parse(t->text, t->size, &v);
    memcpy(bits, &v, sizeof *bits);
    return ok;
}

static bool build_parse_integer(const tn_json_token *t, tenon_type type, uint64_t *bits)
{
    static const struct {
        int64_t low, high;
    } ranges[] = {
        [TENON_TYPE_U8] = {0, UINT8_MAX},
        [TENON_TYPE_I16] = {INT16_MIN, INT16_MAX},
        [TENON_TYPE_U16] = {0, UINT16_MAX},
        [TENON_TYPE_I32] = {INT32_MIN, INT32_MAX},
        [TENON_TYPE_U32] = {0, (int64_t)UINT32_MAX},
        [TENON_TYPE_I64] = {INT64_MIN, INT64_MAX},
    };
    int64_t v;
    if (type == TENON_TYPE_U64)
        return t->kind == TN_JSON_NUMBER && tn_u64_parse(t->text, t->size, bits);
    if (t->kind != TN_JSON_NUMBER || !tn_i64_parse(t->text, t->size, &v)) return false;
    *bits = (uint64_t)v;
    return v >= ranges[type].low && v <= ranges[type].high;
}

// The next token as one number of the file.
static bool build_take_number(tn_io *io, const char *name, tenon_type type, uint8_t *out)
{
    const tn_json_token *token = build_take_token(build_context(io));
    bool is_float = type == TENON_TYPE_F32 || type == TENON_TYPE_F64;
    uint64_t bits;
    if (is_float ? build_parse_float(token, type, &bits)
                 : build_parse_integer(token, type, &bits)) {
        build_store(out, bits, tenon_type_size(type), io->big_endian);
        return true;
    }
    char what[40];
    snprintf(what, sizeof what, "a number of type %s", tenon_type_word(type));
    return build_expected(io, name, what);
}

// One number, or a list of exactly `count`.
static bool build_take_numbers(tn_io *io, const char *name, tenon_type type, uint64_t count,
                               uint8_t *out)
{
    uint32_t width = tenon_type_size(type);
    if (count == 1) return build_take_number(io, name, type, out);
    if (!build_expect(io, name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    for (uint64_t i = 0; i < count; i++)
        if (!build_take_number(io, name, type, out + i * width)) return false;
    return build_expect(io, name, TN_JSON_ARRAY_END, "']'");
}

// -- Records

// Where encoded records go: to the file as they come, or to memory if the description needs them.
typedef struct record_sink {
    tn_io *io;
    uint8_t *memory;  // NULL: to the file only.
    uint64_t size;
} record_sink;

static bool build_put_record(record_sink *sink, const uint8_t *bytes, uint64_t size)
{
    if (sink->memory) memcpy(sink->memory + sink->size, bytes, (size_t)size);
    sink->size += size;
    return build_emit(sink->io, bytes, size);
}

// One number, or a list of exactly `count`, a chunk at a time.
static bool build_take_row(record_sink *sink, const tenon_element *e)
{
    uint8_t chunk[CHUNK];
    uint32_t width = tenon_type_size(e->type);
    const char *name = e->rows ? "" : e->name;
    if (e->count != 1 && !build_expect(sink->io, name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    for (uint32_t i = 0; i < e->count;) {
        uint32_t n = 0;
        for (; i < e->count && n < CHUNK / 8; i++, n++)
            if (!build_take_number(sink->io, name, e->type, chunk + (size_t)n * width))
                return false;
        if (!build_put_record(sink, chunk, (uint64_t)n * width)) return false;
    }
    return e->count == 1 || build_expect(sink->io, name, TN_JSON_ARRAY_END, "']'");
}

// The path goes into the items of `name`.
static void build_enter_items(tn_text_builder *b, const char *name)
{
    b->inside[b->inside_depth++].name = name;
}

static bool build_take_element(record_sink *sink, const tenon_element *e)
{
    tn_text_builder *b = build_context(sink->io);
    if (!e->rows) return build_take_row(sink, e);
    if (!build_expect(sink->io, e->name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    build_enter_items(b, e->name);
    for (uint32_t r = 0; r < e->rows; r++) {
        b->inside[b->inside_depth - 1].index = r;
        if (!build_take_row(sink, e)) return false;
    }
    b->inside_depth--;
    return build_expect(sink->io, e->name, TN_JSON_ARRAY_END, "']'");
}

// How many items the list at the cursor holds, found by looking ahead: strings, brackets and commas
// are all that matters. Text that is not JSON is refused later, when it is read. *is_cut, unless
// NULL, says whether the text ends before the list does.
static uint64_t build_count_items(const tn_text_builder *b, bool *is_cut)
{
    bool has_end = false;
    uint64_t commas = 0;
    bool is_empty = true;
    int64_t depth = 0;
    for (size_t i = b->json.pos; i < b->text_size; i++) {
        char c = b->text[i];
        if (c == '"') {
            for (i++; i < b->text_size && b->text[i] != '"'; i++)
                if (b->text[i] == '\\') i++;
        }
        if (c == ']' || c == '}') {
            has_end = depth-- == 0;
            if (has_end) break;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ',' && depth == 0) {
            commas++;
        }
        if (c > ' ') is_empty = false;
    }
    if (is_cut) *is_cut = !has_end;
    return is_empty ? 0 : commas + 1;
}

static bool build_take_record(record_sink *sink, const tenon_layout *layout);

// The list at the end of a record, with its count in front.
static bool build_take_tail(record_sink *sink, const tenon_layout *layout)
{
    tn_io *io = sink->io;
    if (!build_expect_key(io, layout->tail_name)) return false;
    if (!build_expect(io, layout->tail_name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    uint64_t count = build_count_items(build_context(io), NULL);
    uint8_t wire[4];
    build_store(wire, count, 4, io->big_endian);
    if (!build_put_record(sink, wire, 4)) return false;
    tn_text_builder *b = build_context(io);
    build_enter_items(b, layout->tail_name);
    for (uint64_t i = 0; i < count; i++) {
        b->inside[b->inside_depth - 1].index = i;
        if (!build_take_record(sink, layout->tail)) return false;
    }
    b->inside_depth--;
    return build_expect(io, layout->tail_name, TN_JSON_ARRAY_END, "']'");
}

static bool build_take_record(record_sink *sink, const tenon_layout *layout)
{
    tn_io *io = sink->io;
    if (layout->element_count == 1 && !layout->elements[0].name[0] && !layout->tail)
        return build_take_element(sink, &layout->elements[0]);
    if (!build_expect(io, "", TN_JSON_OBJECT_BEGIN, "'{'")) return false;
    uint32_t head = layout->tail ? layout->tail_count : layout->element_count;
    for (uint32_t i = 0; i < head; i++) {
        if (!build_expect_key(io, layout->elements[i].name)) return false;
        if (!build_take_element(sink, &layout->elements[i])) return false;
    }
    if (layout->tail && !build_take_tail(sink, layout)) return false;
    return build_expect(io, "", TN_JSON_OBJECT_END, "'}'");
}

static bool build_take_records(tn_io *io, tn_field *field)
{
    tn_text_builder *b = build_context(io);
    record_sink sink = {.io = io};
    if (!build_expect(io, field->name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    if (field->count == TENON_ABSENT) {  // The array itself says how many items it has.
        uint8_t wire[4];
        field->count = build_count_items(b, NULL);
        if (field->count > UINT32_MAX) return build_expected(io, field->name, "fewer items");
        build_store(wire, field->count, 4, io->big_endian);
        if (!build_emit(io, wire, 4)) return false;
    }
    if (field->role == TN_ROLE_NEEDED) {
        // As many as the text holds, not as many as a count claims.
        uint64_t most = build_count_items(b, NULL);
        if (most > field->count) most = field->count;
        sink.memory = tn_io_alloc(io, field->name, most, (size_t)field->layout->stride);
        if (io->failed) return false;
    }
    b->inside[0].name = field->name;
    for (uint64_t i = 0; i < field->count; i++) {
        if (build_peek(b)->kind == TN_JSON_ARRAY_END) {
            tn_fail(io, TENON_ERR_VALUE, 0, field->name,
                    "'%s' has %" PRIu64 " items, its count says %" PRIu64, field->name, i,
                    field->count);
            return false;
        }
        b->inside[0].index = i;
        b->inside_depth = 1;
        if (!build_take_record(&sink, field->layout)) return false;
        b->inside_depth = 0;
    }
    if (build_peek(b)->kind != TN_JSON_ARRAY_END && b->json.token.kind) {
        tn_fail(io, TENON_ERR_VALUE, 0, field->name, "'%s' has more items than its count, %" PRIu64,
                field->name, field->count);
        return false;
    }
    field->bytes = sink.memory;
    field->size = sink.size;
    return build_expect(io, field->name, TN_JSON_ARRAY_END, "']'");
}

// -- Text and bytes

// The bytes of {"hex": "…"}, in the arena.
static bool build_take_hex(tn_io *io, const char *name, uint8_t **bytes, uint64_t *size)
{
    tn_text_builder *b = build_context(io);
    if (!build_expect(io, name, TN_JSON_OBJECT_BEGIN, "'{'")) return false;
    if (!build_expect_key_of(io, name, "hex")) return false;
    if (!build_expect(io, name, TN_JSON_STRING, "a string of hexadecimal digits")) return false;
    tn_json_token digits = b->json.token;
    *size = digits.size / 2;
    *bytes = tn_io_alloc(io, name, *size, 1);
    if (!*bytes) return false;
    for (uint64_t i = 0; i < digits.size; i++) {
        int digit = tn_hex_digit(digits.text[i]);
        if (digit < 0 || digits.size % 2 != 0)
            return build_expected(io, name, "pairs of hexadecimal digits");
        (*bytes)[i / 2] = (uint8_t)((*bytes)[i / 2] << 4 | digit);
    }
    return build_expect(io, name, TN_JSON_OBJECT_END, "'}'");
}

static bool build_take_text(tn_io *io, const char *name, tenon_str *text)
{
    tn_text_builder *b = build_context(io);
    uint64_t size;
    uint8_t *bytes;
    const tn_json_token *token = build_peek(b);
    if (token->kind == TN_JSON_OBJECT_BEGIN) {
        if (!build_take_hex(io, name, &bytes, &size)) return false;
    } else {
        if (!build_expect(io, name, TN_JSON_STRING, "a string")) return false;
        bytes = tn_io_alloc(io, name, token->size, 1);
        if (!bytes) return false;
        size = tn_json_decode(token, (char *)bytes);
    }
    if (size > UINT32_MAX) return build_expected(io, name, "less text");
    *text = (tenon_str){(const char *)bytes, (uint32_t)size};
    return true;
}

// Text that grows in the arena up to a known size. Bytes beyond that are only counted.
typedef struct growing_text {
    char *data;
    uint64_t size, room;
} growing_text;

static bool build_add_text(void *user, const void *bytes, size_t size)
{
    growing_text *text = user;
    if (size <= text->room && text->size <= text->room - size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    return true;
}

// The strings of a list, one after the other.
static bool build_take_pieces(tn_io *io, const char *name, growing_text *text)
{
    tn_text_builder *b = build_context(io);
    if (!build_expect(io, name, TN_JSON_ARRAY_BEGIN, "'['")) return false;
    while (build_peek(b)->kind != TN_JSON_ARRAY_END) {
        if (!build_expect(io, name, TN_JSON_STRING, "a string")) return false;
        uint64_t size = tn_json_decode(&b->json.token, NULL);
        if (size <= text->room && text->size <= text->room - size)
            tn_json_decode(&b->json.token, text->data + text->size);
        text->size += size;
    }
    return build_expect(io, name, TN_JSON_ARRAY_END, "']'");
}

// The value as text without spaces, and then the spaces that it may be padded with.
static bool build_take_values(tn_io *io, const tn_field *field, growing_text *text)
{
    tn_text_builder *b = build_context(io);
    tn_json_writer compact;
    build_take_token(b);
    tn_json_writer_begin_compact(&compact, build_add_text, text);
    if (!tn_json_put_value(&compact, &b->json)) return build_expected(io, field->name, "a value");
    tn_json_writer_end(&compact);
    bool is_padded = text->size < field->size && field->size - text->size < TN_JSON_PADDING;
    if (is_padded) build_add_text(text, "   ", (size_t)(field->size - text->size));
    return true;
}

// JSON as tn_dumper writes it: as values, as pieces of text, or as plain text.
static bool build_take_json(tn_io *io, tn_field *field)
{
    tn_text_builder *b = build_context(io);
    tn_json ahead;
    tn_json_kind kind = build_peek(b)->kind;
    if (kind == TN_JSON_OBJECT_BEGIN) {
        ahead = b->json;
        tn_json_next(&ahead);
    }
    bool is_hex = kind == TN_JSON_OBJECT_BEGIN && ahead.token.kind == TN_JSON_KEY &&
                  tn_json_is(&ahead.token, "hex");
    bool is_values = kind == TN_JSON_OBJECT_BEGIN && !is_hex;
    if (!is_values && kind != TN_JSON_ARRAY_BEGIN)
        return build_take_text(io, field->name, &field->text);
    // The text is at least as long as the result without the spaces.
    growing_text text = {.room = b->text_size - b->json.pos + TN_JSON_PADDING};
    if (text.room > field->size) text.room = field->size;
    text.data = tn_io_alloc(io, field->name, text.room, 1);
    if (!text.data) return false;
    bool ok =
        is_values ? build_take_values(io, field, &text) : build_take_pieces(io, field->name, &text);
    uint32_t size = text.size < UINT32_MAX ? (uint32_t)text.size : UINT32_MAX;
    field->text = (tenon_str){text.data, size};
    return ok;
}

// Text as the file stores it: after its size, before a NUL, or neither.
static bool build_take_text_field(tn_io *io, tn_field *field)
{
    uint8_t wire[4];
    uint64_t start = io->pos;
    bool is_taken = field->is_json ? build_take_json(io, field)
                                   : build_take_text(io, field->name, &field->text);
    if (!is_taken) return false;
    build_store(wire, field->text.size, 4, io->big_endian);
    if (field->type == TENON_TYPE_STR && field->text.size != field->size) {
        tn_fail(io, TENON_ERR_VALUE, 0, field->name,
                "'%s' has %" PRIu32 " bytes, its size says %" PRIu64, field->name, field->text.size,
                field->size);
        return false;
    }
    if (field->type == TENON_TYPE_STRZ && memchr(field->text.data, 0, field->text.size))
        return build_expected(io, field->name, "text without a NUL");
    if (field->type == TENON_TYPE_STR32 && !build_emit(io, wire, 4)) return false;
    if (!build_emit(io, field->text.data, field->text.size)) return false;
    if (field->type == TENON_TYPE_STRZ && !build_emit(io, "", 1)) return false;
    field->size = io->pos - start;
    return true;
}

static bool build_take_bytes(tn_io *io, tn_field *field, bool any_size)
{
    uint8_t *bytes;
    uint64_t size;
    if (!build_take_hex(io, field->name, &bytes, &size)) return false;
    if (!any_size && size != field->size) {
        tn_fail(io, TENON_ERR_VALUE, 0, field->name,
                "'%s' has %" PRIu64 " bytes, its size says %" PRIu64, field->name, size,
                field->size);
        return false;
    }
    field->bytes = bytes;
    field->size = field->count = size;
    return build_emit(io, bytes, size);
}

// -- The source

static bool build_json_take(tn_io *io, tn_field *field)
{
    if (field->role == TN_ROLE_CONSTANT) return build_emit(io, field->text.data, field->text.size);
    if (!build_open_field(io, field->name)) return false;
    switch (field->type) {
    case TENON_TYPE_STR:
    case TENON_TYPE_STR32:
    case TENON_TYPE_STRZ:
        return build_take_text_field(io, field);
    case TENON_TYPE_RECORDS:
        return build_take_records(io, field);
    case TENON_TYPE_BYTES:
        return build_take_bytes(io, field, false);
    default:
        break;
    }
    uint8_t *wire = build_context(io)->wire;
    field->bytes = wire;
    return build_take_numbers(io, field->name, field->type, field->count, wire) &&
           build_emit(io, wire, field->size);
}

// Leftover bytes are in the text only if there are any.
static bool build_json_rest(tn_io *io, tn_field *field)
{
    const tn_json_token *token = build_peek(build_context(io));
    field->size = field->count = 0;
    if (token->kind != TN_JSON_KEY || !tn_json_is(token, field->name)) return true;
    return build_open_field(io, field->name) && build_take_bytes(io, field, true);
}

// build_take_records() does this.
static bool build_json_count(tn_io *io, uint64_t *count)
{
    (void)io;
    *count = TENON_ABSENT;
    return true;
}

static bool build_json_list(tn_io *io, tn_list_kind kind, uint32_t *count)
{
    const char *name = io->frames[io->depth - 1].name;
    if (!build_settle_item(io, io->depth - 1, true) || !build_expect_key_of(io, "", name))
        return false;
    if (!build_expect(io, "", TN_JSON_ARRAY_BEGIN, "'['")) return false;
    bool is_cut;
    uint64_t items = build_count_items(build_context(io), &is_cut);
    if (kind == TN_COUNT_KNOWN && items != *count) {
        // A list without an end also has too few items, but the missing end is the error to report.
        while (is_cut && build_take_token(build_context(io))->kind > TN_JSON_END) continue;
        if (is_cut) return build_expected(io, "", "']'");
        tn_fail(io, TENON_ERR_VALUE, 0, "", "'%s' has %" PRIu64 " items, its count says %" PRIu32,
                name, items, *count);
        return false;
    }
    if (items > UINT32_MAX) return build_expected(io, "", "fewer items");
    *count = (uint32_t)items;
    uint8_t wire[4];
    build_store(wire, items, 4, io->big_endian);
    return kind != TN_COUNT_STORED || build_emit(io, wire, 4);
}

static bool build_json_given(tn_io *io, const tn_field *field, uint64_t *value)
{
    uint8_t wire[4];
    if (!build_open_field(io, field->name)) return false;
    if (!build_take_number(io, field->name, TENON_TYPE_U32, wire)) return false;
    *value = tn_load32(wire, io->big_endian);
    return true;
}

static void build_json_step(tn_io *io, tn_step step)
{
    tn_text_builder *b = build_context(io);
    const char *name = io->frames[io->depth - 1].name;
    switch (step) {
    case TN_STRUCT_BEGIN:
        if (build_settle_item(io, io->depth - 1, true) && build_expect_key_of(io, "", name))
            build_expect(io, "", TN_JSON_OBJECT_BEGIN, "'{'");
        break;
    case TN_STRUCT_END:
        build_expect(io, "", TN_JSON_OBJECT_END, "'}'");
        break;
    case TN_LIST_BEGIN:
        break;  // build_json_list() opens it.
    case TN_ITEM_BEGIN:
        b->is_item_open = true;
        break;
    case TN_ITEM_END:
        if (build_settle_item(io, io->depth, true) && b->is_object[io->depth])
            build_expect(io, "", TN_JSON_OBJECT_END, "'}'");
        break;
    case TN_LIST_END:
        build_expect(io, "", TN_JSON_ARRAY_END, "']'");
        break;
    }
}

static const tn_source json_source = {.take = build_json_take,
                                      .rest = build_json_rest,
                                      .count = build_json_count,
                                      .list = build_json_list,
                                      .given = build_json_given,
                                      .step = build_json_step};

// -- Beginning and end

// Give a failure its place in the text.
static void build_place_error(const tn_text_builder *b, tenon_error *err)
{
    if (err->code == TENON_ERR_IO || err->code == TENON_ERR_CANCELLED) return;
    bool is_syntax = b->json.token.kind == TN_JSON_ERROR;
    err->offset = is_syntax ? b->json.error.offset : b->json.token.offset;
    tn_json_place(b->text, b->text_size, err->offset, &err->line, &err->column);
}

void tn_text_builder_io(tn_text_builder *b, tn_io *io, tenon_write_fn *write, void *user,
                        tenon_error *err)
{
    tn_io_reader(io, NULL, UINT64_MAX, b->arena, err);
    io->source = &json_source;
    io->source_state = b;
    b->write = write;
    b->write_user = user;
}

// A member whose value is a name, such as "format": "bplx".
static const char *build_take_name(tn_io *io, const char *key)
{
    tenon_str text = {"", 0};
    if (!build_expect_key(io, key) || !build_take_text(io, key, &text)) return NULL;
    char *copy = tn_io_alloc(io, key, (uint64_t)text.size + 1, 1);
    if (copy) memcpy(copy, text.data, text.size);
    return copy;
}

bool tn_text_builder_begin(tn_text_builder *b, const char *text, size_t size, tn_arena *arena,
                           const char **format, const char **dialect, tenon_error *err)
{
    *b = (tn_text_builder){.text = text, .text_size = size, .arena = arena};
    tn_json_begin(&b->json, text, size, 0);
    tn_io io;
    uint8_t version[4] = {0};
    tn_text_builder_io(b, &io, NULL, NULL, err);
    bool ok = build_expect(&io, "", TN_JSON_OBJECT_BEGIN, "'{'") &&
              build_expect_key(&io, "tenon") &&
              build_take_number(&io, "tenon", TENON_TYPE_U32, version);
    if (ok && tn_load32(version, false) != 1)
        ok = build_expected(&io, "tenon", "1, the only version of this text");
    ok = ok && (*format = build_take_name(&io, "format")) != NULL &&
         (*dialect = build_take_name(&io, "dialect")) != NULL;
    if (!ok) build_place_error(b, err);
    return ok;
}

bool tn_text_builder_end(tn_text_builder *b, tn_io *io)
{
    tenon_span trailing;
    tn_rest(io, "trailing", &trailing);
    if (!io->failed) build_expect(io, "", TN_JSON_OBJECT_END, "'}'");
    if (!io->failed) build_expect(io, "", TN_JSON_END, "the end");
    if (io->failed) build_place_error(b, io->err);
    return !io->failed;
}
