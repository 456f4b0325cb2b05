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

static bool gltf_number_nodes(gltf_exporter *w, gltf_skin_nodes *tree)
{
    const tenon_scene *s = w->scene;
    uint32_t count = s->node_count, next_top = 0;
    tree->top = gltf_alloc(w, count, sizeof *tree->top);
    tree->number = gltf_alloc(w, count, sizeof *tree->number);
    tree->size = gltf_alloc(w, count, sizeof *tree->size);
    tree->seen = gltf_alloc(w, count, sizeof *tree->seen);
    tree->is_wrapped = gltf_alloc(w, count, sizeof *tree->is_wrapped);
    uint32_t *next = gltf_alloc(w, count, sizeof *next);  // The number for the next child.
    if (w->failed) return false;
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
static uint32_t gltf_joint_for(gltf_exporter *w, gltf_skin_nodes *tree, uint32_t skin,
                               uint32_t node)
{
    if (tree->seen[node] != skin + 1) {
        tree->seen[node] = skin + 1;
        return w->inner[node];
    }
    gltf_report_loss(w, GLTF_LOST_TWINS, 1, "skins", skin);
    return gltf_add_node(w, w->scene->nodes[node].name, w->inner[node]);
}

static void gltf_plan_joints(gltf_exporter *w, gltf_skin_nodes *tree, uint32_t source,
                             uint32_t *joints)
{
    const tenon_skin *skin = &w->scene->skins[source];
    bool has_one_top = true;
    for (uint32_t i = 0; i < skin->joint_count && !w->failed; i++) {
        joints[i] = gltf_joint_for(w, tree, source, skin->joints[i]);
        if (tree->top[skin->joints[i]] != tree->top[skin->joints[0]]) has_one_top = false;
    }
    for (uint32_t i = 0; i < skin->joint_count && !has_one_top; i++)
        tree->is_wrapped[tree->top[skin->joints[i]]] = true;
}

static uint32_t gltf_skeleton_of(gltf_exporter *w, const gltf_skin_nodes *tree, uint32_t source)
{
    const tenon_skin *skin = &w->scene->skins[source];
    if (skin->root == TENON_NONE) return TENON_NONE;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (is_above(tree, skin->root, skin->joints[i])) continue;
        gltf_report_loss(w, GLTF_LOST_SKELETONS, 1, "skins", source);
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

static uint32_t gltf_plan_binds(gltf_exporter *w, uint32_t source)
{
    const tenon_skin *skin = &w->scene->skins[source];
    const float *binds = skin->inverse_binds;
    uint32_t projective = gltf_count_projective(skin);
    if (projective) {
        float *copy = gltf_alloc(w, skin->joint_count, 16 * sizeof *copy);
        if (!copy) return TENON_NONE;
        memcpy(copy, binds, 16 * (size_t)skin->joint_count * sizeof *copy);
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            float *m = copy + 16 * (size_t)i;
            m[3] = m[7] = m[11] = 0;
            m[15] = 1;
        }
        binds = copy;
        gltf_report_loss(w, GLTF_LOST_BINDS, projective, "skins", source);
    }
    return gltf_share_accessor(w, GLTF_BINDS, binds, skin->joint_count);
}

// -- Skins

// Skins whose joints are in several trees get one common root.
static void gltf_wrap_tops(gltf_exporter *w, const gltf_skin_nodes *tree)
{
    uint32_t above = TENON_NONE;
    for (uint32_t i = 0; i < w->scene->node_count && !w->failed; i++) {
        if (!tree->is_wrapped[i]) continue;
        if (above == TENON_NONE) {
            above = gltf_add_node(w, (tenon_str){"joints", 6}, TENON_NONE);
            gltf_report_loss(w, GLTF_LOST_ROOTS, 1, "nodes", i);
        }
        w->nodes[i].parent = above;
    }
}

void gltf_plan_skins(gltf_exporter *w, const bool *is_used)
{
    gltf_skin_nodes tree = {0};
    w->skin_of = gltf_alloc_indices(w, w->scene->skin_count);
    w->skins = gltf_alloc(w, w->scene->skin_count, sizeof *w->skins);
    if (w->failed || !gltf_number_nodes(w, &tree)) return;
    for (uint32_t i = 0; i < w->scene->skin_count && !w->failed; i++) {
        if (!is_used[i]) {
            gltf_report_loss(w, GLTF_LOST_SKINS, 1, "skins", i);
            continue;
        }
        gltf_skin *skin = &w->skins[w->skin_count];
        skin->source = i;
        skin->joints = gltf_alloc(w, w->scene->skins[i].joint_count, sizeof *skin->joints);
        if (w->failed) return;
        gltf_plan_joints(w, &tree, i, skin->joints);
        skin->skeleton = gltf_skeleton_of(w, &tree, i);
        skin->binds = gltf_plan_binds(w, i);
        w->skin_of[i] = w->skin_count++;
    }
    gltf_wrap_tops(w, &tree);
}

void gltf_put_skins(gltf_exporter *w)
{
    if (!w->skin_count) return;
    gltf_open_array(w, "skins");
    for (uint32_t i = 0; i < w->skin_count; i++) {
        const gltf_skin *skin = &w->skins[i];
        const tenon_skin *source = &w->scene->skins[skin->source];
        gltf_open_object(w, NULL);
        gltf_put_name(w, source->name);
        gltf_put_index(w, "inverseBindMatrices", skin->binds);
        gltf_put_index(w, "skeleton", skin->skeleton);
        gltf_open_array(w, "joints");
        for (uint32_t k = 0; k < source->joint_count; k++)
            tn_json_put_u64(&w->json, skin->joints[k]);
        gltf_close_array(w);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}
