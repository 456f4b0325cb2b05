// inputs.h: the files that a command works on: those that are named, and those in named folders.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_INPUTS_H
#define TENON_CLI_INPUTS_H

#include "convert/convert_folder.h"
#include "options/cli.h"
#include "report/summary.h"

// What to look for in folders.
typedef struct folder_search {
    bool recursive;      // Also in the folders below.
    bool only_models;    // Animations in files of their own belong to a model.
    const char *output;  // A folder that is not searched if it is below another; may be NULL.
} folder_search;

typedef struct inputs {
    char **files;
    uint32_t count;
    bool has_folder;         // A folder is among the operands:
    file_list found;         // these are the files then,
    uint32_t *folder_sizes;  // and the bytes of each that are the folder's path; 0: it was named.
    uint32_t room;
} inputs;

// Replace folders among `operands` by the files in them that can be read, in the order of their
// names. What is not taken is counted as skipped. Returns CLI_GO_ON, or the exit status after an
// error was reported. Has to be freed in any case.
int inputs_find(inputs *in, char **operands, uint32_t count, const folder_search *search,
                summary *skipped);

void inputs_free(inputs *in);

#endif  // TENON_CLI_INPUTS_H
