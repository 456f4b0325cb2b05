// diff_objects.c: what differs between materials, textures, images, cameras, lights and extras.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include "core/text/text.h"

static const char *const alpha_words[] = {"opaque", "mask", "blend"};
static const char *const wrap_words[] = {"repeat", "clamp", "mirror"};
static const char *const light_words[] = {"directional", "point", "spot"};

// -- Materials

static tn_diff_text diff_objects_wrap_text(const tenon_texture *texture)
{
    return tn_diff_print("%s %s", wrap_words[texture->wrap[0]], wrap_words[texture->wrap[1]]);
}

static void diff_objects_texture(tn_diff *diff, const tn_object_pair *pair, tenon_slot slot)
{
    const tenon_texture *a = &diff->scenes[0]->materials[pair->a].textures[slot];
    const tenon_texture *b = &diff->scenes[1]->materials[pair->b].textures[slot];
    if (a->image == TENON_NONE && b->image == TENON_NONE) return;
    const char *word = tenon_slot_word(slot);
    tn_diff_text property = tn_diff_print("textures[%s]", word);
    tn_diff_reference(diff, TN_DIFF_TEXTURES, pair, property.text, TN_IMAGES, a->image, b->image);
    if (a->image == TENON_NONE || b->image == TENON_NONE) return;
    tn_diff_number(diff, TN_DIFF_TEXTURES, pair, tn_diff_print("textures[%s].uv_set", word).text,
                   a->uv_set, b->uv_set, 1);
    tn_diff_numbers(diff, TN_DIFF_TEXTURES, pair, tn_diff_print("textures[%s].offset", word).text,
                    a->offset, b->offset, 2, 1);
    tn_diff_numbers(diff, TN_DIFF_TEXTURES, pair, tn_diff_print("textures[%s].scale", word).text,
                    a->scale, b->scale, 2, 1);
    tn_diff_number(diff, TN_DIFF_TEXTURES, pair, tn_diff_print("textures[%s].rotation", word).text,
                   a->rotation, b->rotation, 1);
    tn_diff_words(diff, TN_DIFF_TEXTURES, pair, tn_diff_print("textures[%s].wrap", word).text,
                  diff_objects_wrap_text(a).text, diff_objects_wrap_text(b).text);
}

static void diff_objects_material(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_material *a = &diff->scenes[0]->materials[pair->a];
    const tenon_material *b = &diff->scenes[1]->materials[pair->b];
    const tn_diff_kind kind = TN_DIFF_MATERIALS;
    bool are_classic = a->is_classic && b->is_classic;
    tn_diff_numbers(diff, kind, pair, "base_color", a->base_color, b->base_color, 4, 1);
    if (!are_classic) {
        tn_diff_number(diff, kind, pair, "metallic", a->metallic, b->metallic, 1);
        tn_diff_number(diff, kind, pair, "roughness", a->roughness, b->roughness, 1);
    }
    tn_diff_flags(diff, kind, pair, "is_classic", a->is_classic, b->is_classic);
    if (are_classic) {
        tn_diff_numbers(diff, kind, pair, "specular", a->specular, b->specular, 3, 1);
        tn_diff_number(diff, kind, pair, "shininess", a->shininess, b->shininess, 1);
    }
    tn_diff_numbers(diff, kind, pair, "emissive", a->emissive, b->emissive, 3, 1);
    tn_diff_number(diff, kind, pair, "normal_scale", a->normal_scale, b->normal_scale, 1);
    tn_diff_number(diff, kind, pair, "occlusion_strength", a->occlusion_strength,
                   b->occlusion_strength, 1);
    tn_diff_words(diff, kind, pair, "alpha", alpha_words[a->alpha], alpha_words[b->alpha]);
    if (a->alpha == TENON_MASK && b->alpha == TENON_MASK)
        tn_diff_number(diff, kind, pair, "alpha_cutoff", a->alpha_cutoff, b->alpha_cutoff, 1);
    tn_diff_flags(diff, kind, pair, "double_sided", a->double_sided, b->double_sided);
    tn_diff_flags(diff, kind, pair, "is_unlit", a->is_unlit, b->is_unlit);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        diff_objects_texture(diff, pair, (tenon_slot)slot);
}

// -- Images

// Whether one path ends with the other, by whole names: models in two folders refer to a texture in
// a third one by different paths.
static bool diff_objects_is_same_file(tenon_str a, tenon_str b)
{
    tenon_str longer = a.size > b.size ? a : b, shorter = a.size > b.size ? b : a;
    uint32_t start = longer.size - shorter.size;
    if (memcmp(longer.data + start, shorter.data, shorter.size) != 0) return false;
    return start == 0 || longer.data[start - 1] == '/';
}

static void diff_objects_image(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_image *a = &diff->scenes[0]->images[pair->a],
                      *b = &diff->scenes[1]->images[pair->b];
    if (a->path.size == 0 || b->path.size == 0)
        tn_diff_texts(diff, TN_DIFF_IMAGES, pair, "name", tn_image_stem(a), tn_image_stem(b));
    else if (!diff_objects_is_same_file(a->path, b->path))
        tn_diff_texts(diff, TN_DIFF_IMAGES, pair, "path", a->path, b->path);
    tn_diff_flags(diff, TN_DIFF_IMAGES, pair, "flip_y", a->flip_y, b->flip_y);
    if (!a->data || !b->data) return;
    if (a->size == b->size && memcmp(a->data, b->data, (size_t)a->size) == 0) return;
    tn_diff_words(diff, TN_DIFF_IMAGES, pair, "data",
                  tn_diff_print("%llu bytes", (unsigned long long)a->size).text,
                  tn_diff_print("%llu other bytes", (unsigned long long)b->size).text);
}

