// number.h: numbers to text and back, exactly, whatever the locale.
// SPDX-License-Identifier: MIT
//
// Integer arithmetic, and divisions of doubles that are rounded once: the same text and the same
// bits on every compiler and machine.

#ifndef TN_CORE_TEXT_NUMBER_H
#define TN_CORE_TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/math/floating_point.h"

// Room for the longest text that this module writes, with its terminator.
#define TN_NUMBER_MAX 32

// -- To text
//
// Each writes at most TN_NUMBER_MAX bytes to `out`, terminates them, and returns their number
// without the terminator.

// The shortest decimal that reads back to the same bits; of several, the one nearest to `v`.
//
// Plain from 1e-5 up to 1e9 (f32) or 1e16 (f64), otherwise like `1e-7` and `1.5e30`; whole numbers
// have no point, negative zero is `-0`. That is the grammar of JSON, except for `nan`, `inf` and
// `-inf`, which JSON does not have.
size_t tn_f32_text(float v, char *out);
size_t tn_f64_text(double v, char *out);

size_t tn_u64_text(uint64_t v, char *out);
size_t tn_i64_text(int64_t v, char *out);

// The bits of a float as `f32:7fc00001` or `f64:7ff8000000000001`, to keep what is not finite.
size_t tn_f32_bits_text(float v, char *out);
size_t tn_f64_bits_text(double v, char *out);

// -- From text
//
// `text` need not be terminated. All of its `size` bytes must be the number.

// Whether a number as JSON spells it starts at `text`. Sets `*end` to its size; on failure to the
// offset of the byte at fault: a digit after a leading zero, or something else where a digit is
// expected.
bool tn_number_scan(const char *text, size_t size, size_t *end);

// The float nearest to a JSON number of any length, ties to even. A number that is too small
// becomes zero with its sign.
//
// Returns false if the number is too large (`*out` is an infinity) or not a number (`*out` is 0).
bool tn_f32_parse(const char *text, size_t size, float *out);
bool tn_f64_parse(const char *text, size_t size, double *out);

// Spell a number like JSON: "+1", "007", ".5" and "5." become "1", "7", "0.5" and "5.0". What is no
// number stays none. `out` has room for `size` + 2 bytes. Returns how many there are.
size_t tn_number_spell(const char *text, size_t size, char *out);

// Read a decimal at the start of `text` that has few digits and no exponent, whatever follows it.
// Returns its size, or 0 if there is no such number; the functions above may still read one.
size_t tn_f32_scan(const char *text, size_t size, float *out);

// The integer that a JSON number is equal to: `12`, `12.0` and `1.2e1` are all twelve.
//
// Returns false, with `*out` 0, if there is none or it does not fit the type.
bool tn_u64_parse(const char *text, size_t size, uint64_t *out);
bool tn_i64_parse(const char *text, size_t size, int64_t *out);

// The reverse of tn_f32_bits_text() and tn_f64_bits_text(). Returns false, with `*out` 0, if `text`
// has another form.
bool tn_f32_bits_parse(const char *text, size_t size, float *out);
bool tn_f64_bits_parse(const char *text, size_t size, double *out);

#endif  // TN_CORE_TEXT_NUMBER_H
