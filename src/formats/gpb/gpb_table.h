// gpb_table.h: edits the reference table of a bundle and keeps the indices of its objects valid.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_TABLE_H
#define TN_FORMATS_GPB_GPB_TABLE_H

#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"
#include "formats/gpb/gpb_index.h"

#include <tenon/gpb.h>

// An id of the table.
typedef struct gpb_table_id {
    tn_named named;
    uint32_t users;  // References with this id.
    uint32_t next;   // The next number to append to make a unique id.
} gpb_table_id;

// A table that is being edited. Indices of references stay valid until gpb_table_end().
typedef struct gpb_table {
    tenon_gpb *doc;
    tn_arena *arena;
    tenon_error *err;
    bool is_sorted;  // The table is sorted, as encoders write it, and stays so.
    bool failed;     // `err` is set.
    uint32_t room;   // Allocated references.
    bool *dropped;   // For each reference.
    tn_name_tree names;
} gpb_table;

// At most `more` references will be added.
gpb_table gpb_table_begin(tenon_gpb *doc, tn_arena *arena, uint32_t more, tenon_error *err);

// Add a reference and return its index. If `id` is taken, a number is appended. TENON_NONE if there
// is no memory.
uint32_t gpb_table_add(gpb_table *table, tenon_str id, uint32_t type);

// Whether an id can be added: it is not empty and not taken.
bool gpb_table_can_add(const gpb_table *table, tenon_str id);

void gpb_table_drop(gpb_table *table, uint32_t reference);

// Sort the table if it was sorted, and give every object its new index. False if there is no
// memory.
bool gpb_table_end(gpb_table *table);

// Give every object its new index: `numbers` has it for each of `count` references, or TENON_NONE.
void gpb_table_renumber(tenon_gpb *doc, const gpb_tree *tree, const uint32_t *numbers,
                        uint32_t count);

#endif  // TN_FORMATS_GPB_GPB_TABLE_H
