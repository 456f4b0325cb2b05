// obj_library.h: the MTL files that an OBJ file names, found beside it.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H

#include "core/files/file.h"
#include "formats/obj/import/obj_parse.h"

// Why a library was not read.
typedef enum obj_missing {
    OBJ_NO_FOLDER,  // The folder of the model is unknown.
    OBJ_OUTSIDE,    // Outside the folder of the model.
    OBJ_NOT_THERE,
    OBJ_UNREADABLE,
    OBJ_TOO_MANY,
} obj_missing;

typedef struct obj_library {
    const char *file;  // Its name, without folder.
    tenon_str folder;  // Relative to the model, with a slash at the end.
    tenon_str text;
} obj_library;

typedef struct obj_library_search {
    const char *model_path;
    const tenon_files *files;  // If NULL, those of the system.
    tenon_allocator allocator;
    // Called for every library. `found` returns whether to continue.
    bool (*found)(void *user, const obj_library *library);
    void (*missing)(void *user, obj_missing why, tenon_str name);
    void *user;
    tenon_error *err;  // Set on failure.
} obj_library_search;

// Load the libraries that the `mtllib` lines name, up to a limit. Returns false, with `err` set, if
// the system fails to read one, there is no memory, or `found` returns false, which means the same.
bool obj_library_search_libraries(const obj_library_search *search, const obj_names *lines);

// Convert a path in a library to one relative to the model. Returns false without memory.
bool obj_library_path_from_model(tenon_str folder, tenon_str path, tn_arena *arena, tenon_str *out);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H
