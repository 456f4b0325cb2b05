// cmd_info.c: tenon info: show what is in models.
// SPDX-License-Identifier: MIT

#include "batch/each_file.h"
#include "input/inputs.h"
#include "input/job.h"
#include "input/model.h"
#include "input/paths.h"
#include "input/scene_load.h"
#include "options/cli.h"
#include "report/clean.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/bmw.h>

#define LABEL_COLUMNS 12
#define PATH_SIZE     4096
#define FACT_SIZE     512
#define RELATED_MOST  16  // Files of one call that are related to each other.

typedef struct info_opts {
    cli_common common;
    bool full, tree;
} info_opts;

// -- Counts

static const struct {
    const char *key;    // In JSON.
    const char *label;  // For people.
    size_t field;       // In tenon_info.
} counts[] = {
#define COUNT(key, label)                      \
    {                                          \
#key, label, offsetof(tenon_info, key) \
    }
    COUNT(meshes, "meshes"),     COUNT(vertices, "vertices"),     COUNT(triangles, "triangles"),
    COUNT(nodes, "nodes"),       COUNT(joints, "joints"),         COUNT(animations, "animations"),
    COUNT(channels, "channels"), COUNT(frames, "frames"),         COUNT(materials, "materials"),
    COUNT(fonts, "fonts"),       COUNT(font_sizes, "font sizes"),
#undef COUNT
};

#define COUNT_COUNT (sizeof counts / sizeof counts[0])

static uint64_t cmd_info_count_at(const tenon_info *info, size_t index)
{
    uint64_t value;
    memcpy(&value, (const char *)info + counts[index].field, sizeof value);
    return value;
}

// -- Textures

// The state of the file that a material names.
typedef enum texture_state { NOT_LOOKED_FOR, FOUND, MISSING, OUTSIDE } texture_state;

static const struct {
    const char *word;    // In JSON.
    const char *remark;  // For people.
} texture_states[] = {
    [NOT_LOOKED_FOR] = {"unknown", ""},
    [FOUND] = {"found", ""},
    [MISSING] = {"missing", " (missing)"},
    [OUTSIDE] = {"outside", " (not in the model's folder)"},
};

static texture_state cmd_info_find_texture(const model *input, tenon_str texture)
{
    char name[PATH_SIZE], path[PATH_SIZE];
    const tenon_files *files = guard_files();
    tenon_file_info info;
    if (strcmp(input->file, "-") == 0) return NOT_LOOKED_FOR;
    // Beowolf looks for .dds where a model names .png or .jpg.
    size_t size = tenon_as_bmw(input->doc) ? tenon_bmw_texture_name(texture, name, sizeof name) : 0;
    if (size) texture = (tenon_str){name, (uint32_t)size};
    if (!tenon_file_beside(files, input->file, texture, path, sizeof path)) return OUTSIDE;
    return files->look(files->user, path, &info) == 0 ? FOUND : MISSING;
}

// -- Facts

// The generator of an imported document is tenon-import, which says nothing about the file.
static bool cmd_info_is_of_file(const model *input, const tenon_fact *fact)
{
    return !input->format || strcmp(fact->label, "generator") != 0;
}

// -- For people

static void cmd_info_put_label(const char *label)
{
    out(stdout, "  %-*s", LABEL_COLUMNS, label);
    if (strlen(label) >= LABEL_COLUMNS) out(stdout, " ");
}

static void cmd_info_put_name(tenon_str name)
{
    if (name.size)
        out_clean_bytes(stdout, name.data, name.size);
    else
        out(stdout, "(no name)");
}

static void cmd_info_put_size(uint64_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    cmd_info_put_label("size");
    out(stdout, "%" PRIu64 " bytes", size);
    if (size >= 1024) {
        uint32_t unit = 0;
        while (unit < 3 && size >= (uint64_t)1024 << (10 * (unit + 1))) unit++;
        uint64_t tenths = (size >> (10 * unit)) * 10 / 1024;
        out(stdout, " (%" PRIu64 ".%" PRIu64 " %s)", tenths / 10, tenths % 10, units[unit]);
    }
    out(stdout, "\n");
}

