// obj_import.h: what the sources that make a scene of an OBJ file share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H

#include "formats/obj/import/obj_import_shape.h"
#include "scene/model/scene_build.h"

// Statements that cannot be read, where the rest is still wanted.
typedef struct obj_damage {
    uint64_t count, line;  // The first one's.
    uint64_t offset;
    char why[160];
} obj_damage;

typedef struct obj_importer {
    tn_scene_builder *b;
    tn_arena *arena;  // For what is needed on the way only.
    obj_model m;
    uint32_t *materials;   // The scene's, of each name; TENON_NONE: it has none.
    uint32_t *order;       // Elements, those of one part behind the other.
    uint32_t *starts;      // In `order`, of each part.
    obj_triples vertices;  // Of one part.
    uint32_t *triangles;   // Of one polygon.
    uint32_t *numbers;     // The vertex of each corner of one part.
    obj_clipper clipper;
    uint64_t missing_uvs;
    obj_damage points, others;  // Of vertices, their coordinates and normals; of all else.
} obj_importer;

// Memory for the way; NULL, and the builder fails, if there is none.
void *obj_import_alloc(obj_importer *s, uint64_t count, size_t size);

// Fail because there is no memory. Returns false.
bool obj_import_out_of_memory(obj_importer *s);

// -- Primitives (obj_import_mesh.c)

// Sort the elements by part, and make room to work in.
bool obj_prepare_meshes(obj_importer *s);

// Fill in the primitive of a part.
void obj_fill_primitive(obj_importer *s, uint32_t part, tenon_primitive *p);

// -- Materials (obj_import_material.c)

// Add the materials that the file names, as the libraries beside it have them.
void obj_add_materials(obj_importer *s);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
