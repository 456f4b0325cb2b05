// bbmod_export.h: a scene on its way to a BBMOD model, its animations and its material files.
// SPDX-License-Identifier: MIT
//
// BBMOD turns and moves, but never scales. So the place of each node in the scene is split:
//
//     global = world * stretch
//
// The stretch is that of the rest pose and goes into vertices; the world, which turns and moves
// only, becomes the node. That is exact where animations leave the stretch as it is. What a skin
// does is split likewise:
//
//     stretch * inverse bind = offset * bake
//
// The offset turns and moves only, and the bake goes into the vertices that the bone moves.
// Everything here is in the scene's space; it is mirrored when it is stored.

#ifndef TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H
#define TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H

#include "exchange/clips/motion.h"
#include "exchange/export_document.h"
#include "exchange/rig.h"

#include <tenon/bbmod.h>

#define BBMOD_ENGINE_MOST 128u  // Bones, and nodes, that the runtime has room for.

// What is in a node of the scene besides a turn and a move.
typedef struct bbmod_stretch {
    tn_mat3 matrix;
    tn_mat3 inverse;
    bool has_inverse;
} bbmod_stretch;

// Where a node of the scene is at some moment.
typedef struct bbmod_place {
    tn_mat4 global;
    tn_dquat world;  // Without its stretch.
    tn_dquat local;  // Relative to its parent; only of plain nodes.
} bbmod_place;

typedef struct bbmod_source_node {
    bool is_plain;     // Neither it nor what is above it is ever scaled: it has no stretch.
    bool is_shown;     // It moves vertices,
    bool is_needed;    // or has some that others move.
    bool is_uneven;    // Some animation changes its stretch.
    bool is_left_out;  // The model does not have it: what hangs on it hangs on what is above.
    uint32_t limb;     // Which one it is.
    uint32_t bone;     // Its first bone; TENON_NONE: it is none.
    bbmod_stretch stretch;
} bbmod_source_node;

// A bone of the rig.
typedef struct bbmod_new_bone {
    tn_dquat offset;
    tn_mat4 bake;
    bool is_apart;  // It has a limb of its own, besides that of its node.
    uint32_t limb;  // Which one it is.
} bbmod_new_bone;

// A node of the model.
typedef struct bbmod_node_plan {
    tenon_str name;
    uint32_t node;    // Of the scene; TENON_NONE: a root for several of them.
    uint32_t parent;  // In the list; TENON_NONE for the root.
    uint32_t depth;
    uint32_t bone;       // Of the rig; TENON_NONE: it is none.
    uint32_t slot;       // What animations and vertices call it.
    uint32_t first_ref;  // Where the meshes that it shows start in `refs`,
    uint32_t ref_count;  // and how many there are.
} bbmod_node_plan;

typedef struct bbmod_notes {
    tn_tally empty, leftover, colors, disputed, flat, wavering, spare, durations, rates, clip_names,
        material_names, values;
    double lowest_rate, highest_rate;  // Frames a second of the clips in `rates`.
    double rate_error;                 // What these rates cost, as a share of the diagonal.
} bbmod_notes;

typedef struct bbmod_exporter {
    const tn_export *e;  // Its scene is prepared.
    const tenon_scene *s;
    tenon_bbmod *doc;
    tn_rigid rigid;  // Which parts without weights have bones nevertheless.
    tn_rig rig;
    bbmod_source_node *bodies;  // Of each node of the scene.
    bbmod_place *places;        // Likewise, as posed last.
    bbmod_new_bone *bones;      // Of each bone of the rig.
    uint32_t limb_count, bone_limb_count, new_limb_count;
    bbmod_node_plan *limbs;  // Parents first.
    uint32_t *by_slot;
    uint32_t *refs;             // Meshes, node by node.
    uint32_t default_material;  // The one for meshes that have none; TENON_NONE: not needed.
    bbmod_notes notes;
} bbmod_exporter;

// The whole: what the format's table calls.
bool bbmod_export(const tn_export *e);

// Whether bones move a part: if not, its node does.
bool bbmod_has_bones(const tn_part *part);

// Write a document of the newest dialect as the file `name`, "" for the model, in another one.
bool bbmod_put_doc(const bbmod_exporter *w, const char *name, tenon_doc *doc,
                   const tenon_dialect *dialect);

// -- Places, in bbmod_export_pose.c

// Find what each node's stretch is; the scene is then posed at rest.
bool bbmod_export_bodies(bbmod_exporter *w);

// Pose all nodes; notes which stretches do not fit.
void bbmod_pose(bbmod_exporter *w, const tn_motion *motion, double seconds);

// m = rigid * rest, where the rest does not turn.
tn_dquat bbmod_rigid_part(const tn_mat4 *m);

// -- Bones and nodes, in bbmod_export_bone.c, bbmod_export_prune.c and bbmod_export_tree.c

bool bbmod_export_bones(bbmod_exporter *w);

// The box of a part: how far from the origin it reaches, and how large it is.
typedef struct bbmod_extent {
    double reach, size;
} bbmod_extent;

bbmod_extent bbmod_extent_of(const tenon_primitive *p);

// Whether two matrices move all points of that extent alike, but for a share of its size.
bool bbmod_move_alike(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent, double slack);

// Choose which nodes the model does without.
bool bbmod_leave_out(bbmod_exporter *w);

// List the nodes of the model and number them: bones first.
bool bbmod_export_limbs(bbmod_exporter *w);

// A limb as posed last: in the model, and relative to its parent.
tn_dquat bbmod_limb_world(const bbmod_exporter *w, uint32_t limb);
tn_dquat bbmod_limb_local(const bbmod_exporter *w, uint32_t limb);

// Put the nodes and bones, as posed last, into the document.
bool bbmod_fill_tree(bbmod_exporter *w);

// The eight floats of a place in the file. False, with the error set, if they cannot hold it.
bool bbmod_store_place(const bbmod_exporter *w, tn_dquat place, float numbers[8]);

// -- Meshes and materials

bool bbmod_export_meshes(bbmod_exporter *w);

// Name the materials, and write their files.
bool bbmod_export_materials(bbmod_exporter *w);

// -- Animations, in bbanim_export.c

// Write one file for each clip; the document is complete, and of the newest dialect.
bool bbanim_export_clips(bbmod_exporter *w);

// The spaces that frames are stored in: those that are asked for, if that makes sense.
uint8_t bbanim_choose_spaces(const bbmod_exporter *w);

// -- Losses, in bbmod_export_loss.c

void bbmod_report_losses(const bbmod_exporter *w);

#endif  // TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H
