// gltf_sidecar.c: the files beside a glTF file that belong to it: buffers and pictures.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_format.h"
#include "formats/gltf/import/gltf_import.h"

#include "document/document.h"

#define SIDE_MEMORY ((uint64_t)64 << 20)

// Returns false if memory ran out.
static bool gltf_report_uri(const tn_json_value *item, tn_arena *arena, tenon_side_fn *fn,
                            void *user)
{
    const tn_json_value *node = tn_json_tree_get(item, "uri");
    tenon_str uri = tn_json_tree_text(node, NULL, arena);
    if (!uri.data) return tn_json_tree_kind_of(node) != TN_TREE_STRING;
    if (gltf_is_data_uri(uri)) return true;
    char *name = tn_arena_alloc(arena, (uint64_t)uri.size + 1, 1, NULL);
    if (!name) return false;
    name[gltf_decode_uri(uri, name)] = '\0';
    fn(user, name);
    return true;
}

bool gltf_sidecars(const void *opaque, tenon_str stem, tenon_side_fn *fn, void *user)
{
    static const char *const lists[] = {"buffers", "images"};
    const tenon_gltf *doc = opaque;
    tenon_str json = tenon_gltf_json(doc, NULL);
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, SIDE_MEMORY + 64 * json.size);
    tn_json_tree tree;
    tenon_error err = {0};
    (void)stem;
    bool is_read = json.data && tn_json_tree_parse(&tree, json.data, json.size, &arena, &err);
    bool ok = err.code != TENON_ERR_MEMORY;
    for (size_t i = 0; is_read && i < sizeof lists / sizeof lists[0]; i++) {
        const tn_json_value *items = tn_json_tree_get(tree.root, lists[i]);
        for (uint32_t k = 0; ok && k < tn_json_tree_count(items); k++)
            ok = gltf_report_uri(tn_json_tree_at(items, k), &arena, fn, user);
    }
    tn_arena_free(&arena);
    return ok;
}
