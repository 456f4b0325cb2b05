// gltf_import_looks.c: extensions of materials that scenes do not have, as what comes next to them.
// SPDX-License-Identifier: MIT
//
// Exports to glTF write the material of the file again: see gltf_export_restore.c.

#include "formats/gltf/gltf_kept.h"
#include "formats/gltf/import/gltf_import.h"

#include <math.h>
#include <string.h>

#define LEAST_OPAQUE 0.2   // Of a surface that transmits everything: its reflections stay.
#define MOST_SHINY   1000  // Exponents that formats with specular colors know.
#define USUAL        0.04  // What surfaces reflect that are not metals, without the extensions.
#define STRONG       0.06  // What is worth a highlight in engines that draw them in full.

static double gltf_import_looks_clamp(double value, double low, double high)
{
    return value > high ? high : value >= low ? value : low;
}

// The exponent of the highlight of Blinn and Phong that is as wide as that of a roughness.
static double gltf_import_looks_shininess(double roughness)
{
    double square = roughness * roughness * roughness * roughness;
    return square > 1e-6 ? gltf_import_looks_clamp(2 / square - 2, 1, MOST_SHINY) : MOST_SHINY;
}

static void gltf_import_looks_gloss(gltf_importer *importer, const tn_json_value *from,
                                    uint32_t index)
{
    tenon_material *m = &importer->builder->scene->materials[index];
    const tenon_texture none = {.image = TENON_NONE, .scale = {1, 1}};
    for (int k = 0; k < 4; k++) m->base_color[k] = 1;
    for (int k = 0; k < 3; k++) m->specular[k] = 1;
    gltf_import_numbers(importer, from, "diffuseFactor", m->base_color, 4);
    gltf_import_numbers(importer, from, "specularFactor", m->specular, 3);
    m->metallic = 0;
    m->roughness = 1 - gltf_import_looks_clamp(
                           gltf_import_number(importer, from, "glossinessFactor", 1), 0, 1);
    m->textures[TENON_SLOT_BASE_COLOR] = m->textures[TENON_SLOT_METALLIC_ROUGHNESS] = none;
    gltf_import_material_texture(importer, from, "diffuseTexture", index, TENON_SLOT_BASE_COLOR);
    gltf_import_material_texture(importer, from, "specularGlossinessTexture", index,
                                 TENON_SLOT_SPECULAR);
    m->is_classic = true;
}

// Set the specular color of a surface that is not a metal, if it is strong. Returns whether it is
// not the usual one.
static bool gltf_import_looks_specular(gltf_importer *importer, const tn_json_value *specular,
                                       const tn_json_value *refraction, tenon_material *m)
{
    double color[3] = {1, 1, 1}, ior = gltf_import_number(importer, refraction, "ior", 1.5);
    double factor = gltf_import_number(importer, specular, "specularFactor", 1);
    double straight = ior >= 1 ? (ior - 1) / (ior + 1) * ((ior - 1) / (ior + 1)) : ior == 0;
    gltf_import_numbers(importer, specular, "specularColorFactor", color, 3);
    bool is_unusual = false;
    for (int k = 0; k < 3; k++) {
        color[k] = gltf_import_looks_clamp(straight * color[k], 0, 1) *
                   gltf_import_looks_clamp(factor, 0, 1);
        is_unusual = is_unusual || fabs(color[k] - USUAL) > 1e-6;
        m->is_classic = m->is_classic || (color[k] > STRONG && m->metallic <= 0);
    }
    if (m->is_classic) memcpy(m->specular, color, sizeof color);
    return is_unusual;
}

void gltf_import_looks(gltf_importer *importer, const tn_json_value *from, uint32_t index)
{
    tenon_material *m = &importer->builder->scene->materials[index];
    const tenon_material plain = *m;
    const tn_json_value *gloss =
        gltf_import_extension(importer, from, "KHR_materials_pbrSpecularGlossiness");
    const tn_json_value *specular = gltf_import_extension(importer, from, "KHR_materials_specular");
    const tn_json_value *refraction = gltf_import_extension(importer, from, "KHR_materials_ior");
    const tn_json_value *transmission =
        gltf_import_extension(importer, from, "KHR_materials_transmission");
    bool is_metal = m->metallic > 0;  // A texture may make it one, or not.
    bool has_looks = gloss || specular || refraction || transmission;
    if (importer->builder->failed || !has_looks || m->is_unlit || m->is_classic) return;
    if (gloss) {
        gltf_import_looks_gloss(importer, gloss, index);
    } else if (specular || refraction) {
        bool is_unusual = gltf_import_looks_specular(importer, specular, refraction, m);
        bool is_textured = tn_json_tree_get(specular, "specularTexture") ||
                           tn_json_tree_get(specular, "specularColorTexture");
        gltf_import_count_loss(importer, GLTF_MADE_SPECULAR, is_unusual && !is_metal, from);
        gltf_import_count_loss(importer, GLTF_UNREAD_LOOKS, is_textured || (is_unusual && is_metal),
                               from);
    }
    double share = gltf_import_number(importer, transmission, "transmissionFactor", 0);
    bool is_textured = tn_json_tree_get(transmission, "transmissionTexture") != NULL;
    if (share > 0 && !is_textured) {
        m->base_color[3] *= 1 - (1 - LEAST_OPAQUE) * gltf_import_looks_clamp(share, 0, 1);
        m->alpha = m->alpha == TENON_OPAQUE ? TENON_BLEND : m->alpha;
    }
    gltf_import_count_loss(importer, GLTF_MADE_GLOSS, gloss != NULL, from);
    gltf_import_count_loss(importer, GLTF_MADE_CLEAR, share > 0 && !is_textured, from);
    gltf_import_count_loss(importer, GLTF_UNREAD_LOOKS, share > 0 && is_textured, from);
    for (int k = 0; k < 4; k++) m->base_color[k] = gltf_import_looks_clamp(m->base_color[k], 0, 1);
    for (int k = 0; k < 3; k++) m->specular[k] = gltf_import_looks_clamp(m->specular[k], 0, 1);
    m->shininess = m->is_classic ? gltf_import_looks_shininess(m->roughness) : m->shininess;
    importer->looks[index] = gltf_import_scratch(importer, 1, sizeof *m);
    if (importer->looks[index]) *importer->looks[index] = *m;
    *m = plain;
}

// A copy whose textures have the `origin` of their images, which get other indices later.
static tenon_material gltf_import_looks_copy(const tenon_scene *scene, const tenon_material *m)
{
    tenon_material copy = *m;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        uint32_t image = m->textures[slot].image;
        if (image != TENON_NONE) copy.textures[slot].image = scene->images[image].origin;
    }
    return copy;
}

void gltf_import_show_looks(gltf_importer *importer, gltf_kept *kept)
{
    tenon_scene *scene = importer->builder->scene;
    kept->looks = tn_scene_array(importer->builder, scene->material_count, sizeof *kept->looks);
    for (uint32_t i = 0; i < scene->material_count && kept->looks; i++) {
        if (!importer->looks[i]) continue;
        gltf_kept_look *look = tn_scene_array(importer->builder, 1, sizeof *look);
        if (!look) return;
        look->file = gltf_import_looks_copy(scene, &scene->materials[i]);
        look->shown = gltf_import_looks_copy(scene, importer->looks[i]);
        scene->materials[i] = *importer->looks[i];
        kept->looks[i] = look;
    }
}
