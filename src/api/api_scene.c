// api_scene.c: the public entry points that import and export scenes; defaults are here.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "exchange/export_document.h"
#include "exchange/scene_import.h"
#include "exchange/scene_trace.h"
#include "formats/formats.h"
#include "scene/edit/editor.h"
#include "scene/model/scene_build.h"

#include <stdio.h>
#include <string.h>

static const tenon_scene_opts default_scene_opts;
static const tenon_export_opts default_export_opts;

// -- Scenes

void tenon_scene_free(tenon_scene *scene)
{
    tn_scene_free(scene);
}

void *tenon_scene_alloc(tenon_scene *scene, size_t size)
{
    return tn_arena_alloc(&scene->owner->arena, 1, size, NULL);
}

tenon_scene *tenon_scene_new(const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    tn_scene_builder b;
    tenon_scene_opts without_limit = opts ? *opts : default_scene_opts;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!without_limit.max_memory) without_limit.max_memory = UINT64_MAX;
    bool ok = tn_scene_begin(&b, &without_limit, 0, err);
    return tn_budget_settle(without_limit.allocator.budget, ok, err) ? b.scene : NULL;
}

tenon_scene *tenon_to_scene(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return tn_import(doc, opts ? opts : &default_scene_opts, err);
}

bool tenon_trace(const tenon_doc *doc, uint32_t node, uint32_t primitive, uint64_t triangle,
                 const tenon_scene_opts *opts, tenon_traced *traced, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return tn_trace(doc, node, primitive, triangle, opts ? opts : &default_scene_opts, traced, err);
}

bool tenon_trace_back(const tenon_doc *doc, uint64_t offset, const tenon_scene_opts *opts,
                      tenon_corner *corner, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return tn_trace_back(doc, offset, opts ? opts : &default_scene_opts, corner, err);
}

bool tenon_trace_paths(const tenon_doc *doc, tenon_traced_part *places, uint32_t count,
                       const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!doc || (count && !places))
        return tn_error(err, TENON_ERR_VALUE, "a document and places are needed");
    return tn_trace_paths(doc, places, count, opts ? opts : &default_scene_opts, err);
}

// -- Writing

// The format of that name, or the one that has a dialect of that name.
static const tn_format *api_scene_find_export(const char *name, const tenon_dialect **dialect)
{
    const tn_format *format, *found = NULL;
    *dialect = NULL;
    for (uint32_t i = 0; (format = tn_format_at(i)) != NULL; i++) {
        if (!format->export) continue;
        const tenon_dialect *named = tenon_dialect_by_name(&format->face, name);
        bool is_it = strcmp(format->face.name, name) == 0;
        if (!is_it && (!named || found)) continue;
        found = format;
        *dialect = named;
        if (is_it) break;
    }
    return found;
}

static const tn_format *api_scene_choose_export(const tenon_export_opts *opts, const char *name,
                                                const tenon_dialect **dialect, tenon_error *err)
{
    if (!name) {
        (void)tn_error(err, TENON_ERR_UNSUPPORTED, "the options do not name the format to write");
        return NULL;
    }
    const tn_format *format = api_scene_find_export(name, dialect);
    if (!format) {
        (void)tn_error(err, TENON_ERR_UNSUPPORTED, "a scene cannot be written as '%s'", name);
        return NULL;
    }
    if (opts->dialect) *dialect = tenon_dialect_by_name(&format->face, opts->dialect);
    if (!opts->dialect || *dialect) return format;
    (void)tn_error(err, TENON_ERR_UNSUPPORTED, "%s has no dialect '%s'", format->face.name,
                   opts->dialect);
    return NULL;
}

bool tenon_export(const tenon_scene *scene, const tenon_export_opts *opts, const tenon_sink *sink,
                  tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!opts) opts = &default_export_opts;
    const tenon_dialect *dialect = NULL;
    const tn_format *format = api_scene_choose_export(opts, opts->format, &dialect, err);
    return format && tn_export_scene(format, dialect, scene, opts, sink, err);
}

