// guard.c: cleaning up temporary files when a signal ends the program.
// SPDX-License-Identifier: MIT
//
// The handlers may only read static memory and call functions that POSIX lists as
// async-signal-safe. Signals are blocked while the memory is changed.
//
// With several threads, a separate thread waits for signals. It cleans up when no other thread
// works on temporary files; none can begin to from then on.

#define _GNU_SOURCE  // SIGXFSZ, SA_SIGINFO, syncfs().

#include "system/guard.h"

#include "batch/trace.h"
#include "input/job.h"
#include "input/paths.h"
#include "options/cli.h"
#include "report/clean.h"
#include "system/temporaries.h"
#include "system/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAPPED_MOST 64
#define FILES_MOST  65536  // Files that may be open at a time, if the system allows it.
#define SHOWN_SIZE  400
#define CHILDREN    256  // Programs that run at a time; further ones are not ended with this one.
#define DISKS       8    // File systems that are flushed together.

// A mapped file, and the message if it shrinks.
typedef struct mapped_file {
    const char *start;  // NULL if the slot is free.
    size_t size;
    char message[SHOWN_SIZE + 64];
} mapped_file;

static mapped_file maps[MAPPED_MOST];
static tenon_files guarded, guarded_outputs;
static const tenon_files *traced, *traced_outputs;  // The same, seen by a trace.
static volatile pid_t children[CHILDREN];           // 0: none.
static bool is_pipe_ignored;                        // The parent process ignores SIGPIPE.
static workers_lock *lock;     // Of all static memory; NULL: there is one thread.
static uint32_t holder_count;  // Threads that work on temporary files.
static bool is_ending;         // The program ends when there are none; no thread becomes one.
static _Atomic bool is_caught, is_interrupted;
static sigset_t waited_for;  // By the thread for signals.

static _Atomic uint32_t run = 1;  // Changes with each run over many files.

// File systems that files were written to.
static struct {
    bool is_possible;  // To flush them at once.
    uint32_t count;
    struct {
        uint64_t device;
        int fd;
        bool is_dirty;
    } disks[DISKS];
} unflushed;

// Of the thread:
static _Thread_local char opened[SHOWN_SIZE];  // The path of the file that was opened last.
static _Thread_local bool is_new;              // A temporary was created, and is not locked yet.
static _Thread_local bool is_naming;  // Some of the files that belong together have their names.
static _Thread_local bool has_names_begun;  // That they get them: guard_begin_names().
static _Thread_local bool is_grouped;       // Its files are flushed together with others.
static _Thread_local struct {
    uint32_t run;
    char folder[PATH_SIZE], place[PATH_SIZE];
} resolved;  // The folder that was resolved last in a run over many files, and where that is.
static _Thread_local uint32_t depth;       // How often it has entered the lock,
static _Thread_local uint32_t held;        // and how often guard_hold() was called.
static _Thread_local uint32_t child_slot;  // One more than the index of its child; 0: it has none.
static _Thread_local sigset_t before_new, before_naming;

// -- The lock, which a thread may enter several times

static void guard_enter(void)
{
    if (depth++ == 0) workers_enter(lock);
}

static void guard_leave(void)
{
    if (--depth == 0) workers_leave(lock);
}

// Enter the lock for the rest of the program, when no other thread works on temporary files.
static void guard_enter_last(void)
{
    guard_enter();
    is_ending = true;
    while (lock && holder_count > (held > 0)) workers_wait(lock, 0);
}

// -- Handlers

static void guard_remove_temporaries(void)
{
    for (const temporary *entry = temporary_first(); entry; entry = entry->next)
        if (entry->is_ours) (void)unlink(entry->path);
}

static void guard_end_children(void)
{
    for (int i = 0; i < CHILDREN; i++)
        if (children[i] > 0) (void)kill(-children[i], SIGKILL);
}

// Clean up and end the program by the signal, which is blocked until this returns.
static void guard_on_signal(int number)
{
    int saved = errno;
    if (is_caught && number != SIGHUP) {
        is_interrupted = true;
        return;
    }
    guard_end_children();
    guard_remove_temporaries();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
    errno = saved;
}

