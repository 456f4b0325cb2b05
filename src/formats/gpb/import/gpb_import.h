// gpb_import.h: what the sources that make a scene of a gameplay bundle share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H
#define TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H

#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"
#include "formats/gpb/sidecar/gpb_links.h"
#include "formats/gpb/sidecar/gpb_properties.h"

#include "core/math/math.h"
#include "scene/model/scene_build.h"

// -- What is told at the end

// Something that was lost, how often, and where first.
typedef struct gpb_tally {
    uint64_t count;
    tn_path_text path;
} gpb_tally;

// Count `count` more; true if these are the first, whose path is still to be set.
bool gpb_tally_first(gpb_tally *told, uint64_t count);

// -- Nodes

// A node of the scene: one of the document, or a copy of one. Number i of the first ones is that of
// leaf i.
typedef struct gpb_slot {
    uint32_t leaf;
    uint32_t parent;     // Another slot, not always an earlier one; TENON_NONE: it is a root.
    uint32_t next_copy;  // The next slot of the same leaf; TENON_NONE: there is none.
    uint32_t node;       // Of the scene.
    uint32_t first_child, next_sibling;
} gpb_slot;

// A node with a mesh that has a skin.
typedef struct gpb_rig {
    uint32_t leaf;
    uint32_t hang;     // The leaf that moves all joints as well; TENON_NONE: nothing does.
    uint32_t root;     // The slot above all joints; TENON_NONE: there is none.
    uint32_t *joints;  // Leaves at first, slots later; TENON_NONE: there is no such node.
} gpb_rig;

// -- Animations

// What channels can move of a node, each by itself.
enum {
    GPB_SCALE_X,
    GPB_SCALE_Y,
    GPB_SCALE_Z,
    GPB_TURN,
    GPB_MOVE_X,
    GPB_MOVE_Y,
    GPB_MOVE_Z,
    GPB_PARTS,
};

// Kinds of ways between keys, by bit.
enum {
    GPB_LINEAR = 1 << 0,
    GPB_STEP = 1 << 1,
    GPB_CUBIC = 1 << 2,  // A polynomial of the time.
    GPB_FREE = 1 << 3,   // A curve whose handles are anywhere, so that it is none.
    GPB_TORN = 1 << 4,   // Two ways that do not meet.
};

// A channel that moves something.
typedef struct gpb_track {
    const tenon_gpb_channel *channel;
    uint32_t leaf;                // What it moves.
    uint32_t animation;           // Index into the sources.
    uint32_t index;               // Of the channel in its animation.
    uint32_t group;               // What it ends up in.
    uint32_t size;                // Numbers of a key.
    uint32_t offsets[GPB_PARTS];  // Where they stand in a key; TENON_NONE: it has none.
    uint32_t kinds;               // All kinds of ways that it has.
    uint32_t key_count;           // Of those that count.
    const uint32_t *keys;         // Their numbers in the file; NULL: all from the first on.
    float *times;                 // Of the keys, for all channels that have just these; or NULL.
} gpb_track;

// An animation of the file.
typedef struct gpb_source {
    const tenon_gpb_animation *animation;
    uint32_t block, index;  // Where it stands.
    uint32_t first, count;  // Of the tracks.
    uint32_t clip;          // The animation of the scene it is in; TENON_NONE: none.
    bool is_renamed;        // That has another name.
} gpb_source;

// -- The whole

typedef struct gpb_losses {
    gpb_tally scenes, fonts, effects, sheared;
    gpb_tally cameras, flat_cameras, lights, faded_lights;
    gpb_tally moved, copied, joints, binds, unskinned;
    gpb_tally linked_models, loose_objects, active_cameras;
    gpb_tally models, meshes, made_nodes, elements, positions, sides, primitives, loose;
    gpb_tally influences, weights;
    gpb_tally materials, absent_materials, shaders, samplers, aliases;
    gpb_tally parameter_types, parameter_values, effect_names;
    gpb_tally unplayed, attributes, targets, keys, values, curves;
    gpb_tally clips;
} gpb_losses;

typedef struct gpb_importer {
    tn_scene_builder *b;
    const tenon_gpb *doc;
    const tenon_files *files;  // Never NULL.
    gpb_links links;
    tenon_gpb joined;  // The bundle with what it names in others, if it does: then it is `doc`.
    gpb_index index;
    gpb_losses losses;

    uint32_t slot_count, slot_room;
    gpb_slot *slots;
    uint32_t rig_count;
    gpb_rig *rigs;     // In the order of their leaves.
    uint32_t *rig_of;  // By leaf: TENON_NONE if it has no skin.

    uint32_t *first_material;  // By leaf: where its materials start in `materials`.
    uint32_t *materials;       // Of the scene; TENON_NONE: none.
    bool *is_effect_used;      // By block: a material has its shaders.

    uint32_t source_count;
    gpb_source *sources;
    uint32_t track_count;
    gpb_track *tracks;
    bool *is_moved;      // By leaf: a track moves it.
    double curve_error;  // The largest of those that were sampled.
} gpb_importer;

