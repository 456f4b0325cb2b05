// convert_report.c: what tenon convert says about a job: losses, files and errors.
// SPDX-License-Identifier: MIT

#include "convert/convert_job.h"
#include "input/job.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool convert_report_begin(convert_job *job)
{
    json_out *json = &job->json;
    if (!job->opts->common.json && !job->plan->report) return true;
    json->to = out_to_memory(&job->json_text, &job->json_size);
    if (!json->to) return false;
    json_begin(json, NULL, '{');
    if (job->plan->shard_count) json_uint(json, "index", job->plan->jobs[job->number].index);
    json_text(json, "file", job->in);
    json_text(json, "output", job->out);
    json_begin(json, "losses", '[');
    return true;
}

// The options that change what the library does by default: after a reason of that feature that
// starts so.
static const struct {
    const char *feature, *why, *help;
} hints[] = {
    {"lead-in", "", "'--keep-lead-in' keeps the time before it"},
    {"unit", "lengths", "'--units keep' keeps the file's own numbers"},
    {"unit", "the file", "'--units meters' converts them"},
};

void convert_report_loss(void *user, const tenon_loss *reported)
{
    convert_job *job = user;
    tenon_loss with_hint = *reported;
    const tenon_loss *loss = &with_hint;
    char why[256];
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (strcmp(reported->feature, hints[i].feature) != 0) continue;
        if (strncmp(reported->why, hints[i].why, strlen(hints[i].why)) != 0) continue;
        (void)snprintf(why, sizeof why, "%s: %s", reported->why, hints[i].help);
        with_hint.why = why;
    }
    json_out *json = &job->json;
    const cli_common *common = &job->opts->common;
    // What is synthesized or set to a default was not in the input, so nothing is lost.
    bool is_loss = loss->kind == TENON_DROPPED || loss->kind == TENON_APPROXIMATED;
    job->loss_count += is_loss;
    if (json->to) {
        json_begin(json, NULL, '{');
        json_text(json, "kind", report_loss_word(loss->kind));
        json_text(json, "feature", loss->feature);
        json_uint(json, "count", loss->count);
        if (loss->path) json_text(json, "path", loss->path);
        json_text(json, "why", loss->why);
        if (loss->error > 0) json_number(json, "error", loss->error);
        json_end(json, '}');
    }
    bool is_wanted = job->opts->strict ? is_loss : !common->quiet;
    if (is_wanted && !common->json) report_loss(job->loss_file, loss);
}

// -- For people

// Print the result of '--verify'.
static void convert_report_print_proof(const convert_job *job)
{
    bool is_wanted = !job->opts->common.quiet || job->proof.verdict != TENON_VERIFIED;
    if (!job->is_proven || !is_wanted || job->opts->common.json) return;
    out_flush();
    out_color(stderr, OUT_STRONG);
    out_clean(stderr, report_name(job->in));
    out_color(stderr, OUT_PLAIN);
    out(stderr, ": ");
    out_clean(stderr, job->work->sentence);
    out(stderr, "\n");
    if (job->is_refused) out(stderr, "  help: nothing was written; '--accept-losses' writes it\n");
}

// "crane.glb: wrote out/crane.gpb as gpb, 42824 bytes", "crane.glb: wrote out/crane.png"
static void convert_report_print_file(const convert_job *job, FILE *to, const char *path,
                                      bool is_main)
{
    out_clean(to, report_name(job->in));
    out(to, job->opts->dry_run ? ": would write " : ": wrote ");
    out_clean(to, path_is_stream(path) ? "<stdout>" : path);
    if (is_main) out(to, " as %s", job->to->name);
    if (is_main && job->how == WITHIN_FORMAT) out(to, ":%s", job->dialect_after->name);
    if (is_main && job->how != AS_FONT) out(to, ", %" PRIu64 " bytes", job->size);
    out(to, "\n");
}

