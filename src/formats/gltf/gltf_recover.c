// gltf_recover.c: recovery of damaged glTF files.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "core/json/json.h"

#include <string.h>

bool gltf_recover_skip_damaged(gltf_importer *importer, const char *feature,
                               const tn_json_value *part)
{
    const tenon_scene_opts *opts = importer->builder->opts;
    tenon_code code = importer->builder->err->code;
    if (!importer->builder->failed || !opts->salvage) return false;
    if (code == TENON_ERR_MEMORY || code == TENON_ERR_LIMIT || code == TENON_ERR_CANCELLED)
        return false;
    tenon_error why = *importer->builder->err;
    char path[96];
    gltf_import_pointer(part, path, sizeof path);
    importer->builder->failed = false;
    tn_error_clear(importer->builder->err);
    tenon_loss loss = {.kind = TENON_DROPPED,
                       .feature = feature,
                       .why = why.message,
                       .count = 1,
                       .path = path,
                       .offset = importer->text_offset + (part ? part->offset : 0),
                       .is_damage = true};
    if (opts->events.on_loss) opts->events.on_loss(opts->events.user, &loss);
    return true;
}

// -- Text

enum {
    ITEM_DEPTH = 2,    // Depth of the items of a list: inside the root and the list.
    REPAIRS_MOST = 8,  // Gaps that are closed.
    ITEMS_MOST = 8,    // Items of lists that are replaced by empty ones.
    ENDS_MOST = 16,    // Positions that are tried as the end of an item.
    BYTES_MOST = 64,   // Bytes of strings that are replaced.
};

// The JSON up to the last complete item, and the error after it.
typedef struct json_damage {
    size_t end;
    uint32_t depth;  // Brackets that are open there.
    bool list_is_object;
    size_t item;  // Start of the item with the error; 0: none.
    size_t fault;
    tn_json_code code;
} json_damage;

// Read up to the first error. Returns whether there is one.
static bool gltf_recover_find_fault(const char *text, size_t size, json_damage *damage)
{
    tn_json json;
    bool list_is_object = false;
    *damage = (json_damage){0};
    tn_json_begin(&json, text, size, 0);
    while (tn_json_next(&json) > TN_JSON_END) {
        tn_json_kind kind = json.token.kind;
        bool ends =
            kind != TN_JSON_KEY && kind != TN_JSON_OBJECT_BEGIN && kind != TN_JSON_ARRAY_BEGIN;
        if (json.depth == ITEM_DEPTH && !ends && kind != TN_JSON_KEY)
            list_is_object = kind == TN_JSON_OBJECT_BEGIN;
        if (json.depth == ITEM_DEPTH + 1 && kind == TN_JSON_OBJECT_BEGIN && !list_is_object)
            damage->item = (size_t)json.token.offset;
        if (ends && json.depth >= 1 && json.depth <= ITEM_DEPTH)
            *damage = (json_damage){json.pos, json.depth, list_is_object, 0, 0, TN_JSON_OK};
    }
    damage->fault = (size_t)json.error.offset;
    damage->code = json.error.code;
    return json.token.kind != TN_JSON_END;
}

// -- Repairs in place, which keep the indices of all items

static const char *gltf_recover_skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

// After the next brace that may close an item of a list, since another item or the end of the list
// follows. NULL if there is none.
static const char *gltf_recover_find_close(const char *p, const char *end)
{
    while (p < end && (p = memchr(p, '}', (size_t)(end - p))) != NULL) {
        const char *next = gltf_recover_skip_space(++p, end);
        if (next < end && *next == ']') return p;
        if (next < end && *next == ',' && (next = gltf_recover_skip_space(next + 1, end)) < end &&
            *next == '{')
            return p;
    }
    return NULL;
}

static void gltf_recover_write_empty_item(char *text, size_t item, size_t end)
{
    memset(text + item, ' ', end - item);
    text[item] = '{';
    text[end - 1] = '}';
}

