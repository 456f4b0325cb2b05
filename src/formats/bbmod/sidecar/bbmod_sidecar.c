// bbmod_sidecar.c: material files, which are JSON; finding them and animations; info, checking.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/files/file.h"
#include "core/json/json_tree.h"
#include "core/math/sort.h"
#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "core/text/text.h"
#include "document/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_MOST    ((uint64_t)1 << 20)  // Bytes of a material file; real files have about 1000.
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

tenon_bbmat *tenon_bbmat_read(const void *data, size_t size, const tenon_read_opts *opts,
                              tenon_error *err)
{
    tenon_read_opts none = {0};
    if (!opts) opts = &none;
    tn_error_clear(err);
    uint64_t most = opts->max_memory ? opts->max_memory : MEMORY_BASE + MEMORY_SHARE * size;
    struct tenon_bbmat_owner *owner = tn_owner_new(&opts->allocator, sizeof *owner, most, err);
    if (!owner) return NULL;
    tenon_bbmat *material =
        tn_arena_alloc_or_fail(&owner->arena, 1, sizeof *material, "a material", err);
    if (material) material->owner = owner;
    bool ok = material &&
              tn_json_tree_parse_object(&owner->tree, data, size, &owner->arena, "a material", err);
    if (ok && !bbmat_update(material))
        ok = tn_error(err, TENON_ERR_MEMORY, "out of memory for a material");
    if (tn_budget_settle(opts->allocator.budget, ok, err)) return material;
    tn_owner_free(owner, sizeof *owner);
    return NULL;
}

