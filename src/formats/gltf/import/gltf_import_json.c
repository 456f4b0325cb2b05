// gltf_import_json.c: values of the JSON in a glTF file, and errors that give their place.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "core/json/json.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// -- Places

size_t gltf_import_pointer_step(const tn_json_value *node, char *out, size_t out_size)
{
    if (!node->key) return (size_t)snprintf(out, out_size, "/%" PRIu32, node->index);
    char clean[64];
    size_t size = tn_text_clean(node->key, node->key_size, clean, sizeof clean), used = 0;
    out[used++] = '/';
    for (size_t i = 0; i < size && used + 2 < out_size; i++) {
        bool is_special = clean[i] == '~' || clean[i] == '/';
        if (is_special) out[used++] = '~';
        out[used++] = clean[i] == '~' ? '0' : clean[i] == '/' ? '1' : clean[i];
    }
    return used;
}

void gltf_import_pointer(const tn_json_value *node, char *out, size_t out_size)
{
    size_t start = out_size - 1;
    for (; node && node->parent; node = node->parent) {
        char step[136];
        size_t size = gltf_import_pointer_step(node, step, sizeof step);
        if (size + 3 > start) {
            start -= 3;
            memcpy(out + start, "...", 3);
            break;
        }
        start -= size;
        memcpy(out + start, step, size);
    }
    memmove(out, out + start, out_size - 1 - start);
    out[out_size - 1 - start] = '\0';
}

bool gltf_import_fail(gltf_importer *importer, tenon_code code, const tn_json_value *node,
                      const char *fmt, ...)
{
    if (importer->builder->failed) return false;
    tenon_error *err = importer->builder->err;
    char path[sizeof err->path], message[sizeof err->message];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    gltf_import_pointer(node, path, sizeof path);
    tn_scene_fail(importer->builder, code, path, "%s", message);
    if (!node) return false;
    err->offset = importer->text_offset + node->offset;
    if (importer->is_text)
        tn_json_place(importer->tree.text, importer->tree.size, node->offset, &err->line,
                      &err->column);
    return false;
}

// -- Memory

void *gltf_import_scratch(gltf_importer *importer, uint64_t count, size_t size)
{
    if (importer->builder->failed) return NULL;
    void *memory = tn_arena_alloc_or_fail(&importer->scratch, count, size, "the import of glTF",
                                          importer->builder->err);
    if (!memory) importer->builder->failed = true;
    return memory;
}

bool gltf_import_scratch_fits(gltf_importer *importer, uint64_t count, size_t size)
{
    if (importer->builder->failed) return false;
    if (count <= (importer->scratch.limit - importer->scratch.used) / size) return true;
    importer->builder->failed = true;
    return tn_arena_fail(&importer->scratch, TN_OVER_LIMIT, "the import of glTF",
                         importer->builder->err);
}

void *gltf_import_scratch_for(gltf_importer *importer, gltf_list list, size_t size)
{
    return gltf_import_scratch(importer, gltf_import_count(importer, list), size);
}

uint32_t *gltf_import_scratch_indices(gltf_importer *importer, gltf_list list)
{
    uint32_t *indices = gltf_import_scratch_for(importer, list, sizeof *indices);
    for (uint32_t i = 0; indices && i < gltf_import_count(importer, list); i++)
        indices[i] = TENON_NONE;
    return indices;
}

// -- Values

const char *gltf_import_kind_word(tn_json_tree_kind kind)
{
    static const char *const words[] = {
        [TN_TREE_BOOL] = "true or false", [TN_TREE_NUMBER] = "a number",
        [TN_TREE_STRING] = "a string",    [TN_TREE_ARRAY] = "an array",
        [TN_TREE_OBJECT] = "an object",
    };
    return words[kind];
}

bool gltf_import_has_key(const tn_json_value *member, const char *key)
{
    return member->key && tn_text_is((tenon_str){member->key, member->key_size}, key);
}

tenon_str gltf_import_text_of(const tn_json_value *value)
{
    bool is_text = tn_json_tree_kind_of(value) == TN_TREE_STRING;
    return is_text ? (tenon_str){value->text, value->size} : (tenon_str){"", 0};
}

