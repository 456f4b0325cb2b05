// web_files.c: the files of the host, in place of src/core/files/file_posix.c and its siblings.
// SPDX-License-Identifier: MIT

#include "web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// -- What the host provides. Texts are not terminated.

#define HOST(name) __attribute__((import_module("tenon"), import_name(name))) extern

// Of a file: its size, and a number that no other file has.
typedef struct host_info {
    double size, number;
} host_info;

enum { HOST_NOTHING, HOST_FILE, HOST_FOLDER, HOST_FAILED };

// What is at the path; and with `handle`, which may be NULL, open it. The host follows no link out
// of the model's folder.
HOST("look")
int32_t host_look(const char *path, size_t size, host_info *info, int32_t *handle);
HOST("read") int32_t host_read(int32_t handle, double at, void *dst, size_t size);
HOST("create") int32_t host_create(const char *path, size_t size);  // 0: it exists.
HOST("write") int32_t host_write(int32_t handle, const void *src, size_t size);
HOST("close") void host_close(int32_t handle);
HOST("rename")
int32_t host_rename(const char *from, size_t from_size, const char *to, size_t to_size,
                    int32_t replace);
HOST("remove") int32_t host_remove(const char *path, size_t size);
// Names of the entries of a folder: how many, then each with its size, or -1 if it is too long.
HOST("list") int32_t host_list(const char *path, size_t size);
HOST("entry") int32_t host_entry(int32_t index, char *out, size_t out_size);

#define NAME_SIZE 1024

typedef struct web_file {
    int32_t handle;
    host_info info;
    double at;
} web_file;

static int web_files_error(int32_t found)
{
    return found == HOST_NOTHING ? ENOENT : found == HOST_FOLDER ? EISDIR : EIO;
}

static tenon_file_info web_files_info(const host_info *info)
{
    return (tenon_file_info){.kind = TENON_FILE_REGULAR,
                             .size = (uint64_t)info->size,
                             .id = {1, (uint64_t)info->number}};
}

static int web_files_wrap(int32_t handle, host_info info, tenon_file *file)
{
    web_file *own = malloc(sizeof *own);
    if (own) *own = (web_file){.handle = handle, .info = info};
    if (!own) host_close(handle);
    *file = (tenon_file)own;
    return own ? 0 : ENOMEM;
}

static int web_files_open(void *user, const char *path, tenon_file *file)
{
    (void)user;
    host_info info;
    int32_t handle;
    int32_t found = host_look(path, strlen(path), &info, &handle);
    if (found != HOST_FILE) return web_files_error(found);
    web_add_input((uint64_t)info.number, (uint64_t)info.size);
    return web_files_wrap(handle, info, file);
}

static int web_files_stat(void *user, tenon_file file, tenon_file_info *info)
{
    (void)user;
    *info = web_files_info(&((web_file *)file)->info);
    return 0;
}

static int web_files_look(void *user, const char *path, tenon_file_info *info)
{
    (void)user;
    host_info found;
    int32_t kind = host_look(path, strlen(path), &found, NULL);
    if (kind == HOST_FOLDER) {
        *info = (tenon_file_info){.kind = TENON_FILE_FOLDER};
        return 0;
    }
    if (kind != HOST_FILE) return web_files_error(kind);
    *info = web_files_info(&found);
    return 0;
}

static int web_files_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)user;
    web_file *own = (web_file *)file;
    int32_t taken = host_read(own->handle, own->at, dst, size < INT32_MAX ? size : INT32_MAX);
    if (taken < 0) return EIO;
    *got = (size_t)taken;
    own->at += taken;
    return 0;
}

static int web_files_create(void *user, const char *path, tenon_file *file)
{
    (void)user;
    int32_t handle = host_create(path, strlen(path));
    if (handle == 0) return EEXIST;
    return web_files_wrap(handle, (host_info){0}, file);
}

static int web_files_write(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    (void)user;
    web_file *own = (web_file *)file;
    if (!host_write(own->handle, src, size)) return ENOSPC;
    own->info.size += (double)size;
    *put = size;
    return 0;
}

static int web_files_close(void *user, tenon_file file)
{
    (void)user;
    web_file *own = (web_file *)file;
    host_close(own->handle);
    free(own);
    return 0;
}

static int web_files_rename(void *user, const char *from, const char *to, bool replace)
{
    (void)user;
    return host_rename(from, strlen(from), to, strlen(to), replace) ? 0 : EEXIST;
}

static int web_files_remove(void *user, const char *path)
{
    (void)user;
    return host_remove(path, strlen(path)) ? 0 : ENOENT;
}

static int web_files_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    (void)user;
    char name[NAME_SIZE];
    int32_t count = host_list(folder, strlen(folder));
    if (count < 0) return ENOENT;
    for (int32_t i = 0; i < count; i++) {
        int32_t size = host_entry(i, name, sizeof name - 1);
        if (size < 0) continue;
        name[size] = '\0';
        if (!take(take_user, name)) break;
    }
    return 0;
}

// -- What the host does not have

static int web_files_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;
}

static void web_files_unmap(void *user, const void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

static int web_files_open_write(void *user, const char *path, tenon_file *file)
{
    (void)user, (void)path, (void)file;
    return ENOENT;
}

static int web_files_lock(void *user, tenon_file file)
{
    (void)user, (void)file;
    return ENOSYS;
}

static int web_files_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user, (void)file, (void)path;
    return ENOSYS;
}

static int web_files_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;
}

static int web_files_sync(void *user, tenon_file file)
{
    (void)user, (void)file;
    return 0;
}

static int web_files_sync_name(void *user, const char *path)
{
    (void)user, (void)path;
    return ENOSYS;
}

// -- The operations of the system, for the whole library

const tenon_files *tenon_system_files(void)
{
    static const tenon_files files = {
        .open = web_files_open,
        .stat = web_files_stat,
        .look = web_files_look,
        .read = web_files_read,
        .map = web_files_map,
        .unmap = web_files_unmap,
        .create = web_files_create,
        .open_write = web_files_open_write,
        .lock = web_files_lock,
        .write = web_files_write,
        .copy_mode = web_files_copy_mode,
        .sync = web_files_sync,
        .sync_name = web_files_sync_name,
        .close = web_files_close,
        .rename = web_files_rename,
        .remove = web_files_remove,
        .resolve = web_files_resolve,
        .list = web_files_list,
    };
    return &files;
}

tenon_file tenon_stdin(void)
{
    return 0;
}

// Names of temporary files, which only this call sees, need not be random.
int tn_file_random(uint64_t *number);
int tn_file_random(uint64_t *number)
{
    (void)number;
    return ENOSYS;
}
