// convert_one.c: converts one file, from reading it to the report.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "convert/convert_unchanged.h"
#include "input/job.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEM_SIZE 256

// -- Reading

// Read the input. With --merge it owns the data of all inputs, so it may use as much memory as all
// of them together.
static bool convert_one_read_input(convert_job *job)
{
    const convert_plan *plan = job->plan;
    const tenon_files *files = guard_files();
    cli_common common = job->opts->common;
    if (!common.max_memory && plan->merged_count) {
        uint64_t size = 0;
        for (uint32_t i = 0; i <= plan->merged_count; i++) {
            tenon_file_info info;
            const char *file = i ? plan->merged[i - 1] : job->in;
            if (files->look(files->user, file, &info) == 0) size += info.size;
        }
        common.max_memory = ((uint64_t)4 << 20) + 16 * size;
    }
    return model_read(&job->input, &common, job->in, &job->err);
}

// Decide how to get from the format of the input to that of the output.
static void convert_one_choose(convert_job *job)
{
    const convert_opts *opts = job->opts;
    const tenon_doc *doc = job->input.doc;
    const tenon_dialect *named = tenon_dialect_by_extension(doc, job->out);
    // A file that had a wrong extension before may keep it.
    if (named == tenon_dialect_by_extension(doc, job->in)) named = NULL;
    job->to = job->plan->to ? job->plan->to : doc->format;
    job->dialect = opts->to.dialect ? opts->to.dialect->name
                   : opts->as       ? opts->as
                   : named          ? named->name
                                    : NULL;
    job->source = &job->input;
    job->animations = opts->animations.values;
    job->animation_count = opts->animations.count;
    // A document that cannot be changed is exported from its scene.
    bool is_other = job->dialect && strcmp(job->dialect, doc->dialect->name) != 0;
    bool needs_scene = opts->textures == TENON_TEXTURES_EMBED || opts->quantize ||
                       convert_edits_scene(opts) ||
                       (is_other && !(doc->format->caps & TENON_CAN_CHANGE));
    if (strcmp(job->to->name, "fnt") == 0)
        job->how = AS_FONT;
    else if (job->to != doc->format || job->input.format)
        job->how = THROUGH_SCENE;
    else
        job->how =
            needs_scene && doc->format->caps & TENON_FROM_SCENE ? THROUGH_SCENE : WITHIN_FORMAT;
    if (!job->plan->jobs[job->number].is_from_folder) return;
    bool is_font = convert_is_font(job->input.doc);
    if (job->how == THROUGH_SCENE && is_font) job->skipped = "not a model: a font bundle";
    if (job->how == AS_FONT && !is_font) job->skipped = "not a font bundle";
}

// -- Merging

// Merge the .material file of an input, within a format only, and report its other sidecars.
static bool convert_one_merge_materials(convert_job *job, const model *added)
{
    uint64_t renamed_count = 0;
    bool is_added = false;
    bool can_add = job->how == WITHIN_FORMAT && !path_is_stream(job->out);
    if (can_add && !materials_add(&job->materials, added, &is_added, &renamed_count, &job->err))
        return false;
    if (renamed_count)
        convert_report_loss(
            job, &(tenon_loss){.kind = TENON_APPROXIMATED,
                               .feature = "names of materials",
                               .why = "another material has the name, so a number is appended",
                               .count = renamed_count});
    if (added == &job->input || path_is_stream(added->file)) return true;
    file_list sidecars = {0};
    const tenon_files *files = guard_files();
    tenon_loss unused = {.kind = TENON_DROPPED,
                         .feature = "side files",
                         .why = "of the other inputs, only readable material files are used"};
    bool ok =
        tenon_sidecars(added->doc, added->file, file_list_take, &sidecars) && !sidecars.failed;
    for (uint32_t i = 0; i < sidecars.count; i++) {
        char path[PATH_SIZE];
        tenon_file_info info;
        const char *name = sidecars.names[i];
        if (!path_beside(added->file, name, path) || files->look(files->user, path, &info) != 0)
            continue;
        if (is_added && materials_is_file(name)) continue;
        if (unused.count++ == 0) unused.path = name;
    }
    if (ok && unused.count) convert_report_loss(job, &unused);
    file_list_free(&sidecars);
    return ok || job_out_of_memory(&job->err);
}

