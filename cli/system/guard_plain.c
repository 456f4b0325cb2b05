// guard_plain.c: file operations for systems without signals, which are interrupted at once.
// SPDX-License-Identifier: MIT

#include "batch/trace.h"
#include "input/job.h"
#include "system/guard.h"
#include "system/temporaries.h"

static const tenon_files *traced, *traced_outputs;

const tenon_files *guard_files(void)
{
    return traced;
}

const tenon_files *guard_output_files(void)
{
    return traced_outputs;
}

void guard_catch_interrupts(void)
{
}

bool guard_is_interrupted(void)
{
    return false;
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

void guard_end_flushes(void)
{
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
    tenon_files guarded = *tenon_system_files();
    guarded.open = job_open;
    guarded.open_inside = job_open_inside;
    traced = trace_wrap(&guarded);
    guarded.open = tenon_system_files()->open;  // An existing output is not an input.
    guarded.list = temporary_list_once;
    traced_outputs = trace_wrap_outputs(&guarded);
}
