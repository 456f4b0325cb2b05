// wide.h: the loops over most of the bytes, built twice: for every machine, and for vectors of 32
// bytes where the machine has them.
// SPDX-License-Identifier: MIT
//
// Both are the same C code with the same rounding of every operation, so their results are
// identical; tests/unit/test_wide.c compares them.

#ifndef TN_CORE_CURSOR_WIDE_H
#define TN_CORE_CURSOR_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define TN_LANES 16  // Frames that are processed at once: they and their keys fit into the cache.

typedef double tn_lanes[TN_LANES];

// The parts of affine matrices.
typedef struct tn_affine_parts {
    float rotations[4 * TN_LANES];
    float scales[3 * TN_LANES];
    tn_lanes shear;   // The squares of the cosines between columns, added up.
    tn_lanes volume;  // Of the directions of the columns: 1, or -1 if they are mirrored.
} tn_affine_parts;

// The largest shear for which the parts are correct: the error of the series is below rounding.
#define TN_HARDLY_SHEARED 1e-10

#define TN_BOXES 8

// Boxes that are compared at once. Those that are none have the bounds HUGE_VAL and -HUGE_VAL.
typedef struct tn_boxes {
    float min[3][TN_BOXES], max[3][TN_BOXES];
} tn_boxes;

typedef struct tn_loops {
    // Copy words with their bytes reversed. `to` may be `from`.
    void (*swap)(uint8_t *to, const uint8_t *from, uint64_t count);

    // The largest of some words in the order of the host; 0 if there are none.
    uint32_t (*top)(const uint8_t *words, uint64_t count);

    // Whether none of the words has all bits of `mask`.
    bool (*none_has_all)(const uint8_t *words, uint64_t count, uint32_t mask);

    // Whether for no word the bits under its mask equal its entry of `all`.
    bool (*none_matches)(const uint8_t *words, uint32_t count, const uint32_t *masks,
                         const uint32_t *all);

    // Whether all vectors, of `each` floats, 3 or 4, have length 1: their squares are less than
    // 2e-7 away from 1. If false, they have to be examined one by one.
    bool (*are_units)(const float *values, uint64_t count, uint32_t each);

    // Whether the weights of all vertices, with four influences each, sum to 1 within 1e-7, all
    // joints exist, and influences without weight have joint 0. If false, they have to be examined
    // one by one.
    bool (*are_influences)(const uint16_t *joints, const float *weights, uint64_t count,
                           uint32_t joint_count);

    // Decompose TN_LANES dual quaternions, as BBMOD stores them, into the keys of a scene, which
    // are mirrored in z. Returns false if a real part has length 0; the keys are then undefined.
    bool (*split_duals)(const float *rows, float *translations, float *rotations);

    // Decompose TN_LANES matrices of four columns. The parts are correct only for matrices of
    // volume 1 that are hardly sheared.
    void (*split_affine)(const float *matrices, tn_affine_parts *parts);

    // Whether TN_LANES matrices are finite, the squares of the cosines between their columns at
    // most `shear_most`, and the squares of how far their last rows are from 0 0 0 1 at most
    // `off_most`.
    bool (*are_affine)(const float *matrices, double shear_most, double off_most);

    // Move `count` positions by the weighted sums of the matrices of `each` joints. Matrices are
    // the upper three rows, column by column; one number more follows the last of them. Joints
    // without weight are not read.
    void (*skin)(const double *palette, const uint16_t *joints, const float *weights, uint32_t each,
                 const float *positions, uint64_t count, float *moved);

    // The squared distances of `count` pairs of positions, which are numbered: in `a`, in `b`. One
    // number more follows the last position of both.
    void (*squares)(const float *a, const float *b, const uint32_t *pairs, uint64_t count,
                    double *squares);

    // The squared distances of `count` pairs of positions after each was moved by a matrix and
    // rounded. Of both, all x follow each other, then, `stride` numbers later, all y, then all z.
    // Up to TN_LANES - 1 numbers more are read, and written to `squares`.
    void (*moved_squares)(const double *a_matrix, const double *b_matrix, const float *a,
                          const float *b, uint64_t stride, uint64_t count, double *squares);

    // The squared distances of a point from boxes.
    void (*box_squares)(const tn_boxes *boxes, const double point[3], double squares[TN_BOXES]);
} tn_loops;

// For this machine.
const tn_loops *tn_loops_here(void);

// Either build, for tests. NULL: this machine has no vectors of 32 bytes.
const tn_loops *tn_plain_loops(void);
const tn_loops *tn_wide_loops(void);

#endif  // TN_CORE_CURSOR_WIDE_H
