// json_out.h: printing JSON: members in the order they are given, one value on one line.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_JSON_OUT_H
#define TENON_CLI_JSON_OUT_H

#include <tenon/tenon.h>

#include <stdio.h>

typedef struct json_out {
    FILE *to;
    bool comma;  // Private: the next value needs one before it.
} json_out;

// In all of these `key` is NULL for items of an array and for top-level values.

void json_begin(json_out *json, const char *key, char bracket);  // '{' or '['
void json_end(json_out *json, char bracket);                     // '}' or ']'
void json_line(json_out *json);                                  // The end of the line.

void json_bool(json_out *json, const char *key, bool value);
void json_uint(json_out *json, const char *key, uint64_t value);
void json_number(json_out *json, const char *key, double value);

// Text from the tool, and names of files: what is not UTF-8 becomes U+FFFD.
void json_text(json_out *json, const char *key, const char *text);

// Text from a model: a string, or {"hex": ...} if it is not UTF-8 or holds a NUL.
void json_str(json_out *json, const char *key, tenon_str text);

// {"hex": ...}
void json_hex(json_out *json, const char *key, const uint8_t *bytes, uint64_t size);

// Number `index` of `bytes`; "f32:7fc00001" if it is not finite.
void json_typed(json_out *json, const char *key, tenon_type type, const uint8_t *bytes,
                bool big_endian, uint64_t index);

// The shortest text of a number. One that came from 32 bits gets no more digits than those need.
// Returns whether it is finite. 32 bytes are always enough.
bool json_number_text(double value, char *out, size_t out_size);

#endif  // TENON_CLI_JSON_OUT_H
