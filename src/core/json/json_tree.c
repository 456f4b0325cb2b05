// json_tree.c: a JSON text as a tree: reading, looking up, changing. Writing: json_tree_write.c.
// SPDX-License-Identifier: MIT

#include "core/json/json_tree.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool json_tree_is_container(const tn_json_value *node)
{
    return node && node->kind >= TN_TREE_ARRAY;
}

// -- Places

// Put `size` bytes in front of `*start`; false if they do not fit.
static bool json_tree_prepend(char *out, size_t *start, const char *text, size_t size)
{
    if (size > *start) return false;
    *start -= size;
    memcpy(out + *start, text, size);
    return true;
}

// One step of a path: "[3]", "key" or ".key".
static size_t json_tree_step_text(const tn_json_value *node, char *out, size_t out_size)
{
    if (!node->key) return (size_t)snprintf(out, out_size, "[%" PRIu32 "]", node->index);
    size_t dot = node->parent->parent ? 1 : 0;
    out[0] = '.';
    return dot + tn_text_clean(node->key, node->key_size, out + dot, out_size - dot);
}

void tn_json_tree_path(const tn_json_value *node, char *out, size_t out_size)
{
    size_t start = out_size - 1;
    for (; node && node->parent; node = node->parent) {
        char step[80];
        if (json_tree_prepend(out, &start, step, json_tree_step_text(node, step, sizeof step)))
            continue;
        if (start < 3) start = 3;
        json_tree_prepend(out, &start, "...", 3);
        break;
    }
    memmove(out, out + start, out_size - 1 - start);
    out[out_size - 1 - start] = '\0';
}

// Give an error its place. Returns false.
static bool json_tree_locate(const tn_json_tree *tree, const tn_json_value *node, uint64_t offset,
                             tenon_error *err)
{
    if (!err) return false;
    tn_json_tree_path(node, err->path, sizeof err->path);
    err->offset = offset;
    tn_json_place(tree->text, tree->size, offset, &err->line, &err->column);
    return false;
}

bool tn_json_tree_fail(const tn_json_tree *tree, const tn_json_value *node, tenon_error *err,
                       const char *fmt, ...)
{
    if (!err) return false;
    char message[sizeof err->message];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    tn_error(err, TENON_ERR_VALUE, "%s", message);
    if (node && node->offset != TN_TREE_NOWHERE)
        return json_tree_locate(tree, node, node->offset, err);
    tn_json_tree_path(node, err->path, sizeof err->path);
    return false;
}

// -- Reading

typedef struct parser {
    tn_json json;
    tn_json_tree *tree;
    tenon_error *err;
    tn_json_value *open;  // The innermost array or object that has not ended; NULL: none.
    const char *key;      // Of the value that comes next; NULL: it has none.
    uint32_t key_size;    // Of the same.
    uint32_t key_place;   // Of the same.
} parser;

// The value that comes next, for the path of an error.
static tn_json_value json_tree_next_value(const parser *p)
{
    return (tn_json_value){.parent = p->open,
                           .key = p->key,
                           .key_size = p->key_size,
                           .index = p->open ? p->open->size : 0};
}

// Not JSON, or too deep. An error between two items is one of their parent.
static bool json_tree_refuse_text(const parser *p)
{
    const tn_json_error *error = &p->json.error;
    if (error->code == TN_JSON_ERR_DEPTH)
        tn_error(p->err, TENON_ERR_LIMIT, "'nesting' is deeper than %d levels", TN_JSON_MAX_DEPTH);
    else
        tn_error(p->err, TENON_ERR_VALUE, "invalid JSON: %s", error->message);
    tn_json_value next = json_tree_next_value(p);
    bool is_between = error->code == TN_JSON_ERR_ARRAY_COMMA ||
                      error->code == TN_JSON_ERR_SPARE_COMMA ||
                      (p->open && p->open->kind == TN_TREE_OBJECT && !p->key);
    return json_tree_locate(p->tree, is_between ? p->open : &next, error->offset, p->err);
}

// Memory for the tree, or NULL and an error.
static void *json_tree_allocate(const parser *p, uint64_t count, size_t size)
{
    void *memory = tn_arena_alloc_or_fail(p->tree->arena, count, size, "the tree", p->err);
    if (memory) return memory;
    tn_json_value next = json_tree_next_value(p);
    json_tree_locate(p->tree, &next, p->json.token.offset, p->err);
    return NULL;
}