// Whether clips differ at most in numbers, so that one line shows both.
static bool cmd_info_are_alike(const tenon_clip_info *a, const tenon_clip_info *b)
{
    return a->name.size == b->name.size && !memcmp(a->name.data, b->name.data, a->name.size) &&
           (a->seconds < 0) == (b->seconds < 0) &&
           (a->channels == TENON_ABSENT) == (b->channels == TENON_ABSENT) &&
           (a->frames == TENON_ABSENT) == (b->frames == TENON_ABSENT) &&
           a->has_flags == b->has_flags && a->loop == b->loop && a->hold == b->hold;
}

static void cmd_info_put_range(const char *separator, uint64_t low, uint64_t high, const char *word)
{
    out(stdout, "%s", separator);
    if (low < high)
        out(stdout, "%" PRIu64 " to %" PRIu64 " %ss", low, high, word);
    else
        out_count(stdout, high, word);
}

// One line for `count` clips that are alike.
static void cmd_info_put_clips(const tenon_clip_info *clips, uint32_t count)
{
    tenon_clip_info low = clips[0], high = clips[0];
    for (uint32_t i = 1; i < count; i++) {
        if (clips[i].seconds < low.seconds) low.seconds = clips[i].seconds;
        if (clips[i].seconds > high.seconds) high.seconds = clips[i].seconds;
        if (clips[i].channels < low.channels) low.channels = clips[i].channels;
        if (clips[i].channels > high.channels) high.channels = clips[i].channels;
        if (clips[i].frames < low.frames) low.frames = clips[i].frames;
        if (clips[i].frames > high.frames) high.frames = clips[i].frames;
    }
    char shortest[32], longest[32];
    json_number_text(low.seconds, shortest, sizeof shortest);
    json_number_text(high.seconds, longest, sizeof longest);
    cmd_info_put_label("clip");
    cmd_info_put_name(clips->name);
    if (count > 1) out(stdout, " (%" PRIu32 " times)", count);
    const char *separator = ": ";
    if (!(low.seconds < 0)) {
        bool is_range = low.seconds < high.seconds;
        out(stdout, "%s%s%s%s s", separator, is_range ? shortest : "", is_range ? " to " : "",
            longest);
        separator = ", ";
    }
    if (low.channels != TENON_ABSENT) {
        cmd_info_put_range(separator, low.channels, high.channels, "channel");
        separator = ", ";
    }
    if (low.frames != TENON_ABSENT) {
        cmd_info_put_range(separator, low.frames, high.frames, "frame");
        separator = ", ";
    }
    if (low.has_flags && low.loop) {
        out(stdout, "%sloop", separator);
        separator = ", ";
    }
    if (low.has_flags && low.hold) out(stdout, "%shold", separator);
    out(stdout, "\n");
}

static void cmd_info_put_fact(const tenon_fact *fact)
{
    char text[FACT_SIZE];
    clean_text(fact->text, strlen(fact->text), text, sizeof text, NULL);
    cmd_info_put_label(fact->label);
    out_wrapped(stdout, text, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2);
}

static bool cmd_info_put_node(void *user, const tenon_tree_node *node)
{
    (void)user;
    out_spaces(stdout, 4 + 2 * node->depth);
    cmd_info_put_name(node->name);
    out_color(stdout, OUT_FAINT);
    if (strcmp(node->kind, "node") != 0) out(stdout, " [%s]", node->kind);
    if (node->what[0]) out(stdout, ": %s", node->what);
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
    return !out_failed();
}

static void cmd_info_put_materials(const model *input, const tenon_info *info)
{
    for (uint32_t i = 0; i < info->material_count; i++) {
        const tenon_material_info *material = &info->material_list[i];
        cmd_info_put_label("material");
        cmd_info_put_name(material->name);
        if (material->texture.size) {
            out(stdout, ": texture ");
            out_clean_bytes(stdout, material->texture.data, material->texture.size);
            out(stdout, "%s",
                texture_states[cmd_info_find_texture(input, material->texture)].remark);
        }
        out(stdout, "\n");
    }
}

