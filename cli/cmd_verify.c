// cmd_verify.c: tenon verify: pose two models and measure how far apart they are.
// SPDX-License-Identifier: MIT

#include "cli.h"
#include "json_out.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "scene_load.h"
#include "verify_unit.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 12
#define TOLERANCE     1e-5

typedef struct verify_opts {
    cli_common common;
    double tolerance;
    const char *clip, *at;
    uint64_t samples;
    double seconds;  // What --at says.
    double source_scale;
    uint32_t source_up;  // An index into `axes`.
} verify_opts;

static const char *const axes[] = {"y", "z", NULL};

// -- What is wrong

static bool is_beyond(const verify_opts *opts, const tenon_verify_result *r)
{
    return !(r->largest <= opts->tolerance);
}

static bool is_different(const tenon_verify_result *r)
{
    return r->missing_clips > 0 || r->extra_clips > 0 || r->missing_meshes > 0 || r->reversed > 0;
}

static const char *verdict_of(const verify_opts *opts, const tenon_verify_result *r)
{
    if (is_beyond(opts, r)) return "beyond tolerance";
    return is_different(r) ? "different" : "within tolerance";
}

// -- For people

static void put_label(const char *label)
{
    out(stdout, "  %-*s", LABEL_COLUMNS, label);
}

static void put_distance(const char *label, const tenon_verify_result *r, double share)
{
    put_label(label);
    if (share > DBL_MAX)
        out(stdout, "infinite: there is nothing to compare with");
    else
        out(stdout, "%.2g of the diagonal", share);
    if (share > 0 && share <= DBL_MAX) out(stdout, ", %.2g m", share * r->diagonal);
}

// Shares that are not whole must not look so.
static void put_share(double share)
{
    double percent = 100 * share;
    if (percent > 99.9 && percent < 100)
        out(stdout, "over 99.9 %%");
    else if (percent > 0 && percent < 0.1)
        out(stdout, "under 0.1 %%");
    else
        out(stdout, "%.3g %%", percent);
}

static void put_mode(const tenon_verify_result *r)
{
    put_label("matched");
    put_share(r->matched);
    out(stdout, " of the triangles: compared by %s\n", r->by_surface ? "surface" : "corner");
}

static void put_times(const verify_opts *opts, const tenon_verify_result *r)
{
    put_label("poses");
    if (opts->at) {
        out(stdout, "one time against rest\n");
        return;
    }
    if (!opts->clip) out(stdout, r->clip_count ? "rest, and " : "rest");
    if (r->clip_count || opts->clip) out_count(stdout, r->clip_count, "clip");
    out(stdout, "\n");
}

static void put_name(const char *label, const char *name)
{
    put_label(label);
    out_clean(stdout, name);
    out(stdout, "\n");
}

static void put_place(const tenon_verify_result *r)
{
    if (!(r->largest > 0) || !r->mesh[0]) return;
    put_name("worst pose", r->clip[0] ? r->clip : "rest");
    if (r->clip[0]) {
        put_label("time");
        out(stdout, "%.6g s\n", r->seconds);
    }
    put_name("joint", r->bone);
    put_name("mesh", r->mesh);
    put_label("place");
    out(stdout, "%.6g %.6g %.6g, when at rest\n", r->where[0], r->where[1], r->where[2]);
}

static void put_missing(const tenon_verify_result *r)
{
    if (r->missing_clips) {
        put_label("missing");
        out_count(stdout, r->missing_clips, "clip");
        out(stdout, " of A\n");
    }
    if (r->extra_clips) {
        put_label("extra");
        out_count(stdout, r->extra_clips, "clip");
        out(stdout, " of B\n");
    }
    if (r->missing_meshes) {
        put_label("missing");
        out(stdout, "%u %s of A\n", (unsigned)r->missing_meshes,
            r->missing_meshes == 1 ? "mesh" : "meshes");
    }
    if (r->reversed > 0) {
        put_label("inside out");
        put_share(r->reversed);
        out(stdout, " of the triangles\n");
    }
}

static void put_unit(const verify_unit *unit)
{
    if (!unit->word) return;
    put_label("B is in");
    out(stdout, "%s%s, as A shows: its file does not say\n", unit->word,
        unit->is_z_up ? ", Z up" : "");
}

