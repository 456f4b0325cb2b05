// test_golden_to_gltf.c: our scenes are exported as gltf with the same results as before.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(all_scenes_as_gltf)
{
    golden_tell_exports("gltf");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(all_scenes_as_gltf);
    TEST_END();
}
