// bmw_names.h: names of nodes and of the files that a model refers to.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_BMW_NAMES_H
#define TN_FORMATS_BMW_BMW_NAMES_H

#include "formats/bmw/bmw_format.h"

#include "core/files/file.h"

// -- Sorted lists of nodes and names

// Names, or nodes without their names, and their order by node_id or by text. Equal ones keep the
// order of the file.
typedef struct bmw_sorted {
    const tenon_bmw_name *names;
    uint32_t count;
    uint32_t *order;  // Indices into `names`; NULL: out of memory.
    bool is_by_text;
} bmw_sorted;

// `room` is for 2 * `count` numbers; NULL: out of memory.
bmw_sorted bmw_names_sort(const tenon_bmw_name *names, uint32_t count, bool is_by_text,
                          uint32_t *room);
bmw_sorted bmw_names_nodes_by_id(const tenon_bmw *doc, tn_arena *arena);

// Whether the item at that place of the order, which is not the first, is equal to the one before.
bool bmw_names_is_repeated(const bmw_sorted *sorted, uint32_t place);

// The index in `names` of the first item equal to `key`; TENON_NONE if none is.
uint32_t bmw_names_find(const bmw_sorted *sorted, tenon_bmw_name key);

// -- Files

// Find a file that the model refers to, in the model's folder only. Names are relative to the
// engine's folder of all models, which is unknown, so they may start with the model's own folders.
tn_place bmw_names_find_file(const tn_search *search, tenon_str name);

#endif  // TN_FORMATS_BMW_BMW_NAMES_H
