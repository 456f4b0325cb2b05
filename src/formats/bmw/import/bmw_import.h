// bmw_import.h: shared by the sources that import a BMW document into a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H
#define TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H

#include "formats/bmw/bmw_format.h"

#include "core/math/math.h"
#include "scene/model/scene_finish.h"

// -- Nodes

// A node of the file.
typedef struct bmw_file_node {
    const tenon_bmw_node *node;
    uint32_t parent;      // Index of an earlier one; TENON_NONE: this is the root.
    tenon_str name;       // From the file, or synthesized.
    tn_mat4 rest;         // Relative to the root, as frames are.
    bool is_weighted;     // A mesh that is used has weights for it.
    bool is_moved;        // A clip moves it.
    bool is_sheared;      // A clip shears it at least once.
    uint32_t tree_node;   // Scene node that is the parent of its children and meshes.
    uint32_t joint;       // Scene node that its frames move; TENON_NONE: there is none.
    uint32_t shear_node;  // Scene node above a sheared joint; TENON_NONE: it is not sheared.
    uint32_t skin_joint;  // Index into the joints of the skin; TENON_NONE: none.
} bmw_file_node;

// -- Meshes

// A mesh of the file.
typedef struct bmw_imported_mesh {
    uint32_t file_node;     // First node that uses it; TENON_NONE: no node does.
    uint32_t last;          // 1 + the last node that uses it.
    bool is_skinned;        // It has a valid weight.
    bool has_four_at_most;  // Weights are sorted by vertex, at most four per vertex.
    uint32_t mesh;          // In the scene; TENON_NONE: it is not imported.
    uint32_t material;      // In the scene; TENON_NONE: none.
} bmw_imported_mesh;

// -- Clips

// An animation that clips may play, of the model or of another file.
typedef struct bmw_source {
    const tenon_bmw *doc;                  // NULL: the file could not be read.
    const tenon_bmw_animation *animation;  // NULL: as above.
    char path[40];                         // Of the animation, for reports.
    uint32_t *file_nodes;  // For each bone, the node it moves; TENON_NONE: none, or repeated.
    uint64_t frame_count;  // Of the longest bone.
    double rate;           // Ticks per second.
    bool is_played;
} bmw_source;

// A clip: ticks `start` to `end` of an animation.
typedef struct bmw_played_clip {
    tenon_str name;
    bmw_source *source;
    double start, end;           // Inside the animation.
    const tenon_bmw_clip *clip;  // In the sidecar; NULL: the sidecar has no clip for the animation.
} bmw_played_clip;

// -- The importer

// What is reported at the end.
typedef struct bmw_tallies {
    tn_tally unnamed_nodes, unused_meshes, empty_meshes, bad_references, bad_transforms;
    tn_tally matrix_order;
    tn_tally meshes_without_faces, weights_without_node, weights_without_vertex, invalid_weights;
    tn_tally excess_weights, unweighted, large_colors, ignored_alphas;
    tn_tally excess_textures, untextured_meshes, masked_meshes;
    tn_tally unnamed_animations, nameless_clips, held_ticks, bad_ranges, replaced_clips;
    tn_tally empty_animations, matched_by_id, missing_rates, bones_without_node, repeated_bones;
    tn_tally frames_not_finite, frames_not_affine, close_frames;
} bmw_tallies;

typedef struct bmw_importer {
    tn_scene_builder *builder;
    const tenon_bmw *doc;
    const tenon_files *files;    // Never NULL.
    tenon_bmw_sidecar *sidecar;  // NULL: there is none.
    bmw_tallies tallies;
    bool is_order_visible;  // A matrix is not symmetric, so that the matrix order matters.

    uint32_t file_node_count;
    bmw_file_node *file_nodes;  // In file order, parents before children.
    bmw_sorted by_id;           // Of `file_nodes`.
    bool are_ids_indices;       // As in all known files.

    float levels[256];          // The linear value of each color byte.
    bmw_imported_mesh *meshes;  // One for each mesh.
    uint32_t model;             // Scene node with the sidecar's transform; TENON_NONE: none.
    uint32_t skeleton;          // Scene node above all joints; TENON_NONE: the file has none.
    uint32_t skin;              // TENON_NONE: no mesh has weights.
    uint32_t skin_size;         // Joints of the skin, without the static joint.

    tenon_doc **clip_docs;  // The files of clips that could be read.
    uint32_t clip_doc_count;
    uint32_t source_count;
    bmw_source *sources;  // Those of other files, in the order of the clips, then the model's.
    uint32_t clip_count;
    bmw_played_clip *clips;
    const bmw_played_clip *default_clip;  // The engine's default clip; NULL: none.
} bmw_importer;

// The first node with that id; NULL: there is none. bmw_import_file_node_of() is faster: it is
// called for each influence of a vertex.
bmw_file_node *bmw_import_find_file_node(const bmw_importer *importer, uint32_t node_id);
static inline bmw_file_node *bmw_import_file_node_of(const bmw_importer *importer, uint32_t node_id)
{
    bool is_index = importer->are_ids_indices && node_id < importer->file_node_count;
    return is_index ? &importer->file_nodes[node_id] : bmw_import_find_file_node(importer, node_id);
}

// Format a text in the scene's memory. "" if out of memory.
tenon_str bmw_import_format(bmw_importer *importer, const char *fmt, ...) TN_PRINTF(2, 3);

// The steps of an import, in this order.
void bmw_import_list_clips(bmw_importer *importer);     // And the animations they play.
void bmw_import_mark_weights(bmw_importer *importer);   // Which meshes and nodes have weights.
void bmw_import_mark_motion(bmw_importer *importer);    // Which nodes clips move or shear.
void bmw_import_set_rest_pose(bmw_importer *importer);  // The start of the engine's default clip.
void bmw_import_materials(bmw_importer *importer);      // For every mesh that is used.
void bmw_import_meshes(bmw_importer *importer);
void bmw_import_animations(bmw_importer *importer);

// Add the static joint, for vertices without weights, as the last of the skin. Returns its index.
uint32_t bmw_import_static_joint(bmw_importer *importer);

#endif  // TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H
