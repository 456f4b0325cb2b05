// test_golden_bbanim.c: the library reports about our bbanim files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_bbanim)
{
    golden_tell_files("bbanim");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_bbanim);
    TEST_END();
}
