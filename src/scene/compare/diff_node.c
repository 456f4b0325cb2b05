// diff_node.c: what differs between nodes, and between skins.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include "core/math/math.h"
#include "scene/model/scene_build.h"
#include "scene/pose/pose.h"

#include <string.h>

// -- Transforms

static double diff_node_axes_distance(const double *a, const double *b)
{
    double a_axes[9], b_axes[9];
    for (int column = 0; column < 3; column++) {
        memcpy(a_axes + 3 * column, a + 4 * column, 3 * sizeof *a);
        memcpy(b_axes + 3 * column, b + 4 * column, 3 * sizeof *b);
    }
    return tn_diff_distance(a_axes, b_axes, 9, 0);
}

// Matrices are compared, because different rotations and scales can give the same matrix. If they
// differ, the difference is reported in the terms of the nodes.
static void diff_node_transforms(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_node *a = &diff->scenes[0]->nodes[pair->a], *b = &diff->scenes[1]->nodes[pair->b];
    tn_mat4 a_matrix = tn_node_local(a), b_matrix = tn_node_local(b);
    double length = diff->lengths[pair->a], axes = diff_node_axes_distance(a_matrix.m, b_matrix.m);
    tn_diff_numbers(diff, TN_DIFF_TRANSFORMS, pair, "translation", a_matrix.m + 12, b_matrix.m + 12,
                    3, length);
    if (tn_diff_is_equal(diff, axes)) return;
    uint64_t before = diff->count;
    if (!a->has_matrix && !b->has_matrix) {
        double angle = tn_diff_angle(a->rotation, b->rotation);
        if (!tn_diff_is_equal(diff, angle))
            tn_diff_report_numbers(diff, TN_DIFF_TRANSFORMS,
                                   tn_diff_path(diff, pair, "rotation").text, a->rotation,
                                   b->rotation, 4, angle);
        tn_diff_numbers(diff, TN_DIFF_TRANSFORMS, pair, "scale", a->scale, b->scale, 3, 0);
    }
    if (diff->count == before)
        tn_diff_numbers(diff, TN_DIFF_TRANSFORMS, pair, "matrix", a_matrix.m, b_matrix.m, 16, 0);
}

// -- Nodes

// A node that a skin uses is a joint, even if the file does not say so.
static const bool *diff_node_find_joints(tn_diff *diff, const tenon_scene *s)
{
    bool *is_joint = tn_match_alloc(&diff->context, s->node_count, sizeof *is_joint);
    if (!is_joint) return NULL;
    for (uint32_t i = 0; i < s->node_count; i++) is_joint[i] = s->nodes[i].is_joint;
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; k < s->skins[i].joint_count; k++)
            is_joint[s->skins[i].joints[k]] = true;
    return is_joint;
}

// The weights of morph targets at rest, if they are not those of the meshes.
static void diff_node_weights(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_scene *const scenes[] = {diff->scenes[0], diff->scenes[1]};
    const double *a = tn_rest_weights(scenes[0], pair->a), *b = tn_rest_weights(scenes[1], pair->b);
    uint32_t count = tn_morph_count(scenes[0], pair->a);
    bool has_own =
        scenes[0]->nodes[pair->a].morph_weights || scenes[1]->nodes[pair->b].morph_weights;
    if (!has_own || !a || !b || count != tn_morph_count(scenes[1], pair->b)) return;
    for (uint32_t i = 0; i < count && tn_match_goes_on(&diff->context, 1); i++) {
        tn_diff_text property = tn_diff_print("morph_weights[%u]", (unsigned)i);
        tn_diff_number(diff, TN_DIFF_MORPHS, pair, property.text, a[i], b[i], 1);
    }
}

void tn_diff_nodes(tn_diff *diff)
{
    const bool *const a_joints = diff_node_find_joints(diff, diff->scenes[0]);
    const bool *const b_joints = diff_node_find_joints(diff, diff->scenes[1]);
    const tn_diff_kind kind = TN_DIFF_REFERENCES;
    tn_diff_unpaired(diff, TN_DIFF_NODES, TN_NODES);
    for (uint32_t i = 0; i < diff->scenes[0]->node_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_NODES, i, diff->pairings[TN_NODES].partners[0][i]};
        if (pair.b == TENON_NONE) continue;
        const tenon_node *a = &diff->scenes[0]->nodes[i], *b = &diff->scenes[1]->nodes[pair.b];
        tn_diff_reference(diff, TN_DIFF_PARENTS, &pair, "parent", TN_NODES, a->parent, b->parent);
        diff_node_transforms(diff, &pair);
        tn_diff_reference(diff, kind, &pair, "mesh", TN_MESHES, a->mesh, b->mesh);
        tn_diff_reference(diff, kind, &pair, "skin", TN_SKINS, a->skin, b->skin);
        tn_diff_reference(diff, kind, &pair, "camera", TN_CAMERAS, a->camera, b->camera);
        tn_diff_reference(diff, kind, &pair, "light", TN_LIGHTS, a->light, b->light);
        diff_node_weights(diff, &pair);
        tn_diff_flags(diff, kind, &pair, "is_joint", a_joints[i], b_joints[pair.b]);
    }
}

