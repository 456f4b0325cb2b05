// bmw_names.c: names of nodes and of the files that a model refers to.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/math/sort.h"
#include "core/text/text.h"
#include "document/document.h"

#include <stdio.h>
#include <string.h>

#define MATCH_MEMORY ((uint64_t)16 << 20)

// -- Sorting

static int bmw_names_compare(const bmw_sorted *sorted, const tenon_bmw_name *a,
                             const tenon_bmw_name *b)
{
    if (sorted->is_by_text) return tn_text_order(a->name, b->name);
    return (a->node_id > b->node_id) - (a->node_id < b->node_id);
}

static bool bmw_names_is_before(const void *sorted, uint32_t a, uint32_t b)
{
    const tenon_bmw_name *names = ((const bmw_sorted *)sorted)->names;
    return bmw_names_compare(sorted, &names[a], &names[b]) < 0;
}

bmw_sorted bmw_names_sort(const tenon_bmw_name *names, uint32_t count, bool is_by_text,
                          uint32_t *room)
{
    bmw_sorted sorted = {names, count, room, is_by_text};
    if (room) tn_sort_all(room, count, bmw_names_is_before, &sorted);
    return sorted;
}

static void bmw_names_collect(const tenon_bmw_node *node, tenon_bmw_name *names, uint32_t *count)
{
    names[(*count)++].node_id = node->node_id;
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_names_collect(&node->children[i], names, count);
}

bmw_sorted bmw_names_nodes_by_id(const tenon_bmw *doc, tn_arena *arena)
{
    uint64_t count = bmw_info_count_nodes(&doc->root);
    if (count >= TENON_NONE) return (bmw_sorted){0};
    tenon_bmw_name *names = tn_arena_alloc(arena, count, sizeof *names, NULL);
    uint32_t *room = tn_arena_alloc(arena, count, 2 * sizeof *room, NULL), listed = 0;
    if (!names || !room) return (bmw_sorted){0};
    bmw_names_collect(&doc->root, names, &listed);
    return bmw_names_sort(names, listed, false, room);
}

bool bmw_names_is_repeated(const bmw_sorted *sorted, uint32_t i)
{
    return bmw_names_compare(sorted, &sorted->names[sorted->order[i - 1]],
                             &sorted->names[sorted->order[i]]) == 0;
}

uint32_t bmw_names_find(const bmw_sorted *sorted, tenon_bmw_name key)
{
    uint32_t low = 0, high = sorted->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bmw_names_compare(sorted, &sorted->names[sorted->order[middle]], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == sorted->count) return TENON_NONE;
    uint32_t first = sorted->order[low];
    return bmw_names_compare(sorted, &sorted->names[first], &key) == 0 ? first : TENON_NONE;
}

// -- Nodes with the same name

bool tenon_bmw_match(const tenon_bmw *model, const tenon_bmw *other,
                     const tenon_bmw_animation *animation, uint32_t *node_ids, uint32_t *unmatched,
                     tenon_error *err)
{
    tn_error_clear(err);
    uint64_t names = (uint64_t)model->name_count + other->name_count;
    tn_arena arena = tn_arena_make(&model->base.owner->arena.allocator,
                                   MATCH_MEMORY + 2 * sizeof(uint32_t) * names);
    uint32_t *room = tn_arena_alloc(&arena, names, 2 * sizeof *room, NULL);
    bmw_sorted ids = bmw_names_sort(other->names, other->name_count, false, room);
    bmw_sorted texts = bmw_names_sort(model->names, model->name_count, true,
                                      room ? room + 2 * (size_t)other->name_count : NULL);
    uint32_t kept = 0;
    for (uint32_t b = 0; room && b < animation->bone_count; b++) {
        uint32_t id = animation->bones[b].node_id;
        uint32_t at = bmw_names_find(&ids, (tenon_bmw_name){.node_id = id});
        if (at != TENON_NONE) at = bmw_names_find(&texts, other->names[at]);
        if (at != TENON_NONE) id = model->names[at].node_id;
        kept += at == TENON_NONE;
        if (node_ids) node_ids[b] = id;
    }
    if (unmatched) *unmatched = kept;
    tn_arena_free(&arena);
    return room || tn_error(err, TENON_ERR_MEMORY, "out of memory");
}

