// number_short.h: decimals of few digits, as nearly all numbers of models are.
// SPDX-License-Identifier: MIT
//
// Part of number.c, and of the reader of OBJ, whose texts are mostly numbers.
//
// Whole numbers below 2^53 and powers of ten up to 10^22 are doubles, and a division is rounded
// once: so their quotient is the nearest double. The nearest float follows from it, unless the
// quotient is just between two floats: there it may have been rounded to that point.

#ifndef TN_CORE_TEXT_NUMBER_SHORT_H
#define TN_CORE_TEXT_NUMBER_SHORT_H

#include "core/cursor/span.h"

#define SHORT_DIGITS 15  // All of them are below 2^53.

// `digits`, at most SHORT_DIGITS of them, the last `fraction` of them after the point.
typedef struct short_decimal {
    uint64_t digits;
    uint32_t fraction;
    bool is_negative;
} short_decimal;

// -- Values

// The sign is set as a bit, since a branch on it could not be predicted.
static inline double short_f64(short_decimal d)
{
    static const double tens[SHORT_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    double value = (double)(int64_t)d.digits / tens[d.fraction];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= (uint64_t)d.is_negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The values are far from the smallest and the largest float. False: more digits are needed to know
// which float is nearest.
static inline bool short_f32(short_decimal d, float *out)
{
    const uint64_t cut = ((uint64_t)1 << 29) - 1;  // Bits that a float has no room for.
    double value = short_f64(d);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = (float)value;
    return (bits & cut) != cut / 2 + 1;
}

// -- Text that may end anywhere

// The digits at `p`, at most up to `end`, after those that *v has already.
static inline const char *short_digits(const char *p, const char *end, uint64_t *v)
{
    for (; p != end && *p >= '0' && *p <= '9'; p++) *v = *v * 10 + (uint64_t)(*p - '0');
    return p;
}

// Read digits with or without a point, and a minus, as JSON spells them, from the start of a text.
// Returns where they end; NULL: there is something else.
static inline const char *short_scan(const char *text, const char *end, short_decimal *out)
{
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
    *out = (short_decimal){v, (uint32_t)fraction, first != text};
    return p;
}

// -- Text that goes on

// How many zero bits are below the lowest one; `v` is not 0.
static inline uint32_t short_trailing_zeros(uint64_t v)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(v);
#else
    uint32_t count = 0;
    for (; v % 2 == 0; v /= 2) count++;
    return count;
#endif
}

// The digits at `p`, at most eight, where eight bytes can be read. Returns how many there are. All
// at once, since one step for each would cost more than everything else in reading a model's text.
static inline uint32_t short_digits8(const char *p, uint32_t *value)
{
    const uint64_t pairs = 0x000000FF000000FFu;
    uint64_t x = tn_load64((const uint8_t *)p, false) ^ 0x3030303030303030u;  // Digits: 0 to 9.
    // Carries go upwards, so the lowest byte that is not a digit is found whatever is above it.
    uint64_t others = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
    uint32_t bits = others ? short_trailing_zeros(others) - 7 : 64;
    *value = 0;
    if (bits == 0) return 0;
    x <<= 64 - bits;  // Zeros come in front.
    x = 10 * x + (x >> 8);
    x = (x & pairs) * (100 + ((uint64_t)1000000 << 32)) +
        (x >> 16 & pairs) * (1 + ((uint64_t)10000 << 32));
    *value = (uint32_t)(x >> 32);
    return bits / 8;
}

#endif  // TN_CORE_TEXT_NUMBER_SHORT_H
