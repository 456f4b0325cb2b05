// paths.h: paths of files: their parts, the formats that extensions name, and lists of paths.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_PATHS_H
#define TENON_CLI_PATHS_H

#include <tenon/files.h>

#define PATH_SIZE 4096  // Bytes of a path, with the NUL at its end.

// The most extensions that a format has.
#define EXTENSION_COUNT (sizeof((tenon_format *)0)->extensions / sizeof(const char *))

// "hero.gpb" of "models/hero.gpb".
const char *path_base_name(const char *path);

// Whether two paths have the same folder before their names, by spelling.
bool path_has_same_folder(const char *a, const char *b);

// The bytes of a base name before its extension: 4 of "hero.gpb". A dot at the start of a name does
// not begin an extension.
size_t path_stem_size(const char *base_name);

// Whether a path is "-": standard input or standard output.
bool path_is_stream(const char *path);

// The bytes of a text before its ending, or of all of it if it does not end so.
size_t text_size_before(const char *text, const char *ending);

// A copy of `size` bytes, with a NUL at its end, to be freed by the caller. NULL if memory ran out.
char *text_copy(const void *text, size_t size);

// A hash for tables, and for what need not be safe from attacks (FNV-1a).
uint64_t text_hash(const char *text);

// Whether two ids are of the same file.
bool file_id_equal(tenon_file_id a, tenon_file_id b);

// Whether files of a format have this extension, in upper or lower case.
bool format_has_extension(const tenon_format *format, const char *extension);

// The first format with this extension that has one of the capabilities `caps`; NULL: none.
const tenon_format *format_by_extension(const char *extension, uint32_t caps);

// The path of a file that a model names, as tenon_file_beside() finds it; false: it must not be
// used.
bool path_beside(const char *model_file, const char *name, char path[PATH_SIZE]);

// A list of paths. Zeroed is empty.
typedef struct file_list {
    char **names;
    uint32_t count, room;
    bool failed;  // Memory ran out: a name is missing.
} file_list;

// Add a copy of `name`, in `folder` unless that is "". False if memory ran out.
bool file_list_add(file_list *list, const char *folder, const char *name);

// The same, for functions of the library that pass names on; `user` is the list.
void file_list_take(void *user, const char *name);

void file_list_sort(file_list *list);

void file_list_free(file_list *list);

#endif  // TENON_CLI_PATHS_H
