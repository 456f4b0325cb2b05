// cmd_check.c: tenon check: find errors in models.
// SPDX-License-Identifier: MIT

#include "batch/each_file.h"
#include "input/inputs.h"
#include "input/job.h"
#include "input/model.h"
#include "input/paths.h"
#include "options/cli.h"
#include "pictures/findings_picture.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ID_COLUMNS       28
#define SEVERITY_COLUMNS 9

typedef struct check_opts {
    cli_common common;
    const char *profile, *model;
    const char *picture;  // The PNG file to write; NULL: none.
    bool strict, rules, force;
    const tenon_doc *model_doc;  // What --model names.
} check_opts;

// What the callback for findings needs.
typedef struct finding_printer {
    const check_opts *opts;
    const model *input;
    json_out json;         // Of the findings.
    finding_marks *marks;  // For the picture.
} finding_printer;

static void cmd_check_print_finding(void *user, const tenon_finding *finding)
{
    finding_printer *printer = user;
    const cli_common *common = &printer->opts->common;
    tenon_severity least = printer->opts->strict ? TENON_WARNING : TENON_ERROR;
    tenon_finding shown = *finding;
    if (printer->opts->picture) finding_marks_add(printer->marks, finding);
    // The offsets of an imported document are not those of the file.
    if (printer->input->format) shown.offset = TENON_ABSENT;
    if (!common->json) {
        bool is_shown = !common->quiet || finding->severity >= least;
        if (is_shown) report_finding(printer->input->file, &shown, common->verbose);
        return;
    }
    json_out *json = &printer->json;
    json_begin(json, NULL, '{');
    json_text(json, "rule", shown.rule->id);
    json_text(json, "severity", report_severity_word(shown.severity));
    json_text(json, "path", shown.path);
    if (shown.offset != TENON_ABSENT) json_uint(json, "offset", shown.offset);
    json_text(json, "message", shown.message);
    if (shown.fix) json_text(json, "fix", shown.fix);
    if (shown.more) json_uint(json, "more", shown.more);
    json_end(json, '}');
}

static bool cmd_check_apply_rules(finding_printer *printer, tenon_check_result *result,
                                  tenon_error *err)
{
    progress line;
    const check_opts *opts = printer->opts;
    const char *file = printer->input->file;
    tenon_check_opts check = {
        .allocator = job_allocator(),
        .events = progress_begin(&line, &opts->common, "checking", file),
        .profile = opts->profile,
        .model = opts->model_doc,
        .model_path = strcmp(file, "-") == 0 ? NULL : file,
        .files = guard_files(),
    };
    bool ok =
        tenon_check(printer->input->doc, &check, cmd_check_print_finding, printer, result, err);
    progress_end(&line);
    return ok;
}

// The counts come before the findings, which are collected until the counts are known.
static bool check_as_json(finding_printer *printer, tenon_check_result *result, tenon_error *err)
{
    char *findings = NULL;
    size_t size = 0;
    const model *input = printer->input;
    tenon_info info = {0};
    printer->json.to = out_to_memory(&findings, &size);
    bool ok = printer->json.to && cmd_check_apply_rules(printer, result, err);
    bool has_memory = printer->json.to && out_memory_end(printer->json.to, &findings, &size);
    if (!has_memory && (ok || !printer->json.to))
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
    ok = ok && has_memory && (input->format || tenon_doc_info(input->doc, NULL, &info, err));
    if (ok) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "file", input->file);
        json_text(&json, "format", input->format ? input->format->name : input->doc->format->name);
        if (!input->format) json_text(&json, "version", info.version);
        if (!input->format) json_text(&json, "dialect", input->doc->dialect->name);
        json_uint(&json, "size", input->bytes.size);
        json_uint(&json, "errors", result->errors);
        json_uint(&json, "warnings", result->warnings);
        json_uint(&json, "infos", result->infos);
        json_begin(&json, "findings", '[');
        out(stdout, "%s", findings);
        json_end(&json, ']');
        json_end(&json, '}');
        json_line(&json);
    }
    tenon_info_free(&info);
    free(findings);
    return ok;
}

