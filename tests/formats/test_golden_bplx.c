// test_golden_bplx.c: the library reports about our bplx files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_bplx)
{
    golden_tell_files("bplx");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_bplx);
    TEST_END();
}
