// convert_sidecars.h: copies the sidecars of a model to where the model is written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SIDECARS_H
#define TENON_CLI_CONVERT_SIDECARS_H

#include "convert/convert_materials.h"
#include "convert/convert_plan.h"

// A file beside the input, and its path beside the output.
typedef struct sidecar {
    char *from, *to;
    const char *text;  // What to write instead of a copy; NULL: copy the file.
    size_t size;       // Of `text`.
} sidecar;

typedef struct sidecar_list {
    const char *model;  // The input.
    sidecar *list;
    uint32_t count;
} sidecar_list;

// Find the sidecars of `doc` that exist and have to be copied. If `materials` has a text, that
// becomes the .material file. A pipe has no sidecars. False, with `err` set, if one of them must
// not be written. Call sidecars_free() in any case.
bool sidecars_find(sidecar_list *sidecars, const tenon_doc *doc, const merged_materials *materials,
                   const convert_job *job, convert_plan *plan, tenon_error *err);

// Copy them into the batch.
bool sidecars_copy(const sidecar_list *sidecars, convert_plan *plan, tenon_batch *batch,
                   tenon_error *err);

void sidecars_free(sidecar_list *sidecars);

#endif  // TENON_CLI_CONVERT_SIDECARS_H
