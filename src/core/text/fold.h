// fold.h: keys of names that file systems treat as equal.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_FOLD_H
#define TN_CORE_TEXT_FOLD_H

#include <stddef.h>

#define TN_FOLD_TIMES 3u  // How many times longer than a name its key can be.

// The key of a name, into `out`, not terminated: two names with different keys are different files
// on Windows, macOS and Linux. Returns its size, at most TN_FOLD_TIMES that of the name.
//
// The key ignores case in all scripts, invisible characters, and whether an accent is part of a
// letter or follows it: case folding and canonical decomposition of the Unicode version in
// fold_tables.h. Newer letters and bytes that are not UTF-8 stay as they are. Some names have the
// same key although every system keeps them apart.
size_t tn_fold(const char *name, size_t size, char *out);

#endif  // TN_CORE_TEXT_FOLD_H
