// work.h: counts the cost of a call: branches of the library that are taken, bytes that are moved.
// SPDX-License-Identifier: MIT
//
// The library is compiled with -fsanitize-coverage=trace-pc, which calls the first function below
// at every branch, and linked with -Wl,--wrap for the others. So the count is the same each time,
// however busy the machine is.

#ifndef TENON_LIMITS_WORK_H
#define TENON_LIMITS_WORK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "work_memory.h"

#define WORK_BYTES 32  // Moved in the time of one branch.

static uint64_t work_done;

void __sanitizer_cov_trace_pc(void);
void *__real_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int value, size_t size);
void *__wrap_memset(void *to, int value, size_t size);
int __real_memcmp(const void *a, const void *b, size_t size);
int __wrap_memcmp(const void *a, const void *b, size_t size);
size_t __real_strlen(const char *text);
size_t __wrap_strlen(const char *text);

void __sanitizer_cov_trace_pc(void)
{
    work_done++;
}

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    work_done += size / WORK_BYTES;
    return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    work_done += size / WORK_BYTES;
    return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int value, size_t size)
{
    work_done += size / WORK_BYTES;
    return __real_memset(to, value, size);
}

int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    work_done += size / WORK_BYTES;
    return __real_memcmp(a, b, size);
}

size_t __wrap_strlen(const char *text)
{
    size_t size = __real_strlen(text);
    work_done += size / WORK_BYTES;
    return size;
}

#endif  // TENON_LIMITS_WORK_H
