// obj_parse_mtl.h: what an MTL file says of one material.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H

#include "formats/obj/import/obj_parse.h"

// Numbers of a material, and the order of the words for them in obj_parse_mtl.c.
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
    tenon_str path;             // As the MTL file has it; size 0: there is none.
    float offset[2], scale[2];  // V goes up.
    float bump;                 // How much.
    bool is_clamped;
    char channel;  // Which one of the picture; 0: not said.
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
    OBJ_MTL_VALUE,     // What follows the word is not what it must be.
    OBJ_MTL_PROPERTY,  // It says something that scenes do not have.
    OBJ_MTL_OPTION,    // The same, of a texture.
} obj_mtl_fault;

typedef struct obj_mtl_parser {
    tn_arena *arena;
    void (*look)(void *user, const obj_look *look);
    void (*wrong)(void *user, obj_mtl_fault fault, const obj_word *at);
    void *user;
} obj_mtl_parser;

// Read an MTL file, and tell every material in it. False: there is no memory.
bool obj_parse_mtl(const obj_mtl_parser *r, tenon_str text);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_PARSE_MTL_H
