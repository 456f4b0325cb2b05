// export_names.h: names that an export makes: all different, and fit for files.
// SPDX-License-Identifier: MIT

#ifndef TN_EXCHANGE_EXPORT_NAMES_H
#define TN_EXCHANGE_EXPORT_NAMES_H

#include "core/memory/arena.h"
#include "core/text/name_tree.h"

// Names that are taken. Zero, but for the arena, is none.
typedef struct tn_name_set {
    tn_arena *arena;
    bool are_files;  // They differ to all file systems: not in case alone, see fold.h.
    tn_name_tree tree;
    tn_refusal why;  // There was no memory.
} tn_name_set;

// Take a name made of two texts, or, if it is taken, of both with a number between them: "arm",
// "arm_2"; "lift.bbanim", "lift_2.bbanim". NULL without memory.
const char *tn_names_take(tn_name_set *names, tenon_str start, const char *end);

// Take a name as it is, whether it is free or not. False without memory.
bool tn_names_reserve(tn_name_set *names, tenon_str name);

// Say that there was no memory, or that a limit was reached. Returns false.
bool tn_names_fail(const tn_name_set *names, tenon_error *err);

#define TN_SAFE_MOST 100u  // Bytes, so that no file system refuses a name.

// What every file system takes of a text, into `out`, terminated: neither folders nor odd
// characters, which become '_', no dot at the start, no space or dot at the end, no name of a
// device, and not more than TN_SAFE_MOST bytes. May be empty.
size_t tn_safe_text(tenon_str text, char out[TN_SAFE_MOST + 8]);

#endif  // TN_EXCHANGE_EXPORT_NAMES_H
