// cmd_verify.c: tenon verify: pose two models and measure how far apart they are.
// SPDX-License-Identifier: MIT

#include "batch/pairs.h"
#include "commands/verify_unit.h"
#include "import/import_scene.h"
#include "input/job.h"
#include "input/paths.h"
#include "input/scene_load.h"
#include "options/cli.h"
#include "pictures/compare_picture.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/verdict.h"
#include "system/threads.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 12
#define TOLERANCE     1e-4
#define PANEL_SIZE    400  // Of a picture.
#define AZIMUTH       0.6
#define ELEVATION     0.35

typedef struct verify_opts {
    cli_common common;
    double tolerance;
    const char *clip, *at;
    const char *picture;  // The PNG file to write; NULL: none.
    bool force;
    uint64_t samples;
    double seconds;  // What --at says.
    bool rest_only, keep_lead_in;
    double source_scale;
    uint32_t source_up;  // An index into `axes`.
    model_pairs pairs;
} verify_opts;

static const char *const axes[] = {"y", "z", NULL};

// -- For people

static void cmd_verify_put_label(const char *label)
{
    out(stdout, "  %-*s", LABEL_COLUMNS, label);
}

static void cmd_verify_put_distance(const char *label, const tenon_verify_result *result,
                                    double share)
{
    cmd_verify_put_label(label);
    if (share > DBL_MAX)
        out(stdout, "infinite: there is nothing to compare with");
    else
        out(stdout, "%.2g of the diagonal", share);
    if (share > 0 && share <= DBL_MAX) out(stdout, ", %.2g m", share * result->diagonal);
}

// A share that is almost 0 or 1 must not look as if it were.
static void cmd_verify_put_share(double share)
{
    double percent = 100 * share;
    if (percent > 99.9 && percent < 100)
        out(stdout, "over 99.9 %%");
    else if (percent > 0 && percent < 0.1)
        out(stdout, "under 0.1 %%");
    else
        out(stdout, "%.3g %%", percent);
}

static void cmd_verify_put_name(const char *label, const char *name)
{
    cmd_verify_put_label(label);
    out_clean(stdout, name);
    out(stdout, "\n");
}

static void cmd_verify_put_place(const tenon_verify_result *result)
{
    if (!(result->largest > 0) || !result->bone[0]) return;
    cmd_verify_put_name("worst pose", result->clip[0] ? result->clip : "rest");
    if (result->clip[0]) {
        cmd_verify_put_label("time");
        out(stdout, "%.6g s\n", result->seconds);
    }
    cmd_verify_put_name("joint", result->bone);
    if (result->mesh[0]) cmd_verify_put_name("mesh", result->mesh);
    cmd_verify_put_label("place");
    out(stdout, "%.6g %.6g %.6g, in the rest pose\n", result->where[0], result->where[1],
        result->where[2]);
}

static void cmd_verify_put_counted(const char *label, uint32_t count, const char *one,
                                   const char *many, const char *whose)
{
    if (count == 0) return;
    cmd_verify_put_label(label);
    out(stdout, "%u %s of %s\n", (unsigned)count, count == 1 ? one : many, whose);
}

static void cmd_verify_put_differences(const tenon_verify_result *result)
{
    cmd_verify_put_counted("missing", result->missing_clips, "clip", "clips", "A");
    cmd_verify_put_counted("missing", result->missing_meshes, "mesh", "meshes", "A");
    cmd_verify_put_counted("missing", result->missing_nodes, "node", "nodes", "A");
    cmd_verify_put_counted("missing", result->missing_lines, "line", "lines", "A");
    cmd_verify_put_counted("missing", result->missing_points, "point", "points", "A");
    cmd_verify_put_counted("extra", result->extra_clips, "clip", "clips", "B");
    cmd_verify_put_counted("extra", result->extra_lines, "line", "lines", "B");
    cmd_verify_put_counted("extra", result->extra_points, "point", "points", "B");
    if (result->reversed > 0) {
        cmd_verify_put_label("inside out");
        cmd_verify_put_share(result->reversed);
        out(stdout, " of the triangles\n");
    }
    if (result->verdict == TENON_DIFFERENT && result->surface > 0) {
        cmd_verify_put_label("surface");
        out(stdout, "differs by ");
        cmd_verify_put_share(result->surface);
        out(stdout, " of its area: parts are missing, extra or reversed\n");
    }
}

