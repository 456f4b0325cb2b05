// test_golden_to_modeldata.c: what our scenes become as files of modeldata is what it was.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_modeldata)
{
    golden_tell_exports("modeldata");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_modeldata);
    TEST_END();
}
