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

// A material with all values in the ranges that glTF allows.
static tenon_material gltf_export_clean_material(const tenon_material *source, uint64_t *wrong)
{
    const double most = 1e30;
    tenon_material clean = *source;
    *wrong += gltf_export_clamp(clean.base_color, 4, 0, 1);
    *wrong += gltf_export_clamp(&clean.metallic, 1, 0, 1);
    *wrong += gltf_export_clamp(&clean.roughness, 1, 0, 1);
    // KHR_materials_emissive_strength is not allowed together with KHR_materials_unlit.
    *wrong += gltf_export_clamp(clean.emissive, 3, 0, clean.is_unlit ? 1 : most);
    *wrong += gltf_export_clamp(&clean.normal_scale, 1, -most, most);
    *wrong += gltf_export_clamp(&clean.occlusion_strength, 1, 0, 1);
    *wrong += gltf_export_clamp(&clean.alpha_cutoff, 1, 0, most);
    *wrong += gltf_export_clamp(clean.specular, 3, 0, most);
    *wrong += gltf_export_clamp(&clean.shininess, 1, 0, most);
    return clean;
}

// Split an emissive color, which may be above 1, into a factor and a strength: those of the file if
// they give this color. Returns whether the strength is written.
static bool gltf_export_materials_split_emissive(const tenon_material *material,
                                                 const tn_json_value *from, double factor[3],
                                                 double *strength)
{
    const tn_json_value *kept = gltf_extension_of(from, "KHR_materials_emissive_strength");
    double most = 1, given[3] = {0};
    bool is_kept = kept && !material->is_unlit;
    *strength = tn_json_tree_f64(tn_json_tree_get(kept, "emissiveStrength"), 1);
    (void)tn_json_tree_f64s(tn_json_tree_get(from, "emissiveFactor"), given, 3);
    for (int k = 0; k < 3; k++) {
        most = material->emissive[k] > most ? material->emissive[k] : most;
        is_kept = is_kept && given[k] * *strength == material->emissive[k] && given[k] <= 1;
    }
    if (!is_kept) *strength = most;
    for (int k = 0; k < 3; k++) factor[k] = is_kept ? given[k] : material->emissive[k] / most;
    return is_kept || most > 1;
}

// The object of the file for a texture of a material, or NULL.
static const tn_json_value *gltf_export_materials_info(const gltf_exporter *exporter,
                                                       const gltf_material *material,
                                                       tenon_slot slot)
{
    uint32_t origin = exporter->scene->materials[material->source].origin;
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_MATERIALS, origin);
    if (slot <= TENON_SLOT_METALLIC_ROUGHNESS)
        from = tn_json_tree_get(from, "pbrMetallicRoughness");
    return tn_json_tree_get(from, gltf_texture_keys[slot]);
}

// -- Planning

uint32_t gltf_export_material_for(gltf_exporter *exporter, uint32_t source, uint32_t slots)
{
    uint32_t *first = &exporter->material_of[source];
    for (uint32_t i = *first; i != TENON_NONE; i = exporter->materials[i].next)
        if (exporter->materials[i].slots == slots) return i;
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->materials, &exporter->material_count,
                         &exporter->material_room, sizeof *exporter->materials);
    if (index == TENON_NONE) return index;
    exporter->materials[index] = (gltf_material){source, slots, *first};
    return *first = index;
}

static uint32_t gltf_export_materials_wraps_of(const tenon_texture *texture)
{
    return 3 * (uint32_t)texture->wrap[0] + (uint32_t)texture->wrap[1];
}

// The transform of texture coordinates, which also flips pictures whose first row is at the bottom.
typedef struct gltf_transform {
    double offset[2], rotation, scale[2];
} gltf_transform;

static gltf_transform gltf_export_materials_transform_of(const gltf_exporter *exporter,
                                                         const tenon_texture *t)
{
    bool is_flipped = exporter->images[t->image].is_flipped;
    return (gltf_transform){.offset = {t->offset[0], is_flipped ? 1 - t->offset[1] : t->offset[1]},
                            .rotation = is_flipped ? -t->rotation : t->rotation,
                            .scale = {t->scale[0], is_flipped ? -t->scale[1] : t->scale[1]}};
}

static bool gltf_export_materials_is_identity(const double offset[2], double rotation,
                                              const double scale[2])
{
    return gltf_export_all_equal(offset, 2, 0) && gltf_export_all_equal(&rotation, 1, 0) &&
           gltf_export_all_equal(scale, 2, 1);
}

bool gltf_export_has_texture(const gltf_exporter *exporter, const gltf_material *material,
                             uint32_t slot)
{
    uint32_t image = exporter->scene->materials[material->source].textures[slot].image;
    return (material->slots & 1u << slot) && exporter->images[image].kind >= GLTF_IMAGE_NAMED;
}

