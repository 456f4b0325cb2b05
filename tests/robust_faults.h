// robust_faults.h: operations during which memory runs out or the user cancels, at every place.
// SPDX-License-Identifier: MIT
//
// Include robust.h first.

#ifndef TENON_TESTS_ROBUST_FAULTS_H
#define TENON_TESTS_ROBUST_FAULTS_H

// -- Memory

// An operation while memory runs out: whether it succeeded, and if not, why.
typedef bool robust_work(const robust_file *file, robust_memory *memory, tenon_error *err);

typedef struct robust_task {
    const char *name;
    robust_work *run;
} robust_task;

// Let no allocation fail before robust_arm() is called: what is made until then is only the
// input of the operation.
static inline robust_memory robust_disarm(robust_memory *memory)
{
    robust_memory kept = *memory;
    *memory = (robust_memory){0};
    return kept;
}

static inline void robust_arm(robust_memory *memory, robust_memory kept)
{
    memory->calls = memory->failed_calls = 0;
    memory->fail_at = kept.fail_at;
    memory->for_ever = kept.for_ever;
}

// One attempt, with `memory` as it is set.
static inline const char *robust_try(const robust_file *file, robust_work *run,
                                     robust_memory *memory)
{
    tenon_error err = {.code = TENON_OK};
    bool ok = run(file, memory, &err);
    const char *fault = fault_in_memory(memory);
    if (fault) return fault;
    if (memory->failed_calls == 0) return ok ? NULL : "it fails, though nothing made it fail";
    if (ok) return "it succeeds without the memory it asked for";
    if (err.code != TENON_ERR_MEMORY) return "the error is not that memory ran out";
    return err.message[0] ? NULL : "there is no message";
}

// Of large files, only some of the places are tried, the same each time; and of others as well
// where every object is a separate allocation, unless there is time.
static inline bool robust_tries(const robust_file *file, uint64_t at, uint64_t count)
{
    uint64_t most = robust_samples() / 8;
    bool tries_all = file->size <= robust_exhaustive() && (robust_is_long || !ROBUST_SANITIZED);
    if (tries_all || count <= most) return true;
    return ((at * 0x9e3779b97f4a7c15u) >> 32) % (count / most + 1) == 0;
}

// Let call after call fail until none is left.
static inline const char *robust_starve_at(const robust_file *file, robust_work *run, bool for_ever,
                                           uint64_t *at)
{
    robust_memory whole = {0};
    *at = 0;
    const char *fault = robust_try(file, run, &whole);
    for (*at = 1; !fault && *at <= whole.calls; ++*at) {
        if (!robust_tries(file, *at, whole.calls)) continue;
        robust_memory memory = {.fail_at = *at, .for_ever = for_ever};
        fault = robust_try(file, run, &memory);
        if (!fault && memory.failed_calls == 0) fault = "it asks for memory less often";
    }
    return fault;
}

static inline void robust_starve(const robust_file *file, const robust_task *task)
{
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        uint64_t at;
        const char *fault = robust_starve_at(file, task->run, for_ever, &at);
        if (fault)
            robust_broken(file, fault, "%s, allocation %" PRIu64 " failing%s", task->name, at,
                          for_ever ? " for ever" : "");
    }
}

// -- Users

// Cancels after so many steps.
typedef struct robust_patience {
    uint64_t left, steps;
    const char *fault;
} robust_patience;

static inline bool robust_step(void *user, uint64_t done, uint64_t total)
{
    robust_patience *p = user;
    p->steps++;
    if (done > total) p->fault = "more is done than there is to do";
    return p->left-- > 0;
}

typedef bool robust_long_work(const robust_file *file, tenon_events events, robust_memory *memory,
                              tenon_error *err);

typedef struct robust_long_task {
    const char *name;
    robust_long_work *run;
} robust_long_task;

// Cancel at step after step until the work is done.
static inline const char *robust_cancel_at(const robust_file *file, robust_long_work *run,
                                           uint64_t *at)
{
    for (*at = 0;; ++*at) {
        robust_patience p = {.left = *at};
        robust_memory memory = {0};
        tenon_error err;
        bool ok = run(file, (tenon_events){.user = &p, .on_progress = robust_step}, &memory, &err);
        const char *fault = fault_in_memory(&memory);
        if (fault || p.fault) return fault ? fault : p.fault;
        if (p.steps <= *at) return ok ? NULL : "it fails, though it was not cancelled";
        if (ok) return "it goes on after it was cancelled";
        if (err.code != TENON_ERR_CANCELLED) return "the error is not that it was cancelled";
        if (p.steps != *at + 1) return "it asks again after it was cancelled";
    }
}

static inline void robust_cancel(const robust_file *file, const robust_long_task *task)
{
    uint64_t at;
    const char *fault = robust_cancel_at(file, task->run, &at);
    if (fault) robust_broken(file, fault, "%s, cancelled at step %" PRIu64, task->name, at);
}

#endif  // TENON_TESTS_ROBUST_FAULTS_H
