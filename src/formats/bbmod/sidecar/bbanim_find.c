// bbanim_find.c: finding the animation files of a model by their names.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/math/sort.h"
#include "core/memory/arena.h"
#include "core/text/error.h"

#include <tenon/bbmod.h>

#include <errno.h>
#include <string.h>

static const char bbanim_end[] = ".bbanim";

typedef struct bbanim_name {
    struct bbanim_name *next;
    char text[];
} bbanim_name;

typedef struct bbanim_search {
    tn_arena arena;
    const char *model;  // The file name of the model.
    size_t stem_size;   // Without the extension.
    bbanim_name *first;
    uint32_t count;
    bool failed;
} bbanim_search;

static bool bbanim_add_name(void *user, const char *name)
{
    bbanim_search *search = user;
    size_t size = strlen(name), end_size = sizeof bbanim_end - 1;
    bool is_clip = size > search->stem_size + 1 + end_size &&
                   memcmp(name, search->model, search->stem_size) == 0 &&
                   name[search->stem_size] == '_' &&
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

static bool bbanim_name_is_before(const void *context, uint32_t a, uint32_t b)
{
    const bbanim_name *const *names = context;
    return strcmp(names[a]->text, names[b]->text) < 0;
}

static bool bbanim_report_sorted(bbanim_search *search, tenon_side_fn *fn, void *user)
{
    const bbanim_name **names = tn_arena_alloc(&search->arena, search->count, sizeof *names, NULL);
    uint32_t *order = tn_arena_alloc(&search->arena, search->count, 2 * sizeof *order, NULL);
    if (!names || !order) return false;
    uint32_t count = 0;
    for (const bbanim_name *item = search->first; item; item = item->next) names[count++] = item;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, order + count, count, bbanim_name_is_before, names);
    for (uint32_t i = 0; i < count; i++) fn(user, names[order[i]]->text);
    return true;
}

bool tenon_bbanim_find(const tenon_files *files, const char *model_path,
                       const tenon_allocator *allocator, tenon_side_fn *fn, void *user,
                       tenon_error *err)
{
    static const tenon_allocator usual;
    char folder[TN_PATH_SIZE] = "./";
    size_t folder_size = tn_path_folder_size(model_path);
    const char *name = model_path + folder_size, *dot = strrchr(name, '.');
    tn_error_clear(err);
    if (!files) files = tenon_system_files();
    if (!files->list) return true;
    if (folder_size >= sizeof folder)
        return tn_error(err, TENON_ERR_IO, "the path of the model is too long");
    if (folder_size) memcpy(folder, model_path, folder_size);
    if (folder_size) folder[folder_size] = '\0';
    bbanim_search search = {.arena = tn_arena_make(allocator ? allocator : &usual, UINT64_MAX),
                            .model = name,
                            .stem_size = dot && dot != name ? (size_t)(dot - name) : strlen(name)};
    int error = files->list(files->user, folder, bbanim_add_name, &search);
    bool ok = !search.failed && (error == 0 || error == ENOSYS);
    if (ok && search.count) search.failed = !bbanim_report_sorted(&search, fn, user);
    tn_arena_free(&search.arena);
    if (search.failed) return tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (ok) return true;
    return tn_file_error(err, TENON_ERR_IO, error, "look for animations in", folder, NULL);
}
