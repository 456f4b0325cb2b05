// test_records.c: large arrays through the cursor: spans that point into the input, never copied.
// SPDX-License-Identifier: MIT

#include "core_help.h"

#include "core/cursor/span.h"

// A pair of numbers, then two rows of two.
static const tenon_element pair_elements[] = {
    {"id", TENON_TYPE_U16, 1, 0, 0},
    {"rows", TENON_TYPE_U8, 2, 2, 2},
};
static const tenon_layout pairs = {pair_elements, 2, 6, NULL, 0, NULL};

// A count, then as many bytes.
static const tenon_element tail_elements[] = {{"", TENON_TYPE_U8, 1, 0, 0}};
static const tenon_layout tails = {tail_elements, 1, 1, NULL, 0, NULL};
static const tenon_element run_elements[] = {
    {"id", TENON_TYPE_U8, 1, 0, 0},
    {"count", TENON_TYPE_U32, 1, 0, 1},
};
static const tenon_layout runs = {run_elements, 2, 5, &tails, 1, "bytes"};

static const tenon_layout empty_records = {NULL, 0, 0, NULL, 0, NULL};

// A span that every call must replace.
static const uint8_t stale_bytes[1];
static const tenon_span stale = {stale_bytes, 1, 1, &tails, true};

static bool is_empty(const tenon_span *v)
{
    return v->data == NULL && v->size == 0 && v->count == 0;
}

// -- There and back

TEST(records_point_into_the_input_and_cost_no_memory)
{
    static const char wire[] = "xxabcdefghijkl";
    for (int is_big = 0; is_big < 2; is_big++) {
        reading r;
        writing w;
        trace t;
        uint16_t x;
        tenon_span v = stale;
        reading_begin(&r, wire, 14);
        r.io.big_endian = is_big;
        trace_begin(&t, &r.io);
        tn_u16(&r.io, "x", &x);
        tn_records(&r.io, "pairs", &v, 2, &pairs);
        CHECK(!r.io.failed && r.io.pos == 14 && r.meter.calls == 0);
        CHECK(v.data == r.data + 2 && v.size == 12 && v.count == 2);
        CHECK(v.layout == &pairs && v.big_endian == is_big);
        CHECK_STR(t.text, "0+2 u16 x; 2+12 records pairs; ");
        writing_begin(&w);
        w.io.big_endian = is_big;
        tn_u16(&w.io, "x", &x);
        tn_records(&w.io, "pairs", &v, 2, &pairs);
        CHECK(wrote(&w, wire, 14));
        reading_end(&r);
    }
}

TEST(no_records_are_a_field_too)
{
    reading r;
    writing w;
    trace t;
    tenon_span v = stale;
    reading_begin(&r, "", 0);
    trace_begin(&t, &r.io);
    tn_records(&r.io, "pairs", &v, 0, &pairs);
    CHECK(!r.io.failed && v.size == 0 && v.count == 0 && v.layout == &pairs);
    CHECK_STR(t.text, "0+0 records pairs; ");
    writing_begin(&w);
    tn_records(&w.io, "pairs", &v, 0, &pairs);
    CHECK(wrote(&w, "", 0));
    reading_end(&r);
}

TEST(records_with_tails_are_measured_by_walking)
{
    static const char wire[] = "A\2\0\0\0xyB\0\0\0\0C\1\0\0\0z";
    reading r;
    writing w;
    tenon_span v;
    reading_begin(&r, wire, 18);
    tn_records(&r.io, "runs", &v, 3, &runs);
    CHECK(!r.io.failed && v.data == r.data && v.size == 18 && v.count == 3);
    writing_begin(&w);
    tn_records(&w.io, "runs", &v, 3, &runs);
    CHECK(wrote(&w, wire, 18));
    reading_end(&r);
}

