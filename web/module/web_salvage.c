// web_salvage.c: recovers what is intact in a damaged model, as the command `salvage` does.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <stdlib.h>
#include <string.h>

// -- What is wrong

static bool web_count_errors(const tenon_doc *doc, uint64_t *count)
{
    const tenon_check_opts opts = {.allocator = web_allocator()};
    tenon_check_result result;
    if (!tenon_check(doc, &opts, NULL, NULL, &result, &web.err)) return false;
    *count = result.errors;
    return true;
}

static void web_note_damage(void *user, const tenon_loss *loss)
{
    bool *is_damaged = user;
    *is_damaged |= loss->is_damage;
}

// Whether a document without errors contains implausible numbers.
static bool web_find_outliers(const tenon_doc *doc, bool *has_outliers)
{
    const tenon_scene_opts opts = {.allocator = web_allocator(),
                                   .salvage = true,
                                   .events = {.user = has_outliers, .on_loss = web_note_damage}};
    *has_outliers = false;
    if (!(doc->format->caps & TENON_TO_SCENE)) return true;
    tenon_scene *scene = tenon_to_scene(doc, &opts, &web.err);
    bool ok = scene || (web.err.code != TENON_ERR_MEMORY && web.err.code != TENON_ERR_IO);
    tenon_scene_free(scene);
    return ok;
}

static bool web_has_any(uint64_t count)
{
    return count != TENON_ABSENT && count > 0;
}

// -- Reading back what would be written

static bool web_begin_bytes(void *user, const char *name)
{
    ((web_bytes *)user)->is_skipped = *name != '\0';
    return true;
}

static bool web_end_bytes(void *user)
{
    (void)user;
    return true;
}

// Whether the bytes are a model of that format without errors; frees them.
static bool web_is_sound(web_bytes *bytes, const tenon_format *format, const char *model_path)
{
    tenon_check_result result = {0};
    const tenon_read_opts read = {.allocator = web_allocator(), .name = web.options.output};
    const tenon_check_opts check = {.allocator = web_allocator(), .model_path = model_path};
    tenon_error ignored;
    tenon_doc *doc = tenon_read(bytes->data, bytes->size, &read, &ignored);
    bool ok = doc && tenon_check(doc, &check, NULL, NULL, &result, &ignored) &&
              doc->format == format && result.errors == 0;
    tenon_doc_free(doc);
    free(bytes->data);
    return ok;
}

static bool web_doc_is_sound(const tenon_doc *doc)
{
    web_bytes bytes = {0};
    uint64_t used = web.budget.output.used;
    bool is_written = tenon_write(doc, web_bytes_add, &bytes, &web.err) != TENON_ABSENT;
    web.budget.output.used = used;
    if (is_written) return web_is_sound(&bytes, doc->format, web.options.output);
    free(bytes.data);
    return false;
}

static bool web_scene_is_sound(const tenon_scene *scene, const tenon_export_opts *opts)
{
    web_bytes bytes = {0};
    const tenon_sink sink = {web_begin_bytes, web_bytes_add, web_end_bytes, &bytes};
    tenon_export_opts quiet = *opts;
    quiet.events = (tenon_events){0};
    uint64_t used = web.budget.output.used;
    bool is_written = tenon_export(scene, &quiet, &sink, &web.err);
    web.budget.output.used = used;
    if (is_written) return web_is_sound(&bytes, tenon_format_by_name(opts->format), NULL);
    free(bytes.data);
    return false;
}

// -- Writing

// A document with something visible in it that is written as it is.
static bool web_is_worth_writing(const tenon_doc *doc, bool *is_worth)
{
    tenon_info info;
    uint64_t errors;
    if (!web_count_errors(doc, &errors) ||
        !tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &web.err))
        return false;
    bool has_nodes = info.nodes != TENON_ABSENT && info.nodes > 1;
    *is_worth =
        errors == 0 && (web_has_any(info.triangles) || web_has_any(info.animations) ||
                        web_has_any(info.frames) || web_has_any(info.font_sizes) || has_nodes);
    tenon_info_free(&info);
    return true;
}

static bool web_has_triangles(const tenon_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *primitive = &scene->meshes[i].primitives[k];
            uint32_t count = primitive->indices ? primitive->index_count : primitive->vertex_count;
            if (primitive->mode >= TENON_TRIANGLES && count > 0) return true;
        }
    return false;
}

static bool web_rebuild(const tenon_doc *doc, const tenon_format *to)
{
    const web_options *opts = &web.options;
    const tenon_write_opts write = {.force = true};
    const tenon_scene_opts meaning = {.allocator = web_allocator(),
                                      .events = web_events(),
                                      .model_path = opts->model,
                                      .salvage = true};
    const char *dot = strrchr(opts->output, '.');
    const char *usual = dot && tenon_dialect_by_name(to, dot + 1) ? dot + 1 : NULL;
    // Keep the dialect: a reader of version 1.2 does not know 1.5.
    const char *kept = to == doc->format ? doc->dialect->name : NULL;
    tenon_export_opts export = {.allocator = web_allocator(),
                                .events = web_events(),
                                .format = to->name,
                                .dialect = opts->as ? opts->as
                                           : kept   ? kept
                                                    : usual,
                                .model_path = opts->model};
    export.embed = export.dialect && strcmp(export.dialect, "glb") == 0;
    export.events.on_file = web_add_file;
    tenon_scene *scene = tenon_to_scene(doc, &meaning, &web.err);
    if (!scene) return false;
    bool ok = web_has_triangles(scene) || scene->node_count > 1;
    if (!ok)
        (void)web_fail(TENON_ERR_VALUE,
                       "no whole triangle, animation, font or tree of nodes is left of it");
    if (ok && !web_scene_is_sound(scene, &export)) {
        // Some dialects are mistakes of a writer, which `check` rejects.
        export.dialect = usual;
        ok = kept && web_scene_is_sound(scene, &export);
        if (!ok) (void)web_fail(TENON_ERR_VALUE, "what is left of it gives no valid file");
    }
    ok = ok && tenon_export_file(scene, opts->output, &export, &write, &web.err);
    tenon_scene_free(scene);
    return ok;
}

