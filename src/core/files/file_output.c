// file_output.c: writes a file all or nothing: to a locked temporary beside it, then renamed.
// SPDX-License-Identifier: MIT
//
// The name of a temporary is unpredictable, so that it cannot be taken in advance; its end
// identifies it, so that those of crashed writers are found. The writer that holds the lock on a
// temporary owns its name; no other writer removes or renames it. A writer that closes temporaries
// before they are renamed locks their folder first, and a writer that removes leftovers needs both
// locks.

#include "core/files/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MARK        ".tenon-"
#define DIGIT_COUNT 16   // After the mark.
#define BASE_MOST   118  // Together with the mark under 143 bytes, the limit of eCryptfs.
#define TRY_MOST    16u  // Names for one temporary.
#define CHUNK_MOST  ((size_t)8 << 20)  // Bytes between two calls of the progress callback.

static bool file_output_fail(tn_output *out, int system, const char *verb, const char *reason)
{
    out->failed = true;
    return tn_file_error(&out->error, TENON_ERR_IO, system, verb, out->name, reason);
}

static bool file_output_fail_with(tn_output *out, tenon_code code, const char *verb,
                                  const char *reason)
{
    out->failed = true;
    return tn_file_error(&out->error, code, 0, verb, out->name, reason);
}

static int file_output_shut(tn_output *out)
{
    out->is_open = false;
    return out->files->close(out->files->user, out->file);
}

// -- The temporary file

// Its name: "folder/.model.bplx.tenon-0123456789abcdef".
static bool file_output_name_temporary(tn_output *out, uint64_t number)
{
    size_t folder_size = tn_path_folder_size(out->target);
    const char *base = out->target + folder_size;
    size_t base_size = strlen(base);
    if (base_size > BASE_MOST) {
        base_size = BASE_MOST;
        while (base_size > 0 && ((uint8_t)base[base_size] & 0xC0) == 0x80) base_size--;
    }
    int size = snprintf(out->temporary, sizeof out->temporary, "%.*s.%.*s" MARK "%016" PRIx64,
                        (int)folder_size, out->target, (int)base_size, base, number);
    return size > 0 && (size_t)size < sizeof out->temporary;
}

static bool file_output_is_name_of_temporary(const char *name)
{
    size_t size = strlen(name), end_size = strlen(MARK) + DIGIT_COUNT;
    if (name[0] != '.' || size <= end_size) return false;
    const char *end = name + size - end_size, *digits = end + strlen(MARK);
    return memcmp(end, MARK, strlen(MARK)) == 0 &&
           strspn(digits, "0123456789abcdef") == DIGIT_COUNT;
}

// 0 if `path` leads to `file` or that cannot be checked, and EBUSY if it leads elsewhere.
static int file_output_confirm(const tenon_files *files, const char *path, tenon_file file)
{
    tenon_file_info open, named;
    int error = files->stat(files->user, file, &open);
    if (error) return error;
    error = files->look(files->user, path, &named);
    if (error) return error == ENOENT ? EBUSY : error;
    bool differs = tn_file_known(open.id) && !tn_file_same(open.id, named.id);
    return differs ? EBUSY : 0;
}

int tn_folder_lock(const tenon_files *files, const char *path, tenon_file *folder)
{
    char name[TN_PATH_SIZE] = ".";
    size_t size = tn_path_folder_size(path);
    if (size >= sizeof name) return ENAMETOOLONG;
    if (size > 0) memcpy(name, path, size);
    int error = files->open(files->user, name, folder);
    if (error) return error;
    error = files->lock(files->user, *folder);
    if (error) (void)files->close(files->user, *folder);
    return error;
}

// Whether an error means that folders cannot be locked there: Windows does not open them, and
// network drives lock only what is open for writing.
static bool file_output_is_unlockable(int error)
{
    return error == ENOSYS || error == EACCES || error == EISDIR || error == EBADF;
}

