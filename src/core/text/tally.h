// tally.h: how often something happened, and where first.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_TALLY_H
#define TN_CORE_TEXT_TALLY_H

#include "core/text/error.h"

#include <stdint.h>

// Zeroed: it has not happened yet.
typedef struct tn_tally {
    uint64_t count;
    char path[160];  // Of the first; "" if the count is 0.
} tn_tally;

// Count `count` more, which may be 0. The path of the first is "LIST[INDEX]".
void tn_tally_at(tn_tally *tally, uint64_t count, const char *list, uint32_t index);

// The same with the path "LIST[INDEX].INNER_LIST[INNER_INDEX]".
void tn_tally_in(tn_tally *tally, uint64_t count, const char *list, uint32_t index,
                 const char *inner_list, uint32_t inner_index);

// The same with any path. It is formatted for the first only.
void tn_tally_path(tn_tally *tally, uint64_t count, const char *fmt, ...) TN_PRINTF(3, 4);

#endif  // TN_CORE_TEXT_TALLY_H