typedef struct recovery {
    tenon_bytes bytes;
    tenon_doc *doc;
    tenon_error fault;
    bool is_known_by_name;
    uint64_t error_count;
} recovery;

// Read what is readable. A file whose bytes match no format is read as its name says.
static bool web_read_damaged(recovery *damaged)
{
    tenon_read_opts read = web_read_opts();
    read.partial = read.incomplete = true;
    if (!tenon_load(web.options.model, &read, &damaged->bytes, &web.err)) return false;
    tenon_error *fault = &damaged->fault;
    damaged->doc = tenon_read(damaged->bytes.data, damaged->bytes.size, &read, fault);
    bool is_unknown = !damaged->doc && !read.format &&
                      (fault->code == TENON_ERR_FORMAT || fault->code == TENON_ERR_AMBIGUOUS);
    const char *dot = strrchr(web.options.model, '.');
    const tenon_format *format;
    for (uint32_t i = 0; is_unknown && dot && (format = tenon_format_at(i)); i++)
        for (int k = 0; k < 4 && format->extensions[k]; k++)
            if (strcmp(format->extensions[k], dot + 1) == 0 && !read.format)
                read.format = format->name;
    if (is_unknown && read.format)
        damaged->doc = tenon_read(damaged->bytes.data, damaged->bytes.size, &read, fault);
    damaged->is_known_by_name = is_unknown && damaged->doc && fault->code == TENON_OK;
    if (!damaged->doc) web.err = *fault;
    return damaged->doc != NULL;
}

static bool web_write_recovered(recovery *damaged)
{
    const web_options *opts = &web.options;
    tenon_doc *doc = damaged->doc;
    const tenon_format *to = opts->to ? tenon_format_by_name(opts->to) : doc->format;
    const tenon_change_opts change = {.events = web_events()};
    const tenon_write_opts write = {.force = true};
    if (!to) return web_fail(TENON_ERR_UNSUPPORTED, "there is no such format");
    bool has_outliers = false, is_worth = false;
    if (damaged->fault.code == TENON_OK) {  // It can be read; what else is wrong with it?
        if (!web_count_errors(doc, &damaged->error_count) ||
            (!damaged->error_count && !web_find_outliers(doc, &has_outliers)))
            return false;
    }
    bool is_whole = damaged->fault.code == TENON_OK && damaged->error_count == 0 && !has_outliers &&
                    !damaged->is_known_by_name;
    bool is_repaired = is_whole || tenon_recover(doc, &change, &web.err);
    if (!is_repaired && web.err.code != TENON_ERR_UNSUPPORTED) return false;
    if (to == doc->format && !opts->as && is_repaired && !damaged->is_known_by_name &&
        !web_is_worth_writing(doc, &is_worth))
        return false;
    if (is_worth && !is_whole && !web_find_outliers(doc, &has_outliers)) return false;
    is_worth = is_worth && !has_outliers && web_doc_is_sound(doc);
    if (!is_worth && (!(doc->format->caps & TENON_TO_SCENE) || !(to->caps & TENON_FROM_SCENE)))
        return web_fail(TENON_ERR_UNSUPPORTED, "nothing is left of it that the format can store");
    web_json_text(&web.json, "format", to->name);
    if (!is_worth) return web_rebuild(doc, to);
    web_json_text(&web.json, "dialect", doc->dialect->name);
    return tenon_write_file(doc, opts->output, &write, &web.err) &&
           web_add_file(NULL, &(tenon_written_file){.path = opts->output});
}

// -- The command

static void web_put_cut(void *user, const tenon_cut *cut)
{
    web_json *json = user;
    web_json_begin(json, NULL, '{');
    web_json_text(json, "path", cut->path);
    web_json_uint(json, "offset", cut->offset);
    web_json_uint(json, "kept", cut->kept);
    web_json_uint(json, "stated", cut->stated);
    web_json_end(json, '}');
}

bool web_salvage(void)
{
    recovery damaged = {0};
    bool ok = web_read_damaged(&damaged);
    if (ok && damaged.fault.code != TENON_OK) {
        web_json_begin(&web.json, "fault", '{');
        web_json_error(&web.json, &damaged.fault);
        web_json_end(&web.json, '}');
    }
    if (ok) {
        web_json_begin(&web.json, "cuts", '[');
        tenon_cuts(damaged.doc, web_put_cut, &web.json);
        web_json_end(&web.json, ']');
        ok = web_write_recovered(&damaged);
        web_json_uint(&web.json, "errors", damaged.error_count);
    }
    web_json_list(&web.json, "losses", &web.losses);
    web_json_list(&web.json, "files", &web.files);
    tenon_doc_free(damaged.doc);
    tenon_unload(&damaged.bytes);
    return ok;
}