// Remove the temporary at `path` if its writer is gone: then its lock and that of its folder, which
// we may hold ourselves, are free. Only files are temporaries.
static void file_output_sweep(const tn_output *out, const char *path)
{
    const tenon_files *files = out->files;
    tenon_file_info info;
    tenon_file file, folder = 0;
    bool is_ours = out->batch && tn_batch_pends(out->batch, path);
    if (is_ours || files->open_write(files->user, path, &file) != 0) return;
    if (files->stat(files->user, file, &info) == 0 && info.kind == TENON_FILE_REGULAR &&
        files->lock(files->user, file) == 0) {
        bool is_guarded = out->batch && tn_batch_guards(out->batch, path);
        int error = is_guarded ? 0 : tn_folder_lock(files, path, &folder);
        if ((error == 0 || file_output_is_unlockable(error)) &&
            file_output_confirm(files, path, file) == 0)
            (void)files->remove(files->user, path);
        if (error == 0 && !is_guarded) (void)files->close(files->user, folder);
    }
    (void)files->close(files->user, file);
}

static bool file_output_sweep_if_temporary(void *user, const char *name)
{
    const tn_output *out = user;
    char path[TN_PATH_SIZE];
    if (!file_output_is_name_of_temporary(name)) return true;
    int folder_size = (int)tn_path_folder_size(out->target);
    int size = snprintf(path, sizeof path, "%.*s%s", folder_size, out->target, name);
    if (size > 0 && (size_t)size < sizeof path) file_output_sweep(out, path);
    return true;
}

// Remove what crashed writers left in the folder. Files whose state is unknown stay.
static void file_output_sweep_folder(tn_output *out)
{
    const tenon_files *files = out->files;
    char folder[TN_PATH_SIZE] = ".";
    size_t size = tn_path_folder_size(out->target);
    if (!files->list || size >= sizeof folder) return;
    if (out->batch && tn_batch_has_swept(out->batch, out->target)) return;
    if (size > 0) memcpy(folder, out->target, size);
    (void)files->list(files->user, folder, file_output_sweep_if_temporary, out);
}

// Lock the file that was just created. Before that, another writer may have taken it for a
// leftover: then the other one has the lock or has removed it. Where locks do not exist, leftovers
// are not removed either.
static int file_output_own_temporary(tn_output *out)
{
    int error = out->files->lock(out->files->user, out->file);
    if (error == ENOSYS) return 0;
    if (error == EWOULDBLOCK) error = EBUSY;
    out->is_locked = error == 0;
    if (error == 0) error = file_output_confirm(out->files, out->temporary, out->file);
    if (error == EBUSY) out->has_temporary = false;
    return error;
}

// 0, EBUSY if the name is another writer's, or the reason why it cannot be created.
static int file_output_claim(tn_output *out)
{
    const tenon_files *files = out->files;
    int error = files->create(files->user, out->temporary, &out->file);
    if (error) return error == EEXIST ? EBUSY : error;
    out->is_open = true;
    out->has_temporary = true;
    error = file_output_own_temporary(out);
    if (error) tn_output_abort(out);
    return error;
}

static bool file_output_fail_to_create(tn_output *out, int error)
{
    file_output_fail(out, error, "create", NULL);
    uint32_t open_count = out->batch ? tn_batch_open_count(out->batch) : 0;
    if (error == EMFILE && open_count > 0)
        (void)snprintf(out->error.note, sizeof out->error.note,
                       "so are %" PRIu32 " files before it: their folder is locked by another run, "
                       "or cannot be locked",
                       open_count);
    return false;
}

// Systems without random numbers count.
static bool file_output_open_temporary(tn_output *out)
{
    file_output_sweep_folder(out);
    for (unsigned i = 0; i < TRY_MOST; i++) {
        uint64_t number = i;
        int error = tn_file_random(&number);
        if (error && error != ENOSYS) return file_output_fail(out, error, "create", NULL);
        if (!file_output_name_temporary(out, number))
            return file_output_fail(out, ENAMETOOLONG, "create", NULL);
        error = file_output_claim(out);
        if (error == 0) return true;
        if (error != EBUSY) return file_output_fail_to_create(out, error);
    }
    file_output_fail(out, EBUSY, "create", "all names for a temporary file are taken");
    (void)snprintf(out->error.note, sizeof out->error.note, "beside it, ending in %s and %d digits",
                   MARK, DIGIT_COUNT);
    return false;
}

// -- Begin

static bool file_output_is_input(const tenon_file_info *info, const tenon_write_opts *opts)
{
    for (uint32_t i = 0; i < opts->input_count; i++) {
        if (tn_file_same(info->id, opts->inputs[i])) return true;
    }
    return false;
}

