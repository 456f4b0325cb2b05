// convert_one.h: converts one file, and reports what was lost and written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_ONE_H
#define TENON_CLI_CONVERT_ONE_H

#include "convert/convert_plan.h"
#include "report/json_out.h"

// The outcome for one file.
typedef struct convert_result {
    tenon_error err;      // Already reported.
    const char *skipped;  // Why a file that was found in a folder is not converted; or NULL.
} convert_result;

// Read, convert and write one file, and report what was lost. `json` (NULL: none) gets an object
// with the same information. Returns the exit status.
int convert_one(const convert_opts *opts, convert_plan *plan, const convert_job *job,
                json_out *json, convert_result *result);

#endif  // TENON_CLI_CONVERT_ONE_H
