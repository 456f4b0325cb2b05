// fbx_tree_text.c: FBX files as text, `Name: value, "text", *3 { a: 1,2,3 }`.
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

static int fbx_text_peek(const fbx_text_reader *reader)
{
    return reader->at < reader->size ? reader->data[reader->at] : -1;
}

static bool fbx_text_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Skip blanks, and with `lines` also line ends and comments.
static void fbx_text_skip_space(fbx_text_reader *reader, bool lines)
{
    while (fbx_text_is_blank(fbx_text_peek(reader)) ||
           (lines && (fbx_text_peek(reader) == '\n' || fbx_text_peek(reader) == ';'))) {
        bool is_comment = fbx_text_peek(reader) == ';';
        while (is_comment && fbx_text_peek(reader) >= 0 && fbx_text_peek(reader) != '\n')
            reader->at++;
        if (!is_comment) reader->at++;
    }
}

// A comma continues the values in the next line.
static void fbx_text_read_values(fbx_text_reader *reader, fbx_node *node)
{
    bool continues = false;
    while (!reader->failed) {
        fbx_text_skip_space(reader, continues);
        int c = fbx_text_peek(reader);
        if (c < 0 || c == '\n' || c == '{' || c == '}' || c == ';') return;
        continues = c == ',';
        if (continues) {
            reader->at++;
            continue;
        }
        bool is_quoted = c == '"';
        if (is_quoted) reader->at++;
        size_t start = reader->at;
        for (c = fbx_text_peek(reader); c >= 0; c = fbx_text_peek(reader)) {
            bool ends_word = c == ',' || c == '{' || c == '}' || c == '\n' || fbx_text_is_blank(c);
            if (is_quoted ? c == '"' : ends_word) break;
            reader->at++;
        }
        reader->failed = is_quoted ? c < 0 : reader->at == start;
        if (reader->failed) return;
        fbx_add_value(node, is_quoted ? FBX_TEXT : FBX_WORD, reader->data + start,
                      reader->at - start);
        if (is_quoted) reader->at++;
    }
}

static void fbx_text_read_nodes(fbx_text_reader *reader, fbx_node *parent, int depth)
{
    bool is_array = parent->value_count == 1 && parent->values[0].type == FBX_WORD &&
                    parent->values[0].data[0] == '*';
    for (;;) {
        fbx_text_skip_space(reader, true);
        if (fbx_text_peek(reader) < 0 || fbx_text_peek(reader) == '}' || reader->failed) return;
        size_t start = reader->at;
        while (fbx_text_peek(reader) >= 0 && !strchr(":\n{}\"", fbx_text_peek(reader)))
            reader->at++;
        if (fbx_text_peek(reader) != ':' || depth > DEPTH_MOST) {
            reader->failed = true;
            return;
        }
        fbx_node *node = fbx_add(parent, (const char *)reader->data + start, reader->at++ - start);
        if (is_array) {
            // The numbers of an array are one value: there may be millions.
            start = reader->at;
            while (fbx_text_peek(reader) >= 0 && fbx_text_peek(reader) != '}') reader->at++;
            fbx_add_value(node, FBX_WORD, reader->data + start, reader->at - start);
        } else {
            fbx_text_read_values(reader, node);
        }
        if (fbx_text_peek(reader) != '{') continue;
        reader->at++;
        node->has_list = true;
        fbx_text_read_nodes(reader, node, depth + 1);
        if (fbx_text_peek(reader) == '}')
            reader->at++;
        else
            reader->failed = true;
    }
}

bool fbx_read_text(fbx_tree *tree, const uint8_t *data, size_t size)
{
    fbx_text_reader reader = {.data = data, .size = size};
    *tree = (fbx_tree){.is_text = true};
    fbx_text_read_nodes(&reader, &tree->root, 0);
    return !reader.failed && reader.at == size && tree->root.child;
}

// -- Writing

static void fbx_text_write_nodes(const fbx_node *parent, fbx_buffer *to)
{
    for (const fbx_node *node = parent->child; node; node = node->next) {
        fbx_put(to, node->name, node->name_size);
        fbx_put(to, ": ", 2);
        for (uint32_t i = 0; i < node->value_count; i++) {
            const fbx_value *value = &node->values[i];
            if (i) fbx_put(to, ", ", 2);
            if (value->type == FBX_TEXT) fbx_put(to, "\"", 1);
            fbx_put(to, value->data, value->size);
            if (value->type == FBX_TEXT) fbx_put(to, "\"", 1);
        }
        if (node->child || node->has_list) {
            fbx_put(to, " {\n", 3);
            fbx_text_write_nodes(node, to);
            fbx_put(to, "}", 1);
        }
        fbx_put(to, "\n", 1);
    }
}

void fbx_write_text(const fbx_tree *tree, fbx_buffer *to)
{
    static const char first[] = "; FBX 7.4.0 project file\n";
    fbx_put(to, first, sizeof first - 1);
    fbx_text_write_nodes(&tree->root, to);
}
