// test_window.c: parts whose size is stored elsewhere, what is left of them, and inferred fields.
// SPDX-License-Identifier: MIT

#include "core_help.h"

#include "core/cursor/span.h"

// -- A part: its size, a number, and whatever follows

typedef struct part {
    uint32_t size;
    uint16_t number;
    tenon_span leftover;
} part;

static void describe_part(tn_io *io, part *p)
{
    tn_u32(io, "size", &p->size);
    tn_window window = tn_window_begin(io, "part", p->size);
    tn_u16(io, "number", &p->number);
    tn_window_end(io, &window, &p->leftover);
}

TEST(what_is_left_of_a_window_is_kept_and_written_back)
{
    static const uint8_t wire[] = {5, 0, 0, 0, 1, 2, 'a', 'b', 'c'};
    reading r;
    writing w;
    trace t;
    part p;
    reading_begin(&r, wire, sizeof wire);
    trace_begin(&t, &r.io);
    describe_part(&r.io, &p);
    CHECK(!r.io.failed && p.number == 0x201 && r.io.pos == 9 && r.io.end == 9);
    CHECK(p.leftover.data == r.data + 6 && p.leftover.size == 3 && p.leftover.count == 3);
    CHECK(p.leftover.layout == NULL);
    CHECK_STR(t.text, "0+4 u32 size; 4+2 u16 number; 6+3 kept bytes leftover; ");
    writing_begin(&w);
    describe_part(&w.io, &p);
    CHECK(wrote(&w, wire, sizeof wire));
    reading_end(&r);
}

TEST(a_window_that_is_filled_has_no_leftover_field)
{
    reading r;
    trace t;
    part p;
    reading_begin(&r, "\2\0\0\0abcd", 8);
    trace_begin(&t, &r.io);
    describe_part(&r.io, &p);
    CHECK(!r.io.failed && r.io.pos == 6 && r.io.end == 8 && p.leftover.size == 0);
    CHECK_STR(t.text, "0+4 u32 size; 4+2 u16 number; ");
    reading_end(&r);
}

TEST(reading_cannot_leave_a_window)
{
    reading r;
    part p;
    reading_begin(&r, "\1\0\0\0abcd", 8);
    describe_part(&r.io, &p);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "number", "'number' needs 2 bytes, only 1 left", "");
    CHECK(p.number == 0 && p.leftover.size == 0 && p.leftover.data == NULL);
    reading_end(&r);
}

TEST(a_window_larger_than_the_file_is_refused_and_explained)
{
    reading r;
    part p;
    reading_begin(&r, "\5\0\0\0abcd", 8);
    describe_part(&r.io, &p);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "part", "'part' needs 5 bytes, only 4 left",
                "size is 5 (at 0x000000)");
    CHECK(p.number == 0);
    reading_end(&r);
}

TEST(a_window_of_any_size_does_not_wrap)
{
    static const uint64_t sizes[] = {5, UINT32_MAX, UINT64_MAX - 4, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        reading r;
        uint8_t v = 1;
        reading_begin(&r, "abcd", 4);
        tn_window window = tn_window_begin(&r.io, "part", sizes[i]);
        tn_u8(&r.io, "v", &v);
        tn_window_end(&r.io, &window, NULL);
        CHECK(r.err.code == TENON_ERR_TRUNCATED && v == 0 && r.io.pos == 0 && r.io.end == 4);
        reading_end(&r);
    }
}

TEST(where_nothing_may_be_left_something_left_is_an_error)
{
    reading r;
    uint8_t v;
    reading_begin(&r, "abcd", 4);
    tn_u8(&r.io, "v", &v);
    tn_window window = tn_window_begin(&r.io, "part", 3);
    tn_u8(&r.io, "v", &v);
    tn_window_end(&r.io, &window, NULL);
    CHECK_ERROR(r.err, TENON_ERR_VALUE, 1, "part", "'part' takes 1 bytes, its size says 3", "");
    reading_end(&r);
}

TEST(a_window_of_no_bytes_holds_nothing)
{
    reading r;
    tenon_span leftover;
    reading_begin(&r, "abcd", 4);
    tn_window window = tn_window_begin(&r.io, "part", 0);
    tn_window_end(&r.io, &window, &leftover);
    CHECK(!r.io.failed && leftover.size == 0 && r.io.pos == 0 && r.io.end == 4);
    reading_end(&r);
}

// -- Nested

typedef struct nested {
    uint32_t outer_size;
    part inner;
    tenon_span outer_leftover;
    uint8_t after;
} nested;

