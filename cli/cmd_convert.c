// cmd_convert.c: tenon convert: write models anew, in the same dialect or another.
// SPDX-License-Identifier: MIT

#include "cli.h"
#include "convert_plan.h"
#include "convert_sides.h"
#include "guard.h"
#include "json_out.h"
#include "model.h"
#include "output.h"
#include "progress.h"
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The work on one file.
typedef struct conversion {
    const convert_opts *opts;
    const convert_plan *plan;
    const convert_job *job;
    model m;
    json_out *json;  // The file's object in the report; NULL if none is wanted.
    uint64_t loss_count;
    uint64_t size;    // Bytes of the output.
    bool is_changed;  // The output differs from the input.
    bool is_written;
} conversion;

// -- Changing

static void tell_loss(void *user, const tenon_loss *loss)
{
    conversion *c = user;
    const cli_common *opts = &c->opts->common;
    c->loss_count++;
    if (c->json) {
        json_begin(c->json, NULL, '{');
        json_text(c->json, "kind", report_loss_word(loss->kind));
        json_text(c->json, "feature", loss->feature);
        json_uint(c->json, "count", loss->count);
        json_text(c->json, "why", loss->why);
        json_end(c->json, '}');
    }
    bool is_wanted = !opts->quiet || c->opts->strict;
    if (is_wanted && !opts->json) report_loss(c->job->in, loss);
}

static bool change(conversion *c, tenon_error *err)
{
    tenon_doc *doc = c->m.doc;
    const tenon_dialect *before = doc->dialect;
    const char *dialect = c->opts->as;
    if (c->opts->to.dialect) dialect = c->opts->to.dialect->name;
    if (c->plan->to && c->plan->to != doc->format) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "%s cannot be converted to %s yet",
                           doc->format->name, c->plan->to->name);
        return false;
    }
    tenon_change_opts changes = {.dialect = dialect,
                                 .lost = tell_loss,
                                 .user = c,
                                 .rate = c->opts->rate,
                                 .spaces = c->opts->space_bits,
                                 .model = c->opts->model_doc,
                                 .refresh = c->opts->refresh};
    if (!tenon_change(doc, &changes, err)) return false;
    c->is_changed = doc->dialect != before || c->opts->refresh || c->opts->space_bits;
    if (!c->opts->strict || c->loss_count == 0) return true;
    *err = report_make(TENON_ERR_UNSUPPORTED,
                       "not written: '--strict' forbids losses, and there %s %" PRIu64,
                       c->loss_count == 1 ? "is" : "are", c->loss_count);
    return false;
}

// -- Writing

