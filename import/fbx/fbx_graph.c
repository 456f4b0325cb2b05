// fbx_graph.c: the objects of an FBX file by their ids, and how they are connected.
// SPDX-License-Identifier: MIT

#include "fbx_graph.h"

#include "../system/import_memory.h"

#include <stdlib.h>

static int fbx_graph_by_id(const void *a, const void *b)
{
    int64_t x = ((const fbx_object *)a)->id, y = ((const fbx_object *)b)->id;
    return x < y ? -1 : x > y;
}

static int fbx_graph_by_child(const void *a, const void *b)
{
    int64_t x = ((const fbx_link *)a)->child, y = ((const fbx_link *)b)->child;
    return x < y ? -1 : x > y;
}

size_t fbx_count_children(const fbx_node *node)
{
    size_t count = 0;
    for (const fbx_node *child = node->child; child; child = child->next) count++;
    return count;
}

bool fbx_index(fbx_graph *graph, const fbx_tree *tree)
{
    *graph = (fbx_graph){.tree = tree,
                         .objects = fbx_tree_child(&tree->root, "Objects"),
                         .connections = fbx_tree_child(&tree->root, "Connections"),
                         .next_id = 1};
    if (!graph->objects || !graph->connections) return false;
    graph->by_id = import_alloc(fbx_count_children(graph->objects), sizeof *graph->by_id);
    for (fbx_node *node = graph->objects->child; node; node = node->next) {
        int64_t id;
        if (!fbx_integer(node, 0, &id)) continue;
        graph->by_id[graph->object_count++] = (fbx_object){id, node};
        if (id >= graph->next_id && id < INT64_MAX / 2) graph->next_id = id + 1;
    }
    qsort(graph->by_id, graph->object_count, sizeof *graph->by_id, fbx_graph_by_id);
    graph->links = import_alloc(fbx_count_children(graph->connections), sizeof *graph->links);
    for (const fbx_node *node = graph->connections->child; node; node = node->next) {
        fbx_link link = {.node = node};
        if (fbx_integer(node, 1, &link.child) && fbx_integer(node, 2, &link.parent))
            graph->links[graph->link_count++] = link;
    }
    qsort(graph->links, graph->link_count, sizeof *graph->links, fbx_graph_by_child);
    return true;
}

static const fbx_object *fbx_graph_object_with(const fbx_graph *graph, int64_t id)
{
    const fbx_object key = {.id = id};
    return graph->object_count
               ? bsearch(&key, graph->by_id, graph->object_count, sizeof key, fbx_graph_by_id)
               : NULL;
}

fbx_node *fbx_find_object(const fbx_graph *graph, int64_t id)
{
    const fbx_object *found = fbx_graph_object_with(graph, id);
    return found ? found->node : NULL;
}

size_t fbx_object_index(const fbx_graph *graph, int64_t id)
{
    return (size_t)(fbx_graph_object_with(graph, id) - graph->by_id);
}

bool fbx_is_class(const fbx_graph *graph, int64_t id, const char *kind)
{
    const fbx_node *node = fbx_find_object(graph, id);
    return node && fbx_tree_is_named(node, kind);
}

size_t fbx_first_link(const fbx_graph *graph, int64_t child)
{
    size_t low = 0, high = graph->link_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->links[middle].child < child)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool fbx_is_link_of(const fbx_graph *graph, size_t index, int64_t child)
{
    return index < graph->link_count && graph->links[index].child == child;
}
