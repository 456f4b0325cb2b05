// output_help.h: what the tests of tn_output share.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_OUTPUT_HELP_H
#define TENON_TESTS_OUTPUT_HELP_H

#include "../faulty_files.h"
#include "../scratch.h"
#include "../test.h"
#include "core/files/file.h"

#define NEW_SIZE 100000u

static uint8_t fresh[NEW_SIZE];
static const char old[] = "the old content";

static inline bool holds_old(const char *name)
{
    return scratch_holds(name, old, sizeof old);
}

static inline bool holds_new(const char *name)
{
    return scratch_holds(name, fresh, NEW_SIZE);
}

// In pieces below and above the size of the buffer.
static inline bool write_pieces(tn_output *out, const uint8_t *bytes, size_t size)
{
    size_t step = 1;
    for (size_t at = 0; at < size; at += step, step = step * 3 + 1) {
        if (step > size - at) step = size - at;
        if (!tn_output_write(out, bytes + at, step)) return false;
    }
    return true;
}

static inline bool save_as(const char *path, const tenon_write_opts *opts, tenon_error *err)
{
    tn_output out;
    if (!tn_output_begin(&out, path, opts, err)) return false;
    write_pieces(&out, fresh, NEW_SIZE);
    return tn_output_commit(&out, err);
}

static inline bool save(const char *name, const tenon_write_opts *opts, tenon_error *err)
{
    return save_as(scratch(name), opts, err);
}

#define LEFTOVER_NAME ".a.tenon-0123456789abcdef"

// The name of the temporary in the scratch folder that is not `other`, which may be NULL; "" if
// there is none.
static inline const char *temporary_name(const char *other)
{
    static char name[256];
    DIR *folder = opendir(scratch_folder);
    name[0] = '\0';
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, ".tenon-") && (!other || strcmp(entry->d_name, other) != 0))
            snprintf(name, sizeof name, "%s", entry->d_name);
    if (folder) closedir(folder);
    return name;
}

// Remove what the tests have written.
static inline void clear(void)
{
    const char *names[] = {"a", "b", "link"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) remove(scratch(names[i]));
    while (*temporary_name(NULL)) remove(scratch(temporary_name(NULL)));
}

static inline void output_begin(void)
{
    for (size_t i = 0; i < NEW_SIZE; i++) fresh[i] = (uint8_t)(i * 2654435761u >> 13);
    scratch_begin();
}

#endif  // TENON_TESTS_OUTPUT_HELP_H
