// obj_parse_mtl.h: the materials of an MTL file.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H

#include "formats/obj/import/obj_parse.h"

// Numbers of a material.
typedef enum obj_trait {
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
    OBJ_TRAIT_COUNT,
} obj_trait;

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

typedef struct obj_look {
    tenon_str name;
    uint64_t line;
    float traits[OBJ_TRAIT_COUNT][3];
    bool is_said[OBJ_TRAIT_COUNT];
    obj_map maps[OBJ_MAP_COUNT];
} obj_look;

// What can be wrong with a line of an MTL file.
typedef enum obj_mtl_fault {
    OBJ_MTL_VALUE,     // A value is invalid.
    OBJ_MTL_PROPERTY,  // A property that scenes do not support.
    OBJ_MTL_OPTION,    // An option of a texture that scenes do not support.
} obj_mtl_fault;

typedef struct obj_mtl_parser {
    tn_arena *arena;
    void (*look)(void *user, const obj_look *look);
    void (*wrong)(void *user, obj_mtl_fault fault, const obj_word *at);
    void *user;
} obj_mtl_parser;

// Parse an MTL file and report every material in it. Returns false without memory.
bool obj_parse_mtl(const obj_mtl_parser *r, tenon_str text);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
