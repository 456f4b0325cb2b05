// fbx_binary.c: binary FBX files.
// SPDX-License-Identifier: MIT
//
// A node is: where it ends, how many values it has, their size, the size of its name, the name, the
// values, its children, and, if it has children, a node of zeros. All numbers are little-endian, as
// are the machines that this is for.

#include "fbx_tree.h"

#include <string.h>

#define HEAD_SIZE  27  // "Kaydara FBX Binary", more, and the version.
#define DEPTH_MOST 64

static const char magic[] = "Kaydara FBX Binary  ";

bool fbx_is_binary(const void *data, size_t size)
{
    return size > HEAD_SIZE && memcmp(data, magic, sizeof magic) == 0;
}

// -- Reading

typedef struct fbx_binary_reader {
    const uint8_t *data;
    size_t size, at;
    bool is_wide, failed;
} fbx_binary_reader;

static const uint8_t *take(fbx_binary_reader *reader, uint64_t size)
{
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *p = reader->data + reader->at;
    reader->at += (size_t)size;
    return p;
}

static uint64_t take_number(fbx_binary_reader *reader, size_t size)
{
    uint64_t value = 0;
    const uint8_t *p = take(reader, size);
    for (size_t i = 0; p && i < size; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static uint64_t take_size(fbx_binary_reader *reader)
{
    return take_number(reader, reader->is_wide ? 8 : 4);
}

// The size of a value, which texts and raw bytes have before them.
static bool size_of(fbx_binary_reader *reader, char type, uint64_t *size)
{
    switch (type) {
    case 'C':
    case 'B':
        *size = 1;
        return true;
    case 'Y':
        *size = 2;
        return true;
    case 'I':
    case 'F':
        *size = 4;
        return true;
    case 'L':
    case 'D':
        *size = 8;
        return true;
    case 'S':
    case 'R':
        *size = take_number(reader, 4);
        return true;
    default:
        return false;
    }
}

static bool is_array(char type)
{
    return type && strchr("fdlibc", type);
}

// An array's size is the third number; if it is not compressed, that is what the count says.
static uint64_t array_size(const fbx_binary_reader *reader)
{
    fbx_binary_reader ahead = *reader;
    (void)take_number(&ahead, 8);
    return 12 + take_number(&ahead, 4);
}

static void read_value(fbx_binary_reader *reader, fbx_node *node)
{
    const uint8_t *type = take(reader, 1);
    uint64_t size = 0;
    if (!type) return;
    if (is_array((char)*type))
        size = array_size(reader);
    else if (!size_of(reader, (char)*type, &size))
        reader->failed = true;
    const uint8_t *data = take(reader, size);
    if (data) (void)fbx_add_value(node, (char)*type, data, (size_t)size);
}

static void read_nodes(fbx_binary_reader *reader, fbx_node *parent, size_t end, int depth);

// False at a node of zeros, behind which the list ends.
static bool read_node(fbx_binary_reader *reader, fbx_node *parent, size_t end, int depth)
{
    uint64_t node_end = take_size(reader), value_count = take_size(reader);
    (void)take_size(reader);
    uint64_t name_size = take_number(reader, 1);
    const uint8_t *name = take(reader, name_size);
    if (reader->failed || (node_end == 0 && name_size == 0)) return false;
    if (node_end > end || node_end < reader->at || depth > DEPTH_MOST) {
        reader->failed = true;
        return false;
    }
    fbx_node *node = fbx_add(parent, (const char *)name, (size_t)name_size);
    for (uint64_t i = 0; i < value_count && !reader->failed; i++) read_value(reader, node);
    node->has_list = !reader->failed && reader->at < node_end;
    if (node->has_list) read_nodes(reader, node, (size_t)node_end, depth + 1);
    if (reader->at != node_end) reader->failed = true;
    return !reader->failed;
}

static void read_nodes(fbx_binary_reader *reader, fbx_node *parent, size_t end, int depth)
{
    while (reader->at < end && read_node(reader, parent, end, depth)) continue;
}

bool fbx_read_binary(fbx_tree *tree, const uint8_t *data, size_t size)
{
    fbx_binary_reader reader = {.data = data, .size = size, .at = HEAD_SIZE - 4};
    reader.is_wide = take_number(&reader, 4) >= 7500;
    *tree = (fbx_tree){.is_wide = reader.is_wide, .head = data, .head_size = HEAD_SIZE};
    read_nodes(&reader, &tree->root, size, 0);
    tree->tail = data + reader.at;
    tree->tail_size = size - reader.at;
    return !reader.failed && tree->root.child;
}

// -- Writing

static void put_number(fbx_buffer *to, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    fbx_put(to, bytes, size);
}

static void patch(const fbx_buffer *to, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) to->data[at + i] = (uint8_t)(value >> (8 * i));
}

static void write_values(const fbx_node *node, fbx_buffer *to)
{
    for (uint32_t i = 0; i < node->value_count; i++) {
        const fbx_value *v = &node->values[i];
        fbx_put(to, &v->type, 1);
        if (v->type == 'S' || v->type == 'R') put_number(to, v->size, 4);
        fbx_put(to, v->data, v->size);
    }
}

static void write_nodes(const fbx_node *parent, size_t word, fbx_buffer *to)
{
    static const uint8_t zeros[25];
    for (const fbx_node *node = parent->child; node; node = node->next) {
        size_t start = to->size;
        put_number(to, 0, word);
        put_number(to, node->value_count, word);
        put_number(to, 0, word);
        put_number(to, node->name_size, 1);
        fbx_put(to, node->name, node->name_size);
        size_t values = to->size;
        write_values(node, to);
        patch(to, start + 2 * word, to->size - values, word);
        if (node->child || node->has_list) write_nodes(node, word, to);
        patch(to, start, to->size, word);
    }
    fbx_put(to, zeros, 3 * word + 1);
}

void fbx_write_binary(const fbx_tree *tree, fbx_buffer *to)
{
    fbx_put(to, tree->head, tree->head_size);
    write_nodes(&tree->root, tree->is_wide ? 8 : 4, to);
    fbx_put(to, tree->tail, tree->tail_size);
}