bool bmw_names_relate(const void *any, const tenon_doc *other, char *text, size_t text_size)
{
    const tenon_bmw *model = any, *other_doc = (const tenon_bmw *)other;
    uint32_t unmatched;
    if (other->format != model->base.format || other_doc->animation_count == 0) return false;
    const tenon_bmw_animation *animation = &other_doc->animations[0];
    if (!tenon_bmw_match(model, other_doc, animation, NULL, &unmatched, NULL)) return false;
    snprintf(text, text_size, "of %u nodes that the animation moves, %u were found by name",
             animation->bone_count, animation->bone_count - unmatched);
    return true;
}

// -- Files

static bool bmw_names_is_slash(char c)
{
    return c == '/' || c == '\\';
}

// Whether the path of a folder ends with the first `size` bytes of `name`, in whole folders.
static bool bmw_names_folder_ends_with(const char *folder, const char *name, size_t size)
{
    size_t folder_size = strlen(folder);
    while (folder_size && bmw_names_is_slash(folder[folder_size - 1])) folder_size--;
    if (size == 0 || size > folder_size) return false;
    const char *end = folder + folder_size - size;
    for (size_t i = 0; i < size; i++)
        if (end[i] != name[i] && !(bmw_names_is_slash(end[i]) && bmw_names_is_slash(name[i])))
            return false;
    return end == folder || bmw_names_is_slash(end[-1]);
}

// Find a file whose name starts with folders that are also the end of `folder`, the model's own.
static tn_place bmw_names_find_below(const tn_search *search, const char *folder, tenon_str name)
{
    for (uint32_t i = 0; i + 1 < name.size; i++) {
        if (!bmw_names_is_slash(name.data[i]) || !bmw_names_folder_ends_with(folder, name.data, i))
            continue;
        tn_place place = tn_find_sidecar(search, (tenon_str){name.data + i + 1, name.size - i - 1});
        if (place != TN_PLACE_MISSING) return place;
    }
    return TN_PLACE_MISSING;
}

tn_place bmw_names_find_file(const tn_search *search, tenon_str name)
{
    char spelled[TN_PATH_SIZE], real[TN_PATH_SIZE];
    size_t size = tn_path_folder_size(search->model_path);
    tn_place place = tn_find_sidecar(search, name);
    if (place != TN_PLACE_MISSING || size >= sizeof spelled) return place;
    memcpy(spelled, search->model_path, size);
    spelled[size] = '\0';
    place = bmw_names_find_below(search, spelled, name);
    if (place != TN_PLACE_MISSING) return place;
    // A relative path such as "crane.bmw" or "../crane.bmw" does not contain the folder's name.
    if (search->files->resolve(search->files->user, size ? spelled : ".", real, sizeof real) != 0)
        return place;
    return bmw_names_find_below(search, real, name);
}

size_t tenon_bmw_texture_name(tenon_str texture, char *out, size_t out_size)
{
    uint32_t cut = 0;
    while (cut + 4 <= texture.size && memcmp(texture.data + cut, ".jpg", 4) != 0 &&
           memcmp(texture.data + cut, ".png", 4) != 0)
        cut++;
    bool is_changed = cut + 4 <= texture.size;
    size_t kept = is_changed ? cut : texture.size, size = is_changed ? kept + 4 : kept;
    if (out_size) out[0] = '\0';
    if (size >= out_size) return 0;
    memcpy(out, texture.data, kept);
    if (is_changed) memcpy(out + kept, ".dds", 4);
    out[size] = '\0';
    return size;
}
