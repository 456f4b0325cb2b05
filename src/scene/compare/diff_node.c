// diff_node.c: what differs between nodes, and between skins.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include "core/math/math.h"

#include <string.h>

// -- Transforms

static tn_mat4 local_of(const tenon_node *node)
{
    tn_mat4 m;
    if (node->has_matrix) {
        memcpy(m.m, node->matrix, sizeof m.m);
        return m;
    }
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    tn_trs trs = {{t[0], t[1], t[2]},
                  tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
                  {s[0], s[1], s[2]}};
    return tn_mat4_from_trs(&trs);
}

static void diff_rotations(tn_diff *d, const tn_where *at, const double *a, const double *b)
{
    double turned = tn_diff_turned(a, b);
    if (tn_diff_is_equal(d, turned)) return;
    tn_differ_numbers(d, TN_DIFF_TRANSFORMS, tn_diff_path(d, at, "rotation").text, a, b, 4, turned);
}

// The axes of a matrix, and how far apart those of two are.
static double axes_apart(const double *a, const double *b)
{
    double a_axes[9], b_axes[9];
    for (int column = 0; column < 3; column++) {
        memcpy(a_axes + 3 * column, a + 4 * column, 3 * sizeof *a);
        memcpy(b_axes + 3 * column, b + 4 * column, 3 * sizeof *b);
    }
    return tn_diff_apart(a_axes, b_axes, 9, 0);
}

// Matrices are compared, since several rotations and scales make the same one; what makes them
// differ is then told in the words of the nodes.
static void diff_transforms(tn_diff *d, const tn_where *at)
{
    const tenon_node *a = &d->scenes[0]->nodes[at->a], *b = &d->scenes[1]->nodes[at->b];
    tn_mat4 a_matrix = local_of(a), b_matrix = local_of(b);
    double length = d->lengths[at->a], axes = axes_apart(a_matrix.m, b_matrix.m);
    tn_diff_numbers(d, TN_DIFF_TRANSFORMS, at, "translation", a_matrix.m + 12, b_matrix.m + 12, 3,
                    length);
    if (tn_diff_is_equal(d, axes)) return;
    uint64_t before = d->count;
    if (!a->has_matrix && !b->has_matrix) {
        diff_rotations(d, at, a->rotation, b->rotation);
        tn_diff_numbers(d, TN_DIFF_TRANSFORMS, at, "scale", a->scale, b->scale, 3, 0);
    }
    if (d->count == before)
        tn_diff_numbers(d, TN_DIFF_TRANSFORMS, at, "matrix", a_matrix.m, b_matrix.m, 16, 0);
}

// -- Nodes

static void diff_node(tn_diff *d, const tn_where *at, const bool *const is_joint[2])
{
    const tenon_node *a = &d->scenes[0]->nodes[at->a], *b = &d->scenes[1]->nodes[at->b];
    tn_diff_reference(d, TN_DIFF_PARENTS, at, "parent", TN_NODES, a->parent, b->parent);
    diff_transforms(d, at);
    tn_diff_reference(d, TN_DIFF_REFERENCES, at, "mesh", TN_MESHES, a->mesh, b->mesh);
    tn_diff_reference(d, TN_DIFF_REFERENCES, at, "skin", TN_SKINS, a->skin, b->skin);
    tn_diff_reference(d, TN_DIFF_REFERENCES, at, "camera", TN_CAMERAS, a->camera, b->camera);
    tn_diff_reference(d, TN_DIFF_REFERENCES, at, "light", TN_LIGHTS, a->light, b->light);
    tn_diff_flags(d, TN_DIFF_REFERENCES, at, "is_joint", is_joint[0][at->a], is_joint[1][at->b]);
}

// What a skin uses is a joint, whatever the file calls it.
static const bool *find_joints(tn_diff *d, const tenon_scene *s)
{
    bool *is_joint = tn_diff_alloc(d, s->node_count, sizeof *is_joint);
    if (!is_joint) return NULL;
    for (uint32_t i = 0; i < s->node_count; i++) is_joint[i] = s->nodes[i].is_joint;
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; k < s->skins[i].joint_count; k++)
            is_joint[s->skins[i].joints[k]] = true;
    return is_joint;
}

void tn_diff_nodes(tn_diff *d)
{
    const uint32_t *partners = d->pairs[TN_NODES].partners[0];
    const bool *const is_joint[2] = {find_joints(d, d->scenes[0]), find_joints(d, d->scenes[1])};
    tn_diff_lonely(d, TN_DIFF_NODES, TN_NODES);
    for (uint32_t i = 0; i < d->scenes[0]->node_count && !d->failed; i++)
        if (partners[i] != TENON_NONE)
            diff_node(d, &(tn_where){TN_NODES, i, partners[i]}, is_joint);
}

