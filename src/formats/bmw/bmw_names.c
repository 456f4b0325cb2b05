// bmw_names.c: names of nodes and of the files that a model refers to.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_names.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MATCH_MEMORY ((uint64_t)16 << 20)

// -- Sorting

static int bmw_names_compare_texts(const void *a, const void *b)
{
    tenon_str x = ((const tenon_bmw_name *)a)->name, y = ((const tenon_bmw_name *)b)->name;
    return tn_text_order(x, y);
}

static int bmw_names_compare_ids(const void *a, const void *b)
{
    uint32_t x = ((const tenon_bmw_name *)a)->node_id, y = ((const tenon_bmw_name *)b)->node_id;
    return (x > y) - (x < y);
}

static int bmw_names_compare_node_ids(const void *a, const void *b)
{
    uint32_t x = ((const tenon_bmw_node *)a)->node_id, y = ((const tenon_bmw_node *)b)->node_id;
    return (x > y) - (x < y);
}

static void bmw_names_collect(const tenon_bmw_node *node, const void **items, uint64_t *count)
{
    items[(*count)++] = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_names_collect(&node->children[i], items, count);
}

// Sort pointers to `count` names, or to the nodes below `root`, by merging runs.
static bmw_sorted bmw_names_sort(const tenon_bmw_name *names, const tenon_bmw_node *root,
                                 uint64_t count, tn_arena *arena, bmw_compare_fn *compare)
{
    bmw_sorted sorted = {NULL, count, compare};
    const void **from = tn_arena_alloc(arena, count, sizeof *from, NULL);
    const void **to = from ? tn_arena_alloc(arena, count, sizeof *to, NULL) : NULL;
    if (!to) return sorted;
    uint64_t listed = 0;
    if (root) bmw_names_collect(root, from, &listed);
    while (listed < count) from[listed] = &names[listed], listed++;
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * run) {
            uint64_t left = count - start, middle = start + (run < left ? run : left);
            uint64_t end = start + (2 * run < left ? 2 * run : left), a = start, b = middle;
            for (uint64_t i = start; i < end; i++) {
                bool takes_a = b == end || (a < middle && compare(from[a], from[b]) <= 0);
                to[i] = from[takes_a ? a++ : b++];
            }
        }
        const void **merged = to;
        to = from;
        from = merged;
    }
    sorted.items = from;
    return sorted;
}

bmw_sorted bmw_names_by_id(const tenon_bmw_name *names, uint64_t count, tn_arena *arena)
{
    return bmw_names_sort(names, NULL, count, arena, bmw_names_compare_ids);
}

bmw_sorted bmw_names_by_text(const tenon_bmw_name *names, uint64_t count, tn_arena *arena)
{
    return bmw_names_sort(names, NULL, count, arena, bmw_names_compare_texts);
}

bmw_sorted bmw_names_nodes_by_id(const tenon_bmw *doc, tn_arena *arena)
{
    return bmw_names_sort(NULL, &doc->root, bmw_info_count_nodes(&doc->root), arena,
                          bmw_names_compare_node_ids);
}

uint64_t bmw_names_find(const bmw_sorted *sorted, const void *key)
{
    uint64_t low = 0, high = sorted->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sorted->compare(sorted->items[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < sorted->count && sorted->compare(sorted->items[low], key) == 0;
    return is_there ? low : TENON_ABSENT;
}

// -- Nodes with the same name

bool tenon_bmw_match(const tenon_bmw *model, const tenon_bmw *other,
                     const tenon_bmw_animation *animation, uint32_t *node_ids, uint32_t *unmatched,
                     tenon_error *err)
{
    tn_error_clear(err);
    uint64_t names = (uint64_t)model->name_count + other->name_count;
    tn_arena arena = tn_arena_make(&model->base.owner->arena.allocator,
                                   MATCH_MEMORY + 2 * sizeof(void *) * names);
    bmw_sorted other_names = bmw_names_by_id(other->names, other->name_count, &arena);
    bmw_sorted model_names = bmw_names_by_text(model->names, model->name_count, &arena);
    bool ok = other_names.items && model_names.items;
    uint32_t kept = 0;
    for (uint32_t b = 0; ok && b < animation->bone_count; b++) {
        uint32_t id = animation->bones[b].node_id;
        uint64_t at = bmw_names_find(&other_names, &(tenon_bmw_name){.node_id = id});
        if (at != TENON_ABSENT) at = bmw_names_find(&model_names, other_names.items[at]);
        if (at != TENON_ABSENT) id = ((const tenon_bmw_name *)model_names.items[at])->node_id;
        kept += at == TENON_ABSENT;
        if (node_ids) node_ids[b] = id;
    }
    if (unmatched) *unmatched = kept;
    tn_arena_free(&arena);
    return ok || tn_error(err, TENON_ERR_MEMORY, "out of memory");
}

bool bmw_names_relate(const void *any, const tenon_doc *other, char *text, size_t text_size)
{
    const tenon_bmw *model = any, *other_doc = (const tenon_bmw *)other;
    uint32_t unmatched;
    if (other->format != model->base.format || other_doc->animation_count == 0) return false;
    const tenon_bmw_animation *animation = &other_doc->animations[0];
    if (!tenon_bmw_match(model, other_doc, animation, NULL, &unmatched, NULL)) return false;
    snprintf(text, text_size,
             "of %" PRIu32 " nodes that the animation moves, %" PRIu32 " were found by name",
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

// The index of the first `word` in `text`; TENON_NONE if there is none.
static uint32_t bmw_names_find_word(tenon_str text, const char *word, uint32_t word_size)
{
    for (uint32_t i = 0; i + word_size <= text.size; i++)
        if (memcmp(text.data + i, word, word_size) == 0) return i;
    return TENON_NONE;
}

size_t tenon_bmw_texture_name(tenon_str texture, char *out, size_t out_size)
{
    uint32_t jpg = bmw_names_find_word(texture, ".jpg", 4),
             png = bmw_names_find_word(texture, ".png", 4);
    uint32_t cut = jpg < png ? jpg : png;
    size_t kept = cut == TENON_NONE ? texture.size : cut;
    size_t size = cut == TENON_NONE ? kept : kept + 4;
    if (out_size) out[0] = '\0';
    if (size >= out_size) return 0;
    memcpy(out, texture.data, kept);
    if (cut != TENON_NONE) memcpy(out + kept, ".dds", 4);
    out[size] = '\0';
    return size;
}
