// edit_lists.c: objects that go, move up or come to a scene, and what refers to them.
// SPDX-License-Identifier: MIT

#include "scene/edit/editor.h"
#include "scene/model/scene_build.h"

#include <stddef.h>
#include <string.h>

// -- Places

// The new index of each object; TENON_NONE for those that go.
static uint32_t *edit_lists_number_kept(tn_editor *editor, const bool *keep, uint32_t count)
{
    uint32_t *places = tn_edit_scratch(editor, count, sizeof *places), next = 0;
    for (uint32_t i = 0; places && i < count; i++) places[i] = keep[i] ? next++ : TENON_NONE;
    return places;
}

// Move objects to their places, none of which is after the old one. Returns how many there are.
static uint32_t edit_lists_move_up(void *items, size_t size, const uint32_t *places, uint32_t count)
{
    uint32_t kept = 0;
    char *bytes = items;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] == TENON_NONE) continue;
        if (places[i] != i) memmove(bytes + places[i] * size, bytes + i * size, size);
        kept++;
    }
    return kept;
}

static uint32_t edit_lists_place_of(const uint32_t *places, uint32_t index)
{
    return index == TENON_NONE ? TENON_NONE : places[index];
}

// -- Extras

static tenon_str edit_lists_copy_text(tn_editor *editor, const char *text)
{
    return tn_edit_text(editor, (tenon_str){text, (uint32_t)strlen(text)});
}

void tn_move_extras(tn_editor *editor, tenon_extra_of of, const uint32_t *places, uint32_t count)
{
    tenon_scene *scene = editor->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->extra_count && !editor->failed; i++) {
        tenon_extra extra = scene->extras[i];
        if (extra.of == of) {
            extra.index = extra.index < count ? places[extra.index] : TENON_NONE;
            if (extra.index == TENON_NONE) continue;
        }
        scene->extras[kept++] = extra;
    }
    if (!editor->failed) scene->extra_count = kept;
}

