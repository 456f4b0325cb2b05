// json_write.c: write JSON to a callback, formatted to be read by people and compared by git.
// SPDX-License-Identifier: MIT

#include "core/json/json_write.h"
#include "core/text/number.h"

#include <string.h>

#define ROOM (TN_NUMBER_MAX + 2)  // For a number with quotes, in case it is not finite.

// What the next call may put.
enum {
    EXPECT_VALUE,    // The text itself, or what belongs to a key.
    EXPECT_ITEM,     // In an array: a value or the end.
    EXPECT_MEMBER,   // In an object: a key or the end.
    EXPECT_NOTHING,  // The text is complete.
};

void tn_json_writer_begin(tn_json_writer *w, tn_json_write_fn *write, void *user, uint32_t indent)
{
    w->failed = false;
    w->write = write;
    w->user = user;
    w->indent = indent;
    w->is_compact = false;
    w->depth = 0;
    w->inline_depth = 0;
    w->row_size = w->row_used = 0;
    w->expected = EXPECT_VALUE;
    w->is_empty = true;
    w->used = 0;
}

void tn_json_writer_begin_compact(tn_json_writer *w, tn_json_write_fn *write, void *user)
{
    tn_json_writer_begin(w, write, user, 0);
    w->is_compact = true;
}

// -- The buffer

static void json_write_flush(tn_json_writer *w)
{
    if (!w->failed && w->used > 0) w->failed = !w->write(w->user, w->buffer, w->used);
    w->used = 0;
}

// Where ROOM bytes fit. The caller adds to `used` what it takes of it.
static char *json_write_room(tn_json_writer *w)
{
    if (sizeof w->buffer - w->used < ROOM) json_write_flush(w);
    return w->buffer + w->used;
}

static void json_write_put(tn_json_writer *w, const char *bytes, size_t size)
{
    if (size > sizeof w->buffer - w->used) json_write_flush(w);
    if (size > sizeof w->buffer) {
        if (!w->failed) w->failed = !w->write(w->user, bytes, size);
        return;
    }
    if (size > 0) memcpy(w->buffer + w->used, bytes, size);
    w->used += size;
}

static void json_write_put_char(tn_json_writer *w, char c)
{
    *json_write_room(w) = c;
    w->used++;
}

// -- Layout

static void json_write_break_line(tn_json_writer *w)
{
    static const char spaces[] = "                                ";
    if (w->is_compact) return;
    json_write_put_char(w, '\n');
    for (uint64_t left = (uint64_t)w->depth * w->indent; left > 0;) {
        size_t size = left < sizeof spaces - 1 ? (size_t)left : sizeof spaces - 1;
        json_write_put(w, spaces, size);
        left -= size;
    }
}

// Whether the call is valid here; if not, the writer has failed.
static bool json_write_may_put(tn_json_writer *w, bool is_right)
{
    if (!is_right) w->failed = true;
    return !w->failed;
}

// Before an item of an array or a key: comma, and space or new line.
static void json_write_separate(tn_json_writer *w)
{
    bool goes_on = w->row_size && w->row_used < w->row_size && !w->is_empty;
    w->row_used = goes_on ? w->row_used + 1 : 1;
    if (!w->is_empty) json_write_put_char(w, ',');
    if (w->inline_depth == 0 && !goes_on)
        json_write_break_line(w);
    else if (!w->is_empty && !w->is_compact)
        json_write_put_char(w, ' ');
    w->is_empty = false;
}

static bool json_write_in_object(const tn_json_writer *w)
{
    uint32_t top = w->depth - 1;
    return w->is_object[top / 64] >> (top % 64) & 1;
}

static void json_write_expect_after_value(tn_json_writer *w)
{
    if (w->depth == 0)
        w->expected = EXPECT_NOTHING;
    else
        w->expected = json_write_in_object(w) ? EXPECT_MEMBER : EXPECT_ITEM;
}

// Write what precedes a value. Returns false if a value is not allowed here.
static bool json_write_begin_value(tn_json_writer *w)
{
    if (!json_write_may_put(w, w->expected == EXPECT_VALUE || w->expected == EXPECT_ITEM))
        return false;
    if (w->expected == EXPECT_ITEM) json_write_separate(w);
    json_write_expect_after_value(w);
    return true;
}

