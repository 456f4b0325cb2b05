// convert_scene.c: from one format to another, through what the model means.
// SPDX-License-Identifier: MIT

#include "convert/convert_scene.h"

#include "convert/convert_edits.h"
#include "convert/convert_output.h"
#include "convert/convert_stale.h"
#include "convert/readback.h"
#include "input/job.h"
#include "input/scene_load.h"
#include "pictures/picture.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-4

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

// An export, to nowhere or in earnest.
typedef struct planner {
    scene_conversion *c;
    const loaded_scene *from;
    tenon_error *err;
    bool is_dry;
    bool is_rehearsed;  // It was to nowhere before, and all is known and told.
    tenon_error
        outage;  // What kept a picture from being converted, though nothing is wrong with it.
} planner;

// -- What the library asks for

static bool refuse_picture(planner *p, const tenon_error *why)
{
    if (why->code == TENON_ERR_MEMORY) p->outage = *why;
    return false;
}

static bool encode_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user)
{
    picture p = {pixels, width, height, channels};
    tenon_error why;
    return png_encode(&p, job_budget(), write, write_user, &why) || refuse_picture(user, &why);
}

static bool decode_picture(void *user, const uint8_t *bytes, uint64_t size, tenon_pixels_fn *take,
                           void *take_user)
{
    picture p;
    tenon_error why;
    if (!picture_decode(bytes, (size_t)size, job_budget(), &p, &why))
        return refuse_picture(user, &why);
    bool ok = take(take_user, p.pixels, p.width, p.height);
    picture_free(&p, job_budget());
    return ok;
}

static void forward_loss(void *user, const tenon_loss *loss)
{
    const planner *p = user;
    if (loss->error > 0 && p->c->measured_count < SCENE_LOSSES) {
        measured_loss *measured = &p->c->measured[p->c->measured_count++];
        measured->error = loss->error;
        (void)snprintf(measured->feature, sizeof measured->feature, "%s", loss->feature);
    }
    p->c->lost(p->c->user, loss);
}

// The clip to pose, NULL for the rest pose; false if there is none of that name.
static bool find_clip(const tenon_scene *scene, const convert_opts *opts, const char **clip,
                      tenon_error *err)
{
    const char *name = opts->clips.values[0];
    *clip = NULL;
    if (opts->clips.count == 0 && opts->at > 0) {
        if (scene->animation_count == 1) *clip = scene->animations[0].name.data;
        if (*clip) return true;
        *err = report_make(TENON_ERR_UNSUPPORTED,
                           "there are %u clips: '--clip NAME' says which one '--at' is about",
                           (unsigned)scene->animation_count);
        return false;
    }
    if (opts->clips.count == 0) return true;
    if (opts->clips.count > 1) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "an .obj file has one pose: give one '--clip'");
        return false;
    }
    for (uint32_t i = 0; i < scene->animation_count && !*clip; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) *clip = name;
    if (*clip) return true;
    *err =
        report_make(TENON_ERR_UNSUPPORTED, "there is no clip '%s'; `tenon info` lists them", name);
    return false;
}

// -- Where it goes

static bool has_no_memory(const planner *p)
{
    *p->err = report_make(TENON_ERR_MEMORY, "out of memory");
    return false;
}

// What must not be replaced, and whether it is part of the input.
typedef struct input_search {
    const char *model;
    tenon_file_id id;
    bool is_part;
} input_search;

static void compare_file(input_search *s, const char *path)
{
    tenon_file_id id;
    if (!tenon_file_identify(guard_files(), path, &id)) return;
    s->is_part |= id.device == s->id.device && id.inode == s->id.inode;
}

static void compare_side(void *user, const char *name)
{
    input_search *s = user;
    char path[4096];
    tenon_str text = {name, (uint32_t)strlen(name)};
    if (tenon_file_beside(guard_files(), s->model, text, path, sizeof path)) compare_file(s, path);
}

// Files that the model was read from are no less the input than the one that was named.
static bool spare_input(const planner *p, const char *path)
{
    const scene_conversion *c = p->c;
    input_search s = {.model = c->model->file};
    if (is_stdout(c->model->file) || !tenon_file_identify(guard_files(), path, &s.id)) return true;
    if (!tenon_sides(c->model->doc, c->model->file, compare_side, &s)) return has_no_memory(p);
    for (uint32_t i = 0; i < p->from->animation_count; i++)
        compare_file(&s, p->from->animations[i].file);
    if (!s.is_part) return true;
    *p->err = report_make(TENON_ERR_EXISTS, "'%s' is part of the input", path);
    (void)snprintf(p->err->note, sizeof p->err->note, "give the output another name");
    return false;
}