// What the file contains and the scene lacks: it cannot be compared.
static void cmd_verify_put_omissions(const tenon_scene *scene, const char *whose)
{
    char text[VERDICT_SIZE];
    verdict_omissions(scene, text);
    if (!*text) return;
    cmd_verify_put_label("not read");
    out_clean(stdout, text);
    out(stdout, " of %s\n", whose);
}

static void cmd_verify_print_text(const verify_opts *opts, const verify_unit *unit,
                                  const tenon_scene *a, const tenon_scene *b,
                                  const tenon_verify_result *result)
{
    char **files = opts->common.operands;
    out_color(stdout, OUT_STRONG);
    out_clean(stdout, report_name(files[0]));
    out(stdout, ", ");
    out_clean(stdout, report_name(files[1]));
    char reason[VERDICT_SIZE];
    verdict_sentence(result, &(verdict_scope){0}, a, b, reason);
    bool is_unread = result->verdict == TENON_NOT_VERIFIED;
    out(stdout, ": ");
    out_clean(stdout, is_unread ? reason : tenon_verdict_word(result->verdict));
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
    // Distances between models of different units mean nothing.
    if (!unit->is_unknown || result->largest < 1) {
        cmd_verify_put_distance("largest", result, result->largest);
        bool is_beyond = !(result->largest <= opts->tolerance);
        if (result->verdict == TENON_BEYOND_TOLERANCE || (is_unread && is_beyond))
            out(stdout, " (the tolerance is %.2g)", opts->tolerance);
        out(stdout, "\n");
        cmd_verify_put_distance("rms", result, result->rms);
        out(stdout, "\n");
    }
    if (unit->is_unknown) {
        cmd_verify_put_label("unit");
        out(stdout, "B does not state its unit, and it matches A in none of the usual units:\n");
        cmd_verify_put_label("");
        out(stdout, "set it with '--source-scale METERS' and '--source-up AXIS'\n");
    }
    if (unit->word) {
        cmd_verify_put_label("B is in");
        out(stdout, "%s%s: detected by comparing with A, since its file does not say\n", unit->word,
            unit->is_z_up ? ", Z up" : "");
    }
    cmd_verify_put_label("matched");
    cmd_verify_put_share(result->matched);
    out(stdout, " of the %s; distances measured by %s\n", result->by_node ? "nodes" : "geometry",
        tenon_verify_mode(result));
    cmd_verify_put_label("poses");
    if (opts->at) {
        out(stdout, "one time of A, rest pose of B\n");
    } else {
        if (!opts->clip) out(stdout, result->clip_count ? "rest pose and " : "rest pose");
        if (result->clip_count || opts->clip) out_count(stdout, result->clip_count, "clip");
        out(stdout, "\n");
    }
    if (result->at_frames) {
        cmd_verify_put_distance("between", result, result->between_frames);
        out(stdout, ", because frames are shown without blending\n");
    }
    cmd_verify_put_differences(result);
    cmd_verify_put_omissions(a, "A");
    cmd_verify_put_omissions(b, "B");
    cmd_verify_put_place(result);
}

// -- For programs

