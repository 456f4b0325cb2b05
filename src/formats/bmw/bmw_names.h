// bmw_names.h: names of nodes, across files, and of files, as the engine looks for them.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_BMW_NAMES_H
#define TN_FORMATS_BMW_BMW_NAMES_H

#include "formats/bmw/bmw_format.h"

#include "core/files/file.h"

// -- Sorted lists of nodes and names

typedef int bmw_compare_fn(const void *a, const void *b);

// Pointers to nodes or names, sorted; of equals, the first in the file comes first.
typedef struct bmw_sorted {
    const void **items;
    uint64_t count;
    bmw_compare_fn *compare;
} bmw_sorted;

// By node_id, or by the text of the name. NULL items if there is no memory.
bmw_sorted bmw_names_by_id(const tenon_bmw_name *names, uint64_t count, tn_arena *arena);
bmw_sorted bmw_names_by_text(const tenon_bmw_name *names, uint64_t count, tn_arena *arena);
bmw_sorted bmw_nodes_by_id(const tenon_bmw *doc, tn_arena *arena);

// The index of the first item equal to `key`, an object of the same type; TENON_ABSENT: none is.
uint64_t bmw_find(const bmw_sorted *sorted, const void *key);

// -- Files that a model names

// Look for a file that the model names, in the model's folder only. The engine starts from the
// folder of all models, which is unknown: the name may begin with the folders that the model is in.
tn_place bmw_look_for(const tn_search *search, tenon_str name);

#endif  // TN_FORMATS_BMW_BMW_NAMES_H
