// gpb_export_tree.c: exports the tree of nodes.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include <inttypes.h>

// A node in the order of writing, and its depth.
typedef struct gpb_stand {
    uint32_t node, depth;
} gpb_stand;

// Insert a node before its siblings.
static void gpb_link_node(gpb_exporter *m, uint32_t node, uint32_t *root)
{
    gpb_made_node *n = &m->nodes[node];
    uint32_t *first = n->parent == TENON_NONE ? root : &m->nodes[n->parent].first_child;
    n->next_sibling = *first;
    *first = node;
}

// Link the nodes to trees, in the order of the scene. Added nodes are last, but the upper node of a
// sheared one takes its place. Returns the first root.
static uint32_t gpb_link_nodes(gpb_exporter *m)
{
    uint32_t root = TENON_NONE;
    for (uint32_t i = 0; i < m->node_count; i++) m->nodes[i].first_child = TENON_NONE;
    for (uint32_t i = m->node_count; i-- > 0;) {
        uint32_t origin = m->nodes[i].origin, parent = m->nodes[i].parent;
        bool is_upper = origin != i && m->nodes[origin].parent == i;
        if (is_upper) continue;
        gpb_link_node(m, i, &root);
        bool is_lower = origin == i && parent != TENON_NONE && m->nodes[parent].origin == i;
        if (is_lower) gpb_link_node(m, parent, &root);
    }
    return root;
}

// Append a list of siblings to the order. Returns how many there are.
static uint32_t gpb_stand_up(const gpb_exporter *m, uint32_t first, uint32_t depth,
                             gpb_stand *order)
{
    uint32_t count = 0;
    for (uint32_t at = first; at != TENON_NONE; at = m->nodes[at].next_sibling)
        order[count++] = (gpb_stand){at, depth};
    return count;
}

static void gpb_fill_node(gpb_exporter *m, const gpb_made_node *from, tenon_gpb_node *to)
{
    to->reference = from->reference;
    to->node_type = from->is_joint ? 2 : 1;
    for (int i = 0; i < 16; i++) to->transform[i] = gpb_export_float(m, from->local.m[i]);
    to->parent_id = (tenon_str){"", 0};
    to->camera.reference = to->light.reference = TENON_NONE;
    to->model.mesh = (tenon_str){"", 0};
    if (from->source != TENON_NONE) gpb_export_camera(m, from->source, &to->camera);
    if (from->source != TENON_NONE) gpb_export_light(m, from->source, &to->light);
    if (from->shows != TENON_NONE) gpb_export_model(m, from, &to->model);
}

// Siblings are neighbors, so one array contains all nodes.
void gpb_export_tree(gpb_exporter *m, tenon_gpb_scene *scene)
{
    gpb_stand *order = gpb_export_alloc(m, m->node_count, sizeof *order);
    tenon_gpb_node *all = gpb_export_alloc(m, m->node_count, sizeof *all);
    if (m->failed) return;
    uint32_t count = gpb_stand_up(m, gpb_link_nodes(m), 0, order);
    scene->nodes = all;
    scene->node_count = count;
    scene->active_camera = (tenon_str){"", 0};
    for (uint32_t i = 0; i < m->node_count && !m->failed; i++) {
        const gpb_made_node *from = &m->nodes[order[i].node];
        if (order[i].depth >= TN_DEPTH_MAX)
            m->failed =
                !tn_error(m->e->err, TENON_ERR_LIMIT,
                          "nodes[%" PRIu32 "] has %d ancestors: this is too deep to be read",
                          from->origin, TN_DEPTH_MAX);
        all[i].children = all + count;
        all[i].child_count = gpb_stand_up(m, from->first_child, order[i].depth + 1, order + count);
        count += all[i].child_count;
        gpb_fill_node(m, from, &all[i]);
    }
}
