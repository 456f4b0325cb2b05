// number.c: numbers to text and back, exactly, whatever the locale.
// SPDX-License-Identifier: MIT
//
// Text is made by Giulietti's Schubfach; parsing brackets the value between two products (after
// Eisel and Lemire) and compares big integers in the rare case that these round differently. Short
// decimals are one division (after Clinger).

#include "core/text/number.h"
#include "core/text/number_short.h"
#include "core/text/number_tables.h"
#include "core/text/text.h"

#include <string.h>

// The shape of a binary float.
typedef struct shape {
    int bits;       // Of the significand, with the hidden one.
    int bias;       // Of the exponent field.
    int plain_max;  // Text is plain for decimal exponents from PLAIN_MIN to below this.
} shape;

static const shape f32_shape = {.bits = 24, .bias = 127, .plain_max = 9};
static const shape f64_shape = {.bits = 53, .bias = 1023, .plain_max = 16};

#define PLAIN_MIN (-5)

static uint64_t number_infinity_of(const shape *s)
{
    return (uint64_t)(2 * s->bias + 1) << (s->bits - 1);
}

static uint64_t number_sign_of(const shape *s)
{
    return number_infinity_of(s) + ((uint64_t)1 << (s->bits - 1));
}

// A finite float is m * 2^e. Takes its bits without the sign.
static uint64_t number_take_apart(const shape *s, uint64_t bits, int *e)
{
    uint64_t hidden = (uint64_t)1 << (s->bits - 1);
    int field = (int)(bits >> (s->bits - 1));
    *e = (field ? field : 1) - s->bias - (s->bits - 1);
    return (bits & (hidden - 1)) | (field ? hidden : 0);
}

// -- Arithmetic

typedef struct wide {
    uint64_t high, low;
} wide;

static inline wide number_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid = a1 * b0 + (low >> 32);
    uint64_t mid2 = a0 * b1 + (uint32_t)mid;
    return (wide){a1 * b1 + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low};
#endif
}

// The number of zero bits above the highest one; `v` is not 0.
static inline int number_leading_zeros(uint64_t v)
{
#ifdef __GNUC__
    return __builtin_clzll(v);
#else
    int count = 0;
    for (int step = 32; step; step /= 2) {
        if (v >> (64 - step)) continue;
        v <<= step;
        count += step;
    }
    return count;
#endif
}

// Logarithms rounded down, in fixed point; make_number_tables.py proves them for every exponent
// that occurs. The offset keeps the shifted number positive.
static inline int number_log2_pow10(int q)
{
    return ((q * 217706 + (2048 << 16)) >> 16) - 2048;
}

static inline int number_log10_pow2(int e)
{
    return ((e * 631305 + (512 << 21)) >> 21) - 512;
}

// Of 3/4 * 2^e.
static inline int number_log10_three_quarters(int e)
{
    return ((e * 631305 - 261663 + (512 << 21)) >> 21) - 512;
}

static inline bool number_is_exact_power(int q)
{
    return q >= 0 && q <= POWER_EXACT_LAST;
}

// -- Digits

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static int number_digit_count(uint64_t v)
{
    int guess = (64 - number_leading_zeros(v | 1)) * 1233 >> 12;  // Digits, or one too few.
    return guess + (v >= digit_steps[guess]);
}

// Writes the `count` digits of `v`, not terminated.
static void number_put_digits(uint64_t v, int count, char *out)
{
    char *p = out + count;
    for (; v >= 100; v /= 100) memcpy(p -= 2, digit_pairs + 2 * (v % 100), 2);
    if (v >= 10)
        memcpy(p - 2, digit_pairs + 2 * v, 2);
    else
        p[-1] = (char)('0' + v);
}

size_t tn_u64_text(uint64_t v, char *out)
{
    int count = number_digit_count(v);
    number_put_digits(v, count, out);
    out[count] = '\0';
    return (size_t)count;
}

size_t tn_i64_text(int64_t v, char *out)
{
    if (v >= 0) return tn_u64_text((uint64_t)v, out);
    *out = '-';
    return 1 + tn_u64_text(0 - (uint64_t)v, out + 1);
}

