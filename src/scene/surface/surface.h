// surface.h: normals, tangents and texture coordinates that a mesh does not have.
// SPDX-License-Identifier: MIT
//
// All work on triangles, as lists, strips or fans, with or without indices; vertices that no
// triangle has get what is harmless (up, across it, 0). Nothing depends on the order of the
// triangles but rounding. `scratch` is rewound to where it was. What takes long asks `pulse`, which
// may be NULL, whether to go on.

#ifndef TN_SCENE_SURFACE_SURFACE_H
#define TN_SCENE_SURFACE_SURFACE_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"

#include <tenon/scene.h>

// Normals, 3 for each vertex: the mean of those of the faces around each position, by their angles
// there, of faces that share the vertex or another vertex at the same place. Where they cancel out,
// as those of two sheets back to back do, only the faces of the vertex itself count. Triangles
// without an area do not. False without memory, or if it is to stop.
bool tn_smooth_normals(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                       float *normals);

// Normals of faces: only where no two triangles share a vertex, see tn_unshare().
void tn_flat_normals(const tenon_primitive *p, float *normals);

// Tangents, 4 for each vertex, that follow the first texture coordinates: along +u, of length 1, at
// right angles to the normal. The bitangent is cross(normal, tangent) * w and points up the
// picture, where v gets less: so glTF's own samples have it. Vertices with equal positions, normals
// and coordinates get equal ones, the mean of the faces around them by their angles. Of faces that
// show the picture mirrored and those that do not, the side with the larger area decides. Where the
// coordinates have no direction, or there are none: any one across the normal, and w = 1. The
// primitive has normals. False without memory, or if it is to stop.
bool tn_make_tangents(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                      float *tangents);

// A direction at right angles to a unit normal: what a tangent is where nothing says more.
void tn_any_tangent(const float normal[3], float tangent[3]);

// Texture coordinates, 2 for each vertex: the box around the mesh, seen along the axis that the
// vertex' normal (or place) is nearest to; 0 to 1 over the box, upright and not mirrored.
void tn_box_uvs(const tenon_primitive *p, float *uvs);

// -- Vertices

// For each vertex the first one that has equal bits in all streams: `first[i] <= i`. False without
// memory, or if it is to stop.
bool tn_find_equal_vertices(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                            uint32_t *first);

// `out` becomes a copy of `p` with `count` vertices: number i is the one that `from[i]` was. It has
// no indices. False without memory.
bool tn_pick_vertices(const tenon_primitive *p, const uint32_t *from, uint32_t count,
                      tn_arena *arena, tenon_primitive *out);

// `out` becomes `p`, with the same streams, as a list of triangles with indices. Those of strips
// and fans that name a vertex twice, which only lead from one strip to the next, are left out.
// False without memory.
bool tn_list_triangles(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes `p` with its triangles the other way round, strips and fans as lists; points and
// lines stay. Streams are copied only where there are no indices. False without memory.
bool tn_reverse_winding(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes a copy of `p` in which every triangle has vertices of its own, without indices: a
// list. False without memory.
bool tn_unshare(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes a copy of `p`, of the same mode, with indices: vertices of equal bits in all their
// streams are one (so 0 and -0 are two), in the order in which they come first. False without
// memory, or if it is to stop; the arena also has what was needed on the way.
bool tn_weld(const tenon_primitive *p, tn_arena *arena, tn_pulse *pulse, tenon_primitive *out);

#endif  // TN_SCENE_SURFACE_SURFACE_H
