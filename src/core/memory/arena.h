// arena.h: memory that is freed all at once.
// SPDX-License-Identifier: MIT
//
// One arena per document or scene. It is the only place that asks an allocator for memory, so the
// limit and the accounting live here. Compiled with TENON_ARENA_DEBUG, every object is a separate
// allocation, so that a sanitizer sees a step from one into the next.

#ifndef TN_CORE_MEMORY_ARENA_H
#define TN_CORE_MEMORY_ARENA_H

#include <tenon/tenon.h>

#include "core/math/floating_point.h"

typedef struct tn_chunk tn_chunk;

typedef struct tn_arena {
    tenon_allocator allocator;
    uint64_t limit;  // Bytes that may be handed out.
    uint64_t used;   // Bytes handed out.
    tn_chunk *top;   // The newest chunk; each knows the one before it.
} tn_arena;

// A place to go back to.
typedef struct tn_mark {
    tn_chunk *top;
    uint64_t chunk_used;
    uint64_t used;
} tn_mark;

// Why an allocation gave NULL.
typedef enum tn_refusal { TN_GRANTED, TN_OUT_OF_MEMORY, TN_OVER_LIMIT } tn_refusal;

// Empty, without a single allocation. `allocator` may be zeroed: malloc() and free().
tn_arena tn_arena_make(const tenon_allocator *allocator, uint64_t limit);

// `count` zeroed objects of `size` bytes, aligned for anything. NULL if there is no memory or the
// limit is reached (*why says which; it may be NULL). A count of 0 gives a pointer that must not be
// followed, never NULL.
void *tn_arena_alloc(tn_arena *arena, uint64_t count, size_t size, tn_refusal *why);

// The same, but NULL sets `err`: "out of memory for WHAT" or "WHAT would exceed the memory
// limit of N bytes".
void *tn_arena_alloc_or_fail(tn_arena *arena, uint64_t count, size_t size, const char *what,
                             tenon_error *err);

// Set that error after an allocation gave NULL for the reason `why`. Returns false.
bool tn_arena_fail(const tn_arena *arena, tn_refusal why, const char *what, tenon_error *err);

tn_mark tn_arena_mark(const tn_arena *arena);

// Free everything allocated since `mark`.
void tn_arena_rewind(tn_arena *arena, tn_mark mark);

void tn_arena_free(tn_arena *arena);

// -- Single blocks, for what has to live outside an arena

void *tn_block_alloc(const tenon_allocator *allocator, size_t size);
void tn_block_free(const tenon_allocator *allocator, void *memory, size_t size);

// -- Owners: structs that begin with an arena, which holds what belongs to them

// A zeroed struct of `size` bytes with an empty arena. NULL, with the error set, if out of memory.
void *tn_owner_new(const tenon_allocator *allocator, size_t size, uint64_t limit, tenon_error *err);

// Free it with its arena; NULL does nothing.
void tn_owner_free(void *owner, size_t size);

#endif  // TN_CORE_MEMORY_ARENA_H
