// edit_join.c: materials that are equal, and nodes that nothing needs.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Materials

#define KEY_SIZE (25 + 9 * TENON_SLOT_COUNT)

// A material as numbers, one behind the other.
typedef struct material_key {
    uint64_t *words;
    uint32_t count;
} material_key;

static void add_values(material_key *k, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i] + 0.0;  // Not -0.
        memcpy(&k->words[k->count++], &value, sizeof value);
    }
}

static void add_texture(material_key *k, const tenon_texture *t)
{
    // Of what is not there, nothing else counts.
    const tenon_texture none = {.image = TENON_NONE};
    if (t->image == TENON_NONE) t = &none;
    const double values[9] = {t->image,     t->uv_set,          t->offset[0],
                              t->offset[1], t->scale[0],        t->scale[1],
                              t->rotation,  (double)t->wrap[0], (double)t->wrap[1]};
    add_values(k, values, 9);
}

static void add_material(material_key *k, const tenon_material *m)
{
    const double rest[] = {
        m->metallic,     m->roughness,    m->normal_scale, m->occlusion_strength, (double)m->alpha,
        m->alpha_cutoff, m->double_sided, m->is_unlit,     m->is_classic,         m->shininess};
    add_values(k, m->base_color, 4);
    add_values(k, m->emissive, 3);
    add_values(k, m->specular, 3);
    add_values(k, rest, sizeof rest / sizeof rest[0]);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) add_texture(k, &m->textures[slot]);
}

static uint64_t hash_text(uint64_t hash, tenon_str text)
{
    for (uint32_t i = 0; i < text.size; i++) hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

// For each material the first one that is equal, in its extras as well.
static uint32_t *find_equal_materials(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    uint32_t count = scene->material_count;
    uint64_t *keys = tn_edit_scratch(editor, count, KEY_SIZE * sizeof *keys);
    uint32_t *first = tn_edit_scratch(editor, count, sizeof *first);
    if (editor->failed) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        material_key k = {keys + (size_t)i * KEY_SIZE + 1, 0};
        add_material(&k, &scene->materials[i]);
    }
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of != TENON_EXTRA_OF_MATERIAL || e->index >= count) continue;
        uint64_t *word = &keys[(size_t)e->index * KEY_SIZE];
        *word = hash_text(hash_text(*word, e->name), e->value);
    }
    tn_sameness how = {1, {{keys, 2 * KEY_SIZE}}, false};
    return tn_edit_expect(editor,
                          tn_find_same(&how, count, &editor->scratch, &editor->pulse, first))
               ? first
               : NULL;
}

static void join_materials(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    uint32_t *first = find_equal_materials(editor);
    bool *keep = tn_edit_scratch(editor, scene->material_count, sizeof *keep);
    if (!first || !keep) return;
    for (uint32_t i = 0; i < scene->material_count; i++) keep[i] = first[i] == i;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t *material = &scene->meshes[i].primitives[k].material;
            if (*material != TENON_NONE) *material = first[*material];
        }
    tn_keep_materials(editor, keep);
}

// -- Nodes

typedef struct node_join {
    tn_editor *editor;
    bool *keep, *is_animated;
    bool *is_plain;  // It, and all above it that go, only turn, move and scale all axes alike.
} node_join;

static void find_needed_nodes(node_join *join)
{
    const tenon_scene *scene = join->editor->scene;
    bool *is_joint = tn_skeleton_nodes(join->editor);
    if (join->editor->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        bool has_something = n->mesh != TENON_NONE || n->camera != TENON_NONE ||
                             n->light != TENON_NONE || n->is_joint;
        join->keep[i] = has_something || join->is_animated[i] || is_joint[i];
    }
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *e = &scene->extras[i];
        if (e->of == TENON_EXTRA_OF_NODE && e->index < scene->node_count)
            join->keep[e->index] = true;
    }
}

static bool find_similarity(const tenon_node *n, tn_similarity *out)
{
    const double *s = n->scale;
    if (n->has_matrix || s[0] != s[1] || s[1] != s[2]) return false;
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    tn_mat3 turn = tn_mat3_from_quat(q);
    for (int k = 0; k < 9; k++) turn.m[k] *= s[0];
    *out =
        (tn_similarity){turn, q, s[0], {n->translation[0], n->translation[1], n->translation[2]}};
    return true;
}

// Children that are animated can take over plain transforms only: for others a node has to stay.
static void find_stuck_nodes(node_join *join)
{
    const tenon_scene *scene = join->editor->scene;
    bool *has_moving_child =
        tn_edit_scratch(join->editor, scene->node_count, sizeof *has_moving_child);
    if (join->editor->failed) return;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (join->is_animated[i] && scene->nodes[i].parent != TENON_NONE)
            has_moving_child[scene->nodes[i].parent] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        tn_similarity transform;
        bool is_first = parent == TENON_NONE || join->keep[parent];
        join->is_plain[i] =
            find_similarity(&scene->nodes[i], &transform) && (is_first || join->is_plain[parent]);
        if (has_moving_child[i] && !join->is_plain[i]) join->keep[i] = true;
    }
}

static tn_mat4 local_of(const tenon_node *n)
{
    tn_mat4 m;
    memcpy(m.m, n->matrix, sizeof m.m);
    if (n->has_matrix) return m;
    tn_trs trs = {{n->translation[0], n->translation[1], n->translation[2]},
                  {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]},
                  {n->scale[0], n->scale[1], n->scale[2]}};
    return tn_mat4_from_trs(&trs);
}

// A child whose parent goes takes over what that did. Returns whether *placing says what, for its
// channels.
static bool take_over(tn_editor *editor, uint32_t node, tn_similarity *transform)
{
    tenon_node *n = &editor->scene->nodes[node];
    const tenon_node *parent = &editor->scene->nodes[n->parent];
    bool is_plain = find_similarity(parent, transform);
    if (is_plain) {
        tn_transform_node(n, transform);
    } else {
        tn_mat4 a = local_of(parent), b = local_of(n), both = tn_mat4_mul(&a, &b);
        tn_set_node_matrix(editor, node, &both);
    }
    n->parent = parent->parent;
    return is_plain;
}

// From the top down, so that a parent that goes has taken over what was above it.
static void join_nodes(tn_editor *editor)
{
    uint32_t count = editor->scene->node_count;
    node_join join = {.editor = editor, .is_animated = tn_animated_nodes(editor)};
    join.keep = tn_edit_scratch(editor, count, sizeof *join.keep);
    join.is_plain = tn_edit_scratch(editor, count, sizeof *join.is_plain);
    tn_similarity *transforms = tn_edit_scratch(editor, count, sizeof *transforms);
    const tn_similarity **by = tn_edit_scratch(editor, count, sizeof *by);
    if (!editor->failed) find_needed_nodes(&join);
    if (!editor->failed) find_stuck_nodes(&join);
    for (uint32_t i = 0; i < count && !editor->failed; i++) {
        uint32_t parent = editor->scene->nodes[i].parent;
        if (parent == TENON_NONE || join.keep[parent]) continue;
        if (take_over(editor, i, &transforms[i])) by[i] = &transforms[i];
    }
    if (editor->failed) return;
    tn_transform_channels(editor, by);
    tn_keep_nodes(editor, join.keep);
}

// -- The step

void tn_edit_join(tn_editor *editor)
{
    if (editor->opts->join & TENON_JOIN_MATERIALS) join_materials(editor);
    if (editor->opts->join & TENON_JOIN_MESHES && !editor->failed) tn_edit_join_meshes(editor);
    if (editor->opts->join & TENON_JOIN_NODES && !editor->failed) join_nodes(editor);
}
