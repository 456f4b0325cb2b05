// bench_ops.c: the operations that are measured, and those they are compared with.
// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE

#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// -- Memory

static uint64_t used, most;
static bool counts;

static void *take(void *user, size_t size)
{
    (void)user;
    used += size;
    if (used > most) most = used;
    return malloc(size);
}

static void give(void *user, void *memory, size_t size)
{
    (void)user;
    if (memory) used -= size;
    free(memory);
}

tenon_allocator bench_allocator(void)
{
    return counts ? (tenon_allocator){.alloc = take, .free = give} : (tenon_allocator){0};
}

void bench_count_memory(void)
{
    counts = true;
    most = used;
}

uint64_t bench_counted_memory(void)
{
    counts = false;
    return most;
}

// -- What the system needs

// To memory that was never touched, as in a program that reads a file once.
static bool system_read(const bench_job *job)
{
    int file = open(job->path, O_RDONLY);
    void *room = mmap(NULL, job->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file < 0 || room == MAP_FAILED) return false;
    uint64_t at = 0;
    for (ssize_t got = 1; got > 0 && at < job->size; at += (uint64_t)got)
        if ((got = read(file, (char *)room + at, job->size - at)) < 0) return false;
    munmap(room, job->size);
    return close(file) == 0 && at == job->size;
}

static bool system_copy(const bench_job *job)
{
    memcpy(job->room, job->bytes, job->size);
    return ((const char *)job->room)[job->size - 1] == ((const char *)job->bytes)[job->size - 1];
}

static bool system_write(const bench_job *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.part", job->out);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) return false;
    for (uint64_t at = 0; at < job->size;) {
        ssize_t put = write(file, (const char *)job->bytes + at, job->size - at);
        if (put <= 0) return false;
        at += (uint64_t)put;
    }
    return fsync(file) == 0 && close(file) == 0 && rename(path, job->out) == 0;
}

// -- What the library does

static tenon_doc *open_doc(const char *path)
{
    tenon_read_opts opts = {.allocator = bench_allocator(), .map = true};
    return tenon_read_file(path, &opts, NULL);
}

static bool just_read(const bench_job *job)
{
    tenon_doc *doc = open_doc(job->path);
    tenon_doc_free(doc);
    return doc != NULL;
}

static bool read_safely(const bench_job *job)
{
    tenon_doc *doc = open_doc(job->path);
    bool is_safe = doc && bench_is_safe(doc);
    tenon_doc_free(doc);
    return is_safe;
}

static bool check_all(const bench_job *job)
{
    tenon_doc *doc = open_doc(job->path);
    tenon_check_opts opts = {.allocator = bench_allocator()};
    tenon_check_result result = {0};
    bool done = doc && tenon_check(doc, &opts, NULL, NULL, &result, NULL);
    tenon_doc_free(doc);
    return done && result.errors == 0;
}

// A model, or an animation with the model that it is for.
static tenon_scene *open_scene(const bench_job *job)
{
    tenon_doc *doc = open_doc(job->path), *model = job->model ? open_doc(job->model) : NULL;
    tenon_companion companion = {doc, "wave"};
    tenon_scene_opts opts = {
        .allocator = bench_allocator(), .companions = &companion, .companion_count = model ? 1 : 0};
    tenon_scene *scene = doc ? tenon_to_scene(model ? model : doc, &opts, NULL) : NULL;
    tenon_doc_free(model);
    tenon_doc_free(doc);
    return scene;
}

static bool make_scene(const bench_job *job)
{
    tenon_scene *scene = open_scene(job);
    tenon_scene_free(scene);
    return scene != NULL;
}

static bool write_back(const bench_job *job)
{
    tenon_doc *doc = open_doc(job->path);
    tenon_write_opts opts = {.force = true};
    bool done = doc && tenon_write_file(doc, job->out, &opts, NULL);
    tenon_doc_free(doc);
    return done;
}

static bool swallow(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

static bool begin_file(void *user, const char *name)
{
    (void)user;
    (void)name;
    return true;
}

static bool end_file(void *user)
{
    (void)user;
    return true;
}

// Without an output, so that the library is measured and not the disk.
static bool convert(const bench_job *job)
{
    uint64_t size = 0;
    tenon_sink sink = {begin_file, swallow, end_file, &size};
    tenon_export_opts opts = {.allocator = bench_allocator(), .format = job->to};
    tenon_scene *scene = open_scene(job);
    bool done = scene && tenon_export(scene, &opts, &sink, NULL);
    tenon_scene_free(scene);
    return done && size > 0;
}

const bench_op bench_ops[] = {
    {"system-read", system_read, false}, {"system-copy", system_copy, false},
    {"read", just_read, false},          {"safe", read_safely, false},
    {"check", check_all, false},         {"scene", make_scene, false},
    {"convert", convert, false},         {"system-write", system_write, true},
    {"write", write_back, true},         {NULL, NULL, false},
};

// Callgrind counts what happens in here. It is not inlined, being in a separate file, and does
// not end with a jump.
bool bench_measured(const bench_op *op, const bench_job *job)
{
    static volatile bool done;
    done = op->run(job);
    return done;
}
