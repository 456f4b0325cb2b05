// edit_keep.c: what is kept of a scene: nodes, clips, parts of meshes and materials.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include <string.h>

// -- Nodes

// Nodes that were asked for, and all below them. A name that no node has fails.
static bool *find_wanted(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *wanted = tn_edit_room(r, s->node_count, sizeof *wanted);
    for (uint32_t k = 0; wanted && k < r->opts->node_count; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < s->node_count; i++) {
            if (!tn_is_called(s->nodes[i].name, r->opts->nodes[k])) continue;
            wanted[i] = is_known = true;
        }
        if (!is_known)
            tn_edit_fail(r, TENON_ERR_VALUE, "no node is called '%s'", r->opts->nodes[k]);
    }
    for (uint32_t i = 0; wanted && i < s->node_count; i++)
        if (s->nodes[i].parent != TENON_NONE && wanted[s->nodes[i].parent]) wanted[i] = true;
    return r->failed ? NULL : wanted;
}

// Those, the joints that move their meshes, and what is above both.
static bool *find_needed(tn_editor *r, const bool *wanted)
{
    const tenon_scene *s = r->scene;
    bool *needed = tn_edit_room(r, s->node_count, sizeof *needed);
    bool *skins = tn_edit_room(r, s->skin_count, sizeof *skins);
    if (r->failed) return NULL;
    for (uint32_t i = 0; i < s->node_count; i++) {
        needed[i] = wanted[i];
        if (wanted[i] && s->nodes[i].skin != TENON_NONE) skins[s->nodes[i].skin] = true;
    }
    for (uint32_t i = 0; i < s->skin_count; i++)
        for (uint32_t k = 0; skins[i] && k < s->skins[i].joint_count; k++)
            needed[s->skins[i].joints[k]] = true;
    for (uint32_t i = s->node_count; i-- > 0;)
        if (needed[i] && s->nodes[i].parent != TENON_NONE) needed[s->nodes[i].parent] = true;
    return needed;
}

static void keep_nodes(tn_editor *r)
{
    tenon_scene *s = r->scene;
    bool *wanted = find_wanted(r), *needed = wanted ? find_needed(r, wanted) : NULL;
    if (!needed) return;
    for (uint32_t i = 0; i < s->node_count; i++) {
        tenon_node *n = &s->nodes[i];
        if (!wanted[i]) n->mesh = n->skin = n->camera = n->light = TENON_NONE;
    }
    // Skins that nothing shows any more have joints that go: they go first.
    tn_drop_unused(r);
    tn_keep_nodes(r, needed);
}

// -- Clips

static void keep_clips(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    uint32_t *order = tn_edit_room(r, s->animation_count, sizeof *order), count = 0;
    bool *taken = tn_edit_room(r, s->animation_count, sizeof *taken);
    for (uint32_t k = 0; k < r->opts->clip_count && !r->failed; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < s->animation_count; i++) {
            if (!tn_is_called(s->animations[i].name, r->opts->clips[k])) continue;
            is_known = true;
            if (!taken[i]) order[count++] = i;
            taken[i] = true;
        }
        if (!is_known)
            tn_edit_fail(r, TENON_ERR_VALUE, "no clip is called '%s'", r->opts->clips[k]);
    }
    if (!r->failed) tn_order_animations(r, order, count);
}

void tn_edit_keep(tn_editor *r)
{
    if (r->opts->node_count > 0) keep_nodes(r);
    if (r->opts->clip_count > 0 && !r->failed) keep_clips(r);
}

// -- Parts

static void drop_streams(tenon_primitive *p, uint32_t drop)
{
    const uint32_t with_tangents = TENON_DROP_NORMALS | TENON_DROP_TANGENTS | TENON_DROP_UVS;
    if (drop & TENON_DROP_NORMALS) p->normals = NULL;
    if (drop & with_tangents) p->tangents = NULL;
    int first = drop & TENON_DROP_UVS ? 0 : drop & TENON_DROP_MORE_UVS ? 1 : TENON_UV_SETS;
    for (int k = first; k < TENON_UV_SETS; k++) p->uvs[k] = NULL;
    for (int k = 0; k < TENON_COLOR_SETS && drop & TENON_DROP_COLORS; k++) p->colors[k] = NULL;
    if (drop & TENON_DROP_MATERIALS) p->material = TENON_NONE;
}

static void drop_of_meshes(tn_editor *r, uint32_t drop)
{
    for (uint32_t i = 0; i < r->scene->mesh_count; i++)
        for (uint32_t k = 0; k < r->scene->meshes[i].primitive_count; k++)
            drop_streams(&r->scene->meshes[i].primitives[k], drop);
}

static void drop_textures(tenon_scene *s)
{
    for (uint32_t i = 0; i < s->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
            s->materials[i].textures[slot].image = TENON_NONE;
    s->image_count = 0;
}

static void drop_views(tenon_scene *s, uint32_t drop)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (drop & TENON_DROP_CAMERAS) s->nodes[i].camera = TENON_NONE;
        if (drop & TENON_DROP_LIGHTS) s->nodes[i].light = TENON_NONE;
    }
    if (drop & TENON_DROP_CAMERAS) s->camera_count = 0;
    if (drop & TENON_DROP_LIGHTS) s->light_count = 0;
}

void tn_edit_drop(tn_editor *r)
{
    uint32_t drop = r->opts->drop;
    tenon_scene *s = r->scene;
    if (drop & TENON_DROP_ANIMATIONS) tn_order_animations(r, NULL, 0);
    if (drop & TENON_DROP_SKINS) tn_edit_drop_skins(r);
    if (r->failed) return;
    drop_of_meshes(r, drop);
    drop_views(s, drop);
    if (drop & (TENON_DROP_TEXTURES | TENON_DROP_MATERIALS)) drop_textures(s);
    if (!(drop & TENON_DROP_MATERIALS)) return;
    tn_move_extras(r, TENON_EXTRA_OF_MATERIAL, NULL, 0);
    s->material_count = 0;
}
