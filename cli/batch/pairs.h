// pairs.h: what a command compares: two models, or those of two folders with the same names.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PAIRS_H
#define TENON_CLI_PAIRS_H

#include "batch/each_file.h"
#include "input/inputs.h"

typedef struct model_pair {
    const char *files[2];  // NULL: the folder has none.
    const char *name;      // Below the folder.
} model_pair;

typedef struct model_pairs {
    model_pair *list;
    uint32_t count;
    char **names;   // Of the pairs, for messages.
    bool are_many;  // Of two folders.

    // Private.
    inputs sides[2];
} model_pairs;

// The two operands of a command, or the pairs in them if both are folders: models with the same
// path below them, else with the same but for the extension. Returns CLI_GO_ON, or the exit status
// after an error was reported. Call pairs_free() in any case.
int pairs_find(model_pairs *pairs, const cli_command *command, const cli_common *common,
               summary *skipped);

void pairs_free(model_pairs *pairs);

// Compare all pairs: `compare` is called for those of which both files exist, as in each_file.
// `equal` is what the summary calls those for which it returns CLI_OK. Returns the exit status.
int pairs_run(const model_pairs *pairs, const cli_common *common,
              int (*compare)(void *user, const model_pair *pair, char why[EACH_WHY_SIZE]),
              void *user, const char *equal, summary *totals);

#endif  // TENON_CLI_PAIRS_H
