// gpb_export_tree.c: exports the tree of nodes.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include <inttypes.h>

// A node in the order of writing, and its depth.
typedef struct gpb_ordered_node {
    uint32_t node, depth;
} gpb_ordered_node;

// Insert a node before its siblings.
static void gpb_link_node(gpb_exporter *exporter, uint32_t node, uint32_t *root)
{
    gpb_node_plan *n = &exporter->nodes[node];
    uint32_t *first = n->parent == TENON_NONE ? root : &exporter->nodes[n->parent].first_child;
    n->next_sibling = *first;
    *first = node;
}

// Link the nodes to trees, in the order of the scene. Added nodes are last, but the upper node of a
// sheared one takes its place. Returns the first root.
static uint32_t gpb_link_nodes(gpb_exporter *exporter)
{
    uint32_t root = TENON_NONE;
    for (uint32_t i = 0; i < exporter->node_count; i++) exporter->nodes[i].first_child = TENON_NONE;
    for (uint32_t i = exporter->node_count; i-- > 0;) {
        uint32_t origin = exporter->nodes[i].origin, parent = exporter->nodes[i].parent;
        bool is_upper = origin != i && exporter->nodes[origin].parent == i;
        if (is_upper) continue;
        gpb_link_node(exporter, i, &root);
        bool is_lower = origin == i && parent != TENON_NONE && exporter->nodes[parent].origin == i;
        if (is_lower) gpb_link_node(exporter, parent, &root);
    }
    return root;
}

// Append a list of siblings to the order. Returns how many there are.
static uint32_t gpb_append_siblings(const gpb_exporter *exporter, uint32_t first, uint32_t depth,
                                    gpb_ordered_node *order)
{
    uint32_t count = 0;
    for (uint32_t at = first; at != TENON_NONE; at = exporter->nodes[at].next_sibling)
        order[count++] = (gpb_ordered_node){at, depth};
    return count;
}

static void gpb_fill_node(gpb_exporter *exporter, const gpb_node_plan *from, tenon_gpb_node *to)
{
    to->reference = from->reference;
    to->node_type = from->is_joint ? 2 : 1;
    for (int i = 0; i < 16; i++) to->transform[i] = gpb_export_float(exporter, from->local.m[i]);
    to->parent_id = (tenon_str){"", 0};
    to->camera.reference = to->light.reference = TENON_NONE;
    to->model.mesh = (tenon_str){"", 0};
    if (from->source != TENON_NONE) gpb_export_camera(exporter, from->source, &to->camera);
    if (from->source != TENON_NONE) gpb_export_light(exporter, from->source, &to->light);
    if (from->mesh_node != TENON_NONE) gpb_export_model(exporter, from, &to->model);
}

// Siblings are neighbors, so one array contains all nodes.
void gpb_export_tree(gpb_exporter *exporter, tenon_gpb_scene *scene)
{
    gpb_ordered_node *order = gpb_export_alloc(exporter, exporter->node_count, sizeof *order);
    tenon_gpb_node *all = gpb_export_alloc(exporter, exporter->node_count, sizeof *all);
    if (exporter->failed) return;
    uint32_t count = gpb_append_siblings(exporter, gpb_link_nodes(exporter), 0, order);
    scene->nodes = all;
    scene->node_count = count;
    scene->active_camera = (tenon_str){"", 0};
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++) {
        const gpb_node_plan *from = &exporter->nodes[order[i].node];
        if (order[i].depth >= TN_DEPTH_MAX)
            exporter->failed =
                !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                          "nodes[%" PRIu32 "] has %d ancestors: this is too deep to be read",
                          from->origin, TN_DEPTH_MAX);
        all[i].children = all + count;
        all[i].child_count =
            gpb_append_siblings(exporter, from->first_child, order[i].depth + 1, order + count);
        count += all[i].child_count;
        gpb_fill_node(exporter, from, &all[i]);
    }
}
