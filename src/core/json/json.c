// json.c: a pull tokenizer for JSON (RFC 8259) in memory.
// SPDX-License-Identifier: MIT

#include "core/json/json.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <string.h>

// What may come next. Commas and colons are not tokens: they are skipped on the way to one.
enum {
    EXPECT_TEXT,         // The one value, at the start.
    EXPECT_FIRST_KEY,    // A key or the end of the object.
    EXPECT_FIRST_VALUE,  // A value or the end of the array.
    EXPECT_COLON,        // After a key.
    EXPECT_COMMA,        // After a value: a comma or the end of what it is in.
    EXPECT_NOTHING,      // After the one value.
    EXPECT_OVER,         // END or ERROR has been given out.
};

static const char *const messages[TN_JSON_CODE_COUNT] = {
    [TN_JSON_OK] = "no error",
    [TN_JSON_ERR_EMPTY] = "the text has no value",
    [TN_JSON_ERR_CUT] = "the text ends inside a value",
    [TN_JSON_ERR_BOM] = "the text starts with a byte order mark",
    [TN_JSON_ERR_VALUE] = "expected a value",
    [TN_JSON_ERR_KEY] = "expected a key in double quotes",
    [TN_JSON_ERR_COLON] = "expected ':' after the key",
    [TN_JSON_ERR_ARRAY_COMMA] = "expected ',' or ']'",
    [TN_JSON_ERR_OBJECT_COMMA] = "expected ',' or '}'",
    [TN_JSON_ERR_SPARE_COMMA] = "nothing follows the last ','",
    [TN_JSON_ERR_REST] = "the text continues after its value",
    [TN_JSON_ERR_COMMENT] = "comments are not allowed",
    [TN_JSON_ERR_LEADING_ZERO] = "the number has a leading zero",
    [TN_JSON_ERR_DIGIT] = "a digit is missing in the number",
    [TN_JSON_ERR_CONTROL] = "the string contains a control character",
    [TN_JSON_ERR_ESCAPE] = "the string contains an unknown escape",
    [TN_JSON_ERR_HEX] = "'\\u' needs four hexadecimal digits",
    [TN_JSON_ERR_SURROGATE] = "'\\u' is only half of a surrogate pair",
    [TN_JSON_ERR_UTF8] = "the string is not UTF-8",
    [TN_JSON_ERR_DEPTH] = "the text is nested too deep",
};

void tn_json_begin(tn_json *json, const void *data, size_t size, uint32_t max_depth)
{
    bool is_limited = max_depth > 0 && max_depth < TN_JSON_MAX_DEPTH;
    *json = (tn_json){
        .data = data,
        .size = size,
        .max_depth = is_limited ? max_depth : TN_JSON_MAX_DEPTH,
        .expected = EXPECT_TEXT,
        .error = {.message = messages[TN_JSON_OK]},
    };
}

// -- Giving out tokens

static tn_json_kind json_fail(tn_json *json, tn_json_code code, size_t at)
{
    json->error = (tn_json_error){code, at, messages[code]};
    json->token = (tn_json_token){.kind = TN_JSON_ERROR, .offset = at};
    json->expected = EXPECT_OVER;
    return TN_JSON_ERROR;
}

// Gives out the bytes from `start` to the position.
static tn_json_kind json_give(tn_json *json, tn_json_kind kind, size_t start)
{
    json->token = (tn_json_token){
        .kind = kind,
        .offset = start,
        .text = (const char *)json->data + start,
        .size = json->pos - start,
    };
    return kind;
}

static bool json_in_object(const tn_json *json)
{
    uint32_t top = json->depth - 1;
    return json->is_object[top / 64] >> (top % 64) & 1;
}

static void json_expect_after_value(tn_json *json)
{
    json->expected = json->depth ? EXPECT_COMMA : EXPECT_NOTHING;
}

