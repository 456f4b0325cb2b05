// match.c: memory and progress of a comparison.
// SPDX-License-Identifier: MIT

#include "scene/compare/match.h"

// -- Memory, progress, errors

void *tn_match_alloc(tn_match_context *context, uint64_t count, size_t size)
{
    if (context->failed) return NULL;
    void *memory =
        tn_arena_alloc_or_fail(&context->arena, count, size, "the comparison", context->err);
    context->failed = !memory;
    return memory;
}

bool tn_match_cancel(tn_match_context *context)
{
    if (context->failed) return false;
    context->failed = true;
    return tn_error(context->err, TENON_ERR_CANCELLED, "cancelled");
}