// Where the index of a texture is.
static uint32_t *gltf_export_materials_place(const gltf_exporter *exporter,
                                             const tenon_texture *texture)
{
    uint32_t origin = gltf_export_texture_origin(exporter, texture);
    if (origin) return &exporter->texture_of_origin[origin - 1];
    return &exporter->texture_of[(size_t)texture->image * GLTF_WRAPS +
                                 gltf_export_materials_wraps_of(texture)];
}

static void gltf_export_materials_plan_texture(gltf_exporter *exporter,
                                               const tenon_texture *texture,
                                               const tn_json_value *info)
{
    uint32_t wraps = gltf_export_materials_wraps_of(texture);
    gltf_transform transform = gltf_export_materials_transform_of(exporter, texture);
    if (!gltf_export_materials_is_identity(transform.offset, transform.rotation, transform.scale) ||
        gltf_extension_of(info, "KHR_texture_transform"))
        exporter->has_transforms = true;
    uint32_t *place = gltf_export_materials_place(exporter, texture);
    if (*place != TENON_NONE) return;
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->textures, &exporter->texture_count,
                         &exporter->texture_room, sizeof *exporter->textures);
    if (index == TENON_NONE) return;
    uint32_t origin = gltf_export_texture_origin(exporter, texture);
    exporter->textures[index] = (gltf_texture){texture->image, wraps, origin};
    *place = index;
    if (origin) return;
    // Repeating in both directions is the default.
    if (wraps && exporter->sampler_of[wraps] == TENON_NONE)
        exporter->sampler_of[wraps] = exporter->sampler_count++;
}

void gltf_export_plan_materials(gltf_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    exporter->texture_of =
        gltf_export_alloc_indices(exporter, (uint64_t)scene->image_count * GLTF_WRAPS);
    exporter->texture_of_origin =
        gltf_export_alloc_indices(exporter, gltf_export_kept_count(exporter, LIST_TEXTURES));
    for (uint32_t i = 0; i < GLTF_WRAPS; i++) exporter->sampler_of[i] = TENON_NONE;
    for (uint32_t i = 0; i < exporter->material_count && !exporter->failed; i++) {
        const gltf_material *material = &exporter->materials[i];
        const tenon_material *source = &scene->materials[material->source];
        uint64_t wrong = 0;
        tenon_material clean = gltf_export_clean_material(source, &wrong);
        if (clean.is_unlit) exporter->has_unlit = true;
        double factor[3], strength;
        if (gltf_export_materials_split_emissive(
                &clean, gltf_export_kept_object(exporter, LIST_MATERIALS, clean.origin), factor,
                &strength))
            exporter->has_emissive_strength = true;
        for (uint32_t slot = 0; slot <= TENON_SLOT_EMISSIVE && !exporter->failed; slot++)
            if (gltf_export_has_texture(exporter, material, slot))
                gltf_export_materials_plan_texture(
                    exporter, &source->textures[slot],
                    gltf_export_materials_info(exporter, material, (tenon_slot)slot));
        // Textures that cannot be written get a URI in extras.
        for (uint32_t slot = 0; slot < TENON_SLOT_COUNT && !exporter->failed; slot++) {
            uint32_t image = source->textures[slot].image;
            if (image == TENON_NONE || gltf_export_has_texture(exporter, material, slot)) continue;
            const char **uri = &exporter->images[image].extras_uri;
            if (!*uri && scene->images[image].path.size)
                *uri = gltf_export_uri_of(exporter, scene->images[image].path, false);
        }
        // One source may become several materials: its losses are reported once.
        if (exporter->material_of[material->source] != i) continue;
        tn_tally_at(&exporter->losses[LOST_NUMBERS], wrong, "materials", material->source);
        // In glTF sources these are in extras only, and stay there.
        if (scene->source == &tn_gltf_format.face) continue;
        tn_tally_at(&exporter->losses[LOST_HIGHLIGHTS], source->is_classic, "materials",
                    material->source);
        for (uint32_t slot = TENON_SLOT_EMISSIVE + 1; slot < TENON_SLOT_COUNT; slot++)
            tn_tally_at(&exporter->losses[LOST_SLOTS], source->textures[slot].image != TENON_NONE,
                        "materials", material->source);
    }
    for (uint32_t i = 0; i < scene->material_count && !exporter->failed; i++)
        tn_tally_at(&exporter->losses[LOST_MATERIALS], exporter->material_of[i] == TENON_NONE,
                    "materials", i);
}

// -- Text

