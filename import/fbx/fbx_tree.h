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
    FBX_WORD = 'T',  // Whatever is not in quotes, as it stands.
};

typedef struct fbx_value {
    char type;
    const uint8_t *data;  // Of arrays in binary files, with the three numbers before them.
    size_t size;
} fbx_value;

typedef struct fbx_node {
    const char *name;
    size_t name_size;
    fbx_value *values;
    uint32_t value_count;
    bool has_list;  // Of children, though it may be empty.
    struct fbx_node *child, *last_child, *next;
} fbx_node;

typedef struct fbx_tree {
    fbx_node root;
    bool is_text;
    bool is_wide;                // Binary, from version 7500 on: sizes of 64 bits.
    const uint8_t *head, *tail;  // Binary: what is before and behind the nodes.
    size_t head_size, tail_size;
} fbx_tree;

// Bytes that grow.
typedef struct fbx_buffer {
    uint8_t *data;
    size_t size, room;
} fbx_buffer;

void fbx_put(fbx_buffer *b, const void *data, size_t size);

// -- Reading and writing: the tree points into the data

bool fbx_is_binary(const void *data, size_t size);
bool fbx_read_binary(fbx_tree *tree, const uint8_t *data, size_t size);
bool fbx_read_text(fbx_tree *tree, const uint8_t *data, size_t size);
void fbx_write_binary(const fbx_tree *tree, fbx_buffer *to);
void fbx_write_text(const fbx_tree *tree, fbx_buffer *to);

// -- Nodes

fbx_node *fbx_add(fbx_node *parent, const char *name, size_t name_size);
fbx_value *fbx_add_value(fbx_node *node, char type, const void *data, size_t size);

bool fbx_is_named(const fbx_node *node, const char *name);

// The first child of that name; NULL if there is none, or no node.
fbx_node *fbx_child(const fbx_node *node, const char *name);

// The node "P" of that name among the properties of an object; NULL if there is none.
fbx_node *fbx_property(const fbx_node *object, const char *name);

// Take that property away, so that what the file's template says counts.
void fbx_drop_property(fbx_node *object, const char *name);

// -- Values: of those that are not there, or of another type, nothing

bool fbx_text_is(const fbx_node *node, uint32_t index, const char *text);
bool fbx_integer(const fbx_node *node, uint32_t index, int64_t *value);
bool fbx_number(const fbx_node *node, uint32_t index, double *value);

void fbx_set_integer(const fbx_tree *tree, fbx_node *node, uint32_t index, int64_t value);
void fbx_add_integer(const fbx_tree *tree, fbx_node *node, int64_t value);
void fbx_add_text(fbx_node *node, const char *text);

// The name of an object, without what kind it is of: "hip" of "Model::hip", or of what the binary
// format makes of it.
bool fbx_object_name(const fbx_node *object, const char **name, size_t *size);
void fbx_rename_object(const fbx_tree *tree, fbx_node *object, const char *kind, const char *name,
                       size_t size);

// -- Arrays

// The numbers of an array; false if the node is none. *values is allocated.
bool fbx_numbers(const fbx_tree *tree, const fbx_node *node, double **values, size_t *count);

// A number without its fraction; 0 if there is none of 64 bits.
int64_t fbx_to_integer(double value);

// Make `node` an array of this type: 'l' or 'f'.
void fbx_set_numbers(const fbx_tree *tree, fbx_node *node, char type, const double *values,
                     size_t count);

#endif  // TENON_IMPORT_FBX_TREE_H
