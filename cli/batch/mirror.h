// mirror.h: commands that write one file for each input, in the same folders below another one.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_MIRROR_H
#define TENON_CLI_MIRROR_H

#include "batch/each_file.h"
#include "convert/convert_plan.h"

// One of the files.
typedef struct mirror_job {
    convert_plan *plan;
    uint32_t number;
    const char *in, *out;
    tenon_write_opts write;  // For the output.
} mirror_job;

typedef struct mirror {
    const cli_command *command;
    const convert_opts *opts;  // The inputs, the output, '--force' and how outputs are called.
    const char *done;          // What the summary calls a file that was written.
    bool is_in_order;          // What is beside an output may belong to several of them.
    void *user;
    // Make the output from the input, as in each_file.
    int (*run)(void *user, const mirror_job *job, char why[EACH_WHY_SIZE]);
} mirror;

// Whether a path is a folder, or ends like one.
bool mirror_is_folder(const char *path);

// Whether options ask for several inputs, or for an output in a folder.
bool mirror_is_wanted(const cli_common *common, const char *output);

// Write all files, where none replaces an input or another one. Returns the exit status.
int mirror_run(const mirror *all);

// Write one file, whatever the options ask for.
int mirror_run_alone(const mirror *all, const char *in, const char *out);

#endif  // TENON_CLI_MIRROR_H