// The text of the token, which needs memory only if it has escapes; NULL and an error if not.
static const char *json_tree_token_text(const parser *p, uint32_t *size)
{
    const tn_json_token *token = &p->json.token;
    *size = (uint32_t)token->size;
    if (!token->has_escapes) return token->text;
    char *copy = json_tree_allocate(p, token->size, 1);
    if (copy) *size = (uint32_t)tn_json_decode(token, copy);
    return copy;
}

static bool json_tree_take_key(parser *p)
{
    p->key = json_tree_token_text(p, &p->key_size);
    p->key_place = (uint32_t)p->json.token.offset;
    return p->key != NULL;
}

static tn_json_tree_kind json_tree_kind_of_token(tn_json_kind kind)
{
    switch (kind) {
    case TN_JSON_OBJECT_BEGIN:
        return TN_TREE_OBJECT;
    case TN_JSON_ARRAY_BEGIN:
        return TN_TREE_ARRAY;
    case TN_JSON_STRING:
        return TN_TREE_STRING;
    case TN_JSON_NUMBER:
        return TN_TREE_NUMBER;
    case TN_JSON_NULL:
        return TN_TREE_NULL;
    default:
        return TN_TREE_BOOL;
    }
}

// Add the value of the token, or the one that it begins, to the open array or object.
static bool json_tree_take_value(parser *p)
{
    const tn_json_token *token = &p->json.token;
    tn_json_value *node = json_tree_allocate(p, 1, sizeof *node);
    if (!node) return false;
    *node = json_tree_next_value(p);
    node->kind = (uint8_t)json_tree_kind_of_token(token->kind);
    node->is_true = token->kind == TN_JSON_TRUE;
    node->offset = (uint32_t)token->offset;
    node->end = (uint32_t)p->json.pos;
    node->place = p->key ? p->key_place : node->offset;
    if (!json_tree_is_container(node) && !(node->text = json_tree_token_text(p, &node->size)))
        return false;
    if (p->open) {
        node->below = p->open->newest;
        p->open->newest = node;
        p->open->size++;
    } else {
        p->tree->root = node;
    }
    if (json_tree_is_container(node)) p->open = node;
    p->key = NULL;
    return true;
}

// -- Keys that occur twice

// Any order will do that brings equal keys together, the first one first.
static bool json_tree_is_before(const tn_json_value *a, const tn_json_value *b)
{
    if (a->key_size != b->key_size) return a->key_size < b->key_size;
    int order = memcmp(a->key, b->key, a->key_size);
    return order != 0 ? order < 0 : a->index < b->index;
}

// Merge two adjacent sorted runs.
static void json_tree_merge(tn_json_value **a, tn_json_value **b, tn_json_value **end,
                            tn_json_value **out)
{
    tn_json_value **middle = b;
    while (a < middle || b < end) {
        bool is_left = b == end || (a < middle && json_tree_is_before(*a, *b));
        *out++ = is_left ? *a++ : *b++;
    }
}

// Sort by key, from `items` into either of two buffers. Returns which.
static tn_json_value **json_tree_sort_by_key(tn_json_value **items, uint64_t count,
                                             tn_json_value **sorted, tn_json_value **other)
{
    memcpy(sorted, items, (size_t)count * sizeof(tn_json_value *));
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * run) {
            uint64_t middle = at + run < count ? at + run : count;
            uint64_t end = at + 2 * run < count ? at + 2 * run : count;
            json_tree_merge(sorted + at, sorted + middle, sorted + end, other + at);
        }
        tn_json_value **swap = sorted;
        sorted = other;
        other = swap;
    }
    return sorted;
}

// The first member whose key another one before it has; *first is that one.
static const tn_json_value *json_tree_find_twin(tn_json_value *const *sorted, uint32_t count,
                                                const tn_json_value **first)
{
    const tn_json_value *twin = NULL;
    for (uint32_t i = 1; i < count; i++) {
        const tn_json_value *a = sorted[i - 1], *b = sorted[i];
        if (a->key_size != b->key_size || memcmp(a->key, b->key, a->key_size) != 0) continue;
        if (twin && twin->index < b->index) continue;
        twin = b;
        *first = a;
    }
    return twin;
}

