// test_io_text.c: text of fixed size, after a size, and up to a NUL, through the cursor.
// SPDX-License-Identifier: MIT

#include "core_help.h"

// The three ways in which a file stores text. A fixed size is 5 here.
typedef enum text_form { FIXED, PREFIXED, ENDED } text_form;

static void describe(tn_io *io, text_form form, tenon_str *v)
{
    if (form == FIXED) tn_str(io, "name", v, 5);
    if (form == PREFIXED) tn_str32(io, "name", v);
    if (form == ENDED) tn_strz(io, "name", v);
}

static bool is_text(tenon_str v, const char *data, uint32_t size)
{
    return v.data && v.size == size && memcmp(v.data, data, size) == 0;
}

// A text that every call must replace.
static const tenon_str stale = {"stale", 5};

// -- There and back

typedef struct text_case {
    text_form form;
    bool big_endian;
    const char *wire;
    size_t wire_size;
    const char *text;
    uint32_t text_size;
} text_case;

static const text_case cases[] = {
    {FIXED, false, "hello", 5, "hello", 5},
    {FIXED, false, "a\0b\0\0", 5, "a\0b\0\0", 5},
    {FIXED, false, "\xFF\xFE\x80\xC0\x01", 5, "\xFF\xFE\x80\xC0\x01", 5},
    {PREFIXED, false, "\5\0\0\0hello", 9, "hello", 5},
    {PREFIXED, true, "\0\0\0\5hello", 9, "hello", 5},
    {PREFIXED, false, "\0\0\0\0", 4, "", 0},
    {PREFIXED, true, "\0\0\0\0", 4, "", 0},
    {PREFIXED, false, "\3\0\0\0a\0b", 7, "a\0b", 3},
    {ENDED, false, "hello\0", 6, "hello", 5},
    {ENDED, false, "\0", 1, "", 0},
};

TEST(text_is_read_and_written_back)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const text_case *c = &cases[i];
        reading r;
        writing w;
        tenon_str v = stale;
        reading_begin(&r, c->wire, c->wire_size);
        writing_begin(&w);
        r.io.big_endian = w.io.big_endian = c->big_endian;
        describe(&r.io, c->form, &v);
        CHECK(!r.io.failed && r.io.pos == c->wire_size);
        CHECK(is_text(v, c->text, c->text_size));
        CHECK(v.data[v.size] == '\0');
        describe(&w.io, c->form, &v);
        CHECK(wrote(&w, c->wire, c->wire_size));
        reading_end(&r);
    }
}

TEST(text_is_a_copy_that_outlives_the_input)
{
    reading r;
    tenon_str v;
    reading_begin(&r, "\5\0\0\0hello", 9);
    tn_str32(&r.io, "name", &v);
    memset(r.data, 'x', 9);
    CHECK(is_text(v, "hello", 5));
    CHECK(r.arena.used == 6);
    reading_end(&r);
}

TEST(a_trial_measures_text_without_copying_it)
{
    reading r;
    tenon_str v;
    reading_begin(&r, "\5\0\0\0hello", 9);
    r.io.skip_text = true;
    tn_str32(&r.io, "name", &v);
    CHECK(is_text(v, "hello", 5) && r.meter.calls == 0);
    reading_end(&r);
}

TEST(the_text_that_follows_starts_where_this_one_ends)
{
    reading r;
    tenon_str a, b, c;
    reading_begin(&r, "one\0\3\0\0\0twofive!", 16);
    tn_strz(&r.io, "a", &a);
    tn_str32(&r.io, "b", &b);
    tn_str(&r.io, "c", &c, 5);
    CHECK(is_text(a, "one", 3) && is_text(b, "two", 3) && is_text(c, "five!", 5));
    reading_end(&r);
}

// -- Broken

static void check_broken(text_form form, const char *wire, size_t size, const char *message)
{
    reading r;
    tenon_str v = stale;
    reading_begin(&r, wire, size);
    describe(&r.io, form, &v);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "name", message, "");
    CHECK(is_text(v, "", 0));
    CHECK(r.meter.calls == 0);
    reading_end(&r);
}

TEST(text_cut_short_is_refused_before_memory_is_allocated)
{
    check_broken(FIXED, "hell", 4, "'name' needs 5 bytes, only 4 left");
    check_broken(FIXED, "", 0, "'name' needs 5 bytes, only 0 left");
    check_broken(PREFIXED, "", 0, "'name' needs 4 bytes, only 0 left");
    check_broken(PREFIXED, "\5\0\0", 3, "'name' needs 4 bytes, only 3 left");
    check_broken(PREFIXED, "\5\0\0\0hell", 8, "'name' needs 5 bytes, only 4 left");
    check_broken(PREFIXED, "\xFF\xFF\xFF\xFFhell", 8, "'name' needs 4294967295 bytes, only 4 left");
}

TEST(text_without_its_nul_is_refused)
{
    check_broken(ENDED, "hello", 5, "'name' has no end: none of the 5 bytes left is 0");
    check_broken(ENDED, "", 0, "'name' has no end: none of the 0 bytes left is 0");
}

TEST(text_without_its_nul_counts_only_what_is_left)
{
    reading r;
    uint32_t before;
    tenon_str v;
    reading_begin(&r, "....hello", 9);
    tn_u32(&r.io, "before", &before);
    tn_strz(&r.io, "name", &v);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "name",
                "'name' has no end: none of the 5 bytes left is 0", "");
    reading_end(&r);
}

