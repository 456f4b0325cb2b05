// edit_keep.c: keep some nodes and clips, drop parts of meshes and materials.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"

#include <string.h>

// The nodes that the options name, and all below them. Fails if no node has one of the names.
static bool *edit_keep_find_wanted_nodes(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *wanted = tn_edit_scratch(editor, scene->node_count, sizeof *wanted);
    for (uint32_t k = 0; wanted && k < editor->keep->node_count; k++) {
        const char *name = editor->keep->nodes[k];
        bool is_known = false;
        for (uint32_t i = 0; i < scene->node_count; i++) {
            if (!tn_is_called(scene->nodes[i].name, name)) continue;
            wanted[i] = is_known = true;
        }
        if (!is_known) tn_edit_fail(editor, TENON_ERR_VALUE, "no node is called '%s'", name);
    }
    for (uint32_t i = 0; wanted && i < scene->node_count; i++)
        if (editor->keep->node_count == 0 ||
            (scene->nodes[i].parent != TENON_NONE && wanted[scene->nodes[i].parent]))
            wanted[i] = true;
    return editor->failed ? NULL : wanted;
}

// Of nodes that are levels of detail, only those of the wanted level stay wanted.
static void edit_keep_level(tn_editor *editor, bool *wanted)
{
    const tenon_scene *scene = editor->scene;
    uint32_t count = scene->node_count, wanted_level = editor->keep->lod - 1;
    uint32_t *levels = tn_edit_scratch(editor, count, sizeof *levels);  // Plus one.
    uint32_t *most = tn_edit_scratch(editor, count, sizeof *most);      // Below each node.
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        const tenon_extra *extra = &scene->extras[i];
        uint64_t level = 0;
        bool is_level = extra->of == TENON_EXTRA_OF_NODE && extra->index < count &&
                        tn_is_called(extra->name, "lod") && extra->value.size;
        for (uint32_t k = 0; k < extra->value.size && is_level; k++) {
            is_level = extra->value.data[k] >= '0' && extra->value.data[k] <= '9' && k < 9;
            level = 10 * level + (uint64_t)(extra->value.data[k] - '0');
        }
        if (is_level) levels[extra->index] = (uint32_t)level + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        if (parent != TENON_NONE && levels[i] > most[parent]) most[parent] = levels[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = scene->nodes[i].parent;
        uint32_t level =
            parent != TENON_NONE && most[parent] <= wanted_level ? most[parent] : wanted_level + 1;
        bool is_left_out = levels[i] && levels[i] != level;
        // What is below a node that is left out is marked like it.
        if (is_left_out || (parent != TENON_NONE && levels[parent] == TENON_NONE)) {
            levels[i] = TENON_NONE;
            wanted[i] = false;
        }
    }
}

static void edit_keep_nodes(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    bool *wanted = edit_keep_find_wanted_nodes(editor);
    bool *needed = tn_edit_scratch(editor, scene->node_count, sizeof *needed);
    bool *skins = tn_edit_scratch(editor, scene->skin_count, sizeof *skins);
    if (!editor->failed && editor->keep->lod) edit_keep_level(editor, wanted);
    if (editor->failed) return;
    // Also keep the joints of the wanted meshes, and all ancestors.
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
    for (uint32_t i = 0; i < scene->node_count; i++) {
        tenon_node *n = &scene->nodes[i];
        if (!wanted[i]) n->mesh = n->skin = n->camera = n->light = TENON_NONE;
    }
    // Before the nodes: unused skins have joints that are not kept.
    tn_drop_unused(editor);
    tn_keep_nodes(editor, needed);
}

static void edit_keep_clips(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    uint32_t *order = tn_edit_scratch(editor, scene->animation_count, sizeof *order), count = 0;
    bool *is_kept = tn_edit_scratch(editor, scene->animation_count, sizeof *is_kept);
    for (uint32_t k = 0; k < editor->keep->clip_count && !editor->failed; k++) {
        const char *name = editor->keep->clips[k];
        bool is_known = false;
        for (uint32_t i = 0; i < scene->animation_count; i++) {
            if (!tn_is_called(scene->animations[i].name, name)) continue;
            is_known = true;
            if (!is_kept[i]) order[count++] = i;
            is_kept[i] = true;
        }
        if (!is_known) tn_edit_fail(editor, TENON_ERR_VALUE, "no clip is called '%s'", name);
    }
    if (!editor->failed) tn_order_animations(editor, order, count);
}

void tn_edit_keep_objects(tn_editor *editor)
{
    if (editor->keep->node_count > 0 || editor->keep->lod) edit_keep_nodes(editor);
    if (editor->keep->clip_count > 0 && !editor->failed) edit_keep_clips(editor);
}

static void edit_keep_drop_streams(tenon_primitive *p, uint32_t drop)
{
    const uint32_t with_tangents = TENON_DROP_NORMALS | TENON_DROP_TANGENTS | TENON_DROP_UVS;
    if (drop & TENON_DROP_NORMALS) p->normals = NULL;
    if (drop & with_tangents) p->tangents = NULL;
    for (uint32_t k = 0; k < p->morph_count; k++) {
        if (!p->normals) p->morphs[k].normals = NULL;
        if (!p->tangents) p->morphs[k].tangents = NULL;
    }
    int first = drop & TENON_DROP_UVS ? 0 : drop & TENON_DROP_MORE_UVS ? 1 : TENON_UV_SETS;
    for (int k = first; k < TENON_UV_SETS; k++) p->uvs[k] = NULL;
    for (int k = 0; k < TENON_COLOR_SETS && drop & TENON_DROP_COLORS; k++) p->colors[k] = NULL;
    if (drop & TENON_DROP_MATERIALS) p->material = TENON_NONE;
}

void tn_edit_drop(tn_editor *editor)
{
    uint32_t drop = editor->keep->drop;
    tenon_scene *scene = editor->scene;
    if (drop & TENON_DROP_ANIMATIONS) tn_order_animations(editor, NULL, 0);
    if (drop & TENON_DROP_SKINS) tn_edit_drop_skins(editor);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            edit_keep_drop_streams(&scene->meshes[i].primitives[k], drop);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (drop & TENON_DROP_CAMERAS) scene->nodes[i].camera = TENON_NONE;
        if (drop & TENON_DROP_LIGHTS) scene->nodes[i].light = TENON_NONE;
    }
    if (drop & TENON_DROP_CAMERAS) scene->camera_count = 0;
    if (drop & TENON_DROP_LIGHTS) scene->light_count = 0;
    if (drop & (TENON_DROP_TEXTURES | TENON_DROP_MATERIALS)) {
        for (uint32_t i = 0; i < scene->material_count; i++)
            for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
                scene->materials[i].textures[slot].image = TENON_NONE;
        scene->image_count = 0;
    }
    if (!(drop & TENON_DROP_MATERIALS)) return;
    tn_move_extras(editor, TENON_EXTRA_OF_MATERIAL, NULL, 0);
    scene->material_count = 0;
}
