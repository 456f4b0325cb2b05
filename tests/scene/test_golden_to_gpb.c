// test_golden_to_gpb.c: our scenes are exported as gpb with the same results as before.
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
