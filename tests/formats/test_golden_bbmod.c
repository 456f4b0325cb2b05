// test_golden_bbmod.c: the library reports about our bbmod files what it reported before.
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
