// convert_document.c: converts a document within its format: a copy, edits, another dialect.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "input/job.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

// With '--verify': compare the changed document with its file.
static bool convert_document_verify(convert_job *job)
{
    const cli_common *common = &job->opts->common;
    const tenon_doc *doc = job->input.doc;
    if (!job->opts->verify) return true;
    if (!job->is_changed) {
        job->is_proven = true;
        job->proof = (tenon_verify_result){.verdict = TENON_VERIFIED, .matched = 1};
        (void)snprintf(job->sentence, sizeof job->sentence,
                       "verified: the output has the same bytes");
        return true;
    }
    const char *why = job->plan->merged_count              ? "several inputs are merged"
                      : path_is_stream(job->in)            ? "standard input cannot be read twice"
                      : doc->format->caps & TENON_TO_SCENE ? NULL
                                                           : "there is nothing to pose";
    if (why) {
        job->err = report_make(TENON_ERR_UNSUPPORTED, "'--verify' is not possible here: %s", why);
        return false;
    }
    const scene_load_opts load = {.animations = &job->opts->animations};
    const char *ignored;
    model file = {0};
    loaded_scene before = {0}, after = {0};
    if (!model_read(&file, common, job->in, &job->err)) return false;
    bool ok = scene_from_model(&before, common, &file, &load, &ignored, &job->err) &&
              scene_from_model(&after, common, &job->input, &load, &ignored, &job->err);
    tenon_verify_opts verify = {.allocator = job_allocator(),
                                .tolerance = job->opts->tolerance,
                                .largest_only = !job->json.to};
    if (ok && before.scene->animation_count && !after.scene->animation_count) {
        job->scope.still = tenon_why_no_motion(doc->format, doc->dialect);
        job->scope.at_rest = verify.rest_only = job->scope.still != NULL;
        job->scope.still_clips = job->scope.still ? before.scene->animation_count : 0;
    }
    job->is_proven = ok && tenon_verify(before.scene, after.scene, &verify, &job->proof, &job->err);
    if (job->is_proven)
        verdict_sentence(&job->proof, &job->scope, before.scene, after.scene, job->sentence);
    ok = job->is_proven && convert_accept_proof(job);
    scene_unload(&after);
    scene_unload(&before);
    model_free(&file);
    return ok;
}

bool convert_change_document(convert_job *job)
{
    const convert_opts *opts = job->opts;
    tenon_doc *doc = job->input.doc;
    bool prints_notes = !opts->common.quiet && !opts->common.json;
    if (!convert_edit_document(job)) return false;
    const tenon_dialect *before = doc->dialect;
    tenon_change_opts changes = {.dialect = job->dialect,
                                 .events = job->events,
                                 .rate = opts->rate,
                                 .spaces = opts->space_bits,
                                 .model = opts->loaded_model ? opts->loaded_model->doc : NULL,
                                 .refresh = opts->refresh};
    if (!tenon_change(doc, &changes, &job->err)) return false;
    bool is_other = doc->dialect != before;
    if (opts->rate > 0 && !is_other && prints_notes)
        report_note(job->in, "'--rate' has no effect: no clip is resampled");
    job->is_changed |= is_other || opts->refresh || opts->space_bits;
    if (!convert_document_verify(job) || !convert_allow_losses(job)) return false;
    if (opts->textures == TEXTURES_COPY && prints_notes)
        report_note(job->in, "'--textures copy' has no effect within a format");
    convert_report_unused(job);
    return true;
}

bool convert_write_document(convert_job *job)
{
    const convert_opts *opts = job->opts;
    const tenon_doc *doc = job->input.doc;
    job->size = tenon_write(doc, NULL, NULL, &job->err);
    if (job->size == TENON_ABSENT || !convert_claim(job, job->out)) return false;
    // A file that would get the same bytes keeps its date.
    if (opts->in_place && !job->is_changed) return true;
    if (!convert_may_write(job->plan, job->out, &job->err)) return false;
    if (opts->dry_run) return true;
    if (path_is_stream(job->out)) {
        // A failure of standard output is reported once, at the end.
        job->is_written =
            tenon_write(doc, out_to_stream, stdout, &job->err) != TENON_ABSENT || out_failed();
        return job->is_written;
    }
    progress line;
    tenon_write_opts write = convert_write_opts(job->plan, job->batch);
    write.events = progress_begin(&line, &opts->common, "writing", job->out);
    write.force |= opts->in_place;
    write.in_place = opts->in_place;
    job->is_written = tenon_write_file(doc, job->out, &write, &job->err);
    progress_end(&line);
    return job->is_written;
}
