// test_io_numbers.c: numbers, small arrays and magic through the cursor, in both byte orders.
// SPDX-License-Identifier: MIT

#include "core_help.h"

// -- One of each

typedef struct sample {
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    uint32_t u32;
    int32_t i32;
    float f32;
    double f64;
    uint8_t u8s[3];
    int16_t i16s[2];
    float f32s[2];
    int64_t i64;
    uint64_t u64;
} sample;

static void describe_sample(tn_io *io, sample *s)
{
    tn_u8(io, "u8", &s->u8);
    tn_u16(io, "u16", &s->u16);
    tn_i16(io, "i16", &s->i16);
    tn_u32(io, "u32", &s->u32);
    tn_i32(io, "i32", &s->i32);
    tn_f32(io, "f32", &s->f32);
    tn_f64(io, "f64", &s->f64);
    tn_u8s(io, "u8s", s->u8s, 3);
    tn_i16s(io, "i16s", s->i16s, 2);
    tn_f32s(io, "f32s", s->f32s, 2);
    tn_i64(io, "i64", &s->i64);
    tn_u64(io, "u64", &s->u64);
}

static const sample values = {.u8 = 0x81,
                              .u16 = 0x8283,
                              .i16 = -2,
                              .u32 = 0x84858687,
                              .i32 = -3,
                              .f32 = 1.5f,
                              .f64 = -0.1,
                              .u8s = {1, 2, 3},
                              .i16s = {-32768, 258},
                              .f32s = {2.0f, -0.0f},
                              .i64 = -4,
                              .u64 = 0x8182838485868788};

// clang-format off
static const uint8_t little[] = {
    0x81,  0x83, 0x82,  0xFE, 0xFF,  0x87, 0x86, 0x85, 0x84,  0xFD, 0xFF, 0xFF, 0xFF,
    0x00, 0x00, 0xC0, 0x3F,  0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0xBF,  1, 2, 3,
    0x00, 0x80, 0x02, 0x01,  0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x80,
    0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81,
};
static const uint8_t big[] = {
    0x81,  0x82, 0x83,  0xFF, 0xFE,  0x84, 0x85, 0x86, 0x87,  0xFF, 0xFF, 0xFF, 0xFD,
    0x3F, 0xC0, 0x00, 0x00,  0xBF, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A,  1, 2, 3,
    0x80, 0x00, 0x01, 0x02,  0x40, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFC,
    0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
};
// clang-format on

// Where each field of the sample starts, and the end.
static const struct {
    const char *name;
    uint64_t offset;
} places[] = {{"u8", 0},   {"u16", 1},  {"i16", 3},  {"u32", 5},   {"i32", 9},
              {"f32", 13}, {"f64", 17}, {"u8s", 25}, {"i16s", 28}, {"f32s", 32},
              {"i64", 40}, {"u64", 48}, {"", 56}};

static bool same_sample(const sample *a, const sample *b)
{
    return a->u8 == b->u8 && a->u16 == b->u16 && a->i16 == b->i16 && a->u32 == b->u32 &&
           a->i32 == b->i32 && memcmp(&a->f32, &b->f32, 4) == 0 &&
           memcmp(&a->f64, &b->f64, 8) == 0 && memcmp(a->u8s, b->u8s, 3) == 0 &&
           memcmp(a->i16s, b->i16s, 4) == 0 && memcmp(a->f32s, b->f32s, 8) == 0 &&
           a->i64 == b->i64 && a->u64 == b->u64;
}

TEST(every_number_is_read_in_both_byte_orders)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        reading r;
        sample got;
        memset(&got, 0xEE, sizeof got);
        reading_begin(&r, is_big ? big : little, sizeof little);
        r.io.big_endian = is_big;
        describe_sample(&r.io, &got);
        CHECK(!r.io.failed && r.io.pos == sizeof little && r.err.code == TENON_OK);
        CHECK(same_sample(&got, &values));
        CHECK(r.meter.calls == 0);
        reading_end(&r);
    }
}

