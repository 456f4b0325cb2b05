// gltf_import_unread.c: count and report what is in a glTF file and not in the scene.
// SPDX-License-Identifier: MIT
//
// Names of accessors, buffers and views are not reported: they describe the file, not the scene.

#include "formats/gltf/import/gltf_import.h"

#include <string.h>

#define LISTED_MOST 256  // Items of 'extensionsUsed' that are compared with each extension.

// -- Reporting

void gltf_import_count_loss(gltf_importer *importer, gltf_unread what, uint64_t count,
                            const tn_json_value *node)
{
    tn_tally *item = &importer->unread[what];
    if (!item->count && count) gltf_import_pointer(node, item->path, sizeof item->path);
    item->count += count;
}

void gltf_import_report_unread(gltf_importer *importer)
{
    static const struct {
        const char *feature, *why;
    } words[GLTF_UNREAD_COUNT] = {
        [GLTF_UNREAD_MORPHS] = {"morph targets", "Tenon does not read them or their weights"},
        [GLTF_UNREAD_MORPH_KEYS] = {"animations of morph targets", "Tenon does not read them"},
        [GLTF_UNREAD_NODES] = {"nodes", "they are not in the default scene"},
        [GLTF_UNREAD_MESHES] = {"meshes", "not used by a node of the scene"},
        [GLTF_UNREAD_SKINS] = {"skins", "not used by a mesh of the scene"},
        [GLTF_UNREAD_PARTS] = {"parts of meshes", "they have no positions"},
        [GLTF_UNREAD_STREAMS] = {"vertex attributes", "not supported in scenes"},
        [GLTF_UNREAD_CHANNELS] = {"channels", "their targets are not in the scene"},
        [GLTF_UNREAD_CLIPS] = {"animations", "their targets are not in the scene"},
        [GLTF_UNREAD_TEXTURES] = {"textures", "they have no picture of a known type"},
        [GLTF_UNREAD_INSTANCES] = {"instances", "Tenon reads each node once"},
        [GLTF_UNREAD_VISIBILITY] = {"visibility of nodes", "hidden nodes become visible"},
        [GLTF_UNREAD_UNDECLARED] = {"undeclared extensions",
                                    "they are unknown, and not listed in 'extensionsUsed'"},
        [GLTF_UNREAD_EXTRAS] = {"extras", "only strings, numbers and booleans are kept"},
        [GLTF_UNREAD_EXTRA_KINDS] = {"extras", "numbers and booleans are stored as strings"},
        [GLTF_UNREAD_OTHER_EXTRAS] =
            {"extras", "they are kept only for the scene, nodes, meshes, materials and animations"},
        [GLTF_UNREAD_SCENES] = {"scenes", "only the default scene is read"},
        [GLTF_UNREAD_PICTURES] = {"pictures", "not used by a material"},
        [GLTF_UNREAD_FILTERS] = {"filters of textures",
                                 "not supported in scenes: all textures are filtered smoothly"},
        [GLTF_UNREAD_TEXTURE_NAMES] = {"names of textures", "in scenes, only pictures have names"},
        [GLTF_UNREAD_COPYRIGHT] = {"copyright", "not supported in scenes"},
    };
    for (int i = 0; i < GLTF_UNREAD_COUNT; i++)
        if (i < GLTF_UNREAD_OMISSIONS)
            tn_scene_omit(importer->builder, words[i].feature, importer->unread[i].count,
                          importer->unread[i].path, words[i].why);
        else
            tn_scene_report(importer->builder,
                            i == GLTF_UNREAD_EXTRA_KINDS ? TENON_APPROXIMATED : TENON_DROPPED,
                            words[i].feature, importer->unread[i].count, importer->unread[i].path,
                            words[i].why);
}

// -- Extras

// Whether the extras of that object are imported.
static bool gltf_import_unread_keeps_extras(const gltf_importer *importer,
                                            const tn_json_value *object)
{
    static const gltf_list lists[] = {GLTF_LIST_NODES, GLTF_LIST_MESHES, GLTF_LIST_MATERIALS,
                                      GLTF_LIST_ANIMATIONS, GLTF_LIST_SCENES};
    for (size_t i = 0; object && object->parent && i < sizeof lists / sizeof lists[0]; i++)
        if (object->parent == importer->lists[lists[i]]) return true;
    return false;
}

