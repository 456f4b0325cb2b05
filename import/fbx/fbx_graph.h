// fbx_graph.h: the objects of an FBX file by their ids, and how they are connected.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_GRAPH_H
#define TENON_IMPORT_FBX_GRAPH_H

#include "fbx_tree.h"

// An object with its id.
typedef struct fbx_object {
    int64_t id;
    fbx_node *node;
} fbx_object;

// One object belongs to another, or to a property of it.
typedef struct fbx_link {
    int64_t child, parent;
    const fbx_node *node;
} fbx_link;

typedef struct fbx_graph {
    const fbx_tree *tree;
    fbx_node *objects, *connections;
    fbx_object *by_id;  // Sorted by id.
    size_t object_count;
    fbx_link *links;  // Sorted by child.
    size_t link_count;
    int64_t next_id;  // Not used by any object.
} fbx_graph;

// False if the file has no objects or connections.
bool fbx_index(fbx_graph *graph, const fbx_tree *tree);

size_t fbx_count_children(const fbx_node *node);

// The object with that id; NULL if there is none.
fbx_node *fbx_find_object(const fbx_graph *graph, int64_t id);

// The index in `by_id` of an object that exists.
size_t fbx_object_index(const fbx_graph *graph, int64_t id);

// Whether the object with that id exists and has that class, such as "Model" or "Geometry".
bool fbx_is_class(const fbx_graph *graph, int64_t id, const char *kind);

// The first link of a child. The others follow, as long as fbx_is_link_of() is true.
size_t fbx_first_link(const fbx_graph *graph, int64_t child);
bool fbx_is_link_of(const fbx_graph *graph, size_t index, int64_t child);

#endif  // TENON_IMPORT_FBX_GRAPH_H
