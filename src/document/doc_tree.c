// doc_tree.c: what formats use to report the nodes of a document.
// SPDX-License-Identifier: MIT

#include "document/format.h"

#define NONE       UINT32_MAX
#define DEPTH_MOST 256

bool tn_walk_report(tn_walk *walk, tenon_str name, uint32_t depth, const char *kind,
                    const char *what)
{
    tenon_tree_node node = {.name = name, .depth = depth, .kind = kind, .what = what};
    if (!walk->stopped) walk->stopped = !walk->fn(walk->user, &node);
    return !walk->stopped;
}

// -- Lists

// Nodes of a list, linked: the first child of each and the next child of its parent.
typedef struct links {
    const uint32_t *parents;
    uint32_t *first, *next;
    bool *is_reported;
    uint32_t count;
} links;

static bool link_up(links *l, tn_arena *arena)
{
    l->first = tn_arena_alloc(arena, l->count, sizeof *l->first, NULL);
    l->next = tn_arena_alloc(arena, l->count, sizeof *l->next, NULL);
    l->is_reported = tn_arena_alloc(arena, l->count, sizeof *l->is_reported, NULL);
    if (!l->first || !l->next || !l->is_reported) return false;
    for (uint32_t i = 0; i < l->count; i++) l->first[i] = NONE;
    // From the last to the first, so that children come out in the order of the list.
    for (uint32_t i = l->count; i-- > 0;) {
        uint32_t parent = l->parents[i];
        l->next[i] = NONE;
        if (parent >= l->count) continue;
        l->next[i] = l->first[parent];
        l->first[parent] = i;
    }
    return true;
}

// The next child of the nearest ancestor that has one, below `root`; NONE at the end.
static uint32_t climb(const links *l, uint32_t node, uint32_t root, uint32_t *depth)
{
    while (node != root && l->next[node] == NONE) {
        node = l->parents[node];
        --*depth;
    }
    return node == root ? NONE : l->next[node];
}

// A node that was told already closes a circle, and is not entered again.
static void report_branch(tn_walk *walk, const void *context, const links *l, uint32_t root,
                          tn_walk_item_fn *report)
{
    uint32_t depth = 0;
    for (uint32_t node = root; node != NONE && !walk->stopped;) {
        bool is_new = !l->is_reported[node];
        l->is_reported[node] = true;
        if (is_new) report(walk, context, node, depth);
        if (is_new && l->first[node] != NONE) {
            node = l->first[node];
            depth++;
        } else {
            node = climb(l, node, root, &depth);
        }
    }
}

void tn_walk_flat(tn_walk *walk, const void *context, const uint32_t *parents, uint32_t count,
                  tn_walk_item_fn *report)
{
    links l = {.parents = parents, .count = count};
    walk->failed = !link_up(&l, walk->arena);
    if (walk->failed) return;
    for (uint32_t i = 0; i < count; i++)
        if (parents[i] >= count) report_branch(walk, context, &l, i, report);
    for (uint32_t i = 0; i < count; i++)
        if (!l.is_reported[i]) report_branch(walk, context, &l, i, report);
}

// -- Nested nodes

void tn_walk_nested(tn_walk *walk, const void *context, tn_siblings roots, size_t node_size,
                    tn_walk_node_fn *report)
{
    tn_siblings left[DEPTH_MOST] = {roots};  // At each depth, what is still to be told.
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