static bool json_tree_check_keys(const parser *p, const tn_json_value *object)
{
    uint32_t count = object->size;
    if (count < 2) return true;
    tn_mark mark = tn_arena_mark(p->tree->arena);
    tn_json_value **room = json_tree_allocate(p, (uint64_t)count * 2, sizeof(tn_json_value *));
    if (!room) return false;
    const tn_json_value *first = NULL;
    const tn_json_value *twin = json_tree_find_twin(
        json_tree_sort_by_key(object->items, count, room, room + count), count, &first);
    tn_arena_rewind(p->tree->arena, mark);
    if (!twin || !p->err) return !twin;

    char shown[64];
    tn_text_clean(twin->key, twin->key_size, shown, sizeof shown);
    tn_error(p->err, TENON_ERR_VALUE, "the key '%s' occurs twice in one object", shown);
    uint64_t line, column;
    tn_json_place(p->tree->text, p->tree->size, first->place, &line, &column);
    snprintf(p->err->note, sizeof p->err->note,
             "first on line %" PRIu64 ", column %" PRIu64 " (at 0x%06" PRIx32 ")", line, column,
             first->place);
    return json_tree_locate(p->tree, twin, twin->place, p->err);
}

// -- From token to token

// The end of an array or object: its items, chained from the newest to the oldest, become a list.
static bool json_tree_take_end(parser *p)
{
    tn_json_value *node = p->open, *item = node->newest;
    tn_json_value **items = json_tree_allocate(p, node->size, sizeof(tn_json_value *));
    if (!items) return false;
    for (uint32_t i = node->size; i-- > 0; item = item->below) items[i] = item;
    node->items = items;
    node->room = node->size;
    node->end = (uint32_t)p->json.pos;
    if (node->kind == TN_TREE_OBJECT && !json_tree_check_keys(p, node)) return false;
    p->open = node->parent;
    return true;
}

static bool json_tree_parse(parser *p)
{
    for (;;) {
        bool ok;
        switch (tn_json_next(&p->json)) {
        case TN_JSON_ERROR:
            return json_tree_refuse_text(p);
        case TN_JSON_END:
            return true;
        case TN_JSON_KEY:
            ok = json_tree_take_key(p);
            break;
        case TN_JSON_OBJECT_END:
        case TN_JSON_ARRAY_END:
            ok = json_tree_take_end(p);
            break;
        default:
            ok = json_tree_take_value(p);
            break;
        }
        if (!ok) return false;
    }
}

bool tn_json_tree_parse(tn_json_tree *tree, const char *text, size_t size, tn_arena *arena,
                        tenon_error *err)
{
    *tree = (tn_json_tree){.text = text, .size = size, .arena = arena};
    tn_error_clear(err);
    if (size >= TN_TREE_NOWHERE)
        return tn_error(err, TENON_ERR_LIMIT,
                        "the text has %" PRIu64 " bytes, but must have fewer than %" PRIu32,
                        (uint64_t)size, TN_TREE_NOWHERE);
    parser p = {.tree = tree, .err = err};
    tn_json_begin(&p.json, text, size, 0);
    tn_mark mark = tn_arena_mark(arena);
    if (json_tree_parse(&p)) return true;
    tn_arena_rewind(arena, mark);
    tree->root = NULL;
    return false;
}

bool tn_json_tree_parse_object(tn_json_tree *tree, const void *text, size_t size, tn_arena *arena,
                               const char *what, tenon_error *err)
{
    char *copy = tn_arena_alloc_or_fail(arena, (uint64_t)size + 1, 1, what, err);
    if (!copy) return false;
    if (size) memcpy(copy, text, size);
    if (!tn_json_tree_parse(tree, copy, size, arena, err)) return false;
    return tn_json_tree_kind_of(tree->root) == TN_TREE_OBJECT ||
           tn_json_tree_fail(tree, tree->root, err, "%s must be an object, not %s", what,
                             tn_json_tree_word(tree->root));
}

// -- Looking up

tn_json_tree_kind tn_json_tree_kind_of(const tn_json_value *node)
{
    return node ? (tn_json_tree_kind)node->kind : TN_TREE_NOTHING;
}

