// bmw_sidecar.c: reads and writes the JSON sidecar of a BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BASE   ((uint64_t)4 << 20)
#define MEMORY_SHARE  64
#define FAULTS_LISTED 100

const bmw_key bmw_sidecar_keys[BMW_SIDECAR_KEYS] = {
    {"defaultAnim", BMW_STRING, offsetof(tenon_bmw_sidecar, default_anim)},
    {"rotation", BMW_NUMBER, offsetof(tenon_bmw_sidecar, rotation)},
    {"rotationAngle", BMW_VECTOR, offsetof(tenon_bmw_sidecar, rotation_angle)},
    {"translation", BMW_VECTOR, offsetof(tenon_bmw_sidecar, translation)},
    {"scale", BMW_VECTOR, offsetof(tenon_bmw_sidecar, scale)},
    {"clips", BMW_CLIPS, 0},
    {"textureOverrides", BMW_OVERRIDES, 0},
};

const bmw_key bmw_clip_keys[BMW_CLIP_KEYS] = {
    {"name", BMW_STRING, offsetof(tenon_bmw_clip, name)},
    {"start", BMW_NUMBER, offsetof(tenon_bmw_clip, start)},
    {"end", BMW_NUMBER, offsetof(tenon_bmw_clip, end)},
    {"file", BMW_STRING, offsetof(tenon_bmw_clip, file)},
    {"loop", BMW_BOOL, offsetof(tenon_bmw_clip, loop)},
    {"hold", BMW_BOOL, offsetof(tenon_bmw_clip, hold)},
};

const bmw_key bmw_override_key = {"texture", BMW_STRING, 0};

const tenon_bmw_sidecar bmw_default_sidecar = {
    .default_anim = {"idle", 4}, .rotation_angle = {0, 1, 0}, .scale = {1, 1, 1}};

// -- Vectors

static bool bmw_sidecar_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Three numbers separated by spaces. As in C++, and unlike JSON, ".5", "5." and "+5" are valid.
static bool bmw_sidecar_parse_vector(const char *text, size_t size, double out[3])
{
    size_t at = 0, count = 0;
    for (;;) {
        while (at < size && bmw_sidecar_is_space(text[at])) at++;
        if (at == size) return count == 3;
        size_t start = at;
        while (at < size && !bmw_sidecar_is_space(text[at])) at++;
        char json[64];
        if (count == 3 || at - start + 2 > sizeof json ||
            !tn_f64_parse(json, tn_number_spell(text + start, at - start, json), &out[count++]))
            return false;
    }
}

// -- Values

typedef struct bmw_sidecar_reader {
    tenon_bmw_sidecar *sidecar;
    tn_json_tree *tree;
    tn_arena *arena;
    uint32_t ignored_capacity;
    tenon_error *err;
} bmw_sidecar_reader;

static void *bmw_sidecar_alloc(const bmw_sidecar_reader *reader, uint64_t count, size_t size)
{
    return tn_arena_alloc_or_fail(reader->arena, count, size, "the sidecar", reader->err);
}

// A copy in the sidecar's memory, with a NUL after it; without data if out of memory.
static tenon_str bmw_sidecar_copy(const bmw_sidecar_reader *reader, const char *text, size_t size)
{
    return tn_text_join(reader->arena, (tenon_str){text, (uint32_t)size}, (tenon_str){"", 0},
                        "the sidecar", reader->err);
}

// Record a value that cannot be used. Finding its line is slow, so only the first are listed. False
// if out of memory.
TN_PRINTF(3, 4)
static bool bmw_sidecar_reject(bmw_sidecar_reader *reader, const tn_json_value *node,
                               const char *fmt, ...)
{
    tenon_bmw_sidecar *sidecar = reader->sidecar;
    char message[sizeof reader->err->message];
    sidecar->fault_count++;
    if (sidecar->listed_fault_count == FAULTS_LISTED) return true;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (!sidecar->faults)
        sidecar->faults = bmw_sidecar_alloc(reader, FAULTS_LISTED, sizeof *sidecar->faults);
    tenon_error place;
    tn_json_tree_fail(reader->tree, node, &place, "%s", message);
    tenon_bmw_sidecar_fault fault = {
        .path = bmw_sidecar_copy(reader, place.path, strlen(place.path)),
        .line = place.line,
        .column = place.column,
        .message = bmw_sidecar_copy(reader, place.message, strlen(place.message))};
    if (!sidecar->faults || !fault.path.data || !fault.message.data) return false;
    sidecar->faults[sidecar->listed_fault_count++] = fault;
    return true;
}

