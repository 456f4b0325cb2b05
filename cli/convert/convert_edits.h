// convert_edits.h: edits of a document or a scene that the options of tenon convert ask for.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_EDITS_H
#define TENON_CLI_CONVERT_EDITS_H

#include "convert/convert_plan.h"
#include "input/scene_load.h"

#include <tenon/scene.h>

// The first value of '--set-shape' that cannot be read; NULL: there is none.
const char *convert_invalid_shape(const convert_opts *opts);

// The first value of '--event' that cannot be read; NULL: there is none.
const char *convert_invalid_event(const convert_opts *opts);

// Edit the collision shapes of a document. *is_changed is set if an option asks for that.
bool convert_edit_document(tenon_doc *doc, const convert_opts *opts, bool *is_changed,
                           tenon_error *err);

// Whether an option asks for an edit that only a scene can have.
bool convert_edits_scene(const convert_opts *opts);

// Print a note for each option for imported files that has no effect on `file`. `loaded` may be
// NULL: there is no scene.
void convert_report_unused(const convert_opts *opts, const char *file, const loaded_scene *loaded);

// Edit the scene. *at_fault is its file; an error about a file of '--clips-from' sets it to that.
bool convert_edit_scene(loaded_scene *loaded, const convert_opts *opts, const tenon_format *from,
                        const tenon_format *to, tenon_loss_fn *lost, void *user,
                        const char **at_fault, tenon_error *err);

#endif  // TENON_CLI_CONVERT_EDITS_H