// A file is complete but for its name, or would be: may it have that?
static bool take_file(void *user, const char *path, uint64_t size)
{
    const planner *p = user;
    scene_conversion *c = p->c;
    if (p->is_rehearsed) return true;
    if (strcmp(path, c->job->out) == 0) c->size = size;
    return convert_claim(c->plan, c->opts, c->job, path, p->err) &&
           convert_may_write(c->plan, c->opts, path, p->err) && spare_input(p, path);
}

// A file that is there already belongs to this output nevertheless.
static bool keep_file(void *user, const char *path, uint64_t size)
{
    const planner *p = user;
    (void)size;
    return convert_claim_existing(p->c->plan, p->c->job, path, p->err);
}

// Standard output takes one file only.
static bool begin_stream(void *user, const char *name)
{
    planner *p = user;
    if (!*name) return true;
    *p->err = report_make(TENON_ERR_UNSUPPORTED,
                          "'%s' belongs to the output, which is a pipe; give it a name", name);
    return false;
}

static bool put_bytes(void *user, const void *bytes, size_t size)
{
    planner *p = user;
    p->c->size += size;
    if (!p->is_dry) out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool end_stream(void *user)
{
    (void)user;
    return !out_failed();
}

static bool export_to_stdout(planner *p, const tenon_scene *scene, const tenon_export_opts *opts)
{
    tenon_sink sink = {begin_stream, put_bytes, end_stream, p};
    p->c->size = 0;
    // Why printing failed is said at the end, once for all.
    return tenon_export(scene, opts, &sink, p->err) || out_failed();
}

static bool export_to_file(const planner *p, const tenon_scene *scene,
                           const tenon_export_opts *opts)
{
    const scene_conversion *c = p->c;
    tenon_write_opts write = {.force = c->opts->force,
                              .inputs = c->plan->inputs,
                              .input_count = c->plan->input_count,
                              .files = guard_output_files(),
                              .batch = c->batch};
    return tenon_export_file(scene, c->job->out, opts, &write, p->err);
}

static bool export_once(planner *p, const tenon_scene *scene, const tenon_export_opts *opts)
{
    bool ok = is_stdout(p->c->job->out) ? export_to_stdout(p, scene, opts)
                                        : export_to_file(p, scene, opts);
    if (p->outage.code == TENON_OK) return ok;
    *p->err = p->outage;
    return false;
}

// -- Converting

bool convert_accept_proof(scene_conversion *c, const convert_opts *opts, tenon_error *err)
{
    c->is_refused = c->proof.verdict != TENON_VERIFIED && !opts->accept_losses;
    if (c->is_refused) *err = report_make(TENON_ERR_UNSUPPORTED, "%s", c->sentence);
    return !c->is_refused;
}

bool convert_allow_losses(const convert_opts *opts, uint64_t loss_count, tenon_error *err)
{
    if (!opts->strict || loss_count == 0) return true;
    *err = report_make(TENON_ERR_UNSUPPORTED,
                       "not written: '--strict' forbids losses, and there %s %" PRIu64,
                       loss_count == 1 ? "is" : "are", loss_count);
    return false;
}

static const tenon_format *find_format(const scene_conversion *c)
{
    return c->plan->to ? c->plan->to : c->model->doc->format;
}

// The dialect if no option names one: by the extension of the output; NULL: the one that the engine
// reads today.
static const char *find_usual_dialect(const scene_conversion *c)
{
    const char *dot = strrchr(c->job->out, '.');
    const tenon_format *to = find_format(c);
    if (dot && tenon_dialect_by_name(to, dot + 1)) return dot + 1;
    // "gltf" alone would be the text, which is not for a pipe.
    return tenon_dialect_by_name(to, to->name) ? to->dialects[0].name : NULL;
}

static const char *find_dialect(const scene_conversion *c)
{
    if (c->opts->to.dialect) return c->opts->to.dialect->name;
    return c->opts->as ? c->opts->as : find_usual_dialect(c);
}

// Whether pictures go into the file: into a .glb unless something else is asked for, so that it can
// be sent and opened alone.
static bool embeds_pictures(const scene_conversion *c)
{
    const char *dialect = find_dialect(c);
    if (c->opts->textures != TEXTURES_AUTO) return c->opts->textures == TEXTURES_EMBED;
    return dialect && strcmp(dialect, "glb") == 0;
}

// Options that say nothing to this output, so that nobody waits for what they do.
static void tell_idle_options(const scene_conversion *c)
{
    bool is_obj = strcmp(find_format(c)->name, "obj") == 0;
    if (c->opts->common.quiet || c->opts->common.json) return;
    if (c->opts->textures == TEXTURES_EMBED && strcmp(find_format(c)->name, "gltf") != 0)
        report_note(c->job->in, "'--textures embed' has no effect: only glTF files hold pictures");
    if (c->opts->without_prefix && (is_obj || strcmp(find_format(c)->name, "gltf") == 0))
        report_note(c->job->in, "'--no-prefix' has no effect: these side files always have one");
    if (c->opts->animations.count && strcmp(c->model->doc->format->name, "bbmod") != 0)
        report_note(c->job->in, "'--anim' has no effect: only BBMOD has animations in files apart");
}

// The loss with the largest error that explains the distance found. Twice that distance is still
// an explanation, since losses are measured apart from each other; more is about something else.
static const char *find_cause(const scene_conversion *c, double tolerance)
{
    const measured_loss *cause = NULL;
    for (uint32_t i = 0; i < c->measured_count; i++) {
        const measured_loss *loss = &c->measured[i];
        if (!(loss->error > tolerance) || loss->error > 2 * c->proof.largest) continue;
        if (!cause || loss->error > cause->error) cause = loss;
    }
    return cause ? cause->feature : NULL;
}

// Pose what was given and what would be written.
static bool prove(scene_conversion *c, const tenon_scene *scene, const tenon_export_opts *opts,
                  tenon_error *err)
{
    if (!c->opts->verify) return true;
    double tolerance = c->opts->tolerance > 0 ? c->opts->tolerance : TOLERANCE;
    const tenon_format *to = find_format(c);
    const tenon_dialect *dialect = opts->dialect ? tenon_dialect_by_name(to, opts->dialect) : NULL;
    bool is_posed = opts->clip != NULL;
    const char *still = is_posed || !scene->animation_count ? NULL : tenon_still(to, dialect);
    progress line;
    tenon_verify_opts verify = {
        .allocator = job_allocator(),
        .progress = progress_begin(&line, &c->opts->common, "verifying", c->job->in),
        .tolerance = tolerance,
        .clip = opts->clip,
        .seconds = opts->seconds,
        .at_one_time = is_posed,
        .rest_only = still != NULL};
    tenon_export_opts named = *opts;
    named.name = "model";
    bool ok = tenon_export_verify(scene, &named, &verify, &c->proof, err);
    progress_end(&line);
    if (!ok) return false;
    c->is_proven = true;
    c->scope = (verdict_scope){.at_rest = still != NULL,
                               .clip = opts->clip,
                               .seconds = opts->seconds,
                               .still_clips = still ? scene->animation_count : 0,
                               .still = still,
                               .cause = find_cause(c, tolerance),
                               .format = to->name};
    verdict_sentence(&c->proof, &c->scope, scene, NULL, c->sentence);
    c->scope.clip = is_posed ? "" : NULL;  // The scene is freed before the report is written.
    return convert_accept_proof(c, c->opts, err);
}

// What goes into a pipe cannot be taken back. A file can, as long as it has no name.
static bool needs_rehearsal(const scene_conversion *c)
{
    tenon_file_info info;
    const tenon_files *files = guard_files();
    if (c->opts->dry_run || is_stdout(c->job->out)) return true;
    return files->look(files->user, c->job->out, &info) == 0 && info.kind != TENON_FILE_REGULAR;
}

// All but the names of files, which come when nothing can be refused any more.
static bool perform(planner *p, const tenon_scene *scene, tenon_export_opts *opts)
{
    scene_conversion *c = p->c;
    p->is_dry = opts->dry_run = needs_rehearsal(c);
    uint64_t written = job_budget()->output.used;
    if (!export_once(p, scene, opts) || !convert_allow_losses(c->opts, *c->loss_count, p->err) ||
        !prove(c, scene, opts, p->err))
        return false;
    if (c->opts->dry_run || !p->is_dry) return true;
    p->is_dry = opts->dry_run = false;
    p->is_rehearsed = true;
    opts->lost = NULL;
    job_budget()->output.used = written;
    return export_once(p, scene, opts);
}

// Of a damaged model only what passes `check` is written. Some dialects are mistakes of a writer,
// which `check` refuses: what was in one of these is written in the usual one.
static bool demand_sound(const scene_conversion *c, const tenon_scene *scene,
                         tenon_export_opts *opts, tenon_error *err)
{
    bool is_sound = true;
    if (!c->opts->salvage) return true;
    const cli_common *common = &c->opts->common;
    if (!readback_scene(scene, opts, c->job->out, common, &is_sound, err)) return false;
    if (!is_sound && c->opts->as) {
        opts->dialect = find_usual_dialect(c);
        if (!readback_scene(scene, opts, c->job->out, common, &is_sound, err)) return false;
    }
    if (!is_sound)
        *err = report_make(TENON_ERR_VALUE, "what is left of it gives no valid %s file",
                           find_format(c)->name);
    return is_sound;
}

static bool export_scene(scene_conversion *c, const loaded_scene *from, tenon_error *err)
{
    const tenon_scene *scene = from->scene;
    planner p = {.c = c, .from = from, .err = err};
    tenon_export_opts opts = {
        .allocator = job_allocator(),
        .format = find_format(c)->name,
        .dialect = find_dialect(c),
        .model_path = is_stdout(c->model->file) ? NULL : c->model->file,
        .files = guard_files(),
        .embed = embeds_pictures(c),
        .copy_textures = c->opts->textures == TEXTURES_COPY,
        .without_materials = c->opts->without_materials,
        .without_prefix = c->opts->without_prefix,
        .tolerance = c->opts->tolerance,
        .rate = c->opts->rate,
        .spaces = c->opts->space_bits,
        .grouping = (tenon_grouping)c->opts->grouping,
        .png = encode_png,
        .decode = decode_picture,
        .seconds = c->opts->at,
        .told = take_file,
        .kept = keep_file,
        .lost = forward_loss,
        .user = &p,
    };
    bool is_posed = strcmp(opts.format, "obj") == 0;
    if (is_posed && !find_clip(scene, c->opts, &opts.clip, err)) return false;
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s",
                   is_stdout(c->job->out) ? "<stdout>" : c->job->out);
    return convert_may_write(c->plan, c->opts, c->job->out, err) &&
           demand_sound(c, scene, &opts, err) && perform(&p, scene, &opts);
}

