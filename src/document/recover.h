// recover.h: what several formats do to complete a recovered document.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_RECOVER_H
#define TN_DOCUMENT_RECOVER_H

#include "document/format.h"

// Note which meshes a node shows; `is_shown` has room for `mesh_count`.
void tn_mark_shown(const tenon_span *meshes, bool *is_shown, uint32_t mesh_count);

// Repairs each node: indices of missing meshes are removed, and a transform that is not finite
// becomes the default one.
typedef struct tn_node_recovery {
    const tn_change *change;
    uint32_t mesh_count;
    uint64_t meshes, places;  // How many were repaired.
    bool failed;
} tn_node_recovery;

// `usual` has the `count` numbers of the default transform.
void tn_recover_node(tn_node_recovery *recovery, tenon_span *meshes, float *place,
                     const float *usual, uint32_t count);

void tn_report_nodes(const tn_node_recovery *recovery);

// Add meshes whose nodes are lost to the list of the root, and report them.
bool tn_attach_to_root(const tn_change *change, tenon_span *root_meshes, const bool *is_shown,
                       uint32_t mesh_count);

#endif  // TN_DOCUMENT_RECOVER_H
