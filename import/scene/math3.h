// math3.h: vectors, quaternions and matrices for the importer.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SCENE_MATH3_H
#define TENON_IMPORT_SCENE_MATH3_H

#include <stdbool.h>

#include <assimp/matrix4x4.h>
#include <assimp/quaternion.h>
#include <assimp/vector3.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct quat {
    double x, y, z, w;
} quat;

typedef struct mat4 {
    double m[16];  // Column-major.
} mat4;

// Scale first, then rotation, then translation.
typedef struct trs {
    vec3 translation;
    quat rotation;
    vec3 scale;
} trs;

// -- From Assimp's types; numbers that are not finite become those of 0 or the identity

double finite_or(double value, double fallback);
vec3 vec3_of(struct aiVector3D v);
quat quat_of(struct aiQuaternion q);  // Normalized.
mat4 mat4_of(const struct aiMatrix4x4 *matrix);

// -- Vectors

vec3 vec3_add(vec3 a, vec3 b);
vec3 vec3_scale(vec3 v, double by);
vec3 vec3_cross(vec3 a, vec3 b);
vec3 vec3_lerp(vec3 a, vec3 b, double at);
double vec3_dot(vec3 a, vec3 b);
double vec3_length(vec3 v);
vec3 vec3_normal(vec3 v);  // Normalized; 0 stays 0.

// -- Quaternions

extern const quat quat_identity;
quat quat_mul(quat a, quat b);
quat quat_normal(quat q);
quat quat_slerp(quat a, quat b, double at);  // Takes the shorter way, at constant speed.
double quat_dot(quat a, quat b);
vec3 quat_turn(quat q, vec3 v);

// -- Matrices

extern const mat4 mat4_identity;
mat4 mat4_mul(const mat4 *a, const mat4 *b);
mat4 mat4_of_trs(const trs *t);
vec3 mat4_point(const mat4 *m, vec3 p);
double mat4_determinant(const mat4 *m);  // Of the upper 3x3.
bool mat4_is_identity(const mat4 *m, double tolerance);

// Split a matrix into its parts. Returns false if it has shear, or a scale of 0.
bool mat4_decompose(const mat4 *m, trs *parts);

#endif  // TENON_IMPORT_SCENE_MATH3_H