static void gltf_export_materials_texture(gltf_exporter *exporter, const gltf_material *material,
                                          tenon_slot slot, const char *factor_key, double factor)
{
    const tn_json_value *info = gltf_export_materials_info(exporter, material, slot);
    const tn_json_value *kept = gltf_extension_of(info, "KHR_texture_transform");
    if (!gltf_export_has_texture(exporter, material, slot)) return;
    const tenon_texture *texture = &exporter->scene->materials[material->source].textures[slot];
    const gltf_transform t = gltf_export_materials_transform_of(exporter, texture);
    gltf_export_begin_object(exporter, gltf_texture_keys[slot]);
    gltf_export_index(exporter, "index", *gltf_export_materials_place(exporter, texture));
    // In the file, the extension may say which texture coordinates are used.
    uint32_t other = gltf_index_of(kept, "texCoord");
    bool is_other = other == texture->uv_set;
    uint32_t uv_set =
        is_other ? tn_json_tree_u32(tn_json_tree_get(info, "texCoord"), 0) : texture->uv_set;
    if (uv_set) gltf_export_index(exporter, "texCoord", uv_set);
    if (factor_key) gltf_export_numbers_unless(exporter, 1, factor_key, &factor, 1);
    bool has_transform = kept || !gltf_export_materials_is_identity(t.offset, t.rotation, t.scale);
    if (gltf_export_begin_extensions(exporter, info, has_transform)) {
        if (has_transform) {
            gltf_export_begin_object(exporter, "KHR_texture_transform");
            gltf_export_numbers_unless(exporter, 0, "offset", t.offset, 2);
            gltf_export_numbers_unless(exporter, 0, "rotation", &t.rotation, 1);
            gltf_export_numbers_unless(exporter, 1, "scale", t.scale, 2);
            if (is_other) gltf_export_index(exporter, "texCoord", other);
            gltf_export_kept_members(exporter, kept);
            gltf_export_end_object(exporter);
        }
        gltf_export_end_extensions(exporter, info);
    }
    gltf_export_kept_member(exporter, info, "extras");
    gltf_export_end_object(exporter);
}

// Extras of the material, with what glTF cannot hold: the specular color, and the URIs of textures
// with their transforms.
static void gltf_export_material_extras(gltf_exporter *exporter, const gltf_material *material,
                                        const tenon_material *clean, const tn_json_value *from)
{
    const char *uris[TENON_SLOT_COUNT] = {NULL}, *written[TENON_SLOT_COUNT + 3] = {NULL};
    uint32_t written_count = 0;
    bool has_uris = false;
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        uint32_t image = clean->textures[slot].image;
        if (image == TENON_NONE || gltf_export_has_texture(exporter, material, slot)) continue;
        uris[slot] = exporter->images[image].extras_uri;
        has_uris = has_uris || uris[slot];
        if (uris[slot]) written[written_count++] = gltf_texture_keys[slot];
    }
    if (!clean->is_classic && !has_uris) {
        gltf_export_extras(exporter, TENON_EXTRA_OF_MATERIAL, material->source, from);
        return;
    }
    if (clean->is_classic) written[written_count++] = "specular";
    if (clean->is_classic) written[written_count] = "shininess";
    gltf_export_begin_object(exporter, "extras");
    if (clean->is_classic) gltf_export_numbers(exporter, "specular", clean->specular, 3);
    if (clean->is_classic) gltf_export_number(exporter, "shininess", clean->shininess);
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *texture = &clean->textures[slot];
        if (!uris[slot]) continue;
        if (gltf_export_materials_is_identity(texture->offset, texture->rotation, texture->scale)) {
            gltf_export_string(exporter, gltf_texture_keys[slot], uris[slot]);
            continue;
        }
        gltf_export_begin_object(exporter, gltf_texture_keys[slot]);
        gltf_export_string(exporter, "uri", uris[slot]);
        gltf_export_numbers(exporter, "offset", texture->offset, 2);
        gltf_export_number(exporter, "rotation", texture->rotation);
        gltf_export_numbers(exporter, "scale", texture->scale, 2);
        gltf_export_end_object(exporter);
    }
    gltf_export_extra_members(exporter, TENON_EXTRA_OF_MATERIAL, material->source, from, written);
    gltf_export_end_object(exporter);
}

