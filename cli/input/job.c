// job.c: what the work on one input may cost.
// SPDX-License-Identifier: MIT

#include "input/job.h"

#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    tenon_budget budget;
    uint64_t max_memory, max_output, max_work;  // As the options say; 0: by the input.
    uint64_t held;                              // Memory of earlier jobs.
    uint64_t input_size;
    tenon_file_id *files;  // That were opened.
    size_t count, room;
} job;

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void set_limits(void)
{
    const tenon_budget usual = tenon_budget_for(job.input_size);
    tenon_budget *budget = &job.budget;
    budget->memory.limit = add(job.max_memory ? job.max_memory : usual.memory.limit, job.held);
    budget->output.limit = job.max_output ? job.max_output : usual.output.limit;
    budget->work.limit = job.max_work ? job.max_work : usual.work.limit;
}

void job_begin(const cli_common *opts)
{
    job.held = job.budget.memory.used;
    job.budget = (tenon_budget){.memory = {.used = job.held, .most = job.held}};
    job.max_memory = opts->max_memory;
    job.max_output = opts->max_output;
    job.max_work = opts->max_work;
    job.input_size = 0;
    job.count = 0;
    set_limits();
}

tenon_budget *job_budget(void)
{
    return &job.budget;
}

tenon_allocator job_allocator(void)
{
    return (tenon_allocator){.budget = &job.budget};
}

void job_add_input(uint64_t size)
{
    job.input_size = add(job.input_size, size);
    set_limits();
}

// Whether a file is opened for the first time. Without memory to remember it, it is not; where the
// system knows files only by their names, it always is.
static bool is_new(tenon_file_id id)
{
    if (id.device == 0 && id.inode == 0) return true;
    for (size_t i = 0; i < job.count; i++)
        if (memcmp(&job.files[i], &id, sizeof id) == 0) return false;
    if (job.count == job.room) {
        size_t room = job.room ? 2 * job.room : 16;
        tenon_file_id *more = realloc(job.files, room * sizeof *more);
        if (!more) return false;
        job.files = more;
        job.room = room;
    }
    job.files[job.count++] = id;
    return true;
}

static void note_file(tenon_file file)
{
    tenon_file_info info;
    const tenon_files *files = tenon_system_files();
    if (files->stat(files->user, file, &info) != 0 || info.kind != TENON_FILE_REGULAR) return;
    if (is_new(info.id)) job_add_input(info.size);
}

int job_open(void *user, const char *path, tenon_file *file)
{
    int error = tenon_system_files()->open(user, path, file);
    if (error == 0) note_file(*file);
    return error;
}

int job_open_inside(void *user, const char *folder, const char *path, tenon_file *file)
{
    int error = tenon_system_files()->open_inside(user, folder, path, file);
    if (error == 0) note_file(*file);
    return error;
}

void job_report(const cli_common *opts, const char *file)
{
    const tenon_budget *budget = &job.budget;
    if (!opts->verbose) return;
    out_clean(stderr, report_name(file));
    out(stderr,
        ": used %" PRIu64 " of %" PRIu64 " bytes of memory, %" PRIu64 " of %" PRIu64
        " bytes of output, %" PRIu64 " of %" PRIu64 " steps\n",
        budget->memory.most - job.held, budget->memory.limit - job.held, budget->output.most,
        budget->output.limit, budget->work.most, budget->work.limit);
}

const char *job_remedy(void)
{
    const tenon_budget *budget = &job.budget;
    if (budget->work.refused) return "--max-work STEPS";
    if (budget->memory.refused) return "--max-memory SIZE";
    return budget->output.refused ? "--max-output SIZE" : NULL;
}
