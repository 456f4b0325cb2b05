// bmw_sidecar_write.c: writes the JSON sidecar of a BMW file: the text that was read, with only the
// differences changed.
// SPDX-License-Identifier: MIT

#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <math.h>
#include <string.h>

typedef struct bmw_sidecar_writer {
    tn_json_tree *tree;
    tenon_error *err;
} bmw_sidecar_writer;

// -- Values

static tn_json_value *bmw_sidecar_write_make_value(const bmw_sidecar_writer *writer,
                                                   const bmw_key *key, const void *from)
{
    char text[3 * TN_NUMBER_MAX];
    size_t size = 0, count = key->type == BMW_VECTOR ? 3 : 1;
    double numbers[3];
    tenon_str string;
    switch (key->type) {
    case BMW_STRING:
        memcpy(&string, from, sizeof string);
        if (string.size == 0) string.data = "";  // Instead of NULL.
        if (tn_utf8_valid(string.data, string.size))
            return tn_json_tree_make_string(writer->tree, string.data, string.size);
        tn_error(writer->err, TENON_ERR_VALUE, "'%s' is not valid UTF-8", key->name);
        return NULL;
    case BMW_NUMBER:
    case BMW_VECTOR:
        memcpy(numbers, from, count * sizeof numbers[0]);
        for (size_t i = 0; i < count; i++) {
            if (!isfinite(numbers[i])) {
                tn_error(writer->err, TENON_ERR_VALUE, "'%s' is not finite", key->name);
                return NULL;
            }
            if (i) text[size++] = ' ';
            size += tn_f64_text(numbers[i], text + size);
        }
        return count == 1 ? tn_json_tree_make_f64(writer->tree, numbers[0])
                          : tn_json_tree_make_string(writer->tree, text, size);
    case BMW_BOOL:
        return tn_json_tree_make_bool(writer->tree, *(const bool *)from);
    default:
        return NULL;
    }
}

static bool bmw_sidecar_write_are_equal(bmw_value_type type, const void *a, const void *b)
{
    static const size_t sizes[] = {[BMW_NUMBER] = sizeof(double),
                                   [BMW_VECTOR] = 3 * sizeof(double),
                                   [BMW_BOOL] = sizeof(bool)};
    tenon_str x, y;
    if (type != BMW_STRING) return memcmp(a, b, sizes[type]) == 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return tn_text_equal(x, y);
}

// Whether the text has this value already.
static bool bmw_sidecar_write_has_value(const tn_json_value *node, bmw_value_type type,
                                        const void *from)
{
    double numbers[3];
    tenon_str text = {node->text, node->size};
    const void *value = type == BMW_STRING ? (const void *)&text : numbers;
    if (type == BMW_BOOL) value = &node->is_true;
    if (type == BMW_NUMBER) numbers[0] = tn_json_tree_f64(node, 0);
    if (type == BMW_VECTOR) (void)bmw_sidecar_parse_vector(node->text, node->size, numbers);
    return bmw_sidecar_write_are_equal(type, value, from);
}

// Set a value in the text if it differs from that of the struct. A missing or unusable value is
// left as it is if the struct has `fallback`, its default; NULL: it has none.
static bool bmw_sidecar_write_value(const bmw_sidecar_writer *writer, tn_json_value *object,
                                    const bmw_key *key, const void *from, const void *fallback)
{
    const tn_json_value *old = tn_json_tree_get(object, key->name);
    bool is_usable = bmw_sidecar_is_usable(old, key->type);
    if (is_usable && bmw_sidecar_write_has_value(old, key->type, from)) return true;
    if (!is_usable && fallback && bmw_sidecar_write_are_equal(key->type, from, fallback))
        return true;
    tn_json_value *new_value = bmw_sidecar_write_make_value(writer, key, from);
    if (new_value) tn_json_tree_set(writer->tree, object, key->name, new_value);
    return new_value != NULL;
}

// -- Lists

// The array of that key, or a new one, without the items from `most` on.
static tn_json_value *bmw_sidecar_write_truncated_array(const bmw_sidecar_writer *writer,
                                                        const char *key, uint32_t most)
{
    tn_json_value *array = tn_json_tree_get(writer->tree->root, key);
    if (tn_json_tree_kind_of(array) != TN_TREE_ARRAY) {
        array = tn_json_tree_make_array(writer->tree);
        tn_json_tree_set(writer->tree, writer->tree->root, key, array);
    }
    while (tn_json_tree_count(array) > most)
        tn_json_tree_remove(tn_json_tree_at(array, tn_json_tree_count(array) - 1));
    return array;
}

// `item` of a list, replaced by a new object if it is not an object.
static tn_json_value *bmw_sidecar_write_object_at(const bmw_sidecar_writer *writer,
                                                  tn_json_value *item)
{
    if (tn_json_tree_kind_of(item) == TN_TREE_OBJECT) return item;
    tn_json_value *object = tn_json_tree_make_object(writer->tree);
    if (object) tn_json_tree_replace(writer->tree, item, object);
    return object;
}