// Replace a damaged item by an empty one. Of the positions where it may end, the one is used after
// which most of the JSON can be read. `spare` is a copy of the text.
static bool gltf_recover_empty_item(char *text, size_t size, const json_damage *damage, char *spare)
{
    size_t item = damage->item, best = 0, best_fault = damage->fault;
    const char *close = text + damage->fault;
    json_damage then;
    for (int i = 0; item && i < ENDS_MOST && (close = gltf_recover_find_close(close, text + size));
         i++) {
        size_t end = (size_t)(close - text);
        gltf_recover_write_empty_item(spare, item, end);
        bool is_good = !gltf_recover_find_fault(spare, size, &then);
        memcpy(spare + item, text + item, end - item);
        if (!is_good && then.fault <= best_fault) continue;
        best = end;
        best_fault = then.fault;
        if (is_good) break;
    }
    if (!best) return false;
    gltf_recover_write_empty_item(text, item, best);
    return true;
}

// -- Gaps

// Whether `"key" : [ {` is at `p`, the start of a list of the root.
static bool gltf_recover_is_list_at(const char *p, const char *end, const char *key)
{
    static const char following[] = {':', '[', '{'};
    size_t size = strlen(key);
    if ((size_t)(end - p) < size + 2 || *p != '"') return false;
    if (memcmp(p + 1, key, size) != 0 || p[size + 1] != '"') return false;
    p += size + 2;
    for (size_t i = 0; i < sizeof following; i++) {
        p = gltf_recover_skip_space(p, end);
        if (p == end || *p++ != following[i]) return false;
    }
    return true;
}

// The first list from `p` on; NULL if there is none. "samplers" is also a key of animations.
static const char *gltf_recover_find_list(const char *p, const char *end)
{
    static const char *const keys[] = {"accessors", "animations", "bufferViews", "buffers",
                                       "cameras",   "images",     "materials",   "meshes",
                                       "nodes",     "scenes",     "skins",       "textures"};
    for (; p < end && (p = memchr(p, '"', (size_t)(end - p))) != NULL; p++)
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (gltf_recover_is_list_at(p, end, keys[i])) return p;
    return NULL;
}

tenon_str gltf_recover_json(tenon_str text, tn_arena *arena)
{
    uint64_t room = (uint64_t)text.size + 4 * REPAIRS_MOST;
    char *copy = tn_arena_alloc(arena, room, 1, NULL), *spare = NULL;
    uint32_t size = text.size, bytes = 0, items = 0, holes = 0;
    json_damage damage;
    if (!copy) return (tenon_str){NULL, 0};
    memcpy(copy, text.data, size);
    while (holes < REPAIRS_MOST && gltf_recover_find_fault(copy, size, &damage)) {
        if (!spare && !(spare = tn_arena_alloc(arena, room, 1, NULL))) return (tenon_str){NULL, 0};
        // A byte that is not allowed in strings.
        if (bytes < BYTES_MOST &&
            (damage.code == TN_JSON_ERR_CONTROL || damage.code == TN_JSON_ERR_UTF8)) {
            copy[damage.fault] = '?';
            bytes++;
            continue;
        }
        memcpy(spare, copy, size);
        if (items++ < ITEMS_MOST && gltf_recover_empty_item(copy, size, &damage, spare)) continue;
        holes++;
        // Close open brackets and continue with the next list. In place: there is room for the
        // added bytes, since others are removed or there is room after the text.
        size_t from = damage.fault > damage.end ? damage.fault : damage.end, used = damage.end;
        const char *next = gltf_recover_find_list(copy + from, copy + size);
        char joint[4];
        size_t joint_size = 0;
        if (damage.depth == 0) joint[joint_size++] = '{';
        if (damage.depth == ITEM_DEPTH) joint[joint_size++] = damage.list_is_object ? '}' : ']';
        if (damage.depth && next) joint[joint_size++] = ',';
        if (!next) joint[joint_size++] = '}';
        size_t rest = next ? (size_t)(copy + size - next) : 0;
        if (rest) memmove(copy + used + joint_size, next, rest);
        memcpy(copy + used, joint, joint_size);
        size = (uint32_t)(used + joint_size + rest);
    }
    return (tenon_str){copy, size};
}