static void cmd_verify_json_omissions(json_out *json, const char *key, const tenon_scene *scene)
{
    if (scene->omission_count == 0) return;
    json_begin(json, key, '[');
    for (uint32_t i = 0; i < scene->omission_count; i++) {
        json_begin(json, NULL, '{');
        json_text(json, "feature", scene->omissions[i].feature.data);
        json_uint(json, "count", scene->omissions[i].count);
        json_text(json, "why", scene->omissions[i].why.data);
        if (scene->omissions[i].path.size) json_text(json, "path", scene->omissions[i].path.data);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void cmd_verify_print_json(const verify_opts *opts, const verify_unit *unit,
                                  const tenon_scene *a, const tenon_scene *b,
                                  const tenon_verify_result *result)
{
    json_out json = {.to = stdout};
    const char *clip = opts->at ? (opts->clip ? opts->clip : "") : NULL;
    json_begin(&json, NULL, '{');
    json_text(&json, "a", opts->common.operands[0]);
    json_text(&json, "b", opts->common.operands[1]);
    json_number(&json, "tolerance", opts->tolerance);
    verdict_json(&json, result, &(verdict_scope){.at_rest = opts->rest_only, .clip = clip});
    json_bool(&json, "unit_unknown", unit->is_unknown);
    if (unit->word) {
        json_number(&json, "b_scale", unit->scale);
        json_text(&json, "b_up", axes[unit->is_z_up]);
    }
    cmd_verify_json_omissions(&json, "not_read_a", a);
    cmd_verify_json_omissions(&json, "not_read_b", b);
    if (result->mesh[0]) {
        json_begin(&json, "worst", '{');
        if (result->clip[0]) json_text(&json, "clip", result->clip);
        if (result->clip[0]) json_number(&json, "seconds", result->seconds);
        json_text(&json, "joint", result->bone);
        json_text(&json, "mesh", result->mesh);
        json_begin(&json, "where", '[');
        for (int k = 0; k < 3; k++) json_number(&json, NULL, result->where[k]);
        json_end(&json, ']');
        json_end(&json, '}');
    }
    json_end(&json, '}');
    json_line(&json);
}

// -- A picture

// Both models, posed where they are farthest apart. Returns the exit status.
static int cmd_verify_draw(const verify_opts *opts, const loaded_scene *a, const loaded_scene *b,
                           const tenon_verify_result *result)
{
    const cli_common *common = &opts->common;
    const drawing_opts drawn = {.width = PANEL_SIZE,
                                .height = PANEL_SIZE,
                                .azimuth = AZIMUTH,
                                .elevation = ELEVATION,
                                .background = {0.706, 0.741, 0.784, 1}};
    const loaded_scene *both[2] = {a, b};
    drawing d[2] = {{0}};
    canvas picture = {0};
    compare_result distances;
    tenon_error err;
    uint64_t size = 0;
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        const tenon_scene *scene = both[i]->scene;
        ok = drawing_begin_scene(&d[i], common, common->operands[i], scene, &drawn, &err);
        // At one time of A, B is at rest.
        if (!ok || !result->clip[0] || (i > 0 && opts->at)) continue;
        d[i].clip = scene_find_clip(scene, result->clip);
        d[i].seconds = result->seconds;
    }
    ok = ok && compare_draw(&d[0], &d[1], &drawn, &picture, &distances, &err);
    ok = ok && drawing_write_canvas(&picture, opts->picture, opts->force, &size, &err);
    pixels_free(picture.pixels, picture.width, picture.height);
    for (int i = 0; i < 2; i++) drawing_end(&d[i]);
    return ok ? CLI_OK : report_error(opts->picture, &err);
}

// -- The command

static int cmd_verify_compare(const verify_opts *opts, const loaded_scene *a, loaded_scene *b,
                              char why[EACH_WHY_SIZE])
{
    const cli_common *common = &opts->common;
    const char *const file_a = common->operands[0], *const file_b = common->operands[1];
    progress line;
    tenon_error err;
    uint32_t clip_count = a->scene->animation_count;
    if (opts->at && !opts->clip && clip_count != 1) {
        err = report_make(TENON_ERR_VALUE,
                          clip_count ? "there are %u clips: select one with '--clip NAME'"
                                     : "there are %u clips, but '--at' needs one",
                          (unsigned)clip_count);
        return report_unreadable(common, file_a, &err);
    }

    // OBJ files and those of the engines do not state a unit. One that was made from the file of
    // another program may have the unit of that program.
    verify_unit unit = {.scale = opts->source_scale, .is_z_up = opts->source_up != 0};
    bool is_unit_given = unit.scale > 0 || unit.is_z_up;
    bool states_unit = b->is_imported || strcmp(b->model.doc->format->name, "gltf") == 0;
    const char *clip = opts->clip;
    if (!clip && clip_count == 1) clip = a->scene->animations[0].name.data;
    bool ok =
        is_unit_given || !a->is_imported || states_unit ||
        verify_find_unit(a->scene, opts->at ? clip : NULL, opts->seconds, b->scene, &unit, &err);
    if (!ok || !verify_take_unit(b->scene, &unit, &err))
        return report_unreadable(common, file_b, &err);

    tenon_verify_result result;
    const tenon_executor executor = threads_executor();
    tenon_verify_opts verify = {
        .allocator = job_allocator(),
        .events = progress_begin(&line, common, "comparing", file_a),
        .tolerance = opts->tolerance > 0 ? opts->tolerance : DBL_MIN,  // 0: exactly.
        .samples = (uint32_t)opts->samples,
        .clip = opts->clip,
        .rest_only = opts->rest_only,
        .seconds = opts->seconds,
        .at_one_time = opts->at != NULL,
        .executor = opts->pairs.are_many ? NULL : &executor,  // Each pair has a thread.
    };
    ok = tenon_verify(a->scene, b->scene, &verify, &result, &err);
    progress_end(&line);
    if (!ok) return report_unreadable(common, file_a, &err);
    (void)snprintf(why, EACH_WHY_SIZE, "%s", tenon_verdict_word(result.verdict));
    if (common->json)
        cmd_verify_print_json(opts, &unit, a->scene, b->scene, &result);
    else if (!common->quiet)
        cmd_verify_print_text(opts, &unit, a->scene, b->scene, &result);
    int status = opts->picture ? cmd_verify_draw(opts, a, b, &result) : CLI_OK;
    return status != CLI_OK || result.verdict == TENON_VERIFIED ? status : CLI_FAILED;
}

// Clips of imported files start at their first key, as `convert` writes them. But '--at' is a time
// in the file.
static bool cmd_verify_load(const verify_opts *opts, const char *file, loaded_scene *loaded,
                            tenon_error *err)
{
    if (!scene_load(loaded, &opts->common, file, err)) return false;
    if (!loaded->is_imported || opts->at || opts->keep_lead_in) return true;
    if (import_start_at_first_key(loaded->scene, &(tenon_events){0}, err)) return true;
    scene_unload(loaded);
    return false;
}

static int cmd_verify_pair(void *user, const model_pair *pair, char why[EACH_WHY_SIZE])
{
    verify_opts opts = *(const verify_opts *)user;
    char *files[2] = {(char *)(uintptr_t)pair->files[0], (char *)(uintptr_t)pair->files[1]};
    loaded_scene a, b;
    tenon_error err;
    int status;
    opts.common.operands = files;
    (void)snprintf(why, EACH_WHY_SIZE, "unreadable");
    if (!cmd_verify_load(&opts, files[0], &a, &err))
        return report_unreadable(&opts.common, files[0], &err);
    if (cmd_verify_load(&opts, files[1], &b, &err)) {
        status = cmd_verify_compare(&opts, &a, &b, why);
        scene_unload(&b);
    } else {
        status = report_unreadable(&opts.common, files[1], &err);
    }
    scene_unload(&a);
    return status;
}

static int run_verify(const cli_command *self, char **args)
{
    verify_opts opts = {.tolerance = TOLERANCE};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (opts.rest_only && (opts.at || opts.clip))
        return report_usage(self, "'--rest' cannot be used with '--clip' or '--at'");
    if (opts.at && !cli_read_decimal(opts.at, strlen(opts.at), &opts.seconds))
        return report_usage(self, "invalid value '%s' for '--at': expected seconds such as 0.5",
                            opts.at);
    if (opts.picture && path_is_stream(opts.picture))
        return report_usage(self, "'--picture' needs a file, not '-'");
    if (opts.samples > UINT32_MAX) return report_usage(self, "'--samples' is too large");
    summary totals = {0};
    status = pairs_find(&opts.pairs, self, &opts.common, &totals);
    if (status == CLI_GO_ON && opts.pairs.are_many && opts.picture)
        status = report_usage(self, "'--picture' needs two models, not two folders");
    if (status == CLI_GO_ON)
        status = pairs_run(&opts.pairs, &opts.common, cmd_verify_pair, &opts, "verified", &totals);
    pairs_free(&opts.pairs);
    summary_free(&totals);
    return status;
}

#define FIELD(field) offsetof(verify_opts, field)

static const cli_option options[] = {
    {.long_name = "tolerance",
     .kind = CLI_AMOUNT,
     .metavar = "NUMBER",
     .help = "largest distance allowed, as a fraction of the diagonal of A in the rest pose",
     .fallback = "1e-4",
     .field = FIELD(tolerance)},
    {.long_name = "rest", .help = "compare only the rest pose", .field = FIELD(rest_only)},
    {.long_name = "clip",
     .kind = CLI_TEXT,
     .metavar = "NAME",
     .help = "compare only this clip of A",
     .field = FIELD(clip)},
    {.long_name = "at",
     .kind = CLI_TEXT,
     .metavar = "SECONDS",
     .help = "compare only this time of '--clip', or of the only clip, with B in the rest pose",
     .field = FIELD(at)},
    {.long_name = "keep-lead-in",
     .help = "in clips of FBX and other imported files, keep the time before the first key; "
             "'--at' always does",
     .field = FIELD(keep_lead_in)},
    {.long_name = "samples",
     .kind = CLI_SIZE,
     .metavar = "COUNT",
     .help = "times of each clip to compare, in addition to its keys",
     .fallback = "16",
     .field = FIELD(samples)},
    {.long_name = "picture",
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help =
         "also write a PNG picture of both where they are farthest apart, with the distances as "
         "colors",
     .field = FIELD(picture)},
    {.long_name = "force", .help = "replace an existing picture", .field = FIELD(force)},
    {.long_name = "source-scale",
     .kind = CLI_NUMBER,
     .metavar = "METERS",
     .help = "length of B's unit in meters, if its file does not say",
     .fallback = "1, or detected",
     .field = FIELD(source_scale)},
    {.long_name = "source-up",
     .kind = CLI_CHOICE,
     .metavar = "AXIS",
     .help = "up axis of B: y or z",
     .fallback = "y, or detected",
     .choices = axes,
     .field = FIELD(source_up)},
    {0},
};

static const cli_example examples[] = {
    {"tenon verify robot.gpb robot.glb", "check whether a conversion kept every pose"},
    {"tenon verify robot.gpb robot.glb --picture where.png", "also see where they differ"},
    {"tenon verify --rest robot.fbx robot.obj", "only the rest pose: OBJ has no clips"},
    {"tenon verify --clip walk --at 0.5 robot.gpb pose.obj",
     "one pose of a clip against a static model"},
    {"tenon verify -q -r models/ out/", "every model of a folder, after `tenon convert -r`"},
    {"tenon verify --json a.bbmod b.glb | jq .largest", "the number alone"},
    {0},
};

const cli_command cmd_verify = {
    .name = "verify",
    .summary = "pose two models and measure how far apart they are",
    .usage = {"[OPTION]... A B"},
    .details = "Poses both models at rest and at many times of every clip, and compares the "
               "positions of their triangles. Triangles are matched by their position at rest, "
               "polygons of an OBJ file by their corners; if less than 99.9 % have a match, "
               "distances between the surfaces are measured instead. Clips are matched by name, "
               "else by order. 'verified' means that everything compared is within the tolerance, "
               "and that both files were read completely; 'not verified' lists what was not read. "
               "A file that does not state its unit is compared with an FBX file in the unit that "
               "gives both models the same size and place. If A and B are folders, the models in "
               "them are compared in pairs: those with the same path, or the same but for the "
               "extension; the others are listed. '-' is standard input.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .writes_files = true,
    .examples = examples,
    .statuses = {"verified: equal within the tolerance",
                 "not within tolerance, different, not verified, or a model is missing or "
                 "unreadable"},
    .operands_min = 2,
    .operands_max = 2,
    .operand = "a model",
    .run = run_verify,
};
