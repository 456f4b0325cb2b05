// import_nodes.c: nodes.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <stdlib.h>
#include <string.h>

mat4 import_rest_transform(const assimp_importer *importer, uint32_t index)
{
    return mat4_of(&importer->nodes[index].from->mTransformation);
}

// -- Finding nodes

typedef struct pending_node {
    const struct aiNode *node;
    uint32_t parent;
} pending_node;

typedef struct node_stack {
    pending_node *items;
    size_t count, room;
} node_stack;

// The first node is on top.
static void import_push_nodes(node_stack *stack, struct aiNode *const *nodes, unsigned count,
                              uint32_t parent)
{
    for (unsigned i = count; i-- > 0;) {
        stack->items = import_grow(stack->items, stack->count, &stack->room, sizeof *stack->items);
        stack->items[stack->count++] = (pending_node){nodes[i], parent};
    }
}

static const char *import_nodes_name_of(const assimp_importer *importer, uint32_t node)
{
    return importer->nodes[node].from->mName.data;
}

static const assimp_importer *sorting;  // For qsort(), which has no context; there is one thread.

static int import_nodes_compare_names(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = strcmp(import_nodes_name_of(sorting, i), import_nodes_name_of(sorting, j));
    return order ? order : i < j ? -1 : i > j;
}

static void import_nodes_index_names(assimp_importer *importer)
{
    uint32_t count = importer->node_count, duplicates = 0;
    uint32_t *by_name = importer->by_name = import_alloc(count, sizeof *by_name);
    for (uint32_t i = 0; i < count; i++) by_name[i] = i;
    sorting = importer;
    qsort(by_name, count, sizeof *by_name, import_nodes_compare_names);
    for (uint32_t i = 1; i < count; i++)
        duplicates += strcmp(import_nodes_name_of(importer, by_name[i - 1]),
                             import_nodes_name_of(importer, by_name[i])) == 0;
    bool matters = importer->assimp->mNumAnimations > 0;
    for (unsigned i = 0; i < importer->assimp->mNumMeshes; i++)
        matters |= importer->assimp->mMeshes[i]->mNumBones > 0;
    if (matters)
        import_report_loss(importer, TENON_APPROXIMATED, "nodes with one name",
                           "bones and channels use the first node of that name", duplicates, NULL);
}

void import_find_nodes(assimp_importer *importer)
{
    struct aiNode *const root = importer->assimp->mRootNode;
    node_stack stack = {0};
    size_t room = 0;
    if (importer->root_is_idle)
        import_push_nodes(&stack, root->mChildren, root->mNumChildren, TENON_NONE);
    else
        import_push_nodes(&stack, &root, 1, TENON_NONE);
    while (stack.count > 0) {
        pending_node next = stack.items[--stack.count];
        uint32_t index = importer->node_count;
        importer->nodes = import_grow(importer->nodes, index, &room, sizeof *importer->nodes);
        importer->nodes[index] = (import_node){.from = next.node, .parent = next.parent};
        importer->node_count++;
        import_push_nodes(&stack, next.node->mChildren, next.node->mNumChildren, index);
    }
    free(stack.items);
    import_nodes_index_names(importer);
}

uint32_t import_node_named(const assimp_importer *importer, const char *name)
{
    uint32_t low = 0, high = importer->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(import_nodes_name_of(importer, importer->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < importer->node_count &&
                    strcmp(import_nodes_name_of(importer, importer->by_name[low]), name) == 0;
    return is_found ? importer->by_name[low] : TENON_NONE;
}

// -- Nodes of the scene

tenon_str import_name(assimp_importer *importer, const char *name)
{
    return import_text(importer, name, strlen(name));
}

void import_nodes(assimp_importer *importer)
{
    tenon_scene *scene = importer->scene;
    scene->node_count = importer->node_count;
    scene->nodes = import_scene_alloc(importer, importer->node_count, sizeof *scene->nodes);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        mat4 matrix = import_local(importer, i, import_rest_transform(importer, i));
        trs parts;
        bool has_matrix = !mat4_decompose(&matrix, &parts);
        tenon_node *to = &scene->nodes[i];
        *to = (tenon_node){.name = import_name(importer, import_nodes_name_of(importer, i)),
                           .parent = importer->nodes[i].parent,
                           .mesh = TENON_NONE,
                           .skin = TENON_NONE,
                           .camera = importer->camera_of[i],
                           .light = importer->light_of[i],
                           .has_matrix = has_matrix};
        memcpy(to->matrix, has_matrix ? matrix.m : mat4_identity.m, sizeof to->matrix);
        memcpy(to->translation, &parts.translation, sizeof to->translation);
        memcpy(to->rotation, &parts.rotation, sizeof to->rotation);
        memcpy(to->scale, &parts.scale, sizeof to->scale);
    }
}
