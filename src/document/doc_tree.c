// doc_tree.c: what formats use to report the nodes of a document.
// SPDX-License-Identifier: MIT

#include "core/math/tree_links.h"
#include "document/format.h"

#define DEPTH_MOST 256

bool tn_walk_report(tn_walk *walk, tenon_str name, uint32_t depth, const char *kind,
                    const char *what)
{
    tenon_tree_node node = {.name = name, .depth = depth, .kind = kind, .what = what};
    if (!walk->stopped) walk->stopped = !walk->fn(walk->user, &node);
    return !walk->stopped;
}

// -- Lists

void tn_walk_flat(tn_walk *walk, const void *context, const uint32_t *parents, uint32_t count,
                  tn_walk_item_fn *report)
{
    tn_tree_link *links = tn_arena_alloc(walk->arena, count, sizeof *links, NULL);
    bool *is_reported = tn_arena_alloc(walk->arena, count, sizeof *is_reported, NULL);
    walk->failed = !links || !is_reported;
    if (walk->failed) return;
    for (uint32_t i = 0; i < count; i++) links[i].parent = parents[i];
    (void)tn_tree_link_all(links, count);
    // Trees first, then nodes whose parents form a circle: it is left where it closes.
    for (int only_roots = 1; only_roots >= 0; only_roots--)
        for (uint32_t i = 0; i < count; i++) {
            if (is_reported[i] || (only_roots && parents[i] < count)) continue;
            uint32_t node = i, depth = 0;
            while (node != TN_NO_NODE && !walk->stopped) {
                bool is_new = !is_reported[node];
                is_reported[node] = true;
                if (is_new) report(walk, context, node, depth);
                node = is_new ? tn_tree_next(links, count, node, i, &depth)
                              : tn_tree_skip(links, count, node, i, &depth);
            }
        }
}

// -- Nested nodes

void tn_walk_nested(tn_walk *walk, const void *context, tn_siblings roots, size_t node_size,
                    tn_walk_node_fn *report)
{
    tn_siblings left[DEPTH_MOST] = {roots};  // At each depth, what is still to be reported.
    uint32_t depth = 0;
    while (!walk->stopped) {
        tn_siblings *level = &left[depth];
        if (level->count == 0) {
            if (depth-- == 0) return;
            continue;
        }
        const char *node = level->nodes;
        *level = (tn_siblings){node + node_size, level->count - 1};
        tn_siblings children = report(walk, context, node, depth);
        if (depth + 1 < DEPTH_MOST) left[++depth] = children;
    }
}
