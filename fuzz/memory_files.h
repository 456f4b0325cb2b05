// memory_files.h: a folder in memory that can be read and written, whose operations can fail.
// SPDX-License-Identifier: MIT
//
// Usage: memory_files m; memory_begin(&m); then give &m.files to the library; memory_end(&m).

#ifndef TENON_FUZZ_MEMORY_FILES_H
#define TENON_FUZZ_MEMORY_FILES_H

#include <errno.h>

#include <tenon/files.h>

#include "fuzz.h"

#define MEMORY_FILES_MOST   512
#define MEMORY_HANDLES_MOST 128
#define MEMORY_NAME_SIZE    512
#define MEMORY_BYTES_MOST   ((size_t)64 << 20)  // Of one file: more is a full disk.

typedef struct memory_file {
    char name[MEMORY_NAME_SIZE];  // "" if it was removed, or never was.
    uint8_t *data;
    size_t size, room;
    bool is_locked;
} memory_file;

typedef struct memory_handle {
    uint32_t file;  // TENON_NONE: the folder.
    size_t at;
    bool is_open, has_lock;
} memory_handle;

typedef struct memory_files {
    tenon_files files;
    memory_file all[MEMORY_FILES_MOST];
    uint32_t file_count;
    memory_handle handles[MEMORY_HANDLES_MOST];
    uint32_t open_count;
    // A name that no file has opens a file with the same extension, except one name in eight:
    // a model whose names are damaged still has files beside it.
    bool is_by_extension;
    uint64_t calls, fail_at;  // Which call fails, from 1; 0: none.
    bool has_failed_to_remove;
} memory_files;

static inline const char *memory_name(const char *path)
{
    while (strncmp(path, "./", 2) == 0) path += 2;
    return path;
}

