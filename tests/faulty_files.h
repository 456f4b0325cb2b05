// faulty_files.h: file operations that fail on demand, do little at a time, and count open files.
// SPDX-License-Identifier: MIT
//
// Usage: faulty_files faulty; faulty_begin(&faulty); then give &faulty.files to the library.

#ifndef TENON_TESTS_FAULTY_FILES_H
#define TENON_TESTS_FAULTY_FILES_H

#include <errno.h>
#include <string.h>

#include <tenon/files.h>

typedef struct faulty_files {
    tenon_files files;
    const tenon_files *real;
    unsigned calls;         // Operations so far that could have failed.
    unsigned fail_at;       // Which one fails, from 1; 0: none.
    bool for_ever;          // And all that follow.
    int error;              // How they fail.
    const char *only;       // Fail only this operation, for example "rename"; NULL: any.
    bool crumbs;            // Read and write a few bytes at a time, interrupted before each.
    bool interrupted;       // The last read or write was interrupted.
    unsigned failed_calls;  // That were made to fail.
    unsigned failed_removes;
    int open_count;  // Files open now.
    int map_count;   // Mapped now.
} faulty_files;

// Whether the operation is to fail this time.
static inline bool faulty_trips(faulty_files *f, const char *operation)
{
    if (f->only && strcmp(f->only, operation) != 0) return false;
    f->calls++;
    bool trips =
        f->fail_at != 0 && (f->calls == f->fail_at || (f->for_ever && f->calls > f->fail_at));
    f->failed_calls += trips;
    return trips;
}

static inline int faulty_open(void *user, const char *path, tenon_file *file)
{
    faulty_files *f = user;
    if (faulty_trips(f, "open")) return f->error;
    int error = f->real->open(f->real->user, path, file);
    f->open_count += error == 0;
    return error;
}

static inline int faulty_stat(void *user, tenon_file file, tenon_file_info *info)
{
    faulty_files *f = user;
    return faulty_trips(f, "stat") ? f->error : f->real->stat(f->real->user, file, info);
}

static inline int faulty_look(void *user, const char *path, tenon_file_info *info)
{
    faulty_files *f = user;
    return faulty_trips(f, "look") ? f->error : f->real->look(f->real->user, path, info);
}

// How much is done this time: 0 if a signal comes first.
static inline size_t faulty_crumb(faulty_files *f, size_t size)
{
    if (!f->crumbs) return size;
    f->interrupted = !f->interrupted;
    if (f->interrupted) return 0;
    size_t crumb = 1 + f->calls % 7;
    return size < crumb ? size : crumb;
}

static inline int faulty_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    faulty_files *f = user;
    if (faulty_trips(f, "read")) return f->error;
    size_t crumb = faulty_crumb(f, size);
    return crumb ? f->real->read(f->real->user, file, dst, crumb, got) : EINTR;
}

static inline int faulty_map(void *user, tenon_file file, size_t size, const void **memory)
{
    faulty_files *f = user;
    if (faulty_trips(f, "map")) return f->error;
    int error = f->real->map(f->real->user, file, size, memory);
    f->map_count += error == 0;
    return error;
}

static inline void faulty_unmap(void *user, const void *memory, size_t size)
{
    faulty_files *f = user;
    f->map_count--;
    f->real->unmap(f->real->user, memory, size);
}

static inline int faulty_create(void *user, const char *path, tenon_file *file)
{
    faulty_files *f = user;
    if (faulty_trips(f, "create")) return f->error;
    int error = f->real->create(f->real->user, path, file);
    f->open_count += error == 0;
    return error;
}

static inline int faulty_open_write(void *user, const char *path, tenon_file *file)
{
    faulty_files *f = user;
    if (faulty_trips(f, "open_write")) return f->error;
    int error = f->real->open_write(f->real->user, path, file);
    f->open_count += error == 0;
    return error;
}

static inline int faulty_lock(void *user, tenon_file file)
{
    faulty_files *f = user;
    return faulty_trips(f, "lock") ? f->error : f->real->lock(f->real->user, file);
}

static inline int faulty_write(void *user, tenon_file file, const void *src, size_t size,
                               size_t *put)
{
    faulty_files *f = user;
    if (faulty_trips(f, "write")) return f->error;
    size_t crumb = faulty_crumb(f, size);
    return crumb ? f->real->write(f->real->user, file, src, crumb, put) : EINTR;
}

static inline int faulty_copy_mode(void *user, tenon_file file, const char *path)
{
    faulty_files *f = user;
    return faulty_trips(f, "copy_mode") ? f->error : f->real->copy_mode(f->real->user, file, path);
}

// What is on the disk cannot be tested without a power cut, so time is saved here.
static inline int faulty_sync(void *user, tenon_file file)
{
    faulty_files *f = user;
    (void)file;
    return faulty_trips(f, "sync") ? f->error : 0;
}

static inline int faulty_sync_name(void *user, const char *path)
{
    faulty_files *f = user;
    (void)path;
    return faulty_trips(f, "sync_name") ? f->error : 0;
}

// A file is closed even if that fails.
static inline int faulty_close(void *user, tenon_file file)
{
    faulty_files *f = user;
    f->open_count--;
    int error = f->real->close(f->real->user, file);
    return faulty_trips(f, "close") ? f->error : error;
}

static inline int faulty_rename(void *user, const char *from, const char *to, bool replace)
{
    faulty_files *f = user;
    return faulty_trips(f, "rename") ? f->error : f->real->rename(f->real->user, from, to, replace);
}

static inline int faulty_remove(void *user, const char *path)
{
    faulty_files *f = user;
    if (!faulty_trips(f, "remove")) return f->real->remove(f->real->user, path);
    f->failed_removes++;
    return f->error;
}

static inline int faulty_resolve(void *user, const char *path, char *out, size_t out_size)
{
    faulty_files *f = user;
    if (faulty_trips(f, "resolve")) return f->error;
    return f->real->resolve(f->real->user, path, out, out_size);
}

static inline int faulty_open_inside(void *user, const char *folder, const char *path,
                                     tenon_file *file)
{
    faulty_files *f = user;
    if (faulty_trips(f, "open_inside")) return f->error;
    int error = f->real->open_inside ? f->real->open_inside(f->real->user, folder, path, file)
                                     : f->real->open(f->real->user, path, file);
    f->open_count += error == 0;
    return error;
}

static inline int faulty_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    faulty_files *f = user;
    if (faulty_trips(f, "list")) return f->error;
    return f->real->list ? f->real->list(f->real->user, folder, take, take_user) : ENOSYS;
}

// The system's operations; none fails yet.
static inline void faulty_begin(faulty_files *f)
{
    *f = (faulty_files){
        .real = tenon_system_files(),
        .error = EIO,
        .files = {.user = f,
                  .open = faulty_open,
                  .stat = faulty_stat,
                  .look = faulty_look,
                  .read = faulty_read,
                  .map = faulty_map,
                  .unmap = faulty_unmap,
                  .create = faulty_create,
                  .open_write = faulty_open_write,
                  .lock = faulty_lock,
                  .write = faulty_write,
                  .copy_mode = faulty_copy_mode,
                  .sync = faulty_sync,
                  .sync_name = faulty_sync_name,
                  .close = faulty_close,
                  .rename = faulty_rename,
                  .remove = faulty_remove,
                  .resolve = faulty_resolve,
                  .open_inside = faulty_open_inside,
                  .list = faulty_list},
    };
}

#endif  // TENON_TESTS_FAULTY_FILES_H
