// gltf_extensions.c: the extensions that Tenon knows, and where JSON has indices of objects.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_extensions.h"

#include "core/text/text.h"

#include <string.h>

const char *const gltf_list_keys[LIST_COUNT] = {
    "accessors", "animations", "bufferViews", "buffers", "cameras",
    "images",    "materials",  "meshes",      "nodes",   "samplers",
    "scenes",    "skins",      "textures",    "lights",  "variants",
};

// -- Extensions

enum {
    READ = GLTF_IS_READ,
    LOOK = GLTF_IS_LOOK,
    WRITTEN = GLTF_IS_WRITTEN,
    PACKING = GLTF_IS_PACKING,
    OF_SHAPES = GLTF_IS_OF_SHAPES,
    MARK = GLTF_IS_MARK,
};

// The first row that fits counts.
static const gltf_extension extensions[] = {
    {"ADOBE_materials_*", LOOK},
    {"CESIUM_primitive_outline", LOOK | OF_SHAPES},
    {"EXT_instance_features", LOOK | OF_SHAPES},
    {"EXT_lights_*", LOOK},
    {"EXT_materials_*", LOOK},
    {"EXT_mesh_features", LOOK | OF_SHAPES},
    {"EXT_mesh_gpu_instancing", READ},
    {"EXT_meshopt_compression", READ | PACKING},
    {"EXT_structural_metadata", LOOK},
    {"EXT_texture_webp", READ | LOOK},
    {"EXT_texture_*", LOOK},
    {"FB_ngon_encoding", LOOK | OF_SHAPES},
    {"GODOT_*", LOOK | MARK},
    {"KHR_animation_pointer", READ},
    {"KHR_audio*", LOOK},
    {"KHR_draco_mesh_compression", PACKING},
    {"KHR_environment_map", LOOK},
    {"KHR_gaussian_splatting*", LOOK | OF_SHAPES},
    {"KHR_lights_punctual", READ | WRITTEN},
    {"KHR_materials_emissive_strength", READ | LOOK | WRITTEN},
    {"KHR_materials_ior", READ | LOOK},
    {"KHR_materials_pbrSpecularGlossiness", READ | LOOK},
    {"KHR_materials_specular", READ | LOOK},
    {"KHR_materials_transmission", READ | LOOK},
    {"KHR_materials_unlit", READ | LOOK | WRITTEN},
    {"KHR_materials_*", LOOK},
    {"KHR_mesh_quantization", READ | PACKING},
    {"KHR_meshopt_compression", READ | PACKING},
    {"KHR_node_hoverability", LOOK},
    {"KHR_node_selectability", LOOK},
    {"KHR_node_visibility", READ},
    {"KHR_texture_basisu", READ | LOOK},
    {"KHR_texture_transform", READ | LOOK | WRITTEN},
    {"KHR_texture_*", LOOK},
    {"KHR_xmp*", LOOK},
    {"MSFT_packing_*", LOOK},
    {"MSFT_texture_dds", READ | LOOK},
    {"VRMC_materials_*", LOOK},
};

static bool gltf_extension_fits(const char *pattern, tenon_str name)
{
    size_t size = strlen(pattern);
    if (pattern[size - 1] != '*') return tn_text_is(name, pattern);
    return name.size >= size - 1 && memcmp(name.data, pattern, size - 1) == 0;
}

const gltf_extension *gltf_extension_find(tenon_str name)
{
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (gltf_extension_fits(extensions[i].name, name)) return &extensions[i];
    return NULL;
}

const gltf_picture_extension gltf_picture_extensions[GLTF_PICTURE_EXTENSIONS] = {
    {"EXT_texture_webp", "image/webp", ".webp"},
    {"KHR_texture_basisu", "image/ktx2", ".ktx2"},
    {"MSFT_texture_dds", "image/vnd-ms.dds", ".dds"},
};

// -- Indices

typedef struct gltf_reference {
    const char *extension;  // As in the table above; NULL: the path starts at the root.
    const char *path;       // From there on; '*' is any text, as a step or at the start of one.
    gltf_list list;
} gltf_reference;

