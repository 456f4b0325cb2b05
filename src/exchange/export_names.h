// export_names.h: unique names, and names that are valid for files.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_NAMES_H
#define TN_EXCHANGE_EXPORT_NAMES_H

#include "core/memory/arena.h"
#include "core/text/name_tree.h"

// Names that are taken. Initialize with the arena, the rest with zero.
typedef struct tn_name_set {
    tn_arena *arena;
    bool are_files;  // Names that differ in case only count as equal, see fold.h.
    tn_name_tree tree;
    tn_refusal why;  // Why an allocation failed.
} tn_name_set;

// Take a name made of two texts, or, if it is taken, of both with a number between them: "arm",
// "arm_2"; "lift.bbanim", "lift_2.bbanim". NULL if out of memory.
const char *tn_names_take(tn_name_set *names, tenon_str start, const char *end);

// Mark a name as taken, whether it was free or not. False if out of memory.
bool tn_names_reserve(tn_name_set *names, tenon_str name);

// Set the error after a failed allocation. Returns false.
bool tn_names_fail(const tn_name_set *names, tenon_error *err);

#define TN_SAFE_MOST 100u  // Bytes, so that no file system refuses a name.

// Write a text to `out` as a name that every file system accepts, NUL-terminated. Separators of
// folders, reserved and control characters, a dot at the start, and a space or dot at the end
// become '_'. Names of devices are changed. At most TN_SAFE_MOST bytes are kept. The result may be
// empty. Returns its size.
size_t tn_safe_text(tenon_str text, char out[TN_SAFE_MOST + 8]);

#endif  // TN_EXCHANGE_EXPORT_NAMES_H