void gltf_export_write_material(gltf_exporter *exporter, uint32_t index)
{
    const gltf_material *material = &exporter->materials[index];
    uint64_t wrong = 0;
    tenon_material clean =
        gltf_export_clean_material(&exporter->scene->materials[material->source], &wrong);
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_MATERIALS, clean.origin);
    const tn_json_value *pbr = tn_json_tree_get(from, "pbrMetallicRoughness");
    gltf_export_name(exporter, clean.name);
    if (!gltf_export_all_equal(clean.base_color, 4, 1) ||
        !gltf_export_all_equal(&clean.metallic, 1, 1) ||
        !gltf_export_all_equal(&clean.roughness, 1, 1) ||
        gltf_export_has_texture(exporter, material, TENON_SLOT_BASE_COLOR) ||
        gltf_export_has_texture(exporter, material, TENON_SLOT_METALLIC_ROUGHNESS) ||
        tn_json_tree_get(pbr, "extensions") || tn_json_tree_get(pbr, "extras")) {
        gltf_export_begin_object(exporter, "pbrMetallicRoughness");
        gltf_export_numbers_unless(exporter, 1, "baseColorFactor", clean.base_color, 4);
        gltf_export_materials_texture(exporter, material, TENON_SLOT_BASE_COLOR, NULL, 1);
        gltf_export_numbers_unless(exporter, 1, "metallicFactor", &clean.metallic, 1);
        gltf_export_numbers_unless(exporter, 1, "roughnessFactor", &clean.roughness, 1);
        gltf_export_materials_texture(exporter, material, TENON_SLOT_METALLIC_ROUGHNESS, NULL, 1);
        gltf_export_kept_members(exporter, pbr);
        gltf_export_end_object(exporter);
    }
    gltf_export_materials_texture(exporter, material, TENON_SLOT_NORMAL, "scale",
                                  clean.normal_scale);
    gltf_export_materials_texture(exporter, material, TENON_SLOT_OCCLUSION, "strength",
                                  clean.occlusion_strength);
    gltf_export_materials_texture(exporter, material, TENON_SLOT_EMISSIVE, NULL, 1);
    if (clean.alpha != TENON_OPAQUE)
        gltf_export_string(exporter, "alphaMode", clean.alpha == TENON_MASK ? "MASK" : "BLEND");
    if (clean.alpha == TENON_MASK)
        gltf_export_numbers_unless(exporter, 0.5, "alphaCutoff", &clean.alpha_cutoff, 1);
    if (clean.double_sided) gltf_export_true(exporter, "doubleSided");
    double strength, factor[3];
    bool has_strength = gltf_export_materials_split_emissive(&clean, from, factor, &strength);
    gltf_export_numbers_unless(exporter, 0, "emissiveFactor", factor, 3);
    if (gltf_export_begin_extensions(exporter, from, clean.is_unlit || has_strength)) {
        if (has_strength) {
            const tn_json_value *kept = gltf_extension_of(from, "KHR_materials_emissive_strength");
            gltf_export_begin_object(exporter, "KHR_materials_emissive_strength");
            gltf_export_number(exporter, "emissiveStrength", strength);
            gltf_export_kept_members(exporter, kept);
            gltf_export_end_object(exporter);
        }
        if (clean.is_unlit) {
            gltf_export_begin_object(exporter, "KHR_materials_unlit");
            gltf_export_end_object(exporter);
        }
        gltf_export_end_extensions(exporter, from);
    }
    gltf_export_material_extras(exporter, material, &clean, from);
}

void gltf_export_write_texture(gltf_exporter *exporter, uint32_t index)
{
    const gltf_texture *texture = &exporter->textures[index];
    const gltf_image *image = &exporter->images[texture->image];
    const tn_json_value *from = gltf_export_kept_object(exporter, LIST_TEXTURES, texture->origin);
    if (from) gltf_export_kept_member(exporter, from, "name");
    if (from)
        gltf_export_kept_member(exporter, from, "sampler");
    else
        gltf_export_index(exporter, "sampler", exporter->sampler_of[texture->wraps]);
    if (!image->extension) gltf_export_index(exporter, "source", image->index);
    // The file's texture has the extension already.
    if (image->extension && !from) {
        gltf_export_begin_object(exporter, "extensions");
        gltf_export_begin_object(exporter, image->extension);
        gltf_export_index(exporter, "source", image->index);
        gltf_export_end_object(exporter);
        gltf_export_end_object(exporter);
    }
    gltf_export_kept_members(exporter, from);
}

void gltf_export_write_sampler(gltf_exporter *exporter, uint32_t index)
{
    static const uint32_t modes[] = {
        [TENON_REPEAT] = 10497, [TENON_CLAMP] = 33071, [TENON_MIRROR] = 33648};
    uint32_t wraps = 0;
    while (exporter->sampler_of[wraps] != index) wraps++;
    if (wraps / 3 != TENON_REPEAT) gltf_export_index(exporter, "wrapS", modes[wraps / 3]);
    if (wraps % 3 != TENON_REPEAT) gltf_export_index(exporter, "wrapT", modes[wraps % 3]);
}