static const gltf_reference references[] = {
    {NULL, "scene", LIST_SCENES},
    {NULL, "scenes/*/nodes/*", LIST_NODES},
    {NULL, "nodes/*/children/*", LIST_NODES},
    {NULL, "nodes/*/mesh", LIST_MESHES},
    {NULL, "nodes/*/skin", LIST_SKINS},
    {NULL, "nodes/*/camera", LIST_CAMERAS},
    {NULL, "meshes/*/primitives/*/attributes/*", LIST_ACCESSORS},
    {NULL, "meshes/*/primitives/*/indices", LIST_ACCESSORS},
    {NULL, "meshes/*/primitives/*/material", LIST_MATERIALS},
    {NULL, "meshes/*/primitives/*/targets/*/*", LIST_ACCESSORS},
    {NULL, "skins/*/joints/*", LIST_NODES},
    {NULL, "skins/*/skeleton", LIST_NODES},
    {NULL, "skins/*/inverseBindMatrices", LIST_ACCESSORS},
    {NULL, "animations/*/channels/*/target/node", LIST_NODES},
    {NULL, "animations/*/samplers/*/input", LIST_ACCESSORS},
    {NULL, "animations/*/samplers/*/output", LIST_ACCESSORS},
    {NULL, "materials/*/*Texture/index", LIST_TEXTURES},
    {NULL, "materials/*/pbrMetallicRoughness/*Texture/index", LIST_TEXTURES},
    {NULL, "textures/*/source", LIST_IMAGES},
    {NULL, "textures/*/sampler", LIST_SAMPLERS},
    {"ADOBE_materials_*", "*Texture/index", LIST_TEXTURES},
    {"CESIUM_primitive_outline", "indices", LIST_ACCESSORS},
    {"EXT_lights_ies", "lights/*/bufferView", LIST_BUFFER_VIEWS},
    {"EXT_lights_image_based", "lights/*/specularImages/*/*", LIST_IMAGES},
    {"EXT_instance_features", "featureIds/*/texture/index", LIST_TEXTURES},
    {"EXT_materials_*", "*Texture/index", LIST_TEXTURES},
    {"EXT_mesh_features", "featureIds/*/texture/index", LIST_TEXTURES},
    {"EXT_mesh_gpu_instancing", "attributes/*", LIST_ACCESSORS},
    {"EXT_structural_metadata", "propertyTables/*/properties/*/values", LIST_BUFFER_VIEWS},
    {"EXT_structural_metadata", "propertyTables/*/properties/*/arrayOffsets", LIST_BUFFER_VIEWS},
    {"EXT_structural_metadata", "propertyTables/*/properties/*/stringOffsets", LIST_BUFFER_VIEWS},
    {"EXT_structural_metadata", "propertyTextures/*/properties/*/index", LIST_TEXTURES},
    {"EXT_texture_*", "source", LIST_IMAGES},
    {"KHR_audio*", "audio/*/bufferView", LIST_BUFFER_VIEWS},
    {"KHR_environment_map", "environmentMaps/*/cubemap", LIST_TEXTURES},
    {"KHR_lights_punctual", "light", LIST_LIGHTS},
    {"KHR_materials_variants", "mappings/*/material", LIST_MATERIALS},
    {"KHR_materials_*", "*Texture/index", LIST_TEXTURES},
    {"KHR_texture_basisu", "source", LIST_IMAGES},
    {"MSFT_packing_*", "*Texture/index", LIST_TEXTURES},
    {"MSFT_texture_dds", "source", LIST_IMAGES},
    {"VRMC_materials_*", "*Texture/index", LIST_TEXTURES},
};

enum { STEPS_MOST = 8 };

const tn_json_value *gltf_extension_around(const tn_json_value *value)
{
    for (int i = 0; value && value->parent && i <= STEPS_MOST; i++, value = value->parent) {
        const tn_json_value *parent = value->parent;
        bool is_extensions =
            parent->key && tn_text_is((tenon_str){parent->key, parent->key_size}, "extensions");
        if (is_extensions && tn_json_tree_kind_of(parent) == TN_TREE_OBJECT) return value;
    }
    return NULL;
}

// Whether a step of a path fits the next step of a pattern, which is `size` bytes long.
static bool gltf_extension_step_fits(const tn_json_value *step, const char *pattern, size_t size)
{
    size_t end = size - 1;  // Bytes after the '*'.
    if (pattern[0] != '*')
        return step->key && step->key_size == size && memcmp(step->key, pattern, size) == 0;
    if (end == 0) return true;
    return step->key && step->key_size >= end &&
           memcmp(step->key + step->key_size - end, pattern + 1, end) == 0;
}

gltf_list gltf_extension_reference(const tn_json_value *value, const tn_json_value *extension)
{
    const tn_json_value *steps[STEPS_MOST];  // The last one first.
    uint32_t count = 0;
    for (; value->parent && value != extension; value = value->parent) {
        if (count == STEPS_MOST) return LIST_COUNT;
        steps[count++] = value;
    }
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const gltf_reference *reference = &references[i];
        if (!reference->extension != !extension) continue;
        if (extension && !gltf_extension_fits(reference->extension,
                                              (tenon_str){extension->key, extension->key_size}))
            continue;
        const char *at = reference->path;
        uint32_t left = count;
        while (left > 0 && *at) {
            size_t size = strcspn(at, "/");
            if (!gltf_extension_step_fits(steps[left - 1], at, size)) break;
            at += size + (at[size] == '/');
            left--;
        }
        if (left == 0 && !*at) return reference->list;
    }
    return LIST_COUNT;
}
