// gltf_export_materials.c: materials, textures and samplers.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "formats/formats.h"

const char *const gltf_texture_keys[TENON_SLOT_COUNT] = {
    [TENON_SLOT_BASE_COLOR] = "baseColorTexture",
    [TENON_SLOT_METALLIC_ROUGHNESS] = "metallicRoughnessTexture",
    [TENON_SLOT_NORMAL] = "normalTexture",
    [TENON_SLOT_OCCLUSION] = "occlusionTexture",
    [TENON_SLOT_EMISSIVE] = "emissiveTexture",
    [TENON_SLOT_SPECULAR] = "specularTexture",
    [TENON_SLOT_DISPLACEMENT] = "displacementTexture",
    [TENON_SLOT_LIGHT_MAP] = "lightMapTexture",
};

// Clamp values and count those that changed. NaNs are outside of every range.
static void hold(double *values, uint32_t count, double low, double high, uint64_t *wrong)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] >= low && values[i] <= high) continue;
        values[i] = values[i] > high ? high : low;
        (*wrong)++;
    }
}

// A material with all values in the ranges that glTF allows.
static tenon_material gltf_clean_material(const tenon_material *source, uint64_t *wrong)
{
    const double most = 1e30;
    tenon_material m = *source;
    hold(m.base_color, 4, 0, 1, wrong);
    hold(&m.metallic, 1, 0, 1, wrong);
    hold(&m.roughness, 1, 0, 1, wrong);
    // KHR_materials_emissive_strength is not allowed together with KHR_materials_unlit.
    hold(m.emissive, 3, 0, m.is_unlit ? 1 : most, wrong);
    hold(&m.normal_scale, 1, -most, most, wrong);
    hold(&m.occlusion_strength, 1, 0, 1, wrong);
    hold(&m.alpha_cutoff, 1, 0, most, wrong);
    hold(m.specular, 3, 0, most, wrong);
    hold(&m.shininess, 1, 0, most, wrong);
    return m;
}

static double gltf_strength_of(const tenon_material *m)
{
    double most = 1;
    for (int k = 0; k < 3; k++) most = m->emissive[k] > most ? m->emissive[k] : most;
    return most;
}

// -- Planning

uint32_t gltf_material_for(gltf_exporter *w, uint32_t source, uint32_t slots)
{
    uint32_t *first = &w->material_of[source];
    for (uint32_t i = *first; i != TENON_NONE; i = w->materials[i].next)
        if (w->materials[i].slots == slots) return i;
    uint32_t index = gltf_grow(w, (void **)(void *)&w->materials, &w->material_count,
                               &w->material_room, sizeof *w->materials);
    if (index == TENON_NONE) return index;
    w->materials[index] = (gltf_material){source, slots, *first};
    return *first = index;
}

static uint32_t wraps_of(const tenon_texture *t)
{
    return 3 * (uint32_t)t->wrap[0] + (uint32_t)t->wrap[1];
}

// The transform of texture coordinates, which also flips pictures whose first row is at the bottom.
typedef struct gltf_transform {
    double offset[2], rotation, scale[2];
    bool is_none;
} gltf_transform;

static gltf_transform gltf_transform_of(const gltf_exporter *w, const tenon_texture *t)
{
    bool is_flipped = w->images[t->image].is_flipped;
    gltf_transform r = {.offset = {t->offset[0], is_flipped ? 1 - t->offset[1] : t->offset[1]},
                        .rotation = is_flipped ? -t->rotation : t->rotation,
                        .scale = {t->scale[0], is_flipped ? -t->scale[1] : t->scale[1]}};
    r.is_none = gltf_all_equal(r.offset, 2, 0) && gltf_all_equal(&r.rotation, 1, 0) &&
                gltf_all_equal(r.scale, 2, 1);
    return r;
}

bool gltf_has_texture(const gltf_exporter *w, const gltf_material *m, uint32_t slot)
{
    uint32_t image = w->scene->materials[m->source].textures[slot].image;
    return (m->slots & 1u << slot) && w->images[image].kind >= GLTF_IMAGE_NAMED;
}

