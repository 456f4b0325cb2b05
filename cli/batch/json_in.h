// json_in.h: reading small JSON files of the tool itself.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_JSON_IN_H
#define TENON_CLI_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} json_kind;

typedef struct json_value {
    json_kind kind;
    const char *key;   // In an object.
    const char *text;  // Of a string, without quotes; of a number, as it is in the file.
    struct json_value *first, *next;  // The first in it, the next beside it.
    char *own;                        // Private: the text of a number.
} json_value;

typedef struct json_in {
    char *text;  // A copy of the file, which values point into.
    json_value *root;
    const char *problem;  // Why it cannot be read,
    uint32_t line;        // and where.
} json_in;

// Read `size` bytes. False if they are not JSON, or memory ran out. Call json_in_free() in any
// case.
bool json_in_read(json_in *in, const char *bytes, size_t size);

void json_in_free(json_in *in);

// A member of an object; NULL: it has none of that name, or is no object.
const json_value *json_in_member(const json_value *object, const char *key);

#endif  // TENON_CLI_JSON_IN_H
