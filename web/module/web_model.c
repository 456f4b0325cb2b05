// web_model.c: what is in one file: info, check, tree.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <string.h>
#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/places.h>

#define PATH_SIZE 4096

tenon_read_opts web_read_opts(void)
{
    const web_options *opts = &web.options;
    tenon_events events = web_events();
    events.on_loss = NULL;
    return (tenon_read_opts){.allocator = web_allocator(),
                             .events = events,
                             .max_memory = (uint64_t)opts->max_memory,
                             .format = opts->from,
                             .dialect = opts->from_dialect,
                             .name = opts->model};
}

bool web_model_read(web_model *model, const char *path)
{
    *model = (web_model){0};
    tenon_read_opts read = web_read_opts();
    read.name = path;
    if (!tenon_load(path, &read, &model->bytes, &web.err)) return false;
    model->doc = tenon_read(model->bytes.data, model->bytes.size, &read, &web.err);
    if (!model->doc) tenon_unload(&model->bytes);
    return model->doc != NULL;
}

void web_model_free(web_model *model)
{
    tenon_doc_free(model->doc);
    tenon_unload(&model->bytes);
    *model = (web_model){0};
}

void web_put_document(const web_model *model, const tenon_info *info)
{
    web_json_text(&web.json, "file", web.options.model);
    web_json_text(&web.json, "format", model->doc->format->name);
    web_json_text(&web.json, "version", info->version);
    web_json_text(&web.json, "dialect", model->doc->dialect->name);
    web_json_uint(&web.json, "size", model->bytes.size);
}

// -- Info

static void web_put_counts(const tenon_info *info)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {
        {"meshes", info->meshes},         {"vertices", info->vertices},
        {"triangles", info->triangles},   {"nodes", info->nodes},
        {"joints", info->joints},         {"animations", info->animations},
        {"channels", info->channels},     {"frames", info->frames},
        {"materials", info->materials},   {"fonts", info->fonts},
        {"font_sizes", info->font_sizes},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value != TENON_ABSENT)
            web_json_uint(&web.json, counts[i].key, counts[i].value);
}

static void web_put_corner(const char *key, const double corner[3])
{
    web_json_begin(&web.json, key, '[');
    for (int k = 0; k < 3; k++) web_json_number(&web.json, NULL, corner[k]);
    web_json_end(&web.json, ']');
}

