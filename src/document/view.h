// view.h: what a document contains, in words that all formats share.
// SPDX-License-Identifier: MIT
//
// A format shows the meshes, nodes, clips and materials of its documents through `tn_views`. What
// all formats do with them is written once: counts and lists for `info`, the tree, and the removal
// of outliers from damaged files. A view points into its document; nothing is copied or decoded.

#ifndef TN_DOCUMENT_VIEW_H
#define TN_DOCUMENT_VIEW_H

#include "document/format.h"

#include <tenon/scene.h>

#define TN_VIEW_ARRAYS 12

// An array with numbers of vertices.
typedef struct tn_array_view {
    tenon_span *span;  // In the document. Only tn_view_remove_outliers() changes it.
    const char *name;  // In the mesh: "vertices", "normals".
} tn_array_view;

// Triangles, lines or points of a mesh.
typedef struct tn_part_view {
    tn_path_text path;    // Of the indices.
    tenon_span *indices;  // u8, u16 or u32. NULL: the vertices in their order.
    tenon_mode mode;
} tn_part_view;

typedef struct tn_mesh_view {
    tn_path_text path;      // "meshes[2]"; "" if the document is the mesh.
    uint64_t vertex_count;  // As the document says; a damaged file may hold fewer.
    uint32_t array_count;   // One array with everything, or one for each stream.
    tn_array_view arrays[TN_VIEW_ARRAYS];
    // Elements of the first array; NULL: it does not have them.
    const tenon_element *position;          // Three f32.
    const tenon_element *joints, *weights;  // f32, as many of both, at most four.
    uint64_t joint_count;                   // Of the skeleton; 0: unknown, joints are not judged.
    tn_part_view part;                      // The only one,
    uint32_t part_count;                    // unless there are others; see tn_views.part.
} tn_mesh_view;

// A look at a document.
typedef struct tn_view {
    const void *doc;
    tn_arena *arena;  // For what the view needs.
    uint32_t mesh_count, node_count, clip_count, material_count;
    void *index;  // What the format needs to find its way, such as its tree as a list.
} tn_view;

// How a format shows its documents. A function may be NULL if its count is always 0. What they fill
// in is zeroed before; a mesh has one part, of triangles. Only `open` may need memory.
typedef struct tn_views {
    // Set the counts and the index. False: out of memory.
    bool (*open)(tn_view *view);
    void (*mesh)(const tn_view *view, uint32_t index, tn_mesh_view *mesh);
    // NULL: every mesh has one part.
    void (*part)(const tn_view *view, uint32_t mesh, uint32_t index, tn_part_view *part);
    // `*parent` is the index of the parent; any number >= node_count: it is a root.
    void (*node)(const tn_view *view, uint32_t index, tenon_tree_node *node, uint32_t *parent);
    void (*clip)(const tn_view *view, uint32_t index, tenon_clip_info *clip);
    void (*material)(const tn_view *view, uint32_t index, tenon_material_info *material);
} tn_views;

// Meshes, vertices, triangles, animations and materials, with the lists of clips and materials; and
// bounds of all positions if the info is to be full. The format adds everything else.
void tn_view_info(tn_info_builder *informer, const tn_views *views, const void *doc);

// As tn_format.tree.
void tn_view_tree(tn_walk *walk, const tn_views *views, const void *doc);

// Apply the rules of field_rules.h, and "index-range" to the indices of all parts, as far as the
// format lists them.
void tn_view_check(tn_check *check, const void *doc);

// Remove triangles with outliers or without vertices, numbers that are not finite, and influences
// that are not plausible. Each is reported as a loss. False, with the error set, if out of memory.
bool tn_view_remove_outliers(const tn_change *change, const tn_views *views, const void *doc);

// As tn_format.recover, for a format with views whose documents need nothing else.
bool tn_view_recover(void *doc, const tn_change *change);

#endif  // TN_DOCUMENT_VIEW_H
