// test_golden_bbmod.c: what the library says of our files of bbmod is what it said before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_bbmod)
{
    golden_tell_files("bbmod");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_bbmod);
    TEST_END();
}