// -- Skins

static void diff_bind(tn_diff *d, const tn_where *at, uint32_t a_joint, uint32_t b_joint)
{
    const tenon_skin *a = &d->scenes[0]->skins[at->a], *b = &d->scenes[1]->skins[at->b];
    tn_mat4 a_matrix = tn_mat4_from_columns(a->inverse_binds + 16 * (size_t)a_joint);
    tn_mat4 b_matrix = tn_mat4_from_columns(b->inverse_binds + 16 * (size_t)b_joint);
    double axes = axes_apart(a_matrix.m, b_matrix.m);
    double place = tn_diff_apart(a_matrix.m + 12, b_matrix.m + 12, 3, d->diagonal);
    if (tn_diff_is_equal(d, axes) && tn_diff_is_equal(d, place)) return;
    tn_diff_text label = tn_diff_label(d, 0, TN_NODES, a->joints[a_joint]);
    tn_diff_text facet = tn_diff_print("inverse_binds[%.63s]", label.text);
    tn_differ_numbers(d, TN_DIFF_BINDS, tn_diff_path(d, at, facet.text).text, a_matrix.m,
                      b_matrix.m, 16, axes > place ? axes : place);
}

static void tell_joint(tn_diff *d, const tn_where *at, int side, uint32_t node)
{
    tn_diff_text label = tn_diff_label(d, side, TN_NODES, node);
    tn_diff_text facet = tn_diff_print("joints[%s]", label.text);
    tn_differ_words(d, TN_DIFF_JOINTS, tn_diff_path(d, at, facet.text).text, side ? "" : label.text,
                    side ? label.text : "", -1);
}

// The order of joints does not matter: they are found by their nodes. `places` has, for each node
// of B, the joint that it is, plus one, and is 0 everywhere again afterwards.
static void diff_joints(tn_diff *d, const tn_where *at, uint32_t *places)
{
    const tenon_skin *a = &d->scenes[0]->skins[at->a], *b = &d->scenes[1]->skins[at->b];
    const tn_pairs *nodes = &d->pairs[TN_NODES];
    for (uint32_t k = 0; k < b->joint_count; k++) places[b->joints[k]] = k + 1;
    for (uint32_t i = 0; i < a->joint_count && !d->failed; i++) {
        uint32_t partner = nodes->partners[0][a->joints[i]];
        uint32_t k = partner == TENON_NONE ? 0 : places[partner];
        if (k == 0)
            tell_joint(d, at, 0, a->joints[i]);
        else
            diff_bind(d, at, i, k - 1);
    }
    for (uint32_t k = 0; k < b->joint_count; k++) places[b->joints[k]] = 0;
}

// Joints of B that no joint of A is.
static void diff_new_joints(tn_diff *d, const tn_where *at, uint32_t *places)
{
    const tenon_skin *a = &d->scenes[0]->skins[at->a], *b = &d->scenes[1]->skins[at->b];
    const tn_pairs *nodes = &d->pairs[TN_NODES];
    for (uint32_t i = 0; i < a->joint_count; i++)
        if (nodes->partners[0][a->joints[i]] != TENON_NONE)
            places[nodes->partners[0][a->joints[i]]] = 1;
    for (uint32_t k = 0; k < b->joint_count && !d->failed; k++)
        if (!places[b->joints[k]]) tell_joint(d, at, 1, b->joints[k]);
    for (uint32_t i = 0; i < a->joint_count; i++)
        if (nodes->partners[0][a->joints[i]] != TENON_NONE)
            places[nodes->partners[0][a->joints[i]]] = 0;
}

void tn_diff_skins(tn_diff *d)
{
    uint32_t *places = tn_diff_alloc(d, d->scenes[1]->node_count, sizeof *places);
    tn_diff_lonely(d, TN_DIFF_SKINS, TN_SKINS);
    for (uint32_t i = 0; i < d->scenes[0]->skin_count && !d->failed; i++) {
        tn_where at = {TN_SKINS, i, d->pairs[TN_SKINS].partners[0][i]};
        if (at.b == TENON_NONE) continue;
        uint32_t a_root = d->scenes[0]->skins[at.a].root, b_root = d->scenes[1]->skins[at.b].root;
        if (a_root != TENON_NONE && b_root != TENON_NONE)
            tn_diff_reference(d, TN_DIFF_SKINS, &at, "root", TN_NODES, a_root, b_root);
        diff_joints(d, &at, places);
        diff_new_joints(d, &at, places);
    }
}
