// diff_pair.c: finds which object of one scene is which of the other.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

static bool diff_pair_find_unique(tn_diff *diff, tn_object_list list, const tn_ids *names)
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
        diff->is_unique[list][side] = is_unique;
    }
    return true;
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
        tn_pair(pairing, i, partner);
    }
    return true;
}

// By the names from the root down to the node; then by name alone, wherever the nodes are now; then
// by order.
static bool diff_pair_nodes(tn_diff *diff, const tn_ids *names)
{
    tn_ids paths;
    tn_pairing *pairing = &diff->pairings[TN_NODES];
    if (!tn_ids_begin(&diff->context, &paths, pairing)) return false;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++) {
            uint32_t parent = diff->scenes[side]->nodes[i].parent;
            uint64_t above = parent == TENON_NONE ? TENON_NONE : paths.of[side][parent];
            paths.of[side][i] = tn_id_of_key(&paths, above << 32 | names->of[side][i]);
        }
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing->count[side]; i++)
            if (names->of[side][i] == TENON_NONE) paths.of[side][i] = TENON_NONE;
    return tn_pair_ids(&diff->context, pairing, &paths) &&
           tn_pair_ids(&diff->context, pairing, names) && diff_pair_children(diff);
}

// -- All objects

bool tn_pair_objects(tn_diff *diff)
{
    tn_match_context *context = &diff->context;
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    const uint32_t counts[TN_OBJECT_LIST_COUNT][2] = {
        [TN_NODES] = {a->node_count, b->node_count},
        [TN_MESHES] = {a->mesh_count, b->mesh_count},
        [TN_SKINS] = {a->skin_count, b->skin_count},
        [TN_MATERIALS] = {a->material_count, b->material_count},
        [TN_IMAGES] = {a->image_count, b->image_count},
        [TN_ANIMATIONS] = {a->animation_count, b->animation_count},
        [TN_CAMERAS] = {a->camera_count, b->camera_count},
        [TN_LIGHTS] = {a->light_count, b->light_count},
    };
    for (tn_object_list list = TN_NODES; list < TN_OBJECT_LIST_COUNT; list++) {
        tn_ids names;
        tn_pairing *pairing = &diff->pairings[list];
        if (!tn_pairing_begin(context, pairing, counts[list][0], counts[list][1]) ||
            !tn_number_names(context, diff->scenes, list, TN_NAME_EXACT, pairing, &names) ||
            !diff_pair_find_unique(diff, list, &names))
            return false;
        if (list == TN_NODES) {
            if (!diff_pair_nodes(diff, &names)) return false;
            continue;
        }
        if (!tn_pair_ids(context, pairing, &names)) return false;
        if (list == TN_ANIMATIONS &&
            (!tn_number_names(context, diff->scenes, list, TN_NAME_FOLDED, pairing, &names) ||
             !tn_pair_ids(context, pairing, &names)))
            return false;
        tn_pair_in_order(pairing, NULL);
    }
    return true;
}
