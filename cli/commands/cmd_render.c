// cmd_render.c: tenon render: pictures of models.
// SPDX-License-Identifier: MIT

#include "batch/mirror.h"
#include "commands/render_frames.h"
#include "commands/render_opts.h"
#include "input/inputs.h"
#include "input/job.h"
#include "pictures/compare_picture.h"
#include "pictures/terminal.h"
#include "report/report.h"
#include "report/summary.h"

#include <inttypes.h>
#include <string.h>

// -- Reporting

static void cmd_render_report(const drawing *d, const render_opts *opts, uint32_t frame_count,
                              const char *path, uint64_t size)
{
    const drawing_opts *drawn = &opts->drawing;
    const tenon_scene *scene = d->loaded.scene;
    if (opts->common.json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "file", d->file);
        json_text(&json, "picture", path);
        json_uint(&json, "width", drawn->width);
        json_uint(&json, "height", drawn->height);
        json_uint(&json, "size", size);
        if (d->clip != TENON_NONE && scene)
            json_str(&json, "clip", scene->animations[d->clip].name);
        if (d->clip != TENON_NONE && !opts->play) json_number(&json, "seconds", d->seconds);
        if (frame_count > 0) json_uint(&json, "frames", frame_count);
        json_uint(&json, "missing_textures", d->losses);
        json_end(&json, '}');
        json_line(&json);
        return;
    }
    if (opts->common.quiet) return;
    FILE *to = path_is_stream(path) ? stderr : stdout;
    out_clean(to, report_name(d->file));
    out(to, ": wrote ");
    out_clean(to, path);
    out(to, ", ");
    if (frame_count > 0) {
        out_count(to, frame_count, "frame");
        out(to, " of ");
    }
    out(to, "%u x %u pixels, %" PRIu64 " bytes\n", (unsigned)drawn->width, (unsigned)drawn->height,
        size);
}

// -- One model

// "walk_0007.png" of "walk_####.png".
static bool cmd_render_number(const char *path, uint32_t index, char out_path[PATH_SIZE])
{
    const char *first = strchr(path_base_name(path), '#');
    int digits = (int)strspn(first, "#");
    int used = snprintf(out_path, PATH_SIZE, "%.*s%0*u%s", (int)(first - path), path, digits,
                        (unsigned)index, first + digits);
    return used > 0 && used < PATH_SIZE;
}

// Each frame as a file; they get their names together.
static bool cmd_render_write_numbered(const render_opts *opts, frames *f, const tenon_png *png,
                                      const char *path, uint64_t *size, tenon_error *err)
{
    const tenon_allocator allocator = job_allocator();
    tenon_batch *batch = tenon_batch_new(&allocator, err);
    bool ok = batch != NULL;
    for (uint32_t i = 0; i < f->count && ok; i++) {
        char name[PATH_SIZE];
        tenon_png one = *png;
        one.frame = NULL;
        one.pixels = frames_draw(f, i);
        ok = one.pixels != NULL;
        if (!ok) *err = f->err;
        if (ok && !cmd_render_number(path, i, name)) {
            *err = report_make(TENON_ERR_UNSUPPORTED, "the name of the picture is too long");
            ok = false;
        }
        ok = ok && drawing_write(&one, name, opts->force, batch, size, err);
    }
    ok = ok && tenon_batch_commit(batch, err);
    tenon_batch_free(batch);
    return ok;
}

static bool cmd_render_write(const render_opts *opts, frames *f, const char *path, uint64_t *size,
                             tenon_error *err)
{
    const drawing_opts *drawn = &opts->drawing;
    tenon_png png = {
        .width = drawn->width, .height = drawn->height, .channels = 4, .pixels = f->pixels};
    if (f->count == 0) {
        if (!drawing_draw(f->d, drawn, f->pixels, err)) return false;
        png.channels = tenon_drop_alpha(f->pixels, (uint64_t)drawn->width * drawn->height);
        return drawing_write(&png, path, opts->force, NULL, size, err);
    }
    // All frames need the same; on an opaque background nothing is transparent.
    png.channels = f->channels;
    png.frame = frames_draw;
    png.user = f;
    png.frame_count = f->count;
    png.frame_ms = f->ms;
    if (strchr(path_base_name(path), '#'))
        return cmd_render_write_numbered(opts, f, &png, path, size, err);
    bool ok = drawing_write(&png, path, opts->force, NULL, size, err);
    if (!ok && f->err.code != TENON_OK) *err = f->err;
    return ok;
}

