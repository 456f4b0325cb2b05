// mending.h: what the menders of several formats do.
// SPDX-License-Identifier: MIT

#ifndef TENON_SRC_FORMATS_MENDING_H
#define TENON_SRC_FORMATS_MENDING_H

#include "formats.h"

// Note which meshes a node shows; `is_shown` has room for `mesh_count`.
void tn_mark_shown(const tenon_span *meshes, bool *is_shown, uint32_t mesh_count);

// Meshes whose nodes are lost hang on the root: they are added to its list, and told.
bool tn_hang_on_root(const tn_change *change, tenon_span *root_meshes, const bool *is_shown,
                     uint32_t mesh_count);

#endif  // TENON_SRC_FORMATS_MENDING_H
