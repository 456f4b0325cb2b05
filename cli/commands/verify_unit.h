// verify_unit.h: the unit and axes of a model that does not state them.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_VERIFY_UNIT_H
#define TENON_CLI_VERIFY_UNIT_H

#include <tenon/scene.h>

// The unit and axes of a model. Zeroed: meters, Y up, as in scenes.
typedef struct verify_unit {
    double scale;  // Meters; 0: 1.
    bool is_z_up;
    bool is_unknown;   // No unit fits.
    const char *word;  // "centimeters"; NULL: given, or not needed.
} verify_unit;

// Find the unit in which `b` at rest has the size and place of `a` at `seconds` of the clip (NULL:
// at rest). Zeroed if it already has. False if memory ran out.
bool verify_find_unit(const tenon_scene *a, const char *clip, double seconds, const tenon_scene *b,
                      verify_unit *unit, tenon_error *err);

// Convert a scene to meters, Y up. On failure it can only be freed.
bool verify_take_unit(tenon_scene *scene, const verify_unit *unit, tenon_error *err);

#endif  // TENON_CLI_VERIFY_UNIT_H
