// gltf_info.c: counts and names of the objects in a glTF file, the tree of its nodes, and the files
// beside it that belong to it.
// SPDX-License-Identifier: MIT
//
// Nothing is checked: values of a wrong type and indices out of range are ignored.

#include "formats/gltf/gltf_format.h"
#include "formats/gltf/import/gltf_import.h"

#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>

static const tn_json_value *gltf_info_item_of(const tn_json_value *root, const char *list,
                                              const tn_json_value *index)
{
    return tn_json_tree_at(tn_json_tree_get(root, list), tn_json_tree_u32(index, TENON_NONE));
}

static uint64_t gltf_info_count_list(const tn_json_value *root, const char *list)
{
    const tn_json_value *items = tn_json_tree_get(root, list);
    return tn_json_tree_kind_of(items) == TN_TREE_ARRAY ? items->size : 0;
}

static uint64_t gltf_info_count_of_accessor(const tn_json_value *root, const tn_json_value *index)
{
    return tn_json_tree_u64(tn_json_tree_get(gltf_info_item_of(root, "accessors", index), "count"),
                            0);
}

// -- Meshes

// Add without overflow, since counts in the file may be wrong.
static void gltf_info_add_to(uint64_t *sum, uint64_t value)
{
    *sum = value < TENON_ABSENT - 1 - *sum ? *sum + value : TENON_ABSENT - 1;
}

static void gltf_info_meshes(tn_info_builder *builder, const tn_json_value *root)
{
    tenon_info *info = builder->info;
    const tn_json_value *meshes = tn_json_tree_get(root, "meshes");
    uint64_t morphs = 0;
    info->meshes = gltf_info_count_list(root, "meshes");
    info->vertices = info->triangles = 0;
    for (uint32_t i = 0; i < info->meshes; i++) {
        const tn_json_value *primitives =
            tn_json_tree_get(tn_json_tree_at(meshes, i), "primitives");
        for (uint32_t k = 0; k < tn_json_tree_count(primitives); k++) {
            const tn_json_value *p = tn_json_tree_at(primitives, k),
                                *indices = tn_json_tree_get(p, "indices");
            const tn_json_value *positions =
                tn_json_tree_get(tn_json_tree_get(p, "attributes"), "POSITION");
            uint64_t vertices = gltf_info_count_of_accessor(root, positions);
            uint64_t corners = indices ? gltf_info_count_of_accessor(root, indices) : vertices;
            uint32_t mode = tn_json_tree_u32(tn_json_tree_get(p, "mode"), 4);
            bool is_strip = (mode == 5 || mode == 6) && corners > 2;
            gltf_info_add_to(&info->vertices, vertices);
            gltf_info_add_to(&info->triangles, mode == 4  ? corners / 3
                                               : is_strip ? corners - 2
                                                          : 0);
            morphs += tn_json_tree_count(tn_json_tree_get(p, "targets"));
        }
    }
    if (morphs) tn_info_add(builder, "morph targets", "%" PRIu64, morphs);
}

// -- Clips and materials

static void gltf_info_clips(tn_info_builder *builder, const tn_json_value *root)
{
    tenon_info *info = builder->info;
    const tn_json_value *animations = tn_json_tree_get(root, "animations");
    uint32_t count = (uint32_t)gltf_info_count_list(root, "animations");
    info->clips = tn_info_alloc(builder, count, sizeof *info->clips);
    info->animations = count;
    if (!info->clips) return;
    info->channels = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tn_json_value *animation = tn_json_tree_at(animations, i);
        const tn_json_value *samplers = tn_json_tree_get(animation, "samplers");
        tenon_clip_info *clip = &info->clips[i];
        *clip = (tenon_clip_info){
            .name = tn_json_tree_text(tn_json_tree_get(animation, "name"), "", builder->arena),
            .seconds = -1,
            .channels = tn_json_tree_count(tn_json_tree_get(animation, "channels"))};
        for (uint32_t k = 0; k < tn_json_tree_count(samplers); k++) {
            const tn_json_value *input = gltf_info_item_of(
                root, "accessors", tn_json_tree_get(tn_json_tree_at(samplers, k), "input"));
            double end = tn_json_tree_f64(tn_json_tree_at(tn_json_tree_get(input, "max"), 0), -1);
            uint64_t keys = tn_json_tree_u64(tn_json_tree_get(input, "count"), 0);
            if (end > clip->seconds) clip->seconds = end;
            if (keys > clip->frames && keys != TENON_ABSENT) clip->frames = keys;
        }
        gltf_info_add_to(&info->channels, clip->channels);
        if (!clip->name.data) builder->failed = true;
    }
    info->clip_count = builder->failed ? 0 : count;
}