TEST(every_number_is_written_in_both_byte_orders)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        writing w;
        sample copy = values;
        writing_begin(&w);
        w.io.big_endian = is_big;
        describe_sample(&w.io, &copy);
        CHECK(wrote(&w, is_big ? big : little, sizeof little));
        CHECK(same_sample(&copy, &values));  // Writing does not change the value.
    }
}

TEST(measuring_counts_what_writing_writes)
{
    tn_io io;
    tenon_error err;
    sample copy = values;
    tn_io_writer(&io, NULL, NULL, &err);
    describe_sample(&io, &copy);
    CHECK(!io.failed && io.pos == sizeof little);
}

TEST(odd_bits_of_floats_survive)
{
    static const uint32_t odd[] = {0x7FC12345, 0x7F812345, 0xFFC00001, 0x7F800000,
                                   0xFF800000, 0x80000000, 0x00000001, 0x807FFFFF};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        reading r;
        writing w;
        float v;
        reading_begin(&r, &odd[i], 4);
        writing_begin(&w);
        r.io.big_endian = w.io.big_endian = true;
        tn_f32(&r.io, "v", &v);
        tn_f32(&w.io, "v", &v);
        CHECK(wrote(&w, &odd[i], 4));
        reading_end(&r);
    }
}

// -- Cut short

// The field that the byte at `offset` belongs to.
static size_t place_of(uint64_t offset)
{
    size_t i = 0;
    while (places[i + 1].offset <= offset) i++;
    return i;
}

TEST(every_truncation_names_its_field_and_zeroes_the_rest)
{
    for (size_t size = 0; size < sizeof little; size++) {
        reading r;
        sample got, want = {0};
        memset(&got, 0xEE, sizeof got);
        reading_begin(&r, little, size);
        describe_sample(&r.io, &got);

        size_t at = place_of(size);
        char message[100];
        snprintf(message, sizeof message, "'%s' needs %u bytes, only %u left", places[at].name,
                 (unsigned)(places[at + 1].offset - places[at].offset),
                 (unsigned)(size - places[at].offset));
        CHECK(r.io.failed && r.io.pos == places[at].offset);
        CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, places[at].offset, places[at].name, message, "");

        uint8_t padded[sizeof little] = {0};
        memcpy(padded, little, (size_t)places[at].offset);
        reading whole;
        reading_begin(&whole, padded, sizeof padded);
        describe_sample(&whole.io, &want);
        CHECK(same_sample(&got, &want));
        reading_end(&whole);
        reading_end(&r);
    }
}

TEST(a_number_cut_short_is_not_explained_by_some_count_of_one)
{
    uint32_t one;
    float length;
    reading r;
    reading_begin(&r, "\1\0\0\0\0\0", 6);
    tn_u32(&r.io, "version", &one);
    tn_f32(&r.io, "length", &length);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "length", "'length' needs 4 bytes, only 2 left", "");
    reading_end(&r);
}

TEST(after_a_failure_nothing_moves_and_the_first_error_stays)
{
    reading r;
    sample got;
    memset(&got, 0xEE, sizeof got);
    reading_begin(&r, little, sizeof little);
    tn_u8(&r.io, "u8", &got.u8);
    tn_fail(&r.io, TENON_ERR_VALUE, 77, "u8", "the first %s", "reason");
    describe_sample(&r.io, &got);
    tn_fail(&r.io, TENON_ERR_FORMAT, 88, "other", "the second reason");
    CHECK(same_sample(&got, &(sample){0}));
    CHECK(r.io.pos == 1);
    CHECK_ERROR(r.err, TENON_ERR_VALUE, 77, "u8", "the first reason", "");
    reading_end(&r);
}