static void print_text(const verify_opts *opts, const verify_unit *unit,
                       const tenon_verify_result *r)
{
    char **files = opts->common.operands;
    out_color(stdout, OUT_STRONG);
    out_clean(stdout, report_name(files[0]));
    out(stdout, ", ");
    out_clean(stdout, report_name(files[1]));
    out(stdout, ": %s", verdict_of(opts, r));
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
    put_distance("largest", r, r->largest);
    if (is_beyond(opts, r)) out(stdout, " (the tolerance is %.2g)", opts->tolerance);
    out(stdout, "\n");
    put_distance("rms", r, r->rms);
    out(stdout, "\n");
    put_unit(unit);
    put_mode(r);
    put_times(opts, r);
    put_missing(r);
    put_place(r);
}

// -- For programs

static void print_json(const verify_opts *opts, const verify_unit *unit,
                       const tenon_verify_result *r)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "a", opts->common.operands[0]);
    json_text(&json, "b", opts->common.operands[1]);
    json_text(&json, "verdict", verdict_of(opts, r));
    if (unit->word) {
        json_number(&json, "b_scale", unit->scale);
        json_text(&json, "b_up", axes[unit->is_z_up]);
    }
    json_number(&json, "tolerance", opts->tolerance);
    json_number(&json, "largest", r->largest);
    json_number(&json, "rms", r->rms);
    json_number(&json, "diagonal", r->diagonal);
    json_text(&json, "mode", r->by_surface ? "surface" : "corner");
    json_number(&json, "matched", r->matched);
    json_number(&json, "reversed", r->reversed);
    json_uint(&json, "clips", r->clip_count);
    json_uint(&json, "missing_clips", r->missing_clips);
    json_uint(&json, "extra_clips", r->extra_clips);
    json_uint(&json, "missing_meshes", r->missing_meshes);
    if (r->mesh[0]) {
        json_begin(&json, "worst", '{');
        if (r->clip[0]) json_text(&json, "clip", r->clip);
        if (r->clip[0]) json_number(&json, "seconds", r->seconds);
        json_text(&json, "joint", r->bone);
        json_text(&json, "mesh", r->mesh);
        json_begin(&json, "where", '[');
        for (int k = 0; k < 3; k++) json_number(&json, NULL, r->where[k]);
        json_end(&json, ']');
        json_end(&json, '}');
    }
    json_end(&json, '}');
    json_line(&json);
}

// -- The command

static int compare(const verify_opts *opts, const tenon_scene *a, const tenon_scene *b,
                   const verify_unit *unit)
{
    progress line;
    tenon_error err;
    tenon_verify_result result;
    const char *file = opts->common.operands[0];
    tenon_verify_opts verify = {
        .progress = progress_begin(&line, &opts->common, "comparing", file),
        .samples = (uint32_t)opts->samples,
        .clip = opts->clip,
        .seconds = opts->seconds,
        .at_one_time = opts->at != NULL,
    };
    bool ok = tenon_verify(a, b, &verify, &result, &err);
    progress_end(&line);
    if (!ok) return report_unreadable(&opts->common, file, &err);
    if (opts->common.json)
        print_json(opts, unit, &result);
    else if (!opts->common.quiet)
        print_text(opts, unit, &result);
    return is_beyond(opts, &result) || is_different(&result) ? CLI_FAILED : CLI_OK;
}

// What a file says of its unit counts; an OBJ file says nothing, and beside one that was made by
// another program it has that program's unit.
static bool find_unit(const verify_opts *opts, const loaded_scene *a, const loaded_scene *b,
                      verify_unit *unit, tenon_error *err)
{
    *unit = (verify_unit){.scale = opts->source_scale, .is_z_up = opts->source_up != 0};
    if (unit->scale > 0 || unit->is_z_up) return true;
    bool is_silent = !b->m.format && strcmp(b->m.doc->format->name, "obj") == 0;
    if (!a->m.format || !is_silent) return true;
    return verify_find_unit(a->scene, opts->at ? opts->clip : NULL, opts->seconds, b->scene, unit,
                            err);
}

static int compare_in_unit(const verify_opts *opts, const loaded_scene *a, loaded_scene *b)
{
    tenon_error err;
    verify_unit unit;
    if (!find_unit(opts, a, b, &unit, &err) || !verify_take_unit(b->scene, &unit, &err))
        return report_unreadable(&opts->common, opts->common.operands[1], &err);
    return compare(opts, a->scene, b->scene, &unit);
}

