// bbmat.c: reading, editing and writing material files, which are JSON.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/json/json_tree.h"
#include "core/memory/arena.h"
#include "core/memory/budget.h"

#include <string.h>

#define MEMORY_BASE  ((uint64_t)4 << 20)
#define MEMORY_SHARE 64

struct tenon_bbmat_owner {
    tn_arena arena;
    tn_json_tree tree;
};

// -- Members

static tenon_str bbmat_text(const tn_json_value *node)
{
    bool is_text = tn_json_tree_kind_of(node) == TN_TREE_STRING;
    return is_text ? (tenon_str){node->text, node->size} : (tenon_str){"", 0};
}

// Set the members from the JSON tree. False if there is no memory.
static bool bbmat_update(tenon_bbmat *material)
{
    static const char *const channels[] = {"Red", "Green", "Blue", "Alpha"};
    static const char *const axes[] = {"X", "Y"};
    const tn_json_value *root = material->owner->tree.root;
    const tn_json_value *color = tn_json_tree_get(root, "BaseOpacityMultiplier");
    const tn_json_value *offset = tn_json_tree_get(root, "TextureOffset");
    const tn_json_value *scale = tn_json_tree_get(root, "TextureScale");
    material->material_name = bbmat_text(tn_json_tree_get(root, "__MaterialName"));
    for (int i = 0; i < 4; i++)
        material->base_opacity_multiplier[i] =
            tn_json_tree_f64(tn_json_tree_get(color, channels[i]), i < 3 ? 255.0 : 1.0);
    for (int i = 0; i < 2; i++) {
        material->texture_offset[i] = tn_json_tree_f64(tn_json_tree_get(offset, axes[i]), 0.0);
        material->texture_scale[i] = tn_json_tree_f64(tn_json_tree_get(scale, axes[i]), 1.0);
    }
    const tn_json_value *list = tn_json_tree_get(root, "__Textures");
    uint32_t count = tn_json_tree_kind_of(list) == TN_TREE_OBJECT ? tn_json_tree_count(list) : 0;
    tenon_bbmat_texture *textures =
        tn_arena_alloc(&material->owner->arena, count, sizeof *textures, NULL);
    if (!textures) return false;
    for (uint32_t i = 0; i < count; i++) {
        // A texture is a path, or an object with a path in it.
        const tn_json_value *item = tn_json_tree_at(list, i);
        const tn_json_value *inner = tn_json_tree_get(item, "Path");
        textures[i] = (tenon_bbmat_texture){.slot = {item->key, item->key_size},
                                            .path = bbmat_text(inner ? inner : item)};
    }
    material->textures = textures;
    material->texture_count = count;
    return true;
}

// -- Reading

static bool bbmat_parse(tenon_bbmat *material, const void *data, size_t size, tenon_error *err)
{
    struct tenon_bbmat_owner *owner = material->owner;
    tn_refusal why;
    char *text = tn_arena_alloc(&owner->arena, (uint64_t)size + 1, 1, &why);
    if (!text)
        return tn_error(err, why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY,
                        "out of memory for %zu bytes of text", size);
    if (size) memcpy(text, data, size);
    if (!tn_json_tree_parse(&owner->tree, text, size, &owner->arena, err)) return false;
    if (tn_json_tree_kind_of(owner->tree.root) != TN_TREE_OBJECT)
        return tn_json_tree_fail(&owner->tree, owner->tree.root, err,
                                 "a material must be an object, not %s",
                                 tn_json_tree_word(owner->tree.root));
    return bbmat_update(material) ||
           tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
}

