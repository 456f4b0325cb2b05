// fbx_import_shaders.c: the shaders of 3ds Max and Maya, with metalness and roughness.
// SPDX-License-Identifier: MIT
//
// Their properties have prefixes, "3dsMax|main|baseColor". They become what the glTF exporters of
// these programs make of them; what scenes do not have is kept as extras.

#include "formats/fbx/import/fbx_import_materials.h"

#include "core/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The names of properties, without prefixes; NULL: the shader has none.
typedef struct shader_names {
    const char *mark;  // Only this shader has it, with a color.
    const char *weight, *color, *metal, *rough;
    const char *glow_weight, *glow, *opacity, *transparency;
} shader_names;

static const shader_names shaders[] = {
    // 3ds Max: glTF; PBR with a specular color, and with metalness; Physical.
    {"alphaMode", NULL, "baseColor", "metalness", "roughness", NULL, "emissionColor", NULL, NULL},
    {"glossiness", NULL, "baseColor", NULL, "glossiness", NULL, "emit_color", NULL, NULL},
    {"useGlossiness", NULL, "baseColor", "metalness", "roughness", NULL, "emit_color", NULL, NULL},
    {"roughness_inv", "base_weight", "base_color", "metalness", "roughness", "emission",
     "emit_color", NULL, "transparency"},
    // OpenPBR; Maya: Arnold and Standard Surface, Stingray PBS.
    {"base_metalness", "base_weight", "base_color", "base_metalness", "specular_roughness",
     "emission_luminance", "emission_color", "geometry_opacity", NULL},
    {"specularRoughness", "base", "baseColor", "metalness", "specularRoughness", "emission",
     "emissionColor", "opacity", NULL},
    // Arnold in 3ds Max.
    {"specular_roughness", "base", "base_color", "metalness", "specular_roughness", "emission",
     "emission_color", "opacity", NULL},
    {"metallic", NULL, "base_color", "metallic", "roughness", "emissive_intensity", "emissive",
     NULL, NULL},
    // Others that use the same words.
    {"metalness", NULL, "base_color", "metalness", "roughness", NULL, "emit_color", NULL, NULL},
    {"metalness", NULL, "baseColor", "metalness", "roughness", NULL, "emissionColor", NULL, NULL},
    {"roughness", NULL, "baseColor", NULL, "roughness", NULL, "emissionColor", NULL, NULL},
};

#define NITS 1000.0  // The luminance of OpenPBR that is 1 elsewhere.

// A property by its name without prefix, which it must have; NULL: none.
static const tenon_fbx_node *fbx_import_shaders_find(const fbx_object *object, const char *name)
{
    const tenon_fbx_node *list = object->properties;
    for (uint32_t i = 0; list && name && i < list->child_count; i++) {
        const tenon_fbx_node *property = &list->children[i];
        if (tn_text_is(fbx_import_last_part(fbx_text(property, 0)), name)) return property;
    }
    return NULL;
}

static double fbx_import_shaders_number(const fbx_object *object, const char *name, double fallback)
{
    const tenon_fbx_node *property = fbx_import_shaders_find(object, name);
    double value = fbx_number(property, fbx_property_start(property), fallback);
    return value - value == 0 ? value : fallback;
}

static double fbx_import_shaders_share(double value)
{
    return fmin(1, fmax(0, value));
}

// Up to four numbers that are not negative; those that are missing keep their values.
static void fbx_import_shaders_color(const fbx_object *object, const char *name, double *out,
                                     uint32_t count)
{
    const tenon_fbx_node *property = fbx_import_shaders_find(object, name);
    uint32_t start = fbx_property_start(property);
    for (uint32_t k = 0; k < count && fbx_value(property, start + k); k++)
        out[k] = fmax(0, fbx_import_finite(fbx_number(property, start + k, out[k])));
}

