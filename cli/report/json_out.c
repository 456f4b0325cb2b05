// json_out.c: printing JSON: members in the order they are given, one value on one line.
// SPDX-License-Identifier: MIT

#include "report/json_out.h"

#include "report/clean.h"
#include "report/output.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

static void json_out_put_string(json_out *json, const char *text, size_t size)
{
    out(json->to, "\"");
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        size_t step = clean_decode(text + at, size - at, &code);
        if (step == 0)
            out(json->to, "\\ufffd");
        else if (code == '"' || code == '\\')
            out(json->to, "\\%c", (char)code);
        else if (clean_is_unsafe(code))
            out(json->to, "\\u%04" PRIx32, code);
        else
            out_bytes(json->to, text + at, step);
        at += step ? step : 1;
    }
    out(json->to, "\"");
}

// The comma and the key before a value.
static void json_out_put_key(json_out *json, const char *key)
{
    if (json->comma) out(json->to, ",");
    json->comma = true;
    if (!key) return;
    json_out_put_string(json, key, strlen(key));
    out(json->to, ":");
}

void json_begin(json_out *json, const char *key, char bracket)
{
    json_out_put_key(json, key);
    out(json->to, "%c", bracket);
    json->comma = false;
}

void json_end(json_out *json, char bracket)
{
    out(json->to, "%c", bracket);
    json->comma = true;
}

void json_line(json_out *json)
{
    out(json->to, "\n");
    json->comma = false;
}

void json_bool(json_out *json, const char *key, bool value)
{
    json_out_put_key(json, key);
    out(json->to, value ? "true" : "false");
}

void json_uint(json_out *json, const char *key, uint64_t value)
{
    json_out_put_key(json, key);
    out(json->to, "%" PRIu64, value);
}

void json_text(json_out *json, const char *key, const char *text)
{
    json_out_put_key(json, key);
    json_out_put_string(json, text, strlen(text));
}

void json_str(json_out *json, const char *key, tenon_str text)
{
    bool has_nul = text.size > 0 && memchr(text.data, 0, text.size);
    if (has_nul || !clean_is_utf8(text.data, text.size)) {
        json_hex(json, key, (const uint8_t *)text.data, text.size);
        return;
    }
    json_out_put_key(json, key);
    json_out_put_string(json, text.data, text.size);
}

void json_hex(json_out *json, const char *key, const uint8_t *bytes, uint64_t size)
{
    json_begin(json, key, '{');
    json_out_put_key(json, "hex");
    out(json->to, "\"");
    for (uint64_t i = 0; i < size; i++) out(json->to, "%02x", bytes[i]);
    out(json->to, "\"");
    json_end(json, '}');
}

// -- Numbers

static bool json_out_host_is_big(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static bool json_out_is_finite_text(const char *text)
{
    return !strchr(text, 'n');
}

bool json_number_text(double value, char *text, size_t size)
{
    bool is_in_range = value >= -FLT_MAX && value <= FLT_MAX;
    float narrow = is_in_range ? (float)value : 0.0f;
    bool is_narrow = is_in_range && (double)narrow == value;
    uint8_t bytes[sizeof value];
    if (is_narrow)
        memcpy(bytes, &narrow, sizeof narrow);
    else
        memcpy(bytes, &value, sizeof value);
    tenon_number_text(is_narrow ? TENON_TYPE_F32 : TENON_TYPE_F64, bytes, json_out_host_is_big(), 0,
                      text, size);
    return json_out_is_finite_text(text);
}

void json_number(json_out *json, const char *key, double value)
{
    char text[32];
    bool is_finite = json_number_text(value, text, sizeof text);
    json_out_put_key(json, key);
    out(json->to, is_finite ? "%s" : "\"%s\"", text);
}

// All bits of a number that is not finite: NaNs differ in them.
static void json_out_put_bits(json_out *json, tenon_type type, const uint8_t *bytes,
                              bool big_endian)
{
    uint32_t size = tenon_type_size(type);
    out(json->to, "\"%s:", tenon_type_word(type));
    for (uint32_t i = 0; i < size; i++) out(json->to, "%02x", bytes[big_endian ? i : size - 1 - i]);
    out(json->to, "\"");
}

void json_typed(json_out *json, const char *key, tenon_type type, const uint8_t *bytes,
                bool big_endian, uint64_t index)
{
    char text[32];
    tenon_number_text(type, bytes, big_endian, index, text, sizeof text);
    json_out_put_key(json, key);
    if (json_out_is_finite_text(text))
        out(json->to, "%s", text);
    else
        json_out_put_bits(json, type, bytes + index * tenon_type_size(type), big_endian);
}
