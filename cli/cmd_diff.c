// cmd_diff.c: tenon diff: say what differs between two models, by meaning.
// SPDX-License-Identifier: MIT

#include "clean.h"
#include "cli.h"
#include "json_out.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "scene_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_COLUMNS 79
#define TEXT_SIZE    4096
#define KINDS_MOST   64

typedef struct diff_opts {
    cli_common common;
    double tolerance;
} diff_opts;

// How many differences there are of a kind.
typedef struct kind_count {
    const char *kind;
    uint64_t count;
} kind_count;

// A comparison that is under way.
typedef struct differing {
    const diff_opts *opts;
    const char *files[2];
    kind_count kinds[KINDS_MOST];
    uint32_t kind_count;
    uint64_t count;
} differing;

// -- For people

// How much of the text fits into a line: up to a space, if there is one.
static size_t line_size(const char *text, uint32_t columns)
{
    size_t size = clean_fit(text, columns), cut = size;
    if (!text[size]) return size;
    while (cut > 0 && text[cut] != ' ') cut--;
    if (cut > 0) return cut;
    return size > 0 ? size : 1;
}

// Print text of others in lines that each begin with `mark`.
static void put_marked(const char *mark, out_style style, const char *text)
{
    char clean[TEXT_SIZE];
    clean_text(text, strlen(text), clean, sizeof clean, NULL);
    for (const char *rest = clean; *rest;) {
        size_t size = line_size(rest, LINE_COLUMNS - (uint32_t)strlen(mark));
        out_color(stdout, style);
        out(stdout, "%s", mark);
        out_bytes(stdout, rest, size);
        out_color(stdout, OUT_PLAIN);
        out(stdout, "\n");
        rest += size;
        while (*rest == ' ') rest++;
    }
}

static void put_files(const differing *w)
{
    out_color(stdout, OUT_STRONG);
    out(stdout, "--- ");
    out_clean(stdout, report_name(w->files[0]));
    out(stdout, "\n+++ ");
    out_clean(stdout, report_name(w->files[1]));
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
}

static void put_amount(const tenon_difference *difference)
{
    bool has_amount = difference->amount >= 0;
    if (!has_amount && !difference->more) return;
    out(stdout, "  ");
    if (has_amount)
        out(stdout, "%s%.3g apart", difference->more ? "up to " : "", difference->amount);
    if (difference->more)
        out(stdout, "%sand %" PRIu64 " more", has_amount ? ", " : "", difference->more);
    out(stdout, "\n");
}

static void put_text(const differing *w, const tenon_difference *difference)
{
    if (w->count == 0) put_files(w);
    put_marked("", OUT_STRONG, difference->path);
    put_marked("- ", OUT_RED, difference->a);
    put_marked("+ ", OUT_CYAN, difference->b);
    put_amount(difference);
}

static void summarise(const differing *w)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = out_to_memory(&text, &size);
    if (!to) return;
    out_count(to, w->count, "difference");
    for (uint32_t i = 0; i < w->kind_count; i++)
        out(to, "%s %s %" PRIu64, i ? "," : ":", w->kinds[i].kind, w->kinds[i].count);
    if (out_memory_end(to, &text, &size)) out_wrapped(stdout, text, 0, 0);
    free(text);
}

// -- For programs

static void put_json(const tenon_difference *difference)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "kind", difference->kind);
    json_text(&json, "path", difference->path);
    if (*difference->a) json_text(&json, "a", difference->a);
    if (*difference->b) json_text(&json, "b", difference->b);
    if (difference->amount >= 0) json_number(&json, "amount", difference->amount);
    if (difference->more) json_uint(&json, "more", difference->more);
    json_end(&json, '}');
    json_line(&json);
}

// -- The command

static void count_kind(differing *w, const tenon_difference *difference)
{
    uint32_t i = 0;
    while (i < w->kind_count && strcmp(w->kinds[i].kind, difference->kind) != 0) i++;
    if (i == KINDS_MOST) return;
    if (i == w->kind_count) w->kinds[w->kind_count++] = (kind_count){difference->kind, 0};
    w->kinds[i].count += 1 + difference->more;
}

static void tell(void *user, const tenon_difference *difference)
{
    differing *w = user;
    if (w->opts->common.json)
        put_json(difference);
    else if (!w->opts->common.quiet)
        put_text(w, difference);
    count_kind(w, difference);
    w->count += 1 + difference->more;
}

static int conclude(const differing *w)
{
    const cli_common *common = &w->opts->common;
    if (w->count && !common->json && !common->quiet) summarise(w);
    if (w->count == 0 && common->verbose) {
        out_clean(stderr, report_name(w->files[0]));
        out(stderr, ", ");
        out_clean(stderr, report_name(w->files[1]));
        out(stderr, ": no difference\n");
    }
    return w->count ? CLI_FAILED : CLI_OK;
}

static int compare(differing *w, const tenon_scene *a, const tenon_scene *b)
{
    progress line;
    tenon_error err;
    uint64_t count;
    tenon_diff_opts opts = {
        .progress = progress_begin(&line, &w->opts->common, "comparing", w->files[0]),
        .tolerance = w->opts->tolerance,
    };
    bool ok = tenon_diff(a, b, &opts, tell, w, &count, &err);
    progress_end(&line);
    return ok ? conclude(w) : report_unreadable(&w->opts->common, w->files[0], &err);
}

static int run(const cli_command *self, char **args)
{
    diff_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    char **files = opts.common.operands;
    if (model_stdin_is_repeated(files, 2))
        return report_usage(self, "standard input can be read only once");
    differing w = {.opts = &opts, .files = {files[0], files[1]}};
    loaded_scene a, b;
    tenon_error err;
    if (!scene_load(&a, &opts.common, files[0], &err))
        return report_unreadable(&opts.common, files[0], &err);
    if (scene_load(&b, &opts.common, files[1], &err)) {
        status = compare(&w, a.scene, b.scene);
        scene_unload(&b);
    } else {
        status = report_unreadable(&opts.common, files[1], &err);
    }
    scene_unload(&a);
    return status;
}

static const cli_option options[] = {
    {.long_name = "tolerance",
     .kind = CLI_AMOUNT,
     .metavar = "NUMBER",
     .help = "numbers this close are equal; lengths as a share of the model's diagonal",
     .fallback = "1e-6",
     .answer = offsetof(diff_opts, tolerance)},
    {0},
};

static const cli_example examples[] = {
    {"tenon diff old.gpb new.gpb", "what a new export changed"},
    {"tenon diff robot.gpb robot.bbmod", "whether two formats say the same"},
    {"tenon diff --tolerance 0.001 a.bplx b.bplx", "only what can be seen"},
    {"tenon diff --json a.bplx b.bplx | jq .kind", "for scripts"},
    {0},
};

const cli_command cmd_diff = {
    .name = "diff",
    .summary = "say what differs between two models, by meaning",
    .usage = {"[OPTION]... A B"},
    .details = "Compares nodes, meshes, weights, materials, textures and animations, across "
               "formats too. How a file stores them is no difference: the order of vertices, "
               "strips or lists, matrices or rotations, the number of keys. Of each kind of "
               "difference at most 20 are shown. '-' is standard input.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {"the models mean the same", "they differ, or a model is unreadable"},
    .operands_min = 2,
    .operands_max = 2,
    .operand = "a model",
    .run = run,
};
