// progress.h: how far long work has come, on a terminal.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PROGRESS_H
#define TENON_CLI_PROGRESS_H

#include "options/cli.h"

typedef struct progress {
    const char *verb, *file;
    bool is_shown;
    uint64_t mark;  // What was shown last.
} progress;

// A callback that shows a line on standard error if that is a terminal and there is much to do.
tenon_progress progress_begin(progress *p, const cli_common *opts, const char *verb,
                              const char *file);

// Take the line away again.
void progress_end(progress *p);

#endif  // TENON_CLI_PROGRESS_H
