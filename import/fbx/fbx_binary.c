// fbx_binary.c: binary FBX files.
// SPDX-License-Identifier: MIT
//
// A node is: where it ends, how many values it has, their size, the size of its name, the name, the
// values, its children, and, if it has children, a node of zeros. All numbers are little-endian, as
// are the machines that this runs on.

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

static const uint8_t *fbx_binary_take(fbx_binary_reader *reader, uint64_t size)
{
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->data + reader->at;
    reader->at += (size_t)size;
    return bytes;
}

static uint64_t fbx_binary_take_number(fbx_binary_reader *reader, size_t size)
{
    uint64_t value = 0;
    const uint8_t *bytes = fbx_binary_take(reader, size);
    for (size_t i = 0; bytes && i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void fbx_binary_read_value(fbx_binary_reader *reader, fbx_node *node)
{
    const uint8_t *type = fbx_binary_take(reader, 1);
    uint64_t size = 0;
    if (!type) return;
    switch (*type) {
    case 'C':
    case 'B':
        size = 1;
        break;
    case 'Y':
        size = 2;
        break;
    case 'I':
    case 'F':
        size = 4;
        break;
    case 'L':
    case 'D':
        size = 8;
        break;
    case 'S':
    case 'R':
        size = fbx_binary_take_number(reader, 4);
        break;
    case 'f':
    case 'd':
    case 'l':
    case 'i':
    case 'b':
    case 'c': {
        // An array starts with three numbers: item count, encoding and size in bytes. They are part
        // of the value.
        fbx_binary_reader ahead = *reader;
        (void)fbx_binary_take(&ahead, 8);
        size = 12 + fbx_binary_take_number(&ahead, 4);
        break;
    }
    default:
        reader->failed = true;
    }
    const uint8_t *data = fbx_binary_take(reader, size);
    if (data) fbx_add_value(node, (char)*type, data, (size_t)size);
}

// A node of zeros ends the list.
static void fbx_binary_read_nodes(fbx_binary_reader *reader, fbx_node *parent, size_t end,
                                  int depth)
{
    const size_t word = reader->is_wide ? 8 : 4;
    while (reader->at < end && !reader->failed) {
        uint64_t node_end = fbx_binary_take_number(reader, word),
                 value_count = fbx_binary_take_number(reader, word);
        (void)fbx_binary_take(reader, word);
        uint64_t name_size = fbx_binary_take_number(reader, 1);
        const uint8_t *name = fbx_binary_take(reader, name_size);
        if (reader->failed || (node_end == 0 && name_size == 0)) return;
        if (node_end > end || node_end < reader->at || depth > DEPTH_MOST) {
            reader->failed = true;
            return;
        }
        fbx_node *node = fbx_add(parent, (const char *)name, (size_t)name_size);
        for (uint64_t i = 0; i < value_count && !reader->failed; i++)
            fbx_binary_read_value(reader, node);
        node->has_list = !reader->failed && reader->at < node_end;
        if (node->has_list) fbx_binary_read_nodes(reader, node, (size_t)node_end, depth + 1);
        if (reader->at != node_end) reader->failed = true;
    }
}

bool fbx_read_binary(fbx_tree *tree, const uint8_t *data, size_t size)
{
    fbx_binary_reader reader = {.data = data, .size = size, .at = HEAD_SIZE - 4};
    reader.is_wide = fbx_binary_take_number(&reader, 4) >= 7500;
    *tree = (fbx_tree){.is_wide = reader.is_wide, .head = data, .head_size = HEAD_SIZE};
    fbx_binary_read_nodes(&reader, &tree->root, size, 0);
    tree->tail = data + reader.at;
    tree->tail_size = size - reader.at;
    return !reader.failed && tree->root.child;
}

// -- Writing

static void fbx_binary_put_number(fbx_buffer *to, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    fbx_put(to, bytes, size);
}

static void fbx_binary_patch_number(const fbx_buffer *to, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) to->data[at + i] = (uint8_t)(value >> (8 * i));
}

static void fbx_binary_write_nodes(const fbx_node *parent, size_t word, fbx_buffer *to)
{
    static const uint8_t zeros[25];
    for (const fbx_node *node = parent->child; node; node = node->next) {
        size_t start = to->size;
        fbx_binary_put_number(to, 0, word);
        fbx_binary_put_number(to, node->value_count, word);
        fbx_binary_put_number(to, 0, word);
        fbx_binary_put_number(to, node->name_size, 1);
        fbx_put(to, node->name, node->name_size);
        size_t values = to->size;
        for (uint32_t i = 0; i < node->value_count; i++) {
            const fbx_value *value = &node->values[i];
            fbx_put(to, &value->type, 1);
            if (value->type == 'S' || value->type == 'R') fbx_binary_put_number(to, value->size, 4);
            fbx_put(to, value->data, value->size);
        }
        fbx_binary_patch_number(to, start + 2 * word, to->size - values, word);
        if (node->child || node->has_list) fbx_binary_write_nodes(node, word, to);
        fbx_binary_patch_number(to, start, to->size, word);
    }
    fbx_put(to, zeros, 3 * word + 1);
}

void fbx_write_binary(const fbx_tree *tree, fbx_buffer *to)
{
    fbx_put(to, tree->head, tree->head_size);
    fbx_binary_write_nodes(&tree->root, tree->is_wide ? 8 : 4, to);
    fbx_put(to, tree->tail, tree->tail_size);
}
