// modeldata_check.h: the rules of ModelData, and what the files that check them share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_CHECK_MODELDATA_CHECK_H
#define TN_FORMATS_MODELDATA_CHECK_MODELDATA_CHECK_H

#include "formats/modeldata/modeldata_format.h"

enum {
    MODELDATA_LEGACY_SIZES,
    MODELDATA_LEGACY_SHAPE,
    MODELDATA_CHARACTER_COUNT,
    MODELDATA_JOINT_SIZES,
    MODELDATA_LEFTOVER,
    MODELDATA_ELEMENT_SIZE,
    MODELDATA_SIZE_UNIT,
    MODELDATA_NUMBERS_EACH,
    MODELDATA_VERTEX_COUNT,
    MODELDATA_TRIANGLE_COUNT,
    MODELDATA_INDEX_RANGE,
    MODELDATA_WINDING,
    MODELDATA_ZERO_NORMAL,
    MODELDATA_NOT_FINITE,
    MODELDATA_MISSING_ARRAY,
    MODELDATA_MISSING_SKIN,
    MODELDATA_JOINT_ID,
    MODELDATA_WEIGHT_ZERO,
    MODELDATA_WEIGHT_SUM,
    MODELDATA_FLAG,
    MODELDATA_IGNORED_VALUE,
    MODELDATA_OMITTED_VALUES,
    MODELDATA_MAP_SIZE,
    MODELDATA_TEXTURE_PATH,
    MODELDATA_TEXTURE_MISSING,
    MODELDATA_TEXTURE_UNUSED,
    MODELDATA_SHAPE_FAULT,
    MODELDATA_SHAPE_NONE,
    MODELDATA_SHAPE_MISREAD,
    MODELDATA_SHAPE_SIZE,
    MODELDATA_TEXT_UTF8,
    MODELDATA_SKELETON_MISSING,
    MODELDATA_ROOT_COUNT,
    MODELDATA_JOINT_INDEX,
    MODELDATA_PARENT_MISSING,
    MODELDATA_PARENT_CYCLE,
    MODELDATA_MATRIX_ROW,
    MODELDATA_MATRIX_COLUMNS,
    MODELDATA_MATRIX_ORDER,
    MODELDATA_JOINT_LIMIT,
    MODELDATA_ANIMATION_NAME,
    MODELDATA_LIST_COUNT,
    MODELDATA_LIST_COUNTS_DIFFER,
    MODELDATA_LIST_JOINT,
    MODELDATA_KEY_ORDER,
    MODELDATA_ROTATION_ZERO,
    MODELDATA_ROTATION_UNIT,
    MODELDATA_ROTATION_SIZE,
    MODELDATA_SCALE_KEYS,
    MODELDATA_RULES_END,
};

#define MODELDATA_JOINTS_MOST 50    // Limit of the engine's shader.
#define MODELDATA_KNOWN_COUNT 1024  // Indices in the table `is_known`; larger ones are searched.

// Finds joints by their index.
typedef struct modeldata_skeleton {
    modeldata_order by_index;
    bool is_known[MODELDATA_KNOWN_COUNT];  // Whether a joint has this index.
    int64_t largest_index;                 // -1 if there are no joints.
} modeldata_skeleton;

void modeldata_check_mesh(tn_check *check, const tenon_modeldata *doc, uint32_t mesh,
                          const modeldata_skeleton *skeleton);
void modeldata_check_skeleton(tn_check *check, const tenon_modeldata *doc,
                              const modeldata_skeleton *skeleton);
void modeldata_check_animation(tn_check *check, const tenon_modeldata *doc, uint32_t animation,
                               const modeldata_skeleton *skeleton);

// Check modeldata/leftover-bytes.
void modeldata_check_leftover(tn_check *check, tn_path_text path, const tenon_span *leftover);

// Check modeldata/character-count, in dialects with sizes in characters: the engine would truncate
// the name.
void modeldata_check_characters(tn_check *check, const tenon_modeldata *doc, tn_path_text path,
                                tenon_str name);

#endif  // TN_FORMATS_MODELDATA_CHECK_MODELDATA_CHECK_H
