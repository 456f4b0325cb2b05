// pieces.h: the points, lines and triangles of a primitive, whatever its mode.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_MODEL_PIECES_H
#define TN_SCENE_MODEL_PIECES_H

#include <tenon/scene.h>

#include "core/math/floating_point.h"

// How many vertices a piece has: 1 for points, 2 for lines, 3 for triangles.
uint32_t tn_piece_size(tenon_mode mode);

// How many pieces there are. An incomplete piece at the end of a list does not count.
uint64_t tn_piece_count(const tenon_primitive *p);

// The vertices of piece number `index`; of triangles counter-clockwise from the front, as all are
// in a scene.
void tn_piece_at(const tenon_primitive *p, uint64_t index, uint32_t vertices[3]);

#endif  // TN_SCENE_MODEL_PIECES_H
