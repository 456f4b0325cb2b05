// test_golden_to_modeldata.c: our scenes are exported as modeldata with the same results as before.
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
