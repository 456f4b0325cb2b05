// faults.c: a library to preload, which makes one call of a program fail, or all after it.
// SPDX-License-Identifier: MIT
//
// TENON_FAULT is "OPERATION:NUMBER:HOW:WHAT": which call (from 1) of the operation fails, `once` or
// for `ever`, and `error=5`, `short=0` or `signal=9`, in decimal. At the end, the calls of every
// operation and how many failed are appended to the file that TENON_FAULT_LOG names. Linux only.
//
// TENON_RIVAL is what another program does at the worst moment: `make` creates each folder before
// this one does, `remove` removes, once, the empty folder in which one is created, and `log`
// removes each file ending in ".log" between looking at it and opening it.

#define _GNU_SOURCE 1

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// -- What is to fail

typedef enum operation {
    MEMORY,
    READ,
    WRITE,
    OPEN,
    CLOSE,
    STAT,
    MAP,
    SYNC,
    RENAME,
    REMOVE,
    LOCK,
    MODE,
    LIST,
    OPERATION_COUNT,
} operation;

static const char *const names[OPERATION_COUNT] = {
    "memory", "read",   "write",  "open", "close", "stat", "map",
    "sync",   "rename", "remove", "lock", "mode",  "list",
};

static struct {
    bool is_on;  // From the end of loading to the end of the program.
    operation which;
    unsigned long at;  // 0: nothing fails.
    bool for_ever;
    int error, signal;  // One of them, or neither: less is done than requested.
    unsigned long calls[OPERATION_COUNT];
    unsigned long failed;
} fault;

// Whether this call is to fail. A signal comes first, and the call continues if that returns.
static bool trips(operation which)
{
    if (!fault.is_on) return false;
    unsigned long call = ++fault.calls[which];
    bool is_it = which == fault.which && fault.at &&
                 (call == fault.at || (fault.for_ever && call > fault.at));
    if (!is_it) return false;
    fault.failed++;
    if (fault.signal) (void)raise(fault.signal);
    if (fault.error) errno = fault.error;
    return !fault.signal;
}

// Whether it is to fail altogether, where it cannot do less.
static bool fails(operation which)
{
    return trips(which) && fault.error;
}

// Find the function that would be called without this library. The cast that C lacks is a copy.
static void find(void *function, size_t size, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found || size != sizeof found) abort();
    memcpy(function, &found, size);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TENON_FAULT");
    char name[16], how[8], what[8];
    int value = 0;
    if (text &&
        sscanf(text, "%15[^:]:%lu:%7[^:]:%7[^=]=%d", name, &fault.at, how, what, &value) == 5)
        for (int i = 0; i < OPERATION_COUNT; i++)
            if (strcmp(names[i], name) == 0) fault.which = (operation)i;
    if (fault.at) {
        fault.for_ever = strcmp(how, "ever") == 0;
        if (strcmp(what, "error") == 0) fault.error = value;
        if (strcmp(what, "signal") == 0) fault.signal = value;
    }
    (void)unsetenv("LD_PRELOAD");  // Not for programs that this one starts.
    fault.is_on = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("TENON_FAULT_LOG");
    char text[512];
    size_t used = 0;
    fault.is_on = false;
    for (int i = 0; i < OPERATION_COUNT; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s=%lu ", names[i], fault.calls[i]);
    used += (size_t)snprintf(text + used, sizeof text - used, "failed=%lu\n", fault.failed);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0) return;
    ssize_t put = write(fd, text, used);
    (void)put;
    (void)close(fd);
}

// -- Memory

// For what the search for malloc() itself allocates.
static _Alignas(max_align_t) char early[1 << 14];
static size_t early_used;

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static void *take_early(size_t size)
{
    size_t need = (size + 15) / 16 * 16;
    if (need > sizeof early - early_used) return NULL;
    early_used += need;
    return early + early_used - need;
}

typedef struct memory_functions {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
} memory_functions;

// NULL while they are searched for.
static const memory_functions *memory(void)
{
    static memory_functions found;
    static enum { NOT_YET, LOOKING, DONE } state;
    if (state == NOT_YET) {
        state = LOOKING;
        find(&found.malloc, sizeof found.malloc, "malloc");
        find(&found.calloc, sizeof found.calloc, "calloc");
        find(&found.realloc, sizeof found.realloc, "realloc");
        find(&found.free, sizeof found.free, "free");
        state = DONE;
    }
    return state == DONE ? &found : NULL;
}

void *malloc(size_t size)
{
    const memory_functions *real = memory();
    if (!real) return take_early(size);
    return fails(MEMORY) ? NULL : real->malloc(size);
}

void *calloc(size_t count, size_t size)
{
    const memory_functions *real = memory();
    if (!real) return take_early(count * size);
    return fails(MEMORY) ? NULL : real->calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    const memory_functions *real = memory();
    if (!real) return NULL;
    return fails(MEMORY) ? NULL : real->realloc(old, size);
}

void free(void *old)
{
    const memory_functions *real = memory();
    if (real && !is_early(old)) real->free(old);
}

// -- Reading and writing

ssize_t read(int fd, void *dst, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real) find(&real, sizeof real, "read");
    if (trips(READ)) {
        if (fault.error) return -1;
        size = size / 2 + 1;
    }
    return real(fd, dst, size);
}

ssize_t write(int fd, const void *src, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) find(&real, sizeof real, "write");
    if (trips(WRITE)) {
        if (fault.error) return -1;
        size = size / 2 + 1;
    }
    return real(fd, src, size);
}

