// json_tree_write.c: write a JSON tree as text: in a new layout, or as it was with the changes in
// it.
// SPDX-License-Identifier: MIT

#include "core/json/json_tree.h"

#include <string.h>

static bool json_tree_write_is_container(const tn_json_value *node)
{
    return node->kind >= TN_TREE_ARRAY;
}

// An array without arrays and objects in it, which goes on one line.
static bool json_tree_write_is_plain_array(const tn_json_value *node)
{
    if (node->kind != TN_TREE_ARRAY) return false;
    for (uint32_t i = 0; i < node->size; i++)
        if (json_tree_write_is_container(node->items[i])) return false;
    return true;
}

// -- In a new layout

static void json_tree_write_put_end(const tn_json_value *node, tn_json_writer *w)
{
    if (node->kind == TN_TREE_OBJECT)
        tn_json_put_object_end(w);
    else
        tn_json_put_array_end(w);
}

static void json_tree_write_put_value(const tn_json_value *node, tn_json_writer *w)
{
    if (node->kind == TN_TREE_OBJECT)
        tn_json_put_object_begin(w, TN_JSON_BLOCK);
    else if (node->kind == TN_TREE_ARRAY)
        tn_json_put_array_begin(w, json_tree_write_is_plain_array(node) ? TN_JSON_INLINE
                                                                        : TN_JSON_BLOCK);
    else if (node->kind == TN_TREE_STRING)
        tn_json_put_string_bytes(w, node->text, node->size);
    else
        tn_json_put_raw(w, node->text, node->size);
}

void tn_json_tree_write(const tn_json_value *top, tn_json_writer *w)
{
    for (const tn_json_value *node = top; !w->failed;) {
        if (node != top && node->key) tn_json_put_key_bytes(w, node->key, node->key_size);
        json_tree_write_put_value(node, w);
        if (json_tree_write_is_container(node) && node->size > 0) {
            node = node->items[0];
            continue;
        }
        if (json_tree_write_is_container(node)) json_tree_write_put_end(node, w);
        while (node != top && node->index + 1 == node->parent->size) {
            node = node->parent;
            json_tree_write_put_end(node, w);
        }
        if (node == top) return;
        node = node->parent->items[node->index + 1];
    }
}

// -- As it was: the text

typedef struct slice {
    const char *text;
    size_t size;
} slice;

typedef struct rewriter {
    const tn_json_tree *tree;
    tn_json_write_fn *write;
    void *user;
    bool failed;
    bool is_block_text;  // The root has one item a line.
    slice line_end;      // Of the text.
    slice indent;        // One level of it.
    slice colon;         // With the spaces around it.
    slice gap;           // Between the items of a line.
    uint32_t depth;
    bool is_block[TN_JSON_MAX_DEPTH];  // Whether this level has one item a line.
} rewriter;

static bool json_tree_write_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The white space that starts at `offset`.
static slice json_tree_write_space_at(const tn_json_tree *tree, size_t offset)
{
    size_t end = offset;
    while (end < tree->size && json_tree_write_is_space(tree->text[end])) end++;
    return (slice){tree->text + offset, end - offset};
}

// The white space that ends at `offset`.
static slice json_tree_write_space_before(const tn_json_tree *tree, size_t offset)
{
    size_t start = offset;
    while (start > 0 && json_tree_write_is_space(tree->text[start - 1])) start--;
    return (slice){tree->text + start, offset - start};
}

static bool json_tree_write_has_line_end(slice space)
{
    return space.size > 0 && memchr(space.text, '\n', space.size);
}

// From the key at `offset` up to its value, both colon and spaces included.
static slice json_tree_write_key_at(const tn_json_tree *tree, size_t offset)
{
    size_t end = offset + 1;
    while (tree->text[end] != '"') end += tree->text[end] == '\\' ? 2 : 1;
    end += 1;
    end += json_tree_write_space_at(tree, end).size + 1;
    end += json_tree_write_space_at(tree, end).size;
    return (slice){tree->text + offset, end - offset};
}

