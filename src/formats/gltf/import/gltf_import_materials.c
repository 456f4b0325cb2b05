// gltf_import_materials.c: materials, their textures, and pictures.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"
#include "formats/gltf/import/gltf_import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Pictures

// Add an image whose bytes are in the scene. Until all images are added it needs a unique path: one
// that no file can have.
static uint32_t gltf_import_materials_stored(gltf_importer *importer, uint32_t index,
                                             const uint8_t *data, uint64_t size)
{
    char name[40];
    int length = snprintf(name, sizeof name, "data:%" PRIu32, index);
    uint32_t image =
        data ? tn_add_image(importer->builder, (tenon_str){name, (uint32_t)length}) : TENON_NONE;
    if (importer->builder->failed || image == TENON_NONE) return TENON_NONE;
    importer->builder->scene->images[image].data = data;
    importer->builder->scene->images[image].size = size;
    return image;
}

uint32_t gltf_import_image(gltf_importer *importer, uint32_t index)
{
    tn_scene_builder *builder = importer->builder;
    if (importer->image_of[index] != TENON_NONE) return importer->image_of[index];
    const tn_json_value *image = gltf_import_item(importer, LIST_IMAGES, index);
    const tn_json_value *uri = tn_json_tree_get(image, "uri");
    uint32_t view = gltf_import_index(importer, image, "bufferView", LIST_BUFFER_VIEWS);
    uint32_t added = TENON_NONE;
    tenon_str text = gltf_import_text(importer, image, "uri"),
              name = gltf_import_text(importer, image, "name");
    if (builder->failed) return TENON_NONE;
    if (view != TENON_NONE) {
        gltf_range bytes;
        if (!gltf_import_view_bytes(importer, view, &bytes)) return TENON_NONE;
        if (!importer->pictures[view]) {
            uint8_t *copy = tn_scene_array(builder, bytes.size, 1);
            if (copy) memcpy(copy, bytes.data, (size_t)bytes.size);
            importer->pictures[view] = copy;
        }
        added = gltf_import_materials_stored(importer, index, importer->pictures[view], bytes.size);
    } else if (uri && gltf_import_is_data_uri(text)) {
        uint64_t size;
        const uint8_t *data = gltf_import_decode_data_uri(importer, uri, builder->arena, &size);
        if (data) added = gltf_import_materials_stored(importer, index, data, size);
    } else if (text.size) {
        tenon_str path = gltf_import_path_of_uri(importer, text);
        if (!builder->failed) added = tn_add_image(builder, path);
        if (!builder->failed) builder->scene->images[added].is_only_named = false;
    }
    if (builder->failed || added == TENON_NONE) return TENON_NONE;
    tenon_image *out = &builder->scene->images[added];
    if (!out->name.size) out->name = tn_scene_text(builder, name);
    if (!out->origin) out->origin = index + 1;
    return importer->image_of[index] = builder->failed ? TENON_NONE : added;
}

// -- Textures

static tenon_wrap gltf_import_materials_wrap(gltf_importer *importer, const tn_json_value *sampler,
                                             const char *key)
{
    enum { REPEAT = 10497, CLAMP = 33071, MIRROR = 33648 };
    uint64_t mode = gltf_import_integer(importer, sampler, key, REPEAT);
    if (mode == CLAMP) return TENON_CLAMP;
    if (mode == MIRROR) return TENON_MIRROR;
    if (mode != REPEAT)
        gltf_import_fail(importer, TENON_ERR_VALUE, tn_json_tree_get(sampler, key),
                         "'%s' must be 10497, 33071 or 33648, not %" PRIu64, key, mode);
    return TENON_REPEAT;
}

