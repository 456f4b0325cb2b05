// convert_materials.h: the .material files of several bundles made one.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_MATERIALS_H
#define TENON_CLI_CONVERT_MATERIALS_H

#include "input/model.h"

// What is known so far. Zero is nothing; has to be freed in any case.
typedef struct merged_materials {
    char *text;  // The file that results; NULL: there is none.
    size_t size;
    struct material_block *blocks;  // Of it, by their names.
    uint32_t block_count;
    char **names;  // That documents were given.
    uint32_t name_count;
} merged_materials;

// Add the file beside a bundle, if there is one that can be read; that of the first one stays as it
// is. A block of a name that another one has gets a new name, there and in the document; *renamed
// is how many did. False, with `err` set, without memory.
bool materials_add(merged_materials *all, const model *m, bool *is_added, uint64_t *renamed,
                   tenon_error *err);

void materials_free(merged_materials *all);

#endif  // TENON_CLI_CONVERT_MATERIALS_H
