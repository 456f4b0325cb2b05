// watch.c: waits until something changes in folders.
// SPDX-License-Identifier: MIT

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "batch/watch.h"

#include "system/guard.h"
#include "system/workers.h"

#if defined(__linux__)
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#endif

#define STEP   100u   // Milliseconds between two looks at whether the program is interrupted.
#define SETTLE 200u   // Milliseconds without a change, after which a save is complete.
#define POLL   1000u  // Milliseconds between two runs where changes are not reported.

// False if the program is interrupted.
static bool watch_sleep(uint32_t milliseconds)
{
    workers_lock *lock = workers_lock_new();
    double until = workers_seconds() + milliseconds / 1000.0;
    workers_enter(lock);
    while (!guard_is_interrupted() && workers_seconds() < until) workers_wait(lock, STEP);
    workers_leave(lock);
    workers_lock_free(lock);
    return !guard_is_interrupted();
}

#if defined(__linux__)

// Take what was reported. Returns whether there was something within `milliseconds`.
static bool watch_take(int fd, uint32_t milliseconds)
{
    char events[4096];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, (int)milliseconds) <= 0) return false;
    return read(fd, events, sizeof events) > 0;
}

void watch_wait(const file_list *folders)
{
    static int fd = -1, known;
    const uint32_t changes = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;
    bool is_complete = true, is_new = fd < 0;
    if (is_new) fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    for (uint32_t i = 0; i < folders->count && fd >= 0; i++) {
        int watched = inotify_add_watch(fd, folders->names[i], changes);
        is_complete &= watched >= 0;
        is_new |= watched > known;
        if (watched > known) known = watched;
    }
    // What happened before the folders were watched is found by looking once more.
    if (is_new || fd < 0 || !is_complete) {
        (void)watch_sleep(is_new && is_complete ? STEP : POLL);
        return;
    }
    while (!guard_is_interrupted() && !watch_take(fd, STEP)) continue;
    while (!guard_is_interrupted() && watch_take(fd, SETTLE)) continue;
}

#else

void watch_wait(const file_list *folders)
{
    (void)folders;
    (void)watch_sleep(POLL);
}

#endif
