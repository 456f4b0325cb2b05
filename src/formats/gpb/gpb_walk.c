// gpb_walk.c: the nodes of a bundle, in file order.
// SPDX-License-Identifier: MIT

#include "gpb_index.h"

// A list of nodes, and how much of it was told.
typedef struct gpb_branch {
    const tenon_gpb_node *nodes;
    uint32_t count, next;
} gpb_branch;

#define GPB_WALK_DEPTH 256

// False: somebody said stop.
static bool gpb_walk(gpb_branch roots, tenon_gpb_node_fn *fn, void *user)
{
    gpb_branch branches[GPB_WALK_DEPTH] = {roots};
    uint32_t depth = 0;
    for (;;) {
        gpb_branch *branch = &branches[depth];
        if (branch->next == branch->count) {
            if (depth-- == 0) return true;
            continue;
        }
        const tenon_gpb_node *node = &branch->nodes[branch->next++];
        if (!fn(user, node, depth)) return false;
        if (depth + 1 < GPB_WALK_DEPTH)
            branches[++depth] = (gpb_branch){node->children, node->child_count, 0};
    }
}

void tenon_gpb_each_node(const tenon_gpb *doc, tenon_gpb_node_fn *fn, void *user)
{
    for (uint32_t i = 0; i < doc->block_count; i++) {
        const tenon_gpb_block *block = &doc->blocks[i];
        gpb_branch roots = {0};
        if (block->kind == TENON_GPB_SCENE)
            roots = (gpb_branch){block->body.scene.nodes, block->body.scene.node_count, 0};
        if (block->kind == TENON_GPB_NODE) roots = (gpb_branch){&block->body.node, 1, 0};
        if (!gpb_walk(roots, fn, user)) return;
    }
}