static void guard_on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    const char *at = info->si_addr;
    // No mapped file is read with the lock, but another thread may have it.
    guard_enter_last();
    const mapped_file *mapped = maps;
    while (mapped < maps + MAPPED_MOST &&
           !(mapped->start && at >= mapped->start && at < mapped->start + mapped->size))
        mapped++;
    if (mapped == maps + MAPPED_MOST) {
        guard_on_signal(number);
        return;
    }
    guard_end_children();
    guard_remove_temporaries();
    ssize_t written = write(STDERR_FILENO, mapped->message, strlen(mapped->message));
    (void)written;  // There is no other way to report it.
    _exit(CLI_SYSTEM);
}

// -- What the handlers read

// Until guard_release(), the program does not end by a signal. With one thread, all signals are
// blocked but SIGBUS, which a shrinking mapped file raises: it cannot wait. With several threads,
// the one for signals waits. A thread may call this several times.
static void guard_hold(sigset_t *before)
{
    sigset_t most;
    if (lock) {
        if (held++ > 0) return;
        guard_enter();
        while (is_ending) workers_wait(lock, 0);
        holder_count++;
        guard_leave();
        return;
    }
    (void)sigfillset(&most);
    (void)sigdelset(&most, SIGBUS);
    (void)pthread_sigmask(SIG_SETMASK, &most, before);
}

static void guard_release(const sigset_t *before)
{
    if (!lock) {
        (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    } else if (--held == 0) {
        guard_enter();
        holder_count--;
        if (is_ending) workers_wake(lock);
        guard_leave();
    }
}

// Files that belong together get their names together: from the first of them to have its name
// until no temporary is left, signals have to wait. With several threads, and where several models
// have temporaries, guard_begin_names() says so.
static void guard_release_after(const sigset_t *before, bool is_named)
{
    if (has_names_begun || lock) {
        guard_release(before);
        return;
    }
    bool is_over = !temporary_first();
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

void guard_begin_names(void)
{
    guard_hold(&before_naming);
    has_names_begun = true;
}

void guard_end_names(void)
{
    has_names_begun = false;
    guard_release(&before_naming);
}

// -- Operations on temporary files

static void guard_forget(const char *path)
{
    guard_enter();
    temporary_forget(temporary_of_path(path));
    guard_leave();
}

// Temporaries of other threads are not leftovers.
static int guard_open_write(void *user, const char *path, tenon_file *file)
{
    guard_enter();
    bool is_ours = temporary_of_path(path);
    guard_leave();
    return is_ours ? EBUSY : tenon_system_files()->open_write(user, path, file);
}

static int guard_create(void *user, const char *path, tenon_file *file)
{
    sigset_t before;
    guard_hold(&before);
    guard_enter();
    temporary *entry = temporary_add(path);
    guard_leave();
    int error = entry ? tenon_system_files()->create(user, path, file) : ENOMEM;
    guard_enter();
    if (error)
        temporary_forget(entry);
    else
        temporary_set_open(entry, *file);
    guard_leave();
    if (error) {
        guard_release(&before);
        return error;
    }
    is_new = true;  // Signals have to wait until guard_lock() has decided whose file it is.
    before_new = before;
    return 0;
}

static int guard_lock(void *user, tenon_file file)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->lock(user, file);
    guard_enter();
    temporary *entry = temporary_of_file(file);
    if (entry) {
        entry->is_locked = error == 0;
        entry->is_ours = error == 0 || error == ENOSYS;
    }
    guard_leave();
    guard_release(&before);
    if (is_new) guard_release(&before_new);
    is_new = false;
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
    guard_enter();
    temporary *entry = temporary_of_file(file);
    // A closed file that still has its temporary name will be renamed: its folder is locked
    // instead, or locks do not work. Otherwise it was discarded, and the name is another's.
    if (entry && (!entry->is_ours || (entry->is_locked && !guard_has_its_name(entry))))
        temporary_forget(entry);
    else if (entry)
        temporary_set_closed(entry);
    guard_leave();
    int error = tenon_system_files()->close(user, file);
    guard_release_after(&before, false);
    return error;
}

static int guard_rename_file(void *user, const char *from, const char *to, bool replace)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->rename(user, from, to, replace);
    if (error == 0) guard_forget(from);
    guard_release_after(&before, error == 0);
    return error;
}

