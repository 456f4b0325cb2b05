// pool.h: many jobs in several threads, with the same results as one after the other.
// SPDX-License-Identifier: MIT
//
// Each job is prepared in any thread, and what it prints is kept. Jobs are finished in their order,
// in the thread that called pool_run(): only there do they change what they share, give files
// their names, and print. So neither results nor messages depend on the number of threads.

#ifndef TENON_CLI_POOL_H
#define TENON_CLI_POOL_H

#include "options/cli.h"
#include "report/output.h"

#include <stdint.h>

typedef struct pool_work {
    void *user;
    uint32_t count;    // Jobs.
    uint32_t threads;  // At most; 1: all happens in the calling thread.
    // Do all of job `index` that other jobs do not depend on. Returns what the next calls get.
    void *(*prepare)(void *user, uint32_t index);
    // Before jobs are finished: what they wrote must be on the disk. NULL: nothing to do. Returns
    // whether that succeeded, which finish() gets.
    bool (*flush)(void *user, void *const *prepared, uint32_t count);
    // End job `index`: print what it printed, and free `prepared`. Returns false to stop: then
    // discard() is called for jobs that are prepared already.
    bool (*finish)(void *user, uint32_t index, void *prepared, out_capture *printed,
                   bool is_flushed);
    void (*discard)(void *user, void *prepared);
} pool_work;

// Returns false if memory ran out before anything was done.
bool pool_run(const pool_work *work);

// The number of threads that options ask for.
uint32_t pool_threads(const cli_common *opts);

#endif  // TENON_CLI_POOL_H
