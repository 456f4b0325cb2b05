// prepare.h: prepare a scene for a format: as triangles, with the streams that the format needs.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_PREPARE_H
#define TN_EXCHANGE_PREPARE_H

#include "exchange/export.h"

// What a format demands of primitives; bits.
enum {
    TN_NEEDS_TRIANGLES = 1 << 0,  // Lists of whole triangles: strips and fans become lists; points
                                  // and lines are dropped and reported.
    TN_NEEDS_INDICES = 1 << 1,    // Every primitive has indices; without them, equal vertices are
                                  // joined.
    TN_NEEDS_NORMALS = 1 << 2,    // If missing, computed from the faces, smooth.
    TN_NEEDS_UVS = 1 << 3,        // The first set. If missing, zeros, or, if tangents are computed
                                  // from them, projected from the box around the mesh.
    TN_NEEDS_TANGENTS = 1 << 4,   // If missing, computed from normals, which are then needed too,
                                  // and from the first texture coordinates, if there are any. For
                                  // the meaning of their w see tn_make_tangents().
    TN_NEEDS_ALL = (1 << 5) - 1,
};

// The scene of an export with what `needs` says, in the export's memory; export->scene does not
// change. Complete streams are not copied. A mesh of points or lines stays, without primitives, so
// that all indices stay valid. Clips without a name get one. What is synthesized is reported, once
// for each kind. NULL, with the error set, if out of memory or cancelled.
const tenon_scene *tn_prepare(const tn_export *export, uint32_t needs);

#endif  // TN_EXCHANGE_PREPARE_H
