// convert_model.c: converts a model with tenon_convert(): what the tool adds to it.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "convert/readback.h"
#include "import/import_draco.h"
#include "import/import_scene.h"
#include "input/job.h"
#include "input/paths.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/threads.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>
#include <tenon/convert.h>
#include <tenon/fbx.h>

#define TOLERANCE 1e-4

// -- Pictures

static bool convert_model_decode_picture(void *user, const uint8_t *bytes, uint64_t size,
                                         tenon_pixels_fn *take, void *take_user)
{
    picture image;
    tenon_error why;
    if (!picture_decode(bytes, (size_t)size, job_budget(), &image, &why)) {
        // TENON_ERR_IO: libjpeg is missing.
        bool is_outage = why.code == TENON_ERR_IO || why.code == TENON_ERR_MEMORY;
        if (is_outage) ((convert_job *)user)->work->outage = why;
        return false;
    }
    bool ok = take(take_user, image.pixels, image.width, image.height);
    picture_free(&image, job_budget());
    return ok;
}

// -- Losses and files

static void convert_model_report_loss(void *user, const tenon_loss *loss)
{
    convert_job *job = user;
    if (job->is_exporting && loss->error > 0 && job->work->measured_count < MEASURED_LOSSES) {
        measured_loss *measured = &job->work->measured[job->work->measured_count++];
        measured->error = loss->error;
        (void)snprintf(measured->feature, sizeof measured->feature, "%s", loss->feature);
    }
    job->events.on_loss(job->events.user, loss);
}

static bool convert_model_report_progress(void *user, uint64_t done, uint64_t total)
{
    convert_job *job = user;
    return job->work->step(&job->work->line, done, total);
}

// Called for each file before it gets its name: claim it, and check whether it may be replaced.
static bool convert_model_claim_file(void *user, const tenon_written_file *file)
{
    convert_job *job = user;
    const char *path = file->path;
    bool is_main = strcmp(path, job->out) == 0;
    if (job->work->outage.code != TENON_OK) {
        job->err = job->work->outage;
        return false;
    }
    if (!is_main && path_is_stream(job->out)) {
        job->err = report_make(TENON_ERR_UNSUPPORTED,
                               "'%s' belongs to the output, which is a pipe; give it a name", path);
        return false;
    }
    if (file->is_unchanged && !is_main) return convert_claim_existing(job, path);
    bool is_checked = file->is_unchanged || (is_main && job->may_write);
    return convert_claim(job, path) &&
           (is_checked || convert_may_write(job->plan, path, &job->err));
}

