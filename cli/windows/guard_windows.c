// guard_windows.c: what interrupting the program must not leave behind, on Windows.
// SPDX-License-Identifier: MIT
//
// The system calls the handler in a thread of its own. While the list of temporary files is
// changed, it has to wait.

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "../guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define TEMPORARY_MOST 4096

typedef struct temporary {
    char *path;  // NULL if the slot is free.
    tenon_file file;
    bool is_ours;  // Created and locked by us, so it is ours to remove.
} temporary;

static temporary temporaries[TEMPORARY_MOST];
static int temporary_count;  // Slots behind this one have never been used.
static tenon_files watched;
static SRWLOCK busy = SRWLOCK_INIT;
static bool is_burst;  // Some of the files that belong together have their names.

// Returns FALSE: the program ends as it would have without. The lock is kept until then.
static BOOL WINAPI on_end(DWORD kind)
{
    (void)kind;
    AcquireSRWLockExclusive(&busy);
    for (int i = 0; i < temporary_count; i++)
        if (temporaries[i].is_ours) (void)tenon_system_files()->remove(NULL, temporaries[i].path);
    return FALSE;
}

// -- The list

static void hold(void)
{
    if (!is_burst) AcquireSRWLockExclusive(&busy);
}

static bool has_temporaries(void)
{
    for (int i = 0; i < temporary_count; i++)
        if (temporaries[i].path) return true;
    return false;
}

// Files that belong together get their names together: from the first of them to have its name
// until no temporary is left, the handler has to wait.
static void release_after(bool is_named)
{
    is_burst = (is_burst || is_named) && has_temporaries();
    if (!is_burst) ReleaseSRWLockExclusive(&busy);
}

static temporary *find_path(const char *path)
{
    for (int i = 0; i < temporary_count; i++)
        if (temporaries[i].path && strcmp(temporaries[i].path, path) == 0) return &temporaries[i];
    return NULL;
}

static temporary *find_file(tenon_file file)
{
    for (int i = 0; i < temporary_count; i++)
        if (temporaries[i].path && temporaries[i].file == file) return &temporaries[i];
    return NULL;
}

// A slot for a temporary of that name. NULL if there is no memory, or too many.
static temporary *remember(const char *path)
{
    int i = 0;
    while (i < temporary_count && temporaries[i].path) i++;
    char *copy = i < TEMPORARY_MOST ? malloc(strlen(path) + 1) : NULL;
    if (!copy) return NULL;
    temporaries[i] = (temporary){.path = strcpy(copy, path)};
    if (i == temporary_count) temporary_count++;
    return &temporaries[i];
}

static void forget(temporary *t)
{
    if (!t) return;
    free(t->path);
    *t = (temporary){0};
}

// -- The operations that make temporary files come and go

static int create(void *user, const char *path, tenon_file *file)
{
    hold();
    temporary *t = remember(path);
    int error = t ? tenon_system_files()->create(user, path, file) : ENOMEM;
    if (error == 0)
        t->file = *file;
    else
        forget(t);
    release_after(false);
    return error;
}

static int lock(void *user, tenon_file file)
{
    hold();
    int error = tenon_system_files()->lock(user, file);
    temporary *t = find_file(file);
    if (t) t->is_ours = error == 0;
    release_after(false);
    return error;
}

static int close_file(void *user, tenon_file file)
{
    hold();
    forget(find_file(file));
    int error = tenon_system_files()->close(user, file);
    release_after(false);
    return error;
}

static int rename_file(void *user, const char *from, const char *to, bool replace)
{
    hold();
    int error = tenon_system_files()->rename(user, from, to, replace);
    if (error == 0) forget(find_path(from));
    release_after(error == 0);
    return error;
}

static int remove_file(void *user, const char *path)
{
    hold();
    int error = tenon_system_files()->remove(user, path);
    forget(find_path(path));
    release_after(false);
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

// -- Start

// No program is started here: see import_windows.c.
void guard_child(long pid)
{
    (void)pid;
}

void guard_begin(void)
{
    (void)SetConsoleCtrlHandler(on_end, TRUE);
}
