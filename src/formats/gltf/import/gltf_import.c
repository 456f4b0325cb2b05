// gltf_import.c: the import of glTF: the JSON, its version, extensions and arrays, then the parts;
// what is in the file and not in the scene.
// SPDX-License-Identifier: MIT
//
// Names of accessors, buffers and views are not reported: they describe the file, not the scene.

#include "formats/gltf/import/gltf_import.h"
#include "formats/gltf/gltf_format.h"

#include "core/text/text.h"
#include "scene/model/kept.h"

#include <string.h>

// -- What is not read

void gltf_import_count_loss(gltf_importer *importer, gltf_unread what, uint64_t count,
                            const tn_json_value *node)
{
    tn_tally *item = &importer->unread[what];
    if (!item->count && count) gltf_import_pointer(node, item->path, sizeof item->path);
    item->count += count;
}

static void gltf_import_report_unread(gltf_importer *importer)
{
    static const struct {
        const char *feature, *why;
    } words[GLTF_UNREAD_COUNT] = {
        [GLTF_UNREAD_NODES] = {"nodes", "they are not in the default scene"},
        [GLTF_UNREAD_MESHES] = {"meshes", "not used by a node of the scene"},
        [GLTF_UNREAD_SKINS] = {"skins", "not used by a mesh of the scene"},
        [GLTF_UNREAD_PARTS] = {"parts of meshes", "they have no positions"},
        [GLTF_UNREAD_STREAMS] = {"vertex attributes", "not supported in scenes"},
        [GLTF_UNREAD_CHANNELS] = {"channels", "their targets are not in the scene"},
        [GLTF_UNREAD_CLIPS] = {"animations", "their targets are not in the scene"},
        [GLTF_UNREAD_TEXTURES] = {"textures", "they have no picture of a known type"},
        [GLTF_MADE_INSTANCES] = {"nodes", "each instance of a mesh becomes one"},
        [GLTF_MADE_BLINKING] = {"visibility of nodes",
                                "where it is animated, they are scaled to 0 while hidden"},
        [GLTF_MADE_GLOSS] = {"specular and glossiness",
                             "as a diffuse color, a specular color and an exponent"},
        [GLTF_MADE_SPECULAR] =
            {"reflectance", "a strong one as a specular color and an exponent, others as usual"},
        [GLTF_MADE_CLEAR] = {"transmission", "as transparency, of at least a fifth of the color"},
        [GLTF_UNREAD_LOOKS] = {"reflectance and transmission",
                               "of metals, or of textures: not supported in scenes"},
        [GLTF_UNREAD_HIDDEN] = {"hidden nodes", "their meshes and lights are left out"},
        [GLTF_UNREAD_VISIBILITY] =
            {"visibility of nodes",
             "it is animated, but the mesh has a skin or the node is scaled as well"},
        [GLTF_UNREAD_POINTERS] = {"animated properties", "not supported in scenes"},
        [GLTF_UNREAD_UNDECLARED] = {"undeclared extensions",
                                    "they are unknown, and not listed in 'extensionsUsed'"},
        [GLTF_UNREAD_UNDECLARED_LOOKS] = {"undeclared extensions",
                                          "not listed in 'extensionsUsed', and not read"},
        [GLTF_UNREAD_EXTRAS] = {"extras", "only strings, numbers and booleans are kept"},
        [GLTF_UNREAD_EXTRA_KINDS] = {"extras", "numbers and booleans are stored as strings"},
        [GLTF_UNREAD_EXTRAS_OF_BYTES] =
            {"extras", "those of accessors, buffers and samplers of animations are not kept"},
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
            tn_scene_omit_unkept(importer->builder, words[i].feature, importer->unread[i].count,
                                 importer->unread[i].path, words[i].why);
        else if (i == GLTF_UNREAD_PARTS || i == GLTF_UNREAD_TEXTURES ||
                 i == GLTF_UNREAD_EXTRAS_OF_BYTES)
            tn_scene_report(importer->builder, TENON_DROPPED, words[i].feature,
                            importer->unread[i].count, importer->unread[i].path, words[i].why);
        else
            tn_scene_report_unkept(importer->builder,
                                   i == GLTF_UNREAD_EXTRA_KINDS ||
                                           (i >= GLTF_MADE_BLINKING && i <= GLTF_MADE_CLEAR)
                                       ? TENON_APPROXIMATED
                                   : i == GLTF_MADE_INSTANCES ? TENON_SYNTHESIZED
                                                              : TENON_DROPPED,
                                   words[i].feature, importer->unread[i].count,
                                   importer->unread[i].path, words[i].why);
}

bool gltf_import_is_among(const tn_json_value *list, uint32_t count, tenon_str name)
{
    for (uint32_t i = 0; i < count && i < GLTF_EXTENSIONS_MOST; i++) {
        const tn_json_value *item = tn_json_tree_at(list, i);
        if (tn_json_tree_kind_of(item) == TN_TREE_STRING &&
            tn_text_equal((tenon_str){item->text, item->size}, name))
            return true;
    }
    return false;
}

bool gltf_import_lists_extension(const gltf_importer *importer, const char *list, tenon_str name)
{
    const tn_json_value *names = tn_json_tree_get(importer->tree.root, list);
    return gltf_import_is_among(names, tn_json_tree_count(names), name);
}

bool gltf_import_supports_extension(tenon_str name)
{
    const gltf_extension *row = gltf_extension_find(name);
    return row && (row->flags & GLTF_IS_READ);
}

// Whether shapes and motion do not depend on the extension.
static bool gltf_import_keeps_shape(tenon_str name)
{
    const gltf_extension *row = gltf_extension_find(name);
    return row && (row->flags & GLTF_IS_LOOK);
}

// Whether the extras of that object are imported.
static bool gltf_import_keeps_extras(const gltf_importer *importer, const tn_json_value *object)
{
    static const gltf_list lists[] = {LIST_NODES, LIST_MESHES, LIST_MATERIALS, LIST_ANIMATIONS,
                                      LIST_SCENES};
    for (size_t i = 0; object && object->parent && i < sizeof lists / sizeof lists[0]; i++)
        if (object->parent == importer->lists[lists[i]]) return true;
    return false;
}

// Which extras are those of an object. GLTF_UNREAD_COUNT: of an accessor or a buffer view itself,
// which may be kept: see gltf_import_keep().
static gltf_unread gltf_import_kind_of_extras(const gltf_importer *importer,
                                              const tn_json_value *object)
{
    static const gltf_list lists[] = {LIST_ACCESSORS, LIST_BUFFER_VIEWS, LIST_BUFFERS};
    for (const tn_json_value *value = object; value && value->parent; value = value->parent) {
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
            if (value->parent == importer->lists[lists[i]])
                return value == object && lists[i] != LIST_BUFFERS ? GLTF_UNREAD_COUNT
                                                                   : GLTF_UNREAD_EXTRAS_OF_BYTES;
        const tn_json_value *animation = value->parent->parent;
        if (gltf_import_has_key(value->parent, "samplers") && animation && animation->parent &&
            animation->parent == importer->lists[LIST_ANIMATIONS])
            return GLTF_UNREAD_EXTRAS_OF_BYTES;
    }
    return GLTF_UNREAD_OTHER_EXTRAS;
}

// Count an extension of an object: those that are listed, in `is_used`, are reported by name.
static void gltf_import_count_extension(gltf_importer *importer, const tn_json_value *member,
                                        bool is_used[GLTF_EXTENSIONS_MOST])
{
    const tn_json_value *list = tn_json_tree_get(importer->tree.root, "extensionsUsed");
    tenon_str key = {member->key, member->key_size};
    if (gltf_import_supports_extension(key)) return;
    uint32_t i = 0, count = tn_json_tree_count(list);
    if (count > GLTF_EXTENSIONS_MOST) count = GLTF_EXTENSIONS_MOST;
    while (i < count && !tn_text_equal(gltf_import_text_of(tn_json_tree_at(list, i)), key)) i++;
    if (i < count)
        is_used[i] = true;
    else
        gltf_import_count_loss(importer,
                               gltf_import_keeps_shape(key) ? GLTF_UNREAD_UNDECLARED_LOOKS
                                                            : GLTF_UNREAD_UNDECLARED,
                               1, member);
}

// Extensions that are only listed are marks of programs.
static void gltf_import_report_extensions(gltf_importer *importer,
                                          const bool is_used[GLTF_EXTENSIONS_MOST])
{
    const tn_json_value *list = tn_json_tree_get(importer->tree.root, "extensionsUsed");
    for (uint32_t i = 0; i < tn_json_tree_count(list); i++) {
        const tn_json_value *item = tn_json_tree_at(list, i);
        tenon_str name = gltf_import_text_of(item);
        const gltf_extension *row = gltf_extension_find(name);
        bool is_draco = tn_text_is(name, "KHR_draco_mesh_compression");
        char shown[64], path[64];
        if ((row && row->flags & GLTF_IS_READ) || tn_json_tree_kind_of(item) != TN_TREE_STRING ||
            (is_draco && importer->builder->opts->decode_draco))
            continue;
        tn_text_clean(name.data, name.size, shown, sizeof shown);
        gltf_import_pointer(item, path, sizeof path);
        const char *why = !row       ? "this extension is unknown"
                          : row->why ? row->why
                                     : "Tenon does not read this extension";
        // Without being required, compressed data also exists uncompressed.
        if (is_draco || (row && row->flags & GLTF_IS_LOOK))
            tn_scene_report_unkept(importer->builder, TENON_DROPPED, shown, 1, path, why);
        else if (i >= GLTF_EXTENSIONS_MOST || is_used[i])
            tn_scene_omit_unkept(importer->builder, shown, 1, path, why);
    }
}

static void gltf_import_count_unread(gltf_importer *importer)
{
    const tn_json_value *root = importer->tree.root;
    bool is_used[GLTF_EXTENSIONS_MOST] = {false};
    const tn_json_value *copyright = tn_json_tree_get(tn_json_tree_get(root, "asset"), "copyright");
    uint32_t scenes = gltf_import_count(importer, LIST_SCENES);
    gltf_import_count_loss(importer, GLTF_UNREAD_COPYRIGHT, copyright != NULL, copyright);
    if (scenes > 1)
        gltf_import_count_loss(importer, GLTF_UNREAD_SCENES, scenes - 1,
                               gltf_import_item(importer, LIST_SCENES, 1));
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_SAMPLERS); i++) {
        enum { LINEAR = 9729, LINEAR_MIPMAP_NEAREST = 9985, LINEAR_MIPMAP_LINEAR = 9987 };
        const tn_json_value *sampler = gltf_import_item(importer, LIST_SAMPLERS, i);
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
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_TEXTURES); i++) {
        const tn_json_value *texture = gltf_import_item(importer, LIST_TEXTURES, i);
        gltf_import_count_loss(importer, GLTF_UNREAD_TEXTURE_NAMES,
                               tn_json_tree_get(texture, "name") != NULL, texture);
    }
    for (uint32_t i = 0; i < gltf_import_count(importer, LIST_IMAGES); i++)
        gltf_import_count_loss(importer, GLTF_UNREAD_PICTURES, importer->image_of[i] == TENON_NONE,
                               gltf_import_item(importer, LIST_IMAGES, i));
    for (const tn_json_value *node = root; node;) {
        bool is_extras = gltf_import_has_key(node, "extras");
        if (is_extras && !gltf_import_keeps_extras(importer, node->parent)) {
            gltf_unread kind = gltf_import_kind_of_extras(importer, node->parent);
            if (kind < GLTF_UNREAD_COUNT) gltf_import_count_loss(importer, kind, 1, node);
        }
        bool has_extensions =
            gltf_import_has_key(node, "extensions") && tn_json_tree_kind_of(node) == TN_TREE_OBJECT;
        for (uint32_t i = 0; has_extensions && i < node->size; i++)
            gltf_import_count_extension(importer, tn_json_tree_at(node, i), is_used);
        node = tn_json_tree_next(node, root, is_extras);
    }
    gltf_import_report_extensions(importer, is_used);
}