static void describe_nested(tn_io *io, nested *n)
{
    tn_u32(io, "outer_size", &n->outer_size);
    tn_window window = tn_window_begin(io, "outer", n->outer_size);
    tn_enter(io, "inner");
    describe_part(io, &n->inner);
    tn_leave(io);
    tn_window_end(io, &window, &n->outer_leftover);
    tn_u8(io, "after", &n->after);
}

TEST(windows_nest)
{
    static const uint8_t wire[] = {9, 0, 0, 0, 3, 0, 0, 0, 1, 2, 'i', 'o', 'o', '!'};
    reading r;
    writing w;
    trace t;
    nested n;
    reading_begin(&r, wire, sizeof wire);
    trace_begin(&t, &r.io);
    describe_nested(&r.io, &n);
    CHECK(!r.io.failed && r.io.pos == sizeof wire && n.after == '!');
    CHECK_STR(t.text, "0+4 u32 outer_size; 4+4 u32 inner.size; 8+2 u16 inner.number; "
                      "10+1 kept bytes inner.leftover; 11+2 kept bytes leftover; 13+1 u8 after; ");
    writing_begin(&w);
    describe_nested(&w.io, &n);
    CHECK(wrote(&w, wire, sizeof wire));
    reading_end(&r);
}

TEST(an_inner_window_cannot_leave_the_outer_one)
{
    static const uint8_t wire[] = {9, 0, 0, 0, 6, 0, 0, 0, 1, 2, 'i', 'i', 'i', '!'};
    reading r;
    nested n;
    reading_begin(&r, wire, sizeof wire);
    describe_nested(&r.io, &n);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 8, "inner.part", "'part' needs 6 bytes, only 5 left",
                "size is 6 (at 0x000004)");
    CHECK(n.after == 0);
    reading_end(&r);
}

// -- Writing

TEST(a_stale_size_is_not_written)
{
    static const uint8_t rest[] = {'a', 'b', 'c'};
    static const uint32_t sizes[] = {0, 1, 4, 6, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        writing w;
        part p = {.size = sizes[i], .leftover = {.data = rest, .size = 3, .count = 3}};
        writing_begin(&w);
        describe_part(&w.io, &p);
        char message[80];
        snprintf(message, sizeof message, "'part' takes 5 bytes, its size says %" PRIu32, sizes[i]);
        CHECK_ERROR(w.err, TENON_ERR_VALUE, 4, "part", message, "");
    }
}

TEST(a_stale_size_is_found_by_measuring_as_well)
{
    tn_io io;
    tenon_error err;
    part p = {.size = 3};
    tn_io_writer(&io, NULL, NULL, &err);
    describe_part(&io, &p);
    CHECK(io.failed && err.code == TENON_ERR_VALUE && err.offset == 4);
    p.size = 2;
    tn_io_writer(&io, NULL, NULL, &err);
    describe_part(&io, &p);
    CHECK(!io.failed && io.pos == 6);
}

TEST(a_leftover_that_claims_to_be_more_than_bytes_is_not_written)
{
    writing w;
    part p = {.size = 4, .leftover = {.data = (const uint8_t *)"ab", .size = 2, .count = 1}};
    writing_begin(&w);
    describe_part(&w.io, &p);
    CHECK_ERROR(w.err, TENON_ERR_VALUE, 6, "leftover", "'leftover' has 1 items, its count says 2",
                "");
}

// -- Looking ahead

TEST(looking_ahead_ends_with_the_window)
{
    reading r;
    uint8_t v;
    reading_begin(&r, "abcdef", 6);
    tn_u8(&r.io, "v", &v);
    tn_window window = tn_window_begin(&r.io, "part", 3);
    CHECK(tn_peek(&r.io, 1, 3) == r.data + 1);
    CHECK(tn_peek(&r.io, 4, 0) == r.data + 4);
    CHECK(tn_peek(&r.io, 1, 4) == NULL);
    CHECK(tn_peek(&r.io, 4, 1) == NULL);
    CHECK(tn_peek(&r.io, 5, 0) == NULL);
    CHECK(tn_peek(&r.io, 2, UINT64_MAX) == NULL);
    CHECK(tn_peek(&r.io, UINT64_MAX, 1) == NULL);
    CHECK(r.io.pos == 1);  // Nothing has moved.
    tenon_span leftover;
    tn_window_end(&r.io, &window, &leftover);
    CHECK(tn_peek(&r.io, 4, 2) == r.data + 4);
    reading_end(&r);
}

// -- Inferred fields

typedef struct run {
    uint32_t count;  // Not stored: how many 'a' there are.
    tenon_span letters;
    uint8_t end;
} run;

