// bbmod_dialects.h: changing the dialect of a model, or the dialect or spaces of an animation.
// SPDX-License-Identifier: MIT
//
// A model of any version is first upgraded to 3.4, then downgraded to the target. Documents
// themselves are changed only after everything has succeeded.

#ifndef TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
#define TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H

#include "formats/bbmod/bbmod_tree.h"
#include "formats/formats.h"

// A change of a model or of an animation.
typedef struct bbmod_converter {
    const tn_change *change;
    tenon_bbmod next;   // The changed model,
    tenon_bbanim clip;  // or the changed animation.
    bbmod_rig rig;      // Of the model that an animation is for, if `has_rig`.
    bool has_rig;
    bool failed;  // change->err says why.
} bbmod_converter;

// `count` zeroed objects. NULL, and the change fails, if there is no memory for `what`.
void *bbmod_alloc(bbmod_converter *converter, uint64_t count, size_t size, const char *what);

// Returns `ok`, the result of something that sets change->err if it fails; then the change fails.
bool bbmod_expect(bbmod_converter *converter, bool ok);

// Drop the bytes after the end of a document whose dialect changes. Several dialects are recognized
// by where they end, so another dialect could read these bytes as data.
void bbmod_drop_trailing(const tn_change *change, tenon_doc *next);

// Copy each item of `tree` to a node of `next`, with the same parents and children; what version 1
// does not store stays empty. Returns the nodes in order; NULL if the change fails.
tenon_bbmod_node **bbmod_upgrade_copy_tree(bbmod_converter *converter, const bbmod_tree *tree);

// Downgrade `next`, which was upgraded, to the dialect change->to.
void bbmod_downgrade(bbmod_converter *converter);

// -- Vertices, in bbmod_vertices.c

// As bbmod_vertex_layout(). NULL, and the change fails, if there is no memory.
const tenon_layout *bbmod_bake_layout(bbmod_converter *converter,
                                      const tenon_bbmod_vertex_format *format, uint32_t flags);

// Convert the vertices to another format. New attributes are white or zero. The bytes are always
// copied, so that they can be changed.
void bbmod_reformat(bbmod_converter *converter, tenon_bbmod_mesh *mesh,
                    tenon_bbmod_vertex_format format, uint32_t flags);

// The following functions change bytes that bbmod_reformat() has copied.

// Transform `count` vertices, with normals and tangents.
void bbmod_move_vertices(tenon_bbmod_mesh *mesh, uint64_t first, uint64_t count, const tn_mat4 *m);

// Apply the stretch of their bones to vertices. Returns how many vertices have bones with
// different stretches.
uint64_t bbmod_stretch_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Skin the vertices in the rest pose.
void bbmod_pose_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Swap red and blue.
void bbmod_swap_colors(tenon_bbmod_mesh *mesh);

// Give the first bone of each vertex the weight 1.
void bbmod_set_first_weights(tenon_bbmod_mesh *mesh);

// Give all vertices a single influence: `slot` with the weight 1.
void bbmod_bind_vertices(tenon_bbmod_mesh *mesh, uint32_t slot);

// Set the bounding box from the positions; all zero if there are none.
void bbmod_set_bounds(tenon_bbmod_mesh *mesh);

// -- Animations

// The rows of frame `frame` in one space; NULL if it is not stored.
const uint8_t *bbanim_rows(const tenon_bbanim *doc, const char *space, uint64_t frame);

// The transform of every joint in the model, from the first space that is stored: parent, world,
// bone. Returns how many joints the frame does not contain; they stay in the rest pose.
uint32_t bbanim_worlds(const tenon_bbanim *doc, const bbmod_rig *rig, uint64_t frame,
                       tn_dquat *worlds);

#endif  // TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
