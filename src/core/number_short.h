// number_short.h: decimals of few digits, as nearly all numbers of models are. Part of number.c.
// SPDX-License-Identifier: MIT
//
// Whole numbers below 2^53 and powers of ten up to 10^22 are doubles, and a division is rounded
// once: so their quotient is the nearest double. The nearest float follows from it, unless the
// quotient is just between two floats: there it may have been rounded to that point.

#ifndef TENON_SRC_CORE_NUMBER_SHORT_H
#define TENON_SRC_CORE_NUMBER_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHORT_DIGITS 15  // All of them are below 2^53.

// The digits at `p`, at most up to `end`, behind those that *v has already.
static inline const char *short_digits(const char *p, const char *end, uint64_t *v)
{
    for (; p != end && *p >= '0' && *p <= '9'; p++) *v = *v * 10 + (uint64_t)(*p - '0');
    return p;
}

// Read digits with or without a point, and a minus, as JSON spells them, from the start of a text.
// Returns where they end; NULL: there is something else, of which nothing is known yet.
static inline const char *short_scan(const char *text, const char *end, double *out)
{
    static const double tens[SHORT_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (end - text > SHORT_DIGITS + 3) end = text + SHORT_DIGITS + 3;  // One too many shows.
    const char *first = text + (text != end && *text == '-');
    uint64_t v = 0;
    const char *p = short_digits(first, end, &v);
    ptrdiff_t whole = p - first, fraction = 0;
    if (whole == 0 || (whole > 1 && *first == '0')) return NULL;
    if (p != end && *p == '.') {
        const char *point = p++;
        p = short_digits(p, end, &v);
        fraction = p - point - 1;
        if (fraction == 0) return NULL;
    }
    if (whole + fraction > SHORT_DIGITS) return NULL;
    double magnitude = (double)(int64_t)v / tens[fraction];
    *out = first != text ? -magnitude : magnitude;
    return p;
}

// The same, to a float; these are far from the smallest and the largest.
static inline const char *short_scan_f32(const char *text, const char *end, float *out)
{
    const uint64_t cut = ((uint64_t)1 << 29) - 1;  // Bits that a float has no room for.
    double value;
    uint64_t bits;
    const char *p = short_scan(text, end, &value);
    if (!p) return NULL;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & cut) == cut / 2 + 1) return NULL;
    *out = (float)value;
    return p;
}

#endif  // TENON_SRC_CORE_NUMBER_SHORT_H