static void *map(const char *name, void *at, size_t size, int protection, int flags, int fd,
                 off64_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off64_t);
    find(&real, sizeof real, name);
    return fails(MAP) ? MAP_FAILED : real(at, size, protection, flags, fd, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map("mmap", at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map("mmap64", at, size, protection, flags, fd, offset);
}

// What is on the disk cannot be seen without a power cut, so time is saved here.
int fsync(int fd)
{
    (void)fd;
    return fails(SYNC) ? -1 : 0;
}

int syncfs(int fd)
{
    (void)fd;
    return fails(SYNC) ? -1 : 0;
}

// -- Opening and closing

static int open_as(const char *name, const char *path, int flags, mode_t mode)
{
    int (*real)(const char *, int, ...);
    find(&real, sizeof real, name);
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

static mode_t mode_of(va_list args, int flags)
{
    return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(args, flags);
    va_end(args);
    return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(args, flags);
    va_end(args);
    return open_as("open64", path, flags, mode);
}

static int open_below(const char *name, int folder, const char *path, int flags, mode_t mode)
{
    int (*real)(int, const char *, int, ...);
    find(&real, sizeof real, name);
    return fails(OPEN) ? -1 : real(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(args, flags);
    va_end(args);
    return open_below("openat", folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(args, flags);
    va_end(args);
    return open_below("openat64", folder, path, flags, mode);
}

// A file is closed even if that fails.
int close(int fd)
{
    static int (*real)(int);
    if (!real) find(&real, sizeof real, "close");
    int result = real(fd);
    return fails(CLOSE) ? -1 : result;
}

int flock(int fd, int how)
{
    static int (*real)(int, int);
    if (!real) find(&real, sizeof real, "flock");
    return fails(LOCK) ? -1 : real(fd, how);
}

// -- Another program

static bool has_rival(const char *name)
{
    const char *rival = getenv("TENON_RIVAL");
    return fault.is_on && rival && strcmp(rival, name) == 0;
}

int mkdir(const char *path, mode_t mode)
{
    static int (*real)(const char *, mode_t);
    static bool has_removed;
    if (!real) find(&real, sizeof real, "mkdir");
    if (has_rival("make")) (void)real(path, mode);
    const char *slash = strrchr(path, '/');
    if (slash && !has_removed && has_rival("remove")) {
        char above[4096];
        (void)snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
        has_removed = rmdir(above) == 0;
    }
    return real(path, mode);
}

// -- Looking

// `stat` and `stat64` are the same structure wherever this is built.
static int look(const char *name, const char *path, void *st)
{
    int (*real)(const char *, void *);
    find(&real, sizeof real, name);
    int result = fails(STAT) ? -1 : real(path, st);
    size_t size = strlen(path);
    if (result == 0 && size > 4 && strcmp(path + size - 4, ".log") == 0 && has_rival("log"))
        (void)unlink(path);
    return result;
}

static int look_open(const char *name, int fd, void *st)
{
    int (*real)(int, void *);
    find(&real, sizeof real, name);
    return fails(STAT) ? -1 : real(fd, st);
}

int stat(const char *path, struct stat *st)
{
    return look("stat", path, st);
}

int stat64(const char *path, struct stat64 *st)
{
    return look("stat64", path, st);
}

int lstat(const char *path, struct stat *st)
{
    return look("lstat", path, st);
}

int lstat64(const char *path, struct stat64 *st)
{
    return look("lstat64", path, st);
}

int fstat(int fd, struct stat *st)
{
    return look_open("fstat", fd, st);
}

int fstat64(int fd, struct stat64 *st)
{
    return look_open("fstat64", fd, st);
}

char *realpath(const char *path, char *out)
{
    static char *(*real)(const char *, char *);
    if (!real) find(&real, sizeof real, "realpath");
    return fails(STAT) ? NULL : real(path, out);
}

// With the checks of _FORTIFY_SOURCE.
char *__realpath_chk(const char *path, char *out, size_t out_size);
char *__realpath_chk(const char *path, char *out, size_t out_size)
{
    (void)out_size;
    return realpath(path, out);
}

DIR *opendir(const char *path)
{
    static DIR *(*real)(const char *);
    if (!real) find(&real, sizeof real, "opendir");
    return fails(LIST) ? NULL : real(path);
}

static void *next_entry(const char *name, DIR *listing)
{
    void *(*real)(DIR *);
    find(&real, sizeof real, name);
    return fails(LIST) ? NULL : real(listing);
}

struct dirent *readdir(DIR *listing)
{
    return next_entry("readdir", listing);
}

struct dirent64 *readdir64(DIR *listing)
{
    return next_entry("readdir64", listing);
}

// -- Names

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (!real) find(&real, sizeof real, "rename");
    return fails(RENAME) ? -1 : real(from, to);
}

int link(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (!real) find(&real, sizeof real, "link");
    return fails(RENAME) ? -1 : real(from, to);
}

// For system calls without a function in the C library.
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    if (!real) find(&real, sizeof real, "syscall");
    long a[6];
    va_list args;
    va_start(args, number);
    for (size_t i = 0; i < 6; i++) a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_renameat2 && fails(RENAME)) return -1;
    if (number == SYS_openat2 && fails(OPEN)) return -1;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int unlink(const char *path)
{
    static int (*real)(const char *);
    if (!real) find(&real, sizeof real, "unlink");
    return fails(REMOVE) ? -1 : real(path);
}

int fchmod(int fd, mode_t mode)
{
    static int (*real)(int, mode_t);
    if (!real) find(&real, sizeof real, "fchmod");
    return fails(MODE) ? -1 : real(fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    static int (*real)(int, uid_t, gid_t);
    if (!real) find(&real, sizeof real, "fchown");
    return fails(MODE) ? -1 : real(fd, owner, group);
}