// -- Floats to text

typedef struct decimal {
    uint64_t digits;
    int exp10;
} decimal;

// x * g / 2^128 where g is 10^q of the table, rounded to odd: the lowest bit also says whether
// anything was cut off. The power is rounded up, which adds less than 2^-69; the table's generator
// proves that what is not a whole number is at least 2^-66 away from one.
static inline uint64_t number_scale64(uint64_t x, int q)
{
    const uint64_t *g = powers[q - POWER_FIRST];
    wide low = number_multiply(g[1] + !number_is_exact_power(q), x);
    wide high = number_multiply(g[0], x);
    uint64_t mid = high.low + low.high;
    uint64_t top = high.high + (mid < low.high);
    return top | ((mid | low.low >> 62) != 0);
}

// The same with 64 bits of the power, enough for f32: that adds less than 2^-33, the distance is at
// least 2^-32.
static inline uint64_t number_scale32(uint64_t x, int q)
{
    const uint64_t *g = powers[q - POWER_FIRST];
    wide product = number_multiply(g[0] + (g[1] != 0), x);
    return product.high | (product.low >> 32 != 0);
}

// The shortest decimal in the interval from `low` to `high`, nearest to `mid`. All
// are in quarters of 10^k and rounded to odd. The interval is at least 10^k wide, so it holds a
// multiple of that, and narrower than 10^(k+1), so it holds at most one multiple of that.
static inline decimal number_choose(uint64_t low, uint64_t mid, uint64_t high, int k)
{
    uint64_t s = mid / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool has_down = low <= 40 * tens, has_up = 40 * tens + 40 <= high;
        if (has_down != has_up) return (decimal){tens + has_up, k + 1};
    }
    bool has_down = low <= 4 * s, has_up = 4 * s + 4 <= high;
    if (has_down != has_up) return (decimal){s + has_up, k};
    uint64_t half = 4 * s + 2;
    return (decimal){s + (mid > half || (mid == half && s % 2)), k};
}

// The shortest decimal for m * 2^e. Below a power of two the gap is half as wide as above
// it, except at the smallest exponent.
static decimal number_shortest(const shape *s, uint64_t m, int e)
{
    bool is_narrow = m == (uint64_t)1 << (s->bits - 1) && e > 2 - s->bias - s->bits;
    int k = is_narrow ? number_log10_three_quarters(e) : number_log10_pow2(e);
    int shift = e + number_log2_pow10(-k) + 1;
    bool is_open = m % 2;  // Ties go to even, so an odd number does not own the ends.
    uint64_t low = (4 * m - (is_narrow ? 1 : 2)) << shift;
    uint64_t mid = (4 * m) << shift;
    uint64_t high = (4 * m + 2) << shift;
    if (s->bits == 24)
        return number_choose(number_scale32(low, -k) + is_open, number_scale32(mid, -k),
                             number_scale32(high, -k) - is_open, k);
    return number_choose(number_scale64(low, -k) + is_open, number_scale64(mid, -k),
                         number_scale64(high, -k) - is_open, k);
}

static char *number_put_exponent(int exponent, char *out)
{
    *out++ = 'e';
    return out + tn_i64_text(exponent, out);
}

// Returns the end of the text. The digits are written once, after the zeros that a small number
// needs before it or the place that the point will take.
static char *number_put_decimal(const shape *s, decimal d, char *out)
{
    int count = number_digit_count(d.digits);
    int exponent = d.exp10 + count - 1;
    bool is_plain = exponent >= PLAIN_MIN && exponent < s->plain_max;
    bool is_small = is_plain && exponent < 0;
    char *digits = out + (is_small ? 1 - exponent : 1);
    number_put_digits(d.digits, count, digits);
    while (digits[count - 1] == '0') count--;
    if (is_small) {
        memset(out, '0', (size_t)(digits - out));
        out[1] = '.';
        return digits + count;
    }
    int whole = is_plain ? exponent + 1 : 1;
    for (int i = 0; i < whole; i++) out[i] = i < count ? digits[i] : '0';
    if (count > whole) out[whole] = '.';
    char *end = out + (count > whole ? count + 1 : whole);
    return is_plain ? end : number_put_exponent(exponent, end);
}

