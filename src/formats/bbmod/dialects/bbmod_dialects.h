// bbmod_dialects.h: a model on its way to another dialect.
// SPDX-License-Identifier: MIT
//
// The change happens in two steps: whatever the version, the model is first made what 3.4 would
// hold (lifted), and then what the target can hold (lowered). The document itself is only touched
// when everything has succeeded.

#ifndef TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
#define TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H

#include "formats/bbmod/bbmod_rig.h"
#include "formats/formats.h"

typedef struct bbmod_work {
    const tn_change *change;
    tenon_bbmod next;  // What the document becomes.
    bool failed;       // change->err says why.
} bbmod_work;

// `count` zeroed objects; NULL, and the work fails, if there is no memory for `what`.
void *bbmod_work_alloc(bbmod_work *work, uint64_t count, size_t size, const char *what);

// The parts of a model, and its skeleton; false, and the work fails, if there is no memory.
bool bbmod_work_look(bbmod_work *work, const tenon_bbmod *doc, bbmod_view *view);
bool bbmod_work_rig(bbmod_work *work, const bbmod_view *view, bbmod_rig *rig);

// `next` as 3.4 would hold it: nodes, dual quaternions, a vertex format and a primitive type for
// each mesh, named materials; colours in the order red, green, blue.
void bbmod_upgrade(bbmod_work *work);

// `next`, which was lifted, as the dialect change->to holds it.
void bbmod_downgrade(bbmod_work *work);

// The meshes of `next` as lists of triangles of one vertex format, in bbmod_downgrade_mesh.c. Those
// without bones are moved to the model's space if `is_flat`, or given a bone if others have some.
// `rig` is that of `next`. With `is_posed` those with bones lose them, in the rest pose; with
// `drops_unused` those that no node draws become empty.
typedef struct bbmod_merging {
    bool is_flat, is_posed, drops_unused;
} bbmod_merging;

void bbmod_merge_formats(bbmod_work *work, const bbmod_rig *rig, bbmod_merging how);

// Versions 0, 1 and 2, in bbmod_downgrade_old.c.
void bbmod_downgrade_to_v0(bbmod_work *work);
void bbmod_downgrade_to_v1(bbmod_work *work, const bbmod_rig *rig);
void bbmod_downgrade_to_v2(bbmod_work *work);

// -- Vertices, in bbmod_bake.c

// Give the mesh the vertices of another format, dropping attributes or filling them in: white, no
// influence, zero. Also makes the bytes its own, so that they can be changed.
void bbmod_reformat(bbmod_work *work, tenon_bbmod_mesh *mesh, tenon_bbmod_vertex_format format,
                    uint32_t flags);

// The mesh as a list of triangles; false if it has none to offer: points and lines.
bool bbmod_export_triangles(bbmod_work *work, tenon_bbmod_mesh *mesh);

// The following change bytes that are the mesh's own.

// Move all vertices, with normals and tangents.
void bbmod_move_vertices(tenon_bbmod_mesh *mesh, const tn_mat4 *m);

// Apply what the scale of bones did to the vertices; returns how many of them have bones that
// disagree about it.
uint64_t bbmod_stretch_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Skin the vertices in the rest pose.
void bbmod_pose_vertices(tenon_bbmod_mesh *mesh, const bbmod_rig *rig);

// Red for blue and the reverse.
void bbmod_swap_colors(tenon_bbmod_mesh *mesh);

// Give the first bone of each vertex the weight 1.
void bbmod_export_up_weights(tenon_bbmod_mesh *mesh);

// Give all vertices one influence: `slot`, with the weight 1.
void bbmod_bind_vertices(tenon_bbmod_mesh *mesh, uint32_t slot);

// The box of the mesh's positions; all zero if it has none.
void bbmod_set_bounds(tenon_bbmod_mesh *mesh);

#endif  // TN_FORMATS_BBMOD_DIALECTS_BBMOD_DIALECTS_H
