// api_scene.c: the public entry points that make scenes and write them; defaults live here.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "document/document.h"
#include "exchange/export.h"
#include "exchange/export_document.h"
#include "exchange/proof.h"
#include "scene/edit/edit.h"
#include "scene/model/scene_build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EXPORT_MEMORY ((uint64_t)256 << 20)
#define EXPORT_SHARE  16

static const tenon_scene_opts default_scene_opts;
static const tenon_export_opts default_export_opts;

const char *tenon_slot_word(tenon_slot slot)
{
    static const char *const words[TENON_SLOT_COUNT] = {
        [TENON_SLOT_BASE_COLOR] = "base color",
        [TENON_SLOT_METALLIC_ROUGHNESS] = "metallic and roughness",
        [TENON_SLOT_NORMAL] = "normal",
        [TENON_SLOT_OCCLUSION] = "occlusion",
        [TENON_SLOT_EMISSIVE] = "emissive",
        [TENON_SLOT_SPECULAR] = "specular",
        [TENON_SLOT_DISPLACEMENT] = "displacement",
        [TENON_SLOT_LIGHT_MAP] = "light map",
    };
    return slot < TENON_SLOT_COUNT ? words[slot] : "unknown";
}

// -- Scenes

void tenon_scene_free(tenon_scene *scene)
{
    if (!scene) return;
    struct tenon_scene_owner *owner = scene->owner;
    tenon_allocator allocator = owner->arena.allocator;
    tn_arena_free(&owner->arena);
    tn_block_free(&allocator, owner, sizeof *owner);
}

void *tenon_scene_alloc(tenon_scene *scene, size_t size)
{
    return tn_arena_alloc(&scene->owner->arena, 1, size, NULL);
}

tenon_scene *tenon_scene_new(const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    tn_scene_builder b;
    if (!err) err = &ignored;
    if (!opts) opts = &default_scene_opts;
    tn_error_clear(err);
    bool ok = tn_scene_begin(&b, opts, 0, err);
    return tn_budget_settle(opts->allocator.budget, ok, err) ? b.scene : NULL;
}

// Bytes of all files that the scene is made from.
static uint64_t input_size(const tenon_doc *doc, const tenon_scene_opts *opts)
{
    uint64_t size = doc->source_size;
    for (uint32_t i = 0; i < opts->companion_count; i++)
        size += opts->companions[i].doc->source_size;
    return size;
}

tenon_scene *tenon_to_scene(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    tn_scene_builder b;
    const tn_format *format = doc->owner->format;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!format->to_scene) {
        tn_error(err, TENON_ERR_UNSUPPORTED, "%s files hold no scene", format->face.name);
        return NULL;
    }
    if (!opts) opts = &default_scene_opts;
    tenon_budget *budget = opts->allocator.budget;
    bool has_begun = tn_budget_work(budget, input_size(doc, opts)) &&
                     tn_scene_begin(&b, opts, input_size(doc, opts), err);
    if (!tn_budget_settle(budget, has_begun, err)) return NULL;
    b.scene->source = &format->face;
    format->to_scene(&b, doc);
    bool is_finished = tn_scene_finish(&b);
    tn_pulse_end(&b.pulse);
    if (tn_budget_settle(budget, is_finished, err)) return b.scene;
    tenon_scene_free(b.scene);
    return NULL;
}

// -- Writing

// The format of that name, or the one that has a dialect of that name.
static const tn_format *find_export(const char *name, const tenon_dialect **dialect)
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

static const tn_format *choose_export(const tenon_export_opts *opts, const tenon_dialect **dialect,
                                      tenon_error *err)
{
    if (!opts->format) {
        (void)tn_error(err, TENON_ERR_UNSUPPORTED, "the options do not name the format to write");
        return NULL;
    }
    const tn_format *format = find_export(opts->format, dialect);
    if (!format) {
        (void)tn_error(err, TENON_ERR_UNSUPPORTED, "a scene cannot be written as '%s'",
                       opts->format);
        return NULL;
    }
    if (opts->dialect) *dialect = tenon_dialect_by_name(&format->face, opts->dialect);
    if (!opts->dialect || *dialect) return format;
    (void)tn_error(err, TENON_ERR_UNSUPPORTED, "%s has no dialect '%s'", format->face.name,
                   opts->dialect);
    return NULL;
}