static void gltf_plan_texture(gltf_exporter *w, const tenon_texture *t)
{
    uint32_t wraps = wraps_of(t);
    if (!gltf_transform_of(w, t).is_none) w->has_transforms = true;
    uint32_t *place = &w->texture_of[(size_t)t->image * GLTF_WRAPS + wraps];
    if (*place != TENON_NONE) return;
    uint32_t index = gltf_grow(w, (void **)(void *)&w->textures, &w->texture_count,
                               &w->texture_room, sizeof *w->textures);
    if (index == TENON_NONE) return;
    w->textures[index] = (gltf_texture){t->image, wraps};
    *place = index;
    // Repeating in both directions is the default.
    if (wraps && w->sampler_of[wraps] == TENON_NONE) w->sampler_of[wraps] = w->sampler_count++;
}

// Textures that cannot be written get a URI in extras.
static void gltf_name_lost_texture(gltf_exporter *w, const gltf_material *m, uint32_t slot)
{
    uint32_t image = w->scene->materials[m->source].textures[slot].image;
    if (image == TENON_NONE || gltf_has_texture(w, m, slot) || w->images[image].named) return;
    tenon_str path = w->scene->images[image].path;
    if (path.size) w->images[image].named = gltf_uri_of(w, path, false);
}

static void gltf_plan_material(gltf_exporter *w, const gltf_material *m)
{
    const tenon_material *source = &w->scene->materials[m->source];
    uint64_t wrong = 0;
    tenon_material clean = gltf_clean_material(source, &wrong);
    if (clean.is_unlit) w->has_unlit = true;
    if (gltf_strength_of(&clean) > 1) w->has_strengths = true;
    for (uint32_t slot = 0; slot <= TENON_SLOT_EMISSIVE && !w->failed; slot++)
        if (gltf_has_texture(w, m, slot)) gltf_plan_texture(w, &source->textures[slot]);
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT && !w->failed; slot++)
        gltf_name_lost_texture(w, m, slot);
    // One source may become several materials: its losses are reported once.
    if (w->material_of[m->source] != (uint32_t)(m - w->materials)) return;
    gltf_report_loss(w, GLTF_LOST_NUMBERS, wrong, "materials", m->source);
    // In glTF sources these are in extras only, and stay there.
    if (w->scene->source == &tn_gltf_format.face) return;
    gltf_report_loss(w, GLTF_LOST_HIGHLIGHTS, source->is_classic, "materials", m->source);
    for (uint32_t slot = TENON_SLOT_EMISSIVE + 1; slot < TENON_SLOT_COUNT; slot++)
        gltf_report_loss(w, GLTF_LOST_SLOTS, source->textures[slot].image != TENON_NONE,
                         "materials", m->source);
}

void gltf_end_materials(gltf_exporter *w)
{
    w->texture_of = gltf_alloc_indices(w, (uint64_t)w->scene->image_count * GLTF_WRAPS);
    for (uint32_t i = 0; i < GLTF_WRAPS; i++) w->sampler_of[i] = TENON_NONE;
    for (uint32_t i = 0; i < w->material_count && !w->failed; i++)
        gltf_plan_material(w, &w->materials[i]);
    for (uint32_t i = 0; i < w->scene->material_count && !w->failed; i++)
        gltf_report_loss(w, GLTF_LOST_MATERIALS, w->material_of[i] == TENON_NONE, "materials", i);
}

// -- Text

static void gltf_put_transform(gltf_exporter *w, const gltf_transform *t)
{
    gltf_open_object(w, "extensions");
    gltf_open_object(w, "KHR_texture_transform");
    if (!gltf_all_equal(t->offset, 2, 0)) gltf_put_numbers(w, "offset", t->offset, 2);
    if (!gltf_all_equal(&t->rotation, 1, 0)) gltf_put_number(w, "rotation", t->rotation);
    if (!gltf_all_equal(t->scale, 2, 1)) gltf_put_numbers(w, "scale", t->scale, 2);
    gltf_close_object(w);
    gltf_close_object(w);
}

