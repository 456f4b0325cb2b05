// gpb_import.h: declarations that the sources of the importer share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H
#define TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H

#include "formats/gpb/gpb_format.h"

#include "core/math/math.h"
#include "core/text/tally.h"
#include "exchange/vertex_codec.h"

// -- Nodes

// A node of the scene: a node of the document, or a copy of one. The first ones are the nodes of
// the tree, in the same order.
typedef struct gpb_scene_node {
    uint32_t node_index;
    uint32_t parent;  // Index into the planned nodes, possibly a later one; TENON_NONE for a root.
    uint32_t next_copy;  // The next one for the same node of the tree, or TENON_NONE.
    uint32_t node;       // Index into the nodes of the scene.
} gpb_scene_node;

// A node with a mesh that has a skin.
typedef struct gpb_rig {
    uint32_t node_index;
    uint32_t
        anchor;     // The node of the tree that also moves all joints; TENON_NONE if there is none.
    uint32_t root;  // The planned node above all joints; TENON_NONE if there is none.
    uint32_t *joints;  // Nodes of the tree, later planned nodes; or TENON_NONE.
} gpb_rig;

// -- Animations

// The components of a transform that channels can move separately.
enum {
    GPB_SCALE_X,
    GPB_SCALE_Y,
    GPB_SCALE_Z,
    GPB_ROTATION,
    GPB_TRANSLATION_X,
    GPB_TRANSLATION_Y,
    GPB_TRANSLATION_Z,
    GPB_COMPONENT_COUNT,
};

// A channel with a target.
typedef struct gpb_track {
    const tenon_gpb_channel *channel;
    uint32_t node_index;                    // Its target: index into the tree.
    uint32_t animation;                     // Index into the sources.
    uint32_t index;                         // Index into the channels of its animation.
    uint32_t group;                         // Index into the groups.
    uint32_t size;                          // Numbers in a key.
    uint32_t offsets[GPB_COMPONENT_COUNT];  // Of each in a key; TENON_NONE if it is not there.
    uint32_t key_count;                     // Valid keys.
    const uint32_t *keys;                   // Their indices in the file; NULL: the first key_count.
    float *times;  // Times of the keys, shared by channels with the same keys; or NULL.
} gpb_track;

// An animation of the file.
typedef struct gpb_source {
    const tenon_gpb_animation *animation;
    uint32_t block, index;  // Its place in the document.
    uint32_t first, count;  // Its tracks.
    uint32_t clip;          // Its animation in the scene; TENON_NONE if there is none.
    bool is_renamed;        // That animation has a different name.
} gpb_source;

// -- The importer

typedef struct gpb_import_losses {
    tn_tally scenes, fonts, effects, sheared;
    tn_tally cameras, flat_cameras, lights, faded_lights;
    tn_tally moved, copied, joints, binds, unskinned;
    tn_tally linked_models, loose_objects, active_cameras;
    tn_tally models, meshes, synthesized_nodes, elements, positions, sides, primitives, loose;
    tn_tally influences, weights;
    tn_tally materials, absent_materials, shaders, samplers, aliases;
    tn_tally parameter_types, parameter_values, effect_names;
    tn_tally unplayed, attributes, targets, keys, values, curves;
    tn_tally clips;
} gpb_import_losses;

typedef struct gpb_importer {
    tn_scene_builder *builder;
    const tenon_gpb *doc;
    const tenon_files *files;  // Never NULL.
    gpb_links links;
    tenon_gpb joined;  // The bundle with objects of others, if it uses any.
    gpb_index index;
    gpb_import_losses lost;

    uint32_t scene_node_count;
    gpb_scene_node *scene_nodes;
    tn_scene_list scene_node_list;
    uint32_t rig_count;
    gpb_rig *rigs;     // In the order of their nodes.
    uint32_t *rig_of;  // For each node: index into the rigs, or TENON_NONE.

    uint32_t *first_material;  // For each node: where its materials start.
    uint32_t *materials;       // Indices into the materials of the scene; TENON_NONE if none.
    bool *is_effect_used;      // For each block: a material uses this effect.

    uint32_t source_count;
    gpb_source *sources;
    uint32_t track_count;
    gpb_track *tracks;
    bool *is_animated;   // For each node of the tree: a track moves it.
    double curve_error;  // The largest error of sampled curves.
} gpb_importer;

// Count a loss. The path of the first is that of a field of a node of the tree.
void gpb_tally_node(const gpb_importer *importer, tn_tally *tally, uint32_t node_index,
                    const char *fmt, ...) TN_PRINTF(4, 5);

// The path of an animation, and that of a track's channel.
tn_path_text gpb_source_path(const gpb_importer *importer, const gpb_source *source);

// The property file with that extension next to the bundle; NULL if there is none that can be read.
tenon_gpb_properties *gpb_open_sidecar(gpb_importer *importer, const char *extension);

// -- gpb_import_mesh.c

// Plan the nodes of the scene: those of the document, and where skeletons have to be.
void gpb_plan_scene_nodes(gpb_importer *importer);

// Add the nodes, parents first.
void gpb_import_scene_nodes(gpb_importer *importer);

// Give the nodes their skins.
void gpb_import_skins(gpb_importer *importer);

// Add the meshes, and give them to their nodes.
void gpb_import_meshes(gpb_importer *importer);

// -- gpb_import_material.c

// Add the materials that models use.
void gpb_import_materials(gpb_importer *importer);

// -- gpb_import_channel.c

// List the animations and what they move.
void gpb_list_tracks(gpb_importer *importer);

// The time of a valid key, in seconds.
float gpb_track_time(const gpb_track *track, uint32_t key);

// The tracks that move one property of a node. A rotation has only one.
typedef struct gpb_property_tracks {
    uint32_t size;               // Numbers: 3, or 4 for a rotation.
    const gpb_track *tracks[4];  // For each number; NULL if it does not move.
    uint32_t offsets[4];         // The index of each number in a key.
} gpb_property_tracks;

// Fill in the keys of a channel whose node and target are set.
void gpb_fill_channel(gpb_importer *importer, const gpb_property_tracks *property,
                      tenon_channel *channel);

// -- gpb_import_animation.c

// Add the animations to the scene as clips.
void gpb_import_animations(gpb_importer *importer);

// Add the clips that a .animation file defines.
void gpb_import_clips(gpb_importer *importer);

#endif  // TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H
