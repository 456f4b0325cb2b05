// outliers.h: remove implausible values from the arrays of a damaged model.
// SPDX-License-Identifier: MIT
//
// Noise within arrays leaves the structure of a file as it is. Only copies of the affected arrays
// are changed; the remainder of the document stays as it was read.

#ifndef TN_DOCUMENT_OUTLIERS_H
#define TN_DOCUMENT_OUTLIERS_H

#include "document/findings.h"
#include "document/format.h"
#include "scene/model/plausible.h"

// How much was changed, and where first.
typedef struct tn_filtered {
    uint64_t count;
    tn_path_text first;
} tn_filtered;

// Count something of record `index` of the array at `path`.
void tn_count_filtered(tn_filtered *patched, const char *path, uint64_t index);

// Report it as a loss; does nothing if nothing was changed.
void tn_report_filtered(const tn_change *change, const tn_filtered *patched, tenon_loss_kind kind,
                        const char *feature, const char *why);

// Replace the bytes of a span by a copy that may be written to. Returns the copy; NULL, with the
// error set, if out of memory.
uint8_t *tn_own_bytes(const tn_change *change, tenon_span *span);

// -- Vertices and triangles

// Which vertices of a mesh are outliers: not finite, or far away from all others.
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
                      const tenon_element *position, double limit, tn_outliers *outliers);

// Remove the triangles of a list of indices that name an outlier or a missing vertex.
bool tn_drop_triangles(const tn_change *change, tenon_span *indices, const tn_outliers *outliers,
                       const char *path, tn_filtered *triangles);

// The same where every three vertices are a triangle: its vertices are removed with it, so no
// outlier is left.
bool tn_drop_corners(const tn_change *change, tenon_span *vertices, tn_outliers *outliers,
                     const char *path, tn_filtered *triangles);

// Move outliers, which no triangle uses any more, to the vertex before them, so that they do not
// enlarge the bounds of the model.
bool tn_hide_outliers(const tn_change *change, tenon_span *vertices, const tenon_element *position,
                      const tn_outliers *outliers);

// Elements with a number that is not finite become 0.
bool tn_clear_numbers(const tn_change *change, tenon_span *span, const char *path,
                      tn_filtered *numbers);

// -- Influences

// Whether a weight is plausible, even if it is above 1.
bool tn_weight_is_plausible(float weight);

// Normalize the weights after some were removed: the others sum to 1; if there are none, the first
// is 1.
void tn_share_weights(float *weights, uint32_t count);

// Remove weights that are implausible or whose joint is not one of `joint_count` joints. Both
// elements are f32, as many of one as of the other, four at most; nothing is done if one is NULL.
bool tn_filter_influences(const tn_change *change, tenon_span *vertices,
                          const tenon_element *joints, const tenon_element *weights,
                          uint64_t joint_count, const char *path, tn_filtered *patched);

// -- Records

typedef bool tn_record_fn(const void *context, const uint8_t *record);

// Keep the records that are good.
bool tn_keep_plausible(const tn_change *change, tenon_span *span, tn_record_fn *is_good,
                       const void *context, const char *path, tn_filtered *records);

// Replace records of `size` bytes that are not good by the one before; at the start, by the first
// good one. If none is good, all stay.
bool tn_repeat_plausible(const tn_change *change, tenon_span *span, uint64_t size,
                         tn_record_fn *is_good, const void *context, const char *path,
                         tn_filtered *records);

#endif  // TN_DOCUMENT_OUTLIERS_H
