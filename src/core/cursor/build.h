// build.h: JSON as the source of READ, so that a description makes a file of its dump.
// SPDX-License-Identifier: MIT
//
// Each field that the description takes is the next value of the text, encoded as the bytes it has
// in the file and handed on. Keys must be in file order; what is missing, unknown or out of range
// is an error with its place in the text.

#ifndef TN_CORE_CURSOR_BUILD_H
#define TN_CORE_CURSOR_BUILD_H

#include "core/cursor/io.h"
#include "core/json/json.h"

typedef struct tn_text_builder {
    tn_json json;
    const char *text;  // The whole of it, for counting ahead and for places.
    size_t text_size;
    bool is_peeked;     // json.token was looked at but not taken.
    bool is_item_open;  // An item has begun, and its first part will say whether it is an object.
    bool is_object[TN_DEPTH_MAX + 1];
    uint8_t wire[8 * TN_INLINE_MAX];  // Of the numbers taken last.
    struct {
        const char *name;
        uint64_t index;
    } inside[3];  // Where in a field of records: the record, the item of its list, the row.
    uint32_t inside_depth;
    tenon_write_fn *write;
    void *write_user;
    tn_arena *arena;
} tn_text_builder;

// Start at the text's opening brace, and take the members that say what it is: "tenon", "format",
// "dialect". The two names are NUL-terminated in `arena`; false, with `err` set, on failure.
bool tn_text_builder_begin(tn_text_builder *b, const char *text, size_t size, tn_arena *arena,
                           const char **format, const char **dialect, tenon_error *err);

// A cursor that reads from the text and hands the file's bytes to `write`.
void tn_text_builder_io(tn_text_builder *b, tn_io *io, tenon_write_fn *write, void *user,
                        tenon_error *err);

// After the description: bytes that follow the model, then the end of the text. Gives a failure of
// the cursor its place in the text. Returns whether all went well.
bool tn_text_builder_end(tn_text_builder *b, tn_io *io);

#endif  // TN_CORE_CURSOR_BUILD_H
