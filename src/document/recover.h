// recover.h: what the menders of several formats do.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_RECOVER_H
#define TN_DOCUMENT_RECOVER_H

#include "document/format.h"

// Note which meshes a node shows; `is_shown` has room for `mesh_count`.
void tn_mark_shown(const tenon_span *meshes, bool *is_shown, uint32_t mesh_count);

// What menders do to each node: numbers of meshes that do not exist are left out, and a place that
// is none becomes the usual one.
typedef struct tn_node_recovery {
    const tn_change *change;
    uint32_t mesh_count;
    uint64_t meshes, places;  // How many were mended.
    bool failed;
} tn_node_recovery;

// `usual` has the `count` numbers of the usual place.
void tn_recover_node(tn_node_recovery *mender, tenon_span *meshes, float *place, const float *usual,
                     uint32_t count);

void tn_report_nodes(const tn_node_recovery *mender);

// Meshes whose nodes are lost hang on the root: they are added to its list, and told.
bool tn_attach_to_root(const tn_change *change, tenon_span *root_meshes, const bool *is_shown,
                       uint32_t mesh_count);

#endif  // TN_DOCUMENT_RECOVER_H
