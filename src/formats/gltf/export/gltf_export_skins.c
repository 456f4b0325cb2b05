// gltf_export_skins.c: skins. Joints must be different nodes with a common ancestor.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <string.h>

// The nodes of the scene numbered depth first, so that the descendants of a node follow it.
typedef struct gltf_skin_nodes {
    uint32_t *top;     // Its root.
    uint32_t *number;  // In depth-first order.
    uint32_t *size;    // Nodes in its subtree, with itself.
    uint32_t *seen;    // The last skin that has it as a joint, plus 1.
    bool *is_wrapped;  // It becomes a child of the synthesized root.
} gltf_skin_nodes;

static bool gltf_number_nodes(gltf_exporter *exporter, gltf_skin_nodes *tree)
{
    const tenon_scene *s = exporter->scene;
    uint32_t count = s->node_count, next_top = 0;
    tree->top = gltf_alloc(exporter, count, sizeof *tree->top);
    tree->number = gltf_alloc(exporter, count, sizeof *tree->number);
    tree->size = gltf_alloc(exporter, count, sizeof *tree->size);
    tree->seen = gltf_alloc(exporter, count, sizeof *tree->seen);
    tree->is_wrapped = gltf_alloc(exporter, count, sizeof *tree->is_wrapped);
    uint32_t *next = gltf_alloc(exporter, count, sizeof *next);  // The number for the next child.
    if (exporter->failed) return false;
    for (uint32_t i = count; i-- > 0;) {
        tree->size[i]++;
        if (s->nodes[i].parent != TENON_NONE) tree->size[s->nodes[i].parent] += tree->size[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = s->nodes[i].parent;
        uint32_t *at = parent == TENON_NONE ? &next_top : &next[parent];
        tree->top[i] = parent == TENON_NONE ? i : tree->top[parent];
        tree->number[i] = *at;
        next[i] = *at + 1;
        *at += tree->size[i];
    }
    return true;
}

static bool is_above(const gltf_skin_nodes *tree, uint32_t node, uint32_t other)
{
    return tree->number[other] - tree->number[node] < tree->size[node];
}

// -- Joints

// If a skin has a node twice, the second joint is a new child of it.
static uint32_t gltf_joint_for(gltf_exporter *exporter, gltf_skin_nodes *tree, uint32_t skin,
                               uint32_t node)
{
    if (tree->seen[node] != skin + 1) {
        tree->seen[node] = skin + 1;
        return exporter->inner[node];
    }
    gltf_report_loss(exporter, GLTF_LOST_JOINT_COPIES, 1, "skins", skin);
    return gltf_add_node(exporter, exporter->scene->nodes[node].name, exporter->inner[node]);
}

static void gltf_plan_joints(gltf_exporter *exporter, gltf_skin_nodes *tree, uint32_t source,
                             uint32_t *joints)
{
    const tenon_skin *skin = &exporter->scene->skins[source];
    bool has_one_top = true;
    for (uint32_t i = 0; i < skin->joint_count && !exporter->failed; i++) {
        joints[i] = gltf_joint_for(exporter, tree, source, skin->joints[i]);
        if (tree->top[skin->joints[i]] != tree->top[skin->joints[0]]) has_one_top = false;
    }
    for (uint32_t i = 0; i < skin->joint_count && !has_one_top; i++)
        tree->is_wrapped[tree->top[skin->joints[i]]] = true;
}

static uint32_t gltf_skeleton_of(gltf_exporter *exporter, const gltf_skin_nodes *tree,
                                 uint32_t source)
{
    const tenon_skin *skin = &exporter->scene->skins[source];
    if (skin->root == TENON_NONE) return TENON_NONE;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (is_above(tree, skin->root, skin->joints[i])) continue;
        gltf_report_loss(exporter, GLTF_LOST_SKELETONS, 1, "skins", source);
        return TENON_NONE;
    }
    return skin->root;
}

