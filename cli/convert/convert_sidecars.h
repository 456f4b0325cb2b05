// convert_sidecars.h: copies the sidecars of a model to where the model is written.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_SIDECARS_H
#define TENON_CLI_CONVERT_SIDECARS_H

#include "convert/convert_materials.h"
#include "convert/convert_plan.h"

// Copy the sidecars of the input that exist to where the output is, into the batch. A pipe has
// none. If `materials` has a text, that becomes the .material file. False, with `err` set, if one
// of them must not be written.
bool convert_copy_sidecars(const tenon_doc *doc, const merged_materials *materials,
                           const convert_job *job, convert_plan *plan, tenon_batch *batch,
                           tenon_error *err);

#endif  // TENON_CLI_CONVERT_SIDECARS_H
