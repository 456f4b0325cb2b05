// convert_sides.h: the files beside a model that belong to it go where the model goes.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SIDES_H
#define TENON_CLI_CONVERT_SIDES_H

#include "convert_plan.h"

// A file beside the input, and where it belongs beside the output.
typedef struct side_file {
    char *from, *to;
    bool is_made;  // It was copied to a place where nothing was.
} side_file;

typedef struct side_files {
    side_file *list;
    uint32_t count;
} side_files;

// Find the side files of `doc` that exist and would move. Pipes have none. False, with `err` set,
// if one of them must not be written. Has to be freed in any case.
bool sides_find(side_files *sides, const tenon_doc *doc, const convert_job *job,
                const convert_plan *plan, const convert_opts *opts, tenon_error *err);

// Copy them, each completely or not at all.
bool sides_copy(side_files *sides, const convert_plan *plan, const convert_opts *opts,
                tenon_error *err);

// Remove the copies that are new.
void sides_take_back(const side_files *sides);

void sides_free(side_files *sides);

#endif  // TENON_CLI_CONVERT_SIDES_H
