// fbx_arrays.c: arrays of numbers in FBX files: compressed, as they are, or as text.
// SPDX-License-Identifier: MIT

#include "../scene/import.h"
#include "fbx_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define COUNT_MOST ((uint64_t)1 << 26)  // Keys of a curve.

int64_t fbx_to_integer(double value)
{
    const double most = 9e18;
    return value > -most && value < most ? (int64_t)value : 0;
}

// -- Reading

static size_t item_size(char type)
{
    return type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
}

static double item(char type, const uint8_t *at)
{
    union {
        double f64;
        float f32;
        int64_t i64;
        int32_t i32;
    } u = {0};
    memcpy(&u, at, item_size(type));
    if (type == 'd') return u.f64;
    if (type == 'f') return (double)u.f32;
    if (type == 'l') return (double)u.i64;
    return type == 'i' ? (double)u.i32 : (double)*at;
}

static uint32_t number_at(const uint8_t *data)
{
    uint32_t value;
    memcpy(&value, data, 4);
    return value;
}

static bool binary_numbers(const fbx_value *v, double **values, size_t *count)
{
    if (v->size < 12 || !v->type || !strchr("fdlibc", v->type)) return false;
    const uint32_t items = number_at(v->data), encoding = number_at(v->data + 4);
    uint64_t size = items * (uint64_t)item_size(v->type);
    const uint8_t *data = v->data + 12;
    uint8_t *unpacked = NULL;
    if (items > COUNT_MOST || encoding > 1 || (encoding == 0 && size > v->size - 12)) return false;
    if (encoding == 1) {
        uLongf got = (uLongf)size;
        unpacked = import_alloc(size, 1);
        if (uncompress(unpacked, &got, data, (uLong)(v->size - 12)) != Z_OK || got != size) {
            free(unpacked);
            return false;
        }
        data = unpacked;
    }
    *count = items;
    *values = import_alloc(items, sizeof **values);
    for (size_t i = 0; i < items; i++) (*values)[i] = item(v->type, data + i * item_size(v->type));
    free(unpacked);
    return true;
}

static bool text_numbers(const fbx_value *v, double **values, size_t *count)
{
    char *text = import_alloc(v->size + 1, 1), *at = text;
    size_t commas = 0;
    memcpy(text, v->data, v->size);
    for (size_t i = 0; i < v->size; i++) commas += text[i] == ',';
    *values = import_alloc(commas + 1, sizeof **values);
    for (*count = 0; *count <= commas; (*count)++) {
        char *end;
        (*values)[*count] = strtod(at, &end);
        if (end == at) break;
        at = end;
        while (*at == ',' || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    }
    bool ok = !*at;
    free(text);
    return ok;
}

bool fbx_numbers(const fbx_tree *tree, const fbx_node *node, double **values, size_t *count)
{
    if (tree->is_text) node = fbx_child(node, "a");
    if (!node || node->value_count != 1) return false;
    return (tree->is_text ? text_numbers : binary_numbers)(&node->values[0], values, count);
}

// -- Writing

static void put_binary(fbx_buffer *b, char type, double value)
{
    float f32 = (float)value;
    int64_t i64 = fbx_to_integer(value);
    if (type == 'f')
        fbx_put(b, &f32, 4);
    else
        fbx_put(b, &i64, 8);
}

static void put_text(fbx_buffer *b, char type, double value, bool is_first)
{
    char text[40];
    int size = type == 'f' ? snprintf(text, sizeof text, "%s%.9g", is_first ? "" : ",", value)
                           : snprintf(text, sizeof text, "%s%" PRId64, is_first ? "" : ",",
                                      fbx_to_integer(value));
    fbx_put(b, text, (size_t)size);
}

static void set_binary(fbx_node *node, char type, const double *values, size_t count)
{
    fbx_buffer b = {0};
    const uint32_t head[3] = {(uint32_t)count, 0, (uint32_t)(count * item_size(type))};
    fbx_put(&b, head, sizeof head);
    for (size_t i = 0; i < count; i++) put_binary(&b, type, values[i]);
    (void)fbx_add_value(node, type, b.data, b.size);
}

static void set_text(fbx_node *node, char type, const double *values, size_t count)
{
    fbx_buffer b = {0};
    char *size = import_alloc(24, 1);
    int digits = snprintf(size, 24, "*%zu", count);
    for (size_t i = 0; i < count; i++) put_text(&b, type, values[i], i == 0);
    fbx_put(&b, "\n", 1);
    (void)fbx_add_value(node, FBX_WORD, size, (size_t)digits);
    (void)fbx_add_value(fbx_add(node, "a", 1), FBX_WORD, b.data, b.size);
}

void fbx_set_numbers(const fbx_tree *tree, fbx_node *node, char type, const double *values,
                     size_t count)
{
    node->value_count = 0;
    node->child = node->last_child = NULL;
    (tree->is_text ? set_text : set_binary)(node, type, values, count);
}
