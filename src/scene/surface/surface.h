// surface.h: compute normals, tangents and texture coordinates; share and separate vertices.
// SPDX-License-Identifier: MIT
//
// All functions work on triangles, as lists, strips or fans, with or without indices. Vertices of
// no triangle get harmless values: the normal up, a tangent perpendicular to it, coordinates of 0.
// The order of the triangles matters for rounding only. `scratch` is rewound to where it was. Long
// loops ask `pulse`, which may be NULL, whether to continue.

#ifndef TN_SCENE_SURFACE_SURFACE_H
#define TN_SCENE_SURFACE_SURFACE_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"

#include <tenon/scene.h>

// Normals, 3 numbers for each vertex: the mean of the faces that share the position of the vertex,
// weighted by their angles there. Where they cancel out, as two sheets back to back do, only the
// faces of the vertex itself count. Triangles without an area do not count. False if out of memory
// or stopped.
bool tn_smooth_normals(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                       float *normals);

// Normals of faces. No two triangles may share a vertex: see tn_unshare().
void tn_flat_normals(const tenon_primitive *p, float *normals);

// Tangents, 4 numbers for each vertex, that follow the first texture coordinates: along +u, of
// length 1, perpendicular to the normal. The bitangent is cross(normal, tangent) * w and points up
// the picture, where v decreases, as in the sample models of glTF. Vertices with equal positions,
// normals and coordinates get equal tangents: the mean of the faces around them, weighted by their
// angles. If some faces show the picture mirrored and others do not, those with the larger area
// decide. Where the coordinates have no direction, or there are none, the tangent is
// tn_any_tangent() with w = 1. The primitive must have normals. False if out of memory or stopped.
bool tn_make_tangents(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                      float *tangents);

// A direction perpendicular to a unit normal.
void tn_any_tangent(const float normal[3], float tangent[3]);

// Texture coordinates, 2 numbers for each vertex: the box around the mesh, seen along the axis that
// is nearest to the normal of the vertex (without normals: to its direction from the center). They
// go from 0 to 1 over the box, upright and not mirrored.
void tn_box_uvs(const tenon_primitive *p, float *uvs);

// -- Vertices

// For each vertex the first one that has equal bits in all streams: `first[i] <= i`. False if out
// of memory or stopped.
bool tn_find_equal_vertices(const tenon_primitive *p, tn_arena *scratch, tn_pulse *pulse,
                            uint32_t *first);

// `out` becomes a copy of `p` with `count` vertices, of which vertex i is `from[i]` of `p`. It has
// no indices. False if out of memory.
bool tn_pick_vertices(const tenon_primitive *p, const uint32_t *from, uint32_t count,
                      tn_arena *arena, tenon_primitive *out);

// `out` becomes `p`, with the same streams, as a list of triangles with indices. Degenerate
// triangles of strips and fans, which only connect one strip to the next, are left out. False if
// out of memory.
bool tn_list_triangles(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes `p` with the winding of its triangles reversed, and strips and fans as lists.
// Points and lines stay. Streams are copied only if there are no indices. False if out of memory.
bool tn_reverse_winding(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes a copy of `p` as a list of triangles without indices, so that no vertex is shared.
// False if out of memory.
bool tn_unshare(const tenon_primitive *p, tn_arena *arena, tenon_primitive *out);

// `out` becomes a copy of `p`, of the same mode, with indices. Vertices with equal bits in all
// streams become one (0 and -0 differ), in the order of the first of each. False if out of memory
// or stopped. The arena keeps temporary memory, too.
bool tn_weld(const tenon_primitive *p, tn_arena *arena, tn_pulse *pulse, tenon_primitive *out);

#endif  // TN_SCENE_SURFACE_SURFACE_H
