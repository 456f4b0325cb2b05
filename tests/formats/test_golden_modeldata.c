// test_golden_modeldata.c: the library reports about our modeldata files what it reported before.
// SPDX-License-Identifier: MIT

#include "../golden_file.h"

TEST(the_files_of_modeldata)
{
    golden_tell_files("modeldata");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(the_files_of_modeldata);
    TEST_END();
}