// Add the other inputs of --merge to the first.
static bool convert_one_merge_inputs(convert_job *job)
{
    uint32_t count = job->plan->merged_count;
    if (count == 0) return true;
    job->is_changed = true;
    job->merged = calloc(count, sizeof *job->merged);
    if (!job->merged) return job_out_of_memory(&job->err);
    if (!convert_one_merge_materials(job, &job->input)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const char *file = job->plan->merged[i], *name = path_base_name(file);
        char stem[STEM_SIZE];
        (void)snprintf(stem, sizeof stem, "%.*s", (int)path_stem_size(name), name);
        tenon_merge_opts opts = {.name = stem,
                                 .events = {.user = job, .on_loss = convert_report_loss}};
        job->at_fault = job->loss_file = file;
        if (!model_read(&job->merged[i], &job->opts->common, file, &job->err) ||
            !convert_one_merge_materials(job, &job->merged[i]) ||
            !tenon_merge(job->input.doc, job->merged[i].doc, &opts, &job->err))
            return false;
    }
    job->at_fault = job->loss_file = job->in;
    return true;
}

// -- What may be written

// Whether the input can become a scene, and the scene the output.
static bool convert_one_allow_scene(convert_job *job)
{
    const tenon_format *from = job->input.doc->format, *to = job->to;
    const char *why = NULL;
    char text[256];
    if (job->opts->in_place) {
        why = "'--in-place' is not possible: this makes a new model; name an output";
    } else if (job->input.format && !job->plan->to) {
        import_refuse_writing(job->input.format->title, text, sizeof text);
        why = text;
    } else if (strcmp(from->name, "bbanim") == 0) {
        // Convert the model with this clip only.
        job->source = job->opts->loaded_model;
        job->animations = &job->in;
        job->animation_count = 1;
        if (!job->source || strcmp(job->source->doc->format->name, "bbmod") != 0)
            why = "an animation needs its model: name the .bbmod file with '--model'";
        else if (path_is_stream(job->in))
            why = "an animation of a model cannot be read from a pipe";
        else
            from = job->source->doc->format;
    }
    bool is_read = from->caps & TENON_TO_SCENE;
    if (!why && !is_read) {
        (void)snprintf(text, sizeof text, "%s cannot be converted to %s: %s holds no scene",
                       from->name, to->name, from->name);
        why = text;
    } else if (!why && !(to->caps & TENON_FROM_SCENE)) {
        import_refuse_writing(to->title, text, sizeof text);
        why = text;
    }
    if (!why) return true;
    job->err = report_make(TENON_ERR_UNSUPPORTED, "%s", why);
    if (job->input.format && !job->plan->to && !job->opts->in_place)
        (void)snprintf(job->err.note, sizeof job->err.note, "'--to FORMAT' says what to write");
    return false;
}

bool convert_accept_proof(convert_job *job)
{
    job->is_refused = job->proof.verdict != TENON_VERIFIED && !job->opts->accept_losses;
    if (job->is_refused) job->err = report_make(TENON_ERR_UNSUPPORTED, "%s", job->work->sentence);
    return !job->is_refused;
}

bool convert_allow_losses(convert_job *job)
{
    if (!job->opts->strict || job->loss_count == 0) return true;
    job->err = report_make(TENON_ERR_UNSUPPORTED,
                           "not written: '--strict' forbids losses, and there %s %" PRIu64,
                           job->loss_count == 1 ? "is" : "are", job->loss_count);
    return false;
}

// -- The job

// The document and everything that was made of it, which is not needed to give files their names.
static void convert_one_free_input(convert_job *job)
{
    // The merged document points into the others, so it is freed first.
    model_free(&job->input);
    for (uint32_t i = 0; job->merged && i < job->plan->merged_count; i++)
        model_free(&job->merged[i]);
    free(job->merged);
    job->merged = NULL;
    materials_free(&job->materials);
}

