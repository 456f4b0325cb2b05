// import_files.h: the files that Assimp may open: the model, and those that tenon sends on request.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SYSTEM_FILES_H
#define TENON_IMPORT_SYSTEM_FILES_H

#include <stddef.h>

#include <assimp/cfileio.h>

typedef struct import_files {
    const char *name;  // The model's,
    const void *data;  // and its bytes.
    size_t size;
} import_files;

// Operations for Assimp. No file is opened: all of it comes through the pipe, into memory.
struct aiFileIO import_file_io(const import_files *files);

#endif  // TENON_IMPORT_SYSTEM_FILES_H
