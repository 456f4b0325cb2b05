// api_convert.c: the public entry points that convert a file, and the steps of a conversion.
// SPDX-License-Identifier: MIT

#include "api/api_convert.h"
#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/error.h"
#include "core/text/number.h"

#include <tenon/edit.h>
#include <tenon/fbx.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- What is made of what

static const char *api_convert_find_extension(const char *path)
{
    const char *name = path + tn_path_folder_size(path), *dot = strrchr(name, '.');
    return dot && dot != name ? dot + 1 : NULL;
}

static bool api_convert_has_extension(const tenon_format *format, const char *name)
{
    for (int i = 0; format->extensions[i]; i++)
        if (strcmp(format->extensions[i], name) == 0) return true;
    return false;
}

// The format of that name, or the one that has a dialect or an extension of that name.
static const tenon_format *api_convert_find_format(const char *name)
{
    const tenon_format *format = tenon_format_by_name(name);
    for (uint32_t i = 0; !format && tenon_format_at(i); i++) {
        const tenon_format *other = tenon_format_at(i);
        if (tenon_dialect_by_name(other, name) || api_convert_has_extension(other, name))
            format = other;
    }
    return format;
}

// Find the format and the dialect of the output, and whether a new model is made.
static bool api_convert_choose(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    tenon_doc *doc = c->face.doc;
    const char *extension = api_convert_find_extension(c->out);
    const char *name = opts->exporting.format ? opts->exporting.format : extension;
    c->to = name ? api_convert_find_format(name) : doc->format;
    if (!c->to && opts->exporting.format)
        return tn_error(c->err, TENON_ERR_UNSUPPORTED, "there is no format '%s'", name);
    if (!c->to)
        return tn_error(c->err, TENON_ERR_UNSUPPORTED,
                        "unknown extension '.%s': the options do not name the format to write",
                        name);
    // A file that had a wrong extension before may keep it.
    const tenon_dialect *named = tenon_dialect_by_extension(doc, c->out);
    if (c->in && named == tenon_dialect_by_extension(doc, c->in)) named = NULL;
    c->dialect = opts->exporting.dialect;
    if (!c->dialect && c->to == doc->format && named) c->dialect = named->name;
    if (!c->dialect && name && c->to != tenon_format_by_name(name) &&
        tenon_dialect_by_name(c->to, name))
        c->dialect = name;
    bool is_other = c->dialect && strcmp(c->dialect, doc->dialect->name) != 0;
    bool cannot_change =
        is_other && !(doc->format->caps & TENON_CAN_CHANGE) && doc->format->caps & TENON_FROM_SCENE;
    bool makes_new_model = opts->makes_new_model || c->to != doc->format || cannot_change;
    if (makes_new_model && !c->dialect) {
        // By the name of the output; where dialects have the names of the extensions, the first.
        if (extension && tenon_dialect_by_name(c->to, extension))
            c->dialect = extension;
        else if (tenon_dialect_by_name(c->to, c->to->name))
            c->dialect = c->to->dialects[0].name;
    }
    if (makes_new_model) c->face.exporting = &c->exporting;
    return true;
}

// -- Losses, decisions

static void api_convert_count_loss(void *user, const tenon_loss *loss)
{
    tn_conversion *c = user;
    const tenon_events *events = &c->opts->events;
    // What is synthesized or set to a default was not in the input, so nothing is lost.
    bool is_loss = loss->kind == TENON_DROPPED || loss->kind == TENON_APPROXIMATED;
    c->result.loss_count += is_loss;
    if (events->on_loss) events->on_loss(events->user, loss);
}

static bool api_convert_report_progress(void *user, uint64_t done, uint64_t total)
{
    const tenon_events *events = &((tn_conversion *)user)->opts->events;
    return events->on_progress(events->user, done, total);
}

static bool api_convert_report_file(void *user, const tenon_written_file *file)
{
    return tn_convert_report_file(user, file);
}

// Whether the result may be written.
static bool api_convert_accept(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    uint64_t count = c->result.loss_count;
    if (opts->strict && count)
        return tn_error(c->err, TENON_ERR_UNSUPPORTED,
                        "not written: losses are forbidden, and there %s %" PRIu64,
                        count == 1 ? "is" : "are", count);
    if (opts->accept) return opts->accept(opts->user, &c->face, &c->result, c->err);
    tenon_verdict verdict = c->result.verified.verdict;
    if (!c->result.is_verified || verdict == TENON_VERIFIED || opts->accept_losses) return true;
    char largest[TN_NUMBER_MAX + 1];
    (void)tn_f32_text((float)c->result.verified.largest, largest);
    return tn_error(c->err, TENON_ERR_UNSUPPORTED, "%s: %s of the diagonal",
                    tenon_verdict_word(verdict), largest);
}

