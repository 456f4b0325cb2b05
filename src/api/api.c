// api.c: the public entry points; defaults live here.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/version.h"
#include "document/doc_check.h"
#include "document/doc_map.h"
#include "document/document.h"
#include "document/text_twin.h"
#include "document/view.h"
#include "formats/formats.h"

#include <string.h>

static const tenon_read_opts default_read_opts;
static const tenon_write_opts default_write_opts;
static const tenon_check_opts default_check_opts;
static const tenon_change_opts default_change_opts;

const char *tenon_version(void)
{
    return TN_VERSION;
}

// -- Reading

static const tn_format *api_pick_format(const uint8_t *data, uint64_t size,
                                        const tenon_read_opts *opts, tenon_error *err)
{
    if (!opts->format) return tn_format_probe(data, size, opts->name, err);
    const tn_format *format = tn_format_by_name(opts->format);
    if (format && format->face.caps & TENON_CAN_READ) return format;
    tn_error(err, TENON_ERR_UNSUPPORTED,
             format ? "%s files cannot be read" : "there is no format '%s'", opts->format);
    return NULL;
}

// Read, and own `bytes` (may be NULL) from then on, also on failure.
static tenon_doc *api_read_bytes(const void *data, size_t size, tenon_bytes *bytes,
                                 const tenon_read_opts *opts, tn_observer *observers,
                                 tenon_error *err)
{
    bool is_allowed = tn_budget_work(opts->allocator.budget, size);
    const tn_format *format = is_allowed ? api_pick_format(data, size, opts, err) : NULL;
    if (format) return tn_doc_open(format, data, size, bytes, opts, observers, err);
    tenon_unload(bytes);
    (void)tn_budget_settle(opts->allocator.budget, false, err);
    return NULL;
}

tenon_doc *tenon_read(const void *data, size_t size, const tenon_read_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return api_read_bytes(data, size, NULL, opts ? opts : &default_read_opts, NULL, err);
}

tenon_doc *tenon_read_file(const char *path, const tenon_read_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_read_opts with_name = opts ? *opts : default_read_opts;
    if (!with_name.name) with_name.name = path;
    tenon_bytes bytes;
    if (!tenon_load(path, &with_name, &bytes, err)) return NULL;
    return api_read_bytes(bytes.data, bytes.size, &bytes, &with_name, NULL, err);
}

void tenon_doc_free(tenon_doc *doc)
{
    tn_doc_free(doc);
}

void tenon_cuts(const tenon_doc *doc, tenon_cut_fn *fn, void *user)
{
    for (const tn_cut *cut = doc->owner->cuts; cut && fn; cut = cut->next) fn(user, &cut->face);
}

void *tenon_doc_alloc(tenon_doc *doc, size_t size)
{
    return tn_arena_alloc(&doc->owner->arena, 1, size, NULL);
}

bool tenon_locate(const tenon_doc *doc, const char *path, uint64_t *offset, uint64_t *size)
{
    tn_wanted wanted = tn_doc_find(doc, path);
    if (wanted.offset == TENON_ABSENT) return false;
    if (offset) *offset = wanted.offset;
    if (size) *size = wanted.size;
    return true;
}

bool tenon_doc_span(const tenon_doc *doc, const char *path, tenon_span *span)
{
    if (!doc || !path || !span) return false;
    tn_wanted wanted = tn_doc_find(doc, path);
    *span = wanted.array;
    return wanted.array.layout != NULL;
}

// -- Writing

typedef struct counted_writer {
    tenon_budget *budget;
    tenon_write_fn *write;
    void *user;
} counted_writer;

static bool api_write_counted(void *user, const void *bytes, size_t size)
{
    const counted_writer *w = user;
    return tn_budget_output(w->budget, size) && w->write(w->user, bytes, size);
}

uint64_t tenon_write(const tenon_doc *doc, tenon_write_fn *write, void *user, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_budget *budget = doc->owner->arena.allocator.budget;
    counted_writer counted = {budget, write, user};
    bool is_counted = write && budget;
    tn_io io;
    tn_io_writer(&io, is_counted ? api_write_counted : write, is_counted ? &counted : user, err);
    uint64_t size = tn_doc_write(doc, &io, NULL);
    return tn_doc_settle(doc, true, err) ? size : TENON_ABSENT;
}

bool tenon_write_file(const tenon_doc *doc, const char *path, const tenon_write_opts *opts,
                      tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_write_opts with_input = opts ? *opts : default_write_opts;
    if (!with_input.inputs) {
        with_input.inputs = &doc->owner->input.id;
        with_input.input_count = doc->owner->input.data ? 1 : 0;
    }
    uint64_t size = tenon_write(doc, NULL, NULL, err);
    tn_output out;
    if (size == TENON_ABSENT || !tn_output_begin(&out, path, &with_input, err)) return false;
    out.total = size;
    if (tenon_write(doc, tn_output_write, &out, err) != TENON_ABSENT || out.failed)
        return tn_output_commit(&out, err);
    tn_output_abort(&out);
    return false;
}