void tn_set_extras(tn_editor *editor, tenon_extra_of of, const char *name, const char **values,
                   uint32_t count)
{
    tenon_scene *scene = editor->scene;
    uint64_t room = (uint64_t)scene->extra_count + count;
    if (room >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *more = tn_edit_array(editor, room, sizeof *more);
    if (!more) return;
    uint32_t used = scene->extra_count;
    if (used) memcpy(more, scene->extras, used * sizeof *more);
    for (uint32_t i = 0; i < used; i++) {
        tenon_extra *extra = &more[i];
        if (extra->of != of || extra->index >= count || !values[extra->index]) continue;
        if (!tn_is_called(extra->name, name)) continue;
        extra->value = edit_lists_copy_text(editor, values[extra->index]);
        values[extra->index] = NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        if (values[i])
            more[used++] = (tenon_extra){of, i, edit_lists_copy_text(editor, name),
                                         edit_lists_copy_text(editor, values[i])};
    scene->extras = more;
    scene->extra_count = used;
}

// -- Nodes

void tn_keep_nodes(tn_editor *editor, const bool *keep)
{
    tenon_scene *scene = editor->scene;
    uint32_t *places =
        editor->failed ? NULL : edit_lists_number_kept(editor, keep, scene->node_count);
    if (!places) return;
    tn_move_extras(editor, TENON_EXTRA_OF_NODE, places, scene->node_count);
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        tenon_animation *a = &scene->animations[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < a->channel_count; k++) {
            uint32_t node = places[a->channels[k].node];
            if (node == TENON_NONE) continue;
            a->channels[kept] = a->channels[k];
            a->channels[kept++].node = node;
        }
        a->channel_count = kept;
    }
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        tenon_skin *skin = &scene->skins[i];
        skin->root = edit_lists_place_of(places, skin->root);
        for (uint32_t k = 0; k < skin->joint_count; k++) skin->joints[k] = places[skin->joints[k]];
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        scene->nodes[i].parent = edit_lists_place_of(places, scene->nodes[i].parent);
    scene->node_count =
        edit_lists_move_up(scene->nodes, sizeof *scene->nodes, places, scene->node_count);
}

tenon_node tn_empty_node(tenon_str name, uint32_t parent)
{
    return (tenon_node){.name = name,
                        .parent = parent,
                        .rotation = {0, 0, 0, 1},
                        .scale = {1, 1, 1},
                        .mesh = TENON_NONE,
                        .skin = TENON_NONE,
                        .camera = TENON_NONE,
                        .light = TENON_NONE};
}

uint32_t tn_append_node(tn_editor *editor, tenon_str name, uint32_t parent)
{
    tenon_scene *scene = editor->scene;
    if (scene->node_count >= editor->node_room) {
        uint64_t room = 2 * (uint64_t)scene->node_count + 8;
        if (room >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many nodes");
        tenon_node *more = tn_edit_array(editor, room, sizeof *more);
        if (!more) return TENON_NONE;
        if (scene->node_count) memcpy(more, scene->nodes, scene->node_count * sizeof *more);
        scene->nodes = more;
        editor->node_room = (uint32_t)room;
    }
    scene->nodes[scene->node_count] = tn_empty_node(name, parent);
    return scene->node_count++;
}

void tn_set_node_matrix(tn_editor *editor, uint32_t node, const tn_mat4 *matrix)
{
    tn_scene_builder b = {.scene = editor->scene};
    tn_set_matrix(&b, node, matrix->m);
}

bool *tn_animated_nodes(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *is_animated = tn_edit_scratch(editor, scene->node_count, sizeof *is_animated);
    for (uint32_t i = 0; is_animated && i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            is_animated[scene->animations[i].channels[k].node] = true;
    return is_animated;
}

bool *tn_skeleton_nodes(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *is_needed = tn_edit_scratch(editor, scene->node_count, sizeof *is_needed);
    for (uint32_t i = 0; is_needed && i < scene->skin_count; i++) {
        const tenon_skin *skin = &scene->skins[i];
        if (skin->root != TENON_NONE) is_needed[skin->root] = true;
        for (uint32_t k = 0; k < skin->joint_count; k++) is_needed[skin->joints[k]] = true;
    }
    return is_needed;
}

bool *tn_parent_nodes(tn_editor *editor)
{
    const tenon_scene *scene = editor->scene;
    bool *is_parent = tn_edit_scratch(editor, scene->node_count, sizeof *is_parent);
    for (uint32_t i = 0; is_parent && i < scene->node_count; i++)
        if (scene->nodes[i].parent != TENON_NONE) is_parent[scene->nodes[i].parent] = true;
    return is_parent;
}

// -- Meshes

void tn_replace_meshes(tn_editor *editor, tenon_mesh *meshes, const uint32_t *origins,
                       uint32_t count)
{
    tenon_scene *scene = editor->scene;
    // The new meshes of each old one, as a list.
    uint32_t *first = tn_edit_scratch(editor, scene->mesh_count, sizeof *first);
    uint32_t *next = tn_edit_scratch(editor, count, sizeof *next);
    uint64_t *copies = tn_edit_scratch(editor, scene->mesh_count, sizeof *copies), total = 0;
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = first[origins[i]];
        first[origins[i]] = i;
        copies[origins[i]]++;
    }
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        bool is_ours = scene->extras[i].of == TENON_EXTRA_OF_MESH;
        bool exists = is_ours && scene->extras[i].index < scene->mesh_count;
        total += exists ? copies[scene->extras[i].index] : !is_ours;
    }
    if (total >= TENON_NONE) tn_edit_fail(editor, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *extras = tn_edit_array(editor, total, sizeof *extras);
    if (!extras) return;
    uint32_t used = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra extra = scene->extras[i];
        if (extra.of != TENON_EXTRA_OF_MESH) {
            extras[used++] = extra;
            continue;
        }
        uint32_t at = extra.index < scene->mesh_count ? first[extra.index] : TENON_NONE;
        for (; at != TENON_NONE; at = next[at]) {
            extras[used] = extra;
            extras[used++].index = at;
        }
    }
    scene->extras = extras;
    scene->extra_count = used;
    scene->meshes = meshes;
    scene->mesh_count = count;
}

// -- Materials

void tn_keep_materials(tn_editor *editor, const bool *keep)
{
    tenon_scene *scene = editor->scene;
    uint32_t *places =
        editor->failed ? NULL : edit_lists_number_kept(editor, keep, scene->material_count);
    if (!places) return;
    tn_move_extras(editor, TENON_EXTRA_OF_MATERIAL, places, scene->material_count);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t *material = &scene->meshes[i].primitives[k].material;
            *material = edit_lists_place_of(places, *material);
        }
    scene->material_count = edit_lists_move_up(scene->materials, sizeof *scene->materials, places,
                                               scene->material_count);
}

