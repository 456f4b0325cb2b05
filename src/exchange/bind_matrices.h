// bind_matrices.h: share nearly equal inverse bind matrices of several skins.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_BIND_MATRICES_H
#define TN_EXCHANGE_BIND_MATRICES_H

#include "exchange/export.h"

// The inverse bind matrix of each joint of all skins. If an earlier joint has the same node and
// nearly the same matrix, that one is used, so that rounding does not make two bones of one.
// Changes are reported, with their error. NULL, with the error set, if out of memory.
const float **tn_shared_bind_matrices(const tn_export *export);

#endif  // TN_EXCHANGE_BIND_MATRICES_H
