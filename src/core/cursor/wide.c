// wide.c: the loops over most of the bytes, built twice.
// SPDX-License-Identifier: MIT

#include "core/cursor/wide.h"

#include "core/math/math.h"

#include <math.h>
#include <string.h>

// Compilers vectorize these loops; both builds do the same operations.
#define BUILT           static inline
#define NAMED(function) function##_plain
#define IN_TWO_STEPS    true  // SSE2 cannot reverse all bytes of a word in one step.
#include "core/cursor/wide_loops.h"
#undef BUILT
#undef NAMED
#undef IN_TWO_STEPS

const tn_loops *tn_plain_loops(void)
{
    return &tn_loops_plain;
}

// AVX2 without FMA has no operation that multiplies and adds with one rounding. Not on Windows,
// where GCC keeps vectors of 32 bytes on stacks that are aligned to 16.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

#define BUILT           __attribute__((target("avx2"))) static inline
#define NAMED(function) function##_wide
#define IN_TWO_STEPS    false
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
