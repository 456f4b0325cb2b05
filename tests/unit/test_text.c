// test_text.c: UTF-8 by the table of the standard, and text made fit for a terminal.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/text.h"

// The code point of a sequence of the given size, or a value that no sequence may have.
static uint32_t decode(const uint8_t *p, size_t size)
{
    static const uint8_t masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t firsts[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = p[0] & masks[size];
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80) return UINT32_MAX;
        c = c << 6 | (p[i] & 0x3F);
    }
    bool is_surrogate = c >= 0xD800 && c < 0xE000;
    return c < firsts[size] || is_surrogate || c > 0x10FFFF ? UINT32_MAX : c;
}

// The expected result of tn_utf8_step(): by the code point, not by ranges of bytes.
static size_t expected_step(const uint8_t *p, size_t size)
{
    size_t need = p[0] < 0x80             ? 1
                  : (p[0] & 0xE0) == 0xC0 ? 2
                  : (p[0] & 0xF0) == 0xE0 ? 3
                  : (p[0] & 0xF8) == 0xF0 ? 4
                                          : 0;
    return need && need <= size && decode(p, need) != UINT32_MAX ? need : 0;
}

TEST(every_sequence_is_judged_by_its_code_point)
{
    static const uint8_t tails[] = {0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        for (unsigned i = 0; i < 49; i++) {
            uint8_t p[4] = {(uint8_t)(pair >> 8), (uint8_t)pair, tails[i % 7], tails[i / 7]};
            for (size_t size = 1; size <= 4; size++) {
                size_t want = expected_step(p, size);
                CHECK(tn_utf8_step(p, size) == want);
            }
        }
    }
}

TEST(every_character_is_written_as_it_is_read)
{
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char out[4];
        if (c >= 0xD800 && c < 0xE000) continue;
        size_t size = tn_utf8_put(c, out);
        CHECK(tn_utf8_step(out, size) == size && decode((const uint8_t *)out, size) == c);
    }
}

TEST(texts_are_valid_or_not)
{
    static const char text[] = "h\xC3\xA4mmer, \xE2\x82\xAC and \xF0\x9F\x94\xA8, all of it";
    CHECK(tn_utf8_valid(NULL, 0));
    CHECK(tn_utf8_valid("a\0b", 3));
    CHECK(tn_utf8_valid(text, sizeof text - 1));
    for (size_t at = 0; at < sizeof text - 1; at++) {
        char broken[sizeof text];
        memcpy(broken, text, sizeof text);
        broken[at] = (char)0xFF;
        CHECK(!tn_utf8_valid(broken, sizeof text - 1));
    }
    CHECK(!tn_utf8_valid("\xED\xA0\x80", 3));      // A surrogate.
    CHECK(!tn_utf8_valid("\xC0\x80", 2));          // Overlong NUL.
    CHECK(!tn_utf8_valid("\xF4\x90\x80\x80", 4));  // U+110000.
    CHECK(!tn_utf8_valid("abcdefgh\xE2\x82", 10));
}

static const char *clean(const char *text, size_t size, size_t out_size)
{
    static char out[64];
    memset(out, 'x', sizeof out);
    CHECK(tn_text_clean(text, size, out, out_size) == strlen(out));
    CHECK(strlen(out) < out_size && out[out_size] == 'x');
    return out;
}

TEST(what_a_terminal_would_obey_is_replaced)
{
    CHECK_STR(clean("plain", 5, 32), "plain");
    CHECK_STR(clean("", 0, 32), "");
    CHECK_STR(clean("a\x1B[31mb\n\t\x7F", 10, 32), "a?[31mb???");
    CHECK_STR(clean("nul\0end", 7, 32), "nul?end");
    CHECK_STR(clean("\xC2\x9B"
                    "2J\xC2\xA0|",
                    7, 32),
              "?2J\xC2\xA0|");
    CHECK_STR(clean("\xE2\x82\xAC \xE2\x82 \xFF\xC0\x80", 10, 32), "\xE2\x82\xAC ?? ???");
}

TEST(what_does_not_fit_is_left_out_whole)
{
    CHECK_STR(clean("abcdef", 6, 4), "abc");
    CHECK_STR(clean("ab\xE2\x82\xAC", 5, 5), "ab");
    CHECK_STR(clean("ab\xE2\x82\xAC", 5, 6), "ab\xE2\x82\xAC");
    CHECK_STR(clean("abc", 3, 1), "");
    char untouched = 'x';
    CHECK(tn_text_clean("abc", 3, &untouched, 0) == 0 && untouched == 'x');
}

