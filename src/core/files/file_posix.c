// file_posix.c: the file operations of POSIX systems.
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE       1   // flock(), syscall(), realpath() and O_PATH in C11 mode.
#define _FILE_OFFSET_BITS 64  // Files beyond 2 GiB on 32-bit Linux.

#include "core/files/file.h"

#ifdef TN_FILES_POSIX

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __wasi__  // WASI has neither locks, mapped files, owners and permissions nor realpath().
#include <sys/file.h>
#include <sys/mman.h>
#endif
#ifdef __linux__
#include <sys/syscall.h>
#endif

#define PATH_SIZE    4096               // Of intermediate paths in resolve().
#define LINK_MOST    40                 // Links in a row before we call it a loop, as Linux does.
#define IO_MOST      ((size_t)1 << 30)  // In one call; some systems refuse more than INT_MAX.
#define EXPECT_LEAST ((size_t)1 << 16)  // Bytes from which on the call is worth its cost.
#define INSIDE_TRIES 16  // Attempts to open a file that others keep replacing by a link.

#if defined(PATH_MAX) && PATH_MAX > PATH_SIZE
#error "realpath() needs a larger buffer"
#endif

// Flags to open a folder only in order to open files in it, which needs no permission to list it.
#if defined(O_PATH)
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY)
#elif defined(O_SEARCH)
#define FOLDER_FLAGS (O_SEARCH | O_DIRECTORY)
#else
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY)
#endif

// -- Opening and closing

// With standard output or error closed, a file could get their number, and the program's messages
// would end up in it.
static int file_posix_above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) return fd;
#ifdef __wasi__
    return fd;  // It cannot be moved; but who runs the program opens its standard files.
#else
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    (void)close(fd);
    errno = error;
    return moved;
#endif
}

static int file_posix_open_above(const char *path, int flags, tenon_file *file)
{
    int fd;
    if (*path == '\0') return ENOENT;  // For WASI it would be the current folder.
    do {
        fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
    } while (fd < 0 && errno == EINTR);
    fd = file_posix_above_standard(fd);
    if (fd < 0) return errno;
    *file = fd;
    return 0;
}

// Closes the file if that fails.
static int file_posix_make_blocking(tenon_file file)
{
    int status = fcntl((int)file, F_GETFL);
    if (status >= 0 && fcntl((int)file, F_SETFL, status & ~O_NONBLOCK) >= 0) return 0;
    int error = errno;
    (void)close((int)file);
    return error;
}

// Open without waiting for the other end of a pipe; reading and writing wait.
static int file_posix_open_at_once(const char *path, int flags, tenon_file *file)
{
    int error = file_posix_open_above(path, flags | O_NONBLOCK, file);
    return error ? error : file_posix_make_blocking(*file);
}

static int file_posix_open(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_posix_open_at_once(path, O_RDONLY, file);
}

// The links in /dev and below /proc are the system's: /dev/stdout leads to an open file. Those in
// folders below /dev may belong to any user, except /dev/fd.
static int file_posix_open_write(void *user, const char *path, tenon_file *file)
{
    (void)user;
    const char *name = strncmp(path, "/dev/", 5) == 0 ? path + 5 : NULL;
    bool is_system = strncmp(path, "/proc/", 6) == 0 ||
                     (name && (!strchr(name, '/') || strncmp(name, "fd/", 3) == 0));
#ifdef __wasi__  // Node follows links nevertheless.
    char target[PATH_SIZE];
    if (!is_system && readlink(path, target, sizeof target) >= 0) return ELOOP;
#endif
    return file_posix_open_at_once(path, O_WRONLY | (is_system ? 0 : O_NOFOLLOW), file);
}

static int file_posix_create(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_posix_open_above(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, file);
}

static int file_posix_close(void *user, tenon_file file)
{
    (void)user;
    // After EINTR the file is closed, and another thread may have its number already.
    return close((int)file) == 0 || errno == EINTR ? 0 : errno;
}

