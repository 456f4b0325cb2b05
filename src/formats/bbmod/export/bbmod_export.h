// bbmod_export.h: exporting a scene as a BBMOD model.
// SPDX-License-Identifier: MIT
//
// BBMOD has rotation and translation, but no scale. So the transform of each node is split:
//
//     global = world * stretch
//
// The stretch is that of the rest pose and is applied to vertices. The world transform is rigid and
// becomes the node. This is exact if animations do not change the stretch. Skins are split the same
// way:
//
//     stretch * inverse bind = offset * bake
//
// The offset is rigid, and the bake is applied to the vertices of the bone. Everything here is in
// the space of the scene; it is mirrored when it is stored.

#ifndef TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H
#define TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H

#include "exchange/clips/motion.h"
#include "exchange/export_document.h"
#include "exchange/rig.h"

#include <tenon/bbmod.h>

#define BBMOD_ENGINE_MOST 128u  // Bones, and nodes, that the runtime supports.

// Scale and shear of a node of the scene.
typedef struct bbmod_stretch {
    tn_mat3 matrix;
    tn_mat3 inverse;
    bool has_inverse;
} bbmod_stretch;

// The transform of a node of the scene in the current pose.
typedef struct bbmod_node_pose {
    tn_mat4 global;
    tn_dquat world;  // Without the stretch.
    tn_dquat local;  // Relative to the parent; only if is_plain.
} bbmod_node_pose;

typedef struct bbmod_source_node {
    bool is_plain;     // Neither the node nor an ancestor is ever scaled.
    bool is_shown;     // It moves vertices.
    bool is_needed;    // It moves vertices or has a mesh.
    bool is_uneven;    // Some animation changes its stretch.
    bool is_left_out;  // Not exported: its children become children of its parent.
    uint32_t plan;     // Index into `plans`.
    uint32_t bone;     // Its first bone; TENON_NONE if it has none.
    bbmod_stretch stretch;
} bbmod_source_node;

// A bone of the rig.
typedef struct bbmod_bone_plan {
    tn_dquat offset;
    tn_mat4 bake;
    bool is_separate;  // It needs a separate node besides that of its joint.
    uint32_t plan;     // Index into `plans`.
} bbmod_bone_plan;

// A node of the model.
typedef struct bbmod_node_plan {
    tenon_str name;
    uint32_t node;    // Of the scene; TENON_NONE: an added root.
    uint32_t parent;  // In the list; TENON_NONE for the root.
    uint32_t depth;
    uint32_t bone;       // Of the rig; TENON_NONE if it is not a bone.
    uint32_t slot;       // The index for animations and vertices.
    uint32_t first_ref;  // Its first mesh in `refs`.
    uint32_t ref_count;
} bbmod_node_plan;

typedef struct bbmod_export_tallies {
    tn_tally empty, leftover, colors, bakes, too_deep, scaling, spare, durations, rates, clip_names,
        material_names, values;
    double lowest_rate, highest_rate;  // Frames per second of the clips in `rates`.
    double rate_error;                 // The largest error, as a share of the diagonal.
} bbmod_export_tallies;

typedef struct bbmod_exporter {
    const tn_export *export;  // With the prepared scene.
    const tenon_scene *scene;
    tenon_bbmod *doc;
    tn_rigid rigid;  // Which parts without weights are bound to bones.
    tn_rig rig;
    bbmod_source_node *sources;  // Of each node of the scene.
    bbmod_node_pose *poses;      // Of each node of the scene in the current pose.
    bbmod_bone_plan *bones;      // Of each bone of the rig.
    uint32_t node_count, bone_count, added_count;
    bbmod_node_plan *plans;  // Parents first.
    uint32_t *by_slot;
    uint32_t *refs;             // Meshes, node by node.
    uint32_t default_material;  // For meshes without a material; TENON_NONE if not needed.
    bbmod_export_tallies tallies;
} bbmod_exporter;

// For the table of formats.
bool bbmod_export(const tn_export *export);

// Whether bones move a part, not its node.
bool bbmod_export_has_bones(const tn_part *part);

// A free name for a sidecar, "crane_walk.bbanim", or "walk.bbanim" without the prefix; *kept is
// "walk". NULL, with the error set, if out of memory.
const char *bbmod_export_name_file(const tn_export *export, tenon_str wanted, const char *end,
                                   tenon_str *kept);

// -- Poses, bones and nodes, in bbmod_export_tree.c

// Find the stretch of each node, and set the rest pose.
bool bbmod_export_find_stretches(bbmod_exporter *exporter);

// Set the pose of all nodes, and record which stretches change.
void bbmod_pose(bbmod_exporter *exporter, const tn_motion *motion, double seconds);

bool bbmod_export_bones(bbmod_exporter *exporter);

// The extent of a part: its largest coordinate and the size of its bounding box.
typedef struct bbmod_extent {
    double reach, size;
} bbmod_extent;

bbmod_extent bbmod_export_extent_of(const tenon_primitive *p);

// Whether two matrices move all points of that extent the same way, within `slack` times its size.
bool bbmod_export_matrices_agree(const tn_mat4 *a, const tn_mat4 *b, const bbmod_extent *extent,
                                 double slack);

// Choose the nodes of the model, list them and number them: bones first.
bool bbmod_export_plan_nodes(bbmod_exporter *exporter);

// The transform of a node of the model in the current pose: in the model, relative to its parent.
tn_dquat bbmod_export_plan_world(const bbmod_exporter *exporter, uint32_t plan);
tn_dquat bbmod_export_plan_local(const bbmod_exporter *exporter, uint32_t plan);

// Store the nodes and bones in the current pose.
bool bbmod_export_fill_tree(bbmod_exporter *exporter);

// The eight floats of a transform in the file. False, with the error set, if they overflow.
bool bbmod_export_store_transform(const bbmod_exporter *exporter, tn_dquat transform,
                                  float numbers[8]);

// -- Meshes and materials

bool bbmod_export_meshes(bbmod_exporter *exporter);

// What an extra of a material file is named there; size 0 if it is from elsewhere.
tenon_str bbmod_export_bbmat_name(const tenon_extra *extra);

// Name the materials, and write their files.
bool bbmod_export_materials(bbmod_exporter *exporter);

#endif  // TN_FORMATS_BBMOD_EXPORT_BBMOD_EXPORT_H
