// prepare.h: a scene made ready for a format: only what the format can hold in the way it holds it.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_PREPARE_H
#define TN_EXCHANGE_PREPARE_H

#include "exchange/export.h"

// What a format demands of primitives; bits.
enum {
    TN_NEEDS_TRIANGLES = 1 << 0,  // Lists of whole triangles: strips and fans become lists; points
                                  // and lines are dropped, which is told.
    TN_NEEDS_INDICES = 1 << 1,    // Every primitive has indices; where there were none, equal
                                  // vertices are one.
    TN_NEEDS_NORMALS = 1 << 2,    // Made from the faces, smooth, where they are missing.
    TN_NEEDS_UVS = 1 << 3,        // The first set. Where it is missing: zeros, or, where tangents
                                  // are made of them, as the box around the mesh has it.
    TN_NEEDS_TANGENTS = 1 << 4,   // Made from normals, which it needs, too, and the first texture
                                  // coordinates, where there are some. What their w means: see
                                  // tn_make_tangents().
    TN_NEEDS_ALL = (1 << 5) - 1,
};

// The scene of `e` with what `needs` says, in the export's memory; e->scene stays as it is. Streams
// that lack nothing are not copied. A mesh of points or lines stays, without primitives, so that
// all indices stay right. Clips without a name get one. What is made up is told, once for each
// kind. NULL, with the error set, without memory.
const tenon_scene *tn_prepare(const tn_export *e, uint32_t needs);

#endif  // TN_EXCHANGE_PREPARE_H
