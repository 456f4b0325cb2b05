// dump.h: a document as JSON, by an observer of its description.
// SPDX-License-Identifier: MIT
//
// Streamed: memory in proportion to the depth. What build.h makes of the text is the same file
// again, byte for byte.

#ifndef TN_CORE_DUMP_H
#define TN_CORE_DUMP_H

#include "io.h"
#include "json_write.h"

typedef struct tn_dumper {
    tn_observer observer;
    tn_json_writer *json;
    bool is_item_open;  // An item has begun, and its first part will say whether it is an object.
    bool is_object[TN_DEPTH_MAX + 1];  // What the open item at each depth is.
} tn_dumper;

// The members of the document's object are put to `json`; the caller opens and closes the object.
void tn_dumper_init(tn_dumper *dumper, tn_json_writer *json);

#endif  // TN_CORE_DUMP_H