static bool cmd_info_print_text(const info_opts *opts, const model *input, const tenon_info *info,
                                const loaded_scene *sidecars, tenon_error *err)
{
    const tenon_doc *doc = input->doc;
    out_color(stdout, OUT_STRONG);
    out_clean(stdout, report_name(input->file));
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
    cmd_info_put_label("format");
    if (input->format) {
        out(stdout, "%s (%s), imported\n", input->format->title, input->format->name);
    } else {
        out(stdout, "%s (%s)\n", doc->format->title, doc->format->name);
        cmd_info_put_label("version");
        out(stdout, "%s, dialect '%s'", info->version, doc->dialect->name);
        if (doc->also) out(stdout, " ('%s' fits as well)", doc->also->name);
        out(stdout, "\n");
    }
    if (opts->common.verbose && !input->format) {
        cmd_info_put_label("");
        out_wrapped(stdout, doc->dialect->summary, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2);
    }
    cmd_info_put_size(input->bytes.size);
    for (size_t i = 0; i < COUNT_COUNT; i++) {
        if (cmd_info_count_at(info, i) == TENON_ABSENT) continue;
        cmd_info_put_label(counts[i].label);
        out(stdout, "%" PRIu64 "\n", cmd_info_count_at(info, i));
    }
    if (info->has_bounds) {
        char low[3][32], high[3][32];
        for (int k = 0; k < 3; k++) {
            json_number_text(info->bounds_min[k], low[k], sizeof low[k]);
            json_number_text(info->bounds_max[k], high[k], sizeof high[k]);
        }
        cmd_info_put_label("bounds");
        out(stdout, "%s %s %s to %s %s %s\n", low[0], low[1], low[2], high[0], high[1], high[2]);
    }
    for (uint32_t i = 0, count; i < info->clip_count; i += count) {
        const tenon_clip_info *first = &info->clips[i];
        for (count = 1; i + count < info->clip_count && cmd_info_are_alike(first, first + count);)
            count++;
        cmd_info_put_clips(first, count);
    }
    for (uint32_t i = 0; i < sidecars->animation_count; i++) {
        const found_animation *animation = &sidecars->animations[i];
        cmd_info_put_label("clip");
        cmd_info_put_name((tenon_str){animation->clip, (uint32_t)strlen(animation->clip)});
        out(stdout, ": in ");
        out_clean(stdout, path_base_name(animation->file));
        out(stdout, "\n");
    }
    cmd_info_put_materials(input, info);
    for (uint32_t i = 0; i < sidecars->facts.count; i++)
        cmd_info_put_fact(&sidecars->facts.list[i]);
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (cmd_info_is_of_file(input, &info->facts[i])) cmd_info_put_fact(&info->facts[i]);
    if (doc->trailing.size) {
        cmd_info_put_label("trailing");
        out(stdout, "%" PRIu64 " bytes after the end of the model\n", doc->trailing.size);
    }
    if (!opts->tree) return true;
    out(stdout, "  tree\n");
    return tenon_tree(input->doc, cmd_info_put_node, NULL, err);
}

// -- For programs

static bool cmd_info_json_node(void *user, const tenon_tree_node *node)
{
    json_out *json = user;
    json_begin(json, NULL, '{');
    json_str(json, "name", node->name);
    json_uint(json, "depth", node->depth);
    json_text(json, "kind", node->kind);
    if (node->what[0]) json_text(json, "what", node->what);
    json_end(json, '}');
    return !out_failed();
}

static void cmd_info_json_fact(json_out *json, const tenon_fact *fact)
{
    json_begin(json, NULL, '{');
    json_text(json, "label", fact->label);
    json_text(json, "text", fact->text);
    json_end(json, '}');
}

static void cmd_info_json_bounds(json_out *json, const tenon_info *info)
{
    if (!info->has_bounds) return;
    json_begin(json, "bounds", '{');
    json_begin(json, "min", '[');
    for (int k = 0; k < 3; k++) json_number(json, NULL, info->bounds_min[k]);
    json_end(json, ']');
    json_begin(json, "max", '[');
    for (int k = 0; k < 3; k++) json_number(json, NULL, info->bounds_max[k]);
    json_end(json, ']');
    json_end(json, '}');
}

