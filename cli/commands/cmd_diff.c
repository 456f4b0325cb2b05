// cmd_diff.c: tenon diff: show how the contents of two models differ.
// SPDX-License-Identifier: MIT

#include "batch/pairs.h"
#include "input/job.h"
#include "input/scene_load.h"
#include "options/cli.h"
#include "report/clean.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_COLUMNS 79
#define TEXT_SIZE    4096
#define KINDS_MOST   64

typedef struct diff_opts {
    cli_common common;
    double tolerance;
    bool are_many;  // Differences say of which pair they are.
} diff_opts;

// How many differences of a kind there are.
typedef struct kind_count {
    const char *kind;
    uint64_t count;
} kind_count;

// What the callback for differences needs.
typedef struct diff_printer {
    const diff_opts *opts;
    const char *files[2];
    const char *pair;  // NULL: there is only one.
    kind_count kinds[KINDS_MOST];
    uint32_t kind_count;
    uint64_t count;
    bool is_without_materials, is_without_clips;  // They cannot be compared.
} diff_printer;

// -- Differences

// Print text from a file in lines that each begin with `mark`.
static void cmd_diff_print_marked(const char *mark, out_style style, const char *text)
{
    char clean[TEXT_SIZE];
    uint32_t columns = LINE_COLUMNS - (uint32_t)strlen(mark);
    clean_text(text, strlen(text), clean, sizeof clean, NULL);
    for (const char *next = clean; *next;) {
        // Break lines at a space, if there is one.
        size_t fitting = clean_fit(next, columns), size = fitting;
        if (next[size])
            while (size > 0 && next[size] != ' ') size--;
        if (size == 0) size = fitting > 0 ? fitting : 1;
        out_color(stdout, style);
        out(stdout, "%s", mark);
        out_bytes(stdout, next, size);
        out_color(stdout, OUT_PLAIN);
        out(stdout, "\n");
        next += size;
        while (*next == ' ') next++;
    }
}

static void diff_print_difference_text(const diff_printer *printer,
                                       const tenon_difference *difference)
{
    bool has_amount = difference->amount >= 0;
    if (printer->count == 0) {
        out_color(stdout, OUT_STRONG);
        out(stdout, "--- ");
        out_clean(stdout, report_name(printer->files[0]));
        out(stdout, "\n+++ ");
        out_clean(stdout, report_name(printer->files[1]));
        out_color(stdout, OUT_PLAIN);
        out(stdout, "\n");
    }
    cmd_diff_print_marked("", OUT_STRONG, difference->path);
    cmd_diff_print_marked("- ", OUT_RED, difference->a);
    cmd_diff_print_marked("+ ", OUT_CYAN, difference->b);
    if (!has_amount && !difference->more) return;
    out(stdout, "  ");
    if (has_amount)
        out(stdout, "%s%.3g apart", difference->more ? "up to " : "", difference->amount);
    if (difference->more)
        out(stdout, "%sand %" PRIu64 " more", has_amount ? ", " : "", difference->more);
    out(stdout, "\n");
}

static bool cmd_diff_is_in_list(const tenon_difference *difference, const char *list)
{
    return strncmp(difference->path, list, strlen(list)) == 0;
}

static void diff_print_difference(void *user, const tenon_difference *difference)
{
    diff_printer *printer = user;
    if (printer->is_without_materials && cmd_diff_is_in_list(difference, "materials[")) return;
    if (printer->is_without_materials && cmd_diff_is_in_list(difference, "images[")) return;
    if (printer->is_without_clips && cmd_diff_is_in_list(difference, "animations[")) return;
    if (printer->opts->common.json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        if (printer->pair) json_text(&json, "pair", printer->pair);
        json_text(&json, "kind", difference->kind);
        json_text(&json, "path", difference->path);
        if (*difference->a) json_text(&json, "a", difference->a);
        if (*difference->b) json_text(&json, "b", difference->b);
        if (difference->amount >= 0) json_number(&json, "amount", difference->amount);
        if (difference->more) json_uint(&json, "more", difference->more);
        json_end(&json, '}');
        json_line(&json);
    } else if (!printer->opts->common.quiet) {
        diff_print_difference_text(printer, difference);
    }
    printer->count += 1 + difference->more;
    uint32_t i = 0;
    while (i < printer->kind_count && strcmp(printer->kinds[i].kind, difference->kind) != 0) i++;
    if (i == KINDS_MOST) return;
    if (i == printer->kind_count)
        printer->kinds[printer->kind_count++] = (kind_count){difference->kind, 0};
    printer->kinds[i].count += 1 + difference->more;
}

