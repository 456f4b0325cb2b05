// diff_material.c: what differs between materials, their textures, and images.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include <string.h>

static const char *const alpha_words[] = {"opaque", "mask", "blend"};
static const char *const wrap_words[] = {"repeat", "clamp", "mirror"};

static const char *wrap_text(const tenon_texture *t, tn_diff_text *out)
{
    *out = tn_diff_print("%s %s", wrap_words[t->wrap[0]], wrap_words[t->wrap[1]]);
    return out->text;
}

// -- Textures

static void diff_texture(tn_diff *diff, const tn_object_pair *pair, tenon_slot slot)
{
    const tenon_texture *a = &diff->scenes[0]->materials[pair->a].textures[slot];
    const tenon_texture *b = &diff->scenes[1]->materials[pair->b].textures[slot];
    if (a->image == TENON_NONE && b->image == TENON_NONE) return;
    const char *word = tenon_slot_word(slot);
    tn_diff_text property = tn_diff_print("textures[%s]", word), a_wrap, b_wrap;
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
                  wrap_text(a, &a_wrap), wrap_text(b, &b_wrap));
}

// -- Materials

static void diff_classic(tn_diff *diff, const tn_object_pair *pair, const tenon_material *a,
                         const tenon_material *b)
{
    tn_diff_flags(diff, TN_DIFF_MATERIALS, pair, "is_classic", a->is_classic, b->is_classic);
    if (!a->is_classic || !b->is_classic) return;
    tn_diff_numbers(diff, TN_DIFF_MATERIALS, pair, "specular", a->specular, b->specular, 3, 1);
    tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "shininess", a->shininess, b->shininess, 1);
}

static void diff_metallic(tn_diff *diff, const tn_object_pair *pair, const tenon_material *a,
                          const tenon_material *b)
{
    if (a->is_classic && b->is_classic) return;
    tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "metallic", a->metallic, b->metallic, 1);
    tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "roughness", a->roughness, b->roughness, 1);
}

static void diff_material(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_material *a = &diff->scenes[0]->materials[pair->a],
                         *b = &diff->scenes[1]->materials[pair->b];
    tn_diff_numbers(diff, TN_DIFF_MATERIALS, pair, "base_color", a->base_color, b->base_color, 4,
                    1);
    diff_metallic(diff, pair, a, b);
    diff_classic(diff, pair, a, b);
    tn_diff_numbers(diff, TN_DIFF_MATERIALS, pair, "emissive", a->emissive, b->emissive, 3, 1);
    tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "normal_scale", a->normal_scale, b->normal_scale,
                   1);
    tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "occlusion_strength", a->occlusion_strength,
                   b->occlusion_strength, 1);
    tn_diff_words(diff, TN_DIFF_MATERIALS, pair, "alpha", alpha_words[a->alpha],
                  alpha_words[b->alpha]);
    if (a->alpha == TENON_MASK && b->alpha == TENON_MASK)
        tn_diff_number(diff, TN_DIFF_MATERIALS, pair, "alpha_cutoff", a->alpha_cutoff,
                       b->alpha_cutoff, 1);
    tn_diff_flags(diff, TN_DIFF_MATERIALS, pair, "double_sided", a->double_sided, b->double_sided);
    tn_diff_flags(diff, TN_DIFF_MATERIALS, pair, "is_unlit", a->is_unlit, b->is_unlit);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) diff_texture(diff, pair, (tenon_slot)slot);
}

// -- Images

// Whether one path ends with the other, by whole names: models of two folders see a texture in a
// third one by different paths.
static bool is_same_file(tenon_str a, tenon_str b)
{
    tenon_str longer = a.size > b.size ? a : b, shorter = a.size > b.size ? b : a;
    uint32_t start = longer.size - shorter.size;
    if (memcmp(longer.data + start, shorter.data, shorter.size) != 0) return false;
    return start == 0 || longer.data[start - 1] == '/';
}

static void diff_image(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_image *a = &diff->scenes[0]->images[pair->a],
                      *b = &diff->scenes[1]->images[pair->b];
    if (a->path.size == 0 || b->path.size == 0)
        tn_diff_texts(diff, TN_DIFF_IMAGES, pair, "name", tn_image_stem(a), tn_image_stem(b));
    else if (!is_same_file(a->path, b->path))
        tn_diff_texts(diff, TN_DIFF_IMAGES, pair, "path", a->path, b->path);
    tn_diff_flags(diff, TN_DIFF_IMAGES, pair, "flip_y", a->flip_y, b->flip_y);
    if (!a->data || !b->data) return;
    if (a->size == b->size && memcmp(a->data, b->data, (size_t)a->size) == 0) return;
    tn_diff_words(diff, TN_DIFF_IMAGES, pair, "data",
                  tn_diff_print("%llu bytes", (unsigned long long)a->size).text,
                  tn_diff_print("%llu other bytes", (unsigned long long)b->size).text);
}

static void report_image(tn_diff *diff, const tn_object_pair *pair)
{
    const tenon_image *a = pair->a == TENON_NONE ? NULL : &diff->scenes[0]->images[pair->a];
    const tenon_image *b = pair->b == TENON_NONE ? NULL : &diff->scenes[1]->images[pair->b];
    const tenon_image *image = a ? a : b;
    tenon_str name = image->path.size ? image->path : image->name, none = {"", 0};
    tn_diff_report(diff, TN_DIFF_IMAGES, tn_diff_path(diff, pair, "").text, a ? name : none,
                   b ? name : none, -1, 1);
}

static void diff_images(tn_diff *diff)
{
    const tn_pairing *pairing = &diff->pairings[TN_IMAGES];
    for (uint32_t i = 0; i < pairing->count[0] && !diff->failed; i++) {
        tn_object_pair pair = {TN_IMAGES, i, pairing->partners[0][i]};
        (pair.b == TENON_NONE ? report_image : diff_image)(diff, &pair);
    }
    for (uint32_t i = 0; i < pairing->count[1] && !diff->failed; i++)
        if (pairing->partners[1][i] == TENON_NONE)
            report_image(diff, &(tn_object_pair){TN_IMAGES, TENON_NONE, i});
}

void tn_diff_materials(tn_diff *diff)
{
    const uint32_t *partners = diff->pairings[TN_MATERIALS].partners[0];
    tn_diff_unpaired(diff, TN_DIFF_MATERIALS, TN_MATERIALS);
    for (uint32_t i = 0; i < diff->scenes[0]->material_count && !diff->failed; i++)
        if (partners[i] != TENON_NONE)
            diff_material(diff, &(tn_object_pair){TN_MATERIALS, i, partners[i]});
    diff_images(diff);
}
