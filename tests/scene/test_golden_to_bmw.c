// test_golden_to_bmw.c: our scenes are exported as bmw with the same results as before.
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
