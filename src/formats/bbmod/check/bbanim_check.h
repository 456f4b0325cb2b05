// bbanim_check.h: the rules of BBMOD animations.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_CHECK_BBANIM_CHECK_H
#define TN_FORMATS_BBMOD_CHECK_BBANIM_CHECK_H

#include "document/findings.h"

#include <tenon/bbmod.h>

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

#endif  // TN_FORMATS_BBMOD_CHECK_BBANIM_CHECK_H
