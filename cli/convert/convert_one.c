// convert_one.c: converts one file, and reports what was lost and written.
// SPDX-License-Identifier: MIT

#include "convert/convert_one.h"

#include "convert/convert_edits.h"
#include "convert/convert_font.h"
#include "convert/convert_output.h"
#include "convert/convert_scene.h"
#include "convert/convert_sidecars.h"
#include "input/job.h"
#include "input/model.h"
#include "input/paths.h"
#include "input/scene_load.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEM_SIZE 256

// Nothing can be written because of the input or the options.
static bool convert_one_refuse(file_conversion *conversion, tenon_error *err, const char *why)
{
    conversion->at_fault = conversion->job->in;
    *err = report_make(TENON_ERR_UNSUPPORTED, "%s", why);
    return false;
}

// -- What to do

const char *convert_find_dialect(const file_conversion *conversion)
{
    if (conversion->opts->to.dialect) return conversion->opts->to.dialect->name;
    if (conversion->opts->as) return conversion->opts->as;
    const tenon_doc *doc = conversion->input.doc;
    const tenon_dialect *named = tenon_dialect_by_extension(doc, conversion->job->out);
    // A file that had a wrong extension before may keep it.
    bool is_old = named == tenon_dialect_by_extension(doc, conversion->job->in);
    return named && !is_old ? named->name : NULL;
}

const tenon_format *convert_find_format(const file_conversion *conversion)
{
    return conversion->plan->to ? conversion->plan->to : conversion->input.doc->format;
}

conversion_kind convert_find_kind(const file_conversion *conversion)
{
    const tenon_format *from = conversion->input.doc->format, *to = convert_find_format(conversion);
    if (strcmp(to->name, "fnt") == 0) return TO_FONT;
    if (to != from || conversion->input.format) return TO_SCENE;
    // A document that cannot be changed is exported from its scene.
    const char *dialect = convert_find_dialect(conversion);
    bool is_other = dialect && strcmp(dialect, conversion->input.doc->dialect->name) != 0;
    bool needs_scene = conversion->opts->textures == TEXTURES_EMBED ||
                       convert_edits_scene(conversion->opts) ||
                       (is_other && !(from->caps & TENON_CAN_CHANGE));
    return needs_scene && from->caps & TENON_FROM_SCENE ? TO_SCENE : SAME_FORMAT;
}

// -- Merging

// Merge the .material file of an input, within a format only, and report its other sidecars.
static bool convert_one_merge_materials(file_conversion *conversion, const model *added,
                                        tenon_error *err)
{
    uint64_t renamed_count = 0;
    bool is_added = false;
    bool can_add =
        convert_find_kind(conversion) == SAME_FORMAT && !path_is_stream(conversion->job->out);
    if (can_add && !materials_add(&conversion->materials, added, &is_added, &renamed_count, err))
        return false;
    if (renamed_count)
        convert_report_loss(
            conversion,
            &(tenon_loss){.kind = TENON_APPROXIMATED,
                          .feature = "names of materials",
                          .why = "another material has the name, so a number is appended",
                          .count = renamed_count});
    if (added == &conversion->input || path_is_stream(added->file)) return true;
    file_list sidecars = {0};
    const tenon_files *files = guard_files();
    tenon_loss unused = {.kind = TENON_DROPPED,
                         .feature = "side files",
                         .why = "of the other inputs, only readable material files are used"};
    bool ok = tenon_sides(added->doc, added->file, file_list_take, &sidecars) && !sidecars.failed;
    for (uint32_t i = 0; i < sidecars.count; i++) {
        char path[PATH_SIZE];
        tenon_file_info info;
        const char *name = sidecars.names[i];
        if (!path_beside(added->file, name, path) || files->look(files->user, path, &info) != 0)
            continue;
        if (is_added && materials_is_file(name)) continue;
        if (unused.count++ == 0) unused.path = name;
    }
    if (ok && unused.count) convert_report_loss(conversion, &unused);
    file_list_free(&sidecars);
    return ok || job_out_of_memory(err);
}

