// obj_parse_mtl.h: the materials of an MTL file.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H

#include "formats/obj/import/obj_parse.h"

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
    tenon_str path;             // As in the MTL file; empty if there is no map.
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

// What can be wrong with a line of an MTL file.
typedef enum obj_mtl_fault {
    OBJ_MTL_VALUE,     // A value is invalid.
    OBJ_MTL_PROPERTY,  // A property that scenes do not support.
    OBJ_MTL_OPTION,    // An option of a texture that scenes do not support.
} obj_mtl_fault;

typedef struct obj_mtl_parser {
    tn_arena *arena;
    void (*on_material)(void *user, const obj_material *material);
    void (*on_fault)(void *user, obj_mtl_fault fault, const obj_word *at);
    void *user;
} obj_mtl_parser;

// Parse an MTL file and report every material in it. Returns false without memory.
bool obj_parse_mtl(const obj_mtl_parser *parser, tenon_str text);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
