// fbx_numbers.c: decode arrays of numbers, however they are stored, and base64.
// SPDX-License-Identifier: MIT

#include "core/compress/inflate.h"
#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/error.h"
#include "formats/fbx/fbx_format.h"
#include "formats/fbx/fbx_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t fbx_to_i64(double v)
{
    if (!(v > -9223372036854775808.0)) return v == v ? INT64_MIN : 0;
    return v < 9223372036854775808.0 ? (int64_t)v : INT64_MAX;
}

// -- Failing

static bool fbx_numbers_fail(const tenon_fbx *doc, const tenon_fbx_node *node, tenon_code code,
                             uint64_t offset, const char *message, tenon_error *err)
{
    tn_error(err, code, "'%.*s' %s", (int)node->name.size, node->name.data, message);
    if (!err) return false;
    err->offset = offset;
    fbx_path(doc, node, err->path, sizeof err->path);
    return false;
}

// -- Numbers

// What numbers are decoded to.
typedef enum fbx_number_kind { FBX_F32, FBX_F64, FBX_I32, FBX_I64 } fbx_number_kind;

static const tenon_type fbx_number_types[] = {[FBX_F32] = TENON_TYPE_F32,
                                              [FBX_F64] = TENON_TYPE_F64,
                                              [FBX_I32] = TENON_TYPE_I32,
                                              [FBX_I64] = TENON_TYPE_I64};

static void fbx_numbers_put_float(void *out, uint64_t at, fbx_number_kind kind, double v)
{
    if (kind == FBX_F64) {
        ((double *)out)[at] = v;
    } else if (kind == FBX_F32) {
        ((float *)out)[at] = tn_to_float(v);
    } else {
        int64_t whole = fbx_to_i64(v);
        if (kind == FBX_I64) ((int64_t *)out)[at] = whole;
        if (kind == FBX_I32)
            ((int32_t *)out)[at] = whole < INT32_MIN   ? INT32_MIN
                                   : whole > INT32_MAX ? INT32_MAX
                                                       : (int32_t)whole;
    }
}

static void fbx_numbers_put_int(void *out, uint64_t at, fbx_number_kind kind, int64_t v)
{
    if (kind == FBX_I64)
        ((int64_t *)out)[at] = v;
    else if (kind == FBX_I32)
        ((int32_t *)out)[at] = v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : (int32_t)v;
    else
        fbx_numbers_put_float(out, at, kind, (double)v);
}

// Binary numbers, one every `stride` bytes.
static void fbx_numbers_convert(const uint8_t *bytes, uint64_t count, uint64_t stride,
                                tenon_type type, bool big, fbx_number_kind kind, void *out)
{
    uint32_t width = tenon_type_size(type);
    if (type == fbx_number_types[kind] && stride == width) {
        tn_copy_numbers(out, bytes, count, width, big);
        return;
    }
    for (uint64_t i = 0; i < count; i++, bytes += stride) {
        switch (type) {
        case TENON_TYPE_F64:
            fbx_numbers_put_float(out, i, kind, tn_load_f64(bytes, big));
            break;
        case TENON_TYPE_F32:
            fbx_numbers_put_float(out, i, kind, (double)tn_load_f32(bytes, big));
            break;
        case TENON_TYPE_I64:
            fbx_numbers_put_int(out, i, kind, (int64_t)tn_load64(bytes, big));
            break;
        case TENON_TYPE_I32:
            fbx_numbers_put_int(out, i, kind, (int32_t)tn_load32(bytes, big));
            break;
        case TENON_TYPE_I16:
            fbx_numbers_put_int(out, i, kind, (int16_t)tn_load16(bytes, big));
            break;
        default:
            fbx_numbers_put_int(out, i, kind, *bytes);
            break;
        }
    }
}

