// fbx_tree.c: the nodes of an FBX file, their values and arrays.
// SPDX-License-Identifier: MIT

#include "fbx_tree.h"

#include "../system/import_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NUMBER_SIZE     24  // Characters of an integer.
#define WORD_SIZE       64
#define ARRAY_HEAD_SIZE 12                   // Bytes: count, encoding, size.
#define ARRAY_MOST      ((uint64_t)1 << 26)  // Items.

void fbx_put(fbx_buffer *buffer, const void *data, size_t size)
{
    if (size > buffer->room - buffer->size) {
        size_t room = 2 * (buffer->size + size) + 256;
        uint8_t *longer = import_alloc(room, 1);
        if (buffer->size) memcpy(longer, buffer->data, buffer->size);
        free(buffer->data);
        buffer->data = longer;
        buffer->room = room;
    }
    if (size) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

// -- Nodes

fbx_node *fbx_add(fbx_node *parent, const char *name, size_t name_size)
{
    fbx_node *node = import_alloc(1, sizeof *node);
    node->name = name;
    node->name_size = name_size;
    if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->child = node;
    parent->last_child = node;
    return node;
}

void fbx_add_value(fbx_node *node, char type, const void *data, size_t size)
{
    uint32_t count = node->value_count;
    // There is room for 1, 2, 4, 8 and so on.
    if ((count & (count - 1)) == 0) {
        fbx_value *longer = import_alloc(count ? 2 * (uint64_t)count : 1, sizeof *longer);
        if (count) memcpy(longer, node->values, count * sizeof *longer);
        free(node->values);
        node->values = longer;
    }
    node->values[node->value_count++] = (fbx_value){type, data, size};
}

bool fbx_tree_is_named(const fbx_node *node, const char *name)
{
    return node->name_size == strlen(name) && memcmp(node->name, name, node->name_size) == 0;
}

fbx_node *fbx_tree_child(const fbx_node *node, const char *name)
{
    for (fbx_node *child = node ? node->child : NULL; child; child = child->next)
        if (fbx_tree_is_named(child, name)) return child;
    return NULL;
}

fbx_node *fbx_property(const fbx_node *object, const char *name)
{
    fbx_node *all = fbx_tree_child(object, "Properties70");
    for (fbx_node *property = all ? all->child : NULL; property; property = property->next)
        if (fbx_tree_text_is(property, 0, name)) return property;
    return NULL;
}

void fbx_drop_property(fbx_node *object, const char *name)
{
    fbx_node *all = fbx_tree_child(object, "Properties70"), *before = NULL;
    for (fbx_node *property = all ? all->child : NULL; property; property = property->next) {
        if (!fbx_tree_text_is(property, 0, name)) {
            before = property;
            continue;
        }
        if (before)
            before->next = property->next;
        else
            all->child = property->next;
        if (all->last_child == property) all->last_child = before;
    }
}

// -- Values

static const fbx_value *fbx_tree_value_at(const fbx_node *node, uint32_t index)
{
    return node && index < node->value_count ? &node->values[index] : NULL;
}

bool fbx_tree_text_is(const fbx_node *node, uint32_t index, const char *text)
{
    const fbx_value *value = fbx_tree_value_at(node, index);
    return value && value->type == FBX_TEXT && value->size == strlen(text) &&
           memcmp(value->data, text, value->size) == 0;
}

// A value without quotes as a string that ends with NUL.
static bool fbx_tree_copy_word(const fbx_value *value, char text[WORD_SIZE])
{
    if (value->type != FBX_WORD || value->size == 0 || value->size >= WORD_SIZE) return false;
    memcpy(text, value->data, value->size);
    text[value->size] = '\0';
    return true;
}

bool fbx_integer(const fbx_node *node, uint32_t index, int64_t *number)
{
    const fbx_value *value = fbx_tree_value_at(node, index);
    char text[WORD_SIZE], *end;
    if (!value) return false;
    if (value->type == 'L' && value->size == 8) {
        memcpy(number, value->data, 8);
        return true;
    }
    if (value->type == 'C' && value->size == 1) {
        *number = value->data[0];
        return true;
    }
    if (value->type == 'I' && value->size == 4) {
        int32_t small;
        memcpy(&small, value->data, 4);
        *number = small;
        return true;
    }
    if (!fbx_tree_copy_word(value, text)) return false;
    *number = strtoll(text, &end, 10);
    return end != text && !*end;
}

bool fbx_tree_number(const fbx_node *node, uint32_t index, double *number)
{
    const fbx_value *value = fbx_tree_value_at(node, index);
    int64_t integer;
    char text[WORD_SIZE], *end;
    if (!value) return false;
    if (value->type == 'D' && value->size == 8) {
        memcpy(number, value->data, 8);
        return true;
    }
    if (value->type == 'F' && value->size == 4) {
        float small;
        memcpy(&small, value->data, 4);
        *number = (double)small;
        return true;
    }
    if (fbx_tree_copy_word(value, text)) {
        *number = strtod(text, &end);
        return end != text && !*end;
    }
    if (!fbx_integer(node, index, &integer)) return false;
    *number = (double)integer;
    return true;
}

void fbx_set_integer(const fbx_tree *tree, fbx_node *node, uint32_t index, int64_t number)
{
    char *data = import_alloc(NUMBER_SIZE, 1);
    fbx_value value = {'L', (const uint8_t *)data, 8};
    memcpy(data, &number, 8);
    if (tree->is_text) {
        value.type = FBX_WORD;
        value.size = (size_t)snprintf(data, NUMBER_SIZE, "%" PRId64, number);
    }
    if (index == node->value_count)
        fbx_add_value(node, value.type, value.data, value.size);
    else if (index < node->value_count)
        node->values[index] = value;
}

void fbx_add_text(fbx_node *node, const char *text)
{
    fbx_add_value(node, FBX_TEXT, text, strlen(text));
}

// -- Names of objects

static const uint8_t *fbx_tree_find(const uint8_t *data, size_t size, const char *what,
                                    size_t what_size)
{
    for (size_t i = 0; i + what_size <= size; i++)
        if (memcmp(data + i, what, what_size) == 0) return data + i;
    return NULL;
}

bool fbx_tree_object_name(const fbx_node *object, const char **name, size_t *size)
{
    const fbx_value *value = fbx_tree_value_at(object, 1);
    if (!value || value->type != FBX_TEXT) return false;
    const uint8_t *end = fbx_tree_find(value->data, value->size, "\0\1", 2);
    const uint8_t *colons = fbx_tree_find(value->data, value->size, "::", 2);
    const uint8_t *start = !end && colons ? colons + 2 : value->data;
    *name = (const char *)start;
    *size = end ? (size_t)(end - start) : (size_t)(value->data + value->size - start);
    return true;
}

void fbx_rename_object(const fbx_tree *tree, fbx_node *object, const char *kind, const char *name,
                       size_t size)
{
    fbx_buffer buffer = {0};
    if (object->value_count < 2) return;
    if (tree->is_text) {
        fbx_put(&buffer, kind, strlen(kind));
        fbx_put(&buffer, "::", 2);
    }
    fbx_put(&buffer, name, size);
    if (!tree->is_text) {
        fbx_put(&buffer, "\0\1", 2);
        fbx_put(&buffer, kind, strlen(kind));
    }
    object->values[1] = (fbx_value){FBX_TEXT, buffer.data, buffer.size};
}

// -- Arrays

int64_t fbx_to_integer(double number)
{
    const double most = 9e18;
    return number > -most && number < most ? (int64_t)number : 0;
}

static size_t fbx_tree_item_size(char type)
{
    return type == 'd' || type == 'l' ? 8 : type == 'f' || type == 'i' ? 4 : 1;
}

// Arrays of binary files may be compressed.
static bool fbx_tree_read_binary_numbers(const fbx_value *value, double **numbers, size_t *count)
{
    const char type = value->type;
    if (value->size < ARRAY_HEAD_SIZE || !type || !strchr("fdlibc", type)) return false;
    uint32_t items, encoding;
    memcpy(&items, value->data, 4);
    memcpy(&encoding, value->data + 4, 4);
    uint64_t size = items * (uint64_t)fbx_tree_item_size(type),
             stored = value->size - ARRAY_HEAD_SIZE;
    const uint8_t *data = value->data + ARRAY_HEAD_SIZE;
    uint8_t *unpacked = NULL;
    if (items > ARRAY_MOST || encoding > 1 || (encoding == 0 && size > stored)) return false;
    if (encoding == 1) {
        uLongf got = (uLongf)size;
        unpacked = import_alloc(size, 1);
        if (uncompress(unpacked, &got, data, (uLong)stored) != Z_OK || got != size) {
            free(unpacked);
            return false;
        }
        data = unpacked;
    }
    *count = items;
    *numbers = import_alloc(items, sizeof **numbers);
    for (size_t i = 0; i < items; i++, data += fbx_tree_item_size(type)) {
        union {
            double f64;
            float f32;
            int64_t i64;
            int32_t i32;
        } item = {0};
        memcpy(&item, data, fbx_tree_item_size(type));
        (*numbers)[i] = type == 'd'   ? item.f64
                        : type == 'f' ? (double)item.f32
                        : type == 'l' ? (double)item.i64
                        : type == 'i' ? (double)item.i32
                                      : (double)*data;
    }
    free(unpacked);
    return true;
}

bool fbx_numbers(const fbx_tree *tree, const fbx_node *node, double **numbers, size_t *count)
{
    if (tree->is_text) node = fbx_tree_child(node, "a");
    if (!node || node->value_count != 1) return false;
    const fbx_value *value = &node->values[0];
    if (!tree->is_text) return fbx_tree_read_binary_numbers(value, numbers, count);
    char *text = import_alloc(value->size + 1, 1), *at = text;
    size_t commas = 0;
    memcpy(text, value->data, value->size);
    for (size_t i = 0; i < value->size; i++) commas += text[i] == ',';
    *numbers = import_alloc(commas + 1, sizeof **numbers);
    for (*count = 0; *count <= commas; (*count)++) {
        char *end;
        (*numbers)[*count] = strtod(at, &end);
        if (end == at) break;
        at = end;
        while (*at == ',' || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    }
    bool is_complete = !*at;
    free(text);
    return is_complete;
}

void fbx_set_numbers(const fbx_tree *tree, fbx_node *node, char type, const double *numbers,
                     size_t count)
{
    fbx_buffer buffer = {0};
    node->value_count = 0;
    node->child = node->last_child = NULL;
    if (!tree->is_text) {
        const uint32_t head[3] = {(uint32_t)count, 0, (uint32_t)(count * fbx_tree_item_size(type))};
        fbx_put(&buffer, head, sizeof head);
        for (size_t i = 0; i < count; i++) {
            const float f32 = (float)numbers[i];
            const int64_t i64 = fbx_to_integer(numbers[i]);
            fbx_put(&buffer, type == 'f' ? (const void *)&f32 : &i64, fbx_tree_item_size(type));
        }
        fbx_add_value(node, type, buffer.data, buffer.size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char text[40];
        const char *comma = i ? "," : "";
        int size = type == 'f' ? snprintf(text, sizeof text, "%s%.9g", comma, numbers[i])
                               : snprintf(text, sizeof text, "%s%" PRId64, comma,
                                          fbx_to_integer(numbers[i]));
        fbx_put(&buffer, text, (size_t)size);
    }
    fbx_put(&buffer, "\n", 1);
    char *size = import_alloc(NUMBER_SIZE, 1);
    int digits = snprintf(size, NUMBER_SIZE, "*%zu", count);
    fbx_add_value(node, FBX_WORD, size, (size_t)digits);
    fbx_add_value(fbx_add(node, "a", 1), FBX_WORD, buffer.data, buffer.size);
}
