// gpb_links.h: other bundles that a bundle names by "file#id".
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H
#define TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H

#include "formats/formats.h"
#include "formats/gpb/gpb_index.h"

#define GPB_LINKS_MOST 64  // Other bundles that are read for one.

// Another bundle.
typedef struct gpb_link {
    tenon_str file;  // As the xref has it.
    tenon_doc *doc;  // NULL: it cannot be read.
    char why[160];   // If it cannot.
    gpb_index index;
    bool *is_wanted;  // By leaf, of roots: the tree is taken in. NULL: none is.
} gpb_link;

// All that were looked for so far. Zero but for the first four.
typedef struct gpb_links {
    const char *model_path;  // NULL: nobody knows where the bundle is, so that nothing is found.
    const tenon_files *files;
    const tenon_allocator *allocator;
    tn_arena *arena;  // For the indices.
    uint32_t count;
    gpb_link items[GPB_LINKS_MOST];
} gpb_links;

// The bundle of that name, which must be in the folder of the model or below it. NULL, with `err`
// set, if the machine failed; NULL with TENON_OK if there are too many.
gpb_link *gpb_follow_link(gpb_links *links, tenon_str file, tenon_error *err);

// The block of that kind, or the leaf of a node, that "file#id" names in a bundle; TENON_NONE.
uint32_t gpb_find_linked(const gpb_link *link, tenon_str xref, uint32_t kind);

void gpb_links_free(gpb_links *links);

#endif  // TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H
