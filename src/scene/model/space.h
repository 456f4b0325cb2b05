// space.h: convert left-handed spaces to that of scenes, and sRGB colors to linear ones.
// SPDX-License-Identifier: MIT
//
// A left-handed space becomes a right-handed one by reversing Z. This also reverses the winding of
// triangles and the sign (w) of tangents.

#ifndef TN_SCENE_MODEL_SPACE_H
#define TN_SCENE_MODEL_SPACE_H

#include "core/math/math.h"

// Each is its own inverse.
static inline tn_vec3 tn_mirror_vec3(tn_vec3 v)
{
    return (tn_vec3){v.x, v.y, 0 - v.z};
}

// The axis and the sense of rotation are mirrored: together, x and y change their signs.
static inline tn_quat tn_mirror_quat(tn_quat q)
{
    return (tn_quat){0 - q.x, 0 - q.y, q.z, q.w};
}

tn_mat4 tn_mirror_mat4(const tn_mat4 *m);

// `count` vectors of `each` floats, 3 or 4: the third and the fourth change their signs. 0 does not
// become -0.
void tn_mirror_floats(float *values, uint64_t count, uint32_t each);

// Reverse the winding of one triangle.
static inline void tn_reverse_triangle(uint32_t corners[3])
{
    uint32_t second = corners[1];
    corners[1] = corners[2];
    corners[2] = second;
}

// Whether a matrix turns triangles inside out.
static inline bool tn_mat4_mirrors(const tn_mat4 *m)
{
    tn_mat3 upper = tn_mat4_upper(m);
    return tn_mat3_determinant(&upper) < 0;
}

// Convert a component of an sRGB color (IEC 61966-2-1), 0 to 1, to linear. Other values do not
// change.
double tn_linear_from_srgb(double value);

// The linear values of all bytes of sRGB colors, and the byte whose value is nearest.
void tn_srgb_levels(float levels[256]);
uint8_t tn_srgb_byte(const float levels[256], double linear);

#endif  // TN_SCENE_MODEL_SPACE_H
