// obj_import_shape.h: from polygons to triangles, and normals where a file has none.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_SHAPE_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_SHAPE_H

#include "core/memory/pulse.h"
#include "formats/obj/import/obj_parse.h"

// -- Triangles (obj_import_polygon.c)

// What taking polygons apart needs; made once, with room for the largest of them.
typedef struct obj_clipper {
    double (*points)[2];  // In the plane of the polygon, which turns to the left there.
    uint32_t *next, *previous;
    uint8_t *states;
    uint32_t *reflex;  // Corners where the polygon does not turn to the left.
    uint32_t reflex_count;
    uint64_t work_left;  // Steps that cutting off ears may still take, for all polygons.
    uint64_t steps;      // Since the pulse was asked.
    tn_pulse *pulse;     // If it stops, the triangles are not to be used.
} obj_clipper;

typedef enum obj_clipping {
    OBJ_CLIPPED,
    OBJ_CROSSING,  // The polygon crosses itself; the triangles are the best that could be done.
    OBJ_FAN,       // It is too large; the triangles are right only if it is convex.
} obj_clipping;

bool obj_clipper_begin(obj_clipper *clipper, uint64_t largest, uint64_t total, tn_arena *arena,
                       tn_pulse *pulse);

// Take a polygon of `count` corners apart: count - 2 triangles. Each names corners from 0.
obj_clipping obj_triangulate(obj_clipper *clipper, const obj_model *m, const obj_corner *corners,
                             uint32_t count, uint32_t *triangles);

// Whether edges of a polygon cross each other. Of one that is too large nothing is known.
bool obj_crosses_itself(obj_clipper *clipper, const obj_model *m, const obj_corner *corners,
                        uint32_t count);

// The normal of a polygon, as long as twice its area.
void obj_polygon_normal(const obj_model *m, const obj_corner *corners, uint32_t count,
                        double normal[3]);

// -- Normals (obj_import_normals.c)

// Give corners without a normal one, if the file says how, or if others of the same part have one:
// that of the faces around it in its smoothing group, or of its face alone. Returns how many
// corners got one; TENON_ABSENT: there is no memory.
uint64_t obj_export_normals(obj_model *m, tn_arena *arena);

// Normal number `index`, be it of the file or made.
const float *obj_normal_at(const obj_model *m, uint32_t index);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_SHAPE_H
