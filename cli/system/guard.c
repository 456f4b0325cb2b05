// guard.c: cleaning up temporary files when a signal ends the program.
// SPDX-License-Identifier: MIT
//
// The handlers may only read static memory and call functions that POSIX lists as
// async-signal-safe. Signals are blocked while the memory is changed.

#define _XOPEN_SOURCE 700  // SIGXFSZ, SA_SIGINFO.

#include "system/guard.h"

#include "input/job.h"
#include "options/cli.h"
#include "report/clean.h"
#include "system/temporaries.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAPPED_MOST 64
#define FILES_MOST  65536  // Files that may be open at a time, if the system allows it.
#define SHOWN_SIZE  400

// A mapped file, and the message if it shrinks.
typedef struct mapped_file {
    const char *start;  // NULL if the slot is free.
    size_t size;
    char message[SHOWN_SIZE + 64];
} mapped_file;

static mapped_file maps[MAPPED_MOST];
static char opened[SHOWN_SIZE];  // The path of the file that was opened last.
static tenon_files guarded;
static volatile pid_t child;  // 0: no program was started.
static bool is_new;           // A temporary was created, and is not locked yet.
static bool is_naming;        // Some of the files that belong together have their names.
static sigset_t before_new, before_naming;
static bool is_pipe_ignored;  // The parent process ignores SIGPIPE.

// -- Handlers

static void guard_remove_temporaries(void)
{
    const temporary *entry;
    for (int i = 0; (entry = temporary_at(i)); i++)
        if (entry->is_ours) (void)unlink(entry->path);
}

static void guard_end_child(void)
{
    if (child > 0) (void)kill(-child, SIGKILL);
}

// Clean up and end the program by the signal, which is blocked until this returns.
static void guard_on_signal(int number)
{
    int saved = errno;
    guard_end_child();
    guard_remove_temporaries();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
    errno = saved;
}

static void guard_on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    const char *at = info->si_addr;
    const mapped_file *mapped = maps;
    while (mapped < maps + MAPPED_MOST &&
           !(mapped->start && at >= mapped->start && at < mapped->start + mapped->size))
        mapped++;
    if (mapped == maps + MAPPED_MOST) {
        guard_on_signal(number);
        return;
    }
    guard_end_child();
    guard_remove_temporaries();
    ssize_t written = write(STDERR_FILENO, mapped->message, strlen(mapped->message));
    (void)written;  // There is no other way to report it.
    _exit(CLI_SYSTEM);
}

// -- What the handlers read

// Block all signals but SIGBUS, which a shrinking mapped file raises: it cannot wait.
static void guard_hold(sigset_t *before)
{
    sigset_t most;
    (void)sigfillset(&most);
    (void)sigdelset(&most, SIGBUS);
    (void)sigprocmask(SIG_SETMASK, &most, before);
}

static void guard_release(const sigset_t *before)
{
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

// Files that belong together get their names together: from the first of them to have its name
// until no temporary is left, signals have to wait.
static void guard_release_after(const sigset_t *before, bool is_named)
{
    bool is_over = !temporary_is_left();
    if (is_named && !is_naming && !is_over) {
        is_naming = true;
        before_naming = *before;
    } else if (is_naming && is_over) {
        is_naming = false;
        guard_release(&before_naming);
    } else {
        guard_release(before);
    }
}

// -- Operations on temporary files

static int guard_create(void *user, const char *path, tenon_file *file)
{
    sigset_t before;
    guard_hold(&before);
    temporary *entry;
    int error = temporary_add(path, &entry);
    if (error == 0) error = tenon_system_files()->create(user, path, file);
    if (error) {
        temporary_forget(entry);
        guard_release(&before);
        return error;
    }
    entry->file = *file;
    is_new = true;  // Signals have to wait until guard_lock() has decided whose file it is.
    before_new = before;
    return 0;
}

static int guard_lock(void *user, tenon_file file)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->lock(user, file);
    temporary *entry = temporary_of_file(file);
    if (entry) {
        entry->is_locked = error == 0;
        entry->is_ours = error == 0 || error == ENOSYS;
    }
    if (is_new) before = before_new;
    is_new = false;
    guard_release(&before);
    return error;
}

// Whether the name of a temporary file still leads to it.
static bool guard_has_its_name(const temporary *entry)
{
    tenon_file_info open, named;
    const tenon_files *files = tenon_system_files();
    return files->stat(files->user, entry->file, &open) == 0 &&
           files->look(files->user, entry->path, &named) == 0 &&
           open.id.device == named.id.device && open.id.inode == named.id.inode;
}

