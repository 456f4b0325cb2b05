// fbx_tree.h: an FBX file as a tree of named nodes with values, binary or text, read and written.
// SPDX-License-Identifier: MIT
//
// Nodes are never freed: the program ends soon.

#ifndef TENON_IMPORT_FBX_TREE_H
#define TENON_IMPORT_FBX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Types of values are the letters of the binary format; in text files, FBX_TEXT and FBX_WORD.
enum {
    FBX_TEXT = 'S',
    FBX_WORD = 'T',  // Anything without quotes, unchanged.
};

typedef struct fbx_value {
    char type;
    const uint8_t *data;  // Arrays in binary files begin with count, encoding and size.
    size_t size;
} fbx_value;

typedef struct fbx_node {
    const char *name;
    size_t name_size;
    fbx_value *values;
    uint32_t value_count;
    bool has_list;  // Of children; the list may be empty.
    struct fbx_node *child, *last_child, *next;
} fbx_node;

typedef struct fbx_tree {
    fbx_node root;
    bool is_text;
    bool is_wide;                // Binary, from version 7500 on: sizes of 64 bits.
    const uint8_t *head, *tail;  // Binary: the bytes before and after the nodes.
    size_t head_size, tail_size;
} fbx_tree;

// Bytes that grow.
typedef struct fbx_buffer {
    uint8_t *data;
    size_t size, room;
} fbx_buffer;

void fbx_put(fbx_buffer *buffer, const void *data, size_t size);

// -- Reading and writing: the tree points into the data

bool fbx_is_binary(const void *data, size_t size);
bool fbx_read_binary(fbx_tree *tree, const uint8_t *data, size_t size);
bool fbx_read_text(fbx_tree *tree, const uint8_t *data, size_t size);
void fbx_write_binary(const fbx_tree *tree, fbx_buffer *to);
void fbx_write_text(const fbx_tree *tree, fbx_buffer *to);

// -- Nodes

fbx_node *fbx_add(fbx_node *parent, const char *name, size_t name_size);
void fbx_add_value(fbx_node *node, char type, const void *data, size_t size);

bool fbx_tree_is_named(const fbx_node *node, const char *name);

// The first child of that name; NULL if there is none. `node` may be NULL.
fbx_node *fbx_tree_child(const fbx_node *node, const char *name);

// The node "P" of that name among the properties of an object; NULL if there is none. `object` may
// be NULL.
fbx_node *fbx_property(const fbx_node *object, const char *name);

// Remove that property, so that the file's template applies.
void fbx_drop_property(fbx_node *object, const char *name);

// -- Values: these return false if the value is missing or has another type. `node` may be NULL.

bool fbx_tree_text_is(const fbx_node *node, uint32_t index, const char *text);
bool fbx_integer(const fbx_node *node, uint32_t index, int64_t *number);
bool fbx_tree_number(const fbx_node *node, uint32_t index, double *number);

// Replace a value, or add it if `index` is the number of values.
void fbx_set_integer(const fbx_tree *tree, fbx_node *node, uint32_t index, int64_t number);
void fbx_add_text(fbx_node *node, const char *text);

// The name of an object without its kind: "hip" of "Model::hip" in text files, of "hip\0\1Model" in
// binary ones.
bool fbx_tree_object_name(const fbx_node *object, const char **name, size_t *size);
void fbx_rename_object(const fbx_tree *tree, fbx_node *object, const char *kind, const char *name,
                       size_t size);

// -- Arrays

// The numbers of an array; false if the node is not an array. *numbers is allocated.
bool fbx_numbers(const fbx_tree *tree, const fbx_node *node, double **numbers, size_t *count);

// A number without its fraction; 0 if it does not fit into 64 bits.
int64_t fbx_to_integer(double number);

// Turn `node` into an array of this type: 'l' or 'f'.
void fbx_set_numbers(const fbx_tree *tree, fbx_node *node, char type, const double *numbers,
                     size_t count);

#endif  // TENON_IMPORT_FBX_TREE_H
