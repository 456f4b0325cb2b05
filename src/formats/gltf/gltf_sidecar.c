// gltf_sidecar.c: the files beside a glTF file that belong to it: buffers and pictures.
// SPDX-License-Identifier: MIT

#include "formats/gltf/gltf_format.h"
#include "formats/gltf/import/gltf_import.h"

#include "document/document.h"

#define SIDE_MEMORY ((uint64_t)64 << 20)

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
        for (uint32_t k = 0; ok && k < tn_json_tree_count(items); k++) {
            const tn_json_value *value = tn_json_tree_get(tn_json_tree_at(items, k), "uri");
            if (tn_json_tree_kind_of(value) != TN_TREE_STRING) continue;
            tenon_str uri = tn_json_tree_text(value, NULL, &arena);
            if (uri.data && gltf_import_is_data_uri(uri)) continue;
            char *name = uri.data ? tn_arena_alloc(&arena, (uint64_t)uri.size + 1, 1, NULL) : NULL;
            ok = name != NULL;
            if (!ok) break;
            name[gltf_import_decode_uri(uri, name)] = '\0';
            fn(user, name);
        }
    }
    tn_arena_free(&arena);
    return ok;
}