// -- Inverse bind matrices

static uint32_t gltf_count_projective(const tenon_skin *skin)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const float *m = skin->inverse_binds + 16 * (size_t)i;
        count += m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
    }
    return count;
}

static uint32_t gltf_plan_binds(gltf_exporter *exporter, uint32_t source)
{
    const tenon_skin *skin = &exporter->scene->skins[source];
    const float *binds = skin->inverse_binds;
    uint32_t projective = gltf_count_projective(skin);
    if (projective) {
        float *copy = gltf_alloc(exporter, skin->joint_count, 16 * sizeof *copy);
        if (!copy) return TENON_NONE;
        memcpy(copy, binds, 16 * (size_t)skin->joint_count * sizeof *copy);
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            float *m = copy + 16 * (size_t)i;
            m[3] = m[7] = m[11] = 0;
            m[15] = 1;
        }
        binds = copy;
        gltf_report_loss(exporter, GLTF_LOST_BINDS, projective, "skins", source);
    }
    return gltf_share_accessor(exporter, GLTF_BINDS, binds, skin->joint_count);
}

// -- Skins

// Skins whose joints are in several trees get one common root.
static void gltf_wrap_tops(gltf_exporter *exporter, const gltf_skin_nodes *tree)
{
    uint32_t above = TENON_NONE;
    for (uint32_t i = 0; i < exporter->scene->node_count && !exporter->failed; i++) {
        if (!tree->is_wrapped[i]) continue;
        if (above == TENON_NONE) {
            above = gltf_add_node(exporter, (tenon_str){"joints", 6}, TENON_NONE);
            gltf_report_loss(exporter, GLTF_LOST_ROOTS, 1, "nodes", i);
        }
        exporter->nodes[i].parent = above;
    }
}

void gltf_plan_skins(gltf_exporter *exporter, const bool *is_used)
{
    gltf_skin_nodes tree = {0};
    exporter->skin_of = gltf_alloc_indices(exporter, exporter->scene->skin_count);
    exporter->skins = gltf_alloc(exporter, exporter->scene->skin_count, sizeof *exporter->skins);
    if (exporter->failed || !gltf_number_nodes(exporter, &tree)) return;
    for (uint32_t i = 0; i < exporter->scene->skin_count && !exporter->failed; i++) {
        if (!is_used[i]) {
            gltf_report_loss(exporter, GLTF_LOST_SKINS, 1, "skins", i);
            continue;
        }
        gltf_skin *skin = &exporter->skins[exporter->skin_count];
        skin->source = i;
        skin->joints =
            gltf_alloc(exporter, exporter->scene->skins[i].joint_count, sizeof *skin->joints);
        if (exporter->failed) return;
        gltf_plan_joints(exporter, &tree, i, skin->joints);
        skin->skeleton = gltf_skeleton_of(exporter, &tree, i);
        skin->binds = gltf_plan_binds(exporter, i);
        exporter->skin_of[i] = exporter->skin_count++;
    }
    gltf_wrap_tops(exporter, &tree);
}

void gltf_write_skins(gltf_exporter *exporter)
{
    if (!exporter->skin_count) return;
    gltf_begin_array(exporter, "skins");
    for (uint32_t i = 0; i < exporter->skin_count; i++) {
        const gltf_skin *skin = &exporter->skins[i];
        const tenon_skin *source = &exporter->scene->skins[skin->source];
        gltf_begin_object(exporter, NULL);
        gltf_write_name(exporter, source->name);
        gltf_write_index(exporter, "inverseBindMatrices", skin->binds);
        gltf_write_index(exporter, "skeleton", skin->skeleton);
        gltf_begin_array(exporter, "joints");
        for (uint32_t k = 0; k < source->joint_count; k++)
            tn_json_put_u64(&exporter->json, skin->joints[k]);
        gltf_end_array(exporter);
        gltf_end_object(exporter);
    }
    gltf_end_array(exporter);
}
