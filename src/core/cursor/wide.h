// wide.h: the loops over most of the bytes, built twice: for every machine, and for vectors of 32
// bytes where the machine has them.
// SPDX-License-Identifier: MIT
//
// It is the same C both times, with every operation rounded as it is written, so nobody can tell
// from a result which of the two has run; tests/unit/test_wide.c holds them against each other.

#ifndef TN_CORE_CURSOR_WIDE_H
#define TN_CORE_CURSOR_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define TN_LANES 16  // Frames taken at once: they fit a cache, and so do the keys they become.

typedef double tn_lanes[TN_LANES];

// What affine matrices are made of.
typedef struct tn_affine_parts {
    float rotations[4 * TN_LANES];
    float scales[3 * TN_LANES];
    tn_lanes shear;   // The squares of the cosines between columns, added up.
    tn_lanes volume;  // Of the directions of the columns: 1, or -1 if they are mirrored.
} tn_affine_parts;

// Up to here the parts are right, and what is left out of a series is less than rounding.
#define TN_HARDLY_SHEARED 1e-10

typedef struct tn_loops {
    // Copy words, each with its bytes the other way round. `to` may be `from`.
    void (*swap)(uint8_t *to, const uint8_t *from, uint64_t count);

    // The largest of some words in the order of the host; 0 if there are none.
    uint32_t (*top)(const uint8_t *words, uint64_t count);

    // Whether none of the words has all bits of `mask`.
    bool (*none_has_all)(const uint8_t *words, uint64_t count, uint32_t mask);

    // Whether no word has, of the bits of its own mask, those of its own `all`.
    bool (*none_matches)(const uint8_t *words, uint32_t count, const uint32_t *masks,
                         const uint32_t *all);

    // Whether all vectors, of `each` floats, 3 or 4, are so near to length 1 that they need not be
    // made so: their squares are less than 2e-7 away. False says nothing.
    bool (*are_units)(const float *values, uint64_t count, uint32_t each);

    // Whether of all vertices, with four influences each, the weights add up to 1, less than 1e-7
    // away; all joints exist; and what has no weight is joint 0. False says nothing.
    bool (*are_influences)(const uint16_t *joints, const float *weights, uint64_t count,
                           uint32_t joint_count);

    // Take TN_LANES dual quaternions apart, as BBMOD has them, into the keys of a scene, which are
    // mirrored in z. False: some real part has no length, and the keys are nothing.
    bool (*split_duals)(const float *rows, float *translations, float *rotations);

    // Take TN_LANES matrices of four columns apart. Only for those of volume 1 that are hardly
    // sheared are the parts right.
    void (*split_affine)(const float *matrices, tn_affine_parts *parts);

    // Whether TN_LANES matrices are finite, the squares of the cosines between their columns at
    // most `shear_most`, and the squares of how far their last rows are from 0 0 0 1 at most
    // `off_most`.
    bool (*are_affine)(const float *matrices, double shear_most, double off_most);
} tn_loops;

// For this machine.
const tn_loops *tn_loops_here(void);

// Either build, for tests. NULL: this machine has no vectors of 32 bytes.
const tn_loops *tn_plain_loops(void);
const tn_loops *tn_wide_loops(void);

#endif  // TN_CORE_CURSOR_WIDE_H
