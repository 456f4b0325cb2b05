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

typedef struct file_conversion {
    const convert_opts *opts;
    convert_plan *plan;
    const convert_job *job;
    model input;
    model *merged;               // What is added to the input.
    merged_materials materials;  // Of all of them.
    scene_conversion scene;
    cli_list animation;     // The input, if it is converted together with its model.
    tenon_batch *batch;     // Files get their names when all are complete.
    json_out *json;         // The file's object in the report; NULL: no report.
    const char *at_fault;   // The file that an error is about,
    const char *loss_file;  // and the one that losses are about.
    uint64_t loss_count;
    uint64_t size;    // Bytes of the output.
    bool is_changed;  // The output differs from the input.
    bool is_written;
} file_conversion;

static void convert_one_report_conversion_loss(void *user, const tenon_loss *loss)
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

// Nothing can be written because of the input or the options.
static bool convert_one_refuse(file_conversion *conversion, tenon_error *err, const char *why)
{
    conversion->at_fault = conversion->job->in;
    *err = report_make(TENON_ERR_UNSUPPORTED, "%s", why);
    return false;
}

// -- What to do

// The dialect that an option names, or the extension of the output. NULL: none.
static const char *convert_one_find_dialect(const file_conversion *conversion)
{
    if (conversion->opts->to.dialect) return conversion->opts->to.dialect->name;
    if (conversion->opts->as) return conversion->opts->as;
    const tenon_doc *doc = conversion->input.doc;
    const tenon_dialect *named = tenon_dialect_by_extension(doc, conversion->job->out);
    // A file that had a wrong extension before may keep it.
    bool is_old = named == tenon_dialect_by_extension(doc, conversion->job->in);
    return named && !is_old ? named->name : NULL;
}

static const tenon_format *convert_one_find_format(const file_conversion *conversion)
{
    return conversion->plan->to ? conversion->plan->to : conversion->input.doc->format;
}

// How to get from the input's format to the output's.
typedef enum conversion_kind { SAME_FORMAT, TO_FONT, TO_SCENE } conversion_kind;

static conversion_kind convert_one_find_kind(const file_conversion *conversion)
{
    const tenon_format *from = conversion->input.doc->format,
                       *to = convert_one_find_format(conversion);
    if (strcmp(to->name, "fnt") == 0) return TO_FONT;
    if (to != from || conversion->input.format) return TO_SCENE;
    // A document that cannot be changed is exported from its scene.
    const char *dialect = convert_one_find_dialect(conversion);
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
        convert_one_find_kind(conversion) == SAME_FORMAT && !path_is_stream(conversion->job->out);
    if (can_add && !materials_add(&conversion->materials, added, &is_added, &renamed_count, err))
        return false;
    if (renamed_count)
        convert_one_report_conversion_loss(
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
    if (ok && unused.count) convert_one_report_conversion_loss(conversion, &unused);
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
        tenon_merge_opts opts = {
            .name = stem, .lost = convert_one_report_conversion_loss, .user = conversion};
        conversion->at_fault = conversion->loss_file = file;
        if (!model_read(&conversion->merged[i], &conversion->opts->common, file, err) ||
            !convert_one_merge_materials(conversion, &conversion->merged[i], err) ||
            !tenon_merge(conversion->input.doc, conversion->merged[i].doc, &opts, err))
            return false;
    }
    conversion->at_fault = conversion->loss_file = conversion->job->in;
    return true;
}

// -- Within a format

// With '--verify': compare the changed document with its file.
static bool convert_one_verify_change(file_conversion *conversion, tenon_error *err)
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

