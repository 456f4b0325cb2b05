// scene_import.h: make a scene from a document of any format.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_SCENE_IMPORT_H
#define TN_EXCHANGE_SCENE_IMPORT_H

#include "document/document.h"

#include <tenon/scene.h>

// As tenon_to_scene(); nothing may be NULL.
tenon_scene *tn_import(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err);

// Whether a format has scenes; if not, sets the error.
bool tn_import_can(const tn_format *format, tenon_error *err);

#endif  // TN_EXCHANGE_SCENE_IMPORT_H
