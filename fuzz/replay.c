// replay.c: runs the fuzz entry over files and folders, without a fuzzer.
// SPDX-License-Identifier: MIT
//
// Usage: replay FILE-OR-FOLDER...

#define _DEFAULT_SOURCE 1

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned input_count;
static bool failed;

static void complain(const char *path)
{
    perror(path);
    failed = true;
}

// The input is exactly as large as its memory, so that a sanitizer notices a read beyond the end.
static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size);
    if (!file || !data || fread(data, 1, size, file) != size) {
        complain(path);
    } else {
        LLVMFuzzerTestOneInput(data, size);
        input_count++;
    }
    free(data);
    if (file) fclose(file);
}

static void replay(const char *path);

static void replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) complain(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char inner[PATH_MAX];
        int size = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (size > 0 && (size_t)size < sizeof inner) replay(inner);
    }
    if (folder) closedir(folder);
}

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        complain(path);
    else if (S_ISDIR(st.st_mode))
        replay_folder(path);
    else
        replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        // An input that crashes is the one named last.
        fprintf(stderr, "%s\n", argv[i]);
        replay(argv[i]);
    }
    printf("%u inputs\n", input_count);
    return failed || input_count == 0;
}
