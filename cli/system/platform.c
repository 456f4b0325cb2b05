// platform.c: what differs between POSIX systems and Windows: POSIX.
// SPDX-License-Identifier: MIT

#define _XOPEN_SOURCE 700  // RLIMIT_NOFILE

#include "system/platform.h"

#include "input/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifndef __wasi__
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#endif

#define TICK_MOST 0.05  // Seconds in which all changes of a file get the same time.

char **platform_begin(int argc, char **argv)
{
#ifdef __wasi__
    // Who runs the program says in which folder, if paths may lead out of it.
    const char *folder = getenv("PWD");
    if (folder) (void)chdir(folder);
#else
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        // Opened for the wrong direction, so that using it fails as it would without.
        (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
#endif
    return argc > 0 ? argv + 1 : argv;
}

void platform_end(void)
{
}

void platform_clean_path(char *path)
{
    (void)path;
}

bool platform_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool platform_has_color(FILE *stream)
{
    const char *term = getenv("TERM");
    return term && strcmp(term, "dumb") != 0 && platform_is_terminal(stream);
}

#ifdef __wasi__

uint32_t platform_columns(void)
{
    return 0;  // Known from COLUMNS only.
}

uint32_t platform_rows(void)
{
    return 0;
}

#else

uint32_t platform_columns(void)
{
    struct winsize window;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

uint32_t platform_rows(void)
{
    struct winsize window;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_row : 0;
}

#endif

bool platform_is_closed_pipe(int error)
{
    return error == EPIPE;
}

FILE *platform_memory_begin(char **text, size_t *size)
{
    return open_memstream(text, size);
}

bool platform_memory_end(FILE *stream, char **text, size_t *size)
{
    (void)size;
    bool ok = !ferror(stream);
    // If memory runs out in the last step, glibc reports success and leaves no text.
    ok = fclose(stream) == 0 && ok && *text;
    if (ok) return true;
    free(*text);
    *text = NULL;
    return false;
}

int platform_list(const char *folder, bool (*take)(void *user, const char *name), void *user)
{
    const tenon_files *files = tenon_system_files();
    return files->list ? files->list(files->user, folder, take, user) : ENOSYS;
}

int platform_may_create(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

static char *platform_put_hexadecimal(char *to, unsigned long long value)
{
    int digits = 1;
    while (digits < 16 && value >> 4 * digits) digits++;
    for (int i = digits; i-- > 0;) *to++ = "0123456789abcdef"[value >> 4 * i & 15];
    return to;
}

// For each file of a run: faster than snprintf().
static bool platform_put_stamp(const struct stat *info, char stamp[72])
{
    stamp[0] = '\0';
    if (!S_ISREG(info->st_mode)) return false;
#if defined(__APPLE__)
    const struct timespec changed = info->st_mtimespec, touched = info->st_ctimespec;
#else
    const struct timespec changed = info->st_mtim, touched = info->st_ctim;
#endif
    if (changed.tv_nsec == 0 && touched.tv_nsec == 0) return false;
    const unsigned long long values[] = {
        (unsigned long long)info->st_size, (unsigned long long)changed.tv_sec,
        (unsigned long)changed.tv_nsec,    (unsigned long long)touched.tv_sec,
        (unsigned long)touched.tv_nsec,
    };
    char *to = stamp;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        to = platform_put_hexadecimal(to, values[i]);
        *to++ = '.';
    }
    // All but the last have at most 8 digits, but for the size and sick times.
    if (to - stamp > 72 - 17) {
        stamp[0] = '\0';
        return false;
    }
    *platform_put_hexadecimal(to, (unsigned long long)info->st_ino) = '\0';
    return true;
}

static uint64_t platform_hash_stamp(const struct stat *info)
{
    char stamp[72];
    return platform_put_stamp(info, stamp) ? text_hash(stamp) : 0;
}

int platform_look(const char *path, tenon_file_info *info, uint64_t *stamp)
{
    struct stat found;
    if (stat(path, &found) != 0) return errno;
    *info = (tenon_file_info){
        .kind = S_ISREG(found.st_mode)   ? TENON_FILE_REGULAR
                : S_ISDIR(found.st_mode) ? TENON_FILE_FOLDER
                                         : TENON_FILE_DEVICE,
        .size = found.st_size > 0 ? (uint64_t)found.st_size : 0,
        .id = {(uint64_t)found.st_dev, (uint64_t)found.st_ino},
    };
    if (stamp) *stamp = platform_hash_stamp(&found);
    return 0;
}

bool platform_may_be_link(const char *path, uint64_t *stamp)
{
    struct stat info;
    bool exists = lstat(path, &info) == 0;
    if (stamp) *stamp = exists ? platform_hash_stamp(&info) : 0;
    return exists ? S_ISLNK(info.st_mode) : errno != ENOENT;
}

bool platform_is_absent(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 && errno == ENOENT;
}

bool platform_stamp(const char *path, char stamp[72])
{
    struct stat info;
    stamp[0] = '\0';
    return stat(path, &info) == 0 && platform_put_stamp(&info, stamp);
}

bool platform_is_recent(const char *path)
{
    struct stat info;
    struct timespec now;
    if (stat(path, &info) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) return true;
#if defined(__APPLE__)
    const struct timespec times[2] = {info.st_mtimespec, info.st_ctimespec};
#else
    const struct timespec times[2] = {info.st_mtim, info.st_ctim};
#endif
    for (int i = 0; i < 2; i++) {
        double age = (double)(now.tv_sec - times[i].tv_sec) +
                     (double)(now.tv_nsec - times[i].tv_nsec) * 1e-9;
        if (age < TICK_MOST) return true;
    }
    return false;
}

int platform_enter_folder(const char *folder)
{
    return chdir(folder) == 0 ? 0 : errno;
}

uint32_t platform_files_most(void)
{
#ifdef __wasi__
    return 256;
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
    return limit.rlim_cur < UINT32_MAX ? (uint32_t)limit.rlim_cur : UINT32_MAX;
#endif
}

int platform_make_folder(const char *folder)
{
    return mkdir(folder, 0777) == 0 ? 0 : errno;
}

int platform_remove_folder(const char *folder)
{
    return rmdir(folder) == 0 ? 0 : errno;
}

// -- Programs

bool platform_program_folder(char *folder, size_t size)
{
    ssize_t used = readlink("/proc/self/exe", folder, size - 1);
    folder[used > 0 ? used : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

#ifdef __wasi__

bool platform_make_temporary_folder(const char *prefix, char *folder, size_t size)
{
    (void)prefix, (void)folder, (void)size;
    errno = ENOSYS;
    return false;
}

int platform_open_document(const char *path)
{
    (void)path;
    return ENOSYS;
}

#else

bool platform_make_temporary_folder(const char *prefix, char *folder, size_t size)
{
    const char *place = getenv("TMPDIR");
    if (!place || !*place) place = "/tmp";
    int used = snprintf(folder, size, "%s/%sXXXXXX", place, prefix);
    if (used > 0 && (size_t)used < size) return mkdtemp(folder) != NULL;
    errno = ENAMETOOLONG;
    return false;
}

int platform_open_document(const char *path)
{
    static const char *const openers[] = {"xdg-open", "open", "gio"};
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    // What it prints is not part of our output.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && !error; fd++)
        error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
        char *const plain[] = {(char *)(uintptr_t)openers[i], (char *)(uintptr_t)path, NULL};
        char *const gio[] = {(char *)(uintptr_t)openers[i], (char *)(uintptr_t) "open",
                             (char *)(uintptr_t)path, NULL};
        bool is_gio = strcmp(openers[i], "gio") == 0;
        error = posix_spawnp(&pid, openers[i], &actions, NULL, is_gio ? gio : plain, environ);
        if (error != ENOENT) break;
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

#endif