// Edit the document, change its dialect, and verify the result.
static bool convert_one_change_document(file_conversion *conversion, tenon_error *err)
{
    const convert_opts *opts = conversion->opts;
    tenon_doc *doc = conversion->input.doc;
    if (!convert_edit_document(doc, opts, &conversion->is_changed, err)) return false;
    const tenon_dialect *before = doc->dialect;
    tenon_change_opts changes = {.dialect = convert_one_find_dialect(conversion),
                                 .lost = convert_one_report_conversion_loss,
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
    return convert_one_verify_change(conversion, err) &&
           convert_allow_losses(opts, conversion->loss_count, err);
}

static bool convert_one_write_document(file_conversion *conversion, tenon_error *err)
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

// -- Writing

static bool convert_one_write_scene(file_conversion *conversion, tenon_error *err)
{
    const tenon_format *from = conversion->input.doc->format,
                       *to = convert_one_find_format(conversion);
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
                                           .lost = convert_one_report_conversion_loss,
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
           convert_one_write_document(conversion, err);
}

// All files get their names when all of them are complete.
static bool convert_one_write_all(file_conversion *conversion, tenon_error *err)
{
    conversion->at_fault = path_is_stream(conversion->job->out) ? "<stdout>" : conversion->job->out;
    conversion->batch = tenon_batch_new(NULL, err);
    if (!conversion->batch) return false;
    bool ok = false;
    switch (convert_one_find_kind(conversion)) {
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

// -- Reporting

// "crane.glb: wrote out/crane.gpb as gpb, 42824 bytes", "crane.glb: wrote out/crane.png"
static void convert_one_print_file(const file_conversion *conversion, FILE *to, const char *path,
                                   bool is_main)
{
    conversion_kind kind = convert_one_find_kind(conversion);
    out_clean(to, report_name(conversion->job->in));
    out(to, conversion->opts->dry_run ? ": would write " : ": wrote ");
    out_clean(to, path_is_stream(path) ? "<stdout>" : path);
    if (is_main) out(to, " as %s", convert_one_find_format(conversion)->name);
    if (is_main && kind == SAME_FORMAT) out(to, ":%s", conversion->input.doc->dialect->name);
    if (is_main && kind != TO_FONT) out(to, ", %" PRIu64 " bytes", conversion->size);
    out(to, "\n");
}

// Print all files that were written, each in a line on standard error; of a dry run the main one,
// with the others below it, on standard output.
static void convert_one_print_outcome(const file_conversion *conversion)
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
    if (convert_one_find_kind(conversion) == TO_FONT && files->count > 2)
        main_file = files->names[0];
    if (opts->dry_run || to_stdout) convert_one_print_file(conversion, to, main_file, true);
    for (uint32_t i = 0; i < files->count; i++) {
        const char *file = files->names[i];
        bool is_main = strcmp(file, main_file) == 0;
        if (!opts->dry_run) {
            convert_one_print_file(conversion, to, file, is_main);
        } else if (!is_main) {
            out(to, "  and ");
            out_clean(to, file);
            out(to, "\n");
        }
    }
}

// Print the result of '--verify'.
static void convert_one_print_proof(const file_conversion *conversion)
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

static void convert_one_json_files(json_out *json, const char *key, const file_list *files)
{
    if (files->count == 0) return;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < files->count; i++) json_text(json, NULL, files->names[i]);
    json_end(json, ']');
}

// End the list of losses, and add the outcome to the file's object in the report.
static void convert_one_end_json(const file_conversion *conversion, const tenon_error *err,
                                 const char *skipped)
{
    json_out *json = conversion->json;
    json_end(json, ']');
    if (skipped) {
        json_text(json, "skipped", skipped);
    } else if (err->code != TENON_OK) {
        report_error_member(json, err);
    } else {
        json_text(json, "format", convert_one_find_format(conversion)->name);
        if (convert_one_find_kind(conversion) == SAME_FORMAT)
            json_text(json, "dialect", conversion->input.doc->dialect->name);
        json_uint(json, "size", conversion->size);
        convert_one_json_files(json, "files", &conversion->plan->written_files);
        convert_one_json_files(json, "stale", &conversion->scene.stale);
    }
    if (conversion->scene.is_proven) {
        json_begin(json, "verify", '{');
        verdict_json(json, &conversion->scene.proof, &conversion->scene.scope);
        json_end(json, '}');
    }
    json_bool(json, "written", conversion->is_written);
    json_end(json, '}');
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
        conversion_kind kind = convert_one_find_kind(&conversion);
        if (kind == TO_SCENE && is_font) result->skipped = "not a model: a font bundle";
        if (kind == TO_FONT && !is_font) result->skipped = "not a font bundle";
    }
    bool is_converted = ok && !result->skipped;
    if (is_converted) {
        ok = convert_one_merge_inputs(&conversion, &err) &&
             (convert_one_find_kind(&conversion) != SAME_FORMAT ||
              convert_one_change_document(&conversion, &err)) &&
             convert_one_write_all(&conversion, &err);
        is_converted = ok;
    }
    job_report(&opts->common, job->in);
    if (ok || conversion.scene.is_refused) convert_one_print_proof(&conversion);
    if (is_converted) convert_one_print_outcome(&conversion);
    if (json) convert_one_end_json(&conversion, &err, result->skipped);
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
