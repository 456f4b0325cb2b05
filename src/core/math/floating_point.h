// floating_point.h: the same bits on every machine, also where the library is compiled without the
// flags of its CMake files. Every source file of the library includes it.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MATH_FLOATING_POINT_H
#define TN_CORE_MATH_FLOATING_POINT_H

#ifdef __FAST_MATH__
#error "compile Tenon without -ffast-math: it writes the same bytes on every machine"
#endif

// A product and a sum must not become one fused operation, which rounds once instead of twice.
#ifdef _MSC_VER
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__FP_FAST_FMA)
// GCC ignores the pragma of C, and its vectorizer of straight-line code fuses even with
// -ffp-contract=off.
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif

#endif  // TN_CORE_MATH_FLOATING_POINT_H