static int load_and_compare(const verify_opts *opts)
{
    loaded_scene a, b;
    tenon_error err;
    char **files = opts->common.operands;
    int status;
    if (!scene_load(&a, &opts->common, files[0], &err))
        return report_unreadable(&opts->common, files[0], &err);
    if (scene_load(&b, &opts->common, files[1], &err)) {
        status = compare_in_unit(opts, &a, &b);
        scene_unload(&b);
    } else {
        status = report_unreadable(&opts->common, files[1], &err);
    }
    scene_unload(&a);
    return status;
}

// A time may be 0, which CLI_NUMBER refuses. The tool never sets a locale, so the point is a point.
static bool read_seconds(const char *text, double *seconds)
{
    char *end;
    bool starts_right = (*text >= '0' && *text <= '9') || *text == '.';
    *seconds = strtod(text, &end);
    return starts_right && !*end && *seconds <= DBL_MAX;
}

static int run(const cli_command *self, char **args)
{
    verify_opts opts = {.tolerance = TOLERANCE};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.at && !opts.clip) return report_usage(self, "'--at' needs '--clip'");
    if (opts.at && !read_seconds(opts.at, &opts.seconds))
        return report_usage(self, "'%s' is no SECONDS for '--at'", opts.at);
    if (opts.samples > UINT32_MAX) return report_usage(self, "'--samples' is too large");
    if (model_stdin_is_repeated(opts.common.operands, 2))
        return report_usage(self, "standard input can be read only once");
    return load_and_compare(&opts);
}

#define ANSWER(field) offsetof(verify_opts, field)

static const cli_option options[] = {
    {.long_name = "tolerance",
     .kind = CLI_AMOUNT,
     .metavar = "NUMBER",
     .help = "the largest distance allowed, as a share of the diagonal of A at rest",
     .fallback = "1e-5",
     .answer = ANSWER(tolerance)},
    {.long_name = "clip",
     .kind = CLI_TEXT,
     .metavar = "NAME",
     .help = "only this clip of A",
     .answer = ANSWER(clip)},
    {.long_name = "at",
     .kind = CLI_TEXT,
     .metavar = "SECONDS",
     .help = "only this time of the clip, against B at rest",
     .answer = ANSWER(at)},
    {.long_name = "samples",
     .kind = CLI_SIZE,
     .metavar = "COUNT",
     .help = "times of each clip that are looked at besides those of its keys",
     .fallback = "16",
     .answer = ANSWER(samples)},
    {.long_name = "source-scale",
     .kind = CLI_NUMBER,
     .metavar = "METRES",
     .help = "the length of B's unit, where its file does not say",
     .fallback = "1, or found out",
     .answer = ANSWER(source_scale)},
    {.long_name = "source-up",
     .kind = CLI_CHOICE,
     .metavar = "AXIS",
     .help = "what is up in B: y or z",
     .fallback = "y, or found out",
     .choices = axes,
     .answer = ANSWER(source_up)},
    {0},
};

static const cli_example examples[] = {
    {"tenon verify robot.gpb robot.glb", "whether a conversion kept every pose"},
    {"tenon verify --clip walk --at 0.5 robot.gpb pose.obj", "one pose against a still model"},
    {"tenon verify --json a.bbmod b.glb | jq .largest", "the number alone"},
    {0},
};

const cli_command cmd_verify = {
    .name = "verify",
    .summary = "pose two models and measure how far apart they are",
    .usage = {"[OPTION]... A B"},
    .details = "Poses both at rest and at many times of every clip, and compares where their "
               "triangles are. Triangles are matched by where they are at rest; if less than "
               "99.9 % have a match, distances between the surfaces count. Clips are matched by "
               "name, else by order. An OBJ file has no unit and no axes: compared with a file of "
               "another program, such as FBX, it is in those in which it is as large and lies in "
               "the same place. '-' is standard input.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {"they are the same, within the tolerance",
                 "they are not, or a clip or mesh of A is missing, or a model is unreadable"},
    .operands_min = 2,
    .operands_max = 2,
    .operand = "a model",
    .run = run,
};
