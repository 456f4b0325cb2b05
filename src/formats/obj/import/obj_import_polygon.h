// obj_import_polygon.h: triangulates polygons.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_POLYGON_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_POLYGON_H

#include "core/memory/pulse.h"
#include "formats/obj/import/obj_parse.h"

// Memory for triangulating polygons, enough for the largest of them.
typedef struct obj_clipper {
    double (*points)[2];  // Projected to a plane in which the polygon is counter-clockwise.
    uint32_t *next, *previous;
    uint8_t *states;
    uint32_t *reflex;  // Corners that do not turn left.
    uint32_t reflex_count;
    uint64_t work_left;  // Steps that are left for cutting off ears, for all polygons.
    uint64_t steps;      // Since the last call of the pulse.
    tn_pulse *pulse;     // If it stops, the triangles must not be used.
} obj_clipper;

typedef enum obj_clipping {
    OBJ_CLIPPED,
    OBJ_CROSSING,  // The polygon crosses itself: the triangles are a guess.
    OBJ_FAN,       // It is too large: the triangles are correct only if it is convex.
} obj_clipping;

bool obj_import_clipper_begin(obj_clipper *clipper, uint64_t largest, uint64_t total,
                              tn_arena *arena, tn_pulse *pulse);

// Split a polygon of `count` corners into count - 2 triangles of indices into `corners`.
obj_clipping obj_import_triangulate(obj_clipper *clipper, const obj_model *model,
                                    const obj_corner *corners, uint32_t count, uint32_t *triangles);

// Whether edges of a polygon cross each other. Returns false if it is too large to test.
bool obj_import_crosses_itself(obj_clipper *clipper, const obj_model *model,
                               const obj_corner *corners, uint32_t count);

// The normal of a polygon; its length is twice the area.
void obj_import_polygon_normal(const obj_model *model, const obj_corner *corners, uint32_t count,
                               double normal[3]);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_POLYGON_H