bool tenon_save(const char *path, const void *bytes, size_t size, const tenon_write_opts *opts,
                tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tn_output out;
    if (!tn_output_begin(&out, path, opts ? opts : &default_write_opts, err)) return false;
    out.total = size;
    tn_output_write(&out, bytes, size);
    return tn_output_commit(&out, err);
}

// -- Changing

bool tenon_finalize(tenon_doc *doc, tenon_error *err)
{
    tn_error_clear(err);
    return tn_doc_finalize(doc, err);
}

bool tenon_change(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return tn_doc_change(doc, opts ? opts : &default_change_opts, err);
}

bool tenon_recover(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    return tn_doc_recover(doc, opts ? opts : &default_change_opts, err);
}

const tenon_dialect *tenon_dialect_by_extension(const tenon_doc *doc, const char *name)
{
    const tn_format *format = doc->owner->format;
    const char *file = name + tn_path_folder_size(name), *dot = strrchr(file, '.');
    if (!dot || !format->dialect_by_extension) return NULL;
    return format->dialect_by_extension(doc, dot + 1);
}

bool tenon_merge(tenon_doc *into, tenon_doc *other, const tenon_merge_opts *opts, tenon_error *err)
{
    static const tenon_merge_opts no_opts;
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    const tn_format *format = into->owner->format;
    if (other->format != into->format)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s and %s cannot be merged",
                        into->format->name, other->format->name);
    if (!format->merge || into == other)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s files cannot be merged%s",
                        into->format->name, into == other ? " with themselves" : "");
    return tn_doc_settle(into, format->merge(into, other, opts ? opts : &no_opts, err), err);
}

// -- Inspecting

bool tenon_map(const void *data, size_t size, const tenon_read_opts *opts, tenon_part_fn *fn,
               void *user, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_read_opts partial = opts ? *opts : default_read_opts;
    partial.partial = true;
    partial.copy = false;
    tn_mapper mapper;
    tn_mapper_init(&mapper, fn, user);
    tenon_doc *doc = api_read_bytes(data, size, NULL, &partial, fn ? &mapper.observer : NULL, err);
    tenon_doc_free(doc);
    if (err->code == TENON_OK) return true;
    if (fn) tn_mapper_rest(&mapper, data, size);
    return false;
}

// -- The text twin

static bool api_discard(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

bool tenon_dump(const tenon_doc *doc, tenon_write_fn *write, void *user, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tenon_budget *budget = doc->owner->arena.allocator.budget;
    counted_writer counted = {budget, write, user};
    if (!tn_budget_work(budget, doc->source_size)) return tn_doc_settle(doc, false, err);
    bool ok = write && budget ? tn_doc_dump(doc, api_write_counted, &counted, err)
                              : tn_doc_dump(doc, write ? write : api_discard, user, err);
    return tn_doc_settle(doc, ok, err);
}

bool tenon_dump_file(const tenon_doc *doc, const char *path, const tenon_write_opts *opts,
                     tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    tn_output out;
    if (!tn_output_begin(&out, path, opts ? opts : &default_write_opts, err)) return false;
    if (tenon_dump(doc, tn_output_write, &out, err) || out.failed)
        return tn_output_commit(&out, err);
    tn_output_abort(&out);
    return false;
}

bool tenon_build(const char *json, size_t size, const tenon_read_opts *opts, tenon_write_fn *write,
                 void *user, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!opts) opts = &default_read_opts;
    tenon_budget *budget = opts->allocator.budget;
    bool ok = tn_budget_work(budget, size) &&
              tn_doc_build(json, size, tn_format_by_name, opts, write, user, err);
    return tn_budget_settle(budget, ok, err);
}

// Whether the result is a model: it is read as any other file.
static bool api_is_readable(const char *path, const tenon_read_opts *opts, tenon_error *err)
{
    tenon_read_opts mapped = *opts;
    mapped.map = true;
    tenon_doc *doc = tenon_read_file(path, &mapped, err);
    tenon_doc_free(doc);
    return doc != NULL;
}

bool tenon_build_file(const char *json, size_t size, const char *path, const tenon_read_opts *opts,
                      const tenon_write_opts *write_opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!opts) opts = &default_read_opts;
    tn_output out;
    if (!tn_output_begin(&out, path, write_opts ? write_opts : &default_write_opts, err))
        return false;
    bool built = tenon_build(json, size, opts, tn_output_write, &out, err);
    const char *so_far = built ? tn_output_so_far(&out) : NULL;
    if (out.failed) return tn_output_commit(&out, err);  // This sets the error.
    if (built && (!so_far || api_is_readable(so_far, opts, err)))
        return tn_output_commit(&out, err);
    tn_output_abort(&out);
    return false;
}