// A file that cannot be removed now is not tried again.
static int guard_remove_file(void *user, const char *path)
{
    sigset_t before;
    guard_hold(&before);
    int error = tenon_system_files()->remove(user, path);
    guard_forget(path);
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
    guard_enter();
    while (mapped < maps + MAPPED_MOST && mapped->start) mapped++;
    int error =
        mapped == maps + MAPPED_MOST ? ENOSYS : tenon_system_files()->map(user, file, size, memory);
    if (error == 0) {
        (void)snprintf(mapped->message, sizeof mapped->message,
                       "%s: error[io]: the file shrank while it was read\n", opened);
        mapped->size = size;
        mapped->start = *memory;
    }
    guard_leave();
    return error;
}

static void guard_unmap_file(void *user, const void *memory, size_t size)
{
    guard_enter();
    for (mapped_file *mapped = maps; mapped < maps + MAPPED_MOST; mapped++)
        if (mapped->start == memory) mapped->start = NULL;
    guard_leave();
    tenon_system_files()->unmap(user, memory, size);
}

// -- Flushing

// Whether syncfs() reports that something could not be written: Linux 5.8 and later.
static bool guard_can_group(void)
{
#if defined(__linux__)
    struct utsname about;
    if (uname(&about) != 0) return false;
    char *end;
    long major = strtol(about.release, &end, 10),
         minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return major > 5 || (major == 5 && minor >= 8);
#else
    return false;
#endif
}

void guard_group_flushes(bool can_wait)
{
    is_grouped = can_wait && unflushed.is_possible;
}

// Remember the file system of an open file. False: it has to be flushed now.
static bool guard_flush_later(tenon_file file)
{
    tenon_file_info info;
    if (!is_grouped || tenon_system_files()->stat(NULL, file, &info) != 0) return false;
    guard_enter();
    uint32_t i = 0;
    while (i < unflushed.count && unflushed.disks[i].device != info.id.device) i++;
    int fd = -1;
    bool is_known = i < unflushed.count;
    if (is_known) unflushed.disks[i].is_dirty = true;
    if (!is_known && i < DISKS) fd = fcntl((int)file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd >= 0) {
        unflushed.disks[i].device = info.id.device;
        unflushed.disks[i].fd = fd;
        unflushed.disks[i].is_dirty = true;
        unflushed.count++;
    }
    guard_leave();
    return is_known || fd >= 0;
}

static int guard_sync(void *user, tenon_file file)
{
    return guard_flush_later(file) ? 0 : tenon_system_files()->sync(user, file);
}

// The file that has its name now is on one of the disks that are known: they are flushed again.
static int guard_sync_name(void *user, const char *path)
{
    if (!is_grouped) return tenon_system_files()->sync_name(user, path);
    guard_enter();
    for (uint32_t i = 0; i < unflushed.count; i++) unflushed.disks[i].is_dirty = true;
    guard_leave();
    return 0;
}

int guard_flush(void)
{
    int error = 0, fds[DISKS];
    uint32_t count = 0;
    guard_enter();
    for (uint32_t i = 0; i < unflushed.count; i++) {
        if (unflushed.disks[i].is_dirty) fds[count++] = unflushed.disks[i].fd;
        unflushed.disks[i].is_dirty = false;
    }
    guard_leave();
#if defined(__linux__)
    for (uint32_t i = 0; i < count; i++) {
        int failed;
        do {
            failed = syncfs(fds[i]);
        } while (failed && errno == EINTR);
        if (failed) error = errno;
    }
#else
    (void)fds;
#endif
    return error;
}

void guard_end_flushes(void)
{
    run++;
    for (uint32_t i = 0; i < unflushed.count; i++) (void)close(unflushed.disks[i].fd);
    unflushed.count = 0;
}

