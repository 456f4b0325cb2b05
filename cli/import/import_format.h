// import_format.h: the formats that only tenon-import reads, and where that is.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_IMPORT_FORMAT_H
#define TENON_CLI_IMPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct import_format {
    const char *name;   // Also the extension of its files.
    const char *title;  // For messages.
    bool is_draco;      // Not a file: meshes compressed by Draco, as import_draco.h says.
} import_format;

// The formats, and NULL past the last one.
const import_format *import_format_at(uint32_t index);

// The format that a file has by its name; NULL: none of these.
const import_format *import_format_by_name(const char *file);

// "COLLADA can be read but not written; writable: bbmod, gpb, ...".
void import_refuse_writing(const char *title, char *text, size_t size);

// Find tenon-import: the value of TENON_IMPORT if that is set, else beside this program, where it
// is installed, or on PATH. False if it is not installed.
bool import_find_program(char *path, size_t size);

// Whether tenon-import is installed.
bool import_is_there(void);

#endif  // TENON_CLI_IMPORT_FORMAT_H