// Whether an existing file at the path may be replaced.
static bool file_output_admit(tn_output *out, const tenon_file_info *info,
                              const tenon_write_opts *opts)
{
    if (info->kind == TENON_FILE_FOLDER) return file_output_fail(out, EISDIR, NULL, "is a folder");
    if (info->kind == TENON_FILE_DISK) return file_output_fail(out, EINVAL, NULL, "is a disk");
    if (info->kind != TENON_FILE_REGULAR) return true;
    if (file_output_is_input(info, opts)) {
        if (!opts->in_place)
            return file_output_fail_with(out, TENON_ERR_EXISTS, NULL, "is the input");
        out->replaces = true;
    }
    return out->replaces || file_output_fail_with(out, TENON_ERR_EXISTS, NULL, "exists");
}

// The path that a new file gets: its folder with all links resolved, and its name. A link of that
// name is not followed.
static int file_output_find_new(const tn_output *out, char target[TN_PATH_SIZE])
{
    char folder[TN_PATH_SIZE] = ".";
    size_t size = tn_path_folder_size(out->name);
    const char *base = out->name + size;
    if (size >= sizeof folder) return ENAMETOOLONG;
    if (!*base) return ENOENT;
    if (size > 0) memcpy(folder, out->name, size);
    int error = out->files->resolve(out->files->user, folder, target, TN_PATH_SIZE);
    if (error) return error;
    size_t used = strlen(target);
    if (used > 0 && target[used - 1] == '/') used--;
    size_t room = TN_PATH_SIZE - used;
    return (size_t)snprintf(target + used, room, "/%s", base) < room ? 0 : ENAMETOOLONG;
}

// The file to replace is the one that links lead to, so that the links stay.
static bool file_output_find_target(tn_output *out)
{
    const tenon_files *files = out->files;
    int error = out->replaces
                    ? files->resolve(files->user, out->name, out->target, sizeof out->target)
                    : file_output_find_new(out, out->target);
    if (error == ENOSYS) {
        int size = snprintf(out->target, sizeof out->target, "%s", out->name);
        error = size > 0 && (size_t)size < sizeof out->target ? 0 : ENAMETOOLONG;
    }
    if (error) return file_output_fail(out, error, "create", NULL);
    if (!out->batch || !tn_batch_has(out->batch, out->target)) return true;
    file_output_fail_with(out, TENON_ERR_EXISTS, NULL, "leads to the same file as another output");
    (void)snprintf(out->error.note, sizeof out->error.note, "give one another name");
    return false;
}

// Set permissions before the first byte, so that the content is never readable for others.
static bool file_output_keep_mode(tn_output *out)
{
    const tenon_files *files = out->files;
    int error = files->copy_mode(files->user, out->file, out->target);
    if (error == 0 || error == ENOSYS || error == ENOENT) return true;
    return file_output_fail(out, error, "keep the permissions of", NULL);
}

static bool file_output_refuse_link(tn_output *out)
{
    return file_output_fail_with(out, TENON_ERR_EXISTS, NULL, "is a link");
}

static bool file_output_open_direct(tn_output *out)
{
    const tenon_files *files = out->files;
    int error = files->open_write(files->user, out->name, &out->file);
    if (error == ELOOP && !out->replaces) return file_output_refuse_link(out);
    if (error == ELOOP) {
        error = files->resolve(files->user, out->name, out->target, sizeof out->target);
        if (error == 0) error = files->open_write(files->user, out->target, &out->file);
    }
    out->is_direct = true;
    out->is_open = error == 0;
    if (error == ENXIO) return file_output_fail(out, error, "open", "no program reads from it");
    return error == 0 || file_output_fail(out, error, "open", NULL);
}

// Whether there is a link whose target does not exist: open_write() does not follow it.
static bool file_output_is_link(const tn_output *out)
{
    tenon_file file;
    int error = out->files->open_write(out->files->user, out->name, &file);
    if (error == 0) (void)out->files->close(out->files->user, file);
    return error == ELOOP;
}

static bool file_open_output(tn_output *out, const tenon_write_opts *opts)
{
    tenon_file_info info;
    int error = out->files->look(out->files->user, out->name, &info);
    bool exists = error == 0;
    if (!exists && error != ENOENT) return file_output_fail(out, error, "create", NULL);
    out->is_new = !exists;
    if (!exists && !out->replaces && file_output_is_link(out)) return file_output_refuse_link(out);
    if (exists && !file_output_admit(out, &info, opts)) return false;
    if (exists && info.kind != TENON_FILE_REGULAR) return file_output_open_direct(out);
    return file_output_find_target(out) && file_output_open_temporary(out) &&
           (!exists || file_output_keep_mode(out));
}