static const struct {
    tn_json_tree_kind kind;
    const char *word;
} bmw_kinds[] = {
    [BMW_STRING] = {TN_TREE_STRING, "a string"}, [BMW_NUMBER] = {TN_TREE_NUMBER, "a number"},
    [BMW_VECTOR] = {TN_TREE_STRING, "a string"}, [BMW_BOOL] = {TN_TREE_BOOL, "true or false"},
    [BMW_CLIPS] = {TN_TREE_ARRAY, "an array"},   [BMW_OVERRIDES] = {TN_TREE_ARRAY, "an array"},
};

// Whether `node` is a valid value for a key of that type.
static bool bmw_sidecar_is_usable(const tn_json_value *node, bmw_value_type type)
{
    double unused[3];
    if (tn_json_tree_kind_of(node) != bmw_kinds[type].kind) return false;
    // Numbers that are too large for a double give the fallback.
    if (type == BMW_NUMBER) return tn_json_tree_f64(node, 0) == tn_json_tree_f64(node, 1);
    return type != BMW_VECTOR || bmw_sidecar_parse_vector(node->text, node->size, unused);
}

static bool bmw_sidecar_read_clips(bmw_sidecar_reader *reader, const tn_json_value *array);
static bool bmw_sidecar_read_overrides(bmw_sidecar_reader *reader, const tn_json_value *array);

// A value that cannot be used is rejected and `to` is unchanged. False only if out of memory.
static bool bmw_sidecar_read_value(bmw_sidecar_reader *reader, const tn_json_value *node,
                                   bmw_value_type type, void *to)
{
    int key_size = (int)node->key_size;
    if (tn_json_tree_kind_of(node) != bmw_kinds[type].kind)
        return bmw_sidecar_reject(reader, node, "'%.*s' must be %s, not %s", key_size, node->key,
                                  bmw_kinds[type].word, tn_json_tree_word(node));
    if (!bmw_sidecar_is_usable(node, type))
        return type == BMW_NUMBER
                   ? bmw_sidecar_reject(reader, node, "'%.*s' is too large", key_size, node->key)
                   : bmw_sidecar_reject(reader, node,
                                        "'%.*s' must be three numbers, like \"0 1 0\"", key_size,
                                        node->key);
    tenon_str copy;
    switch (type) {
    case BMW_STRING:
        copy = bmw_sidecar_copy(reader, node->text, node->size);
        if (copy.data) *(tenon_str *)to = copy;
        return copy.data != NULL;
    case BMW_NUMBER:
        *(double *)to = tn_json_tree_f64(node, 0);
        return true;
    case BMW_VECTOR:
        return bmw_sidecar_parse_vector(node->text, node->size, to);
    case BMW_BOOL:
        *(bool *)to = node->is_true;
        return true;
    case BMW_CLIPS:
        return bmw_sidecar_read_clips(reader, node);
    case BMW_OVERRIDES:
        return bmw_sidecar_read_overrides(reader, node);
    }
    return false;
}

// -- Objects

// List the path of a key that the engine ignores. False if out of memory.
static bool bmw_sidecar_add_ignored(bmw_sidecar_reader *reader, const tn_json_value *node)
{
    tenon_bmw_sidecar *sidecar = reader->sidecar;
    char path[160];
    tn_json_tree_path(node, path, sizeof path);
    if (sidecar->ignored_count == reader->ignored_capacity) {
        uint32_t capacity = 2 * reader->ignored_capacity + 4;
        tenon_str *list = bmw_sidecar_alloc(reader, capacity, sizeof *list);
        if (!list) return false;
        for (uint32_t i = 0; i < sidecar->ignored_count; i++) list[i] = sidecar->ignored[i];
        sidecar->ignored = list;
        reader->ignored_capacity = capacity;
    }
    tenon_str copy = bmw_sidecar_copy(reader, path, strlen(path));
    if (copy.data) sidecar->ignored[sidecar->ignored_count++] = copy;
    return copy.data != NULL;
}

static bool bmw_sidecar_read_object(bmw_sidecar_reader *reader, const tn_json_value *object,
                                    const bmw_key *keys, size_t key_count, void *to)
{
    for (uint32_t i = 0; i < tn_json_tree_count(object); i++) {
        const tn_json_value *member = tn_json_tree_at(object, i);
        const bmw_key *key = NULL;
        for (size_t k = 0; k < key_count && !key; k++)
            if (tn_text_is((tenon_str){member->key, member->key_size}, keys[k].name))
                key = &keys[k];
        bool ok = key ? bmw_sidecar_read_value(reader, member, key->type, (char *)to + key->offset)
                      : bmw_sidecar_add_ignored(reader, member);
        if (!ok) return false;
    }
    return true;
}