static tn_json_kind json_enter(tn_json *json, bool is_object)
{
    if (json->depth == json->max_depth) return json_fail(json, TN_JSON_ERR_DEPTH, json->pos);
    uint64_t bit = (uint64_t)1 << (json->depth % 64);
    uint64_t *word = &json->is_object[json->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    json->depth++;
    json->pos++;
    json->expected = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_VALUE;
    return json_give(json, is_object ? TN_JSON_OBJECT_BEGIN : TN_JSON_ARRAY_BEGIN, json->pos - 1);
}

static tn_json_kind json_leave(tn_json *json)
{
    bool was_object = json_in_object(json);
    json->depth--;
    json->pos++;
    json_expect_after_value(json);
    return json_give(json, was_object ? TN_JSON_OBJECT_END : TN_JSON_ARRAY_END, json->pos - 1);
}

// -- Strings

static bool json_is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

// The four digits of a \u, or -1 and a code.
static int32_t json_code_unit(const char *p, const char *end, tn_json_code *code)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = p + i < end ? tn_hex_digit(p[i]) : -1;
        *code = p + i < end ? TN_JSON_ERR_HEX : TN_JSON_ERR_CUT;
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool json_is_high(int32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool json_is_low(int32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

// Checks the second half of a pair, which must be at `p`. Returns its size.
static size_t json_check_second(const char *p, const char *end, tn_json_code *code)
{
    *code = TN_JSON_ERR_CUT;
    if (p == end) return 0;
    if (p[0] == '\\' && p + 1 == end) return 0;
    *code = TN_JSON_ERR_SURROGATE;
    if (p[0] != '\\' || p[1] != 'u') return 0;
    int32_t unit = json_code_unit(p + 2, end, code);
    if (unit < 0) return 0;
    *code = TN_JSON_ERR_SURROGATE;
    return json_is_low(unit) ? 6 : 0;
}

// Checks the escape at `p`, which is a backslash. Returns its size, with both halves of a pair.
static size_t json_check_escape(const char *p, const char *end, tn_json_code *code)
{
    *code = TN_JSON_ERR_CUT;
    if (p + 1 == end) return 0;
    *code = TN_JSON_ERR_ESCAPE;
    if (p[1] != 'u') return p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
    int32_t unit = json_code_unit(p + 2, end, code);
    if (unit < 0) return 0;
    *code = TN_JSON_ERR_SURROGATE;
    if (json_is_low(unit)) return 0;
    if (!json_is_high(unit)) return 6;
    size_t second = json_check_second(p + 6, end, code);
    return second ? 6 + second : 0;
}

// Passes what is not plain. Returns 0 and a code if it may not be there.
static size_t json_check_special(const char *p, const char *end, tn_json_code *code)
{
    if (*p == '\\') return json_check_escape(p, end, code);
    if ((uint8_t)*p < 0x20) {
        *code = TN_JSON_ERR_CONTROL;
        return 0;
    }
    size_t left = (size_t)(end - p);
    *code = tn_utf8_is_cut(p, left) ? TN_JSON_ERR_CUT : TN_JSON_ERR_UTF8;
    return tn_utf8_step(p, left);
}

static tn_json_kind json_string(tn_json *json, tn_json_kind kind)
{
    const uint8_t *data = json->data;
    size_t start = json->pos, at = start + 1;
    bool has_escapes = false;
    for (;;) {
        while (at < json->size && json_is_plain(data[at])) at++;
        if (at == json->size) return json_fail(json, TN_JSON_ERR_CUT, at);
        if (data[at] == '"') break;
        tn_json_code code;
        size_t step =
            json_check_special((const char *)data + at, (const char *)data + json->size, &code);
        if (step == 0) return json_fail(json, code, code == TN_JSON_ERR_CUT ? json->size : at);
        has_escapes |= data[at] == '\\';
        at += step;
    }
    json->pos = at;
    json_give(json, kind, start + 1);
    json->pos++;
    json->token.offset = start;
    json->token.has_escapes = has_escapes;
    return kind;
}

static tn_json_kind json_key(tn_json *json)
{
    if (json->data[json->pos] != '"') return json_fail(json, TN_JSON_ERR_KEY, json->pos);
    json->expected = EXPECT_COLON;
    return json_string(json, TN_JSON_KEY);
}

// -- Other values

static tn_json_kind number(tn_json *json)
{
    size_t start = json->pos, size;
    bool ok = tn_number_scan((const char *)json->data + start, json->size - start, &size);
    json->pos += size;
    // Within something that is still open, a number at the end of the text may lack digits.
    bool is_cut = json->pos == json->size && (!ok || json->depth > 0);
    if (ok && !is_cut) return json_give(json, TN_JSON_NUMBER, start);
    if (is_cut) return json_fail(json, TN_JSON_ERR_CUT, json->pos);
    uint8_t c = json->data[json->pos];
    bool is_digit = c >= '0' && c <= '9';
    return json_fail(json, is_digit ? TN_JSON_ERR_LEADING_ZERO : TN_JSON_ERR_DIGIT, json->pos);
}

static tn_json_kind json_take_word(tn_json *json, const char *text, tn_json_kind kind)
{
    size_t start = json->pos, left = json->size - start, size = strlen(text);
    bool is_cut = left < size;
    if (memcmp(json->data + start, text, is_cut ? left : size) != 0)
        return json_fail(json, TN_JSON_ERR_VALUE, start);
    if (is_cut) return json_fail(json, TN_JSON_ERR_CUT, json->size);
    json->pos += size;
    return json_give(json, kind, start);
}

static tn_json_kind json_value(tn_json *json)
{
    json_expect_after_value(json);
    uint8_t c = json->data[json->pos];
    switch (c) {
    case '{':
        return json_enter(json, true);
    case '[':
        return json_enter(json, false);
    case '"':
        return json_string(json, TN_JSON_STRING);
    case 't':
        return json_take_word(json, "true", TN_JSON_TRUE);
    case 'f':
        return json_take_word(json, "false", TN_JSON_FALSE);
    case 'n':
        return json_take_word(json, "null", TN_JSON_NULL);
    default:
        break;
    }
    if (c == '-' || (c >= '0' && c <= '9')) return number(json);
    return json_fail(json, TN_JSON_ERR_VALUE, json->pos);
}

// -- Between tokens

static void json_skip_space(tn_json *json)
{
    const uint8_t *data = json->data;
    size_t at = json->pos;
    while (at < json->size &&
           (data[at] == ' ' || data[at] == '\n' || data[at] == '\r' || data[at] == '\t'))
        at++;
    json->pos = at;
}

// Goes to the next byte that is not white space. There must be one, and it must not start a
// comment.
static bool json_advance(tn_json *json)
{
    json_skip_space(json);
    if (json->pos == json->size)
        json_fail(json, TN_JSON_ERR_CUT, json->pos);
    else if (json->data[json->pos] == '/')
        json_fail(json, TN_JSON_ERR_COMMENT, json->pos);
    return json->expected != EXPECT_OVER;
}

static tn_json_kind json_first(tn_json *json)
{
    if (json->size >= 3 && memcmp(json->data, "\xEF\xBB\xBF", 3) == 0)
        return json_fail(json, TN_JSON_ERR_BOM, 0);
    json_skip_space(json);
    if (json->pos == json->size) return json_fail(json, TN_JSON_ERR_EMPTY, json->pos);
    return json_advance(json) ? json_value(json) : TN_JSON_ERROR;
}

static tn_json_kind json_after_key(tn_json *json)
{
    if (!json_advance(json)) return TN_JSON_ERROR;
    if (json->data[json->pos] != ':') return json_fail(json, TN_JSON_ERR_COLON, json->pos);
    json->pos++;
    return json_advance(json) ? json_value(json) : TN_JSON_ERROR;
}

static tn_json_kind json_after_value(tn_json *json)
{
    if (!json_advance(json)) return TN_JSON_ERROR;
    bool is_object = json_in_object(json);
    size_t comma = json->pos;
    if (json->data[comma] == (is_object ? '}' : ']')) return json_leave(json);
    if (json->data[comma] != ',')
        return json_fail(json, is_object ? TN_JSON_ERR_OBJECT_COMMA : TN_JSON_ERR_ARRAY_COMMA,
                         comma);
    json->pos++;
    if (!json_advance(json)) return TN_JSON_ERROR;
    uint8_t c = json->data[json->pos];
    if (c == '}' || c == ']') return json_fail(json, TN_JSON_ERR_SPARE_COMMA, comma);
    return is_object ? json_key(json) : json_value(json);
}

static tn_json_kind json_after_enter(tn_json *json, bool is_object)
{
    if (!json_advance(json)) return TN_JSON_ERROR;
    if (json->data[json->pos] == (is_object ? '}' : ']')) return json_leave(json);
    return is_object ? json_key(json) : json_value(json);
}

static tn_json_kind json_last(tn_json *json)
{
    json_skip_space(json);
    if (json->pos != json->size) return json_fail(json, TN_JSON_ERR_REST, json->pos);
    json->expected = EXPECT_OVER;
    return json_give(json, TN_JSON_END, json->pos);
}

tn_json_kind tn_json_next(tn_json *json)
{
    switch (json->expected) {
    case EXPECT_TEXT:
        return json_first(json);
    case EXPECT_FIRST_KEY:
        return json_after_enter(json, true);
    case EXPECT_FIRST_VALUE:
        return json_after_enter(json, false);
    case EXPECT_COLON:
        return json_after_key(json);
    case EXPECT_COMMA:
        return json_after_value(json);
    case EXPECT_NOTHING:
        return json_last(json);
    default:
        return json->token.kind;
    }
}

// -- The text of strings

static uint32_t json_simple_escape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return (uint8_t)c;
    }
}

// Resolves the escape at `*p`, which the tokenizer has checked, and moves past it.
static size_t json_resolve(const char **p, const char *end, char out[4])
{
    const char *at = *p;
    if (at[1] != 'u') {
        *p = at + 2;
        return tn_utf8_put(json_simple_escape(at[1]), out);
    }
    tn_json_code code;
    int32_t c = json_code_unit(at + 2, end, &code);
    *p = at + 6;
    if (json_is_high(c)) {
        c = 0x10000 + (c - 0xD800) * 0x400 + (json_code_unit(at + 8, end, &code) - 0xDC00);
        *p = at + 12;
    }
    return tn_utf8_put((uint32_t)c, out);
}

// The bytes from `p` up to the next escape.
static size_t json_run_size(const char *p, const char *end)
{
    const char *escape = p == end ? NULL : memchr(p, '\\', (size_t)(end - p));
    return (size_t)((escape ? escape : end) - p);
}

size_t tn_json_decode(const tn_json_token *token, char *out)
{
    const char *p = token->text, *end = p + token->size;
    size_t used = 0;
    while (p != end) {
        size_t run = json_run_size(p, end);
        if (out) memcpy(out + used, p, run);
        p += run;
        used += run;
        if (p == end) break;
        char bytes[4];
        size_t size = json_resolve(&p, end, bytes);
        if (out) memcpy(out + used, bytes, size);
        used += size;
    }
    return used;
}

bool tn_json_is(const tn_json_token *token, const char *text)
{
    size_t left = strlen(text);
    if (!token->has_escapes) return token->size == left && memcmp(token->text, text, left) == 0;
    const char *p = token->text, *end = p + token->size;
    while (p != end) {
        char bytes[4];
        const char *from = p;
        size_t size = json_run_size(p, end);
        p += size;
        if (size == 0) {
            size = json_resolve(&p, end, bytes);
            from = bytes;
        }
        if (size > left || memcmp(from, text, size) != 0) return false;
        text += size;
        left -= size;
    }
    return left == 0;
}

// -- Places

void tn_json_place(const void *data, size_t size, uint64_t offset, uint64_t *line, uint64_t *column)
{
    const uint8_t *p = data;
    size_t end = offset < size ? (size_t)offset : size, line_start = 0;
    *line = 1;
    for (size_t at = 0; at < end; at++) {
        if (p[at] != '\n') continue;
        ++*line;
        line_start = at + 1;
    }
    *column = end - line_start + 1;
}
