// robust.h: the files that the robust programs damage, memory that is counted, and small stacks.
// SPDX-License-Identifier: MIT
//
// Define _DEFAULT_SOURCE before the first #include of the program. Its main() is
// `return robust_main(argc, argv, run_all);`: arguments are more files to be damaged, `--long`
// damages all of them in more ways, `--all` takes every file and not every second one, and `--few`
// takes few, for slow machines.

#ifndef TENON_TESTS_ROBUST_H
#define TENON_TESTS_ROBUST_H

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef __wasi__
#include <pthread.h>
#endif

#include <tenon/files.h>

#include "robust_properties.h"
#include "test.h"

#if defined(__SANITIZE_ADDRESS__)
#define ROBUST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROBUST_SANITIZED 1
#endif
#endif
#ifndef ROBUST_SANITIZED
#define ROBUST_SANITIZED 0
#endif

// Where the fixtures are; CTest runs every test in the root folder of the project.
#ifndef TENON_SOURCE_DIR
#define TENON_SOURCE_DIR "."
#endif

#define ROBUST_FILES_MOST 1024
#define ROBUST_NAME_SIZE  256

static bool robust_is_long;       // There is time to be thorough.
static size_t robust_stride = 2;  // One file of so many is taken from each folder.
#define ROBUST_STRIDE_FEW 8

// Files up to this size are damaged everywhere, larger ones in their first and last bytes and in
// about as many places between as robust_samples() says.
static inline size_t robust_exhaustive(void)
{
    return robust_is_long ? (size_t)16 << 10 : 96;
}

static inline size_t robust_samples(void)
{
    return robust_is_long ? 400 : 16;
}

// The stack for all work. Sanitizers need several times as much.
#define ROBUST_STACK ((size_t)(ROBUST_SANITIZED ? 1024 : 128) << 10)

// -- Memory that is counted and can run out

typedef struct robust_memory {
    uint64_t live, peak;  // Bytes.
    int64_t block_count;
    uint64_t calls;
    uint64_t fail_at;  // Which call fails, from 1; 0: none.
    bool for_ever;     // And all that follow.
    uint64_t failed_calls;
    bool mixed_up;        // A block came back with another size.
    tenon_budget budget;  // What the library counts.
} robust_memory;

typedef union robust_head {
    size_t size;
    max_align_t align_;
} robust_head;

static inline void *robust_alloc(void *user, size_t size)
{
    robust_memory *m = user;
    m->calls++;
    bool fails = m->fail_at && (m->calls == m->fail_at || (m->for_ever && m->calls > m->fail_at));
    robust_head *head = fails ? NULL : malloc(sizeof *head + size);
    m->failed_calls += fails;
    if (!head) return NULL;
    head->size = size;
    memset(head + 1, 0xa5, size);  // No code may rely on zeros.
    m->block_count++;
    m->live += size;
    if (m->live > m->peak) m->peak = m->live;
    return head + 1;
}

static inline void robust_free(void *user, void *memory, size_t size)
{
    robust_memory *m = user;
    robust_head *head = (robust_head *)memory - 1;
    if (head->size != size) m->mixed_up = true;
    m->block_count--;
    m->live -= head->size;
    free(head);
}

static inline tenon_allocator robust_allocator(robust_memory *m)
{
    return (tenon_allocator){
        .alloc = robust_alloc, .free = robust_free, .user = m, .budget = &m->budget};
}

static inline const char *fault_in_memory(const robust_memory *m)
{
    if (m->mixed_up) return "a block is freed with another size";
    if (m->block_count != 0 || m->live != 0) return "memory leaks";
    if (m->budget.memory.used != 0) return "the budget counts memory that is freed";
    return NULL;
}

// What a document may allocate under a limit: the arena's chunks are at most twice
// as large as what is in them, and the last may be empty.
static inline uint64_t robust_memory_most(uint64_t limit)
{
    return 2 * limit + ((uint64_t)1 << 20);
}

// -- Files

typedef struct robust_file {
    char path[512];
    uint8_t *data;  // Exactly `size` bytes, so that a sanitizer notices a read beyond the end.
    size_t size;
    const tenon_format *format;  // NULL: it is not a model.
} robust_file;

static robust_file robust_files[ROBUST_FILES_MOST];
static uint32_t robust_file_count;

// One line for a file and a property that it does not have; `where` is where it was damaged.
static inline void robust_broken(const robust_file *file, const char *fault, const char *where, ...)
    __attribute__((format(printf, 3, 4)));

static inline void robust_broken(const robust_file *file, const char *fault, const char *where, ...)
{
    va_list args;
    va_start(args, where);
    fprintf(stderr, "%s: ", file->path);
    vfprintf(stderr, where, args);
    fprintf(stderr, ": %s\n", fault);
    va_end(args);
    test_failures++;
}

