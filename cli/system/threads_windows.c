// threads_windows.c: runs parts of a job in several threads: Windows.
// SPDX-License-Identifier: MIT

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "system/threads.h"

#include <windows.h>

#define THREADS_MOST 16

typedef struct windows_call {
    void (*task)(void *data, uint32_t i);
    void *data;
    uint32_t i;
    HANDLE thread;  // NULL: it has none.
} windows_call;

static DWORD WINAPI threads_start(void *user)
{
    const windows_call *call = user;
    call->task(call->data, call->i);
    return 0;
}

// Calls for which there is no thread are made by this one.
static void threads_run(void *user, uint32_t count, void (*task)(void *data, uint32_t i),
                        void *data)
{
    (void)user;
    windows_call calls[THREADS_MOST];
    for (uint32_t i = 1; i < count; i++) {
        calls[i] = (windows_call){.task = task, .data = data, .i = i};
        calls[i].thread = CreateThread(NULL, 0, threads_start, &calls[i], 0, NULL);
    }
    task(data, 0);
    for (uint32_t i = 1; i < count; i++) {
        if (!calls[i].thread) {
            task(data, i);
            continue;
        }
        (void)WaitForSingleObject(calls[i].thread, INFINITE);
        (void)CloseHandle(calls[i].thread);
    }
}

tenon_executor threads_executor(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    DWORD count = info.dwNumberOfProcessors;
    uint32_t width = count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (uint32_t)count;
    return (tenon_executor){.run = threads_run, .width = width};
}
