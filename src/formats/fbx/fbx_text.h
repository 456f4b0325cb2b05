// fbx_text.h: FBX files that are text.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_FBX_TEXT_H
#define TN_FORMATS_FBX_FBX_TEXT_H

#include "formats/fbx/fbx_format.h"

// READ: parse doc->text into nodes; fails the cursor if it is not FBX text. In any mode, the
// observers, which may be NULL, get every name and value.
void fbx_text_parse(tn_io *io, tenon_fbx *doc, tn_observer *observers);

// Cut doc->text before its first fault, and close the braces that are open there.
bool fbx_text_recover(tenon_fbx *doc, tn_arena *arena, tenon_error *err);

// The version that the first line states; 0: none.
uint32_t fbx_text_version(tenon_str text);

// As tn_format.probe.
int fbx_text_probe(const char *text, uint64_t size);

// One number at the start of `text`, which may be spelled as C or JSON spells it, or as a C runtime
// spells what is not finite. Returns its size, 0 if there is none.
typedef struct fbx_text_number {
    bool is_integer;  // `integer` is set as well, and exact.
    int64_t integer;
    double number;
} fbx_text_number;

// The end of the line on which a comment starts.
const char *fbx_text_comment_end(const char *at, const char *end);

size_t fbx_text_number_at(const char *text, size_t size, fbx_text_number *number);

#endif  // TN_FORMATS_FBX_FBX_TEXT_H
