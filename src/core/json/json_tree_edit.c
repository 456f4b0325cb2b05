// json_tree_edit.c: create JSON values, add them to a tree and remove them.
// SPDX-License-Identifier: MIT

#include "core/json/json_tree.h"
#include "core/text/number.h"

#include <string.h>

// -- Creating

static void *json_tree_edit_allocate(tn_json_tree *tree, uint64_t count, size_t size)
{
    void *memory = tn_arena_alloc(tree->arena, count, size, NULL);
    if (!memory) tree->failed = true;
    return memory;
}

static tn_json_value *json_tree_edit_make(tn_json_tree *tree, tn_json_tree_kind kind)
{
    tn_json_value *node = json_tree_edit_allocate(tree, 1, sizeof *node);
    if (!node) return NULL;
    *node = (tn_json_value){.kind = (uint8_t)kind,
                            .offset = TN_TREE_NOWHERE,
                            .end = TN_TREE_NOWHERE,
                            .place = TN_TREE_NOWHERE,
                            .is_changed = true};
    return node;
}

static tn_json_value *json_tree_edit_make_text(tn_json_tree *tree, tn_json_tree_kind kind,
                                               const char *text, size_t size)
{
    if (size >= UINT32_MAX) {
        tree->failed = true;
        return NULL;
    }
    tn_json_value *node = json_tree_edit_make(tree, kind);
    char *copy = node ? json_tree_edit_allocate(tree, size, 1) : NULL;
    if (!copy) return NULL;
    if (size > 0) memcpy(copy, text, size);
    node->text = copy;
    node->size = (uint32_t)size;
    return node;
}

tn_json_value *tn_json_tree_make_null(tn_json_tree *tree)
{
    return json_tree_edit_make_text(tree, TN_TREE_NULL, "null", 4);
}

tn_json_value *tn_json_tree_make_bool(tn_json_tree *tree, bool v)
{
    tn_json_value *node =
        json_tree_edit_make_text(tree, TN_TREE_BOOL, v ? "true" : "false", v ? 4 : 5);
    if (node) node->is_true = v;
    return node;
}

tn_json_value *tn_json_tree_make_u64(tn_json_tree *tree, uint64_t v)
{
    char text[TN_NUMBER_MAX];
    return json_tree_edit_make_text(tree, TN_TREE_NUMBER, text, tn_u64_text(v, text));
}

tn_json_value *tn_json_tree_make_f32(tn_json_tree *tree, float v)
{
    char text[TN_NUMBER_MAX];
    if (v - v == 0)
        return json_tree_edit_make_text(tree, TN_TREE_NUMBER, text, tn_f32_text(v, text));
    return json_tree_edit_make_text(tree, TN_TREE_STRING, text, tn_f32_bits_text(v, text));
}

tn_json_value *tn_json_tree_make_f64(tn_json_tree *tree, double v)
{
    char text[TN_NUMBER_MAX];
    if (v - v == 0)
        return json_tree_edit_make_text(tree, TN_TREE_NUMBER, text, tn_f64_text(v, text));
    return json_tree_edit_make_text(tree, TN_TREE_STRING, text, tn_f64_bits_text(v, text));
}

tn_json_value *tn_json_tree_make_string(tn_json_tree *tree, const char *text, size_t size)
{
    return json_tree_edit_make_text(tree, TN_TREE_STRING, text, size);
}

tn_json_value *tn_json_tree_make_array(tn_json_tree *tree)
{
    return json_tree_edit_make(tree, TN_TREE_ARRAY);
}

tn_json_value *tn_json_tree_make_object(tn_json_tree *tree)
{
    return json_tree_edit_make(tree, TN_TREE_OBJECT);
}

// -- Placing

static void json_tree_edit_mark_changed(tn_json_value *node)
{
    for (; node && !node->is_changed; node = node->parent) node->is_changed = true;
}

// Whether `value` may be added to `parent`: it is not placed yet, and does not contain `parent`.
static bool json_tree_edit_may_place(tn_json_tree *tree, const tn_json_value *parent,
                                     const tn_json_value *value)
{
    bool may = parent && value && !value->parent;
    for (const tn_json_value *up = parent; up && may; up = up->parent) may = up != value;
    if (!may) tree->failed = true;
    return may;
}

// The node after `node` in the order of the text, if it is inside `top`; otherwise NULL.
static tn_json_value *json_tree_edit_step(tn_json_value *node, const tn_json_value *top)
{
    if (tn_json_tree_count(node) > 0) return node->items[0];
    while (node != top && node->index + 1 == node->parent->size) node = node->parent;
    return node == top ? NULL : node->parent->items[node->index + 1];
}

