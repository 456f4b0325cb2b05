// test.h: a test is a function; a file is a program; CTest runs the programs.
// SPDX-License-Identifier: MIT
//
// Write TEST(a_sentence) { CHECK(...); }, then main() with RUN(a_sentence); and TEST_END();

#ifndef TENON_TESTS_TEST_H
#define TENON_TESTS_TEST_H

#include <stdio.h>
#include <string.h>

static int test_failures;

#define TEST(name) static void name(void)

#define CHECK(cond)                                                                  \
    do {                                                                             \
        if (!(cond)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #cond); \
            test_failures++;                                                         \
        }                                                                            \
    } while (0)

#define CHECK_STR(got, want)                                                                   \
    do {                                                                                       \
        const char *got_ = (got), *want_ = (want);                                             \
        if (strcmp(got_, want_) != 0) {                                                        \
            fprintf(stderr, "%s:%d: got  \"%s\"\n%*s want \"%s\"\n", __FILE__, __LINE__, got_, \
                    (int)strlen(__FILE__) + 5, "", want_);                                     \
            test_failures++;                                                                   \
        }                                                                                      \
    } while (0)

// Run one test and print whether it, and not an earlier one, failed.
#define RUN(name) test_run(#name, name)

// Instead of RUN(): say why a test is not possible on this system.
#define SKIP(name, why) test_skip(#name, name, why)

// The last statement of main().
#define TEST_END() return test_failures != 0

static inline void test_run(const char *name, void (*test)(void))
{
    int before = test_failures;
    test();
    printf("%s %s\n", test_failures == before ? "ok" : "not ok", name);
    fflush(stdout);
}

static inline void test_skip(const char *name, void (*test)(void), const char *why)
{
    (void)test;
    printf("# skipped %s: %s\n", name, why);
}

#endif  // TENON_TESTS_TEST_H
