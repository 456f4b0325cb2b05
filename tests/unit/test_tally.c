// test_tally.c: how often something happened, and where first.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/text/tally.h"

TEST(the_first_place_is_kept)
{
    tn_tally tally = {0};
    tn_tally_at(&tally, 0, "nodes", 1);
    CHECK(tally.count == 0 && tally.path[0] == '\0');
    tn_tally_at(&tally, 2, "nodes", 4294967295U);
    tn_tally_at(&tally, 1, "nodes", 3);
    tn_tally_path(&tally, 5, "meshes[%d].uvs", 7);
    CHECK(tally.count == 8);
    CHECK_STR(tally.path, "nodes[4294967295]");
}

TEST(a_path_may_name_an_item_in_an_item)
{
    tn_tally tally = {0};
    tn_tally_in(&tally, 3, "meshes", 2, "primitives", 4294967295U);
    tn_tally_in(&tally, 1, "meshes", 0, "primitives", 0);
    CHECK(tally.count == 4);
    CHECK_STR(tally.path, "meshes[2].primitives[4294967295]");
}

TEST(a_long_path_is_cut)
{
    tn_tally tally = {0};
    tn_tally_path(&tally, 1, "%0200d", 0);
    CHECK(strlen(tally.path) == sizeof tally.path - 1);
}

int main(void)
{
    RUN(the_first_place_is_kept);
    RUN(a_path_may_name_an_item_in_an_item);
    RUN(a_long_path_is_cut);
    TEST_END();
}