static bool api_convert_edit(tn_conversion *c)
{
    return !c->opts->edit || c->opts->edit(c->opts->user, &c->face, c->err);
}

static tenon_scene_opts api_convert_scene_opts(const tn_conversion *c)
{
    tenon_scene_opts opts = c->opts->importing;
    opts.allocator = c->opts->allocator;
    opts.events = c->events;
    opts.events.on_file = NULL;
    opts.files = c->files;
    opts.model_path = c->in;
    return opts;
}

static tenon_scene *api_convert_import(const tn_conversion *c)
{
    const tenon_scene_opts opts = api_convert_scene_opts(c);
    const tenon_read_opts read = {.allocator = opts.allocator, .files = c->files};
    return tenon_import(c->face.doc, &read, &opts, c->err);
}

static tenon_verify_opts api_convert_verify_opts(const tn_conversion *c)
{
    tenon_verify_opts opts = c->opts->verifying;
    opts.allocator = c->opts->allocator;
    opts.executor = c->opts->executor;
    return opts;
}

// -- Within a format

// Compare the changed document with what it was.
static bool api_convert_verify_document(tn_conversion *c, const tenon_scene *before)
{
    const tenon_doc *doc = c->face.doc;
    if (!c->face.is_changed) {
        c->result.is_verified = true;
        c->result.verified = (tenon_verify_result){.verdict = TENON_VERIFIED, .matched = 1};
        return true;
    }
    if (!before)
        return tn_error(c->err, TENON_ERR_UNSUPPORTED,
                        "the result cannot be verified: there is nothing to pose");
    tenon_scene *after = api_convert_import(c);
    c->face.after = after;
    tenon_verify_opts opts = api_convert_verify_opts(c);
    opts.rest_only |= before->animation_count && after && !after->animation_count &&
                      tenon_why_no_motion(doc->format, doc->dialect);
    c->result.is_verified =
        after && tenon_verify(before, after, &opts, &c->result.verified, c->err);
    return c->result.is_verified;
}

// Write the document to the batch, or to the sink.
static bool api_convert_write_document(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    const tenon_doc *doc = c->face.doc;
    tenon_written_file file = {.path = c->out};
    c->result.size = file.size = tenon_write(doc, NULL, NULL, c->err);
    if (file.size == TENON_ABSENT) return false;
    // A file that would get the same bytes keeps its date.
    file.is_unchanged = opts->writing.in_place && !c->face.is_changed;
    if (!tn_convert_report_file(c, &file) || file.is_unchanged || opts->exporting.dry_run)
        return c->err->code == TENON_OK;
    c->result.is_written = true;
    if (!opts->sink) return tenon_write_file(doc, c->out, &c->writing, c->err);
    return opts->sink->begin(opts->sink->user, "") &&
           tenon_write(doc, opts->sink->write, opts->sink->user, c->err) != TENON_ABSENT &&
           opts->sink->end(opts->sink->user);
}

static bool api_convert_document(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    tenon_doc *doc = c->face.doc;
    const tenon_dialect *dialect = doc->dialect;
    tenon_change_opts changing = opts->changing;
    changing.dialect = c->dialect;
    changing.events = c->events;
    bool may_change = opts->edit || c->face.is_changed || changing.refresh || changing.spaces ||
                      (c->dialect && strcmp(c->dialect, dialect->name) != 0);
    bool is_posed = opts->verify && may_change && doc->format->caps & TENON_TO_SCENE;
    tenon_scene *before = is_posed ? api_convert_import(c) : NULL;
    c->face.scene = before;
    bool ok = (!is_posed || before) && api_convert_edit(c) && tenon_change(doc, &changing, c->err);
    c->face.is_changed |= doc->dialect != dialect || changing.refresh || changing.spaces;
    c->result.is_changed = c->face.is_changed;
    c->result.dialect = doc->dialect;
    ok = ok && (!opts->verify || api_convert_verify_document(c, before)) && api_convert_accept(c) &&
         tn_convert_copy_sidecars(c) && api_convert_write_document(c);
    tenon_scene_free((tenon_scene *)c->face.after);
    tenon_scene_free(before);
    return ok;
}

// -- A new model