// What an earlier conversion has left is not ours to remove, but somebody has to know.
static bool tell_stale(scene_conversion *c, tenon_error *err)
{
    char text[512], name[256];
    const char *slash = strrchr(c->job->out, '/');
    if (!stale_find(&c->stale, c, find_format(c))) {
        *err = report_make(TENON_ERR_MEMORY, "out of memory");
        return false;
    }
    (void)snprintf(name, sizeof name, "%s", slash ? slash + 1 : c->job->out);
    (void)snprintf(text, sizeof text, "was there before, and will be taken for part of '%s'", name);
    if (c->opts->common.quiet || c->opts->common.json) return true;
    for (uint32_t i = 0; i < c->stale.count; i++) report_note(c->stale.names[i], text);
    return true;
}

static void lose_in_scene(void *user, const tenon_loss *loss)
{
    scene_conversion *c = user;
    c->lost(c->user, loss);
}

static bool has_triangles(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            uint32_t count = p->indices ? p->index_count : p->vertex_count;
            if (p->mode >= TENON_TRIANGLES && count > 0) return true;
        }
    return false;
}

// Of a damaged model there may be nothing that anybody could see.
static bool demand_something(const scene_conversion *c, const tenon_scene *scene, tenon_error *err)
{
    if (!c->opts->salvage || has_triangles(scene) || scene->node_count > 1) return true;
    *err = report_make(TENON_ERR_VALUE,
                       "no whole triangle, animation, font or tree of nodes is left of it");
    return false;
}

bool convert_scene(scene_conversion *c, tenon_error *err)
{
    loaded_scene s;
    scene_load_opts wants = {.animations = c->animations,
                             .rate =
                                 c->opts->source_rate > 0 ? c->opts->source_rate : c->opts->rate,
                             .salvage = c->opts->salvage,
                             .lost = lose_in_scene,
                             .user = c};
    const char *at_fault;
    tell_idle_options(c);
    bool ok = scene_from_model(&s, &c->opts->common, c->model, &wants, &at_fault, err);
    ok = ok && convert_edit_scene(&s, c->opts, c->model->doc->format, find_format(c), lose_in_scene,
                                  c, &at_fault, err);
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s", at_fault);
    ok = ok && demand_something(c, s.scene, err) && export_scene(c, &s, err) && tell_stale(c, err);
    scene_unload(&s);
    return ok;
}

void scene_conversion_free(scene_conversion *c)
{
    file_list_free(&c->stale);
}