// Clean up and say why.
static bool file_output_give_up(tn_output *out, tenon_error *err)
{
    tn_output_abort(out);
    if (err) *err = out->error;
    return false;
}

bool tn_output_begin(tn_output *out, const char *path, const tenon_write_opts *opts,
                     tenon_error *err)
{
    static const tenon_write_opts defaults = {0};
    if (!opts) opts = &defaults;
    memset(out, 0, offsetof(tn_output, target));  // The buffers need no clearing.
    out->files = opts->files ? opts->files : tenon_system_files();
    out->name = path;
    out->events = opts->events;
    out->total = TENON_ABSENT;
    out->replaces = opts->force;
    out->batch = opts->batch;
    return file_open_output(out, opts) || file_output_give_up(out, err);
}

// -- Write

static bool file_output_put(tn_output *out, const uint8_t *bytes, size_t size)
{
    const tenon_files *files = out->files;
    const tenon_events *events = &out->events;
    while (size > 0) {
        if (events->on_progress && !events->on_progress(events->user, out->done, out->total))
            return file_output_fail_with(out, TENON_ERR_CANCELLED, "write", "cancelled");
        size_t written = 0;
        int error = files->write(files->user, out->file, bytes,
                                 size < CHUNK_MOST ? size : CHUNK_MOST, &written);
        if (error == EINTR) continue;
        if (error == 0 && written == 0) error = EIO;
        if (error) return file_output_fail(out, error, "write", NULL);
        bytes += written;
        size -= written;
        out->done += written;
    }
    return true;
}

static bool file_output_flush(tn_output *out)
{
    size_t used = out->used;
    out->used = 0;
    return file_output_put(out, out->buffer, used);
}

bool tn_output_write(void *user, const void *bytes, size_t size)
{
    tn_output *out = user;
    if (out->failed || !out->is_open) return false;
    if (size == 0) return true;
    if (size > sizeof out->buffer - out->used && !file_output_flush(out)) return false;
    if (size >= sizeof out->buffer) return file_output_put(out, bytes, size);
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
    return true;
}

const char *tn_output_so_far(tn_output *out)
{
    return !out->failed && file_output_flush(out) && out->has_temporary ? out->temporary : NULL;
}

// -- End

// The file is locked while it is open, so it stays open until it is renamed: a closed temporary is
// a leftover. Where locks do not exist, it is closed first, as some systems require.
static bool file_output_complete(tn_output *out)
{
    int error = out->is_direct ? 0 : out->files->sync(out->files->user, out->file);
    if (error == 0 && !out->is_locked) error = file_output_shut(out);
    return error == 0 || file_output_fail(out, error, "write", NULL);
}

bool tn_output_rename(tn_output *out)
{
    const tenon_files *files = out->files;
    int error = files->rename(files->user, out->temporary, out->target, out->replaces);
    if (error == EEXIST && !out->replaces)
        return file_output_fail_with(out, TENON_ERR_EXISTS, NULL, "exists");
    if (error) return file_output_fail(out, error, out->replaces ? "replace" : "create", NULL);
    out->has_temporary = false;
    return true;
}

// A failure here does not matter: the file is complete, in its place and on the disk.
void tn_output_settle(tn_output *out)
{
    (void)out->files->sync_name(out->files->user, out->target);
    if (out->is_open) (void)file_output_shut(out);
}

static bool file_output_publish(tn_output *out)
{
    if (out->is_direct) return true;
    if (out->batch)
        return tn_batch_add(out->batch, out) ||
               file_output_fail_with(out, TENON_ERR_MEMORY, "write", "out of memory");
    if (!tn_output_rename(out)) return false;
    tn_output_settle(out);
    return true;
}

bool tn_output_commit(tn_output *out, tenon_error *err)
{
    bool ok = !out->failed && file_output_flush(out) && file_output_complete(out) &&
              file_output_publish(out);
    if (ok && out->batch)
        out->is_open = out->has_temporary = false;  // Now they belong to the batch.
    return ok || file_output_give_up(out, err);
}

void tn_output_abort(tn_output *out)
{
    if (out->is_open && !out->is_locked) (void)file_output_shut(out);
    if (out->has_temporary) (void)out->files->remove(out->files->user, out->temporary);
    out->has_temporary = false;
    if (out->is_open) (void)file_output_shut(out);
    out->is_locked = false;
}