// FBX files have clips on a timeline of their own.
static bool api_convert_cut_lead_in(tn_conversion *c)
{
    const tenon_edit_clip_opts edit = {.start_at_first_key = true};
    tenon_scene *scene = c->face.scene;
    double *durations = tn_arena_alloc_or_fail(&c->arena, scene->animation_count, sizeof *durations,
                                               "the durations of clips", c->err);
    if (!durations) return false;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        durations[i] = scene->animations[i].duration;
    if (!tenon_edit_clips(scene, &edit, c->err)) return false;
    tenon_loss loss = {
        .kind = TENON_DEFAULTED, .feature = "lead-in", .why = "clips start at their first key"};
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        if (!(scene->animations[i].duration < durations[i])) continue;
        if (loss.count++ == 0) loss.path = scene->animations[i].name.data;
    }
    if (loss.count) api_convert_count_loss(c, &loss);
    return true;
}

// Scale a scene in meters to the unit that is wanted.
static bool api_convert_scale(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    double unit = c->face.unit, scale = opts->scale > 0 ? opts->scale : 1;
    if (unit > 0 && unit != 1) {
        bool is_auto = opts->units == TENON_UNITS_AUTO;
        bool is_engines = strcmp(c->to->name, "bbmod") == 0 || strcmp(c->to->name, "bmw") == 0;
        bool keeps = opts->units == TENON_UNITS_KEEP || (is_auto && is_engines);
        char why[160], number[TN_NUMBER_MAX + 1];
        (void)tn_f32_text((float)unit, number);
        (void)snprintf(why, sizeof why,
                       keeps ? "the file's own numbers are kept (1 unit = %s m), as the engine's "
                               "converter does"
                             : "lengths are converted to meters (1 unit = %s m)",
                       number);
        if (is_auto)
            api_convert_count_loss(
                c,
                &(tenon_loss){.kind = TENON_DEFAULTED, .feature = "unit", .why = why, .count = 1});
        if (keeps) scale *= 1 / unit;
    }
    const tenon_edit_space_opts space = {.events = c->events, .scale = scale};
    return scale == 1 || tenon_edit_space(c->face.scene, &space, c->err);
}

// What is written goes to memory first if it cannot be taken back: into a pipe or a device.
static bool api_convert_begin_output(tn_conversion *c)
{
    tenon_file_info info;
    const tenon_files *files = c->writing.files;
    bool is_final = c->opts->sink || (files->look(files->user, c->out, &info) == 0 &&
                                      info.kind != TENON_FILE_REGULAR);
    if (!is_final || c->opts->exporting.dry_run) return true;
    c->memory = tenon_memory_new(&c->opts->allocator, c->err);
    return c->memory != NULL;
}

// Write what was kept in memory.
static bool api_convert_flush(tn_conversion *c)
{
    tenon_memory_file file;
    const tenon_sink *sink = c->opts->sink;
    for (uint32_t i = 0; tenon_memory_at(c->memory, i, &file); i++) {
        bool is_main = strcmp(file.path, c->out) == 0;
        bool ok = sink ? sink->begin(sink->user, is_main ? "" : file.path) &&
                             sink->write(sink->user, file.data, file.size) && sink->end(sink->user)
                       : tenon_save(file.path, file.data, file.size, &c->writing, c->err);
        if (ok) continue;
        return c->err->code == TENON_OK ? tn_error(c->err, TENON_ERR_IO, "the output was refused")
                                        : false;
    }
    return true;
}

static bool api_convert_export(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    tenon_export_opts *exporting = &c->exporting;
    tenon_scene *scene = c->face.scene;
    tenon_verify_opts verifying = api_convert_verify_opts(c);
    tenon_write_opts writing = c->writing;
    if (!api_convert_begin_output(c)) return false;
    if (c->memory) {
        writing = (tenon_write_opts){.files = tenon_memory_files(c->memory)};
        // A model that goes into a sink has no folder.
        if (opts->sink && !exporting->name) exporting->name = "model";
        if (opts->sink && !exporting->texture_root) exporting->texture_root = "";
    }
    const tenon_dialect *dialect =
        exporting->dialect ? tenon_dialect_by_name(c->to, exporting->dialect) : NULL;
    bool is_posed = exporting->clip != NULL;
    if (is_posed) {
        verifying.clip = exporting->clip;
        verifying.seconds = exporting->seconds;
        verifying.at_one_time = true;
    } else if (scene->animation_count && tenon_why_no_motion(c->to, dialect)) {
        verifying.rest_only = true;
    }
    if (opts->verify) exporting->verify = &verifying, exporting->verified = &c->result.verified;
    // The errors of losses are measured only if they are asked for: that takes longer than the
    // rest.
    exporting->events = c->events;
    if (!opts->events.on_loss && !opts->strict) exporting->events.on_loss = NULL;
    bool ok = tenon_export_file(scene, c->out, exporting, &writing, c->err);
    exporting->verify = NULL;
    c->result.is_verified = ok && opts->verify;
    ok = ok && api_convert_accept(c) && (!c->memory || api_convert_flush(c));
    c->result.is_written = ok && !exporting->dry_run;
    return ok;
}

