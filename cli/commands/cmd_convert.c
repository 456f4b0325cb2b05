// cmd_convert.c: tenon convert: convert models to another format or dialect.
// SPDX-License-Identifier: MIT

#include "batch/meter.h"
#include "batch/pool.h"
#include "batch/recipe.h"
#include "batch/watch.h"
#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "convert/convert_plan.h"
#include "convert/convert_unchanged.h"
#include "input/model.h"
#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>

// A run over all files.
typedef struct convert_run {
    convert_plan *plan;
    meter line;
    bool is_stopped;
    int worst;
} convert_run;

static void *cmd_convert_prepare(void *user, uint32_t index)
{
    const convert_run *run = user;
    guard_group_flushes(true);
    return convert_start(run->plan, index, true);
}

static bool cmd_convert_flush(void *user, void *const *prepared, uint32_t count)
{
    convert_plan *plan = ((convert_run *)user)->plan;
    guard_group_flushes(true);
    for (uint32_t i = 0; i < count && plan->manifest.is_open; i++) {
        convert_job *job = prepared[i];
        bool is_made = job && !job->has_failed && !job->skipped && !job->is_unchanged;
        if (is_made && !convert_must_repeat(job) && !convert_record(job)) return false;
    }
    return manifest_flush(&plan->manifest) && guard_flush() == 0;
}

static void cmd_convert_discard(void *user, void *prepared)
{
    (void)user;
    convert_discard(prepared);
}

// Returns false to stop.
static bool cmd_convert_finish(void *user, uint32_t index, void *prepared, out_capture *printed,
                               bool is_flushed)
{
    convert_run *run = user;
    convert_job *job = prepared;
    meter_erase(&run->line);
    if (!is_flushed || convert_must_repeat(job)) {
        // All before it are finished, so that it does what it would do if there were no threads.
        convert_discard(job);
        out_capture_free(printed);
        guard_group_flushes(false);
        job = convert_start(run->plan, index, false);
    } else {
        out_capture_print(printed);
    }
    guard_group_flushes(true);
    int status = convert_finish(run->plan, index, job);
    guard_group_flushes(false);
    if (status > run->worst) run->worst = status;
    meter_show(&run->line, index + 1, &run->plan->summary);
    run->is_stopped = out_failed() || guard_is_interrupted() ||
                      (status != CLI_OK && run->plan->opts->common.batch.fail_fast);
    return !run->is_stopped;
}

// Convert all files.
static int convert_all(convert_plan *plan)
{
    const convert_opts *opts = plan->opts;
    summary *totals = &plan->summary;
    convert_run run = {.plan = plan, .line = meter_begin(&opts->common, plan->job_count)};
    run.worst = totals->failed ? CLI_SYSTEM : CLI_OK;  // A folder could not be listed.
    if (opts->common.json && !opts->is_repeated)
        summary_print_skipped(totals, plan->shard_count > 0);
    for (uint32_t i = 0; plan->report && i < totals->count; i++) {
        if (!totals->entries[i].is_skipped) continue;
        out(plan->report, plan->has_reported ? ",\n" : "");
        summary_write_skipped(&totals->entries[i], plan->shard_count > 0,
                              &(json_out){.to = plan->report});
        plan->has_reported = true;
    }
    bool is_alone = plan->job_count == 1 || plan->is_in_order;
    const pool_work work = {.user = &run,
                            .count = plan->job_count,
                            .threads = pool_threads(&opts->common),
                            .prepare = cmd_convert_prepare,
                            .flush = cmd_convert_flush,
                            .finish = cmd_convert_finish,
                            .discard = cmd_convert_discard};
    for (uint32_t i = 0; is_alone && i < plan->job_count && !out_failed(); i++) {
        int status = convert_finish(plan, i, convert_start(plan, i, false));
        if (status > run.worst) run.worst = status;
        run.is_stopped = status != CLI_OK && opts->common.batch.fail_fast;
        if (run.is_stopped) break;
    }
    if (!is_alone && !pool_run(&work)) run.worst = report_no_memory();
    (void)guard_flush();  // The names; the files themselves are on the disk.
    guard_end_flushes();
    meter_erase(&run.line);
    int status = convert_close_manifest(plan, !run.is_stopped);
    if (status > run.worst) run.worst = status;
    bool are_many = plan->shard_count || plan->job_count > 1 || plan->sources.are_many;
    const char *done = opts->dry_run ? "can be converted" : "converted";
    if (opts->is_repeated && !totals->done && !totals->failed) return run.worst;
    return summary_end(totals, &opts->common, done, are_many, run.worst);
}

