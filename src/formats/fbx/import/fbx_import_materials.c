// fbx_import_materials.c: materials: Phong and Lambert, and the shaders of 3ds Max and Maya.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_materials.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define HELPERS_MOST   16  // Textures of 3ds Max that only pass another one on.
#define LAYERS_MOST    64  // Of one texture.

// -- Properties

tenon_str fbx_import_last_part(tenon_str name)
{
    for (uint32_t i = name.size; i-- > 0;)
        if (name.data[i] == '|') return (tenon_str){name.data + i + 1, name.size - i - 1};
    return (tenon_str){"", 0};
}

static double fbx_import_materials_share(double value)
{
    return fmin(1, fmax(0, fbx_import_finite(value)));
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

// Before version 6, a material has fields of other names instead of properties.
static void fbx_import_materials_old(const tenon_fbx_node *node, tenon_material *to)
{
    const tenon_fbx_node *shininess = fbx_child(node, "Shininess");
    static const char *const names[] = {"Diffuse", "Emissive", "Specular"};
    double *const colors[] = {to->base_color, to->emissive, to->specular};
    for (int i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            colors[i][k] =
                fmax(0, fbx_import_finite(fbx_number(fbx_child(node, names[i]), k, colors[i][k])));
    for (int k = 0; k < 3; k++) to->base_color[k] = fmin(1, to->base_color[k]);
    to->base_color[3] = fbx_import_materials_share(fbx_number(fbx_child(node, "Alpha"), 0, 1));
    if (!shininess) return;
    double exponent = fmax(0, fbx_import_finite(fbx_number(shininess, 0, 0)));
    to->shininess = fmin(fmax(1, exponent), 1e6);
    to->roughness = fmax(0, 1 - sqrt(exponent) / 10);
}

// -- Textures

// What a texture is used for; the first ones are slots of the scene.
enum {
    FOR_METAL = TENON_SLOT_COUNT,
    FOR_ROUGHNESS,
    FOR_OPACITY,
    FOR_TRANSPARENCY,
    FOR_COUNT,
};

typedef struct texture_name {
    const char *name;  // Of the property, or of the last part of its name.
    uint32_t use;
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
    {"geometry_normal", TENON_SLOT_NORMAL},
    {"Bump", TENON_SLOT_NORMAL},
    {"bump_map", TENON_SLOT_NORMAL},
    {"EmissiveColor", TENON_SLOT_EMISSIVE},
    {"EmissiveFactor", TENON_SLOT_EMISSIVE},
    {"emissionColor", TENON_SLOT_EMISSIVE},
    {"emission_color", TENON_SLOT_EMISSIVE},
    {"emissionMap", TENON_SLOT_EMISSIVE},
    {"emit_color_map", TENON_SLOT_EMISSIVE},
    {"TEX_emissive_map", TENON_SLOT_EMISSIVE},
    {"ao_map", TENON_SLOT_OCCLUSION},
    {"ambientOcclusionMap", TENON_SLOT_OCCLUSION},
    {"TEX_ao_map", TENON_SLOT_OCCLUSION},
    {"SpecularColor", TENON_SLOT_SPECULAR},
    {"SpecularFactor", TENON_SLOT_SPECULAR},
    {"DisplacementColor", TENON_SLOT_DISPLACEMENT},
    {"displacement_map", TENON_SLOT_DISPLACEMENT},
    {"metalness", FOR_METAL},
    {"metallic", FOR_METAL},
    {"metalness_map", FOR_METAL},
    {"metalnessMap", FOR_METAL},
    {"base_metalness", FOR_METAL},
    {"TEX_metallic_map", FOR_METAL},
    {"roughness", FOR_ROUGHNESS},
    {"specularRoughness", FOR_ROUGHNESS},
    {"specular_roughness", FOR_ROUGHNESS},
    {"roughness_map", FOR_ROUGHNESS},
    {"Roughness_Map", FOR_ROUGHNESS},
    {"roughnessMap", FOR_ROUGHNESS},
    {"glossiness_map", FOR_ROUGHNESS},
    {"TEX_roughness_map", FOR_ROUGHNESS},
    {"TransparentColor", FOR_TRANSPARENCY},
    {"TransparencyFactor", FOR_TRANSPARENCY},
    {"Opacity", FOR_OPACITY},
    {"opacity", FOR_OPACITY},
    {"geometry_opacity", FOR_OPACITY},
    {"cutout_map", FOR_OPACITY},
    {"opacity_map", FOR_OPACITY},
    {"AlphaMap", FOR_OPACITY},
};

// Whether a texture names a picture.
static bool fbx_import_materials_has_picture(fbx_importer *importer, uint32_t texture)
{
    return fbx_import_texture_name(importer, texture).size ||
           fbx_import_child_of(importer, texture, FBX_VIDEO) != TENON_NONE;
}

// The texture of a link: of several layers, the one at the bottom; of textures that pass another
// one on, as those of 3ds Max for outputs and colors, that.
static uint32_t fbx_import_materials_texture_of(fbx_importer *importer, uint32_t object)
{
    for (int i = 0; i < HELPERS_MOST; i++) {
        bool is_layered = importer->objects[object].kind == FBX_LAYERED_TEXTURE;
        if (!is_layered && importer->objects[object].kind != FBX_TEXTURE) return TENON_NONE;
        if (!is_layered && fbx_import_materials_has_picture(importer, object)) return object;
        fbx_links links = fbx_import_children(importer, object);
        uint32_t first = TENON_NONE, count = 0;
        for (uint32_t k = 0; k < links.count && k < LAYERS_MOST; k++) {
            uint32_t child = importer->links[links.items[k]].child;
            if (importer->objects[child].kind != FBX_TEXTURE) continue;
            if (first == TENON_NONE) first = child;
            count++;
        }
        if (first == TENON_NONE) return is_layered ? TENON_NONE : object;
        fbx_import_count(importer, FBX_UNREAD_TEXTURE_LAYERS, count - 1, object);
        object = first;
    }
    return TENON_NONE;
}

// The layers of a texture above the one at the bottom: their files and how they are mixed become
// extras, "DiffuseColor|layer 1".
static void fbx_import_materials_layers(fbx_importer *importer, uint32_t material,
                                        tenon_str property, uint32_t layered)
{
    // In the order of their numbers.
    static const char *const modes[] = {
        "translucent", "add",          "multiply",     "multiply twice", "over",       "normal",
        "dissolve",    "darken",       "color burn",   "linear burn",    "darker",     "lighten",
        "screen",      "color dodge",  "linear dodge", "lighter",        "soft light", "hard light",
        "vivid light", "linear light", "pin light",    "hard mix",       "difference", "exclusion",
        "subtract",    "divide",       "hue",          "saturation",     "color",      "luminosity",
        "overlay"};
    const tenon_fbx_node *node = importer->objects[layered].node;
    uint64_t mode_count = 0, alpha_count = 0;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    const int32_t *numbers = fbx_import_i32s(importer, fbx_child(node, "BlendModes"), &mode_count);
    const float *alphas = fbx_import_f32s(importer, fbx_child(node, "Alphas"), &alpha_count);
    fbx_links links = fbx_import_children(importer, layered);
    uint32_t index = 0;
    for (uint32_t i = 0; i < links.count && i < LAYERS_MOST && !importer->builder->failed; i++) {
        uint32_t child = importer->links[links.items[i]].child;
        if (importer->objects[child].kind != FBX_TEXTURE) continue;
        uint32_t at = index++;
        tenon_str path = fbx_import_texture_name(importer, child);
        if (at == 0 || !path.size || path.size > 256 || property.size > 96 ||
            memchr(property.data, 0, property.size))
            continue;
        char name[128], value[384];
        bool has_mode = at < mode_count && (uint32_t)numbers[at] < COUNT_OF(modes);
        (void)snprintf(name, sizeof name, "%.*s|layer %u", (int)property.size, property.data,
                       (unsigned)at);
        int size = snprintf(value, sizeof value, "%.*s, %s", (int)path.size, path.data,
                            has_mode ? modes[numbers[at]] : "unknown");
        if (at < alpha_count && alphas[at] != 1) {
            memcpy(value + size, ", ", 2);
            size += 2 + (int)tn_f32_text(alphas[at], value + size + 2);
        }
        tn_add_extra(importer->builder, TENON_EXTRA_OF_MATERIAL, material, name,
                     (tenon_str){value, (uint32_t)size});
    }
    tn_arena_rewind(&importer->scratch, mark);
}

// A texture that the material cannot show: its property and its file become an extra.
static void fbx_import_materials_drop(fbx_importer *importer, uint32_t material, tenon_str property,
                                      uint32_t texture)
{
    char name[128];
    fbx_import_count(importer, FBX_UNREAD_TEXTURES, 1, texture);
    tenon_str path = fbx_import_texture_name(importer, texture);
    if (!path.size || !property.size || property.size >= sizeof name ||
        memchr(property.data, 0, property.size))
        return;
    memcpy(name, property.data, property.size);
    name[property.size] = '\0';
    tn_add_extra(importer->builder, TENON_EXTRA_OF_MATERIAL, material, name, path);
}

// Whether two textures are at the same place on a mesh.
static bool fbx_import_materials_agree(const fbx_texture *a, const fbx_texture *b)
{
    bool is_same = tn_text_equal(a->set, b->set) && a->place.rotation == b->place.rotation;
    for (int k = 0; k < 2; k++)
        is_same = is_same && a->place.scale[k] == b->place.scale[k] &&
                  a->place.offset[k] == b->place.offset[k] && a->place.wrap[k] == b->place.wrap[k];
    return is_same;
}

// Give a material one picture of two textures; one of them may be TENON_NONE. False if they are not
// at the same place, or cannot be read.
static bool fbx_import_materials_join(fbx_importer *importer, uint32_t material, tenon_slot slot,
                                      const uint32_t textures[2], fbx_join join)
{
    uint32_t images[2] = {TENON_NONE, TENON_NONE}, one = textures[0] == TENON_NONE;
    for (int i = 0; i < 2; i++) {
        if (textures[i] == TENON_NONE) continue;
        images[i] = fbx_import_texture_image(importer, textures[i]);
        if (images[i] == TENON_NONE) return false;
    }
    if (textures[one] == TENON_NONE) return false;
    const fbx_texture *from = fbx_import_texture_of(importer, textures[one]);
    if (!one && textures[1] != TENON_NONE &&
        !fbx_import_materials_agree(from, fbx_import_texture_of(importer, textures[1])))
        return false;
    uint32_t image = fbx_import_joined(importer, images[0], images[1], join);
    if (importer->builder->failed || image == TENON_NONE) return false;
    fbx_import_count(importer, FBX_UNREAD_JOINED, 1, textures[one]);
    tenon_texture *to = &importer->builder->scene->materials[material].textures[slot];
    *to = from->place;
    to->image = image;
    importer->uv_uses[material][slot].name = from->set;
    return true;
}

// Metalness and roughness are one picture in scenes.
static bool fbx_import_materials_metal(fbx_importer *importer, const fbx_object *object,
                                       uint32_t material, const uint32_t *uses)
{
    const uint32_t textures[2] = {uses[FOR_METAL], uses[FOR_ROUGHNESS]};
    tn_scene_builder *builder = importer->builder;
    uint32_t images[2];
    for (int i = 0; i < 2; i++)
        images[i] = textures[i] == TENON_NONE ? TENON_NONE
                                              : fbx_import_texture_image(importer, textures[i]);
    bool is_one = images[0] != TENON_NONE && images[0] == images[1];
    bool is_gloss = fbx_import_shader_is_glossy(object);
    if (builder->failed) return false;
    if (is_one)
        fbx_import_texture(importer, textures[0], material, TENON_SLOT_METALLIC_ROUGHNESS);
    else
        is_one =
            fbx_import_materials_join(importer, material, TENON_SLOT_METALLIC_ROUGHNESS, textures,
                                      is_gloss ? FBX_JOIN_GLOSS : FBX_JOIN_ROUGHNESS);
    if (builder->failed || !is_one) return false;
    tenon_material *to = &builder->scene->materials[material];
    if (textures[0] != TENON_NONE) to->metallic = 1;
    if (textures[1] != TENON_NONE) to->roughness = 1;
    return true;
}

// Opacity is the alpha of the color. In a picture of transparency white is opaque, too: programs
// disagree, but most readers take it so.
static bool fbx_import_materials_opacity(fbx_importer *importer, uint32_t material,
                                         const uint32_t *uses, uint32_t use)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t image = fbx_import_texture_image(importer, uses[use]);
    if (builder->failed) return false;
    const uint32_t textures[2] = {uses[TENON_SLOT_BASE_COLOR], uses[use]};
    uint32_t color = builder->scene->materials[material].textures[TENON_SLOT_BASE_COLOR].image;
    bool is_one = color != TENON_NONE && color == image;
    bool is_other = use == FOR_TRANSPARENCY && uses[FOR_OPACITY] != TENON_NONE;
    bool is_joined = !is_one && !is_other;
    if (is_joined)
        is_one = fbx_import_materials_join(importer, material, TENON_SLOT_BASE_COLOR, textures,
                                           FBX_JOIN_OPACITY);
    if (builder->failed || !is_one) return false;
    tenon_material *to = &builder->scene->materials[material];
    if (to->alpha == TENON_OPAQUE) to->alpha = TENON_BLEND;
    // The number is that of the color for which the picture stands.
    if (is_joined && use == FOR_TRANSPARENCY) to->base_color[3] = 1;
    return true;
}

// What needs two textures.
static void fbx_import_materials_combine(fbx_importer *importer, const fbx_object *object,
                                         uint32_t material, const uint32_t *uses,
                                         const tenon_str *properties)
{
    bool has_metal = fbx_import_materials_metal(importer, object, material, uses);
    for (uint32_t use = FOR_METAL; use < FOR_COUNT; use++) {
        bool is_shown = has_metal;
        if (uses[use] == TENON_NONE || importer->builder->failed) continue;
        if (use >= FOR_OPACITY)
            is_shown = fbx_import_materials_opacity(importer, material, uses, use);
        if (!is_shown && !importer->builder->failed)
            fbx_import_materials_drop(importer, material, properties[use], uses[use]);
    }
}

// A texture takes the place of the color that the material would have.
static void fbx_import_materials_replace(const fbx_object *object, tenon_material *to, uint32_t use)
{
    double factor = 1;
    if (use == TENON_SLOT_BASE_COLOR) {
        if (to->is_classic) factor = fbx_import_property_number(object, "DiffuseFactor", 1);
        if (!to->is_classic) factor = fbx_import_shader_weight(object);
        for (int k = 0; k < 3; k++) to->base_color[k] = fbx_import_materials_share(factor);
    } else if (use == TENON_SLOT_EMISSIVE && to->is_classic) {
        factor = fmax(0, fbx_import_property_number(object, "EmissiveFactor", 1));
        for (int k = 0; k < 3; k++) to->emissive[k] = factor;
    } else if (use == TENON_SLOT_EMISSIVE) {
        for (int k = 0; k < 3; k++) to->emissive[k] = fbx_import_shader_glow(object);
    }
}

// Textures of Arnold in 3ds Max are connected to "base_color.shader".
static tenon_str fbx_import_materials_without_ending(tenon_str name)
{
    static const tenon_str ending = {".shader", 7};
    if (name.size > ending.size &&
        memcmp(name.data + name.size - ending.size, ending.data, ending.size) == 0)
        name.size -= ending.size;
    return name;
}

static void fbx_import_materials_textures(fbx_importer *importer, uint32_t object,
                                          uint32_t material)
{
    tn_scene_builder *builder = importer->builder;
    fbx_links links = fbx_import_children(importer, object);
    uint32_t uses[FOR_COUNT];
    tenon_str properties[FOR_COUNT] = {{0}};
    for (uint32_t i = 0; i < FOR_COUNT; i++) uses[i] = TENON_NONE;
    for (uint32_t i = 0; i < links.count && !builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        uint32_t texture = fbx_import_materials_texture_of(importer, link->child);
        if (texture == TENON_NONE) continue;
        if (importer->objects[link->child].kind == FBX_LAYERED_TEXTURE)
            fbx_import_materials_layers(importer, material, link->property, link->child);
        if (builder->failed) return;
        tenon_str last = fbx_import_last_part(link->property), name = link->property;
        if (last.size) name = last = fbx_import_materials_without_ending(last);
        size_t k = 0;
        if (last.size && !fbx_import_shader_uses(&importer->objects[object], last)) continue;
        while (k < COUNT_OF(texture_names) && !tn_text_is(name, texture_names[k].name)) k++;
        uint32_t use = k < COUNT_OF(texture_names) ? texture_names[k].use : FOR_COUNT;
        if (use < FOR_COUNT && uses[use] == texture) continue;
        if (use == FOR_COUNT || uses[use] != TENON_NONE) {
            fbx_import_materials_drop(importer, material, link->property, texture);
            continue;
        }
        uses[use] = texture;
        properties[use] = link->property;
        if (use >= TENON_SLOT_COUNT) continue;
        bool is_bump = tn_text_is(name, "Bump") || tn_text_is(name, "bump_map");
        fbx_import_count(importer, FBX_UNREAD_BUMPS, is_bump, texture);
        fbx_import_texture(importer, texture, material, (tenon_slot)use);
        if (builder->failed) return;
        tenon_material *to = &builder->scene->materials[material];
        if (to->textures[use].image != TENON_NONE)
            fbx_import_materials_replace(&importer->objects[object], to, use);
    }
    if (!builder->failed)
        fbx_import_materials_combine(importer, &importer->objects[object], material, uses,
                                     properties);
}

// -- All materials

void fbx_import_materials(fbx_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint32_t i = 0; i < importer->object_count; i++)
        count += importer->objects[i].kind == FBX_MATERIAL;
    importer->uv_uses = fbx_import_alloc(importer, count, sizeof *importer->uv_uses);
    if (!fbx_import_begin_textures(importer)) return;
    for (uint32_t i = 0; i < importer->object_count && !builder->failed; i++) {
        fbx_object *object = &importer->objects[i];
        if (object->kind != FBX_MATERIAL) continue;
        uint32_t index = tn_add_material(builder, object->name);
        if (builder->failed) return;
        object->index = index;
        tenon_material *material = &builder->scene->materials[index];
        fbx_import_materials_classic(importer, object, material);
        if (importer->is_old && !object->properties)
            fbx_import_materials_old(object->node, material);
        (void)fbx_import_shader(object, material);
        if (material->base_color[3] < 1 && material->alpha == TENON_OPAQUE)
            material->alpha = TENON_BLEND;
        fbx_import_materials_textures(importer, i, index);
        if (!builder->failed && !builder->scene->materials[index].is_classic)
            fbx_import_shader_extras(importer, i, index);
    }
    if (!builder->failed) fbx_import_finish_images(importer);
}
