// gltf_export_nodes.c: nodes and skins. Nodes of the scene keep their indices; synthesized ones
// follow. Joints must be different nodes with a common ancestor.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"
#include "core/text/number.h"
#include "scene/model/subtrees.h"

#include <math.h>
#include <string.h>

#define MATRIX_SLACK 1e-6  // Times the largest entry: about the precision of floats.

static uint32_t gltf_export_nodes_add(gltf_exporter *exporter, tenon_str name, uint32_t parent)
{
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->nodes, &exporter->node_count,
                         &exporter->node_room, sizeof *exporter->nodes);
    if (index == TENON_NONE) return index;
    exporter->nodes[index] = (gltf_node){.name = name,
                                         .source = TENON_NONE,
                                         .parent = parent,
                                         .first_child = TENON_NONE,
                                         .last_child = TENON_NONE,
                                         .next_sibling = TENON_NONE,
                                         .mesh = TENON_NONE,
                                         .shown = TENON_NONE,
                                         .skin = TENON_NONE,
                                         .camera = TENON_NONE,
                                         .light = TENON_NONE,
                                         .rotation = {0, 0, 0, 1},
                                         .scale = {1, 1, 1}};
    return index;
}

// -- Transforms

static void gltf_export_nodes_set_transform(gltf_node *node, tn_vec3 t, tn_quat r, tn_vec3 s)
{
    memcpy(node->translation, (const double[]){t.x, t.y, t.z}, sizeof node->translation);
    memcpy(node->rotation, (const double[]){r.x, r.y, r.z, r.w}, sizeof node->rotation);
    memcpy(node->scale, (const double[]){s.x, s.y, s.z}, sizeof node->scale);
}

// glTF requires matrices that are a translation, a rotation and a scale. Any other matrix is split
// into rotation, scale and another rotation: two nodes, of which the inner one only rotates.
static void gltf_export_nodes_split_matrix(gltf_exporter *exporter, uint32_t i)
{
    tn_mat4 m;
    tn_trs trs;
    memcpy(m.m, exporter->scene->nodes[i].matrix, sizeof m.m);
    if (!tn_mat4_is_affine(&m)) tn_tally_at(&exporter->losses[LOST_PROJECTION], 1, "nodes", i);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    (void)tn_mat4_decompose(&m, &trs);
    if (tn_mat4_is_trs(&m, &trs, MATRIX_SLACK)) {
        gltf_export_nodes_set_transform(&exporter->nodes[i], trs.translation, trs.rotation,
                                        trs.scale);
        return;
    }
    tn_tally_at(&exporter->losses[LOST_SHEAR], 1, "nodes", i);
    uint32_t inner = gltf_export_nodes_add(exporter, (tenon_str){"", 0}, i);
    if (inner == TENON_NONE) return;
    tn_mat3 upper = tn_mat4_upper(&m);
    tn_svd svd = tn_mat3_svd(&upper);
    tn_mat3 first = tn_mat3_transpose(&svd.v);
    gltf_export_nodes_set_transform(&exporter->nodes[i], (tn_vec3){m.m[12], m.m[13], m.m[14]},
                                    tn_quat_from_mat3(&svd.u), svd.s);
    gltf_export_nodes_set_transform(&exporter->nodes[inner], (tn_vec3){0, 0, 0},
                                    tn_quat_from_mat3(&first), (tn_vec3){1, 1, 1});
    exporter->inner[i] = inner;
}

// -- The nodes of the scene

static void gltf_export_copy_nodes(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->inner = gltf_export_alloc_indices(exporter, scene->node_count);
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        const tenon_node *from = &scene->nodes[i];
        if (gltf_export_nodes_add(exporter, from->name, TENON_NONE) == TENON_NONE) return;
        gltf_node *to = &exporter->nodes[i];
        to->source = i;
        to->is_unskinned_joint = from->is_joint;
        exporter->inner[i] = i;
        memcpy(to->translation, from->translation, sizeof to->translation);
        memcpy(to->rotation, from->rotation, sizeof to->rotation);
        memcpy(to->scale, from->scale, sizeof to->scale);
    }
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++)
        if (scene->nodes[i].has_matrix) gltf_export_nodes_split_matrix(exporter, i);
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        const tenon_node *from = &scene->nodes[i];
        gltf_node *inner = &exporter->nodes[exporter->inner[i]];
        if (from->parent != TENON_NONE) exporter->nodes[i].parent = exporter->inner[from->parent];
        if (from->camera != TENON_NONE) inner->camera = exporter->camera_of[from->camera];
        if (from->light != TENON_NONE) inner->light = exporter->light_of[from->light];
    }
}