static size_t number_put_not_finite(bool is_nan, bool is_negative, char *out)
{
    const char *text = is_nan ? "nan" : is_negative ? "-inf" : "inf";
    memcpy(out, text, strlen(text) + 1);
    return strlen(text);
}

static size_t number_float_text(const shape *s, uint64_t bits, char *out)
{
    uint64_t rest = bits & (number_sign_of(s) - 1);
    bool is_negative = rest != bits;
    if (rest >= number_infinity_of(s))
        return number_put_not_finite(rest > number_infinity_of(s), is_negative, out);
    char *p = out;
    if (is_negative) *p++ = '-';
    int e;
    uint64_t m = number_take_apart(s, rest, &e);
    bool is_whole = e <= 0 && e > -s->bits && (m & (((uint64_t)1 << -e) - 1)) == 0;
    // The neighbours of a whole number are at most 1 away, so nothing shorter reads back.
    if (m == 0 || is_whole) return (size_t)(p - out) + tn_u64_text(m == 0 ? 0 : m >> -e, p);
    p = number_put_decimal(s, number_shortest(s, m, e), p);
    *p = '\0';
    return (size_t)(p - out);
}

size_t tn_f32_text(float v, char *out)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return number_float_text(&f32_shape, bits, out);
}

size_t tn_f64_text(double v, char *out)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return number_float_text(&f64_shape, bits, out);
}

// -- The grammar of JSON numbers

typedef struct number {
    bool is_negative;
    const char *digits;  // The digits, with the point if there is one,
    const char *end;     // and their end.
    int64_t power;       // The power of ten of the first digit.
} number;

static bool number_is_digit(const char *p, const char *end)
{
    return p != end && *p >= '0' && *p <= '9';
}

static const char *number_skip_digits(const char *p, const char *end)
{
    while (number_is_digit(p, end)) p++;
    return p;
}

// Adds an exponent to `n`, from the character after its 'e'. Exponents stop growing far beyond any
// that matters, even next to gigabytes of zeros, and far from the limits of the type.
static const char *number_scan_exponent(const char *p, const char *end, number *n, bool *ok)
{
    bool is_negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) p++;
    *ok = number_is_digit(p, end);
    int64_t exponent = 0;
    for (; number_is_digit(p, end); p++) {
        if (exponent < INT64_C(100000000000000000)) exponent = exponent * 10 + (*p - '0');
    }
    n->power += is_negative ? -exponent : exponent;
    return p;
}

// Returns where the number ends; if not `*ok`, where it is at fault.
static const char *number_scan(const char *p, const char *end, number *n, bool *ok)
{
    *n = (number){.is_negative = p != end && *p == '-'};
    if (n->is_negative) p++;
    n->digits = p;
    *ok = number_is_digit(p, end);
    if (!*ok) return p;
    p = number_skip_digits(p, end);
    n->power = p - n->digits - 1;
    *ok = *n->digits != '0' || n->power == 0;
    if (!*ok) return n->digits + 1;
    if (p != end && *p == '.') {
        *ok = number_is_digit(++p, end);
        if (!*ok) return p;
        p = number_skip_digits(p, end);
    }
    n->end = p;
    if (p != end && (*p == 'e' || *p == 'E')) return number_scan_exponent(p + 1, end, n, ok);
    return p;
}

bool tn_number_scan(const char *text, size_t size, size_t *end)
{
    number n;
    bool ok;
    *end = (size_t)(number_scan(text, text + size, &n, &ok) - text);
    return ok;
}

static bool number_scan_all(const char *text, size_t size, number *n)
{
    bool ok;
    return size > 0 && number_scan(text, text + size, n, &ok) == text + size && ok;
}

// -- Text to integers

#define HEAD_DIGITS 19  // What always fits in 64 bits.

static bool number_append_digit(uint64_t *v, unsigned digit)
{
    if (*v > (UINT64_MAX - digit) / 10) return false;
    *v = *v * 10 + digit;
    return true;
}

