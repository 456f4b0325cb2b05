// test_number_short.c: short decimals, which have a fast path, are read as all others.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/number.h"
#include "core/text/number_short.h"

#include <stdio.h>

#define COUNT 200000

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 16;
}

// The results of both paths for a text; with an exponent it is not short.
static bool agrees(const char *text)
{
    char longer[64];
    int size = snprintf(longer, sizeof longer, "%se0", text);
    float f[2] = {1, 2};
    double d[2] = {1, 2};
    bool f_ok[2] = {tn_f32_parse(text, (size_t)size - 2, &f[0]),
                    tn_f32_parse(longer, (size_t)size, &f[1])};
    bool d_ok[2] = {tn_f64_parse(text, (size_t)size - 2, &d[0]),
                    tn_f64_parse(longer, (size_t)size, &d[1])};
    bool is_same = f_ok[0] == f_ok[1] && d_ok[0] == d_ok[1] &&
                   memcmp(&f[0], &f[1], sizeof f[0]) == 0 && memcmp(&d[0], &d[1], sizeof d[0]) == 0;
    if (!is_same) fprintf(stderr, "%s\n", text);
    return is_same;
}

// -- Tests

TEST(eight_bytes_have_the_digits_that_they_start_with)
{
    static const uint32_t values[] = {0, 9, 98, 987, 9876, 98765, 987654, 9876543, 98765432};
    bool all = true;
    for (uint32_t count = 0; count <= 8; count++)
        for (int behind = 0; behind < 256; behind++) {
            char text[16] = "9876543210123456";
            uint32_t value = 1;
            if (behind >= '0' && behind <= '9') continue;
            if (count < 8) text[count] = (char)behind;
            all = all && short_digits8(text, &value) == count && value == values[count];
        }
    CHECK(all);
}

TEST(random_decimals_agree)
{
    uint64_t state = 1;
    bool all = true;
    for (int i = 0; i < COUNT && all; i++) {
        char text[40];
        int digits = 1 + (int)(next_random(&state) % 17), places = (int)(next_random(&state) % 17);
        uint64_t value = next_random(&state), limit = 1;
        for (int k = 0; k < digits; k++) limit *= 10;
        const char *sign = next_random(&state) % 2 ? "-" : "";
        value %= limit;
        snprintf(text, sizeof text, "%s%llu.%0*llu", sign, (unsigned long long)(value % 100000),
                 places + 1, (unsigned long long)(value / 100000));
        all = agrees(text);
    }
    CHECK(all);
}

// Floats that are 1 apart in the last place, and the points between them, are where a second
// rounding would show.
TEST(points_between_floats_agree)
{
    uint64_t state = 2;
    bool all = true;
    for (int i = 0; i < COUNT && all; i++) {
        char text[40];
        uint64_t odd = 2 * (next_random(&state) % (1 << 24)) + 1;  // A 25th bit is just between.
        int shift = (int)(next_random(&state) % 12);
        uint64_t scaled = odd << shift;
        snprintf(text, sizeof text, "%llu", (unsigned long long)scaled);
        all = agrees(text);
        snprintf(text, sizeof text, "%llu.0000001", (unsigned long long)(odd % 10000000));
        all = all && agrees(text);
        // Halves and quarters are exact, too.
        snprintf(text, sizeof text, "%llu.%s", (unsigned long long)(scaled / 4),
                 (const char *[]){"0", "25", "5", "75"}[scaled % 4]);
        all = all && agrees(text);
    }
    CHECK(all);
}

TEST(odd_spellings_agree)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.000",
        "00",
        "01.5",
        "1.",
        ".5",
        "-",
        "",
        "+1",
        "1.2.3",
        "--1",
        "999999999999999",
        "9999999999999999",
        "0.000001",
        "16777217",
        "9007199254740993",
        "33554433.0",
        "-16777219.000",
        "1 ",
        "0.1",
        "123456789.123",
        "0.30000001192092",
        "4503599627370497.5",
        "-.",
        "-0.00000000",
        "1/2",
        "3:4",
        "0.000000000000001",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) CHECK(agrees(texts[i]));
}

TEST(short_decimals_are_the_nearest)
{
    float f;
    double d;
    CHECK(tn_f32_parse("0.1", 3, &f) && f == 0.1f);
    CHECK(tn_f32_parse("16777217", 8, &f) && f == 16777216.0f);
    CHECK(tn_f32_parse("16777219", 8, &f) && f == 16777220.0f);
    CHECK(tn_f64_parse("-0.3", 4, &d) && d == -0.3);
}

int main(void)
{
    RUN(eight_bytes_have_the_digits_that_they_start_with);
    RUN(random_decimals_agree);
    RUN(points_between_floats_agree);
    RUN(odd_spellings_agree);
    RUN(short_decimals_are_the_nearest);
    TEST_END();
}
