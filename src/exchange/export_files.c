// export_files.c: write a scene to files.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/budget.h"
#include "exchange/export_document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// The files of an export, one after the other.
typedef struct file_sink {
    const tn_format *format;
    const tenon_dialect *dialect;
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
        return tn_error(s->err, TENON_ERR_IO, "'%s' exists and is not a file", s->name);
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

// Write every file beside its place, into the batch.
static bool export_files(file_sink *s, const tenon_scene *scene)
{
    tenon_sink sink = {begin_file, write_file, end_file, s};
    bool ok = tn_export_scene(s->format, s->dialect, scene, s->opts, &sink, s->err);
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

bool tn_export_scene_files(const tn_format *format, const tenon_dialect *dialect,
                           const tenon_scene *scene, const char *path,
                           const tenon_export_opts *opts, const tenon_write_opts *write_opts,
                           tenon_error *err)
{
    file_sink *s = tn_block_alloc(&opts->allocator, sizeof *s);
    if (!s) {
        (void)tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return tn_budget_settle(opts->allocator.budget, false, err);
    }
    char stem[256], root[TN_PATH_SIZE];
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    tenon_export_opts with_names = *opts;
    const char *name = path + tn_path_folder_size(path), *dot = strrchr(name, '.');
    (void)snprintf(stem, sizeof stem, "%.*s",
                   dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    if (!with_names.name) with_names.name = stem;
    if (!with_names.texture_root && opts->model_path) {
        find_texture_root(files, path, opts->model_path, root, sizeof root);
        with_names.texture_root = root;
    }
    *s = (file_sink){.format = format,
                     .dialect = dialect,
                     .path = path,
                     .opts = &with_names,
                     .write_opts = *write_opts,
                     .files = write_opts->files ? write_opts->files : files,
                     .err = err};
    bool ok = export_together(s, scene);
    tn_block_free(&opts->allocator, s, sizeof *s);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
