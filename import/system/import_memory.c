// import_memory.c: memory that is always there.
// SPDX-License-Identifier: MIT

#include "import_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void import_end_without_memory(void)
{
    (void)fputs("tenon-import: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *import_alloc(uint64_t count, size_t size)
{
    void *memory = count <= SIZE_MAX / size ? calloc(count ? (size_t)count : 1, size) : NULL;
    if (!memory) import_end_without_memory();
    return memory;
}

void *import_grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room) return items;
    *room = *room ? 2 * *room : 64;
    void *longer = import_alloc(*room, size);
    if (count) memcpy(longer, items, count * size);
    free(items);
    return longer;
}
