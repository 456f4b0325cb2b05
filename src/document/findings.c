// findings.c: functions with which rules are written.
// SPDX-License-Identifier: MIT

#include "document/findings.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tn_path_text tn_path(const char *fmt, ...)
{
    tn_path_text path;
    va_list args;
    va_start(args, fmt);
    vsnprintf(path.text, sizeof path.text, fmt, args);
    va_end(args);
    return path;
}

void *tn_check_alloc(tn_check *check, uint64_t count, size_t size)
{
    void *memory = check->failed ? NULL : tn_arena_alloc(check->arena, count, size, NULL);
    if (!memory) check->failed = true;
    return memory;
}

void tn_check_fail(tn_check *check, const tenon_error *why)
{
    if (!check->failed) check->outage = *why;
    check->failed = true;
}

tn_place tn_check_look(tn_check *check, tenon_str name)
{
    char place[TN_PATH_SIZE];
    tenon_error err = {0};
    const tn_search search = {.files = check->opts->files,
                              .model_path = check->opts->model_path,
                              .out = place,
                              .out_size = sizeof place,
                              .err = &err};
    tn_place found = tn_find_sidecar(&search, name);
    if (err.code != TENON_OK) tn_check_fail(check, &err);
    return found;
}

uint32_t tn_rule_named(const tn_check *check, const char *name)
{
    // All rules of a table have the same prefix.
    size_t prefix = check->rule_count ? strcspn(check->rules[0].id, "/") + 1 : 0;
    for (uint32_t i = 0; i < check->rule_count; i++)
        if (strcmp(check->rules[i].id + prefix, name) == 0) return i;
    return TENON_NONE;
}

TN_PRINTF(4, 0)
static void findings_note(tn_check *check, const char *name, const char *path, const char *fmt,
                          va_list args)
{
    uint32_t rule = tn_rule_named(check, name);
    if (rule == TENON_NONE) return;
    const char *profile = check->rules[rule].profile;
    if (profile && (!check->opts->profile || strcmp(profile, check->opts->profile) != 0)) return;
    if (check->totals[rule]++ >= check->max_per_rule) return;
    tn_found_item *item = tn_check_alloc(check, 1, sizeof *item);
    if (!item) return;
    *item = (tn_found_item){.rule = &check->rules[rule],
                            .next = check->found,
                            .offset = TENON_ABSENT,
                            .order = check->found_count++,
                            .total = &check->totals[rule]};
    memcpy(item->path, path, sizeof item->path);
    // Deep in a tree, a path that was cut becomes that of an ancestor, which has an offset.
    char *end = strrchr(item->path, ']');
    if (end && strlen(item->path) == sizeof item->path - 1) end[1] = '\0';
    vsnprintf(item->message, sizeof item->message, fmt, args);
    check->found = item;
}

void tn_found(tn_check *check, const char *name, tn_path_text path, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    findings_note(check, name, path.text, fmt, args);
    va_end(args);
}

void tn_found_tally(tn_check *check, const char *name, const tn_tally *tally, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (tally->count) findings_note(check, name, tally->path, fmt, args);
    va_end(args);
}

// -- Rules that many formats share

bool tn_check_step(tn_check *check, uint64_t bytes)
{
    const tenon_events *events = &check->opts->events;
    check->done = bytes < check->total - check->done ? check->done + bytes : check->total;
    if (events->on_progress && !check->cancelled)
        check->cancelled = !events->on_progress(events->user, check->done, check->total);
    return !check->cancelled;
}

// As many records at a time as take less than a second between progress reports. Records with tails
// are found one after the other only, so they are checked all at once.
static tenon_span findings_next_piece(const tenon_span *span, uint64_t at)
{
    const uint64_t piece_size = (uint64_t)4 << 20;
    uint64_t stride = span->layout ? span->layout->stride : 0;
    if (stride == 0 || span->layout->tail) return *span;
    uint64_t left = span->count - at, count = piece_size / stride + 1;
    if (count > left) count = left;
    tenon_span piece = *span;
    piece.data += at * stride;
    piece.count = count;
    piece.size = count * stride;
    return piece;
}

uint64_t tn_check_find_not_finite(tn_check *check, const tenon_span *span, uint64_t *bad_count)
{
    uint64_t first = TENON_ABSENT;
    *bad_count = 0;
    for (uint64_t at = 0; at < span->count;) {
        tenon_span piece = findings_next_piece(span, at);
        uint64_t bad_here, first_here = tn_span_not_finite(&piece, &bad_here);
        if (first_here != TENON_ABSENT) {
            if (first == TENON_ABSENT) first = at + first_here;
            *bad_count += bad_here;
        }
        at += piece.count;
        if (!tn_check_step(check, piece.size)) return TENON_ABSENT;
    }
    return first;
}

