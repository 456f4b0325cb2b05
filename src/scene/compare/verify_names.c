// verify_names.c: pairing meshes and clips of two scenes by their names.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/text/name_tree.h"

#include <string.h>

_Static_assert(offsetof(tenon_mesh, name) == 0, "tn_name_list finds names at the start");
_Static_assert(offsetof(tenon_animation, name) == 0, "tn_name_list finds names at the start");

static tenon_str without_prefix(tenon_str name)
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
    name = without_prefix(name);
    for (uint32_t i = 0; i < name.size; i++) hash = (hash ^ lower(name.data[i])) * 0x100000001b3u;
    return hash;
}

static tenon_str name_at(const tn_name_list *names, uint32_t index)
{
    tenon_str name;
    memcpy(&name, (const char *)names->first + (size_t)index * names->stride, sizeof name);
    return name;
}

// -- How names can be the same

typedef struct name_rule {
    bool ignores_prefix, ignores_case;
} name_rule;

// The closest first: "Run" is rather "Run" than "run".
static const name_rule name_rules[] = {{false, false}, {true, false}, {true, true}};

#define NAME_RULE_COUNT (sizeof name_rules / sizeof name_rules[0])

static bool is_same(const name_rule *rule, tenon_str a, tenon_str b)
{
    if (rule->ignores_prefix) a = without_prefix(a), b = without_prefix(b);
    if (a.size != b.size) return false;
    for (uint32_t i = 0; i < a.size; i++)
        if (rule->ignores_case ? lower(a.data[i]) != lower(b.data[i]) : a.data[i] != b.data[i])
            return false;
    return true;
}

uint32_t tn_find_name(const tn_name_list *names, tenon_str name)
{
    for (size_t k = 0; k < NAME_RULE_COUNT; k++)
        for (uint32_t i = 0; i < names->count; i++)
            if (is_same(&name_rules[k], name_at(names, i), name)) return i;
    return TENON_NONE;
}

// What names that are the same in one way have in common. Without memory `context` has failed.
static tenon_str key_of(tn_verify_context *context, const name_rule *rule, tenon_str name)
{
    if (rule->ignores_prefix) name = without_prefix(name);
    if (!rule->ignores_case) return name;
    char *text = tn_verify_alloc(context, name.size, 1);
    for (uint32_t i = 0; text && i < name.size; i++) text[i] = (char)lower(name.data[i]);
    return (tenon_str){text, text ? name.size : 0};
}

// -- Pairing

typedef struct name_entry {
    tn_named named;
    uint32_t first;  // Of those that have this name, or TENON_NONE.
} name_entry;

// Names that have no partner yet, those that are the same in chains, each in its order.
typedef struct name_index {
    const tn_name_list *names;
    const name_rule *rule;
    tn_name_tree tree;
    uint32_t *next;
} name_index;

static bool index_names(tn_verify_context *context, const bool *is_taken, name_index *index)
{
    uint32_t count = index->names->count;
    name_entry *entries = tn_verify_alloc(context, count, sizeof *entries);
    index->next = tn_verify_alloc(context, count, sizeof *index->next);
    for (uint32_t i = count; !context->failed && i-- > 0;) {
        if (is_taken[i]) continue;
        entries[i] =
            (name_entry){.named.name = key_of(context, index->rule, name_at(index->names, i)),
                         .first = TENON_NONE};
        name_entry *found = (name_entry *)tn_name_enter(&index->tree, &entries[i].named);
        index->next[i] = found->first;
        found->first = i;
    }
    return !context->failed;
}

// The first name that is the same, which is taken out; TENON_NONE if there is none, or no name.
static uint32_t take(tn_verify_context *context, name_index *index, tenon_str name)
{
    if (without_prefix(name).size == 0) return TENON_NONE;
    name_entry *found =
        (name_entry *)tn_name_find(&index->tree, key_of(context, index->rule, name));
    uint32_t first = found ? found->first : TENON_NONE;
    if (first != TENON_NONE) found->first = index->next[first];
    return first;
}

static bool pair_by_name(tn_verify_context *context, const tn_name_list *a, const tn_name_list *b,
                         const name_rule *rule, bool *is_taken, uint32_t *partners)
{
    name_index index = {.names = b, .rule = rule};
    tn_mark mark = tn_arena_mark(&context->arena);
    if (!index_names(context, is_taken, &index)) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (partners[i] != TENON_NONE) continue;
        partners[i] = take(context, &index, name_at(a, i));
        if (partners[i] != TENON_NONE) is_taken[partners[i]] = true;
    }
    tn_arena_rewind(&context->arena, mark);
    return !context->failed;
}

// What is left over, in order; or only the names of `a` that are none and so say nothing.
static void pair_by_order(uint32_t *partners, const tn_name_list *a, const bool *is_taken,
                          uint32_t b_count, bool only_nameless)
{
    uint32_t b = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        bool has_name = without_prefix(name_at(a, i)).size > 0;
        if (partners[i] != TENON_NONE || (only_nameless && has_name)) continue;
        while (b < b_count && is_taken[b]) b++;
        if (b == b_count) return;
        partners[i] = b++;
    }
}

bool tn_pair_names(tn_verify_context *context, const tn_name_list *a, const tn_name_list *b,
                   bool only_equal_counts, uint32_t *partners)
{
    tn_mark mark = tn_arena_mark(&context->arena);
    bool *is_taken = tn_verify_alloc(context, b->count, sizeof *is_taken);
    if (!is_taken) return false;
    for (uint32_t i = 0; i < a->count; i++) partners[i] = TENON_NONE;
    for (size_t k = 0; k < NAME_RULE_COUNT; k++)
        if (!pair_by_name(context, a, b, &name_rules[k], is_taken, partners)) return false;
    bool only_nameless = only_equal_counts && a->count != b->count;
    pair_by_order(partners, a, is_taken, b->count, only_nameless);
    tn_arena_rewind(&context->arena, mark);
    return true;
}
