// bmw_import_decompose.h: frames of BMW, decomposed into keys.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_IMPORT_BMW_IMPORT_DECOMPOSE_H
#define TN_FORMATS_BMW_IMPORT_BMW_IMPORT_DECOMPOSE_H

#include "core/cursor/wide.h"
#include "core/math/math.h"

// The values of keys.
typedef struct bmw_key_values {
    float *translations, *rotations, *scales;
    float *inner;  // Rotations of the inner node of a sheared joint.
} bmw_key_values;

// Whether columns are not at right angles, by more than rounding.
bool bmw_is_sheared(const tn_mat4 *m);

// Whether the last row is 0 0 0 1, within rounding.
bool bmw_is_affine(const tn_mat4 *m);

// Whether TN_LANES column-major matrices are certainly finite, affine and not sheared. False: some
// may not be.
bool bmw_are_simple(const float *matrices);

// Decompose a matrix into key `at`, for one node, or for two if it is sheared.
void bmw_decompose_frame(const tn_mat4 *m, bool is_sheared, const bmw_key_values *values,
                         uint64_t at);

// Decompose TN_LANES matrices into keys from `at` on, for one node. Same result as one by one.
void bmw_decompose_frames(const float *matrices, const bmw_key_values *values, uint64_t at);

#endif  // TN_FORMATS_BMW_IMPORT_BMW_IMPORT_DECOMPOSE_H