// Convert all files; the report is collected and saved at the end.
static int convert_with_report(convert_plan *plan)
{
    const convert_opts *opts = plan->opts;
    tenon_error err;
    if (!convert_may_write(plan, opts->report, &err)) return report_error(opts->report, &err);
    char *text = NULL;
    size_t size = 0;
    plan->report = out_to_memory(&text, &size);
    if (!plan->report) return report_no_memory();
    out(plan->report, "[\n");
    int worst = convert_all(plan);
    out(plan->report, "\n]\n");
    int status = CLI_OK;
    tenon_write_opts write = convert_write_opts(plan, NULL);
    if (!out_memory_end(plan->report, &text, &size))
        status = report_no_memory();
    else if (path_is_stream(opts->report))
        out_bytes(stdout, text, size);
    else if (!tenon_save(opts->report, text, size, &write, &err))
        status = report_error(opts->report, &err);
    free(text);
    return status > worst ? status : worst;
}

// What the values of options must be, besides what their kinds say.
static int cmd_convert_check_options(const cli_command *self, convert_opts *opts)
{
    if (opts->to.dialect && opts->as)
        return report_usage(self, "'--as' cannot be used with a dialect in '--to'");
    if (opts->embed && opts->textures != TENON_TEXTURES_AUTO &&
        opts->textures != TENON_TEXTURES_EMBED)
        return report_usage(self, "'--embed' cannot be used with another '--textures'");
    if (opts->embed) opts->textures = TENON_TEXTURES_EMBED;
    const char *wrong = convert_invalid_shape(opts);
    if (wrong)
        return report_usage(
            self, "invalid value '%s' for '--set-shape': expected MESH=SHAPE such as 0=convex",
            wrong);
    wrong = convert_invalid_event(opts);
    if (wrong)
        return report_usage(
            self, "invalid value '%s' for '--event': expected CLIP:FRAME:NAME such as walk:12:step",
            wrong);
    wrong = convert_invalid_morph(opts);
    if (wrong)
        return report_usage(
            self, "invalid value '%s' for '--morph': expected NAME=WEIGHT such as smile=0.5",
            wrong);
    return CLI_GO_ON;
}

// Make the plan and convert; with '--watch', again whenever something changes.
static int cmd_convert_run(const cli_command *self, convert_opts *opts)
{
    int status;
    if (opts->watch) guard_catch_interrupts();
    do {
        convert_plan plan;
        status = convert_plan_make(&plan, self, opts);
        if (status == CLI_GO_ON) status = convert_open_manifest(&plan, self);
        bool is_made = status == CLI_GO_ON;
        if (is_made) status = opts->report ? convert_with_report(&plan) : convert_all(&plan);
        if (opts->watch && (is_made || opts->is_repeated) && !guard_is_interrupted()) {
            out_flush();
            watch_wait(&plan.sources.folders);
            opts->is_repeated = true;
        }
        convert_plan_free(&plan);
        // Interrupting is the usual end.
    } while (opts->watch && opts->is_repeated && !guard_is_interrupted() && !out_failed());
    return opts->watch && guard_is_interrupted() ? CLI_OK : status;
}

// Convert with the options and operands of a command line.
static int cmd_convert_words(const cli_command *self, convert_opts *opts)
{
    int status = cmd_convert_check_options(self, opts);
    if (status != CLI_GO_ON) return status;
    opts->skip_unchanged |= opts->watch;
    model animated = {0};
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It gives the format of the inputs.
    common.json = false;            // One object is written for each input, which this is not.
    if (opts->model && !model_read(&animated, &common, opts->model, &err))
        return report_unreadable(&common, opts->model, &err);
    if (opts->model) opts->loaded_model = &animated;
    status = cmd_convert_run(self, opts);
    model_free(&animated);
    return status;
}

// Whether two rules would write one file: then none is carried out.
static int cmd_convert_compare_rules(const cli_command *self, const convert_opts *all,
                                     uint32_t count, file_list *folders)
{
    convert_plan *plans = calloc(count ? count : 1, sizeof *plans);
    int status = plans ? CLI_GO_ON : report_no_memory();
    for (uint32_t i = 0; i < count && status == CLI_GO_ON; i++) {
        status = convert_plan_make(&plans[i], self, &all[i]);
        for (uint32_t k = 0; k < plans[i].sources.folders.count; k++)
            (void)file_list_add(folders, "", plans[i].sources.folders.names[k]);
        for (uint32_t k = 0; k < plans[i].job_count && status == CLI_GO_ON; k++)
            for (uint32_t other = 0; other < i && status == CLI_GO_ON; other++)
                if (claims_is_taken(&plans[other].claims, plans[i].jobs[k].out, CLAIM_REPORT))
                    status = report_usage(self, "two rules of the recipe would write '%s'",
                                          plans[i].jobs[k].out);
    }
    // The folders that later plans have created are in those of earlier ones.
    for (uint32_t i = count; plans && i-- > 0;) convert_plan_free(&plans[i]);
    free(plans);
    return status;
}

