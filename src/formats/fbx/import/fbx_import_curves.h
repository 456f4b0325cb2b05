// fbx_import_curves.h: curves over time.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CURVES_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CURVES_H

#include "formats/fbx/import/fbx_import.h"

// Bits of the attributes of a key.
enum {
    FBX_KEY_CONSTANT = 0x2,
    FBX_KEY_LINEAR = 0x4,
    FBX_KEY_CUBIC = 0x8,
    FBX_KEY_AUTO = 0x100,  // Of constant keys: the value is that of the next key.
    FBX_KEY_TCB = 0x200,
    FBX_KEY_USER = 0x400,
    FBX_KEY_BREAK = 0x800,
    FBX_KEY_CLAMP = 0x1000,
    FBX_KEY_TIME_INDEPENDENT = 0x2000,
    FBX_KEY_PROGRESSIVE = 0x4000,
    FBX_KEY_WEIGHTED_RIGHT = 0x1000000,
    FBX_KEY_WEIGHTED_LEFT = 0x2000000,
};

// A key as files of all versions store it.
typedef struct fbx_raw_key {
    int64_t ticks;
    float value;
    uint32_t flags;
    float data[3];  // Slopes, biases, or tension, continuity and bias.
    float right_weight, left_weight;
} fbx_raw_key;

// Make a curve of `count` keys. Those whose time is not after that of the key before them, or whose
// value is not finite, are dropped from `raw` as well. Returns how many are left.
uint32_t fbx_import_curve_keys(fbx_raw_key *raw, uint32_t count, double tick_rate, fbx_key *out);

// The value at a time. The curve has keys.
double fbx_import_curve_value(const fbx_curve *curve, double time);

// Whether the curve changes, at some time.
bool fbx_import_curve_moves(const fbx_curve *curve);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CURVES_H