static int cmd_render_file(const render_opts *opts, const char *file, const char *path,
                           char why[EACH_WHY_SIZE])
{
    const drawing_opts *drawn = &opts->drawing;
    drawing d;
    frames f = {0};
    tenon_error err;
    uint64_t size = 0;
    uint8_t *pixels = NULL;
    bool ok = drawing_begin(&d, &opts->common, file, drawn, &err);
    if (ok) pixels = pixels_alloc(drawn->width, drawn->height, &err);
    bool is_drawn = pixels && frames_plan(&f, &d, opts, pixels, &err);
    ok = is_drawn && cmd_render_write(opts, &f, path, &size, &err);
    bool is_about_output =
        !ok && is_drawn && (err.code == TENON_ERR_IO || err.code == TENON_ERR_EXISTS);
    if (ok) cmd_render_report(&d, opts, f.count, path, size);
    job_report(&opts->common, file);
    pixels_free(pixels, drawn->width, drawn->height);
    drawing_end(&d);
    if (ok) return CLI_OK;
    job_explain_cancelling(&opts->common, &err);
    (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
    if (is_about_output && !opts->common.json) return report_error(path, &err);
    return report_unreadable(&opts->common, is_about_output ? path : file, &err);
}

// -- Two models

static int cmd_render_compare(const render_opts *opts)
{
    const cli_common *common = &opts->common;
    const drawing_opts *drawn = &opts->drawing;
    char **files = common->operands;
    drawing a = {0}, b = {0};
    canvas picture = {0};
    compare_result result;
    tenon_error err;
    uint64_t size = 0;
    const char *at_fault = files[0];
    bool ok = drawing_begin(&a, common, files[0], drawn, &err);
    if (ok) at_fault = files[1];
    ok = ok && drawing_begin(&b, common, files[1], drawn, &err) &&
         compare_draw(&a, &b, drawn, &picture, &result, &err);
    if (ok) {
        ok = drawing_write_canvas(&picture, opts->output, opts->force, &size, &err);
        if (err.code == TENON_ERR_IO || err.code == TENON_ERR_EXISTS) at_fault = opts->output;
    }
    if (ok && common->json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "a", files[0]);
        json_text(&json, "b", files[1]);
        json_text(&json, "picture", opts->output);
        json_uint(&json, "width", picture.width);
        json_uint(&json, "height", picture.height);
        json_uint(&json, "size", size);
        json_number(&json, "largest_distance", result.largest);
        json_number(&json, "diagonal", result.diagonal);
        json_end(&json, '}');
        json_line(&json);
    } else if (ok && !common->quiet) {
        FILE *to = path_is_stream(opts->output) ? stderr : stdout;
        out_clean(to, opts->output);
        out(to, ": wrote %u x %u pixels, %" PRIu64 " bytes; vertices are up to %.2g m apart\n",
            (unsigned)picture.width, (unsigned)picture.height, size, result.largest);
    }
    pixels_free(picture.pixels, picture.width, picture.height);
    drawing_end(&a);
    drawing_end(&b);
    job_report(common, opts->output);
    return ok ? CLI_OK : report_unreadable(common, at_fault, &err);
}

// -- In the terminal

// Blocks are as wide as a character and half as high, so that pixels are square.
static int cmd_render_show_file(const render_opts *opts, const char *file, bool has_name)
{
    drawing_opts drawn = opts->drawing;
    bool as_picture = out_is_terminal(stdout) && terminal_takes_pictures();
    uint32_t columns = out_cells(), rows = out_rows();
    uint32_t most = rows > 3 ? 2 * (rows - 2) : 2;
    if (!opts->size) {
        drawn.width = drawn.height = as_picture ? drawn.width : columns < most ? columns : most;
    } else if (!as_picture && drawn.width > columns) {
        drawn.height = (uint32_t)((uint64_t)drawn.height * columns / drawn.width);
        drawn.width = columns;
    }
    if (drawn.height == 0) drawn.height = 1;
    drawing d;
    tenon_error err;
    uint8_t *pixels = NULL;
    bool ok = drawing_begin(&d, &opts->common, file, &drawn, &err);
    if (ok) pixels = pixels_alloc(drawn.width, drawn.height, &err);
    ok = pixels && drawing_draw(&d, &drawn, pixels, &err);
    const canvas picture = {pixels, drawn.width, drawn.height};
    if (ok && has_name && !opts->common.quiet) {
        out_clean(stdout, report_name(file));
        out(stdout, "\n");
    }
    if (ok && as_picture)
        ok = terminal_put_picture(&picture, &err);
    else if (ok)
        terminal_put_blocks(&picture);
    job_report(&opts->common, file);
    pixels_free(pixels, drawn.width, drawn.height);
    drawing_end(&d);
    return ok ? CLI_OK : report_unreadable(&opts->common, file, &err);
}

// -- The command

// A picture of one of the models, in a folder.
static int cmd_render_mirrored(void *user, const mirror_job *job, char why[EACH_WHY_SIZE])
{
    return cmd_render_file(user, job->in, job->out, why);
}

