// web_convert.c: converts a model, to another format through a scene, or within its own.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>
#include <tenon/edit.h>
#include <tenon/fbx.h>

#define PATH_SIZE 4096

// -- What is reported

void web_add_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    web_json *json = &web.losses;
    web_json_begin(json, NULL, '{');
    web_json_text(json, "kind", tenon_loss_word(loss->kind));
    web_json_text(json, "feature", loss->feature);
    web_json_uint(json, "count", loss->count);
    if (loss->path) web_json_text(json, "path", loss->path);
    web_json_text(json, "why", loss->why);
    if (loss->error > 0) web_json_number(json, "error", loss->error);
    web_json_end(json, '}');
}

bool web_add_file(void *user, const tenon_written_file *file)
{
    (void)user;
    if (!file->is_unchanged) web_json_text(&web.files, NULL, file->path);
    return !web.files.failed;
}

// -- Scenes

// Clips of FBX files start at their first key; what is cut is reported.
static bool web_cut_lead_in(tenon_scene *scene)
{
    const tenon_edit_clip_opts opts = {.start_at_first_key = true};
    double *durations = calloc((size_t)scene->animation_count + 1, sizeof *durations);
    if (!durations) return web_fail(TENON_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < scene->animation_count; i++)
        durations[i] = scene->animations[i].duration;
    bool ok = tenon_edit_clips(scene, &opts, &web.err);
    tenon_loss loss = {.kind = TENON_DEFAULTED,
                       .feature = "lead-in",
                       .why = "clips start at their first key: '--keep-lead-in' keeps the time "
                              "before it"};
    for (uint32_t i = 0; ok && i < scene->animation_count; i++)
        if (scene->animations[i].duration < durations[i] && loss.count++ == 0)
            loss.path = scene->animations[i].name.data;
    if (loss.count) web_add_loss(NULL, &loss);
    free(durations);
    return ok;
}

// The length of the unit of an FBX file; 0 for all others.
static bool web_find_unit(const char *path, double *unit)
{
    *unit = 0;
    tenon_read_opts read = web_read_opts();
    read.name = path;
    tenon_doc *doc = tenon_read_file(path, &read, &web.err);
    if (doc) *unit = tenon_fbx_unit(tenon_as_fbx(doc));
    tenon_doc_free(doc);
    return doc != NULL;
}

tenon_scene *web_scene_load(const char *path, double *unit)
{
    tenon_read_opts read = web_read_opts();
    read.name = path;
    const tenon_scene_opts opts = {
        .allocator = web_allocator(), .events = web_events(), .rate = web.options.rate};
    tenon_scene *scene = tenon_import_file(path, &read, &opts, &web.err);
    bool is_fbx = scene && scene->source && strcmp(scene->source->name, "fbx") == 0;
    *unit = 0;
    bool ok = scene && (!is_fbx || web_find_unit(path, unit));
    const char *to = web.options.to;
    bool is_posed = to && strcmp(to, "obj") == 0;
    ok = ok && (!is_fbx || web.options.lead_in || is_posed || web_cut_lead_in(scene));
    if (ok) return scene;
    tenon_scene_free(scene);
    return NULL;
}

// FBX scenes are in meters; engines whose own converters keep the numbers of the file get those.
static bool web_scale(tenon_scene *scene, double unit, const tenon_format *to)
{
    const char *units = web.options.units;
    if (!(unit > 0) || unit == 1) return true;
    bool is_engines = strcmp(to->name, "bbmod") == 0 || strcmp(to->name, "bmw") == 0;
    bool keeps = units ? strcmp(units, "keep") == 0 : is_engines;
    char why[160];
    (void)snprintf(why, sizeof why,
                   keeps ? "the file's own numbers are kept (1 unit = %.6g m), as the engine's "
                           "converter does: '--units meters' converts them"
                         : "lengths are converted to meters (1 unit = %.6g m): '--units keep' "
                           "keeps the file's own numbers",
                   unit);
    const tenon_loss loss = {.kind = TENON_DEFAULTED, .feature = "unit", .why = why, .count = 1};
    if (!units) web_add_loss(NULL, &loss);
    const tenon_edit_space_opts space = {.events = web_events(), .scale = 1 / unit};
    return !keeps || tenon_edit_space(scene, &space, &web.err);
}

