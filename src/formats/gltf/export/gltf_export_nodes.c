// gltf_export_nodes.c: nodes. Those of the scene keep their indices; synthesized ones follow.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "core/math/math.h"

#include <math.h>
#include <string.h>

#define MATRIX_SLACK 1e-6  // Times the largest entry: about the precision of floats.

uint32_t gltf_add_node(gltf_exporter *w, tenon_str name, uint32_t parent)
{
    uint32_t index =
        gltf_grow(w, (void **)(void *)&w->nodes, &w->node_count, &w->node_room, sizeof *w->nodes);
    if (index == TENON_NONE) return index;
    w->nodes[index] = (gltf_node){.name = name,
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
static void gltf_split_matrix(gltf_exporter *w, uint32_t i)
{
    tn_mat4 m;
    tn_trs trs;
    memcpy(m.m, w->scene->nodes[i].matrix, sizeof m.m);
    if (!tn_mat4_is_affine(&m)) gltf_report_loss(w, GLTF_LOST_PROJECTION, 1, "nodes", i);
    m.m[3] = m.m[7] = m.m[11] = 0;
    m.m[15] = 1;
    (void)tn_mat4_decompose(&m, &trs);
    tn_mat4 again = tn_mat4_from_trs(&trs);
    if (is_near(&m, &again)) {
        gltf_set_transform(&w->nodes[i], trs.translation, trs.rotation, trs.scale);
        return;
    }
    gltf_report_loss(w, GLTF_LOST_SHEAR, 1, "nodes", i);
    uint32_t inner = gltf_add_node(w, (tenon_str){"", 0}, i);
    if (inner == TENON_NONE) return;
    tn_mat3 upper = tn_mat4_upper(&m);
    tn_svd svd = tn_mat3_svd(&upper);
    tn_mat3 first = tn_mat3_transpose(&svd.v);
    gltf_set_transform(&w->nodes[i], (tn_vec3){m.m[12], m.m[13], m.m[14]},
                       tn_quat_from_mat3(&svd.u), svd.s);
    gltf_set_transform(&w->nodes[inner], (tn_vec3){0, 0, 0}, tn_quat_from_mat3(&first),
                       (tn_vec3){1, 1, 1});
    w->inner[i] = inner;
}

static bool has_no_transform(const gltf_node *n)
{
    return gltf_all_equal(n->translation, 3, 0) && gltf_all_equal(n->rotation, 3, 0) &&
           gltf_all_equal(n->scale, 3, 1);
}

// -- The nodes of the scene

static void gltf_copy_nodes(gltf_exporter *w)
{
    const tenon_scene *s = w->scene;
    w->inner = gltf_alloc_indices(w, s->node_count);
    for (uint32_t i = 0; i < s->node_count && !w->failed; i++) {
        uint32_t index = gltf_add_node(w, s->nodes[i].name, TENON_NONE);
        if (index == TENON_NONE) return;
        const tenon_node *from = &s->nodes[i];
        gltf_node *to = &w->nodes[index];
        to->source = i;
        w->inner[i] = i;
        memcpy(to->translation, from->translation, sizeof to->translation);
        memcpy(to->rotation, from->rotation, sizeof to->rotation);
        memcpy(to->scale, from->scale, sizeof to->scale);
    }
    for (uint32_t i = 0; i < s->node_count && !w->failed; i++)
        if (s->nodes[i].has_matrix) gltf_split_matrix(w, i);
    for (uint32_t i = 0; i < s->node_count && !w->failed; i++) {
        const tenon_node *from = &s->nodes[i];
        gltf_node *holder = &w->nodes[w->inner[i]];
        if (from->parent != TENON_NONE) w->nodes[i].parent = w->inner[from->parent];
        if (from->camera != TENON_NONE) holder->camera = w->camera_of[from->camera];
        if (from->light != TENON_NONE) holder->light = w->light_of[from->light];
    }
}

// -- Meshes and skins

// What the nodes of the scene are used for.
typedef struct gltf_uses {
    uint32_t *skinned;  // For each node of the scene: its skinned mesh, or TENON_NONE.
    bool *is_used;      // For each skin.
    bool *is_animated;  // For each node of the scene.
    bool *is_needed;    // For each node: it has children, or is a joint.
} gltf_uses;

static void gltf_add_meshes(gltf_exporter *w, gltf_uses *uses)
{
    const tenon_scene *s = w->scene;
    uses->skinned = gltf_alloc_indices(w, s->node_count);
    uses->is_used = gltf_alloc(w, s->skin_count, sizeof *uses->is_used);
    for (uint32_t i = 0; i < s->node_count && !w->failed; i++) {
        const tenon_node *n = &s->nodes[i];
        bool is_skinned = n->skin != TENON_NONE;
        if (n->mesh == TENON_NONE) continue;
        uint32_t mesh = gltf_mesh_for(w, n->mesh, is_skinned);
        if (mesh == TENON_NONE) continue;
        if (!is_skinned) {
            w->nodes[w->inner[i]].mesh = mesh;
            continue;
        }
        uses->skinned[i] = mesh;
        uses->is_used[n->skin] = true;
    }
}

static void gltf_find_animated(gltf_exporter *w, gltf_uses *uses)
{
    const tenon_scene *s = w->scene;
    uses->is_animated = gltf_alloc(w, s->node_count, sizeof *uses->is_animated);
    for (uint32_t i = 0; i < s->animation_count && !w->failed; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++)
            uses->is_animated[s->animations[i].channels[k].node] = true;
}

static void gltf_find_needed(gltf_exporter *w, gltf_uses *uses)
{
    uses->is_needed = gltf_alloc(w, w->node_count, sizeof *uses->is_needed);
    for (uint32_t i = 0; i < w->node_count && !w->failed; i++)
        if (w->nodes[i].parent != TENON_NONE) uses->is_needed[w->nodes[i].parent] = true;
    for (uint32_t i = 0; i < w->skin_count && !w->failed; i++) {
        const tenon_skin *skin = &w->scene->skins[w->skins[i].source];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            w->nodes[skin->joints[k]].is_stray_joint = false;
            uses->is_needed[w->skins[i].joints[k]] = true;
        }
    }
}

// Skinned meshes ignore the transforms of their nodes, so their nodes become roots without a
// transform. If the node has another use as well, the mesh gets a separate node.
static void gltf_place_skinned(gltf_exporter *w, const gltf_uses *uses, uint32_t i)
{
    gltf_node *node = &w->nodes[i];
    bool is_animated = uses->is_animated[i];
    bool may_stay = node->parent == TENON_NONE && has_no_transform(node) && !is_animated;
    bool may_move = !uses->is_needed[i] && !is_animated && node->camera == TENON_NONE &&
                    node->light == TENON_NONE;
    uint32_t index = i;
    if (!may_stay) gltf_report_loss(w, GLTF_LOST_PLACES, 1, "nodes", i);
    if (!may_stay && !may_move) index = gltf_add_node(w, node->name, TENON_NONE);
    if (index == TENON_NONE) return;
    node = &w->nodes[index];
    if (!may_stay && may_move) {
        node->parent = TENON_NONE;
        gltf_set_transform(node, (tn_vec3){0, 0, 0}, tn_quat_identity(), (tn_vec3){1, 1, 1});
    }
    node->mesh = uses->skinned[i];
    node->skin = w->skin_of[w->scene->nodes[i].skin];
}

static void gltf_link_nodes(gltf_exporter *w)
{
    for (uint32_t i = 0; i < w->node_count; i++) {
        uint32_t parent = w->nodes[i].parent;
        if (parent == TENON_NONE) continue;
        gltf_node *p = &w->nodes[parent];
        if (p->first_child == TENON_NONE)
            p->first_child = i;
        else
            w->nodes[p->last_child].next_sibling = i;
        p->last_child = i;
    }
}

void gltf_plan_nodes(gltf_exporter *w)
{
    gltf_uses uses = {0};
    gltf_copy_nodes(w);
    for (uint32_t i = 0; i < w->scene->node_count && !w->failed; i++)
        w->nodes[i].is_stray_joint = w->scene->nodes[i].is_joint;
    gltf_add_meshes(w, &uses);
    if (!w->failed) gltf_plan_skins(w, uses.is_used);
    gltf_find_animated(w, &uses);
    gltf_find_needed(w, &uses);
    for (uint32_t i = 0; i < w->scene->node_count && !w->failed; i++)
        if (uses.skinned[i] != TENON_NONE) gltf_place_skinned(w, &uses, i);
    if (!w->failed) gltf_link_nodes(w);
}

// -- Text

static void gltf_put_transform(gltf_exporter *w, const gltf_node *n)
{
    if (!gltf_all_equal(n->translation, 3, 0))
        gltf_put_numbers(w, "translation", n->translation, 3);
    if (!gltf_all_equal(n->rotation, 3, 0)) gltf_put_numbers(w, "rotation", n->rotation, 4);
    if (!gltf_all_equal(n->scale, 3, 1)) gltf_put_numbers(w, "scale", n->scale, 3);
}

static void gltf_put_node_extras(gltf_exporter *w, const gltf_node *n)
{
    bool has_named = n->source != TENON_NONE && gltf_has_extras(w, TENON_EXTRA_OF_NODE, n->source);
    if (!has_named && !n->is_stray_joint) return;
    gltf_open_object(w, "extras");
    if (n->is_stray_joint) {
        tn_json_put_key(&w->json, "joint");
        tn_json_put_bool(&w->json, true);
    }
    if (has_named) gltf_put_extra_members(w, TENON_EXTRA_OF_NODE, n->source);
    gltf_close_object(w);
}

static void gltf_put_node(gltf_exporter *w, const gltf_node *n)
{
    gltf_open_object(w, NULL);
    gltf_put_name(w, n->name);
    gltf_put_transform(w, n);
    gltf_put_index(w, "mesh", n->mesh);
    gltf_put_index(w, "skin", n->skin);
    gltf_put_index(w, "camera", n->camera);
    if (n->first_child != TENON_NONE) {
        gltf_open_array(w, "children");
        for (uint32_t k = n->first_child; k != TENON_NONE; k = w->nodes[k].next_sibling)
            tn_json_put_u64(&w->json, k);
        gltf_close_array(w);
    }
    if (n->light != TENON_NONE) {
        gltf_open_object(w, "extensions");
        gltf_open_object(w, "KHR_lights_punctual");
        gltf_put_index(w, "light", n->light);
        gltf_close_object(w);
        gltf_close_object(w);
    }
    gltf_put_node_extras(w, n);
    gltf_close_object(w);
}

void gltf_put_nodes(gltf_exporter *w)
{
    if (!w->node_count) return;
    gltf_open_array(w, "nodes");
    for (uint32_t i = 0; i < w->node_count; i++) gltf_put_node(w, &w->nodes[i]);
    gltf_close_array(w);
}
