// zip_files.h: the files in a ZIP archive without compression, as file operations for Tenon.
// SPDX-License-Identifier: MIT

#include <tenon/files.h>

#include <errno.h>
#include <string.h>

#define ZIP_MAX_FILES 256

typedef struct zip_file {
    const uint8_t *data;  // In the archive.
    size_t size, pos;     // How much of it was read. No file is open twice at the same time.
    char path[200];
} zip_file;

typedef struct zip_archive {
    zip_file files[ZIP_MAX_FILES];
    size_t count;
} zip_archive;

static size_t zip_number(const uint8_t *bytes, int size)
{
    return size ? bytes[0] | zip_number(bytes + 1, size - 1) << 8 : 0;
}

// Find the files. Returns false if the archive has something else than stored files.
static bool zip_open(zip_archive *zip, const uint8_t *bytes, size_t size)
{
    for (zip->count = 0; size >= 30 && zip_number(bytes, 4) == 0x04034b50; zip->count++) {
        size_t name = zip_number(bytes + 26, 2), stored = zip_number(bytes + 18, 4);
        size_t head = 30 + name + zip_number(bytes + 28, 2);
        bool is_stored = (bytes[6] & 8) == 0 && zip_number(bytes + 8, 2) == 0;
        if (!is_stored || head > size || stored > size - head || zip->count == ZIP_MAX_FILES ||
            name >= sizeof zip->files[0].path)
            return false;
        zip_file *file = &zip->files[zip->count];
        *file = (zip_file){.data = bytes + head, .size = stored};
        memcpy(file->path, bytes + 30, name);
        bytes += head + stored;
        size -= head + stored;
    }
    return size >= 4 && zip_number(bytes, 4) == 0x02014b50;  // The list of files follows.
}

// -- Operations. A handle is the number of the file, from 1. Paths may start with "./".

static int zip_open_file(void *user, const char *path, tenon_file *file)
{
    zip_archive *zip = user;
    if (strncmp(path, "./", 2) == 0) path += 2;
    *file = 1;
    while ((size_t)*file <= zip->count && strcmp(zip->files[*file - 1].path, path) != 0) ++*file;
    if ((size_t)*file > zip->count) return ENOENT;
    zip->files[*file - 1].pos = 0;
    return 0;
}

static int zip_stat(void *user, tenon_file file, tenon_file_info *info)
{
    *info = (tenon_file_info){.size = ((zip_archive *)user)->files[file - 1].size};
    return 0;
}

static int zip_look(void *user, const char *path, tenon_file_info *info)
{
    tenon_file file;
    int error = zip_open_file(user, path, &file);
    return error ? error : zip_stat(user, file, info);
}

static int zip_read(void *user, tenon_file handle, void *dst, size_t size, size_t *got)
{
    zip_file *file = &((zip_archive *)user)->files[handle - 1];
    *got = size < file->size - file->pos ? size : file->size - file->pos;
    memcpy(dst, file->data + file->pos, *got);
    file->pos += *got;
    return 0;
}