// Print all files that were written, each in a line on standard error; of a dry run the main one,
// with the others below it, on standard output.
static void convert_report_print_files(const convert_job *job)
{
    const convert_opts *opts = job->opts;
    const char *main_file = job->out;
    bool to_stdout = path_is_stream(main_file);
    bool is_in_json = opts->common.json || (opts->report && path_is_stream(opts->report));
    bool is_wanted = opts->dry_run || opts->common.verbose || (!opts->common.quiet && !to_stdout);
    FILE *to = opts->dry_run ? stdout : stderr;
    if (is_in_json || !is_wanted) return;
    if (opts->in_place && !job->is_changed) {
        if (!opts->dry_run && !opts->common.verbose) return;
        out_clean(to, report_name(job->in));
        out(to, ": is %s:%s already\n", job->to->name, job->dialect_after->name);
        return;
    }
    // The files of a font with several sizes have other names than the output.
    if (job->how == AS_FONT && job->written.count > 2) main_file = job->written.names[0];
    if (opts->dry_run || to_stdout) convert_report_print_file(job, to, main_file, true);
    for (uint32_t i = 0; i < job->written.count; i++) {
        const char *file = job->written.names[i];
        bool is_main = strcmp(file, main_file) == 0;
        if (!opts->dry_run) {
            convert_report_print_file(job, to, file, is_main);
        } else if (!is_main) {
            out(to, "  and ");
            out_clean(to, file);
            out(to, "\n");
        }
    }
}

// -- For programs

static void convert_report_json_files(json_out *json, const char *key, const file_list *files)
{
    if (files->count == 0) return;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < files->count; i++) json_text(json, NULL, files->names[i]);
    json_end(json, ']');
}

// End the object, and add it to the reports. False if memory ran out.
static bool convert_report_end_json(convert_job *job)
{
    json_out *json = &job->json;
    json_end(json, ']');
    if (job->skipped) {
        json_text(json, "skipped", job->skipped);
    } else if (job->is_unchanged) {
        json_bool(json, "unchanged", true);
    } else if (job->err.code != TENON_OK) {
        report_error_member(json, &job->err);
    } else {
        json_text(json, "format", job->to->name);
        if (job->how == WITHIN_FORMAT) json_text(json, "dialect", job->dialect_after->name);
        json_uint(json, "size", job->size);
        convert_report_json_files(json, "files", &job->written);
        convert_report_json_files(json, "stale", &job->stale);
    }
    if (job->is_proven) {
        json_begin(json, "verify", '{');
        verdict_json(json, &job->proof, &job->scope);
        json_end(json, '}');
    }
    json_bool(json, "written", job->is_written);
    json_end(json, '}');
    bool ok = out_memory_end(json->to, &job->json_text, &job->json_size);
    json->to = NULL;
    if (ok && job->opts->common.json) out(stdout, "%s\n", job->json_text);
    if (ok && job->plan->report) {
        out(job->plan->report, "%s%s", job->plan->has_reported ? ",\n" : "", job->json_text);
        job->plan->has_reported = true;
    }
    return ok;
}

void convert_report_error(convert_job *job)
{
    const cli_common *common = &job->opts->common;
    job->status = common->json || job->is_refused
                      ? report_status(&job->err)
                      : report_unreadable(common, job->at_fault, &job->err);
}

void convert_report_result(convert_job *job, bool ok)
{
    job_report(&job->opts->common, job->in);
    if (ok || job->is_refused) convert_report_print_proof(job);
    if (!ok) convert_report_error(job);
}

int convert_report_end(convert_job *job)
{
    summary *totals = &job->plan->summary;
    if (!job->has_failed && !job->skipped && !job->is_unchanged) convert_report_print_files(job);
    if (job->json.to && !convert_report_end_json(job)) job->status = report_no_memory();
    if (job->status != CLI_OK)
        summary_fail(totals, report_name(job->in), job->err.message);
    else if (job->skipped)
        summary_skip(totals, job->in, job->skipped);
    else if (job->is_unchanged)
        totals->unchanged++;
    else
        totals->done++;
    return job->status;
}