// The error of each approximation by itself. Those that can be applied to the scene alone are, and
// the remainder is measured against the scene with all of these: one number for what cannot be
// separated, which the first such loss has.
static bool measure_approximations(const tn_export *e, const tn_proof *proof)
{
    tenon_scene applied = *e->scene;
    const tenon_verify_opts everything = {.allocator = e->opts->allocator};
    const tenon_verify_opts at_rest = {.allocator = e->opts->allocator, .rest_only = true};
    tn_approximation *remainder = NULL;
    tenon_verify_result result;
    bool has_remainder = false;
    for (tn_approximation *a = e->state->approximations; a; a = a->next)
        has_remainder |= a->measure == TN_MEASURE_REMAINDER;
    for (tn_approximation *a = e->state->approximations; a; a = a->next) {
        if (a->measure == TN_MEASURE_ESTIMATED) {
            if (!has_remainder) a->measure = TN_MEASURE_REMAINDER;
            has_remainder = true;
        } else if (a->measure == TN_MEASURE_INFLUENCES) {
            if (!tn_limit_influences(e->scene, 4, e->arena, &applied, &a->loss.error, e->err))
                return false;
        } else if (a->measure != TN_MEASURE_REMAINDER) {
            bool is_at_rest = a->measure == TN_MEASURE_AT_REST;
            if (!tenon_verify(e->scene, proof->scene, is_at_rest ? &at_rest : &everything, &result,
                              e->err))
                return false;
            a->loss.error = is_at_rest ? result.largest : result.between_frames;
        }
    }
    for (tn_approximation *a = e->state->approximations; a && !remainder; a = a->next)
        if (a->measure == TN_MEASURE_REMAINDER) remainder = a;
    if (!remainder) return true;
    if (!tenon_verify(&applied, proof->scene, &everything, &result, e->err)) return false;
    remainder->loss.error = result.largest;
    for (tn_approximation *a = e->state->approximations; a; a = a->next) {
        // An estimate above what was measured is none.
        bool is_joined = a->measure == TN_MEASURE_REMAINDER ||
                         (a->measure == TN_MEASURE_ESTIMATED && a->loss.error > result.largest);
        if (a == remainder || !is_joined) continue;
        a->loss.error = 0;
        size_t size = strlen(a->loss.why) + strlen(remainder->loss.feature) + 32;
        char *why = tn_export_alloc(e, size, 1);
        if (!why) return false;
        (void)snprintf(why, size, "%s; measured together with %s", a->loss.why,
                       remainder->loss.feature);
        a->loss.why = why;
    }
    return true;
}

// Report what could only be measured when all was written.
static bool report_approximations(const tn_export *e)
{
    tn_proof proof;
    if (!e->state->approximations) return true;
    bool ok =
        tn_proof_begin(&proof, e->scene, e->opts, e->err) && measure_approximations(e, &proof);
    tn_proof_end(&proof);
    for (tn_approximation *a = e->state->approximations; a && ok; a = a->next)
        e->opts->lost(e->opts->user, &a->loss);
    return ok;
}

// The caller's sink, and where what it gets is counted.
typedef struct counted_sink {
    const tenon_sink *sink;
    tenon_budget *budget;
} counted_sink;

static bool begin_counted(void *user, const char *name)
{
    const counted_sink *s = user;
    return s->sink->begin(s->sink->user, name);
}

static bool write_counted(void *user, const void *bytes, size_t size)
{
    const counted_sink *s = user;
    return tn_budget_output(s->budget, size) && s->sink->write(s->sink->user, bytes, size);
}

static bool end_counted(void *user)
{
    const counted_sink *s = user;
    return s->sink->end(s->sink->user);
}

bool tenon_export(const tenon_scene *scene, const tenon_export_opts *opts, const tenon_sink *sink,
                  tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!opts) opts = &default_export_opts;
    const tenon_dialect *dialect = NULL;
    const tn_format *format = choose_export(opts, &dialect, err);
    if (!format || !tenon_scene_check(scene, err)) return false;
    bool has_budget = opts->allocator.budget && opts->allocator.budget->memory.limit;
    uint64_t fallback =
        has_budget ? UINT64_MAX : EXPORT_MEMORY + EXPORT_SHARE * scene->owner->arena.used;
    tn_arena arena =
        tn_arena_make(&opts->allocator, opts->max_memory ? opts->max_memory : fallback);
    tn_export_state state = {
        .pulse = {.progress = &opts->progress, .budget = opts->allocator.budget},
        .taken = {.arena = &arena, .are_files = true}};
    counted_sink counted = {sink, opts->allocator.budget};
    const tenon_sink counting = {begin_counted, write_counted, end_counted, &counted};
    tn_export e = {.scene = scene,
                   .dialect = dialect,
                   .opts = opts,
                   .sink = &counting,
                   .arena = &arena,
                   .err = err,
                   .state = &state};
    // Reporting what is lost takes memory as well.
    bool ok = format->export(&e) && err->code == TENON_OK && report_approximations(&e);
    tn_export_free_docs(&e);
    tn_arena_free(&arena);
    tn_pulse_end(&state.pulse);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}

