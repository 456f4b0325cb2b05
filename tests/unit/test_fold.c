// test_fold.c: names that are the same for file systems have one key, others have not.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    char a_key[512], b_key[512];
    size_t a_size = tn_fold(a, strlen(a), a_key), b_size = tn_fold(b, strlen(b), b_key);
    CHECK(a_size <= TN_FOLD_TIMES * strlen(a) && b_size <= TN_FOLD_TIMES * strlen(b));
    return a_size == b_size && memcmp(a_key, b_key, a_size) == 0;
}

TEST(case_does_not_count_in_any_script)
{
    CHECK(same("Lift", "lIFT"));
    CHECK(same("\xc3\x89tat", "\xc3\xa9tat"));            // É é
    CHECK(same("\xce\xa9", "\xcf\x89"));                  // Ω ω
    CHECK(same("\xce\xa3\xce\xa3", "\xcf\x83\xcf\x82"));  // Σ σ ς
    CHECK(same("\xd0\xaf\xd0\x81", "\xd1\x8f\xd1\x91"));  // Я Ё
    CHECK(same("stra\xc3\x9f"
               "e",
               "STRA\xe1\xba\x9e"
               "E"));  // ß ẞ
    CHECK(same("stra\xc3\x9f"
               "e",
               "STRASSE"));
    CHECK(same("\xef\xbc\xa1", "\xef\xbd\x81"));          // Ａ ａ, of full width
    CHECK(same("\xe1\x8f\xb8", "\xe1\x8f\xb0"));          // Cherokee
    CHECK(same("\xe1\xb2\x90", "\xe1\x83\x90"));          // Georgian
    CHECK(same("\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"));  // Deseret
    CHECK(same("\xe2\x84\xaa", "k"));                     // The sign of Kelvin.
}

TEST(accents_are_part_of_a_letter_or_follow_it)
{
    CHECK(same("\xc3\xa9", "e\xcc\x81"));  // é
    CHECK(same("\xc3\x89", "e\xcc\x81"));
    CHECK(same("\xe1\xbb\x87", "e\xcc\xa3\xcc\x82"));  // ệ
    CHECK(same("\xe1\xbb\x87", "e\xcc\x82\xcc\xa3"));
    CHECK(same("\xc3\xaa\xcc\xa3", "\xe1\xba\xb9\xcc\x82"));
    CHECK(same("\xe3\x81\x8c", "\xe3\x81\x8b\xe3\x82\x99"));              // が
    CHECK(same("\xed\x95\x9c", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"));  // 한
    CHECK(same("\xea\xb0\x80", "\xe1\x84\x80\xe1\x85\xa1"));              // 가
    CHECK(same("\xe1\xbe\xb4", "\xce\xb1\xcd\x85\xcc\x81"));              // ᾴ
    CHECK(same("\xe1\xbe\xb4", "\xce\x86\xce\x99"));                      // ΆΙ
    CHECK(same("\xef\xa4\x80", "\xe8\xb1\x88"));                          // 豈, twice in Unicode
}

TEST(what_cannot_be_seen_does_not_count)
{
    CHECK(same("a\xe2\x80\x8d"
               "b",
               "ab"));
    CHECK(same("a\xef\xb8\x8f", "a"));
    CHECK(same("\xc2\xad", ""));
}

// Names that people can distinguish get no numbers.
TEST(different_names_stay_different)
{
    CHECK(!same("lift", "lifts"));
    CHECK(!same("\xc3\xa9", "e"));
    CHECK(!same("\xc3\xa9", "\xc3\xa8"));
    CHECK(!same("\xe3\x81\x8c\xe3\x81\x8d", "\xe3\x81\x8b\xe3\x81\x8d"));  // がき かき
    CHECK(!same("\xe6\xad\xa9\xe3\x81\x8f", "\xe8\xb5\xb0\xe3\x82\x8b"));  // 歩く 走る
    CHECK(!same("\xe3\x81\x82", "\xe3\x82\xa2"));                          // あ ア
    CHECK(!same("\xd0\xb8", "\xd0\xb9"));                                  // и й
    CHECK(!same("\xd1\x81", "c"));                                         // с c
    CHECK(!same("\xef\xbd\x81", "a"));
    CHECK(!same("\xc4\xb1", "i"));                 // ı
    CHECK(!same("\xed\x95\x9c", "\xed\x95\x98"));  // 한 하
}

TEST(what_is_not_text_stays_as_it_is)
{
    CHECK(same("\xff\xfe", "\xff\xfe"));
    CHECK(!same("\xff", "\xfe"));
    CHECK(!same("\xc3", "\xc4"));
}

// A key has a bound, and so has the work, however many marks a letter has.
TEST(a_letter_with_a_thousand_marks)
{
    enum { COUNT = 1000 };
    char *name = malloc(2 * COUNT), *key = malloc(TN_FOLD_TIMES * 2 * COUNT);
    if (!name || !key) abort();
    for (int i = 0; i < COUNT; i++)
        memcpy(name + 2 * (size_t)i, i % 2 ? "\xcc\x80" : "\xcc\xa3", 2);
    CHECK(tn_fold(name, 2 * COUNT, key) == 2 * COUNT);
    free(name);
    free(key);
}

int main(void)
{
    RUN(case_does_not_count_in_any_script);
    RUN(accents_are_part_of_a_letter_or_follow_it);
    RUN(what_cannot_be_seen_does_not_count);
    RUN(different_names_stay_different);
    RUN(what_is_not_text_stays_as_it_is);
    RUN(a_letter_with_a_thousand_marks);
    TEST_END();
}