// Carry out a recipe, rule by rule. `words` are the options beside it.
static int cmd_convert_recipe(const cli_command *self, const char *path, char **words)
{
    recipe all;
    int status = recipe_read(&all, path, words);
    convert_opts *opts = status == CLI_GO_ON ? calloc(all.count + 1, sizeof *opts) : NULL;
    if (status == CLI_GO_ON && !opts) status = report_no_memory();
    // Parsing moves the words, which the recipe has to free.
    char ***lines = opts ? calloc(all.count + 1, sizeof *lines) : NULL;
    for (uint32_t i = 0; lines && i < all.count && status == CLI_GO_ON; i++) {
        uint32_t size = 1;
        while (all.lines[i][size - 1]) size++;
        lines[i] = malloc(size * sizeof *lines[i]);
        if (lines[i]) memcpy(lines[i], all.lines[i], size * sizeof *lines[i]);
        status = lines[i] ? cli_parse(self, lines[i], &opts[i]) : report_no_memory();
        opts[i].is_of_recipe = true;
    }
    // The rules are carried out again together.
    bool is_watched = all.count && opts && opts[0].watch && status == CLI_GO_ON;
    int worst;
    for (uint32_t i = 0; is_watched && i < all.count; i++) opts[i].watch = false;
    if (is_watched) guard_catch_interrupts();
    do {
        file_list folders = {0};
        if (status == CLI_GO_ON)
            status = cmd_convert_compare_rules(self, opts, all.count, &folders);
        worst = status == CLI_GO_ON ? CLI_OK : status;
        for (uint32_t i = 0; i < all.count && status == CLI_GO_ON; i++) {
            int result = cmd_convert_words(self, &opts[i]);
            if (result > worst) worst = result;
            opts[i].is_repeated = is_watched;
            if (result != CLI_OK && opts[i].common.batch.fail_fast) break;
        }
        if (is_watched) out_flush();
        if (is_watched) watch_wait(&folders);
        file_list_free(&folders);
        if (is_watched) status = CLI_GO_ON;
    } while (is_watched && !guard_is_interrupted() && !out_failed());
    if (is_watched) worst = CLI_OK;
    for (uint32_t i = 0; lines && i < all.count; i++) free(lines[i]);
    free(lines);
    free(opts);
    recipe_free(&all);
    return worst;
}

static int run_convert(const cli_command *self, char **args)
{
    convert_opts opts = {0};
    uint32_t count = 1;
    while (args[count - 1]) count++;
    char **words = malloc(count * sizeof *words);
    if (!words) return report_no_memory();
    memcpy(words, args, count * sizeof *words);
    int status = cli_parse(self, args, &opts);
    bool has_inputs = opts.common.operand_count || opts.common.batch.files_from.count;
    const char *path = opts.recipe ? opts.recipe : RECIPE_NAME;
    if (status == CLI_GO_ON && opts.recipe && has_inputs)
        status = report_usage(self, "'--recipe' cannot be used with other inputs");
    if (status == CLI_GO_ON && !has_inputs)
        status = opts.recipe || recipe_exists() ? cmd_convert_recipe(self, path, words)
                                                : report_usage(self, "IN is missing");
    else if (status == CLI_GO_ON)
        status = cmd_convert_words(self, &opts);
    free(words);
    return status;
}

static const cli_example examples[] = {
    {"tenon convert hero.glb hero.gpb --verify", "convert to an engine's format and verify it"},
    {"tenon convert hero.bbmod hero.glb", "convert to glTF, with clips, skin and textures"},
    {"tenon convert -r models/ -o out/ --to bbmod", "convert a folder; a failure does not stop it"},
    {"tenon convert robot.bplx copy.bplx", "read the whole file, write the same bytes"},
    {"tenon convert robot.bplx old.bplx --as script", "change the dialect; losses are reported"},
    {"tenon convert *.bplx -o out/ --as script --strict", "many files; refuse those with losses"},
    {"tenon convert --in-place --as document robot.bplx",
     "replace the file instead of writing another"},
    {"tenon convert --merge run.cea walk.cea -o hero.cea", "combine their clips in one file"},
    {"tenon convert house.cem solid.cem --set-shape all=triangleMesh", "set collision shapes"},
    {0},
};

const cli_command cmd_convert = {
    .name = "convert",
    .summary = "convert models to another format or dialect",
    .usage = {"[OPTION]... IN OUT", "[OPTION]... IN... -o OUT", "--in-place [OPTION]... FILE..."},
    .details = "If OUT has the format of the input and no other change is requested, the bytes "
               "stay the same. OUT is a folder if it exists as one or ends in '/'; each input is "
               "then written there under its own name. Missing folders are created. '-' is "
               "standard input or output. If an input is a folder, the models in it are "
               "converted, with '-r' also those in its subfolders; other files are skipped and "
               "listed at the end. A file is written completely or not at all. What a format "
               "cannot store is reported as a loss, with the measured error where there is one.",
    .options = convert_options,
    .takes_folders = true,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {[1] = "a model is unreadable, cannot be converted, or would lose something with "
                       "'--strict'",
                 [2] = "the command line is invalid, or an output exists or is an input"},
    .operands_min = 0,
    .operands_max = UINT32_MAX,
    .operand = "IN",
    .run = run_convert,
};
