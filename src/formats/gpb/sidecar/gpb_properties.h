// gpb_properties.h: reads property files.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_SIDECAR_GPB_PROPERTIES_H
#define TN_FORMATS_GPB_SIDECAR_GPB_PROPERTIES_H

#include "core/text/name_tree.h"
#include "formats/gpb/gpb_index.h"

#include <tenon/files.h>

#define GPB_BLOCK_DEPTH 64  // Levels of nesting and of inheritance.

// The children of a block, found by id.
typedef struct gpb_directory {
    uint32_t count;
    const tenon_gpb_properties *const *blocks;
    const tn_named *ids;  // For each block.
    tn_name_tree tree;
} gpb_directory;

// Of one type; all if `type` is NULL. False, with `err` set, if there is no memory.
bool gpb_properties_directory_make(gpb_directory *directory, const tenon_gpb_properties *in,
                                   const char *type, tn_arena *arena, tenon_error *err);

// The first block with that id: index into the blocks, or TENON_NONE.
uint32_t gpb_properties_directory_find(const gpb_directory *directory, tenon_str id);

// A clip of a .animation file.
typedef struct gpb_clip {
    tenon_str name;
    double begin, end, frame_count;  // In frames; NaN if the file has no number.
    tenon_str repeat_count, speed;   // As in the file; data is NULL if it is not set.
    uint32_t line;
} gpb_clip;

// The number that a property has; NaN if it has none.
double gpb_sidecar_number(const tenon_gpb_properties *block, const char *name);

// Read the clip that a block defines, except for its frame_count, which the block above it has.
// Returns false if the block is not a clip.
bool gpb_sidecar_read_clip(const tenon_gpb_properties *block, gpb_clip *clip);

// Call `fn` for every clip of a file, in file order.
typedef void gpb_clip_fn(void *user, const gpb_clip *clip);
void gpb_sidecar_each_clip(const tenon_gpb_properties *file, gpb_clip_fn *fn, void *user);

#endif  // TN_FORMATS_GPB_SIDECAR_GPB_PROPERTIES_H