static void gltf_put_texture(gltf_exporter *w, const gltf_material *m, tenon_slot slot,
                             const char *factor_key, double factor)
{
    if (!gltf_has_texture(w, m, slot)) return;
    const tenon_texture *t = &w->scene->materials[m->source].textures[slot];
    gltf_transform transform = gltf_transform_of(w, t);
    gltf_open_object(w, gltf_texture_keys[slot]);
    gltf_put_index(w, "index", w->texture_of[(size_t)t->image * GLTF_WRAPS + wraps_of(t)]);
    if (t->uv_set) gltf_put_index(w, "texCoord", t->uv_set);
    if (factor_key && !gltf_all_equal(&factor, 1, 1)) gltf_put_number(w, factor_key, factor);
    if (!transform.is_none) gltf_put_transform(w, &transform);
    gltf_close_object(w);
}

static void gltf_put_base(gltf_exporter *w, const gltf_material *m, const tenon_material *clean)
{
    bool has_color = !gltf_all_equal(clean->base_color, 4, 1);
    bool has_metallic = !gltf_all_equal(&clean->metallic, 1, 1);
    bool has_roughness = !gltf_all_equal(&clean->roughness, 1, 1);
    bool has_textures = gltf_has_texture(w, m, TENON_SLOT_BASE_COLOR) ||
                        gltf_has_texture(w, m, TENON_SLOT_METALLIC_ROUGHNESS);
    if (!has_color && !has_metallic && !has_roughness && !has_textures) return;
    gltf_open_object(w, "pbrMetallicRoughness");
    if (has_color) gltf_put_numbers(w, "baseColorFactor", clean->base_color, 4);
    gltf_put_texture(w, m, TENON_SLOT_BASE_COLOR, NULL, 1);
    if (has_metallic) gltf_put_number(w, "metallicFactor", clean->metallic);
    if (has_roughness) gltf_put_number(w, "roughnessFactor", clean->roughness);
    gltf_put_texture(w, m, TENON_SLOT_METALLIC_ROUGHNESS, NULL, 1);
    gltf_close_object(w);
}

static void gltf_put_alpha(gltf_exporter *w, const tenon_material *clean)
{
    if (clean->alpha != TENON_OPAQUE) {
        tn_json_put_key(&w->json, "alphaMode");
        tn_json_put_string(&w->json, clean->alpha == TENON_MASK ? "MASK" : "BLEND");
    }
    if (clean->alpha == TENON_MASK && !gltf_all_equal(&clean->alpha_cutoff, 1, 0.5))
        gltf_put_number(w, "alphaCutoff", clean->alpha_cutoff);
    if (clean->double_sided) {
        tn_json_put_key(&w->json, "doubleSided");
        tn_json_put_bool(&w->json, true);
    }
}

// Values above 1 are written as a strength and a factor of at most 1.
static void gltf_put_emission(gltf_exporter *w, const tenon_material *clean)
{
    double strength = gltf_strength_of(clean), factor[3];
    for (int k = 0; k < 3; k++) factor[k] = clean->emissive[k] / strength;
    if (!gltf_all_equal(factor, 3, 0)) gltf_put_numbers(w, "emissiveFactor", factor, 3);
    if (!clean->is_unlit && !(strength > 1)) return;
    gltf_open_object(w, "extensions");
    if (strength > 1) {
        gltf_open_object(w, "KHR_materials_emissive_strength");
        gltf_put_number(w, "emissiveStrength", strength);
        gltf_close_object(w);
    }
    if (clean->is_unlit) {
        gltf_open_object(w, "KHR_materials_unlit");
        gltf_close_object(w);
    }
    gltf_close_object(w);
}

// The URI, for extras, of a picture that is not written as a texture; NULL: none.
static const char *gltf_lost_name(const gltf_exporter *w, const gltf_material *m, uint32_t slot)
{
    uint32_t image = w->scene->materials[m->source].textures[slot].image;
    if (image == TENON_NONE || gltf_has_texture(w, m, slot)) return NULL;
    return w->images[image].named;
}

