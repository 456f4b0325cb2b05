// convert_unchanged.h: what has changed since an earlier run, and what the manifest says of it.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_UNCHANGED_H
#define TENON_CLI_CONVERT_UNCHANGED_H

#include "convert/convert_job.h"

// Open the manifest of the output folder, if an option asks for it. Returns CLI_GO_ON, or the exit
// status after an error was reported.
int convert_open_manifest(convert_plan *plan, const cli_command *command);

// Prune, and save the manifest. Returns the exit status.
int convert_close_manifest(convert_plan *plan, bool is_complete);

// Whether nothing has to be done for a job. Sets its key.
bool convert_is_unchanged(convert_job *job);

// Add a job to the manifest, before its files get their names. False, with `job->err` set, if that
// failed.
bool convert_record(convert_job *job);

// Read "K/N". False if it is something else.
bool convert_read_shard(const char *text, uint64_t *shard, uint64_t *count);

// Whether a shard has the input of this name below its folder.
bool convert_shard_has(uint64_t shard, uint64_t count, const char *name);

#endif  // TENON_CLI_CONVERT_UNCHANGED_H
