// each_file.c: a command's work on each of its files, in several threads, with a summary.
// SPDX-License-Identifier: MIT

#include "batch/each_file.h"

#include "batch/meter.h"
#include "batch/pool.h"
#include "input/job.h"
#include "report/report.h"

#include <stdlib.h>

typedef struct each_run {
    const each_file *work;
    summary *totals;
    meter line;
    int worst;
} each_run;

typedef struct each_result {
    int status;
    char why[EACH_WHY_SIZE];
} each_result;

static void *each_prepare(void *user, uint32_t index)
{
    const each_file *work = ((each_run *)user)->work;
    each_result *result = malloc(sizeof *result);
    if (!result) return NULL;
    *result = (each_result){.why = ""};
    job_begin(work->common);
    result->status = work->run(work->user, index, result->why);
    return result;
}

static bool each_finish(void *user, uint32_t index, void *prepared, out_capture *printed,
                        bool is_flushed)
{
    each_run *run = user;
    each_result *result = prepared;
    (void)is_flushed;
    meter_erase(&run->line);
    out_capture_print(printed);
    int status = result ? result->status : report_no_memory();
    if (status > run->worst) run->worst = status;
    if (status == CLI_OK)
        run->totals->done++;
    else
        summary_fail(run->totals, report_name(run->work->names[index]), result ? result->why : "");
    free(result);
    meter_show(&run->line, index + 1, run->totals);
    return !out_failed() && !(status != CLI_OK && run->work->common->batch.fail_fast);
}

static void each_discard(void *user, void *prepared)
{
    (void)user;
    free(prepared);
}

int each_file_run(const each_file *work, summary *totals)
{
    each_run run = {.work = work, .totals = totals, .worst = CLI_OK};
    const pool_work jobs = {.user = &run,
                            .count = work->count,
                            .threads = work->is_in_order ? 1 : pool_threads(work->common),
                            .prepare = each_prepare,
                            .finish = each_finish,
                            .discard = each_discard};
    run.line = meter_begin(work->common, work->count);
    if (work->count && !pool_run(&jobs)) run.worst = report_no_memory();
    meter_erase(&run.line);
    return run.worst;
}
