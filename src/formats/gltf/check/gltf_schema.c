// gltf_schema.c: the specification as a table: which members objects have, of which types and in
// which ranges.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/math/math.h"
#include "core/text/text.h"

#include <float.h>
#include <string.h>

// -- Choices

static const uint32_t component_types[] = {GLTF_I8,  GLTF_U8,  GLTF_I16, GLTF_U16,
                                           GLTF_U32, GLTF_F32, 0};
static const uint32_t index_types[] = {GLTF_U8, GLTF_U16, GLTF_U32, 0};
static const uint32_t targets[] = {GLTF_TARGET_VERTICES, GLTF_TARGET_INDICES, 0};
static const uint32_t mag_filters[] = {9728, 9729, 0};
static const uint32_t min_filters[] = {9728, 9729, 9984, 9985, 9986, 9987, 0};
static const uint32_t wraps[] = {10497, 33071, 33648, 0};
static const char *const shapes[] = {"SCALAR", "VEC2", "VEC3", "VEC4",
                                     "MAT2",   "MAT3", "MAT4", NULL};
static const char *const paths[] = {
    "translation", "rotation", "scale", "weights", "KHR_animation_pointer:pointer", NULL};
static const char *const picture_types[] = {"image/png",
                                            "image/jpeg",
                                            "EXT_texture_webp:image/webp",
                                            "KHR_texture_basisu:image/ktx2",
                                            "MSFT_texture_dds:image/vnd-ms.dds",
                                            NULL};
static const char *const curves[] = {"LINEAR", "STEP", "CUBICSPLINE", NULL};
static const char *const cameras[] = {"perspective", "orthographic", NULL};
static const char *const alphas[] = {"OPAQUE", "MASK", "BLEND", NULL};
static const char *const lights[] = {"directional", "point", "spot", NULL};

// -- Objects

