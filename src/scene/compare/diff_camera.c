// diff_camera.c: what differs between cameras, lights and extras.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include <string.h>

static const char *const light_words[] = {"directional", "point", "spot"};

// -- Cameras and lights

static void diff_camera(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_camera *a = &diff->scenes[0]->cameras[pair->a],
                       *b = &diff->scenes[1]->cameras[pair->b];
    tn_diff_flags(diff, TN_DIFF_CAMERAS, pair, "is_orthographic", a->is_orthographic,
                  b->is_orthographic);
    if (a->is_orthographic && b->is_orthographic) {
        tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "half_width", a->half_width, b->half_width, 0);
        tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "half_height", a->half_height, b->half_height,
                       0);
    }
    if (!a->is_orthographic && !b->is_orthographic) {
        tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "field_of_view", a->field_of_view,
                       b->field_of_view, 1);
        tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "aspect_ratio", a->aspect_ratio,
                       b->aspect_ratio, 1);
    }
    tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "near_plane", a->near_plane, b->near_plane, 0);
    tn_diff_number(diff, TN_DIFF_CAMERAS, pair, "far_plane", a->far_plane, b->far_plane, 0);
}

static void diff_light(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_light *a = &diff->scenes[0]->lights[pair->a],
                      *b = &diff->scenes[1]->lights[pair->b];
    tn_diff_words(diff, TN_DIFF_LIGHTS, pair, "kind", light_words[a->kind], light_words[b->kind]);
    tn_diff_numbers(diff, TN_DIFF_LIGHTS, pair, "color", a->color, b->color, 3, 1);
    tn_diff_number(diff, TN_DIFF_LIGHTS, pair, "intensity", a->intensity, b->intensity, 1);
    tn_diff_number(diff, TN_DIFF_LIGHTS, pair, "range", a->range, b->range, diff->diagonal);
    if (a->kind != TENON_SPOT_LIGHT || b->kind != TENON_SPOT_LIGHT) return;
    tn_diff_number(diff, TN_DIFF_LIGHTS, pair, "inner_angle", a->inner_angle, b->inner_angle, 1);
    tn_diff_number(diff, TN_DIFF_LIGHTS, pair, "outer_angle", a->outer_angle, b->outer_angle, 1);
}

void tn_diff_cameras_and_lights(tn_diff *diff)
{
    tn_diff_unpaired(diff, TN_DIFF_CAMERAS, TN_CAMERAS);
    for (uint32_t i = 0; i < diff->scenes[0]->camera_count && !diff->failed; i++) {
        tn_object_pair pair = {TN_CAMERAS, i, diff->pairings[TN_CAMERAS].partners[0][i]};
        if (pair.b != TENON_NONE) diff_camera(diff, &pair);
    }
    tn_diff_unpaired(diff, TN_DIFF_LIGHTS, TN_LIGHTS);
    for (uint32_t i = 0; i < diff->scenes[0]->light_count && !diff->failed; i++) {
        tn_object_pair pair = {TN_LIGHTS, i, diff->pairings[TN_LIGHTS].partners[0][i]};
        if (pair.b != TENON_NONE) diff_light(diff, &pair);
    }
}

// -- Extras

static bool list_of(tenon_extra_of of, tn_object_list *list)
{
    static const tn_object_list lists[] = {
        [TENON_EXTRA_OF_NODE] = TN_NODES,
        [TENON_EXTRA_OF_MESH] = TN_MESHES,
        [TENON_EXTRA_OF_MATERIAL] = TN_MATERIALS,
        [TENON_EXTRA_OF_ANIMATION] = TN_ANIMATIONS,
    };
    *list = lists[of];
    return of != TENON_EXTRA_OF_SCENE;
}

// What an extra belongs to, as a number that is the same for partners. What has none in B comes
// behind all that is there.
static uint64_t owner_of(const tn_diff *diff, int side, const tenon_extra *extra)
{
    tn_object_list list;
    if (!list_of(extra->of, &list)) return 0;
    const tn_pairing *pairing = &diff->pairings[list];
    uint64_t index = extra->index;
    if (side == 0 && extra->index < pairing->count[0]) {
        uint32_t partner = pairing->partners[0][extra->index];
        index = partner == TENON_NONE ? (uint64_t)pairing->count[1] + extra->index : partner;
    }
    return index << 3 | (uint64_t)extra->of;
}

// Numbers of owner and name together.
static bool number_extras(tn_diff *diff, uint32_t *numbers[2], uint32_t *count)
{
    tn_id_table names, ids;
    uint64_t most = (uint64_t)diff->scenes[0]->extra_count + diff->scenes[1]->extra_count;
    if (!tn_id_table_begin(diff, &names, most) || !tn_id_table_begin(diff, &ids, 2 * most))
        return false;
    for (int side = 0; side < 2; side++) {
        const tenon_scene *s = diff->scenes[side];
        numbers[side] = tn_diff_alloc(diff, s->extra_count, sizeof **numbers);
        for (uint32_t i = 0; numbers[side] && i < s->extra_count; i++) {
            // The owner gets a number of its own first, so that both fit into one key.
            uint64_t owner = tn_id_of_key(&ids, owner_of(diff, side, &s->extras[i]) << 1);
            uint64_t name = tn_id_of_text(&names, s->extras[i].name);
            numbers[side][i] = tn_id_of_key(&ids, owner << 33 | name << 1 | 1);
        }
    }
    *count = ids.count;
    return !diff->failed;
}

static void report_extra(tn_diff *diff, int side, const tenon_extra *extra, tenon_str a,
                         tenon_str b)
{
    tn_object_list list;
    tn_object_pair pair = {TN_NODES, TENON_NONE, TENON_NONE};
    tn_diff_text property = tn_diff_print("extras[%.63s]", tn_diff_name(extra->name).text);
    if (list_of(extra->of, &list) && extra->index < diff->pairings[list].count[side]) {
        pair = (tn_object_pair){list, side ? TENON_NONE : extra->index,
                                side ? extra->index : TENON_NONE};
        property = tn_diff_path(diff, &pair, property.text);
    }
    tn_diff_report(diff, TN_DIFF_EXTRAS, property.text, a, b, -1, 1);
}

static bool is_same(tenon_str a, tenon_str b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

void tn_diff_extras(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    const tenon_str none = {"", 0};
    uint32_t *numbers[2], count;
    tn_pairing pairing;
    if (diff->failed || !number_extras(diff, numbers, &count) ||
        !tn_pairing_begin(diff, &pairing, a->extra_count, b->extra_count) ||
        !tn_pair_ids(diff, &pairing, numbers[0], numbers[1], count))
        return;
    for (uint32_t i = 0; i < a->extra_count; i++) {
        uint32_t partner = pairing.partners[0][i];
        tenon_str value = partner == TENON_NONE ? none : b->extras[partner].value;
        if (partner == TENON_NONE || !is_same(a->extras[i].value, value))
            report_extra(diff, 0, &a->extras[i], a->extras[i].value, value);
    }
    for (uint32_t i = 0; i < b->extra_count; i++)
        if (pairing.partners[1][i] == TENON_NONE)
            report_extra(diff, 1, &b->extras[i], none, b->extras[i].value);
}
