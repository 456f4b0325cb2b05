// work_memory.h: an allocator that counts the bytes that a call uses at a time.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_WORK_MEMORY_H
#define TENON_LIMITS_WORK_MEMORY_H

#include <stdint.h>
#include <stdlib.h>

#include <tenon/tenon.h>

typedef struct work_memory {
    uint64_t live, peak;
    tenon_budget budget;  // What the library itself counts, without limits.
} work_memory;

static inline void *work_alloc(void *user, size_t size)
{
    work_memory *m = user;
    m->live += size;
    if (m->live > m->peak) m->peak = m->live;
    return malloc(size ? size : 1);
}

static inline void work_free(void *user, void *memory, size_t size)
{
    work_memory *m = user;
    m->live -= size;
    free(memory);
}

static inline tenon_allocator work_allocator(work_memory *m)
{
    return (tenon_allocator){
        .alloc = work_alloc, .free = work_free, .user = m, .budget = &m->budget};
}

#endif  // TENON_LIMITS_WORK_MEMORY_H
