// workers.c: threads that go on, locks, and the time, on POSIX systems.
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE  // sched_getaffinity()

#include "system/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif

#define STACK_SIZE ((size_t)2 << 20)  // Paths are on the stack; nothing recurses without a limit.

typedef struct posix_lock {
    workers_lock face;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} posix_lock;

workers_lock *workers_lock_new(void)
{
    posix_lock *lock = malloc(sizeof *lock);
    if (!lock) return NULL;
    lock->face.is_made = true;
    bool has_mutex = pthread_mutex_init(&lock->mutex, NULL) == 0;
    if (has_mutex && pthread_cond_init(&lock->changed, NULL) == 0) return &lock->face;
    if (has_mutex) (void)pthread_mutex_destroy(&lock->mutex);
    free(lock);
    return NULL;
}

void workers_lock_free(workers_lock *face)
{
    posix_lock *lock = (posix_lock *)face;
    if (!lock) return;
    (void)pthread_cond_destroy(&lock->changed);
    (void)pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void workers_enter(workers_lock *lock)
{
    if (lock) (void)pthread_mutex_lock(&((posix_lock *)lock)->mutex);
}

void workers_leave(workers_lock *lock)
{
    if (lock) (void)pthread_mutex_unlock(&((posix_lock *)lock)->mutex);
}

void workers_wait(workers_lock *face, uint32_t milliseconds)
{
    posix_lock *lock = (posix_lock *)face;
    struct timespec until;
    if (!lock) return;
    if (milliseconds == 0) {
        (void)pthread_cond_wait(&lock->changed, &lock->mutex);
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(milliseconds / 1000);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&lock->changed, &lock->mutex, &until);
}

void workers_wake(workers_lock *lock)
{
    if (lock) (void)pthread_cond_broadcast(&((posix_lock *)lock)->changed);
}

typedef struct posix_thread {
    workers_thread face;
    pthread_t id;
} posix_thread;

static void *workers_run(void *user)
{
    workers_thread *thread = user;
    thread->run(thread->user);
    return NULL;
}

workers_thread *workers_start(void (*run)(void *user), void *user)
{
    pthread_attr_t attributes;
    posix_thread *thread = malloc(sizeof *thread);
    if (!thread) return NULL;
    *thread = (posix_thread){.face = {.run = run, .user = user}};
    bool ok = pthread_attr_init(&attributes) == 0;
    if (ok) {
        (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
        ok = pthread_create(&thread->id, &attributes, workers_run, thread) == 0;
        (void)pthread_attr_destroy(&attributes);
    }
    if (ok) return &thread->face;
    free(thread);
    return NULL;
}

void workers_join(workers_thread *thread)
{
    (void)pthread_join(((posix_thread *)thread)->id, NULL);
    free(thread);
}

uint32_t workers_processors(void)
{
#if defined(__linux__)
    // A container or `taskset` may allow fewer than there are.
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

double workers_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