// -- Skins

// The accessor of the inverse bind matrices, whose last rows must be 0 0 0 1.
static uint32_t gltf_export_nodes_plan_binds(gltf_exporter *exporter, uint32_t source)
{
    const tenon_skin *skin = &exporter->scene->skins[source];
    const float *binds = skin->inverse_binds;
    const gltf_place *cube = gltf_export_place_of(exporter, 0, true);
    uint32_t count = skin->joint_count, projective = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *m = binds + 16 * (size_t)i;
        projective += m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1;
    }
    if (projective || cube) {
        float *copy = gltf_export_alloc(exporter, count, 16 * sizeof *copy);
        if (!copy) return TENON_NONE;
        memcpy(copy, binds, 16 * (size_t)count * sizeof *copy);
        for (uint32_t i = 0; i < count; i++) {
            float *m = copy + 16 * (size_t)i;
            m[3] = m[7] = m[11] = 0;
            m[15] = 1;
            for (int k = 0; k < 3 && cube; k++) {
                double moved = (double)m[12 + k];
                for (int c = 0; c < 3; c++) moved += (double)m[4 * c + k] * cube->offset[c];
                for (int c = 0; c < 3; c++)
                    m[4 * c + k] = (float)((double)m[4 * c + k] * cube->scale);
                m[12 + k] = (float)moved;
            }
        }
        binds = copy;
        tn_tally_at(&exporter->losses[LOST_BINDS], projective, "skins", source);
    }
    return gltf_export_share_accessor(exporter, GLTF_BINDS, binds, count, true);
}

static void gltf_export_nodes_plan_skins(gltf_exporter *exporter, const bool *is_used)
{
    const tenon_scene *scene = exporter->scene;
    const tenon_node *nodes = scene->nodes;
    uint32_t node_count = scene->node_count;
    tn_subtrees trees = {0};
    exporter->skin_of = gltf_export_alloc_indices(exporter, scene->skin_count);
    exporter->skins = gltf_export_alloc(exporter, scene->skin_count, sizeof *exporter->skins);
    uint32_t *top = gltf_export_alloc(exporter, node_count, sizeof *top);    // Its root.
    uint32_t *seen = gltf_export_alloc(exporter, node_count, sizeof *seen);  // Last skin, plus 1.
    bool *is_wrapped = gltf_export_alloc(exporter, node_count, sizeof *is_wrapped);
    if (exporter->failed ||
        !tn_export_expect(exporter->export,
                          tn_subtrees_make(exporter->export->arena, scene, &trees))) {
        exporter->failed = true;
        return;
    }
    for (uint32_t i = 0; i < node_count; i++)
        top[i] = nodes[i].parent == TENON_NONE ? i : top[nodes[i].parent];
    for (uint32_t i = 0; i < scene->skin_count && !exporter->failed; i++) {
        if (!is_used[i]) {
            tn_tally_at(&exporter->losses[LOST_SKINS], 1, "skins", i);
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
                tn_tally_at(&exporter->losses[LOST_JOINT_COPIES], 1, "skins", i);
                skin->joints[k] =
                    gltf_export_nodes_add(exporter, nodes[node].name, skin->joints[k]);
            }
            seen[node] = i + 1;
            if (top[node] != top[source->joints[0]]) has_one_top = false;
        }
        for (uint32_t k = 0; k < source->joint_count && !has_one_top; k++)
            is_wrapped[top[source->joints[k]]] = true;
        skin->skeleton = source->root;
        for (uint32_t k = 0; skin->skeleton != TENON_NONE && k < source->joint_count; k++) {
            uint32_t root = skin->skeleton;
            if (trees.places[source->joints[k]] - trees.places[root] < trees.sizes[root]) continue;
            tn_tally_at(&exporter->losses[LOST_SKELETONS], 1, "skins", i);
            skin->skeleton = TENON_NONE;
        }
        skin->binds = gltf_export_nodes_plan_binds(exporter, i);
        exporter->skin_of[i] = exporter->skin_count++;
    }
    // Skins whose joints are in several trees get one common root.
    uint32_t common = TENON_NONE;
    for (uint32_t i = 0; i < node_count && !exporter->failed; i++) {
        if (!is_wrapped[i]) continue;
        if (common == TENON_NONE) {
            common = gltf_export_nodes_add(exporter, (tenon_str){"joints", 6}, TENON_NONE);
            tn_tally_at(&exporter->losses[LOST_ROOTS], 1, "nodes", i);
        }
        exporter->nodes[i].parent = common;
    }
}

