// gltf_schema.c: the tables of the specification: which members objects have, of which types and in
// which ranges.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_schema.h"

#include <float.h>

// -- Choices

static const uint32_t component_types[] = {5120, 5121, 5122, 5123, 5125, 5126, 0};
static const uint32_t index_types[] = {5121, 5123, 5125, 0};
static const uint32_t targets[] = {34962, 34963, 0};
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

// -- Objects

static const gltf_member asset[] = {
    {.key = "version", .kind = KIND_TEXT, .flags = NEEDED},
    {.key = "minVersion", .kind = KIND_TEXT},
    {.key = "generator", .kind = KIND_TEXT},
    {.key = "copyright", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_sparse_indices_members[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = "componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = index_types},
    {.key = NULL},
};
static const gltf_member sparse_values[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
static const gltf_member sparse[] = {
    {.key = "count", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "indices", .kind = KIND_OBJECT, .flags = NEEDED, .object = gltf_sparse_indices_members},
    {.key = "values", .kind = KIND_OBJECT, .flags = NEEDED, .object = sparse_values},
    {.key = NULL},
};
const gltf_member gltf_accessor_members[] = {
    {.key = "bufferView", .kind = KIND_INDEX, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "byteOffset", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = "componentType", .kind = KIND_CHOICE, .flags = NEEDED, .choices = component_types},
    {.key = "normalized", .kind = KIND_FLAG},
    {.key = "count", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "type", .kind = KIND_WORD, .flags = NEEDED, .words = shapes},
    {.key = "min", .kind = KIND_NUMBERS, .least = 1, .most = 16},
    {.key = "max", .kind = KIND_NUMBERS, .least = 1, .most = 16},
    {.key = "sparse", .kind = KIND_OBJECT, .object = sparse},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_target_members[] = {
    {.key = "node", .kind = KIND_INDEX, .list = GLTF_LIST_NODES},
    {.key = "path", .kind = KIND_WORD, .flags = NEEDED, .words = paths},
    {.key = NULL},
};
static const gltf_member channel[] = {
    {.key = "sampler", .kind = KIND_INTEGER, .flags = NEEDED, .low = 0, .high = DBL_MAX},
    {.key = "target", .kind = KIND_OBJECT, .flags = NEEDED, .object = gltf_target_members},
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
    {.key = "byteLength", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
static const gltf_member view[] = {
    {.key = "buffer", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_BUFFERS},
    {.key = "byteOffset", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = "byteLength", .kind = KIND_INTEGER, .flags = NEEDED, .low = 1, .high = DBL_MAX},
    {.key = "byteStride", .kind = KIND_INTEGER, .low = 4, .high = 252},
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
    {.key = "mimeType", .kind = KIND_WORD, .words = picture_types},
    {.key = "bufferView", .kind = KIND_INDEX, .list = GLTF_LIST_BUFFER_VIEWS},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_texture_info_members[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = NULL},
};
const gltf_member gltf_normal_info_members[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = "scale", .kind = KIND_NUMBER},
    {.key = NULL},
};
const gltf_member gltf_occlusion_info_members[] = {
    {.key = "index", .kind = KIND_INDEX, .flags = NEEDED, .list = GLTF_LIST_TEXTURES},
    {.key = "texCoord", .kind = KIND_INTEGER, .low = 0, .high = DBL_MAX},
    {.key = "strength", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = NULL},
};
static const gltf_member pbr[] = {
    {.key = "baseColorFactor", .kind = KIND_NUMBERS, .least = 4, .most = 4, .low = 0, .high = 1},
    {.key = "baseColorTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "metallicFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "roughnessFactor", .kind = KIND_NUMBER, .low = 0, .high = 1},
    {.key = "metallicRoughnessTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = NULL},
};
const gltf_member gltf_material_members[] = {
    {.key = "pbrMetallicRoughness", .kind = KIND_OBJECT, .object = pbr},
    {.key = "normalTexture", .kind = KIND_OBJECT, .object = gltf_normal_info_members},
    {.key = "occlusionTexture", .kind = KIND_OBJECT, .object = gltf_occlusion_info_members},
    {.key = "emissiveTexture", .kind = KIND_OBJECT, .object = gltf_texture_info_members},
    {.key = "emissiveFactor", .kind = KIND_NUMBERS, .least = 3, .most = 3, .low = 0, .high = 1},
    {.key = "alphaMode", .kind = KIND_WORD, .words = alphas},
    {.key = "alphaCutoff", .kind = KIND_NUMBER, .low = 0, .high = DBL_MAX},
    {.key = "doubleSided", .kind = KIND_FLAG},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_primitive_members[] = {
    {.key = "attributes",
     .kind = KIND_INDEX_MAP,
     .flags = NEEDED,
     .list = GLTF_LIST_ACCESSORS,
     .least = 1},
    {.key = "indices", .kind = KIND_INDEX, .list = GLTF_LIST_ACCESSORS},
    {.key = "material", .kind = KIND_INDEX, .list = GLTF_LIST_MATERIALS},
    {.key = "mode", .kind = KIND_INTEGER, .low = 0, .high = 6},
    {.key = "targets", .kind = KIND_INDEX_MAPS, .list = GLTF_LIST_ACCESSORS, .least = 1},
    {.key = NULL},
};
static const gltf_member mesh[] = {
    {.key = "primitives", .kind = KIND_OBJECTS, .flags = NEEDED, .object = gltf_primitive_members},
    {.key = "weights", .kind = KIND_NUMBERS, .least = 1, .most = TENON_NONE},
    {.key = "name", .kind = KIND_TEXT},
    {.key = NULL},
};
const gltf_member gltf_node_members[] = {
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
const gltf_member gltf_texture_members[] = {
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
    {.key = "accessors", .kind = KIND_OBJECTS, .object = gltf_accessor_members},
    {.key = "animations", .kind = KIND_OBJECTS, .object = animation},
    {.key = "buffers", .kind = KIND_OBJECTS, .object = buffer},
    {.key = "bufferViews", .kind = KIND_OBJECTS, .object = view},
    {.key = "cameras", .kind = KIND_OBJECTS, .object = camera},
    {.key = "images", .kind = KIND_OBJECTS, .object = image},
    {.key = "materials", .kind = KIND_OBJECTS, .object = gltf_material_members},
    {.key = "meshes", .kind = KIND_OBJECTS, .object = mesh},
    {.key = "nodes", .kind = KIND_OBJECTS, .object = gltf_node_members},
    {.key = "samplers", .kind = KIND_OBJECTS, .object = sampler},
    {.key = "scenes", .kind = KIND_OBJECTS, .object = scene},
    {.key = "skins", .kind = KIND_OBJECTS, .object = skin},
    {.key = "textures", .kind = KIND_OBJECTS, .object = gltf_texture_members},
    {.key = NULL},
};
