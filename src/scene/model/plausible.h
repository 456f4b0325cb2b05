// plausible.h: how large the numbers of a model are, and which of them are outliers.
// SPDX-License-Identifier: MIT
//
// Noise has exponents of all sizes, while those of a model are similar. A number that is a thousand
// times larger than nine tenths of all numbers, or not finite, is not plausible.

#ifndef TN_SCENE_MODEL_PLAUSIBLE_H
#define TN_SCENE_MODEL_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/math/floating_point.h"

enum { TN_LOWEST_EXPONENT = -150, TN_EXPONENTS = 280 };

// How often each power of two was seen. Initialize with zero.
typedef struct tn_magnitudes {
    uint64_t counts[TN_EXPONENTS];
    uint64_t total;
} tn_magnitudes;

// Count the largest of some numbers that belong together; nothing if one of them is not finite.
void tn_add_magnitude(tn_magnitudes *magnitudes, const float *values, uint32_t count);

// The largest plausible magnitude; infinite if there are no numbers to judge by.
double tn_usual_limit(const tn_magnitudes *magnitudes);

// Whether all of some numbers are finite and within the limit.
bool tn_is_plausible(const float *values, uint32_t count, double limit);

// Whether four numbers are plausible as a rotation, which has a length of about 1 in every file.
bool tn_is_plausible_rotation(const float q[4]);

#endif  // TN_SCENE_MODEL_PLAUSIBLE_H