bool bmw_sidecar_clip_plays(const tenon_bmw_clip *clip)
{
    return clip->has_range || clip->file.size > 0;
}

static bool bmw_sidecar_read_clips(bmw_sidecar_reader *reader, const tn_json_value *array)
{
    uint32_t count = tn_json_tree_count(array);
    tenon_bmw_clip *clips = bmw_sidecar_alloc(reader, count, sizeof *clips);
    if (!clips) return false;
    reader->sidecar->clips = clips;
    reader->sidecar->clip_count = count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        tn_json_value *object = tn_json_tree_at(array, i);
        tenon_bmw_clip *clip = &clips[i];
        *clip = (tenon_bmw_clip){.name = {"", 0}, .file = {"", 0}, .origin = object};
        if (tn_json_tree_kind_of(object) != TN_TREE_OBJECT) {
            ok = bmw_sidecar_reject(reader, object, "a clip must be an object, not %s",
                                    tn_json_tree_word(object));
            continue;
        }
        ok = bmw_sidecar_read_object(reader, object, bmw_clip_keys, BMW_CLIP_KEYS, clip);
        const tn_json_value *start = tn_json_tree_get(object, "start"),
                            *end = tn_json_tree_get(object, "end"),
                            *file = tn_json_tree_get(object, "file");
        bool has_start = bmw_sidecar_is_usable(start, BMW_NUMBER),
             has_end = bmw_sidecar_is_usable(end, BMW_NUMBER);
        clip->has_range = has_start && has_end;
        clip->has_loop = bmw_sidecar_is_usable(tn_json_tree_get(object, "loop"), BMW_BOOL);
        clip->has_hold = bmw_sidecar_is_usable(tn_json_tree_get(object, "hold"), BMW_BOOL);
        if (ok && !tn_json_tree_get(object, "name"))
            ok = bmw_sidecar_reject(reader, object, "the clip has no 'name'");
        // Values that cannot be used are reported already.
        bool was_reported = (start && !has_start) || (end && !has_end) ||
                            (file && !bmw_sidecar_is_usable(file, BMW_STRING));
        if (ok && !bmw_sidecar_clip_plays(clip) && !was_reported)
            ok = bmw_sidecar_reject(reader, object,
                                    "the clip has neither 'start' and 'end' nor a 'file'");
    }
    return ok;
}

static bool bmw_sidecar_read_overrides(bmw_sidecar_reader *reader, const tn_json_value *array)
{
    uint32_t count = tn_json_tree_count(array);
    tenon_str *textures = bmw_sidecar_alloc(reader, count, sizeof *textures);
    if (!textures) return false;
    reader->sidecar->texture_overrides = textures;
    reader->sidecar->texture_override_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const tn_json_value *object = tn_json_tree_at(array, i);
        bool is_object = tn_json_tree_kind_of(object) == TN_TREE_OBJECT, ok = true;
        if (!is_object)
            ok = bmw_sidecar_reject(reader, object, "an override must be an object, not %s",
                                    tn_json_tree_word(object));
        else if (!tn_json_tree_get(object, "texture"))
            ok = bmw_sidecar_reject(reader, object, "the override has no 'texture'");
        if (ok && is_object)
            ok = bmw_sidecar_read_object(reader, object, &bmw_override_key, 1, &textures[i]);
        if (!ok) return false;
    }
    return true;
}

// -- The sidecar

tenon_bmw_sidecar *tenon_bmw_sidecar_read(const char *text, size_t size,
                                          const tenon_read_opts *opts, tenon_error *err)
{
    static const tenon_read_opts defaults = {0};
    tenon_error ignored;
    if (!opts) opts = &defaults;
    if (!err) err = &ignored;
    tn_error_clear(err);
    uint64_t limit = opts->max_memory ? opts->max_memory : MEMORY_BASE + MEMORY_SHARE * size;
    struct tenon_bmw_sidecar_owner *owner =
        tn_owner_new(&opts->allocator, sizeof *owner, limit, err);
    if (!owner) return NULL;
    owner->sidecar = bmw_default_sidecar;
    owner->sidecar.owner = owner;
    bmw_sidecar_reader reader = {&owner->sidecar, &owner->tree, &owner->arena, 0, err};
    bool ok =
        tn_json_tree_parse_object(&owner->tree, text, size, &owner->arena, "the sidecar", err) &&
        bmw_sidecar_read_object(&reader, owner->tree.root, bmw_sidecar_keys, BMW_SIDECAR_KEYS,
                                reader.sidecar);
    if (tn_budget_settle(opts->allocator.budget, ok, err)) return &owner->sidecar;
    tenon_bmw_sidecar_free(&owner->sidecar);
    return NULL;
}

