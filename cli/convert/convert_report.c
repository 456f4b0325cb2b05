// convert_report.c: what tenon convert says about a job: losses, files and errors.
// SPDX-License-Identifier: MIT

#include "convert/convert_one.h"
#include "input/paths.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

void convert_report_loss(void *user, const tenon_loss *loss)
{
    file_conversion *conversion = user;
    const cli_common *common = &conversion->opts->common;
    // What is synthesized or set to a default was not in the input, so nothing is lost.
    bool is_loss = loss->kind == TENON_DROPPED || loss->kind == TENON_APPROXIMATED;
    conversion->loss_count += is_loss;
    if (conversion->json) {
        json_begin(conversion->json, NULL, '{');
        json_text(conversion->json, "kind", report_loss_word(loss->kind));
        json_text(conversion->json, "feature", loss->feature);
        json_uint(conversion->json, "count", loss->count);
        if (loss->path) json_text(conversion->json, "path", loss->path);
        json_text(conversion->json, "why", loss->why);
        if (loss->error > 0) json_number(conversion->json, "error", loss->error);
        json_end(conversion->json, '}');
    }
    bool is_wanted = conversion->opts->strict ? is_loss : !common->quiet;
    if (is_wanted && !common->json) report_loss(conversion->loss_file, loss);
}

// "crane.glb: wrote out/crane.gpb as gpb, 42824 bytes", "crane.glb: wrote out/crane.png"
static void convert_report_print_file(const file_conversion *conversion, FILE *to, const char *path,
                                      bool is_main)
{
    conversion_kind kind = convert_find_kind(conversion);
    out_clean(to, report_name(conversion->job->in));
    out(to, conversion->opts->dry_run ? ": would write " : ": wrote ");
    out_clean(to, path_is_stream(path) ? "<stdout>" : path);
    if (is_main) out(to, " as %s", convert_find_format(conversion)->name);
    if (is_main && kind == SAME_FORMAT) out(to, ":%s", conversion->input.doc->dialect->name);
    if (is_main && kind != TO_FONT) out(to, ", %" PRIu64 " bytes", conversion->size);
    out(to, "\n");
}

void convert_report_files(const file_conversion *conversion)
{
    const convert_opts *opts = conversion->opts;
    const file_list *files = &conversion->plan->written_files;
    const char *main_file = conversion->job->out;
    bool to_stdout = path_is_stream(main_file);
    bool is_in_json = opts->common.json || (opts->report && path_is_stream(opts->report));
    bool is_wanted = opts->dry_run || opts->common.verbose || (!opts->common.quiet && !to_stdout);
    FILE *to = opts->dry_run ? stdout : stderr;
    if (is_in_json || !is_wanted) return;
    if (opts->in_place && !conversion->is_changed) {
        const tenon_doc *doc = conversion->input.doc;
        if (!opts->dry_run && !opts->common.verbose) return;
        out_clean(to, report_name(conversion->job->in));
        out(to, ": is %s:%s already\n", doc->format->name, doc->dialect->name);
        return;
    }
    // The files of a font with several sizes have other names than the output.
    if (convert_find_kind(conversion) == TO_FONT && files->count > 2) main_file = files->names[0];
    if (opts->dry_run || to_stdout) convert_report_print_file(conversion, to, main_file, true);
    for (uint32_t i = 0; i < files->count; i++) {
        const char *file = files->names[i];
        bool is_main = strcmp(file, main_file) == 0;
        if (!opts->dry_run) {
            convert_report_print_file(conversion, to, file, is_main);
        } else if (!is_main) {
            out(to, "  and ");
            out_clean(to, file);
            out(to, "\n");
        }
    }
}

void convert_report_proof(const file_conversion *conversion)
{
    const scene_conversion *result = &conversion->scene;
    bool is_wanted = !conversion->opts->common.quiet || result->proof.verdict != TENON_VERIFIED;
    if (!result->is_proven || !is_wanted || conversion->opts->common.json) return;
    out_flush();
    out_color(stderr, OUT_STRONG);
    out_clean(stderr, report_name(conversion->job->in));
    out_color(stderr, OUT_PLAIN);
    out(stderr, ": ");
    out_clean(stderr, result->sentence);
    out(stderr, "\n");
    if (result->is_refused)
        out(stderr, "  help: nothing was written; '--accept-losses' writes it\n");
}

static void convert_report_json_files(json_out *json, const char *key, const file_list *files)
{
    if (files->count == 0) return;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < files->count; i++) json_text(json, NULL, files->names[i]);
    json_end(json, ']');
}

void convert_report_end_json(const file_conversion *conversion, const tenon_error *err,
                             const char *skipped)
{
    json_out *json = conversion->json;
    json_end(json, ']');
    if (skipped) {
        json_text(json, "skipped", skipped);
    } else if (err->code != TENON_OK) {
        report_error_member(json, err);
    } else {
        json_text(json, "format", convert_find_format(conversion)->name);
        if (convert_find_kind(conversion) == SAME_FORMAT)
            json_text(json, "dialect", conversion->input.doc->dialect->name);
        json_uint(json, "size", conversion->size);
        convert_report_json_files(json, "files", &conversion->plan->written_files);
        convert_report_json_files(json, "stale", &conversion->scene.stale);
    }
    if (conversion->scene.is_proven) {
        json_begin(json, "verify", '{');
        verdict_json(json, &conversion->scene.proof, &conversion->scene.scope);
        json_end(json, '}');
    }
    json_bool(json, "written", conversion->is_written);
    json_end(json, '}');
}
