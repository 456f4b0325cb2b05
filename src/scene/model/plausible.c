// plausible.c: how large the numbers of a model are, and which of them are outliers.
// SPDX-License-Identifier: MIT

#include "scene/model/plausible.h"

#include <math.h>

#define HEADROOM 10  // Numbers may be 2^HEADROOM times as large as usual.
#define USUAL    0.9

// NaN if one of them is.
static float plausible_largest_of(const float *values, uint32_t count)
{
    float largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        float size = fabsf(values[i]);
        if (!(size <= largest) && largest == largest) largest = size;
    }
    return largest;
}

void tn_add_magnitude(tn_magnitudes *magnitudes, const float *values, uint32_t count)
{
    int exponent = TN_LOWEST_EXPONENT;
    float size = plausible_largest_of(values, count);
    if (!(size - size == 0)) return;
    if (size > 0) (void)frexpf(size, &exponent);
    magnitudes->counts[exponent - TN_LOWEST_EXPONENT]++;
    magnitudes->total++;
}

// The largest plausible exponent, if only the smallest `total` numbers count.
static int plausible_limit_of(const tn_magnitudes *magnitudes, uint64_t total)
{
    uint64_t sum = 0;
    int i = 0;
    while (i < TN_EXPONENTS && (double)(sum += magnitudes->counts[i]) < USUAL * (double)total) i++;
    return i ? i + HEADROOM : TN_EXPONENTS;
}

// Numbers beyond the limit do not count: many of them would have raised the limit.
double tn_usual_limit(const tn_magnitudes *magnitudes)
{
    uint64_t total = magnitudes->total, within = total;
    int limit;
    do {
        total = within;
        within = 0;
        limit = plausible_limit_of(magnitudes, total);
        for (int i = 0; i < TN_EXPONENTS && i <= limit; i++) within += magnitudes->counts[i];
    } while (within < total);
    return limit < TN_EXPONENTS ? ldexp(1, limit + TN_LOWEST_EXPONENT) : INFINITY;
}

bool tn_is_plausible(const float *values, uint32_t count, double limit)
{
    float largest = plausible_largest_of(values, count);
    return largest - largest == 0 && largest <= limit;
}

bool tn_is_plausible_rotation(const float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) square += (double)q[i] * q[i];
    return square > 0.25 && square < 4;
}
