// outliers.h: arrays of a damaged model without what cannot be meant, in the words of its file.
// SPDX-License-Identifier: MIT
//
// Noise within arrays leaves the structure of a file as it is. What is patched here are copies of
// the arrays that are hit; all else of the document stays as it was read.

#ifndef TN_DOCUMENT_OUTLIERS_H
#define TN_DOCUMENT_OUTLIERS_H

#include "document/findings.h"
#include "document/format.h"
#include "scene/model/plausible.h"

// How much was patched, and where first.
typedef struct tn_filtered {
    uint64_t count;
    tn_path_text first;
} tn_filtered;

// Count something of record `index` of the array at `path`.
void tn_count_filtered(tn_filtered *patched, const char *path, uint64_t index);

// Tell it as a loss; nothing if nothing was patched.
void tn_report_filtered(const tn_change *change, const tn_filtered *patched, tenon_loss_kind kind,
                        const char *feature, const char *why);

// The bytes of a span, now a copy that may be written to; NULL, and the error is set, without
// memory.
uint8_t *tn_own_bytes(const tn_change *change, tenon_span *span);

// -- Vertices and triangles

// Which vertices of a mesh cannot be meant: they are not finite, or far away from all others.
typedef struct tn_outliers {
    const bool *are;  // For each vertex; NULL if none is.
    uint64_t vertex_count;
} tn_outliers;

// Losses of all meshes of a model.
typedef struct tn_mesh_outliers {
    tn_filtered triangles, numbers, weights;
} tn_mesh_outliers;

void tn_report_mesh_outliers(const tn_change *change, const tn_mesh_outliers *patches);

// `position` is an element of three f32.
void tn_add_positions(tn_magnitudes *m, const tenon_span *vertices, const tenon_element *position);

bool tn_find_outliers(const tn_change *change, const tenon_span *vertices,
                      const tenon_element *position, double limit, tn_outliers *strays);

// Leave out the triangles of a list of indices that name a stray, or no vertex.
bool tn_drop_triangles(const tn_change *change, tenon_span *indices, const tn_outliers *strays,
                       const char *path, tn_filtered *triangles);

// The same where every three vertices are a triangle: they go with it, and no stray is left.
bool tn_drop_corners(const tn_change *change, tenon_span *vertices, tn_outliers *strays,
                     const char *path, tn_filtered *triangles);

// Strays, which no triangle names any more, lie where the vertex before them does, so that nobody
// sees them who asks how large the model is.
bool tn_hide_outliers(const tn_change *change, tenon_span *vertices, const tenon_element *position,
                      const tn_outliers *strays);

// Elements with a number that is not finite become 0.
bool tn_clear_numbers(const tn_change *change, tenon_span *span, const char *path,
                      tn_filtered *numbers);

// -- Influences

// Whether a weight can be meant, even if it is not a share of 1.
bool tn_weight_is_plausible(float weight);

// Make up for weights that were taken away: the others add up to 1, and if there are none, the
// first is 1.
void tn_share_weights(float *weights, uint32_t count);

// Take away weights that cannot be meant, or are of none of `joint_count` joints. Both elements are
// f32, as many of one as of the other, four at most; nothing is done if one is NULL.
bool tn_filter_influences(const tn_change *change, tenon_span *vertices,
                          const tenon_element *joints, const tenon_element *weights,
                          uint64_t joint_count, const char *path, tn_filtered *patched);

// -- Records

typedef bool tn_record_fn(const void *context, const uint8_t *record);

// Keep the records that are good.
bool tn_keep_plausible(const tn_change *change, tenon_span *span, tn_record_fn *is_good,
                       const void *context, const char *path, tn_filtered *records);

// Let records of `size` bytes that are not good repeat the one before; at the start, the first that
// is. If none is, all stay.
bool tn_repeat_plausible(const tn_change *change, tenon_span *span, uint64_t size,
                         tn_record_fn *is_good, const void *context, const char *path,
                         tn_filtered *records);

#endif  // TN_DOCUMENT_OUTLIERS_H
