// cmd_convert.c: tenon convert: convert models to another format or dialect.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "convert/convert_plan.h"
#include "input/model.h"
#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

// Writes JSON objects as lines of standard output and as members of the list in the report.
typedef struct json_recorder {
    bool prints;
    FILE *report;  // NULL: not requested.
    bool has_member;
    json_out json;  // The current object, which is collected in `text`.
    char *text;
    size_t size;
} json_recorder;

// Begin an object. NULL if memory ran out.
static json_out *cmd_convert_record_begin(json_recorder *recorder)
{
    recorder->text = NULL;
    recorder->json = (json_out){.to = out_to_memory(&recorder->text, &recorder->size)};
    return recorder->json.to ? &recorder->json : NULL;
}

// End an object. False if memory ran out.
static bool cmd_convert_record_end(json_recorder *recorder)
{
    const char *separator = recorder->has_member ? ",\n" : "";
    bool ok = out_memory_end(recorder->json.to, &recorder->text, &recorder->size);
    if (ok && recorder->prints) out(stdout, "%s\n", recorder->text);
    if (ok && recorder->report) out(recorder->report, "%s%s", separator, recorder->text);
    recorder->has_member = recorder->has_member || ok;
    free(recorder->text);
    return ok;
}

// Convert all files. `report` gets an object for each, separated by commas; NULL: no report.
static int convert_all(convert_plan *plan, FILE *report)
{
    const convert_opts *opts = plan->opts;
    summary *totals = &plan->summary;
    json_recorder recorder = {.prints = opts->common.json, .report = report};
    bool is_recorded = opts->common.json || report;
    int worst = totals->failed ? CLI_SYSTEM : CLI_OK;  // A folder could not be listed.
    for (uint32_t i = 0; is_recorded && i < totals->count; i++) {
        if (!totals->entries[i].is_skipped) continue;
        json_out *json = cmd_convert_record_begin(&recorder);
        if (json) summary_write_skipped(&totals->entries[i], json);
        if (json && cmd_convert_record_end(&recorder)) continue;
        worst = report_no_memory();
        break;
    }
    for (uint32_t i = 0; i < plan->job_count && !out_failed(); i++) {
        tenon_error err = {0};
        const char *skipped = NULL;
        json_out *json = is_recorded ? cmd_convert_record_begin(&recorder) : NULL;
        int status =
            is_recorded && !json ? report_no_memory() : convert_one(plan, i, json, &err, &skipped);
        if (json && !cmd_convert_record_end(&recorder)) status = report_no_memory();
        if (status > worst) worst = status;
        if (status != CLI_OK)
            summary_fail(totals, report_name(plan->jobs[i].in), err.message);
        else if (skipped)
            summary_skip(totals, plan->jobs[i].in, skipped);
        else
            totals->done++;
    }
    bool are_many = plan->job_count > 1 || plan->sources.has_folder;
    const char *done = opts->dry_run ? "can be converted" : "converted";
    return summary_end(totals, &opts->common, done, are_many, worst);
}

// Convert all files; the report is collected and saved at the end.
static int convert_with_report(convert_plan *plan)
{
    const convert_opts *opts = plan->opts;
    tenon_error err;
    if (!convert_may_write(plan, opts->report, &err)) return report_error(opts->report, &err);
    char *text = NULL;
    size_t size = 0;
    FILE *report = out_to_memory(&text, &size);
    if (!report) return report_no_memory();
    out(report, "[\n");
    int worst = convert_all(plan, report);
    out(report, "\n]\n");
    int status = CLI_OK;
    tenon_write_opts write = convert_write_opts(plan, NULL);
    if (!out_memory_end(report, &text, &size))
        status = report_no_memory();
    else if (path_is_stream(opts->report))
        out_bytes(stdout, text, size);
    else if (!tenon_save(opts->report, text, size, &write, &err))
        status = report_error(opts->report, &err);
    free(text);
    return status > worst ? status : worst;
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
    model animated = {0};
    tenon_error err;
    cli_common common = opts.common;
    common.from = (cli_format){0};  // It gives the format of the inputs.
    common.json = false;            // One object is written for each input, which this is not.
    if (opts.model && !model_read(&animated, &common, opts.model, &err))
        return report_unreadable(&common, opts.model, &err);
    if (opts.model) opts.loaded_model = &animated;
    convert_plan plan;
    status = convert_plan_make(&plan, self, &opts);
    if (status == CLI_GO_ON)
        status = opts.report ? convert_with_report(&plan) : convert_all(&plan, NULL);
    convert_plan_free(&plan);
    model_free(&animated);
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
