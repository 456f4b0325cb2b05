// tree_links.c: the children of each node of a list whose nodes name their parents.
// SPDX-License-Identifier: MIT

#include "core/math/tree_links.h"

#include <stddef.h>

void tn_tree_put_first(tn_tree_link *links, uint32_t count, uint32_t node, uint32_t *first_root)
{
    uint32_t parent = links[node].parent;
    uint32_t *first = parent < count ? &links[parent].first_child : first_root;
    links[node].next_sibling = *first;
    *first = node;
}

uint32_t tn_tree_link_all(tn_tree_link *links, uint32_t count)
{
    uint32_t first_root = TN_NO_NODE;
    for (uint32_t i = 0; i < count; i++) links[i].first_child = TN_NO_NODE;
    for (uint32_t i = count; i-- > 0;) tn_tree_put_first(links, count, i, &first_root);
    return first_root;
}

uint32_t tn_tree_skip(const tn_tree_link *links, uint32_t count, uint32_t node, uint32_t top,
                      uint32_t *depth)
{
    while (node != top && links[node].next_sibling == TN_NO_NODE) {
        node = links[node].parent;
        if (node >= count) return TN_NO_NODE;
        if (depth) --*depth;
    }
    return node == top ? TN_NO_NODE : links[node].next_sibling;
}

uint32_t tn_tree_next(const tn_tree_link *links, uint32_t count, uint32_t node, uint32_t top,
                      uint32_t *depth)
{
    if (links[node].first_child == TN_NO_NODE) return tn_tree_skip(links, count, node, top, depth);
    if (depth) ++*depth;
    return links[node].first_child;
}