// Standard output takes the main file only.
static bool convert_model_begin_stream(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool convert_model_write_stream(void *user, const void *bytes, size_t size)
{
    (void)user;
    out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool convert_model_end_stream(void *user)
{
    (void)user;
    return !out_failed();
}

// -- Stale files

// Whether a file beside the output exists: `size` bytes of `name` and then `end`.
static bool convert_model_exists_beside(const char *out, const char *name, size_t size,
                                        const char *end, char path[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    tenon_file_info info;
    int used = snprintf(path, PATH_SIZE, "%.*s%.*s%s", (int)(path_base_name(out) - out), out,
                        (int)size, name, end);
    return used > 0 && used < PATH_SIZE && files->look(files->user, path, &info) == 0 &&
           info.kind == TENON_FILE_REGULAR;
}

// These files belong to the output by their names, but this conversion did not write them.
bool convert_report_stale_files(convert_job *job)
{
    const char *out = job->out, *format = job->to->name;
    const char *base_name = path_base_name(out);
    size_t stem_size = path_stem_size(base_name);
    bool is_bmw = strcmp(format, "bmw") == 0, is_gpb = strcmp(format, "gpb") == 0;
    file_list found = {0}, *stale = &job->stale;
    char path[PATH_SIZE];
    tenon_error ignored;
    if (path_is_stream(out) || job->how != THROUGH_SCENE) return true;
    // A folder that cannot be listed could be written to nevertheless.
    if (strcmp(format, "bbmod") == 0 &&
        !tenon_bbanim_find(guard_files(), out, NULL, file_list_take, &found, &ignored))
        found.failed = found.failed || ignored.code == TENON_ERR_MEMORY;
    if (is_bmw || is_gpb) {
        (void)snprintf(path, sizeof path, "%.*s%s", (int)stem_size, base_name,
                       is_bmw ? ".json" : ".material");
        file_list_take(&found, path);
    }
    for (uint32_t i = 0; i < found.count; i++) {
        // "hero_big_run.bbanim" does not belong to "hero" if there is a model "hero_big".
        const char *name = found.names[i], *bar = name + stem_size + 1;
        while ((bar = strchr(bar, '_')) &&
               !convert_model_exists_beside(out, name, (size_t)(bar - name), ".bbmod", path))
            bar++;
        if (!bar && convert_model_exists_beside(out, name, strlen(name), "", path) &&
            !claims_has(&job->plan->claims, path))
            (void)file_list_add(stale, "", path);
    }
    bool has_memory = !found.failed;
    file_list_free(&found);
    if (!has_memory || stale->failed) return job_out_of_memory(&job->err);
    file_list_sort(stale);
    if (job->opts->common.quiet || job->opts->common.json) return true;
    char name[256], text[512];
    (void)snprintf(name, sizeof name, "%s", base_name);
    (void)snprintf(text, sizeof text, "existed before, and will be read as part of '%s'", name);
    for (uint32_t i = 0; i < stale->count; i++) report_note(stale->names[i], text);
    return true;
}

// -- Verifying

// Decide about the result of '--verify'.
static bool convert_model_accept_proof(convert_job *job, const tenon_conversion *conversion,
                                       const tenon_convert_result *result)
{
    const tenon_scene *scene = conversion->scene, *after = conversion->after;
    const tenon_export_opts *exporting = conversion->exporting;
    job->is_proven = true;
    job->proof = result->verified;
    if (!exporting && !result->is_changed) {
        (void)snprintf(job->work->sentence, sizeof job->work->sentence,
                       "verified: the output has the same bytes");
        return true;
    }
    bool is_posed = exporting && exporting->clip;
    bool may_be_still = !is_posed && scene->animation_count && !(after && after->animation_count);
    const tenon_dialect *dialect = result->dialect;
    if (exporting && exporting->dialect)
        dialect = tenon_dialect_by_name(result->format, exporting->dialect);
    const char *still = may_be_still ? tenon_why_no_motion(result->format, dialect) : NULL;
    job->scope = (verdict_scope){.at_rest = still != NULL,
                                 .still_clips = still ? scene->animation_count : 0,
                                 .still = still};
    if (exporting) {
        job->scope.clip = exporting->clip;
        job->scope.seconds = exporting->seconds;
        job->scope.format = result->format->name;
    }
    // The loss with the largest error that explains the distance found. An error of up to twice
    // that distance can explain it, since each loss is measured alone; a larger one has another
    // cause.
    const measured_loss *cause = NULL;
    double tolerance = job->opts->tolerance > 0 ? job->opts->tolerance : TOLERANCE;
    for (uint32_t i = 0; i < job->work->measured_count; i++) {
        const measured_loss *loss = &job->work->measured[i];
        if (!(loss->error > tolerance) || loss->error > 2 * job->proof.largest) continue;
        if (!cause || loss->error > cause->error) cause = loss;
    }
    job->scope.cause = cause ? cause->feature : NULL;
    job->scope.tolerance = tolerance;
    verdict_sentence(&job->proof, &job->scope, scene, after, job->work->sentence);
    return convert_accept_proof(job);
}

// Decide about the result, before any file gets its name.
static bool convert_model_accept(void *user, const tenon_conversion *conversion,
                                 const tenon_convert_result *result, tenon_error *err)
{
    convert_job *job = user;
    const convert_opts *opts = job->opts;
    bool prints_notes = !opts->common.quiet && !opts->common.json;
    (void)err;  // It is that of the job.
    job->is_changed = result->is_changed;
    progress_end(&job->work->line);
    if (conversion->exporting)
        return convert_allow_losses(job) &&
               (!result->is_verified || convert_model_accept_proof(job, conversion, result)) &&
               (job->is_deferred || convert_report_stale_files(job));
    if (opts->rate > 0 && result->dialect == job->dialect_before && prints_notes)
        report_note(job->in, "'--rate' has no effect: no clip is resampled");
    if ((result->is_verified && !convert_model_accept_proof(job, conversion, result)) ||
        !convert_allow_losses(job))
        return false;
    if (opts->textures == TENON_TEXTURES_COPY && prints_notes)
        report_note(job->in, "'--textures copy' has no effect within a format");
    convert_report_unused(job);
    job->at_fault = path_is_stream(job->out) ? "<stdout>" : job->out;
    return true;
}

// -- Recovered models

// The dialect if no option names one: by the extension of the output; NULL: the one that the engine
// reads today.
static const char *convert_model_find_usual_dialect(const convert_job *job)
{
    const char *dot = strrchr(job->out, '.');
    const tenon_format *to = job->to;
    if (dot && tenon_dialect_by_name(to, dot + 1)) return dot + 1;
    // The dialect "gltf" is text with separate files, which is not for a pipe.
    return tenon_dialect_by_name(to, to->name) ? to->dialects[0].name : NULL;
}

// With '--salvage': write only what passes `check`. Some dialects are mistakes of a writer, which
// `check` rejects; a model in one of these is written in the usual dialect.
static bool convert_model_require_valid_export(convert_job *job, const tenon_scene *scene,
                                               tenon_export_opts *opts)
{
    bool is_sound = true;
    if (!job->opts->salvage) return true;
    const cli_common *common = &job->opts->common;
    if (!readback_scene(scene, opts, job->out, common, &is_sound, &job->err)) return false;
    if (!is_sound && job->opts->as) {
        opts->dialect = convert_model_find_usual_dialect(job);
        if (!readback_scene(scene, opts, job->out, common, &is_sound, &job->err)) return false;
    }
    if (!is_sound)
        job->err = report_make(TENON_ERR_VALUE, "what is left of it gives no valid %s file",
                               job->to->name);
    return is_sound;
}

static bool convert_model_has_triangles(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *primitive = &scene->meshes[i].primitives[k];
            uint32_t count = primitive->indices ? primitive->index_count : primitive->vertex_count;
            if (primitive->mode >= TENON_TRIANGLES && count > 0) return true;
        }
    return false;
}

// -- Options

// The clip in which an .obj file is posed, NULL for the rest pose. False if it cannot be found.
static bool convert_model_find_clip(const tenon_scene *scene, const convert_opts *opts,
                                    const char **clip, tenon_error *err)
{
    *clip = NULL;
    if (opts->clips.count > 1) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "an .obj file has one pose: give one '--clip'");
        return false;
    }
    if (opts->clips.count == 0) {
        if (!(opts->at > 0)) return true;
        if (scene->animation_count == 1) *clip = scene->animations[0].name.data;
        if (*clip) return true;
        *err = report_make(TENON_ERR_UNSUPPORTED,
                           "there are %u clips: '--clip NAME' says which one '--at' is about",
                           (unsigned)scene->animation_count);
        return false;
    }
    const char *name = opts->clips.values[0];
    for (uint32_t i = 0; i < scene->animation_count && !*clip; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) *clip = name;
    if (*clip) return true;
    *err =
        report_make(TENON_ERR_UNSUPPORTED, "there is no clip '%s'; `tenon info` lists them", name);
    return false;
}