static void web_put_clips(const tenon_info *info)
{
    web_json *json = &web.json;
    web_json_begin(json, "clips", '[');
    for (uint32_t i = 0; i < info->clip_count; i++) {
        const tenon_clip_info *clip = &info->clips[i];
        web_json_begin(json, NULL, '{');
        web_json_str(json, "name", clip->name);
        if (!(clip->seconds < 0)) web_json_number(json, "seconds", clip->seconds);
        if (clip->channels != TENON_ABSENT) web_json_uint(json, "channels", clip->channels);
        if (clip->frames != TENON_ABSENT) web_json_uint(json, "frames", clip->frames);
        if (clip->has_flags) web_json_bool(json, "loop", clip->loop);
        if (clip->has_flags) web_json_bool(json, "hold", clip->hold);
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
}

// An item for a clip in a file beside a BBMOD model.
static void web_put_clip_file(void *user, const char *name)
{
    const char *const *path = user;
    tenon_str clip = tenon_bbanim_clip(*path, name);
    web_json *json = &web.files;
    web_json_begin(json, NULL, '{');
    web_json_str(json, "name", clip);
    web_json_text(json, "file", name);
    web_json_end(json, '}');
}

static bool web_put_clip_files(const tenon_doc *doc)
{
    const tenon_allocator allocator = web_allocator();
    const char *path = web.options.model;
    if (!tenon_as_bbmod((tenon_doc *)doc)) return true;
    // The names that it hands over are those in the model's folder.
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (!tenon_bbanim_find(tenon_system_files(), path, &allocator, web_put_clip_file, &base,
                           &web.err))
        return false;
    if (web.files.size) web_json_list(&web.json, "clip_files", &web.files);
    return true;
}

static const char *web_texture_state(const tenon_doc *doc, tenon_str texture)
{
    char name[PATH_SIZE], path[PATH_SIZE];
    tenon_file_info info;
    const tenon_files *files = tenon_system_files();
    // Beowolf looks for .dds where a model names .png or .jpg.
    size_t size =
        tenon_as_bmw((tenon_doc *)doc) ? tenon_bmw_texture_name(texture, name, sizeof name) : 0;
    if (size) texture = (tenon_str){name, (uint32_t)size};
    if (!tenon_file_beside(NULL, web.options.model, texture, path, sizeof path)) return "outside";
    return files->look(NULL, path, &info) == 0 ? "found" : "missing";
}

static void web_put_materials(const tenon_doc *doc, const tenon_info *info)
{
    web_json *json = &web.json;
    web_json_begin(json, "material_list", '[');
    for (uint32_t i = 0; i < info->material_count; i++) {
        const tenon_material_info *material = &info->material_list[i];
        web_json_begin(json, NULL, '{');
        web_json_str(json, "name", material->name);
        if (material->texture.size) {
            web_json_str(json, "texture", material->texture);
            web_json_text(json, "texture_state", web_texture_state(doc, material->texture));
        }
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
}

static bool web_put_info(const web_model *model, const tenon_info *info)
{
    web_json *json = &web.json;
    const tenon_doc *doc = model->doc;
    web_put_document(model, info);
    web_put_counts(info);
    if (info->has_bounds) {
        web_json_begin(json, "bounds", '{');
        web_put_corner("min", info->bounds_min);
        web_put_corner("max", info->bounds_max);
        web_json_end(json, '}');
    }
    web_put_clips(info);
    if (!web_put_clip_files(doc)) return false;
    web_put_materials(doc, info);
    web_json_begin(json, "facts", '[');
    for (uint32_t i = 0; i < info->fact_count; i++) {
        web_json_begin(json, NULL, '{');
        web_json_text(json, "label", info->facts[i].label);
        web_json_text(json, "text", info->facts[i].text);
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
    if (doc->also) web_json_text(json, "also", doc->also->name);
    if (doc->trailing.size) web_json_uint(json, "trailing", doc->trailing.size);
    return true;
}

bool web_info(void)
{
    web_model model;
    tenon_info info;
    const tenon_info_opts opts = {.full = web.options.full, .model_path = web.options.model};
    if (!web_model_read(&model, web.options.model)) return false;
    bool ok = tenon_doc_info(model.doc, &opts, &info, &web.err);
    if (ok) {
        ok = web_put_info(&model, &info);
        tenon_info_free(&info);
    }
    web_model_free(&model);
    return ok;
}

// -- Check

static const char *const severities[] = {
    [TENON_INFO] = "info", [TENON_WARNING] = "warning", [TENON_ERROR] = "error"};

static void web_put_finding(void *user, const tenon_finding *finding)
{
    web_json *json = user;
    web_json_begin(json, NULL, '{');
    web_json_text(json, "rule", finding->rule->id);
    web_json_text(json, "severity", severities[finding->severity]);
    web_json_text(json, "path", finding->path);
    if (finding->offset != TENON_ABSENT) web_json_uint(json, "offset", finding->offset);
    web_json_text(json, "message", finding->message);
    if (finding->fix) web_json_text(json, "fix", finding->fix);
    if (finding->more) web_json_uint(json, "more", finding->more);
    web_json_end(json, '}');
}

bool web_check(void)
{
    web_model model;
    tenon_info info;
    tenon_check_result result;
    const web_options *opts = &web.options;
    tenon_events events = web_events();
    events.on_loss = NULL;
    const tenon_check_opts check = {.allocator = web_allocator(),
                                    .events = events,
                                    .max_per_rule = (uint32_t)opts->max_per_rule,
                                    .profile = opts->profile,
                                    .model_path = opts->model};
    if (!web_model_read(&model, opts->model)) return false;
    bool ok = tenon_doc_info(model.doc, NULL, &info, &web.err);
    if (ok) {
        web_put_document(&model, &info);
        tenon_info_free(&info);
    }
    web_json_begin(&web.json, "findings", '[');
    ok = ok && tenon_check(model.doc, &check, web_put_finding, &web.json, &result, &web.err);
    web_json_end(&web.json, ']');
    if (ok) {
        web_json_uint(&web.json, "errors", result.errors);
        web_json_uint(&web.json, "warnings", result.warnings);
        web_json_uint(&web.json, "infos", result.infos);
    }
    web_model_free(&model);
    return ok;
}

// -- Tree

static bool web_put_node(void *user, const tenon_tree_node *node)
{
    web_json *json = user;
    web_json_begin(json, NULL, '{');
    web_json_str(json, "name", node->name);
    web_json_uint(json, "depth", node->depth);
    web_json_text(json, "kind", node->kind);
    if (node->what[0]) web_json_text(json, "what", node->what);
    web_json_end(json, '}');
    return !json->failed;
}

bool web_tree(void)
{
    web_model model;
    if (!web_model_read(&model, web.options.model)) return false;
    web_json_begin(&web.json, "tree", '[');
    bool ok = tenon_tree(model.doc, web_put_node, &web.json, &web.err);
    web_json_end(&web.json, ']');
    web_model_free(&model);
    return ok;
}

// -- Trace

static void web_put_place(const char *key, const tenon_place *place)
{
    web_json *json = &web.json;
    web_json_begin(json, key, '{');
    web_json_text(json, "path", place->path);
    if (place->offset != TENON_ABSENT) web_json_uint(json, "offset", place->offset);
    if (place->offset != TENON_ABSENT) web_json_uint(json, "size", place->size);
    web_json_end(json, '}');
}

bool web_trace(void)
{
    web_model model;
    tenon_traced traced;
    const web_options *opts = &web.options;
    tenon_events events = web_events();
    events.on_loss = NULL;
    const tenon_scene_opts scene = {.allocator = web_allocator(), .events = events};
    if (!web_model_read(&model, opts->model)) return false;
    bool ok = tenon_trace(model.doc, (uint32_t)opts->node, (uint32_t)opts->primitive,
                          (uint64_t)opts->triangle, &scene, &traced, &web.err);
    if (ok) {
        web_put_place("triangle", &traced.triangle);
        web_json_begin(&web.json, "corners", '[');
        for (int k = 0; k < 3; k++) web_put_place(NULL, &traced.corners[k]);
        web_json_end(&web.json, ']');
    }
    web_model_free(&model);
    return ok;
}

bool web_trace_back(void)
{
    web_model model;
    tenon_corner corner;
    tenon_events events = web_events();
    events.on_loss = NULL;
    const tenon_scene_opts scene = {.allocator = web_allocator(), .events = events};
    if (!web_model_read(&model, web.options.model)) return false;
    bool ok = tenon_trace_back(model.doc, (uint64_t)web.options.offset, &scene, &corner, &web.err);
    if (ok) {
        web_json_uint(&web.json, "node", corner.node);
        web_json_uint(&web.json, "primitive", corner.primitive);
        web_json_uint(&web.json, "triangle", corner.triangle);
        if (corner.corner != TENON_NONE) web_json_uint(&web.json, "corner", corner.corner);
    }
    web_model_free(&model);
    return ok;
}

// -- Formats

bool web_formats(void)
{
    web_json *json = &web.json;
    const tenon_format *format;
    web_json_text(json, "version", tenon_version());
    web_json_begin(json, "formats", '[');
    for (uint32_t i = 0; (format = tenon_format_at(i)) != NULL; i++) {
        web_json_begin(json, NULL, '{');
        web_json_text(json, "name", format->name);
        web_json_text(json, "title", format->title);
        web_json_text(json, "engine", format->engine);
        web_json_begin(json, "extensions", '[');
        for (int k = 0; k < 4 && format->extensions[k]; k++)
            web_json_text(json, NULL, format->extensions[k]);
        web_json_end(json, ']');
        web_json_bool(json, "reads", format->caps & TENON_TO_SCENE);
        web_json_bool(json, "writes", format->caps & TENON_FROM_SCENE);
        web_json_begin(json, "dialects", '[');
        for (uint32_t k = 0; k < format->dialect_count; k++)
            web_json_text(json, NULL, format->dialects[k].name);
        web_json_end(json, ']');
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
    const tenon_rule *rule;
    web_json_begin(json, "rules", '[');
    for (uint32_t i = 0; (rule = tenon_rule_at(i)) != NULL; i++) {
        web_json_begin(json, NULL, '{');
        web_json_text(json, "id", rule->id);
        web_json_text(json, "severity", severities[rule->severity]);
        web_json_text(json, "summary", rule->summary);
        if (rule->fix) web_json_text(json, "fix", rule->fix);
        if (rule->profile) web_json_text(json, "profile", rule->profile);
        web_json_end(json, '}');
    }
    web_json_end(json, ']');
    return true;
}