const char *tn_json_tree_word(const tn_json_value *node)
{
    static const char *const words[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};
    return words[tn_json_tree_kind_of(node)];
}

tn_json_value *tn_json_tree_get(const tn_json_value *object, const char *key)
{
    if (tn_json_tree_kind_of(object) != TN_TREE_OBJECT) return NULL;
    size_t size = strlen(key), last = size ? size - 1 : 0;
    for (uint32_t i = 0; i < object->size; i++) {
        tn_json_value *item = object->items[i];
        // Keys of one size often begin alike but rarely end alike: this saves most of the calls.
        if (item->key_size != size || (size && item->key[last] != key[last])) continue;
        if (memcmp(item->key, key, size) == 0) return item;
    }
    return NULL;
}

tn_json_value *tn_json_tree_next(const tn_json_value *value, const tn_json_value *top,
                                 bool skips_items)
{
    if (!skips_items && tn_json_tree_count(value)) return value->items[0];
    while (value != top && value->index + 1 == tn_json_tree_count(value->parent))
        value = value->parent;
    return value == top ? NULL : value->parent->items[value->index + 1];
}

tn_json_value *tn_json_tree_at(const tn_json_value *node, uint32_t index)
{
    return index < tn_json_tree_count(node) ? node->items[index] : NULL;
}

uint32_t tn_json_tree_count(const tn_json_value *node)
{
    return json_tree_is_container(node) ? node->size : 0;
}

double tn_json_tree_f64(const tn_json_value *node, double fallback)
{
    double v;
    bool is_number = tn_json_tree_kind_of(node) == TN_TREE_NUMBER;
    return is_number && tn_f64_parse(node->text, node->size, &v) ? v : fallback;
}

float tn_json_tree_f32(const tn_json_value *node, float fallback)
{
    float v;
    bool is_number = tn_json_tree_kind_of(node) == TN_TREE_NUMBER;
    return is_number && tn_f32_parse(node->text, node->size, &v) ? v : fallback;
}

uint64_t tn_json_tree_u64(const tn_json_value *node, uint64_t fallback)
{
    uint64_t v;
    bool is_number = tn_json_tree_kind_of(node) == TN_TREE_NUMBER;
    return is_number && tn_u64_parse(node->text, node->size, &v) ? v : fallback;
}

uint32_t tn_json_tree_u32(const tn_json_value *node, uint32_t fallback)
{
    uint64_t v = tn_json_tree_u64(node, UINT64_MAX);
    return v <= UINT32_MAX ? (uint32_t)v : fallback;
}

bool tn_json_tree_bool(const tn_json_value *node, bool fallback)
{
    return tn_json_tree_kind_of(node) == TN_TREE_BOOL ? node->is_true : fallback;
}

bool tn_json_tree_f64s(const tn_json_value *node, double *out, uint32_t count)
{
    if (tn_json_tree_kind_of(node) != TN_TREE_ARRAY || node->size != count) return false;
    double v;
    for (uint32_t i = 0; i < count; i++) {
        const tn_json_value *item = node->items[i];
        if (item->kind != TN_TREE_NUMBER || !tn_f64_parse(item->text, item->size, &v)) return false;
    }
    for (uint32_t i = 0; i < count; i++) out[i] = tn_json_tree_f64(node->items[i], 0.0);
    return true;
}

tenon_str tn_json_tree_text(const tn_json_value *node, const char *fallback, tn_arena *arena)
{
    bool is_string = tn_json_tree_kind_of(node) == TN_TREE_STRING;
    const char *text = is_string ? node->text : fallback;
    if (!text) return (tenon_str){NULL, 0};
    size_t size = is_string ? node->size : strlen(fallback);
    char *copy = tn_arena_alloc(arena, (uint64_t)size + 1, 1, NULL);
    if (!copy) return (tenon_str){NULL, 0};
    memcpy(copy, text, size);
    return (tenon_str){copy, (uint32_t)size};
}

bool tn_json_tree_is(const tn_json_value *node, const char *text)
{
    size_t size = strlen(text);
    return tn_json_tree_kind_of(node) == TN_TREE_STRING && node->size == size &&
           memcmp(node->text, text, size) == 0;
}
