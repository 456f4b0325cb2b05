// edit_lists.c: objects that go, move up or come to a scene, and what refers to them.
// SPDX-License-Identifier: MIT

#include "scene/edit/edit.h"
#include "scene/model/scene_build.h"

#include <string.h>

// -- Places

// The new index of each object; TENON_NONE for those that go.
static uint32_t *number(tn_editor *r, const bool *keep, uint32_t count)
{
    uint32_t *places = tn_edit_room(r, count, sizeof *places), next = 0;
    for (uint32_t i = 0; places && i < count; i++) places[i] = keep[i] ? next++ : TENON_NONE;
    return places;
}

// Move objects to their places, none of which is behind where it was. Returns how many there are.
static uint32_t move_up(void *items, size_t size, const uint32_t *places, uint32_t count)
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

static uint32_t place_of(const uint32_t *places, uint32_t index)
{
    return index == TENON_NONE ? TENON_NONE : places[index];
}

// -- Extras

static tenon_str text_of(tn_editor *r, const char *text)
{
    return tn_edit_text(r, (tenon_str){text, (uint32_t)strlen(text)});
}

void tn_move_extras(tn_editor *r, tenon_extra_of of, const uint32_t *places, uint32_t count)
{
    tenon_scene *s = r->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->extra_count && !r->failed; i++) {
        tenon_extra extra = s->extras[i];
        if (extra.of == of) {
            extra.index = extra.index < count ? places[extra.index] : TENON_NONE;
            if (extra.index == TENON_NONE) continue;
        }
        s->extras[kept++] = extra;
    }
    if (!r->failed) s->extra_count = kept;
}