static inline void robust_each(void (*property)(const robust_file *file))
{
    CHECK(robust_file_count > 0);
    for (uint32_t i = 0; i < robust_file_count; i++) property(&robust_files[i]);
}

static inline uint8_t *robust_copy(const void *data, size_t size)
{
    uint8_t *copy = calloc(size, 1);
    if (!copy && size) exit(1);
    if (size) memcpy(copy, data, size);
    return copy;
}

// Whether a file is damaged here. The places between its start, where the structure is, and its end
// are the same each time, but others in each file.
static inline bool robust_takes(const robust_file *file, size_t at)
{
    size_t head = robust_is_long ? 96 : 24, tail = robust_is_long ? 32 : 8;
    if (file->size <= robust_exhaustive() || at < head || file->size - at <= tail) return true;
    uint64_t mixed = (at + 1 + 31 * file->size) * 0x9e3779b97f4a7c15u;
    return (mixed >> 32) % (file->size / robust_samples() + 1) == 0;
}

// -- Finding the files

static inline uint8_t *robust_load(const char *path, size_t *size)
{
    tenon_bytes bytes;
    if (!tenon_load(path, NULL, &bytes, NULL)) {
        perror(path);
        exit(1);
    }
    uint8_t *data = robust_copy(bytes.data, bytes.size);
    *size = bytes.size;
    tenon_unload(&bytes);
    return data;
}

// Files in the folder of a format must be of that format; elsewhere, other files are left out.
static inline void robust_add(const char *path, const char *format_name)
{
    robust_file file = {.format = NULL};
    tenon_read_opts opts = {.name = path};
    tenon_error err;
    snprintf(file.path, sizeof file.path, "%s", path);
    file.data = robust_load(path, &file.size);
    tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
    if (doc) file.format = doc->format;
    tenon_doc_free(doc);
    bool is_known = file.format && (!format_name || strcmp(file.format->name, format_name) == 0);
    if (is_known && robust_file_count < ROBUST_FILES_MOST) {
        robust_files[robust_file_count++] = file;
        return;
    }
    if (format_name) robust_broken(&file, err.message, "is no %s", format_name);
    free(file.data);
}

static inline int robust_compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static inline void robust_add_folder(const char *folder, const char *format_name)
{
    static char names[ROBUST_FILES_MOST][ROBUST_NAME_SIZE];
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.' && count < ROBUST_FILES_MOST)
            snprintf(names[count++], ROBUST_NAME_SIZE, "%s", entry->d_name);
    if (dir) closedir(dir);
    qsort(names, count, ROBUST_NAME_SIZE, robust_compare_names);
    for (size_t i = 0; i < count; i += robust_stride) {
        char path[512];
        struct stat st;
        int size = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        bool fits = size > 0 && (size_t)size < sizeof path;
        if (fits && stat(path, &st) == 0 && S_ISREG(st.st_mode)) robust_add(path, format_name);
    }
}

// The fixtures of every format in the table, and the samples.
static inline void robust_collect(void)
{
    char folder[256];
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)) != NULL; i++) {
        snprintf(folder, sizeof folder, TENON_SOURCE_DIR "/tests/fixtures/%s", format->name);
        robust_add_folder(folder, format->name);
    }
    robust_add_folder(TENON_SOURCE_DIR "/samples", NULL);
}

// -- Small stacks

typedef void robust_fn(void);

#ifdef __wasi__
// There are no threads. The linker decides the size of the stack.
static inline bool robust_run(robust_fn *run_all)
{
    run_all();
    return true;
}
#else
static inline void *robust_call(void *fn)
{
    robust_fn *run_all;
    memcpy(&run_all, fn, sizeof run_all);
    run_all();
    return NULL;
}

static inline bool robust_run(robust_fn *run_all)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool ok = pthread_attr_init(&attr) == 0 &&
              pthread_attr_setstacksize(&attr, ROBUST_STACK) == 0 &&
              pthread_create(&thread, &attr, robust_call, &run_all) == 0;
    if (ok) pthread_join(thread, NULL);
    return ok;
}
#endif

static inline void robust_take_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--long") == 0)
            robust_is_long = true, robust_stride = 1;
        else if (strcmp(argv[i], "--all") == 0)
            robust_stride = 1;
        else if (strcmp(argv[i], "--few") == 0)
            robust_stride = ROBUST_STRIDE_FEW;
        else
            robust_add(argv[i], NULL);
}

// Everything runs on a thread whose stack is as small as those of embedded users.
static inline int robust_main(int argc, char **argv, robust_fn *run_all)
{
    robust_take_arguments(argc, argv);
    robust_collect();
    CHECK(robust_run(run_all));
    for (uint32_t i = 0; i < robust_file_count; i++) free(robust_files[i].data);
    TEST_END();
}

#endif  // TENON_TESTS_ROBUST_H
