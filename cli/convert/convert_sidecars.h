// convert_sidecars.h: the files beside a model that belong to it go where the model goes.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SIDES_H
#define TENON_CLI_CONVERT_SIDES_H

#include "convert/convert_materials.h"
#include "convert/convert_plan.h"

// A file beside the input, and where it belongs beside the output.
typedef struct sidecar {
    char *from, *to;
    const char *text;  // What to write instead of a copy; NULL: nothing.
    size_t size;
} sidecar;

typedef struct sidecar_list {
    const char *model;  // The input.
    sidecar *list;
    uint32_t count;
} sidecar_list;

// Find the side files of `doc` that exist and would move; if `materials` has a text, that is the
// .material file. Pipes have none. False, with `err` set, if one of them must not be written. Has
// to be freed in any case.
bool sidecars_find(sidecar_list *sides, const tenon_doc *doc, const merged_materials *materials,
                   const convert_job *job, const convert_plan *plan, const convert_opts *opts,
                   tenon_error *err);

// Copy them into the batch.
bool sidecars_copy(const sidecar_list *sides, const convert_plan *plan, const convert_opts *opts,
                   tenon_batch *batch, tenon_error *err);

void sidecars_free(sidecar_list *sides);

#endif  // TENON_CLI_CONVERT_SIDES_H
