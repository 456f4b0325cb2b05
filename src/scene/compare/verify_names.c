// verify_names.c: pairing meshes and clips of two scenes by their names.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/text/name_tree.h"

#include <string.h>

_Static_assert(offsetof(tenon_mesh, name) == 0, "tn_names finds names at the start");
_Static_assert(offsetof(tenon_animation, name) == 0, "tn_names finds names at the start");

static tenon_str behind_bar(tenon_str name)
{
    uint32_t start = name.size;
    while (start > 0 && name.data[start - 1] != '|') start--;
    return (tenon_str){name.data + start, name.size - start};
}

static uint8_t lower(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

uint64_t tn_name_hash(tenon_str name)
{
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a.
    name = behind_bar(name);
    for (uint32_t i = 0; i < name.size; i++) hash = (hash ^ lower(name.data[i])) * 0x100000001b3u;
    return hash;
}

static tenon_str name_at(const tn_names *names, uint32_t index)
{
    tenon_str name;
    memcpy(&name, (const char *)names->first + (size_t)index * names->stride, sizeof name);
    return name;
}

// -- How names can be the same

typedef struct way {
    bool has_only_tail, ignores_case;
} way;

// The closest first: "Run" is rather "Run" than "run".
static const way ways[] = {{false, false}, {true, false}, {true, true}};

#define WAY_COUNT (sizeof ways / sizeof ways[0])

static bool is_same(const way *how, tenon_str a, tenon_str b)
{
    if (how->has_only_tail) a = behind_bar(a), b = behind_bar(b);
    if (a.size != b.size) return false;
    for (uint32_t i = 0; i < a.size; i++)
        if (how->ignores_case ? lower(a.data[i]) != lower(b.data[i]) : a.data[i] != b.data[i])
            return false;
    return true;
}

uint32_t tn_find_name(const tn_names *names, tenon_str name)
{
    for (size_t k = 0; k < WAY_COUNT; k++)
        for (uint32_t i = 0; i < names->count; i++)
            if (is_same(&ways[k], name_at(names, i), name)) return i;
    return TENON_NONE;
}

// What names that are the same in one way have in common. Without memory `room` has failed.
static tenon_str key_of(tn_verify_room *room, const way *how, tenon_str name)
{
    if (how->has_only_tail) name = behind_bar(name);
    if (!how->ignores_case) return name;
    char *text = tn_verify_alloc(room, name.size, 1);
    for (uint32_t i = 0; text && i < name.size; i++) text[i] = (char)lower(name.data[i]);
    return (tenon_str){text, text ? name.size : 0};
}

// -- Pairing

typedef struct entry {
    tn_named named;
    uint32_t first;  // Of those that have this name, or TENON_NONE.
} entry;

// Names that have no partner yet, those that are the same in chains, each in its order.
typedef struct table {
    const tn_names *names;
    const way *how;
    tn_name_tree tree;
    uint32_t *next;
} table;

static bool fill_table(tn_verify_room *room, const bool *is_taken, table *t)
{
    uint32_t count = t->names->count;
    entry *entries = tn_verify_alloc(room, count, sizeof *entries);
    t->next = tn_verify_alloc(room, count, sizeof *t->next);
    for (uint32_t i = count; !room->failed && i-- > 0;) {
        if (is_taken[i]) continue;
        entries[i] =
            (entry){.named.name = key_of(room, t->how, name_at(t->names, i)), .first = TENON_NONE};
        entry *found = (entry *)tn_name_enter(&t->tree, &entries[i].named);
        t->next[i] = found->first;
        found->first = i;
    }
    return !room->failed;
}

// The first name that is the same, which is taken out; TENON_NONE if there is none, or no name.
static uint32_t take(tn_verify_room *room, table *t, tenon_str name)
{
    if (behind_bar(name).size == 0) return TENON_NONE;
    entry *found = (entry *)tn_name_find(&t->tree, key_of(room, t->how, name));
    uint32_t first = found ? found->first : TENON_NONE;
    if (first != TENON_NONE) found->first = t->next[first];
    return first;
}

static bool pair_by_name(tn_verify_room *room, const tn_names *a, const tn_names *b, const way *how,
                         bool *is_taken, uint32_t *partners)
{
    table t = {.names = b, .how = how};
    tn_mark mark = tn_arena_mark(&room->arena);
    if (!fill_table(room, is_taken, &t)) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (partners[i] != TENON_NONE) continue;
        partners[i] = take(room, &t, name_at(a, i));
        if (partners[i] != TENON_NONE) is_taken[partners[i]] = true;
    }
    tn_arena_rewind(&room->arena, mark);
    return !room->failed;
}

// What is left over, in order; or only the names of `a` that are none and so say nothing.
static void pair_by_order(uint32_t *partners, const tn_names *a, const bool *is_taken,
                          uint32_t b_count, bool only_nameless)
{
    uint32_t b = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        bool has_name = behind_bar(name_at(a, i)).size > 0;
        if (partners[i] != TENON_NONE || (only_nameless && has_name)) continue;
        while (b < b_count && is_taken[b]) b++;
        if (b == b_count) return;
        partners[i] = b++;
    }
}

bool tn_pair_names(tn_verify_room *room, const tn_names *a, const tn_names *b,
                   bool only_equal_counts, uint32_t *partners)
{
    tn_mark mark = tn_arena_mark(&room->arena);
    bool *is_taken = tn_verify_alloc(room, b->count, sizeof *is_taken);
    if (!is_taken) return false;
    for (uint32_t i = 0; i < a->count; i++) partners[i] = TENON_NONE;
    for (size_t k = 0; k < WAY_COUNT; k++)
        if (!pair_by_name(room, a, b, &ways[k], is_taken, partners)) return false;
    bool only_nameless = only_equal_counts && a->count != b->count;
    pair_by_order(partners, a, is_taken, b->count, only_nameless);
    tn_arena_rewind(&room->arena, mark);
    return true;
}
