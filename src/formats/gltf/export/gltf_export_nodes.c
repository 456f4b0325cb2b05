// gltf_export_nodes.c: nodes. Those of the scene keep their indices; synthesized ones follow.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#include <math.h>
#include <string.h>

#define MATRIX_SLACK 1e-6  // Times the largest entry: about the precision of floats.

uint32_t gltf_add_node(gltf_exporter *exporter, tenon_str name, uint32_t parent)
{
    uint32_t index = gltf_grow(exporter, (void **)(void *)&exporter->nodes, &exporter->node_count,
                               &exporter->node_room, sizeof *exporter->nodes);
    if (index == TENON_NONE) return index;
    exporter->nodes[index] = (gltf_node){.name = name,
                                         .source = TENON_NONE,
                                         .parent = parent,
                                         .first_child = TENON_NONE,
                                         .last_child = TENON_NONE,
                                         .next_sibling = TENON_NONE,
                                         .mesh = TENON_NONE,
                                         .skin = TENON_NONE,
                                         .camera = TENON_NONE,
                                         .light = TENON_NONE,
                                         .rotation = {0, 0, 0, 1},
                                         .scale = {1, 1, 1}};
    return index;
}

// -- Transforms

static void gltf_set_transform(gltf_node *node, tn_vec3 t, tn_quat r, tn_vec3 s)
{
    memcpy(node->translation, (const double[]){t.x, t.y, t.z}, sizeof node->translation);
    memcpy(node->rotation, (const double[]){r.x, r.y, r.z, r.w}, sizeof node->rotation);
    memcpy(node->scale, (const double[]){s.x, s.y, s.z}, sizeof node->scale);
}

static bool is_near(const tn_mat4 *a, const tn_mat4 *b)
{
    double most = 0, largest = 0;
    for (int i = 0; i < 16; i++) {
        double difference = fabs(a->m[i] - b->m[i]);
        if (fabs(a->m[i]) > largest) largest = fabs(a->m[i]);
        if (difference > most) most = difference;
    }
    return most <= MATRIX_SLACK * largest;
}

// glTF requires matrices that are a translation, a rotation and a scale. Any other matrix is split
// into rotation, scale and another rotation: two nodes, of which the inner one only rotates.
static void gltf_split_matrix(gltf_exporter *exporter, uint32_t i)
{
    tn_mat4 m;
    tn_trs trs;
    memcpy(m.m, exporter->scene->nodes[i].matrix, sizeof m.m);
    if (!tn_mat4_is_affine(&m)) gltf_report_loss(exporter, GLTF_LOST_PROJECTION, 1, "nodes", i);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    (void)tn_mat4_decompose(&m, &trs);
    tn_mat4 again = tn_mat4_from_trs(&trs);
    if (is_near(&m, &again)) {
        gltf_set_transform(&exporter->nodes[i], trs.translation, trs.rotation, trs.scale);
        return;
    }
    gltf_report_loss(exporter, GLTF_LOST_SHEAR, 1, "nodes", i);
    uint32_t inner = gltf_add_node(exporter, (tenon_str){"", 0}, i);
    if (inner == TENON_NONE) return;
    tn_mat3 upper = tn_mat4_upper(&m);
    tn_svd svd = tn_mat3_svd(&upper);
    tn_mat3 first = tn_mat3_transpose(&svd.v);
    gltf_set_transform(&exporter->nodes[i], (tn_vec3){m.m[12], m.m[13], m.m[14]},
                       tn_quat_from_mat3(&svd.u), svd.s);
    gltf_set_transform(&exporter->nodes[inner], (tn_vec3){0, 0, 0}, tn_quat_from_mat3(&first),
                       (tn_vec3){1, 1, 1});
    exporter->inner[i] = inner;
}

static bool has_no_transform(const gltf_node *n)
{
    return gltf_all_equal(n->translation, 3, 0) && gltf_all_equal(n->rotation, 3, 0) &&
           gltf_all_equal(n->scale, 3, 1);
}

// -- The nodes of the scene