static uint64_t count_letters(tn_io *io, const void *subject)
{
    uint64_t count = 0;
    const uint8_t *p;
    while ((p = tn_peek(io, io->pos + count, 1)) != NULL && *p == *(const char *)subject) count++;
    if (count == 9) tn_fail(io, TENON_ERR_VALUE, io->pos, "count", "nine is not allowed");
    return count;
}

static void describe_run(tn_io *io, run *v)
{
    tn_inferred_u32(io, "count", &v->count, count_letters, "a");
    tn_records(io, "letters", &v->letters, v->count, &tn_layout_u8);
    tn_u8(io, "end", &v->end);
}

TEST(an_inferred_field_is_computed_shown_and_kept_for_writing)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        reading r;
        writing w;
        trace t;
        run v;
        reading_begin(&r, "aaab", 4);
        r.io.big_endian = is_big;
        trace_begin(&t, &r.io);
        describe_run(&r.io, &v);
        CHECK(!r.io.failed && v.count == 3 && v.letters.size == 3 && v.end == 'b');
        CHECK_STR(t.text, "0+0 inferred u32 count; 0+3 records letters; 3+1 u8 end; ");
        writing_begin(&w);
        w.io.big_endian = is_big;
        trace_begin(&t, &w.io);
        describe_run(&w.io, &v);
        CHECK(wrote(&w, "aaab", 4));
        CHECK_STR(t.text, "0+0 inferred u32 count; 0+3 records letters; 3+1 u8 end; ");
        reading_end(&r);
    }
}

TEST(what_is_written_is_the_kept_value_not_a_new_guess)
{
    writing w;
    run v = {.count = 2, .letters = {(const uint8_t *)"xy", 2, 2, &tn_layout_u8, false}, .end = 1};
    writing_begin(&w);
    describe_run(&w.io, &v);
    CHECK(wrote(&w, "xy\1", 3));
}

TEST(inferring_may_fail)
{
    reading r;
    run v = {.count = 5};
    reading_begin(&r, "aaaaaaaaab", 10);
    describe_run(&r.io, &v);
    CHECK_ERROR(r.err, TENON_ERR_VALUE, 0, "count", "nine is not allowed", "");
    CHECK(v.count == 0 && v.letters.size == 0 && v.end == 0);
    reading_end(&r);
}

static uint64_t must_not_be_asked(tn_io *io, const void *subject)
{
    (void)subject;
    CHECK(io == NULL);  // Called after a failure, or while writing.
    return 1;
}

TEST(nothing_is_inferred_after_a_failure_or_while_writing)
{
    reading r;
    writing w;
    uint32_t v = 7;
    writing_begin(&w);
    tn_inferred_u32(&w.io, "v", &v, must_not_be_asked, NULL);
    CHECK(v == 7 && w.size == 0 && !w.io.failed);
    reading_begin(&r, "", 0);
    tn_fail(&r.io, TENON_ERR_VALUE, 0, "", "no");
    tn_inferred_u32(&r.io, "v", &v, must_not_be_asked, NULL);
    CHECK(v == 0);
    reading_end(&r);
}

TEST(an_inferred_value_explains_a_failure_like_a_stored_one)
{
    reading r;
    uint32_t v;
    tenon_span span;
    reading_begin(&r, "aaab", 4);
    tn_inferred_u32(&r.io, "count", &v, count_letters, "a");
    tn_records(&r.io, "numbers", &span, v, &tn_layout_u32);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "numbers", "'numbers' needs 12 bytes, only 4 left",
                "count is 3 (at 0x000000)");
    reading_end(&r);
}

int main(void)
{
    RUN(what_is_left_of_a_window_is_kept_and_written_back);
    RUN(a_window_that_is_filled_has_no_leftover_field);
    RUN(reading_cannot_leave_a_window);
    RUN(a_window_larger_than_the_file_is_refused_and_explained);
    RUN(a_window_of_any_size_does_not_wrap);
    RUN(where_nothing_may_be_left_something_left_is_an_error);
    RUN(a_window_of_no_bytes_holds_nothing);
    RUN(windows_nest);
    RUN(an_inner_window_cannot_leave_the_outer_one);
    RUN(a_stale_size_is_not_written);
    RUN(a_stale_size_is_found_by_measuring_as_well);
    RUN(a_leftover_that_claims_to_be_more_than_bytes_is_not_written);
    RUN(looking_ahead_ends_with_the_window);
    RUN(an_inferred_field_is_computed_shown_and_kept_for_writing);
    RUN(what_is_written_is_the_kept_value_not_a_new_guess);
    RUN(inferring_may_fail);
    RUN(nothing_is_inferred_after_a_failure_or_while_writing);
    RUN(an_inferred_value_explains_a_failure_like_a_stored_one);
    TEST_END();
}