// -- To files

// The files of an export, one after the other.
typedef struct file_sink {
    const char *path;  // Of the main file.
    const tenon_export_opts *opts;
    tenon_write_opts write_opts;  // With a batch in any case.
    const tenon_files *files;
    tenon_error *err;
    bool is_open;
    char name[TN_PATH_SIZE];  // Of the one being written,
    uint64_t size;            // and its bytes so far.
    tn_output out;
    bool is_comparing;  // It exists: the same bytes are as good as written.
    bool is_same;       // They are, so far.
    tenon_file existing;
} file_sink;

// -- Files that exist

// Side files are shared, such as pictures of several outputs in one folder.
static bool begin_comparing(file_sink *s)
{
    s->is_comparing = s->files->open(s->files->user, s->name, &s->existing) == 0;
    s->is_same = s->is_comparing;
    return s->is_comparing;
}

// Read as many bytes of the existing file; fewer at its end.
static size_t read_existing(const file_sink *s, uint8_t *out, size_t size)
{
    size_t used = 0, got = 1;
    while (used < size && got > 0) {
        int error = s->files->read(s->files->user, s->existing, out + used, size - used, &got);
        if (error == EINTR) continue;
        if (error) break;
        used += got;
    }
    return used;
}

static void compare_bytes(file_sink *s, const uint8_t *bytes, size_t size)
{
    uint8_t block[4096];
    while (size > 0 && s->is_same) {
        size_t part = size < sizeof block ? size : sizeof block;
        s->is_same = read_existing(s, block, part) == part && memcmp(block, bytes, part) == 0;
        bytes += part;
        size -= part;
    }
}

// Whether the existing file is what would have been written.
static bool end_comparing(file_sink *s)
{
    uint8_t more;
    bool is_same = s->is_same && read_existing(s, &more, 1) == 0;
    (void)s->files->close(s->files->user, s->existing);
    s->is_comparing = false;
    return is_same;
}

// -- One file after the other

static bool begin_file(void *user, const char *name)
{
    file_sink *s = user;
    tenon_file_info info;
    int folder = (int)tn_path_folder_size(s->path);
    int size = *name ? snprintf(s->name, sizeof s->name, "%.*s%s", folder, s->path, name)
                     : snprintf(s->name, sizeof s->name, "%s", s->path);
    if (size < 0 || (size_t)size >= sizeof s->name)
        return tn_error(s->err, TENON_ERR_IO, "the path of an output is too long");
    s->size = 0;
    bool is_shared = *name && s->files->look(s->files->user, s->name, &info) == 0;
    if (is_shared && info.kind != TENON_FILE_REGULAR)  // It could not be taken back.
        return tn_error(s->err, TENON_ERR_IO, "'%s' is there, and no file", s->name);
    bool is_compared = is_shared && begin_comparing(s);
    if (s->opts->dry_run || (is_compared && !s->write_opts.force)) return true;
    s->is_open = tn_output_begin(&s->out, s->name, &s->write_opts, s->err);
    return s->is_open;
}

static bool write_file(void *user, const void *bytes, size_t size)
{
    file_sink *s = user;
    s->size += size;
    if (s->is_comparing) compare_bytes(s, bytes, size);
    return !s->is_open || tn_output_write(&s->out, bytes, size);
}

static bool end_file(void *user)
{
    file_sink *s = user;
    bool is_same = s->is_comparing && end_comparing(s), was_open = s->is_open;
    tenon_told_fn *told = is_same ? s->opts->kept : s->opts->told;
    s->is_open = false;
    if (was_open && is_same)
        tn_output_abort(&s->out);
    else if (was_open && !tn_output_commit(&s->out, s->err))
        return false;
    else if (!was_open && !is_same && !s->opts->dry_run)
        return tn_error(s->err, TENON_ERR_EXISTS, "'%s' exists", s->name);
    return !told || told(s->opts->user, s->name, s->size);
}