static void cmd_check_print_count(const char **separator, uint64_t count, const char *thing)
{
    if (count == 0) return;
    out(stdout, "%s", *separator);
    out_count(stdout, count, thing);
    *separator = ", ";
}

static int cmd_check_draw(const check_opts *opts, const model *input, finding_marks *marks)
{
    tenon_error err;
    const char *file = opts->picture;
    if (findings_picture_write(marks, input, &opts->common, file, opts->force, &err)) return CLI_OK;
    bool is_about_output = err.code == TENON_ERR_IO || err.code == TENON_ERR_EXISTS;
    return report_error(is_about_output ? file : input->file, &err);
}

// If the status is not CLI_OK, `why` says what is wrong.
static int check_file(const check_opts *opts, const char *file, char why[EACH_WHY_SIZE])
{
    model input;
    tenon_error err;
    tenon_check_result result;
    bool has_text = !opts->common.json && !opts->common.quiet;
    finding_marks marks = {0};
    int drawn = CLI_OK;
    bool ok = model_read(&input, &opts->common, file, &err);
    if (ok) {
        finding_printer printer = {.opts = opts, .input = &input, .marks = &marks};
        ok = opts->common.json ? check_as_json(&printer, &result, &err)
                               : cmd_check_apply_rules(&printer, &result, &err);
        if (ok && opts->picture) drawn = cmd_check_draw(opts, &input, &marks);
        model_free(&input);
    }
    finding_marks_free(&marks);
    if (!ok) {
        job_explain_cancelling(&opts->common, &err);
        (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
        int status = report_unreadable(&opts->common, file, &err);
        if (has_text) out_clean(stdout, report_name(file));
        if (has_text) out(stdout, ": unreadable\n");
        return status;
    }
    (void)snprintf(why, EACH_WHY_SIZE, "errors: %" PRIu64 ", warnings: %" PRIu64, result.errors,
                   result.warnings);
    if (has_text) {
        bool is_ok = result.errors == 0 && result.warnings == 0;
        const char *separator = is_ok ? ", " : " ";
        out_clean(stdout, report_name(file));
        out(stdout, is_ok ? ": ok" : ":");
        cmd_check_print_count(&separator, result.errors, "error");
        cmd_check_print_count(&separator, result.warnings, "warning");
        cmd_check_print_count(&separator, result.infos, "info");
        out(stdout, "\n");
    }
    bool failed = result.errors > 0 || (opts->strict && result.warnings > 0);
    if (drawn != CLI_OK) (void)snprintf(why, EACH_WHY_SIZE, "no picture");
    return drawn != CLI_OK ? drawn : failed ? CLI_FAILED : CLI_OK;
}

static int cmd_check_list_rules(bool as_json)
{
    const uint32_t indent = ID_COLUMNS + SEVERITY_COLUMNS;
    json_out json = {.to = stdout};
    const tenon_rule *rule;
    for (uint32_t i = 0; (rule = tenon_rule_at(i)); i++) {
        const char *severity = report_severity_word(rule->severity);
        if (!as_json) {
            out(stdout, "%-*s%-*s", ID_COLUMNS, rule->id, SEVERITY_COLUMNS, severity);
            out_wrapped(stdout, rule->summary, indent, indent);
            continue;
        }
        json_begin(&json, NULL, '{');
        json_text(&json, "rule", rule->id);
        json_text(&json, "severity", severity);
        json_text(&json, "summary", rule->summary);
        if (rule->fix) json_text(&json, "fix", rule->fix);
        if (rule->profile) json_text(&json, "profile", rule->profile);
        json_end(&json, '}');
        json_line(&json);
    }
    return CLI_OK;
}

typedef struct check_run {
    const check_opts *opts;
    inputs sources;
} check_run;

static int cmd_check_run(void *user, uint32_t index, char why[EACH_WHY_SIZE])
{
    const check_run *run = user;
    return check_file(run->opts, run->sources.files[index], why);
}

static int check_files(const cli_command *self, const check_opts *opts)
{
    const cli_common *common = &opts->common;
    const folder_search search = {0};
    check_run run = {.opts = opts};
    summary totals = {0};
    int found = inputs_find(&run.sources, common, common->operand_count, &search, &totals);
    if (found == CLI_GO_ON && opts->picture && (run.sources.are_many || run.sources.count > 1))
        found = report_usage(self, "'--picture' needs one FILE");
    int worst = found != CLI_GO_ON ? found : totals.failed ? CLI_SYSTEM : CLI_OK;
    if (found == CLI_GO_ON && common->json) summary_print_skipped(&totals, false);
    const each_file work = {.common = common,
                            .names = run.sources.files,
                            .count = run.sources.count,
                            .user = &run,
                            .run = cmd_check_run};
    int status = found == CLI_GO_ON ? each_file_run(&work, &totals) : CLI_OK;
    if (status > worst) worst = status;
    bool are_many = found == CLI_GO_ON && run.sources.are_many;
    status = summary_end(&totals, common, "ok", are_many, worst);
    inputs_free(&run.sources);
    summary_free(&totals);
    return status;
}

static int run_check(const cli_command *self, char **args)
{
    check_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    char **files = opts.common.operands;
    uint32_t file_count = opts.common.operand_count;
    if (opts.rules && file_count > 0)
        return report_usage(self, "'--rules' does not take a FILE, but got '%s'", files[0]);
    if (opts.rules) return cmd_check_list_rules(opts.common.json);
    if (opts.profile && !*opts.profile) {
        if (!opts.common.quiet)
            out(stderr, "tenon: note: no engine limits are known for that format\n");
        opts.profile = NULL;
    }
    if (file_count == 0 && !opts.common.batch.files_from.count)
        return report_usage(self, "FILE is missing");
    if (opts.picture && path_is_stream(opts.picture))
        return report_usage(self, "'--picture' needs a file, not '-'");
    if (model_stdin_is_repeated(&opts.common, file_count))
        return report_usage(self, "standard input can be read only once");
    if (!opts.model) return check_files(self, &opts);
    model input;
    tenon_error err;
    cli_common common = opts.common;
    common.from = (cli_format){0};  // '--from' is about the FILEs.
    common.json = false;            // JSON has one object for each FILE, and this is not one.
    if (!model_read(&input, &common, opts.model, &err))
        return report_unreadable(&common, opts.model, &err);
    opts.model_doc = input.doc;
    status = check_files(self, &opts);
    model_free(&input);
    return status;
}

#define FIELD(field) offsetof(check_opts, field)

static const cli_option options[] = {
    {.long_name = "strict", .help = "also fail on warnings", .field = FIELD(strict)},
    {.long_name = "profile",
     .kind = CLI_PROFILE,
     .metavar = "ENGINE",
     .help = "also check the limits of this engine: bbmod, gameplay, beowolf or coreengine, or "
             "the name of its format, such as gpb",
     .field = FIELD(profile)},
    {.long_name = "model",
     .kind = CLI_FILE,
     .metavar = "FILE",
     .help = "the model that animations belong to",
     .field = FIELD(model)},
    {.long_name = "picture",
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "also write a PNG picture of the model on which the findings about its vertices, "
             "triangles and meshes are marked",
     .field = FIELD(picture)},
    {.long_name = "force", .help = "replace an existing picture", .field = FIELD(force)},
    {.long_name = "rules", .help = "list all rules and exit", .field = FIELD(rules)},
    {0},
};

static const cli_example examples[] = {
    {"tenon check robot.bplx", "every finding with its place and a fix"},
    {"tenon check -q --strict *.bplx && echo clean", "print nothing unless something is wrong"},
    {"tenon check --json robot.bplx | jq '.findings[].rule'", "for scripts"},
    {"tenon check robot.bplx --picture where.png", "also see where they are in the model"},
    {"tenon check --rules", "list what is checked"},
    {0},
};

const cli_command cmd_check = {
    .name = "check",
    .alias = "validate",
    .summary = "find errors in models",
    .usage = {"[OPTION]... FILE...", "--rules"},
    .details = "Reads each FILE and applies the rules of its format. At most 20 findings of each "
               "rule are shown. If FILE is a folder, the models in it are checked. '-' is "
               "standard input.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .examples = examples,
    .statuses = {"no error was found (warnings are allowed)",
                 "an error was found, or a warning with '--strict', or a model is unreadable"},
    .operands_max = UINT32_MAX,
    .run = run_check,
};
