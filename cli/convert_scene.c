// convert_scene.c: models out to formats that have no document: glTF, OBJ.
// SPDX-License-Identifier: MIT

#include "convert_scene.h"

#include "guard.h"
#include "output.h"
#include "picture.h"
#include "progress.h"
#include "report.h"
#include "scene_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

// An export, first to nowhere, then in earnest.
typedef struct planner {
    scene_conversion *c;
    tenon_error *err;
    bool is_dry;
} planner;

// -- What the library asks for

static bool encode_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user)
{
    (void)user;
    picture p = {pixels, width, height, channels};
    png_file file;
    tenon_error ignored;
    if (!png_encode(&p, &file, &ignored)) return false;
    bool ok = write(write_user, file.data, file.size);
    png_file_free(&file);
    return ok;
}

static void forward_loss(void *user, const tenon_loss *loss)
{
    const planner *p = user;
    p->c->lost(p->c->user, loss);
}

// The number of the clip to pose; false if there is none of that name.
static bool find_clip(const tenon_scene *scene, const char *name, uint32_t *clip, tenon_error *err)
{
    *clip = TENON_NONE;
    if (!name) return true;
    for (uint32_t i = 0; i < scene->animation_count && *clip == TENON_NONE; i++)
        if (strcmp(scene->animations[i].name.data, name) == 0) *clip = i;
    if (*clip != TENON_NONE) return true;
    *err =
        report_make(TENON_ERR_UNSUPPORTED, "there is no clip '%s'; `tenon info` lists them", name);
    return false;
}

// -- Where it goes

// A file would be written: may it be?
static bool plan_file(void *user, const char *path, uint64_t size)
{
    planner *p = user;
    if (strcmp(path, p->c->job->out) == 0) p->c->size = size;
    char *copy = p->c->file_count < SCENE_FILES ? malloc(strlen(path) + 1) : NULL;
    if (copy) p->c->files[p->c->file_count++] = strcpy(copy, path);
    return convert_may_write(p->c->plan, p->c->opts, path, p->err);
}

// A file was written.
static bool tell_file(void *user, const char *path, uint64_t size)
{
    const planner *p = user;
    const cli_common *opts = &p->c->opts->common;
    if (!opts->verbose || opts->json || strcmp(path, p->c->job->out) == 0) return true;
    out_clean(stderr, report_name(p->c->job->in));
    out(stderr, ": wrote ");
    out_clean(stderr, path);
    out(stderr, ", %" PRIu64 " bytes\n", size);
    return true;
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
                              .files = guard_files()};
    return tenon_export_file(scene, c->job->out, opts, &write, p->err);
}

// -- Converting

static bool refuse_losses(const scene_conversion *c, tenon_error *err)
{
    if (!c->opts->strict || *c->loss_count == 0) return true;
    *err = report_make(TENON_ERR_UNSUPPORTED,
                       "not written: '--strict' forbids losses, and there %s %" PRIu64,
                       *c->loss_count == 1 ? "is" : "are", *c->loss_count);
    return false;
}

// What to write: a dialect by its name, by the extension of the output, or the first.
static const char *find_form(const scene_conversion *c)
{
    const tenon_format *to = c->plan->to ? c->plan->to : c->m->doc->format;
    const char *dot = strrchr(c->job->out, '.');
    if (c->opts->to.dialect) return c->opts->to.dialect->name;
    if (c->opts->as) return c->opts->as;
    if (dot && tenon_dialect_by_name(to, dot + 1)) return dot + 1;
    return to->dialect_count ? to->dialects[0].name : to->name;
}

// Options that say nothing to this output, so that nobody waits for what they do.
static void tell_idle_options(const scene_conversion *c)
{
    const tenon_format *to = c->plan->to ? c->plan->to : c->m->doc->format;
    bool is_obj = strcmp(to->name, "obj") == 0;
    if (c->opts->common.quiet || c->opts->common.json) return;
    if (c->opts->embed && is_obj)
        report_note(c->job->in, "'--embed' has no effect: OBJ files only name their pictures");
    if (c->opts->clip && !is_obj)
        report_note(c->job->in, "'--clip' has no effect: the output holds all clips");
    if (c->opts->animations.count && strcmp(c->m->doc->format->name, "bbmod") != 0)
        report_note(c->job->in, "'--anim' has no effect: only BBMOD has animations in files apart");
}

// Who sends a .glb file to somebody should know that the pictures stay behind.
static void tell_named_pictures(const scene_conversion *c, const tenon_scene *scene,
                                const char *form)
{
    if (c->opts->common.quiet || c->opts->common.json || c->opts->embed) return;
    if (scene->image_count && strcmp(form, "glb") == 0)
        report_note(c->job->out, "textures are named, not stored; '--embed' stores them");
}

// First to nowhere, so that sizes, losses and what must not be replaced are known.
static bool export_scene(scene_conversion *c, const tenon_scene *scene, tenon_error *err)
{
    bool to_stdout = is_stdout(c->job->out);
    planner p = {.c = c, .err = err, .is_dry = true};
    tenon_export_opts opts = {
        .format = find_form(c),
        .model_path = is_stdout(c->job->in) ? NULL : c->job->in,
        .files = guard_files(),
        .embed = c->opts->embed,
        .png = encode_png,
        .seconds = c->opts->at,
        .dry_run = true,
        .told = plan_file,
        .lost = forward_loss,
        .user = &p,
    };
    if (!find_clip(scene, c->opts->clip, &opts.animation, err)) return false;
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s", to_stdout ? "<stdout>" : c->job->out);
    bool ok = to_stdout ? export_to_stdout(&p, scene, &opts) : export_to_file(&p, scene, &opts);
    if (!ok || !refuse_losses(c, err)) return false;
    tell_named_pictures(c, scene, opts.format);
    if (c->opts->dry_run) return true;
    p.is_dry = opts.dry_run = false;
    opts.told = tell_file;
    opts.lost = NULL;
    return to_stdout ? export_to_stdout(&p, scene, &opts) : export_to_file(&p, scene, &opts);
}

static void lose_in_scene(void *user, const tenon_loss *loss)
{
    scene_conversion *c = user;
    c->lost(c->user, loss);
}

bool convert_scene(scene_conversion *c, tenon_error *err)
{
    loaded_scene s;
    scene_wants wants = {.animations = &c->opts->animations,
                         .rate = c->opts->rate,
                         .lost = lose_in_scene,
                         .user = c};
    const char *at_fault;
    tell_idle_options(c);
    bool ok = scene_of_model(&s, &c->opts->common, c->m, &wants, &at_fault, err);
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s", at_fault);
    ok = ok && export_scene(c, s.scene, err);
    scene_unload(&s);
    return ok;
}
