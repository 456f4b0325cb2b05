// test_golden_gpb.c: the library reports about our gpb files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_gpb)
{
    golden_tell_files("gpb");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_gpb);
    TEST_END();
}
