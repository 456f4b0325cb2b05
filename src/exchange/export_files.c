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
    const char *path;  // Of the main file.
    const tenon_export_opts *opts;
    tenon_write_opts write_opts;  // With a batch, except in dry runs.
    const tenon_files *files;
    tenon_error *err;
    bool is_open;
    char name[TN_PATH_SIZE];  // Of the file being written.
    uint64_t size;            // Its bytes so far.
    tn_output out;
    bool is_comparing;    // The file exists: if it has the same bytes, it is kept.
    bool is_same;         // The bytes so far are the same.
    tenon_file existing;  // Open while comparing.
} file_sink;

// -- Sidecars that exist: several outputs in one folder may share pictures

// Read `size` bytes of the existing file; fewer at its end.
static size_t export_files_read_existing(const file_sink *sink, uint8_t *out, size_t size)
{
    size_t used = 0, got = 1;
    while (used < size && got > 0) {
        int error =
            sink->files->read(sink->files->user, sink->existing, out + used, size - used, &got);
        if (error == EINTR) continue;
        if (error) break;
        used += got;
    }
    return used;
}

// Whether the existing file is what would have been written.
static bool export_files_end_comparing(file_sink *sink)
{
    uint8_t more;
    bool is_same = sink->is_same && export_files_read_existing(sink, &more, 1) == 0;
    (void)sink->files->close(sink->files->user, sink->existing);
    sink->is_comparing = false;
    return is_same;
}

// -- One file after the other

static bool export_begin_file(void *user, const char *name)
{
    file_sink *sink = user;
    tenon_file_info info;
    int folder = (int)tn_path_folder_size(sink->path);
    int size = *name ? snprintf(sink->name, sizeof sink->name, "%.*s%s", folder, sink->path, name)
                     : snprintf(sink->name, sizeof sink->name, "%s", sink->path);
    if (size < 0 || (size_t)size >= sizeof sink->name)
        return tn_error(sink->err, TENON_ERR_IO, "the path of an output is too long");
    sink->size = 0;
    bool is_shared = *name && sink->files->look(sink->files->user, sink->name, &info) == 0;
    if (is_shared && info.kind != TENON_FILE_REGULAR)  // A batch could not undo it.
        return tn_error(sink->err, TENON_ERR_IO, "'%s' exists and is not a file", sink->name);
    if (is_shared)
        sink->is_comparing = sink->files->open(sink->files->user, sink->name, &sink->existing) == 0;
    sink->is_same = sink->is_comparing;
    if (sink->opts->dry_run || (sink->is_comparing && !sink->write_opts.force)) return true;
    sink->is_open = tn_output_begin(&sink->out, sink->name, &sink->write_opts, sink->err);
    return sink->is_open;
}

static bool export_write_file(void *user, const void *bytes, size_t size)
{
    file_sink *sink = user;
    sink->size += size;
    for (size_t at = 0, part; at < size && sink->is_comparing && sink->is_same; at += part) {
        uint8_t block[4096];
        part = size - at < sizeof block ? size - at : sizeof block;
        sink->is_same = export_files_read_existing(sink, block, part) == part &&
                        memcmp(block, (const uint8_t *)bytes + at, part) == 0;
    }
    return !sink->is_open || tn_output_write(&sink->out, bytes, size);
}

static bool export_end_file(void *user)
{
    file_sink *sink = user;
    bool is_same = sink->is_comparing && export_files_end_comparing(sink), was_open = sink->is_open;
    const tenon_events *events = &sink->opts->events;
    const tenon_written_file file = {sink->name, sink->size, is_same};
    sink->is_open = false;
    if (was_open && is_same)
        tn_output_abort(&sink->out);
    else if (was_open && !tn_output_commit(&sink->out, sink->err))
        return false;
    else if (!was_open && !is_same && !sink->opts->dry_run)
        return tn_error(sink->err, TENON_ERR_EXISTS, "'%s' exists", sink->name);
    return !events->on_file || events->on_file(events->user, &file);
}

// The path from the folder of `path` to that of `model_path`: "../models/". It is "" if both are
// the same, or if the system cannot resolve them.
static void export_files_find_texture_root(const tenon_files *files, const char *path,
                                           const char *model_path, char *out, size_t out_size)
{
    char to[TN_PATH_SIZE], from[TN_PATH_SIZE];
    out[0] = '\0';
    if (files->resolve(files->user, path, from, sizeof from) != 0) return;
    if (files->resolve(files->user, model_path, to, sizeof to) != 0) return;
    size_t common = 0, used = 0;  // The bytes that name the same folders.
    for (size_t i = 0; from[i] == to[i] && from[i]; i++)
        if (from[i] == '/') common = i + 1;
    for (const char *p = from + common; *p; p++)
        if (*p == '/' && used + 3 < out_size) used += (size_t)snprintf(out + used, 4, "../");
    size_t folder = tn_path_folder_size(to);
    if (folder > common && folder - common < out_size - used)
        (void)snprintf(out + used, out_size - used, "%.*s", (int)(folder - common), to + common);
}

bool tn_export_scene_files(const tn_format *format, const tenon_dialect *dialect,
                           const tenon_scene *scene, const char *path,
                           const tenon_export_opts *opts, const tenon_write_opts *write_opts,
                           tenon_error *err)
{
    file_sink *sink = tn_block_alloc(&opts->allocator, sizeof *sink);
    if (!sink) {
        (void)tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return tn_budget_settle(opts->allocator.budget, false, err);
    }
    char stem[256], root[TN_PATH_SIZE];
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    tenon_export_opts with_names = *opts;
    tenon_str name = tn_path_stem(path);
    (void)snprintf(stem, sizeof stem, "%.*s", (int)name.size, name.data);
    if (!with_names.name) with_names.name = stem;
    bool has_paths = scene->image_count > 0 || scene->material_count > 0;  // Also among extras.
    if (!with_names.texture_root && opts->model_path && has_paths) {
        export_files_find_texture_root(files, path, opts->model_path, root, sizeof root);
        with_names.texture_root = root;
    }
    *sink = (file_sink){.path = path,
                        .opts = &with_names,
                        .write_opts = *write_opts,
                        .files = write_opts->files ? write_opts->files : files,
                        .err = err};
    // Without a batch of the caller, all files get their names at the end, or none does.
    bool needs_batch = !write_opts->batch && !opts->dry_run;
    if (needs_batch) sink->write_opts.batch = tenon_batch_new(&opts->allocator, err);
    tenon_batch *own_batch = needs_batch ? sink->write_opts.batch : NULL;
    const tenon_sink callbacks = {export_begin_file, export_write_file, export_end_file, sink};
    bool ok = (!needs_batch || own_batch) &&
              tn_export_scene(format, dialect, scene, &with_names, &callbacks, err);
    if (sink->is_open && sink->out.failed) (void)tn_output_commit(&sink->out, err);  // It says why.
    if (sink->is_open) tn_output_abort(&sink->out);
    if (sink->is_comparing) (void)export_files_end_comparing(sink);
    if (own_batch) {
        ok = ok && tenon_batch_commit(own_batch, err);
        tenon_batch_free(own_batch);
    }
    tn_block_free(&opts->allocator, sink, sizeof *sink);
    return tn_budget_settle(opts->allocator.budget, ok, err);
}
