// real_files.h: models made by other programs, to test against. They are not part of the project:
// the environment variable TENON_CORPUS names their folder, which has one folder for each format.
// SPDX-License-Identifier: MIT
//
// A program that uses them ends with REAL_FILES_END() instead of TEST_END().

#ifndef TENON_TESTS_REAL_FILES_H
#define TENON_TESTS_REAL_FILES_H

#include <dirent.h>
#include <stdlib.h>

#include "test.h"

#define REAL_FILES_SKIPPED 77

// The folder that TENON_CORPUS names; NULL if the variable is not set or empty.
static inline const char *real_files(void)
{
    const char *corpus = getenv("TENON_CORPUS");
    return corpus && *corpus ? corpus : NULL;
}

// Calls `check` with the path of each file in `folder` of the real ones whose name contains `part`.
// Does nothing without TENON_CORPUS. A folder without such a file is a failure.
static inline void real_files_each(const char *folder, const char *part,
                                   void (*check)(const char *path))
{
    const char *corpus = real_files();
    char path[1024];
    unsigned count = 0;
    if (!corpus) return;
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, part)) continue;
        snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, entry->d_name);
        check(path);
        count++;
    }
    if (dir) closedir(dir);
    printf("# %u real files '%s' in %s/%s\n", count, part, corpus, folder);
    CHECK(count > 0);
}

// The last statement of main(): the program counts as skipped if all else passed.
#define REAL_FILES_END()                                                                      \
    do {                                                                                      \
        if (!real_files() && test_failures == 0) {                                            \
            printf("skipped: real files, since TENON_CORPUS is not set (all else passed)\n"); \
            return REAL_FILES_SKIPPED;                                                        \
        }                                                                                     \
        TEST_END();                                                                           \
    } while (0)

#endif  // TENON_TESTS_REAL_FILES_H
