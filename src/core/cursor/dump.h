// dump.h: a document as JSON, by an observer of its description.
// SPDX-License-Identifier: MIT
//
// Streamed: memory grows with the depth only. build.h turns the text into the same file again, byte
// for byte.
//
// Text that is JSON is written as its values if it has no spaces between them and is not too deep;
// else in pieces that end with a comma each. Both show in git what changed.

#ifndef TN_CORE_CURSOR_DUMP_H
#define TN_CORE_CURSOR_DUMP_H

#include "core/cursor/io.h"
#include "core/json/json_write.h"

typedef struct tn_dumper {
    tn_observer observer;
    tn_json_writer *json;
    bool is_item_open;  // An item has begun, and its first part will say whether it is an object.
    bool is_object[TN_DEPTH_MAX + 1];  // What the open item at each depth is.
} tn_dumper;

// The members of the document's object are written to `json`; the caller opens and closes the
// object.
void tn_dumper_init(tn_dumper *dumper, tn_json_writer *json);

// JSON is written as its values only if fewer spaces than this follow it: a builder adds no more.
#define TN_JSON_PADDING 4

#endif  // TN_CORE_CURSOR_DUMP_H
