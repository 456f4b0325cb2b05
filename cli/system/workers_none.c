// workers_none.c: threads that go on, locks, and the time, where there is only one thread.
// SPDX-License-Identifier: MIT

#include "system/workers.h"

#include <stdlib.h>
#include <time.h>

workers_lock *workers_lock_new(void)
{
    return calloc(1, sizeof(workers_lock));
}

void workers_lock_free(workers_lock *lock)
{
    free(lock);
}

void workers_enter(workers_lock *lock)
{
    (void)lock;
}

void workers_leave(workers_lock *lock)
{
    (void)lock;
}

void workers_wait(workers_lock *lock, uint32_t milliseconds)
{
    (void)lock, (void)milliseconds;
}

void workers_wake(workers_lock *lock)
{
    (void)lock;
}

workers_thread *workers_start(void (*run)(void *user), void *user)
{
    (void)run, (void)user;
    return NULL;
}

void workers_join(workers_thread *thread)
{
    (void)thread;
}

uint32_t workers_processors(void)
{
    return 1;
}

double workers_seconds(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
