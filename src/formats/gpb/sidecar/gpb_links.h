// gpb_links.h: reads other bundles that a bundle names as "file#id". See gpb_sidecar.c.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H
#define TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H

#include "formats/formats.h"
#include "formats/gpb/gpb_index.h"

#define GPB_LINKS_MOST 64  // Other bundles that are read at most.

// Another bundle.
typedef struct gpb_link {
    tenon_str file;  // As in the xref.
    tenon_doc *doc;  // NULL if it cannot be read.
    char why[160];   // Why it cannot be read.
    gpb_index index;
    bool *is_wanted;  // For each root of its tree: the tree is in use. NULL if none is.
} gpb_link;

// The other bundles read so far. The caller sets the first four fields; the others start as zeros.
typedef struct gpb_links {
    const char *model_path;  // NULL if it is unknown; then nothing is found.
    const tenon_files *files;
    const tenon_allocator *allocator;
    tn_arena *arena;  // For the indices.
    uint32_t count;
    gpb_link items[GPB_LINKS_MOST];
} gpb_links;

// The bundle with that name, which must be in the folder of the model or below it. NULL, with `err`
// set, if memory or files fail; NULL with TENON_OK if there are too many bundles.
gpb_link *gpb_follow_link(gpb_links *links, tenon_str file, tenon_error *err);

// The block of that kind, or the node of the tree, that "file#id" names in a bundle; TENON_NONE if
// it does not exist.
uint32_t gpb_find_linked(const gpb_link *link, tenon_str xref, uint32_t kind);

void gpb_links_free(gpb_links *links);

#endif  // TN_FORMATS_GPB_SIDECAR_GPB_LINKS_H