// Add the other inputs of --merge to the first.
static bool convert_one_merge_inputs(file_conversion *conversion, tenon_error *err)
{
    uint32_t count = conversion->plan->merged_count;
    if (count == 0) return true;
    conversion->is_changed = true;
    conversion->merged = calloc(count, sizeof *conversion->merged);
    if (!conversion->merged) return job_out_of_memory(err);
    if (!convert_one_merge_materials(conversion, &conversion->input, err)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const char *file = conversion->plan->merged[i], *name = path_base_name(file);
        char stem[STEM_SIZE];
        (void)snprintf(stem, sizeof stem, "%.*s", (int)path_stem_size(name), name);
        tenon_merge_opts opts = {.name = stem, .lost = convert_report_loss, .user = conversion};
        conversion->at_fault = conversion->loss_file = file;
        if (!model_read(&conversion->merged[i], &conversion->opts->common, file, err) ||
            !convert_one_merge_materials(conversion, &conversion->merged[i], err) ||
            !tenon_merge(conversion->input.doc, conversion->merged[i].doc, &opts, err))
            return false;
    }
    conversion->at_fault = conversion->loss_file = conversion->job->in;
    return true;
}

// -- Writing

static bool convert_one_write_scene(file_conversion *conversion, tenon_error *err)
{
    const tenon_format *from = conversion->input.doc->format, *to = convert_find_format(conversion);
    const model *source = &conversion->input;
    const cli_list *animations = &conversion->opts->animations;
    char why[256];
    if (conversion->opts->in_place)
        return convert_one_refuse(
            conversion, err,
            "'--in-place' is not possible: this makes a new model; name an output");
    if (conversion->input.format && !conversion->plan->to) {
        import_refuse_writing(conversion->input.format, why, sizeof why);
        (void)convert_one_refuse(conversion, err, why);
        (void)snprintf(err->note, sizeof err->note, "'--to FORMAT' says what to write");
        return false;
    }
    if (strcmp(from->name, "bbanim") == 0) {
        // Convert the model with this clip only.
        source = conversion->opts->loaded_model;
        if (!source || strcmp(source->doc->format->name, "bbmod") != 0)
            return convert_one_refuse(
                conversion, err,
                "an animation needs its model: name the .bbmod file with '--model'");
        if (path_is_stream(conversion->job->in))
            return convert_one_refuse(conversion, err,
                                      "an animation of a model cannot be read from a pipe");
        from = source->doc->format;
        conversion->animation = (cli_list){.values = {conversion->job->in}, .count = 1};
        animations = &conversion->animation;
    }
    if (!(from->caps & TENON_TO_SCENE) || !(to->caps & TENON_FROM_SCENE)) {
        bool is_read = from->caps & TENON_TO_SCENE;
        (void)snprintf(why, sizeof why, "%s cannot be converted to %s: %s %s", from->name, to->name,
                       is_read ? to->name : from->name,
                       is_read ? "cannot be written" : "holds no scene");
        return convert_one_refuse(conversion, err, why);
    }
    conversion->scene = (scene_conversion){.opts = conversion->opts,
                                           .plan = conversion->plan,
                                           .job = conversion->job,
                                           .batch = conversion->batch,
                                           .model = source,
                                           .animations = animations,
                                           .lost = convert_report_loss,
                                           .user = conversion,
                                           .loss_count = &conversion->loss_count};
    bool ok = convert_scene(&conversion->scene, err);
    conversion->at_fault = conversion->scene.at_fault;
    conversion->size = conversion->scene.size;
    conversion->is_written = ok && !conversion->opts->dry_run;
    return ok;
}

// Copy the sidecars first, so that the model never lacks a file that belongs to it.
static bool convert_one_write_with_sidecars(file_conversion *conversion, tenon_error *err)
{
    const convert_opts *opts = conversion->opts;
    if (opts->textures == TEXTURES_COPY && !opts->common.quiet && !opts->common.json)
        report_note(conversion->job->in, "'--textures copy' has no effect within a format");
    convert_report_unused(opts, conversion->job->in, NULL);
    return convert_copy_sidecars(conversion->input.doc, &conversion->materials, conversion->job,
                                 conversion->plan, conversion->batch, err) &&
           convert_write_document(conversion, err);
}

