// test_golden_gpb.c: what the library says of our files of gpb is what it said before.
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