// -- The text

bool gltf_import_begin(gltf_importer *importer)
{
    tenon_error *err = importer->builder->err;
    tenon_str text = tenon_gltf_json(importer->doc, &importer->text_offset);
    importer->is_text = importer->doc->base.dialect->flags & TENON_GLTF_TEXT;
    if (importer->builder->opts->salvage) text = gltf_recover_json(text, &importer->scratch);
    if (!text.data)
        return tn_scene_fail(importer->builder, TENON_ERR_MEMORY, NULL, "out of memory");
    importer->builder->failed =
        !tn_json_tree_parse(&importer->tree, text.data, text.size, &importer->scratch, err);
    if (importer->builder->failed) {
        // In a binary file, lines are meaningless.
        if (err->offset != TENON_ABSENT) err->offset += importer->text_offset;
        if (!importer->is_text) err->line = err->column = 0;
        // Convert the path of the parser, "meshes[0].name", to a JSON pointer, "/meshes/0/name".
        char steps[sizeof err->path] = "";
        size_t used = 0;
        if (err->path[0] && err->path[0] != '[' && err->path[0] != '.') steps[used++] = '/';
        for (const char *p = err->path; *p && used + 1 < sizeof steps; p++)
            if (*p != ']') steps[used++] = *p == '[' || *p == '.' ? '/' : *p;
        steps[used] = '\0';
        memcpy(err->path, steps, sizeof steps);
        return false;
    }
    if (tn_json_tree_kind_of(importer->tree.root) == TN_TREE_OBJECT) return true;
    return gltf_import_fail(importer, TENON_ERR_VALUE, importer->tree.root,
                            "the JSON must be an object, but is %s",
                            tn_json_tree_word(importer->tree.root));
}