// -- Unused objects

// The index at an offset in a node.
static uint32_t *edit_lists_index_in(tenon_node *n, size_t offset)
{
    return (void *)((char *)n + offset);
}

// Keep the items that a node refers to; `offset` is where a node has the index.
static void edit_lists_keep_used_by_nodes(tn_editor *editor, void *items, size_t size,
                                          uint32_t *count, size_t offset)
{
    tenon_scene *scene = editor->scene;
    bool *used = tn_edit_scratch(editor, *count, sizeof *used);
    if (!used) return;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t index = *edit_lists_index_in(&scene->nodes[i], offset);
        if (index != TENON_NONE) used[index] = true;
    }
    uint32_t *places = edit_lists_number_kept(editor, used, *count);
    if (!places) return;
    if (items == scene->meshes) tn_move_extras(editor, TENON_EXTRA_OF_MESH, places, *count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t *index = edit_lists_index_in(&scene->nodes[i], offset);
        *index = edit_lists_place_of(places, *index);
    }
    *count = edit_lists_move_up(items, size, places, *count);
}

void tn_drop_unused(tn_editor *editor)
{
    tenon_scene *scene = editor->scene;
    edit_lists_keep_used_by_nodes(editor, scene->meshes, sizeof *scene->meshes, &scene->mesh_count,
                                  offsetof(tenon_node, mesh));
    edit_lists_keep_used_by_nodes(editor, scene->skins, sizeof *scene->skins, &scene->skin_count,
                                  offsetof(tenon_node, skin));
    edit_lists_keep_used_by_nodes(editor, scene->cameras, sizeof *scene->cameras,
                                  &scene->camera_count, offsetof(tenon_node, camera));
    edit_lists_keep_used_by_nodes(editor, scene->lights, sizeof *scene->lights, &scene->light_count,
                                  offsetof(tenon_node, light));
    bool *used_materials = tn_edit_scratch(editor, scene->material_count, sizeof *used_materials);
    bool *used_images = tn_edit_scratch(editor, scene->image_count, sizeof *used_images);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            uint32_t material = scene->meshes[i].primitives[k].material;
            if (material != TENON_NONE) used_materials[material] = true;
        }
    tn_keep_materials(editor, used_materials);
    for (uint32_t i = 0; i < scene->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t image = scene->materials[i].textures[slot].image;
            if (image != TENON_NONE) used_images[image] = true;
        }
    uint32_t *places =
        editor->failed ? NULL : edit_lists_number_kept(editor, used_images, scene->image_count);
    if (!places) return;
    for (uint32_t i = 0; i < scene->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &scene->materials[i].textures[slot].image;
            *image = edit_lists_place_of(places, *image);
        }
    scene->image_count =
        edit_lists_move_up(scene->images, sizeof *scene->images, places, scene->image_count);
}

// -- Animations

void tn_order_animations(tn_editor *editor, const uint32_t *order, uint32_t count)
{
    tenon_scene *scene = editor->scene;
    tenon_animation *animations = tn_edit_array(editor, count, sizeof *animations);
    uint32_t *places = tn_edit_scratch(editor, scene->animation_count, sizeof *places);
    if (editor->failed) return;
    for (uint32_t i = 0; i < scene->animation_count; i++) places[i] = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        animations[i] = scene->animations[order[i]];
        places[order[i]] = i;
    }
    tn_move_extras(editor, TENON_EXTRA_OF_ANIMATION, places, scene->animation_count);
    scene->animations = animations;
    scene->animation_count = count;
}