TEST(after_a_failure_nothing_more_is_written)
{
    writing w;
    sample copy = values;
    writing_begin(&w);
    tn_u8(&w.io, "u8", &copy.u8);
    tn_fail(&w.io, TENON_ERR_VALUE, 0, "u8", "no");
    describe_sample(&w.io, &copy);
    CHECK(w.size == 1 && w.io.pos == 1);
    CHECK(same_sample(&copy, &values));
}

static bool refuse_after_four(void *user, const void *bytes, size_t size)
{
    size_t *taken = user;
    (void)bytes;
    *taken += size;
    return *taken <= 4;
}

TEST(an_output_that_refuses_ends_the_writing)
{
    tn_io io;
    tenon_error err = {0};
    size_t taken = 0;
    sample copy = values;
    tn_io_writer(&io, refuse_after_four, &taken, &err);
    describe_sample(&io, &copy);
    CHECK(io.failed && taken == 5);  // u8, u16, then i16 is one too many, and nothing after it.
    CHECK(err.code == TENON_ERR_IO && err.offset == 3);
    CHECK_STR(err.message, "the output could not be written");
}

// -- Magic

TEST(magic_is_compared_and_written)
{
    reading r;
    writing w;
    reading_begin(&r, "ABC\0rest", 8);
    tn_magic(&r.io, "magic", "ABC", 4);
    CHECK(!r.io.failed && r.io.pos == 4 && r.meter.calls == 0);
    reading_end(&r);
    writing_begin(&w);
    tn_magic(&w.io, "magic", "ABC", 4);
    CHECK(wrote(&w, "ABC", 4));
}

TEST(other_magic_is_another_format)
{
    reading r;
    reading_begin(&r, "xABDrest", 8);
    uint8_t x;
    tn_u8(&r.io, "x", &x);
    tn_magic(&r.io, "magic", "ABC", 3);
    CHECK_ERROR(r.err, TENON_ERR_FORMAT, 1, "magic",
                "the file does not start with the magic bytes of this format", "");
    reading_end(&r);
}

TEST(magic_cut_short_is_a_truncation)
{
    reading r;
    reading_begin(&r, "AB", 2);
    tn_magic(&r.io, "magic", "ABC", 3);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "magic", "'magic' needs 3 bytes, only 2 left", "");
    reading_end(&r);
}

// -- Arrays that the description needs

TEST(arrays_are_decoded_into_memory_in_both_byte_orders)
{
    static const uint8_t wire[] = {1, 0, 0, 0, 0, 1, 0, 0};
    for (int is_big = 0; is_big < 2; is_big++) {
        reading r;
        writing w;
        uint32_t *v = NULL;
        reading_begin(&r, wire, sizeof wire);
        writing_begin(&w);
        r.io.big_endian = w.io.big_endian = is_big;
        tn_u32_array(&r.io, "sizes", &v, 2);
        CHECK(!r.io.failed && r.io.pos == 8 && r.arena.used == 8);
        CHECK(v && v[0] == (is_big ? 0x01000000u : 1u) && v[1] == (is_big ? 0x00010000u : 256u));
        tn_u32_array(&w.io, "sizes", &v, 2);
        CHECK(wrote(&w, wire, sizeof wire));
        reading_end(&r);
    }
}

TEST(an_empty_array_is_not_a_failure)
{
    reading r;
    uint32_t *v = NULL;
    reading_begin(&r, "", 0);
    tn_u32_array(&r.io, "sizes", &v, 0);
    CHECK(!r.io.failed && v != NULL && r.meter.calls == 0);
    reading_end(&r);
}

TEST(an_array_the_file_cannot_hold_is_refused_before_memory_is_allocated)
{
    static const struct {
        uint64_t count;
        const char *message;
    } cases[] = {
        {2, "'sizes' needs 8 bytes, only 7 left"},
        {UINT32_MAX, "'sizes' needs 17179869180 bytes, only 7 left"},
        {UINT64_MAX / 4 + 2, "'sizes' needs more than the 7 bytes left"},
        {UINT64_MAX, "'sizes' needs more than the 7 bytes left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r;
        uint32_t dummy, *v = &dummy;
        reading_begin(&r, "1234567", 7);
        tn_u32_array(&r.io, "sizes", &v, cases[i].count);
        CHECK(v == NULL && r.meter.calls == 0);
        CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "sizes", cases[i].message, "");
        reading_end(&r);
    }
}