bool tenon_export_file(const tenon_scene *scene, const char *path, const tenon_export_opts *opts,
                       const tenon_write_opts *write_opts, tenon_error *err)
{
    static const tenon_write_opts no_opts;
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!opts) opts = &default_export_opts;
    const char *name = path + tn_path_folder_size(path), *dot = strrchr(name, '.');
    const char *extension = dot && dot != name ? dot + 1 : NULL;
    const tenon_dialect *dialect = NULL;
    const tn_format *format =
        api_scene_choose_export(opts, opts->format ? opts->format : extension, &dialect, err);
    return format && tn_export_scene_files(format, dialect, scene, path, opts,
                                           write_opts ? write_opts : &no_opts, err);
}

// The name of the model's file: "model.glb".
static bool api_scene_name_file(const tn_format *format, const tenon_dialect *dialect,
                                const tenon_export_opts *opts, char *path, tenon_error *err)
{
    const char *extension = format->face.extensions[0];
    for (int i = 0; dialect && format->face.extensions[i]; i++)
        if (strcmp(format->face.extensions[i], dialect->name) == 0) extension = dialect->name;
    int size = snprintf(path, TN_PATH_SIZE, "%s.%s", opts->name ? opts->name : "model", extension);
    return (size > 0 && size < TN_PATH_SIZE) ||
           tn_error(err, TENON_ERR_IO, "the name of the output is too long");
}

// Export to memory, and get the path of the model there.
static tenon_memory *api_scene_to_memory(const tenon_scene *scene, const tenon_export_opts *opts,
                                         char *path, tenon_error *err)
{
    if (!opts) opts = &default_export_opts;
    const tenon_dialect *dialect = NULL;
    const tn_format *format = api_scene_choose_export(opts, opts->format, &dialect, err);
    if (!format || !api_scene_name_file(format, dialect, opts, path, err)) return NULL;
    tenon_memory *memory = tenon_memory_new(&opts->allocator, err);
    if (!memory) return NULL;
    const tenon_write_opts write = {.files = tenon_memory_files(memory)};
    if (tn_export_scene_files(format, dialect, scene, path, opts, &write, err)) return memory;
    tenon_memory_free(memory);
    return NULL;
}

tenon_memory *tenon_export_memory(const tenon_scene *scene, const tenon_export_opts *opts,
                                  tenon_error *err)
{
    char path[TN_PATH_SIZE];
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return api_scene_to_memory(scene, opts, path, err);
}

tenon_doc *tenon_from_scene(const tenon_scene *scene, const tenon_export_opts *opts,
                            tenon_error *err)
{
    char path[TN_PATH_SIZE];
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_memory *memory = api_scene_to_memory(scene, opts, path, err);
    if (!memory) return NULL;
    const tenon_read_opts read = {.allocator = opts->allocator,
                                  .files = tenon_memory_files(memory)};
    tenon_doc *doc = tenon_read_file(path, &read, err);
    tenon_memory_free(memory);
    return doc;
}

// What is verified is not written.
static bool api_scene_ignore_name(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool api_scene_ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static bool api_scene_ignore(void *user)
{
    (void)user;
    return true;
}

bool tenon_export_verify(const tenon_scene *scene, const tenon_export_opts *opts,
                         const tenon_verify_opts *verify_opts, tenon_verify_result *result,
                         tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &default_export_opts;
    tn_error_clear(err);
    const tenon_dialect *dialect = NULL;
    const tn_format *format = api_scene_choose_export(opts, opts->format, &dialect, err);
    if (!format) return false;
    static const tenon_verify_opts defaults;
    const tenon_sink nowhere = {api_scene_ignore_name, api_scene_ignore_bytes, api_scene_ignore,
                                NULL};
    // Shapes and poses are compared, so pictures are not needed.
    tenon_export_opts silent = *opts;
    silent.events = (tenon_events){0};
    silent.model_path = silent.texture_root = NULL;
    silent.embed = silent.copy_textures = false;
    silent.pictures = (tenon_pictures){0};
    silent.verify = verify_opts ? verify_opts : &defaults;
    silent.verified = result;
    tenon_budget *budget = opts->allocator.budget;
    uint64_t output_used = budget ? budget->output.used : 0;
    bool ok = tn_export_scene(format, dialect, scene, &silent, &nowhere, err);
    if (budget) budget->output.used = output_used;
    return ok;
}
