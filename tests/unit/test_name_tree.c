// test_name_tree.c: names are found again, whatever they are.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/name_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tn_named named(const char *text, size_t size)
{
    return (tn_named){.name = {text, (uint32_t)size}};
}

TEST(an_empty_tree_has_no_name)
{
    tn_name_tree tree = {0};
    CHECK(!tn_name_find(&tree, (tenon_str){"", 0}));
    CHECK(!tn_name_find(&tree, (tenon_str){"a", 1}));
}

TEST(names_that_start_alike_or_hold_zeros_are_different)
{
    static const struct {
        const char *text;
        size_t size;
    } texts[] = {{"", 0},     {"a", 1},      {"aa", 2},     {"a\0", 2},    {"\0", 1},
                 {"\0\0", 2}, {"\xff", 1},   {"\x7f", 1},   {"ab", 2},     {"b", 1},
                 {"aab", 3},  {"aaaaaa", 6}, {"aaaaab", 6}, {"\x80\1", 2}, {"\x80\0", 2}};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    tn_named names[COUNT];
    tn_name_tree tree = {0};
    for (int i = 0; i < COUNT; i++) {
        names[i] = named(texts[i].text, texts[i].size);
        CHECK(!tn_name_find(&tree, names[i].name));
        CHECK(tn_name_enter(&tree, &names[i]) == &names[i]);
        for (int k = 0; k <= i; k++) CHECK(tn_name_find(&tree, names[k].name) == &names[k]);
    }
    for (int i = 0; i < COUNT; i++) {
        tn_named again = names[i];
        CHECK(tn_name_enter(&tree, &again) == &names[i]);
    }
    CHECK(!tn_name_find(&tree, (tenon_str){"aaa", 3}));
}

TEST(a_name_without_text_is_the_empty_one)
{
    tn_name_tree tree = {0};
    tn_named empty = named(NULL, 0), letter = named("x", 1), again = named("", 0);
    CHECK(tn_name_enter(&tree, &empty) == &empty);
    CHECK(tn_name_enter(&tree, &letter) == &letter);
    CHECK(tn_name_enter(&tree, &again) == &empty);
}

// All texts of up to three letters of four, in an order that jumps, against a plain list.
TEST(many_names_in_any_order)
{
    enum { COUNT = 5000 };
    static char texts[COUNT][4];
    static tn_named names[COUNT];
    tn_name_tree tree = {0};
    uint32_t different = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t number = i * 2654435761u >> 20;
        for (int k = 0; k < 3; k++, number /= 5)
            if (number % 5) texts[i][k] = (char)("\0\1\x7f\x80\xff"[number % 5]);
        names[i] = named(texts[i], 1 + number % 3);
        tn_named *found = tn_name_find(&tree, names[i].name);
        bool is_known = false;
        for (uint32_t k = 0; k < i && !is_known; k++)
            is_known = names[k].name.size == names[i].name.size &&
                       memcmp(texts[k], texts[i], names[i].name.size) == 0;
        CHECK(!found == !is_known);
        CHECK((tn_name_enter(&tree, &names[i]) == &names[i]) == !is_known);
        different += !is_known;
    }
    CHECK(different > 50 && different < COUNT);
}

int main(void)
{
    RUN(an_empty_tree_has_no_name);
    RUN(names_that_start_alike_or_hold_zeros_are_different);
    RUN(a_name_without_text_is_the_empty_one);
    RUN(many_names_in_any_order);
    TEST_END();
}
