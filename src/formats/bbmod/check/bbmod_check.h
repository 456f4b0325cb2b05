// bbmod_check.h: the rules of BBMOD models and animations.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H
#define TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H

#include "formats/bbmod/bbmod_tree.h"

// -- Models

enum {
    BBMOD_NODE_INDEX,
    BBMOD_NODE_INDEX_TWICE,
    BBMOD_NODE_COUNT,
    BBMOD_BONE_ENTRY,
    BBMOD_BONE_MISSING,
    BBMOD_BONE_COUNT,
    BBMOD_MESH_INDEX,
    BBMOD_MESH_UNUSED,
    BBMOD_MATERIAL_INDEX,
    BBMOD_MATERIAL_UNNAMED,
    BBMOD_PRIMITIVE_TYPE,
    BBMOD_PRIMITIVE_COUNT,
    BBMOD_VERTEX_FORMAT,
    BBMOD_VERTEX_BONE,
    BBMOD_VERTEX_BONE_FRACTION,
    BBMOD_WEIGHTS,
    BBMOD_BOUNDS_UNSET,
    BBMOD_BOUNDS_STALE,
    BBMOD_WINDING,
    BBMOD_TRANSFORM_ZERO,
    BBMOD_TRANSFORM_UNIT,
    BBMOD_MATRIX,
    BBMOD_MATRIX_SCALE,
    BBMOD_ROOT_INVERSE,
    BBMOD_NOT_FINITE,
    BBMOD_FLAG,
    BBMOD_TEXT_UTF8,
    BBMOD_BROKEN_SAVER,
    BBMOD_MATERIAL_FILE,
    BBMOD_TEXTURE_PATH,
    BBMOD_TEXTURE_MISSING,
    BBMOD_BONE_LIMIT,
    BBMOD_NODE_LIMIT,
    BBMOD_VERSION,
    BBMOD_RULE_COUNT,
};

extern const tenon_rule bbmod_rules[BBMOD_RULE_COUNT];

void bbmod_check(tn_check *check, const void *doc);

// Check the material files, in bbmod_sidecar.c.
void bbmod_check_sidecars(tn_check *check, const tenon_bbmod *doc);

// Whether a dual quaternion is a rotation and a translation.
typedef enum bbmod_dual_state { BBMOD_DUAL_GOOD, BBMOD_DUAL_ZERO, BBMOD_DUAL_OFF } bbmod_dual_state;

// Numbers that are not finite count as good: another rule reports them.
bbmod_dual_state bbmod_dual_check(const float v[8]);

// -- Animations

enum {
    BBANIM_DURATION,
    BBANIM_RATE,
    BBANIM_SPACES_UNKNOWN,
    BBANIM_SPACES_NONE,
    BBANIM_SPACES_DIFFER,
    BBANIM_TRANSFORM_ZERO,
    BBANIM_TRANSFORM_UNIT,
    BBANIM_NOT_FINITE,
    BBANIM_CHANNEL_INDEX,
    BBANIM_CHANNEL_EMPTY,
    BBANIM_KEY_ORDER,
    BBANIM_KEY_RANGE,
    BBANIM_ROTATION_UNIT,
    BBANIM_EVENT_FRAME,
    BBANIM_EVENTS_APPENDED,
    BBANIM_TEXT_UTF8,
    BBANIM_MAGIC,
    BBANIM_BROKEN_SAVER,
    BBANIM_MODEL_NODES,
    BBANIM_MODEL_BONES,
    BBANIM_BONE_LIMIT,
    BBANIM_NODE_LIMIT,
    BBANIM_VERSION,
    BBANIM_RULE_COUNT,
};

extern const tenon_rule bbanim_rules[BBANIM_RULE_COUNT];

void bbanim_check(tn_check *check, const void *doc);

// Compare with the model of the options, in bbanim_fit.c.
void bbanim_fit_check_model(tn_check *check, const tenon_bbanim *doc);

#endif  // TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H
