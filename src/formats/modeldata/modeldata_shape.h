// modeldata_shape.h: the text of a collision shape, parsed as the engine does.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_MODELDATA_SHAPE_H
#define TN_FORMATS_MODELDATA_MODELDATA_SHAPE_H

#include <tenon/tenon.h>

#include "core/math/floating_point.h"

typedef enum modeldata_shape_kind {
    MODELDATA_SHAPE_CONVEX,
    MODELDATA_SHAPE_TRIANGLES,
    MODELDATA_SHAPE_COMPOUND,
    MODELDATA_SHAPE_SPHERE,
    MODELDATA_SHAPE_BOX,
    MODELDATA_SHAPE_CAPSULE,
    MODELDATA_SHAPE_CYLINDER,
    MODELDATA_SHAPE_CONE,
    MODELDATA_SHAPE_UNKNOWN,  // The engine does not create a shape.
} modeldata_shape_kind;

typedef struct modeldata_shape {
    modeldata_shape_kind kind;
    uint32_t child_count;  // Of a compound.
    const char *fault;     // Why the engine throws; NULL if it does not.
    const char *misread;   // What the engine reads differently from the text; NULL if nothing.
    bool is_flat;          // A size is 0, negative or not finite.
} modeldata_shape;

// Read `text` as the engine does.
modeldata_shape modeldata_parse_shape(tenon_str text);

// The word for a kind in the text, for example "triangleMesh".
const char *modeldata_shape_word(modeldata_shape_kind kind);

#endif  // TN_FORMATS_MODELDATA_MODELDATA_SHAPE_H
