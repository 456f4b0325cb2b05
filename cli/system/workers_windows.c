// workers_windows.c: threads that go on, locks, and the time, on Windows.
// SPDX-License-Identifier: MIT

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "system/workers.h"

#include <stdlib.h>
#include <windows.h>

#define STACK_SIZE (2u << 20)  // Paths are on the stack; nothing recurses without a limit.

typedef struct windows_lock {
    workers_lock face;
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
} windows_lock;

workers_lock *workers_lock_new(void)
{
    windows_lock *lock = malloc(sizeof *lock);
    if (!lock) return NULL;
    *lock =
        (windows_lock){.face = {true}, .lock = SRWLOCK_INIT, .changed = CONDITION_VARIABLE_INIT};
    return &lock->face;
}

void workers_lock_free(workers_lock *lock)
{
    free(lock);
}

void workers_enter(workers_lock *lock)
{
    if (lock) AcquireSRWLockExclusive(&((windows_lock *)lock)->lock);
}

void workers_leave(workers_lock *lock)
{
    if (lock) ReleaseSRWLockExclusive(&((windows_lock *)lock)->lock);
}

void workers_wait(workers_lock *lock, uint32_t milliseconds)
{
    if (lock)
        (void)SleepConditionVariableSRW(&((windows_lock *)lock)->changed,
                                        &((windows_lock *)lock)->lock,
                                        milliseconds ? milliseconds : INFINITE, 0);
}

void workers_wake(workers_lock *lock)
{
    if (lock) WakeAllConditionVariable(&((windows_lock *)lock)->changed);
}

typedef struct windows_thread {
    workers_thread face;
    HANDLE handle;
} windows_thread;

static DWORD WINAPI workers_windows_run(void *user)
{
    workers_thread *thread = user;
    thread->run(thread->user);
    return 0;
}

workers_thread *workers_start(void (*run)(void *user), void *user)
{
    windows_thread *thread = malloc(sizeof *thread);
    if (!thread) return NULL;
    *thread = (windows_thread){.face = {.run = run, .user = user}};
    thread->handle = CreateThread(NULL, STACK_SIZE, workers_windows_run, thread,
                                  STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (thread->handle) return &thread->face;
    free(thread);
    return NULL;
}

void workers_join(workers_thread *face)
{
    windows_thread *thread = (windows_thread *)face;
    (void)WaitForSingleObject(thread->handle, INFINITE);
    (void)CloseHandle(thread->handle);
    free(thread);
}

uint32_t workers_processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

double workers_seconds(void)
{
    return (double)GetTickCount64() / 1000;
}