// Objects, each followed by its members. Of extensions: the object that may have it, a dot, and the
// name; no object: it is only in 'extensionsUsed'.
static const gltf_member members[] = {
    {.object = "root"},
    {"asset", .kind = KIND_OBJECT, .flags = NEEDED, .object = "asset"},
    {"scene", .kind = KIND_INDEX, .list = LIST_SCENES},
    {"extensionsUsed", .kind = KIND_TEXTS},
    {"extensionsRequired", .kind = KIND_TEXTS},
    {"accessors", .kind = KIND_OBJECTS, .object = "accessor"},
    {"animations", .kind = KIND_OBJECTS, .object = "animation"},
    {"buffers", .kind = KIND_OBJECTS, .object = "buffer"},
    {"bufferViews", .kind = KIND_OBJECTS, .object = "bufferView"},
    {"cameras", .kind = KIND_OBJECTS, .object = "camera"},
    {"images", .kind = KIND_OBJECTS, .object = "image"},
    {"materials", .kind = KIND_OBJECTS, .object = "material"},
    {"meshes", .kind = KIND_OBJECTS, .object = "mesh"},
    {"nodes", .kind = KIND_OBJECTS, .object = "node"},
    {"samplers", .kind = KIND_OBJECTS, .object = "sampler"},
    {"scenes", .kind = KIND_OBJECTS, .object = "scene"},
    {"skins", .kind = KIND_OBJECTS, .object = "skin"},
    {"textures", .kind = KIND_OBJECTS, .object = "texture"},
    {.object = "asset"},
    {"version", .kind = KIND_TEXT, .flags = NEEDED},
    {"minVersion", .kind = KIND_TEXT},
    {"generator", .kind = KIND_TEXT},
    {"copyright", .kind = KIND_TEXT},
    {.object = "sparseIndices"},
    {"bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_BUFFER_VIEWS},
    {"byteOffset", .kind = KIND_INTEGER, .high = DBL_MAX},
    {"componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = index_types},
    {.object = "sparseValues"},
    {"bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_BUFFER_VIEWS},
    {"byteOffset", .kind = KIND_INTEGER, .high = DBL_MAX},
    {.object = "sparse"},
    {"count", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {"indices", .kind = KIND_OBJECT, .flags = NEEDED, .object = "sparseIndices"},
    {"values", .kind = KIND_OBJECT, .flags = NEEDED, .object = "sparseValues"},
    {.object = "accessor", .flags = NAMED},
    {"bufferView", .kind = KIND_INDEX, .list = LIST_BUFFER_VIEWS},
    {"byteOffset", .kind = KIND_INTEGER, .high = DBL_MAX},
    {"componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = component_types},
    {"normalized", .kind = KIND_FLAG},
    {"count", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {"type", .kind = KIND_WORD, .flags = NEEDED, .words = shapes},
    {"min", .kind = KIND_NUMBERS, .most = 16},
    {"max", .kind = KIND_NUMBERS, .most = 16},
    {"sparse", .kind = KIND_OBJECT, .object = "sparse"},
    {.object = "target"},
    {"node", .kind = KIND_INDEX, .list = LIST_NODES},
    {"path", .kind = KIND_WORD, .flags = NEEDED, .words = paths},
    {.object = "channel"},
    {"sampler", .kind = KIND_INTEGER, .flags = NEEDED, .high = DBL_MAX},
    {"target", .kind = KIND_OBJECT, .flags = NEEDED, .object = "target"},
    {.object = "animationSampler"},
    {"input", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_ACCESSORS},
    {"output", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_ACCESSORS},
    {"interpolation", .kind = KIND_WORD, .words = curves},
    {.object = "animation", .flags = NAMED},
    {"channels", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "channel"},
    {"samplers", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "animationSampler"},
    {.object = "buffer", .flags = NAMED},
    {"uri", .kind = KIND_TEXT},
    {"byteLength", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.object = "bufferView", .flags = NAMED},
    {"buffer", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_BUFFERS},
    {"byteOffset", .kind = KIND_INTEGER, .high = DBL_MAX},
    {"byteLength", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {"byteStride", .kind = KIND_INTEGER, .low = 4, .high = 252},
    {"target", .kind = KIND_CHOICE, .choices = targets},
    {.object = "perspective"},
    {"aspectRatio", .kind = KIND_NUMBER, .flags = ABOVE, .high = DBL_MAX},
    {"yfov", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .high = DBL_MAX},
    {"zfar", .kind = KIND_NUMBER, .flags = ABOVE, .high = DBL_MAX},
    {"znear", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .high = DBL_MAX},
    {.object = "orthographic"},
    {"xmag", .kind = KIND_NUMBER, .flags = NEEDED},
    {"ymag", .kind = KIND_NUMBER, .flags = NEEDED},
    {"zfar", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .high = DBL_MAX},
    {"znear", .kind = KIND_NUMBER, .flags = NEEDED, .high = DBL_MAX},
    {.object = "camera", .flags = NAMED},
    {"type", .kind = KIND_WORD, .flags = NEEDED, .words = cameras},
    {"perspective", .kind = KIND_OBJECT, .object = "perspective"},
    {"orthographic", .kind = KIND_OBJECT, .object = "orthographic"},
    {.object = "image", .flags = NAMED},
    {"uri", .kind = KIND_TEXT},
    {"mimeType", .kind = KIND_WORD, .words = picture_types},
    {"bufferView", .kind = KIND_INDEX, .list = LIST_BUFFER_VIEWS},
    {.object = "textureInfo"},
    {"index", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_TEXTURES},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {.object = "normalTextureInfo"},
    {"index", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_TEXTURES},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {"scale", .kind = KIND_NUMBER},
    {.object = "occlusionTextureInfo"},
    {"index", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_TEXTURES},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {"strength", .kind = KIND_NUMBER, .high = 1},
    {.object = "pbrMetallicRoughness"},
    {"baseColorFactor", .kind = KIND_NUMBERS, .count = 4, .high = 1},
    {"baseColorTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"metallicFactor", .kind = KIND_NUMBER, .high = 1},
    {"roughnessFactor", .kind = KIND_NUMBER, .high = 1},
    {"metallicRoughnessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material", .flags = NAMED},
    {"pbrMetallicRoughness", .kind = KIND_OBJECT, .object = "pbrMetallicRoughness"},
    {"normalTexture", .kind = KIND_TEXTURE, .object = "normalTextureInfo"},
    {"occlusionTexture", .kind = KIND_TEXTURE, .object = "occlusionTextureInfo"},
    {"emissiveTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"emissiveFactor", .kind = KIND_NUMBERS, .count = 3, .high = 1},
    {"alphaMode", .kind = KIND_WORD, .words = alphas},
    {"alphaCutoff", .kind = KIND_NUMBER, .high = DBL_MAX},
    {"doubleSided", .kind = KIND_FLAG},
    {.object = "primitive"},
    {"attributes", .kind = KIND_INDEX_MAP, .flags = NEEDED, .list = LIST_ACCESSORS},
    {"indices", .kind = KIND_INDEX, .list = LIST_ACCESSORS},
    {"material", .kind = KIND_INDEX, .list = LIST_MATERIALS},
    {"mode", .kind = KIND_INTEGER, .high = 6},
    {"targets", .kind = KIND_INDEX_MAPS, .list = LIST_ACCESSORS},
    {.object = "mesh", .flags = NAMED},
    {"primitives", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "primitive"},
    {"weights", .kind = KIND_NUMBERS},
    {.object = "node", .flags = NAMED},
    {"camera", .kind = KIND_INDEX, .list = LIST_CAMERAS},
    {"children", .kind = KIND_INDICES, .list = LIST_NODES},
    {"skin", .kind = KIND_INDEX, .list = LIST_SKINS},
    {"matrix", .kind = KIND_NUMBERS, .count = 16},
    {"mesh", .kind = KIND_INDEX, .list = LIST_MESHES},
    {"rotation", .kind = KIND_NUMBERS, .count = 4, .low = -1, .high = 1},
    {"scale", .kind = KIND_NUMBERS, .count = 3},
    {"translation", .kind = KIND_NUMBERS, .count = 3},
    {"weights", .kind = KIND_NUMBERS},
    {.object = "sampler", .flags = NAMED},
    {"magFilter", .kind = KIND_CHOICE, .choices = mag_filters},
    {"minFilter", .kind = KIND_CHOICE, .choices = min_filters},
    {"wrapS", .kind = KIND_CHOICE, .choices = wraps},
    {"wrapT", .kind = KIND_CHOICE, .choices = wraps},
    {.object = "scene", .flags = NAMED},
    {"nodes", .kind = KIND_INDICES, .list = LIST_NODES},
    {.object = "skin", .flags = NAMED},
    {"inverseBindMatrices", .kind = KIND_INDEX, .list = LIST_ACCESSORS},
    {"skeleton", .kind = KIND_INDEX, .list = LIST_NODES},
    {"joints", .kind = KIND_INDICES, .flags = NEEDED, .list = LIST_NODES},
    {.object = "texture", .flags = NAMED},
    {"sampler", .kind = KIND_INDEX, .list = LIST_SAMPLERS},
    {"source", .kind = KIND_INDEX, .list = LIST_IMAGES},
    // Extensions.
    {.object = "texture.EXT_texture_webp"},
    {"source", .kind = KIND_INDEX, .list = LIST_IMAGES},
    {.object = "target.KHR_animation_pointer"},
    {"pointer", .kind = KIND_POINTER, .flags = NEEDED},
    {.object = "root.KHR_lights_punctual"},
    {"lights", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "light"},
    {.object = "light", .flags = NAMED},
    {"type", .kind = KIND_WORD, .flags = NEEDED, .words = lights},
    {"color", .kind = KIND_NUMBERS, .count = 3, .high = 1},
    {"intensity", .kind = KIND_NUMBER, .high = DBL_MAX},
    {"range", .kind = KIND_NUMBER, .flags = ABOVE, .high = DBL_MAX},
    {"spot", .kind = KIND_OBJECT, .object = "spot"},
    {.object = "spot"},
    {"innerConeAngle", .kind = KIND_NUMBER, .high = TN_PI / 2},
    {"outerConeAngle", .kind = KIND_NUMBER, .flags = ABOVE, .high = TN_PI / 2},
    {.object = "node.KHR_lights_punctual"},
    {"light", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_LIGHTS},
    {.object = "material.KHR_materials_anisotropy"},
    {"anisotropyStrength", .kind = KIND_NUMBER, .high = 1},
    {"anisotropyRotation", .kind = KIND_NUMBER},
    {"anisotropyTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_clearcoat"},
    {"clearcoatFactor", .kind = KIND_NUMBER, .high = 1},
    {"clearcoatTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"clearcoatRoughnessFactor", .kind = KIND_NUMBER, .high = 1},
    {"clearcoatRoughnessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"clearcoatNormalTexture", .kind = KIND_TEXTURE, .object = "normalTextureInfo"},
    {.object = "material.KHR_materials_dispersion"},
    {"dispersion", .kind = KIND_NUMBER, .high = DBL_MAX},
    {.object = "material.KHR_materials_emissive_strength"},
    {"emissiveStrength", .kind = KIND_NUMBER, .high = DBL_MAX},
    {.object = "material.KHR_materials_ior"},
    {"ior", .kind = KIND_NUMBER, .flags = OR_ZERO, .low = 1, .high = DBL_MAX},
    {.object = "material.KHR_materials_iridescence"},
    {"iridescenceFactor", .kind = KIND_NUMBER, .high = 1},
    {"iridescenceTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"iridescenceIor", .kind = KIND_NUMBER, .low = 1, .high = DBL_MAX},
    {"iridescenceThicknessMinimum", .kind = KIND_NUMBER, .high = DBL_MAX},
    {"iridescenceThicknessMaximum", .kind = KIND_NUMBER, .high = DBL_MAX},
    {"iridescenceThicknessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_pbrSpecularGlossiness"},
    {"diffuseFactor", .kind = KIND_NUMBERS, .count = 4, .high = 1},
    {"diffuseTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"specularFactor", .kind = KIND_NUMBERS, .count = 3, .high = 1},
    {"glossinessFactor", .kind = KIND_NUMBER, .high = 1},
    {"specularGlossinessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_sheen"},
    {"sheenColorFactor", .kind = KIND_NUMBERS, .count = 3, .high = 1},
    {"sheenColorTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"sheenRoughnessFactor", .kind = KIND_NUMBER, .high = 1},
    {"sheenRoughnessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_specular"},
    {"specularFactor", .kind = KIND_NUMBER, .high = 1},
    {"specularTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"specularColorFactor", .kind = KIND_NUMBERS, .count = 3, .high = DBL_MAX},
    {"specularColorTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_transmission"},
    {"transmissionFactor", .kind = KIND_NUMBER, .high = 1},
    {"transmissionTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {.object = "material.KHR_materials_unlit"},
    {.object = "root.KHR_materials_variants"},
    {"variants", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "variant"},
    {.object = "variant"},
    {"name", .kind = KIND_TEXT, .flags = NEEDED},
    {.object = "primitive.KHR_materials_variants"},
    {"mappings", .kind = KIND_OBJECTS, .flags = NEEDED, .object = "variantMapping"},
    {.object = "variantMapping", .flags = NAMED},
    {"variants", .kind = KIND_INDICES, .flags = NEEDED, .list = LIST_VARIANTS},
    {"material", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_MATERIALS},
    {.object = "material.KHR_materials_volume"},
    {"thicknessFactor", .kind = KIND_NUMBER, .high = DBL_MAX},
    {"thicknessTexture", .kind = KIND_TEXTURE, .object = "textureInfo"},
    {"attenuationDistance", .kind = KIND_NUMBER, .flags = ABOVE, .high = DBL_MAX},
    {"attenuationColor", .kind = KIND_NUMBERS, .count = 3, .high = 1},
    {.object = ".KHR_mesh_quantization"},
    {.object = "node.KHR_node_visibility"},
    {"visible", .kind = KIND_FLAG},
    {.object = "textureInfo.KHR_texture_transform"},
    {"offset", .kind = KIND_NUMBERS, .count = 2},
    {"rotation", .kind = KIND_NUMBER},
    {"scale", .kind = KIND_NUMBERS, .count = 2},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {.object = "normalTextureInfo.KHR_texture_transform"},
    {"offset", .kind = KIND_NUMBERS, .count = 2},
    {"rotation", .kind = KIND_NUMBER},
    {"scale", .kind = KIND_NUMBERS, .count = 2},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {.object = "occlusionTextureInfo.KHR_texture_transform"},
    {"offset", .kind = KIND_NUMBERS, .count = 2},
    {"rotation", .kind = KIND_NUMBER},
    {"scale", .kind = KIND_NUMBERS, .count = 2},
    {"texCoord", .kind = KIND_INTEGER, .high = DBL_MAX},
    {.object = "texture.MSFT_texture_dds"},
    {"source", .kind = KIND_INDEX, .flags = NEEDED, .list = LIST_IMAGES},
    {.key = NULL},
};

// -- Looking up

const gltf_member *gltf_schema_find(const char *object)
{
    const gltf_member *row = members;
    while (row->key || strcmp(row->object, object) != 0) row++;
    return row;
}

gltf_extension_place gltf_schema_find_extension(tenon_str name, const gltf_member *object,
                                                const gltf_member **extension)
{
    gltf_extension_place found = GLTF_EXTENSION_UNKNOWN;
    *extension = NULL;
    for (const gltf_member *row = members; row->key || row->object; row++) {
        const char *dot = row->key ? NULL : strchr(row->object, '.');
        if (!dot || !tn_text_is(name, dot + 1)) continue;
        found = GLTF_EXTENSION_MISPLACED;
        tenon_str place = {row->object, (uint32_t)(dot - row->object)};
        if (!object || !tn_text_is(place, object->object)) continue;
        *extension = row;
        return GLTF_EXTENSION_FITS;
    }
    return found;
}