static void diff_objects_report_image(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_image *a = pair->a == TENON_NONE ? NULL : &diff->scenes[0]->images[pair->a];
    const tenon_image *b = pair->b == TENON_NONE ? NULL : &diff->scenes[1]->images[pair->b];
    const tenon_image *image = a ? a : b;
    tenon_str name = image->path.size ? image->path : image->name, none = {"", 0};
    tn_diff_report(diff, TN_DIFF_IMAGES, tn_diff_path(diff, pair, "").text, a ? name : none,
                   b ? name : none, -1, 1);
}

void tn_diff_materials(tn_diff *diff)
{
    const uint32_t *partners = diff->pairings[TN_MATERIALS].partners[0];
    const tn_pairing *images = &diff->pairings[TN_IMAGES];
    tn_diff_unpaired(diff, TN_DIFF_MATERIALS, TN_MATERIALS);
    for (uint32_t i = 0; i < diff->scenes[0]->material_count && !diff->context.failed; i++)
        if (partners[i] != TENON_NONE)
            diff_objects_material(diff, &(tn_object_pair){TN_MATERIALS, i, partners[i]});
    for (uint32_t i = 0; i < images->count[0] && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_IMAGES, i, images->partners[0][i]};
        (pair.b == TENON_NONE ? diff_objects_report_image : diff_objects_image)(diff, &pair);
    }
    for (uint32_t i = 0; i < images->count[1] && !diff->context.failed; i++)
        if (images->partners[1][i] == TENON_NONE)
            diff_objects_report_image(diff, &(tn_object_pair){TN_IMAGES, TENON_NONE, i});
}

// -- Cameras and lights

static void diff_objects_camera(tn_diff *diff, const tn_object_pair *pair)
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

static void diff_objects_light(tn_diff *diff, const tn_object_pair *pair)
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
    for (uint32_t i = 0; i < diff->scenes[0]->camera_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_CAMERAS, i, diff->pairings[TN_CAMERAS].partners[0][i]};
        if (pair.b != TENON_NONE) diff_objects_camera(diff, &pair);
    }
    tn_diff_unpaired(diff, TN_DIFF_LIGHTS, TN_LIGHTS);
    for (uint32_t i = 0; i < diff->scenes[0]->light_count && !diff->context.failed; i++) {
        tn_object_pair pair = {TN_LIGHTS, i, diff->pairings[TN_LIGHTS].partners[0][i]};
        if (pair.b != TENON_NONE) diff_objects_light(diff, &pair);
    }
}

// -- Extras

static bool diff_objects_list_of(tenon_extra_of of, tn_object_list *list)
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

// The object that an extra belongs to, as a number that is the same for partners. Objects of A
// without a partner have numbers after all objects of B.
static uint64_t diff_objects_owner_of(const tn_diff *diff, int side, const tenon_extra *extra)
{
    tn_object_list list;
    if (!diff_objects_list_of(extra->of, &list)) return 0;
    const tn_pairing *pairing = &diff->pairings[list];
    uint64_t index = extra->index;
    if (side == 0 && extra->index < pairing->count[0]) {
        uint32_t partner = pairing->partners[0][extra->index];
        index = partner == TENON_NONE ? (uint64_t)pairing->count[1] + extra->index : partner;
    }
    return index << 3 | (uint64_t)extra->of;
}

static void diff_objects_report_extra(tn_diff *diff, int side, const tenon_extra *extra,
                                      tenon_str a, tenon_str b)
{
    tn_object_list list;
    tn_object_pair pair = {TN_NODES, TENON_NONE, TENON_NONE};
    tn_diff_text property = tn_diff_print("extras[%.63s]", tn_diff_name(extra->name).text);
    if (diff_objects_list_of(extra->of, &list) && extra->index < diff->pairings[list].count[side]) {
        pair = (tn_object_pair){list, side ? TENON_NONE : extra->index,
                                side ? extra->index : TENON_NONE};
        property = tn_diff_path(diff, &pair, property.text);
    }
    tn_diff_report(diff, TN_DIFF_EXTRAS, property.text, a, b, -1, 1);
}

void tn_diff_extras(tn_diff *diff)
{
    const tenon_scene *a = diff->scenes[0], *b = diff->scenes[1];
    const tenon_str none = {"", 0};
    tn_ids owners, names, ids;  // An extra has the number of its owner and its name.
    tn_pairing pairing;
    if (!tn_pairing_begin(&diff->context, &pairing, a->extra_count, b->extra_count) ||
        !tn_ids_begin(&diff->context, &owners, &pairing) ||
        !tn_ids_begin(&diff->context, &names, &pairing) ||
        !tn_ids_begin(&diff->context, &ids, &pairing))
        return;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < pairing.count[side]; i++) {
            const tenon_extra *extra = &diff->scenes[side]->extras[i];
            uint64_t owner = tn_id_of_key(&owners, diff_objects_owner_of(diff, side, extra));
            ids.of[side][i] = tn_id_of_key(&ids, owner << 32 | tn_id_of_text(&names, extra->name));
        }
    if (!tn_pair_ids(&diff->context, &pairing, &ids)) return;
    for (uint32_t i = 0; i < a->extra_count; i++) {
        uint32_t partner = pairing.partners[0][i];
        tenon_str value = partner == TENON_NONE ? none : b->extras[partner].value;
        if (partner == TENON_NONE || !tn_text_equal(a->extras[i].value, value))
            diff_objects_report_extra(diff, 0, &a->extras[i], a->extras[i].value, value);
    }
    for (uint32_t i = 0; i < b->extra_count; i++)
        if (pairing.partners[1][i] == TENON_NONE)
            diff_objects_report_extra(diff, 1, &b->extras[i], none, b->extras[i].value);
}
