// edit_join.c: join equal materials, and remove nodes that nothing needs.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Materials

#define MATERIAL_KEY_SIZE \
    (25 + 9 * TENON_SLOT_COUNT)  // At least what edit_join_add_material() adds.

// The numbers of a material. Equal materials have equal keys.
typedef struct material_key {
    uint64_t *words;
    uint32_t count;
} material_key;

static void edit_join_add_values(material_key *key, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i] + 0.0;  // 0 for -0.
        memcpy(&key->words[key->count++], &value, sizeof value);
    }
}

static void edit_join_add_material(material_key *key, const tenon_material *m)
{
    const double others[] = {
        m->metallic,     m->roughness,    m->normal_scale, m->occlusion_strength, (double)m->alpha,
        m->alpha_cutoff, m->double_sided, m->is_unlit,     m->is_classic,         m->shininess};
    const tenon_texture none = {.image = TENON_NONE};
    edit_join_add_values(key, m->base_color, 4);
    edit_join_add_values(key, m->emissive, 3);
    edit_join_add_values(key, m->specular, 3);
    edit_join_add_values(key, others, sizeof others / sizeof others[0]);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        if (t->image == TENON_NONE) t = &none;  // Its other numbers have no effect.
        const double values[9] = {t->image,     t->uv_set,          t->offset[0],
                                  t->offset[1], t->scale[0],        t->scale[1],
                                  t->rotation,  (double)t->wrap[0], (double)t->wrap[1]};
        edit_join_add_values(key, values, 9);
    }
}

static uint64_t edit_join_hash_text(uint64_t hash, tenon_str text)
{
    for (uint32_t i = 0; i < text.size; i++) hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

static void edit_join_materials(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t count = scene->material_count;
    uint64_t *keys = tn_edit_scratch(editor, count, MATERIAL_KEY_SIZE * sizeof *keys);
    uint32_t *first = tn_edit_scratch(editor, count, sizeof *first);
    bool *keep = tn_edit_scratch(editor, count, sizeof *keep);
    if (editor->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        material_key key = {keys + (size_t)i * MATERIAL_KEY_SIZE + 1, 0};
        edit_join_add_material(&key, &scene->materials[i]);
    }
    // The first word of a key is for the extras.
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of != TENON_EXTRA_OF_MATERIAL || e->index >= count) continue;
        uint64_t *word = &keys[(size_t)e->index * MATERIAL_KEY_SIZE];
        *word = edit_join_hash_text(edit_join_hash_text(*word, e->name), e->value);
    }
    tn_key_layout layout = {1, &(tn_stream){keys, 2 * MATERIAL_KEY_SIZE}, false};
    if (!tn_edit_expect(editor,
                        tn_find_equal(&layout, count, &editor->scratch, &editor->pulse, first)))
        return;
    for (uint32_t i = 0; i < count; i++) keep[i] = first[i] == i;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t *material = &scene->meshes[i].primitives[k].material;
            if (*material != TENON_NONE) *material = first[*material];
        }
    tn_keep_materials(editor, keep);
}

// -- Nodes

// Mark the nodes that show something, are animated, are joints or have extras.
static void edit_join_find_needed_nodes(tn_editor *editor, const bool *is_animated, bool *keep)
{
    const tenon_scene *scene = editor->scene;
    bool *is_joint = tn_skeleton_nodes(editor);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        bool has_something = n->mesh != TENON_NONE || n->camera != TENON_NONE ||
                             n->light != TENON_NONE || n->is_joint;
        keep[i] = has_something || is_animated[i] || is_joint[i];
    }
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of == TENON_EXTRA_OF_NODE && e->index < scene->node_count) keep[e->index] = true;
    }
}

static bool edit_join_find_similarity(const tenon_node *n, tn_similarity *out)
{
    const double *scale = n->scale;
    if (n->has_matrix || scale[0] != scale[1] || scale[1] != scale[2]) return false;
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    tn_mat3 linear = tn_mat3_from_quat(q);
    for (int k = 0; k < 9; k++) linear.m[k] *= scale[0];
    *out = (tn_similarity){
        linear, q, scale[0], {n->translation[0], n->translation[1], n->translation[2]}};
    return true;
}

// The channels of an animated child can take over a similarity only: mark the parents that have
// another transform, or inherit one from an ancestor that is removed.
static void edit_join_find_parents_to_keep(tn_editor *editor, const bool *is_animated, bool *keep)
{
    const tenon_scene *scene = editor->scene;
    bool *has_animated_child =
        tn_edit_scratch(editor, scene->node_count, sizeof *has_animated_child);
    bool *is_similarity = tn_edit_scratch(editor, scene->node_count, sizeof *is_similarity);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (is_animated[i] && scene->nodes[i].parent != TENON_NONE)
            has_animated_child[scene->nodes[i].parent] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        tn_similarity transform;
        bool is_first = parent == TENON_NONE || keep[parent];
        is_similarity[i] = edit_join_find_similarity(&scene->nodes[i], &transform) &&
                           (is_first || is_similarity[parent]);
        if (has_animated_child[i] && !is_similarity[i]) keep[i] = true;
    }
}

static tn_mat4 edit_join_local_matrix(const tenon_node *n)
{
    tn_mat4 m;
    memcpy(m.m, n->matrix, sizeof m.m);
    if (n->has_matrix) return m;
    tn_trs trs = {{n->translation[0], n->translation[1], n->translation[2]},
                  {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                  {n->scale[0], n->scale[1], n->scale[2]}};
    return tn_mat4_from_trs(&trs);
}

static void edit_join_nodes(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t count = scene->node_count;
    bool *is_animated = tn_animated_nodes(editor);
    bool *keep = tn_edit_scratch(editor, count, sizeof *keep);
    tn_similarity *transforms = tn_edit_scratch(editor, count, sizeof *transforms);
    const tn_similarity **by = tn_edit_scratch(editor, count, sizeof *by);
    if (!editor->failed) edit_join_find_needed_nodes(editor, is_animated, keep);
    if (!editor->failed) edit_join_find_parents_to_keep(editor, is_animated, keep);
    if (editor->failed) return;
    // Parents come first: a parent that is removed has already taken over its parent's transform.
    for (uint32_t i = 0; i < count; i++) {
        tenon_node *n = &scene->nodes[i];
        if (n->parent == TENON_NONE || keep[n->parent]) continue;
        const tenon_node *parent = &scene->nodes[n->parent];
        if (edit_join_find_similarity(parent, &transforms[i])) {
            tn_transform_node(n, &transforms[i]);
            by[i] = &transforms[i];
        } else {
            tn_mat4 a = edit_join_local_matrix(parent), b = edit_join_local_matrix(n),
                    both = tn_mat4_mul(&a, &b);
            tn_set_node_matrix(editor, i, &both);
        }
        n->parent = parent->parent;
    }
    tn_transform_channels(editor, by);
    tn_keep_nodes(editor, keep);
}

void tn_edit_join(tn_editor *editor)
{
    if (editor->meshes->join & TENON_JOIN_MATERIALS) edit_join_materials(editor);
    if (editor->meshes->join & TENON_JOIN_MESHES && !editor->failed) tn_edit_join_meshes(editor);
    if (editor->meshes->join & TENON_JOIN_NODES && !editor->failed) edit_join_nodes(editor);
}
