// cmd_check.c: tenon check: find errors in models.
// SPDX-License-Identifier: MIT

#include "input/inputs.h"
#include "input/job.h"
#include "input/model.h"
#include "options/cli.h"
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
#define WHY_SIZE         320

typedef struct check_opts {
    cli_common common;
    const char *profile, *model;
    bool strict, rules, recursive;
    const tenon_doc *model_doc;  // What --model names.
} check_opts;

// A check that is under way.
typedef struct file_check {
    const check_opts *opts;
    const char *file;
    json_out json;  // Of the findings.
} file_check;

// -- Findings

static void print_finding_json(void *user, const tenon_finding *finding)
{
    json_out *json = &((file_check *)user)->json;
    json_begin(json, NULL, '{');
    json_text(json, "rule", finding->rule->id);
    json_text(json, "severity", report_severity_word(finding->severity));
    json_text(json, "path", finding->path);
    if (finding->offset != TENON_ABSENT) json_uint(json, "offset", finding->offset);
    json_text(json, "message", finding->message);
    if (finding->fix) json_text(json, "fix", finding->fix);
    if (finding->more) json_uint(json, "more", finding->more);
    json_end(json, '}');
}

static void print_finding(void *user, const tenon_finding *finding)
{
    const file_check *check = user;
    tenon_severity least = check->opts->strict ? TENON_WARNING : TENON_ERROR;
    if (check->opts->common.quiet && finding->severity < least) return;
    report_finding(check->file, finding, check->opts->common.verbose);
}

// What was imported has no places in the file.
static void print_imported_finding(void *user, const tenon_finding *finding)
{
    file_check *check = user;
    tenon_finding placeless = *finding;
    placeless.offset = TENON_ABSENT;
    (check->opts->common.json ? print_finding_json : print_finding)(check, &placeless);
}

static void count(const char **separator, uint64_t number, const char *thing)
{
    if (number == 0) return;
    out(stdout, "%s", *separator);
    out_count(stdout, number, thing);
    *separator = ", ";
}

static void print_summary(const file_check *check, const tenon_check_result *result)
{
    if (check->opts->common.quiet) return;
    bool is_ok = result->errors == 0 && result->warnings == 0;
    const char *separator = is_ok ? ", " : " ";
    out_clean(stdout, report_name(check->file));
    out(stdout, is_ok ? ": ok" : ":");
    count(&separator, result->errors, "error");
    count(&separator, result->warnings, "warning");
    count(&separator, result->infos, "info");
    out(stdout, "\n");
}

static int verdict(const check_opts *opts, const tenon_check_result *result)
{
    bool failed = result->errors > 0 || (opts->strict && result->warnings > 0);
    return failed ? CLI_FAILED : CLI_OK;
}

// -- One file

static int report_unreadable_file(const check_opts *opts, const char *file, const tenon_error *err)
{
    int status = report_unreadable(&opts->common, file, err);
    if (!opts->common.json && !opts->common.quiet) {
        out_clean(stdout, report_name(file));
        out(stdout, ": unreadable\n");
    }
    return status;
}

static bool apply_rules(file_check *check, const model *input, tenon_check_result *result,
                        tenon_error *err)
{
    progress line;
    tenon_check_opts opts = {
        .allocator = job_allocator(),
        .progress = progress_begin(&line, &check->opts->common, "checking", check->file),
        .profile = check->opts->profile,
        .model = check->opts->model_doc,
        .model_path = strcmp(check->file, "-") == 0 ? NULL : check->file,
        .files = guard_files(),
    };
    tenon_finding_fn *print = check->opts->common.json ? print_finding_json : print_finding;
    if (input->format) print = print_imported_finding;
    bool ok = tenon_check(input->doc, &opts, print, check, result, err);
    progress_end(&line);
    return ok;
}

static bool print_json(const model *input, const tenon_check_result *result, const char *findings,
                       tenon_error *err)
{
    json_out json = {.to = stdout};
    tenon_info info;
    if (!input->format && !tenon_doc_info(input->doc, false, &info, err)) return false;
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
    return true;
}

// The counts stand before the findings, which are collected until the counts are known.
static bool check_as_json(file_check *check, const model *input, tenon_check_result *result,
                          tenon_error *err)
{
    char *findings = NULL;
    size_t size = 0;
    check->json.to = out_to_memory(&findings, &size);
    bool ok = check->json.to && apply_rules(check, input, result, err);
    if (check->json.to && out_memory_end(check->json.to, &findings, &size) && ok)
        ok = print_json(input, result, findings, err);
    else if (ok || !check->json.to) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        ok = false;
    }
    free(findings);
    return ok;
}

