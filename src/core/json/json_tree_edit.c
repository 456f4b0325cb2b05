// json_tree_edit.c: nodes that are made, and put into a tree of JSON or taken out of it.
// SPDX-License-Identifier: MIT

#include "core/json/json_tree.h"
#include "core/text/number.h"

#include <string.h>

// -- Making

static void *allocate(tn_tree *tree, uint64_t count, size_t size)
{
    void *memory = tn_arena_alloc(tree->arena, count, size, NULL);
    if (!memory) tree->failed = true;
    return memory;
}

static tn_node *make(tn_tree *tree, tn_tree_kind kind)
{
    tn_node *node = allocate(tree, 1, sizeof *node);
    if (!node) return NULL;
    *node = (tn_node){.kind = (uint8_t)kind,
                      .offset = TN_TREE_NOWHERE,
                      .end = TN_TREE_NOWHERE,
                      .place = TN_TREE_NOWHERE,
                      .is_changed = true};
    return node;
}

static tn_node *make_text(tn_tree *tree, tn_tree_kind kind, const char *text, size_t size)
{
    if (size >= UINT32_MAX) {
        tree->failed = true;
        return NULL;
    }
    tn_node *node = make(tree, kind);
    char *copy = node ? allocate(tree, size, 1) : NULL;
    if (!copy) return NULL;
    if (size > 0) memcpy(copy, text, size);
    node->text = copy;
    node->size = (uint32_t)size;
    return node;
}

tn_node *tn_tree_make_null(tn_tree *tree)
{
    return make_text(tree, TN_TREE_NULL, "null", 4);
}

tn_node *tn_tree_make_bool(tn_tree *tree, bool v)
{
    tn_node *node = make_text(tree, TN_TREE_BOOL, v ? "true" : "false", v ? 4 : 5);
    if (node) node->is_true = v;
    return node;
}

tn_node *tn_tree_make_u64(tn_tree *tree, uint64_t v)
{
    char text[TN_NUMBER_MAX];
    return make_text(tree, TN_TREE_NUMBER, text, tn_u64_text(v, text));
}

tn_node *tn_tree_make_f32(tn_tree *tree, float v)
{
    char text[TN_NUMBER_MAX];
    if (v - v == 0) return make_text(tree, TN_TREE_NUMBER, text, tn_f32_text(v, text));
    return make_text(tree, TN_TREE_STRING, text, tn_f32_bits_text(v, text));
}

tn_node *tn_tree_make_f64(tn_tree *tree, double v)
{
    char text[TN_NUMBER_MAX];
    if (v - v == 0) return make_text(tree, TN_TREE_NUMBER, text, tn_f64_text(v, text));
    return make_text(tree, TN_TREE_STRING, text, tn_f64_bits_text(v, text));
}

tn_node *tn_tree_make_string(tn_tree *tree, const char *text, size_t size)
{
    return make_text(tree, TN_TREE_STRING, text, size);
}

tn_node *tn_tree_make_array(tn_tree *tree)
{
    return make(tree, TN_TREE_ARRAY);
}

tn_node *tn_tree_make_object(tn_tree *tree)
{
    return make(tree, TN_TREE_OBJECT);
}

// -- Placing

static void mark_changed(tn_node *node)
{
    for (; node && !node->is_changed; node = node->parent) node->is_changed = true;
}

// Whether `value` may go into `parent`: it is in no place yet, and `parent` is not inside of it.
static bool may_place(tn_tree *tree, const tn_node *parent, const tn_node *value)
{
    bool may = parent && value && !value->parent;
    for (const tn_node *up = parent; up && may; up = up->parent) may = up != value;
    if (!may) tree->failed = true;
    return may;
}

// The node behind `node` in the order of the text, if it is inside `top`; otherwise NULL.
static tn_node *step(tn_node *node, const tn_node *top)
{
    if (tn_tree_count(node) > 0) return node->items[0];
    while (node != top && node->index + 1 == node->parent->size) node = node->parent;
    return node == top ? NULL : node->parent->items[node->index + 1];
}

// What was read from another place of the text counts as new from now on: its spaces and line ends
// belong to where it was.
static void forget_place(tn_node *top)
{
    if (top->offset == TN_TREE_NOWHERE) return;
    for (tn_node *node = top; node; node = step(node, top)) {
        node->offset = node->end = node->place = TN_TREE_NOWHERE;
        node->is_changed = true;
    }
}

static void place(tn_node *parent, uint32_t index, tn_node *value)
{
    forget_place(value);
    value->place = TN_TREE_NOWHERE;
    value->parent = parent;
    value->index = index;
    parent->items[index] = value;
    mark_changed(parent);
}

// Memory for one more item. Half as much again each time, so that n items cost O(n).
static bool make_room(tn_tree *tree, tn_node *parent)
{
    if (parent->size < parent->room) return true;
    uint64_t room = (uint64_t)parent->room + parent->room / 2 + 4;
    tn_node **items = room < UINT32_MAX ? allocate(tree, room, sizeof(tn_node *)) : NULL;
    if (!items) {
        tree->failed = true;
        return false;
    }
    if (parent->size > 0) memcpy(items, parent->items, parent->size * sizeof(tn_node *));
    parent->items = items;
    parent->room = (uint32_t)room;
    return true;
}

void tn_tree_append(tn_tree *tree, tn_node *array, tn_node *value)
{
    if (!may_place(tree, array, value)) return;
    if (array->kind != TN_TREE_ARRAY) {
        tree->failed = true;
        return;
    }
    if (!make_room(tree, array)) return;
    value->key = NULL;
    place(array, array->size++, value);
}

void tn_tree_set(tn_tree *tree, tn_node *object, const char *key, tn_node *value)
{
    if (!may_place(tree, object, value)) return;
    if (object->kind != TN_TREE_OBJECT) {
        tree->failed = true;
        return;
    }
    tn_node *old = tn_tree_get(object, key);
    if (old) {
        tn_tree_replace(tree, old, value);
        return;
    }
    size_t size = strlen(key);
    char *copy = size < UINT32_MAX ? allocate(tree, size, 1) : NULL;
    if (!copy || !make_room(tree, object)) {
        tree->failed = true;
        return;
    }
    memcpy(copy, key, size);
    value->key = copy;
    value->key_size = (uint32_t)size;
    place(object, object->size++, value);
}

void tn_tree_replace(tn_tree *tree, tn_node *old, tn_node *value)
{
    if (!may_place(tree, old ? old->parent : NULL, value)) return;
    uint32_t old_place = old->place;
    value->key = old->key;
    value->key_size = old->key_size;
    place(old->parent, old->index, value);
    value->place = old_place;
    old->parent = NULL;
}

void tn_tree_remove(tn_node *node)
{
    tn_node *parent = node ? node->parent : NULL;
    if (!parent) return;
    parent->size--;
    for (uint32_t i = node->index; i < parent->size; i++) {
        parent->items[i] = parent->items[i + 1];
        parent->items[i]->index = i;
    }
    node->parent = NULL;
    mark_changed(parent);
}