static int guard_close_file(void *user, tenon_file file)
{
    sigset_t before;
    guard_hold(&before);
    temporary *entry = temporary_of_file(file);
    if (entry) entry->is_closed = true;
    // A closed file that still has its temporary name will be renamed: its folder is locked
    // instead, or locks do not work. Otherwise it was discarded, and the name is another's.
    if (entry && (!entry->is_ours || (entry->is_locked && !guard_has_its_name(entry))))
        temporary_forget(entry);
    int error = tenon_system_files()->close(user, file);
    guard_release_after(&before, false);
    return error;
}

static int guard_rename_file(void *user, const char *from, const char *to, bool replace)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->rename(user, from, to, replace);
    if (error == 0) temporary_forget(temporary_of_path(from));
    guard_release_after(&before, error == 0);
    return error;
}

// A file that cannot be removed now is not tried again.
static int guard_remove_file(void *user, const char *path)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->remove(user, path);
    temporary_forget(temporary_of_path(path));
    guard_release_after(&before, false);
    return error;
}

// -- Mapped files

static int guard_open_file(void *user, const char *path, tenon_file *file)
{
    clean_text(path, strlen(path), opened, sizeof opened, NULL);
    return job_open(user, path, file);
}

static int guard_open_file_inside(void *user, const char *folder, const char *path,
                                  tenon_file *file)
{
    clean_text(path, strlen(path), opened, sizeof opened, NULL);
    return job_open_inside(user, folder, path, file);
}

// If no slot is free, the file is read instead of mapped.
static int guard_map_file(void *user, tenon_file file, size_t size, const void **memory)
{
    mapped_file *mapped = maps;
    while (mapped < maps + MAPPED_MOST && mapped->start) mapped++;
    if (mapped == maps + MAPPED_MOST) return ENOSYS;
    int error = tenon_system_files()->map(user, file, size, memory);
    if (error) return error;
    (void)snprintf(mapped->message, sizeof mapped->message,
                   "%s: error[io]: the file shrank while it was read\n", opened);
    mapped->size = size;
    mapped->start = *memory;
    return 0;
}

static void guard_unmap_file(void *user, const void *memory, size_t size)
{
    for (mapped_file *mapped = maps; mapped < maps + MAPPED_MOST; mapped++)
        if (mapped->start == memory) mapped->start = NULL;
    tenon_system_files()->unmap(user, memory, size);
}

const tenon_files *guard_files(void)
{
    guarded = *tenon_system_files();
    guarded.open = guard_open_file;
    guarded.open_inside = guard_open_file_inside;
    guarded.map = guard_map_file;
    guarded.unmap = guard_unmap_file;
    guarded.create = guard_create;
    guarded.lock = guard_lock;
    guarded.close = guard_close_file;
    guarded.rename = guard_rename_file;
    guarded.remove = guard_remove_file;
    return &guarded;
}

const tenon_files *guard_output_files(void)
{
    static tenon_files for_output;
    for_output = *guard_files();
    for_output.open = tenon_system_files()->open;  // An existing output is not an input.
    for_output.list = temporary_list_once;
    return &for_output;
}

void guard_child(long pid)
{
    child = (pid_t)pid;
}

// -- Start

static void guard_handle(int number, void (*handler)(int))
{
    struct sigaction before, action = {.sa_handler = handler};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void guard_end_by_pipe(void)
{
    if (is_pipe_ignored) return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
}

void guard_begin(void)
{
    // Signals that the parent process ignores, as nohup does with SIGHUP, stay ignored.
    guard_handle(SIGINT, guard_on_signal);
    guard_handle(SIGTERM, guard_on_signal);
    guard_handle(SIGHUP, guard_on_signal);
    struct sigaction on_bus = {.sa_sigaction = guard_on_bus_error, .sa_flags = SA_SIGINFO};
    (void)sigfillset(&on_bus.sa_mask);
    (void)sigaction(SIGBUS, &on_bus, NULL);
    // A pipe without reader and a file beyond `ulimit -f` are ordinary write errors. A closed
    // pipe ends the program only when no temporary file is left.
    struct sigaction before;
    is_pipe_ignored = sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    guard_handle(SIGPIPE, SIG_IGN);
    guard_handle(SIGXFSZ, SIG_IGN);
    // If folders cannot be locked, all sidecars of a model are open until they have their names.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_MOST) return;
    limit.rlim_cur = limit.rlim_max < FILES_MOST ? limit.rlim_max : FILES_MOST;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}
