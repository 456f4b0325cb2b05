// match.h: what tenon_diff() and tenon_verify() share to find out what is the same in two scenes.
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_COMPARE_MATCH_H
#define TN_SCENE_COMPARE_MATCH_H

#include "core/memory/arena.h"
#include "core/memory/pulse.h"
#include "core/text/error.h"

#include <tenon/scene.h>

// -- Memory, progress, errors

typedef struct tn_match_context {
    tn_arena arena;
    tn_pulse pulse;
    tenon_error *err;  // May be NULL.
    bool failed;
} tn_match_context;

// Zeroed memory. Returns NULL, and sets `failed`, if there is not enough.
void *tn_match_alloc(tn_match_context *context, uint64_t count, size_t size);

// Fail as cancelled. Returns false.
bool tn_match_cancel(tn_match_context *context);

// Whether a loop goes on with an item that takes that many steps. If not, it fails as cancelled.
static inline bool tn_match_goes_on(tn_match_context *context, uint32_t steps)
{
    if (context->failed) return false;
    return tn_goes_on(&context->pulse, steps) || tn_match_cancel(context);
}

#endif  // TN_SCENE_COMPARE_MATCH_H
