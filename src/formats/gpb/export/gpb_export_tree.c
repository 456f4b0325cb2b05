// gpb_export_tree.c: exports the tree of nodes, with their models.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/math/tree_links.h"

#include <inttypes.h>

#define GPB_PALETTE_MOST 37  // Joints that fit into the uniforms of every device.

// -- Models

static void gpb_export_tree_skin(gpb_exporter *exporter, uint32_t index, tenon_gpb_skin *skin)
{
    const tenon_skin *from = &exporter->scene->skins[index];
    for (int i = 0; i < 16; i += 5) skin->bind_shape[i] = 1;
    skin->root_joint = (tenon_str){"", 0};
    skin->joints = gpb_export_alloc(exporter, from->joint_count, sizeof *skin->joints);
    skin->bind_poses =
        gpb_export_span(exporter, from->inverse_binds, from->joint_count, &gpb_matrix_layout);
    if (exporter->failed) return;
    skin->joint_count = from->joint_count;
    for (uint32_t i = 0; i < from->joint_count; i++)
        skin->joints[i] = exporter->nodes[exporter->joints[index][i]].xref;
    gpb_export_count_loss(exporter, GPB_LOSS_PALETTES, from->joint_count > GPB_PALETTE_MOST,
                          "skins", index);
}

static void gpb_export_tree_model(gpb_exporter *exporter, uint32_t node, tenon_gpb_model *model)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    const gpb_mesh_plan *mesh = &exporter->meshes[n->mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[n->mesh].primitives;
    model->mesh = mesh->xref;
    model->has_skin = n->skin != TENON_NONE;
    if (model->has_skin) gpb_export_tree_skin(exporter, n->skin, &model->skin);
    model->materials = gpb_export_alloc(exporter, mesh->part_count, sizeof *model->materials);
    if (exporter->failed) return;
    bool has_any = false;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        const gpb_material_plan *plan =
            gpb_export_find_material(exporter, node, &primitives[mesh->parts[i]]);
        tenon_gpb_material *material = &model->materials[i];
        *material = (tenon_gpb_material){.name = {"", 0}, .effect = {"", 0}};
        if (!plan) continue;
        material->name = plan->name;
        gpb_export_parameters(exporter, plan->source, material);
        has_any = has_any || plan->name.size || material->parameter_count;
    }
    // Old encoders wrote no names.
    model->material_count = has_any ? mesh->part_count : 0;
}

// -- Nodes

// Link the nodes to trees, in the order of the scene. Added nodes are last, but the upper node of a
// sheared one takes its place. Returns the first root.
static uint32_t gpb_export_tree_link_nodes(const gpb_exporter *exporter, tn_tree_link *links)
{
    const gpb_node_plan *nodes = exporter->nodes;
    uint32_t count = exporter->node_count, root = TN_NO_NODE;
    for (uint32_t i = 0; i < count; i++)
        links[i] = (tn_tree_link){nodes[i].parent, TN_NO_NODE, TN_NO_NODE};
    for (uint32_t i = count; i-- > 0;) {
        uint32_t origin = nodes[i].origin, parent = nodes[i].parent;
        bool is_upper = origin != i && nodes[origin].parent == i;
        if (is_upper) continue;
        tn_tree_put_first(links, count, i, &root);
        bool is_lower = origin == i && parent != TENON_NONE && nodes[parent].origin == i;
        if (is_lower) tn_tree_put_first(links, count, parent, &root);
    }
    return root;
}

// A node in the order of writing, and its depth.
typedef struct gpb_ordered_node {
    uint32_t node, depth;
} gpb_ordered_node;

// Append a list of siblings to the order. Returns how many there are.
static uint32_t gpb_export_tree_append_siblings(const tn_tree_link *links, uint32_t first,
                                                uint32_t depth, gpb_ordered_node *order)
{
    uint32_t count = 0;
    for (uint32_t at = first; at != TN_NO_NODE; at = links[at].next_sibling)
        order[count++] = (gpb_ordered_node){at, depth};
    return count;
}

// Siblings are neighbors, so one array contains all nodes.
void gpb_export_tree(gpb_exporter *exporter, tenon_gpb_scene *scene)
{
    uint32_t node_count = exporter->node_count;
    tn_tree_link *links = gpb_export_alloc(exporter, node_count, sizeof *links);
    gpb_ordered_node *order = gpb_export_alloc(exporter, node_count, sizeof *order);
    tenon_gpb_node *nodes = gpb_export_alloc(exporter, node_count, sizeof *nodes);
    if (exporter->failed) return;
    uint32_t count = gpb_export_tree_append_siblings(
        links, gpb_export_tree_link_nodes(exporter, links), 0, order);
    scene->nodes = nodes;
    scene->node_count = count;
    scene->active_camera = (tenon_str){"", 0};
    for (uint32_t i = 0; i < node_count && !exporter->failed; i++) {
        const gpb_node_plan *from = &exporter->nodes[order[i].node];
        tenon_gpb_node *to = &nodes[i];
        if (order[i].depth >= TN_DEPTH_MAX)
            exporter->failed =
                !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                          "nodes[%" PRIu32 "] has %d ancestors: this is too deep to be read",
                          from->origin, TN_DEPTH_MAX);
        to->children = nodes + count;
        to->child_count = gpb_export_tree_append_siblings(links, links[order[i].node].first_child,
                                                          order[i].depth + 1, order + count);
        count += to->child_count;
        to->reference = from->reference;
        to->node_type = from->is_joint ? 2 : 1;
        for (int k = 0; k < 16; k++)
            to->transform[k] = gpb_export_float(exporter, from->local.m[k]);
        to->parent_id = (tenon_str){"", 0};
        to->camera.reference = to->light.reference = TENON_NONE;
        to->model.mesh = (tenon_str){"", 0};
        if (from->source != TENON_NONE) {
            gpb_export_camera(exporter, from->source, &to->camera);
            gpb_export_light(exporter, from->source, &to->light);
        }
        if (from->mesh_node != TENON_NONE)
            gpb_export_tree_model(exporter, from->mesh_node, &to->model);
    }
}
