// test_golden_gltf.c: the library reports about our gltf files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_gltf)
{
    golden_tell_files("gltf");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_gltf);
    TEST_END();
}