static bool bmw_sidecar_write_clip(const bmw_sidecar_writer *writer, tn_json_value *object,
                                   const tenon_bmw_clip *clip)
{
    static const bool off = false;
    static const tenon_str nameless = {"", 0};
    bool is_new = !object || object->offset == TN_TREE_NOWHERE;

    // Remove keys that the clip does not have any more. Keys that never had an effect stay: an
    // empty file, a start without an end, or values that cannot be used.
    tn_json_value *file = tn_json_tree_get(object, "file");
    tn_json_value *start = tn_json_tree_get(object, "start");
    tn_json_value *end = tn_json_tree_get(object, "end");
    if (clip->file.size == 0 && bmw_sidecar_is_usable(file, BMW_STRING) && file->size > 0)
        tn_json_tree_remove(file);
    if (!clip->has_range && bmw_sidecar_is_usable(start, BMW_NUMBER) &&
        bmw_sidecar_is_usable(end, BMW_NUMBER)) {
        tn_json_tree_remove(start);
        tn_json_tree_remove(end);
    }

    for (size_t i = 0; i < BMW_CLIP_KEYS; i++) {
        const bmw_key *key = &bmw_clip_keys[i];
        const void *from = (const char *)clip + key->offset, *fallback = NULL;
        if (strcmp(key->name, "file") == 0 && clip->file.size == 0) continue;
        if (key->type == BMW_NUMBER && !clip->has_range) continue;
        if (strcmp(key->name, "name") == 0 && !is_new) fallback = &nameless;
        if (strcmp(key->name, "loop") == 0 && !clip->has_loop) fallback = &off;
        if (strcmp(key->name, "hold") == 0 && !clip->has_hold) fallback = &off;
        if (!bmw_sidecar_write_value(writer, object, key, from, fallback)) return false;
    }
    return true;
}

static bool bmw_sidecar_write_clips(const bmw_sidecar_writer *writer, tenon_bmw_sidecar *sidecar)
{
    tn_json_value *array = tn_json_tree_get(writer->tree->root, "clips");
    uint32_t count = sidecar->clip_count;
    bool is_list = !array || tn_json_tree_kind_of(array) == TN_TREE_ARRAY;
    if (!is_list && count == 0) return true;

    // Unless the clips are those of the text, put their objects, or new ones, in the order of the
    // struct. If two clips are copies with the same object, the second gets a new one.
    bool are_same = tn_json_tree_count(array) == count;
    for (uint32_t i = 0; i < count && are_same; i++)
        are_same = tn_json_tree_at(array, i) == sidecar->clips[i].origin;
    if (!are_same) array = bmw_sidecar_write_truncated_array(writer, "clips", 0);
    for (uint32_t i = 0; i < count && !are_same; i++) {
        tn_json_value *object = sidecar->clips[i].origin;
        if (!object || object->parent) object = tn_json_tree_make_object(writer->tree);
        tn_json_tree_append(writer->tree, array, object);
        sidecar->clips[i].origin = object;
    }

    for (uint32_t i = 0; i < count && !writer->tree->failed; i++) {
        tenon_bmw_clip *clip = &sidecar->clips[i];
        bool is_blank =
            clip->name.size == 0 && !bmw_sidecar_clip_plays(clip) && !clip->loop && !clip->hold;
        // A value that is not an object stays if the clip was not changed.
        if (is_blank && tn_json_tree_kind_of(clip->origin) != TN_TREE_OBJECT) continue;
        clip->origin = bmw_sidecar_write_object_at(writer, clip->origin);
        if (!bmw_sidecar_write_clip(writer, clip->origin, clip)) return false;
    }
    return true;
}

static bool bmw_sidecar_write_overrides(const bmw_sidecar_writer *writer,
                                        const tenon_bmw_sidecar *sidecar)
{
    tn_json_value *array = tn_json_tree_get(writer->tree->root, "textureOverrides");
    uint32_t count = sidecar->texture_override_count;
    bool is_list = tn_json_tree_kind_of(array) == TN_TREE_ARRAY;
    if (is_list || count)
        array = bmw_sidecar_write_truncated_array(writer, "textureOverrides", count);
    for (uint32_t i = 0; i < count && !writer->tree->failed; i++) {
        const tenon_str *texture = &sidecar->texture_overrides[i];
        if (i == tn_json_tree_count(array))
            tn_json_tree_append(writer->tree, array, tn_json_tree_make_object(writer->tree));
        bool is_usable = bmw_sidecar_is_usable(
            tn_json_tree_get(tn_json_tree_at(array, i), "texture"), BMW_STRING);
        if (!texture->data && !is_usable) continue;
        if (!bmw_sidecar_write_value(writer,
                                     bmw_sidecar_write_object_at(writer, tn_json_tree_at(array, i)),
                                     &bmw_override_key, texture, NULL))
            return false;
    }
    return true;
}

// -- The sidecar

bool tenon_bmw_sidecar_write(tenon_bmw_sidecar *sidecar, tenon_write_fn *write, void *user,
                             tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    const bmw_sidecar_writer writer = {&sidecar->owner->tree, err};
    bool ok = true;
    for (size_t i = 0; ok && i < BMW_SIDECAR_KEYS; i++) {
        const bmw_key *key = &bmw_sidecar_keys[i];
        if (key->type == BMW_CLIPS || key->type == BMW_OVERRIDES) continue;
        ok = bmw_sidecar_write_value(&writer, writer.tree->root, key,
                                     (const char *)sidecar + key->offset,
                                     (const char *)&bmw_default_sidecar + key->offset);
    }
    ok = ok && bmw_sidecar_write_clips(&writer, sidecar) &&
         bmw_sidecar_write_overrides(&writer, sidecar);
    if (writer.tree->failed)
        return tn_error(err, TENON_ERR_MEMORY, "out of memory for the sidecar");
    if (!ok || tn_json_tree_rewrite(writer.tree, write, user)) return ok;
    return tn_error(err, TENON_ERR_IO, "the output could not be written");
}
