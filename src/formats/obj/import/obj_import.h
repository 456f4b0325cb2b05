// obj_import.h: what the files that import an OBJ file share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H

#include "formats/obj/import/obj_import_polygon.h"
#include "scene/model/scene_build.h"

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

// Let the builder fail with "out of memory". Returns false.
bool obj_import_out_of_memory(obj_importer *importer);

// -- Normals (obj_import_mesh.c)

// Compute normals for corners without one, in parts that have smoothing groups or some normals. A
// corner in a smoothing group gets the mean normal of the faces around it in the group, others the
// normal of their face. Returns the number of corners; TENON_ABSENT without memory.
uint64_t obj_import_compute_normals(obj_model *model, tn_arena *arena);

// -- Primitives (obj_import_mesh.c)

// Sort the elements by part, and allocate memory for obj_import_fill_primitive().
bool obj_import_prepare_meshes(obj_importer *importer);

void obj_import_fill_primitive(obj_importer *importer, uint32_t part, tenon_primitive *p);

// -- Materials (obj_import_material.c)

// Add the materials that the file uses, as its libraries define them.
void obj_import_materials(obj_importer *importer);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
