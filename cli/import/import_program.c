// import_program.c: where tenon-import is.
// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "import/import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "tenon-import"

// Where it is installed, seen from the folder of the tool.
#ifndef TENON_HELPERS
#define TENON_HELPERS "../libexec/tenon"
#endif

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool join(const char *folder, size_t folder_size, const char *rest, char *out, size_t size)
{
    int used = snprintf(out, size, "%.*s/%s", (int)folder_size, folder, rest);
    return used > 0 && (size_t)used < size && is_program(out);
}

// Beside this program, or where it is installed.
static bool find_beside(char *out, size_t size)
{
    char self[4096];
    ssize_t used = readlink("/proc/self/exe", self, sizeof self - 1);
    if (used <= 0) return false;
    self[used] = '\0';
    const char *slash = strrchr(self, '/');
    if (!slash) return false;
    size_t folder = (size_t)(slash - self);
    return join(self, folder, PROGRAM, out, size) ||
           join(self, folder, TENON_HELPERS "/" PROGRAM, out, size);
}

static bool find_on_path(char *out, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t folder = strcspn(path, ":");
        if (folder > 0 && join(path, folder, PROGRAM, out, size)) return true;
        path += folder + (path[folder] == ':');
    }
    return false;
}

bool import_find_program(char *out, size_t size)
{
    const char *told = getenv("TENON_IMPORT");
    if (!told) return find_beside(out, size) || find_on_path(out, size);
    int used = snprintf(out, size, "%s", told);
    return used > 0 && (size_t)used < size && is_program(out);
}
