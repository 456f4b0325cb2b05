// inputs.h: the files that a command works on: those that are named, and those in named folders.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_INPUTS_H
#define TENON_CLI_INPUTS_H

#include "input/paths.h"
#include "options/cli.h"
#include "report/summary.h"

// What to look for in folders, besides what the options say.
typedef struct folder_search {
    bool only_models;    // Skip animation files: they are converted with their model.
    const char *output;  // A subfolder that is not searched; may be NULL.
    bool may_be_empty;   // A folder without models is no error.
    const char *ending;  // Take files with this after the name of a model; NULL: models.
    bool wants_stamps;   // Of the files that are found.
} folder_search;

// Where an input comes from.
typedef struct input_place {
    uint32_t name_at;  // Where the path below a folder or of a list begins, which outputs mirror.
    bool is_found;     // It was found in a folder, not named itself.
    tenon_file_id id;  // Zeroed: not known.
    uint64_t stamp;    // See platform_look(); 0: not known.
} input_place;

typedef struct inputs {
    char **files;
    uint32_t count;
    const input_place *places;  // Of the files.
    file_list folders;          // That were searched, and those of files that were named.
    bool are_many;              // A folder or a list is among the operands.

    // Private.
    file_list found;
    input_place *found_places;
    uint32_t room;
} inputs;

// The first `count` operands and what lists of files name, with folders replaced by the readable
// files in them, sorted by name. Other files are counted as skipped. Returns CLI_GO_ON, or the exit
// status after an error was reported. Call inputs_free() in any case.
int inputs_find(inputs *in, const cli_common *common, uint32_t count, const folder_search *search,
                summary *skipped);

void inputs_free(inputs *in);

#endif  // TENON_CLI_INPUTS_H