static const shader_names *fbx_import_shaders_of(const fbx_object *object)
{
    for (size_t i = 0; i < sizeof shaders / sizeof shaders[0]; i++)
        if (fbx_import_shaders_find(object, shaders[i].mark) &&
            fbx_import_shaders_find(object, shaders[i].color))
            return &shaders[i];
    return NULL;
}

// How bright a color is to the eye.
static double fbx_import_shaders_brightness(const double c[3])
{
    return sqrt(0.299 * c[0] * c[0] + 0.587 * c[1] * c[1] + 0.114 * c[2] * c[2]);
}

// A diffuse and a specular color as a base color and metalness, as
// KHR_materials_pbrSpecularGlossiness is converted: what is brighter than the reflection of a
// dielectric is metal.
static void fbx_import_shaders_from_specular(const double specular[3], tenon_material *to)
{
    const double plain = 0.04, least = 1e-6;
    double diffuse[3] = {to->base_color[0], to->base_color[1], to->base_color[2]};
    double strongest = fmax(fmax(specular[0], specular[1]), specular[2]), metal = 0;
    double rest = 1 - fbx_import_shaders_share(strongest);
    double bright = fbx_import_shaders_brightness(specular);
    if (bright >= plain) {
        double b = fbx_import_shaders_brightness(diffuse) * rest / (1 - plain) + bright - 2 * plain;
        double root = fmax(0, b * b - 4 * plain * (plain - bright));
        metal = fbx_import_shaders_share((sqrt(root) - b) / (2 * plain));
    }
    for (int k = 0; k < 3; k++) {
        double matte = diffuse[k] * rest / (1 - plain) / fmax(1 - metal, least);
        double shiny = (specular[k] - plain * (1 - metal)) / fmax(metal, least);
        double share = metal * metal;
        to->base_color[k] = fbx_import_shaders_share(matte + share * (shiny - matte));
    }
    to->metallic = metal;
}

// What only the glTF material of 3ds Max says.
static void fbx_import_shaders_gltf(const fbx_object *object, tenon_material *to)
{
    static const tenon_alpha modes[] = {TENON_OPAQUE, TENON_OPAQUE, TENON_MASK, TENON_BLEND};
    double mode = fbx_import_shaders_number(object, "alphaMode", 1);
    to->alpha = mode >= 0 && mode < 4 ? modes[(int)mode] : TENON_OPAQUE;
    to->alpha_cutoff =
        fbx_import_shaders_share(fbx_import_shaders_number(object, "alphaCutoff", 0.5));
    to->double_sided = fbx_import_shaders_number(object, "DoubleSided", 0) != 0;
    to->is_unlit = fbx_import_shaders_number(object, "unlit", 0) != 0;
    to->normal_scale = fmax(0, fbx_import_shaders_number(object, "normal", 1));
    to->occlusion_strength =
        fbx_import_shaders_share(fbx_import_shaders_number(object, "ambientOcclusion", 1));
}

double fbx_import_shader_weight(const fbx_object *object)
{
    const shader_names *names = fbx_import_shaders_of(object);
    return names && names->weight ? fbx_import_shaders_number(object, names->weight, 1) : 1;
}

double fbx_import_shader_glow(const fbx_object *object)
{
    const shader_names *names = fbx_import_shaders_of(object);
    if (!names || !names->glow_weight) return 1;
    double glow = fmax(0, fbx_import_shaders_number(object, names->glow_weight, 1));
    return strcmp(names->glow_weight, "emission_luminance") == 0 ? glow / NITS : glow;
}

bool fbx_import_shader_is_glossy(const fbx_object *object)
{
    return fbx_import_shaders_number(object, "roughness_inv", 0) != 0 ||
           fbx_import_shaders_number(object, "useGlossiness", 2) == 1;
}

bool fbx_import_shader_uses(const fbx_object *object, tenon_str name)
{
    char flag[64];
    bool is_stingray = name.size > 4 && memcmp(name.data, "TEX_", 4) == 0;
    int size = is_stingray
                   ? snprintf(flag, sizeof flag, "use_%.*s", (int)name.size - 4, name.data + 4)
                   : snprintf(flag, sizeof flag, "%.*s_on", (int)name.size, name.data);
    bool is_whole = size > 0 && (size_t)size < sizeof flag;
    return !is_whole || fbx_import_shaders_number(object, flag, 1) != 0;
}