// Numbers between commas and blanks, at most array->count. Sets *count to those that are there.
static bool fbx_numbers_parse(const tenon_fbx *doc, const tenon_fbx_node *node,
                              const tenon_fbx_array *array, fbx_number_kind kind, void *out,
                              uint64_t *count, tenon_error *err)
{
    const char *text = (const char *)array->data.data, *end = text + array->data.size;
    *count = 0;
    while (text < end) {
        if (*text == ',' || *text == ' ' || (*text >= '\t' && *text <= '\r')) {
            text++;
            continue;
        }
        if (*text == ';') {
            text = fbx_text_comment_end(text, end);
            continue;
        }
        fbx_text_number number;
        size_t size = fbx_text_number_at(text, (size_t)(end - text), &number);
        bool is_last = size && text + size == end;
        bool is_separate = is_last || (size && memchr(", \t\r\n\v\f;", text[size], 8));
        if (!is_separate || *count == array->count) {
            uint64_t offset = array->offset + (uint64_t)(text - (const char *)array->data.data);
            return fbx_numbers_fail(doc, node, TENON_ERR_VALUE, offset,
                                    is_separate ? "has numbers without commas between them"
                                                : "has a text where a number is expected",
                                    err);
        }
        if (number.is_integer)
            fbx_numbers_put_int(out, *count, kind, number.integer);
        else
            fbx_numbers_put_float(out, *count, kind, number.number);
        (*count)++;
        text += size;
    }
    return true;
}

static bool fbx_numbers_are_in(const tenon_fbx_value *value)
{
    return fbx_array_layout(value->code) != NULL;
}

// How many numbers an array has: fewer than it says if it was read from a file that was cut.
static uint32_t fbx_numbers_in(const tenon_fbx_array *array)
{
    bool is_plain = array->encoding == TENON_FBX_RAW || array->encoding == TENON_FBX_LIST;
    return is_plain && array->data.count < array->count ? (uint32_t)array->data.count
                                                        : array->count;
}

bool fbx_has_numbers(const tenon_fbx_node *node)
{
    return fbx_number_count(node) > 0;
}

uint64_t fbx_number_count(const tenon_fbx_node *node)
{
    uint64_t count = 0;
    for (uint32_t i = 0; node && i < node->value_count; i++) {
        const tenon_fbx_value *value = &node->values[i];
        if (fbx_numbers_are_in(value))
            count += fbx_numbers_in(value->array);
        else
            count += value->code && strchr("BCYILFD", value->code);
    }
    return count;
}

// The numbers of one array, from out[0] on; *count gets how many there are.
static bool fbx_numbers_of_array(const tenon_fbx *doc, const tenon_fbx_node *node,
                                 const tenon_fbx_value *value, fbx_number_kind kind, void *out,
                                 tn_arena *arena, uint64_t *count, tenon_error *err)
{
    const tenon_fbx_array *array = value->array;
    *count = fbx_numbers_in(array);
    if (array->encoding == TENON_FBX_DIGITS)
        return fbx_numbers_parse(doc, node, array, kind, out, count, err);
    if (array->encoding == TENON_FBX_LIST) {
        const tenon_layout *layout = array->data.layout;
        fbx_numbers_convert(array->data.data + 1, *count, layout->stride, layout->elements[1].type,
                            array->data.big_endian, kind, out);
        return true;
    }
    const tenon_type type = fbx_array_layout(value->code)->elements[0].type;
    const uint32_t width = tenon_type_size(type);
    if (array->encoding == TENON_FBX_RAW) {
        fbx_numbers_convert(array->data.data, *count, width, type, array->data.big_endian, kind,
                            out);
        return true;
    }
    // Inflated to where the numbers are wanted, unless they have to be converted.
    tn_mark mark = tn_arena_mark(arena);
    uint64_t size = (uint64_t)array->count * width, at;
    uint8_t *bytes = out;
    if (type != fbx_number_types[kind])
        bytes = tn_arena_alloc_or_fail(arena, size, 1, "a compressed array", err);
    if (!bytes) return false;
    const char *fault = tn_inflate(array->data.data, array->data.size, bytes, size, &at);
    char message[96];
    if (fault) snprintf(message, sizeof message, "is compressed, and its data %s", fault);
    if (!fault)
        fbx_numbers_convert(bytes, array->count, width, type, doc->is_big_endian, kind, out);
    tn_arena_rewind(arena, mark);
    return !fault || fbx_numbers_fail(doc, node, TENON_ERR_VALUE, array->offset + at, message, err);
}

