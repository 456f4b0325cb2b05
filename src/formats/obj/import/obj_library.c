// obj_library.c: the MTL files that an OBJ file names, found beside it.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_library.h"

#include "core/files/file.h"
#include "core/text/error.h"

#include <string.h>

#define LIBRARIES_MOST 64  // Files that are searched.

typedef struct obj_library_finder {
    const obj_library_search *search;
    const tenon_files *files;
    uint32_t left;  // Files that may still be searched.
    bool stopped;
} obj_library_finder;

// Load a file and report it. Returns false if it does not exist.
static bool obj_library_try_load(obj_library_finder *finder, tenon_str name)
{
    const obj_library_search *search = finder->search;
    char path[TN_PATH_SIZE];
    tenon_file_info info;
    tenon_error err = {0};
    const tn_search file_search = {finder->files, search->model_path, path, TN_PATH_SIZE, &err,
                                   &info};
    if (finder->left == 0) return false;
    tn_place place = tn_find_sidecar(&file_search, name);
    if (err.code != TENON_OK) {
        finder->stopped = true;
        *search->err = err;
    }
    if (place != TN_PLACE_FOUND || info.kind != TENON_FILE_REGULAR || info.size >= UINT32_MAX)
        return false;
    finder->left--;
    tenon_bytes bytes;
    const tenon_read_opts read = {
        .allocator = search->allocator, .files = finder->files, .beside = search->model_path};
    if (!tenon_load(path, &read, &bytes, &err)) {
        finder->stopped = tn_is_outage(&err);
        if (finder->stopped)
            *search->err = err;
        else
            search->missing(search->user, OBJ_UNREADABLE, name);
        return true;
    }
    uint32_t folder = name.size;
    while (folder && name.data[folder - 1] != '/' && name.data[folder - 1] != '\\') folder--;
    const obj_library library = {.file = path + tn_path_folder_size(path),
                                 .folder = {name.data, folder},
                                 .text = {bytes.data, (uint32_t)bytes.size}};
    finder->stopped = !search->found(search->user, &library);
    if (finder->stopped) (void)tn_error(search->err, TENON_ERR_MEMORY, "out of memory");
    tenon_unload(&bytes);
    return true;
}

bool obj_library_search_libraries(const obj_library_search *search, const obj_names *lines)
{
    obj_library_finder finder = {.search = search, .files = search->files, .left = LIBRARIES_MOST};
    if (!finder.files) finder.files = tenon_system_files();
    for (uint32_t i = 0; i < lines->count && !finder.stopped; i++) {
        tenon_str line = lines->items[i].name;
        if (!search->model_path) {
            search->missing(search->user, OBJ_NO_FOLDER, line);
            continue;
        }
        // A line can name one file, whose name may contain blanks, or several files.
        if (obj_library_try_load(&finder, line)) continue;
        obj_text text = obj_parse_text_begin(line.data, line.size);
        obj_word word;
        while (!finder.stopped && obj_parse_next_word(&text, &word)) {
            tenon_str name = {word.text, word.size};
            if (obj_library_try_load(&finder, name)) continue;
            obj_missing why = tn_name_stays_inside(name) ? OBJ_NOT_THERE : OBJ_OUTSIDE;
            search->missing(search->user, finder.left ? why : OBJ_TOO_MANY, name);
            if (finder.left) finder.left--;
        }
    }
    return !finder.stopped;
}

bool obj_library_path_from_model(tenon_str folder, tenon_str path, tn_arena *arena, tenon_str *out)
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