bool gltf_import_parse_version(tenon_str text, uint32_t *major, uint32_t *minor)
{
    const uint32_t most = UINT32_MAX / 10 - 1;  // Larger numbers are clamped.
    uint32_t parts[2] = {0, 0}, part = 0;
    bool has_digit = false;
    for (uint32_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.' && part == 0 && has_digit) {
            part = 1;
            has_digit = false;
            continue;
        }
        if (c < '0' || c > '9') return false;
        has_digit = true;
        parts[part] = parts[part] > most ? most : 10 * parts[part] + (uint32_t)(c - '0');
    }
    *major = parts[0];
    *minor = parts[1];
    return part == 1 && has_digit;
}

// Later versions than 2.0 are accepted unless 'minVersion' excludes it.
static bool gltf_import_require_version(gltf_importer *importer)
{
    const tn_json_value *asset = gltf_import_object(importer, importer->tree.root, "asset");
    tenon_str version = gltf_import_text(importer, asset, "version"),
              least = gltf_import_text(importer, asset, "minVersion");
    uint32_t major, minor;
    if (importer->builder->failed) return false;
    if (!version.size && !least.size)
        return gltf_import_fail(importer, TENON_ERR_VERSION, asset ? asset : importer->tree.root,
                                "'asset.version' is missing");
    tenon_str needed = least.size ? least : version;
    bool is_known = gltf_import_parse_version(needed, &major, &minor) && major == 2;
    if (is_known && (!least.size || minor == 0)) return true;
    char shown[32];
    tn_text_clean(needed.data, needed.size, shown, sizeof shown);
    return gltf_import_fail(importer, TENON_ERR_VERSION, asset,
                            "unknown glTF version '%s', expected 2.0", shown);
}

