// threads.c: runs parts of a job in several threads: POSIX.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1  // pthread_sigmask()

#include "system/threads.h"

#include "system/workers.h"

#include <pthread.h>
#include <signal.h>

#define THREADS_MOST 16

typedef struct threads_call {
    void (*task)(void *data, uint32_t i);
    void *data;
    uint32_t i;
    pthread_t thread;
    bool has_thread;
} threads_call;

static void *threads_start(void *user)
{
    const threads_call *call = user;
    call->task(call->data, call->i);
    return NULL;
}

// Signals go to the main thread. Calls for which there is no thread are made by it.
static void threads_run(void *user, uint32_t count, void (*task)(void *data, uint32_t i),
                        void *data)
{
    (void)user;
    threads_call calls[THREADS_MOST];
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    for (uint32_t i = 1; i < count; i++) {
        calls[i] = (threads_call){.task = task, .data = data, .i = i};
        calls[i].has_thread = pthread_create(&calls[i].thread, NULL, threads_start, &calls[i]) == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    task(data, 0);
    for (uint32_t i = 1; i < count; i++) {
        if (calls[i].has_thread)
            (void)pthread_join(calls[i].thread, NULL);
        else
            task(data, i);
    }
}

tenon_executor threads_executor(void)
{
    uint32_t count = workers_processors(), width = count > THREADS_MOST ? THREADS_MOST : count;
    return (tenon_executor){.run = threads_run, .width = width};
}
