// convert_document.c: converts a document within its format: a copy, edits, another dialect.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_one.h"
#include "convert/convert_output.h"
#include "input/job.h"
#include "input/scene_load.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

// With '--verify': compare the changed document with its file.
static bool convert_document_verify(file_conversion *conversion, tenon_error *err)
{
    const cli_common *common = &conversion->opts->common;
    const tenon_doc *doc = conversion->input.doc;
    scene_conversion *result = &conversion->scene;
    if (!conversion->opts->verify) return true;
    if (!conversion->is_changed) {
        result->is_proven = true;
        result->proof = (tenon_verify_result){.verdict = TENON_VERIFIED, .matched = 1};
        (void)snprintf(result->sentence, sizeof result->sentence,
                       "verified: the output has the same bytes");
        return true;
    }
    const char *why = conversion->plan->merged_count        ? "several inputs are merged"
                      : path_is_stream(conversion->job->in) ? "standard input cannot be read twice"
                      : doc->format->caps & TENON_TO_SCENE  ? NULL
                                                            : "there is nothing to pose";
    if (why) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "'--verify' is not possible here: %s", why);
        return false;
    }
    const scene_load_opts load = {.animations = &conversion->opts->animations};
    const char *at_fault;
    model file = {0};
    loaded_scene before = {0}, after = {0};
    if (!model_read(&file, common, conversion->job->in, err)) return false;
    bool ok = scene_from_model(&before, common, &file, &load, &at_fault, err) &&
              scene_from_model(&after, common, &conversion->input, &load, &at_fault, err);
    tenon_verify_opts verify = {.allocator = job_allocator(),
                                .tolerance = conversion->opts->tolerance};
    if (ok && before.scene->animation_count && !after.scene->animation_count) {
        result->scope.still = tenon_still(doc->format, doc->dialect);
        result->scope.at_rest = verify.rest_only = result->scope.still != NULL;
        result->scope.still_clips = result->scope.still ? before.scene->animation_count : 0;
    }
    result->is_proven = ok && tenon_verify(before.scene, after.scene, &verify, &result->proof, err);
    if (result->is_proven)
        verdict_sentence(&result->proof, &result->scope, before.scene, after.scene,
                         result->sentence);
    ok = result->is_proven && convert_accept_proof(result, conversion->opts, err);
    scene_unload(&after);
    scene_unload(&before);
    model_free(&file);
    return ok;
}

bool convert_change_document(file_conversion *conversion, tenon_error *err)
{
    const convert_opts *opts = conversion->opts;
    tenon_doc *doc = conversion->input.doc;
    if (!convert_edit_document(doc, opts, &conversion->is_changed, err)) return false;
    const tenon_dialect *before = doc->dialect;
    tenon_change_opts changes = {.dialect = convert_find_dialect(conversion),
                                 .lost = convert_report_loss,
                                 .user = conversion,
                                 .rate = opts->rate,
                                 .spaces = opts->space_bits,
                                 .model = opts->loaded_model ? opts->loaded_model->doc : NULL,
                                 .refresh = opts->refresh};
    if (!tenon_change(doc, &changes, err)) return false;
    bool is_other = doc->dialect != before;
    if (opts->rate > 0 && !is_other && !opts->common.quiet && !opts->common.json)
        report_note(conversion->job->in, "'--rate' has no effect: no clip is resampled");
    conversion->is_changed |= is_other || opts->refresh || opts->space_bits;
    return convert_document_verify(conversion, err) &&
           convert_allow_losses(opts, conversion->loss_count, err);
}

bool convert_write_document(file_conversion *conversion, tenon_error *err)
{
    const convert_opts *opts = conversion->opts;
    const char *out_file = conversion->job->out;
    conversion->size = tenon_write(conversion->input.doc, NULL, NULL, err);
    if (conversion->size == TENON_ABSENT) return false;
    if (!convert_claim(conversion->plan, conversion->job, out_file, err)) return false;
    // A file that would get the same bytes keeps its date.
    if (opts->in_place && !conversion->is_changed) return true;
    if (!convert_may_write(conversion->plan, out_file, err)) return false;
    if (opts->dry_run) return true;
    if (path_is_stream(out_file)) {
        // A failure of standard output is reported once, at the end.
        conversion->is_written =
            tenon_write(conversion->input.doc, out_to_stream, stdout, err) != TENON_ABSENT ||
            out_failed();
        return conversion->is_written;
    }
    progress line;
    tenon_write_opts write = convert_write_opts(conversion->plan, conversion->batch);
    write.progress = progress_begin(&line, &opts->common, "writing", out_file);
    write.force = opts->force || opts->in_place;
    write.in_place = opts->in_place;
    conversion->is_written = tenon_write_file(conversion->input.doc, out_file, &write, err);
    progress_end(&line);
    return conversion->is_written;
}
