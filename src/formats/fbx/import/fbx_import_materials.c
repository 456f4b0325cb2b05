// fbx_import_materials.c: materials: Phong and Lambert, and the properties of shaders of 3ds Max
// and Maya.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_materials.h"

#include "core/text/text.h"

#include <math.h>
#include <string.h>

// -- Properties

// Names of a property in the shaders of programs; the last part of "3dsMax|main|baseColor".
static const char *const base_names[] = {"base_color", "baseColor", "Base_Color"};
static const char *const metal_names[] = {"metalness", "metallic", "base_metalness"};
static const char *const rough_names[] = {"roughness", "specularRoughness", "specular_roughness",
                                          "Roughness"};
static const char *const glow_names[] = {"emissionColor", "emission_color", "emissive",
                                         "emit_color"};
static const char *const clear_names[] = {"geometry_opacity"};

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

static tenon_str fbx_import_materials_last_part(tenon_str name)
{
    for (uint32_t i = name.size; i-- > 0;)
        if (name.data[i] == '|') return (tenon_str){name.data + i + 1, name.size - i - 1};
    return (tenon_str){"", 0};
}

// A property of a shader by the last part of its name; NULL: none.
static const tenon_fbx_node *fbx_import_materials_find(const fbx_object *object,
                                                       const char *const *names, size_t count)
{
    const tenon_fbx_node *list = object->properties;
    for (uint32_t i = 0; list && i < list->child_count; i++) {
        const tenon_fbx_node *property = &list->children[i];
        tenon_str last = fbx_import_materials_last_part(fbx_text(property, 0));
        for (size_t k = 0; last.size && k < count; k++)
            if (tn_text_is(last, names[k])) return property;
    }
    return NULL;
}

static double fbx_import_materials_share(double value)
{
    return fmin(1, fmax(0, fbx_import_finite(value)));
}

// Up to 4 numbers of a property; the others keep their values.
static void fbx_import_materials_numbers(const tenon_fbx_node *property, double *out,
                                         uint32_t count)
{
    uint32_t start = fbx_property_start(property);
    for (uint32_t k = 0; k < count && fbx_value(property, start + k); k++)
        out[k] = fmax(0, fbx_import_finite(fbx_number(property, start + k, out[k])));
}

// A color times its factor.
static void fbx_import_materials_color(const fbx_object *object, const char *color,
                                       const char *factor, double out[3])
{
    double value[3];
    if (!fbx_import_property_vec3(object, color, value)) return;
    double times = fbx_import_property_number(object, factor, 1);
    for (int k = 0; k < 3; k++) out[k] = fmax(0, value[k] * times);
}

// -- Kinds of materials

static void fbx_import_materials_classic(fbx_importer *importer, const fbx_object *object,
                                         tenon_material *to)
{
    double clear[3] = {1, 1, 1};
    to->is_classic = true;
    fbx_import_materials_color(object, "DiffuseColor", "DiffuseFactor", to->base_color);
    fbx_import_materials_color(object, "EmissiveColor", "EmissiveFactor", to->emissive);
    fbx_import_materials_color(object, "SpecularColor", "SpecularFactor", to->specular);
    double exponent = fbx_import_property_number(
        object, "ShininessExponent", fbx_import_property_number(object, "Shininess", 20));
    to->shininess = fmin(fmax(1, exponent), 1e6);
    to->roughness = fmax(0, 1 - sqrt(fmax(0, exponent)) / 10);
    if (importer->is_blender)
        to->metallic =
            fbx_import_materials_share(fbx_import_property_number(object, "ReflectionFactor", 0));
    // Many files have a transparency of 1 for what is opaque.
    (void)fbx_import_property_vec3(object, "TransparentColor", clear);
    double factor = fbx_import_property_number(object, "TransparencyFactor", 0);
    double mean = (clear[0] + clear[1] + clear[2]) / 3;
    double opacity = 1 - fbx_import_materials_share(factor) * fbx_import_materials_share(mean);
    if (importer->is_blender) opacity = 1 - fbx_import_materials_share(factor);
    if (opacity == 0 && !importer->is_blender) opacity = 1;
    if (object->properties && fbx_import_property(object, "Opacity"))
        opacity = fbx_import_materials_share(fbx_import_property_number(object, "Opacity", 1));
    to->base_color[3] = opacity;
    for (int k = 0; k < 3; k++) to->base_color[k] = fbx_import_materials_share(to->base_color[k]);
}

// Shaders with roughness and metalness. Returns false if it is none.
static bool fbx_import_materials_shader(const fbx_object *object, tenon_material *to)
{
    const tenon_fbx_node *base =
                             fbx_import_materials_find(object, base_names, COUNT_OF(base_names)),
                         *metal =
                             fbx_import_materials_find(object, metal_names, COUNT_OF(metal_names)),
                         *rough =
                             fbx_import_materials_find(object, rough_names, COUNT_OF(rough_names));
    if (!base || (!metal && !rough)) return false;
    to->is_classic = false;
    fbx_import_materials_numbers(base, to->base_color, 4);
    for (int k = 0; k < 4; k++) to->base_color[k] = fbx_import_materials_share(to->base_color[k]);
    uint32_t start = fbx_property_start(base);
    to->metallic = fbx_import_materials_share(fbx_number(metal, start, 0));
    to->roughness = fbx_import_materials_share(fbx_number(rough, start, 0.5));
    const tenon_fbx_node *glow =
        fbx_import_materials_find(object, glow_names, COUNT_OF(glow_names));
    static const char *const strengths[] = {"emission", "emissive_intensity"};
    const tenon_fbx_node *strength = fbx_import_materials_find(object, strengths, 2);
    double times = strength ? fbx_import_finite(fbx_number(strength, start, 1)) : 1;
    if (glow) fbx_import_materials_numbers(glow, to->emissive, 3);
    for (int k = 0; k < 3 && glow; k++) to->emissive[k] *= fmax(0, times);
    const tenon_fbx_node *clear =
        fbx_import_materials_find(object, clear_names, COUNT_OF(clear_names));
    if (clear) to->base_color[3] = fbx_import_materials_share(fbx_number(clear, start, 1));
    return true;
}

