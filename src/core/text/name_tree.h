// name_tree.h: a set of names whose search time does not depend on how the names were chosen.
// SPDX-License-Identifier: MIT
//
// A hash table is faster, but a file can be made whose names all have the same hash. In this tree
// (Morrison's PATRICIA) a search takes at most one step for each bit of the name.

#ifndef TN_CORE_TEXT_NAME_TREE_H
#define TN_CORE_TEXT_NAME_TREE_H

#include <tenon/tenon.h>

#include "core/math/floating_point.h"
#include "core/memory/arena.h"

// A name in a tree. The caller owns the structs that begin with one, and must not move them.
typedef struct tn_named {
    tenon_str name;
    uint64_t bit;  // Private, as is the rest: the first in which it differs from those above it.
    struct tn_named *next[2];  // Downwards; upwards, to a bit that is not higher, it is found.
} tn_named;

// Zero is empty.
typedef struct tn_name_tree {
    tn_named *top;
} tn_name_tree;

// The entry of a name, or NULL.
tn_named *tn_name_find(const tn_name_tree *tree, tenon_str name);

// The entry of the name that `fresh` has: `fresh` itself, if there was none, and then it is part of
// the tree.
tn_named *tn_name_enter(tn_name_tree *tree, tn_named *fresh);

// Names with numbers: each new one gets the next.
typedef struct tn_name_list {
    tn_named *items;
    uint32_t count, room;
    tn_name_tree tree;
} tn_name_list;

// Start an empty list with room for so many names. False, with `err` set unless it is NULL, if
// there is no memory for `what`.
bool tn_name_list_begin(tn_name_list *list, uint32_t room, tn_arena *arena, const char *what,
                        tenon_error *err);

// The number of a name, which is added if it is new. If there is no room, that of the last one.
uint32_t tn_name_list_add(tn_name_list *list, tenon_str name);

// The number of a name; TENON_NONE if it is not in the list.
uint32_t tn_name_list_find(const tn_name_list *list, tenon_str name);

#endif  // TN_CORE_TEXT_NAME_TREE_H