// Whether the errors of losses will be read. Measuring them takes longer than the export.
static bool convert_model_reads_losses(const convert_opts *opts)
{
    return !opts->common.quiet || opts->common.json || opts->report || opts->strict || opts->verify;
}

// Print a note for each option that has no effect on this output.
static void convert_model_report_unused_options(const convert_job *job)
{
    const convert_opts *opts = job->opts;
    bool is_gltf = strcmp(job->to->name, "gltf") == 0, is_obj = strcmp(job->to->name, "obj") == 0;
    if (opts->common.quiet || opts->common.json) return;
    if (opts->textures == TENON_TEXTURES_EMBED && !is_gltf)
        report_note(job->in, "'--textures embed' has no effect: only glTF files hold pictures");
    if (opts->without_prefix && (is_obj || is_gltf))
        report_note(job->in,
                    "'--no-prefix' has no effect: sidecars of this format always have one");
    if (opts->quantize && !is_gltf)
        report_note(job->in, "'--quantize' has no effect: only glTF files hold such integers");
    if (opts->animations.count && strcmp(job->source->doc->format->name, "bbmod") != 0)
        report_note(job->in, "'--anim' has no effect: only BBMOD has separate animation files");
}

// -- Editing

// What tenon-import says about the file is in the extras of its scene.
static bool convert_model_take_imported(convert_job *job, tenon_conversion *conversion)
{
    tenon_scene *scene = conversion->scene;
    scene->source = NULL;  // The importer's GLB is not the source: it holds other formats.
    scene->kept = NULL;
    const tenon_events losses = {.user = job, .on_loss = convert_model_report_loss};
    import_facts facts = {0};
    bool ok = import_take_unit(scene, &conversion->unit) && import_take_facts(scene, &facts) &&
              import_take_losses(scene, &losses);
    import_facts_free(&facts);
    bool cuts_lead_in = !job->opts->keep_lead_in && strcmp(job->to->name, "obj") != 0;
    if (!ok) return job_out_of_memory(&job->err);
    return !cuts_lead_in || import_start_at_first_key(scene, &losses, &job->err);
}

