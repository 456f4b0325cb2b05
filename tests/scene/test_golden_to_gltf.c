// test_golden_to_gltf.c: what our scenes become as files of gltf is what they became before.
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