// All files get their names when all of them are complete.
static bool convert_one_write_all(file_conversion *conversion, tenon_error *err)
{
    conversion->at_fault = path_is_stream(conversion->job->out) ? "<stdout>" : conversion->job->out;
    conversion->batch = tenon_batch_new(NULL, err);
    if (!conversion->batch) return false;
    bool ok = false;
    switch (convert_find_kind(conversion)) {
    case TO_FONT:
        conversion->size = convert_font(conversion->input.doc, conversion->job, conversion->plan,
                                        conversion->opts, conversion->batch, err);
        conversion->is_written = conversion->size && !conversion->opts->dry_run;
        ok = conversion->size != 0;
        break;
    case TO_SCENE:
        ok = convert_one_write_scene(conversion, err);
        break;
    case SAME_FORMAT:
        ok = convert_one_write_with_sidecars(conversion, err);
        break;
    }
    ok = ok && tenon_batch_commit(conversion->batch, err);
    conversion->is_written = ok && conversion->is_written;
    tenon_batch_free(conversion->batch);
    if (!ok) convert_release_claims(conversion->plan, conversion->job);
    return ok;
}

// -- One file

// Read the input. With --merge it owns the data of all inputs, so it may use as much memory as all
// of them together.
static bool convert_one_read_input(file_conversion *conversion, tenon_error *err)
{
    convert_plan *plan = conversion->plan;
    const convert_job *job = conversion->job;
    const tenon_files *files = guard_files();
    if (job->conflicting_input) {
        *err = report_make(TENON_ERR_EXISTS, "would become '%.120s', as does '%.120s'", job->out,
                           job->conflicting_input);
        (void)snprintf(err->note, sizeof err->note, "convert it into another folder");
        return false;
    }
    cli_common common = conversion->opts->common;
    if (!common.max_memory && plan->merged_count) {
        uint64_t size = 0;
        for (uint32_t i = 0; i <= plan->merged_count; i++) {
            tenon_file_info info;
            const char *file = i ? plan->merged[i - 1] : job->in;
            if (files->look(files->user, file, &info) == 0) size += info.size;
        }
        common.max_memory = ((uint64_t)4 << 20) + 16 * size;
    }
    return model_read(&conversion->input, &common, job->in, err);
}

int convert_one(const convert_opts *opts, convert_plan *plan, const convert_job *job,
                json_out *json, convert_result *result)
{
    tenon_error err = {0};
    file_conversion conversion = {.opts = opts,
                                  .plan = plan,
                                  .job = job,
                                  .json = json,
                                  .at_fault = job->in,
                                  .loss_file = job->in};
    *result = (convert_result){0};
    job_begin(&opts->common);
    file_list_free(&plan->written_files);
    if (json) {
        json_begin(json, NULL, '{');
        json_text(json, "file", job->in);
        json_text(json, "output", job->out);
        json_begin(json, "losses", '[');
    }
    bool ok = convert_one_read_input(&conversion, &err);
    if (ok && job->is_from_folder) {
        bool is_font = convert_is_font(conversion.input.doc);
        conversion_kind kind = convert_find_kind(&conversion);
        if (kind == TO_SCENE && is_font) result->skipped = "not a model: a font bundle";
        if (kind == TO_FONT && !is_font) result->skipped = "not a font bundle";
    }
    bool is_converted = ok && !result->skipped;
    if (is_converted) {
        ok = convert_one_merge_inputs(&conversion, &err) &&
             (convert_find_kind(&conversion) != SAME_FORMAT ||
              convert_change_document(&conversion, &err)) &&
             convert_one_write_all(&conversion, &err);
        is_converted = ok;
    }
    job_report(&opts->common, job->in);
    if (ok || conversion.scene.is_refused) convert_report_proof(&conversion);
    if (is_converted) convert_report_files(&conversion);
    if (json) convert_report_end_json(&conversion, &err, result->skipped);
    result->err = err;
    bool is_refused = conversion.scene.is_refused;
    int status = CLI_OK;
    if (!ok && (opts->common.json || is_refused)) status = report_status(&err);
    if (!ok && !opts->common.json && !is_refused)
        status = report_unreadable(&opts->common, conversion.at_fault, &err);
    // The merged document points into the others, so it is freed first.
    model_free(&conversion.input);
    for (uint32_t i = 0; conversion.merged && i < plan->merged_count; i++)
        model_free(&conversion.merged[i]);
    free(conversion.merged);
    materials_free(&conversion.materials);
    scene_conversion_free(&conversion.scene);
    return status;
}