// The magnitude of `n`, if that is an integer of 64 bits.
static bool number_magnitude(const number *n, uint64_t *v)
{
    int64_t power = n->power;
    *v = 0;
    for (const char *p = n->digits; p != n->end; p++) {
        if (*p == '.') continue;
        unsigned digit = (unsigned)(*p - '0');
        if (power < 0 ? digit != 0 : !number_append_digit(v, digit)) return false;
        power--;
    }
    for (; *v != 0 && power >= 0; power--) {
        if (!number_append_digit(v, 0)) return false;
    }
    return true;
}

// Nothing but digits that fit, as nearly all whole numbers are. False: it is something else.
static bool number_plain_digits(const char *text, size_t size, uint64_t *v)
{
    const char *end = text + size;
    *v = 0;
    if (size == 0 || size > HEAD_DIGITS || (size > 1 && *text == '0')) return false;
    return short_digits(text, end, v) == end;
}

bool tn_u64_parse(const char *text, size_t size, uint64_t *out)
{
    if (number_plain_digits(text, size, out)) return true;
    number n;
    uint64_t v = 0;
    bool fits =
        number_scan_all(text, size, &n) && number_magnitude(&n, &v) && (!n.is_negative || v == 0);
    *out = fits ? v : 0;
    return fits;
}

bool tn_i64_parse(const char *text, size_t size, int64_t *out)
{
    number n;
    uint64_t v = 0;
    bool fits = number_scan_all(text, size, &n) && number_magnitude(&n, &v) &&
                v <= (uint64_t)INT64_MAX + n.is_negative;
    *out = 0;
    if (!fits) return false;
    *out = n.is_negative && v != 0 ? -(int64_t)(v - 1) - 1 : (int64_t)v;
    return true;
}

// -- Text to floats: the bracket

// The first digits of a number: its magnitude is head * 10^exp10, or, if it was cut, less
// than one unit of the head more.
typedef struct head {
    uint64_t digits;
    int64_t exp10;
    bool was_cut;
} head;

static head number_head_of(const number *n)
{
    head h = {.exp10 = n->power + 1};
    int count = 0;
    for (const char *p = n->digits; p != n->end; p++) {
        if (*p == '.') continue;
        unsigned digit = (unsigned)(*p - '0');
        if (count == HEAD_DIGITS) {
            h.was_cut = digit != 0;
            if (h.was_cut) break;
            continue;
        }
        h.digits = h.digits * 10 + digit;
        h.exp10--;
        count += h.digits != 0;
    }
    return h;
}

// Rounds p[0] * 2^exp2 to nearest, ties to even; p[1] and p[2] are 64-bit fractions of p[0],
// whose two highest bits are not both 0. Returns the bits of the float.
static uint64_t number_round_product(const shape *s, const uint64_t p[3], int exp2)
{
    int zeros = number_leading_zeros(p[0]);
    int top = exp2 + 63 - zeros;       // The exponent of the highest bit.
    int below = 1 - s->bias - top;     // Above 0: the float has fewer bits, being so small.
    int shift = 64 - zeros - s->bits;  // Bits that do not fit into the significand.
    if (top > s->bias) return number_infinity_of(s);
    if (below > 0) shift += below;
    if (shift > 64) return 0;
    uint64_t m = shift < 64 ? p[0] >> shift : 0;
    uint64_t half = (uint64_t)1 << (shift - 1);
    bool has_rest = (p[0] & (half - 1)) != 0 || p[1] != 0 || p[2] != 0;
    if ((p[0] & half) && (has_rest || m % 2)) m++;
    if (below > 0) return m;
    // The hidden bit adds one to the exponent field, and so does rounding up to the next power.
    return ((uint64_t)(top + s->bias - 1) << (s->bits - 1)) + m;
}

// The float nearest to v * 10^q, with `up` added to the last place of the power in the
// table.
static uint64_t number_estimate(const shape *s, uint64_t v, int q, unsigned up)
{
    const uint64_t *g = powers[q - POWER_FIRST];
    int zeros = number_leading_zeros(v);
    wide low = number_multiply(g[1] + up, v << zeros);
    wide high = number_multiply(g[0], v << zeros);
    uint64_t mid = high.low + low.high;
    uint64_t product[3] = {high.high + (mid < low.high), mid, low.low};
    return number_round_product(s, product, number_log2_pow10(q) + 1 - zeros);
}

