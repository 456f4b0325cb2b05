// sort.h: the only sort of the library: stable, so that results are the same everywhere.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MATH_SORT_H
#define TN_CORE_MATH_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/math/floating_point.h"

// Whether item `a` comes strictly before item `b`.
typedef bool tn_before_fn(const void *context, uint32_t a, uint32_t b);

// Sort `count` numbers of items; equal ones keep their order. `spare` has room for as many.
void tn_sort(uint32_t *items, uint32_t *spare, uint32_t count, tn_before_fn *before,
             const void *context);

// Set `order` to the numbers below `count`, sorted; it has room for twice as many.
void tn_sort_all(uint32_t *order, uint32_t count, tn_before_fn *before, const void *context);

#endif  // TN_CORE_MATH_SORT_H