TEST(records_of_a_size_keep_the_bytes_of_an_incomplete_record)
{
    reading r;
    writing w;
    trace t;
    tenon_span v = stale, leftover = {0};
    reading_begin(&r, "abcdefghijklmn", 14);
    trace_begin(&t, &r.io);
    tn_sized_records(&r.io, "pairs", &v, 14, &pairs, &leftover);
    CHECK(!r.io.failed && v.count == 2 && v.size == 12 && leftover.data == r.data + 12);
    CHECK(leftover.size == 2 && leftover.count == 2 && leftover.layout == NULL);
    CHECK_STR(t.text, "0+12 records pairs; 12+2 bytes leftover; ");
    writing_begin(&w);
    tn_sized_records(&w.io, "pairs", &v, 14, &pairs, &leftover);
    CHECK(wrote(&w, "abcdefghijklmn", 14));
    reading_end(&r);
}

TEST(records_that_fill_their_size_have_no_leftover)
{
    reading r;
    writing w;
    trace t;
    tenon_span v, leftover = {0};
    reading_begin(&r, "abcdef", 6);
    trace_begin(&t, &r.io);
    tn_sized_records(&r.io, "pairs", &v, 6, &pairs, &leftover);
    CHECK(!r.io.failed && v.count == 1 && leftover.size == 0);
    CHECK_STR(t.text, "0+6 records pairs; ");
    writing_begin(&w);
    trace_begin(&t, &w.io);
    tn_sized_records(&w.io, "pairs", &v, 6, &pairs, &leftover);
    CHECK_STR(t.text, "0+6 records pairs; ");
    reading_end(&r);
}

TEST(records_of_no_bytes_leave_their_whole_size_over)
{
    reading r;
    tenon_span v, leftover;
    reading_begin(&r, "abcdef", 6);
    tn_sized_records(&r.io, "pairs", &v, 6, &empty_records, &leftover);
    CHECK(!r.io.failed && v.count == 0 && leftover.size == 6);
    reading_end(&r);
}

TEST(counted_records_bring_their_count)
{
    for (int is_big = 0; is_big < 2; is_big++) {
        reading r;
        writing w;
        trace t;
        tenon_span v = stale;
        const char *wire = is_big ? "\0\0\0\2abcdefghijkl" : "\2\0\0\0abcdefghijkl";
        reading_begin(&r, wire, 16);
        r.io.big_endian = is_big;
        trace_begin(&t, &r.io);
        tn_counted(&r.io, "pairs", &v, &pairs);
        CHECK(!r.io.failed && v.data == r.data + 4 && v.count == 2 && r.io.depth == 0);
        CHECK_STR(t.text, "0+4 u32 pairs.count; 4+12 records pairs; ");
        writing_begin(&w);
        w.io.big_endian = is_big;
        tn_counted(&w.io, "pairs", &v, &pairs);
        CHECK(wrote(&w, wire, 16));
        reading_end(&r);
    }
}

TEST(bytes_and_the_rest_are_kept_as_they_are)
{
    reading r;
    writing w;
    trace t;
    tenon_span a = stale, b = stale, c = stale;
    reading_begin(&r, "abcdef", 6);
    trace_begin(&t, &r.io);
    tn_bytes(&r.io, "a", &a, 2);
    tn_rest(&r.io, "b", &b);
    tn_rest(&r.io, "c", &c);
    CHECK(!r.io.failed && a.data == r.data && a.size == 2 && b.data == r.data + 2 && b.size == 4);
    CHECK(c.size == 0 && c.count == 0);
    CHECK_STR(t.text, "0+2 bytes a; 2+4 kept bytes b; ");  // No field for what is not there.
    writing_begin(&w);
    trace_begin(&t, &w.io);
    tn_bytes(&w.io, "a", &a, 2);
    tn_rest(&w.io, "b", &b);
    tn_rest(&w.io, "c", &c);
    CHECK(wrote(&w, "abcdef", 6));
    CHECK_STR(t.text, "0+2 bytes a; 2+4 kept bytes b; ");
    reading_end(&r);
}