// The path of `inside` of a node.
tn_path_text gpb_import_path(const gpb_importer *s, uint32_t leaf, tn_path_text inside);

// The path of an animation, and that of a track's channel.
tn_path_text gpb_source_path(const gpb_importer *s, const gpb_source *source);
tn_path_text gpb_track_path(const gpb_importer *s, const gpb_track *track);

// Whether a mesh can be skinned: its vertices have weights and indices.
bool gpb_has_influences(const tenon_gpb_mesh *mesh);

// The property file of that extension beside the bundle; NULL: there is none to read.
tenon_gpb_properties *gpb_open_side(gpb_importer *s, const char *extension);

void gpb_import(tn_scene_builder *b, const void *doc);

// -- gpb_import_links.c

// Take in what is named in other bundles, and show what no node has.
void gpb_join_links(gpb_importer *s);

// -- gpb_import_rig.c

// Plan the nodes of the scene: those of the document, and where skeletons have to be.
void gpb_plan_slots(gpb_importer *s);

// Add the nodes, parents first.
void gpb_add_slots(gpb_importer *s);

// Give the nodes their skins.
void gpb_add_skins(gpb_importer *s);

// -- gpb_import_mesh.c, gpb_import_vertices.c, gpb_import_material.c

// Add the meshes, and give them to their nodes.
void gpb_add_meshes(gpb_importer *s);

// What the vertices of a mesh hold.
typedef struct gpb_stream {
    uint64_t offset;  // Bytes from the start of a vertex.
    uint32_t size;    // Floats; 0: there are none.
} gpb_stream;

enum { GPB_STREAM_COUNT = 16 };  // By usage.

// Find them. Returns how many elements are of no use.
uint64_t gpb_find_streams(const tenon_gpb_mesh *mesh, gpb_stream streams[GPB_STREAM_COUNT]);

// Some vertices of a mesh on their way into a primitive.
typedef struct gpb_selection {
    const tenon_gpb_mesh *mesh;
    const uint32_t *vertices;  // Which ones; NULL: all.
    uint64_t count;
    uint64_t index_count;
    uint32_t joint_count;  // Of the skin; 0: it has none.
} gpb_selection;

// Make room for a primitive, and copy the vertices to it. Indices are left to the caller.
void gpb_fill_primitive(gpb_importer *s, const gpb_selection *from, tenon_primitive *p);

// Add the materials that models name.
void gpb_add_materials(gpb_importer *s);

// -- gpb_import_curve.c

// The time of a key that counts, in seconds.
float gpb_track_time(const gpb_track *track, uint32_t key);

// All of them.
void gpb_track_times(const gpb_track *track, float *times);

// Find out which keys count, and what kinds of ways there are between them.
void gpb_track_keys(gpb_importer *s, gpb_track *track);

// A walk along a track, with times that never go back.
typedef struct gpb_cursor {
    const gpb_track *track;
    uint32_t key;  // The last one that is not behind the time.
    double time;   // Where it is.
} gpb_cursor;

gpb_cursor gpb_cursor_at(const gpb_track *track);
void gpb_cursor_go(gpb_cursor *cursor, double time);

// A number of the key there, and how much it changes in a second. At a key, what comes before it
// may be another thing than what follows.
double gpb_cursor_value(const gpb_cursor *cursor, uint32_t offset, bool is_before);
double gpb_cursor_speed(const gpb_cursor *cursor, uint32_t offset, bool is_before);

// The turn there, of length 1.
tn_quat gpb_cursor_turn(const gpb_cursor *cursor, bool is_before);

// The kind of the way that leads on from there.
uint32_t gpb_cursor_kind(const gpb_cursor *cursor);

// -- gpb_import_channel.c

// What moves one property of a node: a track for each number, or one for the turn.
typedef struct gpb_property_tracks {
    uint32_t leaf;
    tenon_target target;
    const gpb_track *tracks[3];  // Of x, y, z; NULL: that one stays. Of a turn the first counts.
} gpb_property_tracks;

// Fill in the keys of a channel whose node and target are set.
void gpb_fill_channel(gpb_importer *s, const gpb_property_tracks *mover, tenon_channel *channel);

// -- gpb_import_track.c, gpb_import_animation.c, gpb_import_clip.c

// List the animations and what they move.
void gpb_list_tracks(gpb_importer *s);

// Add them to the scene, grouped as the engine's users think of them.
void gpb_add_animations(gpb_importer *s);

// Add the parts of them that a .animation file names.
void gpb_add_clips(gpb_importer *s);

#endif  // TN_FORMATS_GPB_IMPORT_GPB_IMPORT_H
