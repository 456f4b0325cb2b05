// obj_import.h: what the files that import an OBJ file share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H

#include "core/files/file.h"
#include "formats/obj/import/obj_parse.h"
#include "scene/model/scene_build.h"
#include "scene/surface/polygon.h"

#include <tenon/obj.h>

// -- Materials of libraries (obj_import_material.c)

// Numeric properties of a material.
typedef enum obj_property {
    OBJ_DIFFUSE,
    OBJ_SPECULAR,
    OBJ_EMISSIVE,
    OBJ_AMBIENT,
    OBJ_SHININESS,
    OBJ_OPACITY,
    OBJ_TRANSPARENCY,
    OBJ_ROUGHNESS,
    OBJ_METALLIC,
    OBJ_ILLUMINATION,
    OBJ_PROPERTY_COUNT,
} obj_property;

typedef enum obj_map_use {
    OBJ_MAP_DIFFUSE,
    OBJ_MAP_SPECULAR,
    OBJ_MAP_EMISSIVE,
    OBJ_MAP_NORMAL,
    OBJ_MAP_DISPLACEMENT,
    OBJ_MAP_ALPHA,
    OBJ_MAP_ROUGHNESS,
    OBJ_MAP_METALLIC,
    OBJ_MAP_AMBIENT,
    OBJ_MAP_COUNT,
} obj_map_use;

typedef struct obj_map {
    tenon_str path;             // Relative to the model; empty if there is no map.
    float offset[2], scale[2];  // V goes up.
    float bump;                 // Strength.
    bool is_clamped;
    char channel;  // Of the image; 0 if not specified.
    uint64_t line;
} obj_map;

typedef struct obj_material {
    tenon_str name;
    uint64_t line;
    float values[OBJ_PROPERTY_COUNT][3];
    bool is_set[OBJ_PROPERTY_COUNT];
    obj_map maps[OBJ_MAP_COUNT];
} obj_material;

typedef enum obj_library_fault {
    // Of libraries, which are not read:
    OBJ_LIBRARY_NO_FOLDER,  // The folder of the model is unknown.
    OBJ_LIBRARY_OUTSIDE,    // Outside the folder of the model.
    OBJ_LIBRARY_MISSING,
    OBJ_LIBRARY_UNREADABLE,
    OBJ_LIBRARY_TOO_MANY,
    // Of a material that the model uses:
    OBJ_LIBRARY_UNDEFINED,
    // Of a line of a library:
    OBJ_LIBRARY_UNUSED,    // A material that the model does not use.
    OBJ_LIBRARY_VALUE,     // A value is invalid.
    OBJ_LIBRARY_PROPERTY,  // A property that scenes do not support.
    OBJ_LIBRARY_OPTION,    // An option of a texture that scenes do not support.
    OBJ_LIBRARY_FAULT_COUNT,
} obj_library_fault;

typedef struct obj_library_reader {
    const char *model_path;
    const tenon_files *files;  // If NULL, those of the system.
    tn_arena *arena;
    const tn_name_list *materials;  // That the model uses.
    bool *is_defined;               // For each of them; false at first.
    // Called for every material in a library that the model uses, which has that index. `is_first`
    // is false if it is already defined. Returns whether to continue.
    bool (*on_material)(void *user, uint32_t index, const obj_material *material, bool is_first);
    // `name` is that of the library or the material, or the first word of the line. `line` is 0 if
    // it is not a fault of a line.
    void (*on_fault)(void *user, obj_library_fault fault, tenon_str name, uint64_t line);
    void *user;
    tenon_error *err;  // Set on failure.
    // The current library:
    const char *file;  // Its name, without folder.
    tenon_str folder;  // Relative to the model, with a slash at the end.
    obj_text text;
    obj_material material;
    bool is_open;   // There was a `newmtl`.
    uint32_t left;  // Files that may still be searched.
    bool stopped;
} obj_library_reader;

// Read the libraries that the `mtllib` lines name, up to a limit. Returns false, with `err` set, if
// the system fails to read one, there is no memory, or `on_material` returns false, which means the
// same.
bool obj_read_libraries(obj_library_reader *reader, const tn_name_list *lines);

// -- The importer (obj_import.c)

static inline tn_outline obj_outline(const obj_model *model, const obj_corner *corners,
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
    const tenon_obj *doc;
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
void *obj_alloc(obj_importer *importer, uint64_t count, size_t size);

// -- Materials (obj_import_material.c)

// Add the materials that the file uses, as its libraries define them.
void obj_import_materials(obj_importer *importer);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_IMPORT_H
