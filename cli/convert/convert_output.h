// convert_output.h: the files of a job: claims, one transaction, whether they may be written, and
// the folders that they need.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_OUTPUT_H
#define TENON_CLI_CONVERT_OUTPUT_H

#include "convert/convert_job.h"

// -- The files of a job. On failure these return false, with `job->err` set.

// Claim a file that is about to be written. False if another job has claimed it.
bool convert_claim(convert_job *job, const char *path);

// Claim a sidecar that exists already and stays as it is.
bool convert_claim_existing(convert_job *job, const char *path);

// -- All files

// The options for writing a file, which never replaces an input. `batch` may be NULL.
tenon_write_opts convert_write_opts(const convert_plan *plan, tenon_batch *batch);

// Whether `path` may be written, as far as can be known without writing. Its folder is created if
// it is missing, unless this is a dry run.
bool convert_may_write(convert_plan *plan, const char *path, tenon_error *err);

// The folder of `path`, without a slash at its end; "." if it names none.
void convert_find_folder(const char *path, char folder[PATH_SIZE]);

// Create the folder of `path`, and those above it that are missing; a dry run only checks whether
// that is possible. What was created is added to the plan.
bool convert_create_folder(convert_plan *plan, const char *path, bool is_dry, tenon_error *err);

// Whether `path` is a folder. Returns 0, or an errno value; a missing file is not an error.
int convert_look_for_folder(const char *path, bool *is_folder);

// Remove the folders that were created, if they are still empty, and free the list.
void convert_remove_created(file_list *created);

#endif  // TENON_CLI_CONVERT_OUTPUT_H
