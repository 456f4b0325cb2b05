// gltf_export_skins.c: skins. Joints must be different nodes with a common ancestor.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

// The accessor of the inverse bind matrices, whose last rows must be 0 0 0 1.
static uint32_t gltf_export_skins_plan_binds(gltf_exporter *exporter, uint32_t source)
{
    const tenon_skin *skin = &exporter->scene->skins[source];
    const float *binds = skin->inverse_binds;
    uint32_t count = skin->joint_count, projective = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *m = binds + 16 * (size_t)i;
        projective += m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
    }
    if (projective) {
        float *copy = gltf_export_alloc(exporter, count, 16 * sizeof *copy);
        if (!copy) return TENON_NONE;
        memcpy(copy, binds, 16 * (size_t)count * sizeof *copy);
        for (uint32_t i = 0; i < count; i++) {
            float *m = copy + 16 * (size_t)i;
            m[3] = m[7] = m[11] = 0;
            m[15] = 1;
        }
        binds = copy;
        tn_tally_at(&exporter->losses[GLTF_LOST_BINDS], projective, "skins", source);
    }
    return gltf_export_share_accessor(exporter, GLTF_BINDS, binds, count);
}

void gltf_export_plan_skins(gltf_exporter *exporter, const bool *is_used)
{
    const tenon_scene *scene = exporter->scene;
    const tenon_node *nodes = scene->nodes;
    uint32_t node_count = scene->node_count, next_top = 0;
    exporter->skin_of = gltf_export_alloc_indices(exporter, scene->skin_count);
    exporter->skins = gltf_export_alloc(exporter, scene->skin_count, sizeof *exporter->skins);
    // Nodes are numbered depth first, so that the descendants of a node follow it.
    uint32_t *top = gltf_export_alloc(exporter, node_count, sizeof *top);  // Its root.
    uint32_t *number = gltf_export_alloc(exporter, node_count, sizeof *number);
    uint32_t *size = gltf_export_alloc(exporter, node_count, sizeof *size);  // Of its subtree.
    uint32_t *seen = gltf_export_alloc(exporter, node_count, sizeof *seen);  // Last skin, plus 1.
    bool *is_wrapped = gltf_export_alloc(exporter, node_count, sizeof *is_wrapped);
    uint32_t *next = gltf_export_alloc(exporter, node_count, sizeof *next);  // Of its next child.
    if (exporter->failed) return;
    for (uint32_t i = node_count; i-- > 0;) {
        size[i]++;
        if (nodes[i].parent != TENON_NONE) size[nodes[i].parent] += size[i];
    }
    for (uint32_t i = 0; i < node_count; i++) {
        uint32_t parent = nodes[i].parent;
        uint32_t *at = parent == TENON_NONE ? &next_top : &next[parent];
        top[i] = parent == TENON_NONE ? i : top[parent];
        number[i] = *at;
        next[i] = *at + 1;
        *at += size[i];
    }
    for (uint32_t i = 0; i < scene->skin_count && !exporter->failed; i++) {
        if (!is_used[i]) {
            tn_tally_at(&exporter->losses[GLTF_LOST_SKINS], 1, "skins", i);
            continue;
        }
        const tenon_skin *source = &scene->skins[i];
        gltf_skin *skin = &exporter->skins[exporter->skin_count];
        skin->source = i;
        skin->joints = gltf_export_alloc(exporter, source->joint_count, sizeof *skin->joints);
        if (exporter->failed) return;
        bool has_one_top = true;
        for (uint32_t k = 0; k < source->joint_count && !exporter->failed; k++) {
            uint32_t node = source->joints[k];
            skin->joints[k] = exporter->inner[node];
            // If a skin has a node twice, the second joint is a new child of it.
            if (seen[node] == i + 1) {
                tn_tally_at(&exporter->losses[GLTF_LOST_JOINT_COPIES], 1, "skins", i);
                skin->joints[k] = gltf_export_add_node(exporter, nodes[node].name, skin->joints[k]);
            }
            seen[node] = i + 1;
            if (top[node] != top[source->joints[0]]) has_one_top = false;
        }
        for (uint32_t k = 0; k < source->joint_count && !has_one_top; k++)
            is_wrapped[top[source->joints[k]]] = true;
        skin->skeleton = source->root;
        for (uint32_t k = 0; skin->skeleton != TENON_NONE && k < source->joint_count; k++) {
            uint32_t root = skin->skeleton;
            if (number[source->joints[k]] - number[root] < size[root]) continue;
            tn_tally_at(&exporter->losses[GLTF_LOST_SKELETONS], 1, "skins", i);
            skin->skeleton = TENON_NONE;
        }
        skin->binds = gltf_export_skins_plan_binds(exporter, i);
        exporter->skin_of[i] = exporter->skin_count++;
    }
    // Skins whose joints are in several trees get one common root.
    uint32_t common = TENON_NONE;
    for (uint32_t i = 0; i < node_count && !exporter->failed; i++) {
        if (!is_wrapped[i]) continue;
        if (common == TENON_NONE) {
            common = gltf_export_add_node(exporter, (tenon_str){"joints", 6}, TENON_NONE);
            tn_tally_at(&exporter->losses[GLTF_LOST_ROOTS], 1, "nodes", i);
        }
        exporter->nodes[i].parent = common;
    }
}

void gltf_export_write_skin(gltf_exporter *exporter, uint32_t index)
{
    const gltf_skin *skin = &exporter->skins[index];
    const tenon_skin *source = &exporter->scene->skins[skin->source];
    gltf_export_name(exporter, source->name);
    gltf_export_index(exporter, "inverseBindMatrices", skin->binds);
    gltf_export_index(exporter, "skeleton", skin->skeleton);
    gltf_export_begin_array(exporter, "joints");
    for (uint32_t k = 0; k < source->joint_count; k++)
        tn_json_put_u64(&exporter->json, skin->joints[k]);
    gltf_export_end_array(exporter);
}
