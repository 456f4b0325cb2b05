// export_memory.h: a folder in memory: the files of an export, and how they are read again.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_MEMORY_H
#define TN_EXCHANGE_EXPORT_MEMORY_H

#include "core/files/file.h"
#include "core/text/name_tree.h"

#include <tenon/scene.h>

typedef struct tn_memory_file {
    tn_named named;
    struct tn_memory_file *next;
    char name[TN_PATH_SIZE];  // "" is the main file.
    uint8_t *data;
    size_t size, room;
} tn_memory_file;

typedef struct tn_memory_folder {
    const tenon_allocator *allocator;
    tn_memory_file *first, *last;  // In the order in which they were written.
    tn_name_tree names;            // Of two files with one name the first counts.
    const tn_memory_file *opened;  // The file that is being read.
    size_t at;                     // The position in it.
    bool has_no_memory;            // A file could not be written for lack of memory.
} tn_memory_folder;

// A sink that writes the files of an export to the folder.
tenon_sink tn_memory_sink(tn_memory_folder *folder);

// Operations that read these files, one at a time. There are none that write.
tenon_files tn_memory_files(tn_memory_folder *folder);

// The file of that name, or NULL. "./" at the start is ignored.
const tn_memory_file *tn_memory_find(const tn_memory_folder *folder, const char *name);

void tn_memory_free(tn_memory_folder *folder);

#endif  // TN_EXCHANGE_EXPORT_MEMORY_H
