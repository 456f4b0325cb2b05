// web_memory.c: functions of the C library as single instructions.
// SPDX-License-Identifier: MIT
//
// wasi-libc is compiled without the instructions for bulk memory: its loops are slower, and engines
// spend time on optimizing them.

#include <string.h>

void *memset(void *to, int value, size_t size)
{
    return __builtin_memset(to, value, size);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}
