// gpb_sidecar.h: property files, and other bundles that a bundle names.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_SIDECAR_GPB_SIDECAR_H
#define TN_FORMATS_GPB_SIDECAR_GPB_SIDECAR_H

#include "core/text/name_tree.h"
#include "formats/formats.h"
#include "formats/gpb/gpb_index.h"

#include <tenon/files.h>

#define GPB_BLOCK_DEPTH 64  // Levels of nesting and of inheritance.

// The children of a block, found by id.
typedef struct gpb_directory {
    const tenon_gpb_properties **blocks;  // The first one with each id.
    tn_name_list ids;
} gpb_directory;

// Of one type; all if `type` is NULL. False, with `err` set, if there is no memory.
bool gpb_directory_make(gpb_directory *directory, const tenon_gpb_properties *in, const char *type,
                        tn_arena *arena, tenon_error *err);

// -- Clips

// A clip of a .animation file.
typedef struct gpb_clip {
    const tenon_gpb_properties *animation,
        *block;                      // Where it is defined: the id of `block` is its name.
    double begin, end, frame_count;  // In frames; NaN if the file has no number.
    tenon_str repeat_count, speed;   // As in the file; data is NULL if it is not set.
} gpb_clip;

// Go to the next clip of a file; a zeroed one is before the first. False at the end.
bool gpb_next_clip(const tenon_gpb_properties *file, gpb_clip *clip);

// -- Other bundles that a bundle names as "file#id"

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

void gpb_free_links(gpb_links *links);

#endif  // TN_FORMATS_GPB_SIDECAR_GPB_SIDECAR_H
