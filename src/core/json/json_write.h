// json_write.h: write JSON to a callback, formatted to be read by people and compared by git.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_JSON_JSON_WRITE_H
#define TN_CORE_JSON_JSON_WRITE_H

#include "core/json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Use
//
//     tn_json_writer w;
//     tn_json_writer_begin(&w, write, user, 1);
//     tn_json_put_object_begin(&w, TN_JSON_BLOCK);
//     tn_json_put_key(&w, "origin");
//     tn_json_put_array_begin(&w, TN_JSON_INLINE);
//     for (int i = 0; i < 3; i++) tn_json_put_f32(&w, origin[i]);
//     tn_json_put_array_end(&w);
//     tn_json_put_object_end(&w);
//     bool ok = tn_json_writer_end(&w);
//
//     {
//      "origin": [0, 1.5, -2]
//     }
//
// The same calls give the same bytes. Failure is sticky: when the callback has refused once,
// nothing more is written, and calls need no checking. Calls that would not make one JSON text (a
// value without a key in an object, an end without its begin, two texts) fail in the same way.

// Takes the next bytes of the text. Returns false to stop.
typedef bool tn_json_write_fn(void *user, const void *bytes, size_t size);

typedef enum tn_json_layout {
    TN_JSON_BLOCK,   // One item a line, indented by depth.
    TN_JSON_INLINE,  // Everything on one line, including its contents.
} tn_json_layout;

typedef struct tn_json_writer {
    bool failed;

    // Private.
    tn_json_write_fn *write;
    void *user;
    uint32_t indent, depth;
    bool is_compact;        // No spaces and no line breaks, whatever the layouts say.
    uint32_t inline_depth;  // The outermost level that is inline; 0 if none is.
    uint32_t row_size;      // Items a line in the innermost level; 0 if it is not an array in rows.
    uint32_t row_used;      // Items on the last line.
    int expected;
    bool is_empty;  // The innermost level has no item yet.
    uint64_t is_object[TN_JSON_MAX_DEPTH / 64];
    size_t used;
    char buffer[4096];
} tn_json_writer;

// Start a text. `indent` is the number of spaces for each level. `write` gets the bytes in pieces
// of some kilobytes, and `user` with each.
void tn_json_writer_begin(tn_json_writer *w, tn_json_write_fn *write, void *user, uint32_t indent);

// Start a text for machines: no spaces, no line breaks, no newline at the end.
void tn_json_writer_begin_compact(tn_json_writer *w, tn_json_write_fn *write, void *user);

// End the text with a newline and write out what is left. Returns whether all went well. The writer
// can then be started again, for example to write one object per line.
bool tn_json_writer_end(tn_json_writer *w);

// -- Containers
//
// Up to TN_JSON_MAX_DEPTH deep. An empty one is `{}` or `[]` in either layout.

void tn_json_put_object_begin(tn_json_writer *w, tn_json_layout layout);
void tn_json_put_object_end(tn_json_writer *w);
void tn_json_put_array_begin(tn_json_writer *w, tn_json_layout layout);
void tn_json_put_array_end(tn_json_writer *w);

// An array of numbers, ended like any other, with `per_line` of them on each line.
void tn_json_put_rows_begin(tn_json_writer *w, uint32_t per_line);

// -- Members and values

// The key of the next value. Text is written as it is, with the escapes that JSON demands; that it
// is UTF-8 is up to the caller: see tn_utf8_valid().
void tn_json_put_key(tn_json_writer *w, const char *key);
void tn_json_put_key_bytes(tn_json_writer *w, const char *key, size_t size);
void tn_json_put_string(tn_json_writer *w, const char *text);
void tn_json_put_string_bytes(tn_json_writer *w, const char *text, size_t size);

// The shortest text that reads back to the same bits. NaNs and infinities, which JSON cannot hold,
// become a string of their bits, "f32:7fc00001" or "f64:7ff8000000000001".
void tn_json_put_f32(tn_json_writer *w, float v);
void tn_json_put_f64(tn_json_writer *w, double v);

void tn_json_put_u64(tn_json_writer *w, uint64_t v);
void tn_json_put_i64(tn_json_writer *w, int64_t v);
void tn_json_put_bool(tn_json_writer *w, bool v);
void tn_json_put_null(tn_json_writer *w);

// A string of two hexadecimal digits for each byte.
void tn_json_put_hex(tn_json_writer *w, const uint8_t *bytes, size_t size);

// A value that is JSON already, written as it is, unchecked.
void tn_json_put_raw(tn_json_writer *w, const char *json, size_t size);

// The value that begins with the current token of `json`, in the layout of tn_json_tree_write():
// keys, strings and numbers keep their spelling. Moves on to the last token of the value. False if
// the value is not JSON or the writer has failed.
bool tn_json_put_value(tn_json_writer *w, tn_json *json);

#endif  // TN_CORE_JSON_JSON_WRITE_H
