// scratch.h: a folder for the files of a test program, removed when it ends.
// SPDX-License-Identifier: MIT
//
// Define _DEFAULT_SOURCE before the first #include of the program.

#ifndef TENON_TESTS_SCRATCH_H
#define TENON_TESTS_SCRATCH_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#include <direct.h>
#include <io.h>

// Windows has the same under other names, and no links that concern tests.
#define lstat stat

static inline int mkdir_open(const char *path)
{
    return _mkdir(path);
}

static inline char *realpath(const char *path, char *out)
{
    if (!_fullpath(out, path, 512)) return NULL;
    for (char *c = out; *c; c++)
        if (*c == '\\') *c = '/';
    return out;
}
#else
static inline int mkdir_open(const char *path)
{
    return mkdir(path, 0777);
}
#endif

#ifdef __wasi__
static inline char *realpath(const char *path, char *out)
{
    return strcpy(out, path);
}
#endif

#if defined(_WIN32) || defined(__wasi__)
// There is no function for a unique name: the first free number replaces the template's last six
// letters.
static inline char *mkdtemp(char *path)
{
    char *number = path + strlen(path) - 6;
    for (unsigned i = 0; i < 1000000; i++) {
        snprintf(number, 7, "%06u", i);
        if (mkdir_open(path) == 0) return path;
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}
#endif

static char scratch_folder[512];

// Make the folder, or end the program: without it, no test is meaningful.
static inline void scratch_begin(void)
{
#ifdef _WIN32
    const char *base = getenv("TEMP");
#else
    const char *base = getenv("TMPDIR");
#endif
    char path[sizeof scratch_folder];
    snprintf(path, sizeof path, "%s/tenon-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path) || !realpath(path, scratch_folder)) {
        perror(path);
        exit(1);
    }
}

static inline void scratch_remove_tree(const char *path)
{
    struct stat st;
    DIR *folder = lstat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char inner[PATH_MAX];
        int size = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (size > 0 && (size_t)size < sizeof inner) scratch_remove_tree(inner);
    }
    if (folder) {
        closedir(folder);
        rmdir(path);
    } else {
        remove(path);
    }
}

// Remove all files except those that have `part` in their names.
static inline void scratch_clear_but(const char *part)
{
    DIR *folder = opendir(scratch_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[PATH_MAX];
        int size = snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
        bool is_kept = strstr(entry->d_name, part) || entry->d_name[0] == '.';
        if (!is_kept && size > 0 && (size_t)size < sizeof path) remove(path);
    }
    if (folder) closedir(folder);
}

static inline void scratch_end(void)
{
    scratch_remove_tree(scratch_folder);
}

// The path of `name` in the folder; valid until the eighth call from here.
static inline const char *scratch(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    if (!*scratch_folder) {
        fprintf(stderr, "scratch_begin() was not called\n");
        exit(1);
    }
    snprintf(path, PATH_MAX, "%s/%s", scratch_folder, name);
    return path;
}

// Make a folder in the folder.
static inline bool scratch_make_folder(const char *name)
{
    return mkdir_open(scratch(name)) == 0;
}

static inline void scratch_save(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(scratch(name), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(scratch(name));
        exit(1);
    }
}

static inline bool scratch_exists(const char *name)
{
    struct stat st;
    return lstat(scratch(name), &st) == 0;
}

// Whether the file holds exactly these bytes.
static inline bool scratch_holds(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(scratch(name), "rb");
    if (!file) return false;
    char *found = malloc(size + 1);
    bool same = found && fread(found, 1, size + 1, file) == size && memcmp(found, data, size) == 0;
    free(found);
    fclose(file);
    return same;
}

// How many names in the folder contain `text`.
static inline unsigned scratch_count(const char *text)
{
    unsigned count = 0;
    DIR *folder = opendir(scratch_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += strstr(entry->d_name, text) != NULL;
    if (folder) closedir(folder);
    return count;
}

#endif  // TENON_TESTS_SCRATCH_H
