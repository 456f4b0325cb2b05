// edit_join.c: materials that are equal, and nodes that nothing needs.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/surface/surface_private.h"

#include <string.h>

// -- Materials

#define KEY_SIZE (25 + 9 * TENON_SLOT_COUNT)

// A material as numbers, one behind the other.
typedef struct key {
    uint64_t *words;
    uint32_t count;
} key;

static void put(key *k, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i] + 0.0;  // Not -0.
        memcpy(&k->words[k->count++], &value, sizeof value);
    }
}

static void put_texture(key *k, const tenon_texture *t)
{
    // Of what is not there, nothing else counts.
    const tenon_texture none = {.image = TENON_NONE};
    if (t->image == TENON_NONE) t = &none;
    const double values[9] = {t->image,     t->uv_set,          t->offset[0],
                              t->offset[1], t->scale[0],        t->scale[1],
                              t->rotation,  (double)t->wrap[0], (double)t->wrap[1]};
    put(k, values, 9);
}

static void put_material(key *k, const tenon_material *m)
{
    const double rest[] = {
        m->metallic,     m->roughness,    m->normal_scale, m->occlusion_strength, (double)m->alpha,
        m->alpha_cutoff, m->double_sided, m->is_unlit,     m->is_classic,         m->shininess};
    put(k, m->base_color, 4);
    put(k, m->emissive, 3);
    put(k, m->specular, 3);
    put(k, rest, sizeof rest / sizeof rest[0]);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) put_texture(k, &m->textures[slot]);
}

static uint64_t hash_text(uint64_t hash, tenon_str text)
{
    for (uint32_t i = 0; i < text.size; i++) hash = (hash ^ (uint8_t)text.data[i]) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

// For each material the first one that is equal, in its extras as well.
static uint32_t *find_equal_materials(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    uint32_t count = s->material_count;
    uint64_t *keys = tn_edit_room(r, count, KEY_SIZE * sizeof *keys);
    uint32_t *first = tn_edit_room(r, count, sizeof *first);
    if (r->failed) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        key k = {keys + (size_t)i * KEY_SIZE + 1, 0};
        put_material(&k, &s->materials[i]);
    }
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *e = &s->extras[i];
        if (e->of != TENON_EXTRA_OF_MATERIAL || e->index >= count) continue;
        uint64_t *word = &keys[(size_t)e->index * KEY_SIZE];
        *word = hash_text(hash_text(*word, e->name), e->value);
    }
    tn_sameness how = {1, {{keys, 2 * KEY_SIZE}}, false};
    return tn_edit_expect(r, tn_find_same(&how, count, &r->work, &r->pulse, first)) ? first : NULL;
}

static void join_materials(tn_editor *r)
{
    tenon_scene *s = r->scene;
    uint32_t *first = find_equal_materials(r);
    bool *keep = tn_edit_room(r, s->material_count, sizeof *keep);
    if (!first || !keep) return;
    for (uint32_t i = 0; i < s->material_count; i++) keep[i] = first[i] == i;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            uint32_t *material = &s->meshes[i].primitives[k].material;
            if (*material != TENON_NONE) *material = first[*material];
        }
    tn_keep_materials(r, keep);
}

// -- Nodes

typedef struct joiner {
    tn_editor *r;
    bool *keep, *moves;
    bool *is_plain;  // It, and all above it that go, only turn, move and scale all axes alike.
} joiner;

static void find_needed_nodes(joiner *j)
{
    const tenon_scene *s = j->r->scene;
    bool *is_joint = tn_skeleton_nodes(j->r);
    if (j->r->failed) return;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *n = &s->nodes[i];
        bool has_something = n->mesh != TENON_NONE || n->camera != TENON_NONE ||
                             n->light != TENON_NONE || n->is_joint;
        j->keep[i] = has_something || j->moves[i] || is_joint[i];
    }
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *e = &s->extras[i];
        if (e->of == TENON_EXTRA_OF_NODE && e->index < s->node_count) j->keep[e->index] = true;
    }
}

static bool find_placing(const tenon_node *n, tn_placing *out)
{
    const double *s = n->scale;
    if (n->has_matrix || s[0] != s[1] || s[1] != s[2]) return false;
    tn_quat q = {n->rotation[0], n->rotation[1], n->rotation[2], n->rotation[3]};
    tn_mat3 turn = tn_mat3_from_quat(q);
    for (int k = 0; k < 9; k++) turn.m[k] *= s[0];
    *out = (tn_placing){turn, q, s[0], {n->translation[0], n->translation[1], n->translation[2]}};
    return true;
}

// Children that are animated can take over plain transforms only: for others a node has to stay.
static void find_stuck_nodes(joiner *j)
{
    const tenon_scene *s = j->r->scene;
    bool *has_moving_child = tn_edit_room(j->r, s->node_count, sizeof *has_moving_child);
    if (j->r->failed) return;
    for (uint32_t i = 0; i < s->node_count; i++)
        if (j->moves[i] && s->nodes[i].parent != TENON_NONE)
            has_moving_child[s->nodes[i].parent] = true;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t parent = s->nodes[i].parent;
        tn_placing placing;
        bool is_first = parent == TENON_NONE || j->keep[parent];
        j->is_plain[i] = find_placing(&s->nodes[i], &placing) && (is_first || j->is_plain[parent]);
        if (has_moving_child[i] && !j->is_plain[i]) j->keep[i] = true;
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
static bool take_over(tn_editor *r, uint32_t node, tn_placing *placing)
{
    tenon_node *n = &r->scene->nodes[node];
    const tenon_node *parent = &r->scene->nodes[n->parent];
    bool is_plain = find_placing(parent, placing);
    if (is_plain) {
        tn_place_before(n, placing);
    } else {
        tn_mat4 a = local_of(parent), b = local_of(n), both = tn_mat4_mul(&a, &b);
        tn_place_node(r, node, &both);
    }
    n->parent = parent->parent;
    return is_plain;
}

// From the top down, so that a parent that goes has taken over what was above it.
static void join_nodes(tn_editor *r)
{
    uint32_t count = r->scene->node_count;
    joiner j = {.r = r, .moves = tn_animated_nodes(r)};
    j.keep = tn_edit_room(r, count, sizeof *j.keep);
    j.is_plain = tn_edit_room(r, count, sizeof *j.is_plain);
    tn_placing *placings = tn_edit_room(r, count, sizeof *placings);
    const tn_placing **by = tn_edit_room(r, count, sizeof *by);
    if (!r->failed) find_needed_nodes(&j);
    if (!r->failed) find_stuck_nodes(&j);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t parent = r->scene->nodes[i].parent;
        if (parent == TENON_NONE || j.keep[parent]) continue;
        if (take_over(r, i, &placings[i])) by[i] = &placings[i];
    }
    if (r->failed) return;
    tn_place_channels(r, by);
    tn_keep_nodes(r, j.keep);
}

// -- The step

void tn_edit_join(tn_editor *r)
{
    if (r->opts->join & TENON_JOIN_MATERIALS) join_materials(r);
    if (r->opts->join & TENON_JOIN_MESHES && !r->failed) tn_edit_join_meshes(r);
    if (r->opts->join & TENON_JOIN_NODES && !r->failed) join_nodes(r);
}
