// gltf_schema.c: the tables of the specification: which members objects have, of which types and in
// which ranges.
// SPDX-License-Identifier: MIT

#include "gltf_schema.h"

#include "../../core/math.h"

#include <float.h>
#include <string.h>

// -- Choices

static const uint32_t component_types[] = {5120, 5121, 5122, 5123, 5125, 5126, 0};
static const uint32_t index_types[] = {5121, 5123, 5125, 0};
static const uint32_t targets[] = {34962, 34963, 0};
static const uint32_t mag_filters[] = {9728, 9729, 0};
static const uint32_t min_filters[] = {9728, 9729, 9984, 9985, 9986, 9987, 0};
static const uint32_t wraps[] = {10497, 33071, 33648, 0};
static const char *const shapes[] = {"SCALAR", "VEC2", "VEC3", "VEC4",
                                     "MAT2",   "MAT3", "MAT4", NULL};
static const char *const paths[] = {"translation", "rotation", "scale", "weights", NULL};
static const char *const curves[] = {"LINEAR", "STEP", "CUBICSPLINE", NULL};
static const char *const cameras[] = {"perspective", "orthographic", NULL};
static const char *const alphas[] = {"OPAQUE", "MASK", "BLEND", NULL};

static const char *const lights[] = {"directional", "point", "spot", NULL};

// -- Objects