// -- Looking

static tenon_file_kind file_posix_kind_of(mode_t mode)
{
    if (S_ISREG(mode)) return TENON_FILE_REGULAR;
    if (S_ISDIR(mode)) return TENON_FILE_FOLDER;
    if (S_ISFIFO(mode) || S_ISSOCK(mode)) return TENON_FILE_PIPE;
    return S_ISBLK(mode) ? TENON_FILE_DISK : TENON_FILE_DEVICE;
}

static int file_posix_fill_info(int failed, const struct stat *st, tenon_file_info *info)
{
    if (failed) return errno;
    *info = (tenon_file_info){
        .kind = file_posix_kind_of(st->st_mode),
        .size = st->st_size > 0 ? (uint64_t)st->st_size : 0,
        .id = {(uint64_t)st->st_dev, (uint64_t)st->st_ino},
    };
    return 0;
}

static int file_posix_stat(void *user, tenon_file file, tenon_file_info *info)
{
    (void)user;
    struct stat st;
    return file_posix_fill_info(fstat((int)file, &st), &st, info);
}

static int file_posix_look(void *user, const char *path, tenon_file_info *info)
{
    (void)user;
    struct stat st;
    if (*path == '\0') return ENOENT;
    return file_posix_fill_info(stat(path, &st), &st, info);
}

// -- Reading and writing

// Whether to try again: the pipe that we were given may be non-blocking.
static bool file_posix_waited(int fd, short events)
{
    if (errno != EAGAIN) return false;
    struct pollfd wait = {.fd = fd, .events = events};
    return poll(&wait, 1, -1) > 0;
}

static int file_posix_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)user;
    if (size > IO_MOST) size = IO_MOST;
    ssize_t count;
    do {
        count = read((int)file, dst, size);
    } while (count < 0 && file_posix_waited((int)file, POLLIN));
    if (count < 0) return errno;
    *got = (size_t)count;
    return 0;
}

// If `src` is a mapped file that was not read yet, Linux starts to copy a piece, finds its pages
// missing and starts again, for each piece. Requesting all pages at once costs less.
static void file_posix_expect(const void *src, size_t size)
{
#ifdef MADV_POPULATE_READ
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || size < EXPECT_LEAST) return;
    size_t before = (uintptr_t)src % (uintptr_t)page;
    (void)madvise((char *)(uintptr_t)src - before, size + before, MADV_POPULATE_READ);
#else
    (void)src, (void)size;
#endif
}

static int file_posix_write(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    (void)user;
    if (size > IO_MOST) size = IO_MOST;
    file_posix_expect(src, size);
    ssize_t count;
    do {
        count = write((int)file, src, size);
    } while (count < 0 && file_posix_waited((int)file, POLLOUT));
    if (count < 0) return errno;
    *put = (size_t)count;
    return 0;
}

#ifdef __wasi__

static int file_posix_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user, (void)file, (void)size, (void)memory;
    return ENOSYS;
}

static void file_posix_unmap(void *user, const void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

#else

static int file_posix_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user;
    void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, (int)file, 0);
    if (start == MAP_FAILED) return errno;
    *memory = start;
    return 0;
}

static void file_posix_unmap(void *user, const void *memory, size_t size)
{
    (void)user;
    (void)munmap((void *)(uintptr_t)memory, size);
}

#endif

static bool file_posix_is_unsupported(int error)
{
    return error == ENOSYS || error == ENOTSUP || error == EINVAL;
}

static int file_posix_sync(void *user, tenon_file file)
{
    (void)user;
    int failed;
    do {
        failed = fsync((int)file);
    } while (failed && errno == EINTR);
    return failed && !file_posix_is_unsupported(errno) ? errno : 0;
}

#ifdef __wasi__

static int file_posix_lock(void *user, tenon_file file)
{
    (void)user, (void)file;
    return ENOSYS;
}