static void gltf_info_materials(tn_info_builder *builder, const tn_json_value *root)
{
    tenon_info *info = builder->info;
    const tn_json_value *materials = tn_json_tree_get(root, "materials");
    uint32_t count = (uint32_t)gltf_info_count_list(root, "materials");
    info->material_list = tn_info_alloc(builder, count, sizeof *info->material_list);
    info->materials = count;
    if (!info->material_list) return;
    for (uint32_t i = 0; i < count; i++) {
        const tn_json_value *m = tn_json_tree_at(materials, i),
                            *pbr = tn_json_tree_get(m, "pbrMetallicRoughness");
        const tn_json_value *color = tn_json_tree_get(pbr, "baseColorTexture");
        const tn_json_value *texture =
            gltf_info_item_of(root, "textures", tn_json_tree_get(color, "index"));
        const tn_json_value *image =
            gltf_info_item_of(root, "images", tn_json_tree_get(texture, "source"));
        // The picture file of the texture; "" if the picture is in the model's file.
        tenon_str text = gltf_import_text_of(tn_json_tree_get(image, "uri"));
        if (gltf_import_is_data_uri(text)) text.size = 0;
        tenon_str name = tn_json_tree_text(tn_json_tree_get(m, "name"), "", builder->arena);
        char *path = tn_info_alloc(builder, (uint64_t)text.size + 1, 1);
        info->material_list[i] = (tenon_material_info){
            name, {path ? path : "", path ? gltf_import_decode_uri(text, path) : 0}};
        if (!info->material_list[i].name.data) builder->failed = true;
    }
    info->material_count = builder->failed ? 0 : count;
}

static void gltf_info_text(tn_info_builder *builder, const char *label, const tn_json_value *text)
{
    char shown[128];
    if (tn_json_tree_kind_of(text) != TN_TREE_STRING) return;
    tn_text_clean(text->text, text->size, shown, sizeof shown);
    tn_info_add(builder, label, "%s", shown);
}

// -- Everything

// Parse the JSON into an arena that is made like `owner`.
static bool gltf_info_parse_json(const tenon_gltf *doc, const tn_arena *owner, tn_arena *arena,
                                 tn_json_tree *tree, tenon_error *err)
{
    uint64_t limit = owner->limit > UINT64_MAX / 4 ? UINT64_MAX : 4 * owner->limit;
    tenon_str text = tenon_gltf_json(doc, NULL);
    *arena = tn_arena_make(&owner->allocator, limit);
    return tn_json_tree_parse(tree, text.data, text.size, arena, err);
}

void gltf_info(tn_info_builder *builder, const void *doc)
{
    static const char *const counted[] = {"scenes", "skins", "cameras", "textures", "images"};
    tenon_info *info = builder->info;
    tn_arena arena;
    tn_json_tree tree;
    tenon_error err;
    if (!gltf_info_parse_json(doc, builder->arena, &arena, &tree, &err)) {
        if (err.code == TENON_ERR_MEMORY)
            builder->failed = true;
        else
            tn_info_add(builder, "text", "%s", err.message);
        tn_arena_free(&arena);
        return;
    }
    const tn_json_value *asset = tn_json_tree_get(tree.root, "asset");
    const tn_json_value *version = tn_json_tree_get(asset, "version");
    if (tn_json_tree_kind_of(version) == TN_TREE_STRING)
        tn_text_clean(version->text, version->size, info->version, sizeof info->version);
    info->nodes = gltf_info_count_list(tree.root, "nodes");
    // Nodes that are a joint of at least one skin.
    bool *is_joint = tn_arena_alloc(&arena, info->nodes, sizeof *is_joint, NULL);
    const tn_json_value *skins = tn_json_tree_get(tree.root, "skins");
    if (!is_joint) builder->failed = true;
    info->joints = 0;
    for (uint32_t i = 0; is_joint && i < gltf_info_count_list(tree.root, "skins"); i++) {
        const tn_json_value *joints = tn_json_tree_get(tn_json_tree_at(skins, i), "joints");
        for (uint32_t k = 0; k < tn_json_tree_count(joints); k++) {
            uint32_t node = tn_json_tree_u32(tn_json_tree_at(joints, k), TENON_NONE);
            if (node >= info->nodes || is_joint[node]) continue;
            is_joint[node] = true;
            info->joints++;
        }
    }
    gltf_info_meshes(builder, tree.root);
    gltf_info_clips(builder, tree.root);
    gltf_info_materials(builder, tree.root);
    gltf_info_text(builder, "generator", tn_json_tree_get(asset, "generator"));
    gltf_info_text(builder, "copyright", tn_json_tree_get(asset, "copyright"));
    const tn_json_value *used = tn_json_tree_get(tree.root, "extensionsUsed");
    for (uint32_t i = 0; i < tn_json_tree_count(used) && i < 32; i++)
        gltf_info_text(builder, "extension", tn_json_tree_at(used, i));
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        uint64_t count = gltf_info_count_list(tree.root, counted[i]);
        if (count) tn_info_add(builder, counted[i], "%" PRIu64, count);
    }
    tn_arena_free(&arena);
}