static void gltf_copy_nodes(gltf_exporter *exporter)
{
    const tenon_scene *s = exporter->scene;
    exporter->inner = gltf_alloc_indices(exporter, s->node_count);
    for (uint32_t i = 0; i < s->node_count && !exporter->failed; i++) {
        uint32_t index = gltf_add_node(exporter, s->nodes[i].name, TENON_NONE);
        if (index == TENON_NONE) return;
        const tenon_node *from = &s->nodes[i];
        gltf_node *to = &exporter->nodes[index];
        to->source = i;
        exporter->inner[i] = i;
        memcpy(to->translation, from->translation, sizeof to->translation);
        memcpy(to->rotation, from->rotation, sizeof to->rotation);
        memcpy(to->scale, from->scale, sizeof to->scale);
    }
    for (uint32_t i = 0; i < s->node_count && !exporter->failed; i++)
        if (s->nodes[i].has_matrix) gltf_split_matrix(exporter, i);
    for (uint32_t i = 0; i < s->node_count && !exporter->failed; i++) {
        const tenon_node *from = &s->nodes[i];
        gltf_node *holder = &exporter->nodes[exporter->inner[i]];
        if (from->parent != TENON_NONE) exporter->nodes[i].parent = exporter->inner[from->parent];
        if (from->camera != TENON_NONE) holder->camera = exporter->camera_of[from->camera];
        if (from->light != TENON_NONE) holder->light = exporter->light_of[from->light];
    }
}

// -- Meshes and skins

// What the nodes of the scene are used for.
typedef struct gltf_uses {
    uint32_t *skinned_mesh_of;  // For each node of the scene: its skinned mesh, or TENON_NONE.
    bool *is_used;              // For each skin.
    bool *is_animated;          // For each node of the scene.
    bool *is_needed;            // For each node: it has children, or is a joint.
} gltf_uses;

static void gltf_add_meshes(gltf_exporter *exporter, gltf_uses *uses)
{
    const tenon_scene *s = exporter->scene;
    uses->skinned_mesh_of = gltf_alloc_indices(exporter, s->node_count);
    uses->is_used = gltf_alloc(exporter, s->skin_count, sizeof *uses->is_used);
    for (uint32_t i = 0; i < s->node_count && !exporter->failed; i++) {
        const tenon_node *n = &s->nodes[i];
        bool is_skinned = n->skin != TENON_NONE;
        if (n->mesh == TENON_NONE) continue;
        uint32_t mesh = gltf_mesh_for(exporter, n->mesh, is_skinned);
        if (mesh == TENON_NONE) continue;
        if (!is_skinned) {
            exporter->nodes[exporter->inner[i]].mesh = mesh;
            continue;
        }
        uses->skinned_mesh_of[i] = mesh;
        uses->is_used[n->skin] = true;
    }
}

static void gltf_find_animated(gltf_exporter *exporter, gltf_uses *uses)
{
    const tenon_scene *s = exporter->scene;
    uses->is_animated = gltf_alloc(exporter, s->node_count, sizeof *uses->is_animated);
    for (uint32_t i = 0; i < s->animation_count && !exporter->failed; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++)
            uses->is_animated[s->animations[i].channels[k].node] = true;
}

static void gltf_find_needed(gltf_exporter *exporter, gltf_uses *uses)
{
    uses->is_needed = gltf_alloc(exporter, exporter->node_count, sizeof *uses->is_needed);
    for (uint32_t i = 0; i < exporter->node_count && !exporter->failed; i++)
        if (exporter->nodes[i].parent != TENON_NONE)
            uses->is_needed[exporter->nodes[i].parent] = true;
    for (uint32_t i = 0; i < exporter->skin_count && !exporter->failed; i++) {
        const tenon_skin *skin = &exporter->scene->skins[exporter->skins[i].source];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            exporter->nodes[skin->joints[k]].is_unskinned_joint = false;
            uses->is_needed[exporter->skins[i].joints[k]] = true;
        }
    }
}

// Skinned meshes ignore the transforms of their nodes, so their nodes become roots without a
// transform. If the node has another use as well, the mesh gets a separate node.
static void gltf_place_skinned(gltf_exporter *exporter, const gltf_uses *uses, uint32_t i)
{
    gltf_node *node = &exporter->nodes[i];
    bool is_animated = uses->is_animated[i];
    bool may_stay = node->parent == TENON_NONE && has_no_transform(node) && !is_animated;
    bool may_move = !uses->is_needed[i] && !is_animated && node->camera == TENON_NONE &&
                    node->light == TENON_NONE;
    uint32_t index = i;
    if (!may_stay) gltf_report_loss(exporter, GLTF_LOST_PLACES, 1, "nodes", i);
    if (!may_stay && !may_move) index = gltf_add_node(exporter, node->name, TENON_NONE);
    if (index == TENON_NONE) return;
    node = &exporter->nodes[index];
    if (!may_stay && may_move) {
        node->parent = TENON_NONE;
        gltf_set_transform(node, (tn_vec3){0, 0, 0}, tn_quat_identity(), (tn_vec3){1, 1, 1});
    }
    node->mesh = uses->skinned_mesh_of[i];
    node->skin = exporter->skin_of[exporter->scene->nodes[i].skin];
}

