// file_memory.c: files that exist in memory only.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"
#include "core/memory/arena.h"
#include "core/text/error.h"
#include "core/text/name_tree.h"

#include <errno.h>
#include <string.h>

#define ROOM_MIN ((size_t)4096)

// A name, and the file that has it. Names stay when files are removed.
typedef struct memory_entry {
    tn_named named;
    struct memory_entry *next;
    bool exists;
    uint64_t id;
    uint8_t *data;
    size_t size, room;
    char path[];
} memory_entry;

struct tenon_memory {
    tenon_allocator allocator;
    tenon_files files;
    tn_name_tree names;
    memory_entry *first, **end;  // In the order of their first use.
    uint64_t last_id;
};

// What is open: an entry, or NULL for a folder.
typedef struct memory_handle {
    memory_entry *entry;
    size_t at;
} memory_handle;

// -- Names

static const char *file_memory_clean(const char *path)
{
    while (strncmp(path, "./", 2) == 0) path += 2;
    return path;
}

static memory_entry *file_memory_find(const tenon_memory *memory, const char *path)
{
    const char *clean = file_memory_clean(path);
    memory_entry *entry =
        (memory_entry *)tn_name_find(&memory->names, (tenon_str){clean, (uint32_t)strlen(clean)});
    return entry && entry->exists ? entry : NULL;
}

// The entry of that name, which need not have a file. NULL if out of memory.
static memory_entry *file_memory_enter(tenon_memory *memory, const char *path)
{
    const char *clean = file_memory_clean(path);
    tenon_str name = {clean, (uint32_t)strlen(clean)};
    memory_entry *entry = (memory_entry *)tn_name_find(&memory->names, name);
    if (entry) return entry;
    entry = tn_block_alloc(&memory->allocator, sizeof *entry + name.size + 1);
    if (!entry) return NULL;
    memset(entry, 0, sizeof *entry);
    memcpy(entry->path, name.data, (size_t)name.size + 1);
    entry->named.name = (tenon_str){entry->path, name.size};
    (void)tn_name_enter(&memory->names, &entry->named);
    *memory->end = entry;
    memory->end = &entry->next;
    return entry;
}

static void file_memory_empty(tenon_memory *memory, memory_entry *entry)
{
    if (entry->data) tn_block_free(&memory->allocator, entry->data, entry->room);
    entry->data = NULL;
    entry->size = entry->room = 0;
    entry->exists = false;
}

// Whether a path is a folder: there are files in it, or it is the one that everything is in.
static bool file_memory_is_folder(const tenon_memory *memory, const char *path)
{
    const char *clean = file_memory_clean(path);
    size_t size = strlen(clean);
    while (size > 0 && clean[size - 1] == '/') size--;
    if (size == 0 || (size == 1 && clean[0] == '.')) return true;
    for (const memory_entry *entry = memory->first; entry; entry = entry->next)
        if (entry->exists && strncmp(entry->path, clean, size) == 0 && entry->path[size] == '/')
            return true;
    return false;
}

// -- Operations

static int file_memory_get_handle(tenon_memory *memory, memory_entry *entry, tenon_file *file)
{
    memory_handle *handle = tn_block_alloc(&memory->allocator, sizeof *handle);
    if (!handle) return ENOMEM;
    *handle = (memory_handle){.entry = entry};
    *file = (intptr_t)handle;
    return 0;
}

static int file_memory_open(void *user, const char *path, tenon_file *file)
{
    memory_entry *entry = file_memory_find(user, path);
    if (!entry && !file_memory_is_folder(user, path)) return ENOENT;
    return file_memory_get_handle(user, entry, file);
}

static int file_memory_open_write(void *user, const char *path, tenon_file *file)
{
    memory_entry *entry = file_memory_find(user, path);
    if (!entry) return file_memory_is_folder(user, path) ? EISDIR : ENOENT;
    return file_memory_get_handle(user, entry, file);
}

