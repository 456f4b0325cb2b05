// verify_unit.h: the unit and the axes of a model that does not say them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_VERIFY_UNIT_H
#define TENON_CLI_VERIFY_UNIT_H

#include <tenon/scene.h>

// How a model is understood. Zeroed: in meters, Y up, as scenes are.
typedef struct verify_unit {
    double scale;  // Meters; 0: 1.
    bool is_z_up;
    bool is_unknown;   // It was looked for, and none fits.
    const char *word;  // "centimeters"; NULL: it was given, or is not needed.
} verify_unit;

// The unit in which `b` at rest is as large as `a`, and is where it is, at `seconds` of the clip of
// that name (NULL: at rest). Zeroed if that is so without any change. False if memory ran out.
bool verify_find_unit(const tenon_scene *a, const char *clip, double seconds, const tenon_scene *b,
                      verify_unit *unit, tenon_error *err);

// Bring a scene to metres, Y up. On failure it can only be freed.
bool verify_take_unit(tenon_scene *scene, const verify_unit *unit, tenon_error *err);

#endif  // TENON_CLI_VERIFY_UNIT_H
