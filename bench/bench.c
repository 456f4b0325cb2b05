// bench.c: measure what the library does with one file, in turns with what the system needs for the
// same bytes. bench.py runs it and makes a report.
// SPDX-License-Identifier: MIT
//
//     bench run ROUNDS FILE OUT FORMAT [MODEL]     times and memory of every operation
//     bench once OPERATION FILE OUT FORMAT [MODEL] one operation, for callgrind
//     bench process ROUNDS COMMAND... -- COMMAND...

#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MOST 64
#define OPS_MOST    16

// -- Times

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_least(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[0];
}

double bench_median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

// -- One file

static bool load(bench_job *job)
{
    struct stat st;
    int file = open(job->path, O_RDONLY);
    if (file < 0 || fstat(file, &st) != 0) return false;
    job->size = (uint64_t)st.st_size;
    job->bytes = malloc(job->size);
    job->room = malloc(job->size);
    if (!job->bytes || !job->room) return false;
    memset(job->room, 1, job->size);
    for (uint64_t at = 0; at < job->size;) {
        ssize_t got = read(file, (char *)job->bytes + at, job->size - at);
        if (got <= 0) return false;
        at += (uint64_t)got;
    }
    return close(file) == 0;
}

static int fail(const char *op, const char *path)
{
    fprintf(stderr, "bench: %s of %s failed\n", op, path);
    return 1;
}

// "-" for a format: nothing is converted or written.
static bool skips(const bench_job *job, const bench_op *op)
{
    return strcmp(job->to, "-") == 0 && (op->writes || strcmp(op->name, "convert") == 0);
}

// The memory that each operation takes; this also warms up caches.
static int count_memory(const bench_job *job, uint64_t peaks[OPS_MOST])
{
    for (int i = 0; bench_ops[i].name; i++) {
        if (skips(job, &bench_ops[i])) continue;
        bench_count_memory();
        if (!bench_measured(&bench_ops[i], job)) return fail(bench_ops[i].name, job->path);
        peaks[i] = bench_counted_memory();
        if (strcmp(bench_ops[i].name, "system-read") == 0) peaks[i] = job->size;
    }
    return 0;
}

// On a virtual machine, the host takes unused memory away, and gives it back slowly. Only this
// machine is to be measured: it gets what an operation needs just before it.
static void warm_memory(uint64_t size)
{
    char *memory = malloc((size_t)size);
    for (uint64_t i = 0; memory && i < size; i += 4096) ((volatile char *)memory)[i] = 1;
    free(memory);
}

static int run(const bench_job *job, int rounds)
{
    static double times[OPS_MOST][ROUNDS_MOST];
    uint64_t peaks[OPS_MOST];
    int status = count_memory(job, peaks);
    if (status != 0) return status;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; bench_ops[i].name; i++) {
            if (skips(job, &bench_ops[i])) continue;
            warm_memory(peaks[i]);
            double start = bench_now();
            if (!bench_measured(&bench_ops[i], job)) return fail(bench_ops[i].name, job->path);
            times[i][round] = bench_now() - start;
        }
    }
    for (int i = 0; bench_ops[i].name; i++)
        if (!skips(job, &bench_ops[i]))
            printf("%s %.9f %.9f %llu\n", bench_ops[i].name, bench_least(times[i], rounds),
                   bench_median(times[i], rounds), (unsigned long long)peaks[i]);
    return 0;
}

static int once(const bench_job *job, const char *name)
{
    for (int i = 0; bench_ops[i].name; i++)
        if (strcmp(bench_ops[i].name, name) == 0)
            return bench_measured(&bench_ops[i], job) ? 0 : fail(name, job->path);
    return fail(name, job->path);
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "process") == 0) return bench_process(atoi(argv[2]), argv + 3);
    if (argc < 6) {
        fprintf(stderr, "usage: bench run|once ROUNDS|OPERATION FILE OUT FORMAT [MODEL]\n");
        return 2;
    }
    bench_job job = {.path = argv[3], .out = argv[4], .to = argv[5], .model = argv[6]};
    if (!load(&job)) return fail("reading", job.path);
    int rounds = atoi(argv[2]);
    if (rounds < 1 || rounds > ROUNDS_MOST) rounds = 9;
    int status = strcmp(argv[1], "once") == 0 ? once(&job, argv[2]) : run(&job, rounds);
    free(job.bytes);
    free(job.room);
    return status;
}