static bool put(void *user, const void *bytes, size_t size)
{
    (void)user;
    out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool write_to_stdout(const conversion *c, tenon_error *err)
{
    // Why printing failed is said at the end, once for all.
    return tenon_write(c->m.doc, put, NULL, err) != 0 || out_failed();
}

static bool write_to_file(const conversion *c, tenon_error *err)
{
    progress line;
    tenon_write_opts opts = {
        .progress = progress_begin(&line, &c->opts->common, "writing", c->job->out),
        .force = c->opts->force || c->opts->in_place,
        .in_place = c->opts->in_place,
        .inputs = c->plan->inputs,
        .input_count = c->plan->input_count,
        .files = guard_files(),
    };
    bool ok = tenon_write_file(c->m.doc, c->job->out, &opts, err);
    progress_end(&line);
    return ok;
}

static bool write_output(conversion *c, tenon_error *err)
{
    c->size = tenon_write(c->m.doc, NULL, NULL, err);
    if (c->size == 0) return false;
    if (c->opts->dry_run) return convert_may_write(c->plan, c->opts, c->job->out, err);
    // What would be the same bytes keeps its date.
    if (c->opts->in_place && !c->is_changed) return true;
    c->is_written = strcmp(c->job->out, "-") == 0 ? write_to_stdout(c, err) : write_to_file(c, err);
    return c->is_written;
}

// Side files first, so that the model never lacks what belongs to it.
static bool write_all(conversion *c, tenon_error *err)
{
    side_files sides;
    bool ok = sides_find(&sides, c->m.doc, c->job, c->plan, c->opts, err);
    if (ok && !c->opts->dry_run) ok = sides_copy(&sides, c->plan, c->opts, err);
    ok = ok && write_output(c, err);
    sides_free(&sides);
    return ok;
}

// -- Telling

static void tell_outcome(const conversion *c)
{
    const convert_opts *opts = c->opts;
    bool is_told = opts->common.json || (opts->report && strcmp(opts->report, "-") == 0);
    if (is_told || (!opts->dry_run && !opts->common.verbose)) return;
    FILE *to = opts->dry_run ? stdout : stderr;
    out_clean(to, report_name(c->job->in));
    if (opts->in_place && !c->is_changed) {
        out(to, ": is %s:%s already\n", c->m.doc->format->name, c->m.doc->dialect->name);
        return;
    }
    out(to, opts->dry_run ? ": would write " : ": wrote ");
    out_clean(to, strcmp(c->job->out, "-") == 0 ? "<stdout>" : c->job->out);
    out(to, " as %s:%s, %" PRIu64 " bytes\n", c->m.doc->format->name, c->m.doc->dialect->name,
        c->size);
}

static void end_record(const conversion *c, const tenon_error *err)
{
    if (!c->json) return;
    json_end(c->json, ']');
    if (err->code != TENON_OK) {
        report_error_member(c->json, err);
    } else {
        json_text(c->json, "format", c->m.doc->format->name);
        json_text(c->json, "dialect", c->m.doc->dialect->name);
        json_uint(c->json, "size", c->size);
    }
    json_bool(c->json, "written", c->is_written);
    json_end(c->json, '}');
}

static void begin_record(const conversion *c)
{
    if (!c->json) return;
    json_begin(c->json, NULL, '{');
    json_text(c->json, "file", c->job->in);
    json_text(c->json, "output", c->job->out);
    json_begin(c->json, "losses", '[');
}

// -- One file

// What is wrong with reading is the input's fault, with writing the output's.
static int convert_one(conversion *c)
{
    tenon_error err = {0};
    const char *at_fault = c->job->in;
    begin_record(c);
    bool ok = model_read(&c->m, &c->opts->common, c->job->in, &err) && change(c, &err);
    if (ok) {
        at_fault = c->job->out;
        ok = write_all(c, &err);
    }
    if (ok) tell_outcome(c);
    end_record(c, &err);
    model_free(&c->m);
    if (ok) return CLI_OK;
    return c->opts->common.json ? report_status(&err) : report_error(at_fault, &err);
}

// Convert one file, and tell about it where that is wanted.
static int convert_and_record(const convert_opts *opts, const convert_plan *plan, uint32_t index,
                              FILE *report)
{
    conversion c = {.opts = opts, .plan = plan, .job = &plan->jobs[index]};
    if (!opts->common.json && !report) return convert_one(&c);
    char *text = NULL;
    size_t size = 0;
    json_out json = {.to = out_to_memory(&text, &size)};
    if (!json.to) return report_no_memory();
    c.json = &json;
    int status = convert_one(&c);
    bool ok = fclose(json.to) == 0;
    if (ok && opts->common.json) out(stdout, "%s\n", text);
    if (ok && report) out(report, "%s%s", index ? ",\n" : "", text);
    free(text);
    return ok ? status : report_no_memory();
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
                              .files = guard_files()};
    if (tenon_save(opts->report, text, size, &write, &err)) return CLI_OK;
    return report_error(opts->report, &err);
}

static int convert_all(const convert_opts *opts, const convert_plan *plan, FILE *report)
{
    int worst = CLI_OK;
    for (uint32_t i = 0; i < plan->job_count && !out_failed(); i++) {
        int status = convert_and_record(opts, plan, i, report);
        if (status > worst) worst = status;
    }
    return worst;
}

// Convert all files; the report is collected and saved at the end.
static int convert_with_report(const convert_opts *opts, const convert_plan *plan)
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
    int status = fclose(report) == 0 ? save_report(opts, plan, text, size) : report_no_memory();
    free(text);
    return status > worst ? status : worst;
}

// -- The command