// -- Textures

typedef struct texture_name {
    const char *name;  // Of the property, or of the last part of its name.
    tenon_slot slot;
} texture_name;

static const texture_name texture_names[] = {
    {"DiffuseColor", TENON_SLOT_BASE_COLOR},
    {"base_color", TENON_SLOT_BASE_COLOR},
    {"baseColor", TENON_SLOT_BASE_COLOR},
    {"base_color_map", TENON_SLOT_BASE_COLOR},
    {"baseColorMap", TENON_SLOT_BASE_COLOR},
    {"TEX_color_map", TENON_SLOT_BASE_COLOR},
    {"NormalMap", TENON_SLOT_NORMAL},
    {"normalCamera", TENON_SLOT_NORMAL},
    {"norm_map", TENON_SLOT_NORMAL},
    {"normal", TENON_SLOT_NORMAL},
    {"normalMap", TENON_SLOT_NORMAL},
    {"TEX_normal_map", TENON_SLOT_NORMAL},
    {"Bump", TENON_SLOT_NORMAL},
    {"EmissiveColor", TENON_SLOT_EMISSIVE},
    {"EmissiveFactor", TENON_SLOT_EMISSIVE},
    {"emissionColor", TENON_SLOT_EMISSIVE},
    {"emissionMap", TENON_SLOT_EMISSIVE},
    {"emit_color_map", TENON_SLOT_EMISSIVE},
    {"TEX_emissive_map", TENON_SLOT_EMISSIVE},
    {"ao_map", TENON_SLOT_OCCLUSION},
    {"ambientOcclusionMap", TENON_SLOT_OCCLUSION},
    {"TEX_ao_map", TENON_SLOT_OCCLUSION},
    {"SpecularColor", TENON_SLOT_SPECULAR},
    {"SpecularFactor", TENON_SLOT_SPECULAR},
    {"DisplacementColor", TENON_SLOT_DISPLACEMENT},
};

static bool fbx_import_materials_is_opacity(tenon_str property)
{
    return tn_text_is(property, "TransparentColor") || tn_text_is(property, "TransparencyFactor") ||
           tn_text_is(property, "Opacity") || tn_text_is(property, "opacity") ||
           tn_text_is(property, "cutout_map") || tn_text_is(property, "opacity_map");
}

// The texture of a link: of several layers, the one at the bottom.
static uint32_t fbx_import_materials_texture_of(fbx_importer *importer, uint32_t object)
{
    if (importer->objects[object].kind == FBX_TEXTURE) return object;
    if (importer->objects[object].kind != FBX_LAYERED_TEXTURE) return TENON_NONE;
    return fbx_import_child_of(importer, object, FBX_TEXTURE);
}

static void fbx_import_materials_textures(fbx_importer *importer, uint32_t object,
                                          uint32_t material)
{
    tn_scene_builder *builder = importer->builder;
    fbx_links links = fbx_import_children(importer, object);
    for (uint32_t i = 0; i < links.count && !builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        uint32_t texture = fbx_import_materials_texture_of(importer, link->child);
        if (texture == TENON_NONE) continue;
        tenon_str last = fbx_import_materials_last_part(link->property), name = link->property;
        if (last.size) name = last;
        if (fbx_import_materials_is_opacity(name)) {
            builder->scene->materials[material].alpha = TENON_BLEND;
            continue;
        }
        size_t k = 0;
        while (k < COUNT_OF(texture_names) && !tn_text_is(name, texture_names[k].name)) k++;
        if (k == COUNT_OF(texture_names)) {
            fbx_import_count(importer, FBX_UNREAD_TEXTURES, 1, texture);
            continue;
        }
        bool is_bump = tn_text_is(name, "Bump");
        fbx_import_count(importer, FBX_UNREAD_BUMPS, is_bump, texture);
        fbx_import_texture(importer, texture, material, texture_names[k].slot);
    }
}

// -- All materials

void fbx_import_materials(fbx_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->object_count; i++)
        count += importer->objects[i].kind == FBX_MATERIAL;
    importer->uv_uses = fbx_import_alloc(importer, count, sizeof *importer->uv_uses);
    for (uint32_t i = 0; i < importer->object_count && !builder->failed; i++) {
        fbx_object *object = &importer->objects[i];
        if (object->kind != FBX_MATERIAL) continue;
        uint32_t index = tn_add_material(builder, object->name);
        if (builder->failed) return;
        object->index = index;
        tenon_material *material = &builder->scene->materials[index];
        fbx_import_materials_classic(importer, object, material);
        (void)fbx_import_materials_shader(object, material);
        if (material->base_color[3] < 1) material->alpha = TENON_BLEND;
        fbx_import_materials_textures(importer, i, index);
    }
    if (!builder->failed) fbx_import_finish_images(importer);
}
