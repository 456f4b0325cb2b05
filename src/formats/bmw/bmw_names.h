// bmw_names.h: names of nodes and of the files that a model refers to.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_BMW_NAMES_H
#define TN_FORMATS_BMW_BMW_NAMES_H

#include "formats/bmw/bmw_format.h"

#include "core/files/file.h"

// -- Sorted lists of nodes and names

typedef int bmw_compare_fn(const void *a, const void *b);

// Sorted pointers to nodes or names. Equal ones keep the order of the file.
typedef struct bmw_sorted {
    const void **items;
    uint64_t count;
    bmw_compare_fn *compare;
} bmw_sorted;

// Sort by node_id or by the text of the name. `items` is NULL if out of memory.
bmw_sorted bmw_names_by_id(const tenon_bmw_name *names, uint64_t count, tn_arena *arena);
bmw_sorted bmw_names_by_text(const tenon_bmw_name *names, uint64_t count, tn_arena *arena);
bmw_sorted bmw_names_nodes_by_id(const tenon_bmw *doc, tn_arena *arena);

// The index of the first item equal to `key`, an object of the same type; TENON_ABSENT if none is.
uint64_t bmw_names_find(const bmw_sorted *sorted, const void *key);

// -- Files

// Find a file that the model refers to, in the model's folder only. Names are relative to the
// engine's folder of all models, which is unknown, so they may start with the model's own folders.
tn_place bmw_names_find_file(const tn_search *search, tenon_str name);

#endif  // TN_FORMATS_BMW_BMW_NAMES_H
