// guard_windows.c: cleaning up temporary files when the program is interrupted, on Windows.
// SPDX-License-Identifier: MIT
//
// The system calls the handler in a separate thread, which has to wait while the list of temporary
// files is changed.

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "batch/trace.h"
#include "input/job.h"
#include "system/guard.h"
#include "system/temporaries.h"

#include <errno.h>
#include <windows.h>

static tenon_files guarded, guarded_outputs;
static const tenon_files *traced, *traced_outputs;  // The same, seen by a trace.
static SRWLOCK busy = SRWLOCK_INIT;
static bool has_threads;
static _Atomic bool is_caught, is_interrupted;

// Of the thread:
static _Thread_local bool is_naming;  // Some of the files that belong together have their names.
static _Thread_local bool has_names_begun;  // That they get them: guard_begin_names().

// Returns FALSE, so that the program ends as it would without a handler. The lock is kept until
// then.
static BOOL WINAPI guard_windows_on_interrupt(DWORD kind)
{
    if (is_caught && kind != CTRL_CLOSE_EVENT) {
        is_interrupted = true;
        return TRUE;
    }
    AcquireSRWLockExclusive(&busy);
    for (const temporary *entry = temporary_first(); entry; entry = entry->next)
        if (entry->is_ours) (void)tenon_system_files()->remove(NULL, entry->path);
    return FALSE;
}

// -- The list

static void guard_windows_hold(void)
{
    if (!is_naming && !has_names_begun) AcquireSRWLockExclusive(&busy);
}

// Files that belong together get their names together: from the first of them to have its name
// until no temporary is left, the handler has to wait.
static void guard_windows_release_after(bool is_named)
{
    if (has_names_begun) return;
    is_naming = (is_naming || is_named) && temporary_first() && !has_threads;
    if (!is_naming) ReleaseSRWLockExclusive(&busy);
}

void guard_begin_names(void)
{
    guard_windows_hold();
    has_names_begun = true;
}

void guard_end_names(void)
{
    has_names_begun = false;
    guard_windows_release_after(false);
}

// -- Operations on temporary files

static int guard_windows_create(void *user, const char *path, tenon_file *file)
{
    guard_windows_hold();
    temporary *entry = temporary_add(path);
    int error = entry ? tenon_system_files()->create(user, path, file) : ENOMEM;
    if (error == 0)
        temporary_set_open(entry, *file);
    else
        temporary_forget(entry);
    guard_windows_release_after(false);
    return error;
}

static int guard_windows_lock(void *user, tenon_file file)
{
    guard_windows_hold();
    int error = tenon_system_files()->lock(user, file);
    temporary *entry = temporary_of_file(file);
    if (entry) entry->is_ours = error == 0;
    guard_windows_release_after(false);
    return error;
}

static int guard_windows_close_file(void *user, tenon_file file)
{
    guard_windows_hold();
    temporary_forget(temporary_of_file(file));
    int error = tenon_system_files()->close(user, file);
    guard_windows_release_after(false);
    return error;
}

static int guard_windows_rename_file(void *user, const char *from, const char *to, bool replace)
{
    guard_windows_hold();
    int error = tenon_system_files()->rename(user, from, to, replace);
    if (error == 0) temporary_forget(temporary_of_path(from));
    guard_windows_release_after(error == 0);
    return error;
}

static int guard_windows_remove_file(void *user, const char *path)
{
    guard_windows_hold();
    int error = tenon_system_files()->remove(user, path);
    temporary_forget(temporary_of_path(path));
    guard_windows_release_after(false);
    return error;
}

static void guard_windows_fill_tables(void)
{
    guarded = *tenon_system_files();
    guarded.open = job_open;
    guarded.open_inside = job_open_inside;
    guarded.create = guard_windows_create;
    guarded.lock = guard_windows_lock;
    guarded.close = guard_windows_close_file;
    guarded.rename = guard_windows_rename_file;
    guarded.remove = guard_windows_remove_file;
    guarded_outputs = guarded;
    guarded_outputs.open = tenon_system_files()->open;  // An existing output is not an input.
    guarded_outputs.list = temporary_list_once;
    traced = trace_wrap(&guarded);
    traced_outputs = trace_wrap_outputs(&guarded_outputs);
}

const tenon_files *guard_files(void)
{
    return traced;
}

const tenon_files *guard_output_files(void)
{
    return traced_outputs;
}

// Windows cannot flush many files at once: each is flushed when it is complete.
void guard_group_flushes(bool can_wait)
{
    (void)can_wait;
}

int guard_flush(void)
{
    return 0;
}

void guard_catch_interrupts(void)
{
    is_caught = true;
}

bool guard_is_interrupted(void)
{
    return is_interrupted;
}

void guard_end_flushes(void)
{
}

bool guard_begin_threads(void)
{
    has_threads = true;
    return true;
}

// -- Start

// No program is started here: see import_windows.c.
void guard_child(long pid)
{
    (void)pid;
}

// Windows has no such signal.
void guard_end_by_pipe(void)
{
}

void guard_begin(void)
{
    guard_windows_fill_tables();
    (void)SetConsoleCtrlHandler(guard_windows_on_interrupt, TRUE);
}
