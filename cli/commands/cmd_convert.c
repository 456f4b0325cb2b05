// cmd_convert.c: tenon convert: convert models to another format or dialect.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_one.h"
#include "convert/convert_output.h"
#include "convert/convert_plan.h"
#include "input/model.h"
#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>

// Objects about files: lines on standard output, and members of the list in the report.
typedef struct json_recorder {
    bool prints;
    FILE *report;  // NULL: not requested.
    bool has_member;
} json_recorder;

static void record(json_recorder *recorder, const char *text)
{
    if (recorder->prints) out(stdout, "%s\n", text);
    if (recorder->report) out(recorder->report, "%s%s", recorder->has_member ? ",\n" : "", text);
    recorder->has_member = true;
}

// Convert one file, and record the result where that is requested.
static int convert_and_record(const convert_opts *opts, const convert_plan *plan, uint32_t index,
                              json_recorder *recorder, convert_result *result)
{
    const convert_job *job = &plan->jobs[index];
    if (!recorder->prints && !recorder->report) return convert_one(opts, plan, job, NULL, result);
    char *text = NULL;
    size_t size = 0;
    json_out json = {.to = out_to_memory(&text, &size)};
    if (!json.to) return report_no_memory();
    int status = convert_one(opts, plan, job, &json, result);
    bool ok = out_memory_end(json.to, &text, &size);
    if (ok) record(recorder, text);
    free(text);
    return ok ? status : report_no_memory();
}

// Files in folders that were skipped.
static int record_skipped(const summary *totals, json_recorder *recorder)
{
    for (uint32_t i = 0; i < totals->count && (recorder->prints || recorder->report); i++) {
        char *text = NULL;
        size_t size = 0;
        json_out json = {.to = out_to_memory(&text, &size)};
        if (!json.to) return report_no_memory();
        if (totals->entries[i].is_skipped) summary_write_skipped(&totals->entries[i], &json);
        bool ok = out_memory_end(json.to, &text, &size);
        if (ok && totals->entries[i].is_skipped) record(recorder, text);
        free(text);
        if (!ok) return report_no_memory();
    }
    return CLI_OK;
}

// -- The report

static int save_report(const convert_opts *opts, const convert_plan *plan, const char *text,
                       size_t size)
{
    if (strcmp(opts->report, "-") == 0) {
        out_bytes(stdout, text, size);
        return CLI_OK;
    }
    tenon_error err;
    tenon_write_opts write = {.force = opts->force,
                              .inputs = plan->inputs,
                              .input_count = plan->input_count,
                              .files = guard_output_files()};
    if (tenon_save(opts->report, text, size, &write, &err)) return CLI_OK;
    return report_error(opts->report, &err);
}

static int convert_all(const convert_opts *opts, convert_plan *plan, FILE *report)
{
    summary *totals = &plan->summary;
    json_recorder recorder = {.prints = opts->common.json, .report = report};
    int worst = record_skipped(totals, &recorder);
    if (totals->failed) worst = CLI_SYSTEM;  // A folder could not be listed.
    for (uint32_t i = 0; i < plan->job_count && !out_failed(); i++) {
        convert_result result = {0};
        int status = convert_and_record(opts, plan, i, &recorder, &result);
        if (status > worst) worst = status;
        if (status != CLI_OK)
            summary_fail(totals, report_name(plan->jobs[i].in), result.err.message);
        else if (result.skipped)
            summary_skip(totals, plan->jobs[i].in, result.skipped);
        else
            totals->done++;
    }
    bool are_many = plan->job_count > 1 || plan->sources.has_folder;
    const char *done = opts->dry_run ? "can be converted" : "converted";
    return summary_end(totals, &opts->common, done, are_many, worst);
}

// Convert all files; the report is collected and saved at the end.
static int convert_with_report(const convert_opts *opts, convert_plan *plan)
{
    tenon_error err;
    if (!convert_may_write(plan, opts, opts->report, &err)) return report_error(opts->report, &err);
    char *text = NULL;
    size_t size = 0;
    FILE *report = out_to_memory(&text, &size);
    if (!report) return report_no_memory();
    out(report, "[\n");
    int worst = convert_all(opts, plan, report);
    out(report, "\n]\n");
    bool ok = out_memory_end(report, &text, &size);
    int status = ok ? save_report(opts, plan, text, size) : report_no_memory();
    free(text);
    return status > worst ? status : worst;
}

// -- The command

static int convert(const cli_command *self, const convert_opts *opts)
{
    convert_plan plan;
    int status = convert_plan_make(&plan, self, opts);
    if (status == CLI_GO_ON)
        status = opts->report ? convert_with_report(opts, &plan) : convert_all(opts, &plan, NULL);
    convert_plan_free(&plan);
    return status;
}

static int convert_with_model(const cli_command *self, convert_opts *opts)
{
    model input;
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It says what the inputs are.
    common.json = false;            // One object is written for each input, which this is not.
    if (!model_read(&input, &common, opts->model, &err))
        return report_unreadable(&common, opts->model, &err);
    opts->loaded_model = &input;
    int status = convert(self, opts);
    model_free(&input);
    return status;
}

static int run_convert(const cli_command *self, char **args)
{
    convert_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.to.dialect && opts.as)
        return report_usage(self, "'--as' cannot be used with a dialect in '--to'");
    if (opts.embed && opts.textures != TEXTURES_AUTO && opts.textures != TEXTURES_EMBED)
        return report_usage(self, "'--embed' cannot be used with another '--textures'");
    if (opts.embed) opts.textures = TEXTURES_EMBED;
    const char *wrong = convert_invalid_shape(&opts);
    if (wrong)
        return report_usage(
            self, "invalid value '%s' for '--set-shape': expected MESH=SHAPE such as 0=convex",
            wrong);
    wrong = convert_invalid_event(&opts);
    if (wrong)
        return report_usage(
            self, "invalid value '%s' for '--event': expected CLIP:FRAME:NAME such as walk:12:step",
            wrong);
    return opts.model ? convert_with_model(self, &opts) : convert(self, &opts);
}

static const cli_example examples[] = {
    {"tenon convert hero.glb hero.gpb --verify", "convert to an engine's format and verify it"},
    {"tenon convert hero.bbmod hero.glb", "convert to glTF, with clips, skin and textures"},
    {"tenon convert -r models/ -o out/ --to bbmod", "convert a folder; a failure does not stop it"},
    {"tenon convert robot.bplx copy.bplx", "read the whole file, write the same bytes"},
    {"tenon convert robot.bplx old.bplx --as script", "change the dialect; losses are reported"},
    {"tenon convert *.bplx -o out/ --as script --strict", "many files; refuse those with losses"},
    {"tenon convert --in-place --as document robot.bplx", "change the file itself"},
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
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {[1] = "a model is unreadable, cannot be converted, or would lose something with "
                       "'--strict'",
                 [2] = "the command line is invalid, or an output exists or is an input"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "IN",
    .run = run_convert,
};