static inline const char *memory_extension(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

static inline bool memory_is_folder(const char *path)
{
    return strcmp(path, ".") == 0 || strcmp(path, "") == 0 || strcmp(path, "./") == 0;
}

// The number of a file, or TENON_NONE.
static inline uint32_t memory_find_exactly(const memory_files *m, const char *path)
{
    const char *name = memory_name(path);
    for (uint32_t i = 0; *name && i < m->file_count; i++)
        if (strcmp(m->all[i].name, name) == 0) return i;
    return TENON_NONE;
}

static inline uint32_t memory_find(const memory_files *m, const char *path)
{
    uint32_t found = memory_find_exactly(m, path), like[MEMORY_FILES_MOST], count = 0;
    if (found != TENON_NONE || !m->is_by_extension) return found;
    const char *name = memory_name(path), *extension = memory_extension(name);
    uint64_t hash = hash_of((const uint8_t *)name, strlen(name));
    for (uint32_t i = 0; *extension && i < m->file_count; i++)
        if (strcmp(memory_extension(m->all[i].name), extension) == 0) like[count++] = i;
    return count && hash >> 32 & 7 ? like[hash % count] : TENON_NONE;
}

static inline bool memory_fails(memory_files *m)
{
    return ++m->calls == m->fail_at;
}

static inline int memory_get_handle(memory_files *m, uint32_t file, tenon_file *handle)
{
    for (int i = 0; i < MEMORY_HANDLES_MOST; i++) {
        if (m->handles[i].is_open) continue;
        m->handles[i] = (memory_handle){.file = file, .is_open = true};
        m->open_count++;
        *handle = i;
        return 0;
    }
    return EMFILE;
}

static inline int memory_open(void *user, const char *path, tenon_file *handle)
{
    memory_files *m = user;
    if (memory_fails(m)) return EACCES;
    if (memory_is_folder(path)) return memory_get_handle(m, TENON_NONE, handle);
    uint32_t file = memory_find(m, path);
    return file == TENON_NONE ? ENOENT : memory_get_handle(m, file, handle);
}

static inline void memory_describe(const memory_files *m, uint32_t file, tenon_file_info *info)
{
    *info = (tenon_file_info){.kind = TENON_FILE_FOLDER, .id = {1, 1}};
    if (file == TENON_NONE) return;
    *info = (tenon_file_info){TENON_FILE_REGULAR, m->all[file].size, {1, file + 2}};
}

static inline int memory_stat(void *user, tenon_file handle, tenon_file_info *info)
{
    memory_files *m = user;
    if (memory_fails(m)) return EIO;
    memory_describe(m, m->handles[handle].file, info);
    return 0;
}

static inline int memory_look(void *user, const char *path, tenon_file_info *info)
{
    memory_files *m = user;
    if (memory_fails(m)) return EACCES;
    uint32_t file = memory_find(m, path);
    if (file == TENON_NONE && !memory_is_folder(path)) return ENOENT;
    memory_describe(m, file, info);
    return 0;
}

static inline int memory_read(void *user, tenon_file handle, void *dst, size_t size, size_t *got)
{
    memory_files *m = user;
    memory_handle *h = &m->handles[handle];
    if (memory_fails(m)) return EIO;
    require(h->is_open, "a file that is read is open", NULL);
    if (h->file == TENON_NONE) return EISDIR;
    const memory_file *f = &m->all[h->file];
    size_t left = f->size - h->at;
    *got = size < left ? size : left;
    if (*got) memcpy(dst, f->data + h->at, *got);
    h->at += *got;
    return 0;
}

static inline int memory_map(void *user, tenon_file handle, size_t size, const void **memory)
{
    (void)user, (void)handle, (void)size, (void)memory;
    return ENOSYS;
}

static inline void memory_unmap(void *user, const void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

static inline int memory_create(void *user, const char *path, tenon_file *handle)
{
    memory_files *m = user;
    const char *name = memory_name(path);
    if (memory_fails(m)) return EACCES;
    if (memory_find_exactly(m, path) != TENON_NONE) return EEXIST;
    if (strlen(name) >= MEMORY_NAME_SIZE) return ENAMETOOLONG;
    if (m->file_count == MEMORY_FILES_MOST) return ENOSPC;
    int error = memory_get_handle(m, m->file_count, handle);
    if (error) return error;
    memory_file *f = &m->all[m->file_count++];
    *f = (memory_file){0};
    memcpy(f->name, name, strlen(name) + 1);
    return 0;
}

static inline int memory_open_write(void *user, const char *path, tenon_file *handle)
{
    memory_files *m = user;
    if (memory_fails(m)) return EACCES;
    uint32_t file = memory_find_exactly(m, path);
    return file == TENON_NONE ? ENOENT : memory_get_handle(m, file, handle);
}

static inline int memory_lock(void *user, tenon_file handle)
{
    memory_files *m = user;
    memory_handle *h = &m->handles[handle];
    if (memory_fails(m)) return EIO;
    if (h->file == TENON_NONE || h->has_lock) return 0;
    if (m->all[h->file].is_locked) return EWOULDBLOCK;
    h->has_lock = m->all[h->file].is_locked = true;
    return 0;
}

static inline int memory_write(void *user, tenon_file handle, const void *src, size_t size,
                               size_t *put)
{
    memory_files *m = user;
    memory_file *f = &m->all[m->handles[handle].file];
    if (memory_fails(m) || size > MEMORY_BYTES_MOST - f->size) return ENOSPC;
    if (size > f->room - f->size) {
        size_t room = 2 * (f->size + size);
        uint8_t *data = realloc(f->data, room);
        if (!data) return ENOSPC;
        f->data = data;
        f->room = room;
    }
    if (size) memcpy(f->data + f->size, src, size);
    f->size += size;
    *put = size;
    return 0;
}

static inline int memory_copy_mode(void *user, tenon_file handle, const char *path)
{
    (void)handle, (void)path;
    return memory_fails(user) ? EPERM : 0;
}

static inline int memory_sync(void *user, tenon_file handle)
{
    (void)handle;
    return memory_fails(user) ? EIO : 0;
}

static inline int memory_sync_name(void *user, const char *path)
{
    (void)path;
    return memory_fails(user) ? EIO : 0;
}

// A file is closed even if that fails.
static inline int memory_close(void *user, tenon_file handle)
{
    memory_files *m = user;
    memory_handle *h = &m->handles[handle];
    require(h->is_open, "a file is closed once", NULL);
    if (h->has_lock) m->all[h->file].is_locked = false;
    h->is_open = false;
    m->open_count--;
    return memory_fails(m) ? EIO : 0;
}

static inline int memory_rename(void *user, const char *from, const char *to, bool replace)
{
    memory_files *m = user;
    if (memory_fails(m)) return EACCES;
    uint32_t file = memory_find_exactly(m, from), old = memory_find_exactly(m, to);
    if (file == TENON_NONE) return ENOENT;
    if (old != TENON_NONE && !replace) return EEXIST;
    if (strlen(memory_name(to)) >= MEMORY_NAME_SIZE) return ENAMETOOLONG;
    if (old != TENON_NONE && old != file) m->all[old].name[0] = 0;
    memcpy(m->all[file].name, memory_name(to), strlen(memory_name(to)) + 1);
    return 0;
}

static inline int memory_remove(void *user, const char *path)
{
    memory_files *m = user;
    if (memory_fails(m)) {
        m->has_failed_to_remove = true;
        return EACCES;
    }
    uint32_t file = memory_find_exactly(m, path);
    if (file == TENON_NONE) return ENOENT;
    m->all[file].name[0] = 0;
    return 0;
}

static inline int memory_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;
}

static inline int memory_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    memory_files *m = user;
    if (memory_fails(m)) return EACCES;
    if (!memory_is_folder(folder)) return ENOENT;
    for (uint32_t i = 0; i < m->file_count; i++)
        if (m->all[i].name[0] && !strchr(m->all[i].name, '/') && !take(take_user, m->all[i].name))
            break;
    return 0;
}

static inline void memory_begin(memory_files *m)
{
    m->files = (tenon_files){.user = m,
                             .open = memory_open,
                             .stat = memory_stat,
                             .look = memory_look,
                             .read = memory_read,
                             .map = memory_map,
                             .unmap = memory_unmap,
                             .create = memory_create,
                             .open_write = memory_open_write,
                             .lock = memory_lock,
                             .write = memory_write,
                             .copy_mode = memory_copy_mode,
                             .sync = memory_sync,
                             .sync_name = memory_sync_name,
                             .close = memory_close,
                             .rename = memory_rename,
                             .remove = memory_remove,
                             .resolve = memory_resolve,
                             .list = memory_list};
    m->file_count = m->open_count = 0;
    m->calls = m->fail_at = 0;
    m->is_by_extension = m->has_failed_to_remove = false;
    memset(m->handles, 0, sizeof m->handles);
}

// Add a file with a copy of the bytes; what does not fit is left out.
static inline void memory_add(memory_files *m, const char *name, const void *bytes, size_t size)
{
    tenon_file handle;
    size_t put;
    if (memory_create(m, name, &handle) != 0) return;
    (void)memory_write(m, handle, bytes, size, &put);
    (void)memory_close(m, handle);
}

// Files that have a name.
static inline uint32_t memory_count(const memory_files *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->file_count; i++) count += m->all[i].name[0] != 0;
    return count;
}

static inline void memory_end(memory_files *m)
{
    require(m->open_count == 0, "no file is left open", NULL);
    for (uint32_t i = 0; i < m->file_count; i++) free(m->all[i].data);
    m->file_count = 0;
}

#endif  // TENON_FUZZ_MEMORY_FILES_H
