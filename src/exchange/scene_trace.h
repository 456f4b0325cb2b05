// scene_trace.h: from triangles of a scene to bytes of its file, and back.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_SCENE_TRACE_H
#define TN_EXCHANGE_SCENE_TRACE_H

#include <tenon/places.h>

// As tenon_trace(), tenon_trace_back() and tenon_trace_paths(); nothing may be NULL.
bool tn_trace(const tenon_doc *doc, uint32_t node, uint32_t primitive, uint64_t triangle,
              const tenon_scene_opts *opts, tenon_traced *traced, tenon_error *err);
bool tn_trace_back(const tenon_doc *doc, uint64_t offset, const tenon_scene_opts *opts,
                   tenon_corner *corner, tenon_error *err);
bool tn_trace_paths(const tenon_doc *doc, tenon_traced_part *places, uint32_t count,
                    const tenon_scene_opts *opts, tenon_error *err);

#endif  // TN_EXCHANGE_SCENE_TRACE_H
