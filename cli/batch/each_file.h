// each_file.h: a command's work on each of its files, in several threads, with a summary.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_EACH_FILE_H
#define TENON_CLI_EACH_FILE_H

#include "options/cli.h"
#include "report/summary.h"

#define EACH_WHY_SIZE 320

typedef struct each_file {
    const cli_common *common;
    char *const *names;  // Of the files, for messages.
    uint32_t count;
    bool is_in_order;  // A file may depend on those before it: one thread does all.
    void *user;
    // Work on file `index`, in any thread; what is printed appears in the order of the files.
    // Returns its exit status; if that is not CLI_OK, `why` says why, for the summary.
    int (*run)(void *user, uint32_t index, char why[EACH_WHY_SIZE]);
} each_file;

// Work on all files, or with '--fail-fast' until one fails, and count them. Returns the highest of
// their statuses.
int each_file_run(const each_file *work, summary *totals);

#endif  // TENON_CLI_EACH_FILE_H
