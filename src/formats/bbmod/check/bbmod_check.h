// bbmod_check.h: the rules of BBMOD models and animations.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H
#define TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H

#include "formats/bbmod/bbmod_tree.h"

// -- Models

enum { BBMOD_RULE_COUNT = 34 };

extern const tenon_rule bbmod_rules[BBMOD_RULE_COUNT];

void bbmod_check(tn_check *check, const void *doc);

// Check the material files, in bbmod_sidecar.c.
void bbmod_check_sidecars(tn_check *check, const tenon_bbmod *doc);

// Whether a dual quaternion is a rotation and a translation.
typedef enum bbmod_dual_state { BBMOD_DUAL_GOOD, BBMOD_DUAL_ZERO, BBMOD_DUAL_OFF } bbmod_dual_state;

// Numbers that are not finite count as good: another rule reports them.
bbmod_dual_state bbmod_dual_check(const float v[8]);

// -- Animations

enum { BBANIM_RULE_COUNT = 23 };

extern const tenon_rule bbanim_rules[BBANIM_RULE_COUNT];

void bbanim_check(tn_check *check, const void *doc);

// Compare with the model of the options, in bbanim_fit.c.
void bbanim_fit_check_model(tn_check *check, const tenon_bbanim *doc);

#endif  // TN_FORMATS_BBMOD_CHECK_BBMOD_CHECK_H
