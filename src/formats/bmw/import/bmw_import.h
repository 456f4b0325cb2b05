// bmw_import.h: what the sources that make a scene of a BMW document share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H
#define TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H

#include "formats/bmw/bmw_names.h"

#include "core/math/math.h"
#include "scene/model/scene_finish.h"

// -- Nodes

// Things that have numbers, in the order of these; of equals, the first comes first.
typedef struct bmw_order {
    const uint32_t *numbers;
    uint32_t *items;
    uint32_t count;
    bool is_plain;  // Each has its own index for a number, as in all files that are known.
} bmw_order;

// A node of the file, and what was found out about it.
typedef struct bmw_branch {
    const tenon_bmw_node *node;
    uint32_t parent;      // Another branch, which comes before this one; TENON_NONE: the root.
    tenon_str name;       // Its own, or one made up.
    tn_mat4 rest;         // Where it is at rest, as frames have it: seen from the root.
    bool is_weighted;     // A mesh that is shown has weights of it.
    bool is_moved;        // A clip moves it.
    bool is_sheared;      // And shears it, at least once.
    uint32_t tree_node;   // In the scene: what its children and meshes hang on.
    uint32_t joint;       // In the scene: what has its matrices; TENON_NONE: nothing moves it.
    uint32_t outer;       // In the scene: the node above the joint, if it is sheared.
    uint32_t skin_joint;  // Index into the joints of the skin; TENON_NONE: none.
} bmw_branch;

// -- Meshes

// What the scene has of a mesh of the file.
typedef struct bmw_shown {
    uint32_t branch;    // The first that shows it; TENON_NONE: none does.
    uint32_t last;      // 1 + the last branch that shows it.
    bool is_skinned;    // A weight of it counts.
    bool has_fours;     // Vertices have their weights in order, each once, and four at most.
    uint32_t mesh;      // In the scene; TENON_NONE: it is not there.
    uint32_t material;  // In the scene; TENON_NONE: none.
} bmw_shown;

// -- Clips

// An animation that clips may play: one of another file, or one of the model's own.
typedef struct bmw_source {
    const tenon_bmw *doc;                  // Whose it is; NULL: its file could not be had.
    const tenon_bmw_animation *animation;  // NULL: as above.
    char path[40];                         // Of the animation, to tell what is lost of it.
    uint32_t *branches;    // Of each bone: what it moves; TENON_NONE: nothing, or it is repeated.
    uint64_t frame_count;  // Of the bone that has most.
    double rate;           // Ticks a second.
    bool is_played;
} bmw_source;

// A clip: ticks `start` to `end` of an animation, which it has.
typedef struct bmw_play {
    tenon_str name;
    bmw_source *source;
    double start, end;
    const tenon_bmw_clip *clip;  // Of the sidecar; NULL: no clip plays the animation.
} bmw_play;

// -- The whole

// What is told at the end. Paths are those of the first case.
typedef struct bmw_flaws {
    tn_tally names, meshes, hollow, references, transforms, faces;
    tn_tally absent_nodes, odd_weights, absent_vertices, crowded, still;
    tn_tally colors, alphas, textures, untextured, masks;
    tn_tally clip_names, nameless_clips, held_ticks, ranges, hidden_clips, empty, by_number, rates;
    tn_tally absent_bones, repeated_bones, not_finite, not_affine, close_frames;
} bmw_flaws;

typedef struct bmw_importer {
    tn_scene_builder *b;
    const tenon_bmw *doc;
    const tenon_files *files;    // Never NULL.
    tenon_bmw_sidecar *sidecar;  // NULL: there is none.
    bmw_flaws flaws;
    bool is_turned;  // Some matrix would be another one in the other order.

    uint32_t branch_count;
    bmw_branch *branches;  // In the order of the file.
    bmw_order by_id;       // Of them.

    float levels[256];   // Colours, made linear.
    bmw_shown *shown;    // Of each mesh.
    uint32_t model;      // The node that has the transform of the sidecar; TENON_NONE: none.
    uint32_t skeleton;   // The node above all joints; TENON_NONE: there are none.
    uint32_t skin;       // TENON_NONE: no mesh has weights.
    uint32_t skin_size;  // Joints of the skin, without the one that stays.

    tenon_doc **others;  // The files of clips that could be read.
    uint32_t other_count;
    uint32_t source_count;
    bmw_source *sources;  // Those of other files, in the order of the clips, then the model's own.
    uint32_t play_count;
    bmw_play *plays;
    const bmw_play *first_play;  // What the engine begins with; NULL: nothing.
} bmw_importer;

// The branch that has that id, the first one if there are several; NULL: there is none.
bmw_branch *bmw_find_branch(const bmw_importer *s, uint32_t node_id);

// The same, in the few instructions that there are for each influence of a vertex.
static inline bmw_branch *bmw_branch_of(const bmw_importer *s, uint32_t node_id)
{
    bool is_plain = s->by_id.is_plain && node_id < s->branch_count;
    return is_plain ? &s->branches[node_id] : bmw_find_branch(s, node_id);
}

// A text of the scene's memory, as long as it has to be. "" if there is none.
tenon_str bmw_import_format(bmw_importer *s, const char *fmt, ...) TN_PRINTF(2, 3);

// -- bmw_import_nodes.c

// List the nodes and which meshes they show.
void bmw_list_nodes(bmw_importer *s);

// Add the node of the sidecar, and the joints with their skin.
void bmw_add_joints(bmw_importer *s);

// Add the tree, and show the meshes.
void bmw_add_tree(bmw_importer *s);

// Whether a matrix would be another one in the other order.
bool bmw_is_turned(const float m[16]);

// Add the joint for vertices without weights, which is the last of the skin. Returns its index.
uint32_t bmw_still_joint(bmw_importer *s);

// -- bmw_import_mesh.c, bmw_import_weights.c, bmw_import_material.c

// Find the material of every mesh that is shown.
void bmw_add_materials(bmw_importer *s);

void bmw_add_meshes(bmw_importer *s);

// Find out which meshes are skinned, and which nodes have weights.
void bmw_mark_weights(bmw_importer *s);

// Give the vertices of a mesh their influences.
void bmw_take_weights(bmw_importer *s, uint32_t mesh, tenon_primitive *p);

// -- bmw_import_clips.c, bmw_import_frames.c

// Find the clips and what they play.
void bmw_list_clips(bmw_importer *s);
void bmw_free_clips(bmw_importer *s);

// Find out which nodes the clips move, and whether they shear them.
void bmw_mark_motion(bmw_importer *s);

// Put the joints where they are when the engine begins.
void bmw_rest_joints(bmw_importer *s);

void bmw_add_animations(bmw_importer *s);

#endif  // TN_FORMATS_BMW_IMPORT_BMW_IMPORT_H