// -- Meshes of nodes

// Skinned meshes ignore the transforms of their nodes, so their nodes become roots without a
// transform. If the node has another use as well, the mesh gets a separate node.
static void gltf_export_nodes_place_skinned(gltf_exporter *exporter, uint32_t i, uint32_t mesh,
                                            bool is_animated, bool is_needed)
{
    gltf_node *node = &exporter->nodes[i];
    bool is_unmoved = gltf_export_all_equal(node->translation, 3, 0) &&
                      gltf_export_all_equal(node->rotation, 3, 0) &&
                      gltf_export_all_equal(node->scale, 3, 1);
    if (node->parent != TENON_NONE || !is_unmoved || is_animated) {
        tn_tally_at(&exporter->losses[LOST_PLACES], 1, "nodes", i);
        bool has_other_use =
            is_needed || is_animated || node->camera != TENON_NONE || node->light != TENON_NONE;
        if (has_other_use) {
            uint32_t index = gltf_export_nodes_add(exporter, node->name, TENON_NONE);
            if (index == TENON_NONE) return;
            node = &exporter->nodes[index];
        } else {
            node->parent = TENON_NONE;
            gltf_export_nodes_set_transform(node, (tn_vec3){0, 0, 0}, tn_quat_identity(),
                                            (tn_vec3){1, 1, 1});
        }
    }
    node->mesh = mesh;
    node->shown = i;
    exporter->mesh_nodes[i] = (uint32_t)(node - exporter->nodes);
    node->skin = exporter->skin_of[exporter->scene->nodes[i].skin];
}

static bool gltf_export_nodes_is_identity(const gltf_place *cube)
{
    return gltf_export_all_equal(cube->offset, 3, 0) && cube->scale == 1;
}

void gltf_export_plan_nodes(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    gltf_export_copy_nodes(exporter);
    bool *is_skin_used = gltf_export_alloc(exporter, scene->skin_count, sizeof *is_skin_used);
    exporter->mesh_nodes = gltf_export_alloc_indices(exporter, scene->node_count);
    // The skinned mesh of each node. Other meshes are added to their nodes.
    uint32_t *skinned = gltf_export_alloc_indices(exporter, scene->node_count);
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        const tenon_node *node = &scene->nodes[i];
        bool is_skinned = node->skin != TENON_NONE;
        if (node->mesh == TENON_NONE) continue;
        uint32_t mesh = gltf_export_mesh_for(exporter, node->mesh, is_skinned);
        if (mesh == TENON_NONE) continue;
        if (is_skinned) {
            skinned[i] = mesh;
            is_skin_used[node->skin] = true;
        } else {
            uint32_t holder = exporter->inner[i];
            const gltf_place *cube = gltf_export_place_of(exporter, node->mesh, false);
            if (cube && !gltf_export_nodes_is_identity(cube)) {
                holder = gltf_export_nodes_add(exporter, (tenon_str){"", 0}, holder);
                if (holder == TENON_NONE) return;
                memcpy(exporter->nodes[holder].translation, cube->offset, sizeof cube->offset);
                for (int k = 0; k < 3; k++) exporter->nodes[holder].scale[k] = cube->scale;
            }
            exporter->mesh_nodes[i] = holder;
            exporter->nodes[holder].mesh = mesh;
            exporter->nodes[holder].shown = i;
        }
    }
    if (!exporter->failed) gltf_export_nodes_plan_skins(exporter, is_skin_used);
    bool *is_animated = gltf_export_alloc(exporter, scene->node_count, sizeof *is_animated);
    for (uint32_t i = 0; i < scene->animation_count && !exporter->failed; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            if (scene->animations[i].channels[k].target != TENON_WEIGHTS)
                is_animated[scene->animations[i].channels[k].node] = true;
    // Nodes that have children or are joints.
    bool *is_needed = gltf_export_alloc(exporter, exporter->node_count, sizeof *is_needed);
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++)
        if (exporter->nodes[i].parent != TENON_NONE) is_needed[exporter->nodes[i].parent] = true;
    for (uint32_t i = 0; i < exporter->skin_count && !exporter->failed; i++) {
        const gltf_skin *skin = &exporter->skins[i];
        const tenon_skin *source = &scene->skins[skin->source];
        for (uint32_t k = 0; k < source->joint_count; k++) {
            exporter->nodes[source->joints[k]].is_unskinned_joint = false;
            is_needed[skin->joints[k]] = true;
        }
    }
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++)
        if (skinned[i] != TENON_NONE)
            gltf_export_nodes_place_skinned(exporter, i, skinned[i], is_animated[i], is_needed[i]);
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++) {
        if (exporter->nodes[i].parent == TENON_NONE) continue;
        gltf_node *parent = &exporter->nodes[exporter->nodes[i].parent];
        if (parent->first_child == TENON_NONE)
            parent->first_child = i;
        else
            exporter->nodes[parent->last_child].next_sibling = i;
        parent->last_child = i;
    }
}

