// test_golden_bmw.c: the library reports about our bmw files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_bmw)
{
    golden_tell_files("bmw");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_bmw);
    TEST_END();
}
