// verify_names.c: pairing meshes and clips of two scenes by their names.
// SPDX-License-Identifier: MIT

#include "verify.h"

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

bool tn_same_name(tenon_str a, tenon_str b)
{
    a = behind_bar(a);
    b = behind_bar(b);
    if (a.size != b.size) return false;
    for (uint32_t i = 0; i < a.size; i++)
        if (lower(a.data[i]) != lower(b.data[i])) return false;
    return true;
}

// FNV-1a.
static uint64_t hash_of(tenon_str name, bool ignores_case)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < name.size; i++) {
        uint8_t c = ignores_case ? lower(name.data[i]) : (uint8_t)name.data[i];
        hash = (hash ^ c) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

uint64_t tn_name_hash(tenon_str name)
{
    return hash_of(behind_bar(name), true);
}

static tenon_str name_at(const tn_names *names, uint32_t index)
{
    tenon_str name;
    memcpy(&name, (const char *)names->first + (size_t)index * names->stride, sizeof name);
    return name;
}

// -- How names can be the same

static bool same_text(tenon_str a, tenon_str b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static uint64_t text_hash(tenon_str name)
{
    return hash_of(name, false);
}

static bool same_tail(tenon_str a, tenon_str b)
{
    return same_text(behind_bar(a), behind_bar(b));
}

static uint64_t tail_hash(tenon_str name)
{
    return hash_of(behind_bar(name), false);
}

// Each way has its own hash, so that names that are the same in another way only do not make long
// chains.
typedef struct way {
    bool (*is_same)(tenon_str a, tenon_str b);
    uint64_t (*hash)(tenon_str name);
} way;

// The closest first: "Run" is rather "Run" than "run".
static const way ways[] = {
    {same_text, text_hash}, {same_tail, tail_hash}, {tn_same_name, tn_name_hash}};

#define WAY_COUNT (sizeof ways / sizeof ways[0])

uint32_t tn_find_name(const tn_names *names, tenon_str name)
{
    for (size_t k = 0; k < WAY_COUNT; k++)
        for (uint32_t i = 0; i < names->count; i++)
            if (ways[k].is_same(name_at(names, i), name)) return i;
    return TENON_NONE;
}

// -- Pairing

// Names that have no partner yet, in chains of the same hash, each in its order.
typedef struct table {
    const tn_names *names;
    const way *how;
    uint32_t *heads, *next;
    uint64_t mask;
} table;

static bool fill_table(tn_verify_room *room, const bool *is_taken, table *t)
{
    uint64_t size = 1;
    while (size < t->names->count) size *= 2;
    t->mask = size - 1;
    t->heads = tn_verify_alloc(room, size, sizeof *t->heads);
    t->next = tn_verify_alloc(room, t->names->count, sizeof *t->next);
    if (room->failed) return false;
    memset(t->heads, 0xff, (size_t)size * sizeof *t->heads);
    for (uint32_t i = t->names->count; i-- > 0;) {
        if (is_taken[i]) continue;
        uint32_t *head = &t->heads[t->how->hash(name_at(t->names, i)) & t->mask];
        t->next[i] = *head;
        *head = i;
    }
    return true;
}

// The first name that is the same, which is taken out; TENON_NONE if there is none, or no name.
static uint32_t take(table *t, tenon_str name)
{
    if (behind_bar(name).size == 0) return TENON_NONE;
    uint32_t *link = &t->heads[t->how->hash(name) & t->mask];
    while (*link != TENON_NONE && !t->how->is_same(name_at(t->names, *link), name))
        link = &t->next[*link];
    uint32_t found = *link;
    if (found != TENON_NONE) *link = t->next[found];
    return found;
}

static bool pair_by_name(tn_verify_room *room, const tn_names *a, const tn_names *b, const way *how,
                         bool *is_taken, uint32_t *partners)
{
    table t = {.names = b, .how = how};
    tn_mark mark = tn_arena_mark(&room->arena);
    if (!fill_table(room, is_taken, &t)) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (partners[i] != TENON_NONE) continue;
        partners[i] = take(&t, name_at(a, i));
        if (partners[i] != TENON_NONE) is_taken[partners[i]] = true;
    }
    tn_arena_rewind(&room->arena, mark);
    return true;
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
