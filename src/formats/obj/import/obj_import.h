// obj_import.h: what the files that import an OBJ file share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H

#include "formats/obj/import/obj_parse.h"
#include "scene/model/scene_build.h"
#include "scene/surface/polygon.h"

// -- The importer (obj_import.c)

static inline tn_outline obj_import_outline(const obj_model *model, const obj_corner *corners,
                                            uint32_t count)
{
    return (tn_outline){model->positions, &corners[0].v, sizeof *corners / sizeof(uint32_t), count};
}

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
    tn_clipper clipper;
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
