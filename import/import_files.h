// import_files.h: the only files that Assimp may open: the model and what is beside it.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_IMPORT_FILES_H
#define TENON_IMPORT_IMPORT_FILES_H

#include <stddef.h>

#include <assimp/cfileio.h>

typedef struct import_files {
    const char *path;  // The model's,
    const void *data;  // and its bytes.
    size_t size;
} import_files;

// Operations for Assimp. Every file is taken into memory before it is read.
struct aiFileIO import_file_io(const import_files *files);

#endif  // TENON_IMPORT_IMPORT_FILES_H
