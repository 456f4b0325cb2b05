// obj_library.c: the MTL files that an OBJ file names, found beside it.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_library.h"

#include "core/files/file.h"
#include "core/text/error.h"

#include <string.h>

#define LIBRARIES_MOST 64  // Files that are searched.

typedef struct finder {
    const obj_library_walk *walk;
    const tenon_files *files;
    uint32_t left;  // Files that may still be searched.
    bool stopped;
} finder;

static bool is_there(finder *f, tenon_str name, char *path)
{
    tenon_file_info info;
    tenon_error err = {0};
    const tn_search search = {f->files, f->walk->model_path, path, TN_PATH_SIZE, &err, &info};
    tn_place place = tn_find_sidecar(&search, name);
    f->stopped |= err.code != TENON_OK;
    if (err.code != TENON_OK) *f->walk->err = err;
    return place == TN_PLACE_FOUND && info.kind == TENON_FILE_REGULAR && info.size < UINT32_MAX;
}

static void load(finder *f, tenon_str name, const char *path)
{
    const obj_library_walk *walk = f->walk;
    tenon_bytes bytes;
    tenon_error err = {0};
    const tenon_read_opts read = {
        .allocator = walk->allocator, .files = f->files, .beside = walk->model_path};
    if (!tenon_load(path, &read, &bytes, &err)) {
        f->stopped = tn_is_outage(&err);
        if (f->stopped)
            *walk->err = err;
        else
            walk->missing(walk->user, OBJ_UNREADABLE, name);
        return;
    }
    uint32_t folder = name.size;
    while (folder && name.data[folder - 1] != '/' && name.data[folder - 1] != '\\') folder--;
    const obj_library library = {.file = path + tn_path_folder_size(path),
                                 .folder = {name.data, folder},
                                 .text = {bytes.data, (uint32_t)bytes.size}};
    f->stopped = !walk->found(walk->user, &library);
    if (f->stopped) (void)tn_error(walk->err, TENON_ERR_MEMORY, "out of memory");
    tenon_unload(&bytes);
}

// Returns false if the file does not exist.
static bool try_one(finder *f, tenon_str name)
{
    char path[TN_PATH_SIZE];
    if (f->left == 0 || !is_there(f, name, path)) return false;
    f->left--;
    load(f, name, path);
    return true;
}

// A line can name one file, whose name may contain blanks, or several files.
static void take_line(finder *f, tenon_str names)
{
    const obj_library_walk *walk = f->walk;
    if (try_one(f, names)) return;
    obj_text t = obj_text_begin(names.data, names.size);
    obj_word word;
    while (!f->stopped && obj_next_word(&t, &word)) {
        tenon_str name = {word.text, word.size};
        if (try_one(f, name)) continue;
        obj_missing why = tn_name_stays_inside(name) ? OBJ_NOT_THERE : OBJ_OUTSIDE;
        walk->missing(walk->user, f->left ? why : OBJ_TOO_MANY, name);
        if (f->left) f->left--;
    }
}

bool obj_walk_libraries(const obj_library_walk *walk, const obj_strings *lines)
{
    finder f = {.walk = walk, .files = walk->files, .left = LIBRARIES_MOST};
    if (!f.files) f.files = tenon_system_files();
    for (uint32_t i = 0; i < lines->count && !f.stopped; i++)
        if (walk->model_path)
            take_line(&f, lines->items[i]);
        else
            walk->missing(walk->user, OBJ_NO_FOLDER, lines->items[i]);
    return !f.stopped;
}

bool obj_from_model(tenon_str folder, tenon_str path, tn_arena *arena, tenon_str *out)
{
    bool is_absolute = path.size && (path.data[0] == '/' || path.data[0] == '\\' ||
                                     (path.size > 1 && path.data[1] == ':'));
    *out = path;
    if (folder.size == 0 || is_absolute || path.size > UINT32_MAX - folder.size) return true;
    char *joined = tn_arena_alloc(arena, (uint64_t)folder.size + path.size, 1, NULL);
    if (!joined) return false;
    memcpy(joined, folder.data, folder.size);
    memcpy(joined + folder.size, path.data, path.size);
    *out = (tenon_str){joined, folder.size + path.size};
    return true;
}