// Only comparisons without branches, so that compilers vectorize these loops. NaNs and infinities
// fail all of them.

// The bits of floats >= 0 are in the same order as the floats; others are negative as integers.
bool tn_joints_are_plain(const float *joints, uint64_t count, float most)
{
    const float rounding = 8388608.0f;  // Adding it rounds to a whole number.
    int32_t last, odd = most >= 0 ? 0 : -1;
    memcpy(&last, &most, sizeof last);
    for (uint64_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, joints + i, sizeof bits);
        odd |= bits;
        odd |= bits > last ? -1 : 0;
        odd |= (joints[i] + rounding) - rounding == joints[i] ? 0 : -1;
    }
    return odd >= 0;
}

bool tn_weights_are_plain(const float *weights, uint64_t vertex_count)
{
    uint32_t odd = 0;
    for (uint64_t i = 0; i < 4 * vertex_count; i++) odd |= weights[i] >= 0 ? 0 : 1;
    for (uint64_t i = 0; i < 4 * vertex_count; i += 4) {
        float sum = weights[i] + weights[i + 1] + weights[i + 2] + weights[i + 3];
        odd |= fabsf(sum - 1) < TN_PLAIN ? 0 : 1;
    }
    return !odd;
}

// The byte order is a constant here, so that every number is one load.
static inline tn_turns findings_count_turns(const tenon_span *indices, const tenon_span *positions,
                                            const tenon_span *normals, bool big_endian)
{
    tn_turns turns = {0, 0};
    uint64_t limit = positions->count < normals->count ? positions->count : normals->count;
    uint64_t count = indices->size / 12;
    const uint8_t *face = indices->data;
    for (uint64_t t = 0; t < count && !tn_turns_are_clear(&turns, count); t++, face += 12) {
        float p[3][3], n[3][3];
        bool exists = true;
        for (int k = 0; k < 3 && exists; k++) {
            uint64_t vertex = tn_load32(face + 4 * k, big_endian);
            exists = vertex < limit;
            for (int i = 0; i < 3 && exists; i++) {
                p[k][i] = tn_load_f32(positions->data + 12 * vertex + 4 * i, big_endian);
                n[k][i] = tn_load_f32(normals->data + 12 * vertex + 4 * i, big_endian);
            }
        }
        if (exists) tn_turns_add(&turns, (const float(*)[3])p, (const float(*)[3])n);
    }
    return turns;
}

tn_turns tn_turns_of(const tenon_span *indices, const tenon_span *positions,
                     const tenon_span *normals)
{
    return indices->big_endian ? findings_count_turns(indices, positions, normals, true)
                               : findings_count_turns(indices, positions, normals, false);
}

void tn_check_winding(tn_check *check, const char *path, tn_turns turns)
{
    if (turns.against > turns.with)
        tn_found(check, "winding", tn_path("%s", path),
                 "%" PRIu64 " triangles face away from their normals, only %" PRIu64 " do not",
                 turns.against, turns.with);
}

void tn_check_indices(tn_check *check, const char *path, const tenon_span *indices,
                      uint64_t vertex_count)
{
    if (indices->count == 0 || tn_span_top(indices) < vertex_count) return;
    uint32_t each = indices->layout->elements[0].count, first_index = 0;
    uint32_t width = tenon_type_size(indices->layout->elements[0].type);
    uint64_t count = indices->count * each, bad = 0, first = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *p = indices->data + i * width;
        uint32_t index = width == 4   ? tn_load32(p, indices->big_endian)
                         : width == 2 ? tn_load16(p, indices->big_endian)
                                      : *p;
        if (index < vertex_count) continue;
        if (bad++ == 0) first = i, first_index = index;
    }
    tn_found(check, "index-range", tn_path("%s[%" PRIu64 "]", path, first / each),
             "index %" PRIu32 ", but the mesh has %" PRIu64 " vertices; %" PRIu64 " of %" PRIu64
             " indices are out of range",
             first_index, vertex_count, bad, count);
}

void tn_check_inside(tn_check *check, const char *rule, tn_path_text path, tenon_str text)
{
    if (text.size == 0 || tn_name_stays_inside(text)) return;
    tn_found(check, rule, path, "'%s' is outside the model's folder", tn_show(text, 96).text);
}
