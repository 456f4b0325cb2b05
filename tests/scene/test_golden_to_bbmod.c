// test_golden_to_bbmod.c: our scenes are exported as bbmod with the same results as before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_bbmod)
{
    golden_tell_exports("bbmod");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_bbmod);
    TEST_END();
}