TEST(measuring_records_counts_what_writing_writes)
{
    tn_io io;
    tenon_error err;
    tenon_span v = {(const uint8_t *)"A\1\0\0\0x", 6, 1, &runs, false};
    tn_io_writer(&io, NULL, NULL, &err);
    tn_records(&io, "runs", &v, 1, &runs);
    tn_counted(&io, "runs", &v, &runs);
    CHECK(!io.failed && io.pos == 16);
}

// -- Refused on reading

static void check_short(uint64_t count, const tenon_layout *layout, const char *wire, size_t size,
                        tenon_code code, const char *message)
{
    reading r;
    tenon_span v = stale;
    reading_begin(&r, wire, size);
    tn_records(&r.io, "v", &v, count, layout);
    CHECK_ERROR(r.err, code, 0, "v", message, "");
    CHECK(is_empty(&v) && v.layout == layout && r.meter.calls == 0 && r.io.pos == 0);
    reading_end(&r);
}

TEST(records_the_file_cannot_hold_are_refused)
{
    const tenon_code truncated = TENON_ERR_TRUNCATED;
    check_short(2, &pairs, "abcdefghijk", 11, truncated, "'v' needs 12 bytes, only 11 left");
    check_short(1, &pairs, "", 0, truncated, "'v' needs 6 bytes, only 0 left");
    check_short(UINT64_MAX / 6, &pairs, "abcdef", 6, truncated,
                "'v' needs 18446744073709551612 bytes, only 6 left");
    check_short(UINT64_MAX / 6 + 1, &pairs, "abcdef", 6, truncated,
                "'v' needs more than the 6 bytes left");
    check_short(UINT64_MAX, &pairs, "abcdef", 6, truncated, "'v' needs more than the 6 bytes left");
}

TEST(tails_the_file_cannot_hold_are_refused)
{
    static const char more[] = "'v' needs more than the 6 bytes left";
    check_short(1, &runs, "A\2\0\0\0x", 6, TENON_ERR_TRUNCATED, more);
    check_short(1, &runs, "A\xFF\xFF\xFF\xFFx", 6, TENON_ERR_TRUNCATED, more);
    check_short(2, &runs, "A\1\0\0\0x", 6, TENON_ERR_TRUNCATED, more);
    check_short(2, &runs, "A\0\0\0\0x", 6, TENON_ERR_TRUNCATED, more);
    check_short(UINT64_MAX, &runs, "A\0\0\0\0x", 6, TENON_ERR_TRUNCATED, more);
}

TEST(records_of_no_bytes_cannot_be_counted)
{
    check_short(1, &empty_records, "abc", 3, TENON_ERR_VALUE, "'v' has 1 records of 0 bytes");
    check_short(UINT64_MAX, &empty_records, "abc", 3, TENON_ERR_VALUE,
                "'v' has 18446744073709551615 records of 0 bytes");
}

TEST(counted_records_cut_short_say_what_counted_them)
{
    reading r;
    tenon_span v = stale;
    reading_begin(&r, "\3\0\0\0abcdefghijkl", 16);
    tn_counted(&r.io, "pairs", &v, &pairs);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "pairs", "'pairs' needs 18 bytes, only 12 left",
                "count is 3 (at 0x000000)");
    CHECK(is_empty(&v));
    reading_end(&r);

    reading_begin(&r, "\3\0\0", 3);
    v = stale;
    tn_counted(&r.io, "pairs", &v, &pairs);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "pairs.count", "'count' needs 4 bytes, only 3 left",
                "");
    CHECK(is_empty(&v));
    reading_end(&r);
}

TEST(a_partial_document_keeps_the_records_that_are_whole)
{
    reading r;
    trace t;
    tenon_span v = stale;
    reading_begin(&r, "\3\0\0\0abcdefghijklmnopq", 21);
    r.io.partial = true;
    trace_begin(&t, &r.io);
    tn_counted(&r.io, "pairs", &v, &pairs);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "pairs", "'pairs' needs 18 bytes, only 17 left",
                "count is 3 (at 0x000000)");
    CHECK(v.data == r.data + 4 && v.count == 2 && v.size == 12 && v.layout == &pairs);
    CHECK_STR(t.text, "0+4 u32 pairs.count; 4+12 records pairs; ");
    reading_end(&r);
}

