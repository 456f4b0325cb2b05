// gltf_check_values.c: compares the values of a file with the tables of the specification.
// SPDX-License-Identifier: MIT
//
// The depth of recursion is limited by the tables, not by the file.

#include "formats/gltf/check/gltf_check.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <string.h>

// -- Single values

// Whether the value has that type; if not, it is reported.
static bool gltf_check_values_type(gltf_checker *checker, const tn_json_value *value,
                                   tn_json_tree_kind kind)
{
    if (tn_json_tree_kind_of(value) == kind) return true;
    gltf_check_found(checker, "type", value, "it must be %s, but is %s",
                     gltf_import_kind_word(kind), tn_json_tree_word(value));
    return false;
}

static void gltf_check_values_number(gltf_checker *checker, const gltf_member *spec,
                                     const tn_json_value *value)
{
    double number = 0;
    int64_t whole;
    char shown[32];
    if (!gltf_check_values_type(checker, value, TN_TREE_NUMBER)) return;
    tn_text_clean(value->text, value->size, shown, sizeof shown);
    bool is_number = tn_f64_parse(value->text, value->size, &number);
    bool is_whole = tn_i64_parse(value->text, value->size, &whole);
    bool has_range = spec->low != 0 || spec->high != 0;
    bool is_inside = !has_range || (number >= spec->low && number <= spec->high);
    if ((spec->flags & ABOVE) && !(number > spec->low)) is_inside = false;
    if ((spec->flags & OR_ZERO) && number == 0) is_inside = true;
    if (spec->kind == KIND_INTEGER && !is_whole)
        gltf_check_found(checker, "type", value, "%s must be a whole number", shown);
    else if (!is_number || !is_inside)
        gltf_check_found(checker, "value", value, "%s is out of range", shown);
}

// Whether an enumerated value is valid. Values of a wrong type count as valid.
static bool gltf_check_values_is_listed(const gltf_checker *checker, const gltf_member *spec,
                                        const tn_json_value *value)
{
    const uint32_t *choice = spec->kind == KIND_CHOICE ? spec->choices : NULL;
    const char *const *word = spec->kind == KIND_WORD ? spec->words : NULL;
    tn_json_tree_kind kind = tn_json_tree_kind_of(value);
    if (!(choice && kind == TN_TREE_NUMBER) && !(word && kind == TN_TREE_STRING)) return true;
    uint32_t number = tn_json_tree_u32(value, 0);
    for (; choice && *choice; choice++)
        if (*choice == number) return true;
    for (; word && *word; word++) {
        const char *colon = strchr(*word, ':');
        if (!tn_json_tree_is(value, colon ? colon + 1 : *word)) continue;
        if (!colon || gltf_import_lists_extension(&checker->importer, "extensionsUsed",
                                                  (tenon_str){*word, (uint32_t)(colon - *word)}))
            return true;
    }
    return false;
}

bool gltf_check_has_listed_values(const gltf_checker *checker, const char *object,
                                  const tn_json_value *value)
{
    for (const gltf_member *spec = gltf_schema_find(object) + 1; spec->key; spec++)
        if (!gltf_check_values_is_listed(checker, spec, tn_json_tree_get(value, spec->key)))
            return false;
    return true;
}

static uint32_t gltf_check_values_index(gltf_checker *checker, gltf_list list,
                                        const tn_json_value *value)
{
    uint32_t index = gltf_import_index_at(&checker->importer, value, list);
    bool is_number = tn_json_tree_kind_of(value) == TN_TREE_NUMBER;
    return gltf_check_report_failure(checker, is_number ? "index" : "type") ? TENON_NONE : index;
}

// -- Arrays

static void gltf_check_values_index_map(gltf_checker *checker, const gltf_member *spec,
                                        const tn_json_value *value)
{
    if (!gltf_check_values_type(checker, value, TN_TREE_OBJECT)) return;
    if (value->size == 0) gltf_check_found(checker, "size", value, "it is empty");
    for (uint32_t i = 0; i < value->size; i++)
        gltf_check_values_index(checker, spec->list, tn_json_tree_at(value, i));
}