static bool web_export(tenon_scene *scene, const tenon_format *to)
{
    const web_options *opts = &web.options;
    const char *textures = opts->textures, *dot = strrchr(opts->output, '.');
    const char *dialect = opts->as                                    ? opts->as
                          : dot && tenon_dialect_by_name(to, dot + 1) ? dot + 1
                                                                      : NULL;
    const tenon_write_opts write = {.force = true};
    tenon_verify_result verified;
    tenon_verify_opts proof = {.allocator = web_allocator(),
                               .tolerance = opts->tolerance > 0 ? opts->tolerance : 1e-4};
    const char *still =
        opts->clip ? NULL
                   : tenon_why_no_motion(to, dialect ? tenon_dialect_by_name(to, dialect) : NULL);
    proof.clip = opts->clip;
    proof.seconds = opts->seconds;
    proof.at_one_time = opts->clip != NULL;
    proof.rest_only = still && scene->animation_count;
    tenon_export_opts export = {
        .allocator = web_allocator(),
        .events = web_events(),
        .format = to->name,
        .dialect = dialect,
        .model_path = opts->model,
        .embed = textures ? strcmp(textures, "embed") == 0 : dialect && !strcmp(dialect, "glb"),
        .copy_textures = textures && strcmp(textures, "copy") == 0,
        .without_materials = opts->without_materials,
        .without_prefix = opts->without_prefix,
        .tolerance = opts->tolerance,
        .rate = opts->rate,
        .clip = opts->clip,
        .seconds = opts->seconds,
    };
    if (opts->grouping && strcmp(opts->grouping, "nodes") == 0) export.grouping = TENON_GROUP_NODES;
    if (opts->grouping && strcmp(opts->grouping, "encoder") == 0)
        export.grouping = TENON_GROUP_ENCODER;
    export.events.on_file = web_add_file;
    if (opts->verify) export.verify = &proof, export.verified = &verified;
    if (!tenon_export_file(scene, opts->output, &export, &write, &web.err)) return false;
    if (!opts->verify) return true;
    web_json_begin(&web.json, "verify", '{');
    web_json_text(&web.json, "scope", opts->clip ? "pose" : proof.rest_only ? "rest" : "all");
    web_put_verdict(&web.json, &verified);
    web_json_end(&web.json, '}');
    return true;
}

// -- Within a format

typedef struct path_list {
    char *text;  // Paths, each with its NUL.
    size_t size;
    bool failed;
} path_list;

static void web_take_path(void *user, const char *name)
{
    path_list *list = user;
    size_t size = strlen(name) + 1;
    char *grown = list->failed ? NULL : realloc(list->text, list->size + size);
    list->failed = !grown;
    if (!grown) return;
    list->text = grown;
    memcpy(list->text + list->size, name, size);
    list->size += size;
}

static bool web_path_beside(const char *model, const char *name, char path[PATH_SIZE])
{
    const tenon_str text = {name, (uint32_t)strlen(name)};
    return tenon_file_beside(NULL, model, text, path, PATH_SIZE);
}

// Copy a sidecar to the output's folder, if it exists and is not there already.
static bool web_copy_sidecar(const char *from, const char *to)
{
    tenon_file_info info;
    tenon_bytes bytes;
    const tenon_files *files = tenon_system_files();
    const tenon_read_opts read = {.allocator = web_allocator(), .beside = web.options.model};
    const tenon_write_opts write = {.force = true};
    char source[PATH_SIZE], target[PATH_SIZE];
    if (!web_path_beside(web.options.model, from, source) ||
        !web_path_beside(web.options.output, to, target) || files->look(NULL, source, &info) != 0 ||
        info.kind != TENON_FILE_REGULAR)
        return true;
    const tenon_written_file file = {.path = target, .size = info.size};
    if (strcmp(source, target) == 0) return true;
    if (!tenon_load(source, &read, &bytes, &web.err)) return false;
    bool ok = tenon_save(target, bytes.data, bytes.size, &write, &web.err);
    tenon_unload(&bytes);
    return ok && web_add_file(NULL, &file);
}