TEST(bytes_cut_short_are_refused)
{
    reading r;
    tenon_span v = stale;
    reading_begin(&r, "abc", 3);
    tn_bytes(&r.io, "gap", &v, 4);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "gap", "'gap' needs 4 bytes, only 3 left", "");
    CHECK(is_empty(&v));
    reading_end(&r);
}

TEST(an_item_without_a_name_is_called_after_its_list)
{
    reading r;
    uint32_t count;
    tenon_span *items;
    reading_begin(&r, "\1\0\0\0abc", 7);
    tn_list(&r.io, "lists", &items, &count, sizeof *items, 0);
    CHECK(tn_next(&r.io, 0, count));
    tn_records(&r.io, "", &items[0], 9, &pairs);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "lists[0]", "'lists' needs 54 bytes, only 3 left",
                "");
    reading_end(&r);
}

TEST(after_a_failure_every_span_is_empty)
{
    for (int kind = 0; kind < 5; kind++) {
        reading r;
        tenon_span v = stale, leftover = stale;
        reading_begin(&r, "\1\0\0\0abcdef", 10);
        tn_fail(&r.io, TENON_ERR_VALUE, 0, "", "no");
        if (kind == 0) tn_records(&r.io, "v", &v, 1, &pairs);
        if (kind == 1) tn_counted(&r.io, "v", &v, &pairs);
        if (kind == 2) tn_sized_records(&r.io, "v", &v, 10, &pairs, &leftover);
        if (kind == 3) tn_bytes(&r.io, "v", &v, 2);
        if (kind == 4) tn_rest(&r.io, "v", &v);
        CHECK(is_empty(&v) && r.io.pos == 0);
        if (kind == 2) CHECK(is_empty(&leftover));
        reading_end(&r);
    }
}

// -- Refused on writing

static void check_refused(tenon_span v, uint64_t count, const tenon_layout *layout,
                          const char *message)
{
    writing w;
    writing_begin(&w);
    uint8_t before = 1;
    tn_u8(&w.io, "before", &before);
    tn_records(&w.io, "v", &v, count, layout);
    CHECK(w.size == 1);
    CHECK_ERROR(w.err, TENON_ERR_VALUE, 1, "v", message, "");
}

static const uint8_t letters[] = "abcdefghijkl";

TEST(another_number_of_records_than_the_count_says_is_not_written)
{
    check_refused((tenon_span){letters, 12, 2, &pairs, false}, 3, &pairs,
                  "'v' has 2 items, its count says 3");
    check_refused((tenon_span){letters, 12, 2, &pairs, false}, 0, &pairs,
                  "'v' has 2 items, its count says 0");
    check_refused((tenon_span){0}, 1, &pairs, "'v' has 0 items, its count says 1");
}

TEST(records_of_another_layout_are_not_written)
{
    static const char message[] = "the layout of 'v' does not match its format";
    check_refused((tenon_span){letters, 12, 1, &tn_layout_f32x3, false}, 1, &pairs, message);
    check_refused((tenon_span){letters, 2, 2, NULL, false}, 2, &tn_layout_u8, message);
    check_refused((tenon_span){letters, 0, 0, &tn_layout_f32x3, false}, 0, &pairs, message);
}

TEST(records_in_the_other_byte_order_are_not_written)
{
    check_refused((tenon_span){letters, 12, 2, &pairs, true}, 2, &pairs,
                  "'v' does not have the byte order of its format");
}

TEST(records_whose_bytes_are_too_few_or_too_many_are_not_written)
{
    check_refused((tenon_span){letters, 11, 2, &pairs, false}, 2, &pairs,
                  "'v' has 11 bytes, which its 2 items do not fill");
    check_refused((tenon_span){letters, 13, 2, &pairs, false}, 2, &pairs,
                  "'v' has 13 bytes, which its 2 items do not fill");
    check_refused((tenon_span){(const uint8_t *)"A\2\0\0\0x", 6, 1, &runs, false}, 1, &runs,
                  "'v' has 6 bytes, which its 1 items do not fill");
    check_refused((tenon_span){(const uint8_t *)"A\0\0\0\0x", 6, 1, &runs, false}, 1, &runs,
                  "'v' has 6 bytes, which its 1 items do not fill");
    check_refused((tenon_span){letters, 0, 1, &empty_records, false}, 1, &empty_records,
                  "'v' has 0 bytes, which its 1 items do not fill");
}

