// test_number.c: numbers to text and back, against known hard cases and against the C library.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/number.h"

#include <math.h>
#include <stdlib.h>

#ifndef RANDOM_COUNT  // Valgrind needs fewer; number_long tries all f32.
#define RANDOM_COUNT 500000
#endif
#define SHORTEST_COUNT 30000
#define HALFWAY_COUNT  300

// -- Helpers

static uint32_t bits32(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t bits64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float from32(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double from64(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// Sebastiano Vigna's splitmix64: every run sees the same numbers.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static const char *text32(float v)
{
    static char out[TN_NUMBER_MAX];
    CHECK(tn_f32_text(v, out) == strlen(out));
    return out;
}

static const char *text64(double v)
{
    static char out[TN_NUMBER_MAX];
    CHECK(tn_f64_text(v, out) == strlen(out));
    return out;
}

static uint32_t parse32(const char *text)
{
    float v;
    CHECK(tn_f32_parse(text, strlen(text), &v) == isfinite(v));
    return bits32(v);
}

static uint64_t parse64(const char *text)
{
    double v;
    CHECK(tn_f64_parse(text, strlen(text), &v) == isfinite(v));
    return bits64(v);
}

// -- To text

TEST(f64_text_has_the_house_form)
{
    CHECK_STR(text64(0.0), "0");
    CHECK_STR(text64(-0.0), "-0");
    CHECK_STR(text64(1.0), "1");
    CHECK_STR(text64(-1.5), "-1.5");
    CHECK_STR(text64(0.1), "0.1");
    CHECK_STR(text64(0.3), "0.3");
    CHECK_STR(text64(0.30000000000000004), "0.30000000000000004");
    CHECK_STR(text64(100), "100");
    CHECK_STR(text64(12345678), "12345678");
    CHECK_STR(text64(1234.5678), "1234.5678");
    CHECK_STR(text64(1e-5), "0.00001");
    CHECK_STR(text64(1.25e-5), "0.0000125");
    CHECK_STR(text64(9.9e-6), "9.9e-6");
    CHECK_STR(text64(1e-7), "1e-7");
    CHECK_STR(text64(9007199254740992), "9007199254740992");
    CHECK_STR(text64(9999999999999998), "9999999999999998");
    CHECK_STR(text64(1e16), "1e16");
    CHECK_STR(text64(1.5e30), "1.5e30");
    CHECK_STR(text64(-1.2345678901234568e-300), "-1.2345678901234568e-300");
    CHECK_STR(text64(-1.2345678901234568e-5), "-0.000012345678901234568");
}

TEST(f32_text_has_the_house_form)
{
    CHECK_STR(text32(0.0f), "0");
    CHECK_STR(text32(-0.0f), "-0");
    CHECK_STR(text32(0.1f), "0.1");
    CHECK_STR(text32(1.0f / 3), "0.33333334");
    CHECK_STR(text32(16777216), "16777216");
    CHECK_STR(text32(123456792), "123456790");
    CHECK_STR(text32(999999936), "999999940");
    CHECK_STR(text32(1e9f), "1e9");
    CHECK_STR(text32(1e-5f), "0.00001");
    CHECK_STR(text32(9e-6f), "9e-6");
    CHECK_STR(text32(3.14159274f), "3.1415927");
    CHECK_STR(text32(-1.5e30f), "-1.5e30");
}

TEST(what_is_not_finite_has_a_name)
{
    CHECK_STR(text32(INFINITY), "inf");
    CHECK_STR(text32(-INFINITY), "-inf");
    CHECK_STR(text32(from32(0x7fc00001)), "nan");
    CHECK_STR(text32(from32(0xffc00001)), "nan");
    CHECK_STR(text64(INFINITY), "inf");
    CHECK_STR(text64(-INFINITY), "-inf");
    CHECK_STR(text64(from64(0xfff8000000000001)), "nan");
}

TEST(f64_text_at_the_limits)
{
    CHECK_STR(text64(from64(1)), "5e-324");
    CHECK_STR(text64(from64(2)), "1e-323");
    CHECK_STR(text64(from64(3)), "1.5e-323");
    CHECK_STR(text64(from64(0x000fffffffffffff)), "2.225073858507201e-308");
    CHECK_STR(text64(from64(0x0010000000000000)), "2.2250738585072014e-308");
    CHECK_STR(text64(from64(0x7fefffffffffffff)), "1.7976931348623157e308");
    CHECK_STR(text64(ldexp(1, -44)), "5.684341886080802e-14");  // Nearest 16 digits end in 801.
    CHECK_STR(text64(ldexp(1, 89)), "6.189700196426902e26");
    CHECK_STR(text64(9.5e-310), "9.5e-310");
    CHECK_STR(text64(2e23), "2e23");
    CHECK_STR(text64(9.007199254740993e15), "9007199254740992");
    CHECK_STR(text64(4.35e17), "4.35e17");
    CHECK_STR(text64(5e-320), "5e-320");
}

TEST(f32_text_at_the_limits)
{
    CHECK_STR(text32(from32(1)), "1e-45");
    CHECK_STR(text32(from32(2)), "3e-45");
    CHECK_STR(text32(from32(0x007fffff)), "1.1754942e-38");
    CHECK_STR(text32(from32(0x00800000)), "1.1754944e-38");
    CHECK_STR(text32(from32(0x7f7fffff)), "3.4028235e38");
    CHECK_STR(text32(8.5899346e9f), "8.589935e9");
    CHECK_STR(text32(33554432), "33554432");
}

TEST(integers_to_text)
{
    char out[TN_NUMBER_MAX];
    CHECK(tn_u64_text(0, out) == 1);
    CHECK_STR(out, "0");
    CHECK(tn_u64_text(UINT64_MAX, out) == 20);
    CHECK_STR(out, "18446744073709551615");
    CHECK(tn_i64_text(INT64_MIN, out) == 20);
    CHECK_STR(out, "-9223372036854775808");
    CHECK(tn_i64_text(-7, out) == 2);
    CHECK_STR(out, "-7");
    CHECK(tn_i64_text(INT64_MAX, out) == 19);
    CHECK_STR(out, "9223372036854775807");
    for (uint64_t v = 10; v <= UINT64_MAX / 10; v *= 10) {
        char want[TN_NUMBER_MAX];
        snprintf(want, sizeof want, "%llu", (unsigned long long)v);
        tn_u64_text(v, out);
        CHECK_STR(out, want);
        snprintf(want, sizeof want, "%llu", (unsigned long long)v - 1);
        tn_u64_text(v - 1, out);
        CHECK_STR(out, want);
    }
}

// -- The grammar

TEST(only_json_numbers_are_numbers)
{
    static const char *const bad[] = {"",     "-",   "+1",  ".5",  "1.",   "01",  "-01",   "1e",
                                      "1e+",  "1e-", " 1",  "1 ",  "1.e3", "--1", "1.5.2", "1e5.",
                                      "0x10", "1f",  "nan", "inf", "-inf", "NaN", "1,5",   "1e5e",
                                      "00",   "-00", "0e",  "-.5", "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        float f = 1;
        double d = 1;
        uint64_t u = 1;
        int64_t s = 1;
        size_t size = strlen(bad[i]);
        CHECK(!tn_f32_parse(bad[i], size, &f) && bits32(f) == 0);
        CHECK(!tn_f64_parse(bad[i], size, &d) && bits64(d) == 0);
        CHECK(!tn_u64_parse(bad[i], size, &u) && u == 0);
        CHECK(!tn_i64_parse(bad[i], size, &s) && s == 0);
    }
}

static size_t scan_end(const char *text, bool want_ok)
{
    size_t end;
    CHECK(tn_number_scan(text, strlen(text), &end) == want_ok);
    return end;
}

TEST(a_scan_says_where_the_number_ends_or_fails)
{
    CHECK(scan_end("12,", true) == 2);
    CHECK(scan_end("-0", true) == 2);
    CHECK(scan_end("0.5e-12]", true) == 7);
    CHECK(scan_end("1E+5", true) == 4);
    CHECK(scan_end("1x", true) == 1);
    CHECK(scan_end("", false) == 0);
    CHECK(scan_end("-", false) == 1);
    CHECK(scan_end("-x", false) == 1);
    CHECK(scan_end("01", false) == 1);
    CHECK(scan_end("-012", false) == 2);
    CHECK(scan_end("1.", false) == 2);
    CHECK(scan_end("1.e", false) == 2);
    CHECK(scan_end("1e", false) == 2);
    CHECK(scan_end("1e+]", false) == 3);
}

// -- From text

TEST(f64_known_cases)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } cases[] = {
        {"0", 0},
        {"-0", 0x8000000000000000},
        {"-0.000e5", 0x8000000000000000},
        {"1", 0x3ff0000000000000},
        {"0.1", 0x3fb999999999999a},
        {"123456789012345678901234567890", 0x45f8ee90ff6c373e},
        {"9007199254740993", 0x4340000000000000},  // Halfway, to even.
        {"9007199254740993.00000000000000000000000000000001", 0x4340000000000001},
        {"9007199254740995", 0x4340000000000002},
        {"0.500000000000000166533453693773481063544750213623046875", 0x3fe0000000000002},
        {"3.518437208883201171875e13", 0x42c0000000000002},
        {"62.5364939768271845828", 0x404f44abd5aa7ca4},
        {"8.10109172351e-10", 0x3e0bd5cbaef0fd0c},
        {"1.50000000000000011102230246251565", 0x3ff8000000000000},
        {"1.50000000000000011102230246251566", 0x3ff8000000000001},
        {"6929495644600919.5", 0x43389e56ee5e7a58},
        {"2.2250738585072011e-308", 0x000fffffffffffff},
        {"2.2250738585072012e-308", 0x0010000000000000},
        {"2.2250738585072014e-308", 0x0010000000000000},
        {"4.9406564584124654e-324", 1},
        {"2.4703282292062327e-324", 0},
        {"2.4703282292062328e-324", 1},
        {"1e-323", 2},
        {"1e-400", 0},
        {"-1e-99999999999999999999999999", 0x8000000000000000},
        {"0e99999999999999999999999999999", 0},
        {"1.7976931348623157e308", 0x7fefffffffffffff},
        {"1.7976931348623158e308", 0x7fefffffffffffff},
        {"1.797693134862315807e308", 0x7fefffffffffffff},
        {"1.797693134862315808e308", 0x7ff0000000000000},
        {"17976931348623158e292", 0x7fefffffffffffff},
        {"1e309", 0x7ff0000000000000},
        {"-1e309", 0xfff0000000000000},
        {"1e99999999999999999999999999", 0x7ff0000000000000},
        {"100000000000000000000000000000000000000000e-41", 0x3ff0000000000000},
        {"0.000000000000000000000000000000000000000001e42", 0x3ff0000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bits = parse64(cases[i].text);
        CHECK(bits == bits64(strtod(cases[i].text, NULL)));
        if (bits != cases[i].bits)
            fprintf(stderr, "%s is %016llx\n", cases[i].text, (unsigned long long)bits);
        CHECK(bits == cases[i].bits);
    }
}

TEST(f32_known_cases)
{
    static const struct {
        const char *text;
        uint32_t bits;
    } cases[] = {
        {"-0", 0x80000000},
        {"0.1", 0x3dcccccd},
        {"16777217", 0x4b800000},  // Halfway, to even.
        {"16777217.000000000000000000000001", 0x4b800001},
        {"16777219", 0x4b800002},
        {"1.00000017881393432617187499", 0x3f800001},  // Rounded to f64 first it would go up.
        {"1.000000178813934326171875", 0x3f800002},
        {"1.00000017881393432617187501", 0x3f800002},
        {"1.1754943508222875e-38", 0x00800000},
        {"1.1754942807573643e-38", 0x00800000},
        {"1.1754942807573642e-38", 0x007fffff},
        {"1.4e-45", 1},
        {"7.006492321624085e-46", 0},
        {"7.006492321624086e-46", 1},
        {"1e-46", 0},
        {"1e-300", 0},
        {"3.4028235e38", 0x7f7fffff},
        {"3.4028235677973367e38", 0x7f800000},  // Just above the halfway point.
        {"3.4028235677973366e38", 0x7f7fffff},
        {"340282356779733661637539395458142568447", 0x7f7fffff},
        {"340282356779733661637539395458142568448", 0x7f800000},
        {"-1e39", 0xff800000},
        {"1e300", 0x7f800000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t bits = parse32(cases[i].text);
        CHECK(bits == bits32(strtof(cases[i].text, NULL)));
        if (bits != cases[i].bits) fprintf(stderr, "%s is %08x\n", cases[i].text, bits);
        CHECK(bits == cases[i].bits);
    }
}

TEST(integers_from_text)
{
    uint64_t u;
    int64_t s;
    CHECK(tn_u64_parse("18446744073709551615", 20, &u) && u == UINT64_MAX);
    CHECK(!tn_u64_parse("18446744073709551616", 20, &u) && u == 0);
    CHECK(!tn_u64_parse("184467440737095516150", 21, &u));
    CHECK(!tn_u64_parse("-1", 2, &u));
    CHECK(tn_u64_parse("-0", 2, &u) && u == 0);
    CHECK(tn_u64_parse("1.2e1", 5, &u) && u == 12);
    CHECK(tn_u64_parse("12.000", 6, &u) && u == 12);
    CHECK(tn_u64_parse("1200e-2", 7, &u) && u == 12);
    CHECK(tn_u64_parse("0.00012e5", 9, &u) && u == 12);
    CHECK(tn_u64_parse("1e19", 4, &u) && u == 10000000000000000000u);
    CHECK(tn_u64_parse("0e999999999999999999999", 23, &u) && u == 0);
    CHECK(!tn_u64_parse("1e20", 4, &u));
    CHECK(!tn_u64_parse("1e999999999999999999999", 23, &u));
    CHECK(!tn_u64_parse("1e-999999999999999999999", 24, &u));
    CHECK(!tn_u64_parse("12.5", 4, &u));
    CHECK(!tn_u64_parse("125e-1", 6, &u));
    CHECK(tn_i64_parse("-9223372036854775808", 20, &s) && s == INT64_MIN);
    CHECK(!tn_i64_parse("-9223372036854775809", 20, &s));
    CHECK(tn_i64_parse("9223372036854775807", 19, &s) && s == INT64_MAX);
    CHECK(!tn_i64_parse("9223372036854775808", 19, &s) && s == 0);
    CHECK(tn_i64_parse("-12e0", 5, &s) && s == -12);
}

TEST(bits_survive_as_text)
{
    char out[TN_NUMBER_MAX];
    float f;
    double d;
    CHECK(tn_f32_bits_text(from32(0x7fc00001), out) == 12);
    CHECK_STR(out, "f32:7fc00001");
    CHECK(tn_f32_bits_parse(out, 12, &f) && bits32(f) == 0x7fc00001);
    CHECK(tn_f32_bits_parse("f32:FF80000a", 12, &f) && bits32(f) == 0xff80000a);
    CHECK(tn_f64_bits_text(from64(0x7ff8000000abcdef), out) == 20);
    CHECK_STR(out, "f64:7ff8000000abcdef");
    CHECK(tn_f64_bits_parse(out, 20, &d) && bits64(d) == 0x7ff8000000abcdef);
    CHECK(!tn_f32_bits_parse("f32:7fc0000", 11, &f) && bits32(f) == 0);
    CHECK(!tn_f32_bits_parse("f32:7fc0000g", 12, &f) && bits32(f) == 0);
    CHECK(!tn_f32_bits_parse("f64:7fc00001", 12, &f));
    CHECK(!tn_f64_bits_parse("", 0, &d) && bits64(d) == 0);
}

// -- Halfway points, written out in full by schoolbook arithmetic

// Writes m * 2^e exactly, as an integer and an exponent of ten.
static void exact_text(uint64_t m, int e, char *out, size_t out_size)
{
    unsigned char digits[1200] = {0};  // Lowest first.
    int count = 0;
    for (; m; m /= 10) digits[count++] = (unsigned char)(m % 10);
    for (int step = 0; step < abs(e); step++) {
        unsigned carry = 0;
        for (int i = 0; i < count; i++) {
            carry += digits[i] * (e < 0 ? 5u : 2u);
            digits[i] = (unsigned char)(carry % 10);
            carry /= 10;
        }
        if (carry) digits[count++] = (unsigned char)carry;
    }
    char *p = out;
    while (count) *p++ = (char)('0' + digits[--count]);
    snprintf(p, out_size - (size_t)(p - out), "e%d", e < 0 ? e : 0);
}

// Changes the number in `text` by less than a unit of its last digit.
static void nudge(char *text, bool up)
{
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    if (!up) {
        char *last = e - 1;
        for (; *last == '0'; last--) *last = '9';
        --*last;
    }
    sprintf(e, "%se%d", up ? "001" : "999", exponent - 3);
}

static void check_half64(uint64_t bits)
{
    char text[1300], near[1300];
    int field = (int)(bits >> 52);
    uint64_t m = (bits & 0xfffffffffffff) | (field ? 0x10000000000000 : 0);
    exact_text(2 * m + 1, (field ? field : 1) - 1076, text, sizeof text);
    CHECK(parse64(text) == bits + bits % 2);
    nudge(strcpy(near, text), true);
    CHECK(parse64(near) == bits + 1);
    nudge(strcpy(near, text), false);
    CHECK(parse64(near) == bits);
}

static void check_half32(uint32_t bits)
{
    char text[300], near[300];
    int field = (int)(bits >> 23);
    uint32_t m = (bits & 0x7fffff) | (field ? 0x800000 : 0);
    exact_text(2 * (uint64_t)m + 1, (field ? field : 1) - 151, text, sizeof text);
    CHECK(parse32(text) == bits + bits % 2);
    nudge(strcpy(near, text), true);
    CHECK(parse32(near) == bits + 1);
    nudge(strcpy(near, text), false);
    CHECK(parse32(near) == bits);
}

TEST(halfway_points_go_to_even_and_their_neighbors_do_not)
{
    uint64_t state = 1;
    for (int i = 0; i < HALFWAY_COUNT; i++) {
        check_half64(next_random(&state) % 0x7ff0000000000000);
        check_half64(next_random(&state) % 0x0020000000000000);
        check_half64(next_random(&state) % 0x0300000000000000 + 0x3e00000000000000);
        check_half32((uint32_t)(next_random(&state) % 0x7f800000));
        check_half32((uint32_t)(next_random(&state) % 0x01000000));
    }
    static const uint64_t edges64[] = {0,
                                       1,
                                       2,
                                       0xffffffffffffe,
                                       0xfffffffffffff,
                                       0x10000000000000,
                                       0x7feffffffffffffe,
                                       0x7fefffffffffffff};
    static const uint32_t edges32[] = {0,        1,        2,          0x7ffffe,
                                       0x7fffff, 0x800000, 0x7f7ffffe, 0x7f7fffff};
    for (int i = 0; i < 8; i++) check_half64(edges64[i]);
    for (int i = 0; i < 8; i++) check_half32(edges32[i]);
}

TEST(digits_without_end_still_count)
{
    static char text[5000];
    memset(text, '0', sizeof text - 1);  // 9007199254740993.000…0001
    memcpy(text, "9007199254740993.", 17);
    CHECK(parse64(text) == 0x4340000000000000);
    text[sizeof text - 2] = '1';
    CHECK(parse64(text) == 0x4340000000000001);
    memset(text, '9', 4000);  // 999…999e-4000
    strcpy(text + 4000, "e-4000");
    CHECK(parse64(text) == bits64(1.0) && parse32(text) == bits32(1.0f));
    memset(text, '0', 4000);  // 0.000…0001e3999
    memcpy(text, "0.", 2);
    strcpy(text + 4000, "1e3999");
    CHECK(parse64(text) == bits64(1.0));
    memset(text, '0', 4000);  // 1000…000e-4000
    text[0] = '1';
    strcpy(text + 4000, "e-4000");
    CHECK(parse64(text) == bits64(0.1) && parse32(text) == bits32(0.1f));
}

// -- Against the C library, in the locale "C"

// Whether the C library reads the text so. That of Windows rounds some wrongly: it is not asked.
static bool library_agrees64(const char *text, uint64_t bits)
{
#ifdef _WIN32
    (void)text;
    (void)bits;
    return true;
#else
    return bits64(strtod(text, NULL)) == bits;
#endif
}

static void check_random64(uint64_t bits)
{
    double v = from64(bits);
    if (!isfinite(v)) return;
    char text[64];
    tn_f64_text(v, text);
    CHECK(library_agrees64(text, bits) && parse64(text) == bits);
}

static void check_random32(uint32_t bits)
{
    float v = from32(bits);
    if (!isfinite(v)) return;
    char text[64];
    tn_f32_text(v, text);
    CHECK(bits32(strtof(text, NULL)) == bits && parse32(text) == bits);
}

TEST(random_f64_survive)
{
    uint64_t state = 2;
    for (int i = 0; i < RANDOM_COUNT; i++) check_random64(next_random(&state));
}

TEST(random_f32_survive)
{
    uint64_t state = 3;
    for (int i = 0; i < RANDOM_COUNT; i++) check_random32((uint32_t)next_random(&state));
}

TEST(powers_of_two_and_their_neighbors_survive)
{
    for (uint64_t field = 0; field < 0x7ff; field++) {
        for (uint64_t i = 0; i < 8; i++) check_random64((field << 52) + i - 4);
    }
    for (uint32_t field = 0; field < 0xff; field++) {
        for (uint32_t i = 0; i < 8; i++) check_random32((field << 23) + i - 4);
    }
}

TEST(what_printf_writes_is_read_as_strtod_reads_it)
{
    uint64_t state = 4;
    for (int i = 0; i < RANDOM_COUNT / 10; i++) {
        double v = from64(next_random(&state));
        if (!isfinite(v)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.*e", i % 22, v);
        CHECK(parse64(text) == bits64(strtod(text, NULL)));
        CHECK(parse32(text) == bits32(strtof(text, NULL)));
    }
}

// Random digits, which stress the bracket most, with exponents around every limit.
TEST(other_spellings_become_json)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"1", "1"},       {"+1", "1"},        {"-1", "-1"},     {"007", "7"},   {"0", "0"},
        {"00", "0"},      {".5", "0.5"},      {"-.5", "-0.5"},  {"5.", "5.0"},  {"5.e3", "5.0e3"},
        {"1e-3", "1e-3"}, {"+01.50", "1.50"}, {"--1", ""},      {"+-1", ""},    {"", ""},
        {".", "0."},      {"-", "-"},         {"1.0f", "1.0f"}, {"abc", "abc"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[16];
        size_t size = tn_number_spell(cases[i].text, strlen(cases[i].text), out);
        CHECK(size <= strlen(cases[i].text) + 2);
        out[size] = '\0';
        CHECK_STR(out, cases[i].json);
    }
}

TEST(random_digits_are_read_like_strtod_reads_them)
{
    uint64_t state = 5;
    for (int i = 0; i < RANDOM_COUNT / 10; i++) {
        char text[64];
        uint64_t high = next_random(&state) >> next_random(&state) % 64 | 1;
        int exponent = (int)(next_random(&state) % 700) - 360;
        size_t size = tn_u64_text(high, text);
        if (i % 2) size += tn_u64_text(next_random(&state), text + size);
        snprintf(text + size, sizeof text - size, "e%d", i % 4 < 2 ? exponent : exponent / 8);
        CHECK(parse64(text) == bits64(strtod(text, NULL)));
        CHECK(parse32(text) == bits32(strtof(text, NULL)));
    }
}

// -- Shortest

// Converts a text to the form of "%.*e", so that two can be compared digit by digit.
static void normalize(const char *text, char *out, size_t out_size)
{
    char digits[32];
    size_t count = 0;
    int point = 0, exponent = 0;
    bool after_point = false;
    for (const char *p = text; *p; p++) {
        if (*p == 'e') exponent = atoi(p + 1);
        if (*p == 'e') break;
        if (*p == '.') after_point = true;
        if (*p < '0' || *p > '9') continue;
        if (count == 0 && *p == '0') point -= after_point;
        if (count == 0 && *p == '0') continue;
        digits[count++] = *p;
        point += !after_point;
    }
    while (count > 1 && digits[count - 1] == '0') count--;
    snprintf(out, out_size, "%.*se%d", (int)count, digits, exponent + point - 1);
}

// Tenon writes the fewest digits that printf needs, and the same digits, since both are nearest.
// Only above a power of two can another number of that size be within reach, or a shorter one.
static void check_shortest(const char *ours, double v, int max_digits, bool is_f32, bool is_power)
{
    char theirs[64], a[64], b[64];
    for (int digits = 0; digits < max_digits; digits++) {
        snprintf(theirs, sizeof theirs, "%.*e", digits, v);
        if (is_f32 ? strtof(theirs, NULL) == (float)v : strtod(theirs, NULL) == v) break;
    }
    normalize(ours, a, sizeof a);
    normalize(theirs, b, sizeof b);
    if (is_power)
        CHECK(strcspn(a, "e") <= strcspn(b, "e"));
    else
        CHECK_STR(a, b);
}

TEST(f64_text_is_the_shortest)
{
    uint64_t state = 6;
    for (int i = 0; i < SHORTEST_COUNT; i++) {
        uint64_t bits = next_random(&state) & (i % 3 ? UINT64_MAX : 0xfffff00000000000);
        double v = from64(bits);
        if (isfinite(v) && v != 0) check_shortest(text64(v), v, 17, false, bits << 12 == 0);
    }
    for (int e = -1074; e < 1024; e++) {
        double v = ldexp(1, e);
        check_shortest(text64(v), v, 17, false, true);
    }
}

TEST(f32_text_is_the_shortest)
{
    uint64_t state = 7;
    for (int i = 0; i < SHORTEST_COUNT; i++) {
        uint32_t bits = (uint32_t)next_random(&state) & (i % 3 ? UINT32_MAX : 0xfffff000);
        float v = from32(bits);
        if (isfinite(v) && v != 0) check_shortest(text32(v), (double)v, 9, true, bits << 9 == 0);
    }
}

int main(void)
{
    RUN(f64_text_has_the_house_form);
    RUN(f32_text_has_the_house_form);
    RUN(what_is_not_finite_has_a_name);
    RUN(f64_text_at_the_limits);
    RUN(f32_text_at_the_limits);
    RUN(integers_to_text);
    RUN(only_json_numbers_are_numbers);
    RUN(a_scan_says_where_the_number_ends_or_fails);
    RUN(f64_known_cases);
    RUN(f32_known_cases);
    RUN(integers_from_text);
    RUN(bits_survive_as_text);
    RUN(halfway_points_go_to_even_and_their_neighbors_do_not);
    RUN(digits_without_end_still_count);
    RUN(random_f64_survive);
    RUN(random_f32_survive);
    RUN(powers_of_two_and_their_neighbors_survive);
    RUN(what_printf_writes_is_read_as_strtod_reads_it);
    RUN(other_spellings_become_json);
    RUN(random_digits_are_read_like_strtod_reads_them);
#ifdef _WIN32
    SKIP(f64_text_is_the_shortest, "Windows reads some numbers wrongly");
#else
    RUN(f64_text_is_the_shortest);
#endif
    RUN(f32_text_is_the_shortest);
    TEST_END();
}
