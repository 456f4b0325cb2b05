// file_plain.c: the file operations of standard C, for unknown systems.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"

#ifdef TN_FILES_PLAIN

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

// C does not promise that errno is set.
static int file_plain_last_error(void)
{
    return errno ? errno : EIO;
}

static int file_plain_open_mode(const char *path, const char *mode, tenon_file *file)
{
    errno = 0;
    FILE *f = fopen(path, mode);
    if (!f) return file_plain_last_error();
    (void)setvbuf(f, NULL, _IONBF, 0);  // The caller buffers; what it wrote is visible to readers.
    *file = (tenon_file)f;
    return 0;
}

static bool file_plain_is_readable(FILE *f)
{
    int first = fgetc(f);
    if (first != EOF) return ungetc(first, f) != EOF;
    bool is_empty = !ferror(f);
    clearerr(f);
    return is_empty;
}

// Some systems open a folder as if it were a file, but none reads one.
static int file_plain_open(void *user, const char *path, tenon_file *file)
{
    (void)user;
    int error = file_plain_open_mode(path, "rb", file);
    if (error || file_plain_is_readable((FILE *)*file)) return error;
    (void)fclose((FILE *)*file);
    return EISDIR;
}

static int file_plain_open_write(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_plain_open_mode(path, "r+b", file);
}

static int file_plain_create(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_plain_open_mode(path, "wbx", file);
}

static int file_plain_close(void *user, tenon_file file)
{
    (void)user;
    errno = 0;
    return fclose((FILE *)file) == 0 ? 0 : file_plain_last_error();
}

// C knows regular files only. The size is a hint: 0 if it cannot be measured, is too large for
// `long`, or is that of a folder, which Linux says is LONG_MAX.
static int file_plain_stat(void *user, tenon_file file, tenon_file_info *info)
{
    (void)user;
    FILE *f = (FILE *)file;
    *info = (tenon_file_info){.kind = TENON_FILE_REGULAR};
    long start = ftell(f);
    if (start < 0 || fseek(f, 0, SEEK_END) != 0) return 0;
    long size = ftell(f);
    if (size > 0 && size < LONG_MAX) info->size = (uint64_t)size;
    errno = 0;
    return fseek(f, start, SEEK_SET) == 0 ? 0 : file_plain_last_error();
}

static int file_plain_look(void *user, const char *path, tenon_file_info *info)
{
    tenon_file file;
    int error = file_plain_open(user, path, &file);
    if (error) return error;
    error = file_plain_stat(user, file, info);
    (void)file_plain_close(user, file);
    return error;
}

static int file_plain_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)user;
    errno = 0;
    *got = fread(dst, 1, size, (FILE *)file);
    return *got == 0 && ferror((FILE *)file) ? file_plain_last_error() : 0;
}

static int file_plain_write(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    (void)user;
    errno = 0;
    *put = fwrite(src, 1, size, (FILE *)file);
    return *put < size ? file_plain_last_error() : 0;
}

static int file_plain_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user;
    (void)file;
    (void)size;
    (void)memory;
    return ENOSYS;
}

static void file_plain_unmap(void *user, const void *memory, size_t size)
{
    (void)user;
    (void)memory;
    (void)size;
}

static int file_plain_sync(void *user, tenon_file file)
{
    (void)user;
    errno = 0;
    return fflush((FILE *)file) == 0 ? 0 : file_plain_last_error();
}

static int file_plain_sync_name(void *user, const char *path)
{
    (void)user;
    (void)path;
    return ENOSYS;
}

static int file_plain_lock(void *user, tenon_file file)
{
    (void)user;
    (void)file;
    return ENOSYS;
}

static int file_plain_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user;
    (void)file;
    (void)path;
    return ENOSYS;
}

// Without `replace` there is a race between the two steps; C has nothing better.
static int file_plain_rename(void *user, const char *from, const char *to, bool replace)
{
    tenon_file_info info;
    if (!replace && file_plain_look(user, to, &info) == 0) return EEXIST;
    errno = 0;
    return rename(from, to) == 0 ? 0 : file_plain_last_error();
}

static int file_plain_remove(void *user, const char *path)
{
    (void)user;
    errno = 0;
    return remove(path) == 0 ? 0 : file_plain_last_error();
}

// Drop the last part of `out`, which starts with `floor` bytes that stay.
static bool file_plain_drop_part(char *out, size_t floor)
{
    size_t size = strlen(out);
    if (size == floor) return false;
    while (size > floor && out[size - 1] != '/') size--;
    if (size > floor) size--;
    out[size] = '\0';
    return true;
}

static bool file_plain_add_part(char *out, size_t out_size, size_t floor, const char *part,
                                size_t size)
{
    size_t used = strlen(out);
    if (size + 2 > out_size - used) return false;
    if (used > floor) out[used++] = '/';
    memcpy(out + used, part, size);
    out[used + size] = '\0';
    return true;
}

// C knows neither links nor the current folder, so only the spelling is resolved: "./a/b" of "a/b",
// "a/./b" and "a/c/../b". Paths that lead out of the current folder cannot be resolved.
static int file_plain_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user;
    bool is_absolute = path[0] == '/';
    size_t floor = is_absolute ? 1 : 2, size;
    if (out_size <= floor) return ENAMETOOLONG;
    memcpy(out, is_absolute ? "/" : "./", floor + 1);
    for (const char *part = path; *part; part += size + (part[size] == '/')) {
        size = strcspn(part, "/");
        if (size == 0 || (size == 1 && part[0] == '.')) continue;
        bool is_up = size == 2 && part[0] == '.' && part[1] == '.';
        if (is_up && !file_plain_drop_part(out, floor) && !is_absolute) return ENOSYS;
        if (!is_up && !file_plain_add_part(out, out_size, floor, part, size)) return ENAMETOOLONG;
    }
    return 0;
}

int tn_file_random(uint64_t *number)
{
    (void)number;
    return ENOSYS;
}

tenon_file tenon_stdin(void)
{
    return (tenon_file)stdin;
}

const tenon_files *tenon_system_files(void)
{
    static const tenon_files operations = {
        .open = file_plain_open,
        .stat = file_plain_stat,
        .look = file_plain_look,
        .read = file_plain_read,
        .map = file_plain_map,
        .unmap = file_plain_unmap,
        .create = file_plain_create,
        .open_write = file_plain_open_write,
        .lock = file_plain_lock,
        .write = file_plain_write,
        .copy_mode = file_plain_copy_mode,
        .sync = file_plain_sync,
        .sync_name = file_plain_sync_name,
        .close = file_plain_close,
        .rename = file_plain_rename,
        .remove = file_plain_remove,
        .resolve = file_plain_resolve,
    };
    return &operations;
}

#endif  // TN_FILES_PLAIN