static bool convert_model_edit_scene(convert_job *job, tenon_conversion *conversion)
{
    const convert_opts *opts = job->opts;
    const tenon_scene *scene = conversion->scene;
    tenon_export_opts *exporting = conversion->exporting;
    job->scene = conversion->scene;
    job->at_fault = job->source->file;
    if (job->input.format && !convert_model_take_imported(job, conversion)) return false;
    job->unit = conversion->unit;
    job->is_imported = job->input.format || tenon_as_fbx(job->source->doc);
    if (!convert_edit_scene(job)) return false;
    if (opts->salvage && !convert_model_has_triangles(scene) && scene->node_count <= 1) {
        job->err = report_make(TENON_ERR_VALUE,
                               "no whole triangle, animation, font or tree of nodes is left of it");
        return false;
    }
    bool is_posed = strcmp(exporting->format, "obj") == 0;
    if (is_posed && !convert_model_find_clip(scene, opts, &exporting->clip, &job->err))
        return false;
    job->at_fault = path_is_stream(job->out) ? "<stdout>" : job->out;
    job->is_exporting = true;
    job->may_write = convert_may_write(job->plan, job->out, &job->err);
    return job->may_write && convert_model_require_valid_export(job, scene, exporting);
}

static bool convert_model_edit(void *user, tenon_conversion *conversion, tenon_error *err)
{
    convert_job *job = user;
    (void)err;  // It is that of the job.
    if (conversion->exporting) return convert_model_edit_scene(job, conversion);
    job->dialect_before = conversion->doc->dialect;
    if (job->opts->verify && job->plan->merged_count) {
        job->err = report_make(TENON_ERR_UNSUPPORTED,
                               "'--verify' is not possible here: several inputs are merged");
        return false;
    }
    if (!convert_edit_document(job)) return false;
    conversion->is_changed = job->is_changed;
    return true;
}

// -- The conversion

// The animations that are named, which replace those beside the model. They must fit it:
// tenon_to_scene() says why one does not.
typedef struct named_animations {
    model *models;
    tenon_companion *companions;
    uint32_t count;
    char (*clips)[PATH_SIZE];
} named_animations;

static bool convert_model_read_animations(convert_job *job, named_animations *named)
{
    uint32_t count = job->animation_count;
    if (count == 0) return true;
    named->models = calloc(count, sizeof *named->models);
    named->companions = calloc(count, sizeof *named->companions);
    named->clips = calloc(count, sizeof *named->clips);
    if (!named->models || !named->companions || !named->clips) return job_out_of_memory(&job->err);
    cli_common reading = job->opts->common;
    reading.from = (cli_format){0};  // It says what the model is, not its animations.
    for (uint32_t i = 0; i < count; i++) {
        const char *file = job->animations[i];
        tenon_str clip = tenon_bbanim_clip(job->source->file, file);
        job->at_fault = file;
        if (!model_read(&named->models[i], &reading, file, &job->err)) return false;
        (void)snprintf(named->clips[i], PATH_SIZE, "%.*s", (int)clip.size, clip.data);
        named->companions[i] = (tenon_companion){named->models[i].doc, named->clips[i]};
        named->count++;
    }
    job->at_fault = job->source->file;
    return true;
}

static void convert_model_free_animations(named_animations *named)
{
    for (uint32_t i = 0; i < named->count; i++) model_free(&named->models[i]);
    free(named->models);
    free(named->companions);
    free(named->clips);
}

// The merged materials as a file that replaces the sidecar of the input.
static bool convert_model_replace_materials(convert_job *job, tenon_memory **sidecars)
{
    char name[PATH_SIZE];
    const char *base = path_base_name(job->in);
    if (!job->materials.text) return true;
    (void)snprintf(name, sizeof name, "%.*s.material", (int)path_stem_size(base), base);
    *sidecars = tenon_memory_new(NULL, &job->err);
    return *sidecars &&
           (tenon_memory_add(*sidecars, name, job->materials.text, job->materials.size) ||
            job_out_of_memory(&job->err));
}