static void cmd_info_json_clips(json_out *json, const tenon_info *info,
                                const loaded_scene *sidecars)
{
    json_begin(json, "clips", '[');
    for (uint32_t i = 0; i < info->clip_count; i++) {
        const tenon_clip_info *clip = &info->clips[i];
        json_begin(json, NULL, '{');
        json_str(json, "name", clip->name);
        if (!(clip->seconds < 0)) json_number(json, "seconds", clip->seconds);
        if (clip->channels != TENON_ABSENT) json_uint(json, "channels", clip->channels);
        if (clip->frames != TENON_ABSENT) json_uint(json, "frames", clip->frames);
        if (clip->has_flags) json_bool(json, "loop", clip->loop);
        if (clip->has_flags) json_bool(json, "hold", clip->hold);
        json_end(json, '}');
    }
    json_end(json, ']');
    if (!sidecars->animation_count) return;
    json_begin(json, "clip_files", '[');
    for (uint32_t i = 0; i < sidecars->animation_count; i++) {
        json_begin(json, NULL, '{');
        json_text(json, "name", sidecars->animations[i].clip);
        json_text(json, "file", path_base_name(sidecars->animations[i].file));
        json_end(json, '}');
    }
    json_end(json, ']');
}

static bool cmd_info_print_json(const info_opts *opts, const model *input, const tenon_info *info,
                                const loaded_scene *sidecars, tenon_error *err)
{
    bool ok = true;
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "file", input->file);
    json_text(&json, "format", input->format ? input->format->name : input->doc->format->name);
    if (input->format) json_bool(&json, "imported", true);
    if (!input->format) json_text(&json, "version", info->version);
    if (!input->format) json_text(&json, "dialect", input->doc->dialect->name);
    json_uint(&json, "size", input->bytes.size);
    for (size_t i = 0; i < COUNT_COUNT; i++)
        if (cmd_info_count_at(info, i) != TENON_ABSENT)
            json_uint(&json, counts[i].key, cmd_info_count_at(info, i));
    cmd_info_json_bounds(&json, info);
    cmd_info_json_clips(&json, info, sidecars);
    json_begin(&json, "material_list", '[');
    for (uint32_t i = 0; i < info->material_count; i++) {
        tenon_str texture = info->material_list[i].texture;
        json_begin(&json, NULL, '{');
        json_str(&json, "name", info->material_list[i].name);
        if (texture.size) {
            json_str(&json, "texture", texture);
            json_text(&json, "texture_state",
                      texture_states[cmd_info_find_texture(input, texture)].word);
        }
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_begin(&json, "facts", '[');
    for (uint32_t i = 0; i < sidecars->facts.count; i++)
        cmd_info_json_fact(&json, &sidecars->facts.list[i]);
    for (uint32_t i = 0; i < info->fact_count; i++)
        if (cmd_info_is_of_file(input, &info->facts[i])) cmd_info_json_fact(&json, &info->facts[i]);
    json_end(&json, ']');
    if (input->doc->also) json_text(&json, "also", input->doc->also->name);
    if (input->doc->trailing.size) json_uint(&json, "trailing", input->doc->trailing.size);
    if (opts->tree) {
        json_begin(&json, "tree", '[');
        ok = tenon_tree(input->doc, cmd_info_json_node, &json, err);
        json_end(&json, ']');
    }
    json_end(&json, '}');
    json_line(&json);
    return ok;
}

// -- The command

// Show one file. On success the model stays open; the caller frees it.
static int info_file(const info_opts *opts, const char *file, model *input, tenon_error *err)
{
    tenon_info info = {0};
    loaded_scene sidecars = {0};  // Animations beside a BBMOD model, facts of an imported file.
    const scene_load_opts wants = {0};
    bool is_read = model_read(input, &opts->common, file, err);
    bool ok = is_read;
    tenon_info_opts wanted = {.full = opts->full, .files = guard_files()};
    if (ok && input->format) {
        ok = scene_from_model(&sidecars, &opts->common, input, &wants, err);
    } else if (ok && strcmp(input->file, "-") != 0) {
        bool is_bbmod = strcmp(input->doc->format->name, "bbmod") == 0;
        ok = !is_bbmod || scene_find_animations(&sidecars, input->file, err);
        wanted.model_path = input->file;
    }
    ok = ok && tenon_doc_info(input->doc, &wanted, &info, err);
    if (ok)
        ok = (opts->common.json ? cmd_info_print_json : cmd_info_print_text)(opts, input, &info,
                                                                             &sidecars, err);
    tenon_info_free(&info);
    scene_unload(&sidecars);
    if (ok) return CLI_OK;
    if (is_read) model_free(input);
    *input = (model){0};
    job_explain_cancelling(&opts->common, err);
    return report_unreadable(&opts->common, file, err);
}

