// convert_edits.h: what the options of tenon convert change in a scene.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_RESHAPE_H
#define TENON_CLI_CONVERT_RESHAPE_H

#include "convert/convert_plan.h"
#include "input/scene_load.h"

#include <tenon/scene.h>

// Whether an option asks for something that only a scene can do.
bool convert_edits_scene(const convert_opts *opts);

// The first value of an option that is misspelt; NULL: there is none.
const char *convert_invalid_event(const convert_opts *opts);

// Notes about options for imported files that have no effect on `file`. `s` may be NULL: there is
// no scene.
void convert_report_unused(const convert_opts *opts, const char *file, const loaded_scene *s);

// Change the scene, whose file *at_fault names. An error that is about the file of '--clips-from'
// sets *at_fault to that.
bool convert_edit_scene(loaded_scene *s, const convert_opts *opts, const tenon_format *from,
                        const tenon_format *to, tenon_loss_fn *lost, void *user,
                        const char **at_fault, tenon_error *err);

#endif  // TENON_CLI_CONVERT_RESHAPE_H
