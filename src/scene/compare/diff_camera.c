// diff_camera.c: what differs between cameras, lights and extras.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include <string.h>

static const char *const light_words[] = {"directional", "point", "spot"};

// -- Cameras and lights

static void diff_camera(tn_diff *d, const tn_where *at)
{
    const tenon_camera *a = &d->scenes[0]->cameras[at->a], *b = &d->scenes[1]->cameras[at->b];
    tn_diff_flags(d, TN_DIFF_CAMERAS, at, "is_orthographic", a->is_orthographic,
                  b->is_orthographic);
    if (a->is_orthographic && b->is_orthographic) {
        tn_diff_number(d, TN_DIFF_CAMERAS, at, "half_width", a->half_width, b->half_width, 0);
        tn_diff_number(d, TN_DIFF_CAMERAS, at, "half_height", a->half_height, b->half_height, 0);
    }
    if (!a->is_orthographic && !b->is_orthographic) {
        tn_diff_number(d, TN_DIFF_CAMERAS, at, "field_of_view", a->field_of_view, b->field_of_view,
                       1);
        tn_diff_number(d, TN_DIFF_CAMERAS, at, "aspect_ratio", a->aspect_ratio, b->aspect_ratio, 1);
    }
    tn_diff_number(d, TN_DIFF_CAMERAS, at, "near_plane", a->near_plane, b->near_plane, 0);
    tn_diff_number(d, TN_DIFF_CAMERAS, at, "far_plane", a->far_plane, b->far_plane, 0);
}

static void diff_light(tn_diff *d, const tn_where *at)
{
    const tenon_light *a = &d->scenes[0]->lights[at->a], *b = &d->scenes[1]->lights[at->b];
    tn_diff_words(d, TN_DIFF_LIGHTS, at, "kind", light_words[a->kind], light_words[b->kind]);
    tn_diff_numbers(d, TN_DIFF_LIGHTS, at, "color", a->color, b->color, 3, 1);
    tn_diff_number(d, TN_DIFF_LIGHTS, at, "intensity", a->intensity, b->intensity, 1);
    tn_diff_number(d, TN_DIFF_LIGHTS, at, "range", a->range, b->range, d->diagonal);
    if (a->kind != TENON_SPOT_LIGHT || b->kind != TENON_SPOT_LIGHT) return;
    tn_diff_number(d, TN_DIFF_LIGHTS, at, "inner_angle", a->inner_angle, b->inner_angle, 1);
    tn_diff_number(d, TN_DIFF_LIGHTS, at, "outer_angle", a->outer_angle, b->outer_angle, 1);
}

void tn_diff_views(tn_diff *d)
{
    tn_diff_lonely(d, TN_DIFF_CAMERAS, TN_CAMERAS);
    for (uint32_t i = 0; i < d->scenes[0]->camera_count && !d->failed; i++) {
        tn_where at = {TN_CAMERAS, i, d->pairs[TN_CAMERAS].partners[0][i]};
        if (at.b != TENON_NONE) diff_camera(d, &at);
    }
    tn_diff_lonely(d, TN_DIFF_LIGHTS, TN_LIGHTS);
    for (uint32_t i = 0; i < d->scenes[0]->light_count && !d->failed; i++) {
        tn_where at = {TN_LIGHTS, i, d->pairs[TN_LIGHTS].partners[0][i]};
        if (at.b != TENON_NONE) diff_light(d, &at);
    }
}

// -- Extras

static bool list_of(tenon_extra_of of, tn_list *list)
{
    static const tn_list lists[] = {
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
static uint64_t owner_of(const tn_diff *d, int side, const tenon_extra *extra)
{
    tn_list list;
    if (!list_of(extra->of, &list)) return 0;
    const tn_pairs *pairs = &d->pairs[list];
    uint64_t index = extra->index;
    if (side == 0 && extra->index < pairs->count[0]) {
        uint32_t partner = pairs->partners[0][extra->index];
        index = partner == TENON_NONE ? (uint64_t)pairs->count[1] + extra->index : partner;
    }
    return index << 3 | (uint64_t)extra->of;
}

// Numbers of owner and name together.
static bool number_extras(tn_diff *d, uint32_t *numbers[2], uint32_t *count)
{
    tn_ids names, ids;
    uint64_t most = (uint64_t)d->scenes[0]->extra_count + d->scenes[1]->extra_count;
    if (!tn_ids_begin(d, &names, most) || !tn_ids_begin(d, &ids, 2 * most)) return false;
    for (int side = 0; side < 2; side++) {
        const tenon_scene *s = d->scenes[side];
        numbers[side] = tn_diff_alloc(d, s->extra_count, sizeof **numbers);
        for (uint32_t i = 0; numbers[side] && i < s->extra_count; i++) {
            // The owner gets a number of its own first, so that both fit into one key.
            uint64_t owner = tn_id_of_key(&ids, owner_of(d, side, &s->extras[i]) << 1);
            uint64_t name = tn_id_of_text(&names, s->extras[i].name);
            numbers[side][i] = tn_id_of_key(&ids, owner << 33 | name << 1 | 1);
        }
    }
    *count = ids.count;
    return !d->failed;
}

static void tell_extra(tn_diff *d, int side, const tenon_extra *extra, tenon_str a, tenon_str b)
{
    tn_list list;
    tn_where at = {TN_NODES, TENON_NONE, TENON_NONE};
    tn_diff_text facet = tn_diff_print("extras[%.63s]", tn_diff_name(extra->name).text);
    if (list_of(extra->of, &list) && extra->index < d->pairs[list].count[side]) {
        at = (tn_where){list, side ? TENON_NONE : extra->index, side ? extra->index : TENON_NONE};
        facet = tn_diff_path(d, &at, facet.text);
    }
    tn_differ(d, TN_DIFF_EXTRAS, facet.text, a, b, -1, 1);
}

static bool is_same(tenon_str a, tenon_str b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

void tn_diff_extras(tn_diff *d)
{
    const tenon_scene *a = d->scenes[0], *b = d->scenes[1];
    const tenon_str none = {"", 0};
    uint32_t *numbers[2], count;
    tn_pairs pairs;
    if (d->failed || !number_extras(d, numbers, &count) ||
        !tn_pairs_begin(d, &pairs, a->extra_count, b->extra_count) ||
        !tn_pair_ids(d, &pairs, numbers[0], numbers[1], count))
        return;
    for (uint32_t i = 0; i < a->extra_count; i++) {
        uint32_t partner = pairs.partners[0][i];
        tenon_str value = partner == TENON_NONE ? none : b->extras[partner].value;
        if (partner == TENON_NONE || !is_same(a->extras[i].value, value))
            tell_extra(d, 0, &a->extras[i], a->extras[i].value, value);
    }
    for (uint32_t i = 0; i < b->extra_count; i++)
        if (pairs.partners[1][i] == TENON_NONE)
            tell_extra(d, 1, &b->extras[i], none, b->extras[i].value);
}
