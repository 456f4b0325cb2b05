// joint_use.h: find the joints that move vertices.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_JOINT_USE_H
#define TN_EXCHANGE_JOINT_USE_H

#include "core/math/bounds.h"
#include "exchange/export.h"

// Called for a joint that has weight in a vertex of a mesh that a node shows with the skin.
// `bounds` is around those vertices, in the space of the mesh.
typedef void tn_joint_use_fn(void *user, uint32_t skin, uint32_t joint, const tn_bounds *bounds);

// Call `fn` for all such joints, once for each pair of mesh and skin that a node has. Vertices are
// visited once, however many nodes show them. `fn` must not allocate from the export. False, with
// the error set, if out of memory.
bool tn_joint_uses(const tn_export *export, tn_joint_use_fn *fn, void *user);

#endif  // TN_EXCHANGE_JOINT_USE_H
