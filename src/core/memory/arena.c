// arena.c: memory that is freed all at once.
// SPDX-License-Identifier: MIT

#include "core/memory/arena.h"

#include "core/memory/budget.h"
#include "core/text/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT   ((uint64_t)16)
#define CHUNK_FIRST ((uint64_t)4096)
#define CHUNK_MOST  ((uint64_t)1 << 20)

struct tn_chunk {
    union {
        tn_chunk *below;
        uint64_t wide_;
    };
    uint64_t size;  // Bytes after this head.
    uint64_t used;
    uint64_t touched;  // Bytes that may differ from 0.
};
// The head must be a multiple of ALIGNMENT on every machine.
_Static_assert(sizeof(tn_chunk) % 16 == 0, "objects after the head would be misaligned");

// -- Single blocks

// `clear`: zeroed, if the allocator is the default one. Large blocks of calloc() are zeroed by the
// system, which saves writing them twice; other allocators give no such promise.
static void *arena_allocate(const tenon_allocator *allocator, size_t size, bool clear)
{
    if (!tn_budget_take(allocator->budget, size)) return NULL;
    void *memory = allocator->alloc ? allocator->alloc(allocator->user, size)
                   : clear          ? calloc(1, size)
                                    : malloc(size);
    if (!memory) tn_budget_give_back(allocator->budget, size);
    return memory;
}

void *tn_block_alloc(const tenon_allocator *allocator, size_t size)
{
    return arena_allocate(allocator, size, false);
}

void tn_block_free(const tenon_allocator *allocator, void *memory, size_t size)
{
    if (!memory) return;
    tn_budget_give_back(allocator->budget, size);
    if (allocator->alloc) {
        if (allocator->free) allocator->free(allocator->user, memory, size);
        return;
    }
    free(memory);
}

// -- Arena

tn_arena tn_arena_make(const tenon_allocator *allocator, uint64_t limit)
{
    return (tn_arena){.allocator = *allocator, .limit = limit};
}

// How large the next chunk should be: as large as all objects so far, so that small documents stay
// small and large ones need few allocations. An object that is larger gets a separate chunk.
static uint64_t arena_next_size(const tn_arena *arena, uint64_t need)
{
#ifdef TENON_ARENA_DEBUG
    (void)arena;
    return need;
#else
    uint64_t size = arena->used < CHUNK_FIRST ? CHUNK_FIRST : arena->used;
    if (size > CHUNK_MOST) size = CHUNK_MOST;
    return need > size / 4 ? need : size;
#endif
}

static bool arena_push_chunk(tn_arena *arena, uint64_t need)
{
    uint64_t size = arena_next_size(arena, need);
    if (size > SIZE_MAX - sizeof(tn_chunk)) return false;
    size_t whole = sizeof(tn_chunk) + (size_t)size;
    if (!tn_budget_work(arena->allocator.budget, 1 + size / TN_STEP_BYTES)) return false;
    bool is_ours = arena->allocator.alloc == NULL;
    tn_chunk *chunk = arena_allocate(&arena->allocator, whole, true);
    if (!chunk) return false;
    *chunk = (tn_chunk){.below = arena->top, .size = size, .touched = is_ours ? 0 : size};
    arena->top = chunk;
    return true;
}

// The next `need` bytes of a chunk that has them, the first `size` of them zeros.
static void *arena_take(tn_chunk *chunk, uint64_t need, uint64_t size)
{
    uint8_t *memory = (uint8_t *)(chunk + 1) + chunk->used;
    uint64_t touched = chunk->touched > chunk->used ? chunk->touched - chunk->used : 0;
    memset(memory, 0, (size_t)(touched < size ? touched : size));
    chunk->used += need;
    if (chunk->touched < chunk->used) chunk->touched = chunk->used;
    return memory;
}

static void *arena_refuse(tn_refusal *why, tn_refusal reason)
{
    if (why) *why = reason;
    return NULL;
}

void *tn_arena_alloc(tn_arena *arena, uint64_t count, size_t size, tn_refusal *why)
{
    static const max_align_t nothing;  // What the pointer for 0 bytes points to.
    if (why) *why = TN_GRANTED;
    if (count == 0 || size == 0) return (void *)(uintptr_t)&nothing;
    if (count > (arena->limit - arena->used) / size) return arena_refuse(why, TN_OVER_LIMIT);
    uint64_t total = count * size;
    if (total > UINT64_MAX - ALIGNMENT || total > SIZE_MAX) return arena_refuse(why, TN_OVER_LIMIT);
    uint64_t need = (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
#ifdef TENON_ARENA_DEBUG
    need = total;
    bool fits = false;
#else
    bool fits = arena->top && need <= arena->top->size - arena->top->used;
#endif
    if (!fits && !arena_push_chunk(arena, need)) {
        bool is_over = tn_budget_is_exceeded(arena->allocator.budget);
        return arena_refuse(why, is_over ? TN_OVER_LIMIT : TN_OUT_OF_MEMORY);
    }

    arena->used += total;
    return arena_take(arena->top, need, total);
}

bool tn_arena_fail(const tn_arena *arena, tn_refusal why, const char *what, tenon_error *err)
{
    // A budget that is exceeded replaces this error by one with its numbers.
    if (why == TN_OVER_LIMIT && arena->limit != UINT64_MAX)
        return tn_error(err, TENON_ERR_LIMIT,
                        "%s would exceed the memory limit of %" PRIu64 " bytes", what,
                        arena->limit);
    return tn_error(err, why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY,
                    "out of memory for %s", what);
}

void *tn_arena_alloc_or_fail(tn_arena *arena, uint64_t count, size_t size, const char *what,
                             tenon_error *err)
{
    tn_refusal why;
    void *memory = tn_arena_alloc(arena, count, size, &why);
    if (!memory) (void)tn_arena_fail(arena, why, what, err);
    return memory;
}

tn_mark tn_arena_mark(const tn_arena *arena)
{
    return (tn_mark){arena->top, arena->top ? arena->top->used : 0, arena->used};
}

static void arena_pop_chunk(tn_arena *arena)
{
    tn_chunk *chunk = arena->top;
    arena->top = chunk->below;
    tn_block_free(&arena->allocator, chunk, sizeof *chunk + (size_t)chunk->size);
}

// Memory that is handed out again is cleared again, which counts as work.
void tn_arena_rewind(tn_arena *arena, tn_mark mark)
{
    (void)tn_budget_work(arena->allocator.budget, (arena->used - mark.used) / TN_STEP_BYTES);
    while (arena->top != mark.top) arena_pop_chunk(arena);
    if (arena->top) arena->top->used = mark.chunk_used;
    arena->used = mark.used;
}

void tn_arena_free(tn_arena *arena)
{
    while (arena->top) arena_pop_chunk(arena);
    arena->used = 0;
}

// -- Owners

void *tn_owner_new(const tenon_allocator *allocator, size_t size, uint64_t limit, tenon_error *err)
{
    tn_arena *owner = tn_block_alloc(allocator, size);
    if (!owner) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return NULL;
    }
    memset(owner, 0, size);
    *owner = tn_arena_make(allocator, limit);
    return owner;
}

void tn_owner_free(void *owner, size_t size)
{
    if (!owner) return;
    tn_arena *arena = owner;
    tenon_allocator allocator = arena->allocator;
    tn_arena_free(arena);
    tn_block_free(&allocator, owner, size);
}
