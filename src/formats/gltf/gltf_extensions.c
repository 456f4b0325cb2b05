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
    OPAQUE = GLTF_IS_OPAQUE,
    SHAPE = GLTF_IS_OPAQUE,
};

// The first row that fits counts.
static const gltf_extension extensions[] = {
    {"ADOBE_materials_*", LOOK, NULL},
    {"AGI_*", LOOK | OPAQUE, NULL},
    {"ASOBO_asset_optimized", SHAPE, NULL},
    {"ASOBO_property_animation", SHAPE, NULL},
    {"ASOBO_*", LOOK | OPAQUE, NULL},
    {"CESIUM_RTC", SHAPE, "the place of the model on a globe is not read"},
    {"CESIUM_primitive_outline", LOOK | OF_SHAPES, NULL},
    {"EXT_instance_features", LOOK | OF_SHAPES, NULL},
    {"EXT_lights_*", LOOK, NULL},
    {"EXT_materials_*", LOOK, NULL},
    {"EXT_mesh_features", LOOK | OF_SHAPES, NULL},
    {"EXT_mesh_gpu_instancing", READ, NULL},
    {"EXT_mesh_manifold", LOOK | OF_SHAPES | OPAQUE, NULL},
    {"EXT_mesh_primitive_edge_visibility", LOOK | OF_SHAPES | OPAQUE, NULL},
    {"EXT_mesh_primitive_restart", SHAPE, NULL},
    {"EXT_meshopt_compression", READ | PACKING, NULL},
    {"EXT_primitive_voxels", SHAPE, NULL},
    {"EXT_structural_metadata", LOOK, NULL},
    {"EXT_texture_webp", READ | LOOK, NULL},
    {"EXT_texture_*", LOOK, NULL},
    {"FB_geometry_metadata", LOOK | OF_SHAPES, NULL},
    {"FB_ngon_encoding", LOOK | OF_SHAPES, NULL},
    {"GODOT_*", LOOK | MARK, NULL},
    {"GRIFFEL_bim_data", LOOK | OPAQUE, NULL},
    {"KHR_accessor_*", SHAPE, "numbers of these types are not read"},
    {"KHR_animation_pointer", READ, NULL},
    {"KHR_audio*", LOOK, NULL},
    {"KHR_billboard", SHAPE, "what turns to the viewer stays as it is"},
    {"KHR_blend", LOOK, NULL},
    {"KHR_character*", LOOK | OPAQUE, NULL},
    {"KHR_collision_shapes", LOOK | OPAQUE, NULL},
    {"KHR_draco_mesh_compression", PACKING, NULL},
    {"KHR_environment_map", LOOK, NULL},
    {"KHR_gaussian_splatting*", LOOK | OF_SHAPES, NULL},
    {"KHR_implicit_shapes", LOOK | OPAQUE, NULL},
    {"KHR_interactivity", LOOK | OPAQUE, NULL},
    {"KHR_lights_punctual", READ | WRITTEN, NULL},
    {"KHR_lights_*", LOOK | OPAQUE, NULL},
    {"KHR_materials_emissive_strength", READ | LOOK | WRITTEN, NULL},
    {"KHR_materials_ior", READ | LOOK, NULL},
    {"KHR_materials_pbrSpecularGlossiness", READ | LOOK, NULL},
    {"KHR_materials_specular", READ | LOOK, NULL},
    {"KHR_materials_transmission", READ | LOOK, NULL},
    {"KHR_materials_unlit", READ | LOOK | WRITTEN, NULL},
    {"KHR_materials_*", LOOK, NULL},
    {"KHR_mesh_quantization", READ | PACKING, NULL},
    {"KHR_meshopt_compression", READ | PACKING, NULL},
    {"KHR_node_hoverability", LOOK, NULL},
    {"KHR_node_selectability", LOOK, NULL},
    {"KHR_node_visibility", READ, NULL},
    {"KHR_physics_rigid_bodies", LOOK | OPAQUE, NULL},
    {"KHR_techniques_webgl", LOOK | OPAQUE, NULL},
    {"KHR_texture_basisu", READ | LOOK, NULL},
    {"KHR_texture_transform", READ | LOOK | WRITTEN, NULL},
    {"KHR_texture_*", LOOK, NULL},
    {"KHR_xmp*", LOOK, NULL},
    {"MOZ_*", LOOK | OPAQUE, NULL},
    {"MPEG_*", SHAPE, "what changes with time by media is not read"},
    {"MSFT_audio_emitter", LOOK | OPAQUE, NULL},
    {"MSFT_lod", LOOK, "only the finest level of detail is read"},
    {"MSFT_packing_*", LOOK, NULL},
    {"MSFT_texture_dds", READ | LOOK, NULL},
    {"NEEDLE_*", LOOK | OPAQUE, NULL},
    {"NV_materials_mdl", LOOK | OPAQUE, NULL},
    {"OMI_*", LOOK | OPAQUE, NULL},
    {"VRM", LOOK | OPAQUE, NULL},
    {"VRMC_materials_*", LOOK, NULL},
    {"VRMC_node_constraint", SHAPE, "nodes do not follow others"},
    {"VRMC_*", LOOK | OPAQUE, NULL},
    {"WEB3D_quantized_attributes", SHAPE, NULL},
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

uint32_t gltf_index_of(const tn_json_value *object, const char *key)
{
    return tn_json_tree_u32(tn_json_tree_get(object, key), TENON_NONE);
}

tn_json_value *gltf_extension_of(const tn_json_value *object, const char *name)
{
    return tn_json_tree_get(tn_json_tree_get(object, "extensions"), name);
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
    {NULL, "nodes/*/extensions/MSFT_lod/ids/*", LIST_NODES},
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
    {NULL, "materials/*/extensions/MSFT_lod/ids/*", LIST_MATERIALS},
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
    const tn_json_value *steps[STEPS_MOST];                   // The last one first.
    uint32_t count = 0, inside = extension ? UINT32_MAX : 0;  // Of them, inside of the extension.
    for (; value->parent && count < STEPS_MOST; value = value->parent) {
        if (value == extension) inside = count;
        steps[count++] = value;
    }
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const gltf_reference *reference = &references[i];
        if (reference->extension &&
            (!extension || !gltf_extension_fits(reference->extension,
                                                (tenon_str){extension->key, extension->key_size})))
            continue;
        if (!reference->extension && value->parent) continue;  // The root is farther away.
        const char *at = reference->path;
        uint32_t left = reference->extension ? inside : count;
        while (left > 0 && left <= STEPS_MOST && *at) {
            size_t size = strcspn(at, "/");
            if (!gltf_extension_step_fits(steps[left - 1], at, size)) break;
            at += size + (at[size] == '/');
            left--;
        }
        if (left == 0 && !*at) return reference->list;
    }
    return LIST_COUNT;
}
