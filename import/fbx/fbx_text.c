// fbx_text.c: FBX files as text: `Name: value, "text", *3 { a: 1,2,3 }`.
// SPDX-License-Identifier: MIT

#include "fbx_tree.h"

#include <string.h>

#define DEPTH_MOST 64

typedef struct reader {
    const uint8_t *data;
    size_t size, at;
    bool failed;
} reader;

// -- Reading

static int peek(const reader *r)
{
    return r->at < r->size ? r->data[r->at] : -1;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(reader *r)
{
    while (is_blank(peek(r))) r->at++;
}

static void skip_line(reader *r)
{
    while (peek(r) >= 0 && peek(r) != '\n') r->at++;
}

static void skip_lines(reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (peek(r) == ';')
            skip_line(r);
        else if (peek(r) == '\n')
            r->at++;
        else
            return;
    }
}

static void read_text(reader *r, fbx_node *node)
{
    size_t start = ++r->at;
    while (peek(r) >= 0 && peek(r) != '"') r->at++;
    if (peek(r) < 0) {
        r->failed = true;
        return;
    }
    (void)fbx_add_value(node, FBX_TEXT, r->data + start, r->at++ - start);
}

static bool ends_word(int c)
{
    return c < 0 || c == ',' || c == '{' || c == '}' || c == '\n' || is_blank(c);
}

static void read_word(reader *r, fbx_node *node)
{
    size_t start = r->at;
    while (!ends_word(peek(r))) r->at++;
    if (r->at > start)
        (void)fbx_add_value(node, FBX_WORD, r->data + start, r->at - start);
    else
        r->failed = true;
}

// The numbers of an array are one value: there may be millions.
static void read_numbers(reader *r, fbx_node *node)
{
    size_t start = r->at;
    while (peek(r) >= 0 && peek(r) != '}') r->at++;
    (void)fbx_add_value(node, FBX_WORD, r->data + start, r->at - start);
}

// Values go on in the next line behind a comma.
static void read_values(reader *r, fbx_node *node)
{
    bool goes_on = false;
    while (!r->failed) {
        if (goes_on)
            skip_lines(r);
        else
            skip_blanks(r);
        int c = peek(r);
        goes_on = c == ',';
        if (c < 0 || c == '\n' || c == '{' || c == '}' || c == ';') return;
        if (goes_on)
            r->at++;
        else if (c == '"')
            read_text(r, node);
        else
            read_word(r, node);
    }
}

static bool is_array(const fbx_node *node)
{
    return node->value_count == 1 && node->values[0].type == FBX_WORD &&
           node->values[0].data[0] == '*';
}

static void read_nodes(reader *r, fbx_node *parent, int depth)
{
    for (skip_lines(r); peek(r) >= 0 && peek(r) != '}' && !r->failed; skip_lines(r)) {
        size_t start = r->at;
        while (peek(r) >= 0 && !strchr(":\n{}\"", peek(r))) r->at++;
        if (peek(r) != ':' || depth > DEPTH_MOST) {
            r->failed = true;
            return;
        }
        fbx_node *node = fbx_add(parent, (const char *)r->data + start, r->at++ - start);
        if (is_array(parent))
            read_numbers(r, node);
        else
            read_values(r, node);
        if (peek(r) != '{') continue;
        r->at++;
        node->has_list = true;
        read_nodes(r, node, depth + 1);
        if (peek(r) == '}')
            r->at++;
        else
            r->failed = true;
    }
}

bool fbx_read_text(fbx_tree *tree, const uint8_t *data, size_t size)
{
    reader r = {.data = data, .size = size};
    *tree = (fbx_tree){.is_text = true};
    read_nodes(&r, &tree->root, 0);
    return !r.failed && r.at == size && tree->root.child;
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
