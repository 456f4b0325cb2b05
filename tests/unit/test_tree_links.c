// test_tree_links.c: the children of each node of a list whose nodes name their parents.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/math/tree_links.h"

// Nodes 3 and 5 are roots; 3 has 0 and 4, and 0 has 2 and 1.
static uint32_t make_two_trees(tn_tree_link links[6])
{
    const uint32_t parents[6] = {3, 0, 0, TN_NO_NODE, 3, 6};
    for (int i = 0; i < 6; i++) links[i].parent = parents[i];
    return tn_tree_link_all(links, 6);
}

TEST(children_and_roots_are_in_the_order_of_the_list)
{
    tn_tree_link links[6];
    CHECK(make_two_trees(links) == 3);
    CHECK(links[3].next_sibling == 5 && links[5].next_sibling == TN_NO_NODE);
    CHECK(links[3].first_child == 0 && links[0].next_sibling == 4);
    CHECK(links[0].first_child == 1 && links[1].next_sibling == 2);
    CHECK(links[2].next_sibling == TN_NO_NODE && links[4].first_child == TN_NO_NODE);
    CHECK(tn_tree_link_all(links, 0) == TN_NO_NODE);
}

TEST(a_walk_is_depth_first_and_counts_levels)
{
    const uint32_t order[6] = {3, 0, 1, 2, 4, 5}, depths[6] = {0, 1, 2, 2, 1, 0};
    tn_tree_link links[6];
    uint32_t node = make_two_trees(links), depth = 0;
    for (int i = 0; i < 6; i++) {
        CHECK(node == order[i] && depth == depths[i]);
        node = tn_tree_next(links, 6, node, TN_NO_NODE, &depth);
    }
    CHECK(node == TN_NO_NODE);
}

TEST(a_walk_stays_below_its_top)
{
    tn_tree_link links[6];
    (void)make_two_trees(links);
    CHECK(tn_tree_next(links, 6, 0, 0, NULL) == 1);
    CHECK(tn_tree_next(links, 6, 2, 0, NULL) == TN_NO_NODE);
    CHECK(tn_tree_next(links, 6, 4, 4, NULL) == TN_NO_NODE);
    CHECK(tn_tree_skip(links, 6, 0, TN_NO_NODE, NULL) == 4);
}

int main(void)
{
    RUN(children_and_roots_are_in_the_order_of_the_list);
    RUN(a_walk_is_depth_first_and_counts_levels);
    RUN(a_walk_stays_below_its_top);
    TEST_END();
}