// -- Folders

// Many files in a row are written to one folder, whose path ends with '/'.
static int guard_resolve(void *user, const char *path, char *out, size_t out_size)
{
    size_t size = strlen(path);
    bool is_kept = is_grouped && size > 0 && size < PATH_SIZE && path[size - 1] == '/';
    if (is_kept && resolved.run == run && strcmp(path, resolved.folder) == 0) {
        if (strlen(resolved.place) >= out_size) return ENAMETOOLONG;
        (void)strcpy(out, resolved.place);
        return 0;
    }
    int error = tenon_system_files()->resolve(user, path, out, out_size);
    if (error || !is_kept || strlen(out) >= PATH_SIZE) return error;
    (void)strcpy(resolved.folder, path);
    (void)strcpy(resolved.place, out);
    resolved.run = run;
    return 0;
}

// -- Tables

const tenon_files *guard_files(void)
{
    return traced;
}

const tenon_files *guard_output_files(void)
{
    return traced_outputs;
}

static void guard_fill_tables(void)
{
    guarded = *tenon_system_files();
    guarded.open = guard_open_file;
    guarded.open_inside = guard_open_file_inside;
    guarded.map = guard_map_file;
    guarded.unmap = guard_unmap_file;
    guarded.create = guard_create;
    guarded.open_write = guard_open_write;
    guarded.lock = guard_lock;
    guarded.close = guard_close_file;
    guarded.rename = guard_rename_file;
    guarded.remove = guard_remove_file;
    guarded.sync = guard_sync;
    guarded.sync_name = guard_sync_name;
    guarded_outputs = guarded;
    guarded_outputs.open = tenon_system_files()->open;  // An existing output is not an input.
    guarded_outputs.list = temporary_list_once;
    guarded_outputs.resolve = guard_resolve;
    traced = trace_wrap(&guarded);
    traced_outputs = trace_wrap_outputs(&guarded_outputs);
}

void guard_child(long pid)
{
    guard_enter();
    if (pid == 0 && child_slot) {
        children[child_slot - 1] = 0;
        child_slot = 0;
    }
    for (uint32_t i = 0; pid > 0 && i < CHILDREN && !child_slot; i++) {
        if (children[i] != 0) continue;
        children[i] = (pid_t)pid;
        child_slot = i + 1;
    }
    guard_leave();
}

// -- Start

static void guard_handle(int number, void (*handler)(int))
{
    struct sigaction before, action = {.sa_handler = handler};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    if (handler == guard_on_signal) (void)sigaddset(&waited_for, number);
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void guard_end_by_pipe(void)
{
    if (is_pipe_ignored) return;
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
}

// Ends the program, so that no other thread creates a file any more.
static void *guard_wait_for_signals(void *user)
{
    (void)user;
    int number;
    sigset_t one;
    do {
        while (sigwait(&waited_for, &number) != 0) continue;
        is_interrupted = is_caught && number != SIGHUP;
    } while (is_interrupted);
    guard_enter_last();
    guard_end_children();
    guard_remove_temporaries();
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&one);
    (void)sigaddset(&one, number);
    (void)pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    (void)kill(getpid(), number);
    while (pause() != 0) continue;  // Until it does.
    return NULL;
}

void guard_catch_interrupts(void)
{
    is_caught = true;
}

bool guard_is_interrupted(void)
{
    return is_interrupted;
}

bool guard_begin_threads(void)
{
    pthread_t thread;
    if (lock) return true;
    lock = workers_lock_new();
    if (!lock) return false;
    // Threads that are started from now on inherit this.
    (void)pthread_sigmask(SIG_BLOCK, &waited_for, NULL);
    if (pthread_create(&thread, NULL, guard_wait_for_signals, NULL) == 0) {
        (void)pthread_detach(thread);
        return true;
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &waited_for, NULL);
    workers_lock_free(lock);
    lock = NULL;
    return false;
}

void guard_begin(void)
{
    guard_fill_tables();
    unflushed.is_possible = guard_can_group();
    (void)sigemptyset(&waited_for);
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
