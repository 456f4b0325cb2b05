// convert_materials.h: merges the .material files of several bundles into one.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_MATERIALS_H
#define TENON_CLI_CONVERT_MATERIALS_H

#include "input/model.h"

// The result so far. Zeroed is empty. Call materials_free() in any case.
typedef struct merged_materials {
    char *text;  // Of the merged file; NULL: there is none.
    size_t size;
    struct material_block *blocks;  // Of the text, sorted by name.
    uint32_t block_count;
    char **names;  // New names that documents point to.
    uint32_t name_count;
} merged_materials;

// Whether a sidecar is a .material file, by its extension.
bool materials_is_file(const char *path);

// Add the .material file of a bundle, if it has one that can be read. The text of the first one
// stays as it is. A block whose name is taken by another block is renamed, in the text and in the
// document; *renamed_count is how many were. False, with `err` set, if memory ran out.
bool materials_add(merged_materials *merged, const model *bundle, bool *is_added,
                   uint64_t *renamed_count, tenon_error *err);

void materials_free(merged_materials *merged);

#endif  // TENON_CLI_CONVERT_MATERIALS_H