// -- Checking

const char *tenon_profile_at(uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (!tn_profiles[i]) return NULL;
    return tn_profiles[index];
}

static bool api_is_profile(const char *name)
{
    for (uint32_t i = 0; tn_profiles[i]; i++)
        if (strcmp(tn_profiles[i], name) == 0) return true;
    return false;
}

bool tenon_check(const tenon_doc *doc, const tenon_check_opts *opts, tenon_finding_fn *found,
                 void *user, tenon_check_result *result, tenon_error *err)
{
    tenon_check_result unused;
    if (!result) result = &unused;
    *result = (tenon_check_result){0};
    tn_error_clear(err);
    if (opts && opts->profile && !api_is_profile(opts->profile))
        return tn_error(err, TENON_ERR_UNSUPPORTED, "there is no profile '%s'", opts->profile);
    if (!opts) opts = &default_check_opts;
    tenon_budget *budget = opts->allocator.budget;
    bool ok = tn_budget_work(budget, doc->source_size) &&
              tn_doc_check(doc, opts, found, user, result, err);
    return tn_budget_settle(budget, ok, err);
}

struct tenon_info_owner {
    tn_arena arena;
};

bool tenon_doc_info(const tenon_doc *doc, const tenon_info_opts *opts, tenon_info *info,
                    tenon_error *err)
{
    static const tenon_info_opts no_opts;
    const uint64_t none = TENON_ABSENT;
    if (!opts) opts = &no_opts;
    tn_error_clear(err);
    *info = (tenon_info){.meshes = none,
                         .vertices = none,
                         .triangles = none,
                         .nodes = none,
                         .joints = none,
                         .animations = none,
                         .channels = none,
                         .frames = none,
                         .materials = none,
                         .fonts = none,
                         .font_sizes = none};
    const tn_arena *doc_arena = &doc->owner->arena;
    tn_arena arena = tn_arena_make(&doc_arena->allocator, doc_arena->limit);
    info->owner = tn_arena_alloc(&arena, 1, sizeof *info->owner, NULL);
    tn_info_builder builder = {
        .info = info, .full = opts->full, .arena = &arena, .failed = !info->owner};
    const tn_format *format = doc->owner->format;
    bool ok = tn_budget_work(doc_arena->allocator.budget, doc->source_size);
    if (ok && format->views && !builder.failed) tn_view_info(&builder, format->views, doc);
    if (ok && format->info && !builder.failed) format->info(&builder, doc);
    if (ok && opts->model_path && format->info_sidecars && !builder.failed)
        ok = format->info_sidecars(&builder, doc, opts->model_path, opts->files, err);
    if (builder.failed) ok = tn_error(err, TENON_ERR_MEMORY, "out of memory");
    if (info->owner)
        info->owner->arena = arena;
    else
        tn_arena_free(&arena);
    ok = tn_doc_settle(doc, ok, err);
    if (!ok) tenon_info_free(info);
    return ok;
}

void tenon_info_free(tenon_info *info)
{
    if (!info || !info->owner) return;
    tn_arena arena = info->owner->arena;
    *info = (tenon_info){0};
    tn_arena_free(&arena);
}

bool tenon_tree(const tenon_doc *doc, tenon_tree_fn *fn, void *user, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    tn_arena arena = tn_arena_make(&doc->owner->arena.allocator, doc->owner->arena.limit);
    tn_error_clear(err);
    tn_walk walk = {.fn = fn, .user = user, .arena = &arena};
    if (format->tree && fn)
        format->tree(&walk, doc);
    else if (fn && format->views && format->views->node)
        tn_view_tree(&walk, format->views, doc);
    tn_arena_free(&arena);
    if (walk.failed) (void)tn_error(err, TENON_ERR_MEMORY, "out of memory");
    return tn_doc_settle(doc, !walk.failed, err);
}

bool tenon_relate(const tenon_doc *a, const tenon_doc *b, char *text, size_t text_size)
{
    if (text_size) text[0] = '\0';
    const tn_format *format = a->owner->format;
    if (format->relate && format->relate(a, b, text, text_size)) return true;
    format = b->owner->format;
    return format->relate && format->relate(b, a, text, text_size);
}

bool tenon_sidecars(const tenon_doc *doc, const char *model_path, tenon_sidecar_fn *fn, void *user)
{
    const tn_format *format = doc->owner->format;
    const char *name = model_path + tn_path_folder_size(model_path);
    const char *dot = strrchr(name, '.');
    size_t size = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (!format->sides || !fn) return true;
    return format->sides(doc, (tenon_str){name, (uint32_t)size}, fn, user);
}