static int file_posix_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user, (void)file, (void)path;
    return ENOSYS;
}

#else

// flock(), since its lock belongs to the open file: two threads of one process exclude each other,
// closing another handle of the same file does not drop it, and a crash does. The record locks of
// POSIX have neither of the first two; those of Linux that do are not everywhere.
static int file_posix_lock(void *user, tenon_file file)
{
    (void)user;
    if (flock((int)file, LOCK_EX | LOCK_NB) == 0) return 0;
    return file_posix_is_unsupported(errno) || errno == ENOLCK ? ENOSYS : errno;
}

static int file_posix_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user;
    struct stat old, now;
    if (lstat(path, &old) || fstat((int)file, &now)) return errno;
    if (S_ISLNK(old.st_mode)) return ENOENT;  // It was created just now, and will be replaced.
    mode_t mode = old.st_mode & 07777;
    // Only root can keep the owner; set-id bits would give away the rights of another one.
    bool same = old.st_uid == now.st_uid && old.st_gid == now.st_gid;
    if (!same && fchown((int)file, old.st_uid, old.st_gid) != 0) mode &= 0777;
    if (mode == (now.st_mode & 07777)) return 0;
    if (fchmod((int)file, mode) == 0) return 0;
    return file_posix_is_unsupported(errno) ? ENOSYS : errno;
}

#endif

// -- Names

// The folder of `path`, and what it names there. False if there is no room, or no name.
static bool file_posix_split(const char *path, char folder[PATH_SIZE], const char **base)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    *base = path + size;
    if (size >= PATH_SIZE || **base == '\0') return false;
    memcpy(folder, path, size);
    folder[size] = '\0';
    if (size == 0) memcpy(folder, ".", 2);
    return true;
}

static int file_posix_sync_name(void *user, const char *path)
{
    char folder[PATH_SIZE];
    const char *base;
    if (!file_posix_split(path, folder, &base)) return ENAMETOOLONG;
    tenon_file file = -1;
    int error = file_posix_open_above(folder, O_RDONLY | O_DIRECTORY, &file);
    if (error) return error;
    error = file_posix_sync(user, file);
    (void)close((int)file);
    return error;
}

// All ways except the last are atomic; each is for file systems that lack the one before.
static int file_posix_rename_to_new(const char *from, const char *to)
{
#ifdef SYS_renameat2
    const unsigned no_replace = 1;
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace) == 0) return 0;
    if (errno == EEXIST) return EEXIST;
#endif
    if (link(from, to) == 0) {
        (void)unlink(from);  // If it stays, the next writer removes it.
        return 0;
    }
    if (errno == EEXIST) return EEXIST;
    struct stat st;
    if (lstat(to, &st) == 0) return EEXIST;
    return rename(from, to) == 0 ? 0 : errno;
}

static int file_posix_rename(void *user, const char *from, const char *to, bool replace)
{
    (void)user;
    if (!replace) return file_posix_rename_to_new(from, to);
    return rename(from, to) == 0 ? 0 : errno;
}

static int file_posix_remove(void *user, const char *path)
{
    (void)user;
    return unlink(path) == 0 ? 0 : errno;
}

static int file_posix_copy_path(const char *path, char *out, size_t out_size)
{
    size_t size = strlen(path);
    if (size >= out_size) return ENAMETOOLONG;
    memcpy(out, path, size + 1);
    return 0;
}

#ifdef __wasi__

