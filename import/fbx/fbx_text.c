// fbx_text.c: FBX files as text: `Name: value, "text", *3 { a: 1,2,3 }`.
// SPDX-License-Identifier: MIT

#include "fbx_tree.h"

#include <string.h>

#define DEPTH_MOST 64

typedef struct fbx_text_reader {
    const uint8_t *data;
    size_t size, at;
    bool failed;
} fbx_text_reader;

// -- Reading

static int peek(const fbx_text_reader *reader)
{
    return reader->at < reader->size ? reader->data[reader->at] : -1;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(fbx_text_reader *reader)
{
    while (is_blank(peek(reader))) reader->at++;
}

static void skip_line(fbx_text_reader *reader)
{
    while (peek(reader) >= 0 && peek(reader) != '\n') reader->at++;
}

static void skip_lines(fbx_text_reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        if (peek(reader) == ';')
            skip_line(reader);
        else if (peek(reader) == '\n')
            reader->at++;
        else
            return;
    }
}

static void read_text(fbx_text_reader *reader, fbx_node *node)
{
    size_t start = ++reader->at;
    while (peek(reader) >= 0 && peek(reader) != '"') reader->at++;
    if (peek(reader) < 0) {
        reader->failed = true;
        return;
    }
    (void)fbx_add_value(node, FBX_TEXT, reader->data + start, reader->at++ - start);
}

static bool ends_word(int c)
{
    return c < 0 || c == ',' || c == '{' || c == '}' || c == '\n' || is_blank(c);
}

static void read_word(fbx_text_reader *reader, fbx_node *node)
{
    size_t start = reader->at;
    while (!ends_word(peek(reader))) reader->at++;
    if (reader->at > start)
        (void)fbx_add_value(node, FBX_WORD, reader->data + start, reader->at - start);
    else
        reader->failed = true;
}

// The numbers of an array are one value: there may be millions.
static void read_numbers(fbx_text_reader *reader, fbx_node *node)
{
    size_t start = reader->at;
    while (peek(reader) >= 0 && peek(reader) != '}') reader->at++;
    (void)fbx_add_value(node, FBX_WORD, reader->data + start, reader->at - start);
}

// Values go on in the next line behind a comma.
static void read_values(fbx_text_reader *reader, fbx_node *node)
{
    bool goes_on = false;
    while (!reader->failed) {
        if (goes_on)
            skip_lines(reader);
        else
            skip_blanks(reader);
        int c = peek(reader);
        goes_on = c == ',';
        if (c < 0 || c == '\n' || c == '{' || c == '}' || c == ';') return;
        if (goes_on)
            reader->at++;
        else if (c == '"')
            read_text(reader, node);
        else
            read_word(reader, node);
    }
}

static bool is_array(const fbx_node *node)
{
    return node->value_count == 1 && node->values[0].type == FBX_WORD &&
           node->values[0].data[0] == '*';
}

static void read_nodes(fbx_text_reader *reader, fbx_node *parent, int depth)
{
    for (skip_lines(reader); peek(reader) >= 0 && peek(reader) != '}' && !reader->failed;
         skip_lines(reader)) {
        size_t start = reader->at;
        while (peek(reader) >= 0 && !strchr(":\n{}\"", peek(reader))) reader->at++;
        if (peek(reader) != ':' || depth > DEPTH_MOST) {
            reader->failed = true;
            return;
        }
        fbx_node *node = fbx_add(parent, (const char *)reader->data + start, reader->at++ - start);
        if (is_array(parent))
            read_numbers(reader, node);
        else
            read_values(reader, node);
        if (peek(reader) != '{') continue;
        reader->at++;
        node->has_list = true;
        read_nodes(reader, node, depth + 1);
        if (peek(reader) == '}')
            reader->at++;
        else
            reader->failed = true;
    }
}

bool fbx_read_text(fbx_tree *tree, const uint8_t *data, size_t size)
{
    fbx_text_reader reader = {.data = data, .size = size};
    *tree = (fbx_tree){.is_text = true};
    read_nodes(&reader, &tree->root, 0);
    return !reader.failed && reader.at == size && tree->root.child;
}

// -- Writing

static void write_nodes(const fbx_node *parent, fbx_buffer *to)
{
    for (const fbx_node *node = parent->child; node; node = node->next) {
        fbx_put(to, node->name, node->name_size);
        fbx_put(to, ": ", 2);
        for (uint32_t i = 0; i < node->value_count; i++) {
            const fbx_value *v = &node->values[i];
            if (i) fbx_put(to, ", ", 2);
            if (v->type == FBX_TEXT) fbx_put(to, "\"", 1);
            fbx_put(to, v->data, v->size);
            if (v->type == FBX_TEXT) fbx_put(to, "\"", 1);
        }
        if (node->child || node->has_list) {
            fbx_put(to, " {\n", 3);
            write_nodes(node, to);
            fbx_put(to, "}", 1);
        }
        fbx_put(to, "\n", 1);
    }
}

void fbx_write_text(const fbx_tree *tree, fbx_buffer *to)
{
    static const char first[] = "; FBX 7.4.0 project file\n";
    fbx_put(to, first, sizeof first - 1);
    write_nodes(&tree->root, to);
}