// Whether the text has items in this array or object, so that they show how it is laid out.
static bool json_tree_write_had_items(const tn_json_tree *tree, const tn_json_value *node)
{
    if (!json_tree_write_is_container(node) || node->offset == TN_TREE_NOWHERE) return false;
    size_t inside = (size_t)node->offset + 1;
    return inside + json_tree_write_space_at(tree, inside).size + 1 < node->end;
}

// The colon, with the spaces around it, after the key at `offset`.
static slice json_tree_write_colon_at(const tn_json_tree *tree, size_t offset)
{
    slice key = json_tree_write_key_at(tree, offset);
    size_t start = key.size;
    while (key.text[start - 1] != '"') start--;
    return (slice){key.text + start, key.size - start};
}

// The colon of the first object in the text, if that is not deep inside.
static void json_tree_write_find_colon(rewriter *r)
{
    const tn_json_value *node = r->tree->root;
    while (node->kind == TN_TREE_ARRAY && node->size > 0) node = node->items[0];
    if (node->kind != TN_TREE_OBJECT || !json_tree_write_had_items(r->tree, node)) return;
    size_t inside = (size_t)node->offset + 1;
    r->colon =
        json_tree_write_colon_at(r->tree, inside + json_tree_write_space_at(r->tree, inside).size);
    if (r->colon.text[r->colon.size - 1] == ':') r->gap.size = 0;
}

// How the text is laid out, judged by what comes first.
static void json_tree_write_find_style(rewriter *r)
{
    const tn_json_tree *tree = r->tree;
    r->is_block_text = true;
    r->line_end = (slice){"\n", 1};
    r->indent = (slice){"  ", 2};
    r->colon = (slice){": ", 2};
    r->gap = (slice){" ", 1};
    json_tree_write_find_colon(r);
    if (!json_tree_write_had_items(tree, tree->root)) return;
    slice gap = json_tree_write_space_at(tree, (size_t)tree->root->offset + 1);
    r->is_block_text = json_tree_write_has_line_end(gap);
    if (!r->is_block_text) return;
    size_t start = gap.size;
    while (gap.text[start - 1] != '\n') start--;
    r->indent = (slice){gap.text + start, gap.size - start};
    if (start > 1 && gap.text[start - 2] == '\r') r->line_end = (slice){"\r\n", 2};
}

// -- As it was: the pieces

static void json_tree_write_put(rewriter *r, slice piece)
{
    if (piece.size > 0 && !r->failed) r->failed = !r->write(r->user, piece.text, piece.size);
}

static void json_tree_write_put_char(rewriter *r, char c)
{
    json_tree_write_put(r, (slice){&c, 1});
}

static void json_tree_write_put_line(rewriter *r, uint32_t depth)
{
    json_tree_write_put(r, r->line_end);
    for (uint32_t i = 0; i < depth; i++) json_tree_write_put(r, r->indent);
}

// The writer ends its text with a newline, which is not wanted here.
static bool json_tree_write_put_without_line(void *user, const void *bytes, size_t size)
{
    const char *text = bytes;
    if (size > 0 && text[size - 1] == '\n') size--;
    json_tree_write_put(user, (slice){text, size});
    return !((rewriter *)user)->failed;
}

static void json_tree_write_put_string(rewriter *r, const char *text, size_t size)
{
    tn_json_writer w;
    tn_json_writer_begin(&w, json_tree_write_put_without_line, r, 0);
    tn_json_put_string_bytes(&w, text, size);
    if (!tn_json_writer_end(&w)) r->failed = true;
}

// The white space between the items of one line.
static slice json_tree_write_inline_gap(const rewriter *r, const tn_json_value *parent)
{
    bool is_shown = parent->items[1]->place != TN_TREE_NOWHERE;
    return is_shown ? json_tree_write_space_before(r->tree, parent->items[1]->place) : r->gap;
}

