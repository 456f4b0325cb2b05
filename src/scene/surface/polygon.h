// polygon.h: split polygons into triangles.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_SURFACE_POLYGON_H
#define TN_SCENE_SURFACE_POLYGON_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"

// A polygon: corner i is vertex corners[i * stride].
typedef struct tn_outline {
    const float *positions;  // 3 for each vertex.
    const uint32_t *corners;
    uint32_t stride, count;
} tn_outline;

// Memory for triangulating polygons, enough for the largest of them.
typedef struct tn_clipper {
    double (*points)[2];  // Projected to a plane in which the polygon is counter-clockwise.
    uint32_t *next, *previous;
    uint8_t *states;
    uint32_t *reflex;  // Corners that do not turn left.
    uint32_t reflex_count;
    uint64_t work_left;  // Steps that are left for cutting off ears, for all polygons.
    uint64_t steps;      // Since the last call of the pulse.
    tn_pulse *pulse;     // If it stops, the triangles must not be used.
} tn_clipper;

typedef enum tn_clipping {
    TN_CLIPPED,
    TN_CROSSING,  // The polygon crosses itself: the triangles are a guess.
    TN_FAN,       // It is too large: the triangles are correct only if it is convex.
} tn_clipping;

// For polygons of at most `largest` corners, and `total` corners of all of them.
bool tn_clipper_begin(tn_clipper *clipper, uint64_t largest, uint64_t total, tn_arena *arena,
                      tn_pulse *pulse);

// Split a polygon of `count` corners into count - 2 triangles of indices of its corners. If
// `triangles` is NULL, only test whether it crosses itself.
tn_clipping tn_triangulate(tn_clipper *clipper, const tn_outline *outline, uint32_t *triangles);

// The normal of a polygon; its length is twice the area.
void tn_polygon_normal(const tn_outline *outline, double normal[3]);

#endif  // TN_SCENE_SURFACE_POLYGON_H
