// import_memory.h: memory that is always there.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SYSTEM_MEMORY_H
#define TENON_IMPORT_SYSTEM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Print "out of memory" and end the program.
_Noreturn void import_end_without_memory(void);

// Zeroed memory, also for 0 items. The program ends if there is none.
void *import_alloc(uint64_t count, size_t size);

// Make room for one more item: returns `items`, or a longer copy in their place. `items` may be
// NULL if `count` is 0.
void *import_grow(void *items, size_t count, size_t *room, size_t size);

#endif  // TENON_IMPORT_SYSTEM_MEMORY_H