void tn_set_extras(tn_editor *r, tenon_extra_of of, const char *name, const char **values,
                   uint32_t count)
{
    tenon_scene *s = r->scene;
    uint64_t room = (uint64_t)s->extra_count + count;
    if (room >= TENON_NONE) tn_edit_fail(r, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *more = tn_edit_array(r, room, sizeof *more);
    if (!more) return;
    uint32_t used = s->extra_count;
    if (used) memcpy(more, s->extras, used * sizeof *more);
    for (uint32_t i = 0; i < used; i++) {
        tenon_extra *extra = &more[i];
        if (extra->of != of || extra->index >= count || !values[extra->index]) continue;
        if (!tn_is_called(extra->name, name)) continue;
        extra->value = text_of(r, values[extra->index]);
        values[extra->index] = NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        if (values[i]) more[used++] = (tenon_extra){of, i, text_of(r, name), text_of(r, values[i])};
    s->extras = more;
    s->extra_count = used;
}

// -- Nodes

static void move_channels(tn_editor *r, const uint32_t *places)
{
    for (uint32_t i = 0; i < r->scene->animation_count; i++) {
        tenon_animation *a = &r->scene->animations[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < a->channel_count; k++) {
            uint32_t node = places[a->channels[k].node];
            if (node == TENON_NONE) continue;
            a->channels[kept] = a->channels[k];
            a->channels[kept++].node = node;
        }
        a->channel_count = kept;
    }
}

void tn_keep_nodes(tn_editor *r, const bool *keep)
{
    tenon_scene *s = r->scene;
    uint32_t *places = r->failed ? NULL : number(r, keep, s->node_count);
    if (!places) return;
    tn_move_extras(r, TENON_EXTRA_OF_NODE, places, s->node_count);
    move_channels(r, places);
    for (uint32_t i = 0; i < s->skin_count; i++) {
        tenon_skin *skin = &s->skins[i];
        skin->root = place_of(places, skin->root);
        for (uint32_t k = 0; k < skin->joint_count; k++) skin->joints[k] = places[skin->joints[k]];
    }
    for (uint32_t i = 0; i < s->node_count; i++)
        s->nodes[i].parent = place_of(places, s->nodes[i].parent);
    s->node_count = move_up(s->nodes, sizeof *s->nodes, places, s->node_count);
}

static bool grow_nodes(tn_editor *r)
{
    tenon_scene *s = r->scene;
    if (s->node_count < r->node_room) return true;
    uint64_t room = 2 * (uint64_t)s->node_count + 8;
    if (room >= TENON_NONE) tn_edit_fail(r, TENON_ERR_LIMIT, "there are too many nodes");
    tenon_node *more = tn_edit_array(r, room, sizeof *more);
    if (!more) return false;
    if (s->node_count) memcpy(more, s->nodes, s->node_count * sizeof *more);
    s->nodes = more;
    r->node_room = (uint32_t)room;
    return true;
}

uint32_t tn_append_node(tn_editor *r, tenon_str name, uint32_t parent)
{
    tenon_scene *s = r->scene;
    if (!grow_nodes(r)) return TENON_NONE;
    s->nodes[s->node_count] = (tenon_node){.name = name,
                                           .parent = parent,
                                           .rotation = {0, 0, 0, 1},
                                           .scale = {1, 1, 1},
                                           .mesh = TENON_NONE,
                                           .skin = TENON_NONE,
                                           .camera = TENON_NONE,
                                           .light = TENON_NONE};
    return s->node_count++;
}

void tn_place_node(tn_editor *r, uint32_t node, const tn_mat4 *matrix)
{
    tn_scene_builder b = {.scene = r->scene};
    tn_set_matrix(&b, node, matrix->m);
}

bool *tn_animated_nodes(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *moves = tn_edit_room(r, s->node_count, sizeof *moves);
    for (uint32_t i = 0; moves && i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++)
            moves[s->animations[i].channels[k].node] = true;
    return moves;
}

bool *tn_skeleton_nodes(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *is_needed = tn_edit_room(r, s->node_count, sizeof *is_needed);
    for (uint32_t i = 0; is_needed && i < s->skin_count; i++) {
        const tenon_skin *skin = &s->skins[i];
        if (skin->root != TENON_NONE) is_needed[skin->root] = true;
        for (uint32_t k = 0; k < skin->joint_count; k++) is_needed[skin->joints[k]] = true;
    }
    return is_needed;
}

bool *tn_parent_nodes(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *is_parent = tn_edit_room(r, s->node_count, sizeof *is_parent);
    for (uint32_t i = 0; is_parent && i < s->node_count; i++)
        if (s->nodes[i].parent != TENON_NONE) is_parent[s->nodes[i].parent] = true;
    return is_parent;
}

// -- Meshes

// Extras of meshes that many are made of are there as often.
static void spread_extras(tn_editor *r, const uint32_t *origins, uint32_t count)
{
    tenon_scene *s = r->scene;
    uint32_t *first = tn_edit_room(r, s->mesh_count, sizeof *first);
    uint32_t *next = tn_edit_room(r, count, sizeof *next);
    uint64_t *copies = tn_edit_room(r, s->mesh_count, sizeof *copies), total = 0;
    if (r->failed) return;
    for (uint32_t i = 0; i < s->mesh_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = first[origins[i]];
        first[origins[i]] = i;
        copies[origins[i]]++;
    }
    for (uint32_t i = 0; i < s->extra_count; i++) {
        bool is_ours = s->extras[i].of == TENON_EXTRA_OF_MESH;
        bool exists = is_ours && s->extras[i].index < s->mesh_count;
        total += exists ? copies[s->extras[i].index] : !is_ours;
    }
    if (total >= TENON_NONE) tn_edit_fail(r, TENON_ERR_LIMIT, "there are too many extras");
    tenon_extra *more = tn_edit_array(r, total, sizeof *more);
    uint32_t used = 0;
    for (uint32_t i = 0; more && i < s->extra_count; i++) {
        tenon_extra extra = s->extras[i];
        if (extra.of != TENON_EXTRA_OF_MESH) {
            more[used++] = extra;
            continue;
        }
        uint32_t at = extra.index < s->mesh_count ? first[extra.index] : TENON_NONE;
        for (; at != TENON_NONE; at = next[at]) {
            more[used] = extra;
            more[used++].index = at;
        }
    }
    if (!more) return;
    s->extras = more;
    s->extra_count = used;
}

void tn_replace_meshes(tn_editor *r, tenon_mesh *meshes, const uint32_t *origins, uint32_t count)
{
    spread_extras(r, origins, count);
    if (r->failed) return;
    r->scene->meshes = meshes;
    r->scene->mesh_count = count;
}

// -- Materials

void tn_keep_materials(tn_editor *r, const bool *keep)
{
    tenon_scene *s = r->scene;
    uint32_t *places = r->failed ? NULL : number(r, keep, s->material_count);
    if (!places) return;
    tn_move_extras(r, TENON_EXTRA_OF_MATERIAL, places, s->material_count);
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            uint32_t *material = &s->meshes[i].primitives[k].material;
            *material = place_of(places, *material);
        }
    s->material_count = move_up(s->materials, sizeof *s->materials, places, s->material_count);
}

// -- What nothing shows

// Keep what `used` says of a list that nodes refer to; `field` finds the reference.
static void keep_shown(tn_editor *r, void *items, size_t size, uint32_t *count,
                       uint32_t *(*field)(tenon_node *))
{
    tenon_scene *s = r->scene;
    bool *used = tn_edit_room(r, *count, sizeof *used);
    if (!used) return;
    for (uint32_t i = 0; i < s->node_count; i++)
        if (*field(&s->nodes[i]) != TENON_NONE) used[*field(&s->nodes[i])] = true;
    uint32_t *places = number(r, used, *count);
    if (!places) return;
    if (items == s->meshes) tn_move_extras(r, TENON_EXTRA_OF_MESH, places, *count);
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t *index = field(&s->nodes[i]);
        *index = place_of(places, *index);
    }
    *count = move_up(items, size, places, *count);
}

