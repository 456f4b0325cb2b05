// test_golden_modeldata.c: what the library says of our files of modeldata is what it said before.
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