// A value that was read at another place of the text counts as new: its spaces and line ends belong
// to the old place.
static void json_tree_edit_forget_place(tn_json_value *top)
{
    if (top->offset == TN_TREE_NOWHERE) return;
    for (tn_json_value *node = top; node; node = json_tree_edit_step(node, top)) {
        node->offset = node->end = node->place = TN_TREE_NOWHERE;
        node->is_changed = true;
    }
}

static void json_tree_edit_place(tn_json_value *parent, uint32_t index, tn_json_value *value)
{
    json_tree_edit_forget_place(value);
    value->place = TN_TREE_NOWHERE;
    value->parent = parent;
    value->index = index;
    parent->items[index] = value;
    json_tree_edit_mark_changed(parent);
}

// Memory for one more item. Half as much again each time, so that n items cost O(n).
static bool json_tree_edit_make_room(tn_json_tree *tree, tn_json_value *parent)
{
    if (parent->size < parent->room) return true;
    uint64_t room = (uint64_t)parent->room + parent->room / 2 + 4;
    tn_json_value **items =
        room < UINT32_MAX ? json_tree_edit_allocate(tree, room, sizeof(tn_json_value *)) : NULL;
    if (!items) {
        tree->failed = true;
        return false;
    }
    if (parent->size > 0) memcpy(items, parent->items, parent->size * sizeof(tn_json_value *));
    parent->items = items;
    parent->room = (uint32_t)room;
    return true;
}

void tn_json_tree_append(tn_json_tree *tree, tn_json_value *array, tn_json_value *value)
{
    if (!json_tree_edit_may_place(tree, array, value)) return;
    if (array->kind != TN_TREE_ARRAY) {
        tree->failed = true;
        return;
    }
    if (!json_tree_edit_make_room(tree, array)) return;
    value->key = NULL;
    json_tree_edit_place(array, array->size++, value);
}

void tn_json_tree_set(tn_json_tree *tree, tn_json_value *object, const char *key,
                      tn_json_value *value)
{
    if (!json_tree_edit_may_place(tree, object, value)) return;
    if (object->kind != TN_TREE_OBJECT) {
        tree->failed = true;
        return;
    }
    tn_json_value *old = tn_json_tree_get(object, key);
    if (old) {
        tn_json_tree_replace(tree, old, value);
        return;
    }
    size_t size = strlen(key);
    char *copy = size < UINT32_MAX ? json_tree_edit_allocate(tree, size, 1) : NULL;
    if (!copy || !json_tree_edit_make_room(tree, object)) {
        tree->failed = true;
        return;
    }
    memcpy(copy, key, size);
    value->key = copy;
    value->key_size = (uint32_t)size;
    json_tree_edit_place(object, object->size++, value);
}

void tn_json_tree_replace(tn_json_tree *tree, tn_json_value *old, tn_json_value *value)
{
    if (!json_tree_edit_may_place(tree, old ? old->parent : NULL, value)) return;
    uint32_t old_place = old->place;
    value->key = old->key;
    value->key_size = old->key_size;
    json_tree_edit_place(old->parent, old->index, value);
    value->place = old_place;
    old->parent = NULL;
}

void tn_json_tree_change_u64(tn_json_tree *tree, tn_json_value *number, uint64_t v)
{
    char text[TN_NUMBER_MAX];
    size_t size = tn_u64_text(v, text);
    char *copy =
        number && number->kind == TN_TREE_NUMBER ? json_tree_edit_allocate(tree, size, 1) : NULL;
    if (!copy) {
        tree->failed = true;
        return;
    }
    number->text = memcpy(copy, text, size);
    number->size = (uint32_t)size;
    number->offset = number->end = TN_TREE_NOWHERE;
    json_tree_edit_mark_changed(number);
}

void tn_json_tree_keep(tn_json_value *node, tn_json_tree_keep_fn *keep, void *user)
{
    uint32_t left = 0, count = tn_json_tree_count(node);
    for (uint32_t i = 0; i < count; i++) {
        tn_json_value *item = node->items[i];
        if (!keep(user, item)) {
            item->parent = NULL;
            continue;
        }
        item->index = left;
        node->items[left++] = item;
    }
    if (left == count) return;
    node->size = left;
    json_tree_edit_mark_changed(node);
}

void tn_json_tree_remove(tn_json_value *node)
{
    tn_json_value *parent = node ? node->parent : NULL;
    if (!parent) return;
    parent->size--;
    for (uint32_t i = node->index; i < parent->size; i++) {
        parent->items[i] = parent->items[i + 1];
        parent->items[i]->index = i;
    }
    node->parent = NULL;
    json_tree_edit_mark_changed(parent);
}