static bool web_copy_sidecars(const tenon_doc *doc)
{
    path_list from = {0}, to = {0};
    const char *model = web.options.model, *output = web.options.output;
    bool ok = tenon_sidecars(doc, model, web_take_path, &from) &&
              tenon_sidecars(doc, output, web_take_path, &to) && !from.failed && !to.failed;
    if (!ok) (void)web_fail(TENON_ERR_MEMORY, "out of memory");
    const char *source = from.text, *target = to.text;
    while (ok && source < from.text + from.size && target < to.text + to.size) {
        ok = web_copy_sidecar(source, target);
        source += strlen(source) + 1;
        target += strlen(target) + 1;
    }
    free(from.text);
    free(to.text);
    if (!ok || !tenon_as_bbmod((tenon_doc *)doc)) return ok;
    // Clips of a BBMOD model are separate files: MODEL_CLIP.bbanim.
    path_list clips = {0};
    const tenon_allocator allocator = web_allocator();
    ok = tenon_bbanim_find(NULL, model, &allocator, web_take_path, &clips, &web.err);
    const char *slash = strrchr(output, '/'), *stem = slash ? slash + 1 : output;
    const char *dot = strrchr(stem, '.');
    int stem_size = (int)(dot ? (size_t)(dot - stem) : strlen(stem));
    for (const char *clip = clips.text; ok && clip && clip < clips.text + clips.size;
         clip += strlen(clip) + 1) {
        char name[PATH_SIZE];
        tenon_str word = tenon_bbanim_clip(model, clip);
        (void)snprintf(name, sizeof name, "%.*s_%.*s.bbanim", stem_size, stem, (int)word.size,
                       word.data);
        ok = web_copy_sidecar(clip, name);
    }
    free(clips.text);
    return ok;
}

static bool web_change(tenon_doc *doc, const char *dialect)
{
    const web_options *opts = &web.options;
    const tenon_change_opts change = {
        .dialect = dialect, .events = web_events(), .rate = opts->rate};
    const tenon_write_opts write = {.force = true};
    const tenon_written_file file = {.path = opts->output};
    if (!tenon_change(doc, &change, &web.err) || !web_copy_sidecars(doc) ||
        !tenon_write_file(doc, opts->output, &write, &web.err))
        return false;
    web_json_text(&web.json, "dialect", doc->dialect->name);
    return web_add_file(NULL, &file);
}

// -- The command

// The dialect within its format that a document is to be changed to; NULL: none.
static const char *web_wanted_dialect(const tenon_doc *doc)
{
    const web_options *opts = &web.options;
    const tenon_dialect *named = tenon_dialect_by_extension(doc, opts->output);
    // A file that had a wrong extension before may keep it.
    if (named == tenon_dialect_by_extension(doc, opts->model)) named = NULL;
    return opts->as ? opts->as : named ? named->name : NULL;
}

static bool web_convert_as(const tenon_format *to)
{
    web_model model;
    if (!web_model_read(&model, web.options.model)) return false;
    tenon_doc *doc = model.doc;
    const char *dialect = web_wanted_dialect(doc), *textures = web.options.textures;
    bool is_other = dialect && strcmp(dialect, doc->dialect->name) != 0;
    bool needs_scene = (textures && strcmp(textures, "embed") == 0) ||
                       (is_other && !(doc->format->caps & TENON_CAN_CHANGE));
    bool stays = to == doc->format && !(needs_scene && to->caps & TENON_FROM_SCENE);
    bool ok = stays && web_change(doc, dialect);
    if (!stays && strcmp(doc->format->name, "bbanim") == 0)
        (void)web_fail(TENON_ERR_UNSUPPORTED,
                       "an animation needs its model: open the .bbmod file with it");
    else if (!stays && !(to->caps & TENON_FROM_SCENE))
        (void)web_fail(TENON_ERR_UNSUPPORTED, "models cannot be written in this format");
    else if (!stays)
        ok = true;
    web_model_free(&model);
    if (!ok || stays) return ok;
    double unit;
    tenon_scene *scene = web_scene_load(web.options.model, &unit);
    ok = scene && web_scale(scene, unit, to) && web_export(scene, to);
    tenon_scene_free(scene);
    return ok;
}

bool web_convert(void)
{
    const char *name = web.options.to;
    const tenon_format *to = name ? tenon_format_by_name(name) : NULL;
    if (!to) return web_fail(TENON_ERR_UNSUPPORTED, "there is no such format");
    bool ok = web_convert_as(to);
    web_json_text(&web.json, "format", to->name);
    web_json_list(&web.json, "losses", &web.losses);
    web_json_list(&web.json, "files", &web.files);
    return ok;
}
