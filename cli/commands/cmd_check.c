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
typedef struct checking {
    const check_opts *opts;
    const char *file;
    json_out json;  // Of the findings.
} checking;

// -- Findings

static void tell_json(void *user, const tenon_finding *finding)
{
    json_out *json = &((checking *)user)->json;
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

static void tell_text(void *user, const tenon_finding *finding)
{
    const checking *c = user;
    tenon_severity least = c->opts->strict ? TENON_WARNING : TENON_ERROR;
    if (c->opts->common.quiet && finding->severity < least) return;
    report_finding(c->file, finding, c->opts->common.verbose);
}

// What was imported has no places in the file.
static void tell_imported(void *user, const tenon_finding *finding)
{
    checking *c = user;
    tenon_finding placeless = *finding;
    placeless.offset = TENON_ABSENT;
    (c->opts->common.json ? tell_json : tell_text)(c, &placeless);
}

static void count(const char **separator, uint64_t number, const char *thing)
{
    if (number == 0) return;
    out(stdout, "%s", *separator);
    out_count(stdout, number, thing);
    *separator = ", ";
}

static void summarise(const checking *c, const tenon_check_result *result)
{
    if (c->opts->common.quiet) return;
    bool is_ok = result->errors == 0 && result->warnings == 0;
    const char *separator = is_ok ? ", " : " ";
    out_clean(stdout, report_name(c->file));
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

static int unreadable(const check_opts *opts, const char *file, const tenon_error *err)
{
    int status = report_unreadable(&opts->common, file, err);
    if (!opts->common.json && !opts->common.quiet) {
        out_clean(stdout, report_name(file));
        out(stdout, ": unreadable\n");
    }
    return status;
}

static bool apply_rules(checking *c, const model *m, tenon_check_result *result, tenon_error *err)
{
    progress line;
    tenon_check_opts opts = {
        .allocator = job_allocator(),
        .progress = progress_begin(&line, &c->opts->common, "checking", c->file),
        .profile = c->opts->profile,
        .model = c->opts->model_doc,
        .model_path = strcmp(c->file, "-") == 0 ? NULL : c->file,
        .files = guard_files(),
    };
    tenon_finding_fn *tell = c->opts->common.json ? tell_json : tell_text;
    if (m->format) tell = tell_imported;
    bool ok = tenon_check(m->doc, &opts, tell, c, result, err);
    progress_end(&line);
    return ok;
}

static bool print_json(const model *m, const tenon_check_result *result, const char *findings,
                       tenon_error *err)
{
    json_out json = {.to = stdout};
    tenon_info info;
    if (!m->format && !tenon_doc_info(m->doc, false, &info, err)) return false;
    json_begin(&json, NULL, '{');
    json_text(&json, "file", m->file);
    json_text(&json, "format", m->format ? m->format->name : m->doc->format->name);
    if (!m->format) json_text(&json, "version", info.version);
    if (!m->format) json_text(&json, "dialect", m->doc->dialect->name);
    json_uint(&json, "size", m->bytes.size);
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
static bool check_as_json(checking *c, const model *m, tenon_check_result *result, tenon_error *err)
{
    char *findings = NULL;
    size_t size = 0;
    c->json.to = out_to_memory(&findings, &size);
    bool ok = c->json.to && apply_rules(c, m, result, err);
    if (c->json.to && out_memory_end(c->json.to, &findings, &size) && ok)
        ok = print_json(m, result, findings, err);
    else if (ok || !c->json.to) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        ok = false;
    }
    free(findings);
    return ok;
}

// `why` says what is wrong, if the status is not CLI_OK.
static int check_file(const check_opts *opts, const char *file, char why[WHY_SIZE])
{
    model m;
    tenon_error err;
    if (!model_read(&m, &opts->common, file, &err)) {
        (void)snprintf(why, WHY_SIZE, "%s", err.message);
        return unreadable(opts, file, &err);
    }
    checking c = {.opts = opts, .file = file};
    tenon_check_result result;
    bool ok = opts->common.json ? check_as_json(&c, &m, &result, &err)
                                : apply_rules(&c, &m, &result, &err);
    model_free(&m);
    if (!ok) {
        (void)snprintf(why, WHY_SIZE, "%s", err.message);
        return unreadable(opts, file, &err);
    }
    (void)snprintf(why, WHY_SIZE, "errors: %" PRIu64 ", warnings: %" PRIu64, result.errors,
                   result.warnings);
    if (!opts->common.json) summarise(&c, &result);
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
    summary s = {0};
    inputs in;
    int worst = CLI_OK;
    int status = inputs_find(&in, common->operands, common->operand_count, &search, &s);
    if (status != CLI_GO_ON || s.failed) worst = status == CLI_GO_ON ? CLI_SYSTEM : status;
    if (status == CLI_GO_ON && common->json) summary_print_skipped(&s);
    for (uint32_t i = 0; status == CLI_GO_ON && i < in.count && !out_failed(); i++) {
        char why[WHY_SIZE];
        job_begin(common);
        int one = check_file(opts, in.files[i], why);
        if (one > worst) worst = one;
        if (one == CLI_OK)
            s.done++;
        else
            summary_fail(&s, report_name(in.files[i]), why);
    }
    worst = summary_end(&s, common, "ok", status == CLI_GO_ON && in.has_folder, worst);
    inputs_free(&in);
    summary_free(&s);
    return worst;
}

static int check_with_model(check_opts *opts)
{
    model m;
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It says what the FILEs are.
    common.json = false;            // One object is written for each FILE, which this is not.
    if (!model_read(&m, &common, opts->model, &err))
        return report_unreadable(&common, opts->model, &err);
    opts->model_doc = m.doc;
    int status = check_files(opts);
    model_free(&m);
    return status;
}

static int run(const cli_command *self, char **args)
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

#define ANSWER(field) offsetof(check_opts, field)

static const cli_option options[] = {
    {.long_name = "recursive",
     .short_name = 'r',
     .help = "also search subfolders",
     .answer = ANSWER(recursive)},
    {.long_name = "strict", .help = "also fail on warnings", .answer = ANSWER(strict)},
    {.long_name = "profile",
     .kind = CLI_PROFILE,
     .metavar = "ENGINE",
     .help = "also check the limits of this engine: bbmod, gameplay, beowolf or coreengine, or "
             "the name of its format, such as gpb",
     .answer = ANSWER(profile)},
    {.long_name = "model",
     .kind = CLI_FILE,
     .metavar = "FILE",
     .help = "the model that animations belong to",
     .answer = ANSWER(model)},
    {.long_name = "rules", .help = "list all rules and exit", .answer = ANSWER(rules)},
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
    .run = run,
};
