// obj_library.h: the MTL files that an OBJ file names, found beside it.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H
#define TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H

#include "core/files/file.h"
#include "formats/obj/import/obj_parse.h"

// Why a library was not read.
typedef enum obj_missing {
    OBJ_NO_FOLDER,  // Nobody knows where the model is.
    OBJ_OUTSIDE,    // Its name leads out of the model's folder.
    OBJ_NOT_THERE,
    OBJ_UNREADABLE,
    OBJ_TOO_MANY,
} obj_missing;

typedef struct obj_library {
    const char *file;  // Its name, without folder.
    tenon_str folder;  // As seen from the model, with a slash at the end.
    tenon_str text;
} obj_library;

typedef struct obj_library_walk {
    const char *model_path;
    const tenon_files *files;  // NULL: the system's.
    tenon_allocator allocator;
    // Told every library, or why there is none. False: stop.
    bool (*found)(void *user, const obj_library *library);
    void (*missing)(void *user, obj_missing why, tenon_str name);
    void *user;
    tenon_error *err;  // Why it stopped.
} obj_library_walk;

// Look for what the `mtllib` lines name, only so many files. False, with `err` set: one of them
// cannot be read, or there is no memory, which is also why `found` says stop.
bool obj_walk_libraries(const obj_library_walk *walk, const obj_strings *lines);

// A path that a library names, as seen from the model; in memory of the arena if need be. False:
// there is none.
bool obj_from_model(tenon_str folder, tenon_str path, tn_arena *arena, tenon_str *out);

#endif  // TN_FORMATS_OBJ_IMPORT_OBJ_LIBRARY_H