static bool api_convert_scene(tn_conversion *c)
{
    const tenon_convert_opts *opts = c->opts;
    tenon_export_opts *exporting = &c->exporting;
    const tenon_fbx *fbx = tenon_as_fbx(c->face.doc);
    // A pose is at a time of the file's own timeline.
    bool cuts_lead_in = fbx && !opts->keep_lead_in && strcmp(c->to->name, "obj") != 0;
    *exporting = opts->exporting;
    exporting->allocator = opts->allocator;
    exporting->format = c->to->name;
    exporting->dialect = c->dialect;
    exporting->model_path = c->in;
    exporting->files = c->files;
    exporting->embed = opts->textures == TENON_TEXTURES_AUTO
                           ? c->dialect && strcmp(c->dialect, "glb") == 0
                           : opts->textures == TENON_TEXTURES_EMBED;
    exporting->copy_textures = opts->textures == TENON_TEXTURES_COPY;
    exporting->verify = NULL;
    exporting->executor = opts->executor;
    c->face.unit = fbx ? tenon_fbx_unit(fbx) : 0;
    c->face.scene = api_convert_import(c);
    c->result.is_changed = true;
    bool ok = c->face.scene && (!cuts_lead_in || api_convert_cut_lead_in(c)) &&
              api_convert_edit(c) && api_convert_scale(c) && api_convert_export(c);
    tenon_scene_free(c->face.scene);
    return ok;
}

// -- Entry points

bool tenon_convert(tenon_doc *doc, const char *out, const tenon_convert_opts *opts,
                   tenon_convert_result *result, tenon_error *err)
{
    static const tenon_convert_opts defaults;
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &defaults;
    tn_error_clear(err);
    if (result) *result = (tenon_convert_result){0};
    tn_conversion c = {
        .face.doc = doc,
        .opts = opts,
        .in = opts->importing.model_path,
        .out = out,
        .files = opts->importing.files ? opts->importing.files : opts->reading.files,
        .arena = tn_arena_make(&opts->allocator, UINT64_MAX),
        .events = {.on_loss = api_convert_count_loss, .on_file = api_convert_report_file},
        .writing = opts->writing,
        .err = err};
    if (!c.files) c.files = tenon_system_files();
    if (opts->events.on_progress) c.events.on_progress = api_convert_report_progress;
    c.events.user = &c;
    if (!c.writing.files) c.writing.files = c.files;
    c.writing.events =
        (tenon_events){.user = opts->events.user, .on_progress = opts->events.on_progress};
    bool needs_batch = !c.writing.batch;
    if (needs_batch) c.writing.batch = c.batch = tenon_batch_new(&opts->allocator, err);
    bool ok = (!needs_batch || c.batch) && api_convert_choose(&c);
    if (ok) c.result.format = c.to;
    ok = ok && (c.face.exporting ? api_convert_scene(&c) : api_convert_document(&c));
    ok = ok && (!needs_batch || tenon_batch_commit(c.batch, err));
    tenon_batch_free(c.batch);
    tenon_memory_free(c.memory);
    tn_arena_free(&c.arena);
    c.result.is_written = c.result.is_written && ok;
    if (result) *result = c.result;
    return tn_budget_settle(opts->allocator.budget, ok, err);
}

bool tenon_convert_file(const char *in, const char *out, const tenon_convert_opts *opts,
                        tenon_convert_result *result, tenon_error *err)
{
    tenon_convert_opts with_path = {0};
    if (opts) with_path = *opts;
    with_path.reading.allocator = with_path.allocator;
    with_path.importing.model_path = in;
    if (result) *result = (tenon_convert_result){0};
    tenon_doc *doc = tenon_read_file(in, &with_path.reading, err);
    if (!doc) return false;
    bool ok = tenon_convert(doc, out, &with_path, result, err);
    tenon_doc_free(doc);
    return ok;
}