tenon_bbmat *tenon_bbmat_read(const void *data, size_t size, const tenon_read_opts *opts,
                              tenon_error *err)
{
    tenon_read_opts none = {0};
    if (!opts) opts = &none;
    tn_error_clear(err);
    struct tenon_bbmat_owner *owner = tn_block_alloc(&opts->allocator, sizeof *owner);
    if (!owner) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
        return NULL;
    }
    uint64_t most = opts->max_memory ? opts->max_memory : MEMORY_BASE + MEMORY_SHARE * size;
    *owner = (struct tenon_bbmat_owner){.arena = tn_arena_make(&opts->allocator, most)};
    tenon_bbmat *material = tn_arena_alloc(&owner->arena, 1, sizeof *material, NULL);
    if (material) {
        material->owner = owner;
        bool ok = bbmat_parse(material, data, size, err);
        if (tn_budget_settle(opts->allocator.budget, ok, err)) return material;
        tenon_bbmat_free(material);
        return NULL;
    }
    tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
    tn_arena_free(&owner->arena);
    tn_block_free(&opts->allocator, owner, sizeof *owner);
    return NULL;
}

void tenon_bbmat_free(tenon_bbmat *material)
{
    if (!material) return;
    struct tenon_bbmat_owner *owner = material->owner;
    tenon_allocator allocator = owner->arena.allocator;
    tn_arena_free(&owner->arena);
    tn_block_free(&allocator, owner, sizeof *owner);
}

// -- Looking up and changing

const tn_json_value *bbmod_bbmat_root(const tenon_bbmat *material)
{
    return material->owner->tree.root;
}

// The object that contains the last key of `path`, which is stored in *key; NULL if there is none.
static tn_json_value *bbmat_find_object(const tenon_bbmat *material, const char *path,
                                        const char **key)
{
    tn_json_value *node = material->owner->tree.root;
    const char *dot;
    *key = path;
    while (node && (dot = strchr(path, '.')) != NULL) {
        char name[128];
        size_t size = (size_t)(dot - path);
        if (size >= sizeof name) return NULL;
        memcpy(name, path, size);
        name[size] = '\0';
        node = tn_json_tree_get(node, name);
        *key = path = dot + 1;
    }
    return tn_json_tree_kind_of(node) == TN_TREE_OBJECT ? node : NULL;
}

tenon_str tenon_bbmat_get(const tenon_bbmat *material, const char *path)
{
    const char *key;
    const tn_json_value *object = bbmat_find_object(material, path, &key);
    const tn_json_value *node = object ? tn_json_tree_get(object, key) : NULL;
    tn_json_tree_kind kind = tn_json_tree_kind_of(node);
    bool is_plain = node && kind != TN_TREE_ARRAY && kind != TN_TREE_OBJECT;
    return is_plain ? (tenon_str){node->text, node->size} : (tenon_str){NULL, 0};
}

static bool bbmat_set(tenon_bbmat *material, const char *path, tn_json_value *value,
                      tenon_error *err)
{
    const char *key;
    tn_json_value *object = bbmat_find_object(material, path, &key);
    tn_json_tree *tree = &material->owner->tree;
    if (!object) return tn_error(err, TENON_ERR_VALUE, "'%s' has no object", path);
    tn_json_tree_set(tree, object, key, value);
    if (!tree->failed && bbmat_update(material)) return true;
    return tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
}

bool tenon_bbmat_set_text(tenon_bbmat *material, const char *path, const char *text,
                          tenon_error *err)
{
    tn_error_clear(err);
    tn_json_tree *tree = &material->owner->tree;
    return bbmat_set(material, path, tn_json_tree_make_string(tree, text, strlen(text)), err);
}

bool tenon_bbmat_set_number(tenon_bbmat *material, const char *path, double number,
                            tenon_error *err)
{
    tn_error_clear(err);
    return bbmat_set(material, path, tn_json_tree_make_f64(&material->owner->tree, number), err);
}

bool tenon_bbmat_write(const tenon_bbmat *material, tenon_write_fn *write, void *user,
                       tenon_error *err)
{
    tn_error_clear(err);
    if (material->owner->tree.failed)
        return tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
    if (tn_json_tree_rewrite(&material->owner->tree, write, user)) return true;
    return tn_error(err, TENON_ERR_IO, "the output could not be written");
}