// The member, or NULL if it is missing. Fails if it has another type.
static const tn_json_value *gltf_import_json_get(gltf_importer *importer,
                                                 const tn_json_value *parent, const char *key,
                                                 tn_json_tree_kind kind)
{
    const tn_json_value *node = importer->builder->failed ? NULL : tn_json_tree_get(parent, key);
    if (!node || tn_json_tree_kind_of(node) == kind) return node;
    gltf_import_fail(importer, TENON_ERR_VALUE, node, "'%s' must be %s, but is %s", key,
                     gltf_import_kind_word(kind), tn_json_tree_word(node));
    return NULL;
}

const tn_json_value *gltf_import_object(gltf_importer *importer, const tn_json_value *parent,
                                        const char *key)
{
    return gltf_import_json_get(importer, parent, key, TN_TREE_OBJECT);
}

const tn_json_value *gltf_import_array(gltf_importer *importer, const tn_json_value *parent,
                                       const char *key)
{
    return gltf_import_json_get(importer, parent, key, TN_TREE_ARRAY);
}

const tn_json_value *gltf_import_extension(gltf_importer *importer, const tn_json_value *parent,
                                           const char *name)
{
    return gltf_import_object(importer, gltf_import_object(importer, parent, "extensions"), name);
}

double gltf_import_number(gltf_importer *importer, const tn_json_value *parent, const char *key,
                          double fallback)
{
    const tn_json_value *node = gltf_import_json_get(importer, parent, key, TN_TREE_NUMBER);
    double value = fallback;
    if (node && !tn_f64_parse(node->text, node->size, &value))
        gltf_import_fail(importer, TENON_ERR_VALUE, node, "'%s' is too large", key);
    return value;
}

bool gltf_import_numbers(gltf_importer *importer, const tn_json_value *parent, const char *key,
                         double *out, uint32_t count)
{
    const tn_json_value *node = gltf_import_array(importer, parent, key);
    if (!node) return false;
    if (tn_json_tree_f64s(node, out, count)) return true;
    return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                            "'%s' must be an array of %" PRIu32 " numbers", key, count);
}

uint64_t gltf_import_integer(gltf_importer *importer, const tn_json_value *parent, const char *key,
                             uint64_t fallback)
{
    const tn_json_value *node = gltf_import_json_get(importer, parent, key, TN_TREE_NUMBER);
    uint64_t value = fallback;
    if (node && !tn_u64_parse(node->text, node->size, &value))
        gltf_import_fail(importer, TENON_ERR_VALUE, node,
                         "'%s' must be a whole number of at least 0", key);
    return node && importer->builder->failed ? fallback : value;
}

bool gltf_import_flag(gltf_importer *importer, const tn_json_value *parent, const char *key,
                      bool fallback)
{
    return tn_json_tree_bool(gltf_import_json_get(importer, parent, key, TN_TREE_BOOL), fallback);
}

tenon_str gltf_import_text(gltf_importer *importer, const tn_json_value *parent, const char *key)
{
    return gltf_import_text_of(gltf_import_json_get(importer, parent, key, TN_TREE_STRING));
}

// -- Lists

const tn_json_value *gltf_import_item(const gltf_importer *importer, gltf_list list, uint32_t index)
{
    return tn_json_tree_at(importer->lists[list], index);
}

uint32_t gltf_import_count(const gltf_importer *importer, gltf_list list)
{
    return tn_json_tree_count(importer->lists[list]);
}

uint32_t gltf_import_index_at(gltf_importer *importer, const tn_json_value *value, gltf_list list)
{
    uint64_t index;
    bool is_number = tn_json_tree_kind_of(value) == TN_TREE_NUMBER;
    if (!value || importer->builder->failed) return TENON_NONE;
    if (!is_number || !tn_u64_parse(value->text, value->size, &index)) {
        gltf_import_fail(importer, TENON_ERR_VALUE, value,
                         "an index must be a whole number of at least 0");
        return TENON_NONE;
    }
    if (index < gltf_import_count(importer, list)) return (uint32_t)index;
    gltf_import_fail(importer, TENON_ERR_VALUE, value,
                     "index %" PRIu64 ", but there are %" PRIu32 " %s", index,
                     gltf_import_count(importer, list), gltf_list_keys[list]);
    return TENON_NONE;
}

uint32_t gltf_import_index(gltf_importer *importer, const tn_json_value *parent, const char *key,
                           gltf_list list)
{
    return gltf_import_index_at(importer, tn_json_tree_get(parent, key), list);
}
