// test_golden_to_bplx.c: what our scenes become as files of bplx is what they became before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_bplx)
{
    golden_tell_exports("bplx");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_bplx);
    TEST_END();
}