static uint32_t *mesh_of(tenon_node *n)
{
    return &n->mesh;
}

static uint32_t *skin_of(tenon_node *n)
{
    return &n->skin;
}

static uint32_t *camera_of(tenon_node *n)
{
    return &n->camera;
}

static uint32_t *light_of(tenon_node *n)
{
    return &n->light;
}

static void keep_used_materials(tn_editor *r)
{
    const tenon_scene *s = r->scene;
    bool *used = tn_edit_room(r, s->material_count, sizeof *used);
    for (uint32_t i = 0; used && i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
            uint32_t material = s->meshes[i].primitives[k].material;
            if (material != TENON_NONE) used[material] = true;
        }
    tn_keep_materials(r, used);
}

static void keep_used_images(tn_editor *r)
{
    tenon_scene *s = r->scene;
    bool *used = tn_edit_room(r, s->image_count, sizeof *used);
    if (!used) return;
    for (uint32_t i = 0; i < s->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t image = s->materials[i].textures[slot].image;
            if (image != TENON_NONE) used[image] = true;
        }
    uint32_t *places = number(r, used, s->image_count);
    if (!places) return;
    for (uint32_t i = 0; i < s->material_count; i++)
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            uint32_t *image = &s->materials[i].textures[slot].image;
            *image = place_of(places, *image);
        }
    s->image_count = move_up(s->images, sizeof *s->images, places, s->image_count);
}

void tn_drop_unused(tn_editor *r)
{
    tenon_scene *s = r->scene;
    keep_shown(r, s->meshes, sizeof *s->meshes, &s->mesh_count, mesh_of);
    keep_shown(r, s->skins, sizeof *s->skins, &s->skin_count, skin_of);
    keep_shown(r, s->cameras, sizeof *s->cameras, &s->camera_count, camera_of);
    keep_shown(r, s->lights, sizeof *s->lights, &s->light_count, light_of);
    keep_used_materials(r);
    keep_used_images(r);
}

// -- Animations

void tn_order_animations(tn_editor *r, const uint32_t *order, uint32_t count)
{
    tenon_scene *s = r->scene;
    tenon_animation *animations = tn_edit_array(r, count, sizeof *animations);
    uint32_t *places = tn_edit_room(r, s->animation_count, sizeof *places);
    if (r->failed) return;
    for (uint32_t i = 0; i < s->animation_count; i++) places[i] = TENON_NONE;
    for (uint32_t i = 0; i < count; i++) {
        animations[i] = s->animations[order[i]];
        places[order[i]] = i;
    }
    tn_move_extras(r, TENON_EXTRA_OF_ANIMATION, places, s->animation_count);
    s->animations = animations;
    s->animation_count = count;
}
