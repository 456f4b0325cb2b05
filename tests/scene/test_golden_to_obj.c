// test_golden_to_obj.c: our scenes are exported as obj with the same results as before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_obj)
{
    golden_tell_exports("obj");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_obj);
    TEST_END();
}
