// convert_edit.h: changes to a document that only some formats know.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_EDIT_H
#define TENON_CLI_CONVERT_EDIT_H

#include "convert_plan.h"

// The first option that asks for something that no document can have; NULL: there is none.
const char *convert_edit_misspelt(const convert_opts *opts);

// Make the edits that the options ask for. *is_changed is set if there are any.
bool convert_edit(tenon_doc *doc, const convert_opts *opts, bool *is_changed, tenon_error *err);

// Whether another dialect has no place for what poses the model, so that the pose has to go into the
// vertices, which only a scene can do.
bool convert_edit_poses(tenon_doc *doc, const char *dialect);

#endif  // TENON_CLI_CONVERT_EDIT_H
