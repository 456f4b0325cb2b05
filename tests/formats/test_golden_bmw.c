// test_golden_bmw.c: what the library says of our files of bmw is what it said before.
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
