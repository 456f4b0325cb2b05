// bmw_import_parts.h: matrices of BMW in parts, as the keys of nodes.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_IMPORT_BMW_IMPORT_PARTS_H
#define TN_FORMATS_BMW_IMPORT_BMW_IMPORT_PARTS_H

#include "core/cursor/wide.h"
#include "core/math/math.h"

// Values of keys, one behind the other.
typedef struct bmw_parts {
    float *translations, *rotations, *scales;
    float *inner;  // Rotations of the inner node; only for what is sheared.
} bmw_parts;

// Whether the columns are at other than right angles, by more than rounding.
bool bmw_is_sheared(const tn_mat4 *m);

// Whether the last row is 0 0 0 1, within rounding.
bool bmw_is_affine(const tn_mat4 *m);

// Whether nothing is to be said about TN_LANES matrices, 16 numbers each, column by column: they
// are finite, no one is sheared, and all last rows are 0 0 0 1. False says nothing.
bool bmw_are_plain(const float *matrices);

// Take a matrix apart into key `at`, for one node, or for two if it is sheared.
void bmw_take_apart(const tn_mat4 *m, bool is_sheared, const bmw_parts *parts, uint64_t at);

// Take TN_LANES matrices apart into keys from `at` on, for one node: the same parts as one by one.
void bmw_take_many(const float *matrices, const bmw_parts *parts, uint64_t at);

#endif  // TN_FORMATS_BMW_IMPORT_BMW_IMPORT_PARTS_H
