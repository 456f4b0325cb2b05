// match.c: memory and progress of a comparison, and which objects of two scenes are the same.
// SPDX-License-Identifier: MIT

#include "scene/compare/match.h"

#include <string.h>

// -- Memory, progress, errors

void *tn_match_alloc(tn_match_context *context, uint64_t count, size_t size)
{
    if (context->failed) return NULL;
    void *memory =
        tn_arena_alloc_or_fail(&context->arena, count, size, "the comparison", context->err);
    context->failed = !memory;
    return memory;
}

bool tn_match_cancel(tn_match_context *context)
{
    if (context->failed) return false;
    context->failed = true;
    return tn_error(context->err, TENON_ERR_CANCELLED, "cancelled");
}

// -- Objects

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

// -- Numbers

struct tn_id {
    tn_named named;
    uint64_t key;  // If it is not a text: its bytes are the name.
};

// There is one more item, for the key that is searched for.
bool tn_ids_begin(tn_match_context *context, tn_ids *ids, const tn_pairing *pairing)
{
    uint64_t most = (uint64_t)pairing->count[0] + pairing->count[1];
    *ids = (tn_ids){.items = tn_match_alloc(context, most + 1, sizeof *ids->items)};
    for (int side = 0; side < 2; side++)
        ids->of[side] = tn_match_alloc(context, pairing->count[side], sizeof **ids->of);
    return !context->failed;
}

uint32_t tn_id_of_text(tn_ids *ids, tenon_str text)
{
    const tn_named *known = tn_name_find(&ids->tree, text);
    if (known) return (uint32_t)((const struct tn_id *)known - ids->items);
    struct tn_id *fresh = &ids->items[ids->count];
    fresh->named.name = text;
    (void)tn_name_enter(&ids->tree, &fresh->named);
    return ids->count++;
}

uint32_t tn_id_of_key(tn_ids *ids, uint64_t key)
{
    struct tn_id *fresh = &ids->items[ids->count];
    fresh->key = key;
    return tn_id_of_text(ids, (tenon_str){(const char *)&fresh->key, sizeof fresh->key});
}

// -- Names

static tenon_str match_stem(tenon_str name)
{
    uint32_t start = name.size;
    while (start > 0 && name.data[start - 1] != '|') start--;
    return (tenon_str){name.data + start, name.size - start};
}

static char match_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// A text that is equal for names that are the same by that rule. Without memory `context` has
// failed.
static tenon_str match_name_key(tn_match_context *context, tn_name_rule rule, tenon_str name)
{
    if (rule == TN_NAME_EXACT) return name;
    name = match_stem(name);
    if (rule == TN_NAME_STEM) return name;
    char *text = tn_match_alloc(context, name.size, 1);
    for (uint32_t i = 0; text && i < name.size; i++) text[i] = match_lower(name.data[i]);
    return (tenon_str){text, text ? name.size : 0};
}

uint32_t tn_find_clip(const tenon_scene *scene, const char *name)
{
    const tenon_str wanted = {name, (uint32_t)strlen(name)};
    for (tn_name_rule rule = TN_NAME_EXACT; rule < TN_NAME_RULE_COUNT; rule++)
        for (uint32_t i = 0; i < scene->animation_count; i++) {
            tenon_str a = scene->animations[i].name, b = wanted;
            if (rule != TN_NAME_EXACT) a = match_stem(a), b = match_stem(b);
            if (a.size != b.size) continue;
            uint32_t k = 0;
            while (k < a.size &&
                   (rule == TN_NAME_FOLDED ? match_lower(a.data[k]) == match_lower(b.data[k])
                                           : a.data[k] == b.data[k]))
                k++;
            if (k == a.size) return i;
        }
    return TENON_NONE;
}

uint64_t tn_name_hash(tenon_str name)
{
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a.
    name = match_stem(name);
    for (uint32_t i = 0; i < name.size; i++)
        hash = (hash ^ (uint8_t)match_lower(name.data[i])) * 0x100000001b3u;
    return hash;
}

bool tn_number_names(tn_match_context *context, const tenon_scene *const scenes[2],
                     tn_object_list list, tn_name_rule rule, const tn_pairing *pairing,
                     tn_ids *names)
{
    if (!tn_ids_begin(context, names, pairing)) return false;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++) {
            names->of[side][i] = TENON_NONE;
            if (pairing->partners[side][i] != TENON_NONE) continue;
            tenon_str key = match_name_key(context, rule, tn_object_name(scenes[side], list, i));
            if (key.size) names->of[side][i] = tn_id_of_text(names, key);
        }
    return !context->failed;
}

// -- Pairs

bool tn_pairing_begin(tn_match_context *context, tn_pairing *pairing, uint32_t a_count,
                      uint32_t b_count)
{
    const uint32_t counts[2] = {a_count, b_count};
    for (int side = 0; side < 2; side++) {
        pairing->count[side] = counts[side];
        pairing->partners[side] = tn_match_alloc(context, counts[side], sizeof(uint32_t));
        if (!pairing->partners[side]) return false;
        for (uint32_t i = 0; i < counts[side]; i++) pairing->partners[side][i] = TENON_NONE;
    }
    return true;
}

void tn_pair(tn_pairing *pairing, uint32_t a, uint32_t b)
{
    pairing->partners[0][a] = b;
    pairing->partners[1][b] = a;
}

bool tn_pair_ids(tn_match_context *context, tn_pairing *pairing, const tn_ids *ids)
{
    tn_mark mark = tn_arena_mark(&context->arena);
    uint32_t *heads = tn_match_alloc(context, ids->count, sizeof *heads);
    uint32_t *next = tn_match_alloc(context, pairing->count[1], sizeof *next);
    if (!heads || !next) return false;
    for (uint32_t i = 0; i < ids->count; i++) heads[i] = TENON_NONE;
    for (uint32_t i = pairing->count[1]; i-- > 0;) {
        uint32_t id = ids->of[1][i];
        if (id == TENON_NONE || pairing->partners[1][i] != TENON_NONE) continue;
        next[i] = heads[id];
        heads[id] = i;
    }
    for (uint32_t i = 0; i < pairing->count[0]; i++) {
        uint32_t id = ids->of[0][i];
        if (id == TENON_NONE || pairing->partners[0][i] != TENON_NONE) continue;
        uint32_t partner = heads[id];
        if (partner == TENON_NONE) continue;
        heads[id] = next[partner];
        tn_pair(pairing, i, partner);
    }
    tn_arena_rewind(&context->arena, mark);
    return true;
}

void tn_pair_in_order(tn_pairing *pairing, const uint32_t *a_ids)
{
    for (uint32_t a = 0, b = 0; a < pairing->count[0]; a++) {
        if (pairing->partners[0][a] != TENON_NONE || (a_ids && a_ids[a] != TENON_NONE)) continue;
        while (b < pairing->count[1] && pairing->partners[1][b] != TENON_NONE) b++;
        if (b == pairing->count[1]) return;
        tn_pair(pairing, a, b);
    }
}
