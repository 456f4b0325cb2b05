// import_files.h: the files that Assimp may open: the model, and files that tenon sends.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SYSTEM_FILES_H
#define TENON_IMPORT_SYSTEM_FILES_H

#include <stddef.h>

#include <assimp/cfileio.h>

typedef struct import_files {
    const char *name;  // Of the model.
    const void *data;  // Its bytes.
    size_t size;
} import_files;

// File operations for Assimp. No file is opened: bytes come through the pipe, into memory.
struct aiFileIO import_file_io(const import_files *files);

#endif  // TENON_IMPORT_SYSTEM_FILES_H