// -- Text to floats: the exact comparison
//
// No halfway point between two f64 has more than 767 digits, so a digit beyond 768 can only break
// what would be a tie. Both sides are multiplied by what makes them integers, and they are nearly
// equal, so neither outgrows 10^768 (2552 bits) or 2^54 * 5^1091 (2588 bits).

#define BIG_DIGITS 768
#define BIG_LIMBS  84

typedef struct big {
    int count;  // Limbs in use; the highest is not 0.
    uint32_t limbs[BIG_LIMBS];
} big;

static void number_big_multiply_add(big *b, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limbs[i] * factor;
        b->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limbs[b->count++] = (uint32_t)carry;
}

static void number_big_multiply_pow5(big *b, int power)
{
    for (; power >= 13; power -= 13) number_big_multiply_add(b, 1220703125, 0);
    for (; power > 0; power--) number_big_multiply_add(b, 5, 0);
}

static void number_big_shift_left(big *b, int bits)
{
    number_big_multiply_add(b, (uint32_t)1 << (bits % 32), 0);
    int whole = bits / 32;
    memmove(b->limbs + whole, b->limbs, (size_t)b->count * sizeof *b->limbs);
    memset(b->limbs, 0, (size_t)whole * sizeof *b->limbs);
    b->count += whole;
}

static int number_big_compare(const big *a, const big *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

// The first digits of `n` as an integer in units of 10^exp10, and whether there were more.
static big number_big_from_digits(const number *n, int *exp10, bool *was_cut)
{
    big b = {0};
    int64_t power = n->power + 1;
    int count = 0;
    *was_cut = false;
    for (const char *p = n->digits; p != n->end && !*was_cut; p++) {
        if (*p == '.') continue;
        uint32_t digit = (uint32_t)(*p - '0');
        if (count == BIG_DIGITS) {
            *was_cut = digit != 0;
            continue;
        }
        number_big_multiply_add(&b, 10, digit);
        power--;
        count += b.count != 0;
    }
    *exp10 = (int)power;
    return b;
}

// How `n` compares with the point halfway between the float `bits` and the next one up.
static int number_compare_with_half(const shape *s, const number *n, uint64_t bits)
{
    int exp2, exp10;
    bool was_cut;
    uint64_t m = 2 * number_take_apart(s, bits, &exp2) + 1;
    big half = {.count = m >> 32 ? 2 : 1, .limbs = {(uint32_t)m, (uint32_t)(m >> 32)}};
    big value = number_big_from_digits(n, &exp10, &was_cut);
    number_big_multiply_pow5(exp10 < 0 ? &half : &value, exp10 < 0 ? -exp10 : exp10);
    int shift = exp10 - (exp2 - 1);
    number_big_shift_left(shift < 0 ? &half : &value, shift < 0 ? -shift : shift);
    int order = number_big_compare(&value, &half);
    return order == 0 && was_cut ? 1 : order;
}

// The bits, without the sign, of the float nearest to the magnitude of `n`.
static uint64_t number_nearest(const shape *s, const number *n)
{
    head h = number_head_of(n);
    if (h.digits == 0 || h.exp10 < POWER_FIRST) return 0;
    if (h.exp10 > 308) return number_infinity_of(s);
    int q = (int)h.exp10;
    uint64_t low = number_estimate(s, h.digits, q, 0);
    uint64_t high = number_estimate(s, h.digits + h.was_cut, q, !number_is_exact_power(q));
    if (low == high) return low;
    // The value is within 2^-126 of itself from the point halfway between `low` and `high`. Where
    // 5^-q has at most 63 bits it must be that point, as the next such fraction is 2^-117 away.
    if (!h.was_cut && q < 0 && q >= -27) return low + low % 2;
    int order = number_compare_with_half(s, n, low);
    return order == 0 ? low + low % 2 : order < 0 ? low : high;
}

static bool number_float_parse(const shape *s, const char *text, size_t size, uint64_t *bits)
{
    number n;
    *bits = 0;
    if (!number_scan_all(text, size, &n)) return false;
    uint64_t rest = number_nearest(s, &n);
    *bits = rest | (n.is_negative ? number_sign_of(s) : 0);
    return rest != number_infinity_of(s);
}

size_t tn_f32_scan(const char *text, size_t size, float *out)
{
    short_decimal d;
    const char *end = short_scan(text, text + size, &d);
    return end && short_f32(d, out) ? (size_t)(end - text) : 0;
}

bool tn_f32_parse(const char *text, size_t size, float *out)
{
    uint64_t bits;
    if (size && tn_f32_scan(text, size, out) == size) return true;
    bool ok = number_float_parse(&f32_shape, text, size, &bits);
    uint32_t word = (uint32_t)bits;
    memcpy(out, &word, sizeof word);
    return ok;
}

bool tn_f64_parse(const char *text, size_t size, double *out)
{
    uint64_t bits;
    short_decimal d;
    const char *end = short_scan(text, text + size, &d);
    if (end && end == text + size) {
        *out = short_f64(d);
        return true;
    }
    bool ok = number_float_parse(&f64_shape, text, size, &bits);
    memcpy(out, &bits, sizeof bits);
    return ok;
}

// -- Bits

#define BITS_PREFIX 4  // "f32:" or "f64:".

static size_t number_put_bits(const char *prefix, uint64_t bits, int digits, char *out)
{
    memcpy(out, prefix, BITS_PREFIX);
    char *p = out + BITS_PREFIX;
    for (int i = digits - 1; i >= 0; i--) *p++ = "0123456789abcdef"[bits >> (4 * i) & 15];
    *p = '\0';
    return (size_t)(p - out);
}

static bool number_parse_bits(const char *prefix, const char *text, size_t size, size_t digits,
                              uint64_t *bits)
{
    *bits = 0;
    if (size != BITS_PREFIX + digits || memcmp(text, prefix, BITS_PREFIX) != 0) return false;
    uint64_t v = 0;
    for (size_t i = BITS_PREFIX; i < size; i++) {
        int digit = tn_hex_digit(text[i]);
        if (digit < 0) return false;
        v = v << 4 | (unsigned)digit;
    }
    *bits = v;
    return true;
}

size_t tn_f32_bits_text(float v, char *out)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return number_put_bits("f32:", bits, 8, out);
}