// Arrays of indices, numbers or strings. Each array has a number, which marks the nodes or variants
// that it lists.
static void gltf_check_values_items(gltf_checker *checker, const gltf_member *spec,
                                    const tn_json_value *value)
{
    if (!gltf_check_values_type(checker, value, TN_TREE_ARRAY)) return;
    bool is_right = spec->count ? value->size == spec->count : value->size > 0;
    if (!is_right || (spec->most && value->size > spec->most)) {
        gltf_check_found(checker, "size", value, "'%s' has %" PRIu32 " items, but needs %s%" PRIu32,
                         spec->key, value->size, spec->count ? "" : "at least ",
                         spec->count ? spec->count : 1);
        return;
    }
    checker->array_count++;
    for (uint32_t i = 0; i < value->size && !checker->builder.failed; i++) {
        const tn_json_value *item = tn_json_tree_at(value, i);
        if (spec->kind == KIND_NUMBERS) gltf_check_values_number(checker, spec, item);
        if (spec->kind == KIND_TEXTS) (void)gltf_check_values_type(checker, item, TN_TREE_STRING);
        if (spec->kind != KIND_INDICES) continue;
        uint32_t index = gltf_check_values_index(checker, spec->list, item);
        if (index == TENON_NONE) continue;
        if (checker->last_array[index] == checker->array_count)
            gltf_check_found(checker, "duplicate", item, "%" PRIu32 " is already in the list",
                             index);
        checker->last_array[index] = checker->array_count;
    }
}

// -- Objects

static void gltf_check_values_object(gltf_checker *checker, const gltf_member *type,
                                     const tn_json_value *object);

static void gltf_check_values_member(gltf_checker *checker, const gltf_member *spec,
                                     const tn_json_value *value)
{
    switch (spec->kind) {
    case KIND_TEXT:
        (void)gltf_check_values_type(checker, value, TN_TREE_STRING);
        break;
    case KIND_POINTER: {
        // JSON pointers (RFC 6901): steps that start with '/', in which '~' starts an escape.
        if (!gltf_check_values_type(checker, value, TN_TREE_STRING)) break;
        bool is_pointer = value->size == 0 || value->text[0] == '/';
        for (uint32_t i = 0; i < value->size; i++) {
            char next = i + 1 < value->size ? value->text[i + 1] : ' ';
            if (value->text[i] == '~' && next != '0' && next != '1') is_pointer = false;
        }
        if (!is_pointer) gltf_check_found(checker, "value", value, "it is not a JSON pointer");
        break;
    }
    case KIND_FLAG:
        (void)gltf_check_values_type(checker, value, TN_TREE_BOOL);
        break;
    case KIND_NUMBER:
    case KIND_INTEGER:
        gltf_check_values_number(checker, spec, value);
        break;
    case KIND_CHOICE:
    case KIND_WORD: {
        bool is_word = spec->kind == KIND_WORD;
        char shown[32];
        if (!gltf_check_values_type(checker, value, is_word ? TN_TREE_STRING : TN_TREE_NUMBER) ||
            gltf_check_values_is_listed(checker, spec, value))
            break;
        tn_text_clean(value->text, value->size, shown, sizeof shown);
        gltf_check_found(checker, "choice", value, "'%s' is not one of the %s allowed for '%s'",
                         shown, is_word ? "words" : "numbers", spec->key);
        break;
    }
    case KIND_INDEX:
        (void)gltf_check_values_index(checker, spec->list, value);
        break;
    case KIND_INDEX_MAP:
        gltf_check_values_index_map(checker, spec, value);
        break;
    case KIND_OBJECT:
    case KIND_TEXTURE:
        gltf_check_values_object(checker, gltf_schema_find(spec->object), value);
        break;
    case KIND_OBJECTS:
    case KIND_INDEX_MAPS: {
        const gltf_member *type = spec->object ? gltf_schema_find(spec->object) : NULL;
        if (!gltf_check_values_type(checker, value, TN_TREE_ARRAY)) break;
        if (value->size == 0) gltf_check_found(checker, "size", value, "'%s' is empty", spec->key);
        for (uint32_t i = 0; i < value->size && !checker->check->failed; i++) {
            if (type)
                gltf_check_values_object(checker, type, tn_json_tree_at(value, i));
            else
                gltf_check_values_index_map(checker, spec, tn_json_tree_at(value, i));
        }
        break;
    }
    default:
        gltf_check_values_items(checker, spec, value);
    }
}