static const gltf_member asset[] = {
    {.key = "version", .kind = KIND_TEXT, .flags = NEEDED},
    {.key = "minVersion", .kind = KIND_TEXT},
    {.key = "generator", .kind = KIND_TEXT},
    {.key = "copyright", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member sparse_indices[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = "componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = index_types},
    {.key = NULL},
};
static const gltf_member sparse_values[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member sparse[] = {
    {.key = "count", .kind = KIND_WHOLE, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "indices", .kind = KIND_OBJECT, .flags = NEEDED, .object = sparse_indices},
    {.key = "values", .kind = KIND_OBJECT, .flags = NEEDED, .object = sparse_values},
    {.key = NULL},
};
static const gltf_member accessor[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = "componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = component_types},
    {.key = "normalized", .kind = KIND_FLAG},
    {.key = "count", .kind = KIND_WHOLE, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "type", .kind = KIND_WORD, .flags = NEEDED, .words = shapes},
    {.key = "min", .kind = KIND_NUMBERS, .least = 1, .most = 16},
    {.key = "max", .kind = KIND_NUMBERS, .least = 1, .most = 16},
    {.key = "sparse", .kind = KIND_OBJECT, .object = sparse},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member target[] = {
    {.key = "node", .kind = KIND_INDEX, .list = GLTF_LIST_NODES},
    {.key = "path", .kind = KIND_WORD, .flags = NEEDED, .words = paths},
    {.key = NULL},
};
static const gltf_member channel[] = {
    {.key = "sampler", .kind = KIND_WHOLE, .flags = NEEDED, .low = 0, .high = DBL_MAX},
    {.key = "target", .kind = KIND_OBJECT, .flags = NEEDED, .object = target},
    {.key = NULL},
};
static const gltf_member curve[] = {
    {.key = "input", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_ACCESSORS},
    {.key = "output", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_ACCESSORS},
    {.key = "interpolation", .kind = KIND_WORD, .words = curves},
    {.key = NULL},
};
static const gltf_member animation[] = {
    {.key = "channels", .kind = KIND_OBJECTS, .flags = NEEDED, .object = channel},
    {.key = "samplers", .kind = KIND_OBJECTS, .flags = NEEDED, .object = curve},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member buffer[] = {
    {.key = "uri", .kind = KIND_TEXT},
    {.key = "byteLength", .kind = KIND_WHOLE, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member view[] = {
    {.key = "buffer", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFERS},
    {.key = "byteOffset", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = "byteLength", .kind = KIND_WHOLE, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "byteStride", .kind = KIND_WHOLE, .low = 4, .high = 252},
    {.key = "target", .kind = KIND_CHOICE, .choices = targets},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member perspective[] = {
    {.key = "aspectRatio", .kind = KIND_NUMBER, .flags = ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "yfov", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "zfar", .kind = KIND_NUMBER, .flags = ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "znear", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member orthographic[] = {
    {.key = "xmag", .kind = KIND_NUMBER, .flags = NEEDED},
    {.key = "ymag", .kind = KIND_NUMBER, .flags = NEEDED},
    {.key = "zfar", .kind = KIND_NUMBER, .flags = NEEDED | ABOVE, .low = 0, .high = DBL_MAX},
    {.key = "znear", .kind = KIND_NUMBER, .flags = NEEDED, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member camera[] = {
    {.key = "type", .kind = KIND_WORD, .flags = NEEDED, .words = cameras},
    {.key = "perspective", .kind = KIND_OBJECT, .object = perspective},
    {.key = "orthographic", .kind = KIND_OBJECT, .object = orthographic},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member image[] = {
    {.key = "uri", .kind = KIND_TEXT},
    {.key = "mimeType", .kind = KIND_TEXT},
    {.key = "bufferView", .kind = KIND_INDEX, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member texture_info[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member normal_info[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = "scale", .kind = KIND_NUMBER},
    {.key = NULL},
};
static const gltf_member occlusion_info[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = "strength", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = NULL},
};
static const gltf_member pbr[] = {
    {.key = "baseColorFactor", .kind = KIND_NUMBERS, .least = 4, .most = 4, .low = 0, .high = 1},
    {.key = "baseColorTexture", .kind = KIND_OBJECT, .object = texture_info},
    {.key = "metallicFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "roughnessFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "metallicRoughnessTexture", .kind = KIND_OBJECT, .object = texture_info},
    {.key = NULL},
};
static const gltf_member material[] = {
    {.key = "pbrMetallicRoughness", .kind = KIND_OBJECT, .object = pbr},
    {.key = "normalTexture", .kind = KIND_OBJECT, .object = normal_info},
    {.key = "occlusionTexture", .kind = KIND_OBJECT, .object = occlusion_info},
    {.key = "emissiveTexture", .kind = KIND_OBJECT, .object = texture_info},
    {.key = "emissiveFactor", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = "alphaMode", .kind = KIND_WORD, .words = alphas},
    {.key = "alphaCutoff", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "doubleSided", .kind = KIND_FLAG},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member primitive[] = {
    {.key = "attributes",
     .kind = KIND_SOURCES,
     .flags = NEEDED,
     .list = GLTF_LIST_ACCESSORS,
     .least = 1},
    {.key = "indices", .kind = KIND_INDEX, .list = GLTF_LIST_ACCESSORS},
    {.key = "material", .kind = KIND_INDEX, .list = GLTF_LIST_MATERIALS},
    {.key = "mode", .kind = KIND_WHOLE, .low = 0, .high = 6},
    {.key = "targets", .kind = KIND_SOURCE_LIST, .list = GLTF_LIST_ACCESSORS, .least = 1},
    {.key = NULL},
};
static const gltf_member mesh[] = {
    {.key = "primitives", .kind = KIND_OBJECTS, .flags = NEEDED, .object = primitive},
    {.key = "weights", .kind = KIND_NUMBERS, .least = 1, .most = TENON_NONE},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member node[] = {
    {.key = "camera", .kind = KIND_INDEX, .list = GLTF_LIST_CAMERAS},
    {.key = "children",
     .kind = KIND_INDICES,
     .list = GLTF_LIST_NODES,
     .least = 1,
     .most = TENON_NONE},
    {.key = "skin", .kind = KIND_INDEX, .list = GLTF_LIST_SKINS},
    {.key = "matrix", .kind = KIND_NUMBERS, .least = 16, .most = 16},
    {.key = "mesh", .kind = KIND_INDEX, .list = GLTF_LIST_MESHES},
    {.key = "rotation", .kind = KIND_NUMBERS, .least = 4, .most = 4, .low = -1, .high = 1},
    {.key = "scale", .kind = KIND_NUMBERS, .least = 3, .most = 3},
    {.key = "translation", .kind = KIND_NUMBERS, .least = 3, .most = 3},
    {.key = "weights", .kind = KIND_NUMBERS, .least = 1, .most = TENON_NONE},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member sampler[] = {
    {.key = "magFilter", .kind = KIND_CHOICE, .choices = mag_filters},
    {.key = "minFilter", .kind = KIND_CHOICE, .choices = min_filters},
    {.key = "wrapS", .kind = KIND_CHOICE, .choices = wraps},
    {.key = "wrapT", .kind = KIND_CHOICE, .choices = wraps},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member scene[] = {
    {.key = "nodes", .kind = KIND_INDICES, .list = GLTF_LIST_NODES, .least = 1, .most = TENON_NONE},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member skin[] = {
    {.key = "inverseBindMatrices", .kind = KIND_INDEX, .list = GLTF_LIST_ACCESSORS},
    {.key = "skeleton", .kind = KIND_INDEX, .list = GLTF_LIST_NODES},
    {.key = "joints",
     .kind = KIND_INDICES,
     .flags = NEEDED,
     .list = GLTF_LIST_NODES,
     .least = 1,
     .most = TENON_NONE},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member texture[] = {
    {.key = "sampler", .kind = KIND_INDEX, .list = GLTF_LIST_SAMPLERS},
    {.key = "source", .kind = KIND_INDEX, .list = GLTF_LIST_IMAGES},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_root_members[] = {
    {.key = "asset", .kind = KIND_OBJECT, .flags = NEEDED, .object = asset},
    {.key = "scene", .kind = KIND_INDEX, .list = GLTF_LIST_SCENES},
    {.key = "extensionsUsed", .kind = KIND_TEXTS, .least = 1, .most = TENON_NONE},
    {.key = "extensionsRequired", .kind = KIND_TEXTS, .least = 1, .most = TENON_NONE},
    {.key = "accessors", .kind = KIND_OBJECTS, .object = accessor},
    {.key = "animations", .kind = KIND_OBJECTS, .object = animation},
    {.key = "buffers", .kind = KIND_OBJECTS, .object = buffer},
    {.key = "bufferViews", .kind = KIND_OBJECTS, .object = view},
    {.key = "cameras", .kind = KIND_OBJECTS, .object = camera},
    {.key = "images", .kind = KIND_OBJECTS, .object = image},
    {.key = "materials", .kind = KIND_OBJECTS, .object = material},
    {.key = "meshes", .kind = KIND_OBJECTS, .object = mesh},
    {.key = "nodes", .kind = KIND_OBJECTS, .object = node},
    {.key = "samplers", .kind = KIND_OBJECTS, .object = sampler},
    {.key = "scenes", .kind = KIND_OBJECTS, .object = scene},
    {.key = "skins", .kind = KIND_OBJECTS, .object = skin},
    {.key = "textures", .kind = KIND_OBJECTS, .object = texture},
    {.key = NULL},
};

// -- Extensions

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
static const gltf_member texture_dds[] = {
    {.key = "source", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_IMAGES},
    {.key = NULL},
};
static const gltf_member texture_transform[] = {
    {.key = "offset", .kind = KIND_NUMBERS, .least = 2, .most = 2},
    {.key = "rotation", .kind = KIND_NUMBER},
    {.key = "scale", .kind = KIND_NUMBERS, .least = 2, .most = 2},
    {.key = "texCoord", .kind = KIND_WHOLE, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member emissive_strength[] = {
    {.key = "emissiveStrength", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member unlit[] = {
    {.key = NULL},
};

const gltf_member *gltf_extension_members(const tn_node *extension, const gltf_member *place,
                                          bool *is_misplaced)
{
    static const struct {
        const char *name;
        const gltf_member *place, *members;
    } known[] = {
        {"KHR_lights_punctual", gltf_root_members, lights_of_file},
        {"KHR_lights_punctual", node, light_of_node},
        {"KHR_materials_emissive_strength", material, emissive_strength},
        {"KHR_materials_unlit", material, unlit},
        {"KHR_mesh_quantization", NULL, NULL},
        {"KHR_texture_transform", texture_info, texture_transform},
        {"KHR_texture_transform", normal_info, texture_transform},
        {"KHR_texture_transform", occlusion_info, texture_transform},
        {"MSFT_texture_dds", texture, texture_dds},
    };
    *is_misplaced = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (extension->key_size != strlen(known[i].name) ||
            memcmp(extension->key, known[i].name, extension->key_size) != 0)
            continue;
        if (known[i].place == place) {
            *is_misplaced = false;
            return known[i].members;
        }
        *is_misplaced = true;
    }
    return NULL;
}
