// fbx_tree.c: the nodes of an FBX file and their values.
// SPDX-License-Identifier: MIT

#include "fbx_tree.h"

#include "../scene/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fbx_put(fbx_buffer *b, const void *data, size_t size)
{
    if (size > b->room - b->size) {
        size_t room = 2 * (b->size + size) + 256;
        uint8_t *longer = import_alloc(room, 1);
        if (b->size) memcpy(longer, b->data, b->size);
        free(b->data);
        b->data = longer;
        b->room = room;
    }
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
}

// -- Nodes

fbx_node *fbx_add(fbx_node *parent, const char *name, size_t name_size)
{
    fbx_node *node = import_alloc(1, sizeof *node);
    node->name = name;
    node->name_size = name_size;
    if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->child = node;
    parent->last_child = node;
    return node;
}

fbx_value *fbx_add_value(fbx_node *node, char type, const void *data, size_t size)
{
    uint32_t count = node->value_count;
    // There is room for 1, 2, 4, 8 and so on.
    if ((count & (count - 1)) == 0) {
        fbx_value *longer = import_alloc(count ? 2 * (uint64_t)count : 1, sizeof *longer);
        if (count) memcpy(longer, node->values, count * sizeof *longer);
        free(node->values);
        node->values = longer;
    }
    fbx_value *value = &node->values[node->value_count++];
    *value = (fbx_value){type, data, size};
    return value;
}

bool fbx_is_named(const fbx_node *node, const char *name)
{
    return node->name_size == strlen(name) && memcmp(node->name, name, node->name_size) == 0;
}

fbx_node *fbx_child(const fbx_node *node, const char *name)
{
    for (fbx_node *c = node ? node->child : NULL; c; c = c->next)
        if (fbx_is_named(c, name)) return c;
    return NULL;
}

fbx_node *fbx_property(const fbx_node *object, const char *name)
{
    fbx_node *all = fbx_child(object, "Properties70");
    for (fbx_node *p = all ? all->child : NULL; p; p = p->next)
        if (fbx_text_is(p, 0, name)) return p;
    return NULL;
}

void fbx_drop_property(fbx_node *object, const char *name)
{
    fbx_node *all = fbx_child(object, "Properties70"), *before = NULL;
    for (fbx_node *p = all ? all->child : NULL; p; p = p->next) {
        if (!fbx_text_is(p, 0, name)) {
            before = p;
            continue;
        }
        if (before)
            before->next = p->next;
        else
            all->child = p->next;
        if (all->last_child == p) all->last_child = before;
    }
}

// -- Values

static const fbx_value *value_at(const fbx_node *node, uint32_t index)
{
    return node && index < node->value_count ? &node->values[index] : NULL;
}

bool fbx_text_is(const fbx_node *node, uint32_t index, const char *text)
{
    const fbx_value *v = value_at(node, index);
    return v && v->type == FBX_TEXT && v->size == strlen(text) &&
           memcmp(v->data, text, v->size) == 0;
}

// A number as text, with an end.
static bool word(const fbx_value *v, char out[64])
{
    if (v->type != FBX_WORD || v->size == 0 || v->size > 63) return false;
    memcpy(out, v->data, v->size);
    out[v->size] = '\0';
    return true;
}

bool fbx_integer(const fbx_node *node, uint32_t index, int64_t *value)
{
    const fbx_value *v = value_at(node, index);
    char text[64], *end;
    if (!v) return false;
    if (v->type == 'L' && v->size == 8) {
        memcpy(value, v->data, 8);
        return true;
    }
    if (v->type == 'C' && v->size == 1) {
        *value = v->data[0];
        return true;
    }
    if (v->type == 'I' && v->size == 4) {
        int32_t small;
        memcpy(&small, v->data, 4);
        *value = small;
        return true;
    }
    if (!word(v, text)) return false;
    *value = strtoll(text, &end, 10);
    return end != text && !*end;
}

bool fbx_number(const fbx_node *node, uint32_t index, double *value)
{
    const fbx_value *v = value_at(node, index);
    int64_t whole;
    char text[64], *end;
    if (!v) return false;
    if (v->type == 'D' && v->size == 8) {
        memcpy(value, v->data, 8);
        return true;
    }
    if (v->type == 'F' && v->size == 4) {
        float small;
        memcpy(&small, v->data, 4);
        *value = (double)small;
        return true;
    }
    if (word(v, text)) {
        *value = strtod(text, &end);
        return end != text && !*end;
    }
    if (!fbx_integer(node, index, &whole)) return false;
    *value = (double)whole;
    return true;
}

static fbx_value integer_value(const fbx_tree *tree, int64_t value)
{
    char *data = import_alloc(24, 1);
    if (!tree->is_text) {
        memcpy(data, &value, 8);
        return (fbx_value){'L', (const uint8_t *)data, 8};
    }
    int size = snprintf(data, 24, "%" PRId64, value);
    return (fbx_value){FBX_WORD, (const uint8_t *)data, (size_t)size};
}

void fbx_set_integer(const fbx_tree *tree, fbx_node *node, uint32_t index, int64_t value)
{
    if (index < node->value_count) node->values[index] = integer_value(tree, value);
}

void fbx_add_integer(const fbx_tree *tree, fbx_node *node, int64_t value)
{
    fbx_value v = integer_value(tree, value);
    (void)fbx_add_value(node, v.type, v.data, v.size);
}

void fbx_add_text(fbx_node *node, const char *text)
{
    (void)fbx_add_value(node, FBX_TEXT, text, strlen(text));
}

// -- Names of objects

static const uint8_t *find(const uint8_t *data, size_t size, const char *what, size_t what_size)
{
    for (size_t i = 0; i + what_size <= size; i++)
        if (memcmp(data + i, what, what_size) == 0) return data + i;
    return NULL;
}

bool fbx_object_name(const fbx_node *object, const char **name, size_t *size)
{
    const fbx_value *v = value_at(object, 1);
    if (!v || v->type != FBX_TEXT) return false;
    const uint8_t *end = find(v->data, v->size, "\0\1", 2);
    const uint8_t *colons = find(v->data, v->size, "::", 2);
    const uint8_t *start = !end && colons ? colons + 2 : v->data;
    *name = (const char *)start;
    *size = end ? (size_t)(end - start) : (size_t)(v->data + v->size - start);
    return true;
}

void fbx_rename_object(const fbx_tree *tree, fbx_node *object, const char *kind, const char *name,
                       size_t size)
{
    fbx_buffer b = {0};
    if (object->value_count < 2) return;
    if (tree->is_text) {
        fbx_put(&b, kind, strlen(kind));
        fbx_put(&b, "::", 2);
    }
    fbx_put(&b, name, size);
    if (!tree->is_text) {
        fbx_put(&b, "\0\1", 2);
        fbx_put(&b, kind, strlen(kind));
    }
    object->values[1] = (fbx_value){FBX_TEXT, b.data, b.size};
}