void tenon_bmw_sidecar_free(tenon_bmw_sidecar *sidecar)
{
    if (sidecar) tn_owner_free(sidecar->owner, sizeof *sidecar->owner);
}

void *tenon_bmw_sidecar_alloc(tenon_bmw_sidecar *sidecar, size_t size)
{
    return tn_arena_alloc(&sidecar->owner->arena, size, 1, NULL);
}

uint32_t tenon_bmw_clip_animation(const tenon_bmw_sidecar *sidecar, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index && i < sidecar->clip_count; i++)
        count += sidecar->clips[i].file.size > 0;
    return count;
}

// -- Files

bool bmw_sidecar_name(tenon_str stem, char *out, size_t out_size)
{
    int size = snprintf(out, out_size, "%.*s.json", (int)stem.size, stem.data);
    return size > 0 && (size_t)size < out_size;
}

bool bmw_sidecar_name_of(const char *model_path, char *out, size_t out_size)
{
    return bmw_sidecar_name(tn_path_stem(model_path), out, out_size);
}

tenon_bmw_sidecar *tenon_bmw_sidecar_beside(const char *model_path, const tenon_read_opts *opts,
                                            tenon_error *err)
{
    tenon_read_opts settled = {0};
    if (opts) settled = *opts;
    tenon_error unwanted;
    tenon_bytes bytes;
    if (!tn_load_sidecar(model_path, "json", &settled, &bytes, err ? err : &unwanted)) return NULL;
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read(bytes.data, bytes.size, opts, err);
    tenon_unload(&bytes);
    return sidecar;
}

typedef struct bmw_sidecar_writer {
    tn_json_tree *tree;
    tenon_error *err;
} bmw_sidecar_writer;

// -- Writing values

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

// Set a value in the text if it differs from that of the struct. A missing or unusable value is
// left as it is if the struct has `fallback`, its default; NULL: it has none.
static bool bmw_sidecar_write_value(const bmw_sidecar_writer *writer, tn_json_value *object,
                                    const bmw_key *key, const void *from, const void *fallback)
{
    const tn_json_value *old = tn_json_tree_get(object, key->name);
    double numbers[3];
    tenon_str text;
    if (bmw_sidecar_is_usable(old, key->type)) {
        text = (tenon_str){old->text, old->size};
        fallback = key->type == BMW_STRING ? (const void *)&text : numbers;  // What it is now.
        if (key->type == BMW_BOOL) fallback = &old->is_true;
        if (key->type == BMW_NUMBER) numbers[0] = tn_json_tree_f64(old, 0);
        if (key->type == BMW_VECTOR) (void)bmw_sidecar_parse_vector(old->text, old->size, numbers);
    }
    if (fallback && bmw_sidecar_write_are_equal(key->type, from, fallback)) return true;
    tn_json_value *new_value = bmw_sidecar_write_make_value(writer, key, from);
    if (new_value) tn_json_tree_set(writer->tree, object, key->name, new_value);
    return new_value != NULL;
}

// -- Writing lists

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
        tn_json_value *object = clip->origin;
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

        for (size_t k = 0; k < BMW_CLIP_KEYS; k++) {
            const bmw_key *key = &bmw_clip_keys[k];
            const void *from = (const char *)clip + key->offset, *fallback = NULL;
            if (strcmp(key->name, "file") == 0 && clip->file.size == 0) continue;
            if (key->type == BMW_NUMBER && !clip->has_range) continue;
            if (strcmp(key->name, "name") == 0 && !is_new) fallback = &nameless;
            if (strcmp(key->name, "loop") == 0 && !clip->has_loop) fallback = &off;
            if (strcmp(key->name, "hold") == 0 && !clip->has_hold) fallback = &off;
            if (!bmw_sidecar_write_value(writer, object, key, from, fallback)) return false;
        }
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

// -- Writing the sidecar

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
