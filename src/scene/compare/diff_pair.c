// diff_pair.c: finds which object of one scene is which of the other.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include <string.h>

// -- Lists

static uint32_t diff_pair_object_count(const tenon_scene *scene, tn_object_list list)
{
    const uint32_t counts[TN_OBJECT_LIST_COUNT] = {
        [TN_NODES] = scene->node_count,     [TN_MESHES] = scene->mesh_count,
        [TN_SKINS] = scene->skin_count,     [TN_MATERIALS] = scene->material_count,
        [TN_IMAGES] = scene->image_count,   [TN_ANIMATIONS] = scene->animation_count,
        [TN_CAMERAS] = scene->camera_count, [TN_LIGHTS] = scene->light_count,
    };
    return counts[list];
}

tenon_str tn_image_stem(const tenon_image *image)
{
    if (image->path.size == 0) return image->name;
    const char *path = image->path.data;
    uint32_t end = image->path.size, start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    uint32_t dot = end;
    while (dot > start && path[dot - 1] != '.') dot--;
    if (dot > start + 1) end = dot - 1;
    return (tenon_str){path + start, end - start};
}

tenon_str tn_object_name(const tenon_scene *scene, tn_object_list list, uint32_t i)
{
    switch (list) {
    case TN_NODES:
        return scene->nodes[i].name;
    case TN_MESHES:
        return scene->meshes[i].name;
    case TN_SKINS:
        return scene->skins[i].name;
    case TN_MATERIALS:
        return scene->materials[i].name;
    case TN_IMAGES:
        return tn_image_stem(&scene->images[i]);
    case TN_ANIMATIONS:
        return scene->animations[i].name;
    case TN_CAMERAS:
        return scene->cameras[i].name;
    default:
        return scene->lights[i].name;
    }
}

// -- Numbers for texts and keys

struct tn_id {
    tn_named named;
    uint64_t key;  // If it is not a text: its bytes are the name.
};

// There is one more item, for the key that is searched for.
bool tn_id_table_begin(tn_diff *diff, tn_id_table *ids, uint64_t most)
{
    *ids = (tn_id_table){.items = tn_match_alloc(&diff->context, most + 1, sizeof *ids->items)};
    return ids->items != NULL;
}

uint32_t tn_id_of_text(tn_id_table *ids, tenon_str text)
{
    const tn_named *known = tn_name_find(&ids->tree, text);
    if (known) return (uint32_t)((const struct tn_id *)known - ids->items);
    struct tn_id *fresh = &ids->items[ids->count];
    fresh->named.name = text;
    (void)tn_name_enter(&ids->tree, &fresh->named);
    return ids->count++;
}

uint32_t tn_id_of_key(tn_id_table *ids, uint64_t key)
{
    struct tn_id *fresh = &ids->items[ids->count];
    fresh->key = key;
    return tn_id_of_text(ids, (tenon_str){(const char *)&fresh->key, sizeof fresh->key});
}

// -- Pairs

bool tn_pairing_begin(tn_diff *diff, tn_pairing *pairing, uint32_t a_count, uint32_t b_count)
{
    const uint32_t counts[2] = {a_count, b_count};
    for (int side = 0; side < 2; side++) {
        pairing->count[side] = counts[side];
        pairing->partners[side] =
            tn_match_alloc(&diff->context, counts[side], sizeof **pairing->partners);
        if (!pairing->partners[side]) return false;
        for (uint32_t i = 0; i < counts[side]; i++) pairing->partners[side][i] = TENON_NONE;
    }
    return true;
}

static void diff_pair_objects(tn_pairing *pairing, uint32_t a, uint32_t b)
{
    pairing->partners[0][a] = b;
    pairing->partners[1][b] = a;
}

