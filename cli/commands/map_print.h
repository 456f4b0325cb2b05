// map_print.h: the lines of a map, for people and for programs.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_MAP_PRINT_H
#define TENON_CLI_MAP_PRINT_H

#include <tenon/tenon.h>

#define MAP_INLINE_MAX 16  // Numbers, or unknown bytes, that are shown in one line.

// How the lines for people are laid out.
typedef struct map_columns {
    uint32_t offset, size, type, path;  // Widths.
    uint32_t line;                      // Of a whole line; UINT32_MAX: nothing is shortened.
} map_columns;

map_columns map_columns_for(uint64_t file_size, bool whole);

void map_print_head(const map_columns *columns);

// One line for a part. Of records and long arrays it says how many there are. The first `skip`
// bytes of the path, which the line above has shown, are replaced by two spaces.
void map_print_part(const map_columns *columns, const tenon_part *part, size_t skip);

// "… 12 more …"
void map_print_more(const map_columns *columns, uint64_t count);

// Where the file could not be read any further.
void map_print_fault(const map_columns *columns, const tenon_error *err);

// The same in JSON. With `whole`, unknown bytes are shown however many they are. `file` is NULL if
// there is only one.
void map_json_part(const char *file, const tenon_part *part, bool whole);
void map_json_fault(const char *file, const tenon_error *err);

#endif  // TENON_CLI_MAP_PRINT_H
