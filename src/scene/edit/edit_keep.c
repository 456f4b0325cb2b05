// edit_keep.c: what is kept of a scene: nodes, clips, parts of meshes and materials.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"

#include <string.h>

// -- Nodes

// Nodes that were asked for, and all below them. A name that no node has fails.
static bool *find_wanted(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *wanted = tn_edit_scratch(editor, scene->node_count, sizeof *wanted);
    for (uint32_t k = 0; wanted && k < editor->opts->node_count; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < scene->node_count; i++) {
            if (!tn_is_called(scene->nodes[i].name, editor->opts->nodes[k])) continue;
            wanted[i] = is_known = true;
        }
        if (!is_known)
            tn_edit_fail(editor, TENON_ERR_VALUE, "no node is called '%s'", editor->opts->nodes[k]);
    }
    for (uint32_t i = 0; wanted && i < scene->node_count; i++)
        if (scene->nodes[i].parent != TENON_NONE && wanted[scene->nodes[i].parent])
            wanted[i] = true;
    return editor->failed ? NULL : wanted;
}

// Those, the joints that move their meshes, and what is above both.
static bool *find_needed(tn_editor *editor, const bool *wanted)
{
    const tenon_scene *scene = editor->scene;
    bool *needed = tn_edit_scratch(editor, scene->node_count, sizeof *needed);
    bool *skins = tn_edit_scratch(editor, scene->skin_count, sizeof *skins);
    if (editor->failed) return NULL;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        needed[i] = wanted[i];
        if (wanted[i] && scene->nodes[i].skin != TENON_NONE) skins[scene->nodes[i].skin] = true;
    }
    for (uint32_t i = 0; i < scene->skin_count; i++)
        for (uint32_t k = 0; skins[i] && k < scene->skins[i].joint_count; k++)
            needed[scene->skins[i].joints[k]] = true;
    for (uint32_t i = scene->node_count; i-- > 0;)
        if (needed[i] && scene->nodes[i].parent != TENON_NONE)
            needed[scene->nodes[i].parent] = true;
    return needed;
}

static void keep_nodes(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    bool *wanted = find_wanted(editor), *needed = wanted ? find_needed(editor, wanted) : NULL;
    if (!needed) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        tenon_node *n = &scene->nodes[i];
        if (!wanted[i]) n->mesh = n->skin = n->camera = n->light = TENON_NONE;
    }
    // Skins that nothing shows any more have joints that go: they go first.
    tn_drop_unused(editor);
    tn_keep_nodes(editor, needed);
}

// -- Clips

static void keep_clips(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    uint32_t *order = tn_edit_scratch(editor, scene->animation_count, sizeof *order), count = 0;
    bool *taken = tn_edit_scratch(editor, scene->animation_count, sizeof *taken);
    for (uint32_t k = 0; k < editor->opts->clip_count && !editor->failed; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < scene->animation_count; i++) {
            if (!tn_is_called(scene->animations[i].name, editor->opts->clips[k])) continue;
            is_known = true;
            if (!taken[i]) order[count++] = i;
            taken[i] = true;
        }
        if (!is_known)
            tn_edit_fail(editor, TENON_ERR_VALUE, "no clip is called '%s'", editor->opts->clips[k]);
    }
    if (!editor->failed) tn_order_animations(editor, order, count);
}

void tn_edit_keep(tn_editor *editor)
{
    if (editor->opts->node_count > 0) keep_nodes(editor);
    if (editor->opts->clip_count > 0 && !editor->failed) keep_clips(editor);
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

static void drop_of_meshes(tn_editor *editor, uint32_t drop)
{
    for (uint32_t i = 0; i < editor->scene->mesh_count; i++)
        for (uint32_t k = 0; k < editor->scene->meshes[i].primitive_count; k++)
            drop_streams(&editor->scene->meshes[i].primitives[k], drop);
}

static void drop_textures(tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
            scene->materials[i].textures[slot].image = TENON_NONE;
    scene->image_count = 0;
}

static void drop_views(tenon_scene *scene, uint32_t drop)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (drop & TENON_DROP_CAMERAS) scene->nodes[i].camera = TENON_NONE;
        if (drop & TENON_DROP_LIGHTS) scene->nodes[i].light = TENON_NONE;
    }
    if (drop & TENON_DROP_CAMERAS) scene->camera_count = 0;
    if (drop & TENON_DROP_LIGHTS) scene->light_count = 0;
}

void tn_edit_drop(tn_editor *editor)
{
    uint32_t drop = editor->opts->drop;
    tenon_scene *scene = editor->scene;
    if (drop & TENON_DROP_ANIMATIONS) tn_order_animations(editor, NULL, 0);
    if (drop & TENON_DROP_SKINS) tn_edit_drop_skins(editor);
    if (editor->failed) return;
    drop_of_meshes(editor, drop);
    drop_views(scene, drop);
    if (drop & (TENON_DROP_TEXTURES | TENON_DROP_MATERIALS)) drop_textures(scene);
    if (!(drop & TENON_DROP_MATERIALS)) return;
    tn_move_extras(editor, TENON_EXTRA_OF_MATERIAL, NULL, 0);
    scene->material_count = 0;
}