const tn_json_value *gltf_import_material_texture(gltf_importer *importer,
                                                  const tn_json_value *parent, const char *key,
                                                  uint32_t material, tenon_slot slot)
{
    const tn_json_value *info = gltf_import_object(importer, parent, key);
    uint32_t index = gltf_import_index(importer, info, "index", LIST_TEXTURES);
    if (importer->builder->failed || !info) return NULL;
    if (index == TENON_NONE) {
        gltf_import_fail(importer, TENON_ERR_VALUE, info, "'%s' needs 'index'", key);
        return NULL;
    }
    const tn_json_value *texture = gltf_import_item(importer, LIST_TEXTURES, index);
    uint32_t sampler_index = gltf_import_index(importer, texture, "sampler", LIST_SAMPLERS);
    const tn_json_value *sampler = gltf_import_item(importer, LIST_SAMPLERS, sampler_index);
    // A texture without an image of a known type has none.
    uint32_t source = gltf_import_index(importer, texture, "source", LIST_IMAGES);
    for (size_t i = 0; i < GLTF_PICTURE_EXTENSIONS && source == TENON_NONE; i++)
        source = gltf_import_index(
            importer, gltf_import_extension(importer, texture, gltf_picture_extensions[i].name),
            "source", LIST_IMAGES);
    if (importer->builder->failed) return NULL;
    uint32_t image = source == TENON_NONE ? TENON_NONE : gltf_import_image(importer, source);
    if (importer->builder->failed) return NULL;
    tenon_texture *out = &importer->builder->scene->materials[material].textures[slot];
    out->image = image;
    out->origin = index + 1;
    gltf_import_count_loss(importer, GLTF_UNREAD_TEXTURES, image == TENON_NONE, info);
    out->wrap[0] = gltf_import_materials_wrap(importer, sampler, "wrapS");
    out->wrap[1] = gltf_import_materials_wrap(importer, sampler, "wrapT");
    const tn_json_value *transform = gltf_import_extension(importer, info, "KHR_texture_transform");
    uint64_t uv_set = gltf_import_integer(importer, info, "texCoord", 0);
    uv_set = gltf_import_integer(importer, transform, "texCoord", uv_set);
    gltf_import_numbers(importer, transform, "offset", out->offset, 2);
    gltf_import_numbers(importer, transform, "scale", out->scale, 2);
    out->rotation = gltf_import_number(importer, transform, "rotation", 0);
    if (uv_set < TENON_UV_SETS) {
        out->uv_set = (uint32_t)uv_set;
    } else {
        gltf_import_count_loss(importer, GLTF_UNREAD_TEXTURES, 1, info);
        out->image = TENON_NONE;
    }
    return info;
}

// -- Materials

static void gltf_import_materials_fill(gltf_importer *importer, const tn_json_value *material,
                                       uint32_t index)
{
    tenon_material *out = &importer->builder->scene->materials[index];
    const tn_json_value *pbr = gltf_import_object(importer, material, "pbrMetallicRoughness");
    const tn_json_value *strength =
        gltf_import_extension(importer, material, "KHR_materials_emissive_strength");
    gltf_import_numbers(importer, pbr, "baseColorFactor", out->base_color, 4);
    out->metallic = gltf_import_number(importer, pbr, "metallicFactor", 1);
    out->roughness = gltf_import_number(importer, pbr, "roughnessFactor", 1);
    gltf_import_numbers(importer, material, "emissiveFactor", out->emissive, 3);
    double factor = gltf_import_number(importer, strength, "emissiveStrength", 1);
    for (int k = 0; k < 3; k++) out->emissive[k] *= factor;
    out->is_unlit = gltf_import_extension(importer, material, "KHR_materials_unlit") != NULL;
    const tn_json_value *mode = tn_json_tree_get(material, "alphaMode");
    if (tn_json_tree_is(mode, "MASK"))
        out->alpha = TENON_MASK;
    else if (tn_json_tree_is(mode, "BLEND"))
        out->alpha = TENON_BLEND;
    else if (mode && !tn_json_tree_is(mode, "OPAQUE"))
        gltf_import_fail(importer, TENON_ERR_VALUE, mode,
                         "'alphaMode' must be OPAQUE, MASK or BLEND");
    out->alpha_cutoff = gltf_import_number(importer, material, "alphaCutoff", 0.5);
    out->double_sided = gltf_import_flag(importer, material, "doubleSided", false);
    gltf_import_material_texture(importer, pbr, "baseColorTexture", index, TENON_SLOT_BASE_COLOR);
    gltf_import_material_texture(importer, pbr, "metallicRoughnessTexture", index,
                                 TENON_SLOT_METALLIC_ROUGHNESS);
    gltf_import_material_texture(importer, material, "emissiveTexture", index, TENON_SLOT_EMISSIVE);
    const tn_json_value *normal =
        gltf_import_material_texture(importer, material, "normalTexture", index, TENON_SLOT_NORMAL);
    const tn_json_value *occlusion = gltf_import_material_texture(
        importer, material, "occlusionTexture", index, TENON_SLOT_OCCLUSION);
    out->normal_scale = gltf_import_number(importer, normal, "scale", 1);
    out->occlusion_strength = gltf_import_number(importer, occlusion, "strength", 1);
}

