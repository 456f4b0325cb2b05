// pool.c: many jobs in several threads, with the same results as one after the other.
// SPDX-License-Identifier: MIT

#include "batch/pool.h"

#include "input/job.h"
#include "system/guard.h"
#include "system/platform.h"
#include "system/workers.h"

#include <stdlib.h>

#define WINDOW_MOST  1024u  // Jobs that are prepared and not finished.
#define GROUP_LEAST  256u   // Jobs that are worth flushing the disk.
#define GROUP_WAIT   2000u  // Milliseconds to wait for so many.
#define WAKE_EACH    64u    // Jobs that are finished before threads that wait for it go on.
#define THREADS_MOST 256u

typedef struct pool_slot {
    void *prepared;
    out_capture printed;
    bool is_done;
} pool_slot;

typedef struct pool {
    const pool_work *work;
    workers_lock *lock;  // Of all below; NULL: there are no other threads.
    pool_slot *slots;    // A ring of `window`.
    uint32_t window, next, finished;
    uint32_t prepared;  // Jobs that are prepared and not finished;
    uint32_t awaited;   // with so many, the thread that finishes them goes on.
    uint32_t waiting;   // Threads for which the window is full.
    bool is_stopped;
} pool;

static void pool_prepare(pool *all, uint32_t index, pool_slot *slot)
{
    // One job alone prints at once.
    bool is_captured = all->work->count > 1;
    slot->printed = (out_capture){0};
    if (is_captured) out_capture_begin(&slot->printed);
    slot->prepared = all->work->prepare(all->work->user, index);
    out_capture_end();
}

static void pool_run_thread(void *user)
{
    pool *all = user;
    workers_enter(all->lock);
    for (;;) {
        while (!all->is_stopped && all->next < all->work->count &&
               all->next - all->finished >= all->window) {
            all->waiting++;
            workers_wait(all->lock, 0);
            all->waiting--;
        }
        if (all->is_stopped || all->next >= all->work->count) break;
        uint32_t index = all->next++;
        workers_leave(all->lock);
        pool_slot made = {.is_done = true};
        pool_prepare(all, index, &made);
        workers_enter(all->lock);
        all->slots[index % all->window] = made;
        if (++all->prepared >= all->awaited) workers_wake(all->lock);
    }
    workers_leave(all->lock);
    job_end();
}

// How many jobs after the last one that was finished are prepared. Waits until there are enough for
// a group.
static uint32_t pool_wait_for_group(pool *all)
{
    uint32_t least = all->work->flush ? GROUP_LEAST : 1, count = 0;
    if (least > all->window / 2) least = all->window / 2 ? all->window / 2 : 1;
    double until = workers_seconds() + GROUP_WAIT / 1000.0;
    workers_enter(all->lock);
    for (;;) {
        uint32_t left = all->work->count - all->finished;
        while (count < left && count < all->window &&
               all->slots[(all->finished + count) % all->window].is_done)
            count++;
        if (count >= least || count == left) break;
        double now = workers_seconds();
        if (count > 0 && now >= until) break;
        all->awaited = least < left ? least : left;
        workers_wait(all->lock, GROUP_WAIT);
    }
    all->awaited = UINT32_MAX;
    workers_leave(all->lock);
    return count;
}

// Finish the next `count` jobs, which are prepared. Returns false to stop.
static bool pool_finish_group(pool *all, uint32_t count, void **prepared)
{
    const pool_work *work = all->work;
    for (uint32_t i = 0; i < count; i++)
        prepared[i] = all->slots[(all->finished + i) % all->window].prepared;
    bool is_flushed = !work->flush || work->flush(work->user, prepared, count);
    bool goes_on = true;
    for (uint32_t i = 0; i < count && goes_on; i++) {
        pool_slot *slot = &all->slots[all->finished % all->window];
        goes_on =
            work->finish(work->user, all->finished, slot->prepared, &slot->printed, is_flushed);
        bool is_last = i + 1 == count || !goes_on;
        workers_enter(all->lock);
        slot->is_done = false;
        all->finished++;
        all->prepared--;
        if (all->waiting && (is_last || all->finished % WAKE_EACH == 0)) workers_wake(all->lock);
        workers_leave(all->lock);
    }
    return goes_on;
}

// The work in this thread: prepare a group, then finish it.
static void pool_run_alone(pool *all, void **prepared)
{
    uint32_t most = all->work->flush ? GROUP_LEAST : 1;
    if (most > all->window) most = all->window;
    for (bool goes_on = true; goes_on && all->finished < all->work->count;) {
        uint32_t count = 0;
        for (; count < most && all->next < all->work->count; count++, all->next++) {
            pool_slot *slot = &all->slots[all->next % all->window];
            pool_prepare(all, all->next, slot);
            slot->is_done = true;
            all->prepared++;
        }
        goes_on = pool_finish_group(all, count, prepared);
    }
}

static void pool_run_threads(pool *all, void **prepared)
{
    workers_thread *threads[THREADS_MOST];
    uint32_t wanted = all->work->threads, count = 0;
    if (wanted > THREADS_MOST) wanted = THREADS_MOST;
    if (wanted > all->work->count) wanted = all->work->count;
    while (count < wanted && (threads[count] = workers_start(pool_run_thread, all))) count++;
    if (count == 0) {
        pool_run_alone(all, prepared);
        return;
    }
    bool goes_on = true;
    while (goes_on && all->finished < all->work->count)
        goes_on = pool_finish_group(all, pool_wait_for_group(all), prepared);
    workers_enter(all->lock);
    all->is_stopped = true;
    workers_wake(all->lock);
    workers_leave(all->lock);
    while (count > 0) workers_join(threads[--count]);
}

uint32_t pool_threads(const cli_common *opts)
{
    uint64_t wanted = opts->batch.threads;
    if (wanted == 0) return workers_processors();
    return wanted < THREADS_MOST ? (uint32_t)wanted : THREADS_MOST;
}

bool pool_run(const pool_work *work)
{
    pool all = {.work = work, .window = WINDOW_MOST};
    // Each prepared job has files open.
    uint32_t files = platform_files_most() / 8;
    if (all.window > files) all.window = files ? files : 1;
    if (all.window > work->count) all.window = work->count ? work->count : 1;
    all.slots = calloc(all.window, sizeof *all.slots);
    void **prepared = calloc(all.window, sizeof *prepared);
    // Even for one thread: then signals need not be blocked for each file.
    bool has_threads = work->count > 1 && guard_begin_threads() && work->threads > 1;
    if (has_threads) all.lock = workers_lock_new();
    bool ok = all.slots && prepared;
    if (ok && all.lock)
        pool_run_threads(&all, prepared);
    else if (ok)
        pool_run_alone(&all, prepared);
    for (uint32_t i = 0; ok && i < all.window; i++) {
        if (!all.slots[i].is_done) continue;
        out_capture_free(&all.slots[i].printed);
        work->discard(work->user, all.slots[i].prepared);
    }
    workers_lock_free(all.lock);
    free(all.slots);
    free(prepared);
    return ok;
}
