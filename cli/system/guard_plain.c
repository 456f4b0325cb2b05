// guard_plain.c: file operations for systems without signals, which are interrupted at once.
// SPDX-License-Identifier: MIT

#include "input/job.h"
#include "system/guard.h"
#include "system/temporaries.h"

static tenon_files guarded;

const tenon_files *guard_files(void)
{
    guarded = *tenon_system_files();
    guarded.open = job_open;
    guarded.open_inside = job_open_inside;
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

void guard_begin_names(void)
{
}

void guard_end_names(void)
{
}

void guard_group_flushes(bool can_wait)
{
    (void)can_wait;
}

int guard_flush(void)
{
    return 0;
}

bool guard_begin_threads(void)
{
    return false;
}

void guard_child(long pid)
{
    (void)pid;
}

void guard_end_by_pipe(void)
{
}

void guard_begin(void)
{
}