// Read two finite numbers. Others are not from Tenon, and are ignored.
static void gltf_import_materials_pair(const tn_json_value *parent, const char *key, double out[2])
{
    double pair[2];
    if (!tn_json_tree_f64s(tn_json_tree_get(parent, key), pair, 2)) return;
    if (isfinite(pair[0]) && isfinite(pair[1])) memcpy(out, pair, sizeof pair);
}

// What Tenon's export stores in extras: specular color, shininess, and textures that glTF cannot
// hold, with their transforms.
static void gltf_import_material_extras(gltf_importer *importer, const tn_json_value *from,
                                        uint32_t index)
{
    tn_scene_builder *builder = importer->builder;
    tenon_material *material = &builder->scene->materials[index];
    const char *known[TENON_SLOT_COUNT + 3] = {"specular", "shininess"};
    const tn_json_value *extras = tn_json_tree_get(from, "extras");
    double specular[3], shininess = tn_json_tree_f64(tn_json_tree_get(extras, "shininess"), -1);
    material->is_classic =
        tn_json_tree_f64s(tn_json_tree_get(extras, "specular"), specular, 3) && shininess >= 0;
    if (material->is_classic) {
        memcpy(material->specular, specular, sizeof material->specular);
        material->shininess = shininess;
    }
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT && !builder->failed; slot++) {
        const tn_json_value *value = tn_json_tree_get(extras, gltf_texture_keys[slot]);
        const tn_json_value *uri =
            tn_json_tree_kind_of(value) == TN_TREE_OBJECT ? tn_json_tree_get(value, "uri") : value;
        tenon_texture *texture = &material->textures[slot];
        known[2 + slot] = gltf_texture_keys[slot];
        if (texture->image != TENON_NONE || tn_json_tree_kind_of(uri) != TN_TREE_STRING ||
            !uri->size)
            continue;
        tenon_str path = gltf_import_path_of_uri(importer, (tenon_str){uri->text, uri->size});
        uint32_t image_count = builder->scene->image_count;
        if (!builder->failed) tn_set_texture(builder, index, (tenon_slot)slot, path);
        if (builder->failed) break;
        if (builder->scene->image_count > image_count)
            builder->scene->images[image_count].is_only_named = true;
        if (value == uri) continue;
        double rotation = tn_json_tree_f64(tn_json_tree_get(value, "rotation"), 0);
        gltf_import_materials_pair(value, "offset", texture->offset);
        gltf_import_materials_pair(value, "scale", texture->scale);
        if (isfinite(rotation)) texture->rotation = rotation;
    }
    gltf_import_extras(importer, from, TENON_EXTRA_OF_MATERIAL, index, known);
}

void gltf_import_materials(gltf_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    importer->image_of = gltf_import_scratch_indices(importer, LIST_IMAGES);
    importer->pictures =
        gltf_import_scratch_for(importer, LIST_BUFFER_VIEWS, sizeof *importer->pictures);
    importer->looks = gltf_import_scratch_for(importer, LIST_MATERIALS, sizeof(tenon_material *));
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_MATERIALS) && !builder->failed; i++) {
        const tn_json_value *material = gltf_import_item(importer, LIST_MATERIALS, i);
        tenon_str name = gltf_import_text(importer, material, "name");
        (void)gltf_recover_skip_damaged(importer, "names of materials", material);
        uint32_t index = tn_add_material(builder, name);
        if (builder->failed) return;
        builder->scene->materials[index].origin = i + 1;
        gltf_import_materials_fill(importer, material, index);
        if (!builder->failed) gltf_import_material_extras(importer, material, index);
        if (!builder->failed) gltf_import_looks(importer, material, index);
        (void)gltf_recover_skip_damaged(importer, "materials", material);
    }
}