convert_job *convert_start(convert_plan *plan, uint32_t number, bool is_deferred)
{
    convert_job *job = malloc(sizeof *job);
    if (!job) return NULL;
    *job = (convert_job){.plan = plan,
                         .opts = plan->opts,
                         .number = number,
                         .is_deferred = is_deferred,
                         .in = plan->jobs[number].in,
                         .out = plan->jobs[number].out,
                         .at_fault = plan->jobs[number].in,
                         .loss_file = plan->jobs[number].in,
                         .events = {.on_loss = convert_report_loss}};
    job->events.user = job;
    job_begin(&plan->opts->common);
    job->batch = tenon_batch_new(NULL, &job->err);
    if (!job->batch || !convert_report_begin(job)) {
        convert_discard(job);
        return NULL;
    }
    job->is_unchanged = convert_is_unchanged(job);
    if (job->is_unchanged) return job;
    if (plan->opts->check_only) {
        job->has_failed = true;
        job->status = CLI_FAILED;
        job->err = report_make(TENON_ERR_VALUE, "'%.160s' is not up to date", job->out);
        if (!plan->opts->common.json) report_note(job->in, job->err.message);
        return job;
    }
    if (plan->has_manifest) trace_begin(&job->files);
    bool ok = convert_one_read_input(job);
    if (ok) convert_one_choose(job);
    if (ok && !job->skipped) {
        ok = convert_one_merge_inputs(job) &&
             (job->how != THROUGH_SCENE || convert_one_allow_scene(job)) &&
             (job->how == AS_FONT ? convert_font(job) : convert_model(job));
    }
    trace_end();
    if (job->input.doc) job->dialect_after = job->input.doc->dialect;
    job_explain_cancelling(&job->opts->common, &job->err);
    job->has_failed = !ok;
    convert_report_result(job, ok);
    convert_one_free_input(job);
    // What '--verify' found names the loss that caused it.
    if (job->is_proven) return job;
    free(job->work);
    job->work = NULL;
    return job;
}

bool convert_must_repeat(const convert_job *job)
{
    if (!job) return true;
    if (!job->is_deferred) return false;
    bool is_outage = job->err.code == TENON_ERR_IO || job->err.code == TENON_ERR_MEMORY;
    if (job->has_failed && is_outage) return true;
    claims *all = &job->plan->claims;
    for (uint32_t i = 0; i < job->written.count && !job->opts->dry_run; i++)
        // No other job can have its output: that is reserved.
        if (strcmp(job->written.names[i], job->out) != 0 &&
            claims_is_taken(all, job->written.names[i], job->number))
            return true;
    for (uint32_t i = 0; i < job->shared.count; i++)
        if (claims_is_taken(all, job->shared.names[i], job->number)) return true;
    return false;
}

// Claim what was not claimed before.
static bool convert_one_claim(convert_job *job)
{
    claims *all = &job->plan->claims;
    bool ok = true;
    for (uint32_t i = 0; i < job->written.count && ok; i++) {
        const char *path = job->written.names[i];
        bool shares = job->opts->dry_run && strcmp(path, job->out) != 0;
        ok = strcmp(path, job->out) == 0 || claims_take(all, path, job->number, shares, &job->err);
    }
    for (uint32_t i = 0; i < job->shared.count && ok; i++)
        ok = claims_take(all, job->shared.names[i], job->number, true, &job->err);
    return ok && convert_report_stale_files(job);
}

int convert_finish(convert_plan *plan, uint32_t number, convert_job *job)
{
    if (!job) {
        summary_fail(&plan->summary, report_name(plan->jobs[number].in), "");
        return report_no_memory();
    }
    bool ok = !job->has_failed && !job->skipped && !job->is_unchanged;
    if (ok) {
        ok = !job->is_deferred || convert_one_claim(job);
        if (ok && plan->manifest.is_open && !job->is_recorded)
            ok = convert_record(job) && manifest_flush(&plan->manifest);
        guard_begin_names();
        ok = ok && tenon_batch_commit(job->batch, &job->err);
        guard_end_names();
        job->has_failed = !ok;
        if (!ok) convert_report_error(job);
    }
    if (ok && job->is_recorded) manifest_settle(&plan->manifest, job->manifest_line);
    job->is_written = job->is_written && ok;
    if (!ok) claims_release(&plan->claims, number);
    int status = convert_report_end(job);
    convert_discard(job);
    return status;
}

void convert_job_free(convert_job *job)
{
    convert_one_free_input(job);
    if (job->json.to) (void)out_memory_end(job->json.to, &job->json_text, &job->json_size);
    free(job->json_text);
    free(job->work);
    tenon_batch_free(job->batch);
    file_list_free(&job->written);
    file_list_free(&job->shared);
    file_list_free(&job->stale);
    trace_free(&job->files);
}

void convert_discard(convert_job *job)
{
    if (job) convert_job_free(job);
    free(job);
}
