// fold.h: names that file systems take for the same.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_FOLD_H
#define TN_CORE_TEXT_FOLD_H

#include <stddef.h>

#define TN_FOLD_TIMES 3u  // How many times longer than a name its key can be.

// The key of a name, into `out`, not terminated: two names with different keys are different files
// on Windows, macOS and Linux. Returns its size, at most TN_FOLD_TIMES that of the name.
//
// Letters count without their case, in all scripts, and taken apart, so that an accent may be part
// of a letter or follow it; what cannot be seen does not count. That is case folding and canonical
// decomposition of the Unicode in fold_tables.h: letters that are newer stay as they are, as does
// what is not UTF-8. Some names have the same key that no system takes for the same.
size_t tn_fold(const char *name, size_t size, char *out);

#endif  // TN_CORE_TEXT_FOLD_H