// How open files are related, such as a model and its animations.
static void cmd_info_print_relations(const info_opts *opts, const model *models, uint32_t count)
{
    char text[256];
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            if (!models[a].doc || !models[b].doc || opts->common.json) continue;
            if (!tenon_relate(models[a].doc, models[b].doc, text, sizeof text)) continue;
            out_clean(stdout, report_name(models[a].file));
            out(stdout, ", ");
            out_clean(stdout, report_name(models[b].file));
            out(stdout, ": ");
            out_clean(stdout, text);
            out(stdout, "\n");
        }
}

typedef struct info_run {
    const info_opts *opts;
    inputs sources;
    summary totals;
    uint32_t before;  // Files that are shown already.
    int worst;
} info_run;

static int cmd_info_run(void *user, uint32_t index, char why[EACH_WHY_SIZE])
{
    const info_run *run = user;
    model input;
    tenon_error err;
    int status = info_file(run->opts, run->sources.files[run->before + index], &input, &err);
    if (status != CLI_OK) (void)snprintf(why, EACH_WHY_SIZE, "%s", err.message);
    model_free(&input);
    return status;
}

// Show all files. The first ones stay open until the end, when it is known how they are related.
static void cmd_info_show_files(info_run *run)
{
    model open[RELATED_MOST];
    const inputs *sources = &run->sources;
    bool goes_on = true;
    while (goes_on && run->before < sources->count && run->before < RELATED_MOST) {
        tenon_error err;
        job_begin(&run->opts->common);
        int status = info_file(run->opts, sources->files[run->before], &open[run->before], &err);
        if (status > run->worst) run->worst = status;
        if (status == CLI_OK)
            run->totals.done++;
        else
            summary_fail(&run->totals, report_name(sources->files[run->before]), err.message);
        run->before++;
        goes_on = !out_failed() && !(status != CLI_OK && run->opts->common.batch.fail_fast);
    }
    const each_file work = {.common = &run->opts->common,
                            .names = sources->files + run->before,
                            .count = goes_on ? sources->count - run->before : 0,
                            .user = run,
                            .run = cmd_info_run};
    int status = each_file_run(&work, &run->totals);
    if (status > run->worst) run->worst = status;
    cmd_info_print_relations(run->opts, open, run->before);
    for (uint32_t i = 0; i < run->before; i++) model_free(&open[i]);
}

static int run_info(const cli_command *self, char **args)
{
    info_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    const cli_common *common = &opts.common;
    if (model_stdin_is_repeated(common, common->operand_count))
        return report_usage(self, "standard input can be read only once");
    const folder_search search = {0};
    info_run run = {.opts = &opts};
    int found = inputs_find(&run.sources, common, common->operand_count, &search, &run.totals);
    run.worst = found != CLI_GO_ON ? found : run.totals.failed ? CLI_SYSTEM : CLI_OK;
    if (found == CLI_GO_ON && common->json) summary_print_skipped(&run.totals, false);
    if (found == CLI_GO_ON) cmd_info_show_files(&run);
    bool are_many = found == CLI_GO_ON && run.sources.are_many;
    status = summary_end(&run.totals, common, "read", are_many, run.worst);
    inputs_free(&run.sources);
    summary_free(&run.totals);
    return status;
}

static const cli_option options[] = {
    {.long_name = "full",
     .help = "also read every vertex, for example for bounds that are not stored",
     .field = offsetof(info_opts, full)},
    {.long_name = "tree",
     .help = "also show the nodes, joints or bones as a tree",
     .field = offsetof(info_opts, tree)},
    {0},
};

static const cli_example examples[] = {
    {"tenon info robot.bplx", "format, version, counts, clips, materials and their textures"},
    {"tenon info --full --json *.bplx", "everything, one line of JSON per file"},
    {"curl -s https://example.org/robot.bplx | tenon info -", "read a pipe"},
    {0},
};

const cli_command cmd_info = {
    .name = "info",
    .alias = "inspect",
    .summary = "show what is in models",
    .usage = {"[OPTION]... FILE..."},
    .details = "Reads the structure only, so it is fast even for large files. If FILE is a "
               "folder, the models in it are shown. '-' is standard input.",
    .options = options,
    .takes_folders = true,
    .reads_models = true,
    .examples = examples,
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .operand = "FILE",
    .run = run_info,
};
