// pages.h: memory that can be locked against writing.
// SPDX-License-Identifier: MIT
//
// Define _DEFAULT_SOURCE before the first #include of the program.

#ifndef TENON_TESTS_PAGES_H
#define TENON_TESTS_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#define PAGES_SIZE 65536  // What can be locked is a multiple of this, on every system.

#if defined(__wasi__)
#include <stdlib.h>

#define PAGES_CAN_LOCK 0

static inline void *pages_new(size_t size)
{
    return malloc(size);
}

static inline bool pages_lock(void *start, size_t size, bool locked)
{
    (void)start;
    (void)size;
    return !locked;
}

static inline void pages_free(void *start, size_t size)
{
    (void)size;
    free(start);
}
#elif defined(_WIN32)
#include <windows.h>

#define PAGES_CAN_LOCK 1

static inline void *pages_new(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static inline bool pages_lock(void *start, size_t size, bool locked)
{
    DWORD before;
    return VirtualProtect(start, size, locked ? PAGE_READONLY : PAGE_READWRITE, &before) != 0;
}

static inline void pages_free(void *start, size_t size)
{
    (void)size;
    VirtualFree(start, 0, MEM_RELEASE);
}
#else
#include <sys/mman.h>

#define PAGES_CAN_LOCK 1

static inline void *pages_new(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static inline bool pages_lock(void *start, size_t size, bool locked)
{
    return mprotect(start, size, locked ? PROT_READ : PROT_READ | PROT_WRITE) == 0;
}

static inline void pages_free(void *start, size_t size)
{
    munmap(start, size);
}
#endif

#endif  // TENON_TESTS_PAGES_H
