// inputs.h: the files that a command works on: those that are named, and those in named folders.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_INPUTS_H
#define TENON_CLI_INPUTS_H

#include "input/paths.h"
#include "options/cli.h"
#include "report/summary.h"

// What to look for in folders.
typedef struct folder_search {
    bool recursive;      // Also search subfolders.
    bool only_models;    // Skip animation files: they are converted with their model.
    const char *output;  // A subfolder that is not searched; may be NULL.
} folder_search;

typedef struct inputs {
    char **files;
    uint32_t count;
    bool has_folder;         // A folder is among the operands; only then are these used:
    file_list found;         // the files,
    uint32_t *folder_sizes;  // and how many bytes of each are the folder's path; 0: it was named.
    uint32_t room;
} inputs;

// Replace folders among `operands` by the readable files in them, sorted by name. Other files are
// counted as skipped. Returns CLI_GO_ON, or the exit status after an error was reported. Call
// inputs_free() in any case.
int inputs_find(inputs *in, char **operands, uint32_t count, const folder_search *search,
                summary *skipped);

void inputs_free(inputs *in);

#endif  // TENON_CLI_INPUTS_H