static int file_memory_create(void *user, const char *path, tenon_file *file)
{
    tenon_memory *memory = user;
    if (file_memory_find(memory, path)) return EEXIST;
    if (file_memory_is_folder(memory, path)) return EISDIR;
    memory_entry *entry = file_memory_enter(memory, path);
    if (!entry) return ENOMEM;
    int error = file_memory_get_handle(memory, entry, file);
    if (error) return error;
    entry->exists = true;
    entry->id = ++memory->last_id;
    return 0;
}

static int file_memory_describe(const memory_entry *entry, tenon_file_info *info)
{
    *info = (tenon_file_info){.kind = TENON_FILE_FOLDER};
    if (entry) *info = (tenon_file_info){TENON_FILE_REGULAR, entry->size, {1, entry->id}};
    return 0;
}

static int file_memory_stat(void *user, tenon_file file, tenon_file_info *info)
{
    (void)user;
    return file_memory_describe(((const memory_handle *)file)->entry, info);
}

static int file_memory_look(void *user, const char *path, tenon_file_info *info)
{
    const memory_entry *entry = file_memory_find(user, path);
    if (!entry && !file_memory_is_folder(user, path)) return ENOENT;
    return file_memory_describe(entry, info);
}

static int file_memory_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)user;
    memory_handle *handle = (memory_handle *)file;
    const memory_entry *entry = handle->entry;
    if (!entry) return EISDIR;
    size_t left = handle->at < entry->size ? entry->size - handle->at : 0;
    *got = size < left ? size : left;
    if (*got) memcpy(dst, entry->data + handle->at, *got);
    handle->at += *got;
    return 0;
}

// Append to an entry. Returns 0 or ENOMEM.
static int file_memory_append(tenon_memory *memory, memory_entry *entry, const void *src,
                              size_t size)
{
    if (size > entry->room - entry->size) {
        if (size > SIZE_MAX - entry->size) return ENOMEM;
        size_t room = entry->room > SIZE_MAX / 2 ? 0 : 2 * entry->room;
        if (room < entry->size + size) room = entry->size + size;
        if (room < ROOM_MIN) room = ROOM_MIN;
        uint8_t *data = tn_block_alloc(&memory->allocator, room);
        if (!data) return ENOMEM;
        if (entry->size) memcpy(data, entry->data, entry->size);
        if (entry->data) tn_block_free(&memory->allocator, entry->data, entry->room);
        entry->data = data;
        entry->room = room;
    }
    if (size) memcpy(entry->data + entry->size, src, size);
    entry->size += size;
    return 0;
}

static int file_memory_write(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    const memory_handle *handle = (const memory_handle *)file;
    *put = size;
    return handle->entry ? file_memory_append(user, handle->entry, src, size) : EISDIR;
}

static int file_memory_close(void *user, tenon_file file)
{
    tenon_memory *memory = user;
    tn_block_free(&memory->allocator, (memory_handle *)file, sizeof(memory_handle));
    return 0;
}

static int file_memory_rename(void *user, const char *from, const char *to, bool replace)
{
    tenon_memory *memory = user;
    memory_entry *old = file_memory_find(memory, from);
    if (!old) return ENOENT;
    if (!replace && file_memory_find(memory, to)) return EEXIST;
    if (file_memory_is_folder(memory, to)) return EISDIR;
    memory_entry *fresh = file_memory_enter(memory, to);
    if (!fresh) return ENOMEM;
    if (fresh == old) return 0;
    file_memory_empty(memory, fresh);
    fresh->exists = true;
    fresh->id = old->id;
    fresh->data = old->data;
    fresh->size = old->size;
    fresh->room = old->room;
    old->data = NULL;
    file_memory_empty(memory, old);
    return 0;
}

static int file_memory_remove(void *user, const char *path)
{
    memory_entry *entry = file_memory_find(user, path);
    if (!entry) return ENOENT;
    file_memory_empty(user, entry);
    return 0;
}

static int file_memory_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    const tenon_memory *memory = user;
    const char *clean = file_memory_clean(folder);
    size_t size = strlen(clean);
    while (size > 0 && clean[size - 1] == '/') size--;
    if (size == 1 && clean[0] == '.') size = 0;
    for (const memory_entry *entry = memory->first; entry; entry = entry->next) {
        bool is_inside =
            size == 0 || (strncmp(entry->path, clean, size) == 0 && entry->path[size] == '/');
        const char *name = entry->path + (size ? size + 1 : 0);
        if (!entry->exists || !is_inside || strchr(name, '/')) continue;
        if (!take(take_user, name)) return 0;
    }
    return 0;
}