bool fbx_import_shader(const fbx_object *object, tenon_material *to)
{
    const shader_names *names = fbx_import_shaders_of(object);
    if (!names) return false;
    to->is_classic = false;
    for (int k = 0; k < 4; k++) to->base_color[k] = 1;
    for (int k = 0; k < 3; k++) to->emissive[k] = 0;
    // The fourth number of the colors of other materials of 3ds Max is not used.
    static const char *const without_alpha[] = {"glossiness", "useGlossiness", "roughness_inv"};
    uint32_t numbers = 4;
    for (int k = 0; k < 3; k++)
        if (strcmp(names->mark, without_alpha[k]) == 0) numbers = 3;
    fbx_import_shaders_color(object, names->color, to->base_color, numbers);
    double weight = fbx_import_shader_weight(object);
    for (int k = 0; k < 4; k++)
        to->base_color[k] = fbx_import_shaders_share(to->base_color[k] * (k < 3 ? weight : 1));
    to->metallic = fbx_import_shaders_share(fbx_import_shaders_number(object, names->metal, 0));
    to->roughness = fbx_import_shaders_share(fbx_import_shaders_number(object, names->rough, 0.5));
    if (fbx_import_shader_is_glossy(object)) to->roughness = 1 - to->roughness;
    if (names->glow) fbx_import_shaders_color(object, names->glow, to->emissive, 3);
    for (int k = 0; k < 3; k++) to->emissive[k] *= fbx_import_shader_glow(object);
    if (names->opacity) {
        double opacity[3] = {1, 1, 1};
        fbx_import_shaders_color(object, names->opacity, opacity, 3);
        const tenon_fbx_node *one = fbx_import_shaders_find(object, names->opacity);
        bool is_color = fbx_value(one, fbx_property_start(one) + 2) != NULL;
        double mean = is_color ? (opacity[0] + opacity[1] + opacity[2]) / 3 : opacity[0];
        to->base_color[3] = fbx_import_shaders_share(mean);
    }
    if (names->transparency)
        to->base_color[3] =
            1 - fbx_import_shaders_share(fbx_import_shaders_number(object, names->transparency, 0));
    if (strcmp(names->mark, "glossiness") == 0) {
        double specular[3] = {0, 0, 0};
        fbx_import_shaders_color(object, "Specular", specular, 3);
        fbx_import_shaders_from_specular(specular, to);
    }
    if (strcmp(names->mark, "alphaMode") == 0) fbx_import_shaders_gltf(object, to);
    return true;
}

void fbx_import_shader_extras(fbx_importer *importer, uint32_t object, uint32_t material)
{
    const fbx_object *from = &importer->objects[object];
    const shader_names *names = fbx_import_shaders_of(from);
    const char *const known[] = {
        names->weight,      names->color,    names->metal,   names->rough,
        names->glow_weight, names->glow,     names->opacity, names->transparency,
        "roughness_inv",    "useGlossiness", "alphaMode",    "alphaCutoff",
        "DoubleSided",      "unlit",         "normal",       "ambientOcclusion",
        "TypeId",           "ClassIDa",      "ClassIDb",     "SuperClassID",
        "ORIGINAL_MTL"};
    const tenon_fbx_node *list = from->properties;
    for (uint32_t i = 0; list && i < list->child_count && !importer->builder->failed; i++) {
        tenon_str last = fbx_import_last_part(fbx_text(&list->children[i], 0));
        bool is_known = !last.size;
        for (size_t k = 0; k < sizeof known / sizeof known[0] && !is_known; k++)
            is_known = known[k] && tn_text_is(last, known[k]);
        if (!is_known)
            fbx_import_extra(importer, TENON_EXTRA_OF_MATERIAL, material, &list->children[i]);
    }
}
