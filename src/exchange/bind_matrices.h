// bind_matrices.h: inverse bind matrices of several skins, those that are almost the same made one.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_BIND_MATRICES_H
#define TN_EXCHANGE_BIND_MATRICES_H

#include "exchange/export.h"

// The matrix to take for each joint, of the first skin first: its own one, or, if an earlier joint
// has the same node and almost the same matrix, that one's, lest rounding makes two bones of one.
// What that changes is told, with its error. NULL, with the error set, without memory.
const float **tn_shared_bind_matrices(const tn_export *e);

#endif  // TN_EXCHANGE_BIND_MATRICES_H
