// convert_sidecars.h: the files beside a model that belong to it go where the model goes.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SIDES_H
#define TENON_CLI_CONVERT_SIDES_H

#include "convert/convert_materials.h"
#include "convert/convert_plan.h"

// A file beside the input, and where it belongs beside the output.
typedef struct side_file {
    char *from, *to;
    const char *text;  // What to write instead of a copy; NULL: nothing.
    size_t size;
} side_file;

typedef struct side_files {
    const char *model;  // The input.
    side_file *list;
    uint32_t count;
} side_files;

// Find the side files of `doc` that exist and would move; if `materials` has a text, that is the
// .material file. Pipes have none. False, with `err` set, if one of them must not be written. Has
// to be freed in any case.
bool sides_find(side_files *sides, const tenon_doc *doc, const material_texts *materials,
                const convert_job *job, const convert_plan *plan, const convert_opts *opts,
                tenon_error *err);

// Copy them into the batch.
bool sides_copy(const side_files *sides, const convert_plan *plan, const convert_opts *opts,
                tenon_batch *batch, tenon_error *err);

void sides_free(side_files *sides);

#endif  // TENON_CLI_CONVERT_SIDES_H