TEST(an_equal_layout_is_accepted)
{
    static const tenon_element mine[] = {
        {"id", TENON_TYPE_U16, 1, 0, 0},
        {"rows", TENON_TYPE_U8, 2, 2, 2},
    };
    const tenon_layout layout = {mine, 2, 6, NULL, 0, NULL};
    tenon_span v = {letters, 12, 2, &layout, false};
    writing w;
    writing_begin(&w);
    tn_records(&w.io, "v", &v, 2, &pairs);
    CHECK(wrote(&w, letters, 12));
}

TEST(an_empty_span_needs_no_layout_and_no_byte_order)
{
    writing w;
    tenon_span none = {0};
    writing_begin(&w);
    w.io.big_endian = true;
    tn_records(&w.io, "a", &none, 0, &pairs);
    tn_counted(&w.io, "b", &none, &pairs);
    tn_bytes(&w.io, "c", &none, 0);
    CHECK(wrote(&w, "\0\0\0\0", 4));
}

TEST(a_leftover_that_its_size_has_no_room_for_is_not_lost)
{
    writing w;
    tenon_span v = {letters, 12, 2, &pairs, false}, leftover = {letters, 1, 1, NULL, false};
    writing_begin(&w);
    tn_sized_records(&w.io, "v", &v, 12, &pairs, &leftover);
    CHECK_ERROR(w.err, TENON_ERR_VALUE, 12, "leftover", "'leftover' has 1 items, its count says 0",
                "");
}

TEST(counted_records_beyond_32_bits_are_not_written)
{
    writing w;
    tenon_span v = {letters, 12, (uint64_t)UINT32_MAX + 1, &pairs, false};
    writing_begin(&w);
    tn_counted(&w.io, "v", &v, &pairs);
    CHECK_ERROR(w.err, TENON_ERR_LIMIT, 0, "v",
                "'v' has 4294967296 items, more than fit into 32 bits", "");
    CHECK(w.size == 0);
}

int main(void)
{
    RUN(records_point_into_the_input_and_cost_no_memory);
    RUN(no_records_are_a_field_too);
    RUN(records_with_tails_are_measured_by_walking);
    RUN(records_of_a_size_keep_the_bytes_of_an_incomplete_record);
    RUN(records_that_fill_their_size_have_no_leftover);
    RUN(records_of_no_bytes_leave_their_whole_size_over);
    RUN(counted_records_bring_their_count);
    RUN(bytes_and_the_rest_are_kept_as_they_are);
    RUN(measuring_records_counts_what_writing_writes);
    RUN(records_the_file_cannot_hold_are_refused);
    RUN(tails_the_file_cannot_hold_are_refused);
    RUN(records_of_no_bytes_cannot_be_counted);
    RUN(counted_records_cut_short_say_what_counted_them);
    RUN(a_partial_document_keeps_the_records_that_are_whole);
    RUN(bytes_cut_short_are_refused);
    RUN(an_item_without_a_name_is_called_after_its_list);
    RUN(after_a_failure_every_span_is_empty);
    RUN(another_number_of_records_than_the_count_says_is_not_written);
    RUN(records_of_another_layout_are_not_written);
    RUN(records_in_the_other_byte_order_are_not_written);
    RUN(records_whose_bytes_are_too_few_or_too_many_are_not_written);
    RUN(an_equal_layout_is_accepted);
    RUN(an_empty_span_needs_no_layout_and_no_byte_order);
    RUN(a_leftover_that_its_size_has_no_room_for_is_not_lost);
    RUN(counted_records_beyond_32_bits_are_not_written);
    TEST_END();
}
