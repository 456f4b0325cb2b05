// locate.h: from the path of a field to its place in the file.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_CURSOR_LOCATE_H
#define TN_CORE_CURSOR_LOCATE_H

#include "core/cursor/io.h"

// A path to be found, and where it is.
typedef struct tn_wanted {
    const char *path;  // "bones[2].name", "faces[3]", "vertices[7].position", "bones[2]"
    uint64_t offset;   // TENON_ABSENT until it is found.
    uint64_t size;     // 0 for a structure: it starts there.
    bool is_settled;   // The field itself was found, not only a structure that contains it.
    tenon_span array;  // The field, if it is an array.
} tn_wanted;

// An observer that looks out for all of them at once.
typedef struct tn_locator {
    tn_observer observer;
    tn_wanted *wanted;
    uint64_t wanted_count;
} tn_locator;

void tn_locator_init(tn_locator *locator, tn_wanted *wanted, uint64_t count);

#endif  // TN_CORE_CURSOR_LOCATE_H