TEST(a_text_or_number_for_a_message_is_a_value)
{
    CHECK_STR(tn_show((tenon_str){"a\nb\xff", 4}, 48).text, "a?b?");
    CHECK_STR(tn_show((tenon_str){"abcdef", 6}, 4).text, "abc");
    CHECK_STR(tn_show((tenon_str){NULL, 0}, 4).text, "");
    CHECK_STR(tn_show_f32(0.1f).text, "0.1");
    CHECK_STR(tn_show_f64(0.1).text, "0.1");
    CHECK_STR(tn_show_f64((double)0.1f).text, "0.10000000149011612");
}

TEST(hexadecimal_digits)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    for (int c = 0; c < 256; c++) {
        const char *l = c ? strchr(lower, c) : NULL, *u = c ? strchr(upper, c) : NULL;
        int want = l ? (int)(l - lower) : u ? (int)(u - upper) : -1;
        CHECK(tn_hex_digit((char)c) == want);
    }
}

TEST(texts_are_compared_byte_by_byte)
{
    tenon_str none = {NULL, 0}, arm = {"arm", 3}, arms = {"arms", 4}, leg = {"leg", 3};
    CHECK(tn_text_equal(none, (tenon_str){"", 0}) && tn_text_equal(arm, (tenon_str){"armor", 3}));
    CHECK(!tn_text_equal(arm, arms) && !tn_text_equal(arm, leg));
    CHECK(tn_text_is(arm, "arm") && tn_text_is(none, ""));
    CHECK(!tn_text_is(arm, "arms") && !tn_text_is(arms, "arm") && !tn_text_is(arm, "leg"));
    CHECK(tn_text_order(none, arm) < 0 && tn_text_order(arm, arms) < 0);
    CHECK(tn_text_order(leg, arms) > 0 && tn_text_order(arm, arm) == 0);
    CHECK(tn_text_order((tenon_str){"\xff", 1}, arm) > 0);  // Bytes have no sign.
}

TEST(joined_texts_are_terminated_and_have_a_limit)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 100);
    tenon_error err = {0};
    tenon_str none = {NULL, 0}, arm = {"arm", 3}, huge = {"", UINT32_MAX - 2};
    tenon_str both = tn_text_join(&arena, arm, (tenon_str){"_2x", 2}, "a name", &err);
    CHECK(both.size == 5 && strcmp(both.data, "arm_2") == 0);
    both = tn_text_join(&arena, none, none, "a name", &err);
    CHECK(both.data && both.size == 0 && both.data[0] == '\0' && err.code == TENON_OK);
    CHECK(!tn_text_join(&arena, huge, arm, "a name", &err).data && err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.message, "a text is too long for a name");
    huge.size = 100;
    CHECK(!tn_text_join(&arena, huge, none, "a name", &err).data && err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.message, "a name would exceed the memory limit of 100 bytes");
    tn_arena_free(&arena);
}

TEST(texts_are_cut_at_each_separator)
{
    tenon_str text = {"a//b/", 5};
    CHECK(tn_text_is(tn_text_cut(&text, '/'), "a") && tn_text_is(text, "/b/"));
    CHECK(tn_text_cut(&text, '/').size == 0 && tn_text_is(tn_text_cut(&text, '/'), "b"));
    CHECK(text.data && text.size == 0);
    CHECK(tn_text_cut(&text, '/').size == 0 && !text.data && !tn_text_cut(&text, '/').data);
}

TEST(the_beginning_of_a_text_is_skipped_if_it_is_the_wanted_one)
{
    tenon_str text = {"box/1", 5}, none = {NULL, 0};
    CHECK(!tn_text_skip(&text, "boy") && !tn_text_skip(&text, "box/12") && text.size == 5);
    CHECK(tn_text_skip(&text, "box/") && tn_text_is(text, "1"));
    CHECK(tn_text_skip(&text, "1") && text.size == 0 && !tn_text_skip(&text, "1"));
    CHECK(!tn_text_skip(&none, "a"));
}

int main(void)
{
    RUN(every_sequence_is_judged_by_its_code_point);
    RUN(every_character_is_written_as_it_is_read);
    RUN(texts_are_valid_or_not);
    RUN(what_a_terminal_would_obey_is_replaced);
    RUN(what_does_not_fit_is_left_out_whole);
    RUN(a_text_or_number_for_a_message_is_a_value);
    RUN(hexadecimal_digits);
    RUN(texts_are_compared_byte_by_byte);
    RUN(texts_are_cut_at_each_separator);
    RUN(the_beginning_of_a_text_is_skipped_if_it_is_the_wanted_one);
    RUN(joined_texts_are_terminated_and_have_a_limit);
    TEST_END();
}
