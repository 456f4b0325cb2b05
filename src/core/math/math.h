// math.h: vectors, quaternions, matrices, dual quaternions and angles, in double precision.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MATH_MATH_H
#define TN_CORE_MATH_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/math/floating_point.h"

// -- Conventions
//
// Space is right-handed. Angles are in radians; a turn by a positive angle is counter-clockwise
// seen against the axis.
//
// Vectors are columns. A matrix is stored column by column, m[4 * column + row], and a * b applies
// b first: the translation of a tn_mat4 is m[12], m[13], m[14].
//
// A quaternion is x i + y j + z k + w with i j = k (Hamilton). It rotates v to q v q*, so a * b
// applies b first here, too. Rotations have length 1, and q and -q are the same rotation.
//
// A dual quaternion is real + e dual, with the rotation in `real` and dual = translation * real /
// 2. A unit dual quaternion has a real part of length 1 at right angles to the dual part.
//
// A tn_trs scales, then rotates, then translates: M = T R S.
//
// Everything is computed with + - * / and sqrt, in a fixed order: the same bits on every machine,
// if compiled without contraction (-ffp-contract=off) and without fast mathematics. Numbers are
// assumed to be in the range of floats, 1e-45 to 1e38, or 0, so that squares neither overflow nor
// vanish. NaNs and infinities are safe: they give NaN, or what the functions that normalize say.
//
// "Unit" in front of a parameter means: of length 1, up to rounding, which is not checked.

typedef struct tn_vec3 {
    double x, y, z;
} tn_vec3;

typedef struct tn_quat {
    double x, y, z, w;
} tn_quat;

typedef struct tn_mat3 {
    double m[9];
} tn_mat3;

typedef struct tn_mat4 {
    double m[16];
} tn_mat4;

typedef struct tn_dquat {
    tn_quat real, dual;
} tn_dquat;

typedef struct tn_trs {
    tn_vec3 translation;
    tn_quat rotation;
    tn_vec3 scale;
} tn_trs;

#define TN_PI 0x1.921fb54442d18p+1

// As a float. A NaN is always the same one, whatever the machine would make of it.
float tn_to_float(double value);

// As a finite float: what is too large becomes the largest one, and a NaN becomes 0. `*clamped`,
// which may be NULL, counts such values.
float tn_narrow(double value, uint64_t *clamped);

// The next larger float of one that is finite and not negative.
float tn_float_after(float value);

// -- Vectors

static inline tn_vec3 tn_vec3_from_floats(const float v[3]);
void tn_vec3_to_floats(tn_vec3 v, float out[3], uint64_t *clamped);  // As tn_narrow() makes them.
static inline tn_vec3 tn_vec3_add(tn_vec3 a, tn_vec3 b);
static inline tn_vec3 tn_vec3_sub(tn_vec3 a, tn_vec3 b);
static inline tn_vec3 tn_vec3_scale(tn_vec3 a, double factor);
static inline tn_vec3 tn_vec3_lerp(tn_vec3 a, tn_vec3 b,
                                   double t);  // Exactly a at 0, exactly b at 1.
static inline double tn_vec3_dot(tn_vec3 a, tn_vec3 b);
static inline tn_vec3 tn_vec3_cross(tn_vec3 a, tn_vec3 b);
static inline double tn_vec3_length(tn_vec3 a);

// To length 1. A vector of length 0 or that is not finite becomes 0.
static inline tn_vec3 tn_vec3_normalise(tn_vec3 a);

// -- Quaternions

static inline tn_quat tn_quat_identity(void);
static inline tn_quat tn_quat_mul(tn_quat a, tn_quat b);
static inline tn_quat tn_quat_conjugate(tn_quat q);  // Of a unit q, the inverse.
static inline double tn_quat_dot(tn_quat a, tn_quat b);

// Of q and -q, which are the same rotation, the one nearer to `to`; q if `to` is 0.
tn_quat tn_quat_nearer(tn_quat q, tn_quat to);

// To length 1. A quaternion of length 0 or that is not finite becomes the identity.
static inline tn_quat tn_quat_normalise(tn_quat q);