// "parent,world,bone" as bits. False if there is anything else in it.
static bool read_spaces(const char *text, uint32_t *bits)
{
    static const char *const names[] = {"parent", "world", "bone"};
    while (*text) {
        size_t size = strcspn(text, ","), i = 0;
        while (i < 3 && (strlen(names[i]) != size || strncmp(names[i], text, size) != 0)) i++;
        if (i == 3) return false;
        *bits |= 1u << i;
        text += size + (text[size] == ',');
    }
    return *bits != 0;
}

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
    model m;
    tenon_error err;
    cli_common common = opts->common;
    common.from = (cli_format){0};  // It says what the inputs are.
    if (!model_read(&m, &common, opts->model, &err)) return report_error(opts->model, &err);
    opts->model_doc = m.doc;
    int status = convert(self, opts);
    model_free(&m);
    return status;
}

static int run(const cli_command *self, char **args)
{
    convert_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.to.dialect && opts.as)
        return report_usage(self, "'--as' and the dialect of '--to' exclude each other");
    if (opts.spaces && !read_spaces(opts.spaces, &opts.space_bits))
        return report_usage(self, "'%s' is no LIST for '--spaces'; known: parent, world, bone",
                            opts.spaces);
    return opts.model ? convert_with_model(self, &opts) : convert(self, &opts);
}

#define ANSWER(field) offsetof(convert_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the file or folder to write; all operands are inputs then",
     .answer = ANSWER(output)},
    {.long_name = "to",
     .kind = CLI_FORMAT,
     .metavar = "FORMAT[:DIALECT]",
     .help = "what to write",
     .fallback = "by the name of OUT, else as the input",
     .answer = ANSWER(to)},
    {.long_name = "as",
     .kind = CLI_DIALECT,
     .metavar = "DIALECT",
     .help = "change to this dialect of the same format",
     .answer = ANSWER(as)},
    {.long_name = "rate",
     .kind = CLI_NUMBER,
     .metavar = "FPS",
     .help = "frames a second, where a clip has to be sampled or does not say",
     .fallback = "as the format has it",
     .answer = ANSWER(rate)},
    {.long_name = "spaces",
     .metavar = "LIST",
     .kind = CLI_TEXT,
     .help = "what a .bbanim stores: parent, world, bone, with commas between them",
     .fallback = "as it is",
     .answer = ANSWER(spaces)},
    {.long_name = "model",
     .kind = CLI_FILE,
     .metavar = "FILE",
     .help = "the model that an animation belongs to",
     .answer = ANSWER(model)},
    {.long_name = "refresh",
     .help = "recompute what the file says twice: offsets, bounds, parents",
     .answer = ANSWER(refresh)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace files that exist",
     .answer = ANSWER(force)},
    {.long_name = "in-place",
     .help = "replace each input by its conversion",
     .answer = ANSWER(in_place)},
    {.long_name = "strict",
     .help = "write no file that would lose something",
     .answer = ANSWER(strict)},
    {.long_name = "dry-run",
     .help = "only say what would be written and lost",
     .answer = ANSWER(dry_run)},
    {.long_name = "report",
     .kind = CLI_FILE,
     .metavar = "FILE.json",
     .help = "write a report of all files and losses",
     .answer = ANSWER(report)},
    {0},
};

static const cli_example examples[] = {
    {"tenon convert robot.bplx copy.bplx", "the same bytes again, after reading them all"},
    {"tenon convert robot.bplx old.bplx --as script", "another dialect; losses are printed"},
    {"tenon convert *.bplx -o out/ --as script --strict", "a folder full, nothing lost"},
    {"tenon convert --in-place --as document robot.bplx", "change the file itself"},
    {0},
};

const cli_command cmd_convert = {
    .name = "convert",
    .summary = "write models anew, in the same dialect or another",
    .usage = {"[OPTION]... IN OUT", "[OPTION]... IN... -o OUT", "--in-place [OPTION]... FILE..."},
    .details = "Without '--to' and '--as' the output is the input, byte for byte. OUT is a folder "
               "if it exists as one or ends in '/', and each input goes there under its own name. "
               "'-' is standard input or output. A file is written completely or not at all.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {[1] = "a model is unreadable, cannot be converted, or would lose something with "
                       "'--strict'",
                 [2] = "the command line is wrong, or an output exists or is an input"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "IN",
    .run = run,
};
