// summary.h: the results of many files, in a few lines at the end.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_SUMMARY_H
#define TENON_CLI_SUMMARY_H

#include "options/cli.h"
#include "report/json_out.h"

typedef struct summary_entry {
    char *file;
    char *why;
    bool is_skipped;  // Else it failed.
    uint32_t index;   // Among all of a run, of which this may be a shard.
} summary_entry;

// Zeroed is empty.
typedef struct summary {
    uint32_t done, unchanged, failed, skipped;
    summary_entry *entries;  // Those that failed or were skipped.
    uint32_t count, room;
    bool has_no_memory;  // Some entries are missing.
} summary;

// Count a file, and keep its name and the reason.
void summary_fail(summary *totals, const char *file, const char *why);
void summary_skip(summary *totals, const char *file, const char *why);

// "12 files converted, 1 failed, 3 skipped" on standard error, `done` being "converted"; then each
// that failed, and the first that were skipped, or all of them with '--verbose'. With '--json' it
// is an object {"summary": ...}. Prints nothing if `are_many` is false, or with '--quiet'. Returns
// `status`, or CLI_SYSTEM if memory ran out for one of many, which is reported.
int summary_end(const summary *totals, const cli_common *opts, const char *done, bool are_many,
                int status);

// Write a skipped file as a JSON object, with its index if it is of a shard.
void summary_write_skipped(const summary_entry *entry, bool is_of_shard, json_out *json);

// Print all skipped files as JSON, one per line.
void summary_print_skipped(const summary *totals, bool is_of_shard);

void summary_free(summary *totals);

#endif  // TENON_CLI_SUMMARY_H