// Comma and white space in front of an item: as in the text, if it is from there.
static void json_tree_write_put_gap(rewriter *r, const tn_json_value *item)
{
    const tn_json_value *parent = item->parent;
    bool is_first = item->index == 0, is_block = r->is_block[r->depth - 1];
    if (!is_first) json_tree_write_put_char(r, ',');
    if (!is_first && item->place != TN_TREE_NOWHERE)
        json_tree_write_put(r, json_tree_write_space_before(r->tree, item->place));
    else if (json_tree_write_had_items(r->tree, parent) && (is_first || is_block))
        json_tree_write_put(r, json_tree_write_space_at(r->tree, (size_t)parent->offset + 1));
    else if (is_block)
        json_tree_write_put_line(r, r->depth);
    else if (!is_first)
        json_tree_write_put(r, json_tree_write_inline_gap(r, parent));
}

static void json_tree_write_put_key(rewriter *r, const tn_json_value *item)
{
    if (!item->key) return;
    if (item->place != TN_TREE_NOWHERE) {
        json_tree_write_put(r, json_tree_write_key_at(r->tree, item->place));
        return;
    }
    json_tree_write_put_string(r, item->key, item->key_size);
    json_tree_write_put(r, r->colon);
}

static void json_tree_write_enter(rewriter *r, const tn_json_value *node)
{
    if (r->depth == TN_JSON_MAX_DEPTH) {
        r->failed = true;
        return;
    }
    bool is_block = r->depth == 0 ? r->is_block_text : r->is_block[r->depth - 1];
    if (json_tree_write_had_items(r->tree, node))
        is_block = json_tree_write_has_line_end(
            json_tree_write_space_at(r->tree, (size_t)node->offset + 1));
    else if (json_tree_write_is_plain_array(node))
        is_block = false;
    r->is_block[r->depth++] = is_block;
    json_tree_write_put_char(r, node->kind == TN_TREE_OBJECT ? '{' : '[');
}

static void json_tree_write_leave(rewriter *r, const tn_json_value *node)
{
    r->depth--;
    if (node->size > 0 && json_tree_write_had_items(r->tree, node))
        json_tree_write_put(r, json_tree_write_space_before(r->tree, (size_t)node->end - 1));
    else if (node->size > 0 && r->is_block[r->depth])
        json_tree_write_put_line(r, r->depth);
    json_tree_write_put_char(r, node->kind == TN_TREE_OBJECT ? '}' : ']');
}

// Gap, key, and the value or its beginning. Returns whether there are items to go into.
static bool json_tree_write_rewrite_node(rewriter *r, const tn_json_value *node)
{
    if (node != r->tree->root) {
        json_tree_write_put_gap(r, node);
        json_tree_write_put_key(r, node);
    }
    if (!node->is_changed) {
        json_tree_write_put(r, (slice){r->tree->text + node->offset, node->end - node->offset});
        return false;
    }
    if (!json_tree_write_is_container(node)) {
        if (node->kind == TN_TREE_STRING)
            json_tree_write_put_string(r, node->text, node->size);
        else
            json_tree_write_put(r, (slice){node->text, node->size});
        return false;
    }
    json_tree_write_enter(r, node);
    if (node->size > 0) return true;
    if (!r->failed) json_tree_write_leave(r, node);
    return false;
}

static void json_tree_write_rewrite_root(rewriter *r)
{
    const tn_json_value *root = r->tree->root;
    for (const tn_json_value *node = root; !r->failed;) {
        if (json_tree_write_rewrite_node(r, node)) {
            node = node->items[0];
            continue;
        }
        while (node != root && node->index + 1 == node->parent->size && !r->failed) {
            node = node->parent;
            json_tree_write_leave(r, node);
        }
        if (node == root) return;
        node = node->parent->items[node->index + 1];
    }
}

bool tn_json_tree_rewrite(const tn_json_tree *tree, tn_json_write_fn *write, void *user)
{
    if (tree->failed || !tree->root) return false;
    rewriter r = {.tree = tree, .write = write, .user = user};
    json_tree_write_find_style(&r);
    const tn_json_value *root = tree->root;
    bool is_from_text = root->offset != TN_TREE_NOWHERE;
    if (is_from_text) json_tree_write_put(&r, (slice){tree->text, root->offset});
    json_tree_write_rewrite_root(&r);
    if (is_from_text)
        json_tree_write_put(&r, (slice){tree->text + root->end, tree->size - root->end});
    else
        json_tree_write_put(&r, r.line_end);
    return !r.failed;
}
