// gltf_side.c: the files beside a glTF file that belong to it: buffers and pictures.
// SPDX-License-Identifier: MIT

#include "gltf_format.h"
#include "gltf_read.h"

#include "../reading.h"

#define SIDE_MEMORY ((uint64_t)64 << 20)

static void gltf_tell_uri(const tn_node *item, tn_arena *arena, tenon_side_fn *fn, void *user)
{
    tenon_str uri = tn_tree_text(tn_tree_get(item, "uri"), NULL, arena);
    if (!uri.data || gltf_is_data_uri(uri)) return;
    char *name = tn_arena_alloc(arena, (uint64_t)uri.size + 1, 1, NULL);
    if (!name) return;
    name[gltf_decode_uri(uri, name)] = '\0';
    fn(user, name);
}

void gltf_sides(const void *opaque, tenon_str stem, tenon_side_fn *fn, void *user)
{
    static const char *const lists[] = {"buffers", "images"};
    const tenon_gltf *doc = opaque;
    tenon_str json = tenon_gltf_json(doc, NULL);
    tn_arena arena = tn_arena_make(&doc->base.owner->arena.allocator, SIDE_MEMORY + 64 * json.size);
    tn_tree tree;
    (void)stem;
    if (json.data && tn_tree_parse(&tree, json.data, json.size, &arena, NULL))
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
            const tn_node *items = tn_tree_get(tree.root, lists[i]);
            for (uint32_t k = 0; k < tn_tree_count(items); k++)
                gltf_tell_uri(tn_tree_at(items, k), &arena, fn, user);
        }
    tn_arena_free(&arena);
}