// What files in memory do not have.

static int file_memory_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;
}

static void file_memory_unmap(void *user, const void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

static int file_memory_lock(void *user, tenon_file file)
{
    (void)user, (void)file;
    return ENOSYS;
}

static int file_memory_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user, (void)file, (void)path;
    return ENOSYS;
}

static int file_memory_sync(void *user, tenon_file file)
{
    (void)user, (void)file;
    return 0;
}

static int file_memory_sync_name(void *user, const char *path)
{
    (void)user, (void)path;
    return ENOSYS;
}

static int file_memory_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;
}

// -- Public

tenon_memory *tenon_memory_new(const tenon_allocator *allocator, tenon_error *err)
{
    static const tenon_allocator usual;
    if (!allocator) allocator = &usual;
    tn_error_clear(err);
    tenon_memory *memory = tn_block_alloc(allocator, sizeof *memory);
    if (!memory) {
        (void)tn_error(err, TENON_ERR_MEMORY, "out of memory");
        return NULL;
    }
    *memory = (tenon_memory){.allocator = *allocator, .end = &memory->first};
    memory->files = (tenon_files){.user = memory,
                                  .open = file_memory_open,
                                  .stat = file_memory_stat,
                                  .look = file_memory_look,
                                  .read = file_memory_read,
                                  .map = file_memory_map,
                                  .unmap = file_memory_unmap,
                                  .create = file_memory_create,
                                  .open_write = file_memory_open_write,
                                  .lock = file_memory_lock,
                                  .write = file_memory_write,
                                  .copy_mode = file_memory_copy_mode,
                                  .sync = file_memory_sync,
                                  .sync_name = file_memory_sync_name,
                                  .close = file_memory_close,
                                  .rename = file_memory_rename,
                                  .remove = file_memory_remove,
                                  .resolve = file_memory_resolve,
                                  .list = file_memory_list};
    return memory;
}

void tenon_memory_free(tenon_memory *memory)
{
    if (!memory) return;
    tenon_allocator allocator = memory->allocator;
    for (memory_entry *entry = memory->first, *next; entry; entry = next) {
        next = entry->next;
        file_memory_empty(memory, entry);
        tn_block_free(&allocator, entry, sizeof *entry + entry->named.name.size + 1);
    }
    tn_block_free(&allocator, memory, sizeof *memory);
}

bool tenon_memory_add(tenon_memory *memory, const char *path, const void *data, size_t size)
{
    if (!memory || !path || (!data && size) || !*file_memory_clean(path)) return false;
    memory_entry copy = {0};
    if (file_memory_append(memory, &copy, data, size) != 0) return false;
    memory_entry *entry = file_memory_enter(memory, path);
    if (!entry) {
        file_memory_empty(memory, &copy);
        return false;
    }
    file_memory_empty(memory, entry);
    entry->exists = true;
    entry->id = ++memory->last_id;
    entry->data = copy.data;
    entry->size = copy.size;
    entry->room = copy.room;
    return true;
}

bool tenon_memory_at(const tenon_memory *memory, uint32_t index, tenon_memory_file *file)
{
    for (const memory_entry *entry = memory ? memory->first : NULL; entry; entry = entry->next) {
        if (!entry->exists || index-- > 0) continue;
        if (file) *file = (tenon_memory_file){entry->path, entry->data, entry->size};
        return true;
    }
    return false;
}

bool tenon_memory_find(const tenon_memory *memory, const char *path, tenon_memory_file *file)
{
    const memory_entry *entry = memory && path ? file_memory_find(memory, path) : NULL;
    if (entry && file) *file = (tenon_memory_file){entry->path, entry->data, entry->size};
    return entry != NULL;
}

const tenon_files *tenon_memory_files(tenon_memory *memory)
{
    return memory ? &memory->files : NULL;
}
