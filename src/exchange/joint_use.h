// joint_use.h: which vertices the joints of skins move.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_JOINT_USE_H
#define TN_EXCHANGE_JOINT_USE_H

#include "exchange/export.h"

typedef struct tn_box {
    float min[3], max[3];
} tn_box;

// Told about a joint of a skin that has weight in some vertex of a mesh that a node shows with that
// skin; `box` is around those vertices, as they are in the mesh.
typedef void tn_joint_use_fn(void *user, uint32_t skin, uint32_t joint, const tn_box *box);

// Tell about all joints, once for each mesh and skin that a node has. Vertices are looked at once,
// however many nodes show them. `fn` must not take memory of the export. False, with the error set,
// without memory.
bool tn_joint_uses(const tn_export *e, tn_joint_use_fn *fn, void *user);

#endif  // TN_EXCHANGE_JOINT_USE_H
