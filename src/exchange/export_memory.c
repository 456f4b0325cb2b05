// export_memory.c: a folder in memory: the files of an export, and how they are read again.
// SPDX-License-Identifier: MIT

#include "exchange/export_memory.h"

#include "core/memory/arena.h"

#include <errno.h>
#include <string.h>

#define ROOM_MIN ((size_t)4096)

// -- Writing

static bool export_memory_begin_file(void *user, const char *name)
{
    tn_memory_folder *folder = user;
    bool fits = strlen(name) < TN_PATH_SIZE;
    tn_memory_file *file = fits ? tn_block_alloc(folder->allocator, sizeof *file) : NULL;
    folder->has_no_memory |= !file;
    if (!file) return false;
    *file = (tn_memory_file){0};
    memcpy(file->name, name, strlen(name) + 1);
    *(folder->last ? &folder->last->next : &folder->first) = file;
    folder->last = file;
    file->named.name = (tenon_str){file->name, (uint32_t)strlen(name)};
    (void)tn_name_enter(&folder->names, &file->named);
    return true;
}

static bool export_memory_write_bytes(void *user, const void *bytes, size_t size)
{
    tn_memory_folder *folder = user;
    tn_memory_file *file = folder->last;
    if (size > file->room - file->size) {
        size_t room = file->room > SIZE_MAX / 2 ? 0 : 2 * file->room;
        if (room < file->size + size) room = file->size + size;
        if (room < ROOM_MIN) room = ROOM_MIN;
        uint8_t *data = tn_block_alloc(folder->allocator, room);
        folder->has_no_memory |= !data;
        if (!data) return false;
        if (file->size) memcpy(data, file->data, file->size);
        if (file->data) tn_block_free(folder->allocator, file->data, file->room);
        file->data = data;
        file->room = room;
    }
    if (size) memcpy(file->data + file->size, bytes, size);
    file->size += size;
    return true;
}

static bool export_memory_end_file(void *user)
{
    (void)user;
    return true;
}

void tn_memory_free(tn_memory_folder *folder)
{
    for (tn_memory_file *file = folder->first, *next; file; file = next) {
        next = file->next;
        if (file->data) tn_block_free(folder->allocator, file->data, file->room);
        tn_block_free(folder->allocator, file, sizeof *file);
    }
}

// -- Reading

const tn_memory_file *tn_memory_find(const tn_memory_folder *folder, const char *name)
{
    if (strncmp(name, "./", 2) == 0) name += 2;
    tenon_str text = {name, (uint32_t)strlen(name)};
    return (const tn_memory_file *)tn_name_find(&folder->names, text);
}

static int export_memory_open_file(void *user, const char *path, tenon_file *file)
{
    tn_memory_folder *folder = user;
    folder->opened = tn_memory_find(folder, path);
    folder->at = 0;
    *file = 0;
    return folder->opened ? 0 : ENOENT;
}

static int export_memory_describe(const tn_memory_file *file, tenon_file_info *info)
{
    if (!file) return ENOENT;
    *info = (tenon_file_info){.kind = TENON_FILE_REGULAR, .size = file->size};
    return 0;
}

static int export_memory_stat_file(void *user, tenon_file file, tenon_file_info *info)
{
    (void)file;
    return export_memory_describe(((tn_memory_folder *)user)->opened, info);
}

static int export_memory_look_file(void *user, const char *path, tenon_file_info *info)
{
    return export_memory_describe(tn_memory_find(user, path), info);
}

static int export_memory_read_file(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)file;
    tn_memory_folder *folder = user;
    size_t left = folder->opened->size - folder->at;
    *got = size < left ? size : left;
    if (*got) memcpy(dst, folder->opened->data + folder->at, *got);
    folder->at += *got;
    return 0;
}

static int export_memory_close_file(void *user, tenon_file file)
{
    (void)user;
    (void)file;
    return 0;
}

static int export_memory_resolve_nothing(void *user, const char *path, char *out, size_t out_size)
{
    (void)user, (void)path, (void)out, (void)out_size;
    return ENOSYS;
}

static int export_memory_map_nothing(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;
}

tenon_sink tn_memory_sink(tn_memory_folder *folder)
{
    return (tenon_sink){export_memory_begin_file, export_memory_write_bytes, export_memory_end_file,
                        folder};
}

tenon_files tn_memory_files(tn_memory_folder *folder)
{
    return (tenon_files){.user = folder,
                         .open = export_memory_open_file,
                         .stat = export_memory_stat_file,
                         .look = export_memory_look_file,
                         .read = export_memory_read_file,
                         .map = export_memory_map_nothing,
                         .close = export_memory_close_file,
                         .resolve = export_memory_resolve_nothing};
}
