// recover.c: what several formats do to complete a recovered document.
// SPDX-License-Identifier: MIT

#include "document/recover.h"

#include "core/cursor/span.h"
#include "document/outliers.h"

#include <string.h>

// -- Nodes

static bool recover_names_a_mesh(const void *context, const uint8_t *index)
{
    const uint32_t *mesh_count = context;
    return tn_load32(index, false) < *mesh_count;
}

void tn_recover_node(tn_node_recovery *recovery, tenon_span *meshes, float *place,
                     const float *usual, uint32_t count)
{
    tn_filtered patched = {0};
    if (!tn_keep_plausible(recovery->change, meshes, recover_names_a_mesh, &recovery->mesh_count,
                           "meshes", &patched))
        recovery->failed = true;
    recovery->meshes += patched.count;
    if (tn_all_finite(place, count)) return;
    memcpy(place, usual, count * sizeof *place);
    recovery->places++;
}

void tn_report_nodes(const tn_node_recovery *recovery)
{
    tn_change_report(recovery->change, TENON_DROPPED, "meshes of nodes", recovery->meshes,
                     "these meshes do not exist");
    tn_change_report(recovery->change, TENON_DEFAULTED, "places of nodes", recovery->places,
                     "not finite: the nodes are placed at their parents");
}

// -- Meshes

void tn_mark_shown(const tenon_span *meshes, bool *is_shown, uint32_t mesh_count)
{
    for (uint64_t i = 0; i < meshes->count; i++) {
        uint32_t mesh = tn_span_u32(meshes, i);
        if (mesh < mesh_count) is_shown[mesh] = true;
    }
}

bool tn_attach_to_root(const tn_change *change, tenon_span *root_meshes, const bool *is_shown,
                       uint32_t mesh_count)
{
    uint64_t had = root_meshes->count, lost = 0;
    uint8_t *indices = tn_change_alloc(change, had + mesh_count, 4, "the list of meshes");
    if (!indices) return false;
    if (had) memcpy(indices, root_meshes->data, 4 * (size_t)had);
    for (uint32_t i = 0; i < mesh_count; i++)
        if (!is_shown[i]) tn_copy_numbers(indices + 4 * (had + lost++), &i, 1, 4, false);
    if (!lost) return true;
    *root_meshes = (tenon_span){
        .data = indices, .size = 4 * (had + lost), .count = had + lost, .layout = &tn_layout_u32};
    tn_change_report(change, TENON_SYNTHESIZED, "places of meshes", lost,
                     "their nodes are lost: attached to the root");
    return true;
}