// -- Extensions

static bool gltf_import_require_extensions(gltf_importer *importer)
{
    const tn_json_value *required =
        gltf_import_array(importer, importer->tree.root, "extensionsRequired");
    (void)gltf_import_array(importer, importer->tree.root, "extensionsUsed");
    for (uint32_t i = 0; i < tn_json_tree_count(required); i++) {
        const tn_json_value *name = tn_json_tree_at(required, i);
        if (gltf_import_supports_extension(gltf_import_text_of(name))) continue;
        char shown[64] = "";
        if (tn_json_tree_kind_of(name) == TN_TREE_STRING)
            tn_text_clean(name->text, name->size, shown, sizeof shown);
        // Reported below: such files are displayed with other looks, but with the right shapes.
        if (tn_json_tree_is(name, "KHR_draco_mesh_compression") &&
            importer->builder->opts->decode_draco)
            continue;
        if (gltf_import_keeps_shape(gltf_import_text_of(name))) continue;
        return gltf_import_fail(importer, TENON_ERR_UNSUPPORTED, name,
                                "the file requires the extension '%s', which is not supported",
                                shown);
    }
    return !importer->builder->failed;
}

// -- Lists

// Every item of a list is an object.
static void gltf_import_list(gltf_importer *importer, gltf_list list, const tn_json_value *parent)
{
    const char *key = gltf_list_keys[list];
    const tn_json_value *items = gltf_import_array(importer, parent, key);
    for (uint32_t i = 0; i < tn_json_tree_count(items) && !importer->builder->failed; i++) {
        const tn_json_value *item = tn_json_tree_at(items, i);
        if (tn_json_tree_kind_of(item) != TN_TREE_OBJECT)
            gltf_import_fail(importer, TENON_ERR_VALUE, item,
                             "an item of '%s' must be an object, but is %s", key,
                             tn_json_tree_word(item));
        (void)gltf_recover_skip_damaged(importer, key, item);
    }
    importer->lists[list] = importer->builder->failed ? NULL : items;
}