static void *fbx_numbers_decode(const tenon_fbx *doc, const tenon_fbx_node *node,
                                fbx_number_kind kind, tn_arena *arena, uint64_t *count,
                                tenon_error *err)
{
    const size_t item_size = tenon_type_size(fbx_number_types[kind]);
    *count = 0;
    // A count that the data cannot have is refused before memory is asked for.
    for (uint32_t i = 0; node && i < node->value_count; i++) {
        const tenon_fbx_value *value = &node->values[i];
        if (!fbx_numbers_are_in(value) || value->array->encoding != TENON_FBX_DEFLATE) continue;
        uint64_t width = fbx_array_layout(value->code)->stride;
        if (tn_inflate_can_fill(value->array->data.size, value->array->count * width)) continue;
        fbx_numbers_fail(doc, node, TENON_ERR_VALUE, value->array->offset,
                         "is compressed to fewer bytes than its numbers can be", err);
        return NULL;
    }
    uint64_t most = fbx_number_count(node);
    uint8_t *out = tn_arena_alloc_or_fail(arena, most, item_size, "an array of numbers", err);
    for (uint32_t i = 0; out && node && i < node->value_count; i++) {
        const tenon_fbx_value *value = &node->values[i];
        void *next = out + *count * item_size;
        uint64_t added = 0;
        if (fbx_numbers_are_in(value)) {
            if (!fbx_numbers_of_array(doc, node, value, kind, next, arena, &added, err)) {
                *count = 0;
                return NULL;
            }
        } else if (value->code == 'F' || value->code == 'D') {
            fbx_numbers_put_float(next, added++, kind, fbx_number(node, i, 0));
        } else if (value->code && strchr("BCYIL", value->code)) {
            fbx_numbers_put_int(next, added++, kind, value->integer);
        }
        *count += added;
    }
    return out;
}

double *fbx_f64s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, uint64_t *count,
                 tenon_error *err)
{
    return fbx_numbers_decode(doc, node, FBX_F64, arena, count, err);
}

float *fbx_f32s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, uint64_t *count,
                tenon_error *err)
{
    return fbx_numbers_decode(doc, node, FBX_F32, arena, count, err);
}

int32_t *fbx_i32s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena,
                  uint64_t *count, tenon_error *err)
{
    return fbx_numbers_decode(doc, node, FBX_I32, arena, count, err);
}

int64_t *fbx_i64s(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena,
                  uint64_t *count, tenon_error *err)
{
    return fbx_numbers_decode(doc, node, FBX_I64, arena, count, err);
}

// -- Base64

static int fbx_numbers_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decode one piece, which may have padding at its end. Returns the number of bytes, TENON_ABSENT if
// it is not base64.
static uint64_t fbx_numbers_decode_base64(tenon_str text, uint8_t *out)
{
    uint32_t bits = 0, bit_count = 0, padding = 0;
    uint64_t size = 0;
    for (uint32_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
        if (c == '=' && padding++ < 2) continue;
        int digit = fbx_numbers_digit(c);
        if (digit < 0 || padding) return TENON_ABSENT;
        bits = bits << 6 | (uint32_t)digit;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        out[size++] = (uint8_t)(bits >> bit_count);
    }
    return size;
}

bool fbx_bytes(const tenon_fbx *doc, const tenon_fbx_node *node, tn_arena *arena, tenon_span *bytes,
               tenon_error *err)
{
    *bytes = (tenon_span){0};
    uint64_t size = 0;
    for (uint32_t i = 0; node && i < node->value_count; i++) {
        const tenon_fbx_value *value = &node->values[i];
        if (value->code == 'R') {
            *bytes = value->array->data;
            return true;
        }
        size += fbx_text(node, i).size;
    }
    if (size == 0) return true;
    uint8_t *out = tn_arena_alloc_or_fail(arena, size / 4 * 3 + 3, 1, "embedded data", err);
    if (!out) return false;
    uint64_t used = 0;
    for (uint32_t i = 0; i < node->value_count; i++) {
        uint64_t added = fbx_numbers_decode_base64(fbx_text(node, i), out + used);
        if (added == TENON_ABSENT)
            return fbx_numbers_fail(doc, node, TENON_ERR_VALUE, node->offset,
                                    "has a text that is not base64", err);
        used += added;
    }
    *bytes = (tenon_span){.data = out, .size = used, .count = used};
    return true;
}