// realpath(): `out` has PATH_SIZE bytes. Returns `out`, or NULL and errno.
static char *file_posix_real_path(const char *path, char *out)
{
    char left[PATH_SIZE], target[PATH_SIZE], rest[PATH_SIZE];
    int links = 0, error = file_posix_copy_path(path, left, sizeof left);
    *out = '\0';
    if (error == 0 && *path == '\0') error = ENOENT;
    if (error == 0 && *path != '/' && !getcwd(out, PATH_SIZE)) error = errno;
    for (char *part = left, *next; error == 0 && *part; part = next) {
        size_t size = strcspn(part, "/"), used = strlen(out);
        next = part + size + strspn(part + size, "/");
        if (used > 0 && out[used - 1] == '/') out[--used] = '\0';
        if (size == 0 || (size == 1 && part[0] == '.')) continue;
        if (size == 2 && part[0] == '.' && part[1] == '.') {
            char *slash = strrchr(out, '/');
            if (slash) *slash = '\0';
            continue;
        }
        if (size + 2 > PATH_SIZE - used) error = ENAMETOOLONG;
        if (error) break;
        out[used] = '/';
        memcpy(out + used + 1, part, size);
        out[used + 1 + size] = '\0';
        ssize_t got = readlink(out, target, sizeof target - 1);
        if (got < 0 && errno != EINVAL) error = errno;
        if (got < 0) continue;
        target[got] = '\0';
        if (++links > LINK_MOST) error = ELOOP;
        int length = snprintf(rest, sizeof rest, "%s/%s", target, next);
        if (length < 0 || length >= PATH_SIZE) error = ENAMETOOLONG;
        out[target[0] == '/' ? 0 : used] = '\0';
        memcpy(left, rest, sizeof left);
        next = left;
    }
    if (error == 0 && *out == '\0') memcpy(out, "/", 2);
    errno = error;
    return error ? NULL : out;
}

#else

static char *file_posix_real_path(const char *path, char *out)
{
    return realpath(path, out);
}

#endif

// Nothing exists at `path`. Put where it would be into `place`; if there is a link, then where that
// leads into `path`, and *is_link is set.
static int file_posix_follow(char path[PATH_SIZE], char place[PATH_SIZE], bool *is_link)
{
    char folder[PATH_SIZE], target[PATH_SIZE];
    const char *base;
    *is_link = false;
    if (!file_posix_split(path, folder, &base)) return ENOENT;
    if (!file_posix_real_path(folder, place)) return errno;
    size_t folder_size = strcmp(place, "/") == 0 ? 0 : strlen(place);
    size_t room = PATH_SIZE - folder_size;
    if ((size_t)snprintf(place + folder_size, room, "/%s", base) >= room) return ENAMETOOLONG;

    ssize_t size = readlink(place, target, sizeof target - 1);
    if (size < 0) return errno == ENOENT || errno == EINVAL ? 0 : errno;
    *is_link = true;
    target[size] = '\0';
    if (target[0] == '/') return file_posix_copy_path(target, path, PATH_SIZE);
    int length = snprintf(path, PATH_SIZE, "%.*s/%s", (int)folder_size, place, target);
    return length >= 0 && length < PATH_SIZE ? 0 : ENAMETOOLONG;
}

// realpath() alone would not say where a link leads whose target is still to be written.
static int file_posix_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user;
    char now[PATH_SIZE], place[PATH_SIZE];
    int error = file_posix_copy_path(path, now, sizeof now);
    for (int i = 0; i < LINK_MOST && error == 0; i++) {
        bool is_link = false;
        if (!file_posix_real_path(now, place))
            error = errno == ENOENT ? file_posix_follow(now, place, &is_link) : errno;
        if (error == 0 && !is_link) return file_posix_copy_path(place, out, out_size);
    }
    return error ? error : ELOOP;
}

// -- Files inside a folder

// Open `path`, which must not contain links, below the open folder, one folder after the other.
// Returns a descriptor, or -1 and errno.
static int file_posix_open_by_steps(int folder, char *path, int flags)
{
    for (int at = folder;;) {
        char *slash = strchr(path, '/');
        if (slash) *slash = '\0';
        int how = (slash ? FOLDER_FLAGS : flags) | O_NOFOLLOW | O_CLOEXEC, fd;
        do {
            fd = openat(at, path, how, 0);
        } while (fd < 0 && errno == EINTR);
        int error = errno;
        if (at != folder) (void)close(at);
        errno = error;
        if (fd < 0 || !slash) return fd;
        at = fd;
        path = slash + 1;
    }
}

