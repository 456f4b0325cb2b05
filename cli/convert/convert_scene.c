// convert_scene.c: converts a model to another format, through a scene.
// SPDX-License-Identifier: MIT

#include "convert/convert_edits.h"
#include "convert/convert_job.h"
#include "convert/convert_output.h"
#include "convert/readback.h"
#include "input/job.h"
#include "input/paths.h"
#include "input/scene_load.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>

#define TOLERANCE 1e-4

// -- Pictures and losses

static bool convert_scene_refuse_picture(convert_job *job, const tenon_error *why)
{
    if (why->code == TENON_ERR_MEMORY) job->outage = *why;
    return false;
}

static bool convert_scene_encode_png(void *user, const uint8_t *pixels, uint32_t width,
                                     uint32_t height, uint32_t channels, tenon_write_fn *write,
                                     void *write_user)
{
    picture image = {pixels, width, height, channels};
    tenon_error why;
    return png_encode(&image, job_budget(), write, write_user, &why) ||
           convert_scene_refuse_picture(user, &why);
}

static bool convert_scene_decode_picture(void *user, const uint8_t *bytes, uint64_t size,
                                         tenon_pixels_fn *take, void *take_user)
{
    picture image;
    tenon_error why;
    if (!picture_decode(bytes, (size_t)size, job_budget(), &image, &why))
        return convert_scene_refuse_picture(user, &why);
    bool ok = take(take_user, image.pixels, image.width, image.height);
    picture_free(&image, job_budget());
    return ok;
}

static void convert_scene_report_export_loss(void *user, const tenon_loss *loss)
{
    convert_job *job = user;
    if (loss->error > 0 && job->measured_count < MEASURED_LOSSES) {
        measured_loss *measured = &job->measured[job->measured_count++];
        measured->error = loss->error;
        (void)snprintf(measured->feature, sizeof measured->feature, "%s", loss->feature);
    }
    job->events.on_loss(job->events.user, loss);
}

// -- Files of the output

static bool convert_scene_is_file(const char *path, tenon_file_id id)
{
    tenon_file_id other;
    return tenon_file_identify(guard_files(), path, &other) && file_id_equal(other, id);
}

// Called for each file before it gets its name: claim it, and check whether it may be replaced.
// Sidecars and animations of the model are inputs, too.
static bool convert_scene_claim_file(void *user, const tenon_written_file *file)
{
    convert_job *job = user;
    const model *source = job->source;
    const char *path = file->path;
    if (file->is_unchanged) return convert_claim_existing(job, path);
    if (strcmp(path, job->out) == 0) job->size = file->size;
    if (!convert_claim(job, path) || !convert_may_write(job->plan, path, &job->err)) return false;
    tenon_file_id id;
    if (path_is_stream(source->file) || !tenon_file_identify(guard_files(), path, &id)) return true;
    file_list sidecars = {0};
    char sidecar[PATH_SIZE];
    bool has_memory =
        tenon_sidecars(source->doc, source->file, file_list_take, &sidecars) && !sidecars.failed;
    bool is_input = false;
    for (uint32_t i = 0; i < sidecars.count && !is_input; i++)
        is_input = path_beside(source->file, sidecars.names[i], sidecar) &&
                   convert_scene_is_file(sidecar, id);
    for (uint32_t i = 0; i < job->loaded.animation_count && !is_input; i++)
        is_input = convert_scene_is_file(job->loaded.animations[i].file, id);
    file_list_free(&sidecars);
    if (!has_memory) return job_out_of_memory(&job->err);
    if (!is_input) return true;
    job->err = report_make(TENON_ERR_EXISTS, "'%s' is part of the input", path);
    (void)snprintf(job->err.note, sizeof job->err.note, "give the output another name");
    return false;
}

// Standard output takes only one file.
static bool convert_scene_begin_stream(void *user, const char *name)
{
    convert_job *job = user;
    if (!*name) return true;
    job->err = report_make(TENON_ERR_UNSUPPORTED,
                           "'%s' belongs to the output, which is a pipe; give it a name", name);
    return false;
}

