// obj_check.h: the rules of OBJ, and what the files that check them share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_CHECK_OBJ_CHECK_H
#define TN_FORMATS_OBJ_CHECK_OBJ_CHECK_H

#include "formats/obj/import/obj_parse.h"
#include "formats/obj/obj_format.h"

enum {
    OBJ_RULE_SYNTAX,
    OBJ_RULE_NOT_FINITE,
    OBJ_RULE_INDEX_RANGE,
    OBJ_RULE_FACE_SIZE,
    OBJ_RULE_FACE_CORNERS,
    OBJ_RULE_FACE_MIXED,
    OBJ_RULE_FACE_CROSSING,
    OBJ_RULE_NUMBERS,
    OBJ_RULE_STATEMENT,
    OBJ_RULE_FREE_FORM,
    OBJ_RULE_NORMAL_ZERO,
    OBJ_RULE_NORMAL_MISSING,
    OBJ_RULE_COLOR_RANGE,
    OBJ_RULE_EMPTY,
    OBJ_RULE_TEXT_UTF8,
    OBJ_RULE_LIBRARY_PATH,
    OBJ_RULE_LIBRARY_MISSING,
    OBJ_RULE_LIBRARY_VALUE,
    OBJ_RULE_MATERIAL_UNDEFINED,
    OBJ_RULE_MATERIAL_TWICE,
    OBJ_RULE_TEXTURE_PATH,
    OBJ_RULE_TEXTURE_MISSING,
};

typedef struct obj_checker {
    tn_check *check;
    const tenon_obj *doc;
    tn_arena *arena;  // For temporary memory.
    obj_model model;
    uint32_t *last;  // For each vertex, the last polygon that used it. NULL before the first one.
    uint32_t polygons;  // Number of polygons so far.
} obj_checker;

// Report a finding in a line of the text, at the byte `offset` of the text.
void obj_check_found(obj_checker *checker, uint32_t rule, uint64_t line, uint64_t offset,
                     const char *fmt, ...) TN_PRINTF(5, 6);

// Report a finding about a name in the text.
void obj_check_found_name(obj_checker *checker, uint32_t rule, tenon_str name, const char *fmt, ...)
    TN_PRINTF(4, 5);

// -- Libraries and textures (obj_check_sidecar.c)

void obj_check_libraries(obj_checker *checker);

#endif  // TN_FORMATS_OBJ_CHECK_OBJ_CHECK_H
