// obj_import.h: what the files that import an OBJ file share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H

#include "formats/obj/import/obj_parse.h"
#include "scene/model/scene_build.h"

// -- Polygons (obj_import_polygon.c)

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

// Split a polygon of `count` corners into count - 2 triangles of indices into `corners`. If
// `triangles` is NULL, only test whether it crosses itself.
obj_clipping obj_import_triangulate(obj_clipper *clipper, const obj_model *model,
                                    const obj_corner *corners, uint32_t count, uint32_t *triangles);

// The normal of a polygon; its length is twice the area.
void obj_import_polygon_normal(const obj_model *model, const obj_corner *corners, uint32_t count,
                               double normal[3]);

// -- The importer (obj_import.c)

// Invalid statements that were skipped to recover a damaged file.
typedef struct obj_damage {
    uint64_t count;
    uint64_t line, offset;  // Of the first.
    char why[160];          // Of the first.
} obj_damage;

typedef struct obj_importer {
    tn_scene_builder *builder;
    tn_arena *arena;  // For temporary memory.
    obj_model model;
    uint32_t *materials;        // For each material of the model, the material of the scene.
    uint32_t *order;            // Elements, sorted by part.
    uint32_t *starts;           // Of each part, in `order`.
    obj_triples vertices;       // Of the current part.
    uint32_t *triangles;        // Of the current polygon.
    uint32_t *corner_vertices;  // For each corner of the current part, its vertex.
    obj_clipper clipper;
    uint64_t missing_uvs;
    obj_damage bad_vertices;    // Statements that begin with 'v'.
    obj_damage bad_statements;  // All other statements.
} obj_importer;

// Temporary memory. On failure returns NULL, and the builder fails.
void *obj_import_alloc(obj_importer *importer, uint64_t count, size_t size);

// -- Materials (obj_import_material.c)

// Add the materials that the file uses, as its libraries define them.
void obj_import_materials(obj_importer *importer);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