bool tn_pair_ids(tn_diff *diff, tn_pairing *pairing, const uint32_t *a, const uint32_t *b,
                 uint32_t count)
{
    tn_mark mark = tn_arena_mark(&diff->context.arena);
    uint32_t *heads = tn_match_alloc(&diff->context, count, sizeof *heads);
    uint32_t *next = tn_match_alloc(&diff->context, pairing->count[1], sizeof *next);
    if (!heads || !next) return false;
    for (uint32_t i = 0; i < count; i++) heads[i] = TENON_NONE;
    for (uint32_t i = pairing->count[1]; i-- > 0;) {
        if (b[i] == TENON_NONE || pairing->partners[1][i] != TENON_NONE) continue;
        next[i] = heads[b[i]];
        heads[b[i]] = i;
    }
    for (uint32_t i = 0; i < pairing->count[0]; i++) {
        if (a[i] == TENON_NONE || pairing->partners[0][i] != TENON_NONE) continue;
        uint32_t partner = heads[a[i]];
        if (partner == TENON_NONE) continue;
        heads[a[i]] = next[partner];
        diff_pair_objects(pairing, i, partner);
    }
    tn_arena_rewind(&diff->context.arena, mark);
    return true;
}

// -- Names

// The numbers of the objects of a list, in both scenes.
typedef struct object_ids {
    uint32_t *of[2];
    uint32_t count;  // Of different numbers.
} object_ids;

typedef tenon_str fold_fn(tn_diff *diff, tenon_str name);

// Equal names get the same number, empty names TENON_NONE.
static bool diff_pair_number_names(tn_diff *diff, tn_object_list list, fold_fn *fold,
                                   object_ids *names)
{
    tn_id_table ids;
    const tn_pairing *pairing = &diff->pairings[list];
    for (int side = 0; side < 2; side++)
        names->of[side] = tn_match_alloc(&diff->context, pairing->count[side], sizeof **names->of);
    if (!tn_id_table_begin(diff, &ids, (uint64_t)pairing->count[0] + pairing->count[1]))
        return false;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++) {
            tenon_str name = tn_object_name(diff->scenes[side], list, i);
            if (fold) name = fold(diff, name);
            names->of[side][i] = name.size ? tn_id_of_text(&ids, name) : TENON_NONE;
        }
    names->count = ids.count;
    return !diff->context.failed;
}

static bool diff_pair_find_unique(tn_diff *diff, tn_object_list list, const object_ids *names)
{
    tn_pairing *pairing = &diff->pairings[list];
    for (int side = 0; side < 2; side++) {
        bool *is_unique = tn_match_alloc(&diff->context, pairing->count[side], sizeof *is_unique);
        uint32_t *uses = tn_match_alloc(&diff->context, names->count, sizeof *uses);
        if (!is_unique || !uses) return false;
        for (uint32_t i = 0; i < pairing->count[side]; i++)
            if (names->of[side][i] != TENON_NONE) uses[names->of[side][i]]++;
        for (uint32_t i = 0; i < pairing->count[side]; i++)
            is_unique[i] = names->of[side][i] != TENON_NONE && uses[names->of[side][i]] == 1;
        pairing->is_unique[side] = is_unique;
    }
    return true;
}

