// convert_one.h: the work of tenon convert on one file.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_ONE_H
#define TENON_CLI_CONVERT_ONE_H

#include "convert/convert_plan.h"
#include "report/json_out.h"

// What became of a file.
typedef struct convert_result {
    tenon_error err;      // Already reported.
    const char *skipped;  // Why a file that was found in a folder was left out; or NULL.
} convert_result;

// Read, change and write one file, and tell what that costs; `json` (NULL: none is wanted) gets an
// object that says the same. Returns the exit status.
int convert_one(const convert_opts *opts, const convert_plan *plan, const convert_job *job,
                json_out *json, convert_result *result);

#endif  // TENON_CLI_CONVERT_ONE_H
