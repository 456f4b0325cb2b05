// convert_document.h: changes to a document that only some formats know.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_EDIT_H
#define TENON_CLI_CONVERT_EDIT_H

#include "convert/convert_plan.h"

#include <tenon/scene.h>

// The first option that asks for something that no document can have; NULL: there is none.
const char *convert_invalid_shape(const convert_opts *opts);

// What '--set-shape' number `index` says: the name of a mesh of the scene (NULL: of all), and its
// shape. False if there is no such mesh.
bool convert_scene_shape(const convert_opts *opts, uint32_t index, const tenon_scene *scene,
                         tenon_pair *shape);

// Make the edits that the options ask for. *is_changed is set if there are any.
bool convert_edit_document(tenon_doc *doc, const convert_opts *opts, bool *is_changed,
                           tenon_error *err);

#endif  // TENON_CLI_CONVERT_EDIT_H