// Rotate v by the unit q.
static inline tn_vec3 tn_quat_rotate(tn_quat q, tn_vec3 v);

// From unit a to unit b on the shorter way, at constant speed; nlerp at nearly that, for less work.
// Exactly a for t <= 0. For t >= 1 exactly b, or -b where that is nearer to a: the same rotation.
tn_quat tn_quat_slerp(tn_quat a, tn_quat b, double t);

// The same in two steps, for several values of t.
typedef struct tn_slerp {
    tn_quat from, to;
    double angle;  // Half of that between the rotations.
} tn_slerp;

tn_slerp tn_slerp_make(tn_quat a, tn_quat b);
tn_quat tn_slerp_at(const tn_slerp *slerp, double t);
tn_quat tn_quat_nlerp(tn_quat a, tn_quat b, double t);

// The axis need not be of length 1; one of length 0 gives the identity.
tn_quat tn_quat_from_axis_angle(tn_vec3 axis, double angle);

// From a rotation; for other matrices see tn_mat3_polar(). The largest component is positive.
tn_quat tn_quat_from_mat3(const tn_mat3 *m);

// -- Matrices of three rows

tn_mat3 tn_mat3_identity(void);
static inline tn_mat3 tn_mat3_from_columns(tn_vec3 x, tn_vec3 y, tn_vec3 z);
tn_mat3 tn_mat3_from_quat(tn_quat q);  // Unit q.
static inline tn_vec3 tn_mat3_column(const tn_mat3 *m, size_t column);
static inline tn_mat3 tn_mat3_mul(const tn_mat3 *a, const tn_mat3 *b);
static inline tn_mat3 tn_mat3_transpose(const tn_mat3 *m);
static inline double tn_mat3_determinant(const tn_mat3 *m);

// The transposed inverse times the determinant, which keeps normals perpendicular to their faces.
static inline tn_mat3 tn_mat3_cofactors(const tn_mat3 *m);

// m = u diag(s) v^T: rotate, scale along the axes, rotate. Both u and v are rotations, for any m.
//
// s.x >= s.y >= |s.z|, and s.z is negative if m mirrors. Directions that m does not determine are
// chosen deterministically. For the zero matrix u and v are the identity. Errors are some 1e-15 of
// the largest entry.
typedef struct tn_svd {
    tn_mat3 u;
    tn_vec3 s;
    tn_mat3 v;
} tn_svd;

tn_svd tn_mat3_svd(const tn_mat3 *m);

// m = rotation * stretch: the rotation nearest to m, and a symmetric stretch (may be NULL). If m
// mirrors, the stretch does.
void tn_mat3_polar(const tn_mat3 *m, tn_mat3 *rotation, tn_mat3 *stretch);

// -- Matrices of four rows

tn_mat4 tn_mat4_identity(void);
static inline tn_mat4 tn_mat4_from_mat3(const tn_mat3 *m, tn_vec3 translation);
static inline tn_mat3 tn_mat4_upper(const tn_mat4 *m);  // Without translation and last row.
tn_mat4 tn_mat4_mul(const tn_mat4 *a, const tn_mat4 *b);
tn_mat4 tn_mat4_transpose(const tn_mat4 *m);
double tn_mat4_determinant(const tn_mat4 *m);

// Whether the last row is exactly 0 0 0 1.
static inline bool tn_mat4_is_affine(const tn_mat4 *m);

// Both return false, and the identity, if there is no inverse: the columns do not span the space as
// far as rounding can tell (their volume is under 1e-15 of that of a box with the same edges), or
// an entry is not finite. `out` may be `m`. The affine one takes the last row for 0 0 0 1, whatever
// it is.
bool tn_mat4_inverse(const tn_mat4 *m, tn_mat4 *out);
bool tn_mat4_affine_inverse(const tn_mat4 *m, tn_mat4 *out);

// The last row is taken for 0 0 0 1. A vector is not moved.
static inline tn_vec3 tn_mat4_point(const tn_mat4 *m, tn_vec3 p);
static inline tn_vec3 tn_mat4_vector(const tn_mat4 *m, tn_vec3 v);

