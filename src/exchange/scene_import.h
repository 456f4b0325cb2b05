// scene_import.h: make a scene from a document of any format.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_SCENE_IMPORT_H
#define TN_EXCHANGE_SCENE_IMPORT_H

#include <tenon/scene.h>

// As tenon_to_scene(); nothing may be NULL.
tenon_scene *tn_import(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err);

// As tenon_trace(); nothing may be NULL.
bool tn_trace(const tenon_doc *doc, uint32_t node, uint32_t primitive, uint64_t triangle,
              const tenon_scene_opts *opts, tenon_traced *traced, tenon_error *err);

#endif  // TN_EXCHANGE_SCENE_IMPORT_H
