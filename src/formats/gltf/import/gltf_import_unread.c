// gltf_import_unread.c: report what is in a glTF file and is not part of the scene.
// SPDX-License-Identifier: MIT
//
// Names of accessors, buffers and views are not reported: they describe the file, not the scene.

#include "formats/gltf/import/gltf_import.h"

#include <string.h>

#define LISTED_MOST 256  // Items of 'extensionsUsed' that are compared with each extension.

static bool has_key(const tn_json_value *node, const char *key)
{
    return node->key && node->key_size == strlen(key) &&
           memcmp(node->key, key, node->key_size) == 0;
}

static bool is_item(const gltf_importer *importer, const tn_json_value *node, gltf_list list)
{
    return node && node->parent && node->parent == importer->lists[list];
}

// -- Extras

// Whether the extras of that object are imported.
static bool gltf_keeps_extras(const gltf_importer *importer, const tn_json_value *object)
{
    static const gltf_list lists[] = {GLTF_LIST_NODES, GLTF_LIST_MESHES, GLTF_LIST_MATERIALS,
                                      GLTF_LIST_ANIMATIONS, GLTF_LIST_SCENES};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_item(importer, object, lists[i])) return true;
    return false;
}

// The value after this one in the JSON, which is inside of it unless `is_over`.
static const tn_json_value *next_node(const tn_json_value *node, bool is_over)
{
    if (!is_over && tn_json_tree_count(node)) return tn_json_tree_at(node, 0);
    while (node->parent && node->index + 1 == tn_json_tree_count(node->parent)) node = node->parent;
    return node->parent ? tn_json_tree_at(node->parent, node->index + 1) : NULL;
}

// Extensions that are neither supported nor listed: listed ones are reported already.
static void gltf_count_undeclared(gltf_importer *importer, const tn_json_value *extensions)
{
    const tn_json_value *used = tn_json_tree_get(importer->tree.root, "extensionsUsed");
    if (tn_json_tree_kind_of(extensions) != TN_TREE_OBJECT) return;
    for (uint32_t i = 0; i < tn_json_tree_count(extensions); i++) {
        const tn_json_value *member = tn_json_tree_at(extensions, i);
        bool is_listed = gltf_supports_extension(member->key, member->key_size);
        for (uint32_t k = 0; k < tn_json_tree_count(used) && k < LISTED_MOST && !is_listed; k++) {
            const tn_json_value *name = tn_json_tree_at(used, k);
            is_listed = tn_json_tree_kind_of(name) == TN_TREE_STRING &&
                        name->size == member->key_size &&
                        memcmp(name->text, member->key, member->key_size) == 0;
        }
        gltf_count_loss(importer, GLTF_UNREAD_UNDECLARED, !is_listed, member);
    }
}

static void gltf_count_extras(gltf_importer *importer)
{
    bool is_over = false;
    for (const tn_json_value *node = importer->tree.root; node; node = next_node(node, is_over)) {
        is_over = has_key(node, "extras");
        if (is_over && !gltf_keeps_extras(importer, node->parent))
            gltf_count_loss(importer, GLTF_UNREAD_OTHER_EXTRAS, 1, node);
        if (has_key(node, "extensions")) gltf_count_undeclared(importer, node);
    }
}

// -- Textures

// Linear filters with mipmaps are what viewers use by default.
static bool is_smooth(const tn_json_value *sampler)
{
    enum { LINEAR = 9729, LINEAR_MIPMAP_NEAREST = 9985, LINEAR_MIPMAP_LINEAR = 9987 };
    uint32_t near = tn_json_tree_u32(tn_json_tree_get(sampler, "magFilter"), LINEAR);
    uint32_t far = tn_json_tree_u32(tn_json_tree_get(sampler, "minFilter"), LINEAR_MIPMAP_LINEAR);
    return near == LINEAR && (far == LINEAR_MIPMAP_LINEAR || far == LINEAR_MIPMAP_NEAREST);
}

static void gltf_count_textures(gltf_importer *importer)
{
    for (uint32_t i = 0; i < gltf_count(importer, GLTF_LIST_SAMPLERS); i++) {
        const tn_json_value *sampler = gltf_item(importer, GLTF_LIST_SAMPLERS, i);
        gltf_count_loss(importer, GLTF_UNREAD_FILTERS, !is_smooth(sampler), sampler);
        gltf_count_loss(importer, GLTF_UNREAD_TEXTURE_NAMES,
                        tn_json_tree_get(sampler, "name") != NULL, sampler);
    }
    for (uint32_t i = 0; i < gltf_count(importer, GLTF_LIST_TEXTURES); i++) {
        const tn_json_value *texture = gltf_item(importer, GLTF_LIST_TEXTURES, i);
        gltf_count_loss(importer, GLTF_UNREAD_TEXTURE_NAMES,
                        tn_json_tree_get(texture, "name") != NULL, texture);
    }
    for (uint32_t i = 0; i < gltf_count(importer, GLTF_LIST_IMAGES); i++)
        gltf_count_loss(importer, GLTF_UNREAD_PICTURES, importer->image_of[i] == TENON_NONE,
                        gltf_item(importer, GLTF_LIST_IMAGES, i));
}

// -- All of it

void gltf_count_unread(gltf_importer *importer)
{
    const tn_json_value *copyright =
        tn_json_tree_get(tn_json_tree_get(importer->tree.root, "asset"), "copyright");
    uint32_t scenes = gltf_count(importer, GLTF_LIST_SCENES);
    gltf_count_loss(importer, GLTF_UNREAD_COPYRIGHT, copyright != NULL, copyright);
    if (scenes > 1)
        gltf_count_loss(importer, GLTF_UNREAD_SCENES, scenes - 1,
                        gltf_item(importer, GLTF_LIST_SCENES, 1));
    gltf_count_textures(importer);
    gltf_count_extras(importer);
}