static void gltf_link_nodes(gltf_exporter *exporter)
{
    for (uint32_t i = 0; i < exporter->node_count; i++) {
        uint32_t parent = exporter->nodes[i].parent;
        if (parent == TENON_NONE) continue;
        gltf_node *p = &exporter->nodes[parent];
        if (p->first_child == TENON_NONE)
            p->first_child = i;
        else
            exporter->nodes[p->last_child].next_sibling = i;
        p->last_child = i;
    }
}

void gltf_plan_nodes(gltf_exporter *exporter)
{
    gltf_uses uses = {0};
    gltf_copy_nodes(exporter);
    for (uint32_t i = 0; i < exporter->scene->node_count && !exporter->failed; i++)
        exporter->nodes[i].is_unskinned_joint = exporter->scene->nodes[i].is_joint;
    gltf_add_meshes(exporter, &uses);
    if (!exporter->failed) gltf_plan_skins(exporter, uses.is_used);
    gltf_find_animated(exporter, &uses);
    gltf_find_needed(exporter, &uses);
    for (uint32_t i = 0; i < exporter->scene->node_count && !exporter->failed; i++)
        if (uses.skinned_mesh_of[i] != TENON_NONE) gltf_place_skinned(exporter, &uses, i);
    if (!exporter->failed) gltf_link_nodes(exporter);
}

// -- Text

static void gltf_write_transform(gltf_exporter *exporter, const gltf_node *n)
{
    if (!gltf_all_equal(n->translation, 3, 0))
        gltf_write_numbers(exporter, "translation", n->translation, 3);
    if (!gltf_all_equal(n->rotation, 3, 0))
        gltf_write_numbers(exporter, "rotation", n->rotation, 4);
    if (!gltf_all_equal(n->scale, 3, 1)) gltf_write_numbers(exporter, "scale", n->scale, 3);
}

static void gltf_write_node_extras(gltf_exporter *exporter, const gltf_node *n)
{
    bool has_named =
        n->source != TENON_NONE && gltf_has_extras(exporter, TENON_EXTRA_OF_NODE, n->source);
    if (!has_named && !n->is_unskinned_joint) return;
    gltf_begin_object(exporter, "extras");
    if (n->is_unskinned_joint) {
        tn_json_put_key(&exporter->json, "joint");
        tn_json_put_bool(&exporter->json, true);
    }
    if (has_named) gltf_write_extra_members(exporter, TENON_EXTRA_OF_NODE, n->source);
    gltf_end_object(exporter);
}

static void gltf_write_node(gltf_exporter *exporter, const gltf_node *n)
{
    gltf_begin_object(exporter, NULL);
    gltf_write_name(exporter, n->name);
    gltf_write_transform(exporter, n);
    gltf_write_index(exporter, "mesh", n->mesh);
    gltf_write_index(exporter, "skin", n->skin);
    gltf_write_index(exporter, "camera", n->camera);
    if (n->first_child != TENON_NONE) {
        gltf_begin_array(exporter, "children");
        for (uint32_t k = n->first_child; k != TENON_NONE; k = exporter->nodes[k].next_sibling)
            tn_json_put_u64(&exporter->json, k);
        gltf_end_array(exporter);
    }
    if (n->light != TENON_NONE) {
        gltf_begin_object(exporter, "extensions");
        gltf_begin_object(exporter, "KHR_lights_punctual");
        gltf_write_index(exporter, "light", n->light);
        gltf_end_object(exporter);
        gltf_end_object(exporter);
    }
    gltf_write_node_extras(exporter, n);
    gltf_end_object(exporter);
}

void gltf_write_nodes(gltf_exporter *exporter)
{
    if (!exporter->node_count) return;
    gltf_begin_array(exporter, "nodes");
    for (uint32_t i = 0; i < exporter->node_count; i++)
        gltf_write_node(exporter, &exporter->nodes[i]);
    gltf_end_array(exporter);
}
