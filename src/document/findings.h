// findings.h: functions with which rules are written.
// SPDX-License-Identifier: MIT
//
// A rule is a row of a constant table; a check function calls tn_found() with its name.
// Findings are collected, given their offset in the file, sorted, and then reported.

#ifndef TN_DOCUMENT_FINDINGS_H
#define TN_DOCUMENT_FINDINGS_H

#include "core/files/file.h"
#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/tally.h"

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
    uint64_t more;    // How many are not reported; set on the last one that is.
    char path[160];
    char message[192];
} tn_found_item;

typedef struct tn_check {
    const tenon_check_opts *opts;  // Never NULL.
    const tenon_rule *rules;       // Of the format,
    uint32_t rule_count;           // and how many they are.
    uint64_t *totals;              // Findings of each rule.
    uint32_t max_per_rule;
    tn_arena *arena;
    tn_found_item *found;  // Newest first.
    uint64_t found_count;
    uint64_t done, total;  // Bytes looked at, for the progress callback.
    bool cancelled;        // It asked to stop.
    bool failed;           // Out of memory, or `outage` says why.
    tenon_error outage;
} tn_check;

// Note that something breaks the rule called "FORMAT/name". If the format has no such rule, nothing
// is noted, so its table decides which shared rules apply; tools/style.py finds misspelled names.
void tn_found(tn_check *check, const char *name, tn_path_text path, const char *fmt, ...)
    TN_PRINTF(4, 5);

// The same for what a tally has counted, at the path of the first; nothing if that is nothing.
void tn_found_tally(tn_check *check, const char *name, const tn_tally *tally, const char *fmt, ...)
    TN_PRINTF(4, 5);

// The number of that rule; TENON_NONE: there is none.
uint32_t tn_rule_named(const tn_check *check, const char *name);

// `count` zeroed objects to work with; NULL, and the check fails, if there is no memory.
void *tn_check_alloc(tn_check *check, uint64_t count, size_t size);

// The check cannot be completed, for that reason.
void tn_check_fail(tn_check *check, const tenon_error *why);

// Whether a file that the model names is there; for models whose path is known. If this is unknown,
// the check fails.
tn_place tn_check_look(tn_check *check, tenon_str name);

// Report that `bytes` more bytes were checked. False: stop, the result is no longer wanted.
bool tn_check_step(tn_check *check, uint64_t bytes);

// -- Rules that many formats share

#define TN_PLAIN 5e-4f  // Difference from 1 of a sum or a square that is clearly correct.

// The first record of a span with a number that is NaN or infinite, and how many there are.
// TENON_ABSENT if there is none, or if the check was cancelled.
uint64_t tn_check_find_not_finite(tn_check *check, const tenon_span *span, uint64_t *bad_count);

// Whether the influences of some vertices are clearly correct: joints are whole numbers from 0 to
// `most`; weights, 4 for each vertex, are not negative and add up to 1, with much less error than
// any rule allows. If false, every vertex has to be examined.
bool tn_joints_are_plain(const float *joints, uint64_t count, float most);
bool tn_weights_are_plain(const float *weights, uint64_t vertex_count);

// The same of a rotation: its length is 1.
static inline bool tn_turn_is_plain(const float q[4])
{
    float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 1 - TN_PLAIN && square < 1 + TN_PLAIN;
}

// The winding of the triangles of a mesh: with the normals of their corners, or against them.
typedef struct tn_turns {
    uint64_t with, against;
} tn_turns;

static inline void tn_turns_add(tn_turns *turns, const float p[3][3], const float n[3][3])
{
    double a[3], b[3], sum[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)p[1][k] - p[0][k];
        b[k] = (double)p[2][k] - p[0][k];
        sum[k] = (double)n[0][k] + n[1][k] + n[2][k];
    }
    double turn = (a[1] * b[2] - a[2] * b[1]) * sum[0] + (a[2] * b[0] - a[0] * b[2]) * sum[1] +
                  (a[0] * b[1] - a[1] * b[0]) * sum[2];
    turns->with += turn > 0;
    turns->against += turn < 0;
}

// The winding of triangles that have three u32 for indices; `positions` and `normals` are f32[3].
// Ends when the outcome is clear. Triangles whose vertices do not exist do not count.
tn_turns tn_turns_of(const tenon_span *indices, const tenon_span *positions,
                     const tenon_span *normals);

// Whether so many triangles have the right winding that the others, of `count` in all, cannot be
// more.
static inline bool tn_turns_are_clear(const tn_turns *turns, uint64_t count)
{
    return turns->with >= count - turns->with;
}

// The rule "winding": most triangles of the array at `path` face away from their normals.
void tn_check_winding(tn_check *check, const char *path, tn_turns turns);

// The rule "index-range": indices, unsigned integers of any width in the array at `path`, refer to
// vertices that exist. Reports the first that does not, and how many there are.
void tn_check_indices(tn_check *check, const char *path, const tenon_span *indices,
                      uint64_t vertex_count);

// A path in a model that leads out of the model's folder.
void tn_check_inside(tn_check *check, const char *rule, tn_path_text path, tenon_str text);

#endif  // TN_DOCUMENT_FINDINGS_H
