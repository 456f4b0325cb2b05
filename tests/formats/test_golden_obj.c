// test_golden_obj.c: the library reports about our obj files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_obj)
{
    golden_tell_files("obj");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_obj);
    TEST_END();
}
