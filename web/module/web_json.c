// web_json.c: results as JSON in memory.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 32

static void web_json_put(web_json *json, const char *text, size_t size)
{
    if (size > json->room - json->size) {
        size_t room = 2 * (json->size + size) + 256;
        char *grown = json->failed || room < json->room ? NULL : realloc(json->text, room);
        json->failed = !grown;
        if (!grown) return;
        json->text = grown;
        json->room = room;
    }
    if (size) memcpy(json->text + json->size, text, size);
    json->size += size;
}

// Bytes of the character at the start of a text; 0 if it is not UTF-8.
static size_t web_json_character(const uint8_t *p, size_t size)
{
    if (p[0] < 0x80) return 1;
    size_t need = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (need == 0 || need > size) return 0;
    for (size_t i = 1; i < need; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    bool is_overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool is_surrogate = p[0] == 0xED && p[1] >= 0xA0, is_past = p[0] == 0xF4 && p[1] >= 0x90;
    return is_overlong || is_surrogate || is_past ? 0 : need;
}

static void web_json_put_string(web_json *json, const char *text, size_t size)
{
    char escape[8];
    web_json_put(json, "\"", 1);
    for (size_t at = 0; at < size;) {
        const uint8_t *p = (const uint8_t *)text + at;
        size_t step = web_json_character(p, size - at);
        if (step == 0) {
            web_json_put(json, "\\ufffd", 6);
            at++;
            continue;
        }
        if (p[0] == '"' || p[0] == '\\' || p[0] < 0x20) {
            (void)snprintf(escape, sizeof escape, "\\u%04x", p[0]);
            web_json_put(json, escape, 6);
        } else {
            web_json_put(json, text + at, step);
        }
        at += step;
    }
    web_json_put(json, "\"", 1);
}

// The comma and the key before a value.
static void web_json_put_key(web_json *json, const char *key)
{
    if (json->needs_comma) web_json_put(json, ",", 1);
    json->needs_comma = true;
    if (!key) return;
    web_json_put_string(json, key, strlen(key));
    web_json_put(json, ":", 1);
}

void web_json_begin(web_json *json, const char *key, char bracket)
{
    web_json_put_key(json, key);
    web_json_put(json, &bracket, 1);
    json->needs_comma = false;
}

void web_json_end(web_json *json, char bracket)
{
    web_json_put(json, &bracket, 1);
    json->needs_comma = true;
}

void web_json_bool(web_json *json, const char *key, bool value)
{
    web_json_put_key(json, key);
    web_json_put(json, value ? "true" : "false", value ? 4 : 5);
}

void web_json_uint(web_json *json, const char *key, uint64_t value)
{
    char text[NUMBER_SIZE];
    int size = snprintf(text, sizeof text, "%" PRIu64, value);
    web_json_put_key(json, key);
    web_json_put(json, text, (size_t)size);
}

void web_json_number(web_json *json, const char *key, double value)
{
    char text[NUMBER_SIZE];
    uint8_t bytes[sizeof value];
    bool is_in_range = value >= -FLT_MAX && value <= FLT_MAX;
    float narrow = is_in_range ? (float)value : 0.0f;
    bool is_narrow = is_in_range && (double)narrow == value;
    memcpy(bytes, is_narrow ? (const void *)&narrow : (const void *)&value,
           is_narrow ? sizeof narrow : sizeof value);
    size_t size = tenon_number_text(is_narrow ? TENON_TYPE_F32 : TENON_TYPE_F64, bytes, false, 0,
                                    text, sizeof text);
    web_json_put_key(json, key);
    if (strchr(text, 'n'))
        web_json_put_string(json, text, size);
    else
        web_json_put(json, text, size);
}

void web_json_text(web_json *json, const char *key, const char *text)
{
    web_json_put_key(json, key);
    web_json_put_string(json, text, strlen(text));
}

void web_json_str(web_json *json, const char *key, tenon_str text)
{
    bool is_text = true;
    for (size_t at = 0, step; is_text && at < text.size; at += step) {
        step = web_json_character((const uint8_t *)text.data + at, text.size - at);
        is_text = step > 0 && text.data[at];
    }
    if (!is_text) {
        web_json_hex(json, key, (const uint8_t *)text.data, text.size);
        return;
    }
    web_json_put_key(json, key);
    web_json_put_string(json, text.data, text.size);
}

void web_json_hex(web_json *json, const char *key, const uint8_t *bytes, uint64_t size)
{
    char digits[4];
    web_json_begin(json, key, '{');
    web_json_put_key(json, "hex");
    web_json_put(json, "\"", 1);
    for (uint64_t i = 0; i < size; i++) {
        (void)snprintf(digits, sizeof digits, "%02x", bytes[i]);
        web_json_put(json, digits, 2);
    }
    web_json_put(json, "\"", 1);
    web_json_end(json, '}');
}

void web_json_typed(web_json *json, const char *key, tenon_type type, const uint8_t *bytes,
                    bool big_endian, uint64_t index)
{
    char text[NUMBER_SIZE], bits[NUMBER_SIZE];
    size_t size = tenon_number_text(type, bytes, big_endian, index, text, sizeof text);
    web_json_put_key(json, key);
    if (!strchr(text, 'n')) {
        web_json_put(json, text, size);
        return;
    }
    // All bits of a number that is not finite: NaNs differ in them.
    uint32_t width = tenon_type_size(type);
    const uint8_t *number = bytes + index * width;
    int used = snprintf(bits, sizeof bits, "%s:", tenon_type_word(type));
    for (uint32_t i = 0; i < width; i++)
        used += snprintf(bits + used, sizeof bits - (size_t)used, "%02x",
                         number[big_endian ? i : width - 1 - i]);
    web_json_put_string(json, bits, (size_t)used);
}

void web_json_list(web_json *json, const char *key, const web_json *items)
{
    web_json_begin(json, key, '[');
    web_json_put(json, items->text, items->size);
    web_json_end(json, ']');
    json->failed |= items->failed;
}

void web_json_error(web_json *json, const tenon_error *err)
{
    web_json_begin(json, "error", '{');
    web_json_text(json, "code", tenon_code_word(err->code));
    if (err->offset != TENON_ABSENT) web_json_uint(json, "offset", err->offset);
    if (err->line) web_json_uint(json, "line", err->line);
    if (err->line) web_json_uint(json, "column", err->column);
    if (err->path[0]) web_json_text(json, "path", err->path);
    web_json_text(json, "message", err->message);
    if (err->note[0]) web_json_text(json, "note", err->note);
    web_json_end(json, '}');
}

void web_json_free(web_json *json)
{
    free(json->text);
    *json = (web_json){0};
}
