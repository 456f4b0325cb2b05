// check.h: what rules are written with.
// SPDX-License-Identifier: MIT
//
// A rule is a row of a constant table; a check function calls tn_found() with the row's number.
// Findings are collected, given their offset in the file, sorted, and then told.

#ifndef TN_CORE_CHECK_H
#define TN_CORE_CHECK_H

#include "arena.h"
#include "error.h"

// A path made with printf, passed by value.
typedef struct tn_path_text {
    char text[160];
} tn_path_text;

tn_path_text tn_path(const char *fmt, ...) TN_PRINTF(1, 2);

typedef struct tn_found_item {
    const tenon_rule *rule;
    struct tn_found_item *next;
    uint64_t offset;
    uint64_t order;   // In which it was found.
    uint64_t *total;  // Findings of the rule.
    uint64_t more;    // Those of them that are not told, on the last one that is.
    char path[160];
    char message[192];
} tn_found_item;

typedef struct tn_check {
    const tenon_check_opts *opts;  // Never NULL.
    const tenon_rule *rules;       // Of the format.
    uint64_t *totals;              // Findings of each rule.
    uint32_t max_per_rule;
    tn_arena *arena;
    tn_found_item *found;  // Newest first.
    uint64_t found_count;
    uint64_t done, total;  // Bytes looked at, for the progress callback.
    bool cancelled;        // It said stop.
    bool failed;           // Out of memory.
} tn_check;

// Note that something breaks rule number `rule`.
void tn_found(tn_check *check, uint32_t rule, tn_path_text path, const char *fmt, ...)
    TN_PRINTF(4, 5);

// `count` zeroed objects to work with; NULL, and the check fails, if there is no memory.
void *tn_check_alloc(tn_check *check, uint64_t count, size_t size);

// Say that so many more bytes were looked at. False: stop, the result is not wanted any more.
bool tn_check_step(tn_check *check, uint64_t bytes);

// -- Rules that many formats share

// Text that is not UTF-8.
void tn_check_text(tn_check *check, uint32_t rule, tn_path_text path, tenon_str text);

// A number, or one of `count`, that is NaN or infinite.
void tn_check_finite(tn_check *check, uint32_t rule, tn_path_text path, const float *v,
                     uint32_t count);
void tn_check_span_finite(tn_check *check, uint32_t rule, const char *path, const tenon_span *span);

// A path in a model that leads out of the model's folder.
void tn_check_inside(tn_check *check, uint32_t rule, tn_path_text path, tenon_str text);

#endif  // TN_CORE_CHECK_H