// -- Nodes

static void gltf_info_report_node(tn_walk *walk, const void *context, uint32_t index,
                                  uint32_t depth)
{
    const tn_json_value *node = tn_json_tree_at(context, index),
                        *name = tn_json_tree_get(node, "name");
    static const char *const parts[] = {"mesh", "skin", "camera"};
    char what[64] = "";
    for (size_t i = 0, used = 0; i < 3; i++) {
        if (!tn_json_tree_get(node, parts[i])) continue;
        used +=
            (size_t)snprintf(what + used, sizeof what - used, "%s%s", used ? ", " : "", parts[i]);
    }
    bool is_text = tn_json_tree_kind_of(name) == TN_TREE_STRING;
    tenon_str text = is_text ? tn_json_tree_text(name, NULL, walk->arena) : (tenon_str){"", 0};
    if (!text.data) walk->failed = true;
    if (text.data) tn_walk_report(walk, text, depth, "node", what);
}

void gltf_info_report_tree(tn_walk *walk, const void *doc)
{
    tn_arena arena;
    tn_json_tree tree;
    tenon_error err;
    if (gltf_info_parse_json(doc, walk->arena, &arena, &tree, &err)) {
        uint32_t count = (uint32_t)gltf_info_count_list(tree.root, "nodes");
        uint32_t *parents = tn_arena_alloc(&arena, count, sizeof *parents, NULL);
        const tn_json_value *nodes = tn_json_tree_get(tree.root, "nodes");
        walk->failed = !parents;
        for (uint32_t i = 0; parents && i < count; i++) parents[i] = TENON_NONE;
        for (uint32_t i = 0; parents && i < count; i++) {
            const tn_json_value *children = tn_json_tree_get(tn_json_tree_at(nodes, i), "children");
            for (uint32_t k = 0; k < tn_json_tree_count(children); k++) {
                uint32_t child = tn_json_tree_u32(tn_json_tree_at(children, k), TENON_NONE);
                if (child < count && parents[child] == TENON_NONE) parents[child] = i;
            }
        }
        if (parents) tn_walk_flat(walk, nodes, parents, count, gltf_info_report_node);
    } else if (err.code == TENON_ERR_MEMORY) {
        walk->failed = true;
    }
    tn_arena_free(&arena);
}

// -- Files beside it

bool gltf_sidecars(const void *opaque, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    static const char *const lists[] = {"buffers", "images"};
    const tenon_gltf *doc = opaque;
    tenon_str json = tenon_gltf_json(doc, NULL);
    const uint64_t memory = ((uint64_t)64 << 20) + 64 * json.size;
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, memory);
    tn_json_tree tree;
    tenon_error err = {0};
    (void)stem;
    bool is_read = json.data && tn_json_tree_parse(&tree, json.data, json.size, &arena, &err);
    bool ok = err.code != TENON_ERR_MEMORY;
    for (size_t i = 0; is_read && i < sizeof lists / sizeof lists[0]; i++) {
        const tn_json_value *items = tn_json_tree_get(tree.root, lists[i]);
        for (uint32_t k = 0; ok && k < tn_json_tree_count(items); k++) {
            const tn_json_value *value = tn_json_tree_get(tn_json_tree_at(items, k), "uri");
            tenon_str uri = gltf_import_text_of(value);
            if (tn_json_tree_kind_of(value) != TN_TREE_STRING || gltf_import_is_data_uri(uri))
                continue;
            char *name = tn_arena_alloc(&arena, (uint64_t)uri.size + 1, 1, NULL);
            ok = name != NULL;
            if (!ok) break;
            name[gltf_import_decode_uri(uri, name)] = '\0';
            fn(user, name);
        }
    }
    tn_arena_free(&arena);
    return ok;
}