bool tn_json_writer_end(tn_json_writer *w)
{
    if (json_write_may_put(w, w->expected == EXPECT_NOTHING) && !w->is_compact)
        json_write_put_char(w, '\n');
    json_write_flush(w);
    return !w->failed;
}

// -- Containers

static void json_write_begin_level(tn_json_writer *w, tn_json_layout layout, bool is_object)
{
    if (!json_write_may_put(w, w->depth < TN_JSON_MAX_DEPTH) || !json_write_begin_value(w)) return;
    uint64_t bit = (uint64_t)1 << (w->depth % 64);
    uint64_t *word = &w->is_object[w->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    w->depth++;
    if (layout == TN_JSON_INLINE && w->inline_depth == 0) w->inline_depth = w->depth;
    w->expected = is_object ? EXPECT_MEMBER : EXPECT_ITEM;
    w->is_empty = true;
    w->row_size = 0;
    json_write_put_char(w, is_object ? '{' : '[');
}

static void json_write_end_level(tn_json_writer *w, bool is_object)
{
    if (!json_write_may_put(w, w->expected == (is_object ? EXPECT_MEMBER : EXPECT_ITEM))) return;
    bool was_inline = w->inline_depth != 0;
    if (w->inline_depth == w->depth) w->inline_depth = 0;
    w->depth--;
    if (!was_inline && !w->is_empty) json_write_break_line(w);
    json_write_put_char(w, is_object ? '}' : ']');
    w->is_empty = false;
    w->row_size = 0;
    json_write_expect_after_value(w);
}

void tn_json_put_object_begin(tn_json_writer *w, tn_json_layout layout)
{
    json_write_begin_level(w, layout, true);
}

void tn_json_put_object_end(tn_json_writer *w)
{
    json_write_end_level(w, true);
}

void tn_json_put_array_begin(tn_json_writer *w, tn_json_layout layout)
{
    json_write_begin_level(w, layout, false);
}

void tn_json_put_rows_begin(tn_json_writer *w, uint32_t per_line)
{
    json_write_begin_level(w, TN_JSON_BLOCK, false);
    w->row_size = per_line;
}

void tn_json_put_array_end(tn_json_writer *w)
{
    json_write_end_level(w, false);
}

// -- Strings

static void json_write_put_escape(tn_json_writer *w, uint8_t c)
{
    static const char names[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                 ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    char text[6] = {'\\', names[c]};
    if (names[c]) {
        json_write_put(w, text, 2);
        return;
    }
    memcpy(text, "\\u00", 4);
    text[4] = (char)('0' + (c >> 4));
    text[5] = "0123456789abcdef"[c & 15];
    json_write_put(w, text, 6);
}

static void json_write_put_quoted(tn_json_writer *w, const char *text, size_t size)
{
    json_write_put_char(w, '"');
    size_t start = 0;
    for (size_t at = 0; at < size; at++) {
        uint8_t c = (uint8_t)text[at];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        json_write_put(w, text + start, at - start);
        json_write_put_escape(w, c);
        start = at + 1;
    }
    if (size > 0) json_write_put(w, text + start, size - start);
    json_write_put_char(w, '"');
}

void tn_json_put_key_bytes(tn_json_writer *w, const char *key, size_t size)
{
    if (!json_write_may_put(w, w->expected == EXPECT_MEMBER)) return;
    json_write_separate(w);
    json_write_put_quoted(w, key, size);
    json_write_put(w, ": ", w->is_compact ? 1 : 2);
    w->expected = EXPECT_VALUE;
}

// A key with its quotes, as another text spells it.
static void json_write_put_key_raw(tn_json_writer *w, const char *quoted, size_t size)
{
    if (!json_write_may_put(w, w->expected == EXPECT_MEMBER)) return;
    json_write_separate(w);
    json_write_put(w, quoted, size);
    json_write_put(w, ": ", w->is_compact ? 1 : 2);
    w->expected = EXPECT_VALUE;
}

void tn_json_put_key(tn_json_writer *w, const char *key)
{
    tn_json_put_key_bytes(w, key, strlen(key));
}

void tn_json_put_string_bytes(tn_json_writer *w, const char *text, size_t size)
{
    if (json_write_begin_value(w)) json_write_put_quoted(w, text, size);
}

void tn_json_put_string(tn_json_writer *w, const char *text)
{
    tn_json_put_string_bytes(w, text, strlen(text));
}

// -- Other values

// Whether the text is "nan", "inf" or "-inf", which end in a letter, as no number does.
static bool json_write_is_name(const char *text, size_t size)
{
    return text[size - 1] > '9';
}

// Writes the quotes around a text of `size` bytes that starts after the first one.
static size_t json_write_quote(char *out, size_t size)
{
    out[0] = '"';
    out[size + 1] = '"';
    return size + 2;
}

void tn_json_put_f32(tn_json_writer *w, float v)
{
    if (!json_write_begin_value(w)) return;
    char *out = json_write_room(w);
    size_t size = tn_f32_text(v, out);
    if (json_write_is_name(out, size)) size = json_write_quote(out, tn_f32_bits_text(v, out + 1));
    w->used += size;
}

void tn_json_put_f64(tn_json_writer *w, double v)
{
    if (!json_write_begin_value(w)) return;
    char *out = json_write_room(w);
    size_t size = tn_f64_text(v, out);
    if (json_write_is_name(out, size)) size = json_write_quote(out, tn_f64_bits_text(v, out + 1));
    w->used += size;
}

void tn_json_put_u64(tn_json_writer *w, uint64_t v)
{
    if (!json_write_begin_value(w)) return;
    char *out = json_write_room(w);
    w->used += tn_u64_text(v, out);
}

void tn_json_put_i64(tn_json_writer *w, int64_t v)
{
    if (!json_write_begin_value(w)) return;
    char *out = json_write_room(w);
    w->used += tn_i64_text(v, out);
}

void tn_json_put_bool(tn_json_writer *w, bool v)
{
    tn_json_put_raw(w, v ? "true" : "false", v ? 4 : 5);
}

void tn_json_put_null(tn_json_writer *w)
{
    tn_json_put_raw(w, "null", 4);
}

void tn_json_put_raw(tn_json_writer *w, const char *json, size_t size)
{
    if (json_write_begin_value(w)) json_write_put(w, json, size);
}

void tn_json_put_hex(tn_json_writer *w, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (!json_write_begin_value(w)) return;
    json_write_put_char(w, '"');
    for (size_t i = 0; i < size; i++) {
        json_write_put_char(w, digits[bytes[i] >> 4]);
        json_write_put_char(w, digits[bytes[i] & 15]);
    }
    json_write_put_char(w, '"');
}

// -- Values of another text

// Whether no arrays or objects are in the array whose bracket is the current token.
static bool json_write_is_plain_array(const tn_json *json)
{
    for (size_t at = json->pos; at < json->size; at++) {
        uint8_t c = json->data[at];
        if (c == ']') return true;
        if (c == '[' || c == '{') return false;
        if (c != '"') continue;
        for (at++; at < json->size && json->data[at] != '"'; at++)
            if (json->data[at] == '\\') at++;
    }
    return false;
}

bool tn_json_put_value(tn_json_writer *w, tn_json *json)
{
    const tn_json_token *token = &json->token;
    bool is_container = token->kind == TN_JSON_OBJECT_BEGIN || token->kind == TN_JSON_ARRAY_BEGIN;
    uint32_t outer = json->depth - is_container;
    for (; token->kind > TN_JSON_END && !w->failed; tn_json_next(json)) {
        switch (token->kind) {
        case TN_JSON_OBJECT_BEGIN:
            tn_json_put_object_begin(w, TN_JSON_BLOCK);
            break;
        case TN_JSON_ARRAY_BEGIN:
            tn_json_put_array_begin(w, json_write_is_plain_array(json) ? TN_JSON_INLINE
                                                                       : TN_JSON_BLOCK);
            break;
        case TN_JSON_OBJECT_END:
            tn_json_put_object_end(w);
            break;
        case TN_JSON_ARRAY_END:
            tn_json_put_array_end(w);
            break;
        case TN_JSON_KEY:
            json_write_put_key_raw(w, token->text - 1, token->size + 2);
            break;
        case TN_JSON_STRING:
            tn_json_put_raw(w, token->text - 1, token->size + 2);
            break;
        default:
            tn_json_put_raw(w, token->text, token->size);
        }
        if (json->depth == outer) return !w->failed;
    }
    return false;
}
