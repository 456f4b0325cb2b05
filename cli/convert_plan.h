// convert_plan.h: which file becomes which, decided before anything is written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_PLAN_H
#define TENON_CLI_CONVERT_PLAN_H

#include "cli.h"

#include <tenon/files.h>

typedef struct convert_opts {
    cli_common common;
    const char *output;  // NULL: the second operand, or --in-place.
    const char *as;      // NULL: the dialect stays.
    const char *report;  // NULL: none is wanted.
    const char *model;   // NULL: none is given.
    const char *spaces;  // NULL: as they are.
    double rate;         // 0: the format's.
    cli_format to;
    bool force, in_place, strict, dry_run, refresh, merge, clear_shape;
    bool embed;
    const char *clip;            // NULL: at rest.
    double at;                   // Seconds of the clip.
    cli_list animations;         // What --anim says.
    cli_list shapes;             // What --set-shape says.
    uint32_t space_bits;         // What --spaces says.
    const tenon_doc *model_doc;  // What --model names.
} convert_opts;

// One file to convert.
typedef struct convert_job {
    const char *in;  // "-" is standard input.
    char *out;       // "-" is standard output.
    tenon_file_id out_id;
    bool out_exists;
} convert_job;

typedef struct convert_plan {
    convert_job *jobs;
    uint32_t job_count;
    char **merged;  // What is added to the only job's input, with --merge.
    uint32_t merged_count;
    tenon_file_id *inputs;  // What must not be replaced.
    uint32_t input_count;
    const tenon_format *to;  // What to make; NULL: the same as the input.
} convert_plan;

// Decide. Returns CLI_GO_ON, or the exit status after a mistake was reported. The plan has to be
// freed in any case.
int convert_plan_make(convert_plan *plan, const cli_command *command, const convert_opts *opts);

void convert_plan_free(convert_plan *plan);

// Whether `path` may be written, as far as one can tell without doing it.
bool convert_may_write(const convert_plan *plan, const convert_opts *opts, const char *path,
                       tenon_error *err);

#endif  // TENON_CLI_CONVERT_PLAN_H