// Show the models in the terminal, or write the only one to the output.
static int cmd_render_files(const render_opts *opts, const inputs *sources, summary *totals)
{
    int worst = totals->failed ? CLI_SYSTEM : CLI_OK;
    for (uint32_t i = 0; i < sources->count && !out_failed(); i++) {
        const char *file = sources->files[i];
        char why[EACH_WHY_SIZE] = "no picture";
        job_begin(&opts->common);
        int status = opts->output ? cmd_render_file(opts, file, opts->output, why)
                                  : cmd_render_show_file(opts, file, sources->count > 1);
        if (status > worst) worst = status;
        if (status == CLI_OK)
            totals->done++;
        else
            summary_fail(totals, report_name(file), why);
    }
    return summary_end(totals, &opts->common, "drawn", sources->are_many, worst);
}

static int run_render(const cli_command *self, char **args)
{
    render_opts opts = {.view = "35,20", .background = NULL};
    int status = cli_parse(self, args, &opts);
    if (status == CLI_GO_ON) status = render_opts_finish(&opts, self);
    if (status != CLI_GO_ON) return status;
    const cli_common *common = &opts.common;
    if (opts.compare && common->operand_count != 2)
        return report_usage(self, "'--compare' needs two models");
    bool is_stream = opts.output && path_is_stream(opts.output);
    if (!opts.output && (opts.sheet || opts.compare || opts.turntable || opts.play || common->json))
        return report_usage(self, "'-o' is missing: the PNG file to write");
    if (!opts.output && !out_has_color())
        return report_usage(self, out_is_terminal(stdout)
                                      ? "this terminal shows no colors; use '-o FILE'"
                                      : "'-o' is missing: the PNG file to write, or '-o -' for "
                                        "standard output");
    if (is_stream && common->json)
        return report_usage(self, "'--json' cannot be used with the output '-'");
    if (is_stream && out_is_terminal(stdout))
        return report_usage(self, "a PNG file is not written to a terminal; use '-o FILE'");
    if (model_stdin_is_repeated(common, common->operand_count))
        return report_usage(self, "standard input can be read only once");
    if (opts.compare) return cmd_render_compare(&opts);
    bool is_folder = opts.output && !is_stream && mirror_is_folder(opts.output);
    if (opts.sheet && is_folder)
        return report_usage(self, "'%s' is a folder, but a sheet is one file", opts.output);
    if (is_folder) {
        const convert_opts outputs = {
            .common = opts.common, .output = opts.output, .force = opts.force, .added = ".png"};
        return mirror_run(&(mirror){.command = self,
                                    .opts = &outputs,
                                    .done = "drawn",
                                    .user = &opts,
                                    .run = cmd_render_mirrored});
    }
    const folder_search search = {.only_models = true, .output = opts.output};
    summary totals = {0};
    inputs sources;
    status = inputs_find(&sources, common, common->operand_count, &search, &totals);
    if (status == CLI_GO_ON && sources.count > 1 && opts.output && !opts.sheet)
        status = report_usage(
            self, "several models need '--sheet', or a folder as the output, such as '-o %s/'",
            is_stream ? "pictures" : opts.output);
    if (status == CLI_GO_ON && common->json) summary_print_skipped(&totals, false);
    if (status == CLI_GO_ON && opts.sheet)
        status = render_sheet(&opts, &sources, &totals);
    else if (status == CLI_GO_ON)
        status = cmd_render_files(&opts, &sources, &totals);
    inputs_free(&sources);
    summary_free(&totals);
    return status;
}

static const cli_example examples[] = {
    {"tenon render robot.gpb", "show the model in the terminal"},
    {"tenon render robot.gpb -o robot.png", "a picture of the model"},
    {"tenon render robot.glb -o walk.png --clip walk --at 0.5 --view left",
     "half a second into a clip, from the left"},
    {"tenon render robot.bbmod -o bones.png --size 800x600 --bones --background none",
     "with its skeleton, on a transparent background"},
    {"tenon render models/ -o pictures/", "one picture for each model of a folder"},
    {"tenon render robot.glb -o turn.png --turntable 36", "an animation all around the model"},
    {"tenon render robot.glb -o walk.png --play walk", "the clip as an animation"},
    {"tenon render --compare robot.gpb robot.glb -o both.png",
     "where two models differ, and by how much"},
    {"tenon render -r models/ -o sheet.png --sheet", "all of them in one picture"},
    {0},
};

const cli_command cmd_render = {
    .name = "render",
    .summary = "draw pictures of models",
    .usage = {"[OPTION]... FILE... -o OUT", "--compare [OPTION]... A B -o OUT",
              "[OPTION]... FILE..."},
    .details =
        "Draws each FILE as a PNG picture, without a graphics card; the pixels are the same "
        "on every machine. Light comes from the sky and from a sun above the left shoulder "
        "of the viewer; lights and cameras of the model are not used. The model fills the "
        "picture. A model without meshes is drawn as its skeleton. If FILE is a folder, the "
        "models in it are drawn. '-' is standard input. Without OUT, the picture is shown in the "
        "terminal.",
    .options = render_options,
    .takes_folders = true,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {"every picture was written", "a model is unreadable or exceeds a limit",
                 "the command line is invalid, or the output exists"},
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "FILE",
    .run = run_render,
};
