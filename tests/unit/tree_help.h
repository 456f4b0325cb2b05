// tree_help.h: what the tests of the JSON tree share.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_TREE_HELP_H
#define TENON_TESTS_TREE_HELP_H

#include "core/json/json_tree.h"
#include "core_help.h"

// A tree of a copy that ends where its memory ends, so that a sanitizer notices a read beyond it.
typedef struct planted {
    tn_json_tree tree;
    tn_arena arena;
    meter meter;
    tenon_error err;
    char *text;
    bool ok;
} planted;

static inline void plant(planted *p, const char *text, size_t size, uint64_t limit)
{
    p->text = malloc(size ? size : 1);
    if (!p->text) abort();
    memcpy(p->text, text, size);
    tenon_allocator allocator = metered(&p->meter);
    p->arena = tn_arena_make(&allocator, limit);
    p->ok = tn_json_tree_parse(&p->tree, p->text, size, &p->arena, &p->err);
    CHECK(p->ok == (p->tree.root != NULL) && p->ok == (p->err.code == TENON_OK));
    CHECK(p->ok || p->arena.used == 0);
}

static inline planted *grow(const char *text)
{
    static planted p;
    p = (planted){0};
    plant(&p, text, strlen(text), 1 << 20);
    return &p;
}

static inline void fell(planted *p)
{
    tn_arena_free(&p->arena);
    CHECK(p->meter.live_blocks == 0 && !p->meter.wrong_size);
    free(p->text);
}

typedef struct buffer {
    size_t size;
    size_t most;  // Refuse what is more; 0: no limit but the room.
    char text[1 << 16];
} buffer;

static inline bool take(void *user, const void *bytes, size_t size)
{
    buffer *b = user;
    size_t most = b->most ? b->most : sizeof b->text - 1;
    if (size > most - b->size) return false;
    memcpy(b->text + b->size, bytes, size);
    b->size += size;
    b->text[b->size] = '\0';
    return true;
}

static inline const char *rewritten(const tn_json_tree *tree)
{
    static buffer out;
    out.size = 0;
    out.text[0] = '\0';
    CHECK(tn_json_tree_rewrite(tree, take, &out));
    return out.text;
}

static inline const char *written(const tn_json_value *node)
{
    static buffer out;
    out.size = 0;
    tn_json_writer w;
    tn_json_writer_begin(&w, take, &out, 1);
    tn_json_tree_write(node, &w);
    CHECK(tn_json_writer_end(&w));
    return out.text;
}

static inline tn_json_value *number(tn_json_tree *tree, double v)
{
    return tn_json_tree_make_f64(tree, v);
}

#endif  // TENON_TESTS_TREE_HELP_H
