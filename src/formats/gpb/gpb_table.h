// gpb_table.h: changing the reference table of a bundle without losing track of its objects.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_TABLE_H
#define TN_FORMATS_GPB_GPB_TABLE_H

#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"

#include <tenon/gpb.h>

// An id of the table.
typedef struct gpb_name {
    tn_named named;
    uint32_t users;  // References that have it.
    uint32_t next;   // What to append when it is taken and another one like it is wanted.
} gpb_name;

// A table being changed. Objects have the index of their reference, which stays good until
// gpb_table_end().
typedef struct gpb_table {
    tenon_gpb *doc;
    tn_arena *arena;
    tenon_error *err;
    bool is_sorted;  // As the encoder leaves it; it will be so again.
    bool failed;     // Out of memory: `err` says so.
    uint32_t room;   // For references.
    bool *dropped;   // By reference.
    tn_name_tree names;
} gpb_table;

// At most `more` references will be added.
gpb_table gpb_table_begin(tenon_gpb *doc, tn_arena *arena, uint32_t more, tenon_error *err);

// Add a reference, and return its index. Its id is `id`, or as much like it as is free.
// TENON_NONE if there is no memory.
uint32_t gpb_table_add(gpb_table *table, tenon_str id, uint32_t type);

// Whether an id can be one of the table: it is not empty, and nothing has it.
bool gpb_table_has_room_for(const gpb_table *table, tenon_str id);

void gpb_table_drop(gpb_table *table, uint32_t reference);

// Put the table in order, and give every object its new index. False if there was no memory.
bool gpb_table_end(gpb_table *table);

#endif  // TN_FORMATS_GPB_GPB_TABLE_H
