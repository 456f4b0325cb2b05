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
#include <string.h>

#define PATH_SIZE 4096

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

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
    scene_conversion *c = user;
    c->lost(c->user, loss);
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

// To nowhere, or to standard output.
typedef struct stream {
    const scene_conversion *c;
    bool to_stdout;
    bool is_main;
    uint64_t size;
    tenon_error *err;
} stream;

static bool begin_file(void *user, const char *name)
{
    stream *s = user;
    char path[PATH_SIZE];
    const char *out_path = s->c->job->out, *slash = strrchr(out_path, '/');
    s->is_main = !*name;
    if (is_stdout(out_path)) {
        if (s->is_main) return true;
        *s->err =
            report_make(TENON_ERR_UNSUPPORTED,
                        "'%s' belongs to the output, which is a pipe; '--embed' may help", name);
        return false;
    }
    int folder = slash ? (int)(slash + 1 - out_path) : 0;
    (void)snprintf(path, sizeof path, "%.*s%s", folder, out_path, name);
    return convert_may_write(s->c->plan, s->c->opts, s->is_main ? out_path : path, s->err);
}

static bool put_bytes(void *user, const void *bytes, size_t size)
{
    stream *s = user;
    s->size += size;
    if (s->to_stdout) out_bytes(stdout, bytes, size);
    return !out_failed();
}

static bool end_file(void *user)
{
    (void)user;
    return !out_failed();
}

static bool export_to_stream(scene_conversion *c, const tenon_scene *scene,
                             const tenon_export_opts *opts, bool to_stdout, tenon_error *err)
{
    stream s = {.c = c, .to_stdout = to_stdout, .err = err};
    tenon_sink sink = {begin_file, put_bytes, end_file, &s};
    bool ok = tenon_export(scene, opts, &sink, err);
    c->size = s.size;
    return ok || (to_stdout && out_failed());  // Why printing failed is said at the end.
}

static bool export_to_file(const scene_conversion *c, const tenon_scene *scene,
                           const tenon_export_opts *opts, tenon_error *err)
{
    tenon_write_opts write = {.force = c->opts->force,
                              .inputs = c->plan->inputs,
                              .input_count = c->plan->input_count,
                              .files = guard_files()};
    return tenon_export_file(scene, c->job->out, opts, &write, err);
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

// First to nowhere, so that sizes, losses and what must not be replaced are known.
static bool export_scene(scene_conversion *c, const tenon_scene *scene, tenon_error *err)
{
    const char *out_path = c->job->out, *dot = strrchr(out_path, '.');
    const char *dialect = c->opts->to.dialect ? c->opts->to.dialect->name : c->opts->as;
    if (!dialect && dot && tenon_dialect_by_name(c->plan->to, dot + 1)) dialect = dot + 1;
    tenon_export_opts opts = {
        .format = dialect ? dialect : c->plan->to->name,
        .model_path = is_stdout(c->job->in) ? NULL : c->job->in,
        .files = guard_files(),
        .embed = c->opts->embed,
        .png = encode_png,
        .seconds = c->opts->at,
        .lost = forward_loss,
        .user = c,
    };
    if (!find_clip(scene, c->opts->clip, &opts.animation, err)) return false;
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s", out_path);
    if (!export_to_stream(c, scene, &opts, false, err) || !refuse_losses(c, err)) return false;
    if (c->opts->dry_run) return true;
    opts.lost = NULL;
    return is_stdout(out_path) ? export_to_stream(c, scene, &opts, true, err)
                               : export_to_file(c, scene, &opts, err);
}

bool convert_scene(scene_conversion *c, tenon_error *err)
{
    loaded_scene s;
    scene_wants wants = {
        .animations = &c->opts->animations, .rate = c->opts->rate, .lost = forward_loss, .user = c};
    const char *at_fault;
    bool ok = scene_of_model(&s, &c->opts->common, c->m, &wants, &at_fault, err);
    (void)snprintf(c->at_fault, sizeof c->at_fault, "%s", at_fault);
    ok = ok && export_scene(c, s.scene, err);
    scene_unload(&s);
    return ok;
}
