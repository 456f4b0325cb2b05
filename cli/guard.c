// guard.c: what signals must not leave behind.
// SPDX-License-Identifier: MIT
//
// The handlers may only look at static memory and call what POSIX lists as async-signal-safe. While
// the memory is changed, signals are held back.

#define _POSIX_C_SOURCE 200809L

#include "guard.h"

#include "clean.h"
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEMPORARY_COUNT 4
#define PATH_SIZE       4096

typedef struct temporary {
    char path[PATH_SIZE];  // "" if the slot is free.
    tenon_file file;
    bool is_ours;    // Created and locked by us, so it is ours to remove.
    bool is_locked;  // Then closing it is the end, whatever has become of it.
} temporary;

static temporary temporaries[TEMPORARY_COUNT];
static char shrunk_message[512];  // "" if no file is mapped.
static tenon_files watched;
static volatile pid_t child;  // 0: no program was started.

// -- Handlers

static void remove_temporaries(void)
{
    for (int i = 0; i < TEMPORARY_COUNT; i++)
        if (temporaries[i].is_ours) (void)unlink(temporaries[i].path);
}

static void end_child(void)
{
    if (child > 0) (void)kill(child, SIGKILL);
}

// Clean up and die of the signal after all: it is held back until this returns.
static void on_end(int number)
{
    int saved = errno;
    end_child();
    remove_temporaries();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
    errno = saved;
}

static void on_bus_error(int number)
{
    if (!shrunk_message[0]) {
        on_end(number);
        return;
    }
    end_child();
    remove_temporaries();
    ssize_t written = write(STDERR_FILENO, shrunk_message, strlen(shrunk_message));
    (void)written;  // There is nobody else to tell.
    _exit(CLI_SYSTEM);
}

// -- What they look at

static void hold(sigset_t *before)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, before);
}

static void release(const sigset_t *before)
{
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

static temporary *find_path(const char *path)
{
    for (int i = 0; i < TEMPORARY_COUNT; i++)
        if (strcmp(temporaries[i].path, path) == 0) return &temporaries[i];
    return NULL;
}

static temporary *find_file(tenon_file file)
{
    for (int i = 0; i < TEMPORARY_COUNT; i++)
        if (temporaries[i].path[0] && temporaries[i].file == file) return &temporaries[i];
    return NULL;
}

static void forget(temporary *t)
{
    if (t) *t = (temporary){0};
}

// -- The operations that make temporary files come and go

static int create(void *user, const char *path, tenon_file *file)
{
    sigset_t before;
    hold(&before);
    int error = tenon_system_files()->create(user, path, file);
    temporary *t = error == 0 && strlen(path) < PATH_SIZE ? find_path("") : NULL;
    if (t) {
        t->file = *file;
        memcpy(t->path, path, strlen(path) + 1);
    }
    release(&before);
    return error;
}

static int lock(void *user, tenon_file file)
{
    sigset_t before;
    hold(&before);
    int error = tenon_system_files()->lock(user, file);
    temporary *t = find_file(file);
    if (t) {
        t->is_locked = error == 0;
        t->is_ours = error == 0 || error == ENOSYS;
    }
    release(&before);
    return error;
}

static int close_file(void *user, tenon_file file)
{
    sigset_t before;
    hold(&before);
    temporary *t = find_file(file);
    if (t && (t->is_locked || !t->is_ours)) forget(t);
    int error = tenon_system_files()->close(user, file);
    release(&before);
    return error;
}

static int rename_file(void *user, const char *from, const char *to, bool replace)
{
    sigset_t before;
    hold(&before);
    int error = tenon_system_files()->rename(user, from, to, replace);
    if (error == 0) forget(find_path(from));
    release(&before);
    return error;
}

static int remove_file(void *user, const char *path)
{
    sigset_t before;
    hold(&before);
    int error = tenon_system_files()->remove(user, path);
    if (error == 0) forget(find_path(path));
    release(&before);
    return error;
}

const tenon_files *guard_files(void)
{
    watched = *tenon_system_files();
    watched.create = create;
    watched.lock = lock;
    watched.close = close_file;
    watched.rename = rename_file;
    watched.remove = remove_file;
    return &watched;
}

void guard_child(long pid)
{
    child = (pid_t)pid;
}

void guard_mapped(const char *name)
{
    char shown[400];
    sigset_t before;
    hold(&before);
    shrunk_message[0] = '\0';
    if (name) {
        clean_text(name, strlen(name), shown, sizeof shown, NULL);
        (void)snprintf(shrunk_message, sizeof shrunk_message,
                       "%s: error[io]: the file shrank while it was read\n", shown);
    }
    release(&before);
}

// -- Start

static void handle(int number, void (*handler)(int))
{
    struct sigaction before, action = {.sa_handler = handler};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void guard_begin(void)
{
    // What the caller has us ignore, as nohup does with SIGHUP, stays ignored.
    handle(SIGINT, on_end);
    handle(SIGTERM, on_end);
    handle(SIGHUP, on_end);
    handle(SIGBUS, on_bus_error);
    handle(SIGPIPE, SIG_IGN);
}