// -- Skins

static void diff_node_bind(tn_diff *diff, const tn_object_pair *pair, uint32_t a_joint,
                           uint32_t b_joint)
{
    const tenon_skin *a = &diff->scenes[0]->skins[pair->a], *b = &diff->scenes[1]->skins[pair->b];
    tn_mat4 a_matrix = tn_mat4_from_columns(a->inverse_binds + 16 * (size_t)a_joint);
    tn_mat4 b_matrix = tn_mat4_from_columns(b->inverse_binds + 16 * (size_t)b_joint);
    double axes = diff_node_axes_distance(a_matrix.m, b_matrix.m);
    double offset = tn_diff_distance(a_matrix.m + 12, b_matrix.m + 12, 3, diff->diagonal);
    if (tn_diff_is_equal(diff, axes) && tn_diff_is_equal(diff, offset)) return;
    tn_diff_text label = tn_diff_label(diff, 0, TN_NODES, a->joints[a_joint]);
    tn_diff_text property = tn_diff_print("inverse_binds[%.63s]", label.text);
    tn_diff_report_numbers(diff, TN_DIFF_BINDS, tn_diff_path(diff, pair, property.text).text,
                           a_matrix.m, b_matrix.m, 16, axes > offset ? axes : offset);
}

static void diff_node_report_joint(tn_diff *diff, const tn_object_pair *pair, int side,
                                   uint32_t node)
{
    tn_diff_text label = tn_diff_label(diff, side, TN_NODES, node);
    tn_diff_text property = tn_diff_print("joints[%s]", label.text);
    tn_diff_report_words(diff, TN_DIFF_JOINTS, tn_diff_path(diff, pair, property.text).text,
                         side ? "" : label.text, side ? label.text : "", -1, 1);
}

// The order of joints does not matter: they are found by their nodes. `joint_of` has an element for
// each node of B, and is 0 everywhere before and after.
static void diff_node_joints(tn_diff *diff, const tn_object_pair *pair, uint32_t *joint_of)
{
    const tenon_skin *a = &diff->scenes[0]->skins[pair->a], *b = &diff->scenes[1]->skins[pair->b];
    const uint32_t *partners = diff->pairings[TN_NODES].partners[0];
    for (uint32_t k = 0; k < b->joint_count; k++) joint_of[b->joints[k]] = k + 1;
    for (uint32_t i = 0; i < a->joint_count && !diff->context.failed; i++) {
        uint32_t partner = partners[a->joints[i]];
        uint32_t k = partner == TENON_NONE ? 0 : joint_of[partner];
        if (k == 0)
            diff_node_report_joint(diff, pair, 0, a->joints[i]);
        else
            diff_node_bind(diff, pair, i, k - 1);
    }
    for (uint32_t k = 0; k < b->joint_count; k++) joint_of[b->joints[k]] = 0;
    // Joints of B that are not joints of A.
    for (uint32_t i = 0; i < a->joint_count; i++)
        if (partners[a->joints[i]] != TENON_NONE) joint_of[partners[a->joints[i]]] = 1;
    for (uint32_t k = 0; k < b->joint_count && !diff->context.failed; k++)
        if (!joint_of[b->joints[k]]) diff_node_report_joint(diff, pair, 1, b->joints[k]);
    for (uint32_t i = 0; i < a->joint_count; i++)
        if (partners[a->joints[i]] != TENON_NONE) joint_of[partners[a->joints[i]]] = 0;
}

void tn_diff_skins(tn_diff *diff)
{
    uint32_t *joint_of =
        tn_match_alloc(&diff->context, diff->scenes[1]->node_count, sizeof *joint_of);
    tn_diff_unpaired(diff, TN_DIFF_SKINS, TN_SKINS);
    for (uint32_t i = 0; i < diff->scenes[0]->skin_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_SKINS, i, diff->pairings[TN_SKINS].partners[0][i]};
        if (pair.b == TENON_NONE) continue;
        uint32_t a_root = diff->scenes[0]->skins[pair.a].root,
                 b_root = diff->scenes[1]->skins[pair.b].root;
        if (a_root != TENON_NONE && b_root != TENON_NONE)
            tn_diff_reference(diff, TN_DIFF_SKINS, &pair, "root", TN_NODES, a_root, b_root);
        diff_node_joints(diff, &pair, joint_of);
    }
}