static void gltf_check_values_object(gltf_checker *checker, const gltf_member *type,
                                     const tn_json_value *object)
{
    if (!gltf_check_values_type(checker, object, TN_TREE_OBJECT)) return;
    for (const gltf_member *spec = type + 1; spec->key; spec++)
        if ((spec->flags & NEEDED) && !tn_json_tree_get(object, spec->key))
            gltf_check_found(checker, "missing", object, "'%s' is missing", spec->key);
    for (uint32_t i = 0; i < object->size; i++) {
        const tn_json_value *member = tn_json_tree_at(object, i);
        const gltf_member *spec = type + 1;
        while (spec->key && !gltf_import_has_key(member, spec->key)) spec++;
        bool has_extensions = !spec->key && gltf_import_has_key(member, "extensions");
        if (spec->key)
            gltf_check_values_member(checker, spec, member);
        else if (type->flags & NAMED && gltf_import_has_key(member, "name"))
            (void)gltf_check_values_type(checker, member, TN_TREE_STRING);
        else if (!has_extensions && !gltf_import_has_key(member, "extras"))
            gltf_check_found(checker, "member", member, "it is not defined in the specification");
        if (!has_extensions || !gltf_check_values_type(checker, member, TN_TREE_OBJECT)) continue;
        for (uint32_t k = 0; k < member->size; k++) {
            const tn_json_value *extension = tn_json_tree_at(member, k);
            const gltf_member *members;
            tenon_str key = {extension->key, extension->key_size};
            gltf_extension_place found = gltf_schema_find_extension(key, type, &members);
            if (!gltf_import_lists_extension(&checker->importer, "extensionsUsed", key))
                gltf_check_found(checker, "extension", extension,
                                 "it is present, but not listed in 'extensionsUsed'");
            else if (found == GLTF_EXTENSION_MISPLACED)
                gltf_check_found(checker, "extension", extension,
                                 "it is not allowed on objects of this type");
            if (members)
                gltf_check_values_object(checker, members, extension);
            else
                (void)gltf_check_values_type(checker, extension, TN_TREE_OBJECT);
        }
    }
}

void gltf_check_values(gltf_checker *checker)
{
    // Find all lists first, since indices are compared with their sizes.
    gltf_importer *importer = &checker->importer;
    const tn_json_value *root = importer->tree.root;
    const tn_json_value *extensions = tn_json_tree_get(root, "extensions");
    for (int i = 0; i < LIST_COUNT; i++) {
        const tn_json_value *parent = root;
        if (i == LIST_LIGHTS) parent = tn_json_tree_get(extensions, "KHR_lights_punctual");
        if (i == LIST_VARIANTS) parent = tn_json_tree_get(extensions, "KHR_materials_variants");
        const tn_json_value *list = tn_json_tree_get(parent, gltf_list_keys[i]);
        if (tn_json_tree_kind_of(list) == TN_TREE_ARRAY) importer->lists[i] = list;
    }
    // All arrays of indices list nodes or variants.
    uint32_t nodes = gltf_import_count(importer, LIST_NODES);
    uint32_t variants = gltf_import_count(importer, LIST_VARIANTS);
    checker->last_array = gltf_import_scratch(importer, nodes > variants ? nodes : variants,
                                              sizeof *checker->last_array);
    if (checker->last_array) gltf_check_values_object(checker, gltf_schema_find("root"), root);
}
