// convert_edits.h: edits of a document or a scene that the options of tenon convert ask for.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_EDITS_H
#define TENON_CLI_CONVERT_EDITS_H

#include "convert/convert_job.h"

// The first value of '--set-shape' that cannot be read; NULL: there is none.
const char *convert_invalid_shape(const convert_opts *opts);

// The first value of '--event' that cannot be read; NULL: there is none.
const char *convert_invalid_event(const convert_opts *opts);

// The first value of '--morph' that cannot be read; NULL: there is none.
const char *convert_invalid_morph(const convert_opts *opts);

// Edit the collision shapes of the document, if an option asks for that. False, with `job->err`
// set, if that is not possible.
bool convert_edit_document(convert_job *job);

// Whether an option asks for an edit that only a scene can have.
bool convert_edits_scene(const convert_opts *opts);

// Print a note for each option for imported files that has no effect on this one. A document has no
// scene, and so none of them.
void convert_report_unused(const convert_job *job);

// Edit the scene. An error about a file of '--clips-from' sets `job->at_fault` to that.
bool convert_edit_scene(convert_job *job);

#endif  // TENON_CLI_CONVERT_EDITS_H
