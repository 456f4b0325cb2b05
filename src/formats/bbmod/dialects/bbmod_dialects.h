// bbmod_dialects.h: changing the dialect of a model.
// SPDX-License-Identifier: MIT
//
// The change has two steps: a model of any version is first upgraded to 3.4, then downgraded to the
// target. The document itself is changed only after everything has succeeded.

#ifndef TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
#define TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H

#include "formats/bbmod/bbmod_rig.h"
#include "formats/formats.h"

typedef struct bbmod_converter {
    const tn_change *change;
    tenon_bbmod next;  // The changed document.
    bool failed;       // change->err says why.
} bbmod_converter;

// `count` zeroed objects. NULL, and the change fails, if there is no memory for `what`.
void *bbmod_dialects_converter_alloc(bbmod_converter *converter, uint64_t count, size_t size,
                                     const char *what);

// The view of a model, and its skeleton. False, and the change fails, if there is no memory.
bool bbmod_dialects_converter_view(bbmod_converter *converter, const tenon_bbmod *doc,
                                   bbmod_view *view);
bool bbmod_dialects_converter_rig(bbmod_converter *converter, const bbmod_view *view,
                                  bbmod_rig *rig);

// Upgrade `next` to 3.4: nodes, dual quaternions, a vertex format and a primitive type for each
// mesh, names for materials, colors in the order red, green, blue.
void bbmod_upgrade(bbmod_converter *converter);

// Downgrade `next`, which was upgraded, to the dialect change->to.
void bbmod_downgrade(bbmod_converter *converter);

// -- Vertices, in bbmod_bake.c

// Convert the vertices to another format. New attributes are white or zero. The bytes are always
// copied, so that they can be changed.
void bbmod_bake_reformat(bbmod_converter *converter, tenon_bbmod_mesh *mesh,
                         tenon_bbmod_vertex_format format, uint32_t flags);

// Convert strips and fans to a list of triangles. False if the mesh has points or lines.
bool bbmod_bake_to_triangles(bbmod_converter *converter, tenon_bbmod_mesh *mesh);

// The following functions change bytes that bbmod_bake_reformat() has copied.

// Transform all vertices, with normals and tangents.
void bbmod_bake_move_vertices(tenon_bbmod_mesh *mesh, const tn_mat4 *m);

// Apply the stretch of their bones to vertices. Returns how many vertices have bones with
// different stretches.
uint64_t bbmod_bake_stretch_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Skin the vertices in the rest pose.
void bbmod_bake_pose_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Swap red and blue.
void bbmod_bake_swap_colors(tenon_bbmod_mesh *mesh);

// Give the first bone of each vertex the weight 1.
void bbmod_bake_set_first_weights(tenon_bbmod_mesh *mesh);

// Give all vertices a single influence: `slot` with the weight 1.
void bbmod_bake_bind_vertices(tenon_bbmod_mesh *mesh, uint32_t slot);

// Set the bounding box from the positions; all zero if there are none.
void bbmod_bake_set_bounds(tenon_bbmod_mesh *mesh);

#endif  // TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
