// bench.h: the parts of the measuring program.
// SPDX-License-Identifier: MIT

#ifndef TENON_BENCH_H
#define TENON_BENCH_H

#include <tenon/scene.h>
#include <tenon/tenon.h>

// The input of a measurement.
typedef struct bench_job {
    const char *path;    // The file.
    const char *model;   // The model that an animation is for; NULL: none.
    const char *out;     // Where files may be written; its folder must exist.
    const char *to;      // The format that it is converted to.
    uint64_t size;       // Bytes of the file.
    void *bytes, *room;  // The file in memory, and as many bytes that were touched before.
} bench_job;

typedef struct bench_op {
    const char *name;
    bool (*run)(const bench_job *job);
    bool writes;  // A file.
} bench_op;

extern const bench_op bench_ops[];

// Run one of them.
bool bench_measured(const bench_op *op, const bench_job *job);

// The usual allocator; or, from bench_count_memory() on, one that counts the bytes that are
// allocated, until bench_counted_memory() returns the peak.
tenon_allocator bench_allocator(void);
void bench_count_memory(void);
uint64_t bench_counted_memory(void);

// Whether all numbers of a document are finite and all its indices in range: what a loader needs to
// know before it hands the arrays to a graphics card. False if not, or if the format has no spans.
bool bench_is_safe(tenon_doc *doc);

// Time programs, in turns: `bench_process(ROUNDS, commands)`, the commands separated by "--".
int bench_process(int rounds, char **argv);

// Seconds, by the clock.
double bench_now(void);

// The least and the median of `count` times, which are sorted.
double bench_least(double *times, int count);
double bench_median(double *times, int count);

#endif  // TENON_BENCH_H
