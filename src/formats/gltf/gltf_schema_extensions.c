// gltf_schema_extensions.c: the tables of extensions: which objects have them, and with which
// members.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_schema.h"

#include "core/math/math.h"

#include <float.h>
#include <string.h>

// -- Lights

static const char *const lights[] = {"directional", "point", "spot", NULL};

static const gltf_member spot[] = {
    {.key = "innerConeAngle", .kind = KIND_NUMBER, .low = 0, .high = TN_PI / 2},
    {.key = "outerConeAngle", .kind = KIND_NUMBER, .flags = ABOVE, .low = 0, .high = TN_PI / 2},
    {.key = NULL},
};
static const gltf_member light[] = {
    {.key = "type", .kind = KIND_WORD, .flags = NEEDED, .words = lights},
    {.key = "color", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = "intensity", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "range", .kind = KIND_NUMBER, .flags = ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "spot", .kind = KIND_OBJECT, .object = spot},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member lights_of_file[] = {
    {.key = "lights", .kind = KIND_OBJECTS, .flags = NEEDED, .object = light},
    {.key = NULL},
};
static const gltf_member light_of_node[] = {
    {.key = "light", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_LIGHTS},
    {.key = NULL},
};

// -- Materials

static const gltf_member anisotropy[] = {
    {.key = "anisotropyStrength", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "anisotropyRotation", .kind = KIND_NUMBER},
    {.key = "anisotropyTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member clearcoat[] = {
    {.key = "clearcoatFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "clearcoatTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "clearcoatRoughnessFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "clearcoatRoughnessTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "clearcoatNormalTexture", .kind = KIND_OBJECT, .object = gltf_normal_info_members},
    {.key = NULL},
};
static const gltf_member dispersion[] = {
    {.key = "dispersion", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member emissive_strength[] = {
    {.key = "emissiveStrength", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member ior[] = {
    {.key = "ior", .kind = KIND_NUMBER, .flags = OR_ZERO, .low = 1, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member iridescence[] = {
    {.key = "iridescenceFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "iridescenceTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "iridescenceIor", .kind = KIND_NUMBER, .low = 1, .high = DBL_MAX},
    {.key = "iridescenceThicknessMinimum", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "iridescenceThicknessMaximum", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "iridescenceThicknessTexture",
     .kind = KIND_OBJECT,
     .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member specular_glossiness[] = {
    {.key = "diffuseFactor", .kind = KIND_NUMBERS, .least = 4, .most = 4, .low = 0, .high = 1},
    {.key = "diffuseTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "specularFactor", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = "glossinessFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "specularGlossinessTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member sheen[] = {
    {.key = "sheenColorFactor", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = "sheenColorTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "sheenRoughnessFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "sheenRoughnessTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member specular[] = {
    {.key = "specularFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "specularTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "specularColorFactor",
     .kind = KIND_NUMBERS,
     .least = 3,
     .most = 3,
     .low = 0,
     .high = DBL_MAX},
    {.key = "specularColorTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member transmission[] = {
    {.key = "transmissionFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "transmissionTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
static const gltf_member volume[] = {
    {.key = "thicknessFactor", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "thicknessTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "attenuationDistance", .kind = KIND_NUMBER, .flags = ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "attenuationColor", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = NULL},
};
static const gltf_member unlit[] = {
    {.key = NULL},
};

// -- Variants of materials

static const gltf_member variant[] = {
    {.key = "name", .kind = KIND_TEXT, .flags = NEEDED},
    {.key = NULL},
};
static const gltf_member variants_of_file[] = {
    {.key = "variants", .kind = KIND_OBJECTS, .flags = NEEDED, .object = variant},
    {.key = NULL},
};
static const gltf_member mapping[] = {
    {.key = "variants",
     .kind = KIND_INDICES,
     .flags = NEEDED,
     .list = GLTF_LIST_VARIANTS,
     .least = 1,
     .most = TENON_NONE},
    {.key = "material", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_MATERIALS},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member variants_of_primitive[] = {
    {.key = "mappings", .kind = KIND_OBJECTS, .flags = NEEDED, .object = mapping},
    {.key = NULL},
};

// -- Textures

static const gltf_member texture_dds[] = {
    {.key = "source", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_IMAGES},
    {.key = NULL},
};
static const gltf_member texture_webp[] = {
    {.key = "source", .kind = KIND_INDEX, .list = GLTF_LIST_IMAGES},
    {.key = NULL},
};
static const gltf_member texture_transform[] = {
    {.key = "offset", .kind = KIND_NUMBERS, .least = 2, .most = 2},
    {.key = "rotation", .kind = KIND_NUMBER},
    {.key = "scale", .kind = KIND_NUMBERS, .least = 2, .most = 2},
    {.key = "texCoord", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};

// -- Nodes and animations

static const gltf_member visibility[] = {
    {.key = "visible", .kind = KIND_FLAG},
    {.key = NULL},
};
static const gltf_member animation_pointer[] = {
    {.key = "pointer", .kind = KIND_POINTER, .flags = NEEDED},
    {.key = NULL},
};

// -- All extensions

// `place`: the members of the objects that may have it; NULL: it is only in 'extensionsUsed'.
static const struct {
    const char *name;
    const gltf_member *place, *members;
} known[] = {
    {"EXT_texture_webp", gltf_texture_members, texture_webp},
    {"KHR_animation_pointer", gltf_target_members, animation_pointer},
    {"KHR_lights_punctual", gltf_root_members, lights_of_file},
    {"KHR_lights_punctual", gltf_node_members, light_of_node},
    {"KHR_materials_anisotropy", gltf_material_members, anisotropy},
    {"KHR_materials_clearcoat", gltf_material_members, clearcoat},
    {"KHR_materials_dispersion", gltf_material_members, dispersion},
    {"KHR_materials_emissive_strength", gltf_material_members, emissive_strength},
    {"KHR_materials_ior", gltf_material_members, ior},
    {"KHR_materials_iridescence", gltf_material_members, iridescence},
    {"KHR_materials_pbrSpecularGlossiness", gltf_material_members, specular_glossiness},
    {"KHR_materials_sheen", gltf_material_members, sheen},
    {"KHR_materials_specular", gltf_material_members, specular},
    {"KHR_materials_transmission", gltf_material_members, transmission},
    {"KHR_materials_unlit", gltf_material_members, unlit},
    {"KHR_materials_variants", gltf_root_members, variants_of_file},
    {"KHR_materials_variants", gltf_primitive_members, variants_of_primitive},
    {"KHR_materials_volume", gltf_material_members, volume},
    {"KHR_mesh_quantization", NULL, NULL},
    {"KHR_node_visibility", gltf_node_members, visibility},
    {"KHR_texture_transform", gltf_texture_info_members, texture_transform},
    {"KHR_texture_transform", gltf_normal_info_members, texture_transform},
    {"KHR_texture_transform", gltf_occlusion_info_members, texture_transform},
    {"MSFT_texture_dds", gltf_texture_members, texture_dds},
};

gltf_extension_place gltf_schema_find_extension(const char *name, size_t size,
                                                const gltf_member *place,
                                                const gltf_member **members)
{
    gltf_extension_place found = GLTF_EXTENSION_UNKNOWN;
    *members = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (size != strlen(known[i].name) || memcmp(name, known[i].name, size) != 0) continue;
        found = GLTF_EXTENSION_MISPLACED;
        if (!known[i].place || known[i].place != place) continue;
        *members = known[i].members;
        return GLTF_EXTENSION_FITS;
    }
    return found;
}
