// test_golden_to_bmw.c: what our scenes become as files of bmw is what they became before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_bmw)
{
    golden_tell_exports("bmw");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_bmw);
    TEST_END();
}