// From and to floats, column by column (m[12] to m[14] hold the translation) or row by row (m[3],
// m[7], m[11]).
static inline tn_mat4 tn_mat4_from_columns(const float m[16]);
tn_mat4 tn_mat4_from_rows(const float m[16]);
void tn_mat4_to_columns(const tn_mat4 *m, float out[16]);
void tn_mat4_to_rows(const tn_mat4 *m, float out[16]);

// -- Matrices of files that do not say their order

// The order that the translation shows: greater than 0 row by row, less than 0 column by column, 0
// if there is none. An affine matrix has its translation in the last column and zeros in the last
// row.
int tn_stored_order(const float m[16]);

// Whether both orders give the same matrix.
bool tn_stored_is_symmetric(const float m[16]);

// Exchange rows and columns. Returns whether the matrix was not symmetric.
bool tn_stored_transpose(float m[16]);

// -- Translation, rotation, scale

tn_trs tn_trs_identity(void);

// Floats as tn_narrow() makes them.
void tn_trs_to_floats(const tn_trs *trs, float translation[3], float rotation[4], float scale[3],
                      uint64_t *clamped);
tn_mat4 tn_mat4_from_trs(const tn_trs *trs);  // Unit rotation.

// Flags of tn_mat4_decompose().
enum {
    TN_TRS_MIRRORED = 1 << 0,    // The x scale is negative.
    TN_TRS_SHEARED = 1 << 1,     // Two columns are more than 1e-5 rad from a right angle.
    TN_TRS_DEGENERATE = 1 << 2,  // The columns are in one plane, within 1e-6, or one is 0.
};

// Split an affine matrix. Returns flags; without any, composing gives `m` again up to 1e-5.
//
// Sheared: the rotation is the one nearest to the directions of the columns, the scale is what the
// columns have along it; composing shows how much is missing. Degenerate: a scale of 0 is kept, and
// directions that are missing are chosen; never mirrored. An entry that is not finite: degenerate,
// and the identity.
uint32_t tn_mat4_decompose(const tn_mat4 *m, tn_trs *out);

// Whether composing gives `m` again, each entry off by at most `slack` times the largest one.
bool tn_mat4_is_trs(const tn_mat4 *m, const tn_trs *trs, double slack);

// -- Dual quaternions

static inline tn_dquat tn_dquat_identity(void);
static inline tn_dquat tn_dquat_make(tn_quat rotation, tn_vec3 translation);  // Unit rotation.
static inline tn_vec3 tn_dquat_translation(tn_dquat q);  // Unit q; the rotation is q.real.
static inline tn_dquat tn_dquat_mul(tn_dquat a, tn_dquat b);
static inline tn_dquat tn_dquat_inverse(tn_dquat q);  // Unit q.

// To unit length, both conditions. A real part of length 0 or not finite gives the identity.
static inline tn_dquat tn_dquat_normalise(tn_dquat q);

static inline tn_vec3 tn_dquat_point(tn_dquat q, tn_vec3 p);  // Unit q.

// The matrix must consist of rotation and translation only.
tn_dquat tn_dquat_from_mat4(const tn_mat4 *m);
tn_mat4 tn_dquat_to_mat4(tn_dquat q);  // Unit q.

// The weighted mean, of unit length. Each q[i] is added with the sign that brings it nearer to the
// first one. Weights need not sum to 1; if the sum vanishes, the result is the identity.
tn_dquat tn_dquat_blend(const tn_dquat *q, const double *weights, uint32_t count);

// -- Angles

double tn_radians(double degrees);
double tn_degrees(double radians);

// Within 1.1 ulp of the true value for |x| up to 1.6e6. Beyond, that of an angle less than half an
// ulp away from x. NaN for what is not finite.
double tn_sin(double x);
double tn_cos(double x);

// Within 3 ulp. Arguments are clamped to -1 and 1.
double tn_asin(double x);  // -pi/2 to pi/2
double tn_acos(double x);  // 0 to pi

// The angle of the point (x, y), -pi to pi, within 2 ulp. Zeros and infinities as in C: the sign of
// a zero counts.
double tn_atan2(double y, double x);

#include "core/math/math_inline.h"

#endif  // TN_CORE_MATH_MATH_H
