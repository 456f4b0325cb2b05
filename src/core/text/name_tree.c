// name_tree.c: a set of names whose search time does not depend on how the names were chosen.
// SPDX-License-Identifier: MIT

#include "core/text/name_tree.h"

#include "core/text/text.h"

#include <string.h>

// -- Bits: number 0 is 0 for all names, then comes the size, so that no name is the start of
// another, then the text.

#define SIZE_BITS 32u

static unsigned name_tree_bit_at(tenon_str name, uint64_t bit)
{
    if (bit == 0) return 0;
    if (bit <= SIZE_BITS) return name.size >> (SIZE_BITS - bit) & 1;
    uint64_t at = bit - SIZE_BITS - 1;
    if (at / 8 >= name.size) return 0;
    return (unsigned)(uint8_t)name.data[at / 8] >> (7 - at % 8) & 1;
}

// The first bit in which two names differ, which they do.
static uint64_t name_tree_first_difference(tenon_str a, tenon_str b)
{
    uint64_t bit = 1;
    if (a.size == b.size) {
        uint64_t byte = 0;
        while (a.data[byte] == b.data[byte]) byte++;
        bit += SIZE_BITS + 8 * byte;
    }
    while (name_tree_bit_at(a, bit) == name_tree_bit_at(b, bit)) bit++;
    return bit;
}

// -- Search

// Two entries, one above the other.
typedef struct step {
    tn_named *above, *below;
} step;

// From the top to the last entry whose bit is below `end`.
static step name_tree_descend(const tn_name_tree *tree, tenon_str name, uint64_t end)
{
    step s = {tree->top, tree->top->next[0]};
    while (s.below->bit > s.above->bit && s.below->bit < end)
        s = (step){s.below, s.below->next[name_tree_bit_at(name, s.below->bit)]};
    return s;
}

tn_named *tn_name_find(const tn_name_tree *tree, tenon_str name)
{
    if (!tree->top) return NULL;
    tn_named *found = name_tree_descend(tree, name, UINT64_MAX).below;
    return tn_text_equal(found->name, name) ? found : NULL;
}

tn_named *tn_name_enter(tn_name_tree *tree, tn_named *fresh)
{
    tenon_str name = fresh->name;
    if (!tree->top) {
        fresh->bit = 0;
        fresh->next[0] = fresh;
        return tree->top = fresh;
    }
    tn_named *nearest = name_tree_descend(tree, name, UINT64_MAX).below;
    if (tn_text_equal(nearest->name, name)) return nearest;
    fresh->bit = name_tree_first_difference(nearest->name, name);
    step s = name_tree_descend(tree, name, fresh->bit);
    unsigned side = name_tree_bit_at(name, fresh->bit);
    fresh->next[side] = fresh;
    fresh->next[!side] = s.below;
    s.above->next[name_tree_bit_at(name, s.above->bit)] = fresh;
    return fresh;
}

// -- Lists

bool tn_name_list_begin(tn_name_list *list, uint32_t room, tn_arena *arena, const char *what,
                        tenon_error *err)
{
    *list = (tn_name_list){.room = room};
    list->items = tn_arena_alloc_or_fail(arena, room, sizeof *list->items, what, err);
    return list->items != NULL;
}

uint32_t tn_name_list_add(tn_name_list *list, tenon_str name)
{
    uint32_t number = tn_name_list_find(list, name);
    if (number != TENON_NONE) return number;
    if (list->count == list->room) return list->count - 1;
    list->items[list->count].name = name;
    (void)tn_name_enter(&list->tree, &list->items[list->count]);
    return list->count++;
}

uint32_t tn_name_list_find(const tn_name_list *list, tenon_str name)
{
    const tn_named *found = tn_name_find(&list->tree, name);
    return found ? (uint32_t)(found - list->items) : TENON_NONE;
}
