// mirror.c: commands that write one file for each input, in the same folders below another one.
// SPDX-License-Identifier: MIT

#include "batch/mirror.h"

#include "convert/convert_output.h"
#include "input/job.h"
#include "report/report.h"
#include "system/guard.h"

#include <string.h>

bool mirror_is_folder(const char *path)
{
    bool is_folder = false;
    size_t size = strlen(path);
    if (size > 0 && path[size - 1] == '/') return true;
    return !path_is_stream(path) && convert_look_for_folder(path, &is_folder) == 0 && is_folder;
}

bool mirror_is_wanted(const cli_common *common, const char *output)
{
    if (common->batch.files_from.count || common->operand_count > 1) return true;
    const char *in = common->operands[0];
    bool is_list = in[0] == '@' && in[1];
    return is_list || mirror_is_folder(in) || (output && mirror_is_folder(output));
}

typedef struct mirror_work {
    const mirror *all;
    convert_plan plan;
} mirror_work;

static int mirror_run_one(void *user, uint32_t index, char why[EACH_WHY_SIZE])
{
    mirror_work *work = user;
    const planned_job *planned = &work->plan.jobs[index];
    const mirror_job job = {.plan = &work->plan,
                            .number = index,
                            .in = planned->in,
                            .out = planned->out,
                            .write = convert_write_opts(&work->plan, NULL)};
    tenon_error err;
    if (convert_may_write(&work->plan, job.out, &err))
        return work->all->run(work->all->user, &job, why);
    (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
    return report_unreadable(&work->all->opts->common, job.in, &err);
}

int mirror_run(const mirror *all)
{
    const cli_common *common = &all->opts->common;
    if (!all->opts->output || path_is_stream(all->opts->output))
        return report_usage(all->command, "several files need a folder to be written to, such as "
                                          "'-o OUT/'");
    mirror_work work = {.all = all};
    convert_plan *plan = &work.plan;
    int status = convert_plan_make(plan, all->command, all->opts);
    if (status == CLI_GO_ON) {
        summary *totals = &plan->summary;
        int worst = totals->failed ? CLI_SYSTEM : CLI_OK;
        if (common->json) summary_print_skipped(totals, false);
        // After a failure that ends the run, no later file may have been written.
        const each_file each = {.common = common,
                                .names = plan->sources.files,
                                .count = plan->job_count,
                                .is_in_order = all->is_in_order || plan->is_in_order ||
                                               common->batch.fail_fast,
                                .user = &work,
                                .run = mirror_run_one};
        status = each_file_run(&each, totals);
        if (worst > status) status = worst;
        bool are_many = plan->sources.are_many || plan->job_count > 1;
        status = summary_end(totals, common, all->done, are_many, status);
    }
    convert_plan_free(plan);
    return status;
}

int mirror_run_alone(const mirror *all, const char *in, const char *out)
{
    char why[EACH_WHY_SIZE];
    const mirror_job job = {
        .in = in, .out = out, .write = {.force = all->opts->force, .files = guard_output_files()}};
    return all->run(all->user, &job, why);
}
