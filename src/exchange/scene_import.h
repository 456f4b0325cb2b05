// scene_import.h: make a scene from a document of any format.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_SCENE_IMPORT_H
#define TN_EXCHANGE_SCENE_IMPORT_H

#include <tenon/scene.h>

// As tenon_to_scene(); nothing may be NULL.
tenon_scene *tn_import(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err);

#endif  // TN_EXCHANGE_SCENE_IMPORT_H