static void cmd_diff_print_summary(const diff_printer *printer)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) return;
    out_count(to, printer->count, "difference");
    for (uint32_t i = 0; i < printer->kind_count; i++)
        out(to, "%s %s %" PRIu64, i ? "," : ":", printer->kinds[i].kind, printer->kinds[i].count);
    if (out_memory_end(to, &text, &size)) out_wrapped(stdout, text, 0, 0);
    free(text);
}

// -- Files beside the models
//
// Git gives a difftool files with temporary names, without sidecars. Everything in the sidecars of
// the other model would be a difference, so that they are ignored for both.

// The sidecars of a model that contain materials.
typedef struct sidecar_count {
    const char *model_file;
    uint32_t named, found;
} sidecar_count;

static void cmd_diff_count_sidecar(void *user, const char *name)
{
    static const char *const extensions[] = {".material", ".bbmat", ".mtl", ".json"};
    sidecar_count *sidecars = user;
    const char *dot = strrchr(name, '.');
    char path[TEXT_SIZE];
    tenon_file_info info;
    tenon_str text = {name, (uint32_t)strlen(name)};
    const tenon_files *files = guard_files();
    bool is_wanted = false;
    for (size_t i = 0; dot && i < sizeof extensions / sizeof extensions[0]; i++)
        is_wanted = is_wanted || strcmp(dot, extensions[i]) == 0;
    if (!is_wanted) return;
    sidecars->named++;
    if (strcmp(sidecars->model_file, "-") == 0) return;
    if (!tenon_file_beside(files, sidecars->model_file, text, path, sizeof path)) return;
    sidecars->found += files->look(files->user, path, &info) == 0;
}

// What a model lacks because it has no sidecars.
typedef struct missing_sidecars {
    bool materials, clips;
} missing_sidecars;

static missing_sidecars cmd_diff_find_missing_sidecars(const loaded_scene *loaded)
{
    sidecar_count sidecars = {.model_file = loaded->model.file};
    (void)tenon_sidecars(loaded->model.doc, loaded->model.file, cmd_diff_count_sidecar, &sidecars);
    bool lacks_sidecars = !loaded->is_imported && sidecars.named > 0 && sidecars.found == 0;
    bool is_bbmod = strcmp(loaded->model.doc->format->name, "bbmod") == 0;
    bool is_bmw = strcmp(loaded->model.doc->format->name, "bmw") == 0;
    return (missing_sidecars){.materials = lacks_sidecars,
                              .clips = (is_bbmod && loaded->scene->animation_count == 0) ||
                                       (is_bmw && lacks_sidecars)};
}

static bool cmd_diff_reload_scene(loaded_scene *loaded, const cli_common *opts,
                                  const scene_load_opts *wants, tenon_error *err)
{
    loaded_scene alone;
    bool ok = scene_from_model(&alone, opts, &loaded->model, wants, err);
    if (ok) {
        alone.model = loaded->model;
        loaded->model = (model){0};
        scene_unload(loaded);
        *loaded = alone;
    } else {
        scene_unload(&alone);
    }
    return ok;
}

// If only one model has sidecars, load both scenes without them, and say so.
static bool cmd_diff_ignore_sidecars(diff_printer *printer, loaded_scene *a, loaded_scene *b,
                                     tenon_error *err)
{
    const cli_common *common = &printer->opts->common;
    missing_sidecars of_a = cmd_diff_find_missing_sidecars(a),
                     of_b = cmd_diff_find_missing_sidecars(b);
    scene_load_opts wants = {.without_sidecars = of_a.materials != of_b.materials,
                             .without_animations = of_a.clips != of_b.clips};
    if (!wants.without_sidecars && !wants.without_animations) return true;
    if (!cmd_diff_reload_scene(a, common, &wants, err) ||
        !cmd_diff_reload_scene(b, common, &wants, err))
        return false;
    // A format that stores it inside the model then has nothing to be compared with.
    bool is_same_format = a->model.doc->format == b->model.doc->format;
    printer->is_without_materials = wants.without_sidecars && !is_same_format;
    printer->is_without_clips = wants.without_animations && !is_same_format;
    if (common->quiet) return true;
    bool is_a = wants.without_sidecars ? of_a.materials : of_a.clips;
    char text[128];
    (void)snprintf(text, sizeof text, "%s not compared: the model has no sidecar with them",
                   !wants.without_animations ? "materials were"
                   : !wants.without_sidecars ? "clips were"
                                             : "materials and clips were");
    report_note(printer->files[is_a ? 0 : 1], text);
    return true;
}

