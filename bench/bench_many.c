// bench_many.c: what a run over many files is compared with.
// SPDX-License-Identifier: MIT
//
//     bench_many convert FORMAT FROM TO < LIST   convert the files one after the other, without
//                                                flushing them to the disk
//     bench_many write FROM TO < LIST            write copies, flushed in groups as the tool does
//
// LIST has a path below FROM and one below TO in each line, separated by a tab.

#define _GNU_SOURCE 1

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/convert.h>

#define GROUP_SIZE 256
#define NAME_SIZE  1024

static int sync_nothing(void *user, tenon_file file)
{
    (void)user, (void)file;
    return 0;
}

static int sync_no_name(void *user, const char *path)
{
    (void)user, (void)path;
    return 0;
}

static bool convert(const char *from, const char *to, const char *format)
{
    static tenon_files files;
    tenon_error err;
    files = *tenon_system_files();
    files.sync = sync_nothing;
    files.sync_name = sync_no_name;
    tenon_convert_opts opts = {.exporting.format = format, .writing.files = &files};
    if (tenon_convert_file(from, to, &opts, NULL, &err)) return true;
    (void)fprintf(stderr, "%s: %s\n", from, err.message);
    return false;
}

// A file that is written and has no name yet.
typedef struct pending {
    int fd;
    char to[NAME_SIZE];
} pending;

static pending group[GROUP_SIZE];
static int count;

static bool flush_group(void)
{
    bool ok = count == 0 || syncfs(group[0].fd) == 0;
    for (int i = 0; i < count && ok; i++) {
        char temporary[NAME_SIZE + 8];
        (void)snprintf(temporary, sizeof temporary, "%s.part", group[i].to);
        ok = rename(temporary, group[i].to) == 0 && close(group[i].fd) == 0;
    }
    count = 0;
    return ok;
}

static bool write_copy(const char *from, const char *to)
{
    static char bytes[1 << 20];
    char temporary[NAME_SIZE + 8];
    int fd = open(from, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0) (void)close(fd);
    if (size < 0) return false;
    pending *next = &group[count];
    (void)snprintf(next->to, sizeof next->to, "%s", to);
    (void)snprintf(temporary, sizeof temporary, "%s.part", to);
    next->fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (next->fd < 0 || write(next->fd, bytes, (size_t)size) != size) return false;
    return ++count < GROUP_SIZE || flush_group();
}

static void make_folders(char *path)
{
    static char last[NAME_SIZE];
    char *end = strrchr(path, '/');
    size_t size = (size_t)(end - path);
    if (size < sizeof last && strncmp(last, path, size) == 0 && !last[size]) return;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    (void)snprintf(last, sizeof last, "%.*s", (int)size, path);
}

int main(int argc, char **argv)
{
    char line[2 * NAME_SIZE];
    bool converts = argc == 5 && strcmp(argv[1], "convert") == 0;
    if (!converts && !(argc == 4 && strcmp(argv[1], "write") == 0)) return 2;
    const char *from_folder = argv[argc - 2], *to_folder = argv[argc - 1];
    while (fgets(line, sizeof line, stdin)) {
        char from[NAME_SIZE], to[NAME_SIZE];
        char *tab = strchr(line, '\t');
        if (!tab) return 2;
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        int from_size = snprintf(from, sizeof from, "%s/%s", from_folder, line);
        int to_size = snprintf(to, sizeof to, "%s/%s", to_folder, tab + 1);
        if (from_size >= NAME_SIZE || to_size >= NAME_SIZE) return 2;
        make_folders(to);
        if (!(converts ? convert(from, to, argv[2]) : write_copy(from, to))) {
            (void)fprintf(stderr, "%s failed\n", from);
            return 1;
        }
    }
    return flush_group() ? 0 : 1;
}