// Extensions that are neither supported nor listed: listed ones are reported already.
static void gltf_import_unread_count_undeclared(gltf_importer *importer,
                                                const tn_json_value *extensions)
{
    const tn_json_value *used = tn_json_tree_get(importer->tree.root, "extensionsUsed");
    if (tn_json_tree_kind_of(extensions) != TN_TREE_OBJECT) return;
    for (uint32_t i = 0; i < tn_json_tree_count(extensions); i++) {
        const tn_json_value *member = tn_json_tree_at(extensions, i);
        bool is_listed = gltf_import_supports_extension(member->key, member->key_size);
        for (uint32_t k = 0; k < tn_json_tree_count(used) && k < LISTED_MOST && !is_listed; k++) {
            const tn_json_value *name = tn_json_tree_at(used, k);
            is_listed = tn_json_tree_kind_of(name) == TN_TREE_STRING &&
                        name->size == member->key_size &&
                        memcmp(name->text, member->key, member->key_size) == 0;
        }
        gltf_import_count_loss(importer, GLTF_UNREAD_UNDECLARED, !is_listed, member);
    }
}

// -- Everything

void gltf_import_count_unread(gltf_importer *importer)
{
    const tn_json_value *root = importer->tree.root;
    const tn_json_value *copyright = tn_json_tree_get(tn_json_tree_get(root, "asset"), "copyright");
    uint32_t scenes = gltf_import_count(importer, GLTF_LIST_SCENES);
    gltf_import_count_loss(importer, GLTF_UNREAD_COPYRIGHT, copyright != NULL, copyright);
    if (scenes > 1)
        gltf_import_count_loss(importer, GLTF_UNREAD_SCENES, scenes - 1,
                               gltf_import_item(importer, GLTF_LIST_SCENES, 1));
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_SAMPLERS); i++) {
        enum { LINEAR = 9729, LINEAR_MIPMAP_NEAREST = 9985, LINEAR_MIPMAP_LINEAR = 9987 };
        const tn_json_value *sampler = gltf_import_item(importer, GLTF_LIST_SAMPLERS, i);
        uint32_t mag = tn_json_tree_u32(tn_json_tree_get(sampler, "magFilter"), LINEAR);
        uint32_t min =
            tn_json_tree_u32(tn_json_tree_get(sampler, "minFilter"), LINEAR_MIPMAP_LINEAR);
        // Linear filters with mipmaps are what viewers use by default.
        bool is_default =
            mag == LINEAR && (min == LINEAR_MIPMAP_LINEAR || min == LINEAR_MIPMAP_NEAREST);
        gltf_import_count_loss(importer, GLTF_UNREAD_FILTERS, !is_default, sampler);
        gltf_import_count_loss(importer, GLTF_UNREAD_TEXTURE_NAMES,
                               tn_json_tree_get(sampler, "name") != NULL, sampler);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_TEXTURES); i++) {
        const tn_json_value *texture = gltf_import_item(importer, GLTF_LIST_TEXTURES, i);
        gltf_import_count_loss(importer, GLTF_UNREAD_TEXTURE_NAMES,
                               tn_json_tree_get(texture, "name") != NULL, texture);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, GLTF_LIST_IMAGES); i++)
        gltf_import_count_loss(importer, GLTF_UNREAD_PICTURES, importer->image_of[i] == TENON_NONE,
                               gltf_import_item(importer, GLTF_LIST_IMAGES, i));
    for (const tn_json_value *node = root; node;) {
        bool is_extras = gltf_import_has_key(node, "extras");
        if (is_extras && !gltf_import_unread_keeps_extras(importer, node->parent))
            gltf_import_count_loss(importer, GLTF_UNREAD_OTHER_EXTRAS, 1, node);
        if (gltf_import_has_key(node, "extensions"))
            gltf_import_unread_count_undeclared(importer, node);
        // The next value in the JSON, which is inside of this one unless this is 'extras'.
        if (!is_extras && tn_json_tree_count(node)) {
            node = tn_json_tree_at(node, 0);
            continue;
        }
        while (node->parent && node->index + 1 == tn_json_tree_count(node->parent))
            node = node->parent;
        node = node->parent ? tn_json_tree_at(node->parent, node->index + 1) : NULL;
    }
}
