// test_golden_to_gpb.c: what our scenes become as files of gpb is what they became before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_gpb)
{
    golden_tell_exports("gpb");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_gpb);
    TEST_END();
}
