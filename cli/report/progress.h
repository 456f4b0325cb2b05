// progress.h: progress of long operations, on a terminal.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PROGRESS_H
#define TENON_CLI_PROGRESS_H

#include "options/cli.h"

typedef struct progress {
    const char *verb, *file;
    bool is_wanted, is_shown;
    uint64_t mark;       // What was shown last.
    tenon_events inner;  // Who gets the losses.
} progress;

// Events that show a line on standard error if that is a terminal and the file is large.
tenon_events progress_begin(progress *p, const cli_common *opts, const char *verb,
                            const char *file);

// The same, and losses are reported to `losses`, which may have no callback.
tenon_events progress_begin_with_losses(progress *p, const cli_common *opts, const char *verb,
                                        const char *file, const tenon_events *losses);

// Erase the line.
void progress_end(progress *p);

#endif  // TENON_CLI_PROGRESS_H
