// test_golden_fbx.c: the library reports about our fbx files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_fbx)
{
    golden_tell_files("fbx");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_fbx);
    TEST_END();
}
