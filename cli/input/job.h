// job.h: the budget for the work on one input.
// SPDX-License-Identifier: MIT
//
// A job is the work on one file that was named or found: reading, converting, verifying and writing
// it, with its sidecars and pictures. It has one budget, whose limits depend on the size of all
// files that it opens.

#ifndef TENON_CLI_JOB_H
#define TENON_CLI_JOB_H

#include "options/cli.h"

#include <tenon/files.h>

// Begin the next job with an unused budget. Memory that earlier jobs still hold does not count.
void job_begin(const cli_common *opts);

// Free what this thread keeps for its jobs, before it ends.
void job_end(void);

// Whether the job takes longer than '--timeout' allows.
bool job_is_late(void);

// If a job was cancelled because it was late, say so.
void job_explain_cancelling(const cli_common *opts, tenon_error *err);

// For the options of the library's functions: what they allocate counts.
tenon_allocator job_allocator(void);

tenon_budget *job_budget(void);

// Count `size` more bytes of input, which raises the limits.
void job_add_input(uint64_t size);

// The system's open() and open_inside(): a file counts as input, once.
int job_open(void *user, const char *path, tenon_file *file);
int job_open_inside(void *user, const char *folder, const char *path, tenon_file *file);

// The files that counted as input, for tenon_write_opts.inputs: the model, its textures and so on.
// Returns how many; valid until the next file is opened.
uint32_t job_inputs(const tenon_file_id **ids);

// Set `err` to "out of memory", in the tool itself. Returns false.
bool job_out_of_memory(tenon_error *err);

// With --verbose: print how much of the budget was used.
void job_report(const cli_common *opts, const char *file);

// The option that raises the limit that was exceeded, such as "--max-memory SIZE"; NULL:
// none was.
const char *job_remedy(void);

#endif  // TENON_CLI_JOB_H