TEST(an_array_over_the_limit_is_refused)
{
    reading r;
    uint32_t dummy, *v = &dummy;
    reading_begin(&r, "12345678", 8);
    r.arena.limit = 7;
    tn_u32_array(&r.io, "sizes", &v, 2);
    CHECK(v == NULL && r.meter.calls == 0);
    CHECK(r.err.code == TENON_ERR_LIMIT);
    CHECK_STR(r.err.path, "sizes");
    CHECK_STR(r.err.message, "'sizes' would exceed the memory limit of 7 bytes");
    reading_end(&r);
}

TEST(no_memory_for_an_array_is_reported)
{
    reading r;
    uint32_t dummy, *v = &dummy;
    reading_begin(&r, "12345678", 8);
    r.meter.fail_at = 1;
    tn_u32_array(&r.io, "sizes", &v, 2);
    CHECK(v == NULL && r.err.code == TENON_ERR_MEMORY);
    CHECK_STR(r.err.message, "out of memory for 'sizes'");
    reading_end(&r);
}

// -- Notes

TEST(a_note_names_the_count_that_asked_for_too_much)
{
    reading r;
    uint32_t other, count, *v;
    reading_begin(&r, "\7\0\0\0\3\0\0\0\7\0\0\0\5\0\0\0xx", 18);
    tn_u32(&r.io, "older_seven", &other);
    tn_u32(&r.io, "count", &count);
    tn_u32(&r.io, "seven", &other);
    tn_u32(&r.io, "five", &other);
    tn_u32_array(&r.io, "sizes", &v, 7);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 16, "sizes", "'sizes' needs 28 bytes, only 2 left",
                "seven is 7 (at 0x000008)");  // The nearest one in front.
    reading_end(&r);
}

TEST(a_number_read_long_ago_explains_nothing)
{
    reading r;
    uint32_t v, *array;
    uint8_t wire[4 * 9] = {99};
    reading_begin(&r, wire, sizeof wire);
    for (int i = 0; i < 9; i++) tn_u32(&r.io, "v", &v);
    tn_u32_array(&r.io, "sizes", &array, 99);
    CHECK(r.err.code == TENON_ERR_TRUNCATED);
    CHECK_STR(r.err.note, "");
    reading_end(&r);
}

int main(void)
{
    RUN(every_number_is_read_in_both_byte_orders);
    RUN(every_number_is_written_in_both_byte_orders);
    RUN(measuring_counts_what_writing_writes);
    RUN(odd_bits_of_floats_survive);
    RUN(every_truncation_names_its_field_and_zeroes_the_rest);
    RUN(a_number_cut_short_is_not_explained_by_some_count_of_one);
    RUN(after_a_failure_nothing_moves_and_the_first_error_stays);
    RUN(after_a_failure_nothing_more_is_written);
    RUN(an_output_that_refuses_ends_the_writing);
    RUN(magic_is_compared_and_written);
    RUN(other_magic_is_another_format);
    RUN(magic_cut_short_is_a_truncation);
    RUN(arrays_are_decoded_into_memory_in_both_byte_orders);
    RUN(an_empty_array_is_not_a_failure);
    RUN(an_array_the_file_cannot_hold_is_refused_before_memory_is_allocated);
    RUN(an_array_over_the_limit_is_refused);
    RUN(no_memory_for_an_array_is_reported);
    RUN(a_note_names_the_count_that_asked_for_too_much);
    RUN(a_number_read_long_ago_explains_nothing);
    TEST_END();
}
