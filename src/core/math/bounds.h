// bounds.h: the box around points.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MATH_BOUNDS_H
#define TN_CORE_MATH_BOUNDS_H

#include "core/math/floating_point.h"

#include <math.h>
#include <stdbool.h>

// Empty, as tn_bounds_empty() gives it, if no point was added.
typedef struct tn_bounds {
    double min[3], max[3];
} tn_bounds;

static inline tn_bounds tn_bounds_empty(void)
{
    return (tn_bounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

// Coordinates that are NaN are left out.
static inline void tn_bounds_add(tn_bounds *bounds, const double point[3])
{
    for (int k = 0; k < 3; k++) {
        if (point[k] < bounds->min[k]) bounds->min[k] = point[k];
        if (point[k] > bounds->max[k]) bounds->max[k] = point[k];
    }
}

// The same for floats. The bounds of floats are floats, so converting them back is exact.
static inline void tn_bounds_add_f32(tn_bounds *bounds, const float point[3])
{
    tn_bounds_add(bounds, (const double[3]){(double)point[0], (double)point[1], (double)point[2]});
}

// Add everything within `other`, which may be empty.
static inline void tn_bounds_join(tn_bounds *bounds, const tn_bounds *other)
{
    for (int k = 0; k < 3; k++) {
        if (other->min[k] < bounds->min[k]) bounds->min[k] = other->min[k];
        if (other->max[k] > bounds->max[k]) bounds->max[k] = other->max[k];
    }
}

// Whether there is no extent in some direction: no point was added, or all had a NaN there.
static inline bool tn_bounds_is_empty(const tn_bounds *bounds)
{
    return !(bounds->min[0] <= bounds->max[0] && bounds->min[1] <= bounds->max[1] &&
             bounds->min[2] <= bounds->max[2]);
}

static inline double tn_bounds_diagonal(const tn_bounds *bounds)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (bounds->max[k] - bounds->min[k]) * (bounds->max[k] - bounds->min[k]);
    return sqrt(square);
}

// The largest absolute value of a coordinate.
static inline double tn_bounds_farthest(const tn_bounds *bounds)
{
    double farthest = 0;
    for (int k = 0; k < 3; k++) {
        if (fabs(bounds->min[k]) > farthest) farthest = fabs(bounds->min[k]);
        if (fabs(bounds->max[k]) > farthest) farthest = fabs(bounds->max[k]);
    }
    return farthest;
}

#endif  // TN_CORE_MATH_BOUNDS_H