static tenon_scene_opts convert_model_scene_opts(const convert_job *job,
                                                 const named_animations *named,
                                                 import_draco_user *draco)
{
    const convert_opts *wanted = job->opts;
    bool is_alone = path_is_stream(job->source->file) || job->without_sidecars;
    return (tenon_scene_opts){
        .model_path = is_alone ? NULL : job->source->file,
        .files = guard_files(),
        .decode_draco = import_decode_draco,
        .draco_user = draco,
        .companions = named->companions,
        .companion_count = named->count,
        .rate = wanted->source_rate > 0 ? wanted->source_rate : wanted->rate,
        .salvage = wanted->salvage,
    };
}

bool convert_model(convert_job *job)
{
    const convert_opts *wanted = job->opts;
    const model *source = job->source;
    bool is_new = job->how == THROUGH_SCENE, is_stream = path_is_stream(job->out);
    named_animations named = {0};
    tenon_memory *sidecars = NULL;
    job->work = calloc(1, sizeof *job->work);
    if (!job->work) return job_out_of_memory(&job->err);
    if (is_new) convert_model_report_unused_options(job);
    bool ok = convert_model_read_animations(job, &named) &&
              convert_model_replace_materials(job, &sidecars);
    const tenon_sink sink = {convert_model_begin_stream, convert_model_write_stream,
                             convert_model_end_stream, job};
    const tenon_events line =
        progress_begin(&job->work->line, &wanted->common, "converting", job->in);
    job->work->step = line.on_progress;
    tenon_executor executor = {0};
    if (!job->is_deferred) executor = threads_executor();  // Other jobs use the processors.
    import_draco_user draco = {&wanted->common, source->file};
    tenon_convert_opts opts = {
        .allocator = job_allocator(),
        .events = {.user = job,
                   .on_progress = line.on_progress ? convert_model_report_progress : NULL,
                   .on_loss = convert_model_reads_losses(wanted) ? convert_model_report_loss : NULL,
                   .on_file = convert_model_claim_file},
        .importing = convert_model_scene_opts(job, &named, &draco),
        .exporting = {.format = job->to->name,
                      .dialect = wanted->to.dialect ? wanted->to.dialect->name : wanted->as,
                      .without_materials = wanted->without_materials,
                      .without_prefix = wanted->without_prefix,
                      .quantize = wanted->quantize,
                      .tolerance = wanted->tolerance,
                      .rate = wanted->rate,
                      .spaces = wanted->space_bits,
                      .grouping = (tenon_grouping)wanted->grouping,
                      .pictures = {.user = job, .decode = convert_model_decode_picture},
                      .seconds = wanted->at,
                      .dry_run = wanted->dry_run},
        .writing = convert_write_opts(job->plan, job->batch),
        .changing = {.rate = wanted->rate,
                     .spaces = wanted->space_bits,
                     .model = wanted->loaded_model ? wanted->loaded_model->doc : NULL,
                     .refresh = wanted->refresh},
        .makes_new_model = is_new,
        .textures = (tenon_textures)wanted->textures,
        .units = (tenon_units)wanted->units,
        .scale = wanted->scale,
        .keep_lead_in = wanted->keep_lead_in,
        .verify = wanted->verify,
        .executor = job->is_deferred ? NULL : &executor,
        // The mean is only in JSON.
        .verifying = {.tolerance = wanted->tolerance,
                      .events = line,
                      .largest_only = !job->json.to},
        .sidecars = sidecars,
        .sink = is_stream ? &sink : NULL,
        .edit = convert_model_edit,
        .accept = convert_model_accept,
        .user = job,
    };
    opts.writing.in_place = wanted->in_place;
    opts.writing.force |= wanted->in_place;
    tenon_convert_result result = {0};
    ok = ok && tenon_convert(source->doc, job->out, &opts, &result, &job->err);
    progress_end(&job->work->line);
    // A failure of standard output is reported once, at the end.
    ok = ok || (is_stream && out_failed());
    if (job->work->outage.code != TENON_OK) {
        job->err = job->work->outage;
        ok = false;
    }
    job->size = result.size;
    job->is_changed = result.is_changed;
    job->is_written = ok && result.is_written;
    tenon_memory_free(sidecars);
    convert_model_free_animations(&named);
    return ok;
}
