// tree_links.h: the children of each node of a list whose nodes name their parents.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_MATH_TREE_LINKS_H
#define TN_CORE_MATH_TREE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#define TN_NO_NODE UINT32_MAX  // As TENON_NONE.

// Where a node is in its tree: indices into the same array, or TN_NO_NODE.
typedef struct tn_tree_link {
    uint32_t parent;  // Set by the caller. A root has an index that no node has.
    uint32_t first_child, next_sibling;
} tn_tree_link;

// Put a node in front of its siblings; of a root, those are the roots in the list that starts with
// `*first_root`. The links of the parent and `*first_root` are set already.
void tn_tree_put_first(tn_tree_link *links, uint32_t count, uint32_t node, uint32_t *first_root);

// Set `first_child` and `next_sibling` of all, with children and roots in the order of the list.
// Returns the first root.
uint32_t tn_tree_link_all(tn_tree_link *links, uint32_t count);

// The node that follows `node` and everything below it, depth first. It stays below `top`, or goes
// on with the next root if that is TN_NO_NODE. Returns TN_NO_NODE at the end. `depth` may be NULL;
// else it is reduced by one for each level that is left.
uint32_t tn_tree_skip(const tn_tree_link *links, uint32_t count, uint32_t node, uint32_t top,
                      uint32_t *depth);

// The same, but with what is below `node` first: its first child, if it has one.
uint32_t tn_tree_next(const tn_tree_link *links, uint32_t count, uint32_t node, uint32_t top,
                      uint32_t *depth);

#endif  // TN_CORE_MATH_TREE_LINKS_H