TEST(text_does_not_find_its_nul_outside_the_window)
{
    reading r;
    tenon_str v = stale;
    tenon_span leftover;
    reading_begin(&r, "hello\0", 6);
    tn_window window = tn_window_begin(&r.io, "part", 5);
    tn_strz(&r.io, "name", &v);
    tn_window_end(&r.io, &window, &leftover);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 0, "name",
                "'name' has no end: none of the 5 bytes left is 0", "");
    reading_end(&r);
}

TEST(text_cut_short_is_explained_by_the_field_that_says_its_size)
{
    reading r;
    tenon_str v;
    uint32_t size;
    reading_begin(&r, "\6\0\0\0hello", 9);
    tn_u32(&r.io, "name_size", &size);
    tn_str(&r.io, "name", &v, size);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "name", "'name' needs 6 bytes, only 5 left",
                "name_size is 6 (at 0x000000)");
    reading_end(&r);
}

TEST(text_with_its_own_size_is_not_explained_by_some_zero)
{
    reading r;
    tenon_str v;
    uint32_t zero;
    reading_begin(&r, "\0\0\0\0\x09\0\0\0hello", 13);
    tn_u32(&r.io, "padding", &zero);
    tn_str32(&r.io, "name", &v);
    CHECK_ERROR(r.err, TENON_ERR_TRUNCATED, 4, "name", "'name' needs 9 bytes, only 5 left", "");
    reading_end(&r);
}

TEST(after_a_failure_text_is_empty)
{
    for (text_form form = FIXED; form <= ENDED; form++) {
        reading r;
        tenon_str v = stale;
        reading_begin(&r, "\5\0\0\0hello\0", 10);
        tn_fail(&r.io, TENON_ERR_VALUE, 0, "", "no");
        describe(&r.io, form, &v);
        CHECK(is_text(v, "", 0) && r.io.pos == 0 && r.meter.calls == 0);
        reading_end(&r);
    }
}

TEST(no_memory_for_text_is_reported_and_leaves_it_empty)
{
    reading r;
    tenon_str v = stale;
    reading_begin(&r, "\5\0\0\0hello", 9);
    r.meter.fail_at = 1;
    tn_str32(&r.io, "name", &v);
    CHECK(r.err.code == TENON_ERR_MEMORY && is_text(v, "", 0));
    CHECK_STR(r.err.path, "name");
    CHECK_STR(r.err.message, "out of memory for 'name'");
    reading_end(&r);

    reading_begin(&r, "\5\0\0\0hello", 9);
    r.arena.limit = 5;  // The NUL after it counts.
    tn_str32(&r.io, "name", &v);
    CHECK(r.err.code == TENON_ERR_LIMIT && is_text(v, "", 0));
    CHECK_STR(r.err.message, "'name' would exceed the memory limit of 5 bytes");
    reading_end(&r);
}

// -- Refused on writing

static void check_refused(text_form form, tenon_str v, const char *message)
{
    writing w;
    writing_begin(&w);
    uint8_t before = 1;
    tn_u8(&w.io, "before", &before);
    describe(&w.io, form, &v);
    CHECK(w.size == 1);
    CHECK_ERROR(w.err, TENON_ERR_VALUE, 1, "name", message, "");
}

TEST(text_of_another_size_than_its_field_is_not_written)
{
    check_refused(FIXED, (tenon_str){"four", 4}, "'name' has 4 bytes, its size says 5");
    check_refused(FIXED, (tenon_str){"longer", 6}, "'name' has 6 bytes, its size says 5");
    check_refused(FIXED, (tenon_str){NULL, 0}, "'name' has 0 bytes, its size says 5");
}

TEST(text_with_a_nul_inside_is_not_written_where_a_nul_ends_it)
{
    check_refused(ENDED, (tenon_str){"a\0b", 3}, "'name' holds a NUL byte, which would end it");
    check_refused(ENDED, (tenon_str){"\0", 1}, "'name' holds a NUL byte, which would end it");
}

TEST(text_that_was_never_set_is_written_as_empty)
{
    writing w;
    tenon_str none = {NULL, 0};
    writing_begin(&w);
    tn_str(&w.io, "a", &none, 0);
    tn_str32(&w.io, "b", &none);
    tn_strz(&w.io, "c", &none);
    CHECK(wrote(&w, "\0\0\0\0\0", 5));
}

TEST(measuring_text_counts_what_writing_writes)
{
    tn_io io;
    tenon_error err;
    tenon_str v = {"hello", 5};
    static const uint64_t sizes[] = {5, 9, 6};
    for (text_form form = FIXED; form <= ENDED; form++) {
        tn_io_writer(&io, NULL, NULL, &err);
        describe(&io, form, &v);
        CHECK(!io.failed && io.pos == sizes[form]);
    }
}

int main(void)
{
    RUN(text_is_read_and_written_back);
    RUN(text_is_a_copy_that_outlives_the_input);
    RUN(a_trial_measures_text_without_copying_it);
    RUN(the_text_that_follows_starts_where_this_one_ends);
    RUN(text_cut_short_is_refused_before_memory_is_allocated);
    RUN(text_without_its_nul_is_refused);
    RUN(text_without_its_nul_counts_only_what_is_left);
    RUN(text_does_not_find_its_nul_outside_the_window);
    RUN(text_cut_short_is_explained_by_the_field_that_says_its_size);
    RUN(text_with_its_own_size_is_not_explained_by_some_zero);
    RUN(after_a_failure_text_is_empty);
    RUN(no_memory_for_text_is_reported_and_leaves_it_empty);
    RUN(text_of_another_size_than_its_field_is_not_written);
    RUN(text_with_a_nul_inside_is_not_written_where_a_nul_ends_it);
    RUN(text_that_was_never_set_is_written_as_empty);
    RUN(measuring_text_counts_what_writing_writes);
    TEST_END();
}
