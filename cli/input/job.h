// job.h: what the work on one input may cost.
// SPDX-License-Identifier: MIT
//
// A job is the work on one file that was named or found, with all that belongs to it: reading,
// converting, proving, writing, side files and pictures. It has one budget, whose limits follow
// from the bytes of the files that are opened for it.

#ifndef TENON_CLI_JOB_H
#define TENON_CLI_JOB_H

#include "options/cli.h"

#include <tenon/files.h>

// Begin the next job: nothing is spent. What is still held of the last one stays out of account.
void job_begin(const cli_common *opts);

// For the options of the library's functions: what they use counts.
tenon_allocator job_allocator(void);

tenon_budget *job_budget(void);

// So many bytes more are given to the job, which may cost more for that.
void job_add_input(uint64_t size);

// The system's open() and open_inside(): a file counts as input, once.
int job_open(void *user, const char *path, tenon_file *file);
int job_open_inside(void *user, const char *folder, const char *path, tenon_file *file);

// With --verbose: say what the job has cost, and what it might have.
void job_report(const cli_common *opts, const char *file);

// The option that would allow what the budget has refused, such as "--max-memory SIZE"; NULL:
// nothing was refused.
const char *job_remedy(void);

#endif  // TENON_CLI_JOB_H
