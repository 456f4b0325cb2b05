// job.c: the budget for the work on one input.
// SPDX-License-Identifier: MIT

#include "input/job.h"

#include "input/paths.h"
#include "report/output.h"
#include "report/report.h"

#include "system/workers.h"

#include <inttypes.h>
#include <stdlib.h>

static _Thread_local struct {
    tenon_budget budget;
    uint64_t max_memory, max_output, max_work;  // Values of the options; 0: by the input's size.
    uint64_t held;                              // Memory of earlier jobs.
    uint64_t input_size;
    tenon_file_id *opened;
    size_t opened_count, opened_room;
    double deadline;  // workers_seconds() that must not be exceeded; 0: none.
} job;

static uint64_t job_add_or_max(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void job_set_limits(void)
{
    const tenon_budget usual = tenon_budget_for(job.input_size);
    tenon_budget *budget = &job.budget;
    budget->memory.limit =
        job_add_or_max(job.max_memory ? job.max_memory : usual.memory.limit, job.held);
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
    job.opened_count = 0;
    job.deadline = opts->batch.timeout > 0 ? workers_seconds() + opts->batch.timeout : 0;
    job_set_limits();
}

void job_end(void)
{
    free(job.opened);
    job.opened = NULL;
    job.opened_count = job.opened_room = 0;
}

bool job_is_late(void)
{
    return job.deadline > 0 && workers_seconds() > job.deadline;
}

void job_explain_cancelling(const cli_common *opts, tenon_error *err)
{
    if (err->code != TENON_ERR_CANCELLED || job.deadline <= 0) return;
    char seconds[32];
    (void)json_number_text(opts->batch.timeout, seconds, sizeof seconds);
    *err = report_make(TENON_ERR_LIMIT, "takes more than %s s", seconds);
    (void)snprintf(err->note, sizeof err->note, "'--timeout' is the limit");
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
    job.input_size = job_add_or_max(job.input_size, size);
    job_set_limits();
}

// Count a file as input, unless this job has opened it before or there is no memory to remember it.
// Where the system has no file ids, each time counts.
static void job_count_input(tenon_file file)
{
    tenon_file_info info;
    const tenon_files *files = tenon_system_files();
    if (files->stat(files->user, file, &info) != 0 || info.kind != TENON_FILE_REGULAR) return;
    if (info.id.device != 0 || info.id.inode != 0) {
        for (size_t i = 0; i < job.opened_count; i++)
            if (file_id_equal(job.opened[i], info.id)) return;
        if (job.opened_count == job.opened_room) {
            size_t room = job.opened_room ? 2 * job.opened_room : 16;
            tenon_file_id *longer = realloc(job.opened, room * sizeof *longer);
            if (!longer) return;
            job.opened = longer;
            job.opened_room = room;
        }
        job.opened[job.opened_count++] = info.id;
    }
    job_add_input(info.size);
}

int job_open(void *user, const char *path, tenon_file *file)
{
    int error = tenon_system_files()->open(user, path, file);
    if (error == 0) job_count_input(*file);
    return error;
}

int job_open_inside(void *user, const char *folder, const char *path, tenon_file *file)
{
    int error = tenon_system_files()->open_inside(user, folder, path, file);
    if (error == 0) job_count_input(*file);
    return error;
}

uint32_t job_inputs(const tenon_file_id **ids)
{
    *ids = job.opened;
    return (uint32_t)job.opened_count;
}

bool job_out_of_memory(tenon_error *err)
{
    *err = report_make(TENON_ERR_MEMORY, "out of memory");
    return false;
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