// The name of a clip in lower case, without the prefix that some exporters put before a '|'.
static tenon_str diff_pair_fold_clip(tn_diff *diff, tenon_str name)
{
    uint32_t start = name.size;
    while (start > 0 && name.data[start - 1] != '|') start--;
    uint32_t size = name.size - start;
    char *text = tn_match_alloc(&diff->context, (uint64_t)size + 1, 1);
    if (!text) return (tenon_str){"", 0};
    for (uint32_t i = 0; i < size; i++) {
        char c = name.data[start + i];
        text[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (tenon_str){text, size};
}

// -- Nodes

// Pair the remaining children of nodes that are partners, in order; parents before children.
static bool diff_pair_children(tn_diff *diff)
{
    tn_pairing *pairing = &diff->pairings[TN_NODES];
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    uint32_t *heads = tn_match_alloc(&diff->context, (uint64_t)b->node_count + 1, sizeof *heads);
    uint32_t *next = tn_match_alloc(&diff->context, b->node_count, sizeof *next);
    if (!heads || !next) return false;
    for (uint32_t i = 0; i <= b->node_count; i++) heads[i] = TENON_NONE;
    for (uint32_t i = b->node_count; i-- > 0;) {
        if (pairing->partners[1][i] != TENON_NONE) continue;
        uint32_t parent = b->nodes[i].parent,
                 *head = &heads[parent == TENON_NONE ? b->node_count : parent];
        next[i] = *head;
        *head = i;
    }
    for (uint32_t i = 0; i < a->node_count; i++) {
        if (pairing->partners[0][i] != TENON_NONE) continue;
        uint32_t parent = a->nodes[i].parent;
        uint32_t there = parent == TENON_NONE ? b->node_count : pairing->partners[0][parent];
        if (there == TENON_NONE || heads[there] == TENON_NONE) continue;
        uint32_t partner = heads[there];
        heads[there] = next[partner];
        diff_pair_objects(pairing, i, partner);
    }
    return true;
}

// By the names from the root down to the node; then by name alone, wherever the nodes are now; then
// by order.
static bool diff_pair_nodes(tn_diff *diff, const object_ids *names)
{
    tn_id_table ids;
    object_ids paths;
    tn_pairing *pairing = &diff->pairings[TN_NODES];
    for (int side = 0; side < 2; side++)
        paths.of[side] = tn_match_alloc(&diff->context, pairing->count[side], sizeof **paths.of);
    if (!tn_id_table_begin(diff, &ids, (uint64_t)pairing->count[0] + pairing->count[1]))
        return false;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++) {
            uint32_t parent = diff->scenes[side]->nodes[i].parent;
            uint64_t above = parent == TENON_NONE ? TENON_NONE : paths.of[side][parent];
            paths.of[side][i] = tn_id_of_key(&ids, above << 32 | names->of[side][i]);
        }
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++)
            if (names->of[side][i] == TENON_NONE) paths.of[side][i] = TENON_NONE;
    return tn_pair_ids(diff, pairing, paths.of[0], paths.of[1], ids.count) &&
           tn_pair_ids(diff, pairing, names->of[0], names->of[1], names->count) &&
           diff_pair_children(diff);
}

// -- All objects

static bool diff_pair_list(tn_diff *diff, tn_object_list list)
{
    object_ids names;
    tn_pairing *pairing = &diff->pairings[list];
    if (!tn_pairing_begin(diff, pairing, diff_pair_object_count(diff->scenes[0], list),
                          diff_pair_object_count(diff->scenes[1], list)) ||
        !diff_pair_number_names(diff, list, NULL, &names) ||
        !diff_pair_find_unique(diff, list, &names))
        return false;
    if (list == TN_NODES) return diff_pair_nodes(diff, &names);
    if (!tn_pair_ids(diff, pairing, names.of[0], names.of[1], names.count)) return false;
    if (list == TN_ANIMATIONS &&
        (!diff_pair_number_names(diff, list, diff_pair_fold_clip, &names) ||
         !tn_pair_ids(diff, pairing, names.of[0], names.of[1], names.count)))
        return false;
    for (uint32_t a = 0, b = 0; a < pairing->count[0]; a++) {
        if (pairing->partners[0][a] != TENON_NONE) continue;
        while (b < pairing->count[1] && pairing->partners[1][b] != TENON_NONE) b++;
        if (b == pairing->count[1]) break;
        diff_pair_objects(pairing, a, b);
    }
    return true;
}

bool tn_pair_objects(tn_diff *diff)
{
    for (int list = 0; list < TN_OBJECT_LIST_COUNT; list++)
        if (!diff_pair_list(diff, (tn_object_list)list)) return false;
    return true;
}
