// verify_names.c: pairs meshes and clips of two scenes by their names.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "core/text/name_tree.h"

#include <string.h>

_Static_assert(offsetof(tenon_mesh, name) == 0, "tn_name_list finds names at the start");
_Static_assert(offsetof(tenon_animation, name) == 0, "tn_name_list finds names at the start");

// -- Equivalent names

// In which way names are equivalent. The closest comes first: "Run" is rather "Run" than "run".
typedef struct name_rule {
    bool ignores_prefix, ignores_case;
} name_rule;

static const name_rule name_rules[] = {{false, false}, {true, false}, {true, true}};

#define NAME_RULE_COUNT (sizeof name_rules / sizeof name_rules[0])

static tenon_str verify_names_without_prefix(tenon_str name)
{
    uint32_t start = name.size;
    while (start > 0 && name.data[start - 1] != '|') start--;
    return (tenon_str){name.data + start, name.size - start};
}

static uint8_t verify_names_lower(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static tenon_str verify_name_at(const tn_name_list *names, uint32_t index)
{
    tenon_str name;
    memcpy(&name, (const char *)names->first + (size_t)index * names->stride, sizeof name);
    return name;
}

uint64_t tn_name_hash(tenon_str name)
{
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a.
    name = verify_names_without_prefix(name);
    for (uint32_t i = 0; i < name.size; i++)
        hash = (hash ^ verify_names_lower(name.data[i])) * 0x100000001b3u;
    return hash;
}

static bool verify_names_are_equivalent(const name_rule *rule, tenon_str a, tenon_str b)
{
    if (rule->ignores_prefix)
        a = verify_names_without_prefix(a), b = verify_names_without_prefix(b);
    if (a.size != b.size) return false;
    for (uint32_t i = 0; i < a.size; i++)
        if (rule->ignores_case ? verify_names_lower(a.data[i]) != verify_names_lower(b.data[i])
                               : a.data[i] != b.data[i])
            return false;
    return true;
}

uint32_t tn_find_name(const tn_name_list *names, tenon_str name)
{
    for (size_t k = 0; k < NAME_RULE_COUNT; k++)
        for (uint32_t i = 0; i < names->count; i++)
            if (verify_names_are_equivalent(&name_rules[k], verify_name_at(names, i), name))
                return i;
    return TENON_NONE;
}

// -- Pairing

typedef struct name_entry {
    tn_named named;
    uint32_t first;  // First index that has this name, or TENON_NONE.
} name_entry;

// A text that is equal for equivalent names. Without memory `context` has failed.
static tenon_str verify_name_key(tn_match_context *context, const name_rule *rule, tenon_str name)
{
    if (rule->ignores_prefix) name = verify_names_without_prefix(name);
    if (!rule->ignores_case) return name;
    char *text = tn_match_alloc(context, name.size, 1);
    for (uint32_t i = 0; text && i < name.size; i++)
        text[i] = (char)verify_names_lower(name.data[i]);
    return (tenon_str){text, text ? name.size : 0};
}

static bool verify_pair_by_name(tn_match_context *context, const tn_name_list *a,
                                const tn_name_list *b, const name_rule *rule, bool *is_taken,
                                uint32_t *partners)
{
    tn_name_tree tree = {0};
    tn_mark mark = tn_arena_mark(&context->arena);
    name_entry *entries = tn_match_alloc(context, b->count, sizeof *entries);
    uint32_t *next = tn_match_alloc(context, b->count, sizeof *next);
    for (uint32_t i = b->count; !context->failed && i-- > 0;) {
        if (is_taken[i]) continue;
        entries[i] =
            (name_entry){.named.name = verify_name_key(context, rule, verify_name_at(b, i)),
                         .first = TENON_NONE};
        name_entry *found = (name_entry *)tn_name_enter(&tree, &entries[i].named);
        next[i] = found->first;
        found->first = i;
    }
    if (context->failed) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        tenon_str name = verify_name_at(a, i);
        if (partners[i] != TENON_NONE || verify_names_without_prefix(name).size == 0) continue;
        name_entry *found = (name_entry *)tn_name_find(&tree, verify_name_key(context, rule, name));
        if (!found || found->first == TENON_NONE) continue;
        partners[i] = found->first;
        is_taken[found->first] = true;
        found->first = next[found->first];
    }
    tn_arena_rewind(&context->arena, mark);
    return !context->failed;
}

bool tn_pair_names(tn_match_context *context, const tn_name_list *a, const tn_name_list *b,
                   bool only_equal_counts, uint32_t *partners)
{
    tn_mark mark = tn_arena_mark(&context->arena);
    bool *is_taken = tn_match_alloc(context, b->count, sizeof *is_taken);
    if (!is_taken) return false;
    for (uint32_t i = 0; i < a->count; i++) partners[i] = TENON_NONE;
    for (size_t k = 0; k < NAME_RULE_COUNT; k++)
        if (!verify_pair_by_name(context, a, b, &name_rules[k], is_taken, partners)) return false;
    bool only_empty_names = only_equal_counts && a->count != b->count;
    for (uint32_t i = 0, next = 0; i < a->count; i++) {
        bool has_name = verify_names_without_prefix(verify_name_at(a, i)).size > 0;
        if (partners[i] != TENON_NONE || (only_empty_names && has_name)) continue;
        while (next < b->count && is_taken[next]) next++;
        if (next == b->count) break;
        partners[i] = next++;
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}