static bool convert_scene_write_stream(void *user, const void *bytes, size_t size)
{
    convert_job *job = user;
    job->size += size;
    if (!job->is_dry) out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool convert_scene_end_stream(void *user)
{
    (void)user;
    return !out_failed();
}

static bool convert_scene_export_once(convert_job *job, const tenon_export_opts *opts)
{
    bool ok;
    if (path_is_stream(job->out)) {
        tenon_sink sink = {convert_scene_begin_stream, convert_scene_write_stream,
                           convert_scene_end_stream, job};
        job->size = 0;
        // A failure of standard output is reported once, at the end.
        ok = tenon_export(job->loaded.scene, opts, &sink, &job->err) || out_failed();
    } else {
        tenon_write_opts write = convert_write_opts(job->plan, job->batch);
        ok = tenon_export_file(job->loaded.scene, job->out, opts, &write, &job->err);
    }
    if (job->outage.code == TENON_OK) return ok;
    job->err = job->outage;
    return false;
}

// -- Stale files

// Whether a file beside the output exists: `size` bytes of `name` and then `end`.
static bool convert_scene_exists_beside(const char *out, const char *name, size_t size,
                                        const char *end, char path[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    tenon_file_info info;
    int used = snprintf(path, PATH_SIZE, "%.*s%.*s%s", (int)(path_base_name(out) - out), out,
                        (int)size, name, end);
    return used > 0 && used < PATH_SIZE && files->look(files->user, path, &info) == 0 &&
           info.kind == TENON_FILE_REGULAR;
}

// Report the files beside the output that belong to it by their names, but that this conversion did
// not write. An earlier conversion may have left them; Tenon does not remove them.
static bool convert_scene_report_stale_files(convert_job *job)
{
    const char *out = job->out, *format = job->to->name;
    const char *base_name = path_base_name(out);
    size_t stem_size = path_stem_size(base_name);
    bool is_bmw = strcmp(format, "bmw") == 0, is_gpb = strcmp(format, "gpb") == 0;
    file_list found = {0}, *stale = &job->stale;
    char path[PATH_SIZE];
    tenon_error ignored;
    if (path_is_stream(out)) return true;
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
               !convert_scene_exists_beside(out, name, (size_t)(bar - name), ".bbmod", path))
            bar++;
        if (!bar && convert_scene_exists_beside(out, name, strlen(name), "", path) &&
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

// What '--verify' asks for.
static tenon_verify_opts convert_scene_verify_opts(convert_job *job, const tenon_export_opts *opts)
{
    const tenon_scene *scene = job->loaded.scene;
    const tenon_dialect *dialect =
        opts->dialect ? tenon_dialect_by_name(job->to, opts->dialect) : NULL;
    bool is_posed = opts->clip != NULL;
    const char *still =
        is_posed || !scene->animation_count ? NULL : tenon_why_no_motion(job->to, dialect);
    job->scope = (verdict_scope){.at_rest = still != NULL,
                                 .clip = opts->clip,
                                 .seconds = opts->seconds,
                                 .still_clips = still ? scene->animation_count : 0,
                                 .still = still,
                                 .format = job->to->name};
    return (tenon_verify_opts){.allocator = job_allocator(),
                               .tolerance =
                                   job->opts->tolerance > 0 ? job->opts->tolerance : TOLERANCE,
                               .clip = opts->clip,
                               .seconds = opts->seconds,
                               .at_one_time = is_posed,
                               .rest_only = still != NULL,
                               .largest_only = !job->json.to};  // The mean is only in JSON.
}

// With '--verify': whether what was found allows to write the output.
static bool convert_scene_accept_export(convert_job *job, const tenon_verify_opts *verify)
{
    if (!verify) return true;
    job->is_proven = true;
    // The loss with the largest error that explains the distance found. An error of up to twice
    // that distance can explain it, since each loss is measured alone; a larger one has another
    // cause.
    const measured_loss *cause = NULL;
    for (uint32_t i = 0; i < job->measured_count; i++) {
        const measured_loss *loss = &job->measured[i];
        if (!(loss->error > verify->tolerance) || loss->error > 2 * job->proof.largest) continue;
        if (!cause || loss->error > cause->error) cause = loss;
    }
    job->scope.cause = cause ? cause->feature : NULL;
    job->scope.tolerance = verify->tolerance;
    verdict_sentence(&job->proof, &job->scope, job->loaded.scene, NULL, job->sentence);
    return convert_accept_proof(job);
}

// With '--salvage': write only what passes `check`. Some dialects are mistakes of a writer, which
// `check` rejects; a model in one of these is written in the usual dialect.
static bool convert_scene_require_valid_export(convert_job *job, const char *usual_dialect,
                                               tenon_export_opts *opts)
{
    bool is_sound = true;
    if (!job->opts->salvage) return true;
    const cli_common *common = &job->opts->common;
    const tenon_scene *scene = job->loaded.scene;
    if (!readback_scene(scene, opts, job->out, common, &is_sound, &job->err)) return false;
    if (!is_sound && job->opts->as) {
        opts->dialect = usual_dialect;
        if (!readback_scene(scene, opts, job->out, common, &is_sound, &job->err)) return false;
    }
    if (!is_sound)
        job->err = report_make(TENON_ERR_VALUE, "what is left of it gives no valid %s file",
                               job->to->name);
    return is_sound;
}

// -- Exporting

// The clip in which an .obj file is posed, NULL for the rest pose. False if it cannot be found.
static bool convert_scene_find_clip(const tenon_scene *scene, const convert_opts *opts,
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

// The dialect if no option names one: by the extension of the output; NULL: the one that the engine
// reads today.
static const char *convert_scene_find_usual_dialect(const convert_job *job)
{
    const char *dot = strrchr(job->out, '.');
    const tenon_format *to = job->to;
    if (dot && tenon_dialect_by_name(to, dot + 1)) return dot + 1;
    // The dialect "gltf" is text with separate files, which is not for a pipe.
    return tenon_dialect_by_name(to, to->name) ? to->dialects[0].name : NULL;
}

// Whether the errors of losses will be read. Measuring them takes longer than the export.
static bool convert_scene_reads_losses(const convert_opts *opts)
{
    return !opts->common.quiet || opts->common.json || opts->report || opts->strict || opts->verify;
}

// Export the scene; files get their names later, when nothing can fail any more.
static bool convert_scene_export(convert_job *job)
{
    const convert_opts *wanted = job->opts;
    const char *usual_dialect = convert_scene_find_usual_dialect(job);
    const char *dialect = wanted->to.dialect ? wanted->to.dialect->name
                          : wanted->as       ? wanted->as
                                             : usual_dialect;
    // A .glb file can then be sent and opened alone.
    bool embeds_by_default = dialect && strcmp(dialect, "glb") == 0;
    tenon_export_opts opts = {
        .allocator = job_allocator(),
        .format = job->to->name,
        .dialect = dialect,
        .model_path = path_is_stream(job->source->file) ? NULL : job->source->file,
        .files = guard_files(),
        .embed = wanted->textures == TEXTURES_AUTO ? embeds_by_default
                                                   : wanted->textures == TEXTURES_EMBED,
        .copy_textures = wanted->textures == TEXTURES_COPY,
        .without_materials = wanted->without_materials,
        .without_prefix = wanted->without_prefix,
        .tolerance = wanted->tolerance,
        .rate = wanted->rate,
        .spaces = wanted->space_bits,
        .grouping = (tenon_grouping)wanted->grouping,
        .pictures = {job, convert_scene_encode_png, convert_scene_decode_picture},
        .seconds = wanted->at,
        .events = {.user = job,
                   .on_loss = convert_scene_report_export_loss,
                   .on_file = convert_scene_claim_file},
    };
    bool is_posed = strcmp(opts.format, "obj") == 0;
    if (is_posed && !convert_scene_find_clip(job->loaded.scene, wanted, &opts.clip, &job->err))
        return false;
    job->at_fault = path_is_stream(job->out) ? "<stdout>" : job->out;
    if (!convert_may_write(job->plan, job->out, &job->err) ||
        !convert_scene_require_valid_export(job, usual_dialect, &opts))
        return false;
    // What goes into a pipe cannot be taken back, so a dry export comes first.
    tenon_file_info info;
    const tenon_files *files = guard_files();
    job->is_dry = opts.dry_run =
        wanted->dry_run || path_is_stream(job->out) ||
        (files->look(files->user, job->out, &info) == 0 && info.kind != TENON_FILE_REGULAR);
    if (!convert_scene_reads_losses(wanted)) opts.events.on_loss = NULL;
    progress line;
    tenon_verify_opts verify = convert_scene_verify_opts(job, &opts);
    verify.events = progress_begin(&line, &wanted->common, "verifying", job->in);
    if (wanted->verify) opts.verify = &verify, opts.verified = &job->proof;
    uint64_t output_used = job_budget()->output.used;
    bool ok = convert_scene_export_once(job, &opts);
    progress_end(&line);
    if (!ok || !convert_allow_losses(job) || !convert_scene_accept_export(job, opts.verify))
        return false;
    job->is_written = !wanted->dry_run;
    if (wanted->dry_run || !job->is_dry) return true;
    // The dry export has claimed all files and reported everything.
    job->is_dry = opts.dry_run = false;
    opts.events = (tenon_events){0};
    opts.verify = NULL;
    job_budget()->output.used = output_used;
    return convert_scene_export_once(job, &opts);
}

// -- The scene

// Print a note for each option that has no effect on this output.
static void convert_scene_report_unused_options(const convert_job *job)
{
    const convert_opts *opts = job->opts;
    bool is_gltf = strcmp(job->to->name, "gltf") == 0, is_obj = strcmp(job->to->name, "obj") == 0;
    if (opts->common.quiet || opts->common.json) return;
    if (opts->textures == TEXTURES_EMBED && !is_gltf)
        report_note(job->in, "'--textures embed' has no effect: only glTF files hold pictures");
    if (opts->without_prefix && (is_obj || is_gltf))
        report_note(job->in,
                    "'--no-prefix' has no effect: sidecars of this format always have one");
    if (opts->animations.count && strcmp(job->source->doc->format->name, "bbmod") != 0)
        report_note(job->in, "'--anim' has no effect: only BBMOD has separate animation files");
}

static bool convert_scene_has_triangles(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *primitive = &scene->meshes[i].primitives[k];
            uint32_t count = primitive->indices ? primitive->index_count : primitive->vertex_count;
            if (primitive->mode >= TENON_TRIANGLES && count > 0) return true;
        }
    return false;
}

bool convert_scene(convert_job *job)
{
    const convert_opts *opts = job->opts;
    scene_load_opts load = {.animations = &job->animations,
                            .rate = opts->source_rate > 0 ? opts->source_rate : opts->rate,
                            .salvage = opts->salvage,
                            .events = job->events};
    convert_scene_report_unused_options(job);
    if (!scene_from_model(&job->loaded, &opts->common, job->source, &load, &job->at_fault,
                          &job->err) ||
        !convert_edit_scene(job))
        return false;
    const tenon_scene *scene = job->loaded.scene;
    if (opts->salvage && !convert_scene_has_triangles(scene) && scene->node_count <= 1) {
        job->err = report_make(TENON_ERR_VALUE,
                               "no whole triangle, animation, font or tree of nodes is left of it");
        return false;
    }
    return convert_scene_export(job) && convert_scene_report_stale_files(job);
}
