// workers_windows.c: threads that go on, locks, and the time, on Windows.
// SPDX-License-Identifier: MIT

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "system/workers.h"

#include <stdlib.h>
#include <windows.h>

#define STACK_SIZE (2u << 20)  // Paths are on the stack; nothing recurses without a limit.

struct workers_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
};

workers_lock *workers_lock_new(void)
{
    workers_lock *lock = malloc(sizeof *lock);
    if (lock) *lock = (workers_lock){.lock = SRWLOCK_INIT, .changed = CONDITION_VARIABLE_INIT};
    return lock;
}

void workers_lock_free(workers_lock *lock)
{
    free(lock);
}

void workers_enter(workers_lock *lock)
{
    if (lock) AcquireSRWLockExclusive(&lock->lock);
}

void workers_leave(workers_lock *lock)
{
    if (lock) ReleaseSRWLockExclusive(&lock->lock);
}

void workers_wait(workers_lock *lock, uint32_t milliseconds)
{
    if (lock)
        (void)SleepConditionVariableSRW(&lock->changed, &lock->lock,
                                        milliseconds ? milliseconds : INFINITE, 0);
}

void workers_wake(workers_lock *lock)
{
    if (lock) WakeAllConditionVariable(&lock->changed);
}

struct workers_thread {
    HANDLE handle;
    void (*run)(void *user);
    void *user;
};

static DWORD WINAPI workers_windows_run(void *user)
{
    workers_thread *thread = user;
    thread->run(thread->user);
    return 0;
}

workers_thread *workers_start(void (*run)(void *user), void *user)
{
    workers_thread *thread = malloc(sizeof *thread);
    if (!thread) return NULL;
    *thread = (workers_thread){.run = run, .user = user};
    thread->handle = CreateThread(NULL, STACK_SIZE, workers_windows_run, thread,
                                  STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (thread->handle) return thread;
    free(thread);
    return NULL;
}

void workers_join(workers_thread *thread)
{
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
