// test_export_names.c: names that an export makes are unique, and valid for files.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "exchange/export_names.h"

#include <stdio.h>
#include <string.h>

static tenon_str text_of(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

static bool takes(tn_name_set *names, const char *start, const char *end, const char *expected)
{
    const char *name = tn_names_take(names, text_of(start), end);
    return name && strcmp(name, expected) == 0;
}

TEST(a_name_in_use_gets_a_number_before_its_extension)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_name_set names = {.arena = &arena};
    CHECK(takes(&names, "arm", "", "arm"));
    CHECK(takes(&names, "arm", "", "arm_2"));
    CHECK(takes(&names, "arm_3", "", "arm_3"));
    CHECK(takes(&names, "arm", "", "arm_4"));
    CHECK(takes(&names, "Arm", "", "Arm"));
    CHECK(takes(&names, "lift", ".bbanim", "lift.bbanim"));
    CHECK(takes(&names, "lift", ".bbanim", "lift_2.bbanim"));
    CHECK(tn_names_reserve(&names, text_of("hull")));
    CHECK(takes(&names, "hull", "", "hull_2"));
    tn_arena_free(&arena);
}

TEST(names_of_files_differ_in_more_than_their_case)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_name_set names = {.arena = &arena, .are_files = true};
    CHECK(takes(&names, "Lift", ".png", "Lift.png"));
    CHECK(takes(&names, "lift", ".png", "lift_2.png"));
    CHECK(takes(&names, "LIFT", ".dds", "LIFT.dds"));
    CHECK(takes(&names, "LIFT", ".PNG", "LIFT_3.PNG"));
    tn_arena_free(&arena);
}

TEST(names_of_files_differ_beyond_ascii)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    tn_name_set names = {.arena = &arena, .are_files = true};
    // É as one character and as two, é; then и and й, which are different for everyone.
    CHECK(takes(&names, "\xc3\x89", "", "\xc3\x89"));
    CHECK(takes(&names, "E\xcc\x81", "", "E\xcc\x81_2"));
    CHECK(takes(&names, "\xc3\xa9", "", "\xc3\xa9_3"));
    CHECK(takes(&names, "\xd0\xb8", "", "\xd0\xb8"));
    CHECK(takes(&names, "\xd0\xb9", "", "\xd0\xb9"));
    CHECK(tn_names_reserve(&names, text_of("\xd0\xaf")));
    CHECK(takes(&names, "\xd1\x8f", "", "\xd1\x8f_2"));
    tn_arena_free(&arena);
}

// So many that it would take minutes if each compared all numbers before it.
TEST(many_equal_names_take_linear_time)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 28);
    tn_name_set names = {.arena = &arena};
    const char *last = NULL;
    for (int i = 0; i < 200000; i++) last = tn_names_take(&names, text_of("x"), "");
    CHECK(last && strcmp(last, "x_200000") == 0);
    tn_arena_free(&arena);
}

TEST(without_memory_there_is_no_name)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 64);
    tn_name_set names = {.arena = &arena};
    CHECK(!tn_names_take(&names, text_of("x"), ""));
    CHECK(!tn_names_reserve(&names, text_of("x")));
    names.are_files = true;
    CHECK(!tn_names_take(&names, text_of("x"), ""));
    CHECK(!tn_names_reserve(&names, text_of("x")));
    tn_arena_free(&arena);
}

typedef struct safe_case {
    const char *text, *expected;
} safe_case;

TEST(texts_become_names_that_every_file_system_accepts)
{
    static const safe_case cases[] = {
        {"lift", "lift"},
        {"../../etc/passwd", "_._.._etc_passwd"},
        {"a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j"},
        {"tab\there\x7f", "tab_here_"},
        {".hidden", "_hidden"},
        {"dots. . ", "dots. ._"},
        {"..", "__"},
        {"", ""},
        {"con", "con_"},
        {"Lpt1", "Lpt1_"},
        {"Com\xc2\xb9.png", "Com\xc2\xb9_.png"},
        {"com\xc2\xb4", "com\xc2\xb4"},
        {"com1.bbanim", "com1_.bbanim"},
        {"aux .v2", "aux _.v2"},
        {"CONOUT$", "CONOUT$_"},
        {"comet", "comet"},
        {"com", "com"},
        {"\xc3\xa4\xff", "\xc3\xa4_"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[TN_SAFE_MOST + 8];
        size_t size = tn_safe_text(text_of(cases[i].text), out);
        CHECK(size == strlen(out));
        if (strcmp(out, cases[i].expected) != 0) printf("# '%s'\n", out);
        CHECK(strcmp(out, cases[i].expected) == 0);
    }
}

// Control characters, line ends and direction marks; and the characters on both sides of each
// range, which stay.
TEST(invisible_characters_are_removed_from_names)
{
    static const char *const hidden[] = {
        "\xc2\x80",     "\xc2\x9f",     "\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f",
        "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9",
    };
    static const char *const seen[] = {
        "\xc2\xa0",     "\xc3\x80",     "\xd8\x9b",     "\xe2\x80\x8d",
        "\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5",
        "\xe2\x81\xaa", "\xe2\x82\xac", "\xe3\x80\x8e", "\xf0\x9f\xaa\x9c",
    };
    char out[TN_SAFE_MOST + 8], text[16];
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        snprintf(text, sizeof text, "a%sb", hidden[i]);
        (void)tn_safe_text(text_of(text), out);
        CHECK_STR(out, "a_b");
    }
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        snprintf(text, sizeof text, "a%sb", seen[i]);
        (void)tn_safe_text(text_of(text), out);
        CHECK_STR(out, text);
    }
}

TEST(long_texts_are_cut_between_characters)
{
    char text[300], out[TN_SAFE_MOST + 8];
    for (int i = 0; i < 299; i += 2) memcpy(text + i, "\xc3\xa4", 2);
    text[299] = '\0';
    CHECK(tn_safe_text((tenon_str){text + 1, 299 - 1}, out) <= TN_SAFE_MOST);
    size_t size = tn_safe_text((tenon_str){text, 298}, out);
    CHECK(size == TN_SAFE_MOST && size % 2 == 0);
}

int main(void)
{
    RUN(a_name_in_use_gets_a_number_before_its_extension);
    RUN(names_of_files_differ_in_more_than_their_case);
    RUN(names_of_files_differ_beyond_ascii);
    RUN(many_equal_names_take_linear_time);
    RUN(without_memory_there_is_no_name);
    RUN(texts_become_names_that_every_file_system_accepts);
    RUN(invisible_characters_are_removed_from_names);
    RUN(long_texts_are_cut_between_characters);
    TEST_END();
}