// How many bytes of two absolute paths name the same folders.
static size_t common_folders(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0; a[i] == b[i] && a[i]; i++)
        if (a[i] == '/') common = i + 1;
    return common;
}

// From the folder of `path` to that of `model_path`: "../models/"; "" if it is the same, or if the
// system cannot tell.
static void find_texture_root(const tenon_files *files, const char *path, const char *model_path,
                              char *out, size_t out_size)
{
    char to[TN_PATH_SIZE], from[TN_PATH_SIZE];
    out[0] = '\0';
    if (files->resolve(files->user, path, from, sizeof from) != 0) return;
    if (files->resolve(files->user, model_path, to, sizeof to) != 0) return;
    size_t common = common_folders(from, to), used = 0;
    for (const char *p = from + common; *p; p++)
        if (*p == '/' && used + 3 < out_size) used += (size_t)snprintf(out + used, 4, "../");
    size_t folder = tn_path_folder_size(to);
    if (folder > common && folder - common < out_size - used)
        (void)snprintf(out + used, out_size - used, "%.*s", (int)(folder - common), to + common);
}

// The name of a file without folder and extension, and the extension, NULL if there is none.
static const char *split_name(const char *path, char *stem, size_t stem_size)
{
    const char *name = path + tn_path_folder_size(path), *dot = strrchr(name, '.');
    bool has_extension = dot && dot != name;
    int size = has_extension ? (int)(dot - name) : (int)strlen(name);
    (void)snprintf(stem, stem_size, "%.*s", size, name);
    return has_extension ? dot + 1 : NULL;
}

// Write every file beside its place, into the batch.
static bool export_files(file_sink *s, const tenon_scene *scene)
{
    tenon_sink sink = {begin_file, write_file, end_file, s};
    bool ok = tenon_export(scene, s->opts, &sink, s->err);
    if (s->is_open && s->out.failed) (void)tn_output_commit(&s->out, s->err);  // It says why.
    if (s->is_open) tn_output_abort(&s->out);
    if (s->is_comparing) (void)end_comparing(s);
    return ok;
}

// With the caller's batch, names are given when the caller says so.
static bool export_together(file_sink *s, const tenon_scene *scene)
{
    if (s->write_opts.batch || s->opts->dry_run) return export_files(s, scene);
    tenon_batch *batch = tenon_batch_new(&s->opts->allocator, s->err);
    if (!batch) return false;
    s->write_opts.batch = batch;
    bool ok = export_files(s, scene) && tenon_batch_commit(batch, s->err);
    tenon_batch_free(batch);
    return ok;
}

bool tenon_export_file(const tenon_scene *scene, const char *path, const tenon_export_opts *opts,
                       const tenon_write_opts *write_opts, tenon_error *err)
{
    static const tenon_write_opts no_opts;
    tenon_error ignored;
    if (!err) err = &ignored;
    if (!opts) opts = &default_export_opts;
    file_sink *s = tn_block_alloc(&opts->allocator, sizeof *s);
    if (!s) {
        (void)tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return tn_budget_settle(opts->allocator.budget, false, err);
    }
    char stem[256], root[TN_PATH_SIZE];
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    tenon_export_opts with_names = *opts;
    const char *extension = split_name(path, stem, sizeof stem);
    if (!with_names.format) with_names.format = extension;
    if (!with_names.name) with_names.name = stem;
    if (!with_names.texture_root && opts->model_path) {
        find_texture_root(files, path, opts->model_path, root, sizeof root);
        with_names.texture_root = root;
    }
    *s = (file_sink){.path = path,
                     .opts = &with_names,
                     .write_opts = write_opts ? *write_opts : no_opts,
                     .files = write_opts && write_opts->files ? write_opts->files : files,
                     .err = err};
    bool ok = export_together(s, scene);
    tn_block_free(&opts->allocator, s, sizeof *s);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}

// -- Changing

bool tenon_reshape(tenon_scene *scene, const tenon_reshape_opts *opts, tenon_error *err)
{
    static const tenon_reshape_opts no_opts;
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    bool ok = tn_edit_scene(scene, opts ? opts : &no_opts, err);
    return tn_budget_settle(scene->owner->arena.allocator.budget, ok, err);
}