void tenon_bbmat_free(tenon_bbmat *material)
{
    if (material) tn_owner_free(material->owner, sizeof *material->owner);
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

// -- Finding materials

static bool bbmod_sidecar_has_file(const tn_search *search, const char *name)
{
    tenon_file_info info;
    tn_search own = *search;
    own.info = &info;
    return tn_find_sidecar(&own, (tenon_str){name, (uint32_t)strlen(name)}) == TN_PLACE_FOUND &&
           info.kind == TENON_FILE_REGULAR && info.size <= FILE_MOST;
}

// "crane_steel.bbmat". False if the name does not fit.
static bool bbmod_sidecar_name_bbmat(tenon_str stem, tenon_str material, char *out, size_t out_size)
{
    if (material.size == 0 || (size_t)stem.size + material.size + sizeof "_.bbmat" > out_size)
        return false;
    snprintf(out, out_size, "%.*s_%.*s.bbmat", (int)stem.size, stem.data, (int)material.size,
             material.data);
    return true;
}

bool bbmod_sidecar_find_bbmat(const tn_search *search, tenon_str material)
{
    char name[TN_PATH_SIZE];
    tenon_str stem = tn_path_stem(search->model_path);
    if (!bbmod_sidecar_name_bbmat(stem, material, name, sizeof name)) return false;
    if (bbmod_sidecar_has_file(search, name)) return true;
    return search->err->code == TENON_OK && bbmod_sidecar_has_file(search, name + stem.size + 1);
}

bool tenon_bbmat_find(const tenon_files *files, const char *model_path, tenon_str material,
                      char *out, size_t out_size)
{
    tenon_error err = {0};
    const tn_search search = {
        .files = files, .model_path = model_path, .out = out, .out_size = out_size, .err = &err};
    return bbmod_sidecar_find_bbmat(&search, material);
}

// The engine first looks for a file with the model's name in front. Some files of version 1 have
// materials without names.
bool bbmod_sidecars(const void *any, tenon_str stem, tenon_sidecar_fn *fn, void *user)
{
    const tenon_bbmod *doc = any;
    char name[1024];
    for (uint32_t i = 0; doc->material_names && i < doc->material_count; i++) {
        if (!bbmod_sidecar_name_bbmat(stem, doc->material_names[i], name, sizeof name)) continue;
        fn(user, name);
        fn(user, name + stem.size + 1);
    }
    return true;
}

tenon_bbmat *bbmod_sidecar_load_bbmat(const tenon_read_opts *opts, const char *path,
                                      tenon_error *err)
{
    tenon_bytes bytes;
    if (!tenon_load(path, opts, &bytes, err)) return NULL;
    tenon_bbmat *material = tenon_bbmat_read(bytes.data, bytes.size, opts, err);
    tenon_unload(&bytes);
    return material;
}

// -- Info

// The name of a file without folder, for display.
static void bbmod_sidecar_file_name(const char *path, char name[96])
{
    const char *file = path + tn_path_folder_size(path);
    tn_text_clean(file, strlen(file), name, 96);
}

bool bbmod_info_sidecars(tn_info_builder *builder, const void *any, const char *model_path,
                         const struct tenon_files *files, tenon_error *err)
{
    tenon_info *info = builder->info;
    (void)any;
    if (!info->material_list) return true;
    const tenon_read_opts opts = {
        .allocator = builder->arena->allocator, .files = files, .beside = model_path};
    for (uint32_t i = 0; i < info->material_count; i++) {
        char path[TN_PATH_SIZE];
        tenon_error why = {0};
        tenon_material_info *entry = &info->material_list[i];
        const tn_search search = {files, model_path, path, sizeof path, &why, NULL};
        bool is_there = bbmod_sidecar_find_bbmat(&search, entry->name);
        if (!is_there && why.code == TENON_OK) continue;
        tenon_bbmat *material = is_there ? bbmod_sidecar_load_bbmat(&opts, path, &why) : NULL;
        if (!material && tn_is_outage(&why)) {
            if (err) *err = why;
            return false;
        }
        char name[96], base[64];
        bbmod_sidecar_file_name(path, name);
        if (!material) {
            tn_info_add(builder, "bbmat", "%s: unreadable, line %" PRIu64 ": %s", name, why.line,
                        why.message);
            continue;
        }
        tenon_str texture = {"", 0};
        for (uint32_t k = material->texture_count; k-- > 0;)
            if (tn_text_is(material->textures[k].slot, "BaseOpacity"))
                texture = material->textures[k].path;
        if (texture.size) entry->texture = tn_info_copy(builder, texture);
        tn_text_clean(material->material_name.data, material->material_name.size, base,
                      sizeof base);
        tn_info_add(builder, "bbmat", "%s: %s, textures: %u", name,
                    base[0] ? base : "without a base", material->texture_count);
        tenon_bbmat_free(material);
    }
    return !builder->failed || tn_error(err, TENON_ERR_MEMORY, "out of memory");
}

// -- Checking

void bbmod_check_sidecars(tn_check *check, const tenon_bbmod *doc)
{
    const tenon_read_opts opts = {.allocator = check->opts->allocator,
                                  .files = check->opts->files,
                                  .beside = check->opts->model_path};
    for (uint32_t i = 0; opts.beside && doc->material_names && i < doc->material_count; i++) {
        char path[TN_PATH_SIZE], shown[96];
        tenon_error why = {0};
        const tn_search search = {opts.files, opts.beside, path, sizeof path, &why, NULL};
        tn_path_text place = tn_path("material_names[%u]", i);
        bool is_there = bbmod_sidecar_find_bbmat(&search, doc->material_names[i]);
        tenon_bbmat *material = is_there ? bbmod_sidecar_load_bbmat(&opts, path, &why) : NULL;
        if (!material && (tn_is_outage(&why) || (!is_there && why.code != TENON_OK))) {
            tn_check_fail(check, &why);
        } else if (!material && is_there) {
            bbmod_sidecar_file_name(path, shown);
            tn_found(check, "material-file", place, "%s, line %" PRIu64 ": %s", shown, why.line,
                     why.message);
        }
        for (uint32_t k = 0; material && k < material->texture_count; k++) {
            tenon_str texture = material->textures[k].path;
            if (texture.size == 0) continue;
            tn_text_clean(texture.data, texture.size, shown, sizeof shown);
            tn_place found = tn_check_look(check, texture);
            if (found == TN_PLACE_OUTSIDE)
                tn_found(check, "texture-path", place, "'%s' is outside the model's folder", shown);
            else if (found == TN_PLACE_MISSING)
                tn_found(check, "texture-missing", place,
                         "'%s' was not found next to the material file", shown);
        }
        tenon_bbmat_free(material);
    }
}

// -- Names of clips

tenon_str tenon_bbanim_clip(const char *model_path, const char *animation_path)
{
    tenon_str model = tn_path_stem(model_path), clip = tn_path_stem(animation_path);
    bool is_ours = clip.size > model.size + 1 && clip.data[model.size] == '_' &&
                   memcmp(clip.data, model.data, model.size) == 0;
    uint32_t skipped = is_ours ? model.size + 1 : 0;
    return (tenon_str){clip.data + skipped, clip.size - skipped};
}

// -- Finding animations

static const char bbanim_end[] = ".bbanim";

typedef struct bbanim_name {
    struct bbanim_name *next;
    char text[];
} bbanim_name;

typedef struct bbanim_search {
    tn_arena arena;
    tenon_str stem;  // Of the model.
    bbanim_name *first;
    uint32_t count;
    bool failed;
} bbanim_search;

static bool bbmod_sidecar_add_name(void *user, const char *name)
{
    bbanim_search *search = user;
    size_t size = strlen(name), end_size = sizeof bbanim_end - 1;
    bool is_clip = size > search->stem.size + 1 + end_size &&
                   memcmp(name, search->stem.data, search->stem.size) == 0 &&
                   name[search->stem.size] == '_' &&
                   strcmp(name + size - end_size, bbanim_end) == 0;
    if (!is_clip) return true;
    bbanim_name *item = tn_arena_alloc(&search->arena, 1, sizeof *item + size + 1, NULL);
    search->failed = !item || search->count == UINT32_MAX;
    if (search->failed) return false;
    memcpy(item->text, name, size + 1);
    item->next = search->first;
    search->first = item;
    search->count++;
    return true;
}

static bool bbmod_sidecar_name_is_before(const void *context, uint32_t a, uint32_t b)
{
    const bbanim_name *const *names = context;
    return strcmp(names[a]->text, names[b]->text) < 0;
}

bool tenon_bbanim_find(const tenon_files *files, const char *model_path,
                       const tenon_allocator *allocator, tenon_sidecar_fn *fn, void *user,
                       tenon_error *err)
{
    static const tenon_allocator usual;
    char folder[TN_PATH_SIZE] = "./";
    size_t folder_size = tn_path_folder_size(model_path);
    tn_error_clear(err);
    if (!files) files = tenon_system_files();
    if (!files->list) return true;
    if (folder_size >= sizeof folder)
        return tn_error(err, TENON_ERR_IO, "the path of the model is too long");
    if (folder_size) memcpy(folder, model_path, folder_size);
    if (folder_size) folder[folder_size] = '\0';
    bbanim_search search = {.arena = tn_arena_make(allocator ? allocator : &usual, UINT64_MAX),
                            .stem = tn_path_stem(model_path)};
    int error = files->list(files->user, folder, bbmod_sidecar_add_name, &search);
    bool ok = !search.failed && (error == 0 || error == ENOSYS);
    if (ok && search.count) {
        uint32_t count = 0;
        const bbanim_name **names =
            tn_arena_alloc(&search.arena, search.count, sizeof *names, NULL);
        uint32_t *order = tn_arena_alloc(&search.arena, search.count, 2 * sizeof *order, NULL);
        search.failed = !names || !order;
        for (const bbanim_name *item = search.first; item && !search.failed; item = item->next) {
            order[count] = count;
            names[count++] = item;
        }
        if (count) tn_sort(order, order + count, count, bbmod_sidecar_name_is_before, names);
        for (uint32_t i = 0; i < count; i++) fn(user, names[order[i]]->text);
    }
    tn_arena_free(&search.arena);
    if (search.failed) return tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (ok) return true;
    return tn_file_error(err, TENON_ERR_IO, error, "look for animations in", folder, NULL);
}
