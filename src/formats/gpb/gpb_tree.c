// gpb_tree.c: visits the nodes of a bundle in file order.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"

#include <stdio.h>

// A list of nodes and the next one to visit.
typedef struct gpb_branch {
    const tenon_gpb_node *nodes;
    uint32_t count, next;
} gpb_branch;

#define GPB_WALK_DEPTH 256

// Returns false if the callback returned false.
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

// -- For the tree of all formats

typedef struct gpb_tree_walk {
    const tenon_gpb *doc;
    tn_walk *walk;
} gpb_tree_walk;

static bool gpb_tree_report_node(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    static const char *const camera_kinds[] = {NULL, "perspective camera", "orthographic camera"};
    static const char *const light_kinds[] = {NULL, "directional light", "point light",
                                              "spot light"};
    const gpb_tree_walk *context = user;
    const char *words[3];
    uint32_t count = 0;
    if (node->camera.camera_type - 1u < 2) words[count++] = camera_kinds[node->camera.camera_type];
    if (node->light.light_type - 1u < 3) words[count++] = light_kinds[node->light.light_type];
    if (gpb_has_model(context->doc->base.dialect->flags, &node->model))
        words[count++] = node->model.has_skin ? "skinned mesh" : "mesh";
    char what[64] = "";
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += (size_t)snprintf(what + size, sizeof what - size, "%s%s", i ? ", " : "", words[i]);
    return tn_walk_report(context->walk, gpb_index_id_of(context->doc, node->reference), depth,
                          node->node_type == 2 ? "joint" : "node", what);
}

void gpb_report_tree(tn_walk *walk, const void *opaque)
{
    gpb_tree_walk context = {.doc = opaque, .walk = walk};
    tenon_gpb_each_node(opaque, gpb_tree_report_node, &context);
}
