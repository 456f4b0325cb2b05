// workers.h: threads that go on, locks, and the time.
// SPDX-License-Identifier: MIT
//
// CMake picks workers.c, workers_windows.c or workers_none.c.

#ifndef TENON_CLI_WORKERS_H
#define TENON_CLI_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

// A lock, on which threads that have it can also wait for each other. The systems add what they
// need.
typedef struct workers_lock {
    bool is_made;
} workers_lock;

// Returns NULL if there is no memory.
workers_lock *workers_lock_new(void);
void workers_lock_free(workers_lock *lock);

// All of these do nothing for NULL.
void workers_enter(workers_lock *lock);
void workers_leave(workers_lock *lock);

// Leave the lock until another thread calls workers_wake(), or for so many milliseconds (0: without
// limit). May also return earlier.
void workers_wait(workers_lock *lock, uint32_t milliseconds);

// Wake all threads that wait for the lock.
void workers_wake(workers_lock *lock);

typedef struct workers_thread {
    void (*run)(void *user);
    void *user;
} workers_thread;

// Start a thread, to be ended by workers_join(). Returns NULL if that is not possible.
workers_thread *workers_start(void (*run)(void *user), void *user);

// Wait until a thread has ended, and free it.
void workers_join(workers_thread *thread);

// How many processors this process may use; at least 1.
uint32_t workers_processors(void);

// Seconds since some time in the past, which go on when the clock is set.
double workers_seconds(void);

#endif  // TENON_CLI_WORKERS_H