// -- Text

// The number that is read where a number was written as a float.
static double gltf_export_nodes_as_text(double value)
{
    char text[TN_NUMBER_MAX];
    double read = value;
    (void)tn_f64_parse(text, tn_f32_text((float)value, text), &read);
    return read;
}

// Round a rotation to floats that stay the same when they are read, normalized and rounded again.
static void gltf_export_nodes_steady_rotation(const double from[4], double to[4])
{
    enum { ROUNDS_MOST = 8 };
    bool is_steady = false;
    for (int k = 0; k < 4; k++) to[k] = gltf_export_nodes_as_text(from[k]);
    for (int round = 0; round < ROUNDS_MOST && !is_steady; round++) {
        tn_quat q = tn_quat_normalise((tn_quat){to[0], to[1], to[2], to[3]});
        const double next[4] = {q.x, q.y, q.z, q.w};
        is_steady = true;
        for (int k = 0; k < 4; k++) {
            is_steady = is_steady && (float)next[k] == (float)to[k];
            to[k] = gltf_export_nodes_as_text(next[k]);
        }
    }
}

void gltf_export_write_node(gltf_exporter *exporter, uint32_t index)
{
    const gltf_node *node = &exporter->nodes[index];
    gltf_export_name(exporter, node->name);
    gltf_export_numbers_unless(exporter, 0, "translation", node->translation, 3);
    double rotation[4];
    gltf_export_nodes_steady_rotation(node->rotation, rotation);
    if (!gltf_export_all_equal(rotation, 3, 0))
        gltf_export_numbers(exporter, "rotation", rotation, 4);
    gltf_export_numbers_unless(exporter, 1, "scale", node->scale, 3);
    gltf_export_index(exporter, "mesh", node->mesh);
    const tenon_node *shown =
        node->shown == TENON_NONE ? NULL : &exporter->scene->nodes[node->shown];
    if (shown && shown->morph_weights)
        gltf_export_numbers(exporter, "weights", shown->morph_weights,
                            exporter->scene->meshes[shown->mesh].morph_count);
    gltf_export_index(exporter, "skin", node->skin);
    gltf_export_index(exporter, "camera", node->camera);
    uint32_t origin = node->source == TENON_NONE ? 0 : exporter->scene->nodes[node->source].origin;
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_NODES, origin);
    if (gltf_export_is_hidden(exporter, origin) && node->mesh == TENON_NONE) {
        gltf_export_kept_member(exporter, from, "mesh");
        gltf_export_kept_member(exporter, from, "skin");
        gltf_export_kept_member(exporter, from, "weights");
    }
    if (node->first_child != TENON_NONE) {
        gltf_export_begin_array(exporter, "children");
        for (uint32_t k = node->first_child; k != TENON_NONE; k = exporter->nodes[k].next_sibling)
            tn_json_put_u64(&exporter->json, k);
        gltf_export_end_array(exporter);
    }
    if (gltf_export_begin_extensions(exporter, from, node->light != TENON_NONE)) {
        if (node->light != TENON_NONE) {
            gltf_export_begin_object(exporter, "KHR_lights_punctual");
            gltf_export_index(exporter, "light", node->light);
            gltf_export_end_object(exporter);
        }
        gltf_export_end_extensions(exporter, from);
    }
    static const char *const joint[] = {"joint", NULL};
    bool has_extras = node->source != TENON_NONE &&
                      gltf_export_has_extras(exporter, TENON_EXTRA_OF_NODE, node->source, from);
    if (!has_extras && !node->is_unskinned_joint) return;
    if (!node->is_unskinned_joint) {
        gltf_export_extras(exporter, TENON_EXTRA_OF_NODE, node->source, from);
        return;
    }
    gltf_export_begin_object(exporter, "extras");
    gltf_export_true(exporter, "joint");
    if (has_extras)
        gltf_export_extra_members(exporter, TENON_EXTRA_OF_NODE, node->source, from, joint);
    gltf_export_end_object(exporter);
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
    gltf_export_kept_members(exporter,
                             gltf_export_kept_object(exporter, LIST_SKINS, source->origin));
}