// The same in one step, where Linux has openat2(): since 5.6, if no sandbox hides it.
static int file_posix_open_beneath(int folder, char *path, int flags)
{
#if defined(SYS_openat2) && !defined(TENON_NO_OPENAT2)
    const struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = (uint64_t)(flags | O_CLOEXEC | O_LARGEFILE),
             .resolve = 0x04 | 0x08};  // RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
    long fd;
    do {
        fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
    } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL)) return (int)fd;
#endif
    return file_posix_open_by_steps(folder, path, flags);
}

// Links are resolved first. The result is then opened without following links. If a link was put
// there meanwhile, this fails and everything is repeated.
static int file_posix_open_inside(void *user, const char *folder, const char *path,
                                  tenon_file *file)
{
    char root[PATH_SIZE], real[PATH_SIZE];
    for (int i = 0; i < INSIDE_TRIES; i++) {
        tenon_file at = -1;
        int error = file_posix_resolve(user, folder, root, sizeof root);
        if (error == 0) error = file_posix_resolve(user, path, real, sizeof real);
        if (error) return error;
        if (!tn_path_is_inside(root, real)) return EXDEV;
        size_t size = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strlen(real) <= size + 1) return EISDIR;
        error = file_posix_open_above(root, FOLDER_FLAGS, &at);
        if (error) return error;
        int fd =
            file_posix_open_beneath((int)at, real + size + 1, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        error = fd < 0 ? errno : 0;
        (void)close((int)at);
        if (error == ELOOP || error == EMLINK || error == ENOTDIR || error == EXDEV) continue;
        fd = error ? -1 : file_posix_above_standard(fd);
        if (fd < 0) return error ? error : errno;
        *file = fd;
        return file_posix_make_blocking(fd);
    }
    return EXDEV;
}

static int file_posix_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    (void)user;
    DIR *listing = opendir(folder);
    if (!listing) return errno;
    int error = 0;
    for (bool goes_on = true; goes_on;) {
        errno = 0;
        const struct dirent *entry = readdir(listing);
        if (!entry) error = errno;
        goes_on = entry && take(take_user, entry->d_name);
    }
    (void)closedir(listing);
    return error;
}

int tn_file_random(uint64_t *number)
{
#ifdef __wasi__
    return getentropy(number, sizeof *number) == 0 ? 0 : errno;
#endif
#ifdef SYS_getrandom
    if (syscall(SYS_getrandom, number, sizeof *number, 0) == (long)sizeof *number) return 0;
#endif
    tenon_file file = -1;
    int error = file_posix_open_above("/dev/urandom", O_RDONLY, &file);
    if (error) return error;
    bool is_whole = read((int)file, number, sizeof *number) == (ssize_t)sizeof *number;
    (void)close((int)file);
    return is_whole ? 0 : EIO;
}

tenon_file tenon_stdin(void)
{
    return STDIN_FILENO;
}

const tenon_files *tenon_system_files(void)
{
    static const tenon_files operations = {
        .open = file_posix_open,
        .stat = file_posix_stat,
        .look = file_posix_look,
        .read = file_posix_read,
        .map = file_posix_map,
        .unmap = file_posix_unmap,
        .create = file_posix_create,
        .open_write = file_posix_open_write,
        .lock = file_posix_lock,
        .write = file_posix_write,
        .copy_mode = file_posix_copy_mode,
        .sync = file_posix_sync,
        .sync_name = file_posix_sync_name,
        .close = file_posix_close,
        .rename = file_posix_rename,
        .remove = file_posix_remove,
        .resolve = file_posix_resolve,
        .open_inside = file_posix_open_inside,
        .list = file_posix_list,
    };
    return &operations;
}

#endif  // TN_FILES_POSIX