// `why` says what is wrong, if the status is not CLI_OK.
static int check_file(const check_opts *opts, const char *file, char why[WHY_SIZE])
{
    model input;
    tenon_error err;
    if (!model_read(&input, &opts->common, file, &err)) {
        (void)snprintf(why, WHY_SIZE, "%s", err.message);
        return report_unreadable_file(opts, file, &err);
    }
    file_check check = {.opts = opts, .file = file};
    tenon_check_result result;
    bool ok = opts->common.json ? check_as_json(&check, &input, &result, &err)
                                : apply_rules(&check, &input, &result, &err);
    model_free(&input);
    if (!ok) {
        (void)snprintf(why, WHY_SIZE, "%s", err.message);
        return report_unreadable_file(opts, file, &err);
    }
    (void)snprintf(why, WHY_SIZE, "errors: %" PRIu64 ", warnings: %" PRIu64, result.errors,
                   result.warnings);
    if (!opts->common.json) print_summary(&check, &result);
    return verdict(opts, &result);
}

// -- The rules themselves

static void print_rule(const tenon_rule *rule)
{
    const uint32_t indent = ID_COLUMNS + SEVERITY_COLUMNS;
    out(stdout, "%-*s%-*s", ID_COLUMNS, rule->id, SEVERITY_COLUMNS,
        report_severity_word(rule->severity));
    out_wrapped(stdout, rule->summary, indent, indent);
}

static void print_rule_json(const tenon_rule *rule)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "rule", rule->id);
    json_text(&json, "severity", report_severity_word(rule->severity));
    json_text(&json, "summary", rule->summary);
    if (rule->fix) json_text(&json, "fix", rule->fix);
    if (rule->profile) json_text(&json, "profile", rule->profile);
    json_end(&json, '}');
    json_line(&json);
}

static int list_rules(const cli_command *self, const check_opts *opts)
{
    if (opts->common.operand_count > 0)
        return report_usage(self, "'--rules' does not take a FILE, but got '%s'",
                            opts->common.operands[0]);
    const tenon_rule *rule;
    for (uint32_t i = 0; (rule = tenon_rule_at(i)); i++)
        (opts->common.json ? print_rule_json : print_rule)(rule);
    return CLI_OK;
}

// -- The command

static int check_files(const check_opts *opts)
{
    const cli_common *common = &opts->common;
    const folder_search search = {.recursive = opts->recursive};
    summary totals = {0};
    inputs sources;
    int worst = CLI_OK;
    int status = inputs_find(&sources, common->operands, common->operand_count, &search, &totals);
    if (status != CLI_GO_ON || totals.failed) worst = status == CLI_GO_ON ? CLI_SYSTEM : status;
    if (status == CLI_GO_ON && common->json) summary_print_skipped(&totals);
    for (uint32_t i = 0; status == CLI_GO_ON && i < sources.count && !out_failed(); i++) {
        char why[WHY_SIZE];
        job_begin(common);
        int one = check_file(opts, sources.files[i], why);
        if (one > worst) worst = one;
        if (one == CLI_OK)
            totals.done++;
        else
            summary_fail(&totals, report_name(sources.files[i]), why);
    }
    worst = summary_end(&totals, common, "ok", status == CLI_GO_ON && sources.has_folder, worst);
    inputs_free(&sources);
    summary_free(&totals);
    return worst;
}

static int check_with_model(check_opts *opts)
{
    model input;
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It says what the FILEs are.
    common.json = false;            // One object is written for each FILE, which this is not.
    if (!model_read(&input, &common, opts->model, &err))
        return report_unreadable(&common, opts->model, &err);
    opts->model_doc = input.doc;
    int status = check_files(opts);
    model_free(&input);
    return status;
}

static int run_check(const cli_command *self, char **args)
{
    check_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.rules) return list_rules(self, &opts);
    if (opts.profile && !*opts.profile) {
        if (!opts.common.quiet)
            out(stderr, "tenon: note: no engine limits are known for that format\n");
        opts.profile = NULL;
    }
    char **files = opts.common.operands;
    uint32_t file_count = opts.common.operand_count;
    if (file_count == 0) return report_usage(self, "FILE is missing");
    if (model_stdin_is_repeated(files, file_count))
        return report_usage(self, "standard input can be read only once");
    return opts.model ? check_with_model(&opts) : check_files(&opts);
}

#define FIELD(field) offsetof(check_opts, field)

static const cli_option options[] = {
    {.long_name = "recursive",
     .short_name = 'r',
     .help = "also search subfolders",
     .field = FIELD(recursive)},
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
    {.long_name = "rules", .help = "list all rules and exit", .field = FIELD(rules)},
    {0},
};

static const cli_example examples[] = {
    {"tenon check robot.bplx", "every finding with its place and a fix"},
    {"tenon check -q --strict *.bplx && echo clean", "print nothing unless something is wrong"},
    {"tenon check --json robot.bplx | jq '.findings[].rule'", "for scripts"},
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
    .reads_models = true,
    .examples = examples,
    .statuses = {"no error was found (warnings are allowed)",
                 "an error was found, or a warning with '--strict', or a model is unreadable"},
    .operands_max = UINT32_MAX,
    .run = run_check,
};