// The URI of a lost picture, and its texture transform unless that is the identity.
static void gltf_put_lost_texture(gltf_exporter *w, uint32_t slot, const char *name,
                                  const tenon_texture *t)
{
    bool is_placed = !gltf_all_equal(t->offset, 2, 0) || !gltf_all_equal(&t->rotation, 1, 0) ||
                     !gltf_all_equal(t->scale, 2, 1);
    if (!is_placed) {
        tn_json_put_key(&w->json, gltf_texture_keys[slot]);
        tn_json_put_string(&w->json, name);
        return;
    }
    gltf_open_object(w, gltf_texture_keys[slot]);
    tn_json_put_key(&w->json, "uri");
    tn_json_put_string(&w->json, name);
    gltf_put_numbers(w, "offset", t->offset, 2);
    gltf_put_number(w, "rotation", t->rotation);
    gltf_put_numbers(w, "scale", t->scale, 2);
    gltf_close_object(w);
}

static void gltf_put_material_extras(gltf_exporter *w, const gltf_material *m,
                                     const tenon_material *clean)
{
    bool has_names = false;
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++)
        has_names = has_names || gltf_lost_name(w, m, slot);
    if (!clean->is_classic && !has_names && !gltf_has_extras(w, TENON_EXTRA_OF_MATERIAL, m->source))
        return;
    gltf_open_object(w, "extras");
    if (clean->is_classic) gltf_put_numbers(w, "specular", clean->specular, 3);
    if (clean->is_classic) gltf_put_number(w, "shininess", clean->shininess);
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const char *name = gltf_lost_name(w, m, slot);
        if (name) gltf_put_lost_texture(w, slot, name, &clean->textures[slot]);
    }
    gltf_put_extra_members(w, TENON_EXTRA_OF_MATERIAL, m->source);
    gltf_close_object(w);
}

static void gltf_put_material(gltf_exporter *w, const gltf_material *m)
{
    uint64_t wrong = 0;
    tenon_material clean = gltf_clean_material(&w->scene->materials[m->source], &wrong);
    gltf_open_object(w, NULL);
    gltf_put_name(w, clean.name);
    gltf_put_base(w, m, &clean);
    gltf_put_texture(w, m, TENON_SLOT_NORMAL, "scale", clean.normal_scale);
    gltf_put_texture(w, m, TENON_SLOT_OCCLUSION, "strength", clean.occlusion_strength);
    gltf_put_texture(w, m, TENON_SLOT_EMISSIVE, NULL, 1);
    gltf_put_alpha(w, &clean);
    gltf_put_emission(w, &clean);
    gltf_put_material_extras(w, m, &clean);
    gltf_close_object(w);
}

void gltf_put_materials(gltf_exporter *w)
{
    if (!w->material_count) return;
    gltf_open_array(w, "materials");
    for (uint32_t i = 0; i < w->material_count; i++) gltf_put_material(w, &w->materials[i]);
    gltf_close_array(w);
}

static void gltf_put_samplers(gltf_exporter *w)
{
    static const uint32_t modes[] = {
        [TENON_REPEAT] = 10497, [TENON_CLAMP] = 33071, [TENON_MIRROR] = 33648};
    if (!w->sampler_count) return;
    gltf_open_array(w, "samplers");
    for (uint32_t k = 0; k < w->sampler_count; k++) {
        uint32_t wraps = 0;
        while (w->sampler_of[wraps] != k) wraps++;
        gltf_open_object(w, NULL);
        if (wraps / 3 != TENON_REPEAT) gltf_put_index(w, "wrapS", modes[wraps / 3]);
        if (wraps % 3 != TENON_REPEAT) gltf_put_index(w, "wrapT", modes[wraps % 3]);
        gltf_close_object(w);
    }
    gltf_close_array(w);
}

void gltf_put_textures(gltf_exporter *w)
{
    if (!w->texture_count) return;
    gltf_open_array(w, "textures");
    for (uint32_t i = 0; i < w->texture_count; i++) {
        const gltf_texture *t = &w->textures[i];
        gltf_open_object(w, NULL);
        gltf_put_index(w, "sampler", w->sampler_of[t->wraps]);
        gltf_put_index(w, "source", w->images[t->image].index);
        gltf_close_object(w);
    }
    gltf_close_array(w);
    gltf_put_samplers(w);
}
