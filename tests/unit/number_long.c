// number_long.c: all 2^32 f32 to text and back, some minutes long, so not part of the suite.
// SPDX-License-Identifier: MIT
//
// Run `number_long`, or `number_long PART PARTS` (from 0) to share the work among processes.

#include "core/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_STEP 4099  // A prime: for one number in so many, printf finds the fewest digits.

static uint64_t failures;

static void report(uint32_t bits, const char *text, const char *what)
{
    if (failures++ < 20) fprintf(stderr, "%08" PRIx32 " \"%s\": %s\n", bits, text, what);
}

// The digits from the first to the last that is not 0.
static int significant_digits(const char *text)
{
    int count = 0, result = 0;
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p < '0' || *p > '9') continue;
        if (*p != '0' || count > 0) count++;
        if (*p != '0') result = count;
    }
    return result;
}

static void check_sample(uint32_t bits, float v, const char *text)
{
    if (strtof(text, NULL) != v) report(bits, text, "strtof reads another number");
    char shortest[32];
    for (int digits = 0; digits < 9; digits++) {
        snprintf(shortest, sizeof shortest, "%.*e", digits, (double)v);
        if (strtof(shortest, NULL) == v) break;
    }
    int ours = significant_digits(text), theirs = significant_digits(shortest);
    bool is_power = bits << 9 == 0;  // Next to a power of two printf may need one digit more.
    if (ours > theirs || (ours < theirs && !is_power)) report(bits, text, "not the shortest");
}

static void check(uint32_t bits)
{
    float v, again;
    memcpy(&v, &bits, sizeof v);
    if (!isfinite(v)) return;
    char text[TN_NUMBER_MAX];
    size_t size = tn_f32_text(v, text);
    bool ok = tn_f32_parse(text, size, &again);
    if (!ok || memcmp(&again, &bits, sizeof bits) != 0) report(bits, text, "other bits come back");
    if (bits % SAMPLE_STEP == 0) check_sample(bits, v, text);
}

int main(int argc, char **argv)
{
    uint64_t part = 0, parts = 1;
    if (argc == 3) {
        part = strtoull(argv[1], NULL, 10);
        parts = strtoull(argv[2], NULL, 10);
    }
    if ((argc != 1 && argc != 3) || part >= parts || parts > 4096) {
        fprintf(stderr, "usage: number_long [PART PARTS]\n");
        return 2;
    }
    uint64_t first = (part << 32) / parts, end = ((part + 1) << 32) / parts;
    for (uint64_t bits = first; bits < end; bits++) check((uint32_t)bits);
    printf("%08" PRIx64 " to %08" PRIx64 ": %" PRIu64 " failures\n", first, end - 1, failures);
    return failures != 0;
}
