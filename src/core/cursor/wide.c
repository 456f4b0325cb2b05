// wide.c: the loops over most of the bytes, built twice.
// SPDX-License-Identifier: MIT

#include "core/cursor/wide.h"

#include "core/math/math.h"

#include <math.h>
#include <string.h>

// Rows of a matrix. Compilers do not find that the sums of these fit into one register each.
typedef double plain_rows[4];

// Compilers vectorize these loops; both builds do the same operations.
#define BUILT           static inline
#define NAMED(function) function##_plain
#define IN_TWO_STEPS    true  // SSE2 cannot reverse all bytes of a word in one step.
#define FOUR_ROWS       plain_rows
#define ADD_ROWS(sum, m, weight) \
    for (int row = 0; row < 3; row++) (sum)[row] += (weight) * (m)[row]
#define SQUARE_OF(square, a, b)                                                          \
    do {                                                                                 \
        double u = (double)(a)[0] - (double)(b)[0], v = (double)(a)[1] - (double)(b)[1], \
               w = (double)(a)[2] - (double)(b)[2];                                      \
        (square) = u * u + v * v + w * w;                                                \
    } while (0)
#define MOVE_BY_ROWS(numbers, to, a, b, c, d, p)                                \
    for (int row = 0; row < 3; row++)                                           \
    (to)[row] = (float)((a)[row] * (double)(p)[0] + (b)[row] * (double)(p)[1] + \
                        (c)[row] * (double)(p)[2] + (d)[row])
#include "core/cursor/wide_loops.h"
#undef BUILT
#undef NAMED
#undef IN_TWO_STEPS
#undef FOUR_ROWS
#undef ADD_ROWS
#undef MOVE_BY_ROWS
#undef SQUARE_OF

const tn_loops *tn_plain_loops(void)
{
    return &tn_loops_plain;
}

// AVX2 without FMA has no operation that multiplies and adds with one rounding. Not on Windows,
// where GCC keeps vectors of 32 bytes on stacks that are aligned to 16.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

typedef double wide_rows __attribute__((vector_size(32)));
typedef float wide_floats __attribute__((vector_size(16)));

#define BUILT           __attribute__((target("avx2"))) static inline
#define NAMED(function) function##_wide
#define IN_TWO_STEPS    false
#define FOUR_ROWS       wide_rows
#define ADD_ROWS(sum, m, weight)         \
    do {                                 \
        wide_rows rows;                  \
        memcpy(&rows, (m), sizeof rows); \
        (sum) += (weight)*rows;          \
    } while (0)
#define SQUARE_OF(square, a, b)                                                                \
    do {                                                                                       \
        wide_floats from, to;                                                                  \
        memcpy(&from, (a), sizeof from);                                                       \
        memcpy(&to, (b), sizeof to);                                                           \
        wide_rows apart =                                                                      \
            __builtin_convertvector(from, wide_rows) - __builtin_convertvector(to, wide_rows); \
        apart *= apart;                                                                        \
        (square) = apart[0] + apart[1] + apart[2];                                             \
    } while (0)
#define MOVE_BY_ROWS(numbers, to, a, b, c, d, p)                                                \
    do {                                                                                        \
        double x = (double)(p)[0], y = (double)(p)[1], z = (double)(p)[2];                      \
        wide_floats floats = __builtin_convertvector((a)*x + (b)*y + (c)*z + (d), wide_floats); \
        memcpy((to), &floats, (numbers) * sizeof(float));                                       \
    } while (0)
#include "core/cursor/wide_loops.h"

const tn_loops *tn_wide_loops(void)
{
    return __builtin_cpu_supports("avx2") ? &tn_loops_wide : NULL;
}

#else

const tn_loops *tn_wide_loops(void)
{
    return NULL;
}

#endif

const tn_loops *tn_loops_here(void)
{
    const tn_loops *wide = tn_wide_loops();
    return wide ? wide : tn_plain_loops();
}
