// test_golden_to_bplx.c: our scenes are exported as bplx with the same results as before.
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