size_t tn_f64_bits_text(double v, char *out)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return number_put_bits("f64:", bits, 16, out);
}

bool tn_f32_bits_parse(const char *text, size_t size, float *out)
{
    uint64_t bits;
    bool ok = number_parse_bits("f32:", text, size, 8, &bits);
    uint32_t word = (uint32_t)bits;
    memcpy(out, &word, sizeof word);
    return ok;
}

bool tn_f64_bits_parse(const char *text, size_t size, double *out)
{
    uint64_t bits;
    bool ok = number_parse_bits("f64:", text, size, 16, &bits);
    memcpy(out, &bits, sizeof bits);
    return ok;
}

static bool number_is_digit_at(const char *text, size_t size, size_t at)
{
    return at < size && text[at] >= '0' && text[at] <= '9';
}

size_t tn_number_spell(const char *text, size_t size, char *out)
{
    size_t at = 0, used = 0;
    if (size && text[0] == '-') out[used++] = '-';
    if (size && (text[0] == '-' || text[0] == '+')) at++;
    if (at < size && text[at] == '-') return 0;
    bool has_digits = number_is_digit_at(text, size, at);
    while (at < size && text[at] == '0' && number_is_digit_at(text, size, at + 1)) at++;
    if (at < size && text[at] == '.') out[used++] = '0';
    while (number_is_digit_at(text, size, at)) out[used++] = text[at++];
    if (at < size && text[at] == '.') {
        out[used++] = text[at++];
        if (has_digits && !number_is_digit_at(text, size, at)) out[used++] = '0';
    }
    memcpy(out + used, text + at, size - at);
    return used + size - at;
}