bool gltf_import_lists(gltf_importer *importer)
{
    const tn_json_value *lights =
        gltf_import_extension(importer, importer->tree.root, "KHR_lights_punctual");
    for (int i = 0; i <= LIST_LIGHTS; i++)
        gltf_import_list(importer, (gltf_list)i, i == LIST_LIGHTS ? lights : importer->tree.root);
    importer->buffers = gltf_import_scratch_for(importer, LIST_BUFFERS, sizeof *importer->buffers);
    importer->views = gltf_import_scratch_for(importer, LIST_BUFFER_VIEWS, sizeof *importer->views);
    return !importer->builder->failed;
}

// -- Everything

void gltf_import_tree(gltf_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    if (!importer->is_trial && !tn_keep(builder)) return;
    bool is_known = gltf_import_require_version(importer) ||
                    gltf_recover_skip_damaged(importer, "version", importer->tree.root);
    if (!is_known || !gltf_import_require_extensions(importer) || !gltf_import_lists(importer))
        return;
    if (!importer->is_trial) gltf_import_draco(importer);
    if (!builder->failed) gltf_import_cameras(importer);
    if (!builder->failed) gltf_import_nodes(importer);
    if (!builder->failed) gltf_import_materials(importer);
    if (!builder->failed) gltf_import_meshes(importer);
    if (!builder->failed) gltf_import_skins(importer);
    if (!builder->failed) gltf_import_animations(importer);
    if (!builder->failed) gltf_import_count_unread(importer);
    if (!builder->failed) gltf_import_report_unread(importer);
    if (!builder->failed && !importer->is_trial) gltf_import_keep(importer);
    // See gltf_import_materials_stored().
    for (uint32_t i = 0; i < builder->scene->image_count && !builder->failed; i++)
        if (builder->scene->images[i].data) builder->scene->images[i].path = (tenon_str){"", 0};
}

void gltf_import(tn_scene_builder *builder, const void *doc)
{
    gltf_importer importer = {.builder = builder, .doc = doc};
    importer.scratch = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    if (gltf_import_begin(&importer)) gltf_import_tree(&importer);
    gltf_import_free_buffers(&importer);
    tn_arena_free(&importer.scratch);
}