// -- The command

static int cmd_diff_compare(diff_printer *printer, const tenon_scene *a, const tenon_scene *b)
{
    progress line;
    tenon_error err;
    uint64_t count;
    const cli_common *common = &printer->opts->common;
    tenon_diff_opts opts = {
        .allocator = job_allocator(),
        .events = progress_begin(&line, common, "comparing", printer->files[0]),
        .tolerance = printer->opts->tolerance,
    };
    bool ok = tenon_diff(a, b, &opts, diff_print_difference, printer, &count, &err);
    progress_end(&line);
    if (!ok) return report_unreadable(common, printer->files[0], &err);
    if (printer->count && !common->json && !common->quiet) cmd_diff_print_summary(printer);
    if (printer->count == 0 && common->verbose) {
        out_clean(stderr, report_name(printer->files[0]));
        out(stderr, ", ");
        out_clean(stderr, report_name(printer->files[1]));
        out(stderr, ": no difference\n");
    }
    return printer->count ? CLI_FAILED : CLI_OK;
}

// One pair, whose files both exist.
static int cmd_diff_pair(void *user, const model_pair *pair, char why[EACH_WHY_SIZE])
{
    const diff_opts *opts = user;
    diff_printer printer = {.opts = opts, .files = {pair->files[0], pair->files[1]}};
    if (opts->are_many) printer.pair = pair->name;
    loaded_scene a, b;
    tenon_error err;
    int status;
    (void)snprintf(why, EACH_WHY_SIZE, "unreadable");
    if (!scene_load(&a, &opts->common, pair->files[0], &err))
        return report_unreadable(&opts->common, pair->files[0], &err);
    if (scene_load(&b, &opts->common, pair->files[1], &err)) {
        status = cmd_diff_ignore_sidecars(&printer, &a, &b, &err)
                     ? cmd_diff_compare(&printer, a.scene, b.scene)
                     : report_unreadable(&opts->common, pair->files[0], &err);
        scene_unload(&b);
    } else {
        status = report_unreadable(&opts->common, pair->files[1], &err);
    }
    scene_unload(&a);
    if (printer.count) (void)snprintf(why, EACH_WHY_SIZE, "%" PRIu64 " differences", printer.count);
    return status;
}

static int run_diff(const cli_command *self, char **args)
{
    diff_opts opts = {0};
    model_pairs pairs;
    summary totals = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    status = pairs_find(&pairs, self, &opts.common, &totals);
    opts.are_many = pairs.are_many;
    if (status == CLI_GO_ON)
        status = pairs_run(&pairs, &opts.common, cmd_diff_pair, &opts, "equal", &totals);
    pairs_free(&pairs);
    summary_free(&totals);
    return status;
}

static const cli_option options[] = {
    {.long_name = "tolerance",
     .kind = CLI_AMOUNT,
     .metavar = "NUMBER",
     .help = "numbers this close are equal; lengths as a fraction of the model's diagonal",
     .fallback = "1e-6",
     .field = offsetof(diff_opts, tolerance)},
    {0},
};

static const cli_example examples[] = {
    {"tenon diff old.gpb new.gpb", "what a new export changed"},
    {"tenon diff robot.gpb robot.bbmod", "whether two formats have the same contents"},
    {"tenon diff --tolerance 0.001 a.bplx b.bplx", "only visible differences"},
    {"tenon diff -q -r models/ out/", "whether two folders have the same contents"},
    {"tenon diff --json a.bplx b.bplx | jq .kind", "for scripts"},
    {0},
};

const cli_command cmd_diff = {
    .name = "diff",
    .summary = "show how the contents of two models differ",
    .usage = {"[OPTION]... A B"},
    .details = "Compares nodes, meshes, weights, materials, textures and animations, also across "
               "formats. How a file stores them does not matter: vertex order, strips or lists, "
               "matrices or rotations, the number of keys. At most 20 differences of each kind "
               "are shown. Materials and clips in files beside a model are compared if both "
               "models have such files. If A and B are folders, the models in them are compared "
               "in pairs: those with the same path, or the same but for the extension; the others "
               "are listed. '-' is standard input.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .examples = examples,
    .statuses = {"no difference in what was compared",
                 "they differ, or a model is missing or unreadable"},
    .operands_min = 2,
    .operands_max = 2,
    .operand = "a model",
    .run = run_diff,
};
